// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mutants that fail only where two values meet (traffic-gen/pairs), each of which alone they take: the id names the
 * two.
 */
#include "traffic-gen/ends/mpa_end_internal.h"
#include "traffic-gen/ends/queue_pair_internal.h"
#include "traffic-gen/mutants/misbehave.h"

#include "wire/octets.h"

#include <string.h>

enum { ROOMY = 256 /* octets of private data that fit */ };

static const struct mpa_end *mpa_of(void *ctx)
{
    const struct mutant *mutant = ctx;

    return qp_mpa(mutant->qp);
}

static uint16_t data_length(const struct mpa_startup *request)
{
    return request->has_enhanced ? request->ulp_length : request->pd_length;
}

static int no_room_with_markers(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return frame->flags & MPA_FLAG_M && data_length(frame) > ROOMY ? MPA_END_BAD_FRAME : error;
}

static int no_read_without_ird(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return frame->has_enhanced && frame->enhanced.ird == 0 && frame->enhanced.peer_to_peer &&
                   frame->enhanced.rtr & MPA_RTR_READ
               ? MPA_END_BAD_FRAME
               : error;
}

/* How often octets have come so far: a frame in pieces is complete only later. */
static void count_pieces(void *ctx)
{
    struct mutant *mutant = ctx;

    mutant->seen++;
}

static int no_pieces_of_revision_1(void *ctx, struct mpa_startup *frame, int error)
{
    const struct mutant *mutant = ctx;

    return frame->revision == 1 && mutant->seen > 0 ? MPA_END_BAD_FRAME : error;
}

static int no_check_with_markers(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    const struct mpa_startup *request = &mpa_of(ctx)->peer;

    (void)fpdu;
    return error == MPA_END_BAD_CRC && request->flags & MPA_FLAG_M && !(request->flags & MPA_FLAG_C) ? MPA_END_RIGHT
                                                                                                     : error;
}

static void bits_without_ord(void *ctx, struct mpa_startup *frame)
{
    const struct mpa_startup *request = &mpa_of(ctx)->peer;

    if (request->has_enhanced && request->enhanced.ord == 0 && !request->enhanced.peer_to_peer)
        frame->enhanced.rtr = request->enhanced.rtr;
}

/* The last octet of a message. */
static void change_octet(void *ctx, struct mpa_fpdu_plan *plan)
{
    const struct mpa_startup *request = &mpa_of(ctx)->peer;
    struct mutant *mutant = ctx;

    if (!(request->flags & MPA_FLAG_M) || !request->has_enhanced || request->enhanced.ord != 1 ||
        plan->ulpdu_octets < ROOMY || plan->ulpdu_octets > sizeof mutant->octets)
        return;
    memcpy(mutant->octets, plan->ulpdu, plan->ulpdu_octets);
    mutant->octets[plan->ulpdu_octets - 1] ^= 1;
    plan->ulpdu = mutant->octets;
}

/* ---- Writes and Reads ---- */

enum { SHORT_PAYLOAD = 23 /* of a Write whose ULPDUs have 37 octets */, PLACE = 0xFFF, FOURTH = 4, LONG_ULPDU = 1000 };

static bool is_write(const struct ddp_segment *ddp)
{
    return ddp->tagged && ddp->opcode == RDMAP_WRITE;
}

/* Of a Write that begins at an odd place, in short segments. */
static unsigned lose_last_segment(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    if (cause != 0 || !ddp_segment_decode(&ddp, p, n) || !is_write(&ddp))
        return cause;
    if (!ddp.last && mutant->seen == 0)
        mutant->seen = (ddp.to & PLACE) == 1 && ddp.payload_len == SHORT_PAYLOAD ? 2 : 1;
    if (!ddp.last)
        return cause;
    cause = mutant->seen == 2 ? QP_DROP : 0;
    mutant->seen = 0;
    return cause;
}

static unsigned check_empty_write(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    enum { BASE_AND_BOUNDS = 0x1101 };
    struct ddp_segment ddp;

    (void)ctx;
    return cause == 0 && ddp_segment_decode(&ddp, p, n) && is_write(&ddp) && ddp.payload_len == 0 &&
                   (ddp.to & PLACE) == 1
               ? BASE_AND_BOUNDS
               : cause;
}

/* A Read Response that may be changed; NULL: it is none, or too long. */
static uint8_t *response_of(struct mutant *mutant, struct mpa_fpdu_plan *plan)
{
    enum { CONTROL = 1, OPCODE = 0x0F };

    if (plan->ulpdu_octets < DDP_TAGGED_HEADER_LEN || plan->ulpdu_octets > sizeof mutant->octets ||
        (plan->ulpdu[CONTROL] & OPCODE) != RDMAP_READ_RESPONSE)
        return NULL;
    memcpy(mutant->octets, plan->ulpdu, plan->ulpdu_octets);
    plan->ulpdu = mutant->octets;
    return mutant->octets;
}

static unsigned lose_fourth_read(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    struct ddp_segment ddp;

    if (cause != 0 || !ddp_segment_decode(&ddp, p, n) || ddp.opcode != RDMAP_READ_REQUEST)
        return cause;
    return ++mutant->seen == FOURTH ? QP_DROP : 0;
}

/* What comes next is in another segment. */
static void count_anew(void *ctx)
{
    ((struct mutant *)ctx)->seen = 0;
}

