// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite rpcrdma: chunks refused, put together wrongly, exceeded. */
#include "traffic-gen/mutants/misbehave.h"

#include "wire/octets.h"
#include "wire/xdr.h"

#include <string.h>

enum { /* as in suite_rpcrdma_chunks.c: octets, and Positions with our handles */
       WRITTEN = 2999,
       WRITTEN_INLINE = 501,
       NULL_CALL = 40,
       HANDLE_AT = 76,
       NAME_AT = 96,
};

/* ---- Calls refused ---- */

static struct rpcrdma_read_segment read_at(const struct rpc_end_incoming *in, uint32_t i)
{
    return rpcrdma_read_segment_at(in->header, in->p, i);
}

static bool is_call(const struct rpc_end_incoming *in, uint32_t proc, uint32_t reads)
{
    return in->p && in->call && in->header->status == RPCRDMA_OK && in->header->vers == RPCRDMA_VERSION &&
           in->header->proc == proc && in->header->read.n == reads;
}

/* The last word inline: the length of an item removed from the end, or the count of a READ. */
static uint32_t last_word(const struct rpc_end_incoming *in)
{
    return in->n >= in->header->header_len + 4 ? get_be32(in->p + in->n - 4) : 0;
}

static bool has_pad_segment(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 2) && read_at(in, 1).target.length < 4;
}

static bool has_extended_segment(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 1) && last_word(in) % 4 != 0 &&
           read_at(in, 0).target.length == xdr_padded(last_word(in));
}

static bool is_long(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_NOMSG, 1) && read_at(in, 0).target.length == NULL_CALL;
}

static bool is_long_in_parts(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_NOMSG, 3) && read_at(in, 2).position == 0;
}

static bool is_too_short(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 1) && read_at(in, 0).position > 0 && read_at(in, 0).target.length < last_word(in);
}

static bool is_beyond(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 1) && read_at(in, 0).position > in->n;
}

static bool has_three_segments(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_MSG, 3) && read_at(in, 0).position == read_at(in, 2).position;
}

static bool is_long_with_chunk(const struct rpc_end_incoming *in)
{
    return is_call(in, RPCRDMA_NOMSG, 2) && read_at(in, 1).position > 0 && read_at(in, 1).target.length == WRITTEN;
}

static bool has_odd_write_chunk(const struct rpc_end_incoming *in)
{
    struct rpcrdma_chunk chunk;

    if (!is_call(in, RPCRDMA_MSG, 0))
        return false;
    chunk = rpcrdma_write_begin(in->header);
    return rpcrdma_write_next(in->header, in->p, &chunk) && chunk.n == 1 &&
           rpcrdma_segment_at(&chunk, in->p, 0).length % 4 != 0;
}

/* After the Reads: the item at that Position must not be reduced. */
static enum rpc_end_answer after_reduced(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;

    if (in->p)
        mutant->seen = is_call(in, RPCRDMA_MSG, 1) ? read_at(in, 0).position : 0;
    return !in->p && mutant->seen == (unsigned)mutant->how->variant ? mutant->how->answer : due;
}

/* ---- put together wrongly ---- */

static enum rpc_end_answer note_reads(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;

    mutant->seen = is_call(in, RPCRDMA_MSG, 4) ? 1 : 0;
    return due;
}

/* The first segment goes a second time where the second one belongs. */
static bool read_first_twice(void *ctx, struct qp_work *work)
{
    struct mutant *mutant = ctx;

    if (work->kind != QP_READ || mutant->seen == 0)
        return true;
    if (mutant->seen++ == 1) {
        put_be32(mutant->octets, work->remote_stag);
        put_be64(mutant->octets + 4, work->remote_to);
    } else if (mutant->seen == 3) {
        work->remote_stag = get_be32(mutant->octets);
        work->remote_to = get_be64(mutant->octets + 4);
    }
    return true;
}

static void fill_unused(void *ctx, struct rpcrdma_plan *plan)
{
    (void)ctx;
    if (plan->proc == RPCRDMA_MSG && plan->n_writes == 1 && plan->writes[0].n == 1 &&
        plan->writes[0].segments[0].length == 0)
        ((struct rpcrdma_segment *)plan->writes[0].segments)->length = 100;
}

/* Of what was written inline one octet comes back changed. */
static bool change_inline(void *ctx, struct qp_work *work)
{
    struct mutant *mutant = ctx;

    if (work->kind == QP_WRITE && work->n == WRITTEN_INLINE) {
        memcpy(mutant->octets, work->p, WRITTEN_INLINE);
        mutant->octets[WRITTEN_INLINE - 1] ^= 1;
        work->p = mutant->octets;
    }
    return true;
}

/* After the requester's Terminate the connection stays. */
static unsigned note_terminate(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;

    if (n > 1 && (p[1] & 0x0F) == RDMAP_TERMINATE)
        mutant->seen = 1;
    return cause;
}

static bool unless_terminated(void *ctx, bool *reset)
{
    const struct mutant *mutant = ctx;

    (void)reset;
    return mutant->seen == 0;
}

/* ---- exceeded ---- */

