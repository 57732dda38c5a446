// SPDX-License-Identifier: GPL-2.0-or-later
/* MOUNT over real TCP: the client of a live end, and the server's programs in their own thread. */
#include "tests/unit/support/support.h"
#include "traffic-gen/live/play/rpc_tcp.h"
#include "wire/octets.h"

static struct nfs_tree *tree;
static struct nfs_server *server;
static struct live_loop *loop;
static GThread *thread;
static char port[8];

static int64_t now(void *ctx)
{
    return 1000;
}

static gpointer serve(gpointer unused)
{
    live_run(loop, INT64_MAX);
    return NULL;
}

static int set_up(void **state)
{
    struct nfs_server_options options = {.seed = 1, .now = now};
    struct live_listener *listener;
    uint64_t id;

    options.tree = tree = nfs_tree_new(now, NULL, 1 << 20, 100);
    nfs_tree_create(tree, 1, "dir", 3, NFS_NODE_DIRECTORY, NULL, &id);
    server = nfs_server_new(&options);
    loop = live_loop_new();
    listener = rpc_tcp_serve(loop, "127.0.0.1", "0", server, NULL);
    assert_non_null(listener);
    g_snprintf(port, sizeof port, "%u", live_listener_port(listener));
    thread = g_thread_new("server", serve, NULL);
    return 0;
}

static int tear_down(void **state)
{
    live_stop(loop);
    g_thread_join(thread);
    live_loop_end(loop);
    live_loop_free(loop);
    nfs_server_free(server);
    nfs_tree_free(tree);
    return 0;
}

static void mounting(void **state)
{
    struct rpc_tcp_mount mount = {.host = "127.0.0.1", .port = port, .path = "/dir", .timeout_ns = 5000000000};
    uint8_t handle[RPC_TCP_HANDLE_MAX];
    char *why = NULL;
    uint32_t n;

    for (mount.version = 1; mount.version <= 3; mount.version += 2) {
        assert_true(rpc_tcp_mount(&mount, handle, &n, &why));
        assert_int_equal(n, mount.version == 1 ? 32 : 16);
        assert_int_equal(get_be64(handle + 8), 2);
        assert_true(rpc_tcp_unmount(&mount, &why));
    }
    mount.version = 2;
    assert_false(rpc_tcp_mount(&mount, handle, &n, &why));
    assert_true(g_str_has_suffix(why, ": the server answered PROG_MISMATCH"));
    g_free(why);
    mount.version = 3;
    mount.path = "/none";
    assert_false(rpc_tcp_mount(&mount, handle, &n, &why));
    assert_true(g_str_has_suffix(why, "/none is refused with status 2, there is no such export"));
    g_free(why);
}

static void nobody_there(void **state)
{
    struct rpc_tcp_mount mount = {
        .host = "127.0.0.1", .port = "1", .path = "/", .version = 3, .timeout_ns = 5000000000};
    uint8_t handle[RPC_TCP_HANDLE_MAX];
    char *why = NULL;
    uint32_t n;

    assert_false(rpc_tcp_mount(&mount, handle, &n, &why));
    assert_true(g_str_has_prefix(why, "asking MOUNT for the root's file handle (port 1): "));
    g_free(why);
}

/* ---- strangers ---- */

struct stranger {
    struct live_socket *socket;
    GByteArray *says;
    bool reset, closed;
    size_t heard;
};

static void on_opened(void *ctx)
{
    struct stranger *stranger = ctx;
    const struct stream *stream = live_stream(stranger->socket);

    stream->write(stream->ctx, stranger->says->data, stranger->says->len);
    stream->close(stream->ctx, false);
}

static void on_receive(void *ctx, const uint8_t *p, size_t n)
{
    ((struct stranger *)ctx)->heard += n;
}

static void on_reset(void *ctx)
{
    ((struct stranger *)ctx)->reset = true;
}

static void on_closed(void *ctx, const char *why)
{
    ((struct stranger *)ctx)->closed = true;
}

/* Sends only this; returns the octets received, SIZE_MAX after a reset. */
static size_t strange(const char *hex, size_t times)
{
    struct stranger stranger = {.says = g_byte_array_new()};
    const struct live_events events = {
        .ctx = &stranger, .opened = on_opened, .receive = on_receive, .receive_reset = on_reset, .closed = on_closed};
    const struct live_options options = {0};
    struct live_loop *own = live_loop_new();
    uint8_t octets[256];
    size_t n = octets_of(hex, octets, sizeof octets);

    for (size_t i = 0; i < times; i++)
        g_byte_array_append(stranger.says, octets, (guint)n);
    stranger.socket = live_connect(own, "127.0.0.1", port, &options, &events, NULL);
    assert_non_null(stranger.socket);
    live_run(own, live_now() + 5000000000);
    assert_true(stranger.closed);
    live_loop_free(own);
    g_byte_array_unref(stranger.says);
    return stranger.reset ? SIZE_MAX : stranger.heard;
}

static void strangers(void **state)
{
    assert_int_equal(strange("", 0), 0);
    assert_int_equal(strange("80000028 00000001 00000000 00000002 000186a5 00000003 00000000 [16]", 1), 28);
    assert_int_equal(strange("80000028 00000001 00000000 00000002 000186a5 00000003 00000000 [16]", 1000), 28000);
    assert_int_equal(strange("00000004 00000001 80000024 00000000 00000002 000186a5 00000003 00000000 [16]", 1), 28);
    assert_int_equal(strange("80000004 00000001", 5), 0);
    assert_int_equal(strange("ffffffff", 1), SIZE_MAX);
    assert_int_equal(strange("80000028 0000", 1), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mounting), cmocka_unit_test(nobody_there),
                                       cmocka_unit_test(strangers)};

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
