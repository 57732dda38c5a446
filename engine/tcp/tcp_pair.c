// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sequence numbers become 64-bit stream offsets on entry (RFC 9293 section 3.4); everything after that counts in
 * offsets. Octets in order go straight through; the rest waits in tcp_held. A passive observer has three questions that
 * an endpoint does not have:
 *
 * - Was something lost by the network (it will be sent again) or by the capture (it will not)? The other side's ACK
 *   number answers the question: what the other side has received was not lost by the network.
 * - Is a segment at an odd place (far outside the window) really part of this connection?
 * - Where does a stream begin whose SYN is missing?
 */
#include "engine/tcp/tcp_pair.h"
#include "engine/core/heap.h"
#include "engine/packet/tcp_checksum.h"
#include "engine/tcp/tcp_held.h"
#include "engine/tcp/tcp_history.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum {
    /*
     * An acknowledgment may be captured a little before its octets: the directions of a link come through different
     * queues, taps or interfaces. An acknowledged gap is given up after a millisecond with some segments in it, or
     * after many segments (because clocks of merged captures are unreliable).
     */
    GRACE_SEGMENTS = 3,
    GRACE_SEGMENTS_MANY = 64,
    GRACE_NS = 1000000,
    GRACE_NS_LONG = 100000000, /* or after this time, however few segments came */
    /* Octets this far outside the window are accepted after this many segments in a row. */
    STRAYS_BELIEVED = 3,
    WINDOW_SLACK = 1 << 20,
    WINDOW_LARGEST = 1 << 30, /* RFC 7323 section 2.3 */
    SENT_UNSEEN = 1 << 20,    /* before the first ACK, by a side that was not captured yet */
    SCALE_UNKNOWN = 255,
    SCALE_LARGEST = 14,
};

struct side {
    struct tcp_side_facts facts;
    bool base_guessed; /* isn is what the other side acknowledged first, without a SYN */
    bool seen;         /* it sent a segment */
    bool started;      /* octets or FIN seen: the base is settled */
    bool syn_scale_seen;
    uint8_t window_scale;
    bool fin_known;
    uint64_t fin_offset;
    uint32_t fin_frame;
    int64_t fin_time;
    uint64_t sequence_top; /* highest sequence number used, including segments without payload */
    bool reset;            /* it sent a valid RST */
    unsigned strays;
    /* A gap that the other side has acknowledged, see GRACE_SEGMENTS. */
    bool loss_suspected;
    uint64_t loss_next, loss_acked;
    unsigned loss_segments;
    int64_t loss_since;
    /* The other side repeated an acknowledgment while octets waited after a gap: it lacks the gap's octets, too. */
    bool asked_again;
    int64_t delivered_ns; /* time of the octets delivered last */
    int64_t acked_since;  /* time of the segment that acknowledged octets last */
    uint64_t claimed;     /* the other side has acknowledged octets up to here that the capture lost */
    struct tcp_held held;
    struct tcp_history history;
};

struct tcp_pair {
    struct tcp_pair_events events;
    struct arena *arena; /* held */
    bool eager_holes, at_once;
    uint32_t frame; /* the current segment's */
    int64_t now;
    struct tcp_accept accept;
    struct side side[2];
};

struct tcp_pair *tcp_pair_new(const struct tcp_pair_options *options, const struct tcp_pair_events *events,
                              struct arena *arena)
{
    static const struct tcp_pair_options defaults;
    struct tcp_pair *pair = arena_enter(&arena, sizeof *pair);

    if (!pair)
        return NULL;
    pair->arena = arena;
    if (!options)
        options = &defaults;
    pair->events = *events;
    pair->eager_holes = options->eager_holes;
    pair->at_once = options->at_once;
    for (int s = 0; s < 2; s++) {
        tcp_held_init(&pair->side[s].held, options->limit ? options->limit : TCP_PAIR_LIMIT_DEFAULT);
        tcp_history_init(&pair->side[s].history, options->history ? options->history : TCP_PAIR_HISTORY_DEFAULT, arena);
        pair->side[s].window_scale = SCALE_UNKNOWN;
    }
    return pair;
}

void tcp_pair_free(struct tcp_pair *pair)
{
    if (!pair)
        return;
    for (int s = 0; s < 2; s++) {
        tcp_held_free(&pair->side[s].held);
        tcp_history_free(&pair->side[s].history);
    }
    dispute_free(&pair->accept.dispute);
    arena_release(pair->arena);
}

const struct tcp_side_facts *tcp_pair_facts(const struct tcp_pair *pair, unsigned side)
{
    return &pair->side[side & 1].facts;
}

/* ---- offsets ---- */

/* Stream offset of a sequence number, with the 32-bit wrap nearest to `next`; negative: before the start. */
static int64_t unwrap(const struct side *side, uint32_t seq)
{
    uint64_t near = side->facts.next;
    return (int64_t)near + (int32_t)(seq - (side->facts.isn + (uint32_t)near));
}

static uint64_t not_negative(int64_t offset)
{
    return offset < 0 ? 0 : (uint64_t)offset;
}

static uint64_t pair_larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t pair_smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* How far a side may plausibly send: to the end of the other side's window. */
static uint64_t pair_reach(const struct tcp_pair *pair, unsigned sender)
{
    const struct side *me = &pair->side[sender];
    const struct tcp_accept_side *receiver = &pair->accept.side[!sender];
    uint64_t base = pair_larger(me->facts.next, me->facts.acked);

    return receiver->window_known ? pair_larger(base, receiver->edge) + WINDOW_SLACK : base + WINDOW_LARGEST;
}

