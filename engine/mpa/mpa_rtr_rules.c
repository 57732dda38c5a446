// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The contents of FPDUs, as far as MPA is concerned; above all the Ready-To-Receive indication of RFC 6581 section 9.2:
 * with A = 1 the first FPDU of the Initiator is a zero-length Send, RDMA Write or RDMA Read Request of a type that both
 * frames named.
 *
 * A first FPDU that is not an RTR breaks several rules at once. The rule that fits the fault best gets the finding:
 * - not an RDMAP message: MPA2-1.1-01;
 * - an RTR of a type that is not common: MPA2-9.2-12;
 * - an RTR with a wrong field: MPA2-9.2-21, -22, -23;
 * - an ordinary message, followed by the RTR: MPA2-5-02;
 * - an ordinary message and no RTR: MPA2-9.2-21, -22, -23 when the message is of a common type (an RTR with payload),
 *   else MPA2-9.2-12. Without a common type only a Terminate may come: MPA2-9.2-13, judged with the other reactions.
 */
#include "engine/core/words.h"
#include "engine/mpa/mpa_startup_state.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <stdio.h>

enum {
    READ_REQUEST_PAYLOAD = 28, /* sink STag, sink TO, size, source STag, source TO: RFC 5040 section 4.4 */
    READ_REQUEST_SIZE_AT = 12,
};

static const char *const kind_name[] = {
    [MPA_RTR_SEND] = "Send", [MPA_RTR_WRITE] = "RDMA Write", [MPA_RTR_READ] = "RDMA Read Request"};

static enum rule_id layout_rule(enum mpa_rtr kind)
{
    return kind == MPA_RTR_SEND ? RULE_MPA2_9_2_21 : kind == MPA_RTR_WRITE ? RULE_MPA2_9_2_22 : RULE_MPA2_9_2_23;
}

/* The RTR type for this opcode; 0 for others. */
static enum mpa_rtr rtr_kind_of(const struct ddp_segment *ddp)
{
    switch (ddp->opcode) {
    case RDMAP_SEND:
        return ddp->tagged ? 0 : MPA_RTR_SEND;
    case RDMAP_WRITE:
        return ddp->tagged ? MPA_RTR_WRITE : 0;
    case RDMAP_READ_REQUEST:
        return ddp->tagged ? 0 : MPA_RTR_READ;
    default:
        return 0;
    }
}

/* A message that transfers nothing is meant as an RTR. */
static bool transfers_nothing(const struct ddp_segment *ddp)
{
    if (rtr_kind_of(ddp) == MPA_RTR_READ)
        return ddp->payload_len >= READ_REQUEST_SIZE_AT + 4 && get_be32(ddp->payload + READ_REQUEST_SIZE_AT) == 0;
    return ddp->payload_len == 0;
}

static bool well_formed(const struct ddp_segment *ddp)
{
    switch (rtr_kind_of(ddp)) {
    case MPA_RTR_SEND:
        return ddp->last && ddp->qn == DDP_QN_SEND && ddp->msn == 1 && ddp->mo == 0;
    case MPA_RTR_WRITE:
        return ddp->last;
    case MPA_RTR_READ:
        return ddp->last && ddp->qn == DDP_QN_READ_REQUEST && ddp->msn == 1 && ddp->mo == 0 &&
               ddp->payload_len == READ_REQUEST_PAYLOAD;
    }
    return false;
}

static void rtr_describe(char *out, size_t size, const struct mpa_fpdu_event *event)
{
    const struct ddp_segment *ddp = &event->ddp;

    if (!event->has_ddp)
        snprintf(out, size, "ULPDU_Length %u without a DDP header", event->fpdu.ulpdu_length);
    else if (ddp->tagged)
        snprintf(out, size, "opcode %u, Last = %u, %zu octets of payload", ddp->opcode, ddp->last, ddp->payload_len);
    else if (rtr_kind_of(ddp) == MPA_RTR_READ && ddp->payload_len - ddp->lacking >= READ_REQUEST_SIZE_AT + 4)
        snprintf(out, size, "opcode 1, Last = %u, QN %u, MSN %u, MO %u, Read Message Size %u", ddp->last, ddp->qn,
                 ddp->msn, ddp->mo, get_be32(ddp->payload + READ_REQUEST_SIZE_AT));
    else
        snprintf(out, size, "opcode %u, Last = %u, QN %u, MSN %u, MO %u, %zu octets of payload", ddp->opcode, ddp->last,
                 ddp->qn, ddp->msn, ddp->mo, ddp->payload_len);
}

