// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/fake_verbs.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct fake_device fake;

/* ---- memory ---- */

struct fake_mr {
    struct ibv_mr base;
    int access;
};

struct fake_mw {
    struct ibv_mw base;
    uint64_t address, length;
    unsigned access;
    bool bound;
};

static GPtrArray *mrs, *mws;
static uint32_t next_key;

/* Of the peer's access. NULL: refused. */
static uint8_t *reach(uint32_t rkey, uint64_t address, uint64_t n, int right)
{
    for (guint i = 0; i < mrs->len; i++) {
        const struct fake_mr *mr = mrs->pdata[i];
        uint64_t begin = (uintptr_t)mr->base.addr;

        if (mr->base.rkey == rkey && mr->access & right && address >= begin && address - begin <= mr->base.length &&
            n <= mr->base.length - (address - begin))
            return (uint8_t *)(uintptr_t)address;
    }
    for (guint i = 0; i < mws->len; i++) {
        const struct fake_mw *mw = mws->pdata[i];

        if (mw->bound && mw->base.rkey == rkey && mw->access & (unsigned)right && address >= mw->address &&
            address - mw->address <= mw->length && n <= mw->length - (address - mw->address))
            return (uint8_t *)(uintptr_t)address;
    }
    return NULL;
}

static struct ibv_pd *alloc_pd(struct ibv_context *context)
{
    struct ibv_pd *pd = g_new0(struct ibv_pd, 1);

    pd->context = context;
    fake.domains++;
    return pd;
}

static int dealloc_pd(struct ibv_pd *pd)
{
    g_free(pd);
    fake.domains--;
    return 0;
}

static struct ibv_mr *reg_mr(struct ibv_pd *pd, void *p, size_t n, int access)
{
    struct fake_mr *mr;

    if (fake.refuse_memory) {
        errno = fake.refuse_memory;
        return NULL;
    }
    mr = g_new0(struct fake_mr, 1);
    mr->base = (struct ibv_mr){.pd = pd, .addr = p, .length = n, .lkey = next_key, .rkey = next_key};
    next_key += 0x100;
    mr->access = access;
    g_ptr_array_add(mrs, mr);
    fake.regions++;
    return &mr->base;
}

static int dereg_mr(struct ibv_mr *mr)
{
    g_ptr_array_remove(mrs, mr);
    g_free(mr);
    fake.regions--;
    return 0;
}

static struct ibv_mw *alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    struct fake_mw *mw = g_new0(struct fake_mw, 1);

    mw->base = (struct ibv_mw){.pd = pd, .type = type, .rkey = next_key};
    next_key += 0x100;
    g_ptr_array_add(mws, mw);
    fake.windows_there++;
    return &mw->base;
}

static int dealloc_mw(struct ibv_mw *mw)
{
    g_ptr_array_remove(mws, mw);
    g_free(mw);
    fake.windows_there--;
    return 0;
}

/* ---- devices ---- */

static struct ibv_device device = {.name = "fake0", .transport_type = IBV_TRANSPORT_IB};
static struct ibv_context context = {.device = &device, .async_fd = -1};
static GArray *reports; /* struct ibv_async_event */

static struct ibv_device **get_device_list(int *n)
{
    static struct ibv_device *list[] = {&device, NULL};

    *n = fake.absent ? 0 : 1;
    return list;
}

static void free_device_list(struct ibv_device **list)
{
}

static int query_device(struct ibv_context *of, struct ibv_device_attr *attributes)
{
    *attributes = (struct ibv_device_attr){
        .max_qp_wr = 1024,
        .max_cqe = 4096,
        .max_qp_rd_atom = fake.reads,
        .max_qp_init_rd_atom = fake.reads,
        .max_mw = fake.windows ? 100 : 0,
        .device_cap_flags = fake.windows ? IBV_DEVICE_MEM_WINDOW_TYPE_2B : 0,
    };
    return 0;
}