static bool is_syn(const struct tcp_segment *segment)
{
    return (segment->flags & (TCP_SYN | TCP_RST)) == TCP_SYN;
}

/* ---- the start of a stream ---- */

/* The stream begins elsewhere than the other side's first ACK suggested. */
static void rebase(struct side *me, uint32_t isn)
{
    int64_t acked = (int64_t)me->facts.acked + (int32_t)(me->facts.isn - isn);

    if (me->facts.based && me->facts.acked_known)
        me->facts.acked = not_negative(acked);
    me->facts.isn = isn;
    me->facts.based = true;
}

static void pair_note_syn(struct side *me, const struct tcp_segment *segment)
{
    uint32_t isn = segment->seq + 1;
    if (me->seen && me->facts.isn != isn)
        return; /* of another connection; tcp_pair_is_reuse() says so */
    rebase(me, isn);
    me->facts.syn_seen = true;
    me->facts.mss = segment->mss;
    me->facts.sack_permitted = segment->sack_permitted;
    me->syn_scale_seen = true;
    me->window_scale = segment->window_scale;
}

/* The first segment of a side whose SYN was not captured. */
static void pair_note_start(struct side *me, const struct tcp_segment *segment)
{
    /* A start taken from a handshake holds unless octets before it turn up. */
    if (!me->facts.based || me->base_guessed || (int32_t)(segment->seq - me->facts.isn) < 0)
        rebase(me, segment->seq);
}

/*
 * A keep-alive probe repeats the sequence number before the next one (RFC 9293 section 3.8.4). If it was the first
 * segment seen, the stream starts after it.
 */
static void settle_start(struct side *me, const struct tcp_segment *segment)
{
    if (!segment->length && !(segment->flags & TCP_FIN))
        return;
    if (!me->started && !me->facts.syn_seen && segment->seq == me->facts.isn + 1 && me->facts.acked <= 1) {
        me->facts.isn++;
        me->facts.acked = 0;
        me->sequence_top = 0;
    }
    me->started = true;
}

/* ---- checksums ---- */

/* Interfaces that join segments keep the checksum of a single segment. */
static bool is_joined(const struct side *peer, const struct tcp_segment *segment)
{
    return peer->facts.mss != 0 && segment->length > peer->facts.mss;
}

/* ---- delivery ---- */

/* Holds whenever no event is being reported. */
static bool side_is_sound(const struct side *side)
{
    return (!side->fin_known || side->facts.next <= side->fin_offset) &&
           (!side->facts.fin || (side->fin_known && side->facts.next == side->fin_offset)) &&
           (tcp_held_empty(&side->held) || tcp_held_first(&side->held)->start > side->facts.next) &&
           side->history.end <= side->facts.next &&
           side->facts.largest_segment <= pair_larger(side->facts.highest, UINT16_MAX);
}

static void deliver_hole(struct tcp_pair *pair, unsigned s, uint64_t to, enum hole_cause cause,
                         const struct octets_origin *next)
{
    struct side *me = &pair->side[s];
    uint64_t from = me->facts.next;
    if (to <= from)
        return;
    me->facts.next = to;
    INVARIANT(!me->fin_known || to <= me->fin_offset);
    if (pair->events.hole)
        pair->events.hole(pair->events.ctx, s, from, to, cause, next);
}

/* Octets that continue the stream: `captured` of `length` were captured. */
static void pair_deliver(struct tcp_pair *pair, unsigned s, const uint8_t *p, uint32_t captured, uint32_t length,
                         struct octets_origin *origin)
{
    struct side *me = &pair->side[s];
    uint64_t from = me->facts.next;
    bool start = origin->segment_start, end = origin->segment_end;
    origin->arrival = pair->frame;
    me->delivered_ns = origin->time_ns;
    origin->segment_end = end && captured == length;
    if (captured) {
        me->facts.next = from + captured;
        if (pair->events.octets)
            pair->events.octets(pair->events.ctx, s, from, p, captured, origin);
        tcp_history_append(&me->history, from, p, captured, me->facts.acked, origin->frame);
    }
    if (captured < length) {
        origin->segment_start = start && captured == 0;
        origin->segment_end = end;
        deliver_hole(pair, s, from + length, HOLE_SNAP_LENGTH, origin);
        origin->segment_start = start;
    }
    INVARIANT(me->facts.next == from + length);
}

/*
 * Delivers held octets that are now in order. If the capture lost the octets before them (lost), the receiver had them
 * when they were captured; if the octets before them came late, the receiver had them in order only now.
 */
static void drain(struct tcp_pair *pair, unsigned s, bool lost)
{
    struct side *me = &pair->side[s];
    while (!tcp_held_empty(&me->held) && tcp_held_first(&me->held)->start <= me->facts.next) {
        struct tcp_piece *piece = tcp_held_take(&me->held);
        if (!lost)
            piece->origin.time_ns = pair->now;
        else if (piece->origin.time_ns < me->delivered_ns)
            piece->origin.time_ns = me->delivered_ns;
        pair_deliver(pair, s, piece->octets, piece->captured, piece->length, &piece->origin);
        free(piece);
    }
    me->asked_again &= !tcp_held_empty(&me->held);
    INVARIANT(side_is_sound(me));
}

