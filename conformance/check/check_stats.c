// SPDX-License-Identifier: GPL-2.0-or-later
/* --stats: replaces the plain taps by taps that also collect. */
#include "conformance/check/check_watched.h"

static struct collector *collector_of(void *ctx)
{
    return ((struct watched *)ctx)->host.collector;
}

static void stats_on_tcp_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                                 uint64_t acked)
{
    watched_taps.tcp_segment(ctx, segment, offset, acked_known, acked);
    collector_tcp(collector_of(ctx), segment, offset, acked_known, acked);
}

static void stats_on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                          const struct octets_origin *next)
{
    watched_taps.hole(ctx, side, from, to, cause, next);
    if (cause == HOLE_SNAP_LENGTH)
        collector_cut(collector_of(ctx), side & 1u, to - from);
    else
        collector_hole(collector_of(ctx), side & 1u, to - from, collector_seen_before(collector_of(ctx), side, from),
                       next ? next->time_ns : collector_seen(collector_of(ctx), side));
}

static void stats_on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why,
                             const struct place *place)
{
    watched_taps.skipped(ctx, side, from, to, why, place);
    /* captured, but unreadable */
    collector_hole(collector_of(ctx), side & 1u, 0, place->time_ns, collector_seen(collector_of(ctx), side));
}

static void stats_on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    collector_phase(collector_of(ctx), phase, parameters);
    watched_taps.changed(ctx, phase, parameters);
}

static void stats_on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    watched_taps.fpdu(ctx, event);
    collector_fpdu(collector_of(ctx), event);
}

static void stats_on_segment(void *ctx, const struct rdmap_segment_event *event)
{
    collector_rdmap(collector_of(ctx), event);
}

void watched_collect(struct stack_taps *taps)
{
    taps->tcp_segment = stats_on_tcp_segment;
    taps->hole = stats_on_hole;
    taps->skipped = stats_on_skipped;
    taps->changed = stats_on_changed;
    taps->fpdu = stats_on_fpdu;
    taps->segment = stats_on_segment;
}

void watched_take_statistics(struct watched *watched, struct report_connection *report, bool last)
{
    const struct guest_face *face = guest_face_of(stack_kind(watched->host.stack));
    unsigned initiator = stack_initiator(watched->host.stack);
    struct statistics *statistics = collector_take(watched->host.collector, initiator, last);

    if (!statistics)
        return;
    if (face && face->add_statistics)
        face->add_statistics(watched_guest(watched), statistics, initiator);
    if (report->ib) {
        statistics->mtu = report->ib->mtu;
        statistics->from_start = report->ib->request_seen && report->ib->reply_seen;
    } else {
        statistics->from_start = report->parameters.startup_seen;
    }
    /* The other side sent what it acknowledges, but the capture does not have it. */
    if (report->refused[REFUSED_ACK][0] + report->refused[REFUSED_ACK][1] > 0)
        statistics->whole = false;
    report->statistics = statistics;
}
