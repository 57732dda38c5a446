// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a queue pair receives: each segment passes the checks of RFC 5041 section 7.1 and RFC 5040 section 7.2 (RFC 7306
 * section 8.2), is placed, and messages are delivered. A failed check is answered with a Terminate that has its number.
 */
#include "traffic-gen/ends/stack/queue_pair_internal.h"
#include "wire/atomic.h"

#include <string.h>

enum {
    /* DDP, Tagged and Untagged Buffer Errors: RFC 5041 section 7.2. */
    TAGGED_STAG = QP_CAUSE(1, 1, 0x00),
    TAGGED_BOUNDS = QP_CAUSE(1, 1, 0x01),
    TAGGED_FOREIGN = QP_CAUSE(1, 1, 0x02),
    TAGGED_WRAP = QP_CAUSE(1, 1, 0x03),
    TAGGED_VERSION = QP_CAUSE(1, 1, 0x04),
    UNTAGGED_QN = QP_CAUSE(1, 2, 0x01),
    UNTAGGED_NO_BUFFER = QP_CAUSE(1, 2, 0x02),
    UNTAGGED_MSN = QP_CAUSE(1, 2, 0x03),
    UNTAGGED_MO = QP_CAUSE(1, 2, 0x04),
    UNTAGGED_TOO_LONG = QP_CAUSE(1, 2, 0x05),
    UNTAGGED_VERSION = QP_CAUSE(1, 2, 0x06),
    /* RDMAP: RFC 5040 Figure 9. */
    ACCESS_RIGHTS = QP_CAUSE(0, 1, 0x02),
    CANNOT_BE_INVALIDATED = QP_CAUSE(0, 1, 0x09),
    RDMAP_VERSION = QP_CAUSE(0, 2, 0x05),
    UNEXPECTED_OPCODE = QP_CAUSE(0, 2, 0x06),
    UNSPECIFIED = QP_CAUSE(0, 2, 0xFF),
};

enum { FORGIVEN_MAX = 1 << 20 /* largest Message Offset that a fault may let pass */ };

/* The current segment. */
struct segment {
    const uint8_t *p; /* the ULPDU */
    size_t n;
    struct ddp_segment ddp;
    bool rtr;
};

/* True when a fault lets it pass. */
static bool receive_fail(struct soft_qp *qp, unsigned cause, const struct segment *segment)
{
    if (qp->spoil.judge)
        cause = qp->spoil.judge(qp->spoil.ctx, cause, segment->p, segment->n);
    if (cause == 0)
        return true;
    if (cause != QP_DROP)
        qp_fail_about(qp, cause, segment->p, segment->n);
    return false;
}

/* ---- RDMAP's control octet ---- */

static bool check_opcode(struct soft_qp *qp, const struct segment *segment)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(segment->ddp.opcode);

    if (segment->ddp.rv != qp->version)
        return receive_fail(qp, RDMAP_VERSION, segment);
    /* RFC 7306 defines its messages for version 1 only. */
    if (!info || info->tagged != segment->ddp.tagged || (info->rfc_version_only && qp->version == 0))
        return receive_fail(qp, UNEXPECTED_OPCODE, segment);
    if (!info->tagged && info->queue != (int)segment->ddp.qn)
        return receive_fail(qp, UNEXPECTED_OPCODE, segment);
    return true;
}

/* ---- Tagged ---- */

/*
 * STag, bounds and wrap are DDP's to check, but DDP has no code for a region without write access: RDMAP's code is
 * used. STag and TO of a segment without payload are not checked (RFC 5041 section 5.2).
 */
static bool receive_place(struct soft_qp *qp, const struct segment *segment, unsigned rights)
{
    static const unsigned causes[] = {
        [MEMORY_NO_STAG] = TAGGED_STAG,  [MEMORY_FOREIGN] = TAGGED_FOREIGN, [MEMORY_BOUNDS] = TAGGED_BOUNDS,
        [MEMORY_ACCESS] = ACCESS_RIGHTS, [MEMORY_WRAP] = TAGGED_WRAP,
    };
    enum memory_status status;
    uint8_t *sink;

    if (segment->ddp.payload_len == 0)
        return true;
    status =
        memory_access_by(qp->memory, qp, segment->ddp.stag, segment->ddp.to, segment->ddp.payload_len, rights, &sink);
    if (status != MEMORY_OK)
        return receive_fail(qp, causes[status], segment);
    memcpy(sink, segment->ddp.payload, segment->ddp.payload_len);
    return true;
}

