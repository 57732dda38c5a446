// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stack's NFS server under any Calls: the input is a series of Calls on one connection, each after its length (two
 * octets); a node's handle replaces "fh" and an octet at a word. Each Reply has a header that can be decoded, and
 * results that the walker knows to their end. Replies among the messages answer the last callback, which the walker
 * must know.
 */
#include "tests/fuzz/fuzz.h"
#include "traffic-gen/ends/nfs/server/nfs_server.h"
#include "wire/nfs.h"

enum { CALLS_MAX = 64, CALL_OCTETS_MAX = 4096, HANDLE = 16, MAGIC = 0x66680000 };

struct look {
    const struct rpc_end_message *reply;
    unsigned items;
};

static int64_t now(void *ctx)
{
    int64_t *clock_ns = ctx;

    return *clock_ns += 1000000;
}

static uint64_t item(void *ctx, const struct nfs_item *i)
{
    struct look *look = ctx;

    if (i->eligible && look->items < RPC_END_ITEMS_MAX) {
        HOLDS(look->items < look->reply->n_items);
        HOLDS(look->reply->items[look->items].at == i->position && look->reply->items[look->items].n == i->count);
        look->items++;
    }
    return xdr_padded(i->count);
}

static void check(const struct rpc_message *call, const struct rpc_end_message *reply)
{
    struct look look = {reply, 0};
    const struct nfs_walk_events events = {.ctx = &look, .item = item};
    const struct nfs_procedure *procedure = nfs_procedure_find(call->prog, call->vers, call->proc);
    struct nfs_walk_result result;
    struct rpc_message header;

    HOLDS(rpc_decode(&header, reply->p, reply->n) == RPC_OK && header.type == RPC_REPLY && header.xid == call->xid);
    if (header.reply_stat != RPC_MSG_ACCEPTED || header.accept_stat != RPC_SUCCESS) {
        HOLDS(reply->n == header.header_len && reply->n_items == 0);
        return;
    }
    HOLDS(procedure);
    HOLDS(nfs_walk(procedure, true, reply->p + header.header_len, reply->n - header.header_len, header.header_len,
                   &events, &result) == NFS_WALK_OK);
    HOLDS(result.left == 0 && look.items == reply->n_items);
}

static void called_back(void *ctx, const struct rpc_end_message *call, uint64_t cookie)
{
    const struct nfs_walk_events none = {0};
    struct nfs_walk_result result;
    struct rpc_message header;

    HOLDS(rpc_decode(&header, call->p, call->n) == RPC_OK && header.type == RPC_CALL && call->n_items == 0);
    /* The client chooses the program, which the walker may not know. */
    if (nfs_procedure_find(header.prog, header.vers, header.proc) && header.prog >= NFS_PROGRAM_CALLBACK_FIRST) {
        HOLDS(nfs_walk(nfs_procedure_find(header.prog, header.vers, header.proc), false, call->p + header.header_len,
                       call->n - header.header_len, header.header_len, &none, &result) == NFS_WALK_OK);
        HOLDS(result.left == 0);
    }
    *(uint64_t *)ctx = cookie;
}

/* A handle of this server, as from its MOUNT, with another node's number. */
static void make_handle(struct nfs_peer *peer, uint8_t out[HANDLE])
{
    uint8_t octets[48] = {
        [7] = 0, [11] = 2, [13] = 1, [14] = 0x86, [15] = 0xa5, [19] = 3, [23] = 1, [43] = 1, [44] = '/'};
    const struct rpc_end_message call = {.p = octets, .n = sizeof octets};
    struct rpc_end_message reply;

    HOLDS(nfs_server_call(peer, &call, 0, &reply) && reply.n > 32 + HANDLE);
    memcpy(out, reply.p + 32, HANDLE);
    g_free(reply.p);
}

static void put_handles(uint8_t *p, size_t n, const uint8_t handle[HANDLE])
{
    for (size_t at = 0; at + 4 + HANDLE <= n; at += 4)
        if ((get_be32(p + at) & 0xffffff00) == MAGIC) {
            uint8_t node = p[at + 3];

            memcpy(p + at, handle, HANDLE);
            p[at + HANDLE - 1] = node;
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t clock_ns = 1000000000;
    struct nfs_tree *tree = nfs_tree_new(now, &clock_ns, 1 << 20, 64);
    struct nfs_server_options options = {.tree = tree, .seed = 1, .now = now, .ctx = &clock_ns, .acls = true};
    struct nfs_server *server = nfs_server_new(&options);
    uint64_t cookie = 0;
    const struct nfs_peer_events events = {.ctx = &cookie, .call = called_back};
    struct nfs_peer *peer = nfs_peer_new(server, &events);
    uint8_t octets[CALL_OCTETS_MAX], handle[HANDLE];

    make_handle(peer, handle);
    for (unsigned i = 0; i < CALLS_MAX && size >= 2; i++) {
        size_t room = data[0] & 0x80 ? 256 : 0, n = get_be16(data) & 0xfff;
        struct rpc_end_message call = {.p = octets}, reply = {0};
        struct rpc_message header;

        data += 2;
        size -= 2;
        call.n = n < size ? n : size;
        memcpy(octets, data, call.n);
        put_handles(octets, call.n, handle);
        data += call.n;
        size -= call.n;
        if (rpc_decode(&header, octets, call.n) == RPC_OK && header.type == RPC_REPLY) {
            nfs_peer_replied(peer, cookie, call.n % 8 ? &call : NULL);
            continue;
        }
        if (nfs_server_call(peer, &call, room, &reply)) {
            check(&header, &reply);
            g_free(reply.p);
        }
    }
    nfs_peer_free(peer);
    nfs_server_free(server);
    nfs_tree_free(tree);
    return 0;
}
