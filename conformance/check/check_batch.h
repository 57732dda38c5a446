/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that wait for their shares, so that each share processes all its packets at once: its state is then loaded
 * into the processor's cache once per batch, not once per packet. Shares are independent, so their order does not
 * matter, except for common data: before a share uses these, it calls batch_catch_up().
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_BATCH_H
#define IWARP_CONFORMANCE_CHECK_CHECK_BATCH_H

#include "conformance/check/check_share.h"

enum {
    BATCH_ITEMS = 8192,
    BATCH_OCTETS = 4 << 20, /* of payload; a larger packet is a batch of its own */
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

/* Returns an empty batch; NULL: out of memory. Freed by batch_free(), which accepts NULL. */
struct batch *batch_new(void);
void batch_free(struct batch *batch);
/* Whether there is room for an item with this many octets of payload; an empty batch grows if necessary. */
bool batch_has_room(struct batch *batch, size_t octets);
/* These copy their argument. The batch must have room. */
void batch_segment(struct batch *batch, unsigned share, const struct addressed_segment *segment);
void batch_datagram(struct batch *batch, unsigned share, const struct ib_datagram *datagram);

/* The frame of the first item, which must exist. */
uint32_t batch_first_frame(const struct batch *batch);
/* Called before work on an item begins. */
struct batch_events {
    void *ctx;
    void (*frame)(void *ctx, uint32_t frame);
};
/* Passes all items to their shares, share by share, and empties the batch. */
void batch_work(struct batch *batch, struct share *const *shares, const struct batch_events *events);
/* Within batch_work(): passes items older than this frame to their shares, in the order of frames. */
void batch_catch_up(struct batch *batch, struct share *const *shares, uint32_t frame,
                    const struct batch_events *events);

#endif
