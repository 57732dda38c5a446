/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What binds across the connections of a capture (engine/rpcrdma/history.h). The shares of a capture know nothing of
 * each other, so this is judged when their results are joined: in the order of connections, whichever thread worked on
 * them.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_HISTORY_H
#define IWARP_CONFORMANCE_CHECK_CHECK_HISTORY_H

#include "conformance/model/report.h"
#include "engine/rpcrdma/history.h"

/*
 * connections: struct report_connection *, by id, that ended since the last call; their records go to the history, and
 * its findings are added to their reports. False: out of memory.
 */
bool check_history(struct history *history, const struct check_options *options, const GPtrArray *connections,
                   int64_t now_ns);

#endif
