// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A device's queue pair as a provider of traffic-gen/ends/stack/queue_pair.h. The device gets work in the order of
 * posting, as much as its send queue holds, all signalled. Completions are passed on in that order, which devices keep,
 * except that soft iWARP reports a Send or Write after a Read before that Read.
 */
#include "traffic-gen/live/verbs/verbs_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>

enum {
    SENDS_MAX = 512,     /* of the send queue */
    RECEIVES_SPARE = 64, /* for Receives reposted beyond the first ones */
    POLL_AT_ONCE = 32,
    TURNS = 128,
    RETRIES = 7, /* retry_count; RNR retries have no limit */
    MESSAGE_MAX = 1 << 30,
    RECEIVE_MARK = 1, /* bit of wr_id: a Receive, with the buffer's number above; else the number of the work */
};

/* Posted work, from qp_post() until its completion. */
struct item {
    uint64_t number;
    struct qp_work work;
    struct verbs_buffer *buffer; /* SEND, WRITE: the octets */
    struct verbs_region *bind;   /* binds a memory window and has no completion. NULL: the region has ended meanwhile */
    bool binds, owns_region;     /* owns_region: the region ended when the device already had the work */
    uint64_t address;            /* READ: the sink */
    uint32_t lkey;
    bool given; /* given to the device */
    bool completed;
    enum qp_status status;
};

struct verbs_qp {
    struct qp base;          /* the first member */
    struct verbs_link *link; /* NULL: freed together with the device's objects */
    struct qp_options options;
    struct qp_events events;
    struct memory *memory;
    struct verbs_memory device;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct mpa_end_terms terms;
    unsigned ird, ord; /* limits of this side */
    bool up, closing, broken, ended, completing;
    bool lost; /* the connection was gone when the device sent something */
    /* Receiving. */
    uint8_t *octets; /* of the Receive buffers */
    size_t receive_size;
    struct ibv_mr *octets_mr;
    unsigned receives; /* number of buffers */
    unsigned *idle;    /* numbers of the buffers that the device does not have */
    unsigned n_idle;
    unsigned wanted; /* Receives that could not be posted for lack of a buffer */
    /* Sending. */
    GQueue items; /* struct item */
    GList *next;  /* the first of items that the device does not have */
    unsigned given, given_max;
    uint64_t posted; /* number of the latest work */
};

static struct verbs_qp *of(struct qp *base)
{
    return (struct verbs_qp *)(void *)base;
}

static void item_free(struct verbs_qp *qp, struct item *item)
{
    if (item->owns_region)
        verbs_region_free(&qp->device, item->bind);
    if (item->buffer)
        verbs_buffer_give(&qp->device, item->buffer);
    g_free(item);
}

/* ---- completions ---- */

static void verbs_qp_complete(struct verbs_qp *qp)
{
    struct item *item;

    if (qp->completing) /* called from a completion event */
        return;
    qp->completing = true;
    while ((item = g_queue_peek_head(&qp->items)) && item->completed) {
        if (qp->next == qp->items.head)
            qp->next = qp->next->next;
        g_queue_pop_head(&qp->items);
        if (!item->binds && qp->events.completed)
            qp->events.completed(qp->events.ctx, item->work.cookie, item->status, 0);
        item_free(qp, item);
    }
    qp->completing = false;
    if (qp->closing && qp->link && g_queue_is_empty(&qp->items))
        verbs_link_disconnect(qp->link);
}

static void verbs_qp_flush(struct verbs_qp *qp)
{
    for (GList *link = qp->items.head; link; link = link->next) {
        struct item *item = link->data;

        if (!item->completed)
            item->status = QP_FLUSHED;
        item->completed = true;
    }
    qp->next = NULL;
    verbs_qp_complete(qp);
}

bool verbs_qp_is_broken(const struct verbs_qp *qp)
{
    return qp->broken;
}

void verbs_qp_break(struct verbs_qp *qp, enum qp_status status, char *why)
{
    if (!qp->broken && !qp->lost && !qp->ended) {
        qp->broken = true;
        if (qp->events.broken)
            qp->events.broken(qp->events.ctx, status, why);
        if (qp->link)
            verbs_link_break(qp->link, why);
    }
    g_free(why);
}

/* Breaks the queue pair; errno is the reason. */
static void break_with(struct verbs_qp *qp, const char *what)
{
    verbs_qp_break(qp, QP_LOCAL_ERROR, verbs_trouble(what, errno));
}

