/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a capture misses or confuses, although the ends received everything. */
#ifndef IWARP_TRAFFIC_EXPLORE_SIMULATE_DISTORT_H
#define IWARP_TRAFFIC_EXPLORE_SIMULATE_DISTORT_H

#include "traffic-gen/explore/simulate/packets.h"

enum distortion_kind {
    DISTORT_LOSE,    /* packets are missing */
    DISTORT_LATE,    /* the capture begins with packet `at` */
    DISTORT_CUT,     /* the capture ends before packet `at` */
    DISTORT_ONE_WAY, /* no packets to clients (`n` 0), or from them (1) */
    DISTORT_SNAP,    /* `n` octets of each packet are kept */
    DISTORT_DOUBLE,  /* captured twice, as a mirror of two ports does */
    DISTORT_SWAP,    /* the next packet of the same side is captured first */
};

struct distortion {
    enum distortion_kind kind;
    unsigned at, n; /* of the packets: the first one concerned, and how many */
};

/* Random ones for a capture of this many packets: struct distortion; often none. Free with g_array_unref(). */
GArray *distort_choose(struct random_source *random, unsigned packets);
/* Applies them to a view of everything. */
void distort(const GArray *distortions, const struct packets *packets, struct view *view);
/* "lose 7-9"; frames count from 1. */
void distort_append_text(GString *out, const struct distortion *distortion);

#endif
