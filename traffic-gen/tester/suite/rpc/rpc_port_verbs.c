// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The end of the stack on a queue pair of an RDMA device (traffic-gen/live/verbs/verbs.h). Each connection has its own
 * loop, which runs while the case waits; connections from a device share one with their listener.
 */
#include "traffic-gen/live/verbs/verbs.h"

#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "traffic-gen/tester/suite/talk/talk_port.h"
#include "traffic-gen/tester/suite/transport/pace.h"
#include "traffic-gen/tester/suite/transport/tcp_socket.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum { READS = 16, MORE_RECEIVES = 64 /* for answers that come while the case does not wait */ };

static const int64_t ms = 1000000;

/* A connection; the carrier of a talk until hang-up. */
struct carried {
    struct talk_carrier carrier;
    struct rpc_talker *talker;
    const struct talker_wish *wish;
    struct rpc_listener *listener; /* NULL: we have connected, with a loop of our own */
    struct live_loop *loop;
    struct verbs_link *link; /* NULL: gone */
    bool opened, was_up, is_over;
    bool was_answered; /* the device or its host refused, or the connection was up: set when it is over */
    char *why;         /* why there is no connection */
};

/* A listener for devices: one connection at a time; the next waits until a case wants it. */
struct rpc_listener {
    struct live_loop *loop;
    struct verbs_listener *listener;
    struct carried *next; /* NULL: none waits */
};

/* ---- the link ---- */

static void verbs_on_opened(void *ctx)
{
    struct carried *carried = ctx;

    carried->opened = true;
    live_stop(carried->loop);
}

/* The queue pair stays until the stack's end is freed; no work is left on it. */
static void verbs_on_closed(void *ctx, const char *why)
{
    struct carried *carried = ctx;

    carried->is_over = true;
    carried->was_answered = carried->link && (verbs_was_rejected(carried->link) || verbs_was_up(carried->link));
    carried->link = NULL;
    g_free(carried->why);
    carried->why = g_strdup(why);
    live_stop(carried->loop);
}

static struct live_events verbs_events_of(struct carried *carried)
{
    return (struct live_events){.ctx = carried, .opened = verbs_on_opened, .closed = verbs_on_closed};
}

/* Runs the loop until that time (talk_now()), or until an event. */
static void verbs_run(const struct carried *carried, int64_t until)
{
    int64_t now = talk_now();

    live_run(carried->loop, live_now() + CLAMP(until - now, ms, TCP_STOP_SLICE_MS * ms));
}

static bool verbs_is_over(const struct carried *carried)
{
    return carried->is_over || (carried->talker && carried->talker->line.ended);
}

static bool verbs_await(struct carried *carried, int64_t until, bool (*done)(const struct carried *carried))
{
    while (!done(carried) && !verbs_is_over(carried) && talk_now() < until && !suite_stopped)
        verbs_run(carried, until);
    return done(carried);
}

/* ---- the end of a link ---- */

static bool is_acknowledged(const struct carried *carried)
{
    return verbs_is_over(carried) || qp_pending(rpc_end_qp(carried->talker->end)) == 0;
}

/* The device's Calls wait meanwhile: otherwise a Reply would always be under way. */
static bool verbs_has_arrived(void *ctx, int64_t until)
{
    struct carried *carried = ctx;
    struct rpc_talker *talker = carried->talker;
    bool hold = talker->server.hold, arrived;

    if (!talker->end)
        return true;
    talker->server.hold = true;
    arrived = verbs_await(carried, until, is_acknowledged);
    talker->server.hold = hold;
    return arrived;
}

static void carried_free(struct carried *carried)
{
    if (carried->link)
        verbs_forget(carried->link);
    if (!carried->listener)
        live_loop_free(carried->loop);
    g_free(carried->why);
    g_free(carried);
}

/*
 * Disconnects in order, so that the device can serve the next connection; but a device that failed to close must not
 * close now, as if by itself.
 */
static void verbs_hang_up(void *ctx)
{
    struct carried *carried = ctx;
    struct rpc_talker *talker = carried->talker;
    struct talk *talk = talker->talk;

    if (talker->end && !verbs_is_over(carried)) {
        qp_close(rpc_end_qp(talker->end), talk_has_failed(talk));
        talk_note(talk, true, NULL, 0, "disconnects");
        verbs_await(carried, talk_now() + MIN(talk_t_react(talk), 500 * ms), verbs_is_over);
    }
    if (talker->end)
        g_clear_pointer(&talker->end, rpc_end_free);
    carried_free(carried);
}

