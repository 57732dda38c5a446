// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An RDMA device for tests on machines that have none: put before librdmacm and libibverbs with LD_PRELOAD, it connects
 * processes through TCP on the loopback, with the semantics that a program sees of a reliable connection: private data,
 * Receives that are there or waited for (RNR), memory that is open for what it was registered for, errors that end the
 * queue pair and complete the rest of the work as flushed.
 *
 * It is InfiniBand to its users: private data are padded to what the CM's messages hold, errors disconnect nobody, and
 * a Send that finds no Receive is retried. With FAKE_RDMA=iwarp private data come as they were sent, and an error or a
 * Send without a Receive disconnects both ends. A connection's frames are executed by one thread per process, as by
 * hardware: memory changes without the program's help.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova
#undef ibv_query_port
#undef ibv_get_device_list

enum { DATA_MAX = 255, IB_REQUEST_DATA = 56, IB_REPLY_DATA = 196, IB_REJECT_DATA = 148, READS_MAX = 16 };
enum { RNR_STEP_US = 20000, RNR_FOREVER = 7, FRAME_MAX = 64 << 20, NO_LISTENER = 8, REJECTED = 28 };

/* ---- what lies on the wire: a header, then n octets ---- */

enum kind { REQUEST, REPLY, REJECT, DISCONNECT, SEND, WRITE, READ, ANSWER };

struct frame {
    uint32_t n, kind;
    uint32_t rkey, length; /* of WRITE, READ; SEND: the rkey to invalidate. REQUEST, REPLY: IRD and ORD */
    uint64_t address;
    uint32_t invalidates, immediate, has_immediate, status, rnr, solicited;
};

struct work {
    uint64_t id;
    enum ibv_wc_opcode opcode;
    bool signaled;
    GArray *pieces; /* struct ibv_sge, of a READ */
    uint32_t n;
};

enum state { IDLE, LISTENS, CONNECTS, IS_ASKED, CONNECTED, DISCONNECTED };

struct fake_id {
    struct rdma_cm_id id;
    enum state state;
    int fd;
    uint32_t interest;
    GByteArray *in, *out;
    bool sent_disconnect, got_disconnect, told;
    struct fake_id *listener;
    struct ibv_qp *qp;
    uint8_t rnr;
};

struct fake_qp {
    struct ibv_qp qp;
    struct fake_id *id;
    GQueue sends, receives; /* struct work */
    bool is_broken, all_signaled;
    int64_t stalled_at; /* when a Send found no Receive; 0: none */
};

struct fake_channel {
    struct rdma_event_channel channel;
    GQueue events;
};

struct fake_event {
    struct rdma_cm_event event;
    uint8_t data[DATA_MAX];
};

struct fake_comp {
    struct ibv_comp_channel channel;
    GQueue events; /* struct ibv_cq */
};

struct fake_cq {
    struct ibv_cq cq;
    GQueue done; /* struct ibv_wc */
    bool armed, solicited_only;
};

struct fake_mr {
    struct ibv_mr mr;
    uint64_t iova;
    int access;
};

struct fake_mw {
    struct ibv_mw mw;
    uint64_t address, length;
    int access;
    bool is_bound;
    struct fake_qp *qp;
};

static GRecMutex lock;
static GHashTable *ids, *regions /* rkey -> fake_mr */, *windows /* rkey -> fake_mw */;
static int epoll_fd = -1;
static uint32_t next_key = 0x100, next_qpn = 0x11;
static struct ibv_context context;
static struct ibv_device device;

static bool is_iwarp(void)
{
    return g_strcmp0(g_getenv("FAKE_RDMA"), "iwarp") == 0;
}

static void poke(int fd)
{
    uint64_t one = 1;

    if (write(fd, &one, sizeof one) < 0)
        abort();
}

/* Takes one from an eventfd; blocks unless it is not to. */
static bool take_poke(int fd)
{
    uint64_t one;
    struct pollfd poller = {.fd = fd, .events = POLLIN};

    for (;;) {
        if (read(fd, &one, sizeof one) == sizeof one)
            return true;
        if (errno != EAGAIN || fcntl(fd, F_GETFL) & O_NONBLOCK)
            return false;
        poll(&poller, 1, -1);
    }
}

/* ---- completions ---- */

static void complete(struct ibv_cq *cq, const struct ibv_wc *wc, bool solicited)
{
    struct fake_cq *fake = (struct fake_cq *)cq;

    g_queue_push_tail(&fake->done, g_memdup2(wc, sizeof *wc));
    if (!fake->armed || !cq->channel || (fake->solicited_only && !solicited && wc->status == IBV_WC_SUCCESS))
        return;
    fake->armed = false;
    g_queue_push_tail(&((struct fake_comp *)cq->channel)->events, cq);
    poke(cq->channel->fd);
}

static void work_free(struct work *work)
{
    if (work->pieces)
        g_array_unref(work->pieces);
    g_free(work);
}

static void complete_work(struct fake_qp *qp, struct work *work, enum ibv_wc_status status)
{
    struct ibv_wc wc = {.wr_id = work->id, .status = status, .opcode = work->opcode, .byte_len = work->n};

    wc.qp_num = qp->qp.qp_num;
    if (work->signaled || status != IBV_WC_SUCCESS)
        complete(qp->qp.send_cq, &wc, false);
    work_free(work);
}

