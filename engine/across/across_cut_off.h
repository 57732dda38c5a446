/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that were outstanding when their server ended the connection: other connections show whether the Call was the
 * reason. A server that was restarted, or lost its host, is not at fault.
 */
#ifndef IWARP_ENGINE_ACROSS_ACROSS_CUT_OFF_H
#define IWARP_ENGINE_ACROSS_ACROSS_CUT_OFF_H

#include "engine/across/across.h"

enum { RPCRDMA_ACROSS_ENDS_MAX = 1024 /* the latest */ };

/* Connections that their servers ended, or that stayed open with Calls outstanding. */
struct rpcrdma_across_ends {
    struct rpcrdma_across_end {
        struct endpoint server;
        const struct rpcrdma_across_record *record; /* only compared: the record may have been freed */
        int64_t start_ns, time_ns;                  /* time_ns: of the end of the connection, or of its latest packet */
        bool open;                                  /* the end is not captured */
    } * latest;                                     /* a ring when n exceeds RPCRDMA_ACROSS_ENDS_MAX */
    unsigned n, size;
};

/* Adds a record. */
void rpcrdma_across_ends_add(struct rpcrdma_across_ends *ends, const struct rpcrdma_across_record *record);
/*
 * newest: the newest record of the pair, which includes `now`. True: the server is not at fault. Otherwise *again is
 * the earlier connection that the same Call ended; NULL: none.
 */
bool rpcrdma_across_cut_off_acquitted(const struct rpcrdma_across_ends *ends,
                                      const struct rpcrdma_across_record *newest,
                                      const struct rpcrdma_across_record *now,
                                      const struct rpcrdma_across_record **again);

#endif
