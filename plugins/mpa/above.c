// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layer above learns of a connection when MPA reports the first event that only occurs with RDMA. Until then the
 * flow keeps only what the layer must learn at that time, because a hostile capture can contain any number of
 * connections.
 */
#include "plugins/mpa/flow.h"

/* Returns the entrance of the layer above, which replaces the entrance in this file. */
static const struct stack_entrance *above_begin(struct mpa_flow *flow)
{
    const struct stack_entrance *into = &flow->judge.next;
    struct mpa_above *above = &flow->above;
    struct mpa_listener listener = {.size = sizeof listener,
                                    .connection = flow->number,
                                    .tcp_stream = flow->tcp_stream,
                                    .start_ns = flow->start_ns,
                                    .port = {flow->port[0], flow->port[1]},
                                    .host = {flow->judge.host[0], flow->judge.host[1]},
                                    .payload_only = flow->layers->mpa.payload_only};

    above->begin(&listener);
    flow->judge.next = listener.entrance;
    above->over = listener.over;
    above->octets = listener.octets;
    above->ctx = listener.ctx;
    if (into->changed)
        into->changed(into->ctx, flow->state->phase, &flow->state->parameters);
    for (unsigned side = 0; side < 2; side++) {
        if (above->skipped[side] && into->skipped)
            into->skipped(into->ctx, side);
        if (into->acked)
            into->acked(into->ctx, side, above->acked[side].known, above->acked[side].octets);
    }
    return into;
}

/* Events that only occur with RDMA, and those of its end. */
#define GIVE(event, ...)                                                                                               \
    do {                                                                                                               \
        const struct stack_entrance *into = above_begin(ctx);                                                          \
                                                                                                                       \
        if (into->event)                                                                                               \
            into->event(into->ctx, __VA_ARGS__);                                                                       \
    } while (0)

static void above_give_startup(void *ctx, const struct mpa_startup_event *event)
{
    GIVE(startup, event);
}

static void above_give_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    GIVE(fpdu, event);
}

static void above_give_unclosed(void *ctx, unsigned side)
{
    GIVE(unclosed, side);
}

static void above_give_end(void *ctx, unsigned side, bool reset, const struct place *place)
{
    GIVE(end, side, reset, place);
}

/* ---- what above_begin() passes on ---- */

static void note_acked(void *ctx, unsigned side, bool known, uint64_t acked)
{
    struct mpa_flow *flow = ctx;

    flow->above.acked[side & 1u].known = known;
    flow->above.acked[side & 1u].octets = acked;
}

static void note_skipped(void *ctx, unsigned side)
{
    struct mpa_flow *flow = ctx;

    flow->above.skipped[side & 1u] = true;
}

void mpa_flow_listen(struct mpa_flow *flow, const struct mpa_listener *listener)
{
    flow->above.begin = listener->begin;
    if (!listener->begin)
        return;
    /* There is no finish: if the layer above has not begun, it has nothing to finish. */
    flow->judge.next = (struct stack_entrance){.ctx = flow,
                                               .startup = above_give_startup,
                                               .acked = note_acked,
                                               .fpdu = above_give_fpdu,
                                               .skipped = note_skipped,
                                               .unclosed = above_give_unclosed,
                                               .end = above_give_end};
}
