// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/common/late.h"

static void tell_before(const struct late *late)
{
    struct stack *stack = late->judge->stack;
    const struct stack_entrance into = stack_entrance(stack);

    into.changed(stack, late->phase, &late->parameters);
    for (unsigned side = 0; side < 2; side++) {
        if (late->skipped[side])
            into.skipped(stack, side);
        into.acked(stack, side, late->acked[side].known, late->acked[side].octets);
    }
}

/* NULL: memory is lacking, or the connection is over. */
static struct stack *stack_of(struct late *late)
{
    if (!late->made) {
        late->made = true;
        if (judge_begin(late->judge, late->options, late->taps, late->ctx, late->port))
            tell_before(late);
    }
    return late->judge->stack;
}

/* What needs the stack. */
#define GIVE(event, ...)                                                                                               \
    do {                                                                                                               \
        struct stack *stack = stack_of(ctx);                                                                           \
                                                                                                                       \
        if (stack)                                                                                                     \
            stack_entrance(stack).event(stack, __VA_ARGS__);                                                           \
    } while (0)

static void give_startup(void *ctx, const struct mpa_startup_event *event)
{
    GIVE(startup, event);
}

static void give_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    GIVE(fpdu, event);
}

static void give_segment(void *ctx, const struct rdmap_segment_event *event)
{
    GIVE(segment, event);
}

static void give_terminate(void *ctx, const struct rdmap_terminate_event *event)
{
    GIVE(terminate, event);
}

static void give_unclosed(void *ctx, unsigned side)
{
    GIVE(unclosed, side);
}

static void give_closing(void *ctx, const struct rdma_closing *closing)
{
    GIVE(closing, closing);
}

static void give_end(void *ctx, unsigned side, bool reset, const struct place *place)
{
    GIVE(end, side, reset, place);
}

static void give_finish(void *ctx, int64_t time_ns)
{
    GIVE(finish, time_ns);
}

/* ---- what is remembered for it ---- */

static void give_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    struct late *late = ctx;

    if (late->made) {
        GIVE(changed, phase, parameters);
        return;
    }
    late->phase = phase;
    late->parameters = *parameters;
}

static void give_acked(void *ctx, unsigned side, bool known, uint64_t acked)
{
    struct late *late = ctx;

    if (late->made) {
        GIVE(acked, side, known, acked);
        return;
    }
    late->acked[side & 1u].known = known;
    late->acked[side & 1u].octets = acked;
}

static void give_skipped(void *ctx, unsigned side)
{
    struct late *late = ctx;

    if (late->made) {
        GIVE(skipped, side);
        return;
    }
    late->skipped[side & 1u] = true;
}

struct stack_entrance late_entrance(struct late *late)
{
    return (struct stack_entrance){.ctx = late,
                                   .startup = give_startup,
                                   .changed = give_changed,
                                   .acked = give_acked,
                                   .fpdu = give_fpdu,
                                   .segment = give_segment,
                                   .terminate = give_terminate,
                                   .skipped = give_skipped,
                                   .unclosed = give_unclosed,
                                   .closing = give_closing,
                                   .end = give_end,
                                   .finish = give_finish};
}
