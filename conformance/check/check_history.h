/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What binds across the connections of a capture (engine/history.h). The shares of a capture do not know of one
 * another, so it is judged when what they found comes together: in the order of connections, whoever worked on them.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_HISTORY_H
#define IWARP_CONFORMANCE_CHECK_CHECK_HISTORY_H

#include "conformance/check/report.h"
#include "engine/history.h"

/*
 * connections: struct report_connection *, by id, that ended since the last time; their records go to the history, and
 * what it finds is added to their reports. False: memory is lacking.
 */
bool check_history(struct history *history, const struct check_options *options, const GPtrArray *connections,
                   int64_t now_ns);

#endif
