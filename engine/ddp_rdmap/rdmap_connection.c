// SPDX-License-Identifier: GPL-2.0-or-later
/* The DDP and RDMAP layers of one connection: life cycle, processing of a segment, operations, counts. */
#include "engine/ddp_rdmap/rdmap_internal.h"
#include "engine/ddp_rdmap/rdmap_reaction.h"
#include "engine/terminate/terminate_layout.h"
#include "wire/atomic.h"
#include "wire/invariant.h"

#include <string.h>

static void connection_fill_options(struct rdmap_options *options)
{
    static const int64_t second = 1000000000;

    if (options->t_react == 0)
        options->t_react = 2 * second;
    if (options->t_close == 0)
        options->t_close = 5 * second;
    if (options->t_idle == 0)
        options->t_idle = 120 * second;
    if (options->operations_max == 0)
        options->operations_max = 65536;
    if (options->stags_max == 0)
        options->stags_max = 4096;
}

struct rdmap_connection *rdmap_connection_new(const struct rdmap_options *options, const struct rdmap_events *events,
                                              struct verdict *verdict, struct arena *arena)
{
    struct rdmap_connection *rdmap = arena_enter(&arena, sizeof *rdmap);

    if (!rdmap)
        return NULL;
    rdmap->arena = arena;
    rdmap->options = *options;
    connection_fill_options(&rdmap->options);
    if (events)
        rdmap->events = *events;
    rdmap->verdict = verdict;
    rdmap->parameters.initiator_side = -1;
    rdmap->parameters.crc = UNKNOWN;
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned qn = 0; qn < DDP_QUEUES; qn++)
            ddp_message_init(&rdmap->side[side].queue[qn]);
        ddp_message_init(&rdmap->side[side].tagged);
    }
    if (!rdmap_read_new(rdmap) ||
        (!verdict->off && (!rdmap_atomic_new(rdmap) || !rdmap_close_new(rdmap) || !rdmap_reaction_new(rdmap)))) {
        rdmap_connection_free(rdmap);
        return NULL;
    }
    return rdmap;
}

void rdmap_connection_free(struct rdmap_connection *rdmap)
{
    if (!rdmap)
        return;
    rdmap_read_free(rdmap);
    rdmap_atomic_free(rdmap);
    rdmap_readback_free(rdmap);
    for (unsigned side = 0; side < 2; side++) {
        rdmap_requests_free(&rdmap->side[side].requests);
        rdmap_recent_free(&rdmap->side[side]);
        for (unsigned qn = 0; qn < DDP_QUEUES; qn++)
            ddp_message_free(&rdmap->side[side].queue[qn]);
        ddp_message_free(&rdmap->side[side].tagged);
    }
    arena_release(rdmap->arena);
}

void rdmap_connection_set_hosts(struct rdmap_connection *rdmap, const struct terminate_host host[2])
{
    rdmap->host[0] = host[0];
    rdmap->host[1] = host[1];
}

const struct rdmap_counts *rdmap_connection_counts(const struct rdmap_connection *rdmap)
{
    return &rdmap->counts;
}

void rdmap_connection_restart_counts(struct rdmap_connection *rdmap)
{
    rdmap->counts = (struct rdmap_counts){0};
}

/* ---- findings ---- */

static enum direction rdmap_direction(const struct rdmap_connection *rdmap, unsigned side)
{
    if (rdmap->parameters.initiator_side < 0)
        return DIR_UNKNOWN;
    return (unsigned)rdmap->parameters.initiator_side == side ? DIR_TO_RESPONDER : DIR_TO_INITIATOR;
}

static void connection_mark(struct rdmap_step *step)
{
    step->faulty = true;
    if (step->message)
        step->message->faulty = true;
    if (step->request && step->match == RDMAP_MATCH_NONE)
        step->request->faulty = true;
}

void rdmap_fail_as(struct rdmap_connection *rdmap, struct rdmap_step *step, enum rule_id rule,
                   enum rule_severity severity, uint32_t related_frame, const char *format, ...)
{
    va_list args;

    connection_mark(step);
    va_start(args, format);
    verdict_vfailed_as(rdmap->verdict, rule, severity, step->fpdu->direction, &step->fpdu->place, related_frame, format,
                       args);
    va_end(args);
}

