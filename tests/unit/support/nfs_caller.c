// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/nfs_caller.h"

#include "traffic-gen/ends/stack/rpc_header.h"

enum { OP_CB_SEQUENCE = 11, OP_CB_RECALL = 4, CB_HEAD = 20, CB_SLOT = 28 };

static const char *const compounds[] = {"nfs40.compound", "nfs41.compound", "nfs42.compound"};

/* ---- servers and connections ---- */

static int64_t server_now(void *ctx)
{
    return ((struct caller_server *)ctx)->now += 1000;
}

void caller_server_begin(struct caller_server *on)
{
    *on = (struct caller_server){.now = INT64_C(1700000000000000000)};
    on->tree = nfs_tree_new(server_now, on, 16 << 20, 20000);
    on->server = nfs_server_new(
        &(struct nfs_server_options){.tree = on->tree, .now = server_now, .ctx = on, .seed = 7, .acls = true});
}

void caller_server_end(struct caller_server *on)
{
    nfs_server_free(on->server);
    nfs_tree_free(on->tree);
}

static void called(void *ctx, const struct rpc_end_message *message, uint64_t cookie)
{
    struct nfs_caller *t = ctx;

    g_free(t->called.p);
    t->called = *message;
    t->called.p = g_memdup2(message->p, message->n);
    t->cookie = cookie;
    t->calls++;
}

void caller_begin(struct nfs_caller *t, struct caller_server *on, unsigned minor, bool backchannel)
{
    const struct nfs_peer_events events = {.ctx = t, .call = called};

    *t = (struct nfs_caller){.on = on, .minor = minor, .cache = 1, .seqid = 100, .xid = 0x1000 * (minor + 1)};
    t->peer = nfs_peer_new(on->server, backchannel ? &events : NULL);
}

void caller_reconnect(struct nfs_caller *t)
{
    const struct nfs_peer_events events = {.ctx = t, .call = called};

    nfs_peer_free(t->peer);
    t->peer = nfs_peer_new(t->on->server, &events);
}

void caller_end(struct nfs_caller *t)
{
    nfs_peer_free(t->peer);
    nfs_results_clear(&t->fields);
    g_free(t->reply.p);
    g_free(t->called.p);
}

/* ---- a Call and its Reply ---- */

void caller_call(struct nfs_caller *t, uint32_t program, uint32_t version, uint32_t number, struct xdr_out *out)
{
    const struct rpc_message call = {.xid = ++t->xid, .prog = program, .vers = version, .proc = number};

    xdr_out_begin(out);
    rpc_call_header(out, &call, t->uid == UINT32_MAX ? NULL : &(struct rpc_caller){.uid = t->uid, .gid = t->uid});
}

struct walk {
    struct nfs_caller *t;
    unsigned items;
};

static uint64_t walk_item(void *ctx, const struct nfs_item *item)
{
    struct walk *walk = ctx;
    const struct rpc_end_message *reply = &walk->t->reply;

    if (item->eligible && walk->items < RPC_END_ITEMS_MAX) {
        assert_true(walk->items < reply->n_items);
        assert_int_equal(reply->items[walk->items].at, item->position);
        assert_int_equal(reply->items[walk->items].n, item->count);
        walk->items++;
    }
    return xdr_padded(item->count);
}

static void walk_operation(void *ctx, const struct nfs_operation *operation)
{
    const struct walk *walk = ctx;

    assert_true(walk->t->n_ops == 0 || walk->t->status == 0); /* nothing after a failed one */
    walk->t->n_ops = operation->index + 1;
    walk->t->last_op = operation->op;
}

/* The first status is that of the COMPOUND, or of a procedure. */
static void walk_value(void *ctx, const struct nfs_value *value)
{
    const struct walk *walk = ctx;

    if (value->mark == NFS_MARK_STATUS)
        walk->t->status = (uint32_t)value->value;
}

static void walk_roundup(void *ctx, size_t at, uint64_t position)
{
    fail_msg("a roundup that is not zero at %zu", at);
}

