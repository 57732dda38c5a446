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

/* What is known about a message that is being walked: chunks with octets remove file data from it, in their order. */
struct data_search {
    unsigned chunks; /* the remaining ones */
    bool removed;    /* data were in a chunk */
    size_t first_at; /* where, for the first */
    bool found;      /* data are in the message, at: */
    size_t at;
};

static uint64_t on_item(void *ctx, const struct nfs_item *item)
{
    struct data_search *search = ctx;

    if ((item->mark != NFS_MARK_DATA && !item->eligible) || search->found)
        return xdr_padded(item->count);
    if (search->chunks == 0) {
        search->found = true;
        search->at = item->at;
        return xdr_padded(item->count);
    }
    search->chunks--;
    if (!search->removed)
        search->first_at = item->at;
    search->removed = true;
    return 0;
}

/* The number of octets of p[0..n), arguments or results, before file data. */
static size_t before_data(const struct nfs_procedure *procedure, bool reply, const uint8_t *p, size_t n,
                          unsigned chunks)
{
    struct data_search search = {.chunks = chunks};
    const struct nfs_walk_events events = {.ctx = &search, .item = on_item};
    struct nfs_walk_result result;
    enum nfs_walk_status status = nfs_walk(procedure, reply, p, n, 0, &events, &result);

    if (status != NFS_WALK_OK && search.removed) /* perhaps they were not in a chunk after all */
        return MIN(search.first_at, n);
    if (search.found)
        return MIN(search.at, n);
    return MIN(result.at, n);
}

/* Chunks that have octets. */
static unsigned chunks_used(const struct rpcrdma_header *header, const uint8_t *p, bool reply)
{
    struct rpcrdma_chunk chunk;
    unsigned used = 0;

    if (!reply)
        return header->read.n > 0;
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
    return rest + before_data(procedure, rpc.type == RPC_REPLY, p + rest, n - rest,
                              chunks_used(&header, p, rpc.type == RPC_REPLY));
}
