/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that were outstanding when their server ended the connection: other connections show whether the Call was the
 * reason. A server that was restarted, or lost its host, is not at fault.
 */
#ifndef IWARP_ENGINE_HISTORY_HISTORY_CUT_OFF_H
#define IWARP_ENGINE_HISTORY_HISTORY_CUT_OFF_H

#include "engine/history/history.h"

enum { RPCRDMA_HISTORY_ENDS_MAX = 1024 /* the latest */ };

/* Connections that their servers ended, or that stayed open with Calls outstanding. */
struct rpcrdma_history_ends {
    struct rpcrdma_history_end {
        struct endpoint server;
        const struct rpcrdma_history_record *record; /* only compared: the record may have been freed */
        int64_t start_ns, time_ns; /* time_ns: of the end of the connection, or of its latest packet */
        bool open;                 /* the end is not captured */
    } * latest;                    /* a ring when n exceeds RPCRDMA_HISTORY_ENDS_MAX */
    unsigned n, size;
};

/* Adds a record. */
void rpcrdma_history_ends_add(struct rpcrdma_history_ends *ends, const struct rpcrdma_history_record *record);
/*
 * newest: the newest record of the pair, which includes `now`. True: the server is not at fault. Otherwise *again is
 * the earlier connection that the same Call ended; NULL: none.
 */
bool rpcrdma_history_cut_off_acquitted(const struct rpcrdma_history_ends *ends,
                                       const struct rpcrdma_history_record *newest,
                                       const struct rpcrdma_history_record *now,
                                       const struct rpcrdma_history_record **again);

#endif
