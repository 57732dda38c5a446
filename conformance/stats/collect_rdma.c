// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA operations, on any carrier. */
#include "conformance/stats/collect_internal.h"
#include "engine/core/heap.h"

#include <string.h>

enum { OF_SENDS, OF_WRITES, OF_ANSWERS };

/* A part of an RDMA message. */
struct collected_part {
    enum stat_kind kind;
    bool answer; /* of a Read or Atomic */
    uint8_t side;
    bool first, last, complete;
    uint64_t message; /* the same for all parts of a message */
    uint64_t operation;
    uint64_t octets;
    int64_t time_ns;
};

/* ---- Reads and Atomics in flight ---- */

static unsigned reads_in_flight(const struct collector *collector, unsigned side)
{
    return collector->side[side].n_requests - collector->side[side].n_over;
}

/* Accounts for the time up to now. */
static void account_reads(struct collector *collector, unsigned side, int64_t now)
{
    struct stat_reads *reads = &collector->now->reads[side];
    unsigned n = reads_in_flight(collector, side);
    uint64_t time = time_since(collector->side[side].reads_since_ns, now);

    if (n > 0 && time > 0) {
        reads->n[READS_BUSY] += time;
        reads->n[READS_AT_LIMIT] += reads->limit != 0 && n >= reads->limit ? time : 0;
        histogram_add(&reads->outstanding, n, time);
    }
    collector->side[side].reads_since_ns = now;
}

void collector_read_limit(struct collector *collector, unsigned side, uint32_t limit)
{
    if (limit != 0)
        collector->now->reads[side].limit = limit;
}

static void remove_request(struct collector *collector, unsigned side, unsigned at)
{
    struct request *all = collector->side[side].requests;

    collector->side[side].n_over -= all[at].over;
    memmove(&all[at], &all[at + 1], (--collector->side[side].n_requests - at) * sizeof *all);
}

static void begin_request(struct collector *collector, const struct collected_part *part)
{
    unsigned side = part->side;
    unsigned *n = &collector->side[side].n_requests;

    account_reads(collector, side, part->time_ns);
    if (!collector->side[side].requests)
        collector->side[side].requests = heap_get(REQUESTS_MAX * sizeof(struct request));
    if (*n == REQUESTS_MAX) {
        unsigned at = 0;

        while (at < collector->side[side].n_requests && !collector->side[side].requests[at].over)
            at++;
        if (at < collector->side[side].n_requests)
            remove_request(collector, side, at);
    }
    if (*n == REQUESTS_MAX || part->operation == 0 || !collector->side[side].requests)
        return;
    collector->side[side].requests[(*n)++] =
        (struct request){.operation = part->operation, .time_ns = part->time_ns, .kind = part->kind};
    if (reads_in_flight(collector, side) > collector->now->reads[side].most)
        collector->now->reads[side].most = reads_in_flight(collector, side);
}

/* NULL: the request was not seen, or is not followed. Answers come in order, so the request is among the first. */
static struct request *rdma_request_of(struct collector *collector, unsigned side, uint64_t operation)
{
    for (unsigned i = 0; operation != 0 && i < collector->side[side].n_requests; i++)
        if (collector->side[side].requests[i].operation == operation)
            return &collector->side[side].requests[i];
    return NULL;
}

static void lose_requests(struct collector *collector, unsigned side)
{
    for (unsigned i = 0; i < collector->side[side].n_requests; i++) {
        struct stat_operations *operations =
            statistics_operations(collector->now, side, collector->side[side].requests[i].kind);

        if (operations && !collector->side[side].requests[i].over)
            operations->unanswered++;
    }
}

void collect_forget_requests(struct collector *collector, unsigned side)
{
    lose_requests(collector, side);
    collector->side[side].n_requests = collector->side[side].n_over = 0;
}

void collect_unanswered(struct collector *collector)
{
    lose_requests(collector, 0);
    lose_requests(collector, 1);
}