static void deliver_fin(struct tcp_pair *pair, unsigned s)
{
    struct side *me = &pair->side[s];
    if (!me->fin_known || me->facts.fin || me->facts.next < me->fin_offset)
        return;
    me->facts.fin = true;
    INVARIANT(me->facts.next == me->fin_offset);
    if (pair->events.fin)
        pair->events.fin(pair->events.ctx, s, me->fin_offset, me->fin_frame, me->fin_time);
}

/* Gives up the first gap, but not beyond `to`. `incoming`, at `to`, is a segment not held yet, or NULL. */
static void pair_give_up(struct tcp_pair *pair, unsigned s, uint64_t to, enum hole_cause cause,
                         const struct octets_origin *incoming)
{
    struct side *me = &pair->side[s];
    const struct octets_origin *beyond = incoming;
    if (!tcp_held_empty(&me->held)) {
        const struct tcp_piece *first = tcp_held_first(&me->held);
        if (first->start <= to || !incoming)
            beyond = &first->origin;
        to = pair_smaller(to, first->start);
    }
    struct octets_origin next;
    if (beyond) {
        next = *beyond;
        next.arrival = pair->frame;
    }
    deliver_hole(pair, s, to, cause, beyond ? &next : NULL);
    drain(pair, s, true);
    INVARIANT(me->facts.next >= to);
}

/* ---- gaps lost by the capture ---- */

/*
 * Up to where the stream was certainly sent: captured octets, or later sequence numbers of the sender that the
 * receiver's ACK confirms.
 */
static uint64_t sent_top(const struct side *side)
{
    return pair_larger(side->facts.highest, pair_smaller(side->sequence_top, side->facts.acked));
}

static uint64_t loss_end(const struct side *side)
{
    uint64_t top = pair_smaller(side->loss_acked, sent_top(side));
    if (side->fin_known)
        return pair_smaller(top, side->fin_offset);
    /* One sequence number beyond everything captured: more likely a FIN than an octet. */
    if (tcp_held_empty(&side->held) && top == side->facts.next + 1 && side->facts.highest <= side->facts.next)
        return side->facts.next;
    return top;
}

/*
 * Gives up gaps whose following octets were captured before the other side acknowledged them, unless the other side
 * asked again for the gap's octets. Octets of such a gap will not come: they were sent before the octets after it.
 */
static void give_up_overtaken(struct tcp_pair *pair, unsigned s)
{
    struct side *me = &pair->side[s];
    while (!me->asked_again && !tcp_held_empty(&me->held) && tcp_held_first(&me->held)->start < me->facts.acked)
        pair_give_up(pair, s, tcp_held_first(&me->held)->start, HOLE_CAPTURE_LOSS, NULL);
    deliver_fin(pair, s);
}

static void give_up_lost(struct tcp_pair *pair, unsigned s)
{
    struct side *me = &pair->side[s];
    if (me->facts.acked <= me->facts.next) {
        me->loss_suspected = false;
        return;
    }
    if (!me->loss_suspected || me->loss_next != me->facts.next) {
        me->loss_acked = me->facts.acked;
        me->loss_next = me->facts.next;
        me->loss_segments = 0;
        me->loss_since = pair->now;
        me->loss_suspected = loss_end(me) > me->facts.next;
        return;
    }
    me->loss_segments++;
    int64_t waited = pair->now - me->loss_since;
    bool enough = (me->loss_segments >= GRACE_SEGMENTS && waited >= GRACE_NS) || waited >= GRACE_NS_LONG ||
                  me->loss_segments >= GRACE_SEGMENTS_MANY;
    if (!enough)
        return;
    /* All gaps that were acknowledged when the grace period began. */
    while (loss_end(me) > me->facts.next)
        pair_give_up(pair, s, loss_end(me), HOLE_CAPTURE_LOSS, NULL);
    me->loss_suspected = false;
    deliver_fin(pair, s);
}

/* ---- octets ---- */

static bool is_keep_alive(const struct side *me, const struct tcp_segment *segment, uint64_t from)
{
    /*
     * A keep-alive is one garbage octet before the next octet; a retransmission of unacknowledged data begins at
     * SND.UNA.
     */
    return segment->length == 1 && from + 1 == me->facts.highest && (!me->facts.acked_known || me->facts.acked > from);
}

/*
 * A single octet that the receiver already has, after octets that the capture lost, or long after the acknowledgment: a
 * retransmission, or the garbage of a keep-alive probe. A missing octet is better than a wrong one.
 */
static bool may_be_garbage(const struct side *me, const struct tcp_segment *segment, uint64_t from)
{
    return segment->length == 1 && !(segment->flags & TCP_FIN) && me->facts.acked_known && me->facts.acked > from &&
           (from > me->facts.next || (from == me->facts.next && segment->time_ns - me->acked_since >= GRACE_NS_LONG));
}