/* ---- the beginning of a link ---- */

static guint verbs_port_of(const char *name)
{
    const char *colon = strrchr(name, ':');

    return colon ? (guint)strtoul(colon + 1, NULL, 10) : 0;
}

/* "192.0.2.1:20049", "[2001:db8::1]:20049" */
static void take_endpoint(struct endpoint *endpoint, const char *name)
{
    g_autofree char *host = NULL, *port = NULL;

    *endpoint = (struct endpoint){.port = (uint16_t)verbs_port_of(name)};
    if (!live_parse_address(name, &host, &port, NULL))
        return;
    if (inet_pton(AF_INET, host, endpoint->address) == 1)
        endpoint->ip = 4;
    else if (inet_pton(AF_INET6, host, endpoint->address) == 1)
        endpoint->ip = 6;
}

/* Text about the connection for reports. */
static void verbs_note_ends(const struct carried *carried)
{
    struct talk *talk = carried->talker->talk;
    const struct talk_job *job = talk_job(talk);
    guint port =
        verbs_port_of(talk_is_initiator(talk) ? verbs_own_name(carried->link) : verbs_peer_name(carried->link));
    const char *device = verbs_device_name(carried->link);

    g_array_append_val(job->result->ports, port);
    if (!job->run->rpc_device)
        job->run->rpc_device =
            g_strdup_printf("through the RDMA device %s: the wire is not seen, and nothing beside the cases",
                            device ? device : "(unknown)");
    if (!job->row)
        take_endpoint(&job->run->device, verbs_peer_name(carried->link));
}

static bool is_up(const struct carried *carried)
{
    return carried->talker->line.up;
}

static bool has_opened(const struct carried *carried)
{
    return carried->opened;
}

static void verbs_make_end(struct carried *carried)
{
    struct rpc_talker *talker = carried->talker;
    const struct qp_options options = {
        .mpa = {.role = talk_is_initiator(talker->talk) ? MPA_END_INITIATOR : MPA_END_RESPONDER},
        .ird = READS,
        .ord = READS,
    };

    rpc_talker_make_end(talker, carried->wish, &options, verbs_stream(carried->link));
    qp_repost(rpc_end_qp(talker->end), MORE_RECEIVES);
    qp_start(rpc_end_qp(talker->end));
}

/* Waits until both sides may send. The talk owns the carrier from here on. */
static bool verbs_begin(struct carried *carried, int64_t until)
{
    struct rpc_talker *talker = carried->talker;
    struct talk *talk = talker->talk;

    carried->carrier =
        (struct talk_carrier){.has_arrived = verbs_has_arrived, .hang_up = verbs_hang_up, .ctx = carried};
    talk_carry(talk, &carried->carrier);
    if (verbs_await(carried, until, has_opened))
        verbs_make_end(carried);
    if (talker->end && verbs_await(carried, until, is_up)) {
        talker->open = true;
        if (talk_is_initiator(talk) && talk_settle_time(talk) > 0)
            verbs_await(carried, talk_now() + talk_settle_time(talk), verbs_is_over);
        return true;
    }
    talk_note_refusal(talk, false);
    talk_cannot_open(talk, carried->was_answered ? ECONNREFUSED : ETIMEDOUT,
                     carried->why ? carried->why : "the device does not answer");
    return false;
}

static struct carried *carried_new(struct rpc_listener *listener)
{
    struct carried *carried = g_new0(struct carried, 1);

    carried->listener = listener;
    carried->loop = listener ? listener->loop : live_loop_new();
    return carried;
}

static bool verbs_connect_to_device(struct rpc_talker *talker, const struct talker_wish *wish)
{
    struct talk *talk = talker->talk;
    const struct talk_run *run = talk_job(talk)->run;
    struct carried *carried = carried_new(NULL);
    const struct live_events events = verbs_events_of(carried);
    const struct verbs_options options = {.connect_timeout_ns = talk_connect_time(talk)};
    g_autoptr(GError) error = NULL;

    talk_extend(talk, pace_wait(run->pace));
    carried->talker = talker;
    carried->wish = wish;
    carried->link = verbs_connect(carried->loop, run->host, run->port, &options, &events, &error);
    if (carried->link)
        return verbs_begin(carried, talk_now() + options.connect_timeout_ns + ms * 500);
    carried_free(carried);
    talk_cannot_open(talk, EHOSTUNREACH, error->message);
    return false;
}

