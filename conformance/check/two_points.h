/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A capture merged from captures of both ends has each packet twice: with the same identification and octets, apart by
 * the time on the path and by the difference of the clocks, up to seconds. A host that retransmits a packet gives the
 * packet another identification, and does not retransmit every packet of both directions.
 */
#ifndef IWARP_CONFORMANCE_CHECK_TWO_POINTS_H
#define IWARP_CONFORMANCE_CHECK_TWO_POINTS_H

#include "conformance/input/capture.h"

enum { TWO_POINTS_SCANNED = 65536 /* packets that decide */, TWO_POINTS_HEAD = 64 };

/* The part of a packet that both points have: addresses, identification, and the first octets of TCP or RoCE v2. */
struct packet_key {
    uint8_t octets[TWO_POINTS_HEAD];
    uint64_t hash;
    bool forward;    /* from the smaller address to the larger address */
    bool identified; /* the identification is not 0 */
};
/* False: the packet is neither TCP nor RoCE v2 directly in IPv4 or IPv6, or is cut too short. */
bool packet_key_of(const struct packet *packet, struct packet_key *key);

/* Whether nearly every packet at the start of the capture is there twice, in both directions. Reads the capture. */
bool two_points_found(struct capture *capture);

struct two_points;

/* NULL: out of memory. */
struct two_points *two_points_new(void);
void two_points_free(struct two_points *points);
/* Whether the packet is the second copy of an earlier packet. `apart` becomes the time between the two copies. */
bool two_points_take(struct two_points *points, const struct packet *packet, int64_t *apart);

#endif
