// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma: chunks in every form that a responder must accept (RFC 8166 sections 3.4, 3.5), and forms that it must
 * not. What it put together is read back from NFS files created for that; the lengths differ between stimuli.
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/suite/talk/talk_internal.h"

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

void rpcrdma_chunks_unused_chunk(struct rpc_talker *talker, const struct suite_case *row)
{
    const struct talker_heard *reply;

    calls_judged(talker, row);
    reply = rpc_talker_find(talker, talker->xid);
    if (reply && rpc_talker_kind(reply) == RPC_ANSWER_SUCCESS)
        judge_unused(talker->talk, reply);
}

/* ---- chunks of our own ---- */

/* A READ of more than fits inline by either side's sizes; variant: octets of the chunk for it. */
void rpcrdma_chunks_too_small(struct rpc_talker *talker, const struct suite_case *row)
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
        rpcrdma_judge(talker, RPC_FAULTS | RPC_ANSWER_SUCCESS, answer);
}

/* ---- a large result ---- */

/* A READ may return fewer octets; what it returns is what was written. */
void rpcrdma_chunks_large_read(struct rpc_talker *talker, const struct suite_case *row)
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
