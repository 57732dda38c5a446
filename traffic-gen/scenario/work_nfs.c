// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/work_nfs.h"

#include "traffic-gen/nfs/nfs_server.h"

#include <string.h>

enum { TREE_OCTETS_MAX = 256 << 20, TREE_NODES_MAX = 200000 };

struct work_nfs_end {
    struct work_nfs_events events;
    struct work_nfs how;
    struct stream stream;
    struct rpc_end *rpc;
    /* The Initiator's: */
    struct nfs_client *client;
    const struct work *work;
    GArray *jobs;  /* struct nfs_job */
    GArray *lines; /* of them: unsigned */
    bool done;
    char *trouble;
    /* The Responder's: */
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct nfs_peer *peer;
    GArray *changes; /* struct change */
};

/* What somebody on the server's host does to a file once a client has had it delegated. */
struct change {
    const struct nfs_job *job;
    bool asked_back, done;
};

static int64_t now(void *ctx)
{
    const struct work_nfs_end *end = ctx;

    return end->stream.now(end->stream.ctx);
}

/* ---- the client ---- */

static void on_call(void *ctx, const struct rpc_end_message *message, const struct rpc_end_how *how, uint64_t cookie)
{
    struct work_nfs_end *end = ctx;
    struct rpc_end_how mine = *how;

    mine.segments = end->how.segments;
    mine.long_call |= end->how.long_calls;
    mine.reduce |= end->how.reduced;
    mine.keep_inline |= end->how.kept_inline;
    rpc_end_call(end->rpc, message, &mine, cookie);
}

static void on_finished(void *ctx, const char *trouble)
{
    struct work_nfs_end *end = ctx;

    unsigned job = nfs_client_report(end->client)->jobs, last = end->lines->len;

    end->done = true;
    if (trouble)
        end->trouble = g_strdup_printf("%s:%u: %s", end->work->name,
                                       last ? g_array_index(end->lines, unsigned, MIN(job, last - 1)) : 1, trouble);
    qp_close(rpc_end_qp(end->rpc), false);
}

static void on_replied(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply)
{
    struct work_nfs_end *end = ctx;

    if (end->client)
        nfs_client_replied(end->client, cookie, result, reply);
    else
        nfs_peer_replied(end->peer, cookie, result == RPC_END_REPLIED ? reply : NULL);
}

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct work_nfs_end *end = ctx;

    (void)terms;
    if (end->client)
        nfs_client_start(end->client);
}

static void begin_client(struct work_nfs_end *end, const struct work *work, const struct work_connection *connection,
                         uint64_t seed)
{
    const struct nfs_client_options options = {
        .version = end->how.version,
        .minor = end->how.minor,
        .io_octets = end->how.io_octets,
        .list_octets = end->how.list_octets,
        .inline_octets = end->how.inline_octets,
        .depth = end->how.depth,
        .backchannel = end->how.backchannel,
        .link_chunks = end->how.link_chunks,
        .seed = seed,
    };
    const struct nfs_client_events events = {.ctx = end, .call = on_call, .finished = on_finished};

    end->work = work;
    end->jobs = g_array_new(FALSE, FALSE, sizeof(struct nfs_job));
    end->lines = g_array_new(FALSE, FALSE, sizeof(unsigned));
    for (unsigned i = 0; i < connection->n_rounds; i++) {
        const struct work_round *round = &g_array_index(work->rounds, struct work_round, connection->round + i);

        for (unsigned k = 0; k < round->n[INITIATOR]; k++) {
            const struct work_item *item =
                &g_array_index(work->items[INITIATOR], struct work_item, round->from[INITIATOR] + k);

            g_array_append_val(end->jobs, item->job);
            g_array_append_val(end->lines, item->line);
        }
    }
    end->client = nfs_client_new(&options, (const struct nfs_job *)(void *)end->jobs->data, end->jobs->len, &events);
}

/* ---- the server ---- */

static uint64_t node_of(struct nfs_tree *tree, const char *path)
{
    uint64_t node = 1;
    size_t n;

    for (path += strspn(path, "/"); *path; path += n, path += strspn(path, "/")) {
        n = strcspn(path, "/");
        if (nfs_tree_lookup(tree, node, path, n, &node) != NFS_TREE_OK)
            return 0;
    }
    return node;
}

/* A delegation is in the way until it has been given back. */
static void try_changes(struct work_nfs_end *end)
{
    for (unsigned i = 0; i < end->changes->len; i++) {
        struct change *change = &g_array_index(end->changes, struct change, i);
        const struct nfs_node_change size = {.set = NFS_SET_SIZE, .size = change->job->octets};
        uint64_t node = change->done ? 0 : node_of(end->tree, change->job->path);

        if (node == 0)
            continue;
        if (!nfs_server_may_change(end->server, node)) {
            change->asked_back = true;
        } else if (change->asked_back) {
            nfs_tree_set(end->tree, node, &size);
            change->done = true;
        }
    }
}

