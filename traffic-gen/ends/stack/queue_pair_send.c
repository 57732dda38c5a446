// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How a queue pair sends: answers in the order of the peer's requests, and posted work in its order (RFC 5040 section
 * 5.5), one message at a time, cut at the MULPDU.
 */
#include "traffic-gen/ends/stack/queue_pair_internal.h"
#include "wire/atomic.h"
#include "wire/octets.h"

#include <string.h>

enum { RTR_STAG = 1 /* not checked (RFC 6581 section 9.2), but some hardware refuses 0 */ };

/* ---- completions ---- */

void qp_item_free(struct qp_item *item)
{
    if (!item->work.lent)
        g_free((void *)item->work.p);
    g_free(item);
}

void qp_complete(struct soft_qp *qp)
{
    struct qp_item *item;

    while ((item = g_queue_peek_head(&qp->items)) && item->completed) {
        g_queue_pop_head(&qp->items);
        if (!item->rtr && qp->events.completed)
            qp->events.completed(qp->events.ctx, item->work.cookie, item->status, item->original);
        qp_item_free(item);
    }
}

void qp_flush(struct soft_qp *qp)
{
    qp->next = NULL;
    g_queue_clear(&qp->asked);
    g_queue_clear_full(&qp->requests, g_free);
    for (GList *link = qp->items.head; link; link = link->next) {
        struct qp_item *item = link->data;

        if (!item->completed)
            item->status = QP_FLUSHED;
        item->completed = true;
    }
    qp_complete(qp);
}

/* ---- posting ---- */

static bool is_atomic(const struct qp_item *item)
{
    return item->work.kind == QP_FETCH_ADD || item->work.kind == QP_CMP_SWAP;
}

static bool send_asks(const struct qp_item *item)
{
    return item->work.kind == QP_READ || is_atomic(item);
}

bool soft_qp_post(struct qp *base, const struct qp_work *work)
{
    struct soft_qp *qp = soft_qp_of(base);
    bool carries = work->kind == QP_SEND || work->kind == QP_WRITE;
    struct qp_item *item;
    uint8_t *sink;

    if (qp->closing || qp->terminated || mpa_end_closed(qp->mpa))
        return false;
    if (work->n > UINT32_MAX || (work->kind == QP_READ && work->n > 0 &&
                                 memory_access_by(qp->memory, qp, work->sink_stag, work->sink_to, work->n, 0, &sink)))
        return false;
    item = g_new0(struct qp_item, 1);
    item->work = *work;
    if (!carries || work->n == 0)
        item->work.p = NULL;
    else if (!work->lent)
        item->work.p = g_memdup2(work->p, work->n);
    g_queue_push_tail(&qp->items, item);
    if (!qp->next)
        qp->next = qp->items.tail;
    soft_qp_pump(qp);
    return true;
}

unsigned soft_qp_pending(const struct qp *base)
{
    const struct soft_qp *qp = (const struct soft_qp *)(const void *)base;
    unsigned n = 0;

    for (const GList *link = qp->items.head; link; link = link->next)
        n += !((const struct qp_item *)link->data)->rtr;
    return n;
}

/* ---- segments ---- */

static struct ddp_segment header_of(const struct soft_qp *qp, enum rdmap_opcode opcode)
{
    return (struct ddp_segment){.last = true, .dv = qp->version, .rv = qp->version, .opcode = (uint8_t)opcode};
}

static void queue_pair_send_segment(struct soft_qp *qp, const struct ddp_segment *ddp, const uint8_t *p, size_t n)
{
    uint8_t head[DDP_UNTAGGED_HEADER_LEN];

    mpa_end_send(qp->mpa, head, ddp_header_encode(ddp, head, sizeof head), p, n);
}

/* Sends an Untagged message of one segment. */
static void send_untagged(struct soft_qp *qp, enum rdmap_opcode opcode, uint32_t qn, const uint8_t *p, size_t n)
{
    struct ddp_segment ddp = header_of(qp, opcode);

    ddp.qn = qn;
    ddp.msn = ++qp->send_msn[qn];
    queue_pair_send_segment(qp, &ddp, p, n);
}

/* Whether another message can follow this one without waiting for the peer. */
static bool another_follows(const struct soft_qp *qp)
{
    const struct qp_item *item = qp->next && qp->next->next ? qp->next->next->data : NULL;

    return item && (item->work.kind == QP_SEND || item->work.kind == QP_WRITE) && item->work.n > 0;
}

