// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asynchronous events of a device: errors of queue pairs, the end of the device. A device has one event queue for all
 * connections of the process, which may run in several threads: each thread's tick empties the queue and passes the
 * events to their connections.
 */
#include "traffic-gen/live/verbs/verbs_internal.h"

#include <fcntl.h>

/* Events of a queue pair; events without a row end nothing. */
static const struct {
    enum ibv_event_type type;
    bool whole_device;
    enum qp_status status;
    const char *text;
} rows[] = {
    {IBV_EVENT_QP_ACCESS_ERR, false, QP_LOCAL_ACCESS, "the peer accessed memory of this side without rights"},
    {IBV_EVENT_QP_REQ_ERR, false, QP_LOCAL_ERROR, "the peer sent a request that the device considers invalid"},
    {IBV_EVENT_QP_FATAL, false, QP_LOCAL_ERROR, "the device reports a fatal error of the queue pair"},
    {IBV_EVENT_CQ_ERR, true, QP_LOCAL_ERROR, "the device's completion queue overflowed"},
    {IBV_EVENT_DEVICE_FATAL, true, QP_LOCAL_ERROR, "the device failed"},
};

static GMutex lock;
static GPtrArray *watched; /* struct verbs_link, from all threads */

static void leave_with(const struct ibv_context *context, const struct ibv_async_event *event)
{
    for (unsigned k = 0; k < G_N_ELEMENTS(rows); k++) {
        for (guint i = 0; rows[k].type == event->event_type && i < watched->len; i++) {
            struct verbs_link *link = watched->pdata[i];

            if (link->id->verbs == context && (rows[k].whole_device || link->id->qp == event->element.qp) &&
                !link->reported)
                link->reported = k + 1;
        }
    }
}

void verbs_async_take(struct verbs_link *link)
{
    struct ibv_async_event event;
    unsigned reported;

    if (!link->watched)
        return;
    g_mutex_lock(&lock);
    while (link->v->get_async_event(link->id->verbs, &event) == 0) {
        link->v->ack_async_event(&event); /* first: a queue pair with unacknowledged events cannot be destroyed */
        leave_with(link->id->verbs, &event);
    }
    reported = link->reported;
    link->reported = 0;
    g_mutex_unlock(&lock);
    if (reported == 0)
        return;
    verbs_qp_poll(link->qp); /* earlier completions may say more */
    verbs_qp_break(link->qp, rows[reported - 1].status, g_strdup(rows[reported - 1].text));
}

void verbs_async_watch(struct verbs_link *link)
{
    int fd = link->id->verbs->async_fd;

    g_mutex_lock(&lock);
    if (!watched)
        watched = g_ptr_array_new();
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    g_ptr_array_add(watched, link);
    link->watched = true;
    g_mutex_unlock(&lock);
}

void verbs_async_leave(struct verbs_link *link)
{
    if (!link->watched)
        return;
    g_mutex_lock(&lock);
    g_ptr_array_remove_fast(watched, link);
    link->watched = false;
    g_mutex_unlock(&lock);
}
