// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Enhanced establishment (RFC 6581 sections 8 to 10): Replies that the Initiator cannot accept, its answer to them, and
 * the Responder's reaction to the RTR.
 */
#include "engine/mpa/mpa_reaction.h"
#include "wire/invariant.h"

enum { CODE_LOCAL_CATASTROPHIC = 5, CODE_IRD = 6, CODE_RTR = 7 };

/* What a Terminate of the establishment must say, by stimulus; the first cause that applies names the rule. */
static const struct cause {
    unsigned flag;
    enum rule_id code_rule;
    enum rule_id sent_rule;  /* the Terminate is sent */
    enum rule_id close_rule; /* a close follows it */
    unsigned codes;          /* set of 1 << code */
    const char *stimulus, *wanted;
} causes[] = {
    {ESTABLISH_NO_RTR, RULE_MPA2_9_2_15, RULE_MPA2_9_2_13, RULE_MPA2_9_2_14, 1u << CODE_RTR,
     "Reply without a common RTR type", "7"},
    {ESTABLISH_ORD, RULE_MPA2_9_1_18, RULE_MPA2_9_1_16, RULE_MPA2_9_1_17, 1u << CODE_IRD,
     "Reply with an ORD above the Request's IRD", "6"},
    {ESTABLISH_MODEL, RULE_MPA2_9_3_04, RULE_NONE, RULE_NONE, 1u << CODE_LOCAL_CATASTROPHIC | 1u << CODE_RTR,
     "Reply whose A differs from the Request's", "5 (or 7)"},
    {ESTABLISH_NOT_NEGOTIATED, RULE_MPA2_9_3_04, RULE_NONE, RULE_NONE, 1u << CODE_LOCAL_CATASTROPHIC | 1u << CODE_IRD,
     "Reply that does not return 0x3FFF", "5 (or 6)"},
};
enum { CAUSES = sizeof causes / sizeof causes[0] };

/* One of the two frames is not enhanced. */
static unsigned unenhanced_flags(const struct mpa_startup *request, const struct mpa_startup *reply)
{
    unsigned flags = 0;

    if (request->has_enhanced && request->enhanced.peer_to_peer && !(reply->flags & MPA_FLAG_S))
        flags |= ESTABLISH_UNENHANCED;
    if (!(request->flags & MPA_FLAG_S) && request->revision == 1 && reply->has_enhanced)
        flags |= ESTABLISH_UNASKED;
    return flags;
}

/* The enhanced data of a Request and of its Reply. */
static unsigned enhanced_flags(const struct mpa_enhanced *asked, const struct mpa_enhanced *got)
{
    unsigned flags = 0;

    if (asked->peer_to_peer != got->peer_to_peer)
        flags |= ESTABLISH_MODEL;
    else if (got->peer_to_peer && asked->rtr != 0 && (asked->rtr & got->rtr) == 0)
        flags |= ESTABLISH_NO_RTR;
    if (!got->peer_to_peer && (asked->rtr & got->rtr) != 0)
        flags |= ESTABLISH_BITS_WITHOUT_A;
    if ((asked->ord == MPA_IRD_ORD_NOT_NEGOTIATED && got->ird != MPA_IRD_ORD_NOT_NEGOTIATED) ||
        (asked->ird == MPA_IRD_ORD_NOT_NEGOTIATED && got->ord != MPA_IRD_ORD_NOT_NEGOTIATED))
        flags |= ESTABLISH_NOT_NEGOTIATED;
    if (got->ord > asked->ird && got->ord != MPA_IRD_ORD_NOT_NEGOTIATED)
        flags |= ESTABLISH_ORD;
    INVARIANT(!(flags & ESTABLISH_MODEL) || !(flags & ESTABLISH_NO_RTR));
    return flags;
}

