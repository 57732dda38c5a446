// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite nfs: servers that support less than RFC 8267 section 6.4.2 demands. */
#include "traffic-gen/mutants/misbehave.h"

#include "wire/nfs.h"
#include "wire/octets.h"

enum { INSERTED_TEXT = 1200, TEXT = 1300, LIMIT = 16 /* as in suite_nfs.c */ };

static bool is_call(const struct rpc_end_incoming *in, uint32_t proc, uint32_t reads)
{
    return in->p && in->call && in->header->status == RPCRDMA_OK && in->header->vers == RPCRDMA_VERSION &&
           in->header->proc == proc && in->header->read.n == reads;
}

static uint32_t read_length(const struct rpc_end_incoming *in, uint32_t i)
{
    return rpcrdma_read_segment_at(in->header, in->p, i).target.length;
}

/* The Call's first Write chunk has so many segments. */
static bool has_write(const struct rpc_end_incoming *in, uint32_t segments)
{
    struct rpcrdma_chunk chunk;

    if (!is_call(in, RPCRDMA_MSG, 0))
        return false;
    chunk = rpcrdma_write_begin(in->header);
    return rpcrdma_write_next(in->header, in->p, &chunk) && chunk.n == segments &&
           get_be32(in->p + in->n - 4) == NFS_OP_READLINK;
}

static bool is_inserted(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 1) && read_length(in, 0) == INSERTED_TEXT;
}

static bool is_body(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_NOMSG, 1) && read_length(in, 0) > TEXT;
}

static bool is_data(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 1) && read_length(in, 0) == TEXT;
}

static bool is_both(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_NOMSG, 2) && read_length(in, 1) == TEXT;
}

static bool has_read_segments(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, LIMIT);
}

static bool has_write_chunk(const struct rpc_end_incoming *in)
{
    return has_write(in, 1);
}

static bool has_write_segments(const struct rpc_end_incoming *in)
{
    return has_write(in, LIMIT);
}

static bool has_reply_segments(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 0) && in->header->write.n == 0 && in->header->has_reply &&
           in->header->reply.segments == LIMIT;
}

static bool is_beyond(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 20);
}

static bool has_two_chunks(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 2) && read_length(in, 1) == TEXT;
}

static void note_size(void *ctx, struct rpcrdma_private_data *peer, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;

    (void)p;
    (void)n;
    mutant->seen = peer->receive_size;
}

static enum rpc_end_answer ignore_without_room(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    const struct mutant *mutant = ctx;
    bool without_chunks = is_call(in, RPCRDMA_MSG, 0) && !in->header->has_reply && in->header->write.n == 0;

    return mutant->seen == RPCRDMA_INLINE_DEFAULT && without_chunks && get_be32(in->p + in->n - 4) == NFS_OP_READLINK
               ? RPC_END_DISCARD
               : due;
}

const struct misbehaviour misbehave_nfs[] = {
    ANSWERS(RESPONDER("RPCR-3.4.5-08", "accepts no arguments after a Read chunk"), is_inserted, RPC_END_SAY_GARBAGE),
    ANSWERS(RESPONDER("NFSULB-6.4.2-04/body", "accepts no Position-Zero Read chunk"), is_body, RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("NFSULB-6.4.2-04/data", "accepts no Read chunk"), is_data, RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("NFSULB-6.4.2-04/both", "accepts only one Read chunk"), is_both, RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("NFSULB-6.4.2-05/read-segments", "accepts no Read chunk of 16 segments"), has_read_segments,
            RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("NFSULB-6.4.2-05/write", "accepts no Write chunk"), has_write_chunk, RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("NFSULB-6.4.2-05/write-segments", "accepts no Write chunk of 16 segments"), has_write_segments,
            RPC_END_SAY_GARBAGE),
    ANSWERS(RESPONDER("NFSULB-6.4.2-05/reply-segments", "accepts no Reply chunk of 16 segments"), has_reply_segments,
            RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("NFSULB-6.4.2-06", "ignores Calls with more segments than it accepts"), is_beyond,
            RPC_END_DISCARD),
    ANSWERS(RESPONDER("NFSULB-6.4.2-07", "answers two Read chunks with another RPC error"), has_two_chunks,
            RPC_END_SAY_UNAVAIL),
    {RESPONDER("NFSULB-3.1-01", "ignores Calls when there is no room for the Reply"),
     .rpc = {.decide = ignore_without_room, .peer = note_size}},
    {0},
};
