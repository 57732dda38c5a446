// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The service `nfs`: every version of NFS on RPC-over-RDMA, one file tree for all connections, and MOUNT on a separate
 * TCP port for versions 2 and 3.
 */
#include "traffic-gen/ends/nfs/nfs_end.h"
#include "traffic-gen/live/play/endpoint.h"
#include "traffic-gen/live/play/rpc_tcp.h"
#include "traffic-gen/live/services/nfs_chaos.h"

#include <signal.h>
#include <stdio.h>

enum {
    TREE_MEBIBYTES = 1024,
    TREE_OCTETS_MAX = 1 << 30,
    TREE_NODES_MAX = 1000000,
    SEND_SIZE = 4096, /* the inline threshold, advertised in private data (RFC 8797) */
    CREDITS = 64,
    WRITES_PER_LOSS = 5,
    REQUESTS_PER_DELAY = 5,
};

static char *export_folder, *chaos_seed;
static int mount_port = -1;
static int tree_mebibytes = TREE_MEBIBYTES;

static const GOptionEntry entries[] = {
    {"export", 0, 0, G_OPTION_ARG_FILENAME, &export_folder,
     "nfs: serve a copy of this directory, read-only (default: an empty tree)", "DIR"},
    {"mount-port", 0, 0, G_OPTION_ARG_INT, &mount_port, "nfs: TCP port of MOUNT; 0: any free port (default: none)",
     "N"},
    {"tree-size", 0, 0, G_OPTION_ARG_INT, &tree_mebibytes, "nfs: limit of the files' data, in MiB (default 1024)", "N"},
    {"chaos", 0, 0, G_OPTION_ARG_STRING, &chaos_seed,
     "nfs: end connections and withhold credits, but keep all promises of NFS", "SEED"},
    G_OPTION_ENTRY_NULL,
};

static struct nfs_tree *tree;
static struct nfs_chaos chaos;
static struct nfs_server *server;
static uint64_t connections;
static volatile sig_atomic_t restarts_wanted;
static sig_atomic_t restarts; /* number of restarts requested, and done */

static void on_hangup(int number)
{
    (void)number;
    restarts_wanted++;
}

static void restart_if_wanted(void)
{
    if (restarts == restarts_wanted)
        return;
    restarts = restarts_wanted;
    nfs_server_restart(server);
    fputs("iwarp-gen: restarted\n", stderr);
}

static bool nfs_configured(void)
{
    return export_folder || chaos_seed || mount_port >= 0 || tree_mebibytes != TREE_MEBIBYTES;
}

static void nfs_close(void)
{
    nfs_server_free(server);
    nfs_tree_free(tree);
    g_clear_pointer(&chaos.random, g_rand_free);
    signal(SIGHUP, SIG_DFL);
    server = NULL;
    tree = NULL;
}

static bool nfs_listen(struct live_loop *loop, const char *host, char **error)
{
    struct live_listener *listener;
    GError *why = NULL;
    char port[8];

    if (mount_port < 0)
        return true;
    g_snprintf(port, sizeof port, "%d", mount_port);
    listener = rpc_tcp_serve(loop, host, port, server, &why);
    if (!listener) {
        *error = g_strdup(why->message);
        g_error_free(why);
        return false;
    }
    fprintf(stderr, "iwarp-gen: MOUNT on port %u\n", live_listener_port(listener));
    return true;
}

/* False with *error: unknown name. */
static bool take_fault(const char *name, struct nfs_server_options *options, char **error)
{
    options->executes_again = g_strcmp0(name, "executed-again") == 0;
    options->loses_writes = g_strcmp0(name, "write-lost") == 0 ? WRITES_PER_LOSS : 0;
    options->loses_at_restart = g_strcmp0(name, "lost-at-restart") == 0;
    options->keeps_verifier = g_strcmp0(name, "verifier-kept") == 0;
    options->delays = g_strcmp0(name, "delay") == 0 ? REQUESTS_PER_DELAY : 0;
    if (!name || options->executes_again || options->loses_writes > 0 || options->delays > 0 ||
        options->loses_at_restart || options->keeps_verifier)
        return true;
    *error = g_strdup_printf("--misbehave: the service nfs has write-lost, executed-again, lost-at-restart, "
                             "verifier-kept and delay, not '%s'",
                             name);
    return false;
}

