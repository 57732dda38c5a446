// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * TCP's own conduct on an MPA connection: RFC 5044 sections 1.2, 7.1.5, 7.2, Appendix A.1, A.3, A.5. Captures lose,
 * reorder and repeat segments; nothing is reported that these effects may explain.
 */
#include "engine/mpa/mpa_tcp.h"
#include "wire/invariant.h"

static const int64_t millisecond = 1000000;

enum {
    EARLY_ACK_MS = 10, /* the directions of a capture may be this far apart */
    FRAGMENTS_SENT_MIN = 3,
    REPEATS_MIN = 3,
    BEYOND_FIN_MAX = 1 << 20, /* a segment further away does not belong to this connection */
};

enum { SEGMENTS_FIRST = 4 }; /* a power of two, like SEGMENTS_KEPT */

bool mpa_tcp_new(struct mpa_connection *mpa)
{
    mpa->tcp_rules = arena_zeroed(mpa->arena, sizeof *mpa->tcp_rules);
    return mpa->tcp_rules != NULL;
}

void mpa_tcp_free(struct mpa_connection *mpa)
{
    if (!mpa->tcp_rules)
        return;
    for (unsigned side = 0; side < 2; side++)
        arena_drop(mpa->tcp_rules->side[side].sent,
                   mpa->tcp_rules->side[side].sent_capacity * sizeof(struct octet_range));
}

static struct place tcp_place_of(const struct tcp_segment *segment, uint64_t offset)
{
    return (struct place){.frame = segment->frame,
                          .first_frame = segment->frame,
                          .time_ns = segment->time_ns,
                          .offset = offset,
                          .side = segment->side};
}

/* ---- MPA-1.2-04: acknowledgments of octets that were never sent ---- */

static void fail_early_ack(struct mpa_connection *mpa, unsigned side, uint32_t related)
{
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[side];

    INVARIANT(mine->early_ack.open && mine->early_ack.acked > mine->early_ack.sent);
    verdict_failed(mpa->verdict, RULE_MPA_1_2_04, direction_of(mpa, side), &mine->early_ack.place, related,
                   "expected at most the %llu octets that the peer had sent to be acknowledged; found an "
                   "acknowledgment of %llu octets",
                   (unsigned long long)mine->early_ack.sent, (unsigned long long)mine->early_ack.acked);
    mine->early_ack.open = false;
    mine->early_ack.settled = true;
}

static void watch_ack(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset, uint64_t acked)
{
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[segment->side];
    const struct tcp_side_facts *peer = tcp_pair_facts(mpa->tcp, 1 - segment->side);

    if (mine->early_ack.open) {
        /*
         * A receiver never takes back what it has acknowledged, so another host may have sent the early acknowledgment.
         * New octets, or the elapsed time, show that this segment is really later.
         */
        if (acked < mine->early_ack.acked && offset >= mine->early_ack.offset &&
            (segment->length > 0 || segment->time_ns - mine->early_ack.place.time_ns >= EARLY_ACK_MS * millisecond))
            mine->early_ack.open = false;
        return;
    }
    /* One more octet is a FIN, which the capture may have lost. */
    if (acked <= peer->highest + 1 || mine->early_ack.settled || !peer->syn_seen || mpa->side[1 - segment->side].hole ||
        peer->next < peer->highest || segment->flags & (TCP_RST | TCP_SYN))
        return;
    mine->early_ack.open = true;
    mine->early_ack.place = tcp_place_of(segment, mpa->side[segment->side].next);
    mine->early_ack.offset = offset;
    mine->early_ack.end = offset + segment->length + (segment->flags & TCP_FIN ? 1 : 0);
    mine->early_ack.acked = acked;
    mine->early_ack.sent = mine->early_ack.filled = peer->highest;
    INVARIANT(mine->early_ack.acked > mine->early_ack.filled + 1 && !mine->early_ack.settled);
}

