// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check_share.h"

#include "conformance/check_finding.h"
#include "conformance/counting.h"
#include "conformance/print.h"
#include "engine/heap.h"
#include "engine/history.h"
#include "engine/stack.h"

#include <stdlib.h>
#include <string.h>

enum {
    FINDINGS_KEPT_MAX = 50000, /* in a share */
    NOTES_KEPT_IN_CAPTURE = 50000,
    RECORDS_KEPT_MAX = 1024, /* in a share, until they are judged together: some 7 KiB at most */
    CONNECTIONS_MAX = 32768, /* open at one time, those that ended a short while ago included; most cost some 20 KiB */
};

struct check {
    const struct check_options *options;
    struct stack_options stack_options;
    const struct report_capture *capture;
    FILE *print;
    struct connections *connections;
    uint32_t frame;   /* being worked on */
    uint64_t dropped; /* by the capture, as far as told */
    struct share_found found;
    uint32_t findings_kept, notes_kept, records;
    bool numbers_apart;
    struct counting counting;
};

/* One connection while it is being read. */
struct watched {
    struct check *check;
    struct connection *connection;
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

static const struct mpa_parameters *parameters(const struct watched *watched)
{
    return mpa_connection_parameters(stack_mpa(watched->connection->stack));
}

static enum direction direction_of_side(const struct watched *watched, unsigned side)
{
    return side == stack_initiator(watched->connection->stack) ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

static enum direction known_direction(const struct watched *watched, enum direction direction, unsigned side)
{
    return direction == DIR_UNKNOWN ? direction_of_side(watched, side) : direction;
}

/* ---- findings ---- */

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
    const struct endpoint *endpoint = watched->connection->endpoint;
    unsigned initiator = stack_initiator(watched->connection->stack);
    const struct check_roles roles = {&endpoint[initiator], &endpoint[1 - initiator],
                                      parameters(watched)->initiator_side >= 0};
    enum direction direction = known_direction(watched, finding->direction, finding->place.side & 1u);

    if (check_take_finding(watched->check->options, watched->report, &roles, finding, direction,
                           worth_keeping(watched, finding->rule)) != CHECK_KEPT)
        return;
    watched->check->findings_kept++;
    if (watched->notes != NULL && watched->verdict.counts[finding->rule].failed <= REPORT_LADDERS)
        notes_want(watched->notes, finding);
}

static struct print_target print_target(const struct watched *watched)
{
    return (struct print_target){watched->check->print, watched->check->capture->start_ns, watched->connection->id};
}

/* ---- taps: what is counted, printed and noted of each layer ---- */

static struct watched *awake(void *ctx)
{
    struct watched *watched = ctx;

    counted_wake(&watched->check->counting, &watched->counted);
    watched->active = true;
    return watched;
}

static void on_tcp_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                           uint64_t acked)
{
    struct watched *watched = awake(ctx);

    (void)acked_known;
    (void)acked;
    if (watched->notes != NULL)
        notes_segment(watched->notes, segment, offset);
}

static void on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                    const struct octets_origin *next)
{
    struct watched *watched = ctx;

    (void)side, (void)from, (void)to, (void)cause, (void)next;
    watched->hole = true;
}

static void on_end(void *ctx, unsigned side, bool reset, const struct place *place)
{
    struct watched *watched = ctx;

    (void)place;
    if (reset)
        watched->reset = true;
    else
        watched->ended[side & 1u] = true;
}

static void on_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct watched *watched = ctx;
    struct print_target target = print_target(watched);

    if (target.out != NULL)
        print_startup(&target, known_direction(watched, event->direction, event->place.side & 1u), event);
    if (watched->notes != NULL)
        notes_startup(watched->notes, event);
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
}

static void on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why, const struct place *place)
{
    struct watched *watched = ctx;
    struct print_target target = print_target(watched);

    if (target.out != NULL)
        print_skipped(&target, direction_of_side(watched, side), to - from, why, place);
    if (watched->notes != NULL)
        notes_skipped(watched->notes, side, from, to, why, place);
}

