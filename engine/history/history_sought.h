/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What rpcbind told a client of a program without which a mount over RDMA fails. No rule depends on it. */
#ifndef IWARP_ENGINE_HISTORY_HISTORY_SOUGHT_H
#define IWARP_ENGINE_HISTORY_HISTORY_SOUGHT_H

#include "engine/history/history_lookups.h"

/* A lookup that somebody cares about the answer of, and its answer. */
struct question {
    uint32_t xid;
    uint16_t port; /* of the client */
    bool tcp;      /* asked over TCP */
    bool answered;
    bool perhaps;     /* a message that was not read may have answered it */
    bool ambiguous;   /* another question with the same XID waits for its answer, too */
    int8_t auxiliary; /* a number of nfs_auxiliary(), about TCP; -1: none */
    bool certain;     /* of `auxiliary`: about TCP; else rpcbind may answer for another transport */
    uint8_t sought;   /* enum nfs_sought; the two below belong to it: */
    uint8_t transport, program_version;
    uint8_t version, procedure; /* of rpcbind */
    uint32_t times;             /* asked, until it was answered */
    struct ulp_moment first, last;
};

/* The latest answer; but what is registered counts, until rpcbind says the contrary of the same version and transport.
 */
struct sought {
    bool lacking, offered;
    uint16_t port;
    uint32_t versions, transports;     /* of the program, as bits: all that are lacking, or the one that is offered */
    struct ulp_moment asked, answered; /* lacking: the first */
    int64_t latest_ns;                 /* of all answers */
};

void sought_answered(struct sought *sought, const struct question *question, enum rpcbind_answer answer, uint16_t port,
                     const struct lookup_place *place);
/* Of the questions about it, and their answers. False: nothing is known. */
bool sought_outcome(const struct sought *sought, enum nfs_sought what, const struct question *questions, unsigned n,
                    int64_t now_ns, struct ulp_sought *told);

#endif
