// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of the software's queue pair: from the start-up of MPA to the end of the connection. */
#include "traffic-gen/ends/stack/queue_pair_internal.h"

/* ---- events of MPA ---- */

static void soft_on_requested(void *ctx, const struct mpa_end_terms *terms)
{
    struct soft_qp *qp = ctx;

    if (qp->events.requested)
        qp->events.requested(qp->events.ctx, terms);
}

static void soft_take_terms(struct soft_qp *qp, const struct mpa_end_terms *terms)
{
    qp->version = terms->revision == 0 ? 0 : 1;
    qp->ird = terms->ird == MPA_IRD_ORD_NOT_NEGOTIATED ? qp->options.ird : terms->ird;
    qp->ord = terms->ord == MPA_IRD_ORD_NOT_NEGOTIATED ? qp->options.ord : terms->ord;
    /* An RTR Read is served even if the IRD is 0 (RFC 6581 section 9.2). */
    if (terms->role == MPA_END_RESPONDER && terms->rtr & MPA_RTR_READ)
        qp->ird = MAX(qp->ird, 1);
    qp->ready = true;
}

static void soft_on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct soft_qp *qp = ctx;

    soft_take_terms(qp, terms);
    /* The ULP sees the peer's private data before anything is sent; work that it posts waits for the RTR. */
    qp->pumping = true;
    if (qp->events.established)
        qp->events.established(qp->events.ctx, terms);
    qp->pumping = false;
    if (terms->role == MPA_END_INITIATOR && terms->peer_to_peer && !qp->closing && !qp->terminated)
        qp_send_rtr(qp, terms);
    soft_qp_pump(qp);
}

static void on_may_send(void *ctx)
{
    soft_qp_pump(ctx);
}

static void soft_on_ulpdu(void *ctx, const uint8_t *p, size_t n, bool rtr)
{
    qp_receive_ulpdu(ctx, p, n, rtr);
}

/* The Terminate cause for an error of the LLP: RFC 5044 section 8, RFC 6581 section 8. 0: only closes. */
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
    struct soft_qp *qp = ctx;
    const struct mpa_end_terms *terms = mpa_end_get_terms(qp->mpa);

    qp->failed = true;
    if (terms && !qp->ready) /* an unacceptable enhanced Reply */
        soft_take_terms(qp, terms);
    if (qp->events.failed)
        qp->events.failed(qp->events.ctx, error);
    if (llp_causes[error])
        qp_fail(qp, llp_causes[error]);
    qp->terminated = true;
    qp_flush(qp);
}

/*
 * The peer sends nothing more, so work that waits for its answer is lost. This side still answers the peer's requests
 * and sends posted work, and then closes too.
 */
static void soft_on_ended(void *ctx, bool reset)
{
    struct soft_qp *qp = ctx;
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
    soft_qp_pump(qp);
    if (qp->events.ended)
        qp->events.ended(qp->events.ctx, !qp->failed);
}

/* ---- functions of every provider ---- */

static void soft_free(struct qp *base)
{
    struct soft_qp *qp = soft_qp_of(base);

    for (GList *link = qp->items.head; link; link = link->next)
        qp_item_free(link->data);
    g_queue_clear(&qp->items);
    g_queue_clear(&qp->asked);
    g_queue_clear_full(&qp->requests, g_free);
    g_queue_clear_full(&qp->answered, g_free);
    for (unsigned qn = 0; qn < QP_QUEUES; qn++) {
        if (qp->queues[qn].octets)
            g_byte_array_unref(qp->queues[qn].octets);
    }
    mpa_end_free(qp->mpa);
    g_free(qp);
}

static void soft_start(struct qp *base)
{
    mpa_end_start(soft_qp_of(base)->mpa);
}

static void soft_tick(struct qp *base)
{
    struct soft_qp *qp = soft_qp_of(base);

    mpa_end_tick(qp->mpa);
    soft_qp_pump(qp);
}

static void soft_repost(struct qp *base, unsigned receives)
{
    struct soft_qp *qp = soft_qp_of(base);

    qp->receives += MIN(receives, UINT_MAX - qp->receives);
}

static void soft_close(struct qp *base, bool reset)
{
    struct soft_qp *qp = soft_qp_of(base);

    qp->closing = true;
    if (reset) {
        qp->failed = true;
        mpa_end_close(qp->mpa, true);
        qp_flush(qp);
    } else {
        soft_qp_pump(qp);
    }
}

static bool soft_closed(const struct qp *base)
{
    return mpa_end_closed(((const struct soft_qp *)(const void *)base)->mpa);
}

static const struct mpa_end_terms *soft_terms(const struct qp *base)
{
    return mpa_end_get_terms(((const struct soft_qp *)(const void *)base)->mpa);
}

static struct qp *soft_make(const struct qp_options *options, struct memory *memory, const struct stream *stream,
                            const struct qp_events *events)
{
    struct soft_qp *qp = g_new0(struct soft_qp, 1);
    const struct mpa_end_events mpa_events = {
        .ctx = qp,
        .requested = soft_on_requested,
        .established = soft_on_established,
        .may_send = on_may_send,
        .ulpdu = soft_on_ulpdu,
        .error = on_error,
        .ended = soft_on_ended,
    };

    qp->base.provider = &qp_software;
    qp->options = *options;
    qp->options.receive_size = MIN(options->receive_size, UINT32_MAX);
    qp->events = *events;
    qp->memory = memory;
    qp->stream = *stream;
    qp->receives = options->receives;
    for (unsigned qn = 0; qn < QP_QUEUES; qn++)
        qp->queues[qn].msn = 1;
    qp->mpa = mpa_end_new(&options->mpa, stream, &mpa_events);
    return &qp->base;
}

const struct qp_provider qp_software = {
    .make = soft_make,
    .free = soft_free,
    .start = soft_start,
    .tick = soft_tick,
    .post = soft_qp_post,
    .repost = soft_repost,
    .pending = soft_qp_pending,
    .close = soft_close,
    .terminate = soft_qp_terminate,
    .closed = soft_closed,
    .terms = soft_terms,
};

/* ---- functions of this provider only ---- */

struct soft_qp *soft_qp_of(struct qp *qp)
{
    return qp->provider == &qp_software ? (struct soft_qp *)(void *)qp : NULL;
}

struct mpa_end *qp_mpa(struct qp *qp)
{
    struct soft_qp *soft = soft_qp_of(qp);

    return soft ? soft->mpa : NULL;
}

void qp_set_spoil(struct qp *qp, const struct qp_spoil *spoil)
{
    struct soft_qp *soft = soft_qp_of(qp);

    if (soft)
        soft->spoil = spoil ? *spoil : (struct qp_spoil){0};
}

void qp_receive(struct qp *qp, const uint8_t *p, size_t n)
{
    struct mpa_end *mpa = qp_mpa(qp);

    if (mpa)
        mpa_end_receive(mpa, p, n);
}

void qp_receive_fin(struct qp *qp)
{
    struct mpa_end *mpa = qp_mpa(qp);

    if (mpa)
        mpa_end_receive_fin(mpa);
}

void qp_receive_reset(struct qp *qp)
{
    struct mpa_end *mpa = qp_mpa(qp);

    if (mpa)
        mpa_end_receive_reset(mpa);
}

void qp_pump(struct qp *qp)
{
    struct soft_qp *soft = soft_qp_of(qp);

    if (soft)
        soft_qp_pump(soft);
}
