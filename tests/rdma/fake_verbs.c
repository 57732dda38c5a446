// SPDX-License-Identifier: GPL-2.0-or-later
/* The RDMA device for tests: libibverbs. */
#include "tests/rdma/fake_rdma.h"

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* ---- the device ---- */

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    struct fake_mw *mw = g_new0(struct fake_mw, 1);

    fake_count(1);
    fake_device.windows++;
    g_rec_mutex_lock(&host.lock);
    mw->mw = (struct ibv_mw){.context = &host.context, .pd = pd, .rkey = (host.next_key += 0x100), .type = type};
    g_rec_mutex_unlock(&host.lock);
    return &mw->mw;
}

static int dealloc_mw(struct ibv_mw *mw)
{
    g_rec_mutex_lock(&host.lock);
    g_hash_table_remove(host.windows, GUINT_TO_POINTER(mw->rkey));
    fake_device.windows--;
    g_rec_mutex_unlock(&host.lock);
    g_free(mw);
    fake_count(-1);
    return 0;
}

static int poll_cq(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
    struct ibv_wc *done;
    int i = 0;

    g_rec_mutex_lock(&host.lock);
    while (i < n && (done = g_queue_pop_head(&((struct fake_cq *)cq)->done))) {
        wc[i++] = *done;
        g_free(done);
    }
    if (i == 0 && ((struct fake_cq *)cq)->late)
        fake_read_late((struct fake_cq *)cq); /* found the next time */
    g_rec_mutex_unlock(&host.lock);
    return i;
}

