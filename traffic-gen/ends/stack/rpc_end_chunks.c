// SPDX-License-Identifier: GPL-2.0-or-later
/* Chunks: memory offered in segments (RFC 8166 section 3.4), and messages without their items. */
#include "traffic-gen/ends/stack/rpc_end_internal.h"

#include <string.h>

enum { TO_ALIGNMENT = 4096 };

void rpc_chunk_offer(struct rpc_end *end, struct rpc_chunk *chunk, unsigned segments, unsigned rights)
{
    size_t at = 0;

    chunk->n_segments = (uint32_t)CLAMP(segments, 1, MAX(chunk->n, 1));
    chunk->segments = g_new(struct rpcrdma_segment, chunk->n_segments);
    for (uint32_t i = 0; i < chunk->n_segments; i++) {
        size_t end_at = chunk->n / chunk->n_segments * (i + 1);
        /* Looks like an address: a random page, and an offset in the page. */
        uint64_t to = random_below(&end->random, UINT64_C(1) << 36) * TO_ALIGNMENT + at % TO_ALIGNMENT;

        if (i + 1 == chunk->n_segments)
            end_at = chunk->n;
        chunk->segments[i] = (struct rpcrdma_segment){
            /* RFC 8797 section 4.1: an end that sets R only offers STags that can be invalidated. */
            .handle = memory_register(end->memory, chunk->octets + at, end_at - at, to, rights,
                                      end->options.remote_invalidation),
            .length = (uint32_t)(end_at - at),
        };
        chunk->segments[i].offset = memory_base(end->memory, chunk->segments[i].handle);
        at = end_at;
    }
}

void rpc_chunk_withdraw(struct rpc_end *end, struct rpc_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->n_segments; i++)
        memory_invalidate(end->memory, chunk->segments[i].handle);
    g_free(chunk->segments);
    chunk->segments = NULL;
    chunk->n_segments = 0;
}

size_t rpc_read_list_size(uint32_t segments)
{
    return (size_t)segments * (sizeof(uint32_t) + RPCRDMA_READ_SEGMENT_LEN);
}

size_t rpc_write_chunk_size(uint32_t segments)
{
    return 2 * sizeof(uint32_t) + (size_t)segments * RPCRDMA_SEGMENT_LEN;
}

void rpc_message_check_items(struct rpc_end_message *message)
{
    size_t at = 0;

    for (unsigned i = 0; i < message->n_items; i++) {
        const struct rpc_end_item *item = &message->items[i];

        if (item->at < at || item->at > message->n || xdr_padded(item->n) > message->n - item->at) {
            message->n_items = i;
            return;
        }
        at = item->at + xdr_padded(item->n);
    }
}

size_t rpc_message_reduced_size(const struct rpc_end_message *message, const bool *taken)
{
    size_t n = message->n;

    for (unsigned i = 0; i < message->n_items; i++)
        n -= taken[i] ? xdr_padded(message->items[i].n) : 0;
    return n;
}

/* Section 3.4.4.4: the roundup moves with its item. */
void rpc_message_reduce(const struct rpc_end_message *message, const bool *taken, uint8_t *out)
{
    size_t at = 0;

    for (unsigned i = 0; i < message->n_items; i++) {
        const struct rpc_end_item *item = &message->items[i];

        if (!taken[i])
            continue;
        memcpy(out, message->p + at, item->at - at);
        out += item->at - at;
        at = item->at + xdr_padded(item->n);
    }
    memcpy(out, message->p + at, message->n - at);
}