static void receive_answered(struct soft_qp *qp, struct qp_item *item, uint64_t original)
{
    g_queue_pop_head(&qp->asked);
    item->completed = true;
    item->original = original;
    qp_complete(qp);
    soft_qp_pump(qp); /* the ORD allows another Read */
}

/* Responses come in the order of the requests, so a Response answers the oldest request in flight. */
static void receive_read_response(struct soft_qp *qp, const struct segment *segment)
{
    struct qp_item *item = g_queue_peek_head(&qp->asked);
    const struct ddp_segment *ddp = &segment->ddp;

    if (!item || item->work.kind != QP_READ) {
        receive_fail(qp, UNEXPECTED_OPCODE, segment);
        return;
    }
    if (ddp->payload_len > 0) {
        uint64_t from = ddp->to - item->work.sink_to;
        uint8_t *sink;

        /* A Read's Response may only write to the region that the Read named. */
        if (memory_access_by(qp->memory, qp, ddp->stag, ddp->to, ddp->payload_len, 0, &sink) == MEMORY_OK &&
            (ddp->stag != item->work.sink_stag || from > item->work.n || ddp->payload_len > item->work.n - from)) {
            receive_fail(qp, TAGGED_BOUNDS, segment);
            return;
        }
        if (!receive_place(qp, segment, 0))
            return;
    }
    item->done += ddp->payload_len;
    if (!ddp->last)
        return;
    if (item->done != item->work.n)
        receive_fail(qp, UNSPECIFIED, segment);
    else
        receive_answered(qp, item, 0);
}

static void receive_tagged(struct soft_qp *qp, const struct segment *segment)
{
    if (segment->ddp.dv != qp->version && !receive_fail(qp, TAGGED_VERSION, segment))
        return;
    if (!check_opcode(qp, segment))
        return;
    if (segment->ddp.opcode == RDMAP_WRITE)
        receive_place(qp, segment, MEMORY_REMOTE_WRITE);
    else
        receive_read_response(qp, segment);
}

/* ---- requests of the peer ---- */

static struct qp_request *receive_request_of(const struct segment *segment, bool atomic)
{
    struct qp_request *request = g_new0(struct qp_request, 1);

    memcpy(request->header, segment->p, sizeof request->header);
    request->ulpdu_length = (uint16_t)segment->n;
    request->atomic = atomic;
    return request;
}

static void receive_read_request(struct soft_qp *qp, const struct segment *segment, const uint8_t *p, size_t n)
{
    struct rdmap_read_request read;
    struct qp_request *request;
    enum memory_status status = MEMORY_OK;
    uint8_t *source;

    if (n != RDMAP_READ_REQUEST_LEN || !rdmap_read_request_decode(&read, p, n)) {
        receive_fail(qp, UNSPECIFIED, segment);
        return;
    }
    request = receive_request_of(segment, false);
    request->read = read;
    if (read.size > 0) /* otherwise STag and TO are not checked (RFC 5040 section 7.2) */
        status =
            memory_access_by(qp->memory, qp, read.source_stag, read.source_to, read.size, MEMORY_REMOTE_READ, &source);
    if (status == MEMORY_OK) {
        g_queue_push_tail(&qp->requests, request);
        soft_qp_pump(qp);
    } else {
        unsigned cause = qp_protection_causes[status];

        if (qp->spoil.judge)
            cause = qp->spoil.judge(qp->spoil.ctx, cause, segment->p, segment->n);
        if (cause != 0 && cause != QP_DROP)
            qp_fail_request(qp, cause, request);
        g_free(request);
    }
}

static void receive_atomic_request(struct soft_qp *qp, const struct segment *segment, const uint8_t *p, size_t n)
{
    struct rdmap_atomic_request operation;
    struct qp_request *request;
    enum memory_status status;
    uint64_t result;
    uint8_t *word;

    if (n != RDMAP_ATOMIC_REQUEST_LEN || !rdmap_atomic_request_decode(&operation, p, n)) {
        receive_fail(qp, UNSPECIFIED, segment);
        return;
    }
    if (!rdmap_atomic_apply(&operation, 0, &result)) {
        receive_fail(qp, UNEXPECTED_OPCODE, segment); /* the standard has no code for an unknown AOpCode */
        return;
    }
    status = memory_access_by(qp->memory, qp, operation.stag, operation.to, 8, MEMORY_REMOTE_ATOMIC, &word);
    if (status != MEMORY_OK) {
        receive_fail(qp, qp_protection_causes[status], segment);
        return;
    }
    request = receive_request_of(segment, true);
    request->operation = operation;
    g_queue_push_tail(&qp->requests, request);
    soft_qp_pump(qp);
}

