// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FPDUs that are unusual, but that their receiver must accept: PAD and RESERVED are ignored, the low bits of FPDUPTR
 * are zero, unused CRCs are not checked, and it does not matter how TCP cut, ordered and repeated the octets. A
 * receiver that continues has accepted such an FPDU. A Terminate with layer LLP, error type MPA, code 2 or 3, although
 * everything acknowledged was correct, shows that it did not: the most specific oddity not accepted so far explains the
 * Terminate. A bare close proves nothing: the ULP may close at any time.
 */
#include "engine/mpa/mpa_reaction.h"

#include "wire/crc32c.h"
#include "wire/invariant.h"

enum {
    CODE_CRC = 2,
    CODE_MARKER = 3,
    CRCS_COMPUTED_MAX =
        16, /* FPDUs without a CRC, until one was accepted: enough to know how the sender fills the field */
};

static const struct {
    enum rule_id rule;
    const char *stimulus;
    bool inconclusive_counts; /* reported as inconclusive when unsettled */
    bool or_corrupted;        /* its octets are not odd: there may be a real CRC error beyond the capture point */
} kinds[ACCEPT_KINDS] = {
    [ACCEPT_PAD] = {RULE_MPA_4_1_06, "FPDU with nonzero PAD covered by its CRC", true, false},
    [ACCEPT_RESERVED] = {RULE_MPA_4_2_03, "FPDU with nonzero RESERVED covered by its CRC", true, false},
    [ACCEPT_LOW_BITS] = {RULE_MPA_4_2_06, "FPDU with low bits in an FPDUPTR covered by its CRC", true, false},
    [ACCEPT_WRAP] = {RULE_MPA_4_3_07, "FPDU whose Marker comes after the wrap of the sequence number", true, true},
    [ACCEPT_SWITCHING] = {RULE_MPA_7_1_5_04, "retransmitted or reordered startup frame or first FPDU", true, true},
    [ACCEPT_FIRST_CRC_UNUSED] = {RULE_MPA_4_4_09, "first FPDU with an unused CRC field", false, false},
    [ACCEPT_CRC_UNUSED] = {RULE_MPA_4_1_11, "FPDU with an unused CRC field", false, false},
    [ACCEPT_OUT_OF_ORDER] = {RULE_MPA_A_5_2_01, "FPDU in segments that arrived out of order", false, true},
    [ACCEPT_UNALIGNED] = {RULE_MPA_5_1_06, "FPDU not aligned with the TCP segments", false, true},
    [ACCEPT_ANY] = {RULE_MPA_5_2_01, "correct FPDU", false, true},
};

/* ---- stimuli ---- */

static bool is_reordered(const struct octets_origin *origin)
{
    return origin->retransmitted || origin->arrival > origin->frame;
}

/* TCP had to recover the startup frame or the first FPDU (7.1.5). */
static bool while_switching(const struct mpa_connection *mpa, const struct mpa_side *s,
                            const struct octets_origin *first, const struct octets_origin *last, uint64_t repeated_end)
{
    return mpa->parameters.startup_seen &&
           (repeated_end > s->startup.start || is_reordered(&s->startup.first) || is_reordered(&s->startup.last) ||
            is_reordered(first) || is_reordered(last));
}

/* The sequence numbers wrap at 2^32 between ULPDU_Length and a Marker of the FPDU. */
static bool wraps(const struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu *fpdu)
{
    const struct tcp_side_facts *facts;
    uint32_t header;

    if (!mpa->tcp || fpdu->n_markers == 0)
        return false;
    facts = tcp_pair_facts(mpa->tcp, side);
    header = facts->isn + (uint32_t)fpdu->header;
    return facts->syn_seen && fpdu->markers[fpdu->n_markers - 1].offset > fpdu->header &&
           facts->isn + (uint32_t)fpdu->markers[fpdu->n_markers - 1].offset < header;
}

