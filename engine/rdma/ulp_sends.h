/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assembles the beginnings of Sends from their parts. */
#ifndef IWARP_ENGINE_RDMA_ULP_SENDS_H
#define IWARP_ENGINE_RDMA_ULP_SENDS_H

#include "engine/rdma/ulp.h"

struct ulp_sends {
    struct arena *arena;
    struct ulp_sends_side {
        bool started, hole; /* hole: something from this side is missing */
        bool any;           /* a Send was completed or lost */
        bool open;          /* a Send is being assembled */
        uint64_t message;
        uint64_t length;
        size_t n;
        uint8_t *head; /* ULP_HEAD_SIZE octets; NULL: not needed so far */
    } side[2];
};

/* True: the part completes a Send. send->p is valid as long as the part, or until the next part. */
bool ulp_sends_part(struct ulp_sends *sends, const struct rdma_part *part, bool from_start, struct ulp_send *send);
void ulp_sends_skipped(struct ulp_sends *sends, unsigned side);

#endif
