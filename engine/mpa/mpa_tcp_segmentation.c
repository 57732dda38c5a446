// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How FPDUs fit into TCP segments: RFC 5044 sections 3, 4.5, 5.1 and Appendix A.1. All of it is advice that depends on
 * the path MTU, on windows and on the reasons for cutting segments, none of which a capture shows with certainty: only
 * gross cases are reported, once per direction, measured against the MSS of the SYN.
 */
#include "engine/mpa/mpa_tcp.h"
#include "wire/invariant.h"

enum {
    NON_FINAL_MIN = 8,      /* number of DDP segments after which undersize is persistent */
    NON_FINAL_TINY_MIN = 4, /* the same for an MSS below 128 */
    SEGMENTS_MIN = 16,      /* number of segments after which a lack of alignment is persistent */
    ALIGNED_SHARE = 8,      /* at most one segment in this many is aligned */
    PACKED_MIN = 8,
    MULPDU_MIN = 128,
    PATH_MIN = 536, /* no path has a smaller EMSS today */
};

bool mpa_segments_are_real(const struct mpa_connection *mpa, unsigned side, unsigned *mss)
{
    const struct tcp_side_facts *mine = tcp_pair_facts(mpa->tcp, side), *peer = tcp_pair_facts(mpa->tcp, 1 - side);

    *mss = peer->mss;
    return peer->syn_seen && peer->mss > 0 && mine->largest_segment <= peer->mss;
}

/* ---- facts ---- */

void mpa_segmentation_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset)
{
    struct mpa_segmentation *s = &mpa->tcp_rules->side[segment->side].segmentation;
    const struct tcp_side_facts *facts = tcp_pair_facts(mpa->tcp, segment->side);
    const struct mpa_side *mine = &mpa->side[segment->side];
    bool emptied = segment->time_ns - s->last_data_time >= mpa->options.t_react && /* rarely true, so tested first */
                   facts->acked_known && facts->acked >= facts->highest && offset == facts->highest &&
                   mpa->tcp_rules->side[1 - segment->side].window > 0;

    s->last_data_time = segment->time_ns;
    if (!emptied || mine->state != SIDE_FPDUS || mine->next != offset)
        return;
    if (mine->cursor == mine->next) {
        s->pauses++;
    } else if (!s->pause_unaligned) {
        s->pause_unaligned = true;
        s->pause_place = (struct place){.frame = segment->frame,
                                        .first_frame = segment->frame,
                                        .time_ns = segment->time_ns,
                                        .offset = offset,
                                        .side = segment->side};
    }
}

/* The FPDU begins in the current segment, or in a new one. */
static void segmentation_note_start(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_segmentation *s = &mpa->tcp_rules->side[side].segmentation;
    const struct octets_origin *first = event->first, *last = event->last;
    bool starts_segment = event->starts_segment;

    if (first->retransmitted || event->after_resync)
        return;
    if (first->frame != s->segment) {
        s->segment = first->frame;
        s->holds_whole = false;
        if (s->segments++ == 0)
            s->segment_place = event->place;
    } else if (s->holds_whole) {
        s->packed++;
        if (last->frame != first->frame && s->packed_badly++ == 0)
            s->packed_place = event->place;
    }
    s->aligned += starts_segment;
    s->holds_whole |= last->frame == first->frame;
    INVARIANT(s->packed_badly <= s->packed && s->aligned <= s->segments && s->segments <= s->fpdus);
}

void mpa_segmentation_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_segmentation *s = &mpa->tcp_rules->side[side].segmentation;
    const struct mpa_fpdu *fpdu = &event->fpdu;

    if (!mpa_sees_all(mpa) || event->crc == MPA_CRC_WRONG)
        return;
    s->fpdus++;
    /* A length above 64768 is a fault of its own (MPA-3-05), whatever the path. */
    if (fpdu->ulpdu_length > s->largest_ulpdu && fpdu->ulpdu_length <= MPA_ULPDU_MAX) {
        s->largest_ulpdu = fpdu->ulpdu_length;
        s->largest_place = event->place;
    }
    if (fpdu->length > s->largest_fpdu)
        s->largest_fpdu = fpdu->length;
    if (event->has_ddp && !event->ddp.last) {
        s->non_final++;
        if (fpdu->ulpdu_length > s->non_final_largest) {
            s->non_final_largest = fpdu->ulpdu_length;
            s->non_final_place = event->place;
        }
    }
    segmentation_note_start(mpa, side, event);
    INVARIANT(s->non_final <= s->fpdus && s->packed <= s->fpdus);
    INVARIANT(s->largest_ulpdu <= MPA_ULPDU_MAX && (s->largest_fpdu > s->largest_ulpdu || s->largest_ulpdu == 0));
}

/* ---- judgement ---- */

/*
 * MPA-4.5-01, -02. The path may have less room than the MSS says, and options take part of this room, but no path has
 * more. An FPDU with fewer Markers than the formula counts may still fit, and is not a fault.
 */
static void judge_mulpdu(struct mpa_connection *mpa, unsigned side, unsigned mss, unsigned mulpdu)
{
    const struct mpa_segmentation *s = &mpa->tcp_rules->side[side].segmentation;
    bool markers = mpa->parameters.markers[side] == ON;
    enum rule_id rule = markers ? RULE_MPA_4_5_01 : RULE_MPA_4_5_02;

    if (mss < MULPDU_MIN)
        return;
    if (s->largest_ulpdu > mulpdu && s->largest_fpdu > mss)
        verdict_failed(mpa->verdict, rule, direction_of(mpa, side), &s->largest_place, 0,
                       "expected ULPDUs of at most %u octets (MULPDU %s Markers for an MSS of %u); found a ULPDU of %u "
                       "octets, and an FPDU of %u that no segment can hold",
                       mulpdu, markers ? "with" : "without", mss, s->largest_ulpdu, s->largest_fpdu);
    else if (s->non_final > 0 && s->non_final_largest == mulpdu)
        verdict_passed(mpa->verdict, rule);
}

