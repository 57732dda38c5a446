// SPDX-License-Identifier: GPL-2.0-or-later
/* Mutants for suite mpa2. */
#include "traffic-gen/ends/mpa_end_internal.h"
#include "traffic-gen/ends/queue_pair_internal.h"
#include "traffic-gen/mutants/misbehave.h"
#include "wire/octets.h"

#include <string.h>

enum { READS_SERVED = 15, ALL_RTR = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ };

static struct mpa_end *mpa_of(void *ctx)
{
    const struct mutant *mutant = ctx;

    return qp_mpa(mutant->qp);
}

/* ---- options ---- */

static void peer_to_peer(struct qp_options *options)
{
    options->mpa.enhanced_data.peer_to_peer = true;
    options->mpa.enhanced_data.rtr = MPA_RTR_WRITE | MPA_RTR_READ;
}

/* ---- frames ---- */

/* S = 1 without the enhanced data: accepted as if these were zero. */
static int accept_short(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    if (error == MPA_END_RIGHT && frame->flags & MPA_FLAG_S && !frame->has_enhanced) {
        frame->has_enhanced = true;
        frame->enhanced = (struct mpa_enhanced){0};
        frame->ulp_length = 0;
    }
    return error;
}

static int refuse_revision_1(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return frame->revision == 1 && frame->pd_length > 1 ? MPA_END_BAD_FRAME : error;
}

static int refuse_bare_revision_1(void *ctx, struct mpa_startup *frame, int error)
{
    (void)ctx;
    return frame->revision == 1 && frame->pd_length <= 1 ? MPA_END_BAD_FRAME : error;
}

static void downgrade(void *ctx, struct mpa_startup *frame)
{
    (void)ctx;
    frame->flags &= (uint8_t)~MPA_FLAG_S;
    frame->revision = 1;
    frame->has_enhanced = false;
    mpa_startup_fix_length(frame);
}

static void name_one(void *ctx, struct mpa_startup *frame)
{
    (void)ctx;
    if (frame->enhanced.rtr == ALL_RTR)
        frame->enhanced.rtr = MPA_RTR_WRITE;
}

static void name_another(void *ctx, struct mpa_startup *frame)
{
    (void)ctx;
    if (frame->enhanced.rtr == (MPA_RTR_WRITE | MPA_RTR_READ))
        frame->enhanced.rtr = MPA_RTR_SEND;
}

/* Neither answers nor closes. */
static int stall(void *ctx, struct mpa_startup *frame, int error)
{
    struct mutant *mutant = ctx;

    mutant->seen = frame->has_enhanced && frame->enhanced.peer_to_peer && frame->enhanced.rtr == 0;
    return mutant->seen ? MPA_END_BAD_FRAME : error;
}

static bool unless_stalled(void *ctx, bool *reset)
{
    const struct mutant *mutant = ctx;

    (void)reset;
    return mutant->seen == 0 || mpa_of(ctx)->ended;
}

/* ---- Reads ---- */

static unsigned refuse_many(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;

    if (cause == 0 && n > 1 && (p[1] & 0x0F) == RDMAP_READ_REQUEST && mutant->seen++ >= READS_SERVED)
        return QP_CAUSE(1, 2, 2);
    return cause;
}

static unsigned forget_old_reads(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    return cause == 0 && n > 1 && (p[1] & 0x0F) == RDMAP_READ_REQUEST && mpa_of(ctx)->peer.revision == 1 ? QP_DROP
                                                                                                         : cause;
}

/* ---- RTR ---- */

/* Of another type than agreed, that of this opcode: neither taken nor refused. */
static int stall_rtr(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    if (error == MPA_END_NO_RTR && fpdu->ulpdu_length > 1 && (fpdu->ulpdu[1] & 0x0F) == mutant->how->variant)
        mutant->seen = 1;
    return error;
}

static int refuse_rtr(const struct mpa_fpdu *fpdu, int error, void *ctx, enum rdmap_opcode opcode)
{
    struct mutant *mutant = ctx;
    static const size_t stags[] = {[RDMAP_WRITE] = 2, [RDMAP_READ_REQUEST] = DDP_UNTAGGED_HEADER_LEN + 16};
    bool first = mutant->seen++ == 0;

    if (!first || !mpa_of(ctx)->terms.peer_to_peer || fpdu->ulpdu_length < DDP_TAGGED_HEADER_LEN ||
        (fpdu->ulpdu[1] & 0x0F) != opcode)
        return error;
    /* An STag of zero is left to another mutant. */
    return opcode == RDMAP_SEND || get_be32(fpdu->ulpdu + stags[opcode]) != 0 ? MPA_END_NO_RTR : error;
}

/* It answers although it must not: that makes it visible. */
static int refuse_with_terminate(const struct mpa_fpdu *fpdu, int error, void *ctx, enum rdmap_opcode opcode)
{
    error = refuse_rtr(fpdu, error, ctx, opcode);
    if (error == MPA_END_NO_RTR)
        mpa_of(ctx)->may_send = true;
    return error;
}

