// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/check_watched.h"

#include "conformance/check/check_finding.h"
#include "conformance/options/options.h"
#include "conformance/print/print_record.h"
#include "engine/core/heap.h"
#include "wire/rdmap_terminate.h"

#include <stdlib.h>

/* Limits for a capture or a part of it; single shares may exceed them until the budget is settled again. */
enum {
    FINDINGS_LISTED_MAX = 262144,
    NOTES_LISTED_MAX = 262144,
    STRANGERS_LISTED_MAX = 16384,
    RECORDS_LISTED_MAX = 32768, /* until they are judged together: at most some 7 KiB each */
};

/* Octets of a connection beyond stack, facts and findings: its entries in tables, and its report. */
enum { WATCHED_BESIDES = 2 << 10 };

/* ---- roles ---- */

/* NULL: the connection does not run on MPA. */
static const struct mpa_parameters *watched_parameters(const struct watched *watched)
{
    const struct mpa_connection *mpa = stack_mpa(watched->host.stack);

    return mpa ? mpa_connection_parameters(mpa) : NULL;
}

static enum direction direction_of_side(const struct watched *watched, unsigned side)
{
    return side == stack_initiator(watched->host.stack) ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

static enum direction known_direction(const struct watched *watched, enum direction direction, unsigned side)
{
    return direction == DIR_UNKNOWN ? direction_of_side(watched, side) : direction;
}

/* ---- findings ---- */

static struct print_target watched_print_target(const struct watched *watched)
{
    unsigned initiator = stack_initiator(watched->host.stack);