/*
 * The segment ends exactly where the early acknowledgment does, and acknowledges nothing sent after it. No receiver
 * knows where future segments will end, so the acknowledgment was captured before its data.
 */
static bool captured_late(const struct mpa_tcp_side *acker, uint64_t end, bool acked_known, uint64_t acked)
{
    return end == acker->early_ack.acked && acked_known && acked <= acker->early_ack.offset;
}

/* The peer of an early acknowledgment sends the octets in question, or later ones. */
static void resolve_early_ack(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                              bool acked_known, uint64_t acked)
{
    struct mpa_tcp_side *acker = &mpa->tcp_rules->side[1 - segment->side];

    if (!acker->early_ack.open || segment->length == 0)
        return;
    if (offset == acker->early_ack.filled && acker->early_ack.end > acker->early_ack.offset &&
        (!acked_known || acked < acker->early_ack.end)) {
        /*
         * The peer has not received the acknowledging segment, so it may be retransmitting octets that the capture lost
         * the first time.
         */
        verdict_inconclusive(mpa->verdict, RULE_MPA_1_2_04, WHY_COPIES, segment->frame);
        acker->early_ack.open = false;
        acker->early_ack.settled = true;
    } else if (offset == acker->early_ack.filled) {
        if (captured_late(acker, offset + segment->length, acked_known, acked))
            acker->early_ack.open = false;
        else if (segment->time_ns - acker->early_ack.place.time_ns >= EARLY_ACK_MS * millisecond)
            fail_early_ack(mpa, 1 - segment->side, segment->frame);
        else if (offset + segment->length >= acker->early_ack.acked)
            acker->early_ack.open = false; /* the capture had the directions in another order */
        else
            acker->early_ack.filled = offset + segment->length;
    } else if (offset > acker->early_ack.sent && offset >= acker->early_ack.acked) {
        acker->early_ack.open = false; /* lost by the capture */
        acker->early_ack.settled = true;
    }
    INVARIANT(!acker->early_ack.open ||
              (!acker->early_ack.settled && acker->early_ack.filled < acker->early_ack.acked));
}

/* ---- MPA-7.1.5-03: retransmissions ---- */

static void fail_conflict(struct mpa_connection *mpa, unsigned side, const struct place *place, uint8_t first,
                          uint8_t repeated, uint32_t first_frame)
{
    verdict_failed(mpa->verdict, RULE_MPA_7_1_5_03, direction_of(mpa, side), place, first_frame,
                   "expected 0x%02x at stream offset %llu, as first sent; found 0x%02x at stream offset %llu in the "
                   "retransmission",
                   first, (unsigned long long)place->offset, repeated, (unsigned long long)place->offset);
}

void mpa_tcp_conflict(struct mpa_connection *mpa, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                      uint32_t first_frame, const struct tcp_segment *segment)
{
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[side];
    struct place place = tcp_place_of(segment, offset);

    /* A window or keep-alive probe may hold any octet (RFC 9293 section 3.8.4). */
    if (segment->length == 1)
        return;
    mine->conflicts++;
    for (unsigned i = 0; i < mine->n_bad && i < BAD_FPDUS_KEPT; i++)
        if (offset >= mine->bad[i].from && offset < mine->bad[i].to) {
            /* The CRC says that the first copy was damaged on the way. */
            verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_5_03, WHY_LOWER, segment->frame);
            return;
        }
    if (mpa->parameters.crc == ON && mpa->side[side].state == SIDE_FPDUS && offset >= mpa->side[side].cursor) {
        if (mine->conflict.open)
            return;
        mine->conflict.open = true;
        mine->conflict.place = place;
        mine->conflict.first = first;
        mine->conflict.repeated = repeated;
        mine->conflict.first_frame = first_frame;
        return;
    }
    fail_conflict(mpa, side, &place, first, repeated, first_frame);
}

