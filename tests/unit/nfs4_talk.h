/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client of NFSv4 for tests of the server: COMPOUNDs operation by operation, and Replies of which every octet is
 * walked.
 */
#ifndef IWARP_TESTS_UNIT_NFS4_TALK_H
#define IWARP_TESTS_UNIT_NFS4_TALK_H

#include "support.h"

#include "traffic-gen/nfs/nfs_server.h"
#include "traffic-gen/stack/xdr_out.h"
#include "wire/nfs.h"

enum { TALK_OPS_MAX = 128, TALK_SLOTS = 8 };

struct talk_server {
    struct nfs_tree *tree;
    struct nfs_server *server;
    int64_t now;
};

struct talk_stateid {
    uint32_t seqid;
    uint8_t other[12];
};

/* One connection, and one client with its session. */
struct talk {
    struct talk_server *on;
    struct nfs_peer *peer;
    unsigned minor;
    uint32_t xid, uid;
    size_t room;
    /* The COMPOUND that is being made. */
    struct xdr_out out;
    size_t count_at;
    unsigned count;
    /* The Reply. */
    struct rpc_end_message reply;
    uint32_t status;
    unsigned n_results;
    struct nfs_operation results[TALK_OPS_MAX];
    /* State. */
    uint64_t client;
    uint8_t session[16];
    uint32_t sequences[TALK_SLOTS];
    bool cache;
    uint32_t seqid; /* of the one open-owner of minor version 0 */
    /* Callbacks of the server: the last one. */
    struct rpc_end_message called;
    uint64_t cookie;
    unsigned calls;
};

static const struct talk_stateid talk_anonymous = {0};

static inline int64_t talk_now(void *ctx)
{
    return ((struct talk_server *)ctx)->now;
}

static inline void talk_server_begin(struct talk_server *on)
{
    *on = (struct talk_server){.now = INT64_C(1000000000000)};
    on->tree = nfs_tree_new(talk_now, on, 16 << 20, 4096);
    on->server = nfs_server_new(&(struct nfs_server_options){.tree = on->tree, .now = talk_now, .ctx = on, .seed = 7});
}

static inline void talk_server_end(struct talk_server *on)
{
    nfs_server_free(on->server);
    nfs_tree_free(on->tree);
}

static inline void talk_called(void *ctx, const struct rpc_end_message *message, uint64_t cookie)
{
    struct talk *t = ctx;

    g_free(t->called.p);
    t->called = *message;
    t->called.p = g_memdup2(message->p, message->n);
    t->cookie = cookie;
    t->calls++;
}

static inline void talk_begin(struct talk *t, struct talk_server *on, unsigned minor, bool backchannel)
{
    struct nfs_peer_events events = {.ctx = t, .call = talk_called};

    *t = (struct talk){.on = on, .minor = minor, .xid = 0x1000 * (minor + 1), .cache = true, .seqid = 100};
    t->peer = nfs_peer_new(on->server, backchannel ? &events : NULL);
}

static inline void talk_end(struct talk *t)
{
    nfs_peer_free(t->peer);
    g_free(t->reply.p);
    g_free(t->called.p);
}

/* ---- making ---- */

static inline void talk_compound(struct talk *t)
{
    struct rpc_message header = {
        .xid = t->xid++, .type = RPC_CALL, .rpcvers = RPC_VERSION, .prog = NFS_PROGRAM, .vers = 4, .proc = 1};
    uint8_t credential[20] = {0}, octets[128];
    struct rpc_body body = {.flavor = RPC_AUTH_SYS, .p = credential, .n = sizeof credential};
    struct xdr_writer w = {.p = octets, .size = sizeof octets};

    put_be32(credential + 8, t->uid);
    put_be32(credential + 12, t->uid);
    rpc_call_encode(&header, &body, NULL, &w);
    xdr_out_begin(&t->out);
    xdr_out_fixed(&t->out, octets, w.at);
    xdr_out_opaque(&t->out, "tag", 3);
    xdr_out_u32(&t->out, t->minor);
    t->count_at = xdr_out_at(&t->out);
    xdr_out_u32(&t->out, 0);
    t->count = 0;
}

