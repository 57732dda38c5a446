/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A client's side of the NFS server's tests: Calls in, Replies out, each Reply walked to its end. */
#ifndef IWARP_TESTS_UNIT_NFS_TALK_H
#define IWARP_TESTS_UNIT_NFS_TALK_H

#include "tests/unit/support.h"
#include "traffic-gen/nfs/nfs_server.h"
#include "traffic-gen/stack/xdr_out.h"
#include "wire/nfs.h"

struct nfs_talk {
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct nfs_peer *peer;
    int64_t clock_ns;
    uint32_t xid, uid; /* uid: of the caller; UINT32_MAX: AUTH_NONE */
    size_t room;
    struct xdr_out call;
    struct rpc_end_message reply;
    struct rpc_message header;
    struct xdr results;
};

static inline int64_t nfs_talk_now(void *ctx)
{
    struct nfs_talk *talk = ctx;

    return talk->clock_ns += 1000;
}

static inline void nfs_talk_begin(struct nfs_talk *talk)
{
    struct nfs_server_options options = {.seed = 7, .now = nfs_talk_now, .ctx = talk};

    *talk = (struct nfs_talk){.clock_ns = INT64_C(1700000000000000000)};
    options.tree = talk->tree = nfs_tree_new(nfs_talk_now, talk, 64 << 20, 20000);
    talk->server = nfs_server_new(&options);
    talk->peer = nfs_peer_new(talk->server, NULL);
}

static inline void nfs_talk_end(struct nfs_talk *talk)
{
    nfs_peer_free(talk->peer);
    nfs_server_free(talk->server);
    nfs_tree_free(talk->tree);
    g_free(talk->reply.p);
}

/* Begins a Call; the arguments are written to the stream that it gives. */
static inline struct xdr_out *nfs_talk_call(struct nfs_talk *talk, uint32_t program, uint32_t version, uint32_t number)
{
    const uint32_t words[] = {++talk->xid, RPC_CALL, RPC_VERSION, program, version, number};
    struct xdr_out *out = &talk->call;

    xdr_out_begin(out);
    for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
        xdr_out_u32(out, words[i]);
    if (talk->uid == UINT32_MAX) {
        xdr_out_u64(out, 0);
    } else {
        xdr_out_u32(out, RPC_AUTH_SYS);
        xdr_out_u32(out, 28);
        xdr_out_u32(out, 0); /* stamp */
        xdr_out_opaque(out, "test", 4);
        xdr_out_u32(out, talk->uid);
        xdr_out_u32(out, talk->uid);
        xdr_out_u32(out, 1);
        xdr_out_u32(out, talk->uid);
    }
    xdr_out_u64(out, 0); /* verifier */
    return out;
}

struct nfs_talk_walk {
    const struct nfs_talk *talk;
    unsigned items;
};

static inline uint64_t nfs_talk_item(void *ctx, const struct nfs_item *item)
{
    struct nfs_talk_walk *walk = ctx;
    const struct rpc_end_message *reply = &walk->talk->reply;

    if (item->eligible && walk->items < RPC_END_ITEMS_MAX) {
        assert_true(walk->items < reply->n_items);
        assert_int_equal(reply->items[walk->items].at, item->position);
        assert_int_equal(reply->items[walk->items].n, item->count);
        walk->items++;
    }
    return xdr_padded(item->count);
}

static inline void nfs_talk_roundup(void *ctx, size_t at, uint64_t position)
{
    (void)ctx;
    (void)at;
    (void)position;
    assert_true(false);
}

/* The walker knows every octet of the results, and the marked items are just those that are DDP-eligible. */
static inline void nfs_talk_walk(struct nfs_talk *talk, uint32_t program, uint32_t version, uint32_t number)
{
    const struct nfs_procedure *procedure = nfs_procedure_find(program, version, number);
    struct nfs_talk_walk walk = {.talk = talk};
    const struct nfs_walk_events events = {.ctx = &walk, .item = nfs_talk_item, .roundup = nfs_talk_roundup};
    struct nfs_walk_result result;
    size_t at = talk->header.header_len;

    assert_non_null(procedure);
    assert_int_equal(nfs_walk(procedure, true, talk->reply.p + at, talk->reply.n - at, at, &events, &result),
                     NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    assert_int_equal(walk.items, talk->reply.n_items);
}

/* Sends what nfs_talk_call() began. The accept_stat of the answer, results at hand. */
static inline uint32_t nfs_talk_send(struct nfs_talk *talk)
{
    struct rpc_end_message call;
    struct rpc_message header;

    g_free(talk->reply.p);
    xdr_out_take(&talk->call, &call);
    assert_true(nfs_server_call(talk->peer, &call, talk->room, &talk->reply));
    assert_int_equal(rpc_decode(&header, call.p, call.n), RPC_OK);
    assert_int_equal(rpc_decode(&talk->header, talk->reply.p, talk->reply.n), RPC_OK);
    assert_int_equal(talk->header.xid, header.xid);
    assert_int_equal(talk->header.reply_stat, RPC_MSG_ACCEPTED);
    if (talk->header.accept_stat == RPC_SUCCESS)
        nfs_talk_walk(talk, header.prog, header.vers, header.proc);
    else
        assert_int_equal(talk->reply.n, talk->header.header_len);
    talk->results = xdr_begin(talk->reply.p, talk->reply.n);
    talk->results.at = talk->header.header_len;
    g_free(call.p);
    return talk->header.accept_stat;
}

static inline uint32_t nfs_talk_u32(struct nfs_talk *talk)
{
    uint32_t v = 0;

    assert_true(xdr_u32(&talk->results, &v));
    return v;
}

static inline uint64_t nfs_talk_u64(struct nfs_talk *talk)
{
    uint64_t v = 0;

    assert_true(xdr_u64(&talk->results, &v));
    return v;
}

#endif