static void signal_fd(int fd)
{
    const uint64_t one = 1;

    if (write(fd, &one, sizeof one) < 0)
        g_error("eventfd");
}

static bool take_signal(int fd)
{
    uint64_t n;

    if (read(fd, &n, sizeof n) <= 0)
        return false;
    fake.steps++;
    return true;
}

static int new_fd(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
}

static int get_async_event(struct ibv_context *of, struct ibv_async_event *event)
{
    if (reports->len == 0 || !take_signal(of->async_fd))
        return -1;
    *event = g_array_index(reports, struct ibv_async_event, 0);
    g_array_remove_index(reports, 0);
    return 0;
}

static void ack_async_event(struct ibv_async_event *event)
{
}

/* ---- queue pairs ---- */

struct fake_cq {
    struct ibv_cq base;
    GArray *done; /* struct ibv_wc */
    bool armed;
};

struct fake_id {
    struct rdma_cm_id base;
    struct fake_id *peer;
    struct ibv_qp qp;
    GArray *receives; /* struct ibv_recv_wr with its piece */
    bool up, in_error, listens;
};

struct receive {
    uint64_t id;
    uint8_t *p;
    size_t n;
};

static struct fake_id *asker;

/* fake.reads_late: a Read that is not done yet. */
static struct {
    struct ibv_qp *qp; /* NULL: none */
    struct ibv_send_wr work;
    struct ibv_sge sink;
} late;

static struct ibv_comp_channel *create_comp_channel(struct ibv_context *of)
{
    struct ibv_comp_channel *channel = g_new0(struct ibv_comp_channel, 1);

    channel->context = of;
    channel->fd = new_fd();
    fake.completion_channels++;
    return channel;
}

static int destroy_comp_channel(struct ibv_comp_channel *channel)
{
    close(channel->fd);
    g_free(channel);
    fake.completion_channels--;
    return 0;
}

static struct ibv_cq *create_cq(struct ibv_context *of, int cqe, void *ctx, struct ibv_comp_channel *channel,
                                int vector)
{
    struct fake_cq *cq = g_new0(struct fake_cq, 1);

    (void)cqe, (void)vector;
    cq->base = (struct ibv_cq){.context = of, .channel = channel, .cq_context = ctx};
    cq->done = g_array_new(FALSE, TRUE, sizeof(struct ibv_wc));
    fake.queues++;
    return &cq->base;
}

static int destroy_cq(struct ibv_cq *base)
{
    struct fake_cq *cq = (struct fake_cq *)(void *)base;

    g_array_unref(cq->done);
    g_free(cq);
    fake.queues--;
    return 0;
}

static void done(struct ibv_cq *base, const struct ibv_wc *wc)
{
    struct fake_cq *cq = (struct fake_cq *)(void *)base;

    g_array_append_val(cq->done, *wc);
    if (cq->armed)
        signal_fd(base->channel->fd);
    cq->armed = false;
}

static int req_notify_cq(struct ibv_cq *base, int solicited_only)
{
    struct fake_cq *cq = (struct fake_cq *)(void *)base;

    cq->armed = true;
    return 0;
}

static int get_cq_event(struct ibv_comp_channel *channel, struct ibv_cq **cq, void **ctx)
{
    *cq = NULL;
    *ctx = NULL;
    return take_signal(channel->fd) ? 0 : -1;
}

static void ack_cq_events(struct ibv_cq *cq, unsigned n)
{
    (void)cq, (void)n;
}

static void carry_out_late(void);

static int poll_cq(struct ibv_cq *base, int n, struct ibv_wc *wc)
{
    struct fake_cq *cq = (struct fake_cq *)(void *)base;
    int some = MIN(n, (int)cq->done->len);

    if (some == 0 && late.qp && late.qp->send_cq == base)
        carry_out_late(); /* it is found the next time */
    for (int i = 0; i < some; i++)
        wc[i] = g_array_index(cq->done, struct ibv_wc, i);
    if (some > 0)
        g_array_remove_range(cq->done, 0, (guint)some);
    return some;
}

