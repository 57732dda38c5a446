// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/nfs_client.h"

static int64_t client_now(void *ctx)
{
    struct nfs_client *client = ctx;

    return client->clock_ns += 1000;
}

void client_begin(struct nfs_client *client)
{
    struct nfs_server_options options = {.seed = 7, .now = client_now, .ctx = client};

    *client = (struct nfs_client){.clock_ns = INT64_C(1700000000000000000)};
    options.tree = client->tree = nfs_tree_new(client_now, client, 64 << 20, 20000);
    client->server = nfs_server_new(&options);
    client->peer = nfs_peer_new(client->server, NULL);
}

void client_end(struct nfs_client *client)
{
    nfs_peer_free(client->peer);
    nfs_server_free(client->server);
    nfs_tree_free(client->tree);
    nfs_results_clear(&client->fields);
    g_free(client->reply.p);
}

struct xdr_out *client_call(struct nfs_client *client, uint32_t program, uint32_t version, uint32_t number)
{
    const uint32_t words[] = {++client->xid, RPC_CALL, RPC_VERSION, program, version, number};
    struct xdr_out *out = &client->call;

    xdr_out_begin(out);
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        xdr_out_u32(out, words[i]);
    if (client->uid == UINT32_MAX) {
        xdr_out_u64(out, 0);
    } else {
        xdr_out_u32(out, RPC_AUTH_SYS);
        xdr_out_u32(out, 28);
        xdr_out_u32(out, 0); /* stamp */
        xdr_out_opaque(out, "test", 4);
        xdr_out_u32(out, client->uid);
        xdr_out_u32(out, client->uid);
        xdr_out_u32(out, 1);
        xdr_out_u32(out, client->uid);
    }
    xdr_out_u64(out, 0); /* verifier */
    return out;
}

struct client_walk {
    const struct nfs_client *client;
    unsigned items;
};

static uint64_t client_item(void *ctx, const struct nfs_item *item)
{
    struct client_walk *walk = ctx;
    const struct rpc_end_message *reply = &walk->client->reply;

    if (item->eligible && walk->items < RPC_END_ITEMS_MAX) {
        assert_true(walk->items < reply->n_items);
        assert_int_equal(reply->items[walk->items].at, item->position);
        assert_int_equal(reply->items[walk->items].n, item->count);
        walk->items++;
    }
    return xdr_padded(item->count);
}

static void client_roundup(void *ctx, size_t at, uint64_t position)
{
    assert_true(false);
}

/* The walker knows every octet of the results, and the marked items are just those that are DDP-eligible. */
static void client_walk(struct nfs_client *client, uint32_t program, uint32_t version, uint32_t number)
{
    const struct nfs_procedure *procedure = nfs_procedure_find(program, version, number);
    struct client_walk walk = {.client = client};
    const struct nfs_walk_events events = {.ctx = &walk, .item = client_item, .roundup = client_roundup};
    struct nfs_walk_result result;
    size_t at = client->header.header_len;

    assert_non_null(procedure);
    assert_int_equal(nfs_walk(procedure, true, client->reply.p + at, client->reply.n - at, at, &events, &result),
                     NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    assert_int_equal(walk.items, client->reply.n_items);
}

uint32_t client_send(struct nfs_client *client)
{
    struct rpc_end_message call;
    struct rpc_message header;

    g_free(client->reply.p);
    xdr_out_take(&client->call, &call);
    assert_true(nfs_server_call(client->peer, &call, client->room, &client->reply));
    assert_int_equal(rpc_decode(&header, call.p, call.n), RPC_OK);
    assert_int_equal(rpc_decode(&client->header, client->reply.p, client->reply.n), RPC_OK);
    assert_int_equal(client->header.xid, header.xid);
    assert_int_equal(client->header.reply_stat, RPC_MSG_ACCEPTED);
    if (client->header.accept_stat == RPC_SUCCESS)
        client_walk(client, header.prog, header.vers, header.proc);
    else
        assert_int_equal(client->reply.n, client->header.header_len);
    client->results = xdr_begin(client->reply.p, client->reply.n);
    client->results.at = client->header.header_len;
    g_free(call.p);
    return client->header.accept_stat;
}

uint32_t client_ask(struct nfs_client *client, const char *procedure, const void *handle, const char *format, ...)
{
    const struct nfs_template *template = nfs_procedure_template(procedure);
    const uint32_t n_handle = g_str_has_prefix(procedure, "nfs2.") ? 32 : 16;
    g_autofree char *words = NULL;
    struct nfs_fields fields;
    va_list args;

    va_start(args, format);
    words = g_strdup_vprintf(format, args);
    va_end(args);
    nfs_fields_init(&fields);
    nfs_fields_octets(&fields, "handle", handle, n_handle);
    nfs_fields_octets(&fields, "tohandle", client->to, n_handle);
    nfs_fields_octets(&fields, "data", client->data, client->n_data);
    nfs_fields_octets(&fields, "link", client->data, client->n_data);
    nfs_fields_hyper(&fields, "createverf", client->verifier);
    nfs_fields_hyper(&fields, "cookieverf", client->verifier);
    nfs_fields_put(&fields, template, words,
                   client_call(client, template->program, template->version, template->number));
    nfs_fields_clear(&fields);
    assert_int_equal(client_send(client), RPC_SUCCESS);
    nfs_results_clear(&client->fields);
    assert_true(nfs_results_read(&client->fields, template, words, &client->results));
    return (uint32_t)nfs_results_number(&client->fields, "status", 0);
}

uint64_t client_number(const struct nfs_client *client, const char *name)
{
    assert_non_null(nfs_results_last(&client->fields, name));
    return nfs_results_number(&client->fields, name, 0);
}

const uint8_t *client_octets(const struct nfs_client *client, const char *name, uint32_t *n)
{
    const uint8_t *p = nfs_results_octets(&client->fields, name, n);

    assert_non_null(p);
    return p;
}

unsigned client_count(const struct nfs_client *client, const char *name)
{
    unsigned n = 0;

    for (guint i = 0; i < client->fields.body.fields->len; i++)
        n += strcmp(g_array_index(client->fields.body.fields, struct nfs_field, i).name, name) == 0;
    return n;
}