/* Sends the next segment of a Send or Write; true for the last one. */
static bool queue_pair_send_part(struct soft_qp *qp, struct qp_item *item)
{
    static const enum rdmap_opcode sends[2][2] = {{RDMAP_SEND, RDMAP_SEND_SE},
                                                  {RDMAP_SEND_INVALIDATE, RDMAP_SEND_SE_INVALIDATE}};
    const struct qp_work *work = &item->work;
    bool tagged = work->kind == QP_WRITE;
    struct ddp_segment ddp = header_of(qp, tagged ? RDMAP_WRITE : sends[work->invalidate][work->solicited]);
    size_t room = mpa_end_ulpdu_max(qp->mpa) - (tagged ? DDP_TAGGED_HEADER_LEN : DDP_UNTAGGED_HEADER_LEN);
    size_t n = MIN(work->n - item->done, room);

    ddp.tagged = tagged;
    ddp.last = item->done + n == work->n;
    if (tagged) {
        ddp.stag = work->remote_stag;
        ddp.to = work->remote_to + item->done;
    } else {
        if (item->done == 0)
            qp->send_msn[DDP_QN_SEND]++;
        ddp.stag = work->invalidate ? work->remote_stag : 0;
        ddp.qn = DDP_QN_SEND;
        ddp.msn = qp->send_msn[DDP_QN_SEND];
        ddp.mo = (uint32_t)item->done;
    }
    if (ddp.last && another_follows(qp))
        mpa_end_more(qp->mpa);
    queue_pair_send_segment(qp, &ddp, work->p ? work->p + item->done : NULL, n);
    item->done += n;
    return ddp.last;
}

static void queue_pair_send_read(struct soft_qp *qp, struct qp_item *item)
{
    const struct rdmap_read_request read = {
        .sink_stag = item->work.sink_stag,
        .sink_to = item->work.sink_to,
        .size = (uint32_t)item->work.n,
        .source_stag = item->work.remote_stag,
        .source_to = item->work.remote_to,
    };
    uint8_t octets[RDMAP_READ_REQUEST_LEN];

    send_untagged(qp, RDMAP_READ_REQUEST, DDP_QN_READ_REQUEST, octets,
                  rdmap_read_request_encode(&read, octets, sizeof octets));
}

static void send_atomic(struct soft_qp *qp, struct qp_item *item)
{
    const struct qp_work *work = &item->work;
    bool swap = work->kind == QP_CMP_SWAP;
    const struct rdmap_atomic_request request = {
        .opcode = swap ? RDMAP_ATOMIC_CMP_SWAP : RDMAP_ATOMIC_FETCH_ADD,
        .identifier = item->identifier = ++qp->identifier,
        .stag = work->remote_stag,
        .to = work->remote_to,
        .data = work->add_swap,
        .mask = work->add_swap_mask,
        /* RFC 7306 section 5.2.1: in a FetchAdd the fields are 0 and all ones. */
        .compare_data = swap ? work->compare : 0,
        .compare_mask = swap ? work->compare_mask : UINT64_MAX,
    };
    uint8_t octets[RDMAP_ATOMIC_REQUEST_LEN];

    send_untagged(qp, RDMAP_ATOMIC_REQUEST, DDP_QN_READ_REQUEST, octets,
                  rdmap_atomic_request_encode(&request, octets, sizeof octets));
}

/* Whether this connection can never do the work. RFC 7306 requires version 1. */
static bool send_is_impossible(const struct soft_qp *qp, const struct qp_item *item)
{
    if (send_asks(item) && !item->rtr)
        return qp->ord == 0 || qp->peer_closed || (is_atomic(item) && qp->version == 0);
    return item->work.kind == QP_IMMEDIATE && qp->version == 0;
}

/* True when the work is completely sent. */
static bool send_item(struct soft_qp *qp, struct qp_item *item)
{
    uint8_t octets[RDMAP_IMMEDIATE_LEN];

    switch (item->work.kind) {
    case QP_SEND:
    case QP_WRITE:
        item->completed = queue_pair_send_part(qp, item);
        return item->completed;
    case QP_READ:
        queue_pair_send_read(qp, item);
        g_queue_push_tail(&qp->asked, item);
        break;
    case QP_FETCH_ADD:
    case QP_CMP_SWAP:
        send_atomic(qp, item);
        g_queue_push_tail(&qp->asked, item);
        break;
    case QP_IMMEDIATE:
        send_untagged(qp, item->work.solicited ? RDMAP_IMMEDIATE_SE : RDMAP_IMMEDIATE, DDP_QN_SEND, octets,
                      rdmap_immediate_encode(item->work.immediate, octets, sizeof octets));
        item->completed = true;
        break;
    }
    return true;
}

/* Sends a segment of the current work. False when there is no work, or it waits for an answer. */
static bool send_work(struct soft_qp *qp)
{
    struct qp_item *item = qp->next ? qp->next->data : NULL;
    const bool flushed = item && send_is_impossible(qp, item);

    if (!item || (!flushed && send_asks(item) && !item->rtr && g_queue_get_length(&qp->asked) >= qp->ord))
        return false;
    if (flushed) {
        item->completed = true;
        item->status = QP_FLUSHED;
    }
    if (item->completed || send_item(qp, item))
        qp->next = qp->next->next;
    qp_complete(qp);
    return true;
}

