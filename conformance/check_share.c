// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check_share.h"

#include "conformance/counting.h"
#include "conformance/print.h"
#include "conformance/upper.h"
#include "engine/heap.h"

#include <stdlib.h>
#include <string.h>

enum {
    FINDINGS_KEPT_MAX = 50000, /* in a share */
    NOTES_KEPT_IN_CAPTURE = 50000,
    CONNECTIONS_MAX = 32768, /* open at one time, those that ended a short while ago included; most cost some 20 KiB */
};

struct check {
    const struct check_options *options;
    const struct report_capture *capture;
    FILE *print;
    struct flows *flows;
    uint32_t frame;   /* being worked on */
    uint64_t dropped; /* by the capture, as far as told */
    struct share_found found;
    uint32_t findings_kept, notes_kept;
    bool numbers_apart;
    struct counting counting;
};

/* One connection while it is being read. */
struct watched {
    struct check *check;
    struct flow *flow;
    struct mpa_connection *mpa;
    struct rdmap_connection *rdmap;
    struct upper upper;
    struct report_connection *report;
    struct verdict verdict;
    struct counted counted;
    struct notes *notes; /* NULL: no ladders wanted */
    bool hole, ended[2], reset;
    uint64_t dropped;      /* before it was opened */
    uint32_t id;           /* of the connection in the report; 0: not known yet */
    uint32_t opened_frame; /* in this frame it was opened */
    bool active;           /* something happened since the report of the part before */
    bool continued;        /* it stands in that, or in an earlier one */
};

/* ---- roles ---- */

/* Who opened the TCP connection stands for the Initiator as long as nothing tells. */
static unsigned presumed_initiator(const struct watched *watched)
{
    int side = mpa_connection_parameters(watched->mpa)->initiator_side;

    return side < 0 ? 0u : (unsigned)side;
}

static enum direction direction_of_side(const struct watched *watched, unsigned side)
{
    return side == presumed_initiator(watched) ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

static enum direction known_direction(const struct watched *watched, enum direction direction, unsigned side)
{
    return direction == DIR_UNKNOWN ? direction_of_side(watched, side) : direction;
}

static const struct waiver *find_waiver(const struct watched *watched, enum rule_id rule, enum direction direction)
{
    bool known = mpa_connection_parameters(watched->mpa)->initiator_side >= 0;
    bool from_initiator = direction == DIR_TO_RESPONDER;
    unsigned initiator = presumed_initiator(watched);
    enum waiver_role role = from_initiator ? WAIVER_INITIATOR : WAIVER_RESPONDER;

    return waivers_match(watched->check->options->waivers, rule,
                         &watched->flow->endpoint[from_initiator ? initiator : 1 - initiator],
                         known ? role : WAIVER_ANY_ROLE);
}

/* ---- what the engine tells ---- */

static bool worth_keeping(const struct watched *watched, enum rule_id rule)
{
    unsigned limit = watched->check->options->max_findings;

    /* The finding is counted already. */
    return limit == 0 ||
           (watched->verdict.counts[rule].failed <= limit && watched->check->findings_kept < FINDINGS_KEPT_MAX);
}

static void on_finding(void *ctx, const struct finding *finding)
{
    struct watched *watched = ctx;
    struct report_connection *report = watched->report;
    struct report_finding kept = {.rule = finding->rule,
                                  .severity = finding->severity,
                                  .frame = finding->place.frame,
                                  .first_frame = finding->place.first_frame,
                                  .related_frame = finding->related_frame,
                                  .time_ns = finding->place.time_ns,
                                  .offset = finding->place.offset};

    if (!watched->check->options->rules.reported[finding->rule])
        return;
    kept.direction = known_direction(watched, finding->direction, finding->place.side & 1u);
    kept.waiver = find_waiver(watched, finding->rule, kept.direction);
    if (kept.waiver != NULL)
        report->waived++;
    else
        report->found[finding->severity]++;
    if (kept.waiver == NULL && report_fails(watched->check->options, finding->severity))
        report_add_failing(report, finding->rule);
    if (!worth_keeping(watched, finding->rule)) {
        report->not_kept++;
        return;
    }
    if (watched->notes != NULL && watched->verdict.counts[finding->rule].failed <= REPORT_LADDERS)
        notes_want(watched->notes, finding);
    watched->check->findings_kept++;
    report_add_finding(report, &kept, finding->message);
}

static struct print_target print_target(const struct watched *watched)
{
    return (struct print_target){watched->check->print, watched->check->capture->start_ns, watched->flow->id};
}

static void on_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct watched *watched = ctx;
    struct print_target target = print_target(watched);