static void rtr_fail_layout(struct mpa_connection *mpa, enum mpa_rtr kind, const struct place *place, const char *found)
{
    static const char *const expected[] = {[MPA_RTR_SEND] = "opcode 3, Last = 1, QN 0, MSN 1, MO 0 and no payload",
                                           [MPA_RTR_WRITE] = "opcode 0, Last = 1 and no payload",
                                           [MPA_RTR_READ] =
                                               "opcode 1, Last = 1, QN 1, MSN 1, MO 0 and Read Message Size 0"};

    verdict_failed(mpa->verdict, layout_rule(kind), DIR_TO_RESPONDER, place, 0,
                   "expected an RTR by %s: %s; found %s instead of an RTR", kind_name[kind], expected[kind], found);
}

static void fail_choice(struct mpa_connection *mpa, const struct place *place, const char *found)
{
    uint8_t rtr = mpa->parameters.rtr;

    verdict_failed(mpa->verdict, RULE_MPA2_9_2_12, DIR_TO_RESPONDER, place, 0,
                   "expected a zero-length%s%s%s as RTR in the first FPDU; found %s as the first FPDU",
                   rtr & MPA_RTR_SEND ? " Send" : "",
                   rtr & MPA_RTR_WRITE ? (rtr & MPA_RTR_SEND ? " or RDMA Write" : " RDMA Write") : "",
                   rtr & MPA_RTR_READ ? (rtr & ~MPA_RTR_READ ? " or RDMA Read" : " RDMA Read") : "", found);
}

static bool answers_rtr(const struct mpa_rtr_state *rtr, const struct ddp_segment *ddp)
{
    return ddp->last && ddp->payload_len == 0 && ddp->stag == rtr->sink_stag && ddp->to == rtr->sink_to;
}

/* Accepts a proper RTR of a common type, and notes what must follow from it. */
static void rtr_accept_rtr(struct mpa_connection *mpa, const struct mpa_fpdu_event *event)
{
    struct mpa_rtr_state *rtr = &mpa->order->rtr;
    const struct ddp_segment *ddp = &event->ddp;

    rtr->kind = rtr_kind_of(ddp);
    rtr->place = event->place;
    rtr->send_msn_open = rtr->kind == MPA_RTR_SEND;
    rtr->read_msn_open = rtr->kind == MPA_RTR_READ;
    INVARIANT(rtr->kind != 0 && !(rtr->send_msn_open && rtr->read_msn_open));
    if (rtr->kind != MPA_RTR_READ)
        return;
    rtr->sink_stag = get_be32(ddp->payload);
    rtr->sink_to = get_be64(ddp->payload + 4);
    rtr->response_open = !(rtr->early_seen && answers_rtr(rtr, &rtr->early));
    if (!rtr->response_open)
        verdict_passed(mpa->verdict, RULE_MPA2_9_2_24);
    if (!mpa->parameters.ird_ord_known || mpa->parameters.ird == MPA_IRD_ORD_NOT_NEGOTIATED)
        return;
    if (mpa->parameters.ird > 0) {
        verdict_passed(mpa->verdict, RULE_MPA2_9_2_28);
        return;
    }
    rtr->read_without_slot = true;
    verdict_failed(
        mpa->verdict, RULE_MPA2_9_2_28, DIR_TO_RESPONDER, &event->place, 0,
        "expected an IRD of at least 1 in the MPA Reply for an RTR by RDMA Read; found IRD 0 in the MPA Reply");
}

