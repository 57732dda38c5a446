// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma: chunks in every form that a responder must accept (RFC 8166 sections 3.4, 3.5), and forms that it must
 * not. What it put together is read back from NFS files created for that; the lengths differ between stimuli.
 */
#include "traffic-gen/suite/cases/suite_rpcrdma.h"

#include "traffic-gen/suite/talk/talk_internal.h"

#include <string.h>

enum { NFS4_BADXDR = 10036, FAULTS = RPC_ANSWER_GARBAGE | RPC_ANSWER_ERR_CHUNK | RPC_ANSWER_RPC_ERROR };

/* ---- NULL Calls ---- */

/* The octets of the row; a NULL Call is in our memory from octet 0 on, for a Position-Zero Read chunk. */
static void null_call(struct rpc_talker *talker, const struct suite_case *row)
{
    g_autoptr(GByteArray) call = rpc_talker_octets(talker, "NULL"), octets = rpc_talker_octets(talker, row->says);

    memcpy(talker->region, call->data, call->len);
    rpc_talker_send(talker, octets->data, octets->len);
    rpcrdma_judge(talker, RPC_ANSWER_SUCCESS, rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk)));
}

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

    null_call(talker, row);
    reply = rpc_talker_find(talker, talker->xid);
    if (reply && rpc_talker_kind(reply) == RPC_ANSWER_SUCCESS)
        judge_unused(talker->talk, reply);
}

/* ---- chunks of our own ---- */

static enum rpc_answer await_answer(struct rpc_talker *talker)
{
    return rpc_talker_await(talker, talker->xid, talk_t_close(talker->talk));
}

/* Roundup in the chunk. */
static void padded(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;

    if (!calls_say(talker, row))
        return;
    answer = await_answer(talker);
    rpcrdma_judge(talker, RPC_ANSWER_SUCCESS, answer);
    if (answer == RPC_ANSWER_SUCCESS)
        calls_check(talker, row);
}

/* A chunk that does not hold the octets of its item. */
static void lacking(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;

    if (!calls_say(talker, row))
        return;
    answer = await_answer(talker);
    if (answer != RPC_ANSWER_SUCCESS)
        rpcrdma_judge(talker, FAULTS, answer);
    else if (rpc_talker_heard_status(talker) == 0)
        talk_inconclusive(talker->talk, "a Reply as if nothing were wrong: the device may have understood the Call");
    else
        talk_passed(talker->talk, "NFS status %u", rpc_talker_heard_status(talker));
}

static bool has_ended(const struct rpc_talker *talker)
{
    return talker->fed_end;
}

/* By the time of the second Read the memory of that segment is not there. */
static void lost_memory(struct rpc_talker *talker, const struct suite_case *row)
{
    struct talk *talk = talker->talk;
    enum rpc_answer answer;

    if (!calls_say(talker, row))
        return;
    rpc_talker_pump(talker, talk_t_close(talk), has_ended);
    answer = rpc_talker_await(talker, talker->xid, 0);
    if (answer == RPC_ANSWER_SUCCESS && rpc_talker_heard_status(talker) == 0)
        talk_failed(talk, "expected no success: a part of the data cannot be read; found a Reply that says success");
    else if (talker->fed_end)
        talk_passed_by_end(talk, "the connection ends");
    else if (answer != RPC_ANSWER_SILENCE && answer != RPC_ANSWER_GONE)
        talk_passed(talk, "%s", rpc_answer_words(answer));
    else
        talk_failed(talk, "expected the connection to end, or an error; found neither: the requester waits for ever");
}

/* An item that must not be reduced. */
static void not_eligible(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;

    if (!calls_say(talker, row))
        return;
    answer = await_answer(talker);
    if (answer == RPC_ANSWER_SUCCESS && rpc_talker_heard_status(talker) == NFS4_BADXDR)
        talk_passed(talker->talk, "NFS4ERR_BADXDR");
    else
        rpcrdma_judge(talker, FAULTS, answer);
}

/* A READ of more than fits inline by either side's sizes; variant: octets of the chunk for it. */
static void too_small(struct rpc_talker *talker, const struct suite_case *row)
{
    enum rpc_answer answer;
    bool beyond = false;

    if (!calls_say(talker, row))
        return;
    answer = await_answer(talker);
    for (int i = row->variant; i < TALKER_REGION; i++)
        beyond |= talker->region[i] != 0;
    if (beyond || (talker->terminated && talker->error == QP_LOCAL_ACCESS))
        talk_failed(talker->talk, "expected nothing past the end of a chunk of %d octets; the device wrote there",
                    row->variant);
    else if (talker->terminated && talker->error == QP_LOCAL_LENGTH)
        talk_failed(talker->talk, "expected %s; found a Send that is too long for our Receive buffer", row->expected);
    else
        rpcrdma_judge(talker, FAULTS | RPC_ANSWER_SUCCESS, answer);
}

#define TAKEN     "success"
#define READ_BACK "; read len=2999 write=3000 reply=400"
#define HEAD      "XID 00000001 00000008 "

