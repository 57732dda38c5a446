// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A Send: Transport header and, in an RDMA_MSG, the RPC header. Reported octets are readable and inside the Send, and
 * decoded headers are encoded to the same octets.
 */
#include "tests/fuzz/fuzz.h"
#include "wire/rpc.h"
#include "wire/rpcrdma.h"

enum { BACK_SIZE = 1 << 20, SEGMENTS_MAX = BACK_SIZE / RPCRDMA_SEGMENT_LEN, CHUNKS_MAX = BACK_SIZE / 8 };

/* The accessors' values of a header, as a plan to write it again. */
static struct rpcrdma_read_segment reads[SEGMENTS_MAX];
static struct rpcrdma_segment segments[SEGMENTS_MAX];
static struct rpcrdma_write_plan writes[CHUNKS_MAX], reply;
static uint8_t back[BACK_SIZE];

static uint32_t take_segments(const struct rpcrdma_chunk *chunk, const uint8_t *p, uint32_t used)
{
    HOLDS(chunk->n <= SEGMENTS_MAX - used);
    for (uint32_t i = 0; i < chunk->n; i++)
        segments[used++] = rpcrdma_segment_at(chunk, p, i);
    return used;
}

static void take_lists(const struct rpcrdma_header *header, const uint8_t *p, struct rpcrdma_plan *plan)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(header);
    uint32_t used = 0;

    for (uint32_t i = 0; i < header->read.n; i++)
        reads[plan->n_reads++] = rpcrdma_read_segment_at(header, p, i);
    while (rpcrdma_write_next(header, p, &chunk)) {
        HOLDS(plan->n_writes < header->write.n && chunk.next <= header->write.end);
        writes[plan->n_writes++] = (struct rpcrdma_write_plan){segments + used, chunk.n};
        used = take_segments(&chunk, p, used);
    }
    HOLDS(plan->n_writes == header->write.n && used == header->write.segments);
    if (header->has_reply) {
        chunk = rpcrdma_reply_chunk(header);
        HOLDS(chunk.n == header->reply.n && header->reply.segments == chunk.n);
        reply = (struct rpcrdma_write_plan){segments + used, chunk.n};
        plan->reply = &reply;
        take_segments(&chunk, p, used);
    } else {
        HOLDS(header->reply.n == 0);
    }
}

static void rpc(const uint8_t *p, size_t n)
{
    struct rpc_message message;
    struct rpc_body cred, verf;
    struct xdr_writer w = {.p = back, .size = sizeof back};

    if (rpc_decode(&message, p, n) != RPC_OK) {
        HOLDS(message.header_len == 0 && message.fault_at <= n);
        return;
    }
    HOLDS(message.header_len >= RPC_REPLY_MIN && message.header_len <= n);
    HOLDS(message.cred.at + message.cred.length <= message.header_len);
    HOLDS(message.verf.at + message.verf.length <= message.header_len);
    cred = (struct rpc_body){message.cred.flavor, p + message.cred.at, message.cred.length};
    verf = (struct rpc_body){message.verf.flavor, p + message.verf.at, message.verf.length};
    if (message.type == RPC_CALL)
        rpc_call_encode(&message, &cred, &verf, &w);
    else
        rpc_reply_encode(&message, &verf, &w);
    HOLDS(!w.failed && w.at == message.header_len);
    /* Octets of roundup may be anything. */
    if (message.cred.length % 4 == 0 && message.verf.length % 4 == 0)
        HOLDS(memcmp(back, p, w.at) == 0);
    HOLDS(!rpc_gss_protects(&message) || message.has_gss);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct rpcrdma_plan plan = {.reads = reads, .writes = writes};
    struct xdr_writer w = {.p = back, .size = sizeof back};
    struct rpcrdma_header header;
    enum rpcrdma_status status = rpcrdma_header_decode(&header, data, size);

    HOLDS(status == header.status && header.header_len <= size && header.fault_at <= size);
    HOLDS(header.read.end <= size && header.write.end <= size && header.reply.end <= size);
    take_lists(&header, data, &plan);
    if (status != RPCRDMA_OK && status != RPCRDMA_BAD_ERR) {
        HOLDS(header.header_len == 0);
        return 0;
    }
    plan.xid = header.xid;
    plan.vers = header.vers;
    plan.credit = header.credit;
    plan.proc = header.proc;
    plan.align = header.align;
    plan.thresh = header.thresh;
    plan.err = header.err;
    plan.vers_low = header.vers_low;
    plan.vers_high = header.vers_high;
    rpcrdma_header_encode(&plan, &w);
    HOLDS(!w.failed && w.at == header.header_len && memcmp(back, data, w.at) == 0);
    rpc(data + header.header_len, size - header.header_len);
    return 0;
}
