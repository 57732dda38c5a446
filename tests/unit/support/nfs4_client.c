// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/nfs4_client.h"

const struct v4_stateid v4_anonymous = {0};

static int64_t v4_now(void *ctx)
{
    return ((struct v4_server *)ctx)->now;
}

void v4_server_begin(struct v4_server *on)
{
    *on = (struct v4_server){.now = INT64_C(1000000000000)};
    on->tree = nfs_tree_new(v4_now, on, 16 << 20, 4096);
    on->server = nfs_server_new(&(struct nfs_server_options){.tree = on->tree, .now = v4_now, .ctx = on, .seed = 7});
}

void v4_server_end(struct v4_server *on)
{
    nfs_server_free(on->server);
    nfs_tree_free(on->tree);
}

void v4_called(void *ctx, const struct rpc_end_message *message, uint64_t cookie)
{
    struct v4_client *t = ctx;

    g_free(t->called.p);
    t->called = *message;
    t->called.p = g_memdup2(message->p, message->n);
    t->cookie = cookie;
    t->calls++;
}

void v4_begin(struct v4_client *t, struct v4_server *on, unsigned minor, bool backchannel)
{
    struct nfs_peer_events events = {.ctx = t, .call = v4_called};

    *t = (struct v4_client){.on = on, .minor = minor, .xid = 0x1000 * (minor + 1), .cache = true, .seqid = 100};
    t->peer = nfs_peer_new(on->server, backchannel ? &events : NULL);
}

void v4_end(struct v4_client *t)
{
    nfs_peer_free(t->peer);
    g_free(t->reply.p);
    g_free(t->called.p);
}

/* ---- making ---- */

void v4_compound(struct v4_client *t)
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

void v4_put_words(struct v4_client *t, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        xdr_out_u32(&t->out, words[i]);
}

void v4_u64(struct v4_client *t, uint64_t v)
{
    xdr_out_u64(&t->out, v);
}

void v4_text(struct v4_client *t, const char *text)
{
    xdr_out_opaque(&t->out, text, (uint32_t)strlen(text));
}

void v4_stateid_put(struct v4_client *t, const struct v4_stateid *stateid)
{
    v4_put(t, stateid->seqid);
    xdr_out_fixed(&t->out, stateid->other, 12);
}

void v4_sequence_on(struct v4_client *t, uint32_t slot, uint32_t sequence)
{
    v4_op(t, 53);
    xdr_out_fixed(&t->out, t->session, 16);
    v4_put(t, sequence, slot, slot, t->cache);
}

void v4_start(struct v4_client *t)
{
    v4_compound(t);
    if (t->minor > 0)
        v4_sequence_on(t, 0, ++t->sequences[0]);
}

/* ---- sending ---- */

static void v4_see(void *ctx, const struct nfs_operation *operation)
{
    struct v4_client *t = ctx;

    assert_true(operation->index < V4_OPS_MAX);
    t->results[operation->index] = *operation;
    t->n_results = operation->index + 1;
}

/* The status of a result comes as a value. */
static void v4_value(void *ctx, const struct nfs_value *value)
{
    struct v4_client *t = ctx;

    if (value->mark == NFS_MARK_STATUS && value->op != 0) {
        t->results[value->op_index].has_status = true;
        t->results[value->op_index].status = (uint32_t)value->value;
    }
}