void rdmap_fail_at_as(struct rdmap_connection *rdmap, const struct place *place, enum rule_id rule,
                      enum rule_severity severity, uint32_t related_frame, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    verdict_vfailed_as(rdmap->verdict, rule, severity, rdmap_direction(rdmap, place->side & 1u), place, related_frame,
                       format, args);
    va_end(args);
}

/* ---- operations ---- */

static enum rdmap_operation_kind connection_kind_of(uint8_t opcode)
{
    static const enum rdmap_operation_kind kinds[] = {
        [RDMAP_WRITE] = RDMAP_OP_WRITE,
        [RDMAP_READ_REQUEST] = RDMAP_OP_READ,
        [RDMAP_READ_RESPONSE] = RDMAP_OP_READ,
        [RDMAP_SEND] = RDMAP_OP_SEND,
        [RDMAP_SEND_INVALIDATE] = RDMAP_OP_SEND,
        [RDMAP_SEND_SE] = RDMAP_OP_SEND,
        [RDMAP_SEND_SE_INVALIDATE] = RDMAP_OP_SEND,
        [RDMAP_TERMINATE] = RDMAP_OP_TERMINATE,
        [RDMAP_IMMEDIATE] = RDMAP_OP_IMMEDIATE,
        [RDMAP_IMMEDIATE_SE] = RDMAP_OP_IMMEDIATE,
        [RDMAP_ATOMIC_REQUEST] = RDMAP_OP_ATOMIC,
        [RDMAP_ATOMIC_RESPONSE] = RDMAP_OP_ATOMIC,
    };
    INVARIANT(opcode < sizeof kinds / sizeof kinds[0]);
    return kinds[opcode];
}

static void begin_operation(struct rdmap_connection *rdmap, struct rdmap_operation *operation,
                            const struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    *operation = (struct rdmap_operation){
        .number = ++rdmap->operations,
        .kind = connection_kind_of(ddp->opcode),
        .opcode = ddp->opcode,
        .side = (uint8_t)step->side,
    };
    switch (operation->kind) {
    case RDMAP_OP_WRITE:
        operation->stag = ddp->stag;
        operation->to = ddp->to;
        rdmap->side[step->side].last_write = operation->number;
        break;
    case RDMAP_OP_IMMEDIATE:
        operation->after_write = rdmap->side[step->side].last_write;
        operation->msn = ddp->msn;
        break;
    case RDMAP_OP_SEND:
        operation->invalidates = step->info->invalidates;
        operation->invalidate_stag = step->info->invalidates ? ddp->stag : 0;
        operation->msn = ddp->msn;
        break;
    case RDMAP_OP_READ:
    case RDMAP_OP_ATOMIC:
    case RDMAP_OP_TERMINATE:
        operation->msn = ddp->msn;
        break;
    }
    INVARIANT(operation->after_write < operation->number);
    INVARIANT(rdmap->side[step->side].last_write <= rdmap->operations);
}

/* A single message is the operation: Write, Send, Immediate Data, Terminate. */
static void one_way(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_operation *operation = &step->message->operation;

    if (step->starts)
        begin_operation(rdmap, operation, step);
    operation->octets += step->ddp->payload_len;
    operation->segments++;
    operation->place = step->fpdu->place;
    step->operation = operation;
    INVARIANT(operation->segments > 0 && operation->number <= rdmap->operations);
}

static void connection_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;
    bool is_read = step->ddp->opcode == RDMAP_READ_REQUEST;

    if (step->ends && step->ddp->lacking > 0)
        rdmap_requests_cut(rdmap, step);
    if (!step->complete || !(is_read ? rdmap_read_request_decode(&read, step->content, step->content_len)
                                     : rdmap_atomic_request_decode(&atomic, step->content, step->content_len)))
        return;
    rdmap_requests_push(rdmap, step);
    if (!step->request)
        return;
    step->operation = &step->request->operation;
    begin_operation(rdmap, step->operation, step);
    step->operation->place = step->fpdu->place;
    step->operation->segments = step->message->segments;
    step->request->faulty = step->message->faulty;
    INVARIANT(step->request->known && step->operation->number == rdmap->operations);
    if (is_read) {
        step->operation->read = read;
        step->operation->stag = read.source_stag;
        step->operation->to = read.source_to;
    } else {
        step->operation->atomic = atomic;
        step->operation->stag = atomic.stag;
        step->operation->to = atomic.to;
    }
    if (rdmap->verdict->off)
        return;
    if (is_read) {
        ddp_judge_read_ranges(rdmap, step, &read);
        rdmap_read_request(rdmap, step);
    } else {
        rdmap_atomic_request(rdmap, step);
    }
}

