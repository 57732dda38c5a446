// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/tcp/tcp_accept.h"

#include "engine/packet/tcp_checksum.h"
#include "wire/invariant.h"

enum {
    SUMS_ACKED_MAX = 3, /* a capture may lack a few right copies of damaged segments */
    WINDOW_LARGEST = 1 << 30,
    BEYOND = 1, /* a FIN that was not captured, or the octet of a zero-window probe */
};

/* ---- the segment by itself ---- */

enum packet_refusal tcp_accept_intact(struct tcp_accept *accept, const struct tcp_segment *segment, bool joined)
{
    struct tcp_accept_side *me = &accept->side[segment->side & 1u];
    enum tcp_checksum sum = joined || me->sum_unused ? TCP_CHECKSUM_UNKNOWN : tcp_checksum(segment);

    if (sum == TCP_CHECKSUM_RIGHT && !segment->ip_wrong) {
        me->sum_right = true;
        me->sum_of_data |= segment->length > 0;
    } else if ((sum == TCP_CHECKSUM_WRONG || segment->ip_wrong) && me->sum_right && !me->sum_unused) {
        return me->sum_of_data || segment->length == 0 ? REFUSED_CHECKSUM : DOUBTFUL;
    }
    return segment->flags & (TCP_ACK | TCP_SYN | TCP_RST) ? ACCEPTED : REFUSED_FLAGS;
}

struct dispute tcp_accept_sum_claim(const struct tcp_view *view)
{
    return (struct dispute){.about = view->side,
                            .kind = REFUSED_CHECKSUM,
                            .at = (uint64_t)(view->end > 0 ? view->end : 0),
                            .sent = view->sent[0],
                            .since_ns = view->segment->time_ns};
}

enum dispute_vote tcp_accept_sum_vote(const struct dispute *dispute, const struct tcp_view *view)
{
    return dispute->kind == REFUSED_CHECKSUM && dispute->about == view->side && view->start >= (int64_t)dispute->at
               ? DISPUTE_AHEAD
               : DISPUTE_NEUTRAL;
}

void tcp_accept_wrong(struct tcp_accept *accept, unsigned side, uint64_t end)
{
    struct tcp_accept_side *me = &accept->side[side];

    if (me->sum_wrong == 0)
        me->sum_wrong = end;
}

void tcp_accept_acked(struct tcp_accept *accept, unsigned side, uint64_t acked, uint64_t highest)
{
    struct tcp_accept_side *me = &accept->side[side];

    if (me->sum_wrong == 0 || (highest < me->sum_wrong && acked < me->sum_wrong))
        return;
    if (highest < me->sum_wrong)
        me->sum_unused |= ++me->sum_acked >= SUMS_ACKED_MAX;
    me->sum_wrong = 0;
}

/* ---- its place in the streams ---- */

/* An old timestamp counts only with new octets or a new acknowledgment. Other segments may be captured late. */
static bool is_old(const struct tcp_accept *accept, const struct tcp_view *view)
{
    const struct tcp_accept_side *peer = &accept->side[!view->side];
    bool news = view->end > (int64_t)view->taken[0] || (view->acks && view->acked > (int64_t)view->taken[1]);

    return view->segment->stamped && peer->echo_known && (int32_t)(view->segment->stamp - peer->echo) < 0 && news;
}

static bool is_beyond_window(const struct tcp_accept *accept, const struct tcp_view *view)
{
    const struct tcp_accept_side *peer = &accept->side[!view->side];

    return peer->window_known && view->end > (int64_t)(peer->edge + BEYOND);
}

/* RFC 5961 section 5: the ACK number is more than the largest window below SND.UNA. */
static bool acks_the_past(const struct tcp_accept *accept, const struct tcp_view *view)
{
    const struct tcp_accept_side *me = &accept->side[view->side];
    uint64_t window = me->window_known ? me->window_largest : WINDOW_LARGEST;

    return view->acked + (int64_t)window < (int64_t)view->taken[1];
}

static bool acks_unsent(const struct tcp_view *view)
{
    return view->heard[1] && view->acked > (int64_t)(view->sent[1] + BEYOND);
}

enum packet_refusal tcp_accept_place(const struct tcp_accept *accept, const struct tcp_view *view)
{
    if (is_old(accept, view))
        return REFUSED_STAMP;
    if (view->acks && acks_the_past(accept, view))
        return REFUSED_ACK;
    return is_beyond_window(accept, view) || (view->acks && acks_unsent(view)) ? DOUBTFUL : ACCEPTED;
}

struct dispute tcp_accept_claim(const struct tcp_accept *accept, const struct tcp_view *view)
{
    struct dispute claim = {.since_ns = view->segment->time_ns};

