// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma: messages whose Transport header is malformed (RFC 8166 section 4.5). A Call is answered with the error
 * that the section names; some messages and every malformed Reply are silently discarded.
 */
#include "traffic-gen/tester/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/tester/suite/rpc/nfs_run.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

enum { MANY_MAX = 1024 };

void rpcrdma_judge(struct rpc_talker *talker, unsigned allowed, enum rpc_answer found)
{
    if (allowed & RPC_ANSWER_SUCCESS && talk_job(talker->talk)->run->nfs->no_null)
        allowed |= RPC_ANSWER_RPC_ERROR; /* the DUT has no program that we know: the error shows what it understood */
    if (allowed & found) {
        talk_passed(talker->talk, "%s", rpc_answer_words(found));
        return;
    }
    talk_failed(talker->talk, "expected %s; found %s", talk_job(talker->talk)->row->expected,
                rpc_talker_found_words(talker, found));
    /* So that the recording also shows that no answer will come. */
    if (found == RPC_ANSWER_SILENCE && talk_is_initiator(talker->talk))
        rpc_talker_alive(talker);
}

/* All Calls of the DUT are pending, so it makes no more Calls. */
static bool is_blocked(struct rpc_talker *talker)
{
    int64_t until = talk_now() + talk_t_close(talker->talk);

    if (!rpc_talker_wait_calls(talker, 1))
        return false;
    while (talk_now() < until && !talker->fed_end) {
        unsigned before = talker->server.n_held;

        rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, NULL);
        if (talker->server.n_held == before)
            return true;
    }
    if (!rpc_talker_left_early(talker))
        talk_inconclusive(talker->talk, "the device makes one Call after the other without waiting for Replies");
    return false;
}

static bool judge_unanswered(struct rpc_talker *talker)
{
    const char *answer = rpc_talker_other_answer(talker);

    if (answer)
        talk_failed(talker->talk, "expected silence; found %s", answer);
    return !answer;
}

/*
 * Sent instead of the Reply to a Call of the DUT, which can make no other Calls meanwhile: if it makes one, it has
 * taken this for the Reply instead of discarding it. Then comes the Reply, and the DUT continues.
 */
static void to_client(struct rpc_talker *talker, const struct suite_case *row)
{
    unsigned before;

    if (!is_blocked(talker))
        return;
    before = talker->server.n_held;
    talker->xid = talker->server.held[0].xid;
    if (!calls_say(talker, row))
        return;
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 2, NULL);
    if (talker->server.n_held > before && !talker->fed_end)
        rpc_talker_doubt(talker, "expected the message to be discarded; the device makes another Call, as if it had "
                                 "been the Reply to a pending one");
    else if (judge_unanswered(talker))
        rpc_talker_judge_continues(talker, "no answer");
    judge_unanswered(talker);
}

/* The most credits that the device has asked for: it has as many Receive buffers, at least. */
static unsigned credits_asked(const struct rpc_talker *talker)
{
    uint32_t most = 1;

    for (guint i = 0; i < talker->heard->len; i++) {
        const struct talker_heard *heard = g_ptr_array_index(talker->heard, i);

        if (heard->call && heard->header.status == RPCRDMA_OK)
            most = MAX(most, heard->header.credit);
    }
    return MIN(most, MANY_MAX);
}

/* Each message takes a Receive buffer, which has to be posted again although the message is discarded. */
void rpcrdma_headers_many(struct rpc_talker *talker, const struct suite_case *row)
{
    g_autofree char *what = NULL;
    unsigned n;

    if (!is_blocked(talker))
        return;
    n = credits_asked(talker) + 1;
    for (unsigned i = 0; i < n && !talker->fed_end && !talker->terminated; i++) {
        calls_say(talker, row);
        rpc_talker_pump(talker, talk_t_react(talker->talk) / 50, NULL);
    }
    what = g_strdup_printf("%u malformed Replies, one more than the credits that it asks for", n);
    rpc_talker_judge_continues(talker, what);
}

/* No answer comes even for a while after the sign of life. */
static void to_server(struct rpc_talker *talker, const struct suite_case *row)
{
    bool alive;

    if (!calls_say(talker, row))
        return;
    alive = rpc_talker_alive(talker);
    rpc_talker_pump(talker, talk_t_react(talker->talk) / 4, NULL);
    if (judge_unanswered(talker) && alive)
        talk_passed(talker->talk, "no answer, and the device continues");
}

void rpcrdma_headers_discarded(struct rpc_talker *talker, const struct suite_case *row)
{
    if (!talk_is_initiator(talker->talk))
        to_client(talker, row);
    else
        to_server(talker, row);
}
