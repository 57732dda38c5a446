// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/nfs/nfs_end.h"

struct nfs_end {
    struct rpc_end *rpc;
    struct nfs_peer *peer;     /* of a server */
    struct nfs_client *client; /* of a client */
    struct stream stream;
    struct nfs_end_events events;
    bool is_over;
    char *trouble; /* of the connection */
};

static void nfs_end_fail(struct nfs_end *end, char *trouble)
{
    if (end->trouble)
        g_free(trouble);
    else
        end->trouble = trouble;
}

/* ---- both kinds ---- */

static void nfs_end_on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct nfs_end *end = ctx;

    nfs_end_fail(end, qp_terminate_text(ours, terminate));
    if (end->events.terminated)
        end->events.terminated(end->events.ctx, ours, terminate);
}

static void nfs_end_on_failed(void *ctx, enum mpa_end_error error)
{
    struct nfs_end *end = ctx;

    nfs_end_fail(end, g_strdup(mpa_end_error_text(error)));
    if (end->events.failed)
        end->events.failed(end->events.ctx, error);
    if (end->client)
        nfs_client_lost(end->client);
}

static void nfs_end_on_broken(void *ctx, enum qp_status status, const char *why)
{
    struct nfs_end *end = ctx;

    (void)status;
    nfs_end_fail(end, g_strdup(why));
    if (end->client)
        nfs_client_lost(end->client);
}

static void nfs_end_on_ended(void *ctx, bool orderly)
{
    struct nfs_end *end = ctx;

    end->is_over = true;
    if (end->events.ended)
        end->events.ended(end->events.ctx, orderly);
    if (end->client)
        nfs_client_lost(end->client);
}

static struct nfs_end *new_end(const struct nfs_end_options *options, struct rpc_end_events *events)
{
    struct nfs_end *end = g_new0(struct nfs_end, 1);

    end->stream = *options->stream;
    if (options->events)
        end->events = *options->events;
    events->ctx = end;
    events->terminated = nfs_end_on_terminated;
    events->failed = nfs_end_on_failed;
    events->broken = nfs_end_on_broken;
    events->ended = nfs_end_on_ended;
    end->rpc = rpc_end_new(options->rpc, &end->stream, events, options->seed);
    return end;
}

void nfs_end_free(struct nfs_end *end)
{
    if (!end)
        return;
    rpc_end_free(end->rpc);
    if (end->peer)
        nfs_peer_free(end->peer);
    nfs_client_free(end->client);
    g_free(end->trouble);
    g_free(end);
}

struct qp *nfs_end_qp(struct nfs_end *end)
{
    return rpc_end_qp(end->rpc);
}

struct rpc_end *nfs_end_rpc(struct nfs_end *end)
{
    return end->rpc;
}

void nfs_end_tick(struct nfs_end *end)
{
    if (end->client)
        nfs_client_tick(end->client, end->stream.now(end->stream.ctx));
}

void nfs_end_settle(struct nfs_end *end, const struct nfs_client_place *place)
{
    if (end->client)
        nfs_client_settle(end->client, place);
}

const char *nfs_end_trouble(const struct nfs_end *end)
{
    /* The fate of the connection says more than the client's loss of it. */
    return end->trouble ? end->trouble : end->client ? nfs_client_trouble(end->client) : NULL;
}

bool nfs_end_is_finished(const struct nfs_end *end)
{
    return end->client && nfs_client_is_finished(end->client);
}

const struct nfs_client_report *nfs_end_report(const struct nfs_end *end)
{
    return end->client ? nfs_client_report(end->client) : NULL;
}

/* ---- server ---- */

static void server_called(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct nfs_end *end = ctx;
    struct rpc_end_message reply = {0};

    (void)header;
    if (nfs_server_call(end->peer, call, rpc_end_room(end->rpc, id), &reply))
        rpc_end_reply(end->rpc, id, &reply);
    else
        rpc_end_refuse(end->rpc, id);
    if (end->events.served)
        end->events.served(end->events.ctx);
}

static void server_replied(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply)
{
    struct nfs_end *end = ctx;

    nfs_peer_replied(end->peer, cookie, result == RPC_END_REPLIED ? reply : NULL);
}

static void send_callback(void *ctx, const struct rpc_end_message *message, uint64_t cookie)
{
    struct nfs_end *end = ctx;

    rpc_end_call(end->rpc, message, NULL, cookie);
}

struct nfs_end *nfs_end_new_server(const struct nfs_end_options *options, struct nfs_server *server, bool calls_back)
{
    struct rpc_end_events events = {.called = server_called, .replied = server_replied};
    struct nfs_end *end = new_end(options, &events);
    const struct nfs_peer_events peer_events = {.ctx = end, .call = send_callback};

    end->peer = nfs_peer_new(server, calls_back ? &peer_events : NULL);
    return end;
}

/* ---- client ---- */

static void client_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct nfs_end *end = ctx;

    (void)terms;
    nfs_client_start(end->client);
}

static void client_replied(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply)
{
    struct nfs_end *end = ctx;

    nfs_client_replied(end->client, cookie, result, reply);
}

static void client_called(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct nfs_end *end = ctx;
    struct rpc_end_message reply = {0};

    (void)header;
    if (nfs_client_called(end->client, call, &reply))
        rpc_end_reply(end->rpc, id, &reply);
    else
        rpc_end_refuse(end->rpc, id);
}

static void client_call(void *ctx, const struct rpc_end_message *message, const struct rpc_end_how *how,
                        uint64_t cookie)
{
    struct nfs_end *end = ctx;

    rpc_end_call(end->rpc, message, how, cookie);
}

static void client_finished(void *ctx, const char *trouble)
{
    struct nfs_end *end = ctx;

    if (end->events.finished)
        end->events.finished(end->events.ctx, trouble);
    if (!end->is_over)
        qp_close(rpc_end_qp(end->rpc), false);
}

struct nfs_end *nfs_end_new_client(const struct nfs_end_options *options, const struct nfs_client_options *client,
                                   const struct nfs_job *jobs, unsigned n_jobs)
{
    struct rpc_end_events events = {
        .established = client_established, .replied = client_replied, .called = client_called};
    struct nfs_end *end = new_end(options, &events);
    const struct nfs_client_events client_events = {.ctx = end, .call = client_call, .finished = client_finished};

    end->client = nfs_client_new(client, jobs, n_jobs, &client_events);
    if (end->client)
        return end;
    nfs_end_free(end);
    return NULL;
}
