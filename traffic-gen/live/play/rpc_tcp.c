// SPDX-License-Identifier: GPL-2.0-or-later
/* The server's side of RPC over TCP. */
#include "traffic-gen/live/play/rpc_tcp.h"

#include "traffic-gen/ends/stack/rpc_record.h"

enum {
    CONNECTIONS_MAX = 64,
    CALL_MAX = (1 << 20) + 4096,
    REPLY_MAX = 65536, /* READ and READDIR may return less than requested */
    PILE_MAX = 16 * REPLY_MAX,
};

struct rpc_tcp {
    struct live_socket *socket;
    struct nfs_peer *peer;
    struct rpc_record record;
};

/* A client that does not read its Replies, or sends invalid record marks, is disconnected. */
static bool serve_record(struct rpc_tcp *tcp)
{
    const struct stream *stream = live_stream(tcp->socket);
    const struct rpc_end_message call = {.p = tcp->record.body->data, .n = tcp->record.body->len};
    struct rpc_end_message reply;
    uint8_t *marked;

    if (stream->room(stream->ctx) == 0)
        return false;
    if (!nfs_server_call(tcp->peer, &call, REPLY_MAX, &reply))
        return true;
    marked = g_malloc(RPC_RECORD_MARK + reply.n);
    rpc_record_mark(marked, reply.n);
    memcpy(marked + RPC_RECORD_MARK, reply.p, reply.n);
    stream->write(stream->ctx, marked, RPC_RECORD_MARK + reply.n);
    g_free(marked);
    g_free(reply.p);
    return true;
}

static void tcp_on_receive(void *ctx, const uint8_t *p, size_t n)
{
    struct rpc_tcp *tcp = ctx;
    const struct stream *stream = live_stream(tcp->socket);
    bool too_long = false, good = true;

    while (good && rpc_record_take(&tcp->record, &p, &n, &too_long))
        good = serve_record(tcp);
    if (!good || too_long)
        stream->close(stream->ctx, true);
}

static void tcp_on_fin(void *ctx)
{
    struct rpc_tcp *tcp = ctx;
    const struct stream *stream = live_stream(tcp->socket);

    stream->close(stream->ctx, false);
}

static void tcp_on_closed(void *ctx, const char *why)
{
    struct rpc_tcp *tcp = ctx;

    (void)why;
    nfs_peer_free(tcp->peer);
    rpc_record_clear(&tcp->record);
    g_free(tcp);
}

static bool tcp_on_accept(void *ctx, struct live_socket *socket, struct live_events *events)
{
    struct rpc_tcp *tcp = g_new0(struct rpc_tcp, 1);

    tcp->socket = socket;
    tcp->peer = nfs_peer_new(ctx, NULL);
    rpc_record_init(&tcp->record, CALL_MAX);
    *events =
        (struct live_events){.ctx = tcp, .receive = tcp_on_receive, .receive_fin = tcp_on_fin, .closed = tcp_on_closed};
    return true;
}

struct live_listener *rpc_tcp_serve(struct live_loop *loop, const char *host, const char *port,
                                    struct nfs_server *server, GError **error)
{
    const struct live_options options = {.pile_max = PILE_MAX};

    return live_listen(loop, host, port, CONNECTIONS_MAX, &options, tcp_on_accept, server, error);
}