/* Every Reply is what the XDR of the protocol allows, and all of it. */
static void v4_walk(struct v4_client *t)
{
    struct nfs_walk_events events = {.ctx = t, .operation = v4_see, .value = v4_value};
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

uint32_t v4_deliver(struct v4_client *t, const struct rpc_end_message *call)
{
    g_free(t->reply.p);
    t->reply = (struct rpc_end_message){0};
    assert_true(nfs_server_call(t->peer, call, t->room, &t->reply));
    v4_walk(t);
    return t->status;
}

void v4_finish(struct v4_client *t, struct rpc_end_message *call)
{
    xdr_out_set_u32(&t->out, t->count_at, t->count);
    xdr_out_take(&t->out, call);
}

uint32_t v4_send(struct v4_client *t)
{
    struct rpc_end_message call;
    uint32_t status;

    v4_finish(t, &call);
    status = v4_deliver(t, &call);
    g_free(call.p);
    return status;
}

struct xdr v4_result(const struct v4_client *t, unsigned index)
{
    struct xdr x = xdr_begin(t->reply.p, t->reply.n);
    struct rpc_message header;

    assert_true(index < t->n_results);
    rpc_decode(&header, t->reply.p, t->reply.n);
    x.at = header.header_len + t->results[index].at + 8;
    return x;
}

uint32_t v4_get_u32(struct xdr *x)
{
    uint32_t v = 0;

    assert_true(xdr_u32(x, &v));
    return v;
}

uint64_t v4_get_u64(struct xdr *x)
{
    uint64_t v = 0;

    assert_true(xdr_u64(x, &v));
    return v;
}

struct v4_stateid v4_stateid_get(struct xdr *x)
{
    struct v4_stateid stateid;

    stateid.seqid = v4_get_u32(x);
    memcpy(stateid.other, x->p + x->at, 12);
    assert_true(xdr_skip(x, 12));
    return stateid;
}

struct xdr v4_nth(const struct v4_client *t, unsigned index)
{
    return v4_result(t, index + (t->minor > 0));
}

/* ---- clients ---- */

void v4_channel(struct v4_client *t, uint32_t request, uint32_t response, uint32_t cached, uint32_t ops,
                uint32_t requests)
{
    v4_put(t, 0, request, response, cached, ops, requests, 0);
}

uint32_t v4_exchange_id(struct v4_client *t, const char *name, uint64_t verifier, uint32_t flags)
{
    struct xdr x;
    uint32_t status;

    v4_compound(t);
    v4_op(t, 42);
    v4_u64(t, verifier);
    v4_text(t, name);
    v4_put(t, flags, 0, 0);
    status = v4_send(t);
    if (status == 0) {
        x = v4_result(t, 0);
        t->client = v4_get_u64(&x);
    }
    return status;
}

static void v4_create_session_put(struct v4_client *t, uint32_t sequence, bool back)
{
    v4_compound(t);
    v4_op(t, 43);
    v4_u64(t, t->client);
    v4_put(t, sequence, back ? 2 : 0);
    v4_channel(t, 1 << 20, 1 << 20, 4096, 16, V4_SLOTS);
    v4_channel(t, 4096, 4096, 0, 2, 1);
    v4_put(t, 0x40000000, 1, 0);
}

uint32_t v4_create_session(struct v4_client *t, uint32_t sequence, bool back)
{
    struct xdr x;
    uint32_t status;

    v4_create_session_put(t, sequence, back);
    status = v4_send(t);
    if (status == 0) {
        x = v4_result(t, 0);
        memcpy(t->session, x.p + x.at, 16);
        memset(t->sequences, 0, sizeof t->sequences);
    }
    return status;
}

void v4_setclientid(struct v4_client *t, const char *name, uint64_t verifier)
{
    struct xdr x;
    uint64_t confirm;

    v4_compound(t);
    v4_op(t, 35);
    v4_u64(t, verifier);
    v4_text(t, name);
    v4_put(t, 0x40000000);
    v4_text(t, "tcp");
    v4_text(t, "127.0.0.1.8.1");
    v4_put(t, 1);
    assert_int_equal(v4_send(t), 0);
    x = v4_result(t, 0);
    t->client = v4_get_u64(&x);
    confirm = v4_get_u64(&x);
    v4_compound(t);
    v4_op(t, 36);
    v4_u64(t, t->client);
    v4_u64(t, confirm);
    assert_int_equal(v4_send(t), 0);
}

void v4_mount(struct v4_client *t, const char *name, bool back)
{
    if (t->minor == 0) {
        v4_setclientid(t, name, 1);
        return;
    }
    assert_int_equal(v4_exchange_id(t, name, 1, 0), 0);
    assert_int_equal(v4_create_session(t, 1, back), 0);
    v4_start(t);
    v4_op(t, 58, 0);
    assert_int_equal(v4_send(t), 0);
}

/* ---- operations ---- */

void v4_root(struct v4_client *t)
{
    v4_op(t, 24);
}

void v4_lookup(struct v4_client *t, const char *name)
{
    v4_op(t, 15);
    v4_text(t, name);
}

void v4_start_root(struct v4_client *t)
{
    v4_start(t);
    v4_root(t);
}

void v4_start_on(struct v4_client *t, const char *name)
{
    v4_start_root(t);
    v4_lookup(t, name);
}

void v4_open_put(struct v4_client *t, const char *owner, const char *name, uint32_t share, uint32_t deny, bool create)
{
    v4_op(t, 18, t->minor == 0 ? t->seqid++ : 0, share, deny);
    v4_u64(t, t->client);
    v4_text(t, owner);
    v4_put(t, create);
    if (create) {
        v4_put(t, 0, 2); /* mode, the 33rd */
        v4_put(t, 0, 2, 4, 0644);
    }
    v4_put(t, 0);
    v4_text(t, name);
}

uint32_t v4_open(struct v4_client *t, const char *owner, const char *name, uint32_t share, uint32_t deny, bool create,
                 struct v4_stateid *stateid)
{
    struct xdr x;
    uint32_t status;

    *stateid = (struct v4_stateid){0}; /* where it fails */
    v4_start_root(t);
    v4_open_put(t, owner, name, share, deny, create);
    status = v4_send(t);
    if (status != 0)
        return status;
    x = v4_nth(t, 1);
    *stateid = v4_stateid_get(&x);
    xdr_skip(&x, 20);
    if (!(v4_get_u32(&x) & 2))
        return 0;
    v4_start_on(t, name);
    v4_op(t, 20);
    v4_stateid_put(t, stateid);
    v4_put(t, t->seqid++);
    status = v4_send(t);
    if (status != 0)
        return status;
    x = v4_nth(t, 2);
    *stateid = v4_stateid_get(&x);
    return 0;
}

uint32_t v4_close(struct v4_client *t, const char *name, const struct v4_stateid *stateid)
{
    v4_start_on(t, name);
    v4_op(t, 4, t->minor == 0 ? t->seqid++ : 0);
    v4_stateid_put(t, stateid);
    return v4_send(t);
}

uint32_t v4_write(struct v4_client *t, const char *name, const struct v4_stateid *stateid, uint64_t offset,
                  const void *p, uint32_t n)
{
    v4_start_on(t, name);
    v4_op(t, 38);
    v4_stateid_put(t, stateid);
    v4_u64(t, offset);
    v4_put(t, 0);
    xdr_out_opaque(&t->out, p, n);
    return v4_send(t);
}

uint32_t v4_read(struct v4_client *t, const char *name, const struct v4_stateid *stateid, uint64_t offset,
                 uint32_t count)
{
    v4_start_on(t, name);
    v4_op(t, 25);
    v4_stateid_put(t, stateid);
    v4_u64(t, offset);
    v4_put(t, count);
    return v4_send(t);
}
