// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/rpcrdma.c and wire/rpcrdma_private_data.c: RFC 8166 section 4, RFC 8797 section 4. */
#include "wire/rpcrdma.h"

#include "tests/proofs/proof.h"
#include "wire/rpcrdma_private_data.h"

enum { MOST = 60, ALL_LISTS = 104 };

/* Every entry of every list that the decoder counted is inside, and the lists follow each other. */
void proof_rpcrdma_decode(void)
{
    struct rpcrdma_header header;
    size_t n = any_size_to(MOST);
    const uint8_t *p = any_octets_to(n, MOST);
    enum rpcrdma_status status = rpcrdma_header_decode(&header, p, n);
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(&header);
    uint32_t i = any_u32(), chunks = 0, segments = 0;

    CLAIM(status == header.status && header.header_len <= n && header.header_len % 4 == 0);
    CLAIM((header.header_len > 0) == (status == RPCRDMA_OK || status == RPCRDMA_BAD_ERR));
    CLAIM(IMPLIES(status != RPCRDMA_OK, header.fault_at <= n));
    CLAIM(header.read.end <= n && header.write.end <= n && header.reply.end <= n);
    CLAIM(header.read.at <= header.read.end && header.write.at <= header.write.end);
    if (i < header.read.n)
        (void)rpcrdma_read_segment_at(&header, p, i);
    while (rpcrdma_write_next(&header, p, &chunk)) {
        chunks++;
        segments += chunk.n;
        CLAIM(chunk.next <= header.write.end);
        if (i < chunk.n)
            (void)rpcrdma_segment_at(&chunk, p, i);
    }
    CLAIM(chunks == header.write.n && segments == header.write.segments);
    if (header.has_reply) {
        chunk = rpcrdma_reply_chunk(&header);
        CLAIM(chunk.n == header.reply.segments);
        if (i < chunk.n)
            (void)rpcrdma_segment_at(&chunk, p, i);
    }
    CLAIM(rpcrdma_proc_name(header.proc) && rpcrdma_err_name(header.err));
    FALSE_CLAIM(status != RPCRDMA_OK || header.read.n == 0);
    FALSE_CLAIM(header.write.n < 2);
    FALSE_CLAIM(!header.has_reply);
}

/* A header that is written is read again. */
void proof_rpcrdma_encode(void)
{
    const struct rpcrdma_segment segment = {any_u32(), any_u32(), any_u64()};
    const struct rpcrdma_read_segment reads[1] = {{any_u32(), {any_u32(), any_u32(), any_u64()}}};
    const struct rpcrdma_write_plan write = {&segment, any_bool()}, reply = {&segment, any_bool()};
    const struct rpcrdma_plan plan = {.xid = any_u32(),
                                      .vers = any_u32(),
                                      .credit = any_u32(),
                                      .proc = (uint32_t)any_size_to(RPCRDMA_ERROR),
                                      .align = any_u32(),
                                      .thresh = any_u32(),
                                      .reads = reads,
                                      .n_reads = any_bool(),
                                      .writes = &write,
                                      .n_writes = any_bool(),
                                      .reply = any_bool() ? &reply : NULL,
                                      .err = any_bool() ? RPCRDMA_ERR_VERS : RPCRDMA_ERR_CHUNK,
                                      .vers_low = any_u32(),
                                      .vers_high = any_u32()};
    uint8_t out[ALL_LISTS];
    struct xdr_writer w = {.p = out, .size = sizeof out};
    struct rpcrdma_header header;

    rpcrdma_header_encode(&plan, &w);
    CLAIM(!w.failed);
    CLAIM(rpcrdma_header_decode(&header, w.p, w.at) == RPCRDMA_OK && header.header_len == w.at);
    CLAIM(header.xid == plan.xid && header.vers == plan.vers && header.credit == plan.credit);
    CLAIM(header.proc == plan.proc);
    if (plan.proc <= RPCRDMA_MSGP) {
        CLAIM(header.read.n == plan.n_reads && header.write.n == plan.n_writes);
        CLAIM(header.has_reply == (plan.reply != NULL));
        if (header.read.n > 0) {
            struct rpcrdma_read_segment read = rpcrdma_read_segment_at(&header, w.p, 0);

            CLAIM(read.position == reads[0].position && read.target.handle == reads[0].target.handle);
            CLAIM(read.target.length == reads[0].target.length && read.target.offset == reads[0].target.offset);
        }
        FALSE_CLAIM(header.read.n == 0 || header.write.segments == 0 || header.reply.segments == 0);
    }
    if (plan.proc == RPCRDMA_ERROR)
        CLAIM(header.err == plan.err);
}

void proof_rpcrdma_private_data(void)
{
    struct rpcrdma_private_data data, again;
    size_t n = any_size_to(40);
    const uint8_t *p = any_octets(n);
    enum rpcrdma_private_data_status status = rpcrdma_private_data_find(&data, p, n);
    uint8_t out[RPCRDMA_PD_LEN];

    CLAIM(IMPLIES(status != RPCRDMA_PD_ABSENT, data.offset + 4 <= n));
    CLAIM(IMPLIES(status == RPCRDMA_PD_OK, data.offset + RPCRDMA_PD_LEN <= n));
    if (status != RPCRDMA_PD_OK)
        return;
    CLAIM(data.send_size % 1024 == 0 && data.send_size >= 1024 && data.send_size <= RPCRDMA_PD_SIZE_MAX);
    CLAIM(rpcrdma_private_data_encode(&data, out, sizeof out) == RPCRDMA_PD_LEN);
    for (unsigned i = 0; i < RPCRDMA_PD_LEN; i++)
        CLAIM(out[i] == p[data.offset + i]);
    CLAIM(rpcrdma_private_data_find(&again, out, sizeof out) == RPCRDMA_PD_OK && again.offset == 0);
    CLAIM(again.send_size == data.send_size && again.receive_size == data.receive_size);
    FALSE_CLAIM(data.offset == 0);
}

void proof_rpcrdma_private_data_encode(void)
{
    struct rpcrdma_private_data data = {.version = any_u8(),
                                        .flags = any_u8(),
                                        .remote_invalidation = any_bool(),
                                        .send_size = any_u32(),
                                        .receive_size = any_u32()};
    size_t size = any_size_to(10);
    uint8_t *out = any_octets(size);

    CLAIM(rpcrdma_private_data_encode(&data, out, size) == (size < RPCRDMA_PD_LEN ? 0 : RPCRDMA_PD_LEN));
    FALSE_CLAIM(size < RPCRDMA_PD_LEN || out[6] == 0);
}
