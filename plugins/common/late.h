/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack that is made when the first event that only RDMA has comes from the stack below it, or the end of the
 * connection. Until then no more is kept than what the stack must be told then: connections that only begin, and never
 * say anything, are cheap to make for whoever writes a capture.
 */
#ifndef IWARP_PLUGINS_COMMON_LATE_H
#define IWARP_PLUGINS_COMMON_LATE_H

#include "plugins/common/judge.h"

struct late {
    struct judge *judge;
    const struct stack_options *options;
    const struct stack_taps *taps;
    void *ctx;
    uint16_t port[2];
    bool made; /* or tried in vain */
    bool skipped[2];
    enum mpa_phase phase;
    struct mpa_parameters parameters;
    struct {
        bool known;
        uint64_t octets;
    } acked[2];
};

/*
 * The entrance of the judge's stack. late: zero, but for what judge_begin() is to be given; it must outlive the
 * entrance. The stack is NULL before it is made, and where memory is lacking.
 */
struct stack_entrance late_entrance(struct late *late);

#endif