/* Compares repeated octets with the first copy. Reports the first difference. */
static void pair_compare(struct tcp_pair *pair, unsigned s, const struct tcp_segment *segment, uint64_t from,
                         const uint8_t *p, uint64_t n)
{
    struct side *me = &pair->side[s];
    struct tcp_difference difference;
    bool differs = from < me->facts.next && tcp_history_differs(&me->history, from, p, (size_t)n, &difference);
    uint64_t at = from;
    while (!differs && at < from + n) {
        const struct tcp_piece *piece = tcp_held_after(&me->held, at);
        if (!piece || piece->start >= from + n)
            break;
        uint64_t start = pair_larger(piece->start, from), end = pair_smaller(piece->start + piece->captured, from + n);
        for (uint64_t i = start; i < end && !differs; i++) {
            uint8_t first = piece->octets[i - piece->start], repeated = p[i - from];
            differs = first != repeated;
            difference = (struct tcp_difference){i, first, repeated, piece->origin.frame};
        }
        at = piece->start + piece->length;
    }
    if (differs && pair->events.conflict)
        pair->events.conflict(pair->events.ctx, s, difference.offset, difference.first, difference.repeated,
                              difference.first_frame, segment);
}

/* How far a segment acknowledges the other side's octets. */
struct acknowledged {
    bool known;
    uint64_t to;
};

struct arrival {
    const struct tcp_segment *segment;
    uint64_t start, end; /* of the segment's octets in the stream */
    uint64_t captured_end;
    struct octets_origin origin; /* of the segment as a whole */
};

static struct octets_origin origin_of(const struct arrival *arrival, uint64_t from, uint64_t to)
{
    struct octets_origin origin = arrival->origin;
    origin.segment_start = arrival->origin.segment_start && from == arrival->start;
    origin.segment_end = to == arrival->end;
    return origin;
}

/* Delivers or holds [from, to), which the stream does not have yet. False: no room, nothing was done. */
static bool pair_place(struct tcp_pair *pair, unsigned s, const struct arrival *arrival, uint64_t from, uint64_t to)
{
    struct side *me = &pair->side[s];
    uint64_t captured_to = pair_smaller(to, pair_larger(from, arrival->captured_end));
    struct octets_origin origin = origin_of(arrival, from, to);
    const uint8_t *p = arrival->segment->payload;
    if (captured_to > from)
        p += from - arrival->start;
    if (from == me->facts.next) {
        pair_deliver(pair, s, p, (uint32_t)(captured_to - from), (uint32_t)(to - from), &origin);
        drain(pair, s, false);
        return true;
    }
    return tcp_held_add(&me->held, from, (uint32_t)(to - from), p, (uint32_t)(captured_to - from), &origin);
}

/* If the other direction was not captured, no ACK will ever show whether the receiver has the missing octets. */
static enum hole_cause no_room_cause(const struct tcp_pair *pair, unsigned s)
{
    return pair->side[s].facts.acked_known ? HOLE_MEMORY_LIMIT : HOLE_CAPTURE_LOSS;
}

/* Handles a segment that does not simply continue the stream. */
static void take_out_of_order(struct tcp_pair *pair, unsigned s, const struct arrival *arrival, uint64_t end)
{
    struct side *me = &pair->side[s];
    uint64_t from = arrival->start;
    while (from < end) {
        from = pair_larger(from, me->facts.next);
        if (from >= end)
            break;
        const struct tcp_piece *piece = tcp_held_after(&me->held, from);
        if (piece && piece->start <= from) {
            from = piece->start + piece->length;
            continue;
        }
        uint64_t to = piece ? pair_smaller(end, piece->start) : end;
        bool eager = pair->eager_holes && from > me->facts.next;
        if (!eager && pair_place(pair, s, arrival, from, to)) {
            from = to;
            continue;
        }
        /* Gives up the first gap, possibly the gap before this segment. */
        struct octets_origin incoming = origin_of(arrival, from, to);
        pair_give_up(pair, s, from, eager ? HOLE_CAPTURE_LOSS : no_room_cause(pair, s), &incoming);
    }
}

/* Octets and FIN of a segment whose first octet has the offset `start`. */
static void pair_take_octets(struct tcp_pair *pair, const struct tcp_segment *segment, uint64_t start, bool from_start,
                             struct acknowledged acked)
{
    unsigned s = segment->side & 1;
    struct side *me = &pair->side[s];
    uint64_t end = start + segment->length;
    struct octets_origin origin = {.frame = segment->frame,
                                   .time_ns = segment->time_ns,
                                   .acked_known = acked.known,
                                   .acked = acked.to,
                                   .segment_start = from_start,
                                   .segment_end = true,
                                   .retransmitted = start < me->facts.highest,
                                   .segment_length = segment->length};

    me->facts.highest = pair_larger(me->facts.highest, end);
    if (segment->length > me->facts.largest_segment)
        me->facts.largest_segment = segment->length;
    if (start == me->facts.next && tcp_held_empty(&me->held) && !me->fin_known && !may_be_garbage(me, segment, start)) {
        pair_deliver(pair, s, segment->payload, segment->captured, segment->length, &origin);
        return;
    }
    struct arrival arrival = {
        .segment = segment, .start = start, .end = end, .captured_end = start + segment->captured, .origin = origin};
    if (origin.retransmitted && segment->captured && !is_keep_alive(me, segment, start))
        pair_compare(pair, s, segment, start, segment->payload, segment->captured);
    if (may_be_garbage(me, segment, start))
        return;
    if (me->fin_known)
        end = pair_smaller(end, me->fin_offset);
    take_out_of_order(pair, s, &arrival, end);
}

static void pair_take_fin(struct tcp_pair *pair, const struct tcp_segment *segment, uint64_t offset)
{
    struct side *me = &pair->side[segment->side & 1];
    if (me->fin_known || offset < me->facts.next)
        return; /* repeated, or before octets that the stream already has: no receiver accepts it */
    me->fin_known = true;
    me->fin_offset = offset;
    me->fin_frame = segment->frame;
    me->fin_time = segment->time_ns;
    me->facts.highest = pair_larger(me->facts.highest, offset);
    tcp_held_cut(&me->held, offset);
    INVARIANT(side_is_sound(me));
}