static void note_crc(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[side];
    uint64_t from = event->fpdu.offset, to = from + event->fpdu.length;

    if (event->crc == MPA_CRC_WRONG)
        mine->bad[mine->n_bad++ % BAD_FPDUS_KEPT] = (struct octet_range){from, to};
    INVARIANT(from < to);
    if (!mine->conflict.open || mine->conflict.place.offset >= to)
        return;
    mine->conflict.open = false;
    if (mine->conflict.place.offset < from || event->crc == MPA_CRC_WRONG)
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_5_03, WHY_LOWER, mine->conflict.place.frame);
    else
        fail_conflict(mpa, side, &mine->conflict.place, mine->conflict.first, mine->conflict.repeated,
                      mine->conflict.first_frame);
}

/* ---- MPA-A.1-05: boundaries of retransmissions ---- */

static void keep_boundaries(struct mpa_connection *mpa, struct mpa_tcp_side *mine, struct octet_range range)
{
    if (mine->n_sent == mine->sent_capacity && mine->sent_capacity < SEGMENTS_KEPT)
        mine->sent = arena_double(mpa->arena, mine->sent, &mine->sent_capacity, SEGMENTS_FIRST, sizeof *mine->sent);
    if (mine->sent_capacity > 0)
        mine->sent[mine->n_sent++ & (mine->sent_capacity - 1)] = range;
    INVARIANT((mine->sent_capacity & (mine->sent_capacity - 1)) == 0 && mine->sent_capacity <= SEGMENTS_KEPT);
    INVARIANT(range.from < range.to);
}

static void note_boundaries(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset)
{
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[segment->side];
    const struct tcp_side_facts *facts = tcp_pair_facts(mpa->tcp, segment->side);
    struct octet_range range = {offset, offset + segment->length};
    uint64_t oldest = mine->n_sent > mine->sent_capacity ? mine->n_sent - mine->sent_capacity : 0;
    bool known = false;

    if (segment->length < 2)
        return;
    if (range.from >= facts->highest) {
        keep_boundaries(mpa, mine, range);
        return;
    }
    if (range.from < facts->next)
        mine->compared++;
    for (uint64_t i = mine->n_sent; i > oldest; i--) {
        const struct octet_range *sent = &mine->sent[(i - 1) & (mine->sent_capacity - 1)];

        if (sent->from == range.from && sent->to == range.to) {
            mine->repeated_same++;
            return;
        }
        known |= sent->from < range.to && sent->to > range.from;
    }
    /* Octets not seen before were lost on the way to the capture point, or come out of order. */
    if (!known || range.to > facts->highest || range.from >= facts->next)
        return;
    if (mine->repeated_otherwise++ == 0)
        mine->repeated_place = tcp_place_of(segment, offset);
}

/* ---- MPA-A.5.1-02: IP fragments ---- */

static void note_fragments(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset)
{
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[segment->side];
    struct place place;

    if (mine->fragments.settled || !segment->fragmented || segment->length == 0)
        return;
    if (!mine->fragments.open) {
        mine->fragments.open = true;
        mine->fragments.octets = (struct octet_range){offset, offset + segment->length};
        mine->fragments.frame = segment->frame;
        mine->fragments.time_ns = segment->time_ns;
    }
    INVARIANT(mine->fragments.octets.from < mine->fragments.octets.to && !mine->fragments.settled);
    if (offset != mine->fragments.octets.from)
        return;
    if (++mine->fragments.times < FRAGMENTS_SENT_MIN ||
        segment->time_ns - mine->fragments.time_ns < mpa->options.t_react)
        return;
    place = tcp_place_of(segment, offset);
    place.side = (uint8_t)(1 - segment->side);
    place.awaited = true;
    verdict_failed(mpa->verdict, RULE_MPA_A_5_1_02, direction_of(mpa, 1 - segment->side), &place, mine->fragments.frame,
                   "expected the segment that came as IP fragments in frame %u to be acknowledged; found that the "
                   "segment that came as IP fragments was sent %u times in vain",
                   mine->fragments.frame, mine->fragments.times);
    mine->fragments.settled = true;
}