static void connection_count_answer(struct rdmap_step *step)
{
    struct rdmap_operation *operation;

    if (!step->request || !step->request->known)
        return;
    operation = step->operation = &step->request->operation;
    if (!step->request->begun)
        operation->first_answer = step->fpdu->place;
    step->request->begun = true;
    step->request->damaged |= step->message->damaged;
    operation->last_answer = step->fpdu->place;
    operation->octets += step->ddp->payload_len;
    operation->answered = step->ends;
    INVARIANT(operation->kind == RDMAP_OP_READ || operation->kind == RDMAP_OP_ATOMIC);
}

/*
 * After a hole, the FPDUs of one direction may come later than those of the other. An answer whose sender had received
 * requests still to come may answer one of these, so the open requests are not known for certain.
 */
static bool requests_lag(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_side *requester = &rdmap->side[other_side(step->side)];

    bool whole = requester->started ? !requester->hole : rdmap->parameters.startup_seen && !rdmap->parameters.midstream;

    if (whole || (requester->started && step->acked_known && step->acked <= requester->end))
        return false;
    rdmap_requests_doubt(&requester->requests);
    if (!step->acked_known)
        requester->requests.late_until = UINT64_MAX;
    else if (step->acked > requester->requests.late_until)
        requester->requests.late_until = step->acked;
    INVARIANT(requester->requests.uncertain);
    return true;
}

/* The first segment of a Read Response: sets step->request to the request that it answers, if known. */
static void match_read_response(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;

    step->match = RDMAP_MATCH_UNKNOWN;
    if (requests_lag(rdmap, step))
        return;
    if (rdmap_read_resumes(rdmap, step))
        step->message->faulty = step->faulty = true;
    else if (!step->message->first_known) /* after a hole: answers an open request, or a later one */
        rdmap_requests_unclaimed(requests);
    else if (rdmap_read_is_asked_for(requests, step->ddp) || !rdmap_reaction_serves_fault(rdmap, step, 0))
        rdmap_requests_match(rdmap, step, 0);
}

static void read_response(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;
    struct ddp_message *message = step->message;

    if (step->starts) {
        match_read_response(rdmap, step);
        message->matched = step->request != NULL;
        message->request = message->matched ? step->request->serial : 0;
        message->match = (uint8_t)step->match;
    } else {
        step->match = message->first_known ? (enum rdmap_match)message->match : RDMAP_MATCH_UNKNOWN;
        step->request = message->matched ? rdmap_request_at(requests, message->request) : NULL;
    }
    INVARIANT(!step->request || step->request->serial == message->request);
    connection_count_answer(step);
    if (!rdmap->verdict->off)
        rdmap_read_response(rdmap, step);
    if (step->ends && step->request)
        rdmap_requests_retire(requests, step->request, step->fpdu->place.time_ns);
    else if (step->ends)
        requests->last_answer_ns = step->fpdu->place.time_ns;
}

static void atomic_response(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;
    struct rdmap_atomic_response response;

    if (step->ddp->lacking > 0)
        rdmap_requests_doubt(requests);
    if (!step->complete || !rdmap_atomic_response_decode(&response, step->content, step->content_len))
        return;
    if (!rdmap_atomic_is_asked_for(requests, response.identifier) &&
        rdmap_reaction_serves_fault(rdmap, step, response.identifier))
        step->match = RDMAP_MATCH_UNKNOWN;
    else
        rdmap_requests_match(rdmap, step, response.identifier);
    connection_count_answer(step);
    if (step->operation) {
        struct rdmap_operation *operation = step->operation;

        operation->octets = sizeof response.original;
        operation->atomic_response = response;
        operation->atomic_after_known =
            rdmap_atomic_apply(&operation->atomic, response.original, &operation->atomic_after);
        INVARIANT(operation->kind == RDMAP_OP_ATOMIC);
    }
    if (!rdmap->verdict->off)
        rdmap_atomic_response(rdmap, step, &response);
    requests->last_answer_ns = step->fpdu->place.time_ns;
    if (step->request)
        rdmap_requests_retire(requests, step->request, step->fpdu->place.time_ns);
}