static void receive_atomic_response(struct soft_qp *qp, const struct segment *segment, const uint8_t *p, size_t n)
{
    struct qp_item *item = g_queue_peek_head(&qp->asked);
    struct rdmap_atomic_response response;

    if (!item || n != RDMAP_ATOMIC_RESPONSE_LEN || !rdmap_atomic_response_decode(&response, p, n) ||
        item->work.kind == QP_READ || response.identifier != item->identifier)
        receive_fail(qp, UNSPECIFIED, segment);
    else
        receive_answered(qp, item, response.original);
}

/* ---- the other messages ---- */

static void receive_send(struct soft_qp *qp, const struct segment *segment, const uint8_t *p, size_t n)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(segment->ddp.opcode);
    struct qp_message message = {.opcode = segment->ddp.opcode, .p = p, .n = n};

    if (info->invalidates) {
        if (!memory_may_invalidate(qp->memory, qp, segment->ddp.stag)) {
            receive_fail(qp, CANNOT_BE_INVALIDATED, segment);
            return;
        }
        memory_invalidate(qp->memory, segment->ddp.stag);
        message.invalidated = true;
        message.invalidated_stag = segment->ddp.stag;
    }
    if (!info->ulp_data && (n != RDMAP_IMMEDIATE_LEN || !rdmap_immediate_decode(&message.immediate, p, n))) {
        receive_fail(qp, UNSPECIFIED, segment);
        return;
    }
    if (qp->events.received)
        qp->events.received(qp->events.ctx, &message);
    qp->receives += qp->options.repost;
}

/* Nothing comes after the peer's Terminate, and unfinished work is lost (RFC 5040 section 5.4). */
static void receive_terminate(struct soft_qp *qp, const uint8_t *p, size_t n)
{
    struct rdmap_terminate terminate = {0};

    qp->terminated = true;
    qp->failed = true;
    /* A truncated Terminate is reported as far as it was received, and never answered with another Terminate. */
    rdmap_terminate_decode(&terminate, p, n);
    if (qp->events.terminated)
        qp->events.terminated(qp->events.ctx, false, &terminate);
    mpa_end_close(qp->mpa, false);
    qp_flush(qp);
}

static void receive_deliver(struct soft_qp *qp, const struct segment *segment, const uint8_t *p, size_t n)
{
    switch (segment->ddp.opcode) {
    case RDMAP_READ_REQUEST:
        receive_read_request(qp, segment, p, n);
        break;
    case RDMAP_TERMINATE:
        receive_terminate(qp, p, n);
        break;
    case RDMAP_ATOMIC_REQUEST:
        receive_atomic_request(qp, segment, p, n);
        break;
    case RDMAP_ATOMIC_RESPONSE:
        receive_atomic_response(qp, segment, p, n);
        break;
    default:
        receive_send(qp, segment, p, n);
    }
}

/* ---- Untagged ---- */

/* Size of a Receive buffer of that queue. */
static size_t buffer_size(const struct soft_qp *qp, uint32_t qn)
{
    static const size_t sizes[QP_QUEUES] = {
        [DDP_QN_READ_REQUEST] = RDMAP_ATOMIC_REQUEST_LEN,
        [DDP_QN_TERMINATE] = RDMAP_TERMINATE_LEN_MAX,
        [DDP_QN_ATOMIC_RESPONSE] = RDMAP_ATOMIC_RESPONSE_LEN,
    };

    return qn == DDP_QN_SEND ? qp->options.receive_size : sizes[qn];
}

/*
 * A request is outstanding until the last octet of its answer is acknowledged (RFC 6581 section 4.1): a peer may ask as
 * often as its ORD says, but the answers that its TCP has not taken still occupy this side.
 */
static unsigned outstanding(struct soft_qp *qp)
{
    uint64_t unacknowledged = qp->stream.unacknowledged ? qp->stream.unacknowledged(qp->stream.ctx) : 0;
    const struct qp_request *request;

    while ((request = g_queue_peek_head(&qp->answered)) && request->end + unacknowledged <= mpa_end_position(qp->mpa))
        g_free(g_queue_pop_head(&qp->answered));
    return g_queue_get_length(&qp->requests) + g_queue_get_length(&qp->answered);
}

/* Takes a buffer for a new message; false when none is free. */
static bool take_buffer(struct soft_qp *qp, uint32_t qn)
{
    const struct qp_item *item = g_queue_peek_head(&qp->asked);

    switch (qn) {
    case DDP_QN_SEND:
        if (qp->receives == 0)
            return false;
        qp->receives--;
        return true;
    case DDP_QN_READ_REQUEST:
        return outstanding(qp) < qp->ird;
    case DDP_QN_ATOMIC_RESPONSE:
        return item != NULL;
    default:
        return true;
    }
}

