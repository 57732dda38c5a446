// SPDX-License-Identifier: GPL-2.0-or-later
/* A queue pair's life: from the start-up of MPA to the end of the connection. */
#include "traffic-gen/stack/queue_pair.h"

#include "traffic-gen/stack/queue_pair_internal.h"

/* ---- events of MPA ---- */

static void on_requested(void *ctx, const struct mpa_end_terms *terms)
{
    struct qp *qp = ctx;

    if (qp->events.requested)
        qp->events.requested(qp->events.ctx, terms);
}

static void take_terms(struct qp *qp, const struct mpa_end_terms *terms)
{
    qp->version = terms->revision == 0 ? 0 : 1;
    qp->ird = terms->ird == MPA_IRD_ORD_NOT_NEGOTIATED ? qp->options.ird : terms->ird;
    qp->ord = terms->ord == MPA_IRD_ORD_NOT_NEGOTIATED ? qp->options.ord : terms->ord;
    /* An RTR Read is served, however few Reads are (RFC 6581 section 9.2). */
    if (terms->role == MPA_END_RESPONDER && terms->rtr & MPA_RTR_READ)
        qp->ird = MAX(qp->ird, 1);
    qp->ready = true;
}

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct qp *qp = ctx;

    take_terms(qp, terms);
    /* The ULP looks at the peer's private data before anything is sent; what it posts waits for the RTR. */
    qp->pumping = true;
    if (qp->events.established)
        qp->events.established(qp->events.ctx, terms);
    qp->pumping = false;
    if (terms->role == MPA_END_INITIATOR && terms->peer_to_peer && !qp->closing && !qp->terminated)
        qp_send_rtr(qp, terms);
    qp_pump(qp);
}

static void on_may_send(void *ctx)
{
    qp_pump(ctx);
}

static void on_ulpdu(void *ctx, const uint8_t *p, size_t n, bool rtr)
{
    qp_receive_ulpdu(ctx, p, n, rtr);
}

/* Errors of the LLP that a Terminate reports: RFC 5044 section 8, RFC 6581 section 8. 0: the connection is only closed.
 */
static const unsigned llp_causes[] = {
    [MPA_END_BAD_FPDU] = QP_CAUSE(2, 0, 0x03),
    [MPA_END_BAD_CRC] = QP_CAUSE(2, 0, 0x02),
    [MPA_END_BAD_MARKER] = QP_CAUSE(2, 0, 0x03),
    [MPA_END_NO_RTR] = QP_CAUSE(2, 0, 0x07),
    [MPA_END_IRD_ORD] = QP_CAUSE(2, 0, 0x06),
    [MPA_END_LOCAL] = QP_CAUSE(2, 0, 0x05),
    [MPA_END_CUT_OFF] = 0,
};

static void on_error(void *ctx, enum mpa_end_error error)
{
    struct qp *qp = ctx;
    const struct mpa_end_terms *terms = mpa_end_get_terms(qp->mpa);

    qp->failed = true;
    if (terms && !qp->ready) /* an unacceptable enhanced Reply */
        take_terms(qp, terms);
    if (qp->events.failed)
        qp->events.failed(qp->events.ctx, error);
    if (llp_causes[error])
        qp_fail(qp, llp_causes[error]);
    qp->terminated = true;
    qp_flush(qp);
}

/*
 * The peer sends nothing more, so what waits for its answer is lost. Its own requests are still answered, and posted
 * work is still sent, before this side closes too.
 */
static void on_ended(void *ctx, bool reset)
{
    struct qp *qp = ctx;
    struct qp_item *item;

    qp->peer_closed = true;
    if (!qp->options.keep_open || reset)
        qp->closing = true;
    while ((item = g_queue_pop_head(&qp->asked))) {
        item->completed = true;
        item->status = QP_FLUSHED;
        qp->failed |= !item->rtr;
    }
    qp_complete(qp);
    if (reset || !mpa_end_may_send(qp->mpa)) {
        qp->failed |= reset;
        qp_flush(qp);
        if (!reset && !qp->options.keep_open)
            mpa_end_close(qp->mpa, false);
    }
    qp_pump(qp);
    if (qp->events.ended)
        qp->events.ended(qp->events.ctx, !qp->failed);
}

/* ---- life ---- */

struct qp *qp_new(const struct qp_options *options, struct memory *memory, const struct stream *stream,
                  const struct qp_events *events)
{
    struct qp *qp = g_new0(struct qp, 1);
    const struct mpa_end_events mpa_events = {
        .ctx = qp,
        .requested = on_requested,
        .established = on_established,
        .may_send = on_may_send,
        .ulpdu = on_ulpdu,
        .error = on_error,
        .ended = on_ended,
    };

    qp->options = *options;
    qp->options.receive_size = MIN(options->receive_size, UINT32_MAX);
    qp->events = *events;
    qp->memory = memory;
    qp->stream = *stream;
    qp->receives = options->receives;
    for (unsigned qn = 0; qn < QP_QUEUES; qn++)
        qp->queues[qn].msn = 1;
    qp->mpa = mpa_end_new(&options->mpa, stream, &mpa_events);
    return qp;
}

void qp_free(struct qp *qp)
{
    for (GList *link = qp->items.head; link; link = link->next)
        qp_item_free(link->data);
    g_queue_clear(&qp->items);
    g_queue_clear(&qp->asked);
    g_queue_clear_full(&qp->requests, g_free);
    for (unsigned qn = 0; qn < QP_QUEUES; qn++) {
        if (qp->queues[qn].octets)
            g_byte_array_unref(qp->queues[qn].octets);
    }
    mpa_end_free(qp->mpa);
    g_free(qp);
}

struct mpa_end *qp_mpa(struct qp *qp)
{
    return qp->mpa;
}

void qp_set_spoil(struct qp *qp, const struct qp_spoil *spoil)
{
    qp->spoil = spoil ? *spoil : (struct qp_spoil){0};
}

void qp_start(struct qp *qp)
{
    mpa_end_start(qp->mpa);
}

void qp_receive(struct qp *qp, const uint8_t *p, size_t n)
{
    mpa_end_receive(qp->mpa, p, n);
}

void qp_receive_fin(struct qp *qp)
{
    mpa_end_receive_fin(qp->mpa);
}

void qp_receive_reset(struct qp *qp)
{
    mpa_end_receive_reset(qp->mpa);
}

void qp_tick(struct qp *qp)
{
    mpa_end_tick(qp->mpa);
    qp_pump(qp);
}

void qp_repost(struct qp *qp, unsigned receives)
{
    qp->receives += MIN(receives, UINT_MAX - qp->receives);
}

void qp_close(struct qp *qp, bool reset)
{
    qp->closing = true;
    if (reset) {
        qp->failed = true;
        mpa_end_close(qp->mpa, true);
        qp_flush(qp);
    } else {
        qp_pump(qp);
    }
}