static inline void talk_op(struct talk *t, uint32_t number)
{
    xdr_out_u32(&t->out, number);
    t->count++;
}

static inline void talk_u32(struct talk *t, uint32_t v)
{
    xdr_out_u32(&t->out, v);
}

static inline void talk_u64(struct talk *t, uint64_t v)
{
    xdr_out_u64(&t->out, v);
}

static inline void talk_text(struct talk *t, const char *text)
{
    xdr_out_opaque(&t->out, text, (uint32_t)strlen(text));
}

static inline void talk_stateid_put(struct talk *t, const struct talk_stateid *stateid)
{
    talk_u32(t, stateid->seqid);
    xdr_out_fixed(&t->out, stateid->other, 12);
}

static inline void talk_sequence_on(struct talk *t, uint32_t slot, uint32_t sequence)
{
    talk_op(t, 53);
    xdr_out_fixed(&t->out, t->session, 16);
    talk_u32(t, sequence);
    talk_u32(t, slot);
    talk_u32(t, slot);
    talk_u32(t, t->cache);
}

/* A COMPOUND with what has to come first in this minor version. */
static inline void talk_start(struct talk *t)
{
    talk_compound(t);
    if (t->minor > 0)
        talk_sequence_on(t, 0, ++t->sequences[0]);
}

/* ---- sending ---- */

static inline void talk_see(void *ctx, const struct nfs_operation *operation)
{
    struct talk *t = ctx;

    assert_true(operation->index < TALK_OPS_MAX);
    t->results[operation->index] = *operation;
    t->n_results = operation->index + 1;
}

/* The status of a result comes as a value. */
static inline void talk_value(void *ctx, const struct nfs_value *value)
{
    struct talk *t = ctx;

    if (value->mark == NFS_MARK_STATUS && value->op != 0) {
        t->results[value->op_index].has_status = true;
        t->results[value->op_index].status = (uint32_t)value->value;
    }
}