    if (target.out != NULL)
        print_startup(&target, known_direction(watched, event->direction, event->place.side & 1u), event);
    if (watched->notes != NULL)
        notes_startup(watched->notes, event);
    upper_startup(&watched->upper, event);
}

static void on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct watched *watched = ctx;
    struct report_connection *report = watched->report;
    enum direction direction = known_direction(watched, event->direction, event->place.side & 1u);

    report->fpdus[direction]++;
    report->octets[direction] += event->fpdu.length;
    if (watched->check->print != NULL) {
        struct print_target target = print_target(watched);

        print_fpdu(&target, direction, event);
    }
    if (watched->notes != NULL)
        notes_fpdu(watched->notes, event);
    rdmap_connection_fpdu(watched->rdmap, event);
}

static void on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why, const struct place *place)
{
    struct watched *watched = ctx;
    struct print_target target = print_target(watched);

    if (target.out != NULL)
        print_skipped(&target, direction_of_side(watched, side), to - from, why, place);
    if (watched->notes != NULL)
        notes_skipped(watched->notes, side, from, to, why, place);
    rdmap_connection_skipped(watched->rdmap, side);
}

static void on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters,
                       const struct place *place)
{
    struct watched *watched = ctx;

    (void)place;
    rdmap_connection_parameters(watched->rdmap, phase, parameters);
    upper_changed(&watched->upper, phase, parameters);
    if (phase == MPA_PHASE_NOT_MPA)
        flow_dismiss(watched->flow);
}

static void on_ddp_segment(void *ctx, const struct rdmap_segment_event *event)
{
    struct watched *watched = ctx;

    upper_segment(&watched->upper, event);
}

static void on_terminate(void *ctx, const struct rdmap_terminate_event *event)
{
    struct watched *watched = ctx;

    upper_terminate(&watched->upper, event);
}

static void on_rdmap_skipped(void *ctx, unsigned side)
{
    struct watched *watched = ctx;

    upper_skipped(&watched->upper, side);
}

/* ---- what the TCP connection tells: handed on to the MPA layer ---- */

static struct watched *awake(void *ctx)
{
    struct watched *watched = ctx;

    counted_wake(&watched->check->counting, &watched->counted);
    watched->active = true;
    return watched;
}

static void on_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known, uint64_t acked)
{
    struct watched *watched = awake(ctx);

    if (watched->notes != NULL)
        notes_segment(watched->notes, segment, offset);
    mpa_connection_segment(watched->mpa, segment, offset, acked_known, acked);
    if (segment->length == 0)
        rdmap_connection_acked(watched->rdmap, segment->side, acked_known, acked);
}

static void on_octets(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                      const struct octets_origin *origin)
{
    struct watched *watched = awake(ctx);

    rdmap_connection_acked(watched->rdmap, side, origin->acked_known, origin->acked);
    mpa_connection_octets(watched->mpa, side, offset, p, n, origin);
}

static void on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                    const struct octets_origin *next)
{
    struct watched *watched = awake(ctx);

    watched->hole = true;
    mpa_connection_hole(watched->mpa, side, from, to, cause, next);
    rdmap_connection_skipped(watched->rdmap, side);
}

static void on_conflict(void *ctx, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                        uint32_t first_frame, const struct tcp_segment *segment)
{
    struct watched *watched = awake(ctx);

    mpa_connection_conflict(watched->mpa, side, offset, first, repeated, first_frame, segment);
}

static void end_layers(struct watched *watched, unsigned side, bool reset, uint64_t offset, uint32_t frame,
                       int64_t time_ns)
{
    struct place place = {
        .frame = frame, .first_frame = frame, .time_ns = time_ns, .offset = offset, .side = (uint8_t)side};

    rdmap_connection_end(watched->rdmap, side, reset, &place);
    upper_end(&watched->upper, side, reset, &place);
}

static void on_fin(void *ctx, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct watched *watched = awake(ctx);

    watched->ended[side & 1u] = true;
    mpa_connection_fin(watched->mpa, side, offset, frame, time_ns);
    end_layers(watched, side, false, offset, frame, time_ns);
}

static void on_reset(void *ctx, unsigned side, uint32_t frame, int64_t time_ns)
{
    struct watched *watched = awake(ctx);

    watched->reset = true;
    mpa_connection_reset(watched->mpa, side, frame, time_ns);
    end_layers(watched, side, true, 0, frame, time_ns);
}

/* ---- connections come and go ---- */

static void watched_free(struct watched *watched)
{
    if (watched->mpa != NULL)
        mpa_connection_free(watched->mpa);
    rdmap_connection_free(watched->rdmap);
    upper_clear(&watched->upper);
    counted_drop(&watched->check->counting, &watched->counted);
    notes_free(watched->notes);
    report_connection_free(watched->report);
    free(watched);
}

