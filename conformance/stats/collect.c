// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/collect_internal.h"
#include "engine/core/heap.h"

#include <stdlib.h>
#include <string.h>

enum { GAP_MIN_NS = 1000000 };

struct collector *collector_new(bool ib)
{
    struct collector *collector = heap_zeroed(1, sizeof *collector);

    if (!collector)
        return NULL;
    collector->ib = ib;
    collector->now = statistics_new();
    if (!collector->now) {
        free(collector);
        return NULL;
    }
    collector->now->ib = ib;
    collector->now->whole = true;
    return collector;
}

void collector_free(struct collector *collector)
{
    if (!collector)
        return;
    while (collector->oldest) {
        struct open_call *call = collector->oldest;

        collector->oldest = call->newer;
        free(call);
    }
    while (collector->spare) {
        struct open_call *call = collector->spare;

        collector->spare = call->newer;
        free(call);
    }
    free(collector->unsettled);
    free(collector->side[0].requests);
    free(collector->side[1].requests);
    statistics_free(collector->now);
    free(collector);
}

void collect_time(struct collector *collector, uint32_t frame, int64_t time_ns)
{
    struct statistics *now = collector->now;

    collector->frame = frame;
    if (collector->last_packet_ns != 0) {
        uint64_t gap = time_since(collector->last_packet_ns, time_ns);

        if (gap >= GAP_MIN_NS) {
            if (gap > now->gaps.most)
                now->longest_gap_frame = frame;
            histogram_add(&now->gaps, gap, 1);
        }
    }
    if (time_ns > collector->last_packet_ns)
        collector->last_packet_ns = time_ns;
    now->first_ns = time_ns < now->first_ns ? time_ns : now->first_ns;
    now->last_ns = time_ns > now->last_ns ? time_ns : now->last_ns;
}

uint64_t *collect_first_bin(struct collector *collector, int64_t time_ns)
{
    struct series *series = heap_get(sizeof *series);

    collector->now->series = series;
    if (!series)
        return NULL;
    series_init(series);
    return series_at(series, time_ns);
}

void collector_cut(struct collector *collector, unsigned side, uint64_t n)
{
    collector->now->whole = false;
    collector->now->carrier[side].n[CARRIER_HOLES] = saturating_sum(collector->now->carrier[side].n[CARRIER_HOLES], n);
    for (unsigned i = 0; i < 2; i++) {
        collect_forget_requests(collector, i);
        for (unsigned class = 0; class < BEGUN_CLASSES; class ++)
            collector->side[i].begun[class].known = false;
    }
}

/* A Call that is outstanding may have been answered meanwhile. */
void collector_hole(struct collector *collector, unsigned side, uint64_t n, int64_t from_ns, int64_t to_ns)
{
    struct caller *caller = &collector->side[side ^ 1u].caller;

    collector_cut(collector, side, n);
    collector->now->holes++;
    collector->now->lost = saturating_sum(collector->now->lost, n);
    collector->side[side].holes++;
    collector->missing[collector->holes++ % HOLES_KEPT] = (struct missing_time){from_ns, to_ns};
    caller->doubtful = caller->outstanding;
    for (unsigned i = 0; i < 2; i++)
        collector->side[i].caller.freed_ns = collector->side[i].caller.quiet_ns = 0;
}

int64_t collector_seen(const struct collector *collector, unsigned side)
{
    return collector->side[side & 1u].seen_ns;
}

int64_t collector_seen_before(struct collector *collector, unsigned side, uint64_t offset)
{
    struct tcp_order *order = &collector->side[side & 1u].order;

    for (unsigned i = 0; i < order->n_gaps; i++) {
        struct order_gap *gap = &order->gaps[i];
        int64_t before_ns = gap->before_ns;

        if (offset < gap->from || offset >= gap->to)
            continue;
        memmove(gap, gap + 1, (--order->n_gaps - i) * sizeof *gap);
        return before_ns;
    }
    return collector_seen(collector, side);
}

void collector_sent_again(struct collector *collector, unsigned side, uint64_t offset, int64_t time_ns)
{
    if (collector->sent_again)
        collector->sent_again(collector, side & 1u, offset, time_ns);
}

void collect_again(struct collector *collector, unsigned side, uint64_t packets, uint64_t octets)
{
    collector->side[side].again.packets += packets;
    collector->side[side].again.octets += octets;
}

static void count_again(struct collector *collector, unsigned side)
{
    struct again *again = &collector->side[side].again;
    struct stat_carrier *carrier = &collector->now->carrier[side];

    carrier->n[CARRIER_RETRANSMITTED_PACKETS] += again->packets;
    carrier->n[CARRIER_RETRANSMITTED] += again->octets;
    *again = (struct again){0};
}

void collector_received(struct collector *collector, unsigned side, uint64_t offset)
{
    uint64_t *received = &collector->side[side & 1u].received;

    if (offset > *received && collector->side[side & 1u].again.packets > 0)
        count_again(collector, side & 1u);
    *received = offset > *received ? offset : *received;
    if (collector->received)
        collector->received(collector, side & 1u, offset);
    collector->side[side & 1u].acked = collector->ib;
    if (collector->acked && !collector->ib)
        collector->acked(collector, side & 1u, offset);
}

struct statistics *collector_take(struct collector *collector, unsigned first, bool last)
{
    struct statistics *taken = collector->now, *next;

    for (unsigned side = 0; side < 2; side++) {
        collect_alike(collector, side);
        histogram_add(&taken->carrier[side].per_segment, collector->side[side].per_segment.value,
                      collector->side[side].per_segment.n);
        collector->side[side].per_segment.n = 0;
    }
    if (collector->take_open)
        collector->take_open(collector, last);
    for (unsigned side = 0; last && side < 2; side++)
        if (!collect_in_vain(collector, side))
            count_again(collector, side);
    if (last) {
        collect_unanswered(collector);
        collector->now = NULL;
    } else {
        next = statistics_new();
        if (!next)
            return NULL;
        next->ib = taken->ib;
        next->tapped = taken->tapped;
        next->from_start = taken->from_start;
        next->whole = true;
        for (unsigned side = 0; side < 2; side++)
            next->reads[side].limit = taken->reads[side].limit;
        collector->now = next;
    }
    if (first == 1)
        statistics_turn(taken);
    return taken;
}