/* The CRC field differs from the CRC that it would hold if CRCs were in use. */
static bool crc_not_the_crc(struct accept_watch *watch, const struct mpa_fpdu *fpdu)
{
    if (watch->crc_unused_settled || watch->crcs_computed >= CRCS_COMPUTED_MAX)
        return false;
    watch->crcs_computed++;
    INVARIANT(watch->crcs_computed <= CRCS_COMPUTED_MAX && fpdu->length >= MPA_CRC_LEN);
    return crc32c(fpdu->octets, fpdu->length - MPA_CRC_LEN) != fpdu->crc;
}

/* Oddities of the Markers; false when a Marker contradicts the FPDU's start. */
static bool look_at_markers(const struct mpa_fpdu *fpdu, unsigned *kinds_seen)
{
    for (unsigned i = 0; i < fpdu->n_markers; i++) {
        const struct mpa_marker *marker = &fpdu->markers[i];

        if ((marker->fpduptr & ~3u) != marker->expected)
            return false;
        if (marker->fpduptr != marker->expected)
            *kinds_seen |= 1u << ACCEPT_LOW_BITS;
        if (marker->reserved != 0)
            *kinds_seen |= 1u << ACCEPT_RESERVED;
    }
    return true;
}

/* Oddities in how segments carry the FPDU. */
static unsigned segmentation(const struct mpa_fpdu_event *event)
{
    const struct octets_origin *first = event->first, *last = event->last;

    if (first->frame == last->frame)
        return event->starts_segment ? 0 : 1u << ACCEPT_UNALIGNED;
    return 1u << ACCEPT_UNALIGNED |
           (first->arrival > first->frame || last->arrival > last->frame ? 1u << ACCEPT_OUT_OF_ORDER : 0);
}

/* The FPDU follows the agreement on Markers and CRCs, and contains a DDP segment. */
static bool correct(const struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    if (!mpa->parameters.startup_seen) /* the agreement is unknown */
        return false;
    /* At FO a Marker is due if Markers are on. */
    if (mpa_is_first(mpa, side, event) && (event->fpdu.n_markers > 0) != (mpa->parameters.markers[side] == ON))
        return false;
    return (event->crc == MPA_CRC_VERIFIED || event->crc == MPA_CRC_NOT_USED) && !event->fpdu.cut &&
           !event->after_resync && event->has_ddp && event->fpdu.ulpdu_length <= MPA_ULPDU_MAX;
}

/* The oddities of a correct FPDU; 0 for an incorrect one. */
static unsigned oddities(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu, struct accept_watch *watch)
{
    const struct mpa_fpdu_event *event = fpdu->event;
    const struct octets_origin *first = event->first, *last = event->last;
    bool first_one = mpa_is_first(mpa, fpdu->side, event);
    unsigned seen = 1u << ACCEPT_ANY;

    if (!correct(mpa, fpdu->side, event) || !look_at_markers(&event->fpdu, &seen))
        return 0;
    for (unsigned i = 0; i < event->fpdu.pad_length; i++)
        if (event->fpdu.pad[i] != 0)
            seen |= 1u << ACCEPT_PAD;
    if (wraps(mpa, fpdu->side, &event->fpdu))
        seen |= 1u << ACCEPT_WRAP;
    if (first_one && while_switching(mpa, &mpa->side[fpdu->side], first, last, watch->repeated_end)) {
        seen |= 1u << ACCEPT_SWITCHING;
        watch->switching_noted = true;
    }
    if (event->crc == MPA_CRC_NOT_USED && crc_not_the_crc(watch, &event->fpdu))
        seen |= first_one ? 1u << ACCEPT_FIRST_CRC_UNUSED | 1u << ACCEPT_CRC_UNUSED : 1u << ACCEPT_CRC_UNUSED;
    return seen | segmentation(event);
}