/* ---- messages ---- */

/* NULL: the message began before the captured part. */
static const struct begun *rdma_take_message(struct collector *collector, const struct collected_part *part,
                                             unsigned class)
{
    struct begun *begun = &collector->side[part->side].begun[class];

    if (part->first)
        *begun = (struct begun){.known = true, .message = part->message, .since_ns = part->time_ns};
    else if (!begun->known || begun->message != part->message)
        return NULL;
    begun->octets += part->octets;
    begun->parts++;
    return part->complete ? begun : NULL;
}

static void rdma_count(const struct collector *collector, struct stat_operations *operations,
                       const struct begun *message, int64_t now)
{
    operations->count++;
    operations->octets += message->octets;
    operations->parts += collector->now->tapped ? 0 : message->parts;
    histogram_add(&operations->sizes, message->octets, 1);
    histogram_add(&operations->moving, time_since(message->since_ns, now), 1);
    operations->first_ns = message->since_ns < operations->first_ns ? message->since_ns : operations->first_ns;
    operations->last_ns = now > operations->last_ns ? now : operations->last_ns;
}

/* Answers to concurrent requests may mix when packets are retransmitted. */
static const struct begun *take_followed(struct request *request, const struct collected_part *part)
{
    struct begun *answered = &request->answered;

    if (!answered->known)
        *answered = (struct begun){.known = true, .message = part->message, .since_ns = part->time_ns};
    answered->octets += part->octets;
    answered->parts++;
    return part->complete ? answered : NULL;
}

/* For the side that sent the request. */
static void rdma_take_answer(struct collector *collector, const struct collected_part *part)
{
    unsigned side = part->side ^ 1u;
    struct request *request = rdma_request_of(collector, side, part->operation);
    const struct begun *whole = request ? take_followed(request, part) : rdma_take_message(collector, part, OF_ANSWERS);
    struct stat_operations *operations = statistics_operations(collector->now, side, part->kind);

    if (!operations)
        return;
    if (whole)
        rdma_count(collector, operations, whole, part->time_ns);
    if (!request)
        return;
    if (!request->begun)
        histogram_add(&operations->first, time_since(request->time_ns, part->time_ns), 1);
    request->begun = true;
    if (part->complete) {
        histogram_add(&operations->answered, time_since(request->time_ns, part->time_ns), 1);
        operations->first_ns = request->time_ns < operations->first_ns ? request->time_ns : operations->first_ns;
        account_reads(collector, side, part->time_ns);
        remove_request(collector, side, (unsigned)(request - collector->side[side].requests));
    } else if (part->last && !request->over) {
        account_reads(collector, side, part->time_ns);
        request->over = true;
        collector->side[side].n_over++;
    }
}

/* A part that begins or ends a message, or belongs to a Read or Atomic. */
__attribute__((noinline)) static void rdma_take_part(struct collector *collector, const struct collected_part *part)
{
    if (part->answer) {
        rdma_take_answer(collector, part);
    } else if (part->kind == STAT_READ || part->kind == STAT_ATOMIC) {
        begin_request(collector, part);
    } else {
        const struct begun *whole = rdma_take_message(collector, part, part->kind == STAT_WRITE ? OF_WRITES : OF_SENDS);
        struct stat_operations *operations =
            whole ? statistics_operations(collector->now, part->side, part->kind) : NULL;

        if (operations)
            rdma_count(collector, operations, whole, part->time_ns);
    }
}

/* A part in the middle of a Write or Send, as most are. */
static bool rdma_goes_on(struct collector *collector, const struct collected_part *part)
{
    struct begun *begun = &collector->side[part->side].begun[part->kind == STAT_WRITE ? OF_WRITES : OF_SENDS];

    if (part->first || part->complete || part->answer || part->kind == STAT_READ || part->kind == STAT_ATOMIC)
        return false;
    if (begun->known && begun->message == part->message) {
        begun->octets += part->octets;
        begun->parts++;
    }
    return true;
}

