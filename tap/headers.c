// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/headers.h"

#include "wire/nfs.h"
#include "wire/rpcrdma.h"

#include <glib.h>
#include <string.h>

enum { CALLS_MAX = 1024 }; /* remembered per side; a power of two */

struct known_call {
    uint32_t xid;
    const struct nfs_procedure *procedure; /* NULL: not NFS, or protected */
};

struct headers {
    struct known_call call[2]
                          [CALLS_MAX]; /* by sender, a hash table without chains: a newer Call replaces an older one */
};

struct headers *headers_new(void)
{
    return g_new0(struct headers, 1);
}

void headers_free(struct headers *headers)
{
    g_free(headers);
}

static struct known_call *call_place(struct headers *headers, unsigned side, uint32_t xid)
{
    return &headers->call[side][(xid * 0x9E3779B1u >> 16) & (CALLS_MAX - 1)];
}

/* A message that is being walked. Chunks remove file data from it: of a Call by position, of a Reply in their order. */
struct data_search {
    const struct rpcrdma_header *header;
    const uint8_t *send;
    bool reply;
    unsigned chunks; /* of a Reply: the remaining ones */
    bool removed;    /* data were in a chunk */
    size_t first_at; /* where, for the first */
    bool found;      /* data are in the message, at: */
    size_t at;
};

static bool is_in_chunk(struct data_search *search, const struct nfs_item *item)
{
    if (search->reply)
        return search->chunks > 0 && search->chunks-- > 0;
    for (uint32_t i = 0; i < search->header->read.n; i++)
        if (rpcrdma_read_segment_at(search->header, search->send, i).position == item->position)
            return true;
    return false;
}

static uint64_t on_item(void *ctx, const struct nfs_item *item)
{
    struct data_search *search = ctx;

    if ((item->mark != NFS_MARK_DATA && item->mark != NFS_MARK_CONTENT && !item->eligible) || search->found)
        return xdr_padded(item->count);
    if (item->mark == NFS_MARK_CONTENT || !is_in_chunk(search, item)) {
        search->found = true;
        search->at = item->at;
        return xdr_padded(item->count);
    }
    if (!search->removed)
        search->first_at = item->at;
    search->removed = true;
    return 0;
}

/* The number of octets of p[0..n), arguments or results at that position of the message, before file data. */
static size_t before_data(const struct nfs_procedure *procedure, struct data_search *search, const uint8_t *p, size_t n,
                          uint32_t position)
{
    const struct nfs_walk_events events = {.ctx = search, .item = on_item};
    struct nfs_walk_result result;
    enum nfs_walk_status status = nfs_walk(procedure, search->reply, p, n, position, &events, &result);

    if (status != NFS_WALK_OK && search->removed) /* perhaps they were not in a chunk after all */
        return MIN(search->first_at, n);
    if (search->found)
        return MIN(search->at, n);
    return MIN(result.at, n);
}

/* A Reply's Write chunks that have octets. */
static unsigned chunks_used(const struct rpcrdma_header *header, const uint8_t *p)
{
    struct rpcrdma_chunk chunk;
    unsigned used = 0;

    for (chunk = rpcrdma_write_begin(header); rpcrdma_write_next(header, p, &chunk);) {
        uint64_t length = 0;

        for (uint32_t i = 0; i < chunk.n; i++)
            length += rpcrdma_segment_at(&chunk, p, i).length;
        if (length == 0)
            break; /* its data are in the message, and so may be the data of later chunks */
        used++;
    }
    return used;
}

size_t headers_length(struct headers *headers, bool by_server, const uint8_t *p, size_t n)
{
    const struct nfs_procedure *procedure = NULL;
    struct rpcrdma_header header;
    struct data_search search;
    struct rpc_message rpc;
    size_t rest;

    if (rpcrdma_header_decode(&header, p, n) != RPCRDMA_OK)
        return MIN(n, (size_t)RPCRDMA_HEADER_MIN);
    if (header.proc == RPCRDMA_NOMSG || header.proc == RPCRDMA_ERROR || header.proc == RPCRDMA_DONE)
        return header.header_len;
    if (rpc_decode(&rpc, p + header.header_len, n - header.header_len) != RPC_OK)
        return MIN(n, (size_t)header.header_len + RPC_REPLY_MIN);
    if (rpc.type == RPC_CALL) {
        if (!rpc_gss_protects(&rpc))
            procedure = nfs_procedure_find(rpc.prog, rpc.vers, rpc.proc);
        *call_place(headers, by_server, rpc.xid) = (struct known_call){rpc.xid, procedure};
    } else {
        const struct known_call *call = call_place(headers, !by_server, rpc.xid);

        procedure = call->xid == rpc.xid && rpc.reply_stat == RPC_MSG_ACCEPTED && rpc.accept_stat == RPC_SUCCESS
                        ? call->procedure
                        : NULL;
    }
    rest = header.header_len + rpc.header_len;
    if (!procedure || rest > n)
        return MIN(rest, n);
    search = (struct data_search){
        .header = &header, .send = p, .reply = rpc.type == RPC_REPLY, .chunks = chunks_used(&header, p)};
    return rest + before_data(procedure, &search, p + rest, n - rest, rpc.header_len);
}