static struct fake_id *id_of(struct ibv_qp *qp)
{
    return qp->qp_context;
}

/* Everything posted comes back. */
static void flush(struct fake_id *id)
{
    id->in_error = true;
    for (guint i = 0; i < id->receives->len; i++)
        done(id->qp.recv_cq, &(struct ibv_wc){.wr_id = g_array_index(id->receives, struct receive, i).id,
                                              .status = IBV_WC_WR_FLUSH_ERR});
    g_array_set_size(id->receives, 0);
}

static enum ibv_wc_status deliver(struct fake_id *to, const struct ibv_send_wr *work, const uint8_t *p, size_t n)
{
    struct receive receive;
    struct ibv_wc wc = {.opcode = IBV_WC_RECV, .byte_len = (uint32_t)n};

    if (to->receives->len == 0)
        return IBV_WC_RNR_RETRY_EXC_ERR;
    receive = g_array_index(to->receives, struct receive, 0);
    g_array_remove_index(to->receives, 0);
    wc.wr_id = receive.id;
    if (n > receive.n) {
        wc.status = IBV_WC_LOC_LEN_ERR;
        done(to->qp.recv_cq, &wc);
        flush(to);
        return IBV_WC_REM_INV_REQ_ERR;
    }
    if (n > 0)
        memcpy(receive.p, p, n);
    if (work->opcode == IBV_WR_SEND_WITH_INV) {
        wc.wc_flags = IBV_WC_WITH_INV;
        wc.invalidated_rkey = work->invalidate_rkey;
        for (guint i = 0; i < mws->len; i++) {
            struct fake_mw *mw = mws->pdata[i];

            mw->bound &= mw->base.rkey != work->invalidate_rkey;
        }
    }
    done(to->qp.recv_cq, &wc);
    return IBV_WC_SUCCESS;
}

static enum ibv_wc_status carry_out(struct fake_id *id, const struct ibv_send_wr *work, uint8_t *p, size_t n)
{
    bool write = work->opcode == IBV_WR_RDMA_WRITE;
    struct fake_mw *mw;
    uint8_t *there;

    switch (work->opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_READ:
        there = reach(work->wr.rdma.rkey, work->wr.rdma.remote_addr, n,
                      write ? IBV_ACCESS_REMOTE_WRITE : IBV_ACCESS_REMOTE_READ);
        if (!there) {
            flush(id->peer);
            return IBV_WC_REM_ACCESS_ERR;
        }
        if (n > 0)
            memcpy(write ? there : p, write ? p : there, n);
        return IBV_WC_SUCCESS;
    case IBV_WR_BIND_MW:
        mw = (struct fake_mw *)(void *)work->bind_mw.mw;
        mw->address = work->bind_mw.bind_info.addr;
        mw->length = work->bind_mw.bind_info.length;
        mw->access = work->bind_mw.bind_info.mw_access_flags;
        mw->base.rkey = work->bind_mw.rkey;
        mw->bound = true;
        return IBV_WC_SUCCESS;
    default:
        return deliver(id->peer, work, p, n);
    }
}

static void carry_out_and_report(struct ibv_qp *qp, const struct ibv_send_wr *work)
{
    struct fake_id *id = id_of(qp);
    struct ibv_wc wc = {.wr_id = work->wr_id};

    wc.status = id->in_error || !id->peer
                    ? IBV_WC_WR_FLUSH_ERR
                    : carry_out(id, work, work->num_sge ? (uint8_t *)(uintptr_t)work->sg_list->addr : NULL,
                                work->num_sge ? work->sg_list->length : 0);
    if (fake.stream_gone)
        wc.status = IBV_WC_LOC_QP_OP_ERR;
    done(qp->send_cq, &wc);
    if (wc.status != IBV_WC_SUCCESS && wc.status != IBV_WC_WR_FLUSH_ERR)
        flush(id);
}

