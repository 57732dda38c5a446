// SPDX-License-Identifier: GPL-2.0-or-later
/* What a device reports by itself: errors of queue pairs, its own end. A device has one such queue for all connections.
 */
#include "traffic-gen/live/verbs_internal.h"

#include <fcntl.h>
#include <sys/epoll.h>

struct device {
    struct live_watch watch;
    struct live_loop *loop;
    struct ibv_context *context;
    GPtrArray *links; /* struct verbs_link */
};

static GHashTable *devices; /* struct ibv_context -> struct device */

/* What happened to a queue pair; rows that are not here end nothing. */
static const struct {
    enum ibv_event_type type;
    bool whole_device;
    enum qp_status status;
    const char *text;
} rows[] = {
    {IBV_EVENT_QP_ACCESS_ERR, false, QP_LOCAL_ACCESS, "the peer accessed memory of this side that is not open to it"},
    {IBV_EVENT_QP_REQ_ERR, false, QP_LOCAL_ERROR, "the peer sent a request that the device takes for invalid"},
    {IBV_EVENT_QP_FATAL, false, QP_LOCAL_ERROR, "the device reports a fatal error of the queue pair"},
    {IBV_EVENT_CQ_ERR, true, QP_LOCAL_ERROR, "the device's completion queue overflowed"},
    {IBV_EVENT_DEVICE_FATAL, true, QP_LOCAL_ERROR, "the device failed"},
};

static void report(const struct device *device, const struct ibv_async_event *event)
{
    for (guint i = 0; i < device->links->len; i++) {
        struct verbs_link *link = device->links->pdata[i];

        for (unsigned k = 0; k < G_N_ELEMENTS(rows); k++) {
            if (rows[k].type == event->event_type && link->qp && link->state < VERBS_OVER &&
                (rows[k].whole_device || link->id->qp == event->element.qp)) {
                /* What came before it may say more. */
                verbs_qp_poll(link->qp);
                verbs_qp_break(link->qp, rows[k].status, g_strdup(rows[k].text));
            }
        }
    }
}

static void on_ready(struct live_watch *watch, uint32_t events)
{
    struct device *device = (struct device *)(void *)watch;
    const struct verbs_calls *v = verbs_calls(NULL);
    struct ibv_async_event event;

    (void)events;
    while (v->get_async_event(device->context, &event) == 0) {
        v->ack_async_event(&event); /* first: a queue pair cannot be destroyed before */
        report(device, &event);
    }
}

void verbs_async_watch(struct verbs_link *link)
{
    struct ibv_context *context = link->id->verbs;
    struct device *device;

    if (!devices)
        devices = g_hash_table_new(NULL, NULL);
    device = g_hash_table_lookup(devices, context);
    if (!device) {
        device = g_new0(struct device, 1);
        *device = (struct device){.watch = {.fd = context->async_fd, .ready = on_ready},
                                  .loop = link->loop,
                                  .context = context,
                                  .links = g_ptr_array_new()};
        fcntl(context->async_fd, F_SETFL, fcntl(context->async_fd, F_GETFL) | O_NONBLOCK);
        live_watch(link->loop, &device->watch, EPOLLIN);
        g_hash_table_insert(devices, context, device);
    }
    g_ptr_array_add(device->links, link);
    link->watched = true;
}

void verbs_async_leave(struct verbs_link *link)
{
    struct device *device = link->watched ? g_hash_table_lookup(devices, link->id->verbs) : NULL;

    if (!device)
        return;
    link->watched = false;
    g_ptr_array_remove(device->links, link);
    if (device->links->len > 0)
        return;
    live_watch_end(device->loop, &device->watch);
    g_hash_table_remove(devices, device->context);
    g_ptr_array_unref(device->links);
    g_free(device);
}
