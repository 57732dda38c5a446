// SPDX-License-Identifier: GPL-2.0-or-later
/* Credits without help from ACK numbers. rules/rpcrdma.cases has the rest. */
#include "tests/unit/support/rpcrdma_talk.h"

static const struct rpcrdma_options ietf = {.profile = PROFILE_IETF};
/* The first Call is still to come. */
static struct rpcrdma_talk *quiet(void)
{
    struct rpcrdma_talk *t = talk_new_bare(&ietf);

    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    return t;
}

/* Credits were granted. */
static struct rpcrdma_talk *granted(const struct rpcrdma_options *options, uint32_t grant)
{
    struct rpcrdma_talk *t = talk_new_bare(options);

    t->credit[S] = grant;
    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    talk_greet(t);
    return t;
}

static uint32_t reply_with_credit(struct rpcrdma_talk *t, unsigned side, uint32_t xid, uint32_t credit)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    plan.credit = credit;
    return talk_reply_with(t, side, &plan, NULL, 0);
}

/* ---- the limit ---- */

UNIT_TEST(test_unknown_acks)
{
    struct rpcrdma_talk *t = granted(&ietf, 32);

    for (uint32_t xid = 0x10; xid < 0x15; xid++)
        talk_call(t, C, xid);
    t->acked_unknown = true;
    reply_with_credit(t, S, 0x10, 2);
    talk_call(t, C, 0x15); /* may have crossed the Reply */
    talk_expect_nothing(t);
}

/* ACK numbers that never change prove nothing. */
UNIT_TEST(test_dead_acks)
{
    struct rpcrdma_talk *t = quiet();

    for (uint32_t xid = 0x10; xid < 0x15; xid++) {
        t->unreceived = t->end[S];
        talk_call(t, C, xid);
        t->unreceived = t->end[C];
        talk_reply(t, S, xid);
    }
    talk_expect_nothing(t);
}
