/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MAC addresses of neighbours. A frame to an unknown neighbour waits, one frame for each, while the address is asked
 * for; unanswered questions are repeated.
 */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_NEIGHBOURS_H
#define IWARP_TRAFFIC_LIVE_WIRE_NEIGHBOURS_H

#include "traffic-gen/live/wire/packet.h"

enum { NEIGHBOURS_MAX = 64, NEIGHBOUR_FRAME = 2048 };

struct neighbour {
    uint8_t address[16];
    uint8_t mac[WIRE_MAC];
    enum { NEIGHBOUR_NONE, NEIGHBOUR_ASKED, NEIGHBOUR_KNOWN } state;
    int64_t next_ns; /* ASKED: time of the next question */
    unsigned asked;
    size_t waiting; /* octets of the waiting frame */
    uint8_t frame[NEIGHBOUR_FRAME];
};

struct neighbours {
    const struct wire_self *self; /* borrowed */
    void (*send)(void *ctx, const uint8_t *frame, size_t n);
    void *ctx;
    struct neighbour *entries; /* NEIGHBOURS_MAX */
    unsigned next;             /* next entry to be replaced */
};

void neighbours_init(struct neighbours *neighbours, const struct wire_self *self,
                     void (*send)(void *ctx, const uint8_t *frame, size_t n), void *ctx);
void neighbours_clear(struct neighbours *neighbours);

/* Writes the MAC addresses into the frame and sends it, now or once the receiver's address is known. */
void neighbours_send(struct neighbours *neighbours, const uint8_t *address, uint8_t *frame, size_t n, int64_t now);
/* Learns a neighbour's address from its message: one that was asked, or with `new_too` one that asks for us. */
void neighbours_learn(struct neighbours *neighbours, const uint8_t *address, const uint8_t *mac, bool has_mac,
                      bool new_too);
const uint8_t *neighbours_find(const struct neighbours *neighbours, const uint8_t *address); /* NULL: unknown */
void neighbours_tick(struct neighbours *neighbours, int64_t now);
int64_t neighbours_due(const struct neighbours *neighbours);

#endif