static bool take_chaos(char **error)
{
    guint64 seed;

    chaos = (struct nfs_chaos){0};
    if (!chaos_seed)
        return true;
    if (!g_ascii_string_to_unsigned(chaos_seed, 10, 0, UINT32_MAX, &seed, NULL)) {
        *error = g_strdup_printf("--chaos: '%s' is not from 0 to 4294967295", chaos_seed);
        return false;
    }
    chaos.random = g_rand_new_with_seed((guint32)seed);
    return true;
}

static bool nfs_open(const struct endpoint_options *options, char **error)
{
    struct nfs_server_options server_options = {.now = nfs_tree_real_time};
    GError *why = NULL;

    if (!take_fault(options->misbehave, &server_options, error) || !take_chaos(error))
        return false;
    if (mount_port > UINT16_MAX || tree_mebibytes < 1) {
        *error = g_strdup(tree_mebibytes < 1 ? "--tree-size: at least 1 MiB" : "--mount-port: at most 65535");
        return false;
    }
    tree = nfs_tree_new(nfs_tree_real_time, NULL, (uint64_t)tree_mebibytes << 20, TREE_NODES_MAX);
    if (export_folder && !nfs_tree_import(tree, export_folder, &why)) {
        *error = g_strdup_printf("--export: %s", why->message);
        g_error_free(why);
        nfs_close();
        return false;
    }
    server_options.tree = tree;
    server_options.acls = true;
    /* Handles and sessions of a previous server must be invalid here. */
    server_options.seed = (uint64_t)g_get_real_time();
    server = nfs_server_new(&server_options);
    signal(SIGHUP, on_hangup);
    return true;
}

/* One connection. */
struct nfs_connection {
    struct nfs_end *end;
    struct nfs_chaos_end *chaos; /* NULL: none */
    sig_atomic_t restarts;       /* restarts before the connection was made */
};

static void *nfs_make(const struct endpoint_options *options, const struct stream *stream)
{
    const struct rpc_end_options rpc = {
        .qp = {.mpa = endpoint_wish(options, MPA_END_RESPONDER, false), .ird = 16, .ord = 16},
        .send_size = SEND_SIZE,
        .receive_size = SEND_SIZE,
        .remote_invalidation = true,
        .credits = CREDITS,
    };
    struct nfs_connection *connection = g_new0(struct nfs_connection, 1);

    restart_if_wanted();
    connection->restarts = restarts;
    connection->end = nfs_end_new_server(
        &(struct nfs_end_options){.rpc = &rpc, .stream = stream, .seed = ++connections}, server, true);
    if (chaos.random)
        connection->chaos = nfs_chaos_end_new(&chaos, nfs_end_rpc(connection->end));
    return connection;
}

static void nfs_free(void *endpoint)
{
    struct nfs_connection *connection = endpoint;

    nfs_end_free(connection->end);
    nfs_chaos_end_free(connection->chaos);
    g_free(connection);
}

static struct qp *nfs_qp(void *endpoint)
{
    return nfs_end_qp(((struct nfs_connection *)endpoint)->end);
}

/* A restart ends all connections. */
static void nfs_tick(void *endpoint)
{
    struct nfs_connection *connection = endpoint;

    restart_if_wanted();
    if (connection->restarts != restarts)
        qp_close(nfs_end_qp(connection->end), true);
    connection->restarts = restarts;
}

static const char *nfs_trouble(void *endpoint)
{
    return nfs_end_trouble(((struct nfs_connection *)endpoint)->end);
}

const struct endpoint_kind nfs_service = {
    .name = "nfs",
    .summary = "an in-memory NFS server: versions 2, 3 (with NFSACL), 4.0, 4.1, 4.2 over RPC-over-RDMA",
    .entries = entries,
    .configured = nfs_configured,
    .on_devices = true,
    .misbehaves = true,
    .open = nfs_open,
    .close = nfs_close,
    .listen = nfs_listen,
    .make = nfs_make,
    .free = nfs_free,
    .qp = nfs_qp,
    .tick = nfs_tick,
    .trouble = nfs_trouble,
};
