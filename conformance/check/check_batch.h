/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that wait for the shares they belong to, so that each share can work on all of its own at once: what a share
 * knows of its connections is then brought into the processor's cache once a batch, not once a packet. Shares know
 * nothing of one another, so the order between them does not matter, except for what they have in common: whoever needs
 * that calls batch_catch_up() first.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_BATCH_H
#define IWARP_CONFORMANCE_CHECK_CHECK_BATCH_H

#include "conformance/check/check_share.h"

enum {
    BATCH_ITEMS = 8192,
    BATCH_OCTETS = 4 << 20, /* of payload; a packet that is larger is a batch of its own */
};

struct batch_item {
    uint16_t share;
    bool is_datagram, begun;
    union {
        struct addressed_segment segment;
        struct ib_datagram datagram;
    };
};

struct batch {
    unsigned n;
    size_t used, size;
    uint8_t *payload;
    unsigned caught_up; /* all items before this one have begun */
    struct batch_item item[BATCH_ITEMS];
    uint16_t order[BATCH_ITEMS];
};

/* An empty one; NULL: out of memory. Freed by batch_free(), which takes NULL, too. */
struct batch *batch_new(void);
void batch_free(struct batch *batch);
/* Room for an item with so many octets of payload; an empty batch grows if it must. */
bool batch_has_room(struct batch *batch, size_t octets);
/* Copies. There must be room. */
void batch_segment(struct batch *batch, unsigned share, const struct addressed_segment *segment);
void batch_datagram(struct batch *batch, unsigned share, const struct ib_datagram *datagram);

/* The frame of its first item; there must be one. */
uint32_t batch_first_frame(const struct batch *batch);
/* Called before an item is worked on. */
struct batch_events {
    void *ctx;
    void (*frame)(void *ctx, uint32_t frame);
};
/* Gives all items to their shares, share by share; then the batch is empty. */
void batch_work(struct batch *batch, struct share *const *shares, const struct batch_events *events);
/* Within batch_work(): gives shares what is older than this frame, in the order of frames. */
void batch_catch_up(struct batch *batch, struct share *const *shares, uint32_t frame,
                    const struct batch_events *events);

#endif