/* ---- segments ---- */

/* RFC 9293 section 3.5.3: a reset counts when its sequence number is in the window. */
static bool reset_is_valid(const struct tcp_pair *pair, unsigned s, int64_t offset)
{
    const struct side *me = &pair->side[s];

    if (!me->started && !me->facts.syn_seen)
        return true; /* refuses a SYN, or there is nothing to compare its number with */
    if (offset < 0 || (uint64_t)offset > pair_reach(pair, s))
        return false;
    return !me->facts.acked_known || (uint64_t)offset >= me->facts.acked;
}

static void take_reset(struct tcp_pair *pair, const struct tcp_segment *segment, int64_t offset)
{
    unsigned s = segment->side & 1;
    if (!reset_is_valid(pair, s, offset))
        return;
    bool again = pair->side[s].reset;
    pair->side[s].reset = true;
    if (pair->events.reset && !again)
        pair->events.reset(pair->events.ctx, s, segment->frame, segment->time_ns);
}

static struct acknowledged acknowledged_by(const struct tcp_segment *segment, const struct side *peer)
{
    if (!(segment->flags & TCP_ACK) || !peer->facts.based)
        return (struct acknowledged){0};
    return (struct acknowledged){.known = true, .to = not_negative(unwrap(peer, segment->ack))};
}

/* s: the side whose octets are acknowledged. carries: the acknowledging segment itself has octets. */
static void pair_take_ack(struct tcp_pair *pair, unsigned s, uint64_t acked, bool carries)
{
    struct side *me = &pair->side[s];
    if (!carries && me->facts.acked_known && acked == me->facts.acked && acked == me->facts.next)
        me->asked_again |= !tcp_held_empty(&me->held);
    bool more = !me->facts.acked_known || acked > me->facts.acked;
    if (acked <= pair_larger(me->facts.highest, me->facts.next) + WINDOW_LARGEST) { /* no window was ever wider */
        me->facts.acked = me->facts.acked_known ? pair_larger(me->facts.acked, acked) : acked;
        me->facts.acked_known = true;
        if (more) {
            me->acked_since = pair->now;
            tcp_accept_acked(&pair->accept, s, acked, me->facts.highest);
        }
    }
    if (more)
        give_up_overtaken(pair, s);
    if (me->facts.acked > me->facts.next)
        give_up_lost(pair, s);
}

/* The segment as the stream sees it, without anything before the start of the capture. */
static int64_t cut_to_start(struct tcp_segment *segment, int64_t offset)
{
    if (offset >= 0)
        return offset;
    uint64_t before = (uint64_t)-offset;
    uint32_t cut = before < segment->length ? (uint32_t)before : segment->length;
    uint32_t cut_captured = cut < segment->captured ? cut : segment->captured;
    segment->payload += cut_captured;
    segment->captured -= cut_captured;
    segment->length -= cut;
    segment->seq += cut;
    segment->sums.known = false;
    segment->header = NULL;
    INVARIANT(segment->captured <= segment->length && offset + cut <= 0);
    return offset + cut;
}

/* Learns from a segment where the streams start. True: the start of the acknowledged stream is only a guess. */
static bool find_starts(struct side *me, struct side *peer, const struct tcp_segment *segment)
{
    bool syn = is_syn(segment);
    if (syn)
        pair_note_syn(me, segment);
    else if (!me->seen && !(segment->flags & TCP_RST))
        pair_note_start(me, segment);
    if (!syn && !(segment->flags & TCP_RST))
        settle_start(me, segment);
    me->seen = me->seen || !(segment->flags & TCP_RST);
    /*
     * A handshake shows the other side's start, even if its SYN was not captured or comes late. Without a handshake,
     * the acknowledgment shows that octets were sent that are missing or come later; their number is unknown.
     */
    if (!(segment->flags & TCP_ACK) || peer->facts.based || (segment->flags & TCP_RST))
        return false;
    peer->base_guessed = !me->facts.syn_seen || segment->seq + is_syn(segment) != me->facts.isn;
    peer->facts.isn = segment->ack - (peer->base_guessed ? SENT_UNSEEN : 0);
    peer->facts.based = true;
    return segment->length > 0; /* it may also answer octets that the capture shows later */
}

/* No receiver would accept octets up to `end`. */
static bool is_out_of_reach(const struct tcp_pair *pair, unsigned s, uint64_t end)
{
    return end > pair->side[s].facts.next + WINDOW_SLACK && end > pair_reach(pair, s);
}

/* Before the start, of another connection, or out of reach, until several such segments have come. */
static bool pair_is_foreign(struct tcp_pair *pair, unsigned s, const struct tcp_segment *segment, int64_t offset)
{
    struct side *me = &pair->side[s];

    if (offset < 0 || (is_syn(segment) && me->facts.isn != segment->seq + 1))
        return true;
    return is_out_of_reach(pair, s, (uint64_t)offset + segment->length) && ++me->strays < STRAYS_BELIEVED;
}