/* The peer's reaction to something that this side sent is not judged. */
static void connection_not_judged(struct rdmap_connection *rdmap, unsigned side)
{
    if (!rdmap->verdict->off)
        rdmap_reaction_skipped(rdmap, side);
}

static void connection_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_side *s = &rdmap->side[step->side];
    struct rdmap_terminate message = {0};
    enum rdmap_terminate_status status;
    struct rdmap_recent recent;
    const struct rdmap_recent *culprit = NULL;
    struct rdmap_terminate_event event;
    const char *layout;

    one_way(rdmap, step);
    if (step->ddp->lacking > 0) { /* the part that the Terminate complains about was not captured */
        verdict_lose(rdmap->verdict, WHY_CUT, step->fpdu->place.frame);
        connection_not_judged(rdmap, step->side);
        s->hole = s->terminated = true;
        s->terminate_place = step->fpdu->place;
    }
    INVARIANT(step->message->segments > 0 && !step->request);
    if (!step->complete)
        return;
    status = rdmap_terminate_decode(&message, step->content, step->content_len);
    layout = rdmap_terminate_reread(&message, &status, step->content, step->content_len, &rdmap->host[step->side]);
    if (message.has_ddp && rdmap_recent_find(rdmap, other_side(step->side), step->content + 6, message.ddp.header_len,
                                             message.has_length && message.m ? message.segment_length : -1, &recent))
        culprit = &recent;
    if (!rdmap->verdict->off) {
        rdmap_terminate_message(rdmap, step, &message, status, layout, culprit);
        rdmap_reaction_terminate(rdmap, step, &message, culprit);
    }
    if (!s->terminated) {
        s->terminated = true;
        s->terminate_place = step->fpdu->place;
    }
    if (!rdmap->events.terminate || status == RDMAP_TERMINATE_SHORT)
        return;
    if (!culprit && message.has_read && rdmap_recent_read(rdmap, other_side(step->side), &message.read, &recent))
        culprit = &recent;
    event = (struct rdmap_terminate_event){.terminate = &message, .fpdu = step->fpdu, .culprit_found = culprit != NULL};
    if (culprit)
        event.culprit = culprit->place;
    rdmap->events.terminate(rdmap->events.ctx, &event);
}

static void operation(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    switch (step->ddp->opcode) {
    case RDMAP_READ_REQUEST:
    case RDMAP_ATOMIC_REQUEST:
        connection_request(rdmap, step);
        break;
    case RDMAP_READ_RESPONSE:
        read_response(rdmap, step);
        break;
    case RDMAP_ATOMIC_RESPONSE:
        atomic_response(rdmap, step);
        break;
    case RDMAP_TERMINATE:
        connection_terminate(rdmap, step);
        break;
    default:
        one_way(rdmap, step);
        break;
    }
}

/* ---- one segment ---- */

static void emit_segment(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    if (rdmap->events.segment) {
        struct rdmap_segment_event event = {.fpdu = step->fpdu,
                                            .rtr = step->set_up,
                                            .faulty = step->faulty || step->fpdu->faulty,
                                            .acked_known = step->acked_known,
                                            .acked = step->acked};

        event.message = rdmap->side[step->side].messages;
        if (step->message) {
            event.in_message = true;
            event.message = step->message->number;
            event.index = step->message->segments - 1;
            event.message_octets = step->message->octets;
            event.first_known = step->message->first_known;
            event.complete = step->complete;
        }
        if (step->operation && step->operation->number != 0) {
            event.operation = step->operation->number;
            event.op = step->operation;
        }
        rdmap->events.segment(rdmap->events.ctx, &event);
    }
    /* A request in a hole is not a reported operation. */
    if (rdmap->events.operation && step->operation && step->operation->number != 0)
        rdmap->events.operation(rdmap->events.ctx, step->operation, &step->fpdu->place);
}

/* A segment that does not count as a message may still have been one: of the kind its opcode says, or on its queue. */
static void connection_unlearn(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct rdmap_opcode_info *info = step->info;
    struct rdmap_side *s = &rdmap->side[step->side];

    if (step->ddp->tagged || (info && info->tagged))
        ddp_tagged_hole(rdmap, step->side);
    if (!step->ddp->tagged && step->ddp->qn < DDP_QUEUES)
        ddp_untagged_unlearn(rdmap, step->side, step->ddp->qn);
    if (info && !info->tagged)
        ddp_untagged_unlearn(rdmap, step->side, (unsigned)info->queue);
    if (!s->queue[DDP_QN_READ_REQUEST].known)
        rdmap_requests_hole(s);
    if (!s->tagged.known || !s->queue[DDP_QN_ATOMIC_RESPONSE].known)
        rdmap_requests_doubt(&rdmap->side[other_side(step->side)].requests);
    INVARIANT(!step->message);
}