static inline void collect_part(struct collector *collector, const struct collected_part *part)
{
    uint64_t *bin = collect_bin(collector, part->time_ns);

    if (bin)
        bin[part->side == 0 ? SERIES_TO_RESPONDER : SERIES_TO_INITIATOR] += part->octets;
    if (part->kind != STAT_NONE && !rdma_goes_on(collector, part))
        rdma_take_part(collector, part);
}

/* ---- iWARP ---- */

static const struct {
    uint8_t kind;
    bool answer;
} opcodes[16] = {
    [RDMAP_WRITE] = {STAT_WRITE, false},
    [RDMAP_READ_REQUEST] = {STAT_READ, false},
    [RDMAP_READ_RESPONSE] = {STAT_READ, true},
    [RDMAP_SEND] = {STAT_SEND, false},
    [RDMAP_SEND_INVALIDATE] = {STAT_SEND_INVALIDATE, false},
    [RDMAP_SEND_SE] = {STAT_SEND, false},
    [RDMAP_SEND_SE_INVALIDATE] = {STAT_SEND_INVALIDATE, false},
    [RDMAP_TERMINATE] = {STAT_NONE, false},
    [RDMAP_IMMEDIATE] = {STAT_IMMEDIATE, false},
    [RDMAP_IMMEDIATE_SE] = {STAT_IMMEDIATE, false},
    [RDMAP_ATOMIC_REQUEST] = {STAT_ATOMIC, false},
    [RDMAP_ATOMIC_RESPONSE] = {STAT_ATOMIC, true},
    [12] = {STAT_NONE, false},
    [13] = {STAT_NONE, false},
    [14] = {STAT_NONE, false},
    [15] = {STAT_NONE, false},
};

void collector_rdmap(struct collector *collector, const struct rdmap_segment_event *event)
{
    const struct ddp_segment *ddp = &event->fpdu->ddp;
    const struct collected_part part = {.kind = (enum stat_kind)opcodes[ddp->opcode & 0x0F].kind,
                                        .answer = opcodes[ddp->opcode & 0x0F].answer,
                                        .side = event->fpdu->place.side & 1u,
                                        .first = event->in_message && event->index == 0 && event->first_known,
                                        .last = ddp->last,
                                        .complete = event->complete,
                                        .message = event->message,
                                        .operation = event->operation,
                                        .octets = ddp->payload_len,
                                        .time_ns = event->fpdu->place.time_ns};

    if (event->in_message && !event->rtr)
        collect_part(collector, &part);
}

/* ---- RoCE, InfiniBand ---- */

static const struct {
    uint8_t kind;
    bool answer;
} messages[] = {
    [IB_MESSAGE_SEND] = {STAT_SEND, false},        [IB_MESSAGE_WRITE] = {STAT_WRITE, false},
    [IB_MESSAGE_READ] = {STAT_READ, false},        [IB_MESSAGE_READ_RESPONSE] = {STAT_READ, true},
    [IB_MESSAGE_ACK] = {STAT_NONE, false},         [IB_MESSAGE_ATOMIC] = {STAT_ATOMIC, false},
    [IB_MESSAGE_ATOMIC_ACK] = {STAT_ATOMIC, true},
};

void collector_ib_part(struct collector *collector, const struct ib_rc_part *part)
{
    unsigned side = part->place.side & 1u;
    struct stat_carrier *carrier = &collector->now->carrier[side];
    struct collected_part collected = {.kind = (enum stat_kind)messages[part->kind].kind,
                                       .answer = messages[part->kind].answer,
                                       .side = (uint8_t)side,
                                       .first = part->index == 0 && part->first_known,
                                       .last = part->last,
                                       .complete = part->complete,
                                       .message = part->message,
                                       .operation = part->operation,
                                       .octets = part->length,
                                       .time_ns = part->place.time_ns};

    if (part->packet->headers & IB_HAS_INVALIDATE)
        collected.kind = STAT_SEND_INVALIDATE;
    if (part->packet->tap.found) /* nobody saw the operation */
        collected.kind = STAT_NONE;
    collector->now->tapped |= part->packet->tap.tapped;
    collector->now->whole &= part->packet->payload_captured >= part->packet->payload_len;
    if (part->length > 0 && !part->packet->tap.tapped) {
        carrier->n[CARRIER_PACKETS]++;
        carrier->n[CARRIER_OCTETS] += part->length;
        carrier->segment_most = part->length > carrier->segment_most ? (uint32_t)part->length : carrier->segment_most;
        histogram_add(&carrier->sizes, part->length, 1);
    }
    collect_part(collector, &collected);
}