    return (struct print_target){.out = watched->share->print,
                                 .start_ns = watched->share->capture->start_ns,
                                 .connection = watched->host.number,
                                 .file = watched->share->capture->file,
                                 .ndjson = watched->host.ndjson,
                                 .initiator = &watched->host.endpoint[initiator],
                                 .responder = &watched->host.endpoint[other_side(initiator)]};
}

static bool worth_keeping(const struct watched *watched, enum rule_id rule)
{
    unsigned limit = watched->share->options->max_findings;

    /* This finding has been counted already. */
    return limit == 0 || (rule_counts_of(watched->verdict.counts, rule).failed <= limit &&
                          watched->share->all_listed.findings < FINDINGS_LISTED_MAX);
}

/* Shows each finding as it is made, even if reports only count it. */
static void show_finding(const struct watched *watched, const struct finding *finding, enum direction direction)
{
    const struct print_target target = watched_print_target(watched);

    if (!target.out || !target.ndjson)
        return;
    print_record(&target, &(struct print_record){.type = "finding",
                                                 .layer = rule_catalogue[finding->rule].layer,
                                                 .direction = direction,
                                                 .place = &finding->place,
                                                 .rule = rule_catalogue[finding->rule].id,
                                                 .severity = rule_severity_name(finding->severity),
                                                 .text = finding->message});
}

static void watched_on_finding(void *ctx, const struct finding *finding)
{
    struct watched *watched = ctx;
    const struct endpoint *endpoint = watched->host.endpoint;
    unsigned initiator = stack_initiator(watched->host.stack);
    const struct check_roles roles = {&endpoint[initiator], &endpoint[1 - initiator],
                                      stack_roles_known(watched->host.stack)};
    enum direction direction = known_direction(watched, finding->direction, finding->place.side & 1u);

    enum check_taking taking = check_take_finding(watched->share->options, watched->report, &roles, finding, direction,
                                                  worth_keeping(watched, finding->rule));

    if (taking != CHECK_UNREPORTED)
        show_finding(watched, finding, direction);
    if (taking != CHECK_KEPT)
        return;
    watched->share->listed.findings++;
    if (watched->host.notes && rule_counts_of(watched->verdict.counts, finding->rule).failed <= REPORT_LADDERS)
        notes_want(watched->host.notes, finding);
}

/* ---- taps: count, print and note events of each layer ---- */

void watched_wake(struct watched *watched)
{
    counted_wake(&watched->share->pool->counting, &watched->counted);
    watched->active = true;
}

void watched_rest(struct watched *watched)
{
    counted_rest(&watched->share->pool->counting, &watched->counted);
}

bool watched_park(struct watched *watched)
{
    if (!watched->host.facts)
        return false;
    watched->parked = stack_park(watched->host.stack);
    if (!watched->parked)
        return false;
    watched->parked_owned = trouble_facts_owned(watched->host.facts);
    if (trouble_facts_pack(watched->host.facts, &watched->parked_facts))
        watched->host.facts = NULL;
    watched_rest(watched);
    return true;
}

void watched_unpark(struct watched *watched)
{
    arena_unpark(watched->parked);
    watched->parked = NULL;
    if (!watched->host.facts)
        watched->host.facts = trouble_facts_unpack(&watched->parked_facts);
}

static size_t facts_size(const struct watched *watched)
{
    enum { PACKED_PART = 4 }; /* packed facts count as this fraction; arenas have another */
    size_t owned = watched->host.facts ? trouble_facts_owned(watched->host.facts)
                   : watched->parked   ? watched->parked_owned
                                       : 0;

    return sizeof *watched->host.facts / (watched->parked ? PACKED_PART : 1) + owned;
}

size_t watched_size(const struct watched *watched)
{
    size_t stack = watched->parked ? arena_parked_size(watched->parked) : stack_size(watched->host.stack);

    return WATCHED_BESIDES + stack + facts_size(watched) + report_findings_size(watched->report);
}

/* An upper layer without RDMA. */
static __attribute__((noinline)) void look_at_plain(struct trouble_facts *facts, const struct tcp_segment *segment)
{
    for (const struct guest_face *const *face = guest_faces; *face; face++)
        if ((*face)->speaks_plainly && (*face)->speaks_plainly(segment->payload, segment->captured))
            trouble_plain(facts, (*face)->plain, segment);
}

static void watched_on_tcp_segment(void *ctx, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                                   uint64_t acked)
{
    struct watched *watched = ctx;
    struct trouble_facts *facts = watched->host.facts;

    watched_wake(watched);
    trouble_segment(facts, segment, offset, acked_known, acked);
    if (facts && facts->parts == 0 && segment->length > 0 && trouble_is_blank(facts))
        look_at_plain(facts, segment);
    if (watched->host.notes)
        notes_segment(watched->host.notes, segment, offset);
}

static void watched_on_hole(void *ctx, unsigned side, uint64_t from, uint64_t to, enum hole_cause cause,
                            const struct octets_origin *next)
{
    struct watched *watched = ctx;

    (void)side, (void)from, (void)to, (void)next;
    watched->hole = true;
    watched->share->found.given_up += cause == HOLE_MEMORY_LIMIT;
}

static void on_end(void *ctx, unsigned side, bool reset, const struct place *place)
{
    struct watched *watched = ctx;

    trouble_ended(watched->host.facts, side, reset, place);
    if (reset)
        watched->reset = true;
    else
        watched->ended[side & 1u] = true;
}

static void watched_on_startup(void *ctx, const struct mpa_startup_event *event)
{
    struct watched *watched = ctx;
    struct print_target target = watched_print_target(watched);

    trouble_startup(watched->host.facts, event);
    if (target.out && target.ndjson)
        print_record_startup(&target, known_direction(watched, event->direction, event->place.side & 1u), event);
    else if (target.out)
        print_startup(&target, known_direction(watched, event->direction, event->place.side & 1u), event);
    if (watched->host.notes)
        notes_startup(watched->host.notes, event);
}

static void show_fpdu(struct watched *watched, enum direction direction, const struct mpa_fpdu_event *event)
{
    struct print_target target = watched_print_target(watched);
    uint64_t *octets = &watched->message_octets[direction & 1u];

    if (!target.ndjson) {
        print_fpdu(&target, direction, event);
    } else if (event->has_ddp) {
        *octets += event->ddp.payload_len;
        if (!event->ddp.last)
            return;
        print_record_fpdu(&target, direction, event, *octets);
        *octets = 0;
    }
}

static void watched_on_fpdu(void *ctx, const struct mpa_fpdu_event *event)
{
    struct watched *watched = ctx;
    struct report_connection *report = watched->report;
    enum direction direction = known_direction(watched, event->direction, event->place.side & 1u);

    report->fpdus[direction]++;
    report->octets[direction] += event->fpdu.length;
    trouble_part(watched->host.facts, &event->place);
    if (event->has_ddp && event->ddp.opcode == RDMAP_READ_REQUEST)
        trouble_asks(watched->host.facts, event->place.side, true, &event->place);
    else if (event->has_ddp && event->ddp.opcode == RDMAP_READ_RESPONSE && event->ddp.last)
        trouble_asks(watched->host.facts, other_side(event->place.side), false, &event->place);
    if (watched->share->print)
        show_fpdu(watched, direction, event);
    if (watched->host.notes)
        notes_fpdu(watched->host.notes, event);
}

static void watched_on_skipped(void *ctx, unsigned side, uint64_t from, uint64_t to, const char *why,
                               const struct place *place)
{
    struct watched *watched = ctx;
    struct print_target target = watched_print_target(watched);

    if (target.out && !target.ndjson)
        print_skipped(&target, direction_of_side(watched, side), to - from, why, place);
    if (watched->host.notes)
        notes_skipped(watched->host.notes, side, from, to, why, place);
}

static void watched_on_changed(void *ctx, enum mpa_phase phase, const struct mpa_parameters *parameters)
{
    struct watched *watched = ctx;

    (void)parameters;
    if (phase == MPA_PHASE_NOT_MPA)
        connection_dismiss(watched->tcp);
}

static void watched_on_terminate(void *ctx, const struct rdmap_terminate_event *event)
{
    const struct watched *watched = ctx;
    const struct rdmap_terminate *terminate = event->terminate;
    const char *name = rdmap_terminate_code_name(terminate->layer, terminate->etype, terminate->code);
    struct trouble_refusal refusal = {.when = {event->fpdu->place.frame, event->fpdu->place.time_ns},
                                      .side = event->fpdu->place.side & 1u,
                                      .known = event->culprit_found,
                                      .offset = event->culprit.offset,
                                      .frame = event->culprit.frame};
    bool lacks_receive = terminate->layer == 1 && terminate->etype == 2 && terminate->code == 2;

    if (terminate->has_ddp)
        refusal.operation = terminate->ddp.tagged              ? "RDMA Write"
                            : terminate->ddp.qn == DDP_QN_SEND ? "Send"
                                                               : "RDMA Read Request";
    snprintf(refusal.reason, sizeof refusal.reason, "Terminate %u/%u/%02X%s%s%s", terminate->layer, terminate->etype,
             terminate->code, name ? ", " : "", name ? name : "", lacks_receive ? ": no Receive was posted" : "");
    trouble_refused(watched->host.facts, &refusal);
}

/* For RoCE and InfiniBand: a packet takes the place of an FPDU. */
static void watched_on_part(void *ctx, const struct rdma_part *part)
{
    static const uint8_t opcodes[] = {[RDMA_SEND] = RDMAP_SEND,
                                      [RDMA_WRITE] = RDMAP_WRITE,
                                      [RDMA_READ] = RDMAP_READ_REQUEST,
                                      [RDMA_READ_RESPONSE] = RDMAP_READ_RESPONSE};
    struct watched *watched = ctx;
    struct report_connection *report = watched->report;
    enum direction direction = known_direction(watched, part->direction, part->place.side & 1u);
    struct print_target target = watched_print_target(watched);

    report->fpdus[direction]++;
    report->octets[direction] += part->n;
    trouble_part(watched->host.facts, &part->place);
    if (part->kind == RDMA_READ)
        trouble_asks(watched->host.facts, part->place.side, true, &part->place);
    else if (part->kind == RDMA_READ_RESPONSE && part->last)
        trouble_asks(watched->host.facts, other_side(part->place.side), false, &part->place);
    if (part->last && part->kind != RDMA_OTHER)
        report->operations[part->invalidates ? RDMAP_SEND_INVALIDATE : opcodes[part->kind]]++;
    if (target.out && target.ndjson && part->last)
        print_record_part(&target, direction, check_ib_transport(watched), part);
    else if (target.out && part->last)
        print_part(&target, direction, check_ib_transport(watched), part);
}

static void watched_on_private_data(void *ctx, const struct rdma_private_data *data)
{
    struct watched *watched = ctx;
    struct print_target target = watched_print_target(watched);

    if (target.out && !target.ndjson)
        print_private_data(&target, direction_of_side(watched, data->place.side), check_ib_transport(watched), data);
}

static void on_refusal(void *ctx, const struct rdma_refusal *refusal)
{
    struct watched *watched = ctx;
    struct print_target target = watched_print_target(watched);

    if (target.out && !target.ndjson)
        print_refusal(&target, direction_of_side(watched, refusal->place.side), check_ib_transport(watched), refusal);
}

static void watched_on_said(void *ctx, const struct ulp_said *said)
{
    struct watched *watched = ctx;
    struct print_target target = watched_print_target(watched);

    if (watched->host.notes)
        notes_said(watched->host.notes, said);
    if (target.out && target.ndjson)
        print_record(&target, &(struct print_record){.type = "message",
                                                     .layer = said->kind->name,
                                                     .direction = direction_of_side(watched, said->send->side),
                                                     .place = &said->send->place,
                                                     .text = said->text});
    else if (target.out)
        print_said(&target, direction_of_side(watched, said->send->side), said);
}

const struct stack_taps watched_taps = {.tcp_segment = watched_on_tcp_segment,
                                        .hole = watched_on_hole,
                                        .end = on_end,
                                        .startup = watched_on_startup,
                                        .fpdu = watched_on_fpdu,
                                        .skipped = watched_on_skipped,
                                        .changed = watched_on_changed,
                                        .terminate = watched_on_terminate,
                                        .part = watched_on_part,
                                        .private_data = watched_on_private_data,
                                        .refusal = on_refusal,
                                        .said = watched_on_said};

/* ---- connections come and go ---- */

struct watched *watched_new(struct share *share, uint32_t number, uint32_t start_frame)
{
    struct watched *watched = heap_zeroed(1, sizeof *watched);