/* ---- giving work to the device ---- */

static enum ibv_wr_opcode verbs_qp_opcode_of(const struct item *item)
{
    if (item->binds)
        return IBV_WR_BIND_MW;
    switch (item->work.kind) {
    case QP_WRITE:
        return IBV_WR_RDMA_WRITE;
    case QP_READ:
        return IBV_WR_RDMA_READ;
    default:
        return item->work.invalidate ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND;
    }
}

/* Returns 0 or an errno. */
static int verbs_qp_give(struct verbs_qp *qp, struct item *item)
{
    struct ibv_sge piece = {.addr = item->buffer ? (uintptr_t)item->buffer->p : item->address,
                            .length = (uint32_t)item->work.n,
                            .lkey = item->buffer ? item->buffer->mr->lkey : item->lkey};
    struct ibv_send_wr work = {.sg_list = &piece, .num_sge = item->work.n > 0, .opcode = verbs_qp_opcode_of(item)},
                       *bad;
    int status;

    work.wr_id = item->number << 1;
    work.send_flags = IBV_SEND_SIGNALED | (item->work.solicited ? IBV_SEND_SOLICITED : 0);
    if (item->binds) {
        work.num_sge = 0;
        work.bind_mw.mw = item->bind->mw;
        work.bind_mw.rkey = item->bind->rkey;
        work.bind_mw.bind_info = (struct ibv_mw_bind_info){.mr = item->bind->mr,
                                                           .addr = item->bind->address,
                                                           .length = item->bind->n,
                                                           .mw_access_flags = item->bind->window_access};
    } else if (item->work.kind == QP_SEND) {
        work.invalidate_rkey = item->work.remote_stag;
    } else {
        work.wr.rdma.remote_addr = item->work.remote_to;
        work.wr.rdma.rkey = item->work.remote_stag;
    }
    status = qp->link->v->post_send(qp->link->id->qp, &work, &bad);
    if (status == 0 && item->binds)
        item->bind->mw->rkey = item->bind->rkey;
    return status;
}

static bool verbs_qp_is_impossible(const struct verbs_qp *qp, const struct item *item)
{
    if (item->binds)
        return !item->bind;
    return (item->work.kind == QP_READ && qp->terms.ord == 0) || item->work.kind == QP_IMMEDIATE ||
           item->work.kind == QP_FETCH_ADD || item->work.kind == QP_CMP_SWAP;
}

static void pump(struct verbs_qp *qp)
{
    while (qp->next && qp->up && qp->link && !qp->broken && qp->given < qp->given_max) {
        struct item *item = qp->next->data;

        if (verbs_qp_is_impossible(qp, item)) {
            item->completed = true;
            item->status = QP_FLUSHED;
        } else {
            int status = verbs_qp_give(qp, item);

            if (status != 0) {
                errno = status > 0 ? status : -status;
                break_with(qp, item->binds ? "memory window" : "work");
                break;
            }
            item->given = true;
            qp->given++;
        }
        qp->next = qp->next->next;
    }
    verbs_qp_complete(qp);
}

static void push(struct verbs_qp *qp, struct item *item)
{
    item->number = ++qp->posted;
    g_queue_push_tail(&qp->items, item);
    if (!qp->next)
        qp->next = qp->items.tail;
}

/* ---- memory ---- */

static void *on_enter(void *ctx, uint8_t *octets, uint64_t n, unsigned rights, bool invalidable, uint32_t *stag)
{
    struct verbs_qp *qp = ctx;
    struct verbs_region *region = qp->link ? verbs_region_new(&qp->device, octets, n, rights, invalidable) : NULL;

    if (!region) {
        if (qp->link)
            break_with(qp, "registering memory with the device");
        return NULL;
    }
    *stag = region->rkey;
    if (region->mw) {
        struct item *item = g_new0(struct item, 1);

        item->binds = true;
        item->bind = region;
        push(qp, item);
        pump(qp);
    }
    return region;
}

static void on_leave(void *ctx, void *handle)
{
    struct verbs_qp *qp = ctx;

    for (GList *link = qp->items.head; link; link = link->next) {
        struct item *item = link->data;

        if (item->bind != handle)
            continue;
        if (item->given && !item->completed) { /* the peer does not know the STag: it is sent later than this work */
            item->owns_region = true;
            return;
        }
        item->bind = NULL;
    }
    verbs_region_free(&qp->device, handle);
}