static void flush(struct fake_qp *qp)
{
    struct work *work;

    qp->is_broken = true;
    qp->qp.state = IBV_QPS_ERR;
    while ((work = g_queue_pop_head(&qp->sends)))
        complete_work(qp, work, IBV_WC_WR_FLUSH_ERR);
    while ((work = g_queue_pop_head(&qp->receives))) {
        struct ibv_wc wc = {.wr_id = work->id, .status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV};

        wc.qp_num = qp->qp.qp_num;
        complete(qp->qp.recv_cq, &wc, false);
        work_free(work);
    }
}

/* ---- CM events ---- */

static void tell(struct fake_id *id, enum rdma_cm_event_type type, int status, const struct frame *frame,
                 const uint8_t *data, size_t room)
{
    struct fake_event *event = g_new0(struct fake_event, 1);
    struct fake_channel *channel = (struct fake_channel *)id->id.channel;

    event->event =
        (struct rdma_cm_event){.id = &id->id, .listen_id = &id->listener->id, .event = type, .status = status};
    if (!id->listener)
        event->event.listen_id = NULL;
    if (frame) {
        size_t n = MIN(frame->n, DATA_MAX);

        memcpy(event->data, data, n);
        event->event.param.conn.private_data = event->data;
        event->event.param.conn.private_data_len = (uint8_t)(is_iwarp() ? n : MAX(room, n));
        event->event.param.conn.responder_resources = (uint8_t)frame->rkey; /* the peer's ORD */
        event->event.param.conn.initiator_depth = (uint8_t)frame->length;   /* and its IRD */
        if (event->event.param.conn.private_data_len == 0)
            event->event.param.conn.private_data = NULL;
    }
    g_queue_push_tail(&channel->events, event);
    poke(channel->channel.fd);
}

static void is_over(struct fake_id *id)
{
    if (id->qp)
        flush((struct fake_qp *)id->qp);
    if (id->told)
        return;
    id->told = true;
    if (id->state == CONNECTED || id->state == DISCONNECTED)
        tell(id, RDMA_CM_EVENT_DISCONNECTED, 0, NULL, NULL, 0);
    else if (id->state == CONNECTS)
        tell(id, RDMA_CM_EVENT_REJECTED, is_iwarp() ? -ECONNRESET : NO_LISTENER, NULL, NULL, 0);
    id->state = DISCONNECTED;
}

/* ---- octets ---- */

static void watch(struct fake_id *id, uint32_t interest)
{
    struct epoll_event event = {.events = interest, .data.ptr = id};

    if (interest == id->interest)
        return;
    epoll_ctl(epoll_fd,
              id->interest == 0 ? EPOLL_CTL_ADD
              : interest == 0   ? EPOLL_CTL_DEL
                                : EPOLL_CTL_MOD,
              id->fd, &event);
    id->interest = interest;
}

static void push_out(struct fake_id *id)
{
    while (id->out->len > 0) {
        ssize_t n = send(id->fd, id->out->data, id->out->len, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n <= 0)
            break;
        g_byte_array_remove_range(id->out, 0, (guint)n);
    }
    watch(id, EPOLLIN | (id->out->len > 0 ? EPOLLOUT : 0));
}

static void say(struct fake_id *id, struct frame frame, const void *p, size_t n)
{
    if (id->fd < 0)
        return;
    frame.n = (uint32_t)n;
    g_byte_array_append(id->out, (const uint8_t *)&frame, sizeof frame);
    if (n > 0)
        g_byte_array_append(id->out, p, (guint)n);
    push_out(id);
}

static void hang_up(struct fake_id *id)
{
    if (id->fd < 0)
        return;
    watch(id, 0);
    close(id->fd);
    id->fd = -1;
}

/* iWARP: an error ends the connection at both ends. */
static void break_qp(struct fake_qp *qp)
{
    flush(qp);
    if (is_iwarp() && qp->id) {
        say(qp->id, (struct frame){.kind = DISCONNECT}, NULL, 0);
        qp->id->sent_disconnect = true;
        is_over(qp->id);
    }
}

/* ---- memory ---- */

static uint8_t *open_memory(const struct fake_qp *qp, uint32_t rkey, uint64_t address, uint32_t n, int access)
{
    const struct fake_mr *mr = g_hash_table_lookup(regions, GUINT_TO_POINTER(rkey));
    const struct fake_mw *mw = g_hash_table_lookup(windows, GUINT_TO_POINTER(rkey));

    if (mr && mr->mr.pd == qp->qp.pd && mr->access & access && address >= mr->iova &&
        address - mr->iova <= mr->mr.length && n <= mr->mr.length - (address - mr->iova))
        return (uint8_t *)mr->mr.addr + (address - mr->iova);
    if (mw && mw->is_bound && mw->qp == qp && mw->access & access && address >= mw->address &&
        address - mw->address <= mw->length && n <= mw->length - (address - mw->address))
        return (uint8_t *)(uintptr_t)address;
    return NULL;
}

static bool invalidate(const struct fake_qp *qp, uint32_t rkey)
{
    struct fake_mw *mw = g_hash_table_lookup(windows, GUINT_TO_POINTER(rkey));

    if (!mw || !mw->is_bound || mw->qp != qp)
        return false; /* a region of user space cannot be invalidated by the peer */
    mw->is_bound = false;
    return true;
}

