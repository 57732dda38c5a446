// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An RDMA device for tests on machines that have none: put before librdmacm and libibverbs with LD_PRELOAD, it connects
 * processes through TCP on the loopback, with the visible semantics of a reliable connection: private data, Receives
 * that exist or are waited for (RNR), memory with its registered rights, errors that end the queue pair and flush the
 * rest of the work.
 *
 * It behaves as InfiniBand: private data are padded to the size of the CM's messages, errors do not disconnect, and a
 * Send without a Receive is retried. With FAKE_RDMA=iwarp private data are not padded, and an error or a Send without a
 * Receive disconnects both ends. A connection's frames are executed by one thread per process, as by hardware: memory
 * changes without the program's help. With FAKE_RDMA_LATE a Send is acknowledged after its receiver's next message, as
 * on a long path; or after a while. With FAKE_RDMA_QPS it has few queue pairs (fake_cm.c). Tests of one process are
 * linked with it, and say more (fake_device.h).
 */
#include "tests/rdma/fake_rdma.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

struct fake_host host = {.epoll_fd = -1, .next_key = 0x100};
struct fake_device fake_device;

bool fake_is_iwarp(void)
{
    return host.device.transport_type == IBV_TRANSPORT_IWARP;
}

void fake_count(int objects)
{
    g_atomic_int_add(&fake_device.objects, objects);
}

void fake_poke(int fd)
{
    uint64_t one = 1;

    if (write(fd, &one, sizeof one) < 0)
        abort();
}