/* ---- receiving ---- */

static void post_receives(struct verbs_qp *qp, unsigned n)
{
    qp->wanted += MIN(n, UINT_MAX - qp->wanted);
    while (qp->wanted > 0 && qp->n_idle > 0 && qp->link && !qp->broken) {
        unsigned number = qp->idle[qp->n_idle - 1];
        struct ibv_sge piece = {.addr = (uintptr_t)(qp->octets + number * qp->receive_size),
                                .length = (uint32_t)qp->receive_size,
                                .lkey = qp->octets_mr->lkey};
        struct ibv_recv_wr work = {.wr_id = (uint64_t)number << 1 | RECEIVE_MARK, .sg_list = &piece, .num_sge = 1},
                           *bad;
        int status = qp->link->v->post_recv(qp->link->id->qp, &work, &bad);

        if (status != 0) {
            errno = status > 0 ? status : -status;
            break_with(qp, "Receive");
            return;
        }
        qp->n_idle--;
        qp->wanted--;
    }
}

static void verbs_qp_receive(struct verbs_qp *qp, const struct ibv_wc *wc)
{
    unsigned number = (unsigned)(wc->wr_id >> 1);
    struct qp_message message = {.opcode = RDMAP_SEND};

    if (number >= qp->receives)
        return;
    message.p = qp->octets + number * qp->receive_size;
    message.n = MIN(wc->byte_len, qp->receive_size);
    if (wc->opcode == IBV_WC_RECV_RDMA_WITH_IMM) { /* the octets are in memory, not in the Receive buffer */
        message.opcode = RDMAP_IMMEDIATE;
        message.n = 0;
    }
    if (wc->wc_flags & IBV_WC_WITH_INV) {
        message.opcode = RDMAP_SEND_INVALIDATE;
        message.invalidated = true;
        message.invalidated_stag = wc->invalidated_rkey;
        memory_invalidate(qp->memory, wc->invalidated_rkey);
    }
    verbs_link_up(qp->link); /* may precede the event that the connection is established */
    if (qp->events.received && !qp->ended)
        qp->events.received(qp->events.ctx, &message);
    qp->idle[qp->n_idle++] = number;
    post_receives(qp, qp->options.repost);
}

/* ---- completions of the device ---- */

static enum qp_status verbs_qp_status_of(const struct ibv_wc *wc)
{
    bool received = wc->wr_id & RECEIVE_MARK;

    switch (wc->status) {
    case IBV_WC_SUCCESS:
        return QP_OK;
    case IBV_WC_WR_FLUSH_ERR:
        return QP_FLUSHED;
    case IBV_WC_REM_ACCESS_ERR:
        return received ? QP_LOCAL_ACCESS : QP_REMOTE_ACCESS;
    case IBV_WC_REM_INV_REQ_ERR:
        return received ? QP_LOCAL_LENGTH : QP_REMOTE_INVALID;
    case IBV_WC_REM_OP_ERR:
        return QP_REMOTE_ERROR;
    case IBV_WC_RNR_RETRY_EXC_ERR:
        return QP_NO_RECEIVE;
    case IBV_WC_RETRY_EXC_ERR:
    case IBV_WC_RESP_TIMEOUT_ERR:
        return QP_NO_ANSWER;
    case IBV_WC_LOC_ACCESS_ERR:
        return QP_LOCAL_ACCESS;
    case IBV_WC_LOC_LEN_ERR:
    case IBV_WC_LOC_QP_OP_ERR: /* from soft RoCE, for a message of several packets */
        return received ? QP_LOCAL_LENGTH : QP_LOCAL_ERROR;
    default:
        return QP_LOCAL_ERROR;
    }
}

/*
 * iWARP runs on a stream, which the peer may have closed when the device sends: soft iWARP then completes the work with
 * this status, and also reports a fatal error. This is not an error of the device.
 */
static bool says_lost(const struct verbs_qp *qp, const struct ibv_wc *wc)
{
    return qp->device.iwarp && wc->status == IBV_WC_LOC_QP_OP_ERR && !(wc->wr_id & RECEIVE_MARK);
}