    if (is_beyond_window(accept, view)) {
        claim.about = view->side;
        claim.kind = REFUSED_WINDOW;
        claim.at = accept->side[!view->side].edge;
        claim.sent = view->sent[0];
    } else {
        claim.about = !view->side;
        claim.kind = REFUSED_ACK;
        claim.at = (uint64_t)view->acked;
        claim.sent = view->sent[1];
        claim.wild = accept->side[view->side].window_known && claim.at > accept->side[view->side].edge + BEYOND;
    }
    return claim;
}

/* A segment of the side that is said to have come as far as dispute->at. */
static enum dispute_vote vote_of_sender(struct dispute *dispute, const struct tcp_view *view)
{
    bool before =
        view->end < (int64_t)view->sent[0] || (view->end > view->start && view->end == (int64_t)view->sent[0]);

    if (dispute->kind == REFUSED_CHECKSUM) /* the same octets, or earlier ones, with a right checksum */
        return view->end > view->start && view->start < (int64_t)dispute->at ? DISPUTE_BEHIND : DISPUTE_NEUTRAL;
    if (dispute->kind == REFUSED_WINDOW && view->start < (int64_t)dispute->at)
        return before ? DISPUTE_NEUTRAL : DISPUTE_BEHIND;
    if (dispute->kind == REFUSED_ACK && view->start <= (int64_t)dispute->sent &&
        dispute_reach(dispute, view->end > 0 ? (uint64_t)view->end : 0))
        return dispute->ahead[view->side] == 0 ? DISPUTE_AHEAD : DISPUTE_NEUTRAL;
    if (view->start >= (int64_t)dispute->at)
        return DISPUTE_AHEAD;
    if (before)
        return DISPUTE_NEUTRAL;
    /* A segment had jumped ahead. A later segment that continues where the side was before contradicts it. */
    return dispute->ahead[view->side] > 0 || view->segment->time_ns - dispute->since_ns >= DISPUTE_APART_NS
               ? DISPUTE_BEHIND
               : DISPUTE_NEUTRAL;
}

enum dispute_vote tcp_accept_vote(struct dispute *dispute, const struct tcp_view *view)
{
    if (view->segment->flags & (TCP_SYN | TCP_RST))
        return DISPUTE_NEUTRAL;
    if (view->side == dispute->about)
        return vote_of_sender(dispute, view);
    if (!view->acks)
        return DISPUTE_NEUTRAL;
    if (view->acked >= (int64_t)dispute->at + (dispute->kind == REFUSED_WINDOW))
        return DISPUTE_AHEAD;
    /* A segment with earlier sequence numbers may be captured late. A segment after all others was sent last. */
    return dispute->kind == REFUSED_ACK && view->start >= (int64_t)view->sent[0] ? DISPUTE_BEHIND : DISPUTE_NEUTRAL;
}

/* ---- windows and timestamps ---- */

void tcp_accept_scales(struct tcp_accept *accept, uint8_t scale, uint8_t other)
{
    accept->side[0].scale_known = accept->side[1].scale_known = true;
    accept->side[0].scale = scale;
    accept->side[1].scale = other;
}

void tcp_accept_window(struct tcp_accept *accept, const struct tcp_segment *segment, int64_t acked)
{
    struct tcp_accept_side *me = &accept->side[segment->side & 1u];
    uint64_t window = (uint64_t)segment->window << (segment->flags & TCP_SYN ? 0 : me->scale), edge;

    if (acked < 0 || !(me->scale_known || segment->flags & TCP_SYN))
        return;
    edge = (uint64_t)acked + window;
    if (window > me->window_largest)
        me->window_largest = window;
    if (!me->window_known || edge > me->edge)
        me->edge = edge; /* a receiver does not withdraw a window that it has advertised */
    me->window_known = me->scale_known;
}

void tcp_accept_stamp(struct tcp_accept *accept, const struct tcp_segment *segment)
{
    struct tcp_accept_side *me = &accept->side[segment->side & 1u], *peer = &accept->side[!(segment->side & 1u)];

    if (!me->stamp_known || (int32_t)(segment->stamp - me->stamp) > 0)
        me->stamp = segment->stamp;
    me->stamp_known = true;
    if (!(segment->flags & TCP_ACK) || !peer->stamp_known || (int32_t)(segment->echo - peer->stamp) > 0)
        return; /* the capture lacks the segment whose timestamp is echoed */
    if (!me->echo_known || (int32_t)(segment->echo - me->echo) > 0)
        me->echo = segment->echo;
    me->echo_known = true;
}
