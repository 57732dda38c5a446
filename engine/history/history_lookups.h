/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a client asked the rpcbind of its server, as far as rules of NFS depend on it (RFC 8267 section 6.3): the part
 * of the history of a pair of addresses that no connection of RDMA leaves.
 */
#ifndef IWARP_ENGINE_HISTORY_HISTORY_LOOKUPS_H
#define IWARP_ENGINE_HISTORY_HISTORY_LOOKUPS_H

#include "engine/history/history.h"

enum { LOOKUPS_MAX = 16 /* of a pair, the latest */ };

struct lookup {
    int64_t time_ns;
    uint32_t frame;
    bool certain; /* for NFSv4 on RDMA; else it may have been: a list of everything, another transport, not readable */
};

/* In order of time. */
struct lookups {
    bool any; /* rpcbind is in the capture */
    bool lost;
    uint8_t n;
    struct lookup latest[LOOKUPS_MAX];
};

/* A client that asks connects when it has the answer: attempts of a mount go on for about so long. */
static const int64_t lookups_recent_ns = INT64_C(120) * 1000000000;

/* Whose message to or from rpcbind it is, and when. */
struct lookup_place {
    const struct endpoint *client, *server;
    bool tcp;
    uint32_t frame;
    int64_t time_ns;
};

/* Adds a question to the pair's. */
void rpcrdma_history_lookup(struct rpcrdma_history *history, const struct lookup_place *place,
                            enum rpcbind_question question, const struct rpcbind_lookup *lookup);
/* A message p[0..n) from rpcbind; NULL: not a whole one. */
void rpcrdma_history_answer(const struct rpcrdma_history *history, const struct lookup_place *place, const uint8_t *p,
                            size_t n);

/* Of what this side sends. */
static inline enum direction rpcrdma_history_direction(const struct rpcrdma_history_record *record, unsigned side)
{
    if (record->initiator_side < 0)
        return DIR_UNKNOWN;
    return side == (unsigned)record->initiator_side ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

void lookups_add(struct lookups *lookups, enum lookup_about about, uint32_t frame, int64_t time_ns);
/* The first use of NFSv4 on a connection, if there is any. What was asked before it is settled. */
void lookups_judge(struct lookups *lookups, const struct rpcrdma_history_record *record, struct verdict *verdict);

#endif