static void rtr_judge_first_fpdu(struct mpa_connection *mpa, const struct mpa_fpdu_event *event)
{
    struct mpa_rtr_state *rtr = &mpa->order->rtr;
    const struct ddp_segment *ddp = &event->ddp;
    enum mpa_rtr kind = event->has_ddp ? rtr_kind_of(ddp) : 0;

    rtr->suspect = RTR_SETTLED;
    rtr_describe(rtr->found, sizeof rtr->found, event);
    INVARIANT(rtr->found[0] != '\0');
    if (!event->has_ddp) {
        verdict_failed(mpa->verdict, RULE_MPA2_1_1_01, DIR_TO_RESPONDER, &event->place, 0,
                       "expected an RDMAP message as RTR in the first FPDU; found %s as the first FPDU", rtr->found);
        return;
    }
    if (ddp->opcode == RDMAP_TERMINATE) /* the establishment failed */
        return;
    verdict_passed(mpa->verdict, RULE_MPA2_1_1_01);
    /* A zero-length Send with Solicited Event: RFC 6581 does not say whether it counts. */
    if (ddp->opcode == RDMAP_SEND_SE && !ddp->tagged && ddp->payload_len == 0) {
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_12, WHY_OPEN, event->place.frame);
        return;
    }
    if (kind == MPA_RTR_READ && ddp->lacking > 0) { /* its size was not captured */
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_12, WHY_CUT, event->place.frame);
        rtr->read_msn_open = (mpa->parameters.rtr & MPA_RTR_READ) != 0;
        return;
    }
    if (kind != 0 && transfers_nothing(ddp)) {
        if ((mpa->parameters.rtr & kind) == 0) {
            fail_choice(mpa, &event->place, rtr->found);
            return;
        }
        verdict_passed(mpa->verdict, RULE_MPA2_9_2_12);
        verdict_passed(mpa->verdict, RULE_MPA2_5_02);
        if (well_formed(ddp)) {
            verdict_passed(mpa->verdict, layout_rule(kind));
            rtr_accept_rtr(mpa, event);
        } else {
            rtr_fail_layout(mpa, kind, &event->place, rtr->found);
        }
        return;
    }
    rtr->suspect = (mpa->parameters.rtr & kind) != 0 ? RTR_MALFORMED : RTR_OTHER;
    rtr->kind = kind;
    rtr->place = event->place;
    INVARIANT(rtr->suspect != RTR_MALFORMED || rtr->kind != 0);
}

/* The first FPDU was not an RTR; the second FPDU may be. event NULL: the connection has no second FPDU. */
static void settle_first_fpdu(struct mpa_connection *mpa, const struct mpa_fpdu_event *event)
{
    struct mpa_rtr_state *rtr = &mpa->order->rtr;
    enum rtr_suspect suspect = rtr->suspect;
    struct place place = rtr->place;

    INVARIANT(suspect != RTR_SETTLED);
    rtr->suspect = RTR_SETTLED;
    if (event && event->has_ddp && (mpa->parameters.rtr & rtr_kind_of(&event->ddp)) != 0 &&
        transfers_nothing(&event->ddp)) {
        verdict_failed(mpa->verdict, RULE_MPA2_5_02, DIR_TO_RESPONDER, &place, event->place.frame,
                       "expected the RTR in the first FPDU; found %s first, and the RTR after it", rtr->found);
        return;
    }
    if (suspect == RTR_MALFORMED)
        rtr_fail_layout(mpa, rtr->kind, &place, rtr->found);
    else
        fail_choice(mpa, &place, rtr->found);
}

/* An RTR by Send or Read used MSN 1 of its queue, so the next MSN is 2 (RFC 5041 section 4.3). */
static void judge_next_msn(struct mpa_connection *mpa, const struct mpa_fpdu_event *event)
{
    struct mpa_rtr_state *rtr = &mpa->order->rtr;
    const struct ddp_segment *ddp = &event->ddp;
    bool *open = ddp->qn == DDP_QN_SEND ? &rtr->send_msn_open : &rtr->read_msn_open;

    if (ddp->tagged || ddp->qn > DDP_QN_READ_REQUEST || !*open)
        return;
    *open = false;
    if (mpa->side[initiator_of(mpa)].hole || event->after_resync)
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_27, LOST_OR(WHY_HOLE), event->place.frame);
    else if (ddp->msn == 2)
        verdict_passed(mpa->verdict, RULE_MPA2_9_2_27);
    else
        verdict_failed(
            mpa->verdict, RULE_MPA2_9_2_27, DIR_TO_RESPONDER, &event->place, rtr->place.frame,
            "expected MSN 2 in the message after the RTR on QN %u; found MSN %u in the message after the RTR", ddp->qn,
            ddp->msn);
}

static void judge_rtr_response(struct mpa_connection *mpa, unsigned responder, const struct mpa_fpdu_event *event)
{
    struct mpa_rtr_state *rtr = &mpa->order->rtr;
    const struct ddp_segment *ddp = &event->ddp;

    if (ddp->opcode != RDMAP_READ_RESPONSE || !ddp->tagged) {
        rtr->responder_fpdus_since++;
        return;
    }
    rtr->response_open = false;
    if (mpa->side[responder].hole)
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_24, LOST_OR(WHY_HOLE), event->place.frame);
    else if (answers_rtr(rtr, ddp))
        verdict_passed(mpa->verdict, RULE_MPA2_9_2_24);
    else
        verdict_failed(mpa->verdict, RULE_MPA2_9_2_24, DIR_TO_INITIATOR, &event->place, rtr->place.frame,
                       "expected a zero-length RDMA Read Response to STag 0x%08x TO 0x%llx for the RTR; found an RDMA "
                       "Read Response with %zu octets to STag 0x%08x TO 0x%llx",
                       rtr->sink_stag, (unsigned long long)rtr->sink_to, ddp->payload_len, ddp->stag,
                       (unsigned long long)ddp->to);
}