static void scatter(const struct ibv_sge *pieces, unsigned n_pieces, const uint8_t *p, size_t n)
{
    for (unsigned i = 0; i < n_pieces && n > 0; i++) {
        size_t part = MIN(n, pieces[i].length);

        memcpy((void *)(uintptr_t)pieces[i].addr, p, part);
        p += part;
        n -= part;
    }
}

static size_t room_of(const struct work *receive)
{
    size_t n = 0;

    for (guint i = 0; i < receive->pieces->len; i++)
        n += g_array_index(receive->pieces, struct ibv_sge, i).length;
    return n;
}

/* ---- the peer's frames ---- */

static void answer(struct fake_qp *qp, enum ibv_wc_status status, const uint8_t *p, size_t n)
{
    say(qp->id, (struct frame){.kind = ANSWER, .status = status}, p, n);
    if (status != IBV_WC_SUCCESS)
        break_qp(qp);
}

/* False: it waits for a Receive. */
static bool take_send(struct fake_qp *qp, const struct frame *frame, const uint8_t *p)
{
    struct work *receive = g_queue_peek_head(&qp->receives);
    struct ibv_wc wc = {.opcode = IBV_WC_RECV, .byte_len = frame->n, .qp_num = qp->qp.qp_num};
    int64_t now = g_get_monotonic_time();

    if (!receive && (is_iwarp() || (frame->rnr < RNR_FOREVER && qp->stalled_at > 0 &&
                                    now - qp->stalled_at > (int64_t)frame->rnr * RNR_STEP_US))) {
        answer(qp, is_iwarp() ? IBV_WC_REM_OP_ERR : IBV_WC_RNR_RETRY_EXC_ERR, NULL, 0);
        return true;
    }
    if (!receive) {
        qp->stalled_at = qp->stalled_at ? qp->stalled_at : now;
        return false;
    }
    qp->stalled_at = 0;
    g_queue_pop_head(&qp->receives);
    wc.wr_id = receive->id;
    if (frame->invalidates && !invalidate(qp, frame->rkey)) {
        wc.status = IBV_WC_LOC_QP_OP_ERR;
    } else if (frame->n > room_of(receive)) {
        wc.status = IBV_WC_LOC_LEN_ERR;
    } else {
        scatter((const struct ibv_sge *)(void *)receive->pieces->data, receive->pieces->len, p, frame->n);
        wc.wc_flags = (frame->invalidates ? IBV_WC_WITH_INV : 0) | (frame->has_immediate ? IBV_WC_WITH_IMM : 0);
        wc.imm_data = frame->immediate;
        if (frame->invalidates)
            wc.invalidated_rkey = frame->rkey;
    }
    complete(qp->qp.recv_cq, &wc, frame->solicited);
    work_free(receive);
    answer(qp, wc.status == IBV_WC_SUCCESS ? IBV_WC_SUCCESS : IBV_WC_REM_INV_REQ_ERR, NULL, 0);
    return true;
}

static void take_answer(struct fake_qp *qp, const struct frame *frame, const uint8_t *p)
{
    struct work *work = g_queue_pop_head(&qp->sends);

    if (!work)
        return;
    if (frame->status == IBV_WC_SUCCESS && work->opcode == IBV_WC_RDMA_READ)
        scatter((const struct ibv_sge *)(void *)work->pieces->data, work->pieces->len, p, frame->n);
    complete_work(qp, work, frame->status);
    if (frame->status != IBV_WC_SUCCESS)
        break_qp(qp);
}

static bool take_operation(struct fake_qp *qp, const struct frame *frame, const uint8_t *p)
{
    uint8_t *at;

    if (!qp || qp->is_broken)
        return true;
    switch (frame->kind) {
    case SEND:
        return take_send(qp, frame, p);
    case WRITE:
        at = open_memory(qp, frame->rkey, frame->address, frame->n, IBV_ACCESS_REMOTE_WRITE);
        if (at || frame->n == 0)
            memcpy(at ? at : (uint8_t[1]){0}, p, frame->n);
        answer(qp, at || frame->n == 0 ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR, NULL, 0);
        return true;
    case READ:
        at = open_memory(qp, frame->rkey, frame->address, frame->length, IBV_ACCESS_REMOTE_READ);
        answer(qp, at || frame->length == 0 ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR, at, at ? frame->length : 0);
        return true;
    default:
        take_answer(qp, frame, p);
        return true;
    }
}

/* False: it cannot be taken yet. */
static bool take_frame(struct fake_id *id, const struct frame *frame, const uint8_t *p)
{
    switch (frame->kind) {
    case REQUEST:
        id->state = IS_ASKED;
        id->rnr = (uint8_t)frame->rnr;
        tell(id, RDMA_CM_EVENT_CONNECT_REQUEST, 0, frame, p, IB_REQUEST_DATA);
        return true;
    case REPLY:
        id->state = CONNECTED;
        id->rnr = (uint8_t)frame->rnr; /* each side says how often the other one is to try */
        if (id->qp)
            id->qp->state = IBV_QPS_RTS;
        tell(id, RDMA_CM_EVENT_ESTABLISHED, 0, frame, p, IB_REPLY_DATA);
        return true;
    case REJECT:
        id->told = true;
        id->state = DISCONNECTED;
        tell(id, RDMA_CM_EVENT_REJECTED, is_iwarp() ? -ECONNREFUSED : REJECTED, frame, p, IB_REJECT_DATA);
        return true;
    case DISCONNECT:
        id->got_disconnect = true;
        is_over(id);
        return true;
    default:
        return take_operation((struct fake_qp *)id->qp, frame, p);
    }
}

