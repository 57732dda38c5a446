// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages that cross an unreadable Reply. rules/rpcrdma.cases has the other reactions. */
#include "tests/unit/support/rpcrdma_talk.h"

static struct rpcrdma_talk *reacting(void)
{
    struct rpcrdma_talk *t = talk_new();

    t->seen.keeps = NULL;
    return t;
}

static void reply_bad_list(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);
    size_t n = talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_SUCCESS, NULL, 0);

    n = talk_put_message(t, &plan, t->rpc, n);
    put_be32(t->send + RPCRDMA_FIXED_LEN, 2);
    talk_send_octets(t, S, t->send, n);
}

/* ---- messages to be discarded ---- */

/* Sent before its sender had received the message to discard: no evidence. */
UNIT_TEST(test_what_crosses)
{
    struct rpcrdma_talk *t = reacting();

    talk_call(t, C, 0x10);
    reply_bad_list(t, 0x10);
    t->unreceived = t->end[S] - t->end[S] / 2;
    talk_call(t, C, 0x11);
    assert_int_equal(rule_counts_of(&t->seen.counts, RULE_RPCR_4_5_03).passed, 0);
    t->unreceived = 0;
    talk_call(t, C, 0x12);
    findings_passed(&t->seen, RULE_RPCR_4_5_03);
    talk_free(t);
}
