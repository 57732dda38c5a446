// SPDX-License-Identifier: GPL-2.0-or-later
/* The RDMA device for tests: librdmacm. */
#include "tests/rdma/fake_rdma.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static uint32_t next_qpn = 0x11;
/* Live queue pairs, and when recently destroyed ones that still count were destroyed. */
static int64_t made;
static GArray *destroyed; /* int64_t, microseconds */

/* ---- librdmacm ---- */

struct rdma_event_channel *rdma_create_event_channel(void)
{
    struct fake_channel *channel = g_new0(struct fake_channel, 1);

    fake_begin();
    fake_count(1);
    channel->channel.fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
    return &channel->channel;
}

void rdma_destroy_event_channel(struct rdma_event_channel *channel)
{
    close(channel->fd);
    g_queue_clear_full(&((struct fake_channel *)channel)->events, g_free);
    g_free(channel);
    fake_count(-1);
}

int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event)
{
    struct fake_event *one;

    if (!fake_take_poke(channel->fd))
        return -1;
    g_rec_mutex_lock(&host.lock);
    one = g_queue_pop_head(&((struct fake_channel *)channel)->events);
    if (one)
        ((struct fake_id *)one->event.id)->is_known = true;
    g_rec_mutex_unlock(&host.lock);
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
    id->number = ++host.next_number;
    fake_count(1);
    g_hash_table_insert(host.ids, GUINT_TO_POINTER(id->number), id);
    return id;
}

int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *data, enum rdma_port_space ps)
{
    (void)ps;
    fake_begin();
    g_rec_mutex_lock(&host.lock);
    *id = &id_new(channel, data)->id;
    ((struct fake_id *)*id)->is_known = true;
    g_rec_mutex_unlock(&host.lock);
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

static void id_free(struct fake_id *id)
{
    forget_events(id);
    if (id->fd >= 0 && id->out->len > 0)
        send(id->fd, id->out->data, id->out->len, MSG_NOSIGNAL | MSG_DONTWAIT);
    fake_hang_up(id);
    if (id->qp)
        ((struct fake_qp *)id->qp)->id = NULL;
    if (host.asker == id)
        host.asker = NULL;
    g_byte_array_unref(id->in);
    g_byte_array_unref(id->out);
    g_free(id);
    fake_count(-1);
}

/* Frees a listener's connections that it has not reported. */
static gboolean is_orphan(gpointer number, gpointer data, gpointer listener)
{
    struct fake_id *id = data;

    (void)number;
    if (id->listener != listener)
        return FALSE;
    id->listener = NULL;
    if (id->is_known)
        return FALSE;
    id_free(id);
    return TRUE;
}

int rdma_destroy_id(struct rdma_cm_id *id)
{
    struct fake_id *fake = (struct fake_id *)id;

    g_rec_mutex_lock(&host.lock);
    g_hash_table_remove(host.ids, GUINT_TO_POINTER(fake->number));
    g_hash_table_foreach_remove(host.ids, is_orphan, fake);
    id_free(fake);
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel)
{
    struct fake_id *fake = (struct fake_id *)id;
    struct fake_channel *from = (struct fake_channel *)id->channel, *to = (struct fake_channel *)channel;
    GList *next;

    g_rec_mutex_lock(&host.lock);
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
        fake_poke(to->channel.fd);
    }
    id->channel = channel;
    g_rec_mutex_unlock(&host.lock);
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
    id->id.verbs = &host.context;
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

    g_rec_mutex_lock(&host.lock);
    if (status == 0) {
        note_ends(fake);
        fake->state = LISTENS;
        fake_watch(fake, EPOLLIN);
    }
    g_rec_mutex_unlock(&host.lock);
    return status;
}

void fake_accept_one(struct fake_id *listener)
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
    fake_watch(id, EPOLLIN);
}

