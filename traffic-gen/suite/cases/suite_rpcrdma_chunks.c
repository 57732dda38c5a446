// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma: chunks in every form that a responder must accept (RFC 8166 sections 3.4, 3.5), and forms that it must
 * not. What it put together is read back from NFS files created for that; the lengths differ between stimuli.
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/suite/talk/talk_internal.h"

#include <string.h>

/* What a server may answer. */
enum {
    SUCCESS = RPC_ANSWER_SUCCESS,
    BADXDR = RPC_ANSWER_BADXDR,
    NFS_ERROR = RPC_ANSWER_NFS_ERROR,
    FAULTS = RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK | RPC_ANSWER_RPC_ERROR
};

/* ---- NULL Calls ---- */

/* NULL has no eligible result: the Write chunk comes back unused. */
static void judge_unused(struct talk *talk, const struct talker_heard *reply)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&reply->header);

    while (rpcrdma_write_next(&reply->header, reply->p, &chunk)) {
        for (uint32_t i = 0; i < chunk.n; i++) {
            if (rpcrdma_segment_at(&chunk, reply->p, i).length > 0)
                talk_failed(talk, "expected an unused Write chunk in the Reply; found %u octets",
                            rpcrdma_segment_at(&chunk, reply->p, i).length);
        }
    }
}

static void unused_chunk(struct rpc_talker *talker, const struct suite_case *row)
{
    const struct talker_heard *reply;

    calls_judged(talker, row);
    reply = rpc_talker_find(talker, talker->xid);
    if (reply && rpc_talker_kind(reply) == RPC_ANSWER_SUCCESS)
        judge_unused(talker->talk, reply);
}

/* ---- chunks of our own ---- */

/* A chunk that does not hold the octets of its item. */
static void lacking(struct rpc_talker *talker, const struct suite_case *row)
{
    calls_judged(talker, row);
    if (rpc_talker_heard_status(talker) == 0)
        talk_inconclusive(talker->talk, "a Reply as if nothing were wrong: the device may have understood the Call");
}

/*
 * A device may refuse these chunks: the document fixes no order of Positions, and a NULL Call has no result for a
 * chunk.
 */
static void may_refuse(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;

    if (!calls_say(talker, row))
        return;
    answer = rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
    if (answer & FAULTS)
        talk_inconclusive(talker->talk, "the device refuses such chunks: %s", rpc_answer_words(answer));
    else
        rpcrdma_judge(talker, SUCCESS, answer);
    if (answer == RPC_ANSWER_SUCCESS)
        calls_check(talker, row);
}

static bool has_ended(const struct rpc_talker *talker)
{
    return talker->fed_end;
}

enum { MAY_SUCCEED = 1 };

/* By the time of the second Read the memory of that segment is not there; or only a part of a segment is memory. */
static void lost_memory(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;
    enum rpc_answer answer;

    if (!calls_say(talker, row))
        return;
    rpc_talker_pump(talker, talk_t_close(talk), has_ended);
    answer = rpc_talker_await(talker, talker->xid, 0);
    if (answer == RPC_ANSWER_SUCCESS && row->variant == MAY_SUCCEED)
        talk_inconclusive(talk, "a Reply as if nothing were wrong: the device may have read no more than it needs");
    else if (answer == RPC_ANSWER_SUCCESS && rpc_talker_heard_status(talker) == 0)
        talk_failed(talk, "expected no success: a part of the data cannot be read; found a Reply that says success");
    else if (talker->fed_end)
        talk_passed_by_end(talk, "the connection ends");
    else if (answer == RPC_ANSWER_NONSENSE)
        talk_inconclusive(talk, "%s", rpc_answer_words(answer));
    else if (answer != RPC_ANSWER_SILENCE && answer != RPC_ANSWER_GONE)
        talk_passed(talk, "%s", rpc_answer_words(answer));
    else
        talk_failed(talk, "expected the connection to end, or an error; found neither: the requester waits for ever");
}

/* A READ of more than fits inline by either side's sizes; variant: octets of the chunk for it. */
static void too_small(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;
    bool beyond = false;

    if (!calls_say(talker, row))
        return;
    answer = rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
    for (int i = row->variant; i < TALKER_REGION; i++)
        beyond |= talker->region[i] != 0;
    if (beyond || (talker->terminated && talker->error == QP_LOCAL_ACCESS))
        talk_failed(talker->talk, "expected nothing past the end of a chunk of %d octets; the device wrote there",
                    row->variant);
    else if (talker->terminated && talker->error == QP_LOCAL_LENGTH)
        talk_failed(talker->talk, "expected %s; found a Send that is too long for our Receive buffer", row->expected);
    else
        rpcrdma_judge(talker, FAULTS | SUCCESS, answer);
}

/* ---- a large result ---- */

/* A READ may return fewer octets; what it returns is what was written. */
static void large_read(struct rpc_talker *talker, const struct suite_case *row)
{
    uint32_t n;

    if (!calls_say(talker, row) || !rpc_talker_succeeded(talker))
        return;
    if (!rpc_talker_holds(talker, &n))
        talk_failed(talker->talk, "expected the octets that were written; found others");
    else if (n == 0)
        talk_inconclusive(talker->talk, "a READ of no octets");
    else
        talk_passed(talker->talk, "%u octets, as written", n);
}

static const struct suite_case tests[] = {
#include "suite_rpcrdma_chunks.inc"
};

const struct suite suite_rpcrdma_chunks = {"rpcrdma", tests, G_N_ELEMENTS(tests)};