/* Takes one from an eventfd; blocks unless it is non-blocking. */
bool fake_take_poke(int fd)
{
    uint64_t one;
    struct pollfd poller = {.fd = fd, .events = POLLIN};

    for (;;) {
        if (read(fd, &one, sizeof one) == sizeof one) {
            fake_device.steps++;
            return true;
        }
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
    fake_poke(cq->channel->fd);
}

void fake_work_free(struct work *work)
{
    if (work->pieces)
        g_array_unref(work->pieces);
    g_free(work);
}

void fake_complete(struct fake_qp *qp, struct work *work, enum ibv_wc_status status)
{
    struct ibv_wc wc = {.wr_id = work->id, .status = status, .opcode = work->opcode, .byte_len = work->n};

    wc.qp_num = qp->qp.qp_num;
    if (work->signaled || status != IBV_WC_SUCCESS)
        complete(qp->qp.send_cq, &wc, false);
    fake_work_free(work);
}

void fake_flush(struct fake_qp *qp)
{
    struct work *work;

    qp->is_broken = true;
    qp->qp.state = IBV_QPS_ERR;
    while ((work = g_queue_pop_head(&qp->sends)))
        fake_complete(qp, work, IBV_WC_WR_FLUSH_ERR);
    while ((work = g_queue_pop_head(&qp->receives))) {
        struct ibv_wc wc = {.wr_id = work->id, .status = IBV_WC_WR_FLUSH_ERR, .opcode = IBV_WC_RECV};

        wc.qp_num = qp->qp.qp_num;
        complete(qp->qp.recv_cq, &wc, false);
        fake_work_free(work);
    }
}

/* ---- CM events ---- */

void fake_tell(struct fake_id *id, enum rdma_cm_event_type type, int status, const struct frame *frame,
               const uint8_t *data, size_t room)
{
    struct fake_event *event = g_new0(struct fake_event, 1);
    struct fake_channel *channel = (struct fake_channel *)id->id.channel;

    event->event = (struct rdma_cm_event){
        .id = &id->id, .listen_id = id->listener ? &id->listener->id : NULL, .event = type, .status = status};
    if (frame) {
        size_t n = MIN(frame->n, DATA_MAX);

        memcpy(event->data, data, n);
        event->event.param.conn.private_data = event->data;
        event->event.param.conn.private_data_len = (uint8_t)(fake_is_iwarp() ? n : MAX(room, n));
        event->event.param.conn.responder_resources = (uint8_t)frame->rkey; /* the peer's ORD */
        event->event.param.conn.initiator_depth = (uint8_t)frame->length;   /* and its IRD */
        if (event->event.param.conn.private_data_len == 0)
            event->event.param.conn.private_data = NULL;
    }
    g_queue_push_tail(&channel->events, event);
    fake_poke(channel->channel.fd);
}

void fake_is_over(struct fake_id *id)
{
    if (id->qp)
        fake_flush((struct fake_qp *)id->qp);
    if (id->told)
        return;
    id->told = true;
    if (id->state == CONNECTED || id->state == DISCONNECTED)
        fake_tell(id, RDMA_CM_EVENT_DISCONNECTED, 0, NULL, NULL, 0);
    else if (id->state == CONNECTS)
        fake_tell(id, RDMA_CM_EVENT_REJECTED, fake_is_iwarp() ? -ECONNRESET : NO_LISTENER, NULL, NULL, 0);
    id->state = DISCONNECTED;
}

/* ---- octets ---- */

void fake_watch(struct fake_id *id, uint32_t interest)
{
    struct epoll_event event = {.events = interest, .data.u32 = id->number};

    if (interest == id->interest)
        return;
    epoll_ctl(host.epoll_fd,
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
    fake_watch(id, EPOLLIN | (id->out->len > 0 ? EPOLLOUT : 0));
}

static void append(struct fake_id *id, struct frame frame, const void *p, size_t n)
{
    frame.n = (uint32_t)n;
    g_byte_array_append(id->out, (const uint8_t *)&frame, sizeof frame);
    if (n > 0)
        g_byte_array_append(id->out, p, (guint)n);
}

static void acknowledge(struct fake_id *id)
{
    for (; id->unacknowledged > 0; id->unacknowledged--)
        append(id, (struct frame){.kind = ANSWER, .status = IBV_WC_SUCCESS}, NULL, 0);
}

void fake_say(struct fake_id *id, struct frame frame, const void *p, size_t n)
{
    if (id->fd < 0)
        return;
    if (frame.kind == ANSWER) /* answers come in order */
        acknowledge(id);
    append(id, frame, p, n);
    acknowledge(id);
    push_out(id);
}

void fake_hang_up(struct fake_id *id)
{
    if (id->fd < 0)
        return;
    fake_watch(id, 0);
    close(id->fd);
    id->fd = -1;
}

/* iWARP: an error ends the connection at both ends. */
static void break_qp(struct fake_qp *qp)
{
    fake_flush(qp);
    if (fake_is_iwarp() && qp->id) {
        fake_say(qp->id, (struct frame){.kind = DISCONNECT}, NULL, 0);
        qp->id->sent_disconnect = true;
        fake_is_over(qp->id);
    }
}

/* ---- memory ---- */

static uint8_t *open_memory(const struct fake_qp *qp, uint32_t rkey, uint64_t address, uint32_t n, int access)
{
    const struct fake_mr *mr = g_hash_table_lookup(host.regions, GUINT_TO_POINTER(rkey));
    const struct fake_mw *mw = g_hash_table_lookup(host.windows, GUINT_TO_POINTER(rkey));

    if (mr && mr->mr.pd == qp->qp.pd && mr->access & access && address >= mr->iova &&
        address - mr->iova <= mr->mr.length && n <= mr->mr.length - (address - mr->iova))
        return (uint8_t *)mr->mr.addr + (address - mr->iova);
    if (mw && mw->is_bound && mw->qp == qp && mw->access & access && address >= mw->address &&
        address - mw->address <= mw->length && n <= mw->length - (address - mw->address))
        return (uint8_t *)(uintptr_t)address;
    return NULL;
}

bool fake_invalidate(const struct fake_qp *qp, uint32_t rkey)
{
    struct fake_mw *mw = g_hash_table_lookup(host.windows, GUINT_TO_POINTER(rkey));

    if (!mw || !mw->is_bound || mw->qp != qp)
        return false; /* the peer cannot invalidate a region of user space */
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

size_t fake_room_of(const struct work *receive)
{
    size_t n = 0;

    for (guint i = 0; i < receive->pieces->len; i++)
        n += g_array_index(receive->pieces, struct ibv_sge, i).length;
    return n;
}

/* ---- the peer's frames ---- */

static void answer(struct fake_qp *qp, enum ibv_wc_status status, const uint8_t *p, size_t n)
{
    fake_say(qp->id, (struct frame){.kind = ANSWER, .status = status}, p, n);
    if (status != IBV_WC_SUCCESS)
        break_qp(qp);
}

/* False: it waits for a Receive. */
static bool take_send(struct fake_qp *qp, const struct frame *frame, const uint8_t *p)
{
    struct work *receive = g_queue_peek_head(&qp->receives);
    struct ibv_wc wc = {.opcode = IBV_WC_RECV, .byte_len = frame->n, .qp_num = qp->qp.qp_num};
    int64_t now = g_get_monotonic_time();

    if (!receive && (fake_is_iwarp() || fake_device.impatient ||
                     (frame->rnr < RNR_FOREVER && qp->stalled_at > 0 &&
                      now - qp->stalled_at > (int64_t)frame->rnr * RNR_STEP_US))) {
        answer(qp, fake_is_iwarp() ? IBV_WC_REM_OP_ERR : IBV_WC_RNR_RETRY_EXC_ERR, NULL, 0);
        return true;
    }
    if (!receive) {
        qp->stalled_at = qp->stalled_at ? qp->stalled_at : now;
        return false;
    }
    qp->stalled_at = 0;
    g_queue_pop_head(&qp->receives);
    wc.wr_id = receive->id;
    if (frame->invalidates && !fake_invalidate(qp, frame->rkey)) {
        wc.status = IBV_WC_LOC_QP_OP_ERR;
    } else if (frame->n > fake_room_of(receive)) {
        wc.status = IBV_WC_LOC_LEN_ERR;
    } else {
        scatter((const struct ibv_sge *)(void *)receive->pieces->data, receive->pieces->len, p, frame->n);
        wc.wc_flags = (frame->invalidates ? IBV_WC_WITH_INV : 0) | (frame->has_immediate ? IBV_WC_WITH_IMM : 0);
        wc.imm_data = frame->immediate;
        if (frame->invalidates)
            wc.invalidated_rkey = frame->rkey;
    }
    complete(qp->qp.recv_cq, &wc, frame->solicited);
    fake_work_free(receive);
    if (wc.status == IBV_WC_SUCCESS && fake_device.sends_late)
        qp->id->unacknowledged++;
    else
        answer(qp, wc.status == IBV_WC_SUCCESS ? IBV_WC_SUCCESS : IBV_WC_REM_INV_REQ_ERR, NULL, 0);
    return true;
}

static void read_done(struct fake_qp *qp, struct work *work, const uint8_t *p, size_t n)
{
    scatter((const struct ibv_sge *)(void *)work->pieces->data, work->pieces->len, p, n);
    fake_complete(qp, work, IBV_WC_SUCCESS);
}

void fake_read_late(struct fake_cq *cq)
{
    g_autoptr(GBytes) octets = g_steal_pointer(&cq->late_octets);

    read_done(cq->late_qp, g_steal_pointer(&cq->late), g_bytes_get_data(octets, NULL), g_bytes_get_size(octets));
}

static void take_answer(struct fake_qp *qp, const struct frame *frame, const uint8_t *p)
{
    struct fake_cq *cq = (struct fake_cq *)qp->qp.send_cq;
    struct work *work = g_queue_pop_head(&qp->sends);
    bool has_read =
        work && frame->status == IBV_WC_SUCCESS &&
        (work->opcode == IBV_WC_RDMA_READ || work->opcode == IBV_WC_FETCH_ADD || work->opcode == IBV_WC_COMP_SWAP);

    if (has_read && fake_device.reads_late && !cq->late) {
        cq->late = work;
        cq->late_qp = qp;
        cq->late_octets = g_bytes_new(p, frame->n);
    } else if (has_read) {
        read_done(qp, work, p, frame->n);
    } else if (work) {
        fake_complete(qp, work, frame->status);
        if (frame->status != IBV_WC_SUCCESS)
            break_qp(qp);
    }
}

/* In the octet order of this host, as adapters do it. */
static void take_atomic(struct fake_qp *qp, const struct frame *frame, const uint8_t *p)
{
    uint8_t *at = open_memory(qp, frame->rkey, frame->address, sizeof(uint64_t), IBV_ACCESS_REMOTE_ATOMIC);
    struct atomic atomic;
    uint64_t word, before;

    if (!at || frame->address % sizeof word != 0 || frame->n != sizeof atomic) {
        answer(qp, IBV_WC_REM_ACCESS_ERR, NULL, 0);
        return;
    }
    memcpy(&atomic, p, sizeof atomic);
    memcpy(&before, at, sizeof before);
    word = !atomic.swaps ? before + atomic.compare_add : before == atomic.compare_add ? atomic.swap : before;
    memcpy(at, &word, sizeof word);
    answer(qp, IBV_WC_SUCCESS, (const uint8_t *)&before, sizeof before);
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
    case ATOMIC:
        take_atomic(qp, frame, p);
        return true;
    default:
        take_answer(qp, frame, p);
        return true;
    }
}

/* False: it cannot be handled yet. */
static bool take_frame(struct fake_id *id, const struct frame *frame, const uint8_t *p)
{
    switch (frame->kind) {
    case REQUEST:
        id->state = IS_ASKED;
        id->rnr = (uint8_t)frame->rnr;
        fake_tell(id, RDMA_CM_EVENT_CONNECT_REQUEST, 0, frame, p, IB_REQUEST_DATA);
        return true;
    case REPLY:
        id->state = CONNECTED;
        id->rnr = (uint8_t)frame->rnr; /* each side limits the other's attempts */
        if (id->qp)
            id->qp->state = IBV_QPS_RTS;
        fake_tell(id, RDMA_CM_EVENT_ESTABLISHED, 0, frame, p, IB_REPLY_DATA);
        return true;
    case REJECT:
        id->told = true;
        id->state = DISCONNECTED;
        fake_tell(id, RDMA_CM_EVENT_REJECTED, fake_is_iwarp() ? -ECONNREFUSED : REJECTED, frame, p, IB_REJECT_DATA);
        return true;
    case DISCONNECT:
        id->got_disconnect = true;
        fake_is_over(id);
        return true;
    default:
        return take_operation((struct fake_qp *)id->qp, frame, p);
    }
}

/* A Send that waits for a Receive does not delay answers and the end. */
void fake_take_frames(struct fake_id *id)
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

static void receive(struct fake_id *id)
{
    static uint8_t octets[1 << 16];
    ssize_t n = recv(id->fd, octets, sizeof octets, MSG_DONTWAIT);

    if (n > 0) {
        g_byte_array_append(id->in, octets, (guint)n);
        fake_take_frames(id);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        fake_hang_up(id);
        fake_is_over(id);
    }
}

static void ready(struct fake_id *id, uint32_t events)
{
    int error = 0;
    socklen_t n = sizeof error;

    if (id->state == LISTENS) {
        fake_accept_one(id);
        return;
    }
    if (id->state == CONNECTS && events & (EPOLLERR | EPOLLHUP)) {
        getsockopt(id->fd, SOL_SOCKET, SO_ERROR, &error, &n);
        fake_hang_up(id);
        fake_is_over(id);
        return;
    }
    if (events & EPOLLOUT)
        push_out(id);
    if (events & (EPOLLIN | EPOLLHUP | EPOLLERR))
        receive(id);
}

void fake_turn(int timeout_ms)
{
    struct epoll_event event;
    int n = epoll_wait(host.epoll_fd, &event, 1, timeout_ms);
    GHashTableIter iterator;
    gpointer id;

    g_rec_mutex_lock(&host.lock);
    fake_device.steps += n > 0;
    /* Finds it by number: the id may have been freed, and another may be in its place. */
    if (n > 0 && (id = g_hash_table_lookup(host.ids, GUINT_TO_POINTER(event.data.u32))))
        ready(id, event.events);
    g_hash_table_iter_init(&iterator, host.ids);
    while (n == 0 && g_hash_table_iter_next(&iterator, NULL, &id)) {
        const struct fake_qp *qp = (const struct fake_qp *)((struct fake_id *)id)->qp;

        if (((struct fake_id *)id)->unacknowledged > 0) {
            acknowledge(id);
            push_out(id);
        }
        if (qp && qp->stalled_at) {
            fake_take_frames(id);
            break; /* the table may have changed */
        }
    }
    g_rec_mutex_unlock(&host.lock);
}
