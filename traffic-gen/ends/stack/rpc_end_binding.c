// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The upper-layer binding of NFS (RFC 8267), by the walker of wire/nfs.h: where eligible items are, whether the peer
 * may reduce an item, and where in a Reply the contents of Write chunks belong.
 */
#include "traffic-gen/ends/stack/rpc_end_internal.h"

#include <string.h>

/* ---- items of a whole message ---- */

static uint64_t binding_note_item(void *ctx, const struct nfs_item *item)
{
    struct rpc_end_message *message = ctx;

    if (item->eligible && message->n_items < RPC_END_ITEMS_MAX && item->position + item->count <= message->n)
        message->items[message->n_items++] = (struct rpc_end_item){.at = item->position, .n = item->count};
    return xdr_padded(item->count);
}

static bool find_items(struct rpc_end_message *message, const struct rpc_message *call, bool is_reply)
{
    const struct nfs_procedure *procedure = nfs_procedure_find(call->prog, call->vers, call->proc);
    const struct nfs_walk_events events = {.ctx = message, .item = binding_note_item};
    struct nfs_walk_result result;
    struct rpc_message header;

    message->n_items = 0;
    if (!procedure || rpc_gss_protects(call) || rpc_decode(&header, message->p, message->n) != RPC_OK ||
        header.type != (is_reply ? RPC_REPLY : RPC_CALL))
        return false;
    if (is_reply && (header.reply_stat != RPC_MSG_ACCEPTED || header.accept_stat != RPC_SUCCESS))
        return true;
    if (nfs_walk(procedure, is_reply, message->p + header.header_len, message->n - header.header_len, header.header_len,
                 &events, &result) == NFS_WALK_OK)
        return true;
    message->n_items = 0;
    return false;
}

bool rpc_end_find_items(struct rpc_end_message *message, const struct rpc_end_message *call)
{
    const struct rpc_end_message *asks = call ? call : message;
    struct rpc_message header;

    message->n_items = 0;
    return rpc_decode(&header, asks->p, asks->n) == RPC_OK && header.type == RPC_CALL &&
           find_items(message, &header, call != NULL);
}

/* ---- Calls ---- */

bool rpc_binding_allows(const struct rpc_end_message *call, const struct rpc_message *header)
{
    struct rpc_end_message eligible = *call;

    if (call->n_items == 0 || !nfs_procedure_find(header->prog, header->vers, header->proc))
        return true;
    if (!find_items(&eligible, header, false))
        return false;
    for (unsigned i = 0, k = 0; i < call->n_items; i++) {
        while (k < eligible.n_items && eligible.items[k].at < call->items[i].at)
            k++;
        if (k == eligible.n_items || eligible.items[k].at != call->items[i].at ||
            xdr_padded(eligible.items[k].n) != xdr_padded(call->items[i].n))
            return false;
    }
    return true;
}

/* ---- Replies ---- */

struct placement {
    size_t at;
    unsigned chunk;
    uint32_t n;
};

struct placing {
    const struct rpc_returned *returned;
    unsigned n_returned;
    bool compound, is_long;
    unsigned read_class; /* number of READ-class operations so far: RFC 8267 section 6.4.1 */
    unsigned n;
    struct placement placements[RPC_END_ITEMS_MAX];
    bool used[RPC_END_ITEMS_MAX];
    bool bad;
};

static void place_operation(void *ctx, const struct nfs_operation *operation)
{
    struct placing *placing = ctx;

    placing->read_class += nfs_op_read_class(operation->op);
}

static uint64_t binding_place_item(void *ctx, const struct nfs_item *item)
{
    struct placing *placing = ctx;
    unsigned k = placing->compound ? placing->read_class - 1 : 0;
    const struct rpc_returned *chunk;

    if (!item->eligible || item->count == 0 || k >= placing->n_returned || placing->used[k])
        return xdr_padded(item->count);
    chunk = &placing->returned[k];
    if (chunk->n == 0) {
        placing->bad |= chunk->offered && !placing->is_long; /* this result had to go into the chunk */
        return xdr_padded(item->count);
    }
    placing->bad |= chunk->n != item->count;
    placing->used[k] = true;
    placing->placements[placing->n++] = (struct placement){.at = item->at, .chunk = k, .n = item->count};
    return 0;
}

static bool binding_place(const struct rpc_call *call, const struct rpc_message *header, const uint8_t *p, size_t n,
                          struct placing *placing)
{
    const struct nfs_walk_events events = {.ctx = placing, .operation = place_operation, .item = binding_place_item};
    struct nfs_walk_result result;

    if (header->status == RPC_OK && header->reply_stat == RPC_MSG_ACCEPTED && header->accept_stat == RPC_SUCCESS &&
        call->procedure && !call->is_protected)
        nfs_walk(call->procedure, true, p + header->header_len, n - header->header_len, header->header_len, &events,
                 &result);
    for (unsigned k = 0; k < placing->n_returned; k++)
        placing->bad |= placing->returned[k].n > 0 && !placing->used[k];
    return !placing->bad;
}

bool rpc_binding_rebuild(const struct rpc_call *call, const uint8_t *p, size_t n, bool is_long,
                         const struct rpc_returned *returned, unsigned n_returned,
                         void (*fill)(void *ctx, unsigned k, GByteArray *to), void *ctx, struct rpc_end_message *out)
{
    static const uint8_t roundup[3];
    struct placing placing = {
        .returned = returned,
        .n_returned = n_returned,
        .compound = call->procedure && call->procedure->compound,
        .is_long = is_long,
    };
    struct rpc_message header;
    GByteArray *whole;
    size_t done = 0;

    rpc_decode(&header, p, n);
    if (!binding_place(call, &header, p, n, &placing))
        return false;
    whole = g_byte_array_new();
    for (unsigned i = 0; i < placing.n; i++) {
        const struct placement *placement = &placing.placements[i];
        size_t at = header.header_len + placement->at;

        g_byte_array_append(whole, p + done, (guint)(at - done));
        fill(ctx, placement->chunk, whole);
        g_byte_array_append(whole, roundup, xdr_roundup(placement->n));
        done = at;
    }
    g_byte_array_append(whole, p + done, (guint)(n - done));
    *out = (struct rpc_end_message){.n = whole->len};
    out->p = g_byte_array_free(whole, FALSE);
    rpc_end_find_items(out, &call->message);
    return true;
}