static void acknowledge_fragments(struct mpa_connection *mpa, unsigned side, uint64_t acked)
{
    struct mpa_tcp_side *sender = &mpa->tcp_rules->side[1 - side];

    if (!sender->fragments.open || sender->fragments.settled || acked < sender->fragments.octets.to)
        return;
    verdict_passed(mpa->verdict, RULE_MPA_A_5_1_02);
    sender->fragments.settled = true;
}

/* ---- hooks ---- */

/* MPA-7.2-01 */
static void check_fin(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset)
{
    const struct mpa_side *s = &mpa->side[segment->side];
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[segment->side];
    uint64_t end = offset + segment->length;
    struct place place = tcp_place_of(segment, offset);

    if (!s->fin || mine->beyond_fin || segment->length == 0 || end <= s->fin_offset ||
        offset > s->fin_offset + BEYOND_FIN_MAX || (segment->length == 1 && offset == s->fin_offset) ||
        segment->flags & (TCP_SYN | TCP_RST))
        return;
    mine->beyond_fin = true;
    INVARIANT(end > s->fin_offset);
    verdict_failed(mpa->verdict, RULE_MPA_7_2_01, direction_of(mpa, segment->side), &place, s->end_place.frame,
                   "expected no octets after the FIN in frame %u; found %llu octets after the FIN", s->end_place.frame,
                   (unsigned long long)(end - s->fin_offset));
}

void mpa_tcp_unsent_acked(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                          uint64_t acked)
{
    if (mpa_sees_all(mpa))
        watch_ack(mpa, segment, offset, acked);
}

void mpa_tcp_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                     uint64_t acked)
{
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[segment->side];

    if (!mpa_sees_all(mpa))
        return;
    if (segment->flags & TCP_SYN && mine->syn_frame == 0) {
        mine->syn_frame = segment->frame;
        mine->syn_time = segment->time_ns;
        mine->syn_answers = segment->flags & TCP_ACK;
        mine->sack_permitted = segment->sack_permitted;
    }
    if (acked_known) {
        watch_ack(mpa, segment, offset, acked);
        acknowledge_fragments(mpa, segment->side, acked);
    }
    if (segment->length > 0) {
        mine->data_segments++;
        if (!segment->df && mine->no_df_frame == 0) {
            mine->no_df_frame = segment->frame;
            mine->no_df_time = segment->time_ns;
        }
        check_fin(mpa, segment, offset);
        resolve_early_ack(mpa, segment, offset, acked_known, acked);
        note_boundaries(mpa, segment, offset);
        note_fragments(mpa, segment, offset);
        mpa_segmentation_segment(mpa, segment, offset);
    }
    mine->window = segment->window;
}

void mpa_tcp_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    note_crc(mpa, side, event);
    mpa_segmentation_fpdu(mpa, side, event);
}

void mpa_tcp_end(struct mpa_connection *mpa, unsigned side, bool reset)
{
    struct mpa_side *s = &mpa->side[side];
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[side], *acker = &mpa->tcp_rules->side[1 - side];
    const struct tcp_side_facts *facts;

    if (!mpa_sees_all(mpa) || reset)
        return;
    facts = tcp_pair_facts(mpa->tcp, side);
    /* One octet may be a keep-alive probe's, instead of the FIN. */
    if (facts->highest > s->fin_offset + 1 && facts->highest - s->fin_offset <= BEYOND_FIN_MAX && !mine->beyond_fin) {
        mine->beyond_fin = true;
        verdict_failed(mpa->verdict, RULE_MPA_7_2_01, direction_of(mpa, side), &s->end_place, 0,
                       "expected the FIN after all octets; found %llu octets after the FIN",
                       (unsigned long long)(facts->highest - s->fin_offset));
    }
    /* The stream has ended and never reached the acknowledged offset. */
    if (acker->early_ack.open && acker->early_ack.acked > s->fin_offset + 1)
        fail_early_ack(mpa, 1 - side, s->end_place.frame);
}

