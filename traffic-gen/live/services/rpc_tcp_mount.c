// SPDX-License-Identifier: GPL-2.0-or-later
/* The client's side of RPC over TCP: MOUNT, and rpcbind for its port. */
#include "traffic-gen/live/play/rpc_tcp.h"

#include "traffic-gen/ends/stack/nfs_fields.h"
#include "traffic-gen/ends/stack/rpc_header.h"
#include "traffic-gen/ends/stack/rpc_record.h"
#include "wire/nfs.h"

#include <inttypes.h>
#include <string.h>

enum {
    REPLY_MAX = 65536,
    RPCBIND_VERSION = 2,
    RPCBIND_GETPORT = 3,
    PROTOCOL_TCP = 6,
};

static const char rpcbind_port[] = "111";

/* ---- one Call on a separate connection ---- */

struct exchange {
    struct live_socket *socket;
    struct live_loop *loop;
    GByteArray *call; /* with its record mark */
    struct rpc_record record;
    bool is_answered, is_over;
    char *why;
};

static void mount_on_opened(void *ctx)
{
    struct exchange *exchange = ctx;
    const struct stream *stream = live_stream(exchange->socket);

    stream->write(stream->ctx, exchange->call->data, exchange->call->len);
}

static void mount_on_receive(void *ctx, const uint8_t *p, size_t n)
{
    struct exchange *exchange = ctx;
    const struct stream *stream = live_stream(exchange->socket);
    bool too_long;

    if (exchange->is_answered)
        return;
    exchange->is_answered = rpc_record_take(&exchange->record, &p, &n, &too_long);
    if (exchange->is_answered || too_long)
        stream->close(stream->ctx, too_long);
}

static void mount_on_fin(void *ctx)
{
    struct exchange *exchange = ctx;
    const struct stream *stream = live_stream(exchange->socket);

    stream->close(stream->ctx, false);
}

static void mount_on_closed(void *ctx, const char *why)
{
    struct exchange *exchange = ctx;

    exchange->is_over = true;
    exchange->why = g_strdup(why);
}

static struct xdr_out begin_call(uint32_t xid, uint32_t program, uint32_t version, uint32_t procedure)
{
    const struct rpc_message call = {.xid = xid, .prog = program, .vers = version, .proc = procedure};
    struct xdr_out out;

    xdr_out_begin(&out);
    rpc_call_header(&out, &call, &(struct rpc_caller){0});
    return out;
}

/* Takes ownership of the Call. *x: its results, inside exchange->record. */
static bool mount_ask(const char *host, const char *port, int64_t timeout_ns, struct xdr_out *call,
                      struct exchange *exchange, struct xdr *x, char **why)
{
    const struct live_options options = {.connect_timeout_ns = timeout_ns, .close_timeout_ns = 1};
    const struct live_events events = {.ctx = exchange,
                                       .opened = mount_on_opened,
                                       .receive = mount_on_receive,
                                       .receive_fin = mount_on_fin,
                                       .closed = mount_on_closed};
    uint32_t xid = get_be32(call->octets->data);
    GError *error = NULL;
    uint8_t mark[RPC_RECORD_MARK];

    rpc_record_mark(mark, call->octets->len);
    *exchange = (struct exchange){.loop = live_loop_new(), .call = g_byte_array_new()};
    g_byte_array_append(exchange->call, mark, sizeof mark);
    g_byte_array_append(exchange->call, call->octets->data, call->octets->len);
    xdr_out_free(call);
    rpc_record_init(&exchange->record, REPLY_MAX);
    exchange->socket = live_connect(exchange->loop, host, port, &options, &events, &error);
    if (!exchange->socket) {
        *why = g_strdup(error->message);
        g_error_free(error);
        return false;
    }
    live_run(exchange->loop, live_now() + timeout_ns);
    if (exchange->is_answered) {
        *why = rpc_reply_open(exchange->record.body->data, exchange->record.body->len, xid, x);
        return !*why;
    }
    *why = g_strdup(exchange->why       ? exchange->why
                    : exchange->is_over ? "the connection was closed without an answer"
                                        : "timed out");
    return false;
}

static void mount_end(struct exchange *exchange)
{
    if (!exchange->loop)
        return;
    live_loop_free(exchange->loop);
    g_byte_array_unref(exchange->call);
    rpc_record_clear(&exchange->record);
    g_free(exchange->why);
}

/* Replaces why by "what: why". */
static bool mount_explain(const char *what, const char *port, char **why)
{
    char *text = g_strdup_printf("%s (port %s): %s", what, port, *why);

    g_free(*why);
    *why = text;
    return false;
}

/* ---- rpcbind: RFC 1833 section 3 ---- */