static void note_stimuli(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct accept_watch *watch = &mpa->reaction->accept[1 - fpdu->side];
    const struct mpa_fpdu_event *event = fpdu->event;
    unsigned seen = oddities(mpa, fpdu, watch);

    watch->faulty |= seen == 0;
    watch->last_end = event->fpdu.offset + event->fpdu.length;
    watch->pending |= seen;
    INVARIANT(watch->pending >> ACCEPT_KINDS == 0);
    for (; seen != 0; seen &= seen - 1) { /* for each set bit */
        unsigned kind = (unsigned)__builtin_ctz(seen);

        watch->of[kind].count++;
        watch->of[kind].time_ns = event->place.time_ns;
        watch->of[kind].at =
            (struct stimulus){.offset = event->fpdu.offset, .end = watch->last_end, .frame = event->place.frame};
        INVARIANT(watch->of[kind].count > 0 && watch->of[kind].at.end > watch->of[kind].at.offset);
    }
}

void reaction_accept_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset)
{
    struct accept_watch *watch = &mpa->reaction->accept[1 - segment->side];
    const struct mpa_side *s = &mpa->side[segment->side];

    if (segment->length < 2 || offset >= tcp_pair_facts(mpa->tcp, segment->side)->highest)
        return;
    if (s->fpdus == 0) {
        watch->repeated_end = offset + segment->length;
    } else if (s->fpdus == 1 && s->first_fpdu_known && !watch->switching_noted && !watch->faulty &&
               offset < s->first_fpdu_end && mpa->parameters.startup_seen && !mpa->reaction->ended[1 - segment->side]) {
        /* The first FPDU was sent again, before anything else. */
        watch->switching_noted = true;
        watch->pending |= 1u << ACCEPT_SWITCHING;
        watch->of[ACCEPT_SWITCHING].count++;
        watch->of[ACCEPT_SWITCHING].time_ns = segment->time_ns;
        watch->of[ACCEPT_SWITCHING].at =
            (struct stimulus){.offset = s->first_fpdu.offset, .end = s->first_fpdu_end, .frame = s->first_fpdu.frame};
    }
}

/* ---- answers ---- */

static void accept_settle(struct mpa_connection *mpa, struct accept_watch *watch, unsigned kind, bool taken)
{
    if (taken)
        verdict_passed_n(mpa->verdict, kinds[kind].rule, watch->of[kind].count);
    else if (kinds[kind].inconclusive_counts)
        verdict_inconclusive(mpa->verdict, kinds[kind].rule, reaction_doubt(mpa), watch->of[kind].at.frame);
    watch->of[kind].count = 0;
    watch->pending &= ~(1u << kind);
    watch->crc_unused_settled |= kind == ACCEPT_CRC_UNUSED && taken;
}

/*
 * Every FPDU that the Terminate's sender had received was looked at. Without CRCs, an FPDU may still wait for later
 * octets that confirm the FPDU; but without CRCs no FPDU has a CRC error.
 */
static bool looked_at(const struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    return fpdu->acked <= mpa->reaction->accept[fpdu->side].last_end ||
           (fpdu->terminate.code == CODE_CRC && mpa->parameters.crc == OFF);
}

/* The fault that the Terminate reports is not in the stream, as far as the Terminate's sender had received it. */
static bool is_unfounded(const struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    const struct accept_watch *watch = &mpa->reaction->accept[fpdu->side];
    const struct mpa_side *peer = &mpa->side[1 - fpdu->side];

    return reaction_is_mpa_error(&fpdu->terminate) &&
           (fpdu->terminate.code == CODE_CRC || fpdu->terminate.code == CODE_MARKER) && !watch->faulty &&
           !peer->faulty && !peer->hole && !peer->negotiated_unmet && peer->state == SIDE_FPDUS &&
           !mpa->parameters.midstream && peer->fpdus > 0 && fpdu->acked_known && looked_at(mpa, fpdu) &&
           fpdu->acked >= mpa->side[1 - fpdu->side].first_fpdu_end;
}

static unsigned explanation(const struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    const struct accept_watch *watch = &mpa->reaction->accept[fpdu->side];
    const struct mpa_side *peer = &mpa->side[1 - fpdu->side];

    for (unsigned kind = 0; kind < ACCEPT_KINDS; kind++) {
        bool unused = kind == ACCEPT_FIRST_CRC_UNUSED || kind == ACCEPT_CRC_UNUSED;

        if (unused && fpdu->terminate.code != CODE_CRC)
            continue;
        if ((kind == ACCEPT_FIRST_CRC_UNUSED || kind == ACCEPT_SWITCHING) && fpdu->acked > peer->first_fpdu_end)
            continue;
        if (watch->pending & 1u << kind && fpdu->acked >= watch->of[kind].at.end)
            return kind;
        /* CRCs were computed before, and are being checked now. */
        if (kind == ACCEPT_CRC_UNUSED && watch->crc_unused_settled)
            return kind;
    }
    return ACCEPT_ANY;
}

