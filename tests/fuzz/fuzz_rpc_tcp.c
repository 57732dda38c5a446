// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RPC over TCP without sockets: Calls to the server beside NFS/RDMA, or answers to a client of MOUNT and rpcbind. The
 * first octet chooses this, and how octets are cut; then come raw octets, or records (a length octet, in words) with
 * correct marks.
 */
#include "tests/fuzz/fuzz.h"
#include "traffic-gen/ends/stack/rpc_record.h"
#include "traffic-gen/live/play/rpc_tcp.h"
#include "wire/octets.h"

enum { CLIENT = 1, UNMOUNT = 2, V1 = 4, ASK_PORT = 8, FRAMED = 16, LAZY = 32, RESET = 64, OCTETS_MAX = 1 << 17 };

static struct live_events events;
static live_accept accept_one;
static void *accept_ctx;
static bool closed;
static size_t written;
static unsigned how;
static uint8_t octets[OCTETS_MAX];
static size_t octets_n, octets_at;

static void on_write(void *ctx, const uint8_t *p, size_t n)
{
    unsigned sum = 0;

    (void)ctx;
    for (size_t i = 0; i < n; i++)
        sum += p[i];
    HOLDS(n > RPC_RECORD_MARK && !closed && sum <= n * 255);
    HOLDS((get_be32(p) & INT32_MAX) == n - RPC_RECORD_MARK);
    written += n;
}

static size_t on_room(void *ctx)
{
    (void)ctx;
    return how & LAZY && written > 1000 ? 0 : SIZE_MAX;
}

static void on_close(void *ctx, bool reset)
{
    (void)ctx;
    (void)reset;
    closed = true;
}

static int64_t on_now(void *ctx)
{
    (void)ctx;
    return 1;
}

/* The octets of the input, until one side closes, at most `most`; then the end. */
static void deliver(size_t most)
{
    while (!closed && octets_at < octets_n && most > 0) {
        size_t n = 1 + octets_at % 97;

        n = MIN(MIN(n, octets_n - octets_at), most);
        octets_at += n;
        most -= n;
        events.receive(events.ctx, octets + octets_at - n, n);
    }
    if (!closed && !(how & RESET) && events.receive_fin)
        events.receive_fin(events.ctx);
    if (events.closed)
        events.closed(events.ctx, how & RESET ? "reset" : NULL);
}

/* ---- the transport, which the linker puts in place of the real one ---- */

struct live_loop *__wrap_live_loop_new(void);
void __wrap_live_loop_free(struct live_loop *loop);
bool __wrap_live_run(struct live_loop *loop, int64_t until_ns);
const struct stream *__wrap_live_stream(struct live_socket *socket);
struct live_socket *__wrap_live_connect(struct live_loop *loop, const char *host, const char *port,
                                        const struct live_options *options, const struct live_events *them,
                                        GError **error);
struct live_listener *__wrap_live_listen(struct live_loop *loop, const char *host, const char *port,
                                         unsigned connections_max, const struct live_options *options,
                                         live_accept accept, void *ctx, GError **error);

struct live_loop *__wrap_live_loop_new(void)
{
    return (struct live_loop *)&events;
}

void __wrap_live_loop_free(struct live_loop *loop)
{
    (void)loop;
}

const struct stream *__wrap_live_stream(struct live_socket *socket)
{
    static const struct stream stream = {.write = on_write, .room = on_room, .close = on_close, .now = on_now};

    (void)socket;
    return &stream;
}

struct live_socket *__wrap_live_connect(struct live_loop *loop, const char *host, const char *port,
                                        const struct live_options *options, const struct live_events *them,
                                        GError **error)
{
    (void)loop, (void)host, (void)port, (void)options, (void)error;
    events = *them;
    closed = false;
    return (struct live_socket *)&events;
}

struct live_listener *__wrap_live_listen(struct live_loop *loop, const char *host, const char *port,
                                         unsigned connections_max, const struct live_options *options,
                                         live_accept accept, void *ctx, GError **error)
{
    (void)loop, (void)host, (void)port, (void)connections_max, (void)options, (void)error;
    accept_one = accept;
    accept_ctx = ctx;
    return (struct live_listener *)&events;
}

/* rpcbind gets the octets before the middle, MOUNT the rest. */
bool __wrap_live_run(struct live_loop *loop, int64_t until_ns)
{
    (void)loop, (void)until_ns;
    events.opened(events.ctx);
    deliver(octets_at == 0 && how & ASK_PORT ? octets_n / 2 : SIZE_MAX);
    return true;
}

/* ---- both sides ---- */

static void frame(const uint8_t *p, size_t n)
{
    octets_n = octets_at = 0;
    while (n > 0) {
        size_t length = how & FRAMED ? *p * 4u : n;

        p += (how & FRAMED) != 0;
        n -= (how & FRAMED) != 0;
        length = MIN(MIN(length, n), sizeof octets - RPC_RECORD_MARK - octets_n);
        if (how & FRAMED) {
            rpc_record_mark(octets + octets_n, length);
            octets_n += RPC_RECORD_MARK;
        }
        memcpy(octets + octets_n, p, length);
        octets_n += length;
        p += length;
        n -= length;
        if (octets_n + RPC_RECORD_MARK + UINT8_MAX * 4 > sizeof octets)
            break;
    }
}

static void ask(void)
{
    const struct rpc_tcp_mount mount = {.host = "server",
                                        .port = how & ASK_PORT ? NULL : "635",
                                        .path = "/export",
                                        .version = how & V1 ? 1 : 3,
                                        .timeout_ns = 1};
    uint8_t handle[RPC_TCP_HANDLE_MAX];
    uint32_t n = 0;
    char *why = NULL;
    bool good = how & UNMOUNT ? rpc_tcp_unmount(&mount, &why) : rpc_tcp_mount(&mount, handle, &n, &why);

    HOLDS(good == (why == NULL) && n <= RPC_TCP_HANDLE_MAX);
    g_free(why);
}

static void serve(void)
{
    struct nfs_tree *tree = nfs_tree_new(on_now, NULL, 1 << 20, 64);
    const struct nfs_server_options options = {.tree = tree, .seed = 1, .now = on_now};
    struct nfs_server *server = nfs_server_new(&options);

    HOLDS(rpc_tcp_serve(NULL, "", "0", server, NULL));
    closed = false;
    written = 0;
    HOLDS(accept_one(accept_ctx, NULL, &events));
    deliver(SIZE_MAX);
    nfs_server_free(server);
    nfs_tree_free(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    how = data[0];
    frame(data + 1, size - 1);
    if (how & CLIENT)
        ask();
    else
        serve();
    return 0;
}