static struct item *given_as(struct verbs_qp *qp, uint64_t wr_id)
{
    for (GList *link = qp->items.head; link; link = link->next) {
        struct item *item = link->data;

        if (item->number == wr_id >> 1)
            return item->given && !item->completed ? item : NULL;
    }
    return NULL;
}

static void verbs_qp_take(struct verbs_qp *qp, const struct ibv_wc *wc)
{
    enum qp_status status = verbs_qp_status_of(wc);
    bool received = wc->wr_id & RECEIVE_MARK;
    struct item *item;

    if (says_lost(qp, wc)) {
        status = QP_FLUSHED;
        qp->lost = qp->closing = true;
        verbs_link_disconnect(qp->link);
    } else if (status == QP_OK) {
        qp->link->moved_at = live_now();
    } else if (status != QP_FLUSHED) {
        verbs_qp_break(qp, status,
                       g_strdup_printf("%s (%s)", qp_status_text(status), qp->link->v->wc_status_str(wc->status)));
    }
    if (received && status == QP_OK)
        verbs_qp_receive(qp, wc);
    if (received || !(item = given_as(qp, wc->wr_id)))
        return;
    qp->given--;
    item->completed = true;
    item->status = status;
    pump(qp);
}

void verbs_qp_poll(struct verbs_qp *qp)
{
    struct ibv_wc wc[POLL_AT_ONCE];
    int n;

    /* A peer that never pauses must not block the loop: the next tick handles the rest. */
    for (unsigned turn = 0; turn < TURNS && qp->link && qp->cq; turn++) {
        n = qp->link->v->poll_cq(qp->cq, POLL_AT_ONCE, wc);
        if (n <= 0)
            return;
        for (int i = 0; i < n; i++)
            verbs_qp_take(qp, &wc[i]);
    }
}

static void on_completions(struct live_watch *watch, uint32_t events)
{
    struct verbs_link *link = ((struct verbs_watch *)(void *)watch)->link;
    struct verbs_qp *qp = link->qp;
    struct ibv_cq *cq;
    void *ctx;
    unsigned n = 0;

    (void)events;
    if (!qp)
        return;
    while (link->v->get_cq_event(qp->channel, &cq, &ctx) == 0)
        n++;
    if (n > 0)
        link->v->ack_cq_events(qp->cq, n);
    link->v->req_notify_cq(qp->cq, 0); /* before polling, so that no completion is missed */
    verbs_qp_poll(qp);
}

/* ---- life ---- */

void verbs_qp_established(struct verbs_qp *qp)
{
    const struct verbs_link *link = qp->link;

    qp->terms = (struct mpa_end_terms){
        .role = qp->options.mpa.role,
        .revision = 1,
        .ird = (uint16_t)MIN(qp->ird, link->peer_ird),
        .ord = (uint16_t)MIN(qp->ord, link->peer_ord),
        .peer_data = link->peer_data,
        .peer_length = link->peer_length,
    };
    if (qp->events.established)
        qp->events.established(qp->events.ctx, &qp->terms);
    qp->up = true; /* now, as the ULP looks at the private data before anything is sent */
    pump(qp);
}

void verbs_qp_end(struct verbs_qp *qp)
{
    if (qp->ended)
        return;
    qp->closing = true;
    qp->up = false;
    verbs_qp_flush(qp);
    qp->ended = true;
    if (qp->events.ended)
        qp->events.ended(qp->events.ctx, qp->link && qp->link->orderly && !qp->broken && !qp->lost);
}

void verbs_qp_release(struct verbs_qp *qp)
{
    struct verbs_link *link = qp->link;
    const struct verbs_calls *v = link->v;

    verbs_async_leave(link);
    /* Windows first: they are bound to the queue pair, and soft RoCE waits minutes for remaining windows. */
    memory_attach(qp->memory, NULL);
    for (GList *each = qp->items.head; each; each = each->next)
        item_free(qp, each->data);
    g_queue_clear(&qp->items);
    qp->next = NULL;
    if (link->id && link->id->qp)
        v->destroy_qp(link->id);
    if (qp->octets_mr)
        v->dereg_mr(qp->octets_mr);
    if (qp->cq)
        v->destroy_cq(qp->cq);
    if (qp->channel) {
        live_watch_end(link->loop, &link->completions.watch);
        v->destroy_comp_channel(qp->channel);
    }
    verbs_memory_close(&qp->device);
    qp->cq = NULL;
    qp->channel = NULL;
    qp->octets_mr = NULL;
    link->qp = NULL;
    qp->link = NULL;
}