/* MPA has reported that the sender uses another DV than the connection; the receiver must report it, too. */
static bool is_wrong_version(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    return rdmap->parameters.startup_seen && step->ddp->dv == (rdmap->parameters.revision == 0);
}

/* A request that ends here and was not entered: it is faulty, or began in a hole. It may still be answered. */
static bool is_unread_request(const struct rdmap_step *step)
{
    return step->message && step->ends && !step->request &&
           (step->ddp->opcode == RDMAP_READ_REQUEST || step->ddp->opcode == RDMAP_ATOMIC_REQUEST);
}

/* After the operation. */
static void judge_operation(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    if (step->message) {
        rdmap_stag_segment(rdmap, step);
        rdmap_atomic_beside(rdmap, step);
        rdmap_readback_segment(rdmap, step);
    } else {
        rdmap_readback_hole(rdmap, step->side);
    }
    if (step->fpdu->faulty && !is_wrong_version(rdmap, step)) {
        rdmap_reaction_skipped(rdmap, step->side); /* nor do other rules judge the peer's reaction to the segment */
    } else {
        verdict_mute(rdmap->verdict, false);
        rdmap_reaction_segment(rdmap, step);
    }
}

static void connection_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    bool judged = !rdmap->verdict->off;

    verdict_mute(rdmap->verdict, step->fpdu->faulty); /* MPA has judged it */
    ddp_judge_header(rdmap, step);
    if (!step->sound || !ddp_message_room(rdmap, step))
        connection_unlearn(rdmap, step);
    else if (step->ddp->tagged)
        ddp_tagged_segment(rdmap, step);
    else
        ddp_untagged_segment(rdmap, step);
    if (step->message)
        ddp_message_interrupts(rdmap, step);
    INVARIANT(!step->message || (step->sound && !step->stray && step->message->segments > 0));
    if (judged)
        rdmap_close_segment(rdmap, step);
    if (step->message) {
        unsigned direction = step->fpdu->direction == DIR_UNKNOWN ? step->side : (unsigned)step->fpdu->direction;
        INVARIANT(direction < 2);

        rdmap->counts.messages[step->ddp->opcode][direction] += step->ends;
        rdmap->counts.octets[step->ddp->opcode][direction] += step->ddp->payload_len;
        operation(rdmap, step);
    }
    INVARIANT(!step->complete || step->ends);
    if (judged)
        judge_operation(rdmap, step);
    if (is_unread_request(step))
        rdmap_requests_doubt(&rdmap->side[step->side].requests);
    verdict_mute(rdmap->verdict, false);
    rdmap_recent_keep(rdmap, step);
    emit_segment(rdmap, step);
}

static void connection_tell_skipped(struct rdmap_connection *rdmap, unsigned side)
{
    if (rdmap->events.skipped)
        rdmap->events.skipped(rdmap->events.ctx, side);
}

/* Messages of this direction may be missing: as many as fit into `octets` octets. */
static void connection_lose(struct rdmap_connection *rdmap, unsigned side, uint64_t octets)
{
    rdmap->side[side].hole = rdmap->side[side].hole_open = true;
    rdmap->side[side].gap = false;
    ddp_untagged_hole(rdmap, side, octets);
    ddp_tagged_hole(rdmap, side);
    rdmap_requests_hole(&rdmap->side[side]);
    rdmap_requests_doubt(&rdmap->side[other_side(side)].requests); /* answers may be missing */
    INVARIANT(!rdmap->side[side].tagged.known && !rdmap->side[side].tagged.open);
    if (rdmap->verdict->off)
        return;
    rdmap_stag_skipped(rdmap, side);
    rdmap_readback_hole(rdmap, side);
    rdmap_reaction_skipped(rdmap, side);
}

/* Octets of this direction are lost or untrustworthy. */
static void hole(struct rdmap_connection *rdmap, unsigned side)
{
    connection_lose(rdmap, side, UINT64_MAX);
    connection_tell_skipped(rdmap, side);
}

