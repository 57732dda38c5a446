// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Credits are limits (RFC 8166 section 3.3.1, draft-lever section 4.4): they do not change because a Call comes or
 * goes. A sender that wrongly announces the remaining credits shows a pattern: over many messages, its value and the
 * number of Calls in flight add up to the same sum. Single changes are legal. So are credits that grow from message to
 * message, as may happen while a burst of Calls is answered; therefore the number must have risen in between, and the
 * value fallen.
 */
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

enum {
    PATTERN_MESSAGES = 8, /* consecutive messages that make a pattern */
    PATTERN_CHANGES = 4,  /* changes of the number of Calls in flight among these messages */
};

/* True when a pattern became certain; *steady: the value stayed the same while the number changed. */
static bool patterns_follow(struct rpcrdma_pattern *p, uint32_t value, uint32_t in_flight, bool *steady)
{
    uint64_t sum = (uint64_t)value + in_flight;
    bool first = p->n == 0, changed = !first && in_flight != p->in_flight;

    if (first || sum != p->sum) {
        p->sum = sum;
        p->n = 1;
        p->changes = p->rises = 0;
    } else {
        p->n++;
        p->changes += changed;
        p->rises += changed && in_flight > p->in_flight;
    }
    if (first || value != p->value) {
        p->value = value;
        p->steady = 1;
        p->steady_changes = 0;
    } else {
        p->steady++;
        p->steady_changes += changed;
    }
    p->in_flight = in_flight;
    INVARIANT(p->n > 0 && p->rises <= p->changes && p->changes < p->n);
    INVARIANT(p->steady > 0 && p->steady_changes <= p->steady);
    *steady = p->steady >= PATTERN_MESSAGES && p->steady_changes >= PATTERN_CHANGES;
    if (*steady)
        p->steady = p->steady_changes = 0;
    if (p->reported || p->n < PATTERN_MESSAGES || p->changes < PATTERN_CHANGES || p->rises == 0)
        return false;
    p->reported = true;
    INVARIANT(p->rises > 0 && p->sum == (uint64_t)p->value + p->in_flight);
    return true;
}

void rpcrdma_pattern_judge(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, struct rpcrdma_pattern *p,
                           uint32_t in_flight, enum rule_id rule, const char *what, const char *of)
{
    bool steady = false;

    if (patterns_follow(p, m->header.credit, in_flight, &steady))
        rpcrdma_fail_as(rpcrdma, m, rule, SEVERITY_WARNING, 0,
                        "expected %s that do not depend on the number of %s; found that credits and Calls in flight "
                        "add up to %llu in %u messages in a row, with %u credits in this one",
                        what, of, (unsigned long long)p->sum, (unsigned)p->n, (unsigned)m->header.credit);
    else if (steady)
        rpcrdma_pass(rpcrdma, rule);
}
