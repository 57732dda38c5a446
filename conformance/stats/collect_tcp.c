// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP segments and FPDUs. */
#include "conformance/stats/collect_internal.h"

#include <string.h>

/* ---- the order of octets ---- */

static void open_gap(struct tcp_order *order, const struct order_gap *gap)
{
    if (order->n_gaps < GAPS_MAX)
        order->gaps[order->n_gaps++] = *gap;
}

/* Octets [from, to) have come. What remains of the gap after them becomes another gap. */
static uint64_t fill_gap(struct tcp_order *order, unsigned i, uint64_t from, uint64_t to)
{
    struct order_gap *gap = &order->gaps[i], before = *gap;

    from = from > gap->from ? from : gap->from;
    to = to < gap->to ? to : gap->to;
    if (from >= to)
        return 0;
    if (from > before.from) {
        gap->to = from;
        if (to < before.to)
            open_gap(order, &(struct order_gap){to, before.to, before.since_ns, before.before_ns});
    } else {
        gap->from = to;
    }
    if (gap->from == gap->to)
        memmove(gap, gap + 1, (--order->n_gaps - i) * sizeof *gap);
    return to - from;
}

static void note_filled(struct tcp_order *order, const struct tcp_segment *segment, int64_t since)
{
    if (order->filled_frame != segment->frame || since < order->filled_since_ns)
        order->filled_since_ns = since;
    order->filled_frame = segment->frame;
}

/* Octets that were seen before, or that come after later octets. True: some octets are repeated. */
static bool tcp_take_repeated(struct collector *collector, unsigned side, const struct tcp_segment *segment,
                              uint64_t offset, uint64_t end)
{
    struct tcp_order *order = &collector->side[side].order;
    struct stat_carrier *carrier = &collector->now->carrier[side];
    uint64_t old = (end < order->highest ? end : order->highest) - offset, filled = 0;
    uint64_t *bin;

    if (segment->length <= 1 && end == order->highest) /* a keep-alive */
        return false;
    for (unsigned i = order->n_gaps; i-- > 0;) {
        int64_t since = order->gaps[i].since_ns;
        uint64_t n = fill_gap(order, i, offset, end);

        if (n > 0) {
            histogram_add(&carrier->late, time_since(since, segment->time_ns), 1);
            note_filled(order, segment, since);
        }
        filled += n;
    }
    filled = filled < old ? filled : old;
    carrier->n[CARRIER_OUT_OF_ORDER] += filled;
    carrier->n[CARRIER_OUT_OF_ORDER_PACKETS] += filled > 0;
    if (filled < old) {
        collect_again(collector, side, 1, old - filled);
        collector_sent_again(collector, side, offset, segment->time_ns);
    }
    bin = collect_bin(collector, segment->time_ns);
    if (bin)
        bin[SERIES_REPEATED] += old;
    return true;
}

/* The segment is out of order. True: some octets are repeated. */
__attribute__((noinline)) static bool take_disorder(struct collector *collector, unsigned side,
                                                    const struct tcp_segment *segment, uint64_t offset, uint64_t end)
{
    struct tcp_order *order = &collector->side[side].order;

    if (!order->started) {
        order->started = true;
        order->highest = offset;
    }
    if (offset > order->highest)
        open_gap(order, &(struct order_gap){order->highest, offset, segment->time_ns, order->highest_ns});
    return offset < order->highest && tcp_take_repeated(collector, side, segment, offset, end);
}

static void tcp_take_octets(struct collector *collector, const struct tcp_segment *segment, uint64_t offset)
{
    unsigned side = segment->side;
    struct tcp_order *order = &collector->side[side].order;
    struct timed *timed = &collector->side[side].timed;
    struct stat_carrier *carrier = &collector->now->carrier[side];
    uint64_t end = offset + segment->length;

    carrier->n[CARRIER_PACKETS]++;
    carrier->n[CARRIER_OCTETS] += segment->length;
    if (segment->length > carrier->segment_most)
        carrier->segment_most = segment->length;
    if ((offset != order->highest || !order->started) && take_disorder(collector, side, segment, offset, end))
        timed->pending = false; /* it is unknown which of the copies was acknowledged */
    else if (!timed->pending)
        *timed = (struct timed){true, end, segment->time_ns};
    if (end > order->highest) {
        order->highest = end;
        order->highest_ns = segment->time_ns;
    }
}

/* ---- the handshake ---- */

