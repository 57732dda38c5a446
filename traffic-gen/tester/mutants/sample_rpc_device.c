// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/mutants/sample_rpc_device.h"

#include "traffic-gen/ends/nfs/server/nfs_server.h"
#include "traffic-gen/ends/stack/nfs_fields.h"
#include "traffic-gen/ends/stack/rpc_header.h"

#include <string.h>

enum {
    SIZE = 4096,
    CREDITS = 16,
    READS = 16,
    HANDLE_MAX = 64,
    CALLS_MAX = 1500, /* Calls of a client on one connection */
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
    bool reads_by_v4;
};

/* ---- server; a client has a callback service with NULL only ---- */

static void rpc_device_on_called(void *ctx, uint64_t id, const struct rpc_end_message *call,
                                 const struct rpc_message *header)
{
    struct sample_rpc_device *device = ctx;
    struct rpc_end_message reply = {0};

    if (!device->peer)
        rpc_end_answer_null(device->end, id, header);
    else if (nfs_server_call(device->peer, call, rpc_end_room(device->end, id), &reply))
        rpc_end_reply(device->end, id, &reply);
}

/* ---- client ---- */

enum kind {
    CALL_NULL,
    CALL_MOUNT,
    CALL_CREATE,
    CALL_GETATTR,
    CALL_WRITE,
    CALL_WRITE_ANY,
    CALL_READ,
    CALL_READ_V4,
    CALL_LIST
};

/* On the root, or on the file; parameters by their names in wire/nfs_types.txt. */
static const struct {
    const char *procedure, *words;
    bool of_file;
    struct rpc_end_how how;
} calls[] = {
    [CALL_NULL] = {"nfs3.null", ""},
    [CALL_MOUNT] = {"mount3.mnt", "path=/"},
    [CALL_CREATE] = {"nfs3.create", "set_mode=0"},
    [CALL_GETATTR] = {"nfs3.getattr", ""},
    [CALL_WRITE] = {"nfs3.write", "3000", true, {.reduce = true}},
    [CALL_WRITE_ANY] = {"nfs3.write", "3000", true}, /* inline if it fits */
    [CALL_READ] = {"nfs3.read", "3000", true, {.results = {DATA}, .segments = 2}},
    [CALL_READ_V4] = {"nfs40.compound", "putfh,read:3000", true, {.results = {DATA}, .segments = 2}},
    [CALL_LIST] = {"nfs3.readdir", "8192", false, {.reply_max = 2 * SIZE + 200}},
};

static void make_call(struct sample_rpc_device *device, enum kind kind)
{
    static const uint8_t data[DATA];
    const struct nfs_template *procedure = nfs_procedure_template(calls[kind].procedure);
    const bool of_file = calls[kind].of_file;
    const struct rpc_message header = {.xid = XID_FIRST + device->calls++,
                                       .prog = procedure->program,
                                       .vers = procedure->version,
                                       .proc = procedure->number};
    struct rpc_end_message call;
    struct nfs_fields fields;
    struct xdr_out out;

    xdr_out_begin(&out);
    rpc_call_header(&out, &header, NULL);
    nfs_fields_init(&fields);
    nfs_fields_octets(&fields, "handle", of_file ? device->file : device->root,
                      of_file ? device->file_n : device->root_n);
    nfs_fields_octets(&fields, "data", data, DATA);
    nfs_fields_hyper(&fields, "cookieverf", 0);
    nfs_fields_put(&fields, procedure, calls[kind].words, &out);
    nfs_fields_clear(&fields);
    xdr_out_take(&out, &call);
    rpc_end_call(device->end, &call, &calls[kind].how, kind);
    g_free(call.p);
}

static void rpc_device_go_on(struct sample_rpc_device *device)
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
    while (device->calls < CALLS_MAX && rpc_end_outstanding(device->end) < AT_ONCE) {
        const enum kind kind = turns[device->step++ % G_N_ELEMENTS(turns)];

        make_call(device, kind == CALL_READ && device->reads_by_v4 ? CALL_READ_V4 : kind);
    }
}

static void rpc_device_take_handle(const struct rpc_end_message *reply, enum kind kind, uint8_t handle[HANDLE_MAX],
                                   uint32_t *n)
{
    struct xdr x = xdr_begin(reply->p, reply->n);
    struct nfs_results results;
    struct rpc_message header;

    if (rpc_decode(&header, reply->p, reply->n) != RPC_OK)
        return;
    x.at = header.header_len;
    nfs_results_read(&results, nfs_procedure_template(calls[kind].procedure), calls[kind].words, &x);
    nfs_results_copy(&results, "handle", handle, HANDLE_MAX, n);
    nfs_results_clear(&results);
}

static void rpc_device_on_replied(void *ctx, uint64_t cookie, enum rpc_end_result result,
                                  const struct rpc_end_message *reply)
{
    struct sample_rpc_device *device = ctx;

    if (device->peer)
        nfs_peer_replied(device->peer, cookie, result == RPC_END_REPLIED ? reply : NULL);
    if (device->peer || result == RPC_END_LOST)
        return;
    if (result == RPC_END_REPLIED && cookie == CALL_MOUNT)
        rpc_device_take_handle(reply, CALL_MOUNT, device->root, &device->root_n);
    if (result == RPC_END_REPLIED && cookie == CALL_CREATE)
        rpc_device_take_handle(reply, CALL_CREATE, device->file, &device->file_n);
    if (device->calls < CALLS_MAX)
        rpc_device_go_on(device);
}

/* A callback of the server. */
static void on_callback(void *ctx, const struct rpc_end_message *message, uint64_t cookie)
{
    const struct sample_rpc_device *device = ctx;
    const struct rpc_end_how how = {.long_call = device->mutant.how && device->mutant.how->setup.long_calls};

    rpc_end_call(device->end, message, &how, cookie);
}

static void rpc_device_on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct sample_rpc_device *device = ctx;

    (void)terms;
    if (device->role == DUT_INITIATOR)
        make_call(device, CALL_NULL);
}

/* ---- life ---- */

struct sample_rpc_device *sample_rpc_device_new(enum suite_dut role, const struct misbehaviour *how, bool reads_by_v4,
                                                int64_t t_rest, const struct stream *stream)
{
    struct sample_rpc_device *device = g_new0(struct sample_rpc_device, 1);
    const struct rpc_end_events events = {.ctx = device,
                                          .established = rpc_device_on_established,
                                          .replied = rpc_device_on_replied,
                                          .called = rpc_device_on_called};
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
    device->reads_by_v4 = reads_by_v4;
    if (role == DUT_RESPONDER) {
        const struct nfs_server_options server = {.tree = device->tree =
                                                      nfs_tree_new(nfs_tree_real_time, NULL, 1 << 24, 4096),
                                                  .now = nfs_tree_real_time,
                                                  .acls = true};

        device->server = nfs_server_new(&server);
        device->peer = nfs_peer_new(device->server, &(struct nfs_peer_events){.ctx = device, .call = on_callback});
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