static struct place tcp_place_in(unsigned side, uint32_t frame, int64_t time_ns)
{
    return (struct place){.frame = frame, .first_frame = frame, .time_ns = time_ns, .side = (uint8_t)side};
}

static void judge_sack(struct mpa_connection *mpa, unsigned side)
{
    const struct mpa_tcp_side *mine = &mpa->tcp_rules->side[side], *peer = &mpa->tcp_rules->side[1 - side];
    struct place place = tcp_place_in(side, mine->syn_frame, mine->syn_time);

    if (mine->syn_frame == 0 || (mine->syn_answers && !peer->sack_permitted))
        return;
    if (mine->sack_permitted)
        verdict_passed(mpa->verdict, RULE_MPA_A_3_04);
    else
        verdict_failed(mpa->verdict, RULE_MPA_A_3_04, direction_of(mpa, side), &place, 0,
                       "expected SACK-permitted in the SYN; found a SYN without SACK-permitted");
}

static void judge_df(struct mpa_connection *mpa, unsigned side)
{
    const struct mpa_tcp_side *mine = &mpa->tcp_rules->side[side];
    struct place place = tcp_place_in(side, mine->no_df_frame, mine->no_df_time);

    if (mine->no_df_frame != 0)
        verdict_failed(
            mpa->verdict, RULE_MPA_A_5_1_01, direction_of(mpa, side), &place, 0,
            "expected DF = 1 in the IP header of a data segment; found DF = 0 in the IP header of a data segment");
    else if (mine->data_segments > 0)
        verdict_passed(mpa->verdict, RULE_MPA_A_5_1_01);
}

static void tcp_finish_side(struct mpa_connection *mpa, unsigned side)
{
    struct mpa_tcp_side *mine = &mpa->tcp_rules->side[side];
    const struct tcp_side_facts *peer = tcp_pair_facts(mpa->tcp, 1 - side);
    unsigned mss;

    if (mine->early_ack.open)
        verdict_inconclusive(mpa->verdict, RULE_MPA_1_2_04, LOST_OR(WHY_END), mine->early_ack.place.frame);
    else if (!mine->early_ack.settled && peer->syn_seen && peer->acked_known)
        verdict_passed(mpa->verdict, RULE_MPA_1_2_04);
    if (mine->conflict.open)
        verdict_inconclusive(mpa->verdict, RULE_MPA_7_1_5_03, LOST_OR(WHY_END), mine->conflict.place.frame);
    if (mine->compared > mine->conflicts)
        verdict_passed_n(mpa->verdict, RULE_MPA_7_1_5_03, (uint32_t)(mine->compared - mine->conflicts));
    if (mpa->side[side].fin && !mine->beyond_fin)
        verdict_passed(mpa->verdict, RULE_MPA_7_2_01);
    if (mine->repeated_same > 0)
        verdict_passed_n(mpa->verdict, RULE_MPA_A_1_05, (uint32_t)mine->repeated_same);
    else if (mine->repeated_otherwise >= REPEATS_MIN && mpa_segments_are_real(mpa, side, &mss))
        verdict_failed(
            mpa->verdict, RULE_MPA_A_1_05, direction_of(mpa, side), &mine->repeated_place, 0,
            "expected retransmissions with the original segment boundaries; found other segment boundaries in all "
            "%llu retransmissions",
            (unsigned long long)mine->repeated_otherwise);
    judge_sack(mpa, side);
    judge_df(mpa, side);
    mpa_segmentation_finish(mpa, side);
}

void mpa_tcp_finish(struct mpa_connection *mpa)
{
    if (!mpa_sees_all(mpa))
        return;
    for (unsigned side = 0; side < 2; side++)
        tcp_finish_side(mpa, side);
}
