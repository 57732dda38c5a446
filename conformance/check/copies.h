/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets that the capture has more than once: from a mirror of two ports, a bond, or a capture at several places of
 * one host. A copy has all octets of the first packet, including the IP identification, and follows within
 * microseconds, before any packet of the other side. A packet that a host retransmits has another identification, or
 * follows the packet that asked for the retransmission.
 */
#ifndef IWARP_CONFORMANCE_CHECK_COPIES_H
#define IWARP_CONFORMANCE_CHECK_COPIES_H

#include "engine/packet/decap.h"

enum { COPIES_RECENT = 4 };

struct copies {
    struct recent_packet {
        uint64_t key, from, to; /* from, to: the link addresses */
        int64_t time_ns;
        uint8_t *octets; /* `captured` of them, room for `room` */
        uint32_t captured, room;
    } recent[COPIES_RECENT];
    unsigned next;
    uint64_t n;     /* left out */
    uint32_t first; /* the frame of the first copy */
    int64_t first_ns;
};

/* Whether the packet is a copy of one of the latest packets. */
bool copies_take(struct copies *copies, const struct packet *packet);
void copies_clear(struct copies *copies);

#endif