/* The FPDU came, but its contents are unknown. */
static void lose_fpdu(struct rdmap_connection *rdmap, unsigned side, const struct mpa_fpdu_event *event)
{
    /* After another loss, MPA may not know where the header is. */
    if (event->crc == MPA_CRC_WRONG || event->fpdu.cut || rdmap->verdict->missing == WHY_NONE)
        verdict_lose(rdmap->verdict, event->fpdu.cut ? WHY_CUT : WHY_LOWER, event->place.frame);
    hole(rdmap, side);
}

/* Stops waiting for the missing octets, because something that depends on them comes first. */
static void give_up_gap(struct rdmap_connection *rdmap, unsigned side)
{
    if (rdmap->side[side].gap)
        connection_lose(rdmap, side, UINT64_MAX);
}

/* The rest of an RDMA Read Response ends where its request says; octets beyond that answer the next request. */
static bool is_of_open_message(struct rdmap_connection *rdmap, unsigned side, const struct ddp_segment *ddp)
{
    const struct ddp_queue *q = &rdmap->side[side].tagged;
    struct rdmap_requests *requests = &rdmap->side[other_side(side)].requests;
    const struct rdmap_request *request;

    if (!q->open || q->message->opcode != ddp->opcode || q->message->stag != ddp->stag)
        return false;
    if (ddp->opcode != RDMAP_READ_RESPONSE)
        return true;
    request = q->message->matched ? rdmap_request_at(requests, q->message->request) : NULL;
    return request && request->known && !request->doubtful &&
           ddp->to - request->operation.read.sink_to < request->operation.read.size;
}

/* An FPDU after a gap: it either continues the open message, or may be anything. */
static void bridge_gap(struct rdmap_connection *rdmap, unsigned side, const struct mpa_fpdu_event *event)
{
    struct rdmap_side *s = &rdmap->side[side];

    if (event->within && is_of_open_message(rdmap, side, &event->ddp)) {
        INVARIANT(s->tagged.open && s->tagged.message->segments > 0);
        s->gap = false;
        s->patchy = true;
        s->tagged.message->damaged = true;
        s->tagged.message->next = event->ddp.to;
    } else if (s->gap) {
        connection_lose(rdmap, side, event->skipped > 0 ? event->skipped : UINT64_MAX);
    } else {
        hole(rdmap, side);
    }
    INVARIANT(!s->gap);
}

/* Notes whether a direction begins with the first FPDU seen. */
static void connection_start(struct rdmap_connection *rdmap, unsigned side, const struct mpa_fpdu_event *event)
{
    struct rdmap_side *s = &rdmap->side[side];

    s->started = true;
    s->from_start =
        event->number == 0 && !event->after_resync && rdmap->parameters.startup_seen && !rdmap->parameters.midstream;
    if (s->from_start) {
        for (unsigned qn = 0; qn < DDP_QUEUES; qn++) {
            s->queue[qn].known = s->queue[qn].learnt = true;
            s->queue[qn].expected = 1;
        }
        s->tagged.known = true;
        return;
    }
    if (!rdmap->parameters.startup_seen || rdmap->parameters.midstream)
        verdict_lose(rdmap->verdict, WHY_LATE, event->place.frame);
    rdmap_requests_distrust(&s->requests);
    hole(rdmap, side);
    INVARIANT(s->hole && !s->from_start && s->requests.incomplete);
}

static void note_time(struct rdmap_connection *rdmap, int64_t time_ns)
{
    if (rdmap->latest_ns != 0 && time_ns - rdmap->latest_ns >= rdmap->options.t_idle) {
        rdmap_requests_idle(&rdmap->side[0].requests);
        rdmap_requests_idle(&rdmap->side[1].requests);
    }
    if (time_ns > rdmap->latest_ns)
        rdmap->latest_ns = time_ns;
    INVARIANT(rdmap->latest_ns >= time_ns);
}