static void take_handshake(struct collector *collector, const struct tcp_segment *segment)
{
    bool syn = segment->flags & TCP_SYN, ack = segment->flags & TCP_ACK;

    if (syn && !ack && collector->handshake == HANDSHAKE_NONE) {
        collector->handshake = HANDSHAKE_SYN;
        collector->opener = segment->side;
        collector->syn_ns = segment->time_ns;
    } else if (syn && ack && collector->handshake == HANDSHAKE_SYN && segment->side != collector->opener) {
        collector->handshake = HANDSHAKE_ANSWERED;
        collector->answer_ns = segment->time_ns;
    } else if (!syn && ack && collector->handshake == HANDSHAKE_ANSWERED && segment->side == collector->opener) {
        collector->handshake = HANDSHAKE_OVER;
        collector->now->round_trip = time_since(collector->syn_ns, segment->time_ns);
        collector->now->round_trip_far = time_since(collector->syn_ns, collector->answer_ns);
    } else {
        collector->handshake = HANDSHAKE_OVER; /* retransmitted: its time cannot be trusted */
    }
}

void collector_tcp(struct collector *collector, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                   uint64_t acked)
{
    unsigned side = segment->side & 1u, other = side ^ 1u;
    struct timed *timed = &collector->side[other].timed;

    collect_time(collector, segment->frame, segment->time_ns);
    if (collector->handshake != HANDSHAKE_OVER)
        take_handshake(collector, segment);
    if (segment->flags & TCP_SYN) {
        if (segment->mss != 0 && (collector->now->mtu == 0 || segment->mss < collector->now->mtu))
            collector->now->mtu = segment->mss;
        return;
    }
    if (segment->window == 0 && !(segment->flags & TCP_RST))
        collector->now->carrier[side].n[CARRIER_CLOSED_WINDOWS]++;
    if (timed->pending && acked_known && acked >= timed->end) {
        histogram_add(&collector->now->carrier[other].acked, time_since(timed->since_ns, segment->time_ns), 1);
        timed->pending = false;
    }
    if (acked_known)
        collector_received(collector, other, acked);
    collector->side[side].seen_ns = segment->time_ns;
    if (segment->length == 0)
        return;
    tcp_take_octets(collector, segment, offset);
    if (collector->side[side].segment_open)
        add_repeated(&collector->side[side].per_segment, &collector->now->carrier[side].per_segment,
                     collector->side[side].fpdus);
    collector->side[side].segment_open = collector->full;
    collector->side[side].fpdus = 0;
}

/* ---- MPA ---- */

/* From an accepting Reply: what the Responder grants its peer, and what it will use itself. */
enum { NOT_NEGOTIATED = 0x3FFF };

static uint32_t tcp_limit_of(const struct mpa_parameters *parameters, uint16_t value)
{
    return parameters->ird_ord_known && value != NOT_NEGOTIATED ? value : 0;
}

void collector_phase(struct collector *collector, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    unsigned initiator = parameters->initiator_side == 1;

    collector->full = phase == MPA_PHASE_FULL_OPERATION;
    collector_read_limit(collector, initiator, tcp_limit_of(parameters, parameters->ird));
    collector_read_limit(collector, initiator ^ 1u, tcp_limit_of(parameters, parameters->ord));
}

void collect_alike(struct collector *collector, unsigned side)
{
    struct alike *alike = &collector->side[side].alike;
    struct stat_carrier *carrier = &collector->now->carrier[side];
    unsigned pad = mpa_pad_length(alike->ulpdu_length);
    uint32_t without = (uint32_t)MPA_LENGTH_LEN + alike->ulpdu_length + pad + MPA_CRC_LEN;

    histogram_add(&carrier->sizes, alike->length, alike->n);
    carrier->n[CARRIER_FPDUS] += alike->n;
    carrier->n[CARRIER_ULPDU] += alike->n * alike->ulpdu_length;
    carrier->n[CARRIER_HEADERS] += alike->n * (MPA_LENGTH_LEN + (uint64_t)alike->header_length);
    carrier->n[CARRIER_PADS] += alike->n * pad;
    carrier->n[CARRIER_CRCS] += alike->n * MPA_CRC_LEN;
    carrier->n[CARRIER_CRCS_USED] += alike->crc_used ? alike->n : 0;
    carrier->n[CARRIER_MARKERS] += alike->length > without ? alike->n * (alike->length - without) : 0;
    alike->n = 0;
}

void collector_fpdu(struct collector *collector, const struct mpa_fpdu_event *event)
{
    unsigned side = event->place.side & 1u;
    struct alike *alike = &collector->side[side].alike;
    const struct mpa_fpdu *fpdu = &event->fpdu;
    uint8_t header_length = event->has_ddp ? event->ddp.header_len : 0;
    bool crc_used = event->crc == MPA_CRC_VERIFIED || event->crc == MPA_CRC_WRONG;

    collector->side[side].fpdus++;
    if (fpdu->length != alike->length || fpdu->ulpdu_length != alike->ulpdu_length ||
        header_length != alike->header_length || crc_used != alike->crc_used) {
        if (alike->n > 0)
            collect_alike(collector, side);
        *alike = (struct alike){fpdu->length, fpdu->ulpdu_length, header_length, crc_used, 0};
    }
    alike->n++;
}
