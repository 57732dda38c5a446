// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/chunks.h"

#include "wire/octets.h"
#include "wire/rpc.h"

static void chunks_add(struct chunk_segments *out, struct rpcrdma_segment segment)
{
    if (segment.length > 0 && out->n < CHUNKS_MAX)
        out->segment[out->n++] = segment;
}

static void chunks_add_all(struct chunk_segments *out, const struct rpcrdma_chunk *chunk, const uint8_t *p)
{
    for (uint32_t i = 0; i < chunk->n; i++)
        chunks_add(out, rpcrdma_segment_at(chunk, p, i));
}

/* RDMA_NOMSG has no RPC message: its lists show what it is. */
static bool is_of_type(const struct rpcrdma_header *header, const uint8_t *p, size_t n, uint32_t type)
{
    if (header->proc == RPCRDMA_NOMSG)
        return (header->read.n > 0) == (type == RPC_CALL);
    return header->proc == RPCRDMA_MSG && n >= header->header_len + 8 && get_be32(p + header->header_len + 4) == type;
}

bool chunks_are_of(uint32_t type, const uint8_t *p, size_t n)
{
    struct rpcrdma_header header;

    return rpcrdma_header_decode(&header, p, n) == RPCRDMA_OK && is_of_type(&header, p, n, type);
}

void chunks_of_call(struct chunk_segments *out, const uint8_t *p, size_t n)
{
    struct rpcrdma_header header;

    out->n = 0;
    if (rpcrdma_header_decode(&header, p, n) != RPCRDMA_OK || !is_of_type(&header, p, n, RPC_CALL))
        return;
    for (uint32_t i = 0; i < header.read.n; i++)
        chunks_add(out, rpcrdma_read_segment_at(&header, p, i).target);
}

void chunks_of_reply(struct chunk_segments *out, const uint8_t *p, size_t n)
{
    struct rpcrdma_header header;
    struct rpcrdma_chunk chunk;

    out->n = 0;
    if (rpcrdma_header_decode(&header, p, n) != RPCRDMA_OK || !is_of_type(&header, p, n, RPC_REPLY))
        return;
    for (chunk = rpcrdma_write_begin(&header); rpcrdma_write_next(&header, p, &chunk);)
        chunks_add_all(out, &chunk, p);
    if (header.has_reply) {
        chunk = rpcrdma_reply_chunk(&header);
        chunks_add_all(out, &chunk, p);
    }
}