/* A common RTR type exists: the rules about the RTR apply. */
static bool rtr_due(const struct mpa_connection *mpa)
{
    return mpa->parameters.startup_seen && mpa->parameters.peer_to_peer && mpa->parameters.rtr != 0 &&
           !mpa->parameters.rejected && !mpa->order->side[0].enhanced_unusable &&
           !mpa->order->side[1].enhanced_unusable;
}

/* The counting ends at an FPDU that may have been any message. */
static void rtr_give_up(struct mpa_order_state *order)
{
    order->reads.given_up = true;
    order->rtr.send_msn_open = order->rtr.read_msn_open = order->rtr.response_open = false;
    order->rtr.suspect = RTR_SETTLED;
}

/* Judges the Initiator's first FPDU, and the second, which may settle the first. */
static void judge_beginning(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    if (mpa_is_first(mpa, side, event))
        rtr_judge_first_fpdu(mpa, event);
    else if (mpa->order->rtr.suspect != RTR_SETTLED)
        settle_first_fpdu(mpa, event);
}

/* A Read Response before any FPDU of the Initiator was seen: kept, because it may answer an RTR. */
static void note_early_response(struct mpa_rtr_state *rtr, const struct ddp_segment *ddp)
{
    if (rtr->early_seen || !ddp->tagged || ddp->opcode != RDMAP_READ_RESPONSE)
        return;
    rtr->early_seen = true;
    rtr->early = *ddp;
    rtr->early.payload = NULL;
}

void mpa_judge_fpdu_content(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_rtr_state *rtr = &mpa->order->rtr;
    bool initiator = initiator_of(mpa) == (int)side;

    if (event->crc == MPA_CRC_WRONG || (event->fpdu.cut && !event->has_ddp)) { /* its contents prove nothing */
        rtr_give_up(mpa->order);
        return;
    }
    if (initiator && event->number <= 1 && rtr_due(mpa))
        judge_beginning(mpa, side, event);
    if (!event->has_ddp)
        return;
    mpa_judge_versions(mpa, side, event);
    mpa_judge_reads(mpa, side, event);
    if (event->ddp.opcode == RDMAP_TERMINATE && !event->ddp.tagged) {
        rtr->terminated = true;
        mpa_judge_terminate(mpa, side, event);
    }
    if (initiator && (rtr->send_msn_open || rtr->read_msn_open) && event->number > 0)
        judge_next_msn(mpa, event);
    if (initiator)
        return;
    if (rtr->response_open)
        judge_rtr_response(mpa, side, event);
    else if (mpa->side[other_side(side)].fpdus == 0)
        note_early_response(rtr, &event->ddp);
}

void mpa_judge_content_finish(struct mpa_connection *mpa)
{
    struct mpa_rtr_state *rtr = &mpa->order->rtr;
    const struct mpa_side *responder;

    if (rtr->suspect != RTR_SETTLED)
        settle_first_fpdu(mpa, NULL);
    if (!rtr->response_open || initiator_of(mpa) < 0)
        return;
    /*
     * The Response has no time limit. It is certainly missing if the Responder, which had the RTR before its first
     * FPDU, continued without it and then closed or let a long time pass; a bare close may be the ULP's decision.
     */
    responder = &mpa->side[other_side((unsigned)initiator_of(mpa))];
    if (rtr->responder_fpdus_since > 0 && !rtr->terminated && !responder->hole && !responder->reset &&
        (responder->fin || responder->last_time - rtr->place.time_ns > mpa->options.t_react))
        verdict_failed(mpa->verdict, RULE_MPA2_9_2_24, DIR_TO_RESPONDER, &rtr->place, 0,
                       "expected a zero-length RDMA Read Response for the RTR; found no RDMA Read Response for the "
                       "RTR, and %llu other FPDU%s from the Responder",
                       (unsigned long long)rtr->responder_fpdus_since, plural(rtr->responder_fpdus_since));
    else
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_24, LOST_OR(WHY_END), rtr->place.frame);
}