    if (!watched) {
        share->found.memory_lacking = true;
        return NULL;
    }
    watched->share = share;
    watched->host.number = number;
    watched->host.out = share->print;
    watched->host.ndjson = share->options->print_ndjson;
    watched->host.capture = share->capture;
    watched->verdict.finding = watched_on_finding;
    watched->verdict.ctx = watched;
    watched->counted.verdict = &watched->verdict;
    watched->report = report_connection_new();
    watched->verdict.doubts = &watched->report->doubts;
    watched->host.notes = outputs_have(share->options->outputs, FORMAT_HTML) ? notes_new() : NULL;
    watched->host.facts = trouble_facts_new();
    watched->dropped = share->dropped;
    watched->opened = (uint64_t)share->frame << 32 | start_frame;
    return watched;
}

bool watched_stack(struct watched *watched, const struct stack_setup *setup)
{
    struct share *share = watched->share;
    struct stack_setup with_taps = *setup;

    if (share->options->stats && !(watched->host.collector = collector_new(watched->ib != NULL))) {
        share->found.memory_lacking = true;
        return false;
    }
    with_taps.taps = &share->taps;
    with_taps.ctx = watched;
    with_taps.verdict = &watched->verdict;
    with_taps.pool = watched->tcp ? &share->pool->arenas : NULL;
    watched->host.stack = stack_new(&with_taps);
    if (!watched->host.stack) {
        share->found.memory_lacking = true;
        return false;
    }
    if (share->numbers_apart)
        g_array_append_val(share->found.opened, watched->opened);
    else
        watched->id = watched->host.number;
    return true;
}

void watched_free(struct watched *watched)
{
    stack_free(watched->host.stack);
    collector_free(watched->host.collector);
    counted_drop(&watched->share->pool->counting, &watched->counted);
    notes_free(watched->host.notes);
    trouble_facts_free(watched->host.facts);
    report_connection_free(watched->report);
    free(watched);
}

/* Captures with many connections must not hold notes without limit: the last connections get none. */
static GArray *take_notes(struct watched *watched)
{
    GArray *notes = notes_take(watched->host.notes);

    if (watched->share->all_listed.notes >= NOTES_LISTED_MAX)
        g_array_set_size(notes, 0);
    watched->share->listed.notes += notes->len;
    return notes;
}

void *watched_guest(const struct watched *watched)
{
    return stack_guest(watched->host.stack, stack_kind(watched->host.stack));
}

void watched_take_refused(struct watched *watched, struct report_connection *report, unsigned side,
                          enum direction direction, const uint32_t counts[REFUSALS])
{
    for (unsigned kind = 0; kind < REFUSALS; kind++) {
        report->refused[kind][direction] += counts[kind] - watched->refused[kind][side];
        watched->refused[kind][side] = counts[kind];
    }
}

static void take_mpa(struct watched *watched, struct report_connection *report, unsigned initiator)
{
    const struct mpa_parameters *of_mpa = watched_parameters(watched);
    const struct tcp_pair *tcp = stack_tcp(watched->host.stack);

    report->parameters = *of_mpa;
    report->markers[DIR_TO_RESPONDER] = of_mpa->markers[initiator];
    report->markers[DIR_TO_INITIATOR] = of_mpa->markers[1 - initiator];
    for (unsigned side = 0; tcp && side < 2; side++)
        watched_take_refused(watched, report, side, side == initiator ? DIR_TO_RESPONDER : DIR_TO_INITIATOR,
                             tcp_pair_facts(tcp, side)->refused);
    report->complete =
        of_mpa->startup_seen && !watched->hole && (watched->reset || (watched->ended[0] && watched->ended[1]));
    for (unsigned opcode = 0; opcode < 16; opcode++)
        for (unsigned direction = 0; direction < 2; direction++)
            report->operations[opcode] +=
                rdmap_connection_counts(stack_rdmap(watched->host.stack))->messages[opcode][direction];
}

/*
 * The connection is counted, not listed: either the list is full and the connection has no findings or trouble, or the
 * list is overfull.
 */
static bool is_of_rest(const struct share *share, const struct report_connection *report, bool last)
{
    if (!last || report->record || report->continued || !share->all_listed.full)
        return false;
    return share->all_listed.overfull ||
           (!report_has_findings(report) && report->facts && trouble_facts_are_plain(report->facts));
}

static void list_connection(struct share *share, struct report_connection *report, bool last)
{
    if (is_of_rest(share, report, last)) {
        report_rest_take(&share->found.rest, report);
        return;
    }
    g_ptr_array_add(share->found.connections, report);
    share->listed.octets += report_connection_size(report);
}

/* Takes what the layers know about the connection, and the findings since the last call; the host adds the counts. */
static void watched_take_connection(struct watched *watched, const struct watched_span *span, bool last)
{
    struct report_connection *report = watched->report;
    unsigned initiator = stack_initiator(watched->host.stack);

    report->id = watched->id;
    report->opened = watched->opened;
    report->continued = watched->continued;
    report->initiator = watched->host.endpoint[initiator];
    report->responder = watched->host.endpoint[1 - initiator];
    report->roles_known = stack_roles_known(watched->host.stack);
    report->start_frame = span->start_frame;
    report->end_frame = span->end_frame;
    report->start_ns = span->start_ns;
    report->end_ns = span->end_ns;
    if (watched->ib)
        check_ib_report(watched, report, initiator);
    else
        take_mpa(watched, report, initiator);
    report->guest = report_guest_take(stack_kind(watched->host.stack), watched_guest(watched), initiator);
    report->initiator_side = initiator;
    if (watched->host.collector)
        watched_take_statistics(watched, report, last);
    if (watched->host.notes)
        report->notes = take_notes(watched);
    report_sort_findings(report);
    list_connection(watched->share, report, last);
    watched->report = NULL;
}

static void watched_take_acked(const struct watched *watched, struct trouble_facts *facts)
{
    const struct tcp_pair *tcp = stack_tcp(watched->host.stack);

    for (unsigned side = 0; tcp && side < 2; side++) {
        facts->side[side].acked_known = tcp_pair_facts(tcp, side)->acked_known;
        facts->side[side].acked = tcp_pair_facts(tcp, side)->acked;
    }
}

/* Takes the connection's record for rules across connections. */
static void take_record(const struct watched *watched, const struct watched_span *span)
{
    struct share *share = watched->share;
    struct report_connection *report = watched->report;
    const struct ulp_life life = {{watched->host.endpoint[0], watched->host.endpoint[1]}, span->start_ns, span->end_ns};

    if (share->all_listed.records < RECORDS_LISTED_MAX && !share->all_listed.full)
        report->record = stack_record(watched->host.stack);
    if (!report->record)
        return;
    share->listed.records++;
    report->across = stack_kind(watched->host.stack)->across;
    report->across->lived(report->record, &life);
}

static void know_port(struct trouble_facts *facts, uint16_t port)
{
    for (const struct guest_face *const *face = guest_faces; *face && !facts->usual_port; face++)
        for (const uint16_t *usual = (*face)->ports; usual && *usual != 0 && !facts->usual_port; usual++) {
            facts->where = (*face)->where;
            facts->usual_port = *usual == port;
            facts->enable = facts->usual_port ? (*face)->enable : (*face)->where;
            facts->enable_on = facts->usual_port ? (*face)->enable_on : NULL;
        }
}

static bool is_usual(uint16_t port)
{
    struct trouble_facts facts = {0};

    know_port(&facts, port);
    return facts.usual_port;
}

/* The side that opened a connection without RDMA: it sent the SYN, or the other side has the port of a server. */
static unsigned opener_of(const struct watched *watched, const struct trouble_facts *facts)
{
    if (facts->step[STEP_SYN].n > 0)
        return facts->step_side[STEP_SYN] & 1u;
    return is_usual(watched->host.endpoint[0].port) && !is_usual(watched->host.endpoint[1].port);
}

/* Completes the facts: both ends, and what arrived. */
static struct trouble_facts *take_facts(struct watched *watched, bool rdma, int64_t until_ns)
{
    const struct guest_face *face = guest_face_of(stack_kind(watched->host.stack));
    struct trouble_facts *facts = watched->host.facts;

