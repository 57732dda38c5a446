// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/nfs4_client.h"

#include <inttypes.h>

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
    nfs_results_clear(&t->fields);
    g_free(t->reply.p);
    g_free(t->called.p);
}

/* ---- making ---- */

/* The Call up to its arguments. */
static void v4_call_header(struct v4_client *t)
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
}

void v4_compound(struct v4_client *t)
{
    v4_call_header(t);
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

void v4_stateid_put(struct v4_client *t, const struct v4_stateid *stateid)
{
    v4_put(t, stateid->seqid);
    xdr_out_fixed(&t->out, stateid->other, 12);
}

void v4_start(struct v4_client *t)
{
    v4_compound(t);
    if (t->minor == 0)
        return;
    v4_op(t, 53);
    xdr_out_fixed(&t->out, t->session, 16);
    v4_put(t, ++t->sequences[0], 0, 0, t->cache);
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

/* ---- by names ---- */

struct asking {
    struct v4_client *t;
    const struct v4_stateid *stateid;
    const void *p;
    uint32_t n;
};

/* Fields that count as they are used. */
static bool v4_special(void *ctx, unsigned op, const char *name, struct nfs_given *given)
{
    struct asking *asking = ctx;
    struct v4_client *t = asking->t;

    if (strcmp(name, "stateid") == 0) {
        *given = (struct nfs_given){.p = asking->stateid->other, .n = sizeof asking->stateid->other};
        asking->stateid += t->in_turn;
        return true;
    }
    if (strcmp(name, "state_seqid") == 0)
        given->value = asking->stateid->seqid;
    else if (strcmp(name, "seqid") == 0)
        given->value = t->minor == 0 ? t->seqid++ : 0;
    else if (strcmp(name, "sequenceid") == 0)
        given->value = ++t->sequences[0];
    else
        return false;
    return true;
}

static void v4_say(struct nfs_fields *fields, const struct asking *asking)
{
    static const uint8_t mode[] = {0, 0, 0644 >> 8, 0644 & 0xff};
    const struct v4_client *t = asking->t;

    nfs_fields_text(fields, "tag", "tag");
    nfs_fields_number(fields, "cachethis", t->cache);
    nfs_fields_number(fields, "clientid", t->client);
    nfs_fields_octets(fields, "sessionid", t->session, sizeof t->session);
    nfs_fields_hyper(fields, "verifier", t->verifier);
    nfs_fields_hyper(fields, "createverf", t->verifier);
    nfs_fields_hyper(fields, "cookieverf", t->verifier);
    nfs_fields_hyper(fields, "confirm", t->confirm);
    nfs_fields_number(fields, "tostate_seqid", t->to.seqid);
    nfs_fields_octets(fields, "tostateid", t->to.other, sizeof t->to.other);
    nfs_fields_text(fields, "owner", t->owner ? t->owner : "x");
    nfs_fields_octets(fields, "handle", asking->p, asking->n);
    nfs_fields_octets(fields, "data", asking->p, asking->n);
    nfs_fields_octets(fields, "value", asking->p, asking->n);
    nfs_fields_octets(fields, "id", asking->p, asking->n);
    nfs_fields_octets(fields, "attrs", asking->p ? asking->p : mode, asking->p ? asking->n : sizeof mode);
}

static char *v4_words(const struct v4_client *t, const char *words)
{
    bool plain = *words == '!';
    const char *rest = words + plain, *after = rest + strcspn(rest, ",");
    g_autofree char *name = g_strndup(rest, (size_t)(after - rest));

    return g_strconcat(!plain && t->minor > 0 ? "sequence," : "", *name == '/' ? "putrootfh" : name,
                       *name == '/' && name[1] ? ",lookup:" : "", *name == '/' ? name + 1 : "", after, NULL);
}

static uint32_t ask(struct asking *asking, const char *format, va_list args)
{
    static const char *const compounds[] = {"nfs40.compound", "nfs41.compound", "nfs42.compound"};
    const struct nfs_template *procedure = nfs_procedure_template(compounds[asking->t->minor]);
    struct v4_client *t = asking->t;
    g_autofree char *said = g_strdup_vprintf(format, args), *words = v4_words(t, said);
    struct rpc_end_message call;
    struct nfs_fields fields;
    uint32_t status;

    nfs_fields_init(&fields);
    fields.special = v4_special;
    fields.context = asking;
    v4_say(&fields, asking);
    v4_call_header(t);
    nfs_fields_put(&fields, procedure, words, &t->out);
    nfs_fields_clear(&fields);
    xdr_out_take(&t->out, &call);
    status = v4_deliver(t, &call);
    g_free(call.p);
    if (status != UINT32_MAX) {
        struct rpc_message header;
        struct xdr x = xdr_begin(t->reply.p, t->reply.n);

        rpc_decode(&header, t->reply.p, t->reply.n);
        x.at = header.header_len;
        nfs_results_clear(&t->fields);
        assert_true(nfs_results_read(&t->fields, procedure, words, &x) || status != 0);
    }
    return status;
}

uint32_t v4_ask(struct v4_client *t, const struct v4_stateid *stateid, const char *words, ...)
{
    struct asking asking = {.t = t, .stateid = stateid ? stateid : &v4_anonymous};
    uint32_t status;
    va_list args;

    va_start(args, words);
    status = ask(&asking, words, args);
    va_end(args);
    return status;
}

uint32_t v4_ask_with(struct v4_client *t, const struct v4_stateid *stateid, const void *p, uint32_t n,
                     const char *words, ...)
{
    struct asking asking = {.t = t, .stateid = stateid ? stateid : &v4_anonymous, .p = p, .n = n};
    uint32_t status;
    va_list args;

    va_start(args, words);
    status = ask(&asking, words, args);
    va_end(args);
    return status;
}

uint64_t v4_number(const struct v4_client *t, const char *name)
{
    assert_non_null(nfs_results_last(&t->fields, name));
    return nfs_results_number(&t->fields, name, 0);
}

const uint8_t *v4_octets(const struct v4_client *t, const char *name, uint32_t *n)
{
    const uint8_t *p = nfs_results_octets(&t->fields, name, n);

    assert_non_null(p);
    return p;
}

struct v4_stateid v4_stateid_of(const struct v4_client *t)
{
    struct v4_stateid stateid;
    uint8_t octets[16];

    assert_true(nfs_results_stateid(&t->fields, octets));
    stateid.seqid = get_be32(octets);
    memcpy(stateid.other, octets + 4, sizeof stateid.other);
    return stateid;
}

struct xdr v4_attributes(const struct v4_client *t)
{
    uint32_t n;
    const uint8_t *p = v4_octets(t, "attrs", &n);

    return xdr_begin(p, n);
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

/* ---- clients ---- */

uint32_t v4_exchange_id(struct v4_client *t, const char *name, uint64_t verifier, uint32_t flags)
{
    uint32_t status;

    t->verifier = verifier;
    status = v4_ask_with(t, NULL, name, (uint32_t)strlen(name), "!exchange_id:flags=%u", flags);
    if (status == 0)
        t->client = v4_number(t, "clientid");
    return status;
}

uint32_t v4_create_session(struct v4_client *t, uint32_t sequence, bool back)
{
    uint32_t n, status = v4_ask(t, NULL,
                                "!create_session:csa_seqid=%u:flags=%u:fmaxreq=1048576:fmaxresp=1048576"
                                ":fmaxcached=4096:fmaxops=16:fmaxreqs=%u:bmaxreqs=1",
                                sequence, back ? 2 : 0, V4_SLOTS);

    if (status == 0) {
        memcpy(t->session, v4_octets(t, "sessionid", &n), sizeof t->session);
        memset(t->sequences, 0, sizeof t->sequences);
    }
    return status;
}

void v4_setclientid(struct v4_client *t, const char *name, uint64_t verifier)
{
    t->verifier = verifier;
    assert_int_equal(v4_ask_with(t, NULL, name, (uint32_t)strlen(name), "!setclientid:netid=tcp:addr=127.0.0.1.8.1"),
                     0);
    t->client = v4_number(t, "clientid");
    t->confirm = nfs_results_hyper(&t->fields, "confirm");
    assert_int_equal(v4_ask(t, NULL, "!setclientid_confirm"), 0);
}

void v4_mount(struct v4_client *t, const char *name, bool back)
{
    if (t->minor == 0) {
        v4_setclientid(t, name, 1);
        return;
    }
    assert_int_equal(v4_exchange_id(t, name, 1, 0), 0);
    assert_int_equal(v4_create_session(t, 1, back), 0);
    assert_int_equal(v4_ask(t, NULL, "reclaim_complete"), 0);
}

/* ---- operations ---- */

void v4_root(struct v4_client *t)
{
    v4_op(t, 24);
}

void v4_lookup(struct v4_client *t, const char *name)
{
    v4_op(t, 15);
    xdr_out_opaque(&t->out, name, (uint32_t)strlen(name));
}

void v4_start_root(struct v4_client *t)
{
    v4_start(t);
    v4_root(t);
}

uint32_t v4_open(struct v4_client *t, const char *owner, const char *name, uint32_t share, uint32_t deny, bool create,
                 struct v4_stateid *stateid)
{
    uint32_t status;

    *stateid = (struct v4_stateid){0}; /* where it fails */
    t->owner = owner;
    status = v4_ask(t, NULL, "/,open:share_access=%u:share_deny=%u:opentype=%u:name=%s", share, deny, create, name);
    if (status != 0)
        return status;
    *stateid = v4_stateid_of(t);
    if (!(v4_number(t, "rflags") & 2))
        return 0;
    status = v4_ask(t, stateid, "/%s,open_confirm", name);
    if (status == 0)
        *stateid = v4_stateid_of(t);
    return status;
}

uint32_t v4_close(struct v4_client *t, const char *name, const struct v4_stateid *stateid)
{
    return v4_ask(t, stateid, "/%s,close", name);
}

uint32_t v4_write(struct v4_client *t, const char *name, const struct v4_stateid *stateid, uint64_t offset,
                  const void *p, uint32_t n)
{
    return v4_ask_with(t, stateid, p, n, "/%s,write:stable=0:offset=%" PRIu64, name, offset);
}

uint32_t v4_read(struct v4_client *t, const char *name, const struct v4_stateid *stateid, uint64_t offset,
                 uint32_t count)
{
    return v4_ask(t, stateid, "/%s,read:offset=%" PRIu64 ":count=%u", name, offset, count);
}