/* Answers and the end are not held up by a Send that waits for a Receive. */
static void take_frames(struct fake_id *id)
{
    bool waits = false;
    guint at = 0;

    while (id->in->len - at >= sizeof(struct frame)) {
        struct frame frame;

        memcpy(&frame, id->in->data + at, sizeof frame);
        if (frame.n > FRAME_MAX)
            abort();
        if (id->in->len - at < sizeof frame + frame.n)
            return;
        if ((waits && frame.kind != ANSWER && frame.kind != DISCONNECT) ||
            !take_frame(id, &frame, id->in->data + at + sizeof frame)) {
            waits = true;
            at += (guint)sizeof frame + frame.n;
        } else {
            g_byte_array_remove_range(id->in, at, (guint)sizeof frame + frame.n);
        }
    }
}

static void accept_one(struct fake_id *listener);

static void receive(struct fake_id *id)
{
    static uint8_t octets[1 << 16];
    ssize_t n = recv(id->fd, octets, sizeof octets, MSG_DONTWAIT);

    if (n > 0) {
        g_byte_array_append(id->in, octets, (guint)n);
        take_frames(id);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        hang_up(id);
        is_over(id);
    }
}

static void ready(struct fake_id *id, uint32_t events)
{
    int error = 0;
    socklen_t n = sizeof error;

    if (id->state == LISTENS) {
        accept_one(id);
        return;
    }
    if (id->state == CONNECTS && events & (EPOLLERR | EPOLLHUP)) {
        getsockopt(id->fd, SOL_SOCKET, SO_ERROR, &error, &n);
        hang_up(id);
        is_over(id);
        return;
    }
    if (events & EPOLLOUT)
        push_out(id);
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        receive(id);
}

static gpointer run(gpointer data)
{
    (void)data;
    for (;;) {
        struct epoll_event event;
        int n = epoll_wait(epoll_fd, &event, 1, 10);
        GHashTableIter iterator;
        gpointer id;

        g_rec_mutex_lock(&lock);
        if (n > 0 && event.data.ptr && g_hash_table_contains(ids, event.data.ptr))
            ready(event.data.ptr, event.events);
        g_hash_table_iter_init(&iterator, ids);
        while (n == 0 && g_hash_table_iter_next(&iterator, &id, NULL)) {
            const struct fake_qp *qp = (const struct fake_qp *)((struct fake_id *)id)->qp;

            if (qp && qp->stalled_at) {
                take_frames(id);
                break; /* which may have changed the table */
            }
        }
        g_rec_mutex_unlock(&lock);
    }
    return NULL;
}

/* ---- the device ---- */

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    struct fake_mw *mw = g_new0(struct fake_mw, 1);

    g_rec_mutex_lock(&lock);
    mw->mw = (struct ibv_mw){.context = &context, .pd = pd, .rkey = (next_key += 0x100), .type = type};
    g_rec_mutex_unlock(&lock);
    return &mw->mw;
}

static int dealloc_mw(struct ibv_mw *mw)
{
    g_rec_mutex_lock(&lock);
    g_hash_table_remove(windows, GUINT_TO_POINTER(mw->rkey));
    g_rec_mutex_unlock(&lock);
    g_free(mw);
    return 0;
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    struct ibv_wc *done;
    int i = 0;

    g_rec_mutex_lock(&lock);
    while (i < n && (done = g_queue_pop_head(&((struct fake_cq *)cq)->done))) {
        wc[i++] = *done;
        g_free(done);
    }
    g_rec_mutex_unlock(&lock);
    return i;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    g_rec_mutex_lock(&lock);
    ((struct fake_cq *)cq)->armed = true;
    ((struct fake_cq *)cq)->solicited_only = solicited_only;
    g_rec_mutex_unlock(&lock);
    return 0;
}

static GArray *pieces_of(const struct ibv_sge *pieces, int n)
{
    GArray *copy = g_array_new(FALSE, FALSE, sizeof *pieces);

    if (n > 0)
        g_array_append_vals(copy, pieces, (guint)n);
    return copy;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *wr, struct ibv_recv_wr **bad)
{
    struct fake_qp *fake = (struct fake_qp *)qp;

    (void)bad;
    g_rec_mutex_lock(&lock);
    for (; wr; wr = wr->next) {
        struct work *work = g_new0(struct work, 1);

        work->id = wr->wr_id;
        work->pieces = pieces_of(wr->sg_list, wr->num_sge);
        g_queue_push_tail(&fake->receives, work);
    }
    if (fake->is_broken)
        flush(fake);
    else if (fake->id)
        take_frames(fake->id);
    g_rec_mutex_unlock(&lock);
    return 0;
}

static void bind_window(struct fake_qp *qp, const struct ibv_send_wr *wr)
{
    struct fake_mw *mw = (struct fake_mw *)wr->bind_mw.mw;

    g_hash_table_remove(windows, GUINT_TO_POINTER(mw->mw.rkey));
    mw->mw.rkey = wr->bind_mw.rkey;
    mw->address = wr->bind_mw.bind_info.addr;
    mw->length = wr->bind_mw.bind_info.length;
    mw->access = (int)wr->bind_mw.bind_info.mw_access_flags;
    mw->is_bound = mw->length > 0;
    mw->qp = qp;
    g_hash_table_insert(windows, GUINT_TO_POINTER(mw->mw.rkey), mw);
}

