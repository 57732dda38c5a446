// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/target/loop.h"

#include "lab/target/trouble.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { TICK_MS = 100, PRIVATE_DATA_MAX = 256 };

static volatile sig_atomic_t stopped; /* by SIGINT or SIGTERM */

static void loop_stop(int number)
{
    (void)number;
    stopped = 1;
}

bool loop_open(struct loop *loop)
{
    const struct sigaction action = {.sa_handler = loop_stop};

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    loop->channel = rdma_create_event_channel();
    if (!loop->channel || fcntl(loop->channel->fd, F_SETFL, O_NONBLOCK) != 0) {
        trouble_system("RDMA CM");
        return false;
    }
    return true;
}

void loop_add(struct loop *loop, struct connection *c)
{
    c->next = loop->connections;
    loop->connections = c;
    loop->n++;
}

void loop_drop(struct loop *loop, struct connection *c)
{
    for (struct connection **at = &loop->connections; *at; at = &(*at)->next) {
        if (*at == c) {
            *at = c->next;
            loop->n--;
            break;
        }
    }
    if (loop->ended)
        loop->ended(loop, c);
    connection_free(c);
}

/*
 * The event is acknowledged before it is handled, because destroying an identifier waits for its events. Acknowledging
 * invalidates its private data.
 */
static void loop_take_event(struct loop *loop, struct rdma_cm_event *event)
{
    uint8_t octets[PRIVATE_DATA_MAX];
    struct rdma_cm_event copy = *event;
    const struct connection *c = event->id ? event->id->context : NULL;

    if (copy.param.conn.private_data && copy.param.conn.private_data_len > 0) {
        memcpy(octets, copy.param.conn.private_data, copy.param.conn.private_data_len);
        copy.param.conn.private_data = octets;
    } else {
        copy.param.conn.private_data = NULL;
        copy.param.conn.private_data_len = 0;
    }
    rdma_ack_cm_event(event);
    if (loop->options->verbose)
        target_trouble_say("connection %p: %s, status %d", (const void *)c, rdma_event_str(copy.event), copy.status);
    if (copy.id)
        loop->event(loop, &copy);
}

static bool take_events(struct loop *loop)
{
    struct rdma_cm_event *event;

    while (rdma_get_cm_event(loop->channel, &event) == 0)
        loop_take_event(loop, event);
    if (errno == EAGAIN || errno == EINTR)
        return true;
    trouble_system("RDMA CM event");
    return errno != ENODEV && errno != EBADF; /* other events concern one connection */
}

static void take_completions(struct loop *loop)
{
    const double now = connection_now();

    for (struct connection *c = loop->connections, *next; c; c = next) {
        next = c->next;
        if (c->completions)
            connection_work(c);
        if (loop->options->idle > 0 && now - c->last > loop->options->idle) {
            if (loop->options->verbose)
                target_trouble_say("connection %p: idle for %g s", (void *)c, loop->options->idle);
            loop_drop(loop, c);
        }
    }
}

/* Waits until there is something to do, or until a tick. */
static bool loop_wait_for(struct loop *loop)
{
    struct pollfd *at = calloc(loop->n + 1, sizeof *at);
    nfds_t n = 0;
    int timeout = TICK_MS;

    if (!at) {
        trouble_system("poll");
        return false;
    }
    at[n++] = (struct pollfd){loop->channel->fd, POLLIN, 0};
    for (const struct connection *c = loop->connections; c; c = c->next) {
        if (c->channel)
            at[n++] = (struct pollfd){c->channel->fd, POLLIN, 0};
        if (c->busy)
            timeout = 0;
    }
    poll(at, n, timeout);
    free(at);
    return true;
}

bool loop_run(struct loop *loop)
{
    while (!stopped && loop->tick(loop, connection_now())) {
        if (!loop_wait_for(loop) || !take_events(loop))
            return false;
        take_completions(loop);
    }
    return true;
}

void loop_close(struct loop *loop)
{
    while (loop->connections)
        loop_drop(loop, loop->connections);
    if (loop->channel)
        rdma_destroy_event_channel(loop->channel);
    loop->channel = NULL;
}
