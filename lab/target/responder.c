// SPDX-License-Identifier: GPL-2.0-or-later
/* Listens, and gives each connection what its Request asks for. */
#include "lab/target/loop.h"
#include "lab/target/roles.h"
#include "lab/target/trouble.h"
#include "lab/target/watch.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

enum { BACKLOG = 128 };

struct responder {
    struct rdma_cm_id *listener;
    struct addrinfo *address;
    double next;  /* when to check the listener, or to listen again; monotonic seconds */
    bool visible; /* the listener is visible in the kernel's tables */
    bool said;    /* the failure to listen was printed */
};

static const double retry = 1;

static bool listen_now(struct loop *loop)
{
    struct responder *responder = loop->role;
    struct rdma_cm_id *id;

    if (rdma_create_id(loop->channel, &id, NULL, RDMA_PS_TCP) != 0)
        return false;
    if (rdma_bind_addr(id, responder->address->ai_addr) != 0 || rdma_listen(id, BACKLOG) != 0) {
        const int number = errno;

        rdma_destroy_id(id);
        errno = number;
        return false;
    }
    responder->listener = id;
    responder->visible = watch_listens((unsigned)strtoul(loop->options->port, NULL, 10));
    responder->next = connection_now() + loop->options->watch;
    target_trouble_say("listening on %s%s%s", loop->options->host, loop->options->host[0] ? ":" : "port ",
                       loop->options->port);
    return true;
}

static void responder_stop_listening(struct loop *loop, const char *why)
{
    struct responder *responder = loop->role;

    target_trouble_say("the listener has ended (%s); listening again", why);
    rdma_destroy_id(responder->listener);
    responder->listener = NULL;
    responder->next = connection_now() + retry;
}

static void responder_reject(struct connection *c)
{
    static const char why[] = "IWT1: not acceptable";
    const bool data = c->plan.answer == PLAN_REJECT_WITH_DATA;

    rdma_reject(c->id, data ? why : NULL, data ? sizeof why - 1 : 0);
}

static bool accept_request(struct connection *c)
{
    struct rdma_conn_param terms;
    uint8_t words[ADVERT_MAX];

    if (!connection_open(c) || !connection_post_receives(c))
        return false;
    connection_terms(c, &terms, words);
    if (rdma_accept(c->id, &terms) == 0)
        return true;
    if (c->options->verbose)
        trouble_system("accept");
    return false;
}

/* A connection that is kept waiting counts, too: it ends with --idle, or with its peer. */
static void responder_take_request(struct loop *loop, const struct rdma_cm_event *event)
{
    struct connection *c = connection_new(event->id, loop->options);

    if (!c) {
        rdma_destroy_id(event->id);
        return;
    }
    c->plan = target_plan_make(loop->options, event->param.conn.private_data, event->param.conn.private_data_len);
    loop_add(loop, c);
    if (c->plan.answer == PLAN_SILENCE)
        return;
    if (loop->n > loop->options->connections) {
        target_trouble_say("%u connections are open: rejecting another", loop->options->connections);
        c->plan.answer = PLAN_REJECT;
    }
    if (c->plan.answer == PLAN_ACCEPT && accept_request(c))
        return;
    responder_reject(c);
    loop_drop(loop, c);
}

static void responder_take_event(struct loop *loop, const struct rdma_cm_event *event)
{
    struct responder *responder = loop->role;
    struct connection *c;

    if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST) {
        responder_take_request(loop, event);
        return;
    }
    if (event->id == responder->listener) {
        responder_stop_listening(loop, rdma_event_str(event->event));
        return;
    }
    c = event->id->context;
    if (!c)
        return;
    switch (event->event) {
    case RDMA_CM_EVENT_ESTABLISHED:
        c->established = true;
        break;
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
    case RDMA_CM_EVENT_ADDR_CHANGE:
        break;
    default: /* disconnected, or unable to continue */
        loop_drop(loop, c);
    }
}

static void responder_look(struct loop *loop, double now)
{
    struct responder *responder = loop->role;

    if (!responder->visible || loop->options->watch <= 0)
        return;
    responder->next = now + loop->options->watch;
    if (!watch_listens((unsigned)strtoul(loop->options->port, NULL, 10)))
        responder_stop_listening(loop, "the device stopped listening on the port without an event");
}

static bool responder_tick(struct loop *loop, double now)
{
    struct responder *responder = loop->role;

    if (now < responder->next)
        return true;
    if (responder->listener) {
        responder_look(loop, now);
        return true;
    }
    responder->next = now + retry;
    if (!listen_now(loop) && !responder->said)
        trouble_system("listen");
    responder->said = !responder->listener;
    return true;
}

static bool responder_resolve(const struct target_options *options, struct addrinfo **out)
{
    const struct addrinfo hints = {
        .ai_flags = AI_PASSIVE, .ai_family = options->host[0] ? AF_UNSPEC : AF_INET, .ai_socktype = SOCK_STREAM};
    int wrong = getaddrinfo(options->host[0] ? options->host : NULL, options->port, &hints, out);

    if (wrong)
        target_trouble_say("%s: %s", options->host, gai_strerror(wrong));
    return !wrong;
}

bool responder_run(const struct target_options *options)
{
    struct responder responder = {0};
    struct loop loop = {.options = options, .role = &responder, .event = responder_take_event, .tick = responder_tick};
    bool good = false;

    if (!responder_resolve(options, &responder.address))
        return false;
    if (loop_open(&loop)) {
        if (listen_now(&loop))
            good = loop_run(&loop);
        else
            trouble_system("listen");
    }
    if (responder.listener)
        rdma_destroy_id(responder.listener);
    loop_close(&loop);
    freeaddrinfo(responder.address);
    return good;
}
