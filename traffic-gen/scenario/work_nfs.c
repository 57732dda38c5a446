// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/scenario/work_nfs.h"

#include "traffic-gen/speak/say/statement.h"

#include <string.h>

enum { TREE_OCTETS_MAX = 256 << 20, TREE_NODES_MAX = 200000 };

struct work_nfs_end {
    struct nfs_end *end;
    struct nfs_end_events events;
    struct stream stream;
    /* The Initiator's members: */
    const struct work *work;
    GArray *jobs;     /* struct nfs_job */
    GPtrArray *items; /* of the jobs, borrowed */
    char *trouble;
    /* The Responder's members: */
    struct nfs_tree *tree;
    struct nfs_server *server;
    GArray *changes; /* struct change */
};

/* Changes a file on the server's host once a client has a delegation for it. */
struct change {
    const struct nfs_job *job;
    bool asked_back, done;
};

static int64_t now(void *ctx)
{
    const struct work_nfs_end *end = ctx;

    return end->stream.now(end->stream.ctx);
}

/* The items of a side on a connection in order; NULL after the last. */
static const struct work_item *nfs_next_item(const struct work *work, const struct work_connection *connection,
                                             enum role role, unsigned *round, unsigned *index)
{
    for (; *round < connection->n_rounds; ++*round, *index = 0) {
        const struct work_round *r = &g_array_index(work->rounds, struct work_round, connection->round + *round);

        if (*index < r->n[role])
            return &g_array_index(work->items[role], struct work_item, r->from[role] + (*index)++);
    }
    return NULL;
}

/* ---- the client ---- */

static void on_finished(void *ctx, const char *trouble)
{
    struct work_nfs_end *end = ctx;
    unsigned job = nfs_end_report(end->end)->jobs, n = end->items->len;
    const struct work_item none = {.line = 1}, *item = n ? end->items->pdata[MIN(job, n - 1)] : &none;

    if (trouble)
        end->trouble = statement_trouble(end->work->name, item->line, item->number, "%s", trouble);
}

static void begin_client(struct work_nfs_end *end, const struct nfs_end_options *options, const struct work *work,
                         const struct work_connection *connection, uint64_t seed)
{
    struct nfs_client_options client = connection->nfs.client;
    const struct work_item *item;
    unsigned round = 0, index = 0;

    client.seed = seed;
    end->work = work;
    end->jobs = g_array_new(FALSE, FALSE, sizeof(struct nfs_job));
    end->items = g_ptr_array_new();
    while ((item = nfs_next_item(work, connection, INITIATOR, &round, &index))) {
        g_array_append_val(end->jobs, item->job);
        g_ptr_array_add(end->items, (gpointer)item);
    }
    end->end = nfs_end_new_client(options, &client, (const struct nfs_job *)(void *)end->jobs->data, end->jobs->len);
}

/* ---- the server ---- */

static uint64_t nfs_node_of(struct nfs_tree *tree, const char *path)
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

/* A delegation delays the change until it has been returned. */
static void try_changes(void *ctx)
{
    struct work_nfs_end *end = ctx;

    for (unsigned i = 0; i < end->changes->len; i++) {
        struct change *change = &g_array_index(end->changes, struct change, i);
        const struct nfs_node_change size = {.set = NFS_SET_SIZE, .size = change->job->octets};
        uint64_t node = change->done ? 0 : nfs_node_of(end->tree, change->job->path);

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

static void begin_server(struct work_nfs_end *end, const struct nfs_end_options *options, const struct work *work,
                         const struct work_connection *connection, uint64_t seed)
{
    struct nfs_server_options server = {.seed = seed, .now = now, .ctx = end};
    const struct work_item *item;
    unsigned round = 0, index = 0;

    end->changes = g_array_new(FALSE, FALSE, sizeof(struct change));
    while ((item = nfs_next_item(work, connection, RESPONDER, &round, &index))) {
        const struct change change = {.job = &item->job};

        g_array_append_val(end->changes, change);
    }
    server.tree = end->tree = nfs_tree_new(now, end, TREE_OCTETS_MAX, TREE_NODES_MAX);
    end->server = nfs_server_new(&server);
    end->end = nfs_end_new_server(options, end->server, connection->nfs.client.backchannel);
}

/* ---- both ends ---- */

static void nfs_on_terminated(void *ctx, bool ours, const struct rdmap_terminate *terminate)
{
    struct work_nfs_end *end = ctx;

    end->events.terminated(end->events.ctx, ours, terminate);
}

static void nfs_on_failed(void *ctx, enum mpa_end_error error)
{
    struct work_nfs_end *end = ctx;

    end->events.failed(end->events.ctx, error);
}

static void nfs_on_ended(void *ctx, bool orderly)
{
    struct work_nfs_end *end = ctx;

    end->events.ended(end->events.ctx, orderly);
}

struct work_nfs_end *work_nfs_new(const struct work *work, unsigned connection, enum role role,
                                  const struct stream *stream, const struct nfs_end_events *events)
{
    const struct work_connection *c = &g_array_index(work->connections, struct work_connection, connection);
    struct work_nfs_end *end = g_new0(struct work_nfs_end, 1);
    struct rpc_end_options rpc = c->options[role];
    uint64_t seed = 1 + connection;
    const struct nfs_end_events mine = {.ctx = end,
                                        .terminated = nfs_on_terminated,
                                        .failed = nfs_on_failed,
                                        .ended = nfs_on_ended,
                                        .served = try_changes,
                                        .finished = on_finished};
    const struct nfs_end_options options = {.rpc = &rpc, .stream = stream, .events = &mine, .seed = 2 * seed + role};

    end->events = *events;
    end->stream = *stream;
    /* RFC 8267 section 6.7.2: a client of NFSv4 can always ask whether the server is alive. */
    rpc.keep_credit = role == INITIATOR && c->nfs.client.version == 4;
    if (role == INITIATOR)
        begin_client(end, &options, work, c, seed);
    else
        begin_server(end, &options, work, c, seed);
    return end;
}

void work_nfs_free(struct work_nfs_end *end)
{
    nfs_end_free(end->end);
    if (end->jobs) {
        g_array_unref(end->jobs);
        g_ptr_array_unref(end->items);
    }
    if (end->server) {
        nfs_server_free(end->server);
        nfs_tree_free(end->tree);
        g_array_unref(end->changes);
    }
    g_free(end->trouble);
    g_free(end);
}

struct nfs_end *work_nfs_of(struct work_nfs_end *end)
{
    return end->end;
}

bool work_nfs_is_done(const struct work_nfs_end *end)
{
    return end->server || nfs_end_is_finished(end->end);
}

const char *work_nfs_trouble(const struct work_nfs_end *end)
{
    return end->trouble;
}