static bool verbs_accept_device(struct rpc_talker *talker, const struct talker_wish *wish)
{
    struct talk *talk = talker->talk;
    struct rpc_listener *listener = talk_job(talk)->run->rpc_listener;
    int64_t until = talk_now() + talk_accept_time(talk);
    struct carried *carried;

    while (!listener->next && talk_now() < until && !suite_stopped) {
        live_run(listener->loop, live_now() + TCP_STOP_SLICE_MS * ms);
        if (listener->next && listener->next->is_over) /* the device has given up */
            g_clear_pointer(&listener->next, carried_free);
    }
    carried = g_steal_pointer(&listener->next);
    if (!carried) {
        talk_cannot_open(talk, ETIMEDOUT, "the device did not connect");
        return false;
    }
    carried->talker = talker;
    carried->wish = wish;
    return verbs_begin(carried, talk_now() + talk_connect_time(talk));
}

static bool verbs_open(struct rpc_talker *talker, const struct talker_wish *wish)
{
    talk_renew(talker->talk);
    return talk_is_initiator(talker->talk) ? verbs_connect_to_device(talker, wish) : verbs_accept_device(talker, wish);
}

/* ---- receiving ---- */

static enum rpc_port_event verbs_report_over(struct rpc_talker *talker)
{
    struct talk *talk = talker->talk;
    bool orderly = talker->line.ended && talker->line.orderly && !talker->terminated;

    if (!talker->fed_end)
        talk_note(talk, false, NULL, 0, orderly ? "disconnects" : "the connection is over");
    talk_carrier_ended(talk, orderly);
    return orderly ? RPC_PORT_CLOSED : RPC_PORT_BROKEN;
}

static enum rpc_port_event verbs_hear(struct rpc_talker *talker, int64_t ns)
{
    struct talk *talk = talker->talk;
    int64_t until = MIN(talk_now() + ns, talk_job(talk)->deadline);
    struct carried *carried = talk_carried(talk);
    unsigned before = talker->line.noticed;
    bool again = false;

    for (;;) {
        if (talker->line.noticed != before && !talker->line.ended)
            return RPC_PORT_HEARD;
        if (!carried || verbs_is_over(carried))
            return verbs_report_over(talker);
        if ((again && talk_now() >= until) || suite_stopped)
            return RPC_PORT_SILENCE;
        again = true;
        verbs_run(carried, until);
    }
}

static void verbs_noticed(struct rpc_talker *talker)
{
    struct carried *carried = talk_carried(talker->talk);

    if (talker->line.up && !carried->was_up) {
        verbs_note_ends(carried);
        talk_note(talker->talk, talk_is_initiator(talker->talk), NULL, 0, "connects");
    }
    carried->was_up = talker->line.up;
    live_stop(carried->loop);
}

static void verbs_handed_over(struct rpc_talker *talker)
{
    struct carried *carried = talk_carried(talker->talk);

    carried->talker = talker;
}

/* ---- listening ---- */

static bool verbs_on_accept(void *ctx, struct verbs_link *link, struct live_events *events)
{
    struct rpc_listener *listener = ctx;

    if (listener->next)
        return false;
    listener->next = carried_new(listener);
    listener->next->link = link;
    *events = verbs_events_of(listener->next);
    live_stop(listener->loop);
    return true;
}

static uint16_t verbs_wait_for_device(struct talk_run *run, char **why)
{
    struct rpc_listener *listener = g_new0(struct rpc_listener, 1);
    const char *host = *run->host ? run->host : NULL;
    g_autoptr(GError) error = NULL;

    listener->loop = live_loop_new();
    listener->listener =
        verbs_listen(listener->loop, host, run->port, 1, &(struct verbs_options){0}, verbs_on_accept, listener, &error);
    if (listener->listener) {
        run->rpc_listener = listener;
        return verbs_listener_port(listener->listener);
    }
    *why = g_strdup(error->message);
    live_loop_free(listener->loop);
    g_free(listener);
    return 0;
}

static void verbs_close(struct talk_run *run)
{
    struct rpc_listener *listener = run->rpc_listener;

    if (listener->next)
        carried_free(listener->next);
    verbs_listener_close(listener->listener);
    live_loop_free(listener->loop);
    g_free(listener);
    run->rpc_listener = NULL;
}

const struct rpc_port rpc_port_verbs = {.open = verbs_open,
                                        .hear = verbs_hear,
                                        .noticed = verbs_noticed,
                                        .handed_over = verbs_handed_over,
                                        .listen = verbs_wait_for_device,
                                        .close = verbs_close,
                                        .is_blind = true};