static void carry_out_late(void)
{
    struct ibv_qp *qp = g_steal_pointer(&late.qp);

    late.work.sg_list = &late.sink;
    carry_out_and_report(qp, &late.work);
}

static int post_send(struct ibv_qp *qp, struct ibv_send_wr *work, struct ibv_send_wr **bad)
{
    *bad = work;
    if (fake.send_queue_full)
        return fake.send_queue_full;
    if (fake.reads_late && work->opcode == IBV_WR_RDMA_READ && !late.qp) {
        late.qp = qp;
        late.work = *work;
        late.sink = *work->sg_list;
    } else {
        carry_out_and_report(qp, work);
    }
    return 0;
}

static int post_recv(struct ibv_qp *qp, struct ibv_recv_wr *work, struct ibv_recv_wr **bad)
{
    const struct receive receive = {work->wr_id, (uint8_t *)(uintptr_t)work->sg_list->addr, work->sg_list->length};

    *bad = work;
    g_array_append_val(id_of(qp)->receives, receive);
    return 0;
}

static const char *wc_status_str(enum ibv_wc_status status)
{
    return status == IBV_WC_RNR_RETRY_EXC_ERR ? "RNR retry counter exceeded" : "status of a fake";
}

/* ---- the connection manager ---- */

struct fake_channel {
    struct rdma_event_channel base;
    GQueue events; /* struct rdma_cm_event */
};

static GPtrArray *listeners;

static struct rdma_event_channel *create_event_channel(void)
{
    struct fake_channel *channel = g_new0(struct fake_channel, 1);

    channel->base.fd = new_fd();
    fake.channels++;
    return &channel->base;
}

static void destroy_event_channel(struct rdma_event_channel *base)
{
    struct fake_channel *channel = (struct fake_channel *)(void *)base;

    close(base->fd);
    g_queue_clear_full(&channel->events, g_free);
    g_free(channel);
    fake.channels--;
}

static void say(struct rdma_event_channel *base, struct rdma_cm_id *id, enum rdma_cm_event_type type, int status,
                const struct rdma_conn_param *terms)
{
    struct fake_channel *channel = (struct fake_channel *)(void *)base;
    struct rdma_cm_event *event = g_new0(struct rdma_cm_event, 1);

    event->id = id;
    event->event = type;
    event->status = status;
    if (terms)
        event->param.conn = *terms;
    g_queue_push_tail(&channel->events, event);
    signal_fd(base->fd);
}

static int create_id(struct rdma_event_channel *channel, struct rdma_cm_id **out, void *ctx, enum rdma_port_space space)
{
    struct fake_id *id = g_new0(struct fake_id, 1);

    id->base = (struct rdma_cm_id){.channel = channel, .context = ctx, .ps = space};
    id->receives = g_array_new(FALSE, FALSE, sizeof(struct receive));
    *out = &id->base;
    fake.ids++;
    return 0;
}

static int destroy_id(struct rdma_cm_id *base)
{
    struct fake_id *id = (struct fake_id *)(void *)base;

    if (id->peer)
        id->peer->peer = NULL;
    if (asker == id)
        asker = NULL;
    g_ptr_array_remove(listeners, id);
    g_array_unref(id->receives);
    g_free(id);
    fake.ids--;
    return 0;
}

static int migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
    id->channel = channel;
    return 0;
}

static int set_option(struct rdma_cm_id *id, int level, int name, void *p, size_t n)
{
    (void)id, (void)level, (void)name, (void)p, (void)n;
    return 0;
}

static int bind_addr(struct rdma_cm_id *id, struct sockaddr *address)
{
    if (address->sa_family != AF_INET) {
        errno = EADDRNOTAVAIL;
        return -1;
    }
    memcpy(&id->route.addr.src_addr, address, sizeof(struct sockaddr_in));
    if (id->route.addr.src_sin.sin_port == 0)
        id->route.addr.src_sin.sin_port = htons(20049);
    return 0;
}