static void on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    struct watched *watched = ctx;

    (void)parameters;
    if (phase == MPA_PHASE_NOT_MPA)
        connection_dismiss(watched->connection);
}

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct watched *watched = ctx;
    struct print_target target = print_target(watched);

    if (watched->notes != NULL)
        notes_rpcrdma(watched->notes, message);
    if (target.out != NULL)
        print_rpcrdma(&target, direction_of_side(watched, message->side), message);
}

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct watched *watched = ctx;
    struct print_target target = print_target(watched);

    if (target.out != NULL && !payload->reply && payload->transaction->call_header.proc == RPCRDMA_NOMSG)
        print_long_call(&target, direction_of_side(watched, payload->place.side), payload);
}

static const struct stack_taps taps = {.tcp_segment = on_tcp_segment,
                                       .hole = on_hole,
                                       .end = on_end,
                                       .startup = on_startup,
                                       .fpdu = on_fpdu,
                                       .skipped = on_skipped,
                                       .changed = on_changed,
                                       .message = on_message,
                                       .payload = on_payload};

/* ---- connections come and go ---- */

static void watched_free(struct watched *watched)
{
    stack_free(watched->connection->stack);
    watched->connection->stack = NULL;
    counted_drop(&watched->check->counting, &watched->counted);
    notes_free(watched->notes);
    report_connection_free(watched->report);
    free(watched);
}

static bool make_stack(struct watched *watched)
{
    struct connection *connection = watched->connection;
    const struct stack_setup setup = {
        .options = &watched->check->stack_options,
        .taps = &taps,
        .ctx = watched,
        .verdict = &watched->verdict,
        .port = {connection->endpoint[0].port, connection->endpoint[1].port},
        .host = {{connection->layouts, connection->endpoint[0]}, {connection->layouts, connection->endpoint[1]}}};

    connection->stack = stack_new(&setup);
    return connection->stack != NULL;
}

static bool on_open(void *ctx, struct connection *connection)
{
    struct check *check = ctx;
    struct watched *watched = heap_zeroed(1, sizeof *watched);

    if (watched == NULL) {
        check->found.memory_lacking = true;
        return false;
    }
    watched->check = check;
    watched->connection = connection;
    watched->verdict.finding = on_finding;
    watched->verdict.ctx = watched;
    watched->counted.verdict = &watched->verdict;
    watched->report = report_connection_new();
    watched->notes = check->options->format == FORMAT_HTML ? notes_new() : NULL;
    if (!make_stack(watched)) {
        check->found.memory_lacking = true;
        watched_free(watched);
        return false;
    }
    watched->dropped = check->dropped;
    watched->opened_frame = check->frame;
    if (check->numbers_apart)
        g_array_append_val(check->found.opened, check->frame);
    else
        watched->id = connection->id;
    connection->host = watched;
    return true;
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
    const struct connection *connection = watched->connection;
    const struct mpa_parameters *of_mpa = parameters(watched);
    struct report_connection *report = watched->report;
    unsigned initiator = stack_initiator(watched->connection->stack);

    report->id = watched->id;
    report->opened_frame = watched->opened_frame;
    report->continued = watched->continued;
    report->initiator = connection->endpoint[initiator];
    report->responder = connection->endpoint[1 - initiator];
    report->roles_known = of_mpa->initiator_side >= 0;
    report->start_frame = connection->start_frame;
    report->end_frame = connection->end_frame;
    report->parameters = *of_mpa;
    report->markers[DIR_TO_RESPONDER] = of_mpa->markers[initiator];
    report->markers[DIR_TO_INITIATOR] = of_mpa->markers[1 - initiator];
    report->complete =
        of_mpa->startup_seen && !watched->hole && (watched->reset || (watched->ended[0] && watched->ended[1]));
    for (unsigned opcode = 0; opcode < 16; opcode++)
        for (unsigned direction = 0; direction < 2; direction++)
            report->operations[opcode] +=
                rdmap_connection_counts(stack_rdmap(connection->stack))->messages[opcode][direction];
    report->rpcrdma = report_rpcrdma_take(stack_rpcrdma(connection->stack), initiator);
    report->initiator_side = initiator;
    if (watched->notes != NULL)
        report->notes = take_notes(watched);
    check_sort_findings(report);
    g_ptr_array_add(watched->check->found.connections, report);
    watched->report = NULL;
}