static unsigned flags_of(const struct mpa_startup *request, const struct mpa_startup *reply)
{
    if (reply->flags & MPA_FLAG_R)
        return 0;
    if (!request->has_enhanced || !reply->has_enhanced)
        return unenhanced_flags(request, reply);
    return enhanced_flags(&request->enhanced, &reply->enhanced);
}

/* R in a Request and Res in any frame are ignored (7.1.1): a rejection after them is merely suspicious. */
static void judge_ignored_bits(struct mpa_connection *mpa, unsigned responder)
{
    const struct startup_seen *request = &mpa->side[1 - responder].startup, *reply = &mpa->side[responder].startup;
    unsigned ignored = request->frame.flags & (MPA_FLAG_R | MPA_FLAGS_RES);
    bool rejects = reply->frame.flags & MPA_FLAG_R;
    enum rule_id rule = ignored & MPA_FLAG_R ? RULE_MPA_7_1_1_19 : RULE_MPA_7_1_1_22;

    if (ignored == 0)
        return;
    if (rejects)
        verdict_failed(mpa->verdict, rule, direction_of(mpa, responder), &reply->place, request->place.frame,
                       "expected %s of the Request to be ignored; found a Reply that rejects flags 0x%02x (unless the "
                       "ULP rejects for another reason)",
                       rule == RULE_MPA_7_1_1_19 ? "R" : "Res", request->frame.flags);
    else
        verdict_passed(mpa->verdict, rule);
}

static void establish_start_clock(struct mpa_connection *mpa)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    unsigned initiator = (unsigned)mpa->parameters.initiator_side;

    if (watch->flags != 0 && !watch->started && reaction_received(mpa, initiator, watch->at.end)) {
        watch->started = true;
        watch->due = mpa->reaction->now + mpa->options.t_close;
    }
    if (watch->rtr != 0 && !watch->rtr_started && reaction_received(mpa, 1 - initiator, watch->rtr_at.end)) {
        watch->rtr_started = true;
        watch->rtr_due = mpa->reaction->now + mpa->options.t_react;
    }
    INVARIANT(!watch->started || watch->terminated || reaction_received(mpa, initiator, watch->at.end));
    INVARIANT(watch->rtr == 0 || watch->rtr_at.end > watch->rtr_at.offset);
}

void reaction_establish_startup(struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *mine = &mpa->side[side].startup, *theirs = &mpa->side[1 - side].startup;
    const struct startup_seen *request, *reply;

    if (!theirs->seen || mine->frame.kind == theirs->frame.kind || mine->missing > 0 || theirs->missing > 0 ||
        mine->oversized || theirs->oversized || mine->key_matches < MPA_KEY_LEN || theirs->key_matches < MPA_KEY_LEN)
        return;
    request = mine->frame.kind == MPA_REQUEST ? mine : theirs;
    reply = request == mine ? theirs : mine;
    judge_ignored_bits(mpa, request == mine ? 1 - side : side);
    mpa->reaction->establish =
        (struct establish_watch){.flags = flags_of(&request->frame, &reply->frame),
                                 .no_types = reply->frame.enhanced.rtr == 0,
                                 .at = {.offset = reply->start, .end = reply->end, .frame = reply->place.frame}};
    establish_start_clock(mpa);
}

/* ---- the Initiator's answer ---- */

static enum mpa_rtr establish_rtr_type(const struct mpa_fpdu_event *event)
{
    struct rdmap_read_request read;

    if (!event->has_ddp || event->crc == MPA_CRC_WRONG)
        return 0;
    if (event->ddp.tagged)
        return event->ddp.opcode == RDMAP_WRITE && event->ddp.payload_len == 0 ? MPA_RTR_WRITE : 0;
    if (event->ddp.opcode == RDMAP_SEND && event->ddp.qn == DDP_QN_SEND && event->ddp.payload_len == 0)
        return MPA_RTR_SEND;
    if (event->ddp.opcode == RDMAP_READ_REQUEST && event->ddp.qn == DDP_QN_READ_REQUEST && event->ddp.lacking == 0 &&
        rdmap_read_request_decode(&read, event->ddp.payload, event->ddp.payload_len) && read.size == 0)
        return MPA_RTR_READ;
    return 0;
}