static int listen_id(struct rdma_cm_id *base, int backlog)
{
    g_ptr_array_add(listeners, base);
    return 0;
}

static int resolve_addr(struct rdma_cm_id *id, struct sockaddr *source, struct sockaddr *peer, int timeout_ms)
{
    (void)source, (void)timeout_ms;
    memcpy(&id->route.addr.dst_addr, peer, sizeof(struct sockaddr_in));
    id->verbs = &context;
    if (!fake.silent)
        say(id->channel, id, RDMA_CM_EVENT_ADDR_RESOLVED, 0, NULL);
    return 0;
}

static int resolve_route(struct rdma_cm_id *id, int timeout_ms)
{
    device.transport_type = fake.iwarp ? IBV_TRANSPORT_IWARP : IBV_TRANSPORT_IB;
    say(id->channel, id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0, NULL);
    return 0;
}

static int create_qp(struct rdma_cm_id *base, struct ibv_pd *pd, struct ibv_qp_init_attr *attributes)
{
    struct fake_id *id = (struct fake_id *)(void *)base;

    id->qp = (struct ibv_qp){.context = base->verbs,
                             .qp_context = id,
                             .pd = pd,
                             .send_cq = attributes->send_cq,
                             .recv_cq = attributes->recv_cq};
    base->qp = &id->qp;
    fake.queue_pairs++;
    return 0;
}

static void destroy_qp(struct rdma_cm_id *id)
{
    if (late.qp == id->qp)
        late.qp = NULL;
    id->qp = NULL;
    fake.queue_pairs--;
}

/* Private data lives as long as the test: events hold pointers to it. */
static struct rdma_conn_param for_peer(const struct rdma_conn_param *terms)
{
    static uint8_t octets[256];

    if (terms->private_data_len > 0)
        memcpy(octets, terms->private_data, terms->private_data_len);
    return (struct rdma_conn_param){.private_data = terms->private_data_len ? octets : NULL,
                                    .private_data_len = terms->private_data_len,
                                    .responder_resources = terms->initiator_depth,
                                    .initiator_depth = terms->responder_resources};
}

static int connect_id(struct rdma_cm_id *base, struct rdma_conn_param *terms)
{
    struct fake_id *id = (struct fake_id *)(void *)base;
    const struct rdma_conn_param theirs = for_peer(terms);

    asker = id;
    for (guint i = 0; i < listeners->len; i++) {
        struct rdma_cm_id *listener = listeners->pdata[i], *other;

        if (listener->route.addr.src_sin.sin_port != base->route.addr.dst_sin.sin_port)
            continue;
        create_id(listener->channel, &other, NULL, RDMA_PS_TCP);
        other->verbs = &context;
        memcpy(&other->route.addr.dst_addr, &base->route.addr.dst_addr, sizeof(struct sockaddr_in));
        id->peer = (struct fake_id *)(void *)other;
        id->peer->peer = id;
        say(listener->channel, other, RDMA_CM_EVENT_CONNECT_REQUEST, 0, &theirs);
        return 0;
    }
    say(base->channel, base, RDMA_CM_EVENT_REJECTED, 8, NULL);
    return 0;
}

static int accept_id(struct rdma_cm_id *base, struct rdma_conn_param *terms)
{
    struct fake_id *id = (struct fake_id *)(void *)base;
    const struct rdma_conn_param theirs = for_peer(terms);

    id->up = id->peer->up = true;
    say(id->peer->base.channel, &id->peer->base, RDMA_CM_EVENT_ESTABLISHED, 0, &theirs);
    say(base->channel, base, RDMA_CM_EVENT_ESTABLISHED, 0, NULL);
    return 0;
}