/* Whether PSN a is b, or lies in the half of the circle after b. */
static bool psn_reaches(uint32_t a, uint32_t b)
{
    return ((a - b) & IB_PSN_MASK) <= IB_PSN_MASK / 2;
}

/* The engine has just counted this packet as a retransmission. */
static void take_ib_repeated(struct collector *collector, unsigned side, const struct ib_packet *packet,
                             const struct ib_rc_counts *counts, int64_t time_ns)
{
    struct stat_carrier *carrier = &collector->now->carrier[side];
    uint64_t requests = counts->retransmitted[side] - collector->side[side].ib_retransmitted;
    uint64_t responses = counts->repeated_responses[side] - collector->side[side].ib_repeated;
    uint64_t *bin;

    if (requests + responses == 0)
        return;
    collector->side[side].ib_retransmitted = counts->retransmitted[side];
    collector->side[side].ib_repeated = counts->repeated_responses[side];
    carrier->n[CARRIER_RETRANSMITTED_PACKETS] += responses;
    carrier->n[CARRIER_RETRANSMITTED] += responses > 0 ? packet->payload_len : 0;
    if (requests > 0)
        collect_again(collector, side, requests, packet->payload_len);
    bin = collect_bin(collector, time_ns);
    if (bin)
        bin[SERIES_REPEATED] += requests + responses;
    collector->side[side].timed.pending = false;
}

static bool theirs_acked(struct collector *collector, unsigned side)
{
    bool acked = collector->side[side].acked;

    collector->side[side].acked = false;
    return acked;
}

void collector_ib_packet(struct collector *collector, unsigned side, const struct ib_packet *packet,
                         const struct ib_rc_counts *counts, uint32_t frame, int64_t time_ns)
{
    unsigned other = side ^ 1u;
    struct timed *mine = &collector->side[side].timed, *theirs = &collector->side[other].timed;
    struct stat_carrier *carrier = &collector->now->carrier[side];
    enum ib_aeth_kind kind = packet->headers & IB_HAS_AETH ? ib_aeth_kind(packet->aeth.syndrome) : IB_AETH_RESERVED;

    collect_time(collector, frame, time_ns);
    collector->side[side].seen_ns = time_ns;
    if (collector->acked && theirs_acked(collector, other))
        collector->acked(collector, other, collector->side[other].received);
    take_ib_repeated(collector, side, packet, counts, time_ns);
    if (!packet->info)
        return;
    if (packet->info->response) {
        carrier->n[CARRIER_RNR_NAKS] += kind == IB_AETH_RNR_NAK;
        carrier->n[CARRIER_SEQUENCE_NAKS] += kind == IB_AETH_NAK && (packet->aeth.syndrome & 0x1F) == IB_NAK_SEQUENCE;
        if (theirs->pending && kind == IB_AETH_ACK && psn_reaches(packet->bth.psn, (uint32_t)theirs->end)) {
            histogram_add(&collector->now->carrier[other].acked, time_since(theirs->since_ns, time_ns), 1);
            theirs->pending = false;
        }
    } else if (!mine->pending && packet->bth.ack_request && packet->info->message != IB_MESSAGE_READ) {
        *mine = (struct timed){true, packet->bth.psn, time_ns};
    }
}
