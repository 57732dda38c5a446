// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/mutants/sample_rpc_device.h"

#include "traffic-gen/ends/rpc_header.h"
#include "traffic-gen/ends/xdr_out.h"
#include "traffic-gen/nfs/server/nfs_server.h"
#include "wire/nfs.h"

#include <string.h>

enum {
    SIZE = 4096,
    CREDITS = 16,
    READS = 16,
    HANDLE_MAX = 64,
    CALLS_MAX = 1500, /* of a client, on one connection */
    AT_ONCE = 6,
    DATA = 3000,
    XID_FIRST = 0x0C000001,
};

struct sample_rpc_device {
    enum suite_dut role;
    struct mutant mutant;
    struct rpc_end *end;
    /* Server. */
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct nfs_peer *peer;
    /* Client. */
    uint8_t root[HANDLE_MAX], file[HANDLE_MAX];
    uint32_t root_n, file_n;
    unsigned step, calls;
};

/* ---- server; a client has a callback service that only knows NULL ---- */

static void answer_null(struct sample_rpc_device *device, uint64_t id, const struct rpc_message *header)
{
    const struct rpc_message words = {.xid = header->xid,
                                      .accept_stat = header->proc == 0 ? RPC_SUCCESS : RPC_PROC_UNAVAIL};
    struct rpc_end_message reply = {.p = g_malloc0(24), .n = 24};
    struct xdr_writer w = {.p = reply.p, .size = reply.n};

    rpc_reply_encode(&words, NULL, &w);
    rpc_end_reply(device->end, id, &reply);
}

static void on_called(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct sample_rpc_device *device = ctx;
    struct rpc_end_message reply = {0};

    if (!device->peer)
        answer_null(device, id, header);
    else if (nfs_server_call(device->peer, call, rpc_end_room(device->end, id), &reply))
        rpc_end_reply(device->end, id, &reply);
}

/* ---- client ---- */

static void begin(struct sample_rpc_device *device, struct xdr_out *out, uint32_t program, uint32_t procedure)
{
    const struct rpc_message call = {.xid = XID_FIRST + device->calls, .prog = program, .vers = 3, .proc = procedure};

    xdr_out_begin(out);
    rpc_call_header(out, &call, NULL);
}

static void make(struct sample_rpc_device *device, struct xdr_out *out, const struct rpc_end_how *how, unsigned kind)
{
    struct rpc_end_message call;

    device->calls++;
    xdr_out_take(out, &call);
    rpc_end_call(device->end, &call, how, kind);
    g_free(call.p);
}

enum kind { CALL_NULL, CALL_MOUNT, CALL_CREATE, CALL_GETATTR, CALL_WRITE, CALL_WRITE_ANY, CALL_READ, CALL_LIST };

static void make_call(struct sample_rpc_device *device, enum kind kind)
{
    static const uint8_t data[DATA];
    struct rpc_end_how how = {0};
    struct xdr_out out;

    switch (kind) {
    case CALL_NULL:
        begin(device, &out, NFS_PROGRAM, 0);
        break;
    case CALL_MOUNT:
        begin(device, &out, NFS_PROGRAM_MOUNT, 1);
        xdr_out_opaque(&out, "/", 1);
        break;
    case CALL_CREATE:
        begin(device, &out, NFS_PROGRAM, 8);
        xdr_out_opaque(&out, device->root, device->root_n);
        xdr_out_opaque(&out, "file", 4);
        for (unsigned i = 0; i < 7; i++) /* UNCHECKED, and attributes as they are */
            xdr_out_u32(&out, 0);
        break;
    case CALL_GETATTR:
        begin(device, &out, NFS_PROGRAM, 1);
        xdr_out_opaque(&out, device->root, device->root_n);
        break;
    case CALL_WRITE:
    case CALL_WRITE_ANY: /* inline where it fits */
        begin(device, &out, NFS_PROGRAM, 7);
        xdr_out_opaque(&out, device->file, device->file_n);
        xdr_out_u64(&out, 0);
        xdr_out_words(&out, DATA, 2);
        xdr_out_eligible(&out, data, DATA);
        how.reduce = kind == CALL_WRITE;
        break;
    case CALL_READ:
        begin(device, &out, NFS_PROGRAM, 6);
        xdr_out_opaque(&out, device->file, device->file_n);
        xdr_out_u64(&out, 0);
        xdr_out_u32(&out, DATA);
        how.results[0] = DATA;
        how.segments = 2;
        break;
    case CALL_LIST:
        begin(device, &out, NFS_PROGRAM, 16);
        xdr_out_opaque(&out, device->root, device->root_n);
        xdr_out_u64(&out, 0);
        xdr_out_u64(&out, 0);
        xdr_out_u32(&out, 2 * SIZE);
        how.reply_max = 2 * SIZE + 200;
        break;
    }
    make(device, &out, &how, kind);
}