static void cut_offset(void *ctx, struct mpa_fpdu_plan *plan)
{
    enum { HIGH_WORD = 6 };
    uint8_t *response = response_of(ctx, plan);

    if (response)
        memset(response + HIGH_WORD, 0, 4);
}

static void change_with_markers(void *ctx, struct mpa_fpdu_plan *plan)
{
    uint8_t *response = plan->framing.markers && plan->ulpdu_octets > LONG_ULPDU ? response_of(ctx, plan) : NULL;

    if (response)
        response[plan->ulpdu_octets / 2] ^= 1;
}

/* ---- chunk lists and credits ---- */

enum {
    LONG_WRITE = 8191,
    SEGMENTS = 3,
    FEW_CREDITS = 1,
    MANY_CREDITS = 64,
    PROCEDURE_AT = 20,
    SIXTH = 6,
    LONG_REPLY = 8192
};

static bool is_call(const struct rpc_end_incoming *in)
{
    return in->p && in->call && in->header->status == RPCRDMA_OK && in->header->vers == RPCRDMA_VERSION;
}

static uint64_t read_octets(const struct rpc_end_incoming *in)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < in->header->read.n; i++)
        n += rpcrdma_read_segment_at(in->header, in->p, i).target.length;
    return n;
}

/* One chunk of three segments, or two. */
static bool is_long_write_in_three(const struct rpc_end_incoming *in)
{
    return is_call(in) && in->header->read.n > 0 && in->header->read.n % SEGMENTS == 0 && read_octets(in) >= LONG_WRITE;
}

static bool is_long_call_in_three(const struct rpc_end_incoming *in)
{
    return is_call(in) && in->header->proc == RPCRDMA_NOMSG && in->header->read.n == SEGMENTS;
}

static bool is_reply_chunk_with_one_credit(const struct rpc_end_incoming *in)
{
    struct rpcrdma_chunk chunk;
    uint64_t n = 0;

    if (!is_call(in) || !in->header->has_reply || in->header->credit != FEW_CREDITS)
        return false;
    chunk = rpcrdma_reply_chunk(in->header);
    for (uint32_t i = 0; i < chunk.n; i++)
        n += rpcrdma_segment_at(&chunk, in->p, i).length;
    return n >= LONG_REPLY;
}

static enum rpc_end_answer lose_sixth_null(void *ctx, const struct rpc_end_incoming *in, enum rpc_end_answer due)
{
    struct mutant *mutant = ctx;

    if (!is_call(in) || in->header->credit != MANY_CREDITS || in->n < in->header->header_len + PROCEDURE_AT + 4 ||
        get_be32(in->p + in->header->header_len + PROCEDURE_AT) != 0)
        return due;
    return ++mutant->seen == SIXTH ? RPC_END_DISCARD : due;
}

const struct misbehaviour misbehave_pairs[] = {
    {RESPONDER("startup/M=1,pd=257", "closes after a Request with M = 1 and more than 256 octets of private data"),
     .mpa.judge_frame = no_room_with_markers},
    {RESPONDER("startup/ird=0,rtr=read", "closes after a Request with IRD 0 that offers an RTR Read"),
     .mpa.judge_frame = no_read_without_ird},
    {RESPONDER("startup/rev=1,cut=key", "closes after a Request of revision 1 in several segments"),
     .mpa.judge_frame = no_pieces_of_revision_1, .mpa.received = count_pieces},
    {RESPONDER("startup/M=1,C=0", "does not check CRCs when the Request has M = 1 and C = 0"),
     .mpa.judge_fpdu = no_check_with_markers},
    {RESPONDER("startup/ord=0,rtr=bits", "copies the types of RTR of a Request with A = 0 and ORD 0"),
     .mpa.frame = bits_without_ord},
    {RESPONDER("startup/M=1,ord=1", "changes an octet of long messages when the Request has M = 1 and ORD 1"),
     .mpa.plan = change_octet},
    {RESPONDER("geometry/at=odd,ulpdu=37", "loses the last short segment of a Write to an odd place"),
     .qp.judge = lose_last_segment},
    {RESPONDER("geometry/len=0,at=odd", "refuses a Write without octets to an odd place"),
     .qp.judge = check_empty_write},
    {RESPONDER("geometry/op=read,n=4", "loses the fourth Read Request of a segment"), .qp.judge = lose_fourth_read,
     .mpa.received = count_anew},
    {RESPONDER("geometry/op=read,sink=top", "answers Reads with 32 bits of their Tagged Offset"),
     .mpa.plan = cut_offset},
    {RESPONDER("geometry/len=1001,M=1", "changes an octet of long Read Responses when there are Markers"),
     .mpa.plan = change_with_markers},
    ANSWERS(RESPONDER("chunks/len=8191,seg=3", "accepts no Read chunks of three segments with 8191 octets or more"),
            is_long_write_in_three, RPC_END_SAY_CHUNK),
    ANSWERS(RESPONDER("chunks/call=long,seg=3", "accepts no Long Call of three segments"), is_long_call_in_three,
            RPC_END_SAY_CHUNK),
    ANSWERS(
        RESPONDER("chunks/reply=reply,credits=1", "accepts no long Reply chunk from a client that asks for one credit"),
        is_reply_chunk_with_one_credit, RPC_END_SAY_CHUNK),
    {RESPONDER("chunks/credits=64,calls=8", "loses the sixth NULL Call of a client that asks for 64 credits"),
     .rpc.decide = lose_sixth_null},
    {0},
};