static void accept_judge_terminate(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct accept_watch *watch = &mpa->reaction->accept[fpdu->side];
    bool corrupted;
    unsigned kind;

    if (is_unfounded(mpa, fpdu)) {
        kind = explanation(mpa, fpdu);
        /* At the capture point the CRC is right; whether it was right at the receiver is unknown. */
        corrupted = fpdu->terminate.code == CODE_CRC && kinds[kind].or_corrupted;
        verdict_failed_as(
            mpa->verdict, kinds[kind].rule, corrupted ? SEVERITY_WARNING : rule_catalogue[kinds[kind].rule].severity,
            direction_of(mpa, fpdu->side), &fpdu->event->place, watch->of[kind].at.frame,
            "expected the %s in frame %u to be accepted; found a Terminate with layer 2, error type 0, code %u%s",
            kinds[kind].stimulus, watch->of[kind].at.frame, fpdu->terminate.code,
            corrupted ? ": the receiver is wrong, or the path from the capture point to it corrupted the octets" : "");
        watch->pending &= ~(1u << kind);
    }
    for (kind = 0; kind < ACCEPT_KINDS; kind++)
        if (watch->pending & 1u << kind)
            accept_settle(mpa, watch, kind, false);
}

void reaction_accept_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct accept_watch *watch = &mpa->reaction->accept[fpdu->side];
    bool responder = initiator_of(mpa) >= 0 && (int)fpdu->side != initiator_of(mpa);

    if (fpdu->is_terminate)
        accept_judge_terminate(mpa, fpdu);
    else if (watch->pending != 0) {
        for (unsigned kind = 0; kind < ACCEPT_KINDS; kind++)
            if (watch->pending & 1u << kind && reaction_after(fpdu, watch->of[kind].at.end))
                accept_settle(mpa, watch, kind, true);
    }
    if (responder && !mpa->reaction->responder_understood && !fpdu->is_terminate &&
        mpa->side[1 - fpdu->side].fpdus > 0 && fpdu->acked_known &&
        fpdu->acked >= mpa->side[1 - fpdu->side].first_fpdu_end &&
        (!mpa->reaction->reads[1 - fpdu->side] || !mpa->reaction->reads[1 - fpdu->side]->n)) {
        verdict_passed(mpa->verdict, RULE_MPA_7_1_2_12);
        mpa->reaction->responder_understood = true;
    }
    if (!mpa->reaction->terminated[1 - fpdu->side] && !fpdu->is_terminate)
        note_stimuli(mpa, fpdu);
}

/* No reaction: the receiver accepted if it stayed silent for long enough, or closed only after its peer. */
void reaction_accept_finish(struct mpa_connection *mpa)
{
    for (unsigned reactor = 0; reactor < 2; reactor++) {
        struct accept_watch *watch = &mpa->reaction->accept[reactor];
        const struct mpa_side *mine = &mpa->side[reactor], *peer = &mpa->side[1 - reactor];
        bool ended = mine->fin || mine->reset;
        bool after_peer = peer->fin && (!ended || mine->end_place.frame > peer->end_place.frame) && !mine->reset;
        int64_t end = ended ? mine->end_place.time_ns : mpa->reaction->now;

        for (unsigned kind = 0; kind < ACCEPT_KINDS; kind++)
            if (watch->pending & 1u << kind)
                accept_settle(mpa, watch, kind,
                              reaction_sees_all(mpa) && !reaction_lost(mpa, reactor) &&
                                  reaction_received(mpa, reactor, watch->of[kind].at.end) &&
                                  (after_peer || end - watch->of[kind].time_ns >= mpa->options.t_react));
    }
}