/* UNKNOWN with *why, UNREGISTERED, or OFFERED with the port. */
static enum rpc_tcp_offer ask_rpcbind(const char *host, uint32_t program, uint32_t version, int64_t timeout_ns,
                                      char port[8], char **why)
{
    struct xdr_out call = begin_call(1, NFS_PROGRAM_RPCBIND, RPCBIND_VERSION, RPCBIND_GETPORT);
    struct exchange exchange;
    struct xdr x;
    uint32_t number = 0;
    bool good;

    xdr_out_words(&call, program, version, PROTOCOL_TCP, 0);
    good = mount_ask(host, rpcbind_port, timeout_ns, &call, &exchange, &x, why);
    if (good && (!xdr_u32(&x, &number) || number > UINT16_MAX)) {
        *why = g_strdup("expected a port in the Reply; found none");
        good = false;
    }
    mount_end(&exchange);
    g_snprintf(port, 8, "%" PRIu32, number);
    return !good ? RPC_TCP_UNKNOWN : number == 0 ? RPC_TCP_UNREGISTERED : RPC_TCP_OFFERED;
}

static bool find_port(const struct rpc_tcp_mount *mount, char port[8], char **why)
{
    enum rpc_tcp_offer offer;

    if (mount->port) {
        g_strlcpy(port, mount->port, 8);
        return true;
    }
    offer = ask_rpcbind(mount->host, NFS_PROGRAM_MOUNT, mount->version, mount->timeout_ns, port, why);
    if (offer == RPC_TCP_UNREGISTERED)
        *why = g_strdup_printf("MOUNT version %u is not registered for TCP", mount->version);
    return offer == RPC_TCP_OFFERED || mount_explain("asking rpcbind for the port of MOUNT", rpcbind_port, why);
}

enum rpc_tcp_offer rpc_tcp_offers(const char *host, uint32_t program, uint32_t version, int64_t timeout_ns, char **why)
{
    char port[8];
    enum rpc_tcp_offer offer = ask_rpcbind(host, program, version, timeout_ns, port, why);
    struct exchange exchange;
    struct xdr_out call;
    struct xdr x;

    if (offer != RPC_TCP_OFFERED)
        return offer;
    call = begin_call(2, program, version, 0);
    offer = mount_ask(host, port, timeout_ns, &call, &exchange, &x, why) ? RPC_TCP_OFFERED : RPC_TCP_SILENT;
    mount_end(&exchange);
    if (offer == RPC_TCP_SILENT)
        mount_explain("a NULL Call", port, why);
    return offer;
}

/* ---- MOUNT ---- */

static bool get_handle(const struct rpc_tcp_mount *mount, const struct nfs_template *procedure, struct xdr *x,
                       uint8_t handle[RPC_TCP_HANDLE_MAX], uint32_t *n, char **why)
{
    struct nfs_results results;
    const bool is_read = nfs_results_read(&results, procedure, NULL, x);
    bool good = false;
    uint64_t status = nfs_results_number(&results, "status", 0);

    if (status != 0)
        *why = g_strdup_printf("%s is refused with status %" PRIu64 "%s", mount->path, status,
                               status == 2    ? ", there is no such export"
                               : status == 13 ? ", access is denied"
                                              : "");
    else if (!is_read)
        *why = g_strdup("the results cannot be decoded");
    else if (!nfs_results_copy(&results, "handle", handle, RPC_TCP_HANDLE_MAX, n))
        *why = g_strdup("the file handle cannot be decoded");
    else
        good = true;
    nfs_results_clear(&results);
    return good;
}

/* Makes one Call about the path; handle: from the results, NULL: none. */
static bool call_mount(const struct rpc_tcp_mount *mount, uint32_t xid, const char *name,
                       uint8_t handle[RPC_TCP_HANDLE_MAX], uint32_t *n, const char *what, char **why)
{
    g_autofree char *full_name = g_strdup_printf("mount%u.%s", mount->version, name);
    const struct nfs_template *procedure = nfs_procedure_template(full_name);
    struct nfs_fields fields;
    struct xdr_out call;
    struct exchange exchange;
    struct xdr x;
    char port[8];
    bool good;

    if (!find_port(mount, port, why))
        return false;
    call = begin_call(xid, procedure->program, procedure->version, procedure->number);
    nfs_fields_init(&fields);
    nfs_fields_text(&fields, "path", mount->path);
    nfs_fields_put(&fields, procedure, NULL, &call);
    nfs_fields_clear(&fields);
    good = mount_ask(mount->host, port, mount->timeout_ns, &call, &exchange, &x, why) &&
           (!handle || get_handle(mount, procedure, &x, handle, n, why));
    mount_end(&exchange);
    return good || mount_explain(what, port, why);
}

bool rpc_tcp_mount(const struct rpc_tcp_mount *mount, uint8_t handle[RPC_TCP_HANDLE_MAX], uint32_t *n, char **why)
{
    return call_mount(mount, 2, "mnt", handle, n, "asking MOUNT for the root's file handle", why);
}

bool rpc_tcp_unmount(const struct rpc_tcp_mount *mount, char **why)
{
    return call_mount(mount, 3, "umnt", NULL, NULL, "reporting the unmount to MOUNT", why);
}