/* Every Reply is what the XDR of the protocol allows, and all of it. */
static inline void talk_walk(struct talk *t)
{
    struct nfs_walk_events events = {.ctx = t, .operation = talk_see, .value = talk_value};
    const struct nfs_procedure *procedure = nfs_procedure_find(NFS_PROGRAM, 4, 1);
    struct nfs_walk_result result;
    struct rpc_message header;

    assert_int_equal(rpc_decode(&header, t->reply.p, t->reply.n), RPC_OK);
    assert_int_equal(header.type, RPC_REPLY);
    assert_int_equal(header.reply_stat, RPC_MSG_ACCEPTED);
    t->n_results = 0;
    if (header.accept_stat != RPC_SUCCESS) {
        t->status = UINT32_MAX;
        return;
    }
    t->status = get_be32(t->reply.p + header.header_len);
    assert_int_equal(nfs_walk(procedure, true, t->reply.p + header.header_len, t->reply.n - header.header_len,
                              header.header_len, &events, &result),
                     NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    for (unsigned i = 0; i + 1 < t->n_results; i++)
        assert_int_equal(t->results[i].status, 0);
    if (t->n_results > 0)
        assert_int_equal(t->results[t->n_results - 1].status, t->status);
}

static inline uint32_t talk_deliver(struct talk *t, const struct rpc_end_message *call)
{
    g_free(t->reply.p);
    t->reply = (struct rpc_end_message){0};
    assert_true(nfs_server_call(t->peer, call, t->room, &t->reply));
    talk_walk(t);
    return t->status;
}

static inline void talk_finish(struct talk *t, struct rpc_end_message *call)
{
    xdr_out_set_u32(&t->out, t->count_at, t->count);
    xdr_out_take(&t->out, call);
}

static inline uint32_t talk_send(struct talk *t)
{
    struct rpc_end_message call;
    uint32_t status;

    talk_finish(t, &call);
    status = talk_deliver(t, &call);
    g_free(call.p);
    return status;
}

/* The result of an operation behind its status. */
static inline struct xdr talk_result(const struct talk *t, unsigned index)
{
    struct xdr x = xdr_begin(t->reply.p, t->reply.n);
    struct rpc_message header;

    assert_true(index < t->n_results);
    rpc_decode(&header, t->reply.p, t->reply.n);
    x.at = header.header_len + t->results[index].at + 8;
    return x;
}

static inline uint32_t talk_get_u32(struct xdr *x)
{
    uint32_t v = 0;

    assert_true(xdr_u32(x, &v));
    return v;
}

static inline uint64_t talk_get_u64(struct xdr *x)
{
    uint64_t v = 0;

    assert_true(xdr_u64(x, &v));
    return v;
}

static inline struct talk_stateid talk_stateid_get(struct xdr *x)
{
    struct talk_stateid stateid;

    stateid.seqid = talk_get_u32(x);
    memcpy(stateid.other, x->p + x->at, 12);
    assert_true(xdr_skip(x, 12));
    return stateid;
}

/* Operations by their index from the first one behind SEQUENCE. */
static inline struct xdr talk_nth(const struct talk *t, unsigned index)
{
    return talk_result(t, index + (t->minor > 0));
}

/* ---- clients ---- */

static inline void talk_channel(struct talk *t, uint32_t request, uint32_t response, uint32_t cached, uint32_t ops,
                                uint32_t requests)
{
    talk_u32(t, 0);
    talk_u32(t, request);
    talk_u32(t, response);
    talk_u32(t, cached);
    talk_u32(t, ops);
    talk_u32(t, requests);
    talk_u32(t, 0);
}

static inline uint32_t talk_exchange_id(struct talk *t, const char *name, uint64_t verifier, uint32_t flags)
{
    struct xdr x;
    uint32_t status;

    talk_compound(t);
    talk_op(t, 42);
    talk_u64(t, verifier);
    talk_text(t, name);
    talk_u32(t, flags);
    talk_u32(t, 0);
    talk_u32(t, 0);
    status = talk_send(t);
    if (status == 0) {
        x = talk_result(t, 0);
        t->client = talk_get_u64(&x);
    }
    return status;
}

static inline void talk_create_session_put(struct talk *t, uint32_t sequence, bool back)
{
    talk_compound(t);
    talk_op(t, 43);
    talk_u64(t, t->client);
    talk_u32(t, sequence);
    talk_u32(t, back ? 2 : 0);
    talk_channel(t, 1 << 20, 1 << 20, 4096, 16, TALK_SLOTS);
    talk_channel(t, 4096, 4096, 0, 2, 1);
    talk_u32(t, 0x40000000);
    talk_u32(t, 1);
    talk_u32(t, 0);
}

static inline uint32_t talk_create_session(struct talk *t, uint32_t sequence, bool back)
{
    struct xdr x;
    uint32_t status;

    talk_create_session_put(t, sequence, back);
    status = talk_send(t);
    if (status == 0) {
        x = talk_result(t, 0);
        memcpy(t->session, x.p + x.at, 16);
        memset(t->sequences, 0, sizeof t->sequences);
    }
    return status;
}

static inline void talk_setclientid(struct talk *t, const char *name, uint64_t verifier)
{
    struct xdr x;
    uint64_t confirm;

    talk_compound(t);
    talk_op(t, 35);
    talk_u64(t, verifier);
    talk_text(t, name);
    talk_u32(t, 0x40000000);
    talk_text(t, "tcp");
    talk_text(t, "127.0.0.1.8.1");
    talk_u32(t, 1);
    assert_int_equal(talk_send(t), 0);
    x = talk_result(t, 0);
    t->client = talk_get_u64(&x);
    confirm = talk_get_u64(&x);
    talk_compound(t);
    talk_op(t, 36);
    talk_u64(t, t->client);
    talk_u64(t, confirm);
    assert_int_equal(talk_send(t), 0);
}

/* Whatever this minor version needs before files can be opened. */
static inline void talk_mount(struct talk *t, const char *name, bool back)
{
    if (t->minor == 0) {
        talk_setclientid(t, name, 1);
        return;
    }
    assert_int_equal(talk_exchange_id(t, name, 1, 0), 0);
    assert_int_equal(talk_create_session(t, 1, back), 0);
    talk_start(t);
    talk_op(t, 58);
    talk_u32(t, 0);
    assert_int_equal(talk_send(t), 0);
}

/* ---- operations ---- */

static inline void talk_root(struct talk *t)
{
    talk_op(t, 24);
}

static inline void talk_lookup(struct talk *t, const char *name)
{
    talk_op(t, 15);
    talk_text(t, name);
}

/* A file in the root directory; create: UNCHECKED4 with mode 0644. */
static inline void talk_open_put(struct talk *t, const char *owner, const char *name, uint32_t share, uint32_t deny,
                                 bool create)
{
    talk_op(t, 18);
    talk_u32(t, t->minor == 0 ? t->seqid++ : 0);
    talk_u32(t, share);
    talk_u32(t, deny);
    talk_u64(t, t->client);
    talk_text(t, owner);
    talk_u32(t, create);
    if (create) {
        talk_u32(t, 0);
        talk_u32(t, 2); /* mode, the 33rd */
        talk_u32(t, 0);
        talk_u32(t, 2);
        talk_u32(t, 4);
        talk_u32(t, 0644);
    }
    talk_u32(t, 0);
    talk_text(t, name);
}

/* Opens and, if it must be, confirms; the file handle goes to *handle if that is not NULL. */
static inline uint32_t talk_open(struct talk *t, const char *owner, const char *name, uint32_t share, uint32_t deny,
                                 bool create, struct talk_stateid *stateid)
{
    struct xdr x;
    uint32_t status;

    *stateid = (struct talk_stateid){0}; /* where it fails */
    talk_start(t);
    talk_root(t);
    talk_open_put(t, owner, name, share, deny, create);
    status = talk_send(t);
    if (status != 0)
        return status;
    x = talk_nth(t, 1);
    *stateid = talk_stateid_get(&x);
    xdr_skip(&x, 20);
    if (!(talk_get_u32(&x) & 2))
        return 0;
    talk_start(t);
    talk_root(t);
    talk_lookup(t, name);
    talk_op(t, 20);
    talk_stateid_put(t, stateid);
    talk_u32(t, t->seqid++);
    status = talk_send(t);
    if (status != 0)
        return status;
    x = talk_nth(t, 2);
    *stateid = talk_stateid_get(&x);
    return 0;
}

static inline uint32_t talk_close(struct talk *t, const char *name, const struct talk_stateid *stateid)
{
    talk_start(t);
    talk_root(t);
    talk_lookup(t, name);
    talk_op(t, 4);
    talk_u32(t, t->minor == 0 ? t->seqid++ : 0);
    talk_stateid_put(t, stateid);
    return talk_send(t);
}

static inline uint32_t talk_write(struct talk *t, const char *name, const struct talk_stateid *stateid, uint64_t offset,
                                  const void *p, uint32_t n)
{
    talk_start(t);
    talk_root(t);
    talk_lookup(t, name);
    talk_op(t, 38);
    talk_stateid_put(t, stateid);
    talk_u64(t, offset);
    talk_u32(t, 0);
    xdr_out_opaque(&t->out, p, n);
    return talk_send(t);
}

static inline uint32_t talk_read(struct talk *t, const char *name, const struct talk_stateid *stateid, uint64_t offset,
                                 uint32_t count)
{
    talk_start(t);
    talk_root(t);
    talk_lookup(t, name);
    talk_op(t, 25);
    talk_stateid_put(t, stateid);
    talk_u64(t, offset);
    talk_u32(t, count);
    return talk_send(t);
}

#endif