static int refuse_send(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    return refuse_with_terminate(fpdu, error, ctx, RDMAP_SEND);
}

static int refuse_write(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    return refuse_with_terminate(fpdu, error, ctx, RDMAP_WRITE);
}

static int refuse_read(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    return refuse_with_terminate(fpdu, error, ctx, RDMAP_READ_REQUEST);
}

/* An STag of 0 is no STag, even when nothing is accessed. */
static unsigned check_stag(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    static const uint8_t zero[4];
    bool first = cause == 0 && mutant->seen++ == 0;

    if (first && mpa_of(ctx)->terms.peer_to_peer && n == DDP_TAGGED_HEADER_LEN && memcmp(p + 2, zero, sizeof zero) == 0)
        return QP_CAUSE(1, 1, 0);
    return cause;
}

static unsigned check_source(void *ctx, unsigned cause, const uint8_t *p, size_t n)
{
    struct mutant *mutant = ctx;
    static const uint8_t zero[4];
    bool first = cause == 0 && mutant->seen++ == 0;

    if (first && mpa_of(ctx)->terms.peer_to_peer && n == DDP_UNTAGGED_HEADER_LEN + RDMAP_READ_REQUEST_LEN &&
        memcmp(p + DDP_UNTAGGED_HEADER_LEN + 16, zero, sizeof zero) == 0)
        return QP_CAUSE(0, 1, 0);
    return cause;
}

/* The answer to an RTR Read waits until the Initiator sends something else. */
static int note_rtr_read(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;

    if (mutant->seen++ == 0 && mpa_of(ctx)->terms.peer_to_peer && fpdu->ulpdu_length > 1)
        mutant->since = (fpdu->ulpdu[1] & 0x0F) == RDMAP_READ_REQUEST;
    return error;
}

static void hold_back(void *ctx, uint8_t *p, size_t *n, size_t size)
{
    struct mutant *mutant = ctx;

    (void)p;
    (void)size;
    if (mutant->since)
        *n = 0;
    mutant->since = 0;
}

/* It heeds B, C and D whatever A is. */
static int want_rtr(void *ctx, const struct mpa_fpdu *fpdu, int error)
{
    struct mutant *mutant = ctx;
    const struct mpa_end *mpa = mpa_of(ctx);

    if (mutant->seen++ == 0 && mpa->peer.has_enhanced && !mpa->peer.enhanced.peer_to_peer &&
        mpa->peer.enhanced.rtr != 0 && fpdu->ulpdu_length != DDP_TAGGED_HEADER_LEN) {
        mpa_of(ctx)->may_send = true;
        return MPA_END_NO_RTR;
    }
    return error;
}

static void send_rtr(void *ctx, struct mpa_fpdu_plan *plan)
{
    struct mutant *mutant = ctx;
    const struct mpa_end *mpa = mpa_of(ctx);

    if (mutant->seen++ == 0 && mpa->peer.has_enhanced && mpa->peer.enhanced.rtr != 0) {
        mutant_tagged_header(RDMAP_WRITE, 1, 0, mutant->octets);
        plan->ulpdu = mutant->octets;
        plan->ulpdu_octets = plan->ulpdu_length = DDP_TAGGED_HEADER_LEN;
        plan->pad_length = (uint8_t)mpa_pad_length(plan->ulpdu_length);
    }
}

/* ---- Terminates of the setup: by the correct code ---- */

enum { CODE_LOCAL = 5, CODE_READS = 6, CODE_RTR = 7, CODE_OTHER = 1 };

static bool is_setup(const struct rdmap_terminate *message, unsigned code)
{
    return message->layer == RDMAP_LAYER_LLP && message->code == code;
}

static bool reads_other_layer(void *ctx, struct rdmap_terminate *message)
{
    (void)ctx;
    if (is_setup(message, CODE_READS))
        message->layer = RDMAP_LAYER_RDMA;
    return true;
}

static bool change_code(struct rdmap_terminate *message, unsigned code)
{
    if (is_setup(message, code))
        message->code = CODE_OTHER;
    return true;
}

static bool local_other_code(void *ctx, struct rdmap_terminate *message)
{
    (void)ctx;
    return change_code(message, CODE_LOCAL);
}

static bool reads_other_code(void *ctx, struct rdmap_terminate *message)
{
    (void)ctx;
    return change_code(message, CODE_READS);
}

static bool rtr_other_code(void *ctx, struct rdmap_terminate *message)
{
    (void)ctx;
    return change_code(message, CODE_RTR);
}

static bool no_reads_terminate(void *ctx, struct rdmap_terminate *message)
{
    (void)ctx;
    return !is_setup(message, CODE_READS);
}