static void host_upper(struct watched *watched)
{
    const struct upper_host host = {.options = watched->check->options,
                                    .mpa = watched->mpa,
                                    .verdict = &watched->verdict,
                                    .port = {watched->flow->endpoint[0].port, watched->flow->endpoint[1].port},
                                    .print = print_target(watched),
                                    .notes = watched->notes};

    upper_init(&watched->upper, &host);
}

static bool on_open(void *ctx, struct flow *flow, struct tcp_pair_events *events)
{
    struct check *check = ctx;
    struct watched *watched = heap_zeroed(1, sizeof *watched);
    struct mpa_events mpa_events = {
        .ctx = watched, .startup = on_startup, .fpdu = on_fpdu, .skipped = on_skipped, .changed = on_changed};
    struct rdmap_events rdmap_events = {
        .ctx = watched, .segment = on_ddp_segment, .terminate = on_terminate, .skipped = on_rdmap_skipped};
    struct rdmap_options rdmap_options = {.profile = check->options->mpa.profile,
                                          .t_react = check->options->mpa.t_react,
                                          .t_close = check->options->mpa.t_close,
                                          .t_idle = check->options->mpa.t_idle};

    if (watched == NULL) {
        check->found.memory_lacking = true;
        return false;
    }
    watched->check = check;
    watched->flow = flow;
    watched->verdict.finding = on_finding;
    watched->verdict.ctx = watched;
    watched->counted.verdict = &watched->verdict;
    watched->report = report_connection_new();
    watched->notes = check->options->format == FORMAT_HTML ? notes_new() : NULL;
    watched->mpa = mpa_connection_new(&check->options->mpa, &mpa_events, &watched->verdict);
    watched->rdmap = rdmap_connection_new(&rdmap_options, &rdmap_events, &watched->verdict);
    if (watched->mpa == NULL || watched->rdmap == NULL) {
        check->found.memory_lacking = true;
        watched_free(watched);
        return false;
    }
    host_upper(watched);
    watched->dropped = check->dropped;
    watched->opened_frame = check->frame;
    if (check->numbers_apart)
        g_array_append_val(check->found.opened, check->frame);
    else
        watched->id = flow->id;
    flow->consumer = watched;
    *events = (struct tcp_pair_events){.ctx = watched,
                                       .segment = on_segment,
                                       .octets = on_octets,
                                       .hole = on_hole,
                                       .conflict = on_conflict,
                                       .fin = on_fin,
                                       .reset = on_reset};
    return true;
}

static void on_opened(void *ctx, struct flow *flow)
{
    struct watched *watched = flow->consumer;

    (void)ctx;
    mpa_connection_set_tcp(watched->mpa, flow->tcp);
}

