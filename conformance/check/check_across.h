/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules across the connections of a capture (engine/rdma/ulp_across.h). Shares do not know each other, so these rules
 * are judged when the results of the shares are joined: in the order of connections, whatever the threads.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_ACROSS_H
#define IWARP_CONFORMANCE_CHECK_CHECK_ACROSS_H

#include "conformance/model/report.h"
#include "engine/packet/addressed.h"

struct across;

/* NULL: out of memory. */
struct across *across_new(void);
void across_free(struct across *across);
/* As in struct ulp_across. */
void across_asked(struct across *across, const struct addressed_segment *segment, bool tcp);
/*
 * connections: struct report_connection *, by id, that have ended since the last call; takes ownership of their
 * records, and adds findings to their reports. False: out of memory.
 */
bool across_judge(struct across *across, const struct check_options *options, const GPtrArray *connections,
                  int64_t now_ns);
/* The outcome of questions to rpcbind so far. */
void across_sought(const struct across *across, int64_t now_ns, struct troubles *troubles);

#endif