static int req_notify_cq(struct ibv_cq *cq, int solicited_only)
{
    g_rec_mutex_lock(&host.lock);
    ((struct fake_cq *)cq)->armed = true;
    ((struct fake_cq *)cq)->solicited_only = solicited_only;
    g_rec_mutex_unlock(&host.lock);
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
    g_rec_mutex_lock(&host.lock);
    for (; wr; wr = wr->next) {
        struct work *work = g_new0(struct work, 1);

        work->id = wr->wr_id;
        work->pieces = pieces_of(wr->sg_list, wr->num_sge);
        g_queue_push_tail(&fake->receives, work);
    }
    if (fake->is_broken)
        fake_flush(fake);
    else if (fake->id)
        fake_take_frames(fake->id);
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

static void bind_window(struct fake_qp *qp, const struct ibv_send_wr *wr)
{
    struct fake_mw *mw = (struct fake_mw *)wr->bind_mw.mw;

    g_hash_table_remove(host.windows, GUINT_TO_POINTER(mw->mw.rkey));
    mw->mw.rkey = wr->bind_mw.rkey;
    mw->address = wr->bind_mw.bind_info.addr;
    mw->length = wr->bind_mw.bind_info.length;
    mw->access = (int)wr->bind_mw.bind_info.mw_access_flags;
    mw->is_bound = mw->length > 0;
    mw->qp = qp;
    g_hash_table_insert(host.windows, GUINT_TO_POINTER(mw->mw.rkey), mw);
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
    {IBV_WR_ATOMIC_FETCH_AND_ADD, IBV_WC_FETCH_ADD, ATOMIC},
    {IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WC_COMP_SWAP, ATOMIC},
    {IBV_WR_BIND_MW, IBV_WC_BIND_MW, ANSWER},
    {IBV_WR_LOCAL_INV, IBV_WC_LOCAL_INV, ANSWER},
};

static const struct operation *operation_of(enum ibv_wr_opcode opcode)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(operations); i++) {
        if (operations[i].opcode == opcode && (operations[i].kind != ATOMIC || fake_device.atomics))
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
    work->n = (uint32_t)fake_room_of(work);
    if (qp->is_broken || fake_device.stream_gone) {
        fake_complete(qp, work, qp->is_broken ? IBV_WC_WR_FLUSH_ERR : IBV_WC_LOC_QP_OP_ERR);
        fake_flush(qp);
        return true;
    }
    if (operation->kind == ANSWER) { /* only of this side: done at once, as nothing can overtake it */
        if (wr->opcode == IBV_WR_BIND_MW)
            bind_window(qp, wr);
        else
            fake_invalidate(qp, wr->invalidate_rkey);
        fake_complete(qp, work, IBV_WC_SUCCESS);
        return true;
    }
    frame.kind = operation->kind;
    frame.solicited = !!(wr->send_flags & IBV_SEND_SOLICITED);
    if (frame.kind == SEND) {
        frame.invalidates = wr->opcode == IBV_WR_SEND_WITH_INV;
        frame.rkey = frame.invalidates ? wr->invalidate_rkey : 0;
        frame.has_immediate = wr->opcode == IBV_WR_SEND_WITH_IMM;
        frame.immediate = frame.has_immediate ? wr->imm_data : 0;
    } else if (frame.kind == ATOMIC) {
        frame.rkey = wr->wr.atomic.rkey;
        frame.address = wr->wr.atomic.remote_addr;
    } else {
        frame.rkey = wr->wr.rdma.rkey;
        frame.address = wr->wr.rdma.remote_addr;
        frame.length = work->n;
    }
    octets = g_byte_array_new();
    if (frame.kind == ATOMIC) {
        const struct atomic atomic = {wr->wr.atomic.compare_add, wr->wr.atomic.swap,
                                      wr->opcode == IBV_WR_ATOMIC_CMP_AND_SWP};

        g_byte_array_append(octets, (const uint8_t *)&atomic, sizeof atomic);
    }
    for (int i = 0; (frame.kind == SEND || frame.kind == WRITE) && i < wr->num_sge; i++)
        g_byte_array_append(octets, (const uint8_t *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
    g_queue_push_tail(&qp->sends, work);
    fake_say(qp->id, frame, octets->data, octets->len);
    g_byte_array_unref(octets);
    return true;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    int status = fake_device.send_queue_full;

    g_rec_mutex_lock(&host.lock);
    for (; wr && status == 0; wr = wr->next) {
        if (!post_one((struct fake_qp *)qp, wr)) {
            *bad = wr;
            status = EINVAL;
        }
    }
    g_rec_mutex_unlock(&host.lock);
    return status;
}

void fake_become(bool iwarp)
{
    host.device = (struct ibv_device){.node_type = iwarp ? IBV_NODE_RNIC : IBV_NODE_CA,
                                      .transport_type = iwarp ? IBV_TRANSPORT_IWARP : IBV_TRANSPORT_IB,
                                      .name = "fake0",
                                      .dev_name = "uverbs0"};
}

static bool by_hand;

static gpointer run(gpointer data)
{
    for (;;)
        fake_turn(10);
    return data;
}

void fake_begin(void)
{
    static gsize begun;

    if (!g_once_init_enter(&begun))
        return;
    host.ids = g_hash_table_new(NULL, NULL);
    host.regions = g_hash_table_new(NULL, NULL);
    host.windows = g_hash_table_new(NULL, NULL);
    host.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    fake_become(g_strcmp0(g_getenv("FAKE_RDMA"), "iwarp") == 0);
    fake_device.sends_late = g_getenv("FAKE_RDMA_LATE");
    host.context.device = &host.device;
    host.context.ops.alloc_mw = alloc_mw;
    host.context.ops.dealloc_mw = dealloc_mw;
    host.context.ops.poll_cq = poll_cq;
    host.context.ops.req_notify_cq = req_notify_cq;
    host.context.ops.post_send = post_send;
    host.context.ops.post_recv = post_recv;
    host.context.async_fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    host.context.cmd_fd = -1;
    host.context.num_comp_vectors = 1;
    if (!by_hand)
        g_thread_new("fake-rdma", run, NULL);
    g_once_init_leave(&begun, 1);
}

/* ---- for tests linked with it ---- */

int fake_reset(void)
{
    by_hand = true;
    fake_begin();
    fake_device = (struct fake_device){0};
    fake_become(false);
    return host.epoll_fd;
}

void fake_report(enum ibv_event_type type)
{
    g_queue_push_tail(&host.reports, GINT_TO_POINTER(type));
    fake_poke(host.context.async_fd);
}

/* ---- libibverbs ---- */

struct ibv_pd *ibv_alloc_pd(struct ibv_context *of)
{
    struct ibv_pd *pd = g_new0(struct ibv_pd, 1);

    pd->context = of;
    fake_count(1);
    return pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
    g_free(pd);
    fake_count(-1);
    return 0;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *p, size_t n, uint64_t iova, unsigned access)
{
    struct fake_mr *mr;

    errno = access & IBV_ACCESS_REMOTE_WRITE && !(access & IBV_ACCESS_LOCAL_WRITE) ? EINVAL : fake_device.refuse_memory;
    if (errno != 0)
        return NULL;
    mr = g_new0(struct fake_mr, 1);
    fake_count(1);
    g_rec_mutex_lock(&host.lock);
    host.next_key += 0x100;
    mr->mr = (struct ibv_mr){
        .context = pd->context, .pd = pd, .addr = p, .length = n, .lkey = host.next_key, .rkey = host.next_key};
    mr->iova = iova;
    mr->access = (int)access;
    g_hash_table_insert(host.regions, GUINT_TO_POINTER(host.next_key), mr);
    g_rec_mutex_unlock(&host.lock);
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
    g_rec_mutex_lock(&host.lock);
    g_hash_table_remove(host.regions, GUINT_TO_POINTER(mr->rkey));
    g_rec_mutex_unlock(&host.lock);
    g_free(mr);
    fake_count(-1);
    return 0;
}

struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *of)
{
    struct fake_comp *channel = g_new0(struct fake_comp, 1);

    channel->channel.context = of;
    channel->channel.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    fake_count(1);
    return &channel->channel;
}

int ibv_destroy_comp_channel(struct ibv_comp_channel *channel)
{
    close(channel->fd);
    g_queue_clear(&((struct fake_comp *)channel)->events);
    g_free(channel);
    fake_count(-1);
    return 0;
}

struct ibv_cq *ibv_create_cq(struct ibv_context *of, int cqe, void *data, struct ibv_comp_channel *channel, int vector)
{
    struct fake_cq *cq = g_new0(struct fake_cq, 1);

    (void)vector;
    cq->cq = (struct ibv_cq){.context = of, .channel = channel, .cq_context = data, .cqe = cqe};
    fake_count(1);
    return &cq->cq;
}

int ibv_destroy_cq(struct ibv_cq *cq)
{
    g_rec_mutex_lock(&host.lock);
    if (cq->channel)
        g_queue_remove_all(&((struct fake_comp *)cq->channel)->events, cq);
    g_queue_clear_full(&((struct fake_cq *)cq)->done, g_free);
    g_rec_mutex_unlock(&host.lock);
    g_free(cq);
    fake_count(-1);
    return 0;
}

int ibv_get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **data)
{
    if (!fake_take_poke(channel->fd))
        return -1;
    g_rec_mutex_lock(&host.lock);
    *cq = g_queue_pop_head(&((struct fake_comp *)channel)->events);
    g_rec_mutex_unlock(&host.lock);
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
    bool windows = !fake_is_iwarp() && !fake_device.no_windows;

    (void)of;
    *can = (struct ibv_device_attr){.max_mr_size = UINT64_MAX,
                                    .max_qp = 4096,
                                    .max_qp_wr = 16384,
                                    .max_sge = 8,
                                    .max_cq = 4096,
                                    .max_cqe = 1 << 20,
                                    .max_mr = 1 << 16,
                                    .max_pd = 1 << 16,
                                    .max_mw = windows ? 1 << 16 : 0,
                                    .max_qp_rd_atom = READS_MAX,
                                    .max_qp_init_rd_atom = READS_MAX,
                                    .atomic_cap = fake_device.atomics ? IBV_ATOMIC_HCA : IBV_ATOMIC_NONE,
                                    .device_cap_flags = windows ? IBV_DEVICE_MEM_WINDOW_TYPE_2B : 0,
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
    g_rec_mutex_lock(&host.lock);
    if (mask & IBV_QP_STATE)
        qp->state = attributes->qp_state;
    if (qp->state == IBV_QPS_ERR)
        fake_flush((struct fake_qp *)qp);
    g_rec_mutex_unlock(&host.lock);
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

int ibv_get_async_event(struct ibv_context *of, struct ibv_async_event *event)
{
    if (!fake_take_poke(of->async_fd))
        return -1;
    event->event_type = GPOINTER_TO_INT(g_queue_pop_head(&host.reports));
    event->element.qp = host.asker ? host.asker->qp : NULL;
    return 0;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}
