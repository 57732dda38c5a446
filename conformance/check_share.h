/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A share of a capture's connections: what follows its segments, up to the connections' reports. A capture always has
 * the same number of shares, however many threads work on them, so that the report does not depend on that.
 */
#ifndef IWARP_CONFORMANCE_CHECK_SHARE_H
#define IWARP_CONFORMANCE_CHECK_SHARE_H

#include "conformance/flows.h"
#include "conformance/report.h"

struct check; /* a share */

enum { CHECK_SHARES = 16 };

struct share_setup {
    const struct check_options *options;
    const struct report_capture *capture; /* its start_ns is set before the first segment comes */
    FILE *print;                          /* NULL: no lines */
    unsigned shares;
    uint32_t *next_id; /* NULL: the share numbers its connections by itself */
};

struct share_found {
    GPtrArray *connections; /* struct report_connection *; whoever takes them frees them */
    GArray *opened;         /* uint32_t: frames in which connections 1, 2, ... of the share were opened */
    uint64_t other_connections;
    bool memory_lacking;
};

/* NULL when memory is lacking. */
struct check *share_new(const struct share_setup *setup);
void share_free(struct check *check);
void share_segment(struct check *check, struct addressed_segment *segment);
/* The capture is over. */
void share_finish(struct check *check, int64_t last_ns);
/* After that; it is the share's until that is freed. */
const struct share_found *share_result(const struct check *check);

#endif