/* Octets and FIN of a segment that belongs to the stream, at `start`. */
static void take_content(struct tcp_pair *pair, const struct tcp_segment *segment, uint64_t start, bool from_start,
                         struct acknowledged acked)
{
    unsigned s = segment->side & 1;
    struct side *me = &pair->side[s];
    uint64_t end = start + segment->length;
    me->strays = 0;
    me->sequence_top = pair_larger(me->sequence_top, end);
    if (segment->length)
        pair_take_octets(pair, segment, start, from_start, acked);
    if (segment->flags & TCP_FIN)
        pair_take_fin(pair, segment, end);
    if (me->fin_known && !me->facts.fin)
        deliver_fin(pair, s);
}

/* ---- segments that their receiver accepts ---- */

static uint64_t used_top(const struct side *side)
{
    return pair_larger(side->facts.next, side->claimed);
}

/* Whether the offset of the segment's ACK number is known. */
static bool acks_known(const struct side *peer, const struct tcp_segment *segment)
{
    return segment->flags & TCP_ACK && peer->facts.based && !peer->base_guessed;
}

static struct tcp_view view_of(const struct tcp_pair *pair, const struct tcp_segment *segment)
{
    const struct side *me = &pair->side[segment->side & 1], *peer = &pair->side[!(segment->side & 1)];
    bool acks = acks_known(peer, segment);
    int64_t start = me->facts.based ? unwrap(me, segment->seq + is_syn(segment)) : 0;

    return (struct tcp_view){.segment = segment,
                             .side = segment->side & 1,
                             .start = start,
                             .end = start + segment->length + (segment->flags & TCP_FIN ? 1 : 0),
                             .acks = acks,
                             .acked = acks ? unwrap(peer, segment->ack) : 0,
                             .sent = {used_top(me), used_top(peer)},
                             .taken = {me->facts.acked, peer->facts.acked},
                             .heard = {me->seen, peer->seen}};
}

static void pair_learn(struct tcp_pair *pair, const struct tcp_segment *segment)
{
    const struct side *a = &pair->side[0], *b = &pair->side[1];
    const struct side *peer = segment->side & 1 ? a : b;
    bool scaled = a->window_scale != SCALE_UNKNOWN && b->window_scale != SCALE_UNKNOWN;

    /* The scale counts only if both SYNs offered one (RFC 7323 section 2.2). */
    if (is_syn(segment) && a->syn_scale_seen && b->syn_scale_seen)
        tcp_accept_scales(&pair->accept, scaled ? (uint8_t)pair_smaller(a->window_scale, SCALE_LARGEST) : 0,
                          scaled ? (uint8_t)pair_smaller(b->window_scale, SCALE_LARGEST) : 0);
    if (!segment->stamped && !is_syn(segment) && !pair->accept.side[segment->side & 1].scale_known)
        return;
    if (acks_known(peer, segment))
        tcp_accept_window(&pair->accept, segment, unwrap(peer, segment->ack));
    if (segment->stamped)
        tcp_accept_stamp(&pair->accept, segment);
}

static void pair_refuse(struct tcp_pair *pair, const struct tcp_segment *segment, enum packet_refusal why)
{
    pair->side[segment->side & 1].facts.refused[why]++;
}

static enum packet_refusal pair_look(struct tcp_pair *pair, const struct tcp_segment *segment)
{
    struct side *me = &pair->side[segment->side & 1], *peer = &pair->side[!(segment->side & 1)];
    enum packet_refusal refusal = tcp_accept_intact(&pair->accept, segment, is_joined(peer, segment));

    if (refusal == REFUSED_FLAGS &&
        pair->at_once) /* the host may not know the ACK number of octets that it held back */
        return ACCEPTED;
    if (refusal == ACCEPTED || (refusal == DOUBTFUL && me->facts.based && peer->facts.based))
        return refusal;
    refusal = refusal == DOUBTFUL ? REFUSED_CHECKSUM : refusal;
    pair_refuse(pair, segment, refusal);
    if (refusal == REFUSED_CHECKSUM && segment->length > 0 && me->facts.based &&
        unwrap(me, segment->seq) == (int64_t)me->facts.highest)
        tcp_accept_wrong(&pair->accept, segment->side & 1, me->facts.highest + segment->length);
    return refusal;
}

bool tcp_pair_is_disputed(const struct tcp_pair *pair)
{
    return pair->accept.dispute.open;
}

bool tcp_pair_is_intact(struct tcp_pair *pair, const struct tcp_segment *segment)
{
    enum packet_refusal refusal = pair_look(pair, segment);

    return refusal == ACCEPTED || refusal == DOUBTFUL;
}

/* A segment that waits. */
struct waiting {
    struct dispute_item item; /* first */
    bool suspect;             /* its checksum is wrong */
    struct tcp_segment segment;
    uint8_t octets[];
};

static void pair_take(struct tcp_pair *pair, const struct tcp_segment *segment);