void rdmap_connection_fpdu(struct rdmap_connection *rdmap, const struct mpa_fpdu_event *event)
{
    unsigned side = event->place.side & 1u;
    struct rdmap_side *s = &rdmap->side[side];
    struct rdmap_step step = {.fpdu = event,
                              .side = side,
                              .acked_known = event->acked_known || s->acked_known,
                              .acked = event->acked_known ? event->acked : s->acked};

    if (rdmap->finished || s->reset) /* captured after the RST although sent before it: messages are closed already */
        return;
    give_up_gap(rdmap, other_side(side));
    if (!s->started)
        connection_start(rdmap, side, event);
    else if (event->after_resync || s->gap)
        bridge_gap(rdmap, side, event);
    if (s->hole_open)
        s->hole_to = event->fpdu.offset;
    s->hole_open = false;
    note_time(rdmap, event->place.time_ns);
    s->end = event->fpdu.offset + event->fpdu.length;
    s->last = event->place;
    INVARIANT(s->started && !s->gap && (!s->from_start || s->end > 0));
    if (event->crc == MPA_CRC_WRONG) { /* MPA has judged it; it may have been any message (RFC 5044 section 8) */
        lose_fpdu(rdmap, side, event);
        if (!rdmap->verdict->off)
            rdmap_reaction_segment(rdmap, &step);
        return;
    }
    if ((event->faulty || event->fpdu.cut) && !event->has_ddp) {
        lose_fpdu(rdmap, side, event);
        return;
    }
    if (!event->has_ddp) {
        if (!rdmap->verdict->off) {
            ddp_judge_no_header(rdmap, &step);
            rdmap_close_segment(rdmap, &step);
            rdmap_reaction_segment(rdmap, &step);
        }
        lose_fpdu(rdmap, side, event);
        return;
    }
    step.ddp = &event->ddp;
    step.info = rdmap_opcode_info(event->ddp.opcode);
    step.ends = event->ddp.last;
    connection_segment(rdmap, &step);
    INVARIANT(s->segments > 0 && s->messages <= s->segments);
}

/* ---- the other inputs ---- */

void rdmap_connection_parameters(struct rdmap_connection *rdmap, enum mpa_phase phase,
                                 const struct mpa_parameters *parameters)
{
    rdmap->phase = phase;
    rdmap->parameters = *parameters;
    /* An end that has received only the startup frame has received no request. */
    for (unsigned side = 0; side < 2; side++)
        if (!rdmap->side[side].started && parameters->startup_seen)
            rdmap->side[side].end = parameters->full_from[side];
}

void rdmap_connection_skipped(struct rdmap_connection *rdmap, unsigned side)
{
    struct rdmap_side *s = &rdmap->side[side & 1u];

    if (rdmap->finished)
        return;
    if (s->started) {
        s->gap = true;
        connection_tell_skipped(rdmap, side & 1u);
        return;
    }
    s->started = true; /* the missing octets may have been the first messages */
    rdmap_requests_distrust(&s->requests);
    hole(rdmap, side & 1u);
}

void rdmap_connection_acked(struct rdmap_connection *rdmap, unsigned side, bool known, uint64_t acked)
{
    rdmap->side[side].acked_known = known;
    rdmap->side[side].acked = acked;
}

void rdmap_connection_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place)
{
    struct rdmap_side *s = &rdmap->side[side];

    if (s->reset || (s->fin && !reset) || rdmap->finished)
        return;
    give_up_gap(rdmap, 0);
    give_up_gap(rdmap, 1);
    s->fin |= !reset;
    s->reset = reset;
    s->end_place = *place;
    ddp_untagged_end(rdmap, side, !reset);
    ddp_tagged_end(rdmap, side, !reset);
    INVARIANT(!s->tagged.open && !s->queue[DDP_QN_SEND].open && !s->queue[DDP_QN_READ_REQUEST].open);
    if (rdmap->verdict->off)
        return;
    rdmap_close_end(rdmap, side, reset, place);
    rdmap_reaction_end(rdmap, side, reset, place);
}

void rdmap_connection_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    if (rdmap->finished)
        return;
    for (unsigned side = 0; side < 2; side++) {
        give_up_gap(rdmap, side);
        ddp_untagged_end(rdmap, side, false);
        ddp_tagged_end(rdmap, side, false);
        INVARIANT(!rdmap->side[side].tagged.open && !rdmap->side[side].gap);
    }
    rdmap->finished = true;
    if (rdmap->verdict->off)
        return;
    ddp_stream_finish(rdmap, time_ns);
    rdmap_read_finish(rdmap, time_ns);
    rdmap_atomic_finish(rdmap, time_ns);
    rdmap_close_finish(rdmap, time_ns);
    rdmap_reaction_finish(rdmap, time_ns);
}