static void on_called(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct work_nfs_end *end = ctx;
    struct rpc_end_message reply = {0};
    bool answered;

    (void)header;
    if (end->client)
        answered = nfs_client_called(end->client, call, &reply);
    else
        answered = nfs_server_call(end->peer, call, rpc_end_room(end->rpc, id), &reply);
    if (answered)
        rpc_end_reply(end->rpc, id, &reply);
    else
        rpc_end_refuse(end->rpc, id);
    if (!end->client)
        try_changes(end);
}

static void call_back(void *ctx, const struct rpc_end_message *message, uint64_t cookie)
{
    static const struct rpc_end_how how;
    struct work_nfs_end *end = ctx;

    rpc_end_call(end->rpc, message, &how, cookie);
}

static void begin_server(struct work_nfs_end *end, const struct work *work, const struct work_connection *connection,
                         uint64_t seed)
{
    struct nfs_server_options options = {.seed = seed, .now = now, .ctx = end};
    const struct nfs_peer_events events = {.ctx = end, .call = call_back};

    end->changes = g_array_new(FALSE, FALSE, sizeof(struct change));
    for (unsigned i = 0; i < connection->n_rounds; i++) {
        const struct work_round *round = &g_array_index(work->rounds, struct work_round, connection->round + i);

        for (unsigned k = 0; k < round->n[RESPONDER]; k++) {
            const struct work_item *item =
                &g_array_index(work->items[RESPONDER], struct work_item, round->from[RESPONDER] + k);
            const struct change change = {.job = &item->job};

            g_array_append_val(end->changes, change);
        }
    }
    options.tree = end->tree = nfs_tree_new(now, end, TREE_OCTETS_MAX, TREE_NODES_MAX);
    end->server = nfs_server_new(&options);
    end->peer = nfs_peer_new(end->server, connection->nfs.backchannel ? &events : NULL);
}

/* ---- both ---- */

static void on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct work_nfs_end *end = ctx;

    end->events.terminated(end->events.ctx, ours, terminate);
}

static void on_failed(void *ctx, enum mpa_end_error error)
{
    struct work_nfs_end *end = ctx;

    end->events.failed(end->events.ctx, error);
}

static void on_ended(void *ctx, bool orderly)
{
    struct work_nfs_end *end = ctx;

    end->events.ended(end->events.ctx, orderly);
}

struct work_nfs_end *work_nfs_new(const struct work *work, unsigned connection, enum role role,
                                  const struct stream *stream, const struct work_nfs_events *events)
{
    const struct work_connection *c = &g_array_index(work->connections, struct work_connection, connection);
    struct work_nfs_end *end = g_new0(struct work_nfs_end, 1);
    const struct rpc_end_events rpc_events = {
        .ctx = end,
        .established = on_established,
        .replied = on_replied,
        .called = on_called,
        .ended = on_ended,
        .terminated = on_terminated,
        .failed = on_failed,
    };
    struct rpc_end_options options = c->options[role];
    uint64_t seed = 1 + connection;

    end->events = *events;
    end->how = c->nfs;
    end->stream = *stream;
    /* RFC 8267 section 6.7.2: a client of NFSv4 can always ask whether the server is alive. */
    options.keep_credit = role == INITIATOR && c->nfs.version == 4;
    end->rpc = rpc_end_new(&options, stream, &rpc_events, 2 * seed + role);
    if (role == INITIATOR)
        begin_client(end, work, c, seed);
    else
        begin_server(end, work, c, seed);
    return end;
}

void work_nfs_settle(struct work_nfs_end *end, const struct nfs_client_place *place)
{
    if (end->client)
        nfs_client_settle(end->client, place);
}

void work_nfs_free(struct work_nfs_end *end)
{
    rpc_end_free(end->rpc);
    if (end->client)
        nfs_client_free(end->client);
    if (end->jobs) {
        g_array_unref(end->jobs);
        g_array_unref(end->lines);
    }
    if (end->peer) {
        nfs_peer_free(end->peer);
        nfs_server_free(end->server);
        nfs_tree_free(end->tree);
        g_array_unref(end->changes);
    }
    g_free(end->trouble);
    g_free(end);
}

struct qp *work_nfs_qp(struct work_nfs_end *end)
{
    return rpc_end_qp(end->rpc);
}

void work_nfs_tick(struct work_nfs_end *end)
{
    if (end->client && !end->done)
        nfs_client_tick(end->client, now(end));
}

bool work_nfs_is_done(const struct work_nfs_end *end)
{
    return !end->client || end->done;
}

const char *work_nfs_trouble(const struct work_nfs_end *end)
{
    return end->trouble;
}