/* What it leaves for the judgement of others. */
static struct history_record *record_of(struct check *check, const struct connection *connection)
{
    struct history_record *record = check->records < RECORDS_KEPT_MAX ? stack_record(connection->stack) : NULL;

    if (record == NULL)
        return NULL;
    check->records++;
    record->endpoint[0] = connection->endpoint[0];
    record->endpoint[1] = connection->endpoint[1];
    record->start_ns = connection->start_ns;
    record->end_ns = connection->end_ns;
    return record;
}

static void on_close(void *ctx, struct connection *connection, enum connection_end why, int64_t now_ns)
{
    struct check *check = ctx;
    struct watched *watched = connection->host;

    (void)why;
    if (check->dropped != watched->dropped) /* what came since then may have been lost: silence proves nothing */
        now_ns = MIN(now_ns, connection->end_ns);
    counted_wake(&check->counting, &watched->counted);
    stack_finish(connection->stack, now_ns);
    check->found.memory_lacking |= stack_lacks_memory(connection->stack);
    if (mpa_connection_is_mpa(stack_mpa(connection->stack))) {
        watched->report->counts = counted_end(&check->counting, &watched->counted);
        watched->report->history = record_of(check, connection);
        take_connection(watched);
    } else {
        check->found.other_connections++;
    }
    watched_free(watched);
}

/* It goes on: what comes is for the report of the next part. */
static void take_part(void *ctx, struct connection *connection)
{
    struct watched *watched = connection->host;

    (void)ctx;
    if (!watched->active || !mpa_connection_is_mpa(stack_mpa(connection->stack)))
        return;
    watched->report->counts = counted_part(&watched->check->counting, &watched->counted);
    watched->report->continues = true;
    take_connection(watched);
    watched->report = report_connection_new();
    stack_restart_counts(connection->stack);
    watched->active = false;
    watched->continued = true;
}

/* ---- the share ---- */

struct check *share_new(const struct share_setup *setup)
{
    struct check *check = g_new0(struct check, 1);
    struct connection_events events = {.ctx = check, .open = on_open, .close = on_close};
    struct connections_options options = {.max_connections = CONNECTIONS_MAX / setup->shares,
                                          .next_id = setup->next_id};

    check->options = setup->options;
    stack_options_init(&check->stack_options, &setup->options->mpa);
    check->stack_options.rdmap.exclusive = setup->options->exclusive;
    check->stack_options.tcp.limit = setup->options->memory_limit;
    check->stack_options.rpcrdma.assume_inline = setup->options->assume_inline;
    check->stack_options.rpcrdma.t_answer = setup->options->t_answer;
    check->capture = setup->capture;
    check->print = setup->print;
    check->numbers_apart = setup->next_id == NULL;
    check->found.connections = g_ptr_array_new();
    check->found.opened = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    check->connections = connections_new(&options, &events);
    if (check->connections != NULL)
        return check;
    share_free(check);
    return NULL;
}

void share_segment(struct check *check, struct addressed_segment *segment)
{
    check->frame = segment->segment.frame;
    connections_segment(check->connections, segment);
}

void share_finish(struct check *check, int64_t last_ns)
{
    connections_finish(check->connections, last_ns);
    check->found.memory_lacking |= check->counting.memory_lacking;
}

void share_dropped(struct check *check, uint64_t dropped)
{
    check->dropped = dropped;
}

void share_part(struct check *check)
{
    connections_each(check->connections, take_part, NULL);
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

static void number_open(void *ctx, struct connection *connection)
{
    const struct numbering *numbering = ctx;
    struct watched *watched = connection->host;

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
    connections_each(check->connections, number_open, &numbering);
    g_array_set_size(check->found.opened, 0);
}

void share_taken(struct check *check)
{
    g_ptr_array_set_size(check->found.connections, 0);
    check->found.other_connections = 0;
    check->findings_kept = check->notes_kept = check->records = 0;
}

const struct share_found *share_result(const struct check *check)
{
    return &check->found;
}

void share_free(struct check *check)
{
    if (check == NULL)
        return;
    if (check->connections != NULL)
        connections_free(check->connections);
    counting_free(&check->counting);
    g_ptr_array_unref(check->found.connections);
    g_array_unref(check->found.opened);
    g_free(check);
}
