// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/mutants/subject_rpc.h"

#include "traffic-gen/nfs/nfs_server.h"
#include "traffic-gen/stack/xdr_out.h"
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

struct subject_rpc {
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

static int64_t now(void *ctx)
{
    (void)ctx;
    return g_get_real_time() * 1000;
}

/* ---- server; as client it has a callback service that only knows NULL ---- */

static void answer_null(struct subject_rpc *subject, uint64_t id, const struct rpc_message *header)
{
    const struct rpc_message words = {.xid = header->xid,
                                      .accept_stat = header->proc == 0 ? RPC_SUCCESS : RPC_PROC_UNAVAIL};
    struct rpc_end_message reply = {.p = g_malloc0(24), .n = 24};
    struct xdr_writer w = {.p = reply.p, .size = reply.n};

    rpc_reply_encode(&words, NULL, &w);
    rpc_end_reply(subject->end, id, &reply);
}

static void on_called(void *ctx, uint64_t id, const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct subject_rpc *subject = ctx;
    struct rpc_end_message reply = {0};

    if (!subject->peer)
        answer_null(subject, id, header);
    else if (nfs_server_call(subject->peer, call, rpc_end_room(subject->end, id), &reply))
        rpc_end_reply(subject->end, id, &reply);
}

/* ---- client ---- */

static void begin(struct subject_rpc *subject, struct xdr_out *out, uint32_t program, uint32_t procedure)
{
    const uint32_t words[] = {XID_FIRST + subject->calls, RPC_CALL, RPC_VERSION, program, 3, procedure, 0, 0, 0, 0};

    xdr_out_begin(out);
    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++)
        xdr_out_u32(out, words[i]);
}

static void make(struct subject_rpc *subject, struct xdr_out *out, const struct rpc_end_how *how, unsigned kind)
{
    struct rpc_end_message call;

    subject->calls++;
    xdr_out_take(out, &call);
    rpc_end_call(subject->end, &call, how, kind);
    g_free(call.p);
}

enum kind { CALL_NULL, CALL_MOUNT, CALL_CREATE, CALL_GETATTR, CALL_WRITE, CALL_WRITE_ANY, CALL_READ, CALL_LIST };

static void make_call(struct subject_rpc *subject, enum kind kind)
{
    static const uint8_t data[DATA];
    struct rpc_end_how how = {0};
    struct xdr_out out;

    switch (kind) {
    case CALL_NULL:
        begin(subject, &out, NFS_PROGRAM, 0);
        break;
    case CALL_MOUNT:
        begin(subject, &out, NFS_PROGRAM_MOUNT, 1);
        xdr_out_opaque(&out, "/", 1);
        break;
    case CALL_CREATE:
        begin(subject, &out, NFS_PROGRAM, 8);
        xdr_out_opaque(&out, subject->root, subject->root_n);
        xdr_out_opaque(&out, "file", 4);
        for (unsigned i = 0; i < 7; i++) /* UNCHECKED, and attributes as they are */
            xdr_out_u32(&out, 0);
        break;
    case CALL_GETATTR:
        begin(subject, &out, NFS_PROGRAM, 1);
        xdr_out_opaque(&out, subject->root, subject->root_n);
        break;
    case CALL_WRITE:
    case CALL_WRITE_ANY: /* inline where it fits */
        begin(subject, &out, NFS_PROGRAM, 7);
        xdr_out_opaque(&out, subject->file, subject->file_n);
        xdr_out_u64(&out, 0);
        xdr_out_u32(&out, DATA);
        xdr_out_u32(&out, 2);
        xdr_out_eligible(&out, data, DATA);
        how.reduce = kind == CALL_WRITE;
        break;
    case CALL_READ:
        begin(subject, &out, NFS_PROGRAM, 6);
        xdr_out_opaque(&out, subject->file, subject->file_n);
        xdr_out_u64(&out, 0);
        xdr_out_u32(&out, DATA);
        how.results[0] = DATA;
        how.segments = 2;
        break;
    case CALL_LIST:
        begin(subject, &out, NFS_PROGRAM, 16);
        xdr_out_opaque(&out, subject->root, subject->root_n);
        xdr_out_u64(&out, 0);
        xdr_out_u64(&out, 0);
        xdr_out_u32(&out, 2 * SIZE);
        how.reply_max = 2 * SIZE + 200;
        break;
    }
    make(subject, &out, &how, kind);
}

static void go_on(struct subject_rpc *subject)
{
    static const enum kind turns[] = {CALL_GETATTR, CALL_WRITE, CALL_READ, CALL_WRITE_ANY, CALL_LIST};

    if (subject->root_n == 0) {
        make_call(subject, CALL_MOUNT);
        return;
    }
    if (subject->file_n == 0) {
        make_call(subject, CALL_CREATE);
        return;
    }
    while (subject->calls < CALLS_MAX && rpc_end_outstanding(subject->end) < AT_ONCE)
        make_call(subject, turns[subject->step++ % G_N_ELEMENTS(turns)]);
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
    struct subject_rpc *subject = ctx;

    if (result == RPC_END_LOST)
        return;
    if (result == RPC_END_REPLIED && cookie == CALL_MOUNT)
        take_handle(reply, false, subject->root, &subject->root_n);
    if (result == RPC_END_REPLIED && cookie == CALL_CREATE)
        take_handle(reply, true, subject->file, &subject->file_n);
    if (subject->calls < CALLS_MAX)
        go_on(subject);
}

static void on_established(void *ctx, const struct mpa_end_terms *terms)
{
    struct subject_rpc *subject = ctx;

    (void)terms;
    if (subject->role == DUT_INITIATOR)
        make_call(subject, CALL_NULL);
}

/* ---- life ---- */

struct subject_rpc *subject_rpc_new(enum suite_dut role, const struct misbehaviour *how, int64_t t_rest,
                                    const struct stream *stream)
{
    struct subject_rpc *subject = g_new0(struct subject_rpc, 1);
    const struct rpc_end_events events = {
        .ctx = subject, .established = on_established, .replied = on_replied, .called = on_called};
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

    subject->role = role;
    if (role == DUT_RESPONDER) {
        const struct nfs_server_options server = {.tree = subject->tree = nfs_tree_new(now, NULL, 1 << 24, 4096),
                                                  .now = now};

        subject->server = nfs_server_new(&server);
        subject->peer = nfs_peer_new(subject->server, NULL);
    }
    mutant_prepare_rpc(how, &options);
    subject->end = rpc_end_new(&options, stream, &events, 1813);
    mutant_attach_rpc(&subject->mutant, how, subject->end);
    return subject;
}

void subject_rpc_free(struct subject_rpc *subject)
{
    rpc_end_free(subject->end);
    if (subject->peer) {
        nfs_peer_free(subject->peer);
        nfs_server_free(subject->server);
        nfs_tree_free(subject->tree);
    }
    g_free(subject);
}

struct qp *subject_rpc_qp(struct subject_rpc *subject)
{
    return rpc_end_qp(subject->end);
}