static void go_on(struct sample_rpc_device *device)
{
    static const enum kind turns[] = {CALL_GETATTR, CALL_WRITE, CALL_READ, CALL_WRITE_ANY, CALL_LIST};

    if (device->root_n == 0) {
        make_call(device, CALL_MOUNT);
        return;
    }
    if (device->file_n == 0) {
        make_call(device, CALL_CREATE);
        return;
    }
    while (device->calls < CALLS_MAX && rpc_end_outstanding(device->end) < AT_ONCE)
        make_call(device, turns[device->step++ % G_N_ELEMENTS(turns)]);
}

static void take_handle(const struct rpc_end_message *reply, bool follows, uint8_t handle[HANDLE_MAX], uint32_t *n)
{
    struct xdr x = xdr_begin(reply->p, reply->n);
    struct rpc_message header;
    const uint8_t *p;
    uint32_t status, word, length;

    if (rpc_decode(&header, reply->p, reply->n) != RPC_OK)
        return;
    x.at = header.header_len;
    if (xdr_u32(&x, &status) && status == 0 && (!follows || (xdr_u32(&x, &word) && word == 1)) &&
        xdr_opaque(&x, &p, &length) && length <= HANDLE_MAX) {
        memcpy(handle, p, length);
        *n = length;
    }
}

static void on_replied(void *ctx, uint64_t cookie, enum rpc_end_result result, const struct rpc_end_message *reply)
{
    struct sample_rpc_device *device = ctx;

    if (result == RPC_END_LOST)
        return;
    if (result == RPC_END_REPLIED && cookie == CALL_MOUNT)
        take_handle(reply, false, device->root, &device->root_n);
    if (result == RPC_END_REPLIED && cookie == CALL_CREATE)
        take_handle(reply, true, device->file, &device->file_n);
    if (device->calls < CALLS_MAX)
        go_on(device);
}

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct sample_rpc_device *device = ctx;

    (void)terms;
    if (device->role == DUT_INITIATOR)
        make_call(device, CALL_NULL);
}

/* ---- life ---- */

struct sample_rpc_device *sample_rpc_device_new(enum suite_dut role, const struct misbehaviour *how, int64_t t_rest,
                                                const struct stream *stream)
{
    struct sample_rpc_device *device = g_new0(struct sample_rpc_device, 1);
    const struct rpc_end_events events = {
        .ctx = device, .established = on_established, .replied = on_replied, .called = on_called};
    struct rpc_end_options options = {
        .qp = {.mpa = {.role = role == DUT_RESPONDER ? MPA_END_RESPONDER : MPA_END_INITIATOR,
                       .revision = 2,
                       .crc = true,
                       .enhanced_data = {.ird = READS, .ord = READS},
                       .t_rest = t_rest},
               .ird = READS,
               .ord = READS},
        .send_size = SIZE,
        .receive_size = SIZE,
        .remote_invalidation = true,
        .credits = CREDITS,
    };

    device->role = role;
    if (role == DUT_RESPONDER) {
        const struct nfs_server_options server = {
            .tree = device->tree = nfs_tree_new(nfs_tree_real_time, NULL, 1 << 24, 4096), .now = nfs_tree_real_time};

        device->server = nfs_server_new(&server);
        device->peer = nfs_peer_new(device->server, NULL);
    }
    mutant_prepare_rpc(how, &options);
    device->end = rpc_end_new(&options, stream, &events, 1813);
    mutant_attach_rpc(&device->mutant, how, device->end);
    return device;
}

void sample_rpc_device_free(struct sample_rpc_device *device)
{
    rpc_end_free(device->end);
    if (device->peer) {
        nfs_peer_free(device->peer);
        nfs_server_free(device->server);
        nfs_tree_free(device->tree);
    }
    g_free(device);
}

struct qp *sample_rpc_device_qp(struct sample_rpc_device *device)
{
    return rpc_end_qp(device->end);
}
