/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rpcbind told a client about programs without which a mount over RDMA fails. No rule depends on these. */
#ifndef IWARP_ENGINE_ACROSS_ACROSS_SOUGHT_H
#define IWARP_ENGINE_ACROSS_ACROSS_SOUGHT_H

#include "engine/across/across_lookups.h"

/* A lookup whose answer matters, and its answer. */
struct question {
    uint32_t xid;
    uint16_t port; /* of the client */
    bool tcp;      /* asked over TCP */
    bool answered;
    bool perhaps;     /* a message that could not be read may have answered the question */
    bool ambiguous;   /* another question with the same XID also waits for an answer */
    int8_t auxiliary; /* a number from nfs_auxiliary(), about TCP; -1: none */
    bool certain;     /* about `auxiliary`: over TCP; otherwise rpcbind may answer for another transport */
    uint8_t sought;   /* enum nfs_sought; version and procedure belong to it: */
    uint8_t transport, program_version;
    uint8_t version, procedure; /* of rpcbind */
    uint32_t times;             /* how often it was asked before it was answered */
    struct ulp_moment first, last;
};

/* The latest answer. A program counts as offered until rpcbind denies it for the same version and transport. */
struct sought {
    bool lacking, offered;
    uint16_t port;
    uint32_t versions,
        transports; /* versions of the program, as bits: all that are missing, or the one that is offered */
    struct ulp_moment asked, answered; /* if missing: the first */
    int64_t latest_ns;                 /* of all answers */
};

void sought_answered(struct sought *sought, const struct question *question, enum rpcbind_answer answer, uint16_t port,
                     const struct lookup_place *place);
/* Evaluates the answers and the open questions about the program. False: nothing is known. */
bool sought_outcome(const struct sought *sought, enum nfs_sought what, const struct question *questions, unsigned n,
                    int64_t now_ns, struct ulp_sought *told);

#endif
