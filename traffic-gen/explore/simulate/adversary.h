/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An adversary puts packets into a simulated conversation that no receiver accepts: the ends of the simulation never
 * see them, so the verdict about both ends must stay what it is without the adversary.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_SIMULATE_ADVERSARY_H
#define IWARP_TRAFFIC_EXPLORE_SIMULATE_ADVERSARY_H

#include "traffic-gen/explore/simulate/packets.h"

enum adversary {
    ADVERSARY_NONE,
    ADVERSARY_OUTSIDER,  /* sees the traffic, and forges any header */
    ADVERSARY_BLIND,     /* knows only addresses and ports */
    ADVERSARY_INITIATOR, /* the client itself, which also sends what its peer must drop */
    ADVERSARY_RESPONDER, /* likewise the server */
};

/* One forged packet: a copy of a packet, with changes of a kind, right after another packet of the conversation. */
struct forgery {
    unsigned kind;
    unsigned of, after; /* numbers of packets, from 0 */
    uint64_t random;
};

/* "outsider" ...; ADVERSARY_NONE: no such adversary. */
enum adversary adversary_named(const char *name);

/* One to four forgeries for the packets: struct forgery, by `after`; free with g_array_unref(). */
GArray *adversary_choose(struct random_source *random, enum adversary who, const struct packets *packets, bool roce);
/* Appends the forged packets to `packets`, and shows each of them in the view. */
void adversary_forge(const GArray *forgeries, struct packets *packets, struct view *view);
/* "after frame 7: frame 5 with other octets and a wrong TCP checksum"; frames count from 1, without forged ones. */
void adversary_append_text(GString *out, const struct forgery *forgery);

#endif