static bool no_rtr_terminate(void *ctx, struct rdmap_terminate *message)
{
    (void)ctx;
    return !is_setup(message, CODE_RTR);
}

/* Leaves the connection open afterwards. */
static bool note_reads(void *ctx, struct rdmap_terminate *message)
{
    struct mutant *mutant = ctx;

    mutant->seen = is_setup(message, CODE_READS);
    return true;
}

static bool note_rtr(void *ctx, struct rdmap_terminate *message)
{
    struct mutant *mutant = ctx;

    mutant->seen = is_setup(message, CODE_RTR);
    return true;
}

static bool unless_noted(void *ctx, bool *reset)
{
    const struct mutant *mutant = ctx;

    (void)reset;
    return mutant->seen == 0 || mpa_of(ctx)->ended;
}

const struct misbehaviour misbehave_mpa2[] = {
    {RESPONDER("MPA2-6-06", "refuses revision 1"), .mpa.judge_frame = refuse_revision_1},
    {RESPONDER("MPA2-6-06/read", "does not answer Reads with revision 1"), .qp.judge = forget_old_reads},
    {BOTH("MPA2-6-09", "accepts S = 1 without the enhanced data"), .mpa.judge_frame = accept_short},
    {INITIATOR("MPA2-8-01", "reports an error of the setup with another layer"), .qp.terminate = reads_other_layer},
    {RESPONDER("MPA2-9.1-03", "serves one Read fewer than it says"), .qp.judge = refuse_many},
    {INITIATOR("MPA2-9.1-14", "serves one Read fewer than the Reply asked for"), .qp.judge = refuse_many},
    {INITIATOR("MPA2-9.1-16", "closes without a Terminate"), .qp.terminate = no_reads_terminate},
    {INITIATOR("MPA2-9.1-17", "does not close after its Terminate"), .mpa.close = unless_noted,
     .qp.terminate = note_reads},
    {INITIATOR("MPA2-9.1-18", "reports too large an ORD with another code"), .qp.terminate = reads_other_code},
    {RESPONDER("MPA2-9.2-05/send", "refuses the RTR Send"), .mpa.judge_fpdu = refuse_send},
    {RESPONDER("MPA2-9.2-05/write", "refuses the RTR Write"), .mpa.judge_fpdu = refuse_write},
    {RESPONDER("MPA2-9.2-05/read", "refuses the RTR Read"), .mpa.judge_fpdu = refuse_read},
    {RESPONDER("MPA2-9.2-07", "names only one RTR type"), .mpa.frame = name_one},
    {RESPONDER("MPA2-9.2-09", "names an RTR type that was not offered"), .mpa.frame = name_another},
    {INITIATOR("MPA2-9.2-13", "closes without a Terminate"), .options = peer_to_peer, .qp.terminate = no_rtr_terminate},
    {INITIATOR("MPA2-9.2-14", "does not close after its Terminate"), .options = peer_to_peer, .mpa.close = unless_noted,
     .qp.terminate = note_rtr},
    {INITIATOR("MPA2-9.2-15", "reports the missing RTR type with another code"), .options = peer_to_peer,
     .qp.terminate = rtr_other_code},
    {RESPONDER("MPA2-9.2-20", "wants an RTR although A is 0"), .mpa.judge_fpdu = want_rtr},
    {INITIATOR("MPA2-9.2-20", "sends an RTR although A is 0"), .mpa.plan = send_rtr},
    {RESPONDER("MPA2-9.2-25", "waits for more than the RTR"), .mpa.judge_fpdu = note_rtr_read, .mpa.octets = hold_back},
    {RESPONDER("MPA2-9.2-26/write", "checks the STag of an RTR Write"), .qp.judge = check_stag},
    {RESPONDER("MPA2-9.2-26/read", "checks the STag of an RTR Read"), .qp.judge = check_source},
    {INITIATOR("MPA2-9.3-04", "reports an error of the setup with code 1"), .qp.terminate = local_other_code},
    {RESPONDER("MPA2-10-01", "answers an enhanced Request as if it were of revision 1"), .mpa.frame = downgrade},
    {RESPONDER("MPA2-10-04", "refuses revision 1 without Private Data"), .mpa.judge_frame = refuse_bare_revision_1},
    {RESPONDER("MPA2-12-01", "neither answers nor refuses A = 1 without RTR types"), .mpa.judge_frame = stall,
     .mpa.close = unless_stalled},
    {RESPONDER("MPA2-12-01/rtr-read", "stalls at an RTR Read that was not agreed"), .mpa.judge_fpdu = stall_rtr,
     .mpa.close = unless_stalled, .variant = RDMAP_READ_REQUEST},
    {RESPONDER("MPA2-12-01/rtr-send", "stalls at an RTR Send that was not agreed"), .mpa.judge_fpdu = stall_rtr,
     .mpa.close = unless_stalled, .variant = RDMAP_SEND},
    {0},
};