static const struct suite_case tests[] = {
    {RULE_RPCR_2_2_4_2_01, "write", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE of 501 octets without chunks, all inline", "success, and the file holds the octets",
     .says = "file; (write len=501); read len=501 write=504 reply=400", .on = calls_succeed},
    {RULE_RPCR_4_5_4_03, "memory", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE with a Read chunk of two segments, of which the second one's memory is gone when it is read",
     "the connection ends, or an error", .says = "file; (write len=2800 by-hand read=1400+1400 lost)",
     .on = lost_memory},
    {RULE_RPCR_3_4_5_07, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE with a Read chunk of four segments", "success, and the octets in list order",
     .says = "file; (write len=2999 read segments=4 reply=400)" READ_BACK, .on = calls_succeed},
    {RULE_RPCR_3_4_5_2_04, "segment", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE of 2999 octets with the roundup in a separate segment", TAKEN,
     .says = "file; (write len=2999 by-hand read=2999+1)" READ_BACK, .on = padded},
    {RULE_RPCR_3_4_5_2_04, "extended", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE of 2999 octets with the roundup in the last segment", TAKEN,
     .says = "file; (write len=2999 by-hand read=3000)" READ_BACK, .on = padded},
    {RULE_RPCR_3_5_3_15, NULL, DUT_RESPONDER, NEED_RPC, rpcrdma_once, "a NULL Call in a Position-Zero Read chunk",
     "a Reply with SUCCESS", .says = HEAD "00000001 00000001 00000000 R:40 00000000 00000000 00000000",
     .on = null_call},
    {RULE_RPCR_3_5_3_16, NULL, DUT_RESPONDER, NEED_RPC, rpcrdma_once,
     "a NULL Call in a Position-Zero Read chunk of three segments", "a Reply with SUCCESS",
     .says =
         HEAD "00000001 00000001 00000000 R:12 00000001 00000000 R:8@12 00000001 00000000 R:20@20 00000000 00000000 "
              "00000000",
     .on = null_call},
    {RULE_RPCR_4_3_2_2_08, NULL, DUT_RESPONDER, NEED_RPC, rpcrdma_once, "a NULL Call with a Write chunk",
     "a Reply with SUCCESS and the chunk unused",
     .says = HEAD "00000000 00000000 00000001 00000001 W:100 00000000 00000000 NULL", .on = unused_chunk},
    {RULE_RPCR_4_5_2_07, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE of 2999 octets whose Read chunk has 1999", "GARBAGE_ARGS, ERR_CHUNK or an NFS error",
     .says = "file; (write len=2999 by-hand read=1999)", .on = lacking},
    {RULE_RPCR_4_5_2_07, "position", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE whose Read chunk has a Position 1000 octets past the message", "GARBAGE_ARGS, ERR_CHUNK or an NFS error",
     .says = "file; (write len=2999 by-hand read=2999 past=1000)", .on = lacking},
    {RULE_RPCR_4_5_3_02, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READ of 2999 octets where 1024 fit inline, without chunks", "ERR_CHUNK, an error or a short READ",
     .says = "with inline=1024; file; write len=2999 read reply=400; (read len=2999)", .on = calls_answered},
    {RULE_RPCR_4_5_3_02, "large", DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READ of 5998 octets where 4096 fit inline, without chunks", "ERR_CHUNK, an error or a short READ",
     .says = "file; write len=5998 read reply=400; (read len=5998)", .on = calls_answered},
    {RULE_EXP_4_3_02, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READ of 2998 octets where 1024 fit inline, without chunks", "ERR_CHUNK, an error or a short READ",
     .says = "with inline=1024; file; write len=2998 read reply=400; (read len=2998)", .on = calls_answered},
    {RULE_RPCR_4_5_3_03, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READ of 5998 octets with a Reply chunk of 64", "an error, and nothing past the chunk",
     .says = "file; write len=5998 read reply=400; (read len=5998 by-hand reply=64)", .variant = 64, .on = too_small},
    {RULE_RPCR_4_5_3_05, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READ of 5998 octets with a Write chunk of 1000", "an error or a short READ, and nothing past the chunk",
     .says = "file; write len=5998 read reply=400; (read len=5998 by-hand write=1000)", .variant = 1000,
     .on = too_small},
    {RULE_NFSULB_3_03, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READ of 5998 octets with a Reply chunk of 128", "an error, and nothing past the chunk",
     .says = "file; write len=5998 read reply=400; (read len=5998 by-hand reply=128)", .variant = 128, .on = too_small},
    {RULE_RPCR_6_1_07, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a GETATTR whose file handle is in a Read chunk", "ERR_CHUNK or an RPC error",
     .says = "file; (getattr by-hand reduce=handle)", .on = not_eligible},
    {RULE_RPCR_6_1_08, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version, "a LOOKUP whose name is in a Read chunk",
     "ERR_CHUNK or an RPC error", .says = "file; (lookup by-hand reduce=name)", .on = not_eligible},
    {RULE_EXP_3_2_1_02, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE with a Read chunk of three segments", TAKEN,
     .says = "file; (write len=2999 read segments=3 reply=400)" READ_BACK, .on = calls_succeed},
    {RULE_EXP_3_5_1_01, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a WRITE in a Position-Zero Read chunk, its data in another one", TAKEN,
     .says = "file; (write len=2999 read pz reply=400)" READ_BACK, .on = calls_succeed},
    {RULE_EXP_3_8_1_03, NULL, DUT_RESPONDER, NEED_NFS, rpcrdma_each_version,
     "a READ of 2999 octets with a Write chunk of 2999", TAKEN,
     .says = "file; write len=2999 read reply=400; (read len=2999 write=2999 reply=400)", .on = calls_succeed},
};

const struct suite suite_rpcrdma_chunks = {"rpcrdma", tests, G_N_ELEMENTS(tests)};
