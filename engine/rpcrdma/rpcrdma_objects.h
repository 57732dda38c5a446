/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several connections between two hosts share: sessions and client ids, each under the hash of its octets. */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_OBJECTS_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_OBJECTS_H

#include "engine/core/verdict.h"

enum { RPCRDMA_ACROSS_OBJECTS_MAX = 8, RPCRDMA_ACROSS_REFUSED_MAX = 4 };

/* A session or client id in use on a connection. */
struct rpcrdma_across_object {
    uint64_t hash;     /* of the session or client id */
    uint32_t returned; /* minor versions that returned the object on that connection, one bit each */
    int minor;         /* minor version of the first use on that connection */
    bool reported;
    struct place first;
};

struct rpcrdma_across_objects {
    struct rpcrdma_across_object object[RPCRDMA_ACROSS_OBJECTS_MAX]; /* the first */
    unsigned n;                                                      /* in total */
};

/* New requests, as far as their connection shows, that the server called retries or out of order. */
struct rpcrdma_across_refusals {
    struct rpcrdma_across_refused {
        uint64_t session; /* hash of the session id */
        struct place place;
    } refused[RPCRDMA_ACROSS_REFUSED_MAX]; /* the first */
    unsigned n;
};

#endif