/* The walker knows every octet of the results, and the marked items are just those that are DDP-eligible. */
static void walk(struct nfs_caller *t, const struct rpc_message *call)
{
    const struct nfs_procedure *procedure = nfs_procedure_find(call->prog, call->vers, call->proc);
    const size_t at = t->header.header_len;
    struct walk walk = {.t = t};
    const struct nfs_walk_events events = {
        .ctx = &walk, .operation = walk_operation, .item = walk_item, .value = walk_value, .roundup = walk_roundup};
    struct nfs_walk_result result;

    assert_non_null(procedure);
    assert_int_equal(nfs_walk(procedure, true, t->reply.p + at, t->reply.n - at, at, &events, &result), NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    assert_int_equal(walk.items, t->reply.n_items);
    if (procedure->compound) /* whose status is that of its last operation */
        assert_int_equal(get_be32(t->reply.p + at), t->status);
}

uint32_t caller_send(struct nfs_caller *t, struct xdr_out *out)
{
    struct rpc_end_message call;
    struct rpc_message header;

    g_free(t->reply.p);
    t->reply = (struct rpc_end_message){0};
    xdr_out_take(out, &call);
    assert_true(nfs_server_call(t->peer, &call, t->room, &t->reply));
    assert_int_equal(rpc_decode(&header, call.p, call.n), RPC_OK);
    assert_int_equal(rpc_decode(&t->header, t->reply.p, t->reply.n), RPC_OK);
    assert_int_equal(t->header.xid, header.xid);
    assert_int_equal(t->header.reply_stat, RPC_MSG_ACCEPTED);
    g_free(call.p);
    t->n_ops = t->status = 0;
    if (t->header.accept_stat == RPC_SUCCESS) {
        walk(t, &header);
        return t->status;
    }
    assert_int_equal(t->reply.n, t->header.header_len);
    return CALLER_REFUSED + t->header.accept_stat;
}

/* ---- by names ---- */

struct asking {
    struct nfs_caller *t;
    const struct caller_value *values;
    unsigned n, states; /* of the values; stateids that were taken */
    bool unlocks;       /* its seqid is that of the lock-owner */
};

static const struct caller_value *find(const struct asking *asking, const char *name, unsigned nth)
{
    const struct caller_value *found = NULL;

    for (unsigned i = 0; i < asking->n; i++) {
        if (strcmp(asking->values[i].name, name) != 0)
            continue;
        found = &asking->values[i];
        if (nth-- == 0)
            break;
    }
    return found;
}

static bool give_state(struct asking *asking, const char *name, struct nfs_given *given)
{
    static const uint8_t anonymous[CALLER_STATEID];
    const bool is_second = g_str_has_prefix(name, "to");
    const struct caller_value *value = is_second ? find(asking, "to", 0) : find(asking, "state", asking->states);

    if (!nfs_fields_is_stateid(name + (is_second ? 2 : 0), value ? value->given.p : anonymous, given))
        return false;
    asking->states += strcmp(name, "stateid") == 0;
    return true;
}

/* A client's own values; counters are counted up. */
static bool give_own(const struct asking *asking, const char *name, struct nfs_given *given)
{
    struct nfs_caller *t = asking->t;

    if (strcmp(name, "sequenceid") == 0)
        given->value = ++t->slot;
    else if (strcmp(name, "open_seqid") == 0 || (strcmp(name, "seqid") == 0 && !asking->unlocks))
        given->value = t->minor == 0 ? t->seqid++ : 0;
    else if (strcmp(name, "lock_seqid") == 0 || strcmp(name, "seqid") == 0)
        given->value = t->minor == 0 ? t->lock_seqid++ : 0;
    else if (strcmp(name, "cachethis") == 0)
        given->value = t->cache;
    else if (strcmp(name, "clientid") == 0)
        given->value = t->client;
    else if (strcmp(name, "sessionid") == 0)
        *given = (struct nfs_given){.p = t->session, .n = sizeof t->session};
    else if (strcmp(name, "confirm") == 0)
        *given = (struct nfs_given){.p = t->confirm, .n = sizeof t->confirm};
    else
        return false;
    return true;
}

static bool give(void *ctx, unsigned op, const char *name, struct nfs_given *given)
{
    struct asking *asking = ctx;
    const struct caller_value *value = find(asking, name, 0);

    if (!value)
        return give_state(asking, name, given) || give_own(asking, name, given);
    *given = value->given;
    return true;
}

static char *operations(const struct nfs_caller *t, const char *words)
{
    bool plain = *words == '!';
    const char *rest = words + plain, *after = rest + strcspn(rest, ",");
    g_autofree char *name = g_strndup(rest, (size_t)(after - rest));

    return g_strconcat(!plain && t->minor > 0 ? "sequence," : "", *name == '/' ? "putrootfh" : name,
                       *name == '/' && name[1] ? ",lookup:" : "", *name == '/' ? name + 1 : "", after, NULL);
}

static void learn(struct nfs_caller *t)
{
    uint32_t n;

    nfs_results_copy(&t->fields, "confirm", t->confirm, sizeof t->confirm, &n);
    if (nfs_results_last(&t->fields, "eir_seqid") || nfs_results_last(&t->fields, "confirm"))
        t->client = nfs_results_number(&t->fields, "clientid", 0);
    if (nfs_results_last(&t->fields, "csr_seqid")) {
        nfs_results_copy(&t->fields, "sessionid", t->session, sizeof t->session, &n);
        t->slot = 0;
    }
}

uint32_t caller_ask(struct nfs_caller *t, const char *words, const struct caller_value *values, unsigned n)
{
    struct asking asking = {.t = t, .values = values, .n = n, .unlocks = strstr(words, "locku")};
    const size_t length = strcspn(words, ":");
    g_autofree char *name = g_strndup(words, length);
    const struct nfs_template *procedure = nfs_procedure_template(name);
    g_autofree char *said = procedure ? g_strdup(words[length] ? words + length + 1 : "") : operations(t, words);
    const struct nfs_fields fields = {.special = give, .context = &asking, .rows = g_array_new(FALSE, FALSE, 1)};
    struct xdr_out out;
    struct xdr x;
    uint32_t status;

    procedure = procedure ? procedure : nfs_procedure_template(compounds[t->minor]);
    caller_call(t, procedure->program, procedure->version, procedure->number, &out);
    nfs_fields_put(&fields, procedure, said, &out);
    g_array_unref(fields.rows);
    status = caller_send(t, &out);
    if (status >= CALLER_REFUSED && status < CALLER_REFUSED + 100)
        return status;
    x = xdr_begin(t->reply.p, t->reply.n);
    x.at = t->header.header_len;
    nfs_results_clear(&t->fields);
    assert_true(nfs_results_read(&t->fields, procedure, said, &x) || status != 0);
    if (status == 0)
        learn(t);
    return status;
}

/* ---- clients and files ---- */

static struct caller_value text_value(const char *name, const char *text)
{
    return (struct caller_value){name, {.p = text, .n = (uint32_t)strlen(text)}};
}

void caller_mount(struct nfs_caller *t, const char *name, bool backchannel)
{
    const struct caller_value id[] = {text_value("id", name)};
    const char *const steps[2][3] = {{"!setclientid:netid=tcp:addr=127.0.0.1.8.1", "!setclientid_confirm", NULL},
                                     {"!exchange_id:flags=0",
                                      backchannel
                                          ? "!create_session:fmaxops=16:fmaxreqs=8:bmaxreqs=1:fmaxcached=4096"
                                          : "!create_session:flags=0:fmaxops=16:fmaxreqs=8:bmaxreqs=1:fmaxcached=4096",
                                      "reclaim_complete"}};

    for (unsigned i = 0; i < 3 && steps[t->minor > 0][i]; i++)
        assert_int_equal(caller_ask(t, steps[t->minor > 0][i], id, 1), 0);
}

uint32_t caller_open(struct nfs_caller *t, const char *owner, const char *name, uint32_t share, uint32_t deny,
                     bool create)
{
    enum { CONFIRM = 2 };
    const struct caller_value values[] = {text_value("owner", owner), {"mode", {.value = 0644}}};
    g_autofree char *words =
        g_strdup_printf("/,open:share_access=%u:share_deny=%u:opentype=%u:name=%s,getfh", share, deny, create, name);
    uint32_t status = caller_ask(t, words, values, ARRAY_LENGTH(values));
    uint8_t state[CALLER_STATEID], handle[128];
    struct caller_value opened[] = {{"state", {.p = state, .n = sizeof state}}, {"handle", {.p = handle}}};

    if (status != 0 || !(nfs_results_number(&t->fields, "rflags", 0) & CONFIRM))
        return status;
    nfs_results_stateid(&t->fields, state);
    nfs_results_copy(&t->fields, "handle", handle, sizeof handle, &opened[1].given.n);
    return caller_ask(t, "putfh,open_confirm", opened, ARRAY_LENGTH(opened));
}

/* ---- callbacks ---- */

static struct rpc_message read_callback(const struct nfs_caller *t)
{
    const struct nfs_walk_events none = {0};
    const struct nfs_procedure *procedure;
    struct nfs_walk_result result;
    struct rpc_message header;

    assert_int_equal(rpc_decode(&header, t->called.p, t->called.n), RPC_OK);
    assert_int_equal(header.type, RPC_CALL);
    assert_int_equal(header.prog, 0x40000000);
    procedure = nfs_procedure_find(header.prog, header.vers, header.proc);
    assert_non_null(procedure);
    assert_int_equal(
        nfs_walk(procedure, false, t->called.p + header.header_len, t->called.n - header.header_len, 0, &none, &result),
        NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    return header;
}

void caller_answer(struct nfs_caller *t, uint32_t sequence, uint32_t recall)
{
    const struct rpc_message call = read_callback(t);
    const struct rpc_message header = {.xid = call.xid, .type = RPC_REPLY, .reply_stat = RPC_MSG_ACCEPTED};
    struct rpc_end_message reply;
    struct xdr_out out;

    xdr_out_begin(&out);
    rpc_reply_header(&out, &header);
    if (call.proc == 1) {
        xdr_out_words(&out, sequence ? sequence : recall, 0, sequence ? 1 : 2, OP_CB_SEQUENCE, sequence);
        if (sequence == 0) {
            xdr_out_fixed(&out, t->called.p + call.header_len + CB_HEAD,
                          CB_SLOT); /* session, sequence, slot, highest */
            xdr_out_words(&out, 0, OP_CB_RECALL, recall);
        }
    }
    xdr_out_take(&out, &reply);
    nfs_peer_replied(t->peer, t->cookie, &reply);
    g_free(reply.p);
}

uint32_t caller_called_sequence(const struct nfs_caller *t)
{
    const struct rpc_message call = read_callback(t);

    return call.proc == 1 ? get_be32(t->called.p + call.header_len + CB_HEAD + 16) : 0;
}