/* Takes what has waited, or refuses the part that agrees with a false claim. */
static void settle_dispute(struct tcp_pair *pair, enum dispute_reading reading)
{
    struct dispute dispute = pair->accept.dispute;
    struct side *about = &pair->side[dispute.about];

    if (dispute.kind == REFUSED_CHECKSUM && pair->accept.side[dispute.about].sum_of_data)
        reading = DISPUTE_FALSE; /* data with a right checksum came after all */
    if (reading == DISPUTE_TRUE && dispute.kind == REFUSED_ACK)
        about->claimed = pair_larger(about->claimed, dispute.at);
    if (reading == DISPUTE_FALSE && dispute.kind == REFUSED_ACK &&
        !dispute.wild) /* octets after a gap, said to be acknowledged */
        tcp_held_cut(&about->held, about->facts.next);
    if (reading == DISPUTE_TRUE && dispute.kind == REFUSED_CHECKSUM)
        pair->accept.side[dispute.about].sum_unused = true;
    if (reading == DISPUTE_TRUE && dispute.kind == REFUSED_WINDOW && dispute.ahead[!dispute.about] == 0)
        pair->accept.side[!dispute.about].window_known = pair->accept.side[!dispute.about].scale_known = false;
    for (struct dispute_item *item = dispute_end(&pair->accept.dispute), *next; item; item = next) {
        const struct tcp_segment *segment = &((struct waiting *)item)->segment;
        struct tcp_view view = view_of(pair, segment);
        enum packet_refusal place =
            segment->flags & (TCP_SYN | TCP_RST) ? ACCEPTED : tcp_accept_place(&pair->accept, &view);
        bool beyond = item->ahead && view.side == dispute.about && view.start > (int64_t)view.sent[0];

        next = item->next;
        if (((const struct waiting *)item)->suspect && !pair->accept.side[view.side].sum_unused)
            place = REFUSED_CHECKSUM;
        if (place == DOUBTFUL || (place == ACCEPTED && beyond))
            place = reading == DISPUTE_TRUE && (dispute.wild || !tcp_accept_claim(&pair->accept, &view).wild)
                        ? ACCEPTED
                        : (enum packet_refusal)dispute.kind;
        if (place == ACCEPTED) {
            pair_take(pair, segment);
        } else {
            /* The side that is said to acknowledge has acknowledged less since: somebody else sent the segment. */
            if (place == REFUSED_ACK && pair->events.unsent_acked && view.acked > (int64_t)about->facts.next &&
                dispute.behind[!dispute.about] == 0 && !dispute.wild)
                pair->events.unsent_acked(pair->events.ctx, segment, not_negative(view.start), (uint64_t)view.acked);
            pair_refuse(pair, segment, place);
        }
        free(item);
    }
}

/* Keeps a segment until the doubt is settled. */
static void pair_let_wait(struct tcp_pair *pair, const struct tcp_view *view, bool suspect)
{
    struct dispute *dispute = &pair->accept.dispute;
    const struct tcp_segment *segment = view->segment;
    enum dispute_vote vote = !dispute->first ? DISPUTE_AHEAD
                             : suspect       ? tcp_accept_sum_vote(dispute, view)
                                             : tcp_accept_vote(dispute, view);
    struct waiting *waiting =
        (struct waiting *)dispute_add(dispute, sizeof *waiting + segment->captured, view->side, vote);
    enum dispute_reading reading = waiting ? dispute_read(dispute) : dispute_read_last(dispute);

    if (waiting) {
        waiting->suspect = suspect;
        waiting->segment = *segment;
        waiting->segment.payload = waiting->octets;
        waiting->segment.header = NULL;
        waiting->segment.sums.known = false;
        if (segment->captured)
            memcpy(waiting->octets, segment->payload, segment->captured);
    }
    if (reading != DISPUTE_OPEN)
        settle_dispute(pair, reading);
    if (!waiting)
        pair_take(pair, segment);
}

/* True: the segment waits, or is refused. */
static bool pair_holds_back(struct tcp_pair *pair, const struct tcp_segment *segment, bool suspect)
{
    struct tcp_view view = view_of(pair, segment);
    enum packet_refusal place;

    if (suspect && pair->at_once)
        return false;
    if (segment->flags & TCP_RST && view.heard[0] && !pair->at_once &&
        (view.start < 0 || view.start > (int64_t)pair_reach(pair, view.side))) {
        pair_refuse(pair, segment, REFUSED_WINDOW);
        return true;
    }
    if (is_syn(segment) && view.acks && view.heard[1] &&
        (view.acked < 0 || view.acked > (int64_t)view.sent[1])) { /* RFC 9293 section 3.10.7.3: the answer is a RST */
        pair_refuse(pair, segment, REFUSED_ACK);
        return true;
    }
    if (suspect && !pair->accept.dispute.open) {
        struct dispute claim = tcp_accept_sum_claim(&view);

        dispute_begin(&pair->accept.dispute, &claim);
    } else if (!pair->accept.dispute.open) {
        place =
            segment->flags & (TCP_SYN | TCP_RST) || !view.heard[0] ? ACCEPTED : tcp_accept_place(&pair->accept, &view);
        if (place == ACCEPTED || (place == DOUBTFUL && pair->at_once))
            return false;
        struct dispute claim = tcp_accept_claim(&pair->accept, &view);
        if (place == DOUBTFUL && pair->eager_holes) {
            if (claim.kind == REFUSED_ACK)
                return false;
            place = REFUSED_WINDOW;
        }
        if (place != DOUBTFUL) {
            pair_refuse(pair, segment, place);
            return true;
        }
        dispute_begin(&pair->accept.dispute, &claim);
    }
    pair_let_wait(pair, &view, suspect);
    return true;
}

void tcp_pair_segment(struct tcp_pair *pair, const struct tcp_segment *segment)
{
    enum packet_refusal look = pair_look(pair, segment);

    if ((look == ACCEPTED || look == DOUBTFUL) && !pair_holds_back(pair, segment, look == DOUBTFUL))
        pair_take(pair, segment);
}