int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *from, struct sockaddr *to, int timeout)
{
    (void)timeout;
    g_rec_mutex_lock(&host.lock);
    if (from)
        memcpy(&id->route.addr.src_storage, from, length_of(from));
    memcpy(&id->route.addr.dst_storage, to, length_of(to));
    id->verbs = &host.context;
    if (!fake_device.silent)
        fake_tell((struct fake_id *)id, RDMA_CM_EVENT_ADDR_RESOLVED, 0, NULL, NULL, 0);
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

int rdma_resolve_route(struct rdma_cm_id *id, int timeout)
{
    (void)timeout;
    g_rec_mutex_lock(&host.lock);
    fake_tell((struct fake_id *)id, RDMA_CM_EVENT_ROUTE_RESOLVED, 0, NULL, NULL, 0);
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

static bool fits(const struct rdma_conn_param *terms, size_t room)
{
    if (fake_is_iwarp() || !terms || terms->private_data_len <= room)
        return true;
    errno = EINVAL;
    return false;
}

static void say_terms(struct fake_id *id, enum kind kind, const struct rdma_conn_param *terms)
{
    static const struct rdma_conn_param none;

    terms = terms ? terms : &none;
    fake_say(id,
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
    g_rec_mutex_lock(&host.lock);
    host.asker = fake;
    fake->state = CONNECTS;
    status = connect(fake->fd, &id->route.addr.dst_addr, length_of(&id->route.addr.dst_addr));
    if (status != 0 && errno != EINPROGRESS) {
        fake_hang_up(fake);
        fake_is_over(fake);
    } else {
        note_ends(fake);
        fake_watch(fake, EPOLLIN | EPOLLOUT);
        say_terms(fake, REQUEST, terms);
    }
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *terms)
{
    struct fake_id *fake = (struct fake_id *)id;

    if (!fits(terms, IB_REPLY_DATA))
        return -1;
    g_rec_mutex_lock(&host.lock);
    say_terms(fake, REPLY, terms);
    if (fake->state == IS_ASKED) {
        fake->state = CONNECTED;
        if (id->qp)
            id->qp->state = IBV_QPS_RTS;
        fake_tell(fake, RDMA_CM_EVENT_ESTABLISHED, 0, NULL, NULL, 0);
    }
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

int rdma_reject(struct rdma_cm_id *id, const void *data, uint8_t n)
{
    g_rec_mutex_lock(&host.lock);
    fake_say((struct fake_id *)id, (struct frame){.kind = REJECT}, data, n);
    ((struct fake_id *)id)->told = true;
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

int rdma_disconnect(struct rdma_cm_id *id)
{
    struct fake_id *fake = (struct fake_id *)id;

    g_rec_mutex_lock(&host.lock);
    if (fake->state != CONNECTED && fake->state != DISCONNECTED) {
        g_rec_mutex_unlock(&host.lock);
        errno = EINVAL;
        return -1;
    }
    if (fake->qp)
        fake_flush((struct fake_qp *)fake->qp);
    if (!fake->sent_disconnect)
        fake_say(fake, (struct frame){.kind = DISCONNECT}, NULL, 0);
    fake->sent_disconnect = true;
    if (fake->got_disconnect || fake->fd < 0)
        fake_is_over(fake);
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

/*
 * FAKE_RDMA_QPS=N or N:MS: an adapter with at most N queue pairs, which frees a destroyed one after this time, or
 * never.
 */
static bool has_queue_pair(void)
{
    const char *limit = g_getenv("FAKE_RDMA_QPS"), *rest = limit ? strchr(limit, ':') : NULL;
    int64_t now = g_get_monotonic_time();

    if (!destroyed)
        destroyed = g_array_new(FALSE, FALSE, sizeof(int64_t));
    while (rest && destroyed->len > 0 &&
           g_array_index(destroyed, int64_t, 0) + g_ascii_strtoll(rest + 1, NULL, 10) * 1000 <= now) {
        g_array_remove_index(destroyed, 0);
        made--;
    }
    if (limit && made >= g_ascii_strtoll(limit, NULL, 10)) {
        errno = ENOMEM;
        return false;
    }
    made++;
    return true;
}

int rdma_create_qp(struct rdma_cm_id *id, struct ibv_pd *pd, struct ibv_qp_init_attr *attributes)
{
    struct fake_qp *qp;
    bool has;

    g_rec_mutex_lock(&host.lock);
    has = has_queue_pair();
    g_rec_mutex_unlock(&host.lock);
    if (!has)
        return -1;
    qp = g_new0(struct fake_qp, 1);
    g_rec_mutex_lock(&host.lock);
    qp->qp = (struct ibv_qp){.context = &host.context,
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
    fake_count(1);
    g_rec_mutex_unlock(&host.lock);
    return 0;
}

static void qp_free(struct fake_qp *qp)
{
    int64_t now = g_get_monotonic_time();

    g_queue_clear_full(&qp->sends, (GDestroyNotify)fake_work_free);
    g_queue_clear_full(&qp->receives, (GDestroyNotify)fake_work_free);
    g_free(qp);
    g_array_append_val(destroyed, now);
    fake_count(-1);
}

void rdma_destroy_qp(struct rdma_cm_id *id)
{
    g_rec_mutex_lock(&host.lock);
    ((struct fake_id *)id)->qp = NULL;
    if (id->qp)
        qp_free((struct fake_qp *)id->qp);
    id->qp = NULL;
    g_rec_mutex_unlock(&host.lock);
}

__be16 rdma_get_src_port(struct rdma_cm_id *id)
{
    return id->route.addr.src_sin.sin_port; /* same offset in both families */
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

    fake_begin();
    list[0] = fake_device.absent ? NULL : &host.context;
    if (n)
        *n = !fake_device.absent;
    return list;
}

void rdma_free_devices(struct ibv_context **list)
{
    g_free(list);
}

struct ibv_device **ibv_get_device_list(int *n)
{
    struct ibv_device **list = g_new0(struct ibv_device *, 2);

    fake_begin();
    list[0] = fake_device.absent ? NULL : &host.device;
    if (n)
        *n = !fake_device.absent;
    return list;
}

void ibv_free_device_list(struct ibv_device **list)
{
    g_free(list);
}

/* Programs look for the device nodes to name what is missing. */
int access(const char *path, int mode)
{
    return g_str_has_prefix(path, "/dev/infiniband/") ? 0 : faccessat(AT_FDCWD, path, mode, 0);
}