/* Counts what the Terminate does right about this cause. True: its code fits the cause. */
static bool establish_code_fits(struct verdict *v, const struct cause *cause, const struct rdmap_terminate *terminate)
{
    if (cause->sent_rule != RULE_NONE)
        verdict_passed(v, cause->sent_rule);
    if (terminate->code >= 32 || !(cause->codes & 1u << terminate->code))
        return false;
    if (reaction_is_mpa_error(terminate))
        verdict_passed(v, cause->code_rule);
    return true;
}

static void establish_judge_terminate(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    const struct rdmap_terminate *terminate = &fpdu->terminate;
    const struct place *place = &fpdu->event->place;
    enum direction direction = direction_of(mpa, fpdu->side);
    bool layer_right = reaction_is_mpa_error(terminate), code_right = false;
    const struct cause *first = causes; /* becomes the first cause that applies, as the loop runs backwards */

    for (unsigned i = CAUSES; i-- > 0;)
        if (watch->flags & causes[i].flag) {
            first = &causes[i];
            code_right |= establish_code_fits(mpa->verdict, first, terminate);
        }
    INVARIANT(watch->flags & first->flag);
    if (!layer_right)
        verdict_failed(mpa->verdict, RULE_MPA2_8_01, direction, place, watch->at.frame,
                       "expected a Terminate with layer 2, error type 0 after the %s in frame %u; found a Terminate "
                       "with layer %u, "
                       "error type %u, code %u",
                       first->stimulus, watch->at.frame, terminate->layer, terminate->etype, terminate->code);
    else
        verdict_passed(mpa->verdict, RULE_MPA2_8_01);
    if (layer_right && !code_right)
        verdict_failed(mpa->verdict, first->code_rule, direction, place, watch->at.frame,
                       "expected a Terminate with code %s after the %s in frame %u; found a Terminate with code %u",
                       first->wanted, first->stimulus, watch->at.frame, terminate->code);
    watch->flags &= ESTABLISH_NO_RTR | ESTABLISH_ORD;
    watch->terminated = true;
    watch->terminate_frame = place->frame;
    watch->due = mpa->reaction->now + mpa->options.t_close;
    watch->started = true;
}

/* There is no common RTR type, and the Initiator's first FPDU is not a Terminate that says so. */
static void judge_going_on(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    const struct establish_watch *watch = &mpa->reaction->establish;
    const struct mpa_fpdu_event *event = fpdu->event;
    const struct startup_seen *request = &mpa->side[fpdu->side].startup;

    if (watch->no_types || event->crc == MPA_CRC_WRONG || !event->has_ddp || event->ddp.opcode == RDMAP_TERMINATE) {
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_13, WHY_CAUSE, event->place.frame);
        return;
    }
    /* The Initiator can generate a type that the Responder supports: the Request should have said so. */
    if (establish_rtr_type(event) & mpa->side[1 - fpdu->side].startup.frame.enhanced.rtr) {
        verdict_failed(mpa->verdict, RULE_MPA2_9_2_04, direction_of(mpa, fpdu->side), &event->place,
                       request->place.frame,
                       "expected all RTR types that the Initiator supports in the Request in frame %u; found an RTR of "
                       "a type that only the Reply in frame %u names",
                       request->place.frame, watch->at.frame);
        return;
    }
    verdict_failed(mpa->verdict, RULE_MPA2_9_2_13, direction_of(mpa, fpdu->side), &event->place, watch->at.frame,
                   "expected a Terminate with layer 2, error type 0, code %u after the Reply in frame %u, which has no "
                   "RTR type in common with the Request; found an FPDU with opcode %u",
                   CODE_RTR, watch->at.frame, event->ddp.opcode);
}

