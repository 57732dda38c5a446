/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What two captures of the same traffic, one from each end, say about the path between them. A packet is the same in
 * both if addresses, lengths, identification and the start of the transport header are
 * (conformance/check/two_points.h). Each way is supposed to take equally long: clocks that differ and ways that differ
 * look the same.
 */
#ifndef IWARP_CONFORMANCE_MODEL_BETWEEN_H
#define IWARP_CONFORMANCE_MODEL_BETWEEN_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { BETWEEN_CLIENT, BETWEEN_SERVER, BETWEEN_ENDS };
enum { BETWEEN_FRAMES = 5, BETWEEN_PACKETS_MAX = 1 << 22 /* of each capture */ };

/* A packet of one capture. */
struct between_packet {
    uint64_t hash; /* of what is the same at both ends */
    int64_t time_ns;
    int64_t peer_ns; /* by the clock of the other capture; valid with peer */
    uint32_t frame;
    uint32_t peer; /* its frame in the other capture; 0: none */
    bool forward;  /* from the smaller address to the larger address */
};

/* Packets of one way, named by the end that sends them. */
struct between_way {
    uint64_t both;                       /* in both captures */
    int64_t median_ns, most_ns;          /* time on the way; valid with `timed` */
    uint32_t most_frame[BETWEEN_ENDS];   /* the slowest packet, in each capture */
    uint64_t lost;                       /* only in the capture of the sending end */
    uint32_t lost_frame[BETWEEN_FRAMES]; /* the first of these */
    uint64_t uncaptured;                 /* only in the capture of the receiving end */
};

struct between {
    GArray *packets[BETWEEN_ENDS]; /* struct between_packet, by frame */
    bool full[BETWEEN_ENDS];       /* there are more packets than BETWEEN_PACKETS_MAX */
    bool timed;                    /* clocks and times are known: packets of both ways are in both captures */
    bool few;                      /* most packets of one capture are not in the other */
    int64_t ahead_ns;              /* of the server's clock; negative: behind */
    struct between_way way[BETWEEN_ENDS];
};

void between_free(struct between *between);
/* The packet in that frame of one end's capture; NULL: no packet that can be compared. */
const struct between_packet *between_at(const struct between *between, unsigned end, uint32_t frame);

#endif