static int reject_id(struct rdma_cm_id *base, const void *p, uint8_t n)
{
    struct fake_id *id = (struct fake_id *)(void *)base;

    (void)p, (void)n;
    if (id->peer)
        say(id->peer->base.channel, &id->peer->base, RDMA_CM_EVENT_REJECTED, 28, NULL);
    return 0;
}

static int disconnect_id(struct rdma_cm_id *base)
{
    struct fake_id *id = (struct fake_id *)(void *)base;

    if (!id->up)
        return -1;
    id->up = false;
    flush(id);
    say(base->channel, base, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
    if (id->peer && id->peer->up) {
        id->peer->up = false;
        say(id->peer->base.channel, &id->peer->base, RDMA_CM_EVENT_DISCONNECTED, 0, NULL);
    }
    return 0;
}

static int get_cm_event(struct rdma_event_channel *base, struct rdma_cm_event **event)
{
    struct fake_channel *channel = (struct fake_channel *)(void *)base;

    if (!take_signal(base->fd))
        return -1;
    *event = g_queue_pop_head(&channel->events);
    return *event ? 0 : -1;
}

static int ack_cm_event(struct rdma_cm_event *event)
{
    g_free(event);
    return 0;
}

static const char *event_str(enum rdma_cm_event_type type)
{
    return type == RDMA_CM_EVENT_UNREACHABLE ? "RDMA_CM_EVENT_UNREACHABLE" : "event of a fake";
}

/* ---- for the tests ---- */

void fake_reset(void)
{
    if (!mrs) {
        mrs = g_ptr_array_new();
        mws = g_ptr_array_new();
        listeners = g_ptr_array_new();
        reports = g_array_new(FALSE, FALSE, sizeof(struct ibv_async_event));
        context.async_fd = new_fd();
    }
    fake = (struct fake_device){.windows = true, .reads = 16};
    next_key = 0x1000;
}

void fake_report(enum ibv_event_type type)
{
    const struct ibv_async_event event = {.event_type = type, .element.qp = &asker->qp};

    g_array_append_val(reports, event);
    signal_fd(context.async_fd);
}

struct rdma_cm_id *fake_asker(void)
{
    return asker ? &asker->base : NULL;
}

const struct verbs_calls fake_verbs = {
    .size = sizeof(struct verbs_calls),
    .get_device_list = get_device_list,
    .free_device_list = free_device_list,
    .query_device = query_device,
    .get_async_event = get_async_event,
    .ack_async_event = ack_async_event,
    .alloc_pd = alloc_pd,
    .dealloc_pd = dealloc_pd,
    .reg_mr = reg_mr,
    .dereg_mr = dereg_mr,
    .alloc_mw = alloc_mw,
    .dealloc_mw = dealloc_mw,
    .create_comp_channel = create_comp_channel,
    .destroy_comp_channel = destroy_comp_channel,
    .create_cq = create_cq,
    .destroy_cq = destroy_cq,
    .req_notify_cq = req_notify_cq,
    .get_cq_event = get_cq_event,
    .ack_cq_events = ack_cq_events,
    .poll_cq = poll_cq,
    .post_send = post_send,
    .post_recv = post_recv,
    .wc_status_str = wc_status_str,
    .create_event_channel = create_event_channel,
    .destroy_event_channel = destroy_event_channel,
    .create_id = create_id,
    .destroy_id = destroy_id,
    .migrate_id = migrate_id,
    .set_option = set_option,
    .bind_addr = bind_addr,
    .listen = listen_id,
    .resolve_addr = resolve_addr,
    .resolve_route = resolve_route,
    .create_qp = create_qp,
    .destroy_qp = destroy_qp,
    .connect = connect_id,
    .accept = accept_id,
    .reject = reject_id,
    .disconnect = disconnect_id,
    .get_cm_event = get_cm_event,
    .ack_cm_event = ack_cm_event,
    .event_str = event_str,
};