/* The rule that requires the close after the Terminate; RULE_NONE when there was no Terminate. */
static enum rule_id close_rule(const struct establish_watch *watch)
{
    for (unsigned i = 0; i < CAUSES; i++)
        if (watch->terminated && watch->flags & causes[i].flag)
            return causes[i].close_rule;
    return RULE_NONE;
}

static void establish_judge_first_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    const struct mpa_startup *request = &mpa->side[fpdu->side].startup.frame;
    const struct mpa_startup *reply = &mpa->side[1 - fpdu->side].startup.frame;
    unsigned rtr = establish_rtr_type(fpdu->event);
    enum direction direction = direction_of(mpa, fpdu->side);
    const struct place *place = &fpdu->event->place;

    if (fpdu->is_terminate && watch->flags & ESTABLISH_FATAL) {
        establish_judge_terminate(mpa, fpdu);
        return;
    }
    if (watch->flags & ESTABLISH_NO_RTR)
        judge_going_on(mpa, fpdu);
    if (watch->flags & ESTABLISH_BITS_WITHOUT_A && !(watch->flags & ESTABLISH_MODEL && fpdu->is_terminate)) {
        if (rtr & request->enhanced.rtr & reply->enhanced.rtr)
            verdict_failed(mpa->verdict, RULE_MPA2_9_2_20, direction, place, watch->at.frame,
                           "expected B, C and D of the Reply to be ignored, as its A is 0; found a zero-length message "
                           "of a type that B, C and D of the Reply name");
        else
            verdict_passed(mpa->verdict, RULE_MPA2_9_2_20);
    }
    if (watch->flags & ESTABLISH_UNENHANCED) {
        if (rtr & request->enhanced.rtr)
            verdict_failed(
                mpa->verdict, RULE_MPA2_10_11, direction, place, watch->at.frame,
                "expected no RTR after a Reply with S = 0; found a zero-length message of a type offered as RTR");
        else
            verdict_passed(mpa->verdict, RULE_MPA2_10_11);
    }
    if (watch->flags & ESTABLISH_UNASKED)
        verdict_failed(mpa->verdict, RULE_MPA2_10_12, direction, place, watch->at.frame,
                       "expected the connection to be closed after a Reply with S = 1 to a Request with Rev 1; found "
                       "an FPDU after a Reply with S = 1");
    watch->flags = 0;
    if (mpa->parameters.peer_to_peer && rtr & mpa->parameters.rtr) {
        watch->rtr = rtr;
        watch->rtr_at = (struct stimulus){.offset = fpdu->event->fpdu.offset,
                                          .end = fpdu->event->fpdu.offset + fpdu->event->fpdu.length,
                                          .frame = place->frame};
    }
    INVARIANT((watch->rtr & mpa->parameters.rtr) == watch->rtr && (watch->rtr & (watch->rtr - 1)) == 0);
}

/* ---- the Responder's answer to the RTR ---- */

static void establish_accept_rtr(struct mpa_connection *mpa)
{
    struct establish_watch *watch = &mpa->reaction->establish;

    INVARIANT(watch->rtr != 0);
    verdict_passed(mpa->verdict, RULE_MPA2_9_2_05);
    if (watch->rtr != MPA_RTR_SEND)
        verdict_passed(mpa->verdict, RULE_MPA2_9_2_26);
    watch->rtr = 0;
}

