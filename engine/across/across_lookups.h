/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Questions of a client to its server's rpcbind, as far as rules about NFS depend on them (RFC 8267 section 6.3): what
 * is kept about a pair and does not come from RDMA connections.
 */
#ifndef IWARP_ENGINE_ACROSS_ACROSS_LOOKUPS_H
#define IWARP_ENGINE_ACROSS_ACROSS_LOOKUPS_H

#include "engine/across/across.h"

enum { LOOKUPS_MAX = 16 /* of a pair, the latest */ };

struct lookup {
    int64_t time_ns;
    uint32_t frame;
    bool certain; /* true: for NFSv4 on RDMA; false: perhaps (a list of everything, another transport, or unreadable) */
};

/* In order of time. */
struct lookups {
    bool any; /* rpcbind is in the capture */
    bool lost;
    uint8_t n;
    struct lookup latest[LOOKUPS_MAX];
};

/* A client asks before it connects: a mount is attempted for about this long. */
static const int64_t lookups_recent_ns = INT64_C(120) * 1000000000;

/* The ends and the time of a message to or from rpcbind. */
struct lookup_place {
    const struct endpoint *client, *server;
    bool tcp;
    uint32_t frame;
    int64_t time_ns;
};

/* Adds a question to those of the pair. */
void rpcrdma_across_lookup(struct rpcrdma_across *across, const struct lookup_place *place,
                           enum rpcbind_question question, const struct rpcbind_lookup *lookup);
/* Takes a message p[0..n) from rpcbind; NULL: an incomplete message. */
void rpcrdma_across_answer(const struct rpcrdma_across *across, const struct lookup_place *place, const uint8_t *p,
                           size_t n);

/* The direction of messages that this side sends. */
static inline enum direction rpcrdma_across_direction(const struct rpcrdma_across_record *record, unsigned side)
{
    if (record->initiator_side < 0)
        return DIR_UNKNOWN;
    return side == (unsigned)record->initiator_side ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

void lookups_add(struct lookups *lookups, enum lookup_about about, uint32_t frame, int64_t time_ns);
/* Judges the first use of NFSv4 on a connection, if any. Earlier questions are then settled. */
void lookups_judge(struct lookups *lookups, const struct rpcrdma_across_record *record, struct verdict *verdict);

#endif
