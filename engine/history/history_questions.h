/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the ends of a pair of addresses asked rpcbind about MOUNT, NLM, NSM and NFS for RDMA, and which answer belongs
 * to which question: a part of the history of the pair.
 */
#ifndef IWARP_ENGINE_HISTORY_HISTORY_QUESTIONS_H
#define IWARP_ENGINE_HISTORY_HISTORY_QUESTIONS_H

#include "engine/history/history_auxiliary.h"
#include "engine/history/history_sought.h"

enum { QUESTIONS_MAX = 8 /* of a pair, the latest */ };

struct questions {
    unsigned n;
    struct question latest[QUESTIONS_MAX]; /* a ring */
    struct auxiliary auxiliary;
    struct sought sought[NFS_SOUGHTS];
};

/* The client's end asks for an address. */
void questions_asked(struct questions *questions, const struct lookup_place *place,
                     const struct rpcbind_lookup *lookup);
/* A message to rpcbind that is in several segments, or was not captured whole: it may be about any program. */
void questions_asked_unread(struct questions *questions);
/* A message p[0..n) to the client's end. NULL: not a whole one, which may answer any question of that end. */
void questions_answered(struct questions *questions, const struct lookup_place *place, const uint8_t *p, size_t n);
/* What became of the questions by `now_ns`. told: who and whom; the rest is filled in. */
void questions_tell(const struct questions *questions, struct ulp_sought *told, int64_t now_ns,
                    const struct ulp_sought_host *host);

#endif