/* MPA-3-03, MPA-4.5-01, -02, -05, -07 */
static void judge_sizes(struct mpa_connection *mpa, unsigned side, unsigned mss)
{
    const struct mpa_segmentation *s = &mpa->tcp_rules->side[side].segmentation;
    enum direction direction = direction_of(mpa, side);
    bool markers = mpa->parameters.markers[side] == ON;
    unsigned mulpdu = mpa_mulpdu(mss, markers), longest = tcp_pair_facts(mpa->tcp, side)->largest_segment, likely;

    /* The path may allow less than the MSS: the loopback interface announces 64 KiB. */
    longest = longest > PATH_MIN ? longest : PATH_MIN;
    likely = longest < mss ? mpa_mulpdu(longest, markers) : mulpdu;
    if (s->largest_ulpdu > mulpdu + mulpdu / 4)
        verdict_failed(mpa->verdict, RULE_MPA_3_03, direction, &s->largest_place, 0,
                       "expected ULPDUs of at most %u octets (MULPDU for an MSS of %u); found a ULPDU of %u octets",
                       mulpdu, mss, s->largest_ulpdu);
    else
        judge_mulpdu(mpa, side, mss, mulpdu);
    if (s->largest_ulpdu <= mulpdu)
        verdict_passed_n(mpa->verdict, RULE_MPA_3_03, (uint32_t)s->fpdus);
    if (mss < MULPDU_MIN) {
        if (s->non_final >= NON_FINAL_TINY_MIN && s->non_final_largest < MULPDU_MIN)
            verdict_failed(mpa->verdict, RULE_MPA_4_5_07, direction, &s->non_final_place, 0,
                           "expected a MULPDU of at least 128 octets, although the MSS is %u; found non-final ULPDUs "
                           "of at most %u octets",
                           mss, s->non_final_largest);
        else if (s->non_final > 0 && s->non_final_largest >= MULPDU_MIN)
            verdict_passed(mpa->verdict, RULE_MPA_4_5_07);
    } else if (s->non_final >= NON_FINAL_MIN && s->non_final_largest < likely / 2) {
        verdict_failed(mpa->verdict, RULE_MPA_4_5_05, direction, &s->non_final_place, 0,
                       "expected ULPDUs near a MULPDU of %u octets or more (MSS %u); found %llu non-final ULPDUs of at "
                       "most %u octets",
                       likely, mss, (unsigned long long)s->non_final, s->non_final_largest);
    } else if (s->non_final > 0 && s->non_final_largest >= likely / 2) {
        verdict_passed(mpa->verdict, RULE_MPA_4_5_05);
    }
}

/* MPA-5.1-04, -05, -07; not judged for an MSS below 128 (MPA-4.5-08) */
static void judge_alignment(struct mpa_connection *mpa, unsigned side, unsigned mss)
{
    const struct mpa_segmentation *s = &mpa->tcp_rules->side[side].segmentation;
    enum direction direction = direction_of(mpa, side);

    if (mss < MULPDU_MIN)
        return;
    if (s->pause_unaligned)
        verdict_failed(mpa->verdict, RULE_MPA_5_1_07, direction, &s->pause_place, 0,
                       "expected the start of an FPDU after a pause in which everything was acknowledged; found the "
                       "rest of an FPDU after a pause");
    else if (s->pauses > 0)
        verdict_passed_n(mpa->verdict, RULE_MPA_5_1_07, (uint32_t)s->pauses);
    /* An EMSS below the MSS also shows in the segments. */
    if (s->largest_fpdu > tcp_pair_facts(mpa->tcp, side)->largest_segment)
        return;
    if (s->segments >= SEGMENTS_MIN && s->aligned * ALIGNED_SHARE <= s->segments)
        verdict_failed(mpa->verdict, RULE_MPA_5_1_04, direction, &s->segment_place, 0,
                       "expected all segments to begin with an FPDU, as every FPDU fits into one; found that %llu of "
                       "%llu segments begin with an FPDU",
                       (unsigned long long)s->aligned, (unsigned long long)s->segments);
    else if (s->packed_badly >= PACKED_MIN && s->packed_badly * 2 > s->packed)
        verdict_failed(mpa->verdict, RULE_MPA_5_1_05, direction, &s->packed_place, 0,
                       "expected FPDUs that share a segment to be complete in it; found that %llu of %llu segments end "
                       "inside an FPDU",
                       (unsigned long long)s->packed_badly, (unsigned long long)s->packed);
    else if (s->packed > s->packed_badly)
        verdict_passed_n(mpa->verdict, RULE_MPA_5_1_05, (uint32_t)(s->packed - s->packed_badly));
    if (s->segments >= 1 && s->aligned * 2 > s->segments)
        verdict_passed_n(mpa->verdict, RULE_MPA_5_1_04, (uint32_t)s->aligned);
}

void mpa_segmentation_finish(struct mpa_connection *mpa, unsigned side)
{
    unsigned mss;

    if (mpa->tcp_rules->side[side].segmentation.fpdus == 0 || !mpa_segments_are_real(mpa, side, &mss))
        return;
    judge_sizes(mpa, side, mss);
    judge_alignment(mpa, side, mss);
}