static void free_qp(struct qp *base)
{
    struct verbs_qp *qp = of(base);

    if (qp->link)
        verbs_qp_release(qp);
    g_free(qp->octets);
    g_free(qp->idle);
    g_free(qp);
}

/* The result names what could not be made, with errno. NULL: success. */
static const char *open_objects(struct verbs_qp *qp)
{
    struct verbs_link *link = qp->link;
    const struct verbs_calls *v = link->v;
    struct ibv_context *context = link->id->verbs;
    struct ibv_device_attr can;
    struct ibv_qp_init_attr attributes = {.qp_type = IBV_QPT_RC, .cap = {.max_send_sge = 1, .max_recv_sge = 1}};

    if (v->query_device(context, &can) != 0)
        return "device";
    qp->receives = MIN(qp->options.receives + RECEIVES_SPARE, (unsigned)MAX(can.max_qp_wr, 1));
    qp->given_max = MIN(SENDS_MAX, (unsigned)MAX(can.max_qp_wr, 1));
    if (can.max_cqe > 1 && qp->receives + qp->given_max > (unsigned)can.max_cqe) {
        qp->receives = MIN(qp->receives, (unsigned)can.max_cqe / 2);
        qp->given_max = (unsigned)can.max_cqe - qp->receives;
    }
    qp->ird = MIN(qp->ird, (unsigned)MAX(can.max_qp_rd_atom, 0));
    qp->ord = MIN(qp->ord, (unsigned)MAX(can.max_qp_init_rd_atom, 0));
    if (!verbs_memory_open(&qp->device, v, context, &can))
        return "protection domain";
    qp->octets = g_malloc(qp->receives * qp->receive_size);
    qp->octets_mr = v->reg_mr(qp->device.pd, qp->octets, qp->receives * qp->receive_size, IBV_ACCESS_LOCAL_WRITE);
    if (!qp->octets_mr)
        return "Receive buffers";
    qp->channel = v->create_comp_channel(context);
    if (!qp->channel)
        return "completion channel";
    fcntl(qp->channel->fd, F_SETFL, fcntl(qp->channel->fd, F_GETFL) | O_NONBLOCK);
    link->completions.watch = (struct live_watch){.fd = qp->channel->fd, .ready = on_completions};
    if (!live_watch(link->loop, &link->completions.watch, EPOLLIN))
        return "completion channel";
    qp->cq = v->create_cq(context, (int)(qp->receives + qp->given_max), NULL, qp->channel, 0);
    if (!qp->cq || v->req_notify_cq(qp->cq, 0) != 0)
        return "completion queue";
    attributes.send_cq = attributes.recv_cq = qp->cq;
    attributes.cap.max_recv_wr = qp->receives;
    attributes.cap.max_send_wr = qp->given_max;
    return v->create_qp(link->id, qp->device.pd, &attributes) == 0 ? NULL : "queue pair";
}

static struct qp *verbs_qp_make(const struct qp_options *options, struct memory *memory, const struct stream *stream,
                                const struct qp_events *events)
{
    struct verbs_qp *qp = g_new0(struct verbs_qp, 1);
    const struct mpa_end_wish *wish = &options->mpa;
    const char *missing;

    qp->base.provider = &verbs_provider;
    qp->link = stream->ctx;
    qp->link->qp = qp;
    qp->options = *options;
    qp->events = *events;
    qp->memory = memory;
    qp->receive_size = CLAMP(options->receive_size, 1, MESSAGE_MAX);
    qp->ird = MIN(wish->enhanced ? wish->enhanced_data.ird : options->ird, UINT8_MAX);
    qp->ord = MIN(wish->enhanced ? wish->enhanced_data.ord : options->ord, UINT8_MAX);
    memory_attach(memory, &(struct memory_device){.ctx = qp, .enter = on_enter, .leave = on_leave});
    missing = open_objects(qp);
    qp->idle = g_new(unsigned, MAX(qp->receives, 1));
    if (missing) {
        qp->broken = true;
        verbs_link_fail(qp->link, verbs_trouble(missing, errno));
        return &qp->base;
    }
    while (qp->n_idle < qp->receives) {
        qp->idle[qp->n_idle] = qp->n_idle;
        qp->n_idle++;
    }
    verbs_async_watch(qp->link);
    post_receives(qp, options->receives);
    return &qp->base;
}