/* ---- answers ---- */

/* Sends the next segment of a Read Response and advances the request; true for the last segment. */
static bool send_answer_read(struct soft_qp *qp, struct qp_request *request)
{
    struct rdmap_read_request *read = &request->read;
    struct ddp_segment ddp = header_of(qp, RDMAP_READ_RESPONSE);
    size_t room = mpa_end_ulpdu_max(qp->mpa) - DDP_TAGGED_HEADER_LEN, n = MIN(read->size, room);
    uint8_t *source = NULL;

    /* The region may have been invalidated since the request came. */
    if (read->size > 0) {
        enum memory_status status = memory_access_by(qp->memory, qp, read->source_stag, read->source_to, read->size,
                                                     MEMORY_REMOTE_READ, &source);

        if (status != MEMORY_OK) {
            qp_fail_request(qp, qp_protection_causes[status], request);
            return false;
        }
    }
    ddp.tagged = true;
    ddp.last = n == read->size;
    ddp.stag = read->sink_stag;
    ddp.to = read->sink_to;
    if (ddp.last && g_queue_get_length(&qp->requests) > 1)
        mpa_end_more(qp->mpa); /* the answer to the next request */
    queue_pair_send_segment(qp, &ddp, source, n);
    read->sink_to += n;
    read->source_to += n;
    read->size -= (uint32_t)n;
    return ddp.last;
}

/* The operation is done now, in the order of the requests. Words in memory are in network order on every host. */
static bool answer_atomic(struct soft_qp *qp, struct qp_request *request)
{
    const struct rdmap_atomic_request *operation = &request->operation;
    uint8_t octets[RDMAP_ATOMIC_RESPONSE_LEN], *word;
    struct rdmap_atomic_response response = {.identifier = operation->identifier};
    enum memory_status status =
        memory_access_by(qp->memory, qp, operation->stag, operation->to, 8, MEMORY_REMOTE_ATOMIC, &word);
    uint64_t left;

    if (status != MEMORY_OK) {
        qp_fail_request(qp, qp_protection_causes[status], request);
        return false;
    }
    left = response.original = get_be64(word);
    rdmap_atomic_apply(operation, response.original, &left);
    if (qp->spoil.atomic)
        qp->spoil.atomic(qp->spoil.ctx, operation, &left, &response.original);
    put_be64(word, left);
    send_untagged(qp, RDMAP_ATOMIC_RESPONSE, DDP_QN_ATOMIC_RESPONSE, octets,
                  rdmap_atomic_response_encode(&response, octets, sizeof octets));
    return true;
}

static bool send_answer(struct soft_qp *qp)
{
    struct qp_request *request = g_queue_peek_head(&qp->requests);

    if (!request)
        return false;
    if (request->atomic ? answer_atomic(qp, request) : send_answer_read(qp, request)) {
        /* The head is still in the queue: only a flush could have removed it. */
        if (!qp->terminated) {
            request->end = mpa_end_position(qp->mpa);
            g_queue_push_tail(&qp->answered, g_queue_pop_head(&qp->requests));
        }
    }
    return true;
}

/* ---- the pump ---- */

static bool in_midst_of_work(const struct soft_qp *qp)
{
    const struct qp_item *item = qp->next ? qp->next->data : NULL;

    return item && item->done > 0 && !send_asks(item);
}

void soft_qp_pump(struct soft_qp *qp)
{
    if (qp->pumping || !qp->ready)
        return;
    qp->pumping = true;
    while (!qp->terminated && mpa_end_may_send(qp->mpa) && qp->stream.room(qp->stream.ctx) > 0) {
        /* Messages are not interleaved, as segments of two Tagged messages could not be told apart (RFC 5041 5.3). */
        if (in_midst_of_work(qp) ? send_work(qp) : send_answer(qp) || send_work(qp))
            continue;
        break;
    }
    qp->pumping = false;
    if (qp->closing && !qp->terminated && g_queue_is_empty(&qp->items) && g_queue_is_empty(&qp->requests))
        mpa_end_close(qp->mpa, false);
}

void qp_send_rtr(struct soft_qp *qp, const struct mpa_end_terms *terms)
{
    struct qp_item *item = g_new0(struct qp_item, 1);

    item->rtr = true;
    item->work.remote_stag = item->work.sink_stag = RTR_STAG;
    if (terms->rtr & MPA_RTR_WRITE)
        item->work.kind = QP_WRITE;
    else if (terms->rtr & MPA_RTR_READ)
        item->work.kind = QP_READ;
    else
        item->work.kind = QP_SEND;
    g_queue_push_head(&qp->items, item);
    qp->next = qp->items.head;
    soft_qp_pump(qp);
}
