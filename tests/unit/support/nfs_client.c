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

uint32_t client_u32(struct nfs_client *client)
{
    uint32_t v = 0;

    assert_true(xdr_u32(&client->results, &v));
    return v;
}

uint64_t client_u64(struct nfs_client *client)
{
    uint64_t v = 0;

    assert_true(xdr_u64(&client->results, &v));
    return v;
}
