// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite rpcrdma: each mistakes one kind of message for another. */
#include "traffic-gen/mutants/misbehave.h"

#include "wire/octets.h"

/* ---- headers ---- */

static bool has_status(const struct rpc_end_incoming *in, enum rpcrdma_status status)
{
    return in->p && in->n >= RPCRDMA_HEADER_MIN && in->header->status == status;
}

static bool is_sound(const struct rpc_end_incoming *in, uint32_t proc)
{
    return has_status(in, RPCRDMA_OK) && in->header->vers == RPCRDMA_VERSION && in->header->proc == proc;
}

static bool has_body(const struct rpc_end_incoming *in)
{
    return in->header->read.n > 0 && rpcrdma_read_segment_at(in->header, in->p, 0).position == 0;
}

static bool is_short(const struct rpc_end_incoming *in)
{
    return in->n == 24 && in->header->proc == RPCRDMA_MSG;
}

static bool is_a_little_short(const struct rpc_end_incoming *in)
{
    return in->n == RPCRDMA_HEADER_MIN - 1 && in->header->proc == RPCRDMA_MSG;
}

static bool is_nothing_at_all(const struct rpc_end_incoming *in)
{
    return in->p && in->n == 0;
}

/* One of the discriminators of the lists: WORD_READS and so on. */
enum { WORD_READS = 16, WORD_WRITES = 20, WORD_REPLY = 24, WORD_COUNT = 24 /* of the first Write chunk */ };

static uint32_t word_at(const struct rpc_end_incoming *in, size_t at)
{
    return in->p && in->n >= at + 4 ? get_be32(in->p + at) : 0;
}

static bool is_version_2(const struct rpc_end_incoming *in)
{
    return in->header->vers == 2 && in->header->proc != 9;
}

static bool is_version_2_proc_9(const struct rpc_end_incoming *in)
{
    return in->header->vers == 2 && in->header->proc == 9;
}

static bool is_version_0(const struct rpc_end_incoming *in)
{
    return in->n >= RPCRDMA_HEADER_MIN && in->header->vers == 0;
}

static bool is_bad_discriminator(const struct rpc_end_incoming *in)
{
    return has_status(in, RPCRDMA_BAD_DISCRIMINATOR) && (word_at(in, WORD_READS) > 1 || !in->call);
}

static bool is_bad_write_list(const struct rpc_end_incoming *in)
{
    return has_status(in, RPCRDMA_BAD_DISCRIMINATOR) && in->call && word_at(in, WORD_WRITES) > 1;
}

static bool is_bad_reply_chunk(const struct rpc_end_incoming *in)
{
    return has_status(in, RPCRDMA_BAD_DISCRIMINATOR) && word_at(in, WORD_REPLY) > 1;
}

static bool is_overrun(const struct rpc_end_incoming *in)
{
    return has_status(in, RPCRDMA_OVERRUN) && in->header->fault == 0 && word_at(in, WORD_READS) == 1;
}

static bool is_cut(const struct rpc_end_incoming *in)
{
    return has_status(in, RPCRDMA_OVERRUN) && word_at(in, WORD_READS) == 0 && word_at(in, WORD_REPLY) == 1;
}

static bool has_count(const struct rpc_end_incoming *in, uint32_t count)
{
    return has_status(in, RPCRDMA_OVERRUN) && in->header->fault > 0 && word_at(in, WORD_WRITES) == 1 &&
           word_at(in, WORD_COUNT) == count;
}

static bool is_large_count(const struct rpc_end_incoming *in)
{
    return has_count(in, 0x00FFFFFF);
}

static bool is_count_28(const struct rpc_end_incoming *in)
{
    return has_count(in, 0x10000001);
}

static bool is_count_30(const struct rpc_end_incoming *in)
{
    return has_count(in, 0x40000001);
}

static bool is_count_31(const struct rpc_end_incoming *in)
{
    return has_count(in, 0x80000001);
}

static bool is_count_max(const struct rpc_end_incoming *in)
{
    return has_count(in, UINT32_MAX);
}

static bool is_proc_5(const struct rpc_end_incoming *in)
{
    return has_status(in, RPCRDMA_BAD_PROC) && in->header->proc == 5;
}

static bool is_large_proc(const struct rpc_end_incoming *in)
{
    return has_status(in, RPCRDMA_BAD_PROC) && in->header->vers == RPCRDMA_VERSION && in->header->proc > 5;
}

static bool is_nothing(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_NOMSG) && in->header->read.n == 0 && in->header->write.n == 0 && !in->header->has_reply;
}

static bool is_other_xid(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_MSG) && in->n >= in->header->header_len + 4 &&
           get_be32(in->p + in->header->header_len) != in->header->xid;
}

/* A Call with two XIDs is answered with both of them. */
static enum rpc_end_answer take_two_xids(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;

    if (in->p)
        mutant->seen = is_other_xid(in) ? get_be32(in->p + in->header->header_len) : 0;
    return mutant->seen ? RPC_END_SERVE : due;
}

static void copy_second_xid(void *ctx, GByteArray *octets)
{
    struct mutant *mutant = ctx;

    if (mutant->seen && octets->len >= RPCRDMA_HEADER_MIN + sizeof(uint32_t))
        put_be32(octets->data + RPCRDMA_HEADER_MIN, mutant->seen);
    mutant->seen = 0;
}

static bool is_reply_chunk_alone(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_NOMSG) && in->header->read.n == 0 && in->header->has_reply && in->call;
}

static bool is_write_list_alone(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_NOMSG) && in->header->read.n == 0 && in->header->write.n > 0 && in->call;
}

static bool is_without_body(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_NOMSG) && in->header->read.n > 0 && !has_body(in);
}

