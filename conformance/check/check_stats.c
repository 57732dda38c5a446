// SPDX-License-Identifier: GPL-2.0-or-later
/* --stats: taps that collect, in the place of those that know nothing of it. */
#include "conformance/check/check_watched.h"

static struct collector *collector_of(void *ctx)
{
    return ((struct watched *)ctx)->collector;
}

static void on_tcp_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                           uint64_t acked)
{
    watched_taps.tcp_segment(ctx, segment, offset, acked_known, acked);
    collector_tcp(collector_of(ctx), segment, offset, acked_known, acked);
}

static void on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                    const struct octets_origin *next)
{
    watched_taps.hole(ctx, side, from, to, cause, next);
    collector_hole(collector_of(ctx), side & 1u, to - from);
}

static void on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why, const struct place *place)
{
    watched_taps.skipped(ctx, side, from, to, why, place);
    collector_hole(collector_of(ctx), side & 1u, 0); /* they were captured, but what they mean is not known */
}

static void on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    collector_phase(collector_of(ctx), phase, parameters);
    watched_taps.changed(ctx, phase, parameters);
}

static void on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    watched_taps.fpdu(ctx, event);
    collector_fpdu(collector_of(ctx), event);
}

static void on_segment(void *ctx, const struct rdmap_segment_event *event)
{
    collector_rdmap(collector_of(ctx), event);
}

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct watched *watched = ctx;

    watched_rpcrdma_taps.message(ctx, message);
    collector_message(watched->collector, rpcrdma_ulp_connection(stack_guest(watched->stack, &rpcrdma_ulp)), message);
}

static void on_move(void *ctx, const struct rpcrdma_move *move)
{
    collector_move(collector_of(ctx), move);
}

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    watched_rpcrdma_taps.payload(ctx, payload);
    collector_payload(collector_of(ctx), payload);
}

static void on_retired(void *ctx, struct rpcrdma_transaction *transaction)
{
    collector_retired(collector_of(ctx), transaction);
}

void watched_collect(struct stack_taps *taps, struct rpcrdma_taps *rpcrdma)
{
    taps->tcp_segment = on_tcp_segment;
    taps->hole = on_hole;
    taps->skipped = on_skipped;
    taps->changed = on_changed;
    taps->fpdu = on_fpdu;
    taps->segment = on_segment;
    *rpcrdma =
        (struct rpcrdma_taps){.message = on_message, .move = on_move, .payload = on_payload, .retired = on_retired};
}

void watched_take_statistics(struct watched *watched, struct report_connection *report, bool last)
{
    const struct rpcrdma_connection *rpcrdma = rpcrdma_ulp_connection(stack_guest(watched->stack, &rpcrdma_ulp));
    unsigned initiator = stack_initiator(watched->stack);
    struct statistics *statistics = collector_take(watched->collector, initiator, last);

    if (!statistics)
        return;
    for (unsigned side = 0; rpcrdma && rpcrdma_connection_is_rpcrdma(rpcrdma) && side < 2; side++) {
        bool negotiated;

        statistics->inline_limit[side ^ initiator] = rpcrdma_connection_threshold(rpcrdma, side, &negotiated);
    }
    if (rpcrdma && rpcrdma_connection_client(rpcrdma) >= 0)
        statistics->client = rpcrdma_connection_client(rpcrdma) ^ (int)initiator;
    if (report->ib) {
        statistics->mtu = report->ib->mtu;
        statistics->from_start = report->ib->request_seen && report->ib->reply_seen;
    } else {
        statistics->from_start = report->parameters.startup_seen;
    }
    report->statistics = statistics;
}