/* By frame; findings at one frame stay in the order in which they were made. */
static gint by_frame(gconstpointer a, gconstpointer b)
{
    const struct report_finding *first = a, *second = b;

    if (first->frame != second->frame)
        return first->frame < second->frame ? -1 : 1;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

/* A capture of very many connections must not hold notes without end: the last ones go without. */
static GArray *take_notes(struct watched *watched)
{
    GArray *notes = notes_take(watched->notes);

    if (notes->len > NOTES_KEPT_IN_CAPTURE - watched->check->notes_kept)
        g_array_set_size(notes, NOTES_KEPT_IN_CAPTURE - watched->check->notes_kept);
    watched->check->notes_kept += notes->len;
    return notes;
}

/* What its layers know of it by now, and what was found since it was last taken; the host adds the counts. */
static void take_connection(struct watched *watched)
{
    const struct mpa_parameters *parameters = mpa_connection_parameters(watched->mpa);
    struct report_connection *report = watched->report;
    unsigned initiator = presumed_initiator(watched);

    report->id = watched->id;
    report->opened_frame = watched->opened_frame;
    report->continued = watched->continued;
    report->initiator = watched->flow->endpoint[initiator];
    report->responder = watched->flow->endpoint[1 - initiator];
    report->roles_known = parameters->initiator_side >= 0;
    report->start_frame = watched->flow->start_frame;
    report->end_frame = watched->flow->end_frame;
    report->parameters = *parameters;
    report->markers[DIR_TO_RESPONDER] = parameters->markers[initiator];
    report->markers[DIR_TO_INITIATOR] = parameters->markers[1 - initiator];
    report->complete =
        parameters->startup_seen && !watched->hole && (watched->reset || (watched->ended[0] && watched->ended[1]));
    for (unsigned opcode = 0; opcode < 16; opcode++)
        for (unsigned direction = 0; direction < 2; direction++)
            report->operations[opcode] += rdmap_connection_counts(watched->rdmap)->messages[opcode][direction];
    report->rpcrdma = upper_report(&watched->upper, initiator);
    report->initiator_side = initiator;
    if (watched->notes != NULL)
        report->notes = take_notes(watched);
    g_array_sort(report->findings, by_frame);
    g_ptr_array_add(watched->check->found.connections, report);
    watched->report = NULL;
}

static void on_close(void *ctx, struct flow *flow, enum flow_end why, int64_t now_ns)
{
    struct check *check = ctx;
    struct watched *watched = flow->consumer;

    (void)why;
    if (check->dropped != watched->dropped) /* what came since then may have been lost: silence proves nothing */
        now_ns = MIN(now_ns, flow->end_ns);
    counted_wake(&check->counting, &watched->counted);
    mpa_connection_finish(watched->mpa, now_ns);
    rdmap_connection_finish(watched->rdmap, now_ns);
    upper_finish(&watched->upper, now_ns);
    check->found.memory_lacking |= watched->upper.memory_lacking;
    if (mpa_connection_is_mpa(watched->mpa)) {
        watched->report->counts = counted_end(&check->counting, &watched->counted);
        take_connection(watched);
    } else {
        check->found.other_connections++;
    }
    watched_free(watched);
}

/* It goes on: what comes is for the report of the next part. */
static void take_part(void *ctx, struct flow *flow)
{
    struct watched *watched = flow->consumer;

    (void)ctx;
    if (!watched->active || !mpa_connection_is_mpa(watched->mpa))
        return;
    watched->report->counts = counted_part(&watched->check->counting, &watched->counted);
    watched->report->continues = true;
    take_connection(watched);
    watched->report = report_connection_new();
    rdmap_connection_restart_counts(watched->rdmap);
    upper_restart_counts(&watched->upper);
    watched->active = false;
    watched->continued = true;
}

/* ---- the share ---- */

struct check *share_new(const struct share_setup *setup)
{
    struct check *check = g_new0(struct check, 1);
    struct flow_events events = {.ctx = check, .open = on_open, .opened = on_opened, .close = on_close};
    struct flows_options options = {.tcp.limit = setup->options->memory_limit,
                                    .max_connections = CONNECTIONS_MAX / setup->shares,
                                    .next_id = setup->next_id};

    check->options = setup->options;
    check->capture = setup->capture;
    check->print = setup->print;
    check->numbers_apart = setup->next_id == NULL;
    check->found.connections = g_ptr_array_new();
    check->found.opened = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    check->flows = flows_new(&options, &events);
    if (check->flows != NULL)
        return check;
    share_free(check);
    return NULL;
}

void share_segment(struct check *check, struct addressed_segment *segment)
{
    check->frame = segment->segment.frame;
    flows_segment(check->flows, segment);
}

void share_finish(struct check *check, int64_t last_ns)
{
    flows_finish(check->flows, last_ns);
    check->found.memory_lacking |= check->counting.memory_lacking;
}

void share_dropped(struct check *check, uint64_t dropped)
{
    check->dropped = dropped;
}

void share_part(struct check *check)
{
    flows_each(check->flows, take_part, NULL);
    check->found.memory_lacking |= check->counting.memory_lacking;
}

struct numbering {
    const GArray *frames;
    uint32_t before;
};

/* How many of the frames come before this one. */
static guint rank(const GArray *frames, uint32_t frame)
{
    guint low = 0, high = frames->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;

        if (g_array_index(frames, uint32_t, middle) < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void number_open(void *ctx, struct flow *flow)
{
    const struct numbering *numbering = ctx;
    struct watched *watched = flow->consumer;

    if (watched->id == 0)
        watched->id = numbering->before + 1 + rank(numbering->frames, watched->opened_frame);
}

void share_number(struct check *check, const GArray *frames, uint32_t before)
{
    struct numbering numbering = {frames, before};

    for (guint i = 0; i < check->found.connections->len; i++) {
        struct report_connection *connection = g_ptr_array_index(check->found.connections, i);

        if (connection->id == 0)
            connection->id = before + 1 + rank(frames, connection->opened_frame);
    }
    flows_each(check->flows, number_open, &numbering);
    g_array_set_size(check->found.opened, 0);
}

void share_taken(struct check *check)
{
    g_ptr_array_set_size(check->found.connections, 0);
    check->found.other_connections = 0;
    check->findings_kept = check->notes_kept = 0;
}

const struct share_found *share_result(const struct check *check)
{
    return &check->found;
}

void share_free(struct check *check)
{
    if (check == NULL)
        return;
    if (check->flows != NULL)
        flows_free(check->flows);
    counting_free(&check->counting);
    g_ptr_array_unref(check->found.connections);
    g_array_unref(check->found.opened);
    g_free(check);
}
