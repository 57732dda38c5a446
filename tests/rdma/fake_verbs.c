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

    g_rec_mutex_lock(&host.lock);
    mw->mw = (struct ibv_mw){.context = &host.context, .pd = pd, .rkey = (host.next_key += 0x100), .type = type};
    g_rec_mutex_unlock(&host.lock);
    return &mw->mw;
}

static int dealloc_mw(struct ibv_mw *mw)
{
    g_rec_mutex_lock(&host.lock);
    g_hash_table_remove(host.windows, GUINT_TO_POINTER(mw->rkey));
    g_rec_mutex_unlock(&host.lock);
    g_free(mw);
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
    work->n = (uint32_t)fake_room_of(work);
    if (qp->is_broken) {
        fake_complete(qp, work, IBV_WC_WR_FLUSH_ERR);
        return true;
    }
    if (operation->kind == ANSWER) { /* of this side alone: done at once, as nothing of it can be overtaken */
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
    } else {
        frame.rkey = wr->wr.rdma.rkey;
        frame.address = wr->wr.rdma.remote_addr;
        frame.length = work->n;
    }
    octets = g_byte_array_new();
    for (int i = 0; frame.kind != READ && i < wr->num_sge; i++)
        g_byte_array_append(octets, (const uint8_t *)(uintptr_t)wr->sg_list[i].addr, wr->sg_list[i].length);
    g_queue_push_tail(&qp->sends, work);
    fake_say(qp->id, frame, octets->data, octets->len);
    g_byte_array_unref(octets);
    return true;
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
    int status = 0;

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

void fake_begin(void)
{
    static gsize begun;

    if (!g_once_init_enter(&begun))
        return;
    host.ids = g_hash_table_new(NULL, NULL);
    host.regions = g_hash_table_new(NULL, NULL);
    host.windows = g_hash_table_new(NULL, NULL);
    host.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    host.device = (struct ibv_device){.node_type = fake_is_iwarp() ? IBV_NODE_RNIC : IBV_NODE_CA,
                                      .transport_type = fake_is_iwarp() ? IBV_TRANSPORT_IWARP : IBV_TRANSPORT_IB,
                                      .name = "fake0",
                                      .dev_name = "uverbs0"};
    host.context.device = &host.device;
    host.context.ops.alloc_mw = alloc_mw;
    host.context.ops.dealloc_mw = dealloc_mw;
    host.context.ops.poll_cq = poll_cq;
    host.context.ops.req_notify_cq = req_notify_cq;
    host.context.ops.post_send = post_send;
    host.context.ops.post_recv = post_recv;
    host.context.async_fd = eventfd(0, EFD_CLOEXEC);
    host.context.cmd_fd = -1;
    host.context.num_comp_vectors = 1;
    g_thread_new("fake-rdma", fake_run, NULL);
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
    g_rec_mutex_lock(&host.lock);
    if (cq->channel)
        g_queue_remove_all(&((struct fake_comp *)cq->channel)->events, cq);
    g_queue_clear_full(&((struct fake_cq *)cq)->done, g_free);
    g_rec_mutex_unlock(&host.lock);
    g_free(cq);
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
    (void)of;
    *can = (struct ibv_device_attr){.max_mr_size = UINT64_MAX,
                                    .max_qp = 4096,
                                    .max_qp_wr = 16384,
                                    .max_sge = 8,
                                    .max_cq = 4096,
                                    .max_cqe = 1 << 20,
                                    .max_mr = 1 << 16,
                                    .max_pd = 1 << 16,
                                    .max_mw = fake_is_iwarp() ? 0 : 1 << 16,
                                    .max_qp_rd_atom = READS_MAX,
                                    .max_qp_init_rd_atom = READS_MAX,
                                    .device_cap_flags = fake_is_iwarp() ? 0 : IBV_DEVICE_MEM_WINDOW_TYPE_2B,
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

/* No asynchronous event ever comes. */
int ibv_get_async_event(struct ibv_context *of, struct ibv_async_event *event)
{
    (void)event;
    fake_take_poke(of->async_fd);
    return -1;
}

void ibv_ack_async_event(struct ibv_async_event *event)
{
    (void)event;
}