static void judge_rtr_answer(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    const struct rdmap_terminate *terminate = &fpdu->terminate;
    bool tagged = watch->rtr != MPA_RTR_SEND, about_buffer;
    enum rule_id rule;

    if (!fpdu->is_terminate) {
        establish_accept_rtr(mpa);
        return;
    }
    about_buffer = terminate->etype == 1 && terminate->layer <= RDMAP_LAYER_DDP;
    rule = tagged && about_buffer ? RULE_MPA2_9_2_26 : RULE_MPA2_9_2_05;
    /*
     * A later message, an MPA error, or the ULP's decision may be the cause, too; and with an IRD of 0 there is no room
     * for a Read (MPA2-9.2-28).
     */
    if (!fpdu->acked_known || fpdu->acked != watch->rtr_at.end || terminate->layer >= RDMAP_LAYER_LLP ||
        (watch->rtr == MPA_RTR_READ && mpa->parameters.ird_ord_known && mpa->parameters.ird == 0) ||
        (terminate->layer == RDMAP_LAYER_RDMA && terminate->etype == 0))
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_05, fpdu->acked_known ? WHY_CAUSE : WHY_ACK,
                             fpdu->event->place.frame);
    else
        verdict_failed(
            mpa->verdict, rule, direction_of(mpa, fpdu->side), &fpdu->event->place, watch->rtr_at.frame,
            "expected the RTR in frame %u to be accepted; found a Terminate with layer %u, error type %u, code %u",
            watch->rtr_at.frame, terminate->layer, terminate->etype, terminate->code);
    watch->rtr = 0;
}

/* No close followed the Initiator's Terminate. */
static void end_unclosed(struct mpa_connection *mpa)
{
    mpa->reaction->establish.flags = 0;
    if (mpa->events.unclosed)
        mpa->events.unclosed(mpa->events.ctx, (unsigned)initiator_of(mpa));
}

void reaction_establish_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    enum rule_id rule;

    if (initiator_of(mpa) < 0)
        return;
    if ((int)fpdu->side != initiator_of(mpa)) {
        if (watch->rtr != 0 && reaction_after(fpdu, watch->rtr_at.end))
            judge_rtr_answer(mpa, fpdu);
        return;
    }
    rule = close_rule(watch);
    if (rule != RULE_NONE) {
        verdict_failed(mpa->verdict, rule, direction_of(mpa, fpdu->side), &fpdu->event->place, watch->terminate_frame,
                       "expected the connection to be closed after the Terminate in frame %u; found another FPDU after "
                       "the Terminate",
                       watch->terminate_frame);
        end_unclosed(mpa);
    } else if (mpa_is_first(mpa, fpdu->side, fpdu->event)) {
        establish_judge_first_fpdu(mpa, fpdu);
    }
}

/* ---- silence and closes ---- */

static void no_terminate(struct mpa_connection *mpa, unsigned initiator, const struct place *place, const char *found)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    enum rule_id rule = watch->flags & ESTABLISH_NO_RTR ? RULE_MPA2_9_2_13 : RULE_MPA2_9_1_16;

    if (rule == RULE_MPA2_9_2_13 && watch->no_types) {
        verdict_inconclusive(mpa->verdict, rule, WHY_CAUSE, place->frame);
        return;
    }
    verdict_failed(mpa->verdict, rule, direction_of(mpa, initiator), place, watch->at.frame,
                   "expected a Terminate with layer 2, error type 0, code %u after the Reply in frame %u; found %s",
                   rule == RULE_MPA2_9_2_13 ? CODE_RTR : CODE_IRD, watch->at.frame, found);
}

static void establish_check_due(struct mpa_connection *mpa, unsigned initiator)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    struct place place = reaction_place(mpa, initiator);
    enum rule_id rule = close_rule(watch);

    if (watch->rtr != 0 && watch->rtr_started && mpa->reaction->now > watch->rtr_due)
        establish_accept_rtr(mpa);
    if (!watch->started || mpa->reaction->now <= watch->due || reaction_lost(mpa, initiator))
        return;
    if (rule != RULE_NONE) {
        verdict_failed(mpa->verdict, rule, direction_of(mpa, initiator), &place, watch->terminate_frame,
                       "expected the connection to be closed within %g s of the Terminate in frame %u; found that the "
                       "connection was still open",
                       reaction_seconds(mpa->options.t_close), watch->terminate_frame);
        end_unclosed(mpa);
    } else if (!watch->terminated && watch->flags & ESTABLISH_NO_RTR) {
        no_terminate(mpa, initiator, &place, "nothing");
        watch->flags = 0;
    }
}