static const struct operation {
    enum ibv_wr_opcode opcode;
    enum ibv_wc_opcode done;
    enum kind kind;
} operations[] = {
    {IBV_WR_SEND, IBV_WC_SEND, SEND},
    {IBV_WR_SEND_WITH_INV, IBV_WC_SEND, SEND},
    {IBV_WR_SEND_WITH_IMM, IBV_WC_SEND, SEND},
    {IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE, WRITE},
    {IBV_WR_RDMA_READ, IBV_WC_RDMA_READ, READ},
    {IBV_WR_BIND_MW, IBV_WC_BIND_MW, ANSWER},
    {IBV_WR_LOCAL_INV, IBV_WC_LOCAL_INV, ANSWER},
};

static const struct operation *operation_of(enum ibv_wr_opcode opcode)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(operations); i++) {
        if (operations[i].opcode == opcode)
            return &operations[i];
    }
    return NULL;
}

static bool post_one(struct fake_qp *qp, const struct ibv_send_wr *wr)
{
    const struct operation *operation = operation_of(wr->opcode);
    struct work *work;
    struct frame frame = {.rnr = qp->id ? qp->id->rnr : 0};
    GByteArray *octets;

    if (!operation || (qp->qp.state != IBV_QPS_RTS && qp->qp.state != IBV_QPS_ERR))
        return false;
    work = g_new0(struct work, 1);
    work->id = wr->wr_id;
    work->opcode = operation->done;
    work->signaled = qp->all_signaled || wr->send_flags & IBV_SEND_SIGNALED;
    work->pieces = pieces_of(wr->sg_list, wr->num_sge);
    work->n = (uint32_t)room_of(work);
    if (qp->is_broken) {
        complete_work(qp, work, IBV_WC_WR_FLUSH_ERR);
        return true;
    }
    if (operation->kind == ANSWER) { /* of this side alone: done at once, as nothing of it can be overtaken */
        if (wr->opcode == IBV_WR_BIND_MW)
            bind_window(qp, wr);
        else
            invalidate(qp, wr->invalidate_rkey);
        complete_work(qp, work, IBV_WC_SUCCESS);
        return true;
    }
    frame.kind = operation->kind;
    frame.solicited = !!(wr->send_flags & IBV_SEND_SOLICITED);
    if (frame.kind == SEND) {
        frame.invalidates = wr->opcode == IBV_WR_SEND_WITH_INV;
        frame.rkey = frame.invalidates ? wr->invalidate_rkey : 0;
        frame.has_immediate = wr->opcode == IBV_WR_SEND_WITH_IMM;
        frame.immediate = frame.has_immediate ? wr->imm_data : 0;
    } else {
        frame.rkey = wr->wr.rdma.rkey;
        frame.address = wr->wr.rdma.remote_addr;
        frame.length = work->n;
    }
    octets = g_byte_array_new();
    for (int i = 0; frame.kind != READ && i < wr->num_sge; i++)
        g_byte_array_append(octets, (const uint8_t *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
    g_queue_push_tail(&qp->sends, work);
    say(qp->id, frame, octets->data, octets->len);
    g_byte_array_unref(octets);
    return true;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    int status = 0;

    g_rec_mutex_lock(&lock);
    for (; wr && status == 0; wr = wr->next) {
        if (!post_one((struct fake_qp *)qp, wr)) {
            *bad = wr;
            status = EINVAL;
        }
    }
    g_rec_mutex_unlock(&lock);
    return status;
}

static void begin(void)
{
    static gsize begun;

    if (!g_once_init_enter(&begun))
        return;
    ids = g_hash_table_new(NULL, NULL);
    regions = g_hash_table_new(NULL, NULL);
    windows = g_hash_table_new(NULL, NULL);
    epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    device = (struct ibv_device){.node_type = is_iwarp() ? IBV_NODE_RNIC : IBV_NODE_CA,
                                 .transport_type = is_iwarp() ? IBV_TRANSPORT_IWARP : IBV_TRANSPORT_IB,
                                 .name = "fake0",
                                 .dev_name = "uverbs0"};
    context.device = &device;
    context.ops.alloc_mw = alloc_mw;
    context.ops.dealloc_mw = dealloc_mw;
    context.ops.poll_cq = poll_cq;
    context.ops.req_notify_cq = req_notify_cq;
    context.ops.post_send = post_send;
    context.ops.post_recv = post_recv;
    context.async_fd = eventfd(0, EFD_CLOEXEC);
    context.cmd_fd = -1;
    context.num_comp_vectors = 1;
    g_thread_new("fake-rdma", run, NULL);
    g_once_init_leave(&begun, 1);
}

/* ---- libibverbs ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *of)
{
    struct ibv_pd *pd = g_new0(struct ibv_pd, 1);

    pd->context = of;
    return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    g_free(pd);
    return 0;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *p, size_t n, uint64_t iova, unsigned access)
{
    struct fake_mr *mr = g_new0(struct fake_mr, 1);

    if (access & IBV_ACCESS_REMOTE_WRITE && !(access & IBV_ACCESS_LOCAL_WRITE)) {
        g_free(mr);
        errno = EINVAL;
        return NULL;
    }
    g_rec_mutex_lock(&lock);
    next_key += 0x100;
    mr->mr =
        (struct ibv_mr){.context = pd->context, .pd = pd, .addr = p, .length = n, .lkey = next_key, .rkey = next_key};
    mr->iova = iova;
    mr->access = (int)access;
    g_hash_table_insert(regions, GUINT_TO_POINTER(next_key), mr);
    g_rec_mutex_unlock(&lock);
    return &mr->mr;
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *p, size_t n, uint64_t iova, int access)
{
    return ibv_reg_mr_iova2(pd, p, n, iova, (unsigned)access);
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *p, size_t n, int access)
{
    return ibv_reg_mr_iova2(pd, p, n, (uintptr_t)p, (unsigned)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
    g_rec_mutex_lock(&lock);
    g_hash_table_remove(regions, GUINT_TO_POINTER(mr->rkey));
    g_rec_mutex_unlock(&lock);
    g_free(mr);
    return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *of)
{
    struct fake_comp *channel = g_new0(struct fake_comp, 1);

    channel->channel.context = of;
    channel->channel.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    return &channel->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    close(channel->fd);
    g_queue_clear(&((struct fake_comp *)channel)->events);
    g_free(channel);
    return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *of, int cqe, void *data, struct ibv_comp_channel *channel, int vector)
{
    struct fake_cq *cq = g_new0(struct fake_cq, 1);

    (void)vector;
    cq->cq = (struct ibv_cq){.context = of, .channel = channel, .cq_context = data, .cqe = cqe};
    return &cq->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    g_rec_mutex_lock(&lock);
    if (cq->channel)
        g_queue_remove_all(&((struct fake_comp *)cq->channel)->events, cq);
    g_queue_clear_full(&((struct fake_cq *)cq)->done, g_free);
    g_rec_mutex_unlock(&lock);
    g_free(cq);
    return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **data)
{
    if (!take_poke(channel->fd))
        return -1;
    g_rec_mutex_lock(&lock);
    *cq = g_queue_pop_head(&((struct fake_comp *)channel)->events);
    g_rec_mutex_unlock(&lock);
    if (!*cq)
        return -1;
    *data = (*cq)->cq_context;
    return 0;
}

void ibv_ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    (void)cq, (void)n;
}

int ibv_query_device(struct ibv_context *of, struct ibv_device_attr *can)
{
    (void)of;
    *can = (struct ibv_device_attr){.max_mr_size = UINT64_MAX,
                                    .max_qp = 4096,
                                    .max_qp_wr = 16384,
                                    .max_sge = 8,
                                    .max_cq = 4096,
                                    .max_cqe = 1 << 20,
                                    .max_mr = 1 << 16,
                                    .max_pd = 1 << 16,
                                    .max_mw = is_iwarp() ? 0 : 1 << 16,
                                    .max_qp_rd_atom = READS_MAX,
                                    .max_qp_init_rd_atom = READS_MAX,
                                    .device_cap_flags = is_iwarp() ? 0 : IBV_DEVICE_MEM_WINDOW_TYPE_2B,
                                    .phys_port_cnt = 1};
    return 0;
}

int ibv_query_port(struct ibv_context *of, uint8_t port, struct _compat_ibv_port_attr *is)
{
    struct ibv_port_attr *attributes = (struct ibv_port_attr *)is;

    (void)of, (void)port;
    attributes->state = IBV_PORT_ACTIVE;
    attributes->max_mtu = attributes->active_mtu = IBV_MTU_1024;
    attributes->gid_tbl_len = 1;
    attributes->link_layer = IBV_LINK_LAYER_ETHERNET;
    return 0;
}

const char *ibv_get_device_name(struct ibv_device *of)
{
    return of->name;
}

int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attributes, int mask)
{
    g_rec_mutex_lock(&lock);
    if (mask & IBV_QP_STATE)
        qp->state = attributes->qp_state;
    if (qp->state == IBV_QPS_ERR)
        flush((struct fake_qp *)qp);
    g_rec_mutex_unlock(&lock);
    return 0;
}

int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attributes, int mask, struct ibv_qp_init_attr *made)
{
    (void)mask;
    *attributes = (struct ibv_qp_attr){.qp_state = qp->state, .cur_qp_state = qp->state, .max_rd_atomic = READS_MAX};
    attributes->max_dest_rd_atomic = READS_MAX;
    *made = (struct ibv_qp_init_attr){.send_cq = qp->send_cq, .recv_cq = qp->recv_cq, .qp_type = qp->qp_type};
    return 0;
}

/* No asynchronous event ever comes. */
int ibv_get_async_event(struct ibv_context *of, struct ibv_async_event *event)
{
    (void)event;
    take_poke(of->async_fd);
    return -1;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}

/* ---- librdmacm ---- */

struct rdma_event_channel *rdma_create_event_channel(void)
{
    struct fake_channel *channel = g_new0(struct fake_channel, 1);

    begin();
    channel->channel.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    return &channel->channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
    close(channel->fd);
    g_queue_clear_full(&((struct fake_channel *)channel)->events, g_free);
    g_free(channel);
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
    struct fake_event *one;

    if (!take_poke(channel->fd))
        return -1;
    g_rec_mutex_lock(&lock);
    one = g_queue_pop_head(&((struct fake_channel *)channel)->events);
    g_rec_mutex_unlock(&lock);
    if (!one) {
        errno = EAGAIN;
        return -1;
    }
    *event = &one->event;
    return 0;
}

int rdma_ack_cm_event(struct rdma_cm_event *event)
{
    g_free(event);
    return 0;
}

static struct fake_id *id_new(struct rdma_event_channel *channel, void *data)
{
    struct fake_id *id = g_new0(struct fake_id, 1);

    id->id = (struct rdma_cm_id){.channel = channel, .context = data, .ps = RDMA_PS_TCP, .port_num = 1};
    id->id.qp_type = IBV_QPT_RC;
    id->fd = -1;
    id->in = g_byte_array_new();
    id->out = g_byte_array_new();
    g_hash_table_add(ids, id);
    return id;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *data, enum rdma_port_space ps)
{
    (void)ps;
    begin();
    g_rec_mutex_lock(&lock);
    *id = &id_new(channel, data)->id;
    g_rec_mutex_unlock(&lock);
    return 0;
}

static void forget_events(struct fake_id *id)
{
    GQueue *events = &((struct fake_channel *)id->id.channel)->events;
    GList *next;

    for (GList *link = events->head; link; link = next) {
        struct fake_event *event = link->data;

        next = link->next;
        if (event->event.id == &id->id) {
            uint64_t one;

            g_queue_delete_link(events, link);
            g_free(event);
            if (read(id->id.channel->fd, &one, sizeof one) < 0)
                abort();
        }
    }
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
    struct fake_id *fake = (struct fake_id *)id;

    g_rec_mutex_lock(&lock);
    forget_events(fake);
    if (fake->fd >= 0 && fake->out->len > 0)
        send(fake->fd, fake->out->data, fake->out->len, MSG_NOSIGNAL | MSG_DONTWAIT);
    hang_up(fake);
    g_hash_table_remove(ids, fake);
    if (fake->qp)
        ((struct fake_qp *)fake->qp)->id = NULL;
    g_byte_array_unref(fake->in);
    g_byte_array_unref(fake->out);
    g_rec_mutex_unlock(&lock);
    g_free(fake);
    return 0;
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
    struct fake_id *fake = (struct fake_id *)id;
    struct fake_channel *from = (struct fake_channel *)id->channel, *to = (struct fake_channel *)channel;
    GList *next;

    g_rec_mutex_lock(&lock);
    for (GList *link = from->events.head; link; link = next) {
        struct fake_event *event = link->data;
        uint64_t one;

        next = link->next;
        if (event->event.id != &fake->id)
            continue;
        g_queue_delete_link(&from->events, link);
        g_queue_push_tail(&to->events, event);
        if (read(from->channel.fd, &one, sizeof one) < 0)
            abort();
        poke(to->channel.fd);
    }
    id->channel = channel;
    g_rec_mutex_unlock(&lock);
    return 0;
}

static socklen_t length_of(const struct sockaddr *address)
{
    return address->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

static void note_ends(struct fake_id *id)
{
    socklen_t n = sizeof id->id.route.addr.src_storage;

    getsockname(id->fd, &id->id.route.addr.src_addr, &n);
    n = sizeof id->id.route.addr.dst_storage;
    getpeername(id->fd, &id->id.route.addr.dst_addr, &n);
    id->id.verbs = &context;
}

static int open_socket(struct fake_id *id, const struct sockaddr *address)
{
    if (id->fd < 0)
        id->fd = socket(address->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    setsockopt(id->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return id->fd < 0 ? -1 : 0;
}

int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
    struct fake_id *fake = (struct fake_id *)id;
    int status;

    if (open_socket(fake, address) != 0)
        return -1;
    setsockopt(fake->fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    status = bind(fake->fd, address, length_of(address));
    if (status == 0)
        note_ends(fake);
    return status;
}

int rdma_listen(struct rdma_cm_id *id, int backlog)
{
    struct fake_id *fake = (struct fake_id *)id;
    int status = listen(fake->fd, backlog > 0 ? backlog : 64);

    g_rec_mutex_lock(&lock);
    if (status == 0) {
        note_ends(fake);
        fake->state = LISTENS;
        watch(fake, EPOLLIN);
    }
    g_rec_mutex_unlock(&lock);
    return status;
}

static void accept_one(struct fake_id *listener)
{
    int fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct fake_id *id;

    if (fd < 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    id = id_new(listener->id.channel, listener->id.context);
    id->fd = fd;
    id->listener = listener;
    note_ends(id);
    watch(id, EPOLLIN);
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int timeout)
{
    struct fake_id *fake = (struct fake_id *)id;

    (void)timeout;
    g_rec_mutex_lock(&lock);
    if (from)
        memcpy(&id->route.addr.src_storage, from, length_of(from));
    memcpy(&id->route.addr.dst_storage, to, length_of(to));
    id->verbs = &context;
    tell(fake, RDMA_CM_EVENT_ADDR_RESOLVED, 0, NULL, NULL, 0);
    g_rec_mutex_unlock(&lock);
    return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout)
{
    (void)timeout;
    g_rec_mutex_lock(&lock);
    tell((struct fake_id *)id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0, NULL, NULL, 0);
    g_rec_mutex_unlock(&lock);
    return 0;
}

static bool fits(const struct rdma_conn_param *terms, size_t room)
{
    if (is_iwarp() || !terms || terms->private_data_len <= room)
        return true;
    errno = EINVAL;
    return false;
}

static void say_terms(struct fake_id *id, enum kind kind, const struct rdma_conn_param *terms)
{
    static const struct rdma_conn_param none;

    terms = terms ? terms : &none;
    say(id,
        (struct frame){.kind = kind,
                       .rkey = terms->initiator_depth,
                       .length = terms->responder_resources,
                       .rnr = terms->rnr_retry_count},
        terms->private_data, terms->private_data_len);
}

int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *terms)
{
    struct fake_id *fake = (struct fake_id *)id;
    int status;

    if (!fits(terms, IB_REQUEST_DATA) || open_socket(fake, &id->route.addr.dst_addr) != 0)
        return -1;
    g_rec_mutex_lock(&lock);
    fake->state = CONNECTS;
    status = connect(fake->fd, &id->route.addr.dst_addr, length_of(&id->route.addr.dst_addr));
    if (status != 0 && errno != EINPROGRESS) {
        hang_up(fake);
        is_over(fake);
    } else {
        note_ends(fake);
        watch(fake, EPOLLIN | EPOLLOUT);
        say_terms(fake, REQUEST, terms);
    }
    g_rec_mutex_unlock(&lock);
    return 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *terms)
{
    struct fake_id *fake = (struct fake_id *)id;

    if (!fits(terms, IB_REPLY_DATA))
        return -1;
    g_rec_mutex_lock(&lock);
    say_terms(fake, REPLY, terms);
    if (fake->state == IS_ASKED) {
        fake->state = CONNECTED;
        if (id->qp)
            id->qp->state = IBV_QPS_RTS;
        tell(fake, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, NULL, 0);
    }
    g_rec_mutex_unlock(&lock);
    return 0;
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t n)
{
    g_rec_mutex_lock(&lock);
    say((struct fake_id *)id, (struct frame){.kind = REJECT}, data, n);
    ((struct fake_id *)id)->told = true;
    g_rec_mutex_unlock(&lock);
    return 0;
}

int rdma_disconnect(struct rdma_cm_id *id)
{
    struct fake_id *fake = (struct fake_id *)id;

    g_rec_mutex_lock(&lock);
    if (fake->state != CONNECTED && fake->state != DISCONNECTED) {
        g_rec_mutex_unlock(&lock);
        errno = EINVAL;
        return -1;
    }
    if (fake->qp)
        flush((struct fake_qp *)fake->qp);
    if (!fake->sent_disconnect)
        say(fake, (struct frame){.kind = DISCONNECT}, NULL, 0);
    fake->sent_disconnect = true;
    if (fake->got_disconnect || fake->fd < 0)
        is_over(fake);
    g_rec_mutex_unlock(&lock);
    return 0;
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attributes)
{
    struct fake_qp *qp = g_new0(struct fake_qp, 1);

    g_rec_mutex_lock(&lock);
    qp->qp = (struct ibv_qp){.context = &context,
                             .qp_context = attributes->qp_context,
                             .pd = pd,
                             .send_cq = attributes->send_cq,
                             .recv_cq = attributes->recv_cq,
                             .qp_num = next_qpn++,
                             .state = IBV_QPS_INIT,
                             .qp_type = attributes->qp_type};
    qp->all_signaled = attributes->sq_sig_all;
    qp->id = (struct fake_id *)id;
    qp->id->qp = id->qp = &qp->qp;
    id->pd = pd;
    g_rec_mutex_unlock(&lock);
    return 0;
}

static void qp_free(struct fake_qp *qp)
{
    g_queue_clear_full(&qp->sends, (GDestroyNotify)work_free);
    g_queue_clear_full(&qp->receives, (GDestroyNotify)work_free);
    g_free(qp);
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
    g_rec_mutex_lock(&lock);
    ((struct fake_id *)id)->qp = NULL;
    if (id->qp)
        qp_free((struct fake_qp *)id->qp);
    id->qp = NULL;
    g_rec_mutex_unlock(&lock);
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
    return id->route.addr.src_sin.sin_port; /* at the same place in both families */
}

__be16 rdma_get_dst_port(struct rdma_cm_id *id)
{
    return id->route.addr.dst_sin.sin_port;
}

int rdma_set_option(struct rdma_cm_id *id, int level, int name, void *value, size_t n)
{
    (void)id, (void)level, (void)name, (void)value, (void)n;
    return 0;
}

struct ibv_context **rdma_get_devices(int *n)
{
    struct ibv_context **list = g_new0(struct ibv_context *, 2);

    begin();
    list[0] = &context;
    if (n)
        *n = 1;
    return list;
}

void rdma_free_devices(struct ibv_context **list)
{
    g_free(list);
}

struct ibv_device **ibv_get_device_list(int *n)
{
    struct ibv_device **list = g_new0(struct ibv_device *, 2);

    begin();
    list[0] = &device;
    if (n)
        *n = 1;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    g_free(list);
}

/* Programs look for the device nodes to say what is missing. */
int access(const char *path, int mode)
{
    return g_str_has_prefix(path, "/dev/infiniband/") ? 0 : faccessat(AT_FDCWD, path, mode, 0);
}
