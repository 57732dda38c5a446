/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the rpcbind of a server answered a client about MOUNT, NLM and NSM, which a server of NFS versions 2 and 3
 * offers over TCP (RFC 8267 section 5.1): a part of the history of a pair of addresses.
 */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_HISTORY_AUXILIARY_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_HISTORY_AUXILIARY_H

#include "engine/rpcrdma/rpcrdma_history.h"

enum { AUXILIARY_QUESTIONS_MAX = 8 /* of a pair, the latest */ };

struct auxiliary_question {
    uint32_t xid;
    uint16_t port; /* of the client */
    bool tcp;      /* asked over TCP */
    bool certain;  /* about TCP; else rpcbind may answer for another transport */
    bool answered;
    bool ambiguous; /* another question with the same XID waits for its answer, too */
    uint8_t program;
    uint8_t version, procedure; /* of rpcbind */
};

struct auxiliary_offer {
    bool offered, settled;
    bool doubtful;          /* an answer may be about another transport, or was not read */
    uint32_t lacking_frame; /* the latest answer that the program is not registered; 0: none */
    int64_t lacking_ns;
};

struct auxiliary {
    bool unread; /* a question was not read: the question may be about any program */
    unsigned n_questions;
    struct auxiliary_question question[AUXILIARY_QUESTIONS_MAX]; /* a ring */
    struct auxiliary_offer offer[NFS_AUXILIARIES];
};

/* The client's end of the segment asks for an address. */
void auxiliary_asked(struct auxiliary *auxiliary, const struct endpoint *client, bool tcp,
                     const struct rpcbind_lookup *lookup);
/* A message to rpcbind that is in several segments, or was not captured whole. */
void auxiliary_asked_unread(struct auxiliary *auxiliary);
/* A Reply p[0..n) to the client's end. */
void auxiliary_answered(struct auxiliary *auxiliary, const struct endpoint *client, bool tcp, const uint8_t *p,
                        size_t n, uint32_t frame, int64_t time_ns);
/* Such a message to the client's end, which may answer any question of that end. */
void auxiliary_answered_unread(struct auxiliary *auxiliary, const struct endpoint *client, bool tcp);
/* Once per program, for a connection on which the server speaks NFS version 2 or 3. */
void auxiliary_judge(struct auxiliary *auxiliary, const struct rpcrdma_history_record *record, struct verdict *verdict);

#endif