    watched->host.facts = NULL;
    if (!facts)
        return NULL;
    facts->ib = watched->ib != NULL;
    facts->may_call = facts->ib && (!face || face->judged);
    facts->rdma = rdma;
    facts->roles_known = stack_roles_known(watched->host.stack);
    facts->opener = (uint8_t)(rdma ? stack_initiator(watched->host.stack) : opener_of(watched, facts));
    know_port(facts, watched->host.endpoint[facts->opener ^ 1u].port);
    facts->hole = watched->hole || watched->share->lossy || watched->share->dropped != watched->dropped;
    facts->until_ns = until_ns;
    for (unsigned side = 0; side < 2; side++)
        facts->end[side] = watched->host.endpoint[side];
    if (watched->ib)
        check_ib_settle(watched, facts);
    else
        watched_take_acked(watched, facts);
    if (face && face->add_trouble && watched_guest(watched))
        face->add_trouble(watched_guest(watched), facts);
    trouble_settle(facts);
    return facts;
}

static void take_stranger(struct watched *watched, int64_t now_ns)
{
    struct trouble_facts *facts = take_facts(watched, false, now_ns);
    bool worth_a_word = facts && trouble_is_stranger(facts);
    bool room = watched->share->all_listed.strangers < STRANGERS_LISTED_MAX;

    watched->share->found.other_connections++;
    if (!worth_a_word || !room) {
        watched->share->found.strangers_left_out += worth_a_word;
        trouble_facts_free(facts);
        return;
    }
    g_ptr_array_add(watched->share->found.strangers, facts);
    watched->share->listed.strangers++;
}

static bool is_rdma(const struct watched *watched)
{
    return watched->ib || mpa_connection_is_mpa(stack_mpa(watched->host.stack));
}

void watched_close(struct watched *watched, const struct watched_span *span, int64_t now_ns)
{
    struct share *share = watched->share;
    int64_t until_ns = MAX(now_ns, share->capture->troubles->ended_ns);

    if (share->dropped != watched->dropped) /* packets since then may have been lost, so silence proves nothing */
        until_ns = now_ns = MIN(now_ns, span->end_ns);
    if (share->lossy || share->dropped != watched->dropped)
        stack_lossy(watched->host.stack);
    counted_wake_last(&share->pool->counting, &watched->counted);
    stack_finish(watched->host.stack, now_ns);
    share->found.memory_lacking |= stack_lacks_memory(watched->host.stack);
    if (is_rdma(watched)) {
        watched->report->counts = counted_end(&share->pool->counting, &watched->counted);
        take_record(watched, span);
        watched->report->facts = take_facts(watched, true, until_ns);
        watched_take_connection(watched, span, true);
    } else {
        take_stranger(watched, until_ns);
    }
    watched_free(watched);
}

void watched_part(struct watched *watched, const struct watched_span *span)
{
    if (!watched->active || !is_rdma(watched))
        return;
    watched->report->counts = counted_part(&watched->share->pool->counting, &watched->counted);
    watched->report->continues = true;
    watched_take_connection(watched, span, false);
    watched->report = report_connection_new();
    watched->verdict.doubts = &watched->report->doubts;
    stack_restart_counts(watched->host.stack);
    watched->active = false;
    watched->continued = true;
}