/* What a READ without chunks asks for; or the chunk of a READ: its segment, and its length in seen. */
static enum rpc_end_answer note_read(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;
    struct rpcrdma_chunk chunk = {0};

    if (!in->p)
        return due;
    mutant->seen = 0;
    if (!is_call(in, RPCRDMA_MSG, 0))
        return due;
    if (in->header->has_reply) {
        chunk = rpcrdma_reply_chunk(in->header);
    } else {
        chunk = rpcrdma_write_begin(in->header);
        if (!rpcrdma_write_next(in->header, in->p, &chunk))
            chunk.n = 0;
    }
    if (chunk.n > 0) {
        const struct rpcrdma_segment segment = rpcrdma_segment_at(&chunk, in->p, 0);

        mutant->seen = segment.length;
        put_be32(mutant->octets, segment.handle);
        put_be64(mutant->octets + 4, segment.offset);
    } else {
        mutant->seen = last_word(in);
    }
    return due;
}

/* The answer to that READ, whatever it says. */
static bool is_due(const struct mutant *mutant)
{
    return mutant->seen == (unsigned)mutant->how->variant;
}

static void send_long(void *ctx, GByteArray *octets)
{
    const struct mutant *mutant = ctx;

    if (is_due(mutant))
        g_byte_array_set_size(octets, 1500);
}

static void send_longer(void *ctx, GByteArray *octets)
{
    const struct mutant *mutant = ctx;

    if (is_due(mutant))
        g_byte_array_set_size(octets, 5000);
}

static void hang_up(void *ctx, GByteArray *octets)
{
    const struct mutant *mutant = ctx;

    (void)octets;
    if (is_due(mutant))
        qp_close(mutant->qp, true);
}

static bool write_after(void *ctx, struct qp_work *work)
{
    struct mutant *mutant = ctx;
    struct qp_work more = {.kind = QP_WRITE, .p = mutant->octets + 16, .n = mutant->seen + 100};

    if (work->kind != QP_SEND || !is_due(mutant))
        return true;
    memset(mutant->octets + 16, 0xA5, more.n);
    more.remote_stag = get_be32(mutant->octets);
    more.remote_to = get_be64(mutant->octets + 4);
    qp_post(mutant->qp, &more);
    return true;
}

#define EXCEEDS(name, what_, octets_, work_, variant_)                                                                 \
    {                                                                                                                  \
        RESPONDER(name, what_), .rpc = {.decide = note_read, .octets = octets_, .work = work_}, .variant = variant_    \
    }

const struct misbehaviour misbehave_rpcrdma_chunks[] = {
    ANSWERS(RESPONDER("RPCR-3.4.5.2-04/segment", "accepts no roundup in a separate segment"), has_pad_segment,
            RPC_END_SAY_GARBAGE),
    ANSWERS(RESPONDER("RPCR-3.4.5.2-04/extended", "accepts no roundup in a Read chunk"), has_extended_segment,
            RPC_END_SAY_GARBAGE),
    ANSWERS(RESPONDER("RPCR-3.5.3-15", "accepts no Long Call"), is_long, RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("RPCR-3.5.3-16", "accepts no Position-Zero Read chunk of several segments"), is_long_in_parts,
            RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("RPCR-4.5.2-07", "ignores Calls whose chunks are too short"), is_too_short, RPC_END_DISCARD),
    ANSWERS(RESPONDER("RPCR-4.5.2-07/position", "ignores Calls with a chunk past the message"), is_beyond,
            RPC_END_DISCARD),
    {RESPONDER("RPCR-6.1-07", "executes a Call with a file handle in a Read chunk"), .rpc.decide = after_reduced,
     .answer = RPC_END_SERVE, .variant = HANDLE_AT},
    {RESPONDER("RPCR-6.1-08", "ignores a Call with a name in a Read chunk"), .rpc.decide = after_reduced,
     .answer = RPC_END_DISCARD, .variant = NAME_AT},
    ANSWERS(RESPONDER("EXP-3.2.1-02", "accepts no Read chunk of three segments"), has_three_segments,
            RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("EXP-3.5.1-01", "accepts no Read chunk besides Position 0"), is_long_with_chunk,
            RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("EXP-3.8.1-03", "wants room for roundup in Write chunks"), has_odd_write_chunk,
            RPC_END_SAY_CHUNK),
    {RESPONDER("RPCR-3.4.5-07", "fetches the first of four segments twice"),
     .rpc = {.decide = note_reads, .work = read_first_twice}},
    {RESPONDER("RPCR-4.3.2.2-08", "reports octets in a Write chunk that it did not use"), .rpc.header = fill_unused},
    {RESPONDER("RPCR-2.2.4.2-01/write", "loses the last octet of what is written inline"), .rpc.work = change_inline},
    {RESPONDER("RPCR-4.5.4-03/memory", "does not end the connection when it cannot read a chunk"),
     .qp.judge = note_terminate, .mpa.close = unless_terminated},
    EXCEEDS("RPCR-4.5.3-02", "sends more than the inline threshold", send_long, NULL, 2999),
    EXCEEDS("RPCR-4.5.3-02/large", "sends more than its own inline threshold", send_longer, NULL, 5998),
    EXCEEDS("EXP-4.3-02", "closes when a Reply chunk is missing", hang_up, NULL, 2998),
    EXCEEDS("RPCR-4.5.3-03", "writes past the end of a Reply chunk", NULL, write_after, 64),
    EXCEEDS("RPCR-4.5.3-05", "writes past the end of a Write chunk", NULL, write_after, 1000),
    EXCEEDS("NFSULB-3-03", "writes past the end of a Reply chunk", NULL, write_after, 128),
    {0},
};
