/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The questions about MOUNT, NLM, NSM and NFS for RDMA that the hosts of a pair asked rpcbind, matched with the
 * answers: a part of what is kept about the pair.
 */
#ifndef IWARP_ENGINE_ACROSS_ACROSS_QUESTIONS_H
#define IWARP_ENGINE_ACROSS_ACROSS_QUESTIONS_H

#include "engine/across/across_auxiliary.h"
#include "engine/across/across_sought.h"

enum { QUESTIONS_MAX = 8 /* of a pair, the latest */ };

struct questions {
    unsigned n;
    struct question latest[QUESTIONS_MAX]; /* a ring */
    struct auxiliary auxiliary;
    struct sought sought[NFS_SOUGHTS];
};

/* The client asks for an address. */
void questions_asked(struct questions *questions, const struct lookup_place *place,
                     const struct rpcbind_lookup *lookup);
/* A message to rpcbind in several segments, or captured only in part: it may be about any program. */
void questions_asked_unread(struct questions *questions);
/* A message p[0..n) to the client. NULL: an incomplete message, which may answer any question of the client. */
void questions_answered(struct questions *questions, const struct lookup_place *place, const uint8_t *p, size_t n);
/*
 * Reports the outcome of the questions by `now_ns`. told: the caller fills in who asked whom; this function sets the
 * rest.
 */
void questions_tell(const struct questions *questions, struct ulp_sought *told, int64_t now_ns,
                    const struct ulp_sought_host *host);

#endif