static bool check_untagged(struct soft_qp *qp, const struct segment *segment)
{
    const struct ddp_segment *ddp = &segment->ddp;
    struct qp_queue *queue;

    if (ddp->dv != qp->version && !receive_fail(qp, UNTAGGED_VERSION, segment))
        return false;
    if (ddp->qn >= QP_QUEUES || (ddp->qn == DDP_QN_ATOMIC_RESPONSE && qp->version == 0))
        return receive_fail(qp, UNTAGGED_QN, segment) && ddp->qn < QP_QUEUES;
    queue = &qp->queues[ddp->qn];
    if (ddp->msn != queue->msn && !receive_fail(qp, UNTAGGED_MSN, segment))
        return false;
    if (!check_opcode(qp, segment))
        return false;
    if (queue->open && (queue->opcode != ddp->opcode || queue->stag != ddp->stag))
        return receive_fail(qp, UNEXPECTED_OPCODE, segment);
    return true;
}

/* Most segments start at the next expected octet; if such a segment is too long, the message is too long. */
static bool check_offset(struct soft_qp *qp, const struct segment *segment)
{
    const struct ddp_segment *ddp = &segment->ddp;
    size_t size = buffer_size(qp, ddp->qn);

    if (ddp->mo <= size && ddp->payload_len <= size - ddp->mo)
        return true;
    return receive_fail(qp, ddp->mo == qp->queues[ddp->qn].got ? UNTAGGED_TOO_LONG : UNTAGGED_MO, segment) &&
           ddp->mo <= FORGIVEN_MAX;
}

/* Begins a message in a buffer of the queue. */
static bool receive_open_message(struct soft_qp *qp, struct qp_queue *queue, const struct segment *segment)
{
    if (!take_buffer(qp, segment->ddp.qn) && !receive_fail(qp, UNTAGGED_NO_BUFFER, segment))
        return false;
    queue->open = true;
    queue->opcode = segment->ddp.opcode;
    queue->stag = segment->ddp.stag;
    queue->got = 0;
    return true;
}

/* A message in several segments: placed by MO in any order, the last segment last. */
static const uint8_t *place_untagged(struct qp_queue *queue, const struct ddp_segment *ddp)
{
    const size_t end = ddp->mo + ddp->payload_len;

    if (!queue->octets)
        queue->octets = g_byte_array_new();
    if (queue->octets->len < end)
        g_byte_array_set_size(queue->octets, (guint)end);
    if (ddp->payload_len > 0)
        memcpy(queue->octets->data + ddp->mo, ddp->payload, ddp->payload_len);
    return queue->octets->data;
}

static void receive_untagged(struct soft_qp *qp, const struct segment *segment)
{
    const struct ddp_segment *ddp = &segment->ddp;
    struct qp_queue *queue;
    const uint8_t *p = ddp->payload;

    if (!check_untagged(qp, segment))
        return;
    queue = &qp->queues[ddp->qn];
    /* The RTR does not consume a Receive buffer here; nobody can see this (RFC 6581 section 9.2). */
    if (segment->rtr && ddp->opcode == RDMAP_SEND) {
        queue->msn++;
        return;
    }
    if ((!queue->open && !receive_open_message(qp, queue, segment)) || !check_offset(qp, segment))
        return;
    queue->got += (uint32_t)ddp->payload_len;
    if (!ddp->last || queue->got != ddp->payload_len)
        p = place_untagged(queue, ddp);
    if (!ddp->last)
        return;
    if (queue->got != ddp->mo + ddp->payload_len) { /* octets are missing or came twice */
        receive_fail(qp, UNTAGGED_MO, segment);
        return;
    }
    queue->open = false;
    queue->msn++; /* 32 bits: 0 follows 0xFFFFFFFF */
    receive_deliver(qp, segment, p, ddp->mo + ddp->payload_len);
}

void qp_receive_ulpdu(struct soft_qp *qp, const uint8_t *p, size_t n, bool rtr)
{
    struct segment segment = {.p = p, .n = n, .rtr = rtr};

    if (qp->terminated)
        return;
    if (qp->spoil.judge) {
        unsigned cause = qp->spoil.judge(qp->spoil.ctx, 0, p, n);

        if (cause != 0 && cause != QP_DROP)
            qp_fail_about(qp, cause, p, n);
        if (cause != 0)
            return;
    }
    if (!ddp_segment_decode(&segment.ddp, p, n))
        receive_fail(qp, UNSPECIFIED, &segment);
    else if (segment.ddp.tagged)
        receive_tagged(qp, &segment);
    else
        receive_untagged(qp, &segment);
}
