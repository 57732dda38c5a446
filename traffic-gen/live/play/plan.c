// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/play/plan.h"

static void plan_free(gpointer p)
{
    struct plan *plan = p;

    for (unsigned side = 0; side < 2; side++) {
        g_byte_array_unref(plan->sides[side].stream);
        g_array_unref(plan->sides[side].steps);
        g_array_unref(plan->sides[side].units);
    }
    g_free(plan);
}

/* ---- units of the planned streams ---- */

/* Ends of the units, as stream offsets. kinds may be NULL. */
static GArray *units_of(const struct plan *plan, struct units *units, unsigned side, GArray *kinds)
{
    const GByteArray *stream = plan->sides[side].stream;
    GArray *ends = g_array_new(FALSE, FALSE, sizeof(uint64_t));

    for (size_t at = 0; at < stream->len;) {
        at += units_take(units, side, stream->data + at, stream->len - at);
        if (units->streams[side].n == ends->len)
            continue;

        struct unit_kind kind = units_last(units, side);

        g_array_append_val(ends, units->streams[side].boundary);
        if (kinds)
            g_array_append_val(kinds, kind);
    }
    return ends;
}

/* Each direction's frame governs the other's framing, so both are needed before either can be divided. */
static void plan_cut(struct plan *plan, GArray *ends[2])
{
    struct units first = {0}, both = {0};

    for (unsigned side = 0; side < 2; side++) {
        GArray *unused = units_of(plan, &first, side, NULL);

        g_array_unref(unused);
        plan->sides[side].frame = (struct units_stream){
            .flags = first.streams[side].flags,
            .revision = first.streams[side].revision,
            .has_frame = first.streams[side].has_frame,
        };
        both.streams[side] = plan->sides[side].frame;
    }
    for (unsigned side = 0; side < 2; side++)
        ends[side] = units_of(plan, &both, side, plan->sides[side].units);
}

static struct plan_gate gate_at(const GArray *ends, uint64_t received, uint64_t stream_length)
{
    struct plan_gate gate = {.offset = MIN(received, stream_length), .fin = received > stream_length};
    uint64_t end = 0;

    while (gate.units < ends->len && g_array_index(ends, uint64_t, gate.units) <= gate.offset)
        end = g_array_index(ends, uint64_t, gate.units++);
    gate.octets = gate.offset - end;
    return gate;
}

/* ---- steps ---- */

static bool is_about_the_capture(const struct sim_step *step, uint64_t written)
{
    const struct sim_how *how = &step->how;
    const struct sim_raw *raw = &step->raw;

    if (step->kind == SIM_CAPTURING || how->uncaptured || how->lose || how->lose_before || how->late || how->twice ||
        how->fragment || how->no_df)
        return true;
    return step->kind == SIM_RAW &&
           (raw->n > 0 || (raw->flags & ~SEG_ACK) || raw->ack_delta || raw->zero_window || raw->offset != written);
}

/* False when no program can carry out a step. */
static bool take_steps(struct plan *plan, const struct sim_connection *tcp, unsigned side, const GArray *peer_ends)
{
    static const enum plan_what whats[] = {
        [SIM_WRITE] = PLAN_WRITE, [SIM_RAW] = PLAN_SILENCE, [SIM_FIN] = PLAN_FIN, [SIM_RESET] = PLAN_RESET};
    struct plan_side *own = &plan->sides[side];
    uint64_t written = 0;
    bool fin = false;

    for (unsigned i = 0; i < sim_n_steps(tcp, side); i++) {
        struct sim_step step = sim_step(tcp, side, i);

        if (is_about_the_capture(&step, written))
            return false;

        struct plan_step planned = {
            .what = whats[step.kind],
            .from = step.from,
            .n = step.to - step.from,
            .gate = gate_at(peer_ends, step.how.received, plan->sides[!side].stream->len),
            .acked = step.how.acked,
            .delay_ns = step.how.delay_ns,
        };

        own->silence_ns = MAX(own->silence_ns, planned.delay_ns);
        written += planned.n;
        fin |= planned.what == PLAN_FIN;
        own->reset |= planned.what == PLAN_RESET;
        g_array_append_val(own->steps, planned);
    }
    own->all.fin = fin;
    return true;
}

static struct plan *plan_conversation(const struct conversation *c)
{
    struct plan *plan = g_new0(struct plan, 1);
    GArray *ends[2];
    bool good = true;

    plan->mss = c->emss;
    plan->after = sim_follows(c->tcp);
    for (unsigned side = 0; side < 2; side++) {
        struct plan_side *own = &plan->sides[side];

        own->role = c->side[INITIATOR] == side ? INITIATOR : RESPONDER;
        own->stream = g_byte_array_new();
        g_byte_array_append(own->stream, sim_stream(c->tcp, side), (guint)sim_written(c->tcp, side));
        own->steps = g_array_new(FALSE, FALSE, sizeof(struct plan_step));
        own->units = g_array_new(FALSE, FALSE, sizeof(struct unit_kind));
    }
    plan_cut(plan, ends);
    for (unsigned side = 0; side < 2; side++) {
        uint64_t n = plan->sides[side].stream->len;

        plan->sides[side].all = gate_at(ends[side], n, n);
        good = good && take_steps(plan, c->tcp, side, ends[!side]);
    }
    g_array_unref(ends[0]);
    g_array_unref(ends[1]);
    if (good)
        return plan;
    plan_free(plan);
    return NULL;
}

static bool plan_stage(GPtrArray *plans, const struct scenario_source *source, const struct fault *fault,
                       struct stage *stage, char **error)
{
    unsigned first = plans->len;

    if (!scenario_source_play(source, fault, stage, error))
        return false;
    if (fault && !stage->deviated) {
        *error = scenario_source_refusal(source, fault);
        return false;
    }
    for (unsigned i = 0; i < stage->conversations->len; i++) {
        struct plan *plan = plan_conversation(stage->conversations->pdata[i]);

        if (!plan) {
            *error = g_strdup_printf("%s: this scenario describes a capture, it cannot be played live",
                                     source->scenario->name);
            return false;
        }
        plan->after |= plans->len == first;
        g_ptr_array_add(plans, plan);
    }
    return true;
}

GPtrArray *plan_make(const struct scenario_source *source, const GPtrArray *faults, unsigned mtu, uint64_t seed,
                     char **error)
{
    GPtrArray *plans = g_ptr_array_new_with_free_func(plan_free);
    bool good = true;

    for (unsigned i = 0; good && i < (faults ? faults->len : 1); i++) {
        const struct sim_trouble none = {0};
        struct stage *stage = stage_new(NULL, seed, &none, &(struct stage_place){0});

        stage->mtu = mtu;
        good = plan_stage(plans, source, faults ? faults->pdata[i] : NULL, stage, error);
        stage_free(stage);
    }
    if (good)
        return plans;
    g_ptr_array_unref(plans);
    return NULL;
}