/* An accepted segment. */
static void pair_take(struct tcp_pair *pair, const struct tcp_segment *segment)
{
    struct tcp_segment cut;
    unsigned s = segment->side & 1;
    struct side *me = &pair->side[s], *peer = &pair->side[!s];
    bool syn = is_syn(segment), starts_known = me->started && me->seen && peer->facts.based;
    pair->frame = segment->frame;
    pair->now = segment->time_ns;

    bool guessed = (syn || !starts_known) && find_starts(me, peer, segment);

    /* The SYN itself takes a sequence number; its payload, if any, comes after it (RFC 7413). */
    int64_t unwrapped = me->facts.based ? unwrap(me, segment->seq + syn) : 0, offset = unwrapped;
    if (offset < 0) {
        cut = *segment;
        offset = cut_to_start(&cut, unwrapped);
        segment = &cut;
    }
    struct acknowledged acked = guessed ? (struct acknowledged){0} : acknowledged_by(segment, peer), told = acked;
    /* The same ACK number again: the peer has sent nothing since. Its first segment will show the offset. */
    if (peer->base_guessed && !peer->seen && acked.to == SENT_UNSEEN)
        told = (struct acknowledged){0};
    if (pair->events.segment)
        pair->events.segment(pair->events.ctx, segment, not_negative(offset), told.known, told.to);

    pair_learn(pair, segment);
    if (acked.known)
        pair_take_ack(pair, !s, acked.to, segment->length > 0);
    if (segment->flags & TCP_RST) {
        take_reset(pair, segment, unwrapped);
        return;
    }
    if (syn && !me->started && !peer->started)
        me->reset = peer->reset = false; /* a SYN repeated after a refusal */
    if (!pair_is_foreign(pair, s, segment, offset))
        take_content(pair, segment, (uint64_t)offset, unwrapped == offset, told);
    if (me->facts.acked > me->facts.next)
        give_up_lost(pair, s);
    INVARIANT(side_is_sound(me) && side_is_sound(peer));
}

size_t tcp_pair_held(const struct tcp_pair *pair, unsigned side)
{
    const struct dispute *dispute = &pair->accept.dispute;

    return pair->side[side].held.octets + (dispute->about == side ? dispute->octets : 0);
}

void tcp_pair_settle(struct tcp_pair *pair)
{
    if (pair->accept.dispute.open)
        settle_dispute(pair, dispute_read_last(&pair->accept.dispute));
}

void tcp_pair_stop_waiting(struct tcp_pair *pair, unsigned side)
{
    tcp_pair_settle(pair);
    while (!tcp_held_empty(&pair->side[side].held))
        pair_give_up(pair, side, tcp_held_first(&pair->side[side].held)->start, no_room_cause(pair, side), NULL);
    tcp_held_free(&pair->side[side].held);
    deliver_fin(pair, side);
    INVARIANT(tcp_pair_held(pair, side) == 0 && side_is_sound(&pair->side[side]));
}

void tcp_pair_finish(struct tcp_pair *pair)
{
    tcp_pair_settle(pair);
    for (unsigned s = 0; s < 2; s++) {
        struct side *me = &pair->side[s];
        if (me->base_guessed && !me->seen)
            continue;
        me->loss_acked = me->facts.acked;
        while (!tcp_held_empty(&me->held)) {
            uint64_t to = tcp_held_first(&me->held)->start;
            pair_give_up(pair, s, to, me->facts.acked > me->facts.next ? HOLE_CAPTURE_LOSS : HOLE_END, NULL);
        }
        /* The octets known to be missing at the end of the stream. */
        if (me->fin_known)
            pair_give_up(pair, s, me->fin_offset, me->facts.acked > me->facts.next ? HOLE_CAPTURE_LOSS : HOLE_END,
                         NULL);
        else if (me->facts.acked > me->facts.next + 1)
            pair_give_up(pair, s, me->facts.acked, HOLE_CAPTURE_LOSS, NULL);
        deliver_fin(pair, s);
        INVARIANT(tcp_held_empty(&me->held) && me->fin_known == me->facts.fin);
    }
}

/* ---- the connection as a whole ---- */

static bool fin_acknowledged(const struct side *side)
{
    return side->fin_known && side->facts.acked_known && side->facts.acked > side->fin_offset;
}

enum tcp_pair_state tcp_pair_state(const struct tcp_pair *pair)
{
    bool closed = pair->side[0].reset || pair->side[1].reset ||
                  (fin_acknowledged(&pair->side[0]) && fin_acknowledged(&pair->side[1]));
    return closed ? TCP_PAIR_CLOSED : TCP_PAIR_OPEN;
}

bool tcp_pair_is_reuse(const struct tcp_pair *pair, const struct tcp_segment *segment)
{
    if (!(segment->flags & TCP_SYN) || (segment->flags & TCP_RST))
        return false;
    const struct side *me = &pair->side[segment->side & 1], *peer = &pair->side[!(segment->side & 1)];
    if (me->facts.based && (me->seen || !me->base_guessed))
        return me->facts.isn != segment->seq + 1 &&
               (me->seen || !peer->facts.syn_seen || (segment->flags & TCP_ACK && peer->facts.isn != segment->ack));
    /* Nothing was seen from this side: a SYN-ACK fits if it acknowledges the known ISN. */
    if (segment->flags & TCP_ACK)
        return peer->facts.based && peer->facts.isn != segment->ack && peer->started;
    return peer->seen && !peer->facts.syn_seen;
}