void reaction_establish_segment(struct mpa_connection *mpa, const struct tcp_segment *segment)
{
    struct establish_watch *watch = &mpa->reaction->establish;

    if (initiator_of(mpa) < 0 || (watch->flags == 0 && watch->rtr == 0))
        return;
    establish_start_clock(mpa);
    /* The meaning of the Initiator's octets is known only when the FPDU is complete. */
    if (segment->side != initiator_of(mpa) || (segment->length == 0 && !reaction_is_end(segment, segment->side)))
        establish_check_due(mpa, (unsigned)initiator_of(mpa));
}

/* The Initiator closes without a Terminate about the Reply. */
static void judge_bare_close(struct mpa_connection *mpa, unsigned initiator, bool reset)
{
    const struct establish_watch *watch = &mpa->reaction->establish;
    const struct place *place = &mpa->side[initiator].end_place;

    if (watch->flags & (ESTABLISH_NO_RTR | ESTABLISH_ORD))
        no_terminate(mpa, initiator, place, reset ? "only an RST" : "only a FIN");
    else if (watch->flags & ESTABLISH_FATAL && reset)
        verdict_failed(mpa->verdict, RULE_MPA2_9_3_04, direction_of(mpa, initiator), place, watch->at.frame,
                       "expected a Terminate with layer 2, error type 0, code 5 before the reset, as the Reply in "
                       "frame %u contradicts the Request; found a reset (RST) without a Terminate",
                       watch->at.frame);
    if (watch->flags & ESTABLISH_UNENHANCED)
        verdict_passed(mpa->verdict, RULE_MPA2_10_11);
    if (watch->flags & ESTABLISH_UNASKED)
        verdict_passed(mpa->verdict, RULE_MPA2_10_12);
}

void reaction_establish_end(struct mpa_connection *mpa, unsigned side, bool reset)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    enum rule_id rule = close_rule(watch);
    bool by_initiator = (int)side == initiator_of(mpa);
    bool alone = !mpa->side[1 - side].fin && !mpa->side[1 - side].reset;

    if (watch->flags == 0)
        return;
    if (rule != RULE_NONE) {
        establish_check_due(mpa, (unsigned)initiator_of(mpa));
        if (watch->flags != 0)
            verdict_passed(mpa->verdict, rule);
    } else if (!by_initiator) {
        if (!reset)
            return; /* the Initiator may still send a Terminate */
    } else if (alone && watch->started && !reaction_lost(mpa, side)) {
        judge_bare_close(mpa, side, reset);
    }
    watch->flags = 0;
}

void reaction_establish_finish(struct mpa_connection *mpa)
{
    struct establish_watch *watch = &mpa->reaction->establish;
    enum rule_id rule;

    if (initiator_of(mpa) < 0)
        return;
    if (reaction_sees_all(mpa) && !mpa->reaction->ended[0] && !mpa->reaction->ended[1])
        establish_check_due(mpa, (unsigned)initiator_of(mpa));
    if (watch->rtr != 0 && watch->rtr_started && reaction_sees_all(mpa)) {
        if (mpa->reaction->now > watch->rtr_due || mpa->side[initiator_of(mpa)].fin)
            establish_accept_rtr(mpa);
        else
            verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_05, reaction_doubt(mpa), watch->rtr_at.frame);
    }
    rule = close_rule(watch);
    if (rule != RULE_NONE)
        verdict_inconclusive(mpa->verdict, rule, reaction_doubt(mpa), watch->at.frame);
    else if (watch->flags & ESTABLISH_NO_RTR)
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_2_13, reaction_doubt(mpa), watch->at.frame);
    else if (watch->flags & ESTABLISH_ORD)
        verdict_inconclusive(mpa->verdict, RULE_MPA2_9_1_16, reaction_doubt(mpa), watch->at.frame);
    watch->flags = 0;
}
