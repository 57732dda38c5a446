// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Connects repeatedly, one connection at a time; each connection begins with a Send and then does what the Reply asks
 * for.
 */
#include "lab/target/loop.h"
#include "lab/target/roles.h"
#include "lab/target/trouble.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

enum { RESOLVE_MS = 2000 };
static const double refused_pause = 0.5;

struct initiator {
    struct addrinfo *address;
    double next;                       /* when to connect again, monotonic seconds */
    double heard;                      /* when a connection was last accepted; at first, the start */
    enum rdma_cm_event_type complaint; /* the last message: the same trouble is printed once in a row */
};

static void initiator_complain(struct loop *loop, enum rdma_cm_event_type event, int number)
{
    struct initiator *initiator = loop->role;

    if (event == initiator->complaint && !loop->options->verbose)
        return;
    initiator->complaint = event;
    target_trouble_say("%s:%s: %s (%s)%s", loop->options->host, loop->options->port, rdma_event_str(event),
                       strerror(abs(number)),
                       event == RDMA_CM_EVENT_ADDR_ERROR ? "; is the route there through an RDMA device?" : "");
}

static void connect_now(struct loop *loop)
{
    struct initiator *initiator = loop->role;
    struct rdma_cm_id *id;
    struct connection *c;

    if (rdma_create_id(loop->channel, &id, NULL, RDMA_PS_TCP) != 0) {
        trouble_system("RDMA CM");
        return;
    }
    c = connection_new(id, loop->options);
    if (!c) {
        rdma_destroy_id(id);
        return;
    }
    loop_add(loop, c);
    if (rdma_resolve_addr(id, NULL, initiator->address->ai_addr, RESOLVE_MS) != 0) {
        initiator_complain(loop, RDMA_CM_EVENT_ADDR_ERROR, errno);
        loop_drop(loop, c);
    }
}

static bool initiator_request(struct connection *c)
{
    struct rdma_conn_param terms;
    uint8_t words[ADVERT_MAX];

    if (!connection_open(c))
        return false;
    connection_terms(c, &terms, words);
    if (rdma_connect(c->id, &terms) == 0)
        return true;
    trouble_system("connect");
    return false;
}

/* Does what the Reply asks for. The Responder's first message comes after ours (RFC 5044 section 7.1.2). */
static bool initiator_begin(struct loop *loop, struct connection *c, const struct rdma_cm_event *event)
{
    struct initiator *initiator = loop->role;

    c->established = true;
    c->last = initiator->heard = connection_now();
    initiator->complaint = RDMA_CM_EVENT_ESTABLISHED;
    c->plan = target_plan_make(loop->options, event->param.conn.private_data, event->param.conn.private_data_len);
    if (c->plan.answer != PLAN_ACCEPT || !connection_post_receives(c))
        return false;
    connection_greet(c);
    return true;
}

static void initiator_take_event(struct loop *loop, const struct rdma_cm_event *event)
{
    struct connection *c = event->id->context;
    bool good = false;

    switch (event->event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
        good = rdma_resolve_route(c->id, RESOLVE_MS) == 0;
        break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
        good = initiator_request(c);
        break;
    case RDMA_CM_EVENT_ESTABLISHED:
        good = initiator_begin(loop, c, event);
        break;
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
    case RDMA_CM_EVENT_ADDR_CHANGE:
        good = true;
        break;
    case RDMA_CM_EVENT_DISCONNECTED:
        break;
    default:
        initiator_complain(loop, event->event, event->status);
    }
    if (!good)
        loop_drop(loop, c);
}

static void initiator_ended(struct loop *loop, struct connection *c)
{
    struct initiator *initiator = loop->role;

    initiator->next = connection_now() + (c->established ? loop->options->pause : refused_pause);
}

static bool initiator_tick(struct loop *loop, double now)
{
    struct initiator *initiator = loop->role;

    if (loop->connections || now < initiator->next)
        return true;
    if (loop->options->patience > 0 && now - initiator->heard > loop->options->patience) {
        target_trouble_say("no connection was accepted for %g s", loop->options->patience);
        return false;
    }
    connect_now(loop);
    return true;
}

bool initiator_run(const struct target_options *options)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct initiator initiator = {.heard = connection_now()};
    struct loop loop = {.options = options,
                        .role = &initiator,
                        .event = initiator_take_event,
                        .tick = initiator_tick,
                        .ended = initiator_ended};
    int wrong = getaddrinfo(options->host, options->port, &hints, &initiator.address);
    bool good;

    if (wrong) {
        target_trouble_say("%s: %s", options->host, gai_strerror(wrong));
        return false;
    }
    good = loop_open(&loop) && loop_run(&loop);
    loop_close(&loop);
    freeaddrinfo(initiator.address);
    return good;
}