static void verbs_qp_start(struct qp *base)
{
    struct verbs_qp *qp = of(base);
    const struct mpa_end_wish *wish = &qp->options.mpa;
    struct rdma_conn_param terms = {
        .private_data = wish->private_data,
        .private_data_len = (uint8_t)MIN(wish->private_length, VERBS_PRIVATE_MAX),
        .responder_resources = (uint8_t)qp->ird,
        .initiator_depth = (uint8_t)qp->ord,
        .retry_count = RETRIES,
        .rnr_retry_count = RETRIES,
    };

    if (!qp->link || qp->broken)
        return;
    if (qp->link->accepted && wish->reject) {
        verbs_link_reject(qp->link, wish->private_data, terms.private_data_len);
        return;
    }
    if (qp->link->accepted) {
        terms.responder_resources = (uint8_t)MIN(qp->ird, qp->link->peer_ird);
        terms.initiator_depth = (uint8_t)MIN(qp->ord, qp->link->peer_ord);
    }
    verbs_link_go(qp->link, &terms);
}

static void verbs_qp_tick(struct qp *base)
{
    struct verbs_qp *qp = of(base);

    if (qp->link && qp->up)
        verbs_qp_poll(qp);
}

static bool verbs_qp_post(struct qp *base, const struct qp_work *work)
{
    struct verbs_qp *qp = of(base);
    bool carries = work->kind == QP_SEND || work->kind == QP_WRITE;
    struct verbs_buffer *buffer = NULL;
    struct verbs_region *sink = NULL;
    uint8_t *at = NULL;
    struct item *item;

    if (!qp->link || qp->closing || qp->broken || qp->ended || work->n > MESSAGE_MAX)
        return false;
    if (work->kind == QP_READ && work->n > 0) {
        sink = memory_handle(qp->memory, work->sink_stag);
        if (!sink || memory_access(qp->memory, work->sink_stag, work->sink_to, work->n, 0, &at) != MEMORY_OK)
            return false;
    }
    if (carries && work->n > 0) {
        buffer = verbs_buffer_take(&qp->device, work->n);
        if (!buffer) {
            break_with(qp, "registering memory with the device");
            return false;
        }
        memcpy(buffer->p, work->p, work->n);
    }
    item = g_new0(struct item, 1);
    item->work = *work;
    item->work.p = NULL;
    item->buffer = buffer;
    item->address = (uintptr_t)at;
    item->lkey = sink ? sink->mr->lkey : 0;
    push(qp, item);
    pump(qp);
    return true;
}

static void repost(struct qp *base, unsigned receives)
{
    post_receives(of(base), receives);
}

static unsigned pending(const struct qp *base)
{
    const struct verbs_qp *qp = (const struct verbs_qp *)(const void *)base;
    unsigned n = 0;

    for (const GList *link = qp->items.head; link; link = link->next)
        n += !((const struct item *)link->data)->binds;
    return n;
}

static void close_qp(struct qp *base, bool reset)
{
    struct verbs_qp *qp = of(base);

    qp->closing = true;
    if (reset)
        qp->broken = true; /* the end is not in order */
    if (qp->link && (reset || g_queue_is_empty(&qp->items) || !qp->up))
        verbs_link_disconnect(qp->link);
}

static void verbs_qp_terminate(struct qp *base, unsigned layer, unsigned etype, unsigned code)
{
    (void)layer, (void)etype, (void)code; /* a device only sends its own Terminates */
    close_qp(base, true);
}

static bool closed(const struct qp *base)
{
    return ((const struct verbs_qp *)(const void *)base)->ended;
}

static const struct mpa_end_terms *terms_of(const struct qp *base)
{
    const struct verbs_qp *qp = (const struct verbs_qp *)(const void *)base;

    return qp->terms.revision ? &qp->terms : NULL;
}

const struct qp_provider verbs_provider = {
    .make = verbs_qp_make,
    .free = free_qp,
    .start = verbs_qp_start,
    .tick = verbs_qp_tick,
    .post = verbs_qp_post,
    .repost = repost,
    .pending = pending,
    .close = close_qp,
    .terminate = verbs_qp_terminate,
    .closed = closed,
    .terms = terms_of,
};
