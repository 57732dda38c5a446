// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of an RDMAP Stream: nothing may follow a Terminate, and the Terminate must arrive before the close takes
 * effect. RFC 5040 sections 5.4, 6.2.
 */
#include "engine/ddp_rdmap/rdmap_answers.h"
#include "engine/ddp_rdmap/rdmap_atomic_state.h"
#include "wire/invariant.h"

enum { LLP_MPA = 0x20, CODE_STARTUP_FIRST = 5, CODE_STARTUP_LAST = 7 };
#define RTO_FIRST_NS INT64_C(1000000000) /* TCP's first retransmission timeout (RFC 6298 section 2.1) */

struct rdmap_close_state {
    struct {
        bool terminated;
        bool by_mpa;   /* the Terminate ends the startup: MPA may judge later FPDUs (RFC 6581 sections 9.1, 9.2) */
        bool unclosed; /* MPA has reported what followed */
        bool reported, settled;
        uint64_t end; /* stream offset after the Terminate */
        struct place place;
        struct place after; /* by_mpa: the first FPDU after the Terminate, and what it is; frame 0: none */
        const char *after_name;
        bool after_is_terminate;
    } side[2];
};

bool rdmap_close_new(struct rdmap_connection *rdmap)
{
    rdmap->close = arena_zeroed(rdmap->arena, sizeof *rdmap->close);
    return rdmap->close != NULL;
}

static bool is_terminate(const struct rdmap_step *step)
{
    return step->ddp && !step->ddp->tagged && step->ddp->opcode == RDMAP_TERMINATE;
}

static bool ends_startup(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    return step->fpdu->number == 0 && rdmap->parameters.enhanced && ddp->payload_len - ddp->lacking >= 2 &&
           ddp->payload[0] == LLP_MPA && ddp->payload[1] >= CODE_STARTUP_FIRST && ddp->payload[1] <= CODE_STARTUP_LAST;
}

static void fail_after_terminate(struct rdmap_connection *rdmap, const struct place *place, uint32_t frame,
                                 bool is_terminate, const char *name)
{
    if (is_terminate)
        rdmap_fail_at(rdmap, place, RULE_RDMAP_5_4_06, frame,
                      "expected at most one Terminate in a direction; found a second Terminate");
    else
        rdmap_fail_at(rdmap, place, RULE_RDMAP_5_4_11, frame,
                      "expected no message after a Terminate; found %s after a Terminate", name);
}

static void judge_after_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    unsigned side = step->side;
    struct rdmap_close_state *state = rdmap->close;
    const char *name = step->info ? step->info->name : "an FPDU";

    if (state->side[side].reported || step->faulty || (state->side[side].by_mpa && step->fpdu->faulty))
        return;
    state->side[side].reported = true;
    if (state->side[side].by_mpa) { /* MPA judges later than this layer */
        state->side[side].after = step->fpdu->place;
        state->side[side].after_name = name;
        state->side[side].after_is_terminate = is_terminate(step);
        return;
    }
    fail_after_terminate(rdmap, &step->fpdu->place, state->side[side].place.frame, is_terminate(step), name);
    step->faulty = true;
    if (step->message)
        step->message->faulty = true;
}

void rdmap_connection_unclosed(struct rdmap_connection *rdmap, unsigned side)
{
    rdmap->close->side[side].unclosed = true;
}

void rdmap_close_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_close_state *state = rdmap->close;
    unsigned side = step->side;

    rdmap_read_settle(rdmap, side, step);
    rdmap_values_segment(rdmap, step);
    rdmap_answers_segment(rdmap, step);
    if (state->side[side].terminated) {
        judge_after_terminate(rdmap, step);
    } else if (is_terminate(step)) {
        state->side[side].terminated = true;
        state->side[side].by_mpa = ends_startup(rdmap, step);
        state->side[side].end = step->fpdu->fpdu.offset + step->fpdu->fpdu.length;
        state->side[side].place = step->fpdu->place;
        INVARIANT(state->side[side].end > step->fpdu->fpdu.offset);
    }
}

/* The direction has ended: settles its rules. */
static void close_settle(struct rdmap_connection *rdmap, unsigned side)
{
    struct rdmap_close_state *state = rdmap->close;

    if (!state->side[side].terminated || state->side[side].settled)
        return;
    state->side[side].settled = true;
    if (state->side[side].after.frame != 0 && !state->side[side].unclosed)
        fail_after_terminate(rdmap, &state->side[side].after, state->side[side].place.frame,
                             state->side[side].after_is_terminate, state->side[side].after_name);
    if (state->side[side].reported)
        return;
    verdict_passed(rdmap->verdict, RULE_RDMAP_5_4_06);
    verdict_passed(rdmap->verdict, RULE_RDMAP_5_4_11);
}

/* The Terminate was not retransmitted for so long that its sender must have had an ACK, captured or not. */
static bool close_acknowledged(const struct rdmap_connection *rdmap, unsigned side, const struct place *end)
{
    const struct rdmap_close_state *state = rdmap->close;
    const struct rdmap_side *peer = &rdmap->side[other_side(side)];

    return !peer->acked_known || peer->acked >= state->side[side].end ||
           end->time_ns - state->side[side].place.time_ns >= RTO_FIRST_NS;
}

void rdmap_close_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place)
{
    struct rdmap_close_state *state = rdmap->close;
    const struct rdmap_side *peer = &rdmap->side[other_side(side)];

    if (!reset && !peer->fin && !peer->reset)
        rdmap->read->side[side].closed_first = true;
    close_settle(rdmap, side);
    if (!state->side[side].terminated)
        return;
    if (!reset) {
        verdict_passed(rdmap->verdict, RULE_RDMAP_6_2_1_06);
        return;
    }
    if (rdmap->side[side].fin || peer->fin || peer->reset || close_acknowledged(rdmap, side, place))
        return;
    rdmap_fail_at(rdmap, place, RULE_RDMAP_6_2_1_06, state->side[side].place.frame,
                  "expected a graceful close (FIN) after the Terminate; found a reset (RST) before the other end had "
                  "acknowledged the Terminate");
}

void rdmap_close_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    (void)time_ns;
    close_settle(rdmap, 0);
    close_settle(rdmap, 1);
}