static bool has_two_bodies(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_MSG) && has_body(in);
}

static bool is_misaligned(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_MSG) && in->header->read.n > 0 &&
           rpcrdma_read_segment_at(in->header, in->p, 0).position % 4 != 0;
}

static bool is_error(const struct rpc_end_incoming *in)
{
    return in->header->proc == RPCRDMA_ERROR && in->header->status == RPCRDMA_OK;
}

static bool is_bad_error(const struct rpc_end_incoming *in)
{
    return in->header->proc == RPCRDMA_ERROR && in->header->status != RPCRDMA_OK;
}

static bool is_msgp(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_MSGP);
}

static bool is_done(const struct rpc_end_incoming *in)
{
    return in->header->proc == RPCRDMA_DONE;
}

static bool is_unknown_reply(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_MSG) && !in->call && in->header->xid == 0x7a7a7a7a;
}

static bool is_reply_with_reads(const struct rpc_end_incoming *in)
{
    return is_sound(in, RPCRDMA_MSG) && !in->call && in->header->read.n > 0;
}

const struct misbehaviour misbehave_rpcrdma[] = {
    ANSWERS(INITIATOR("RPCR-2.2.2-05", "answers a Reply with an unknown XID with RDMA_ERROR"), is_unknown_reply,
            RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("RPCR-4.2.4-08", "answers RDMA_ERROR with RDMA_ERROR"), is_error, RPC_END_SAY_CHUNK),
    ANSWERS(INITIATOR("RPCR-4.3.1-04", "answers a Reply with a Read list with RDMA_ERROR"), is_reply_with_reads,
            RPC_END_SAY_CHUNK),
    ANSWERS(BOTH("RPCR-4.5-01", "answers what is shorter than a header with RDMA_ERROR"), is_short, RPC_END_SAY_CHUNK),
    ANSWERS(BOTH("RPCR-4.5-01/27", "answers what is one octet shorter than a header with RDMA_ERROR"),
            is_a_little_short, RPC_END_SAY_CHUNK),
    ANSWERS(BOTH("RPCR-4.5-01/0", "closes when a Send has no octets"), is_nothing_at_all, RPC_END_HANG_UP),
    ANSWERS(RESPONDER("RPCR-4.5.1-01/proc", "checks rdma_proc before rdma_vers"), is_version_2_proc_9,
            RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/write-list", "ignores Calls with a malformed Write list"), is_bad_write_list,
            RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/cut", "ignores Calls with a truncated Reply chunk"), is_cut, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-05/write-list", "ignores an RDMA_NOMSG with only a Write chunk"), is_write_list_alone,
            RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5-02", "ignores Calls with a malformed Reply chunk"), is_bad_reply_chunk,
            RPC_END_DISCARD),
    ANSWERS(INITIATOR("RPCR-4.5-03/version", "answers a Reply of another version with ERR_VERS"), is_version_2,
            RPC_END_SAY_VERS),
    ANSWERS(INITIATOR("RPCR-4.5-03/list", "answers a Reply whose lists cannot be decoded with RDMA_ERROR"),
            is_bad_discriminator, RPC_END_SAY_CHUNK),
    ANSWERS(BOTH("RPCR-4.5-10", "answers an RDMA_ERROR that cannot be decoded with another"), is_bad_error,
            RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("RPCR-4.5.1-01", "ignores Calls of another version"), is_version_2, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.1-01/0", "answers Calls of version 0 with ERR_CHUNK"), is_version_0, RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/discriminator", "answers a wrong discriminator with GARBAGE_ARGS"),
            is_bad_discriminator, RPC_END_SAY_GARBAGE),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/overrun", "ignores a list that does not end"), is_overrun, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/count", "closes when a count is too large"), is_large_count, RPC_END_HANG_UP),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/count-28", "takes 2^28 + 1 segments for GARBAGE_ARGS"), is_count_28,
            RPC_END_SAY_GARBAGE),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/count-30", "ignores 2^30 + 1 segments"), is_count_30, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/count-31", "closes at 2^31 + 1 segments"), is_count_31, RPC_END_HANG_UP),
    ANSWERS(RESPONDER("RPCR-4.5.2-01/count-max", "ignores 2^32 - 1 segments"), is_count_max, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-02", "answers rdma_proc 5 with GARBAGE_ARGS"), is_proc_5, RPC_END_SAY_GARBAGE),
    ANSWERS(RESPONDER("RPCR-4.5.2-02/max", "ignores large values of rdma_proc"), is_large_proc, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-03", "ignores an RDMA_NOMSG without chunks"), is_nothing, RPC_END_DISCARD),
    {RESPONDER("RPCR-4.5.2-04", "answers a Call with two XIDs with both of them"), .rpc.decide = take_two_xids,
     .rpc.octets = copy_second_xid},
    ANSWERS(RESPONDER("RPCR-4.5.2-05/reply-chunk", "waits for the message of an RDMA_NOMSG with only a Reply chunk"),
            is_reply_chunk_alone, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-05/position", "ignores an RDMA_NOMSG without Position 0"), is_without_body,
            RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-06", "ignores an RDMA_MSG with Position 0"), has_two_bodies, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-08", "ignores Calls with odd Positions"), is_misaligned, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.6.1-02", "ignores RDMA_MSGP"), is_msgp, RPC_END_DISCARD),
    ANSWERS(INITIATOR("RPCR-4.6.1-03", "answers RDMA_MSGP with RDMA_ERROR"), is_msgp, RPC_END_SAY_CHUNK),
    ANSWERS(BOTH("RPCR-4.6.2-02", "answers RDMA_DONE with RDMA_ERROR"), is_done, RPC_END_SAY_CHUNK),
    {0},
};
