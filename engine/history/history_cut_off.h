/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that were outstanding when their server ended the connection: whether it did so because of the Call is judged
 * by the other connections of the capture. A server that was restarted, or lost its host, is not at fault.
 */
#ifndef IWARP_ENGINE_HISTORY_HISTORY_CUT_OFF_H
#define IWARP_ENGINE_HISTORY_HISTORY_CUT_OFF_H

#include "engine/history/history.h"

enum { RPCRDMA_HISTORY_ENDS_MAX = 1024 /* the latest */ };

/* Connections that their servers ended, or that nobody did while Calls were outstanding. */
struct rpcrdma_history_ends {
    struct rpcrdma_history_end {
        struct endpoint server;
        const struct rpcrdma_history_record *record; /* compared only: it may have been freed */
        int64_t start_ns, time_ns;                   /* time_ns: of its end, or the latest */
        bool open;                                   /* its end is not captured */
    } * latest;                                      /* a ring when n exceeds RPCRDMA_HISTORY_ENDS_MAX */
    unsigned n, size;
};

/* One more record. */
void rpcrdma_history_ends_add(struct rpcrdma_history_ends *ends, const struct rpcrdma_history_record *record);
/*
 * newest: of the records of the pair, `now` among them. True: the server has nothing to answer for. Else *again is the
 * earlier connection that the same Call has ended before; NULL: there is none.
 */
bool rpcrdma_history_cut_off_acquitted(const struct rpcrdma_history_ends *ends,
                                       const struct rpcrdma_history_record *newest,
                                       const struct rpcrdma_history_record *now,
                                       const struct rpcrdma_history_record **again);

#endif
