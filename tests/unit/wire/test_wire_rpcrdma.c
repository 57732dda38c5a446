// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/rpcrdma.h"

/* The fixed words: xid 0x11223344, version 1, credit 32, then rdma_proc. */
#define FIXED "11223344 00000001 00000020 "
/* A plain segment HLOO, and the position in front. */
#define HLOO(n)     "000000a" #n " 0000100" #n " 000000000000200" #n " "
#define PHLOO(p, n) "000000" #p " " HLOO(n)

static enum rpcrdma_status decode(const char *text, struct rpcrdma_header *header, uint8_t *octets, size_t size,
                                  size_t *length)
{
    *length = octets_of(text, octets, size);
    return rpcrdma_header_decode(header, octets, *length);
}

static void assert_segment(struct rpcrdma_segment segment, unsigned n)
{
    assert_int_equal(segment.handle, 0xA0 + n);
    assert_int_equal(segment.length, 0x1000 + n);
    assert_true(segment.offset == 0x2000 + n);
}

/* ---- RFC 8166 section 4.7 ---- */

UNIT_TEST(no_chunks)
{
    struct rpcrdma_header header;
    struct rpcrdma_chunk chunk;
    uint8_t octets[256];
    size_t n;

    assert_int_equal(decode(FIXED "00000000 00000000 00000000 00000000", &header, octets, sizeof octets, &n),
                     RPCRDMA_OK);
    assert_int_equal(n, RPCRDMA_HEADER_MIN);
    assert_int_equal(header.xid, 0x11223344);
    assert_int_equal(header.vers, 1);
    assert_int_equal(header.credit, 32);
    assert_int_equal(header.proc, RPCRDMA_MSG);
    assert_int_equal(header.header_len, 28);
    assert_true(header.read.n == 0 && header.read.at == 16 && header.read.end == 20);
    assert_true(header.write.n == 0 && header.write.at == 20 && header.write.end == 24);
    assert_true(header.reply.n == 0 && header.reply.at == 24 && header.reply.end == 28 && !header.has_reply);
    chunk = rpcrdma_write_begin(&header);
    assert_false(rpcrdma_write_next(&header, octets, &chunk));
}

UNIT_TEST(a_read_list)
{
    struct rpcrdma_header header;
    uint8_t octets[256];
    size_t n;

    assert_int_equal(decode(FIXED "00000000 "
                                  "00000001 " PHLOO(80, 1) "00000001 " PHLOO(80, 2) "00000001 " PHLOO(
                                      98, 3) "00000000 "
                                             "00000000 00000000 deadbeef",
                            &header, octets, sizeof octets, &n),
                     RPCRDMA_OK);
    assert_int_equal(header.header_len, 16 + 3 * 24 + 4 + 4 + 4);
    assert_int_equal(header.header_len, n - 4);
    assert_int_equal(header.read.n, 3);
    assert_int_equal(header.read.segments, 3);
    assert_int_equal(header.read.at, 16);
    assert_int_equal(header.read.end, 16 + 3 * 24 + 4);
    for (unsigned i = 0; i < 3; i++) {
        struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(&header, octets, i);

        assert_int_equal(segment.position, i < 2 ? 0x80 : 0x98);
        assert_segment(segment.target, i + 1);
    }
}

UNIT_TEST(a_write_list_and_a_reply_chunk)
{
    struct rpcrdma_header header;
    struct rpcrdma_chunk chunk;
    uint8_t octets[256];
    size_t n;

    assert_int_equal(decode(FIXED "00000001 00000000 "
                                  "00000001 00000003 " HLOO(1) HLOO(2) HLOO(3) "00000001 00000002 " HLOO(4)
                                      HLOO(5) "00000000 "
                                              "00000001 00000002 " HLOO(6) HLOO(7),
                            &header, octets, sizeof octets, &n),
                     RPCRDMA_OK);
    assert_int_equal(header.header_len, n);
    assert_true(header.write.n == 2 && header.write.segments == 5);
    assert_true(header.write.at == 20 && header.write.end == 20 + 56 + 40 + 4);
    chunk = rpcrdma_write_begin(&header);
    assert_true(rpcrdma_write_next(&header, octets, &chunk));
    assert_true(chunk.n == 3 && chunk.at == 24);
    for (unsigned i = 0; i < 3; i++)
        assert_segment(rpcrdma_segment_at(&chunk, octets, i), 1 + i);
    assert_true(rpcrdma_write_next(&header, octets, &chunk));
    assert_true(chunk.n == 2 && chunk.at == 24 + 56);
    for (unsigned i = 0; i < 2; i++)
        assert_segment(rpcrdma_segment_at(&chunk, octets, i), 4 + i);
    assert_false(rpcrdma_write_next(&header, octets, &chunk));
    assert_false(rpcrdma_write_next(&header, octets, &chunk));
    assert_true(header.has_reply && header.reply.n == 2 && header.reply.segments == 2);
    assert_true(header.reply.at == header.write.end && header.reply.end == n);
    chunk = rpcrdma_reply_chunk(&header);
    assert_int_equal(chunk.n, 2);
    assert_int_equal(chunk.at, header.reply.at + 4);
    for (unsigned i = 0; i < 2; i++)
        assert_segment(rpcrdma_segment_at(&chunk, octets, i), 6 + i);
}

/* Chunks without segments are present nevertheless (RFC 8267 section 6.4.1 calls them empty). */
UNIT_TEST(empty_chunks)
{
    struct rpcrdma_header header;
    struct rpcrdma_chunk chunk;
    uint8_t octets[128];
    size_t n;

    assert_int_equal(decode(FIXED "00000000 00000000 00000001 00000000 00000001 00000001 " HLOO(1) "00000000 "
                                                                                                   "00000001 00000000",
                            &header, octets, sizeof octets, &n),
                     RPCRDMA_OK);
    assert_int_equal(header.header_len, n);
    assert_true(header.write.n == 2 && header.write.segments == 1);
    chunk = rpcrdma_write_begin(&header);
    assert_true(rpcrdma_write_next(&header, octets, &chunk) && chunk.n == 0);
    assert_true(rpcrdma_write_next(&header, octets, &chunk) && chunk.n == 1);
    assert_segment(rpcrdma_segment_at(&chunk, octets, 0), 1);
    assert_false(rpcrdma_write_next(&header, octets, &chunk));
    assert_true(header.has_reply && header.reply.n == 0);
    assert_int_equal(rpcrdma_reply_chunk(&header).n, 0);
}

/* ---- the other types ---- */

UNIT_TEST(other_types)
{
    struct rpcrdma_header header;
    uint8_t octets[128];
    size_t n;

    assert_int_equal(
        decode(FIXED "00000002 00000040 00000200 00000000 00000000 00000000 cafe", &header, octets, sizeof octets, &n),
        RPCRDMA_OK);
    assert_true(header.align == 0x40 && header.thresh == 0x200 && header.header_len == 36 && header.read.at == 24);
    assert_int_equal(decode(FIXED "00000003 cafe", &header, octets, sizeof octets, &n), RPCRDMA_OK);
    assert_int_equal(header.header_len, 16);
    assert_int_equal(decode(FIXED "00000004 00000002 cafe", &header, octets, sizeof octets, &n), RPCRDMA_OK);
    assert_true(header.err == RPCRDMA_ERR_CHUNK && header.header_len == RPCRDMA_ERR_CHUNK_LEN);
    assert_int_equal(decode(FIXED "00000004 00000001 00000001 00000003 cafe", &header, octets, sizeof octets, &n),
                     RPCRDMA_OK);
    assert_true(header.err == RPCRDMA_ERR_VERS && header.vers_low == 1 && header.vers_high == 3);
    assert_int_equal(header.header_len, RPCRDMA_ERR_VERS_LEN);
    assert_int_equal(decode(FIXED "00000004 00000003 00000001", &header, octets, sizeof octets, &n), RPCRDMA_BAD_ERR);
    assert_true(header.err == 3 && header.fault == 3 && header.fault_at == 16 && header.header_len == 20);
    assert_true(header.vers_low == 0);
}

/* rdma_vers does not decide the decoding: other versions are read the same way. */
UNIT_TEST(any_version_is_decoded)
{
    struct rpcrdma_header header;
    uint8_t octets[128];
    size_t n;

    assert_int_equal(
        decode("00000001 ffffffff 00000000 00000000 00000000 00000000 00000000", &header, octets, sizeof octets, &n),
        RPCRDMA_OK);
    assert_int_equal(header.vers, UINT32_MAX);
}

/* ---- faults ---- */

UNIT_TEST(faults_are_told_where_they_are)
{
    static const struct {
        const char *text;
        enum rpcrdma_status status;
        uint32_t at, fault;
        unsigned reads, writes, write_segments;
    } cases[] = {
        {FIXED "00000005 00000000", RPCRDMA_BAD_PROC, 12, 5, 0, 0, 0},
        {FIXED "ffffffff", RPCRDMA_BAD_PROC, 12, UINT32_MAX, 0, 0, 0},
        {FIXED "00000000 00000002 00000000 00000000", RPCRDMA_BAD_DISCRIMINATOR, 16, 2, 0, 0, 0},
        {FIXED "00000000 00000001 " PHLOO(00, 1) "80000001 00000000 00000000", RPCRDMA_BAD_DISCRIMINATOR, 40,
         0x80000001, 1, 0, 0},
        {FIXED "00000000 00000000 00000003 00000000", RPCRDMA_BAD_DISCRIMINATOR, 20, 3, 0, 0, 0},
        {FIXED "00000000 00000000 00000001 00000001 " HLOO(1) "00000009 00000000", RPCRDMA_BAD_DISCRIMINATOR, 44, 9, 0,
         1, 1},
        {FIXED "00000000 00000000 00000000 00000004", RPCRDMA_BAD_DISCRIMINATOR, 24, 4, 0, 0, 0},
        {FIXED "00000000 00000000 00000001 ffffffff " HLOO(1) "00000000 00000000", RPCRDMA_OVERRUN, 24, UINT32_MAX, 0,
         0, 0},
        {FIXED "00000000 00000000 00000001 00000001 " HLOO(1) "00000001 10000001 " HLOO(2), RPCRDMA_OVERRUN, 48,
         0x10000001, 0, 1, 1},
        {FIXED "00000000 00000000 00000000 00000001 00000002 " HLOO(1), RPCRDMA_OVERRUN, 28, 2, 0, 0, 0},
        {FIXED "00000000 00000000 00000000 00000001 f0000000 " HLOO(1), RPCRDMA_OVERRUN, 28, 0xF0000000, 0, 0, 0},
        {FIXED "00000000 00000001 00000080 000000a1 00", RPCRDMA_OVERRUN, 28, 0, 0, 0, 0},
        {FIXED "00000000 00000000 00000001", RPCRDMA_OVERRUN, 24, 0, 0, 0, 0},
        {FIXED "00000002 00000000 00", RPCRDMA_SHORT, 20, 0, 0, 0, 0},
        {FIXED "00000004", RPCRDMA_SHORT, 16, 0, 0, 0, 0},
        {FIXED "00000004 00000001 00000001 000000", RPCRDMA_SHORT, 24, 0, 0, 0, 0},
        {"11223344 00000001 00", RPCRDMA_SHORT, 8, 0, 0, 0, 0},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpcrdma_header header;
        struct rpcrdma_chunk chunk;
        uint8_t octets[128];
        unsigned writes = 0;
        size_t n;

        assert_int_equal(decode(cases[i].text, &header, octets, sizeof octets, &n), cases[i].status);
        assert_int_equal(header.status, cases[i].status);
        assert_int_equal(header.fault_at, cases[i].at);
        assert_int_equal(header.fault, cases[i].fault);
        assert_int_equal(header.xid, 0x11223344);
        assert_int_equal(header.vers, 1);
        assert_int_equal(header.header_len, 0);
        assert_int_equal(header.read.n, cases[i].reads);
        assert_int_equal(header.write.n, cases[i].writes);
        assert_int_equal(header.write.segments, cases[i].write_segments);
        assert_false(header.has_reply);
        assert_int_equal(header.reply.n, 0);
        if (header.read.n > 0)
            assert_segment(rpcrdma_read_segment_at(&header, octets, 0).target, 1);
        for (chunk = rpcrdma_write_begin(&header); rpcrdma_write_next(&header, octets, &chunk); writes++)
            assert_segment(rpcrdma_segment_at(&chunk, octets, 0), 1);
        assert_int_equal(writes, cases[i].writes);
    }
}

/* ---- all of it again ---- */

static const struct rpcrdma_segment segments[4] = {
    {0xA1, 0x1001, 0x2001}, {0xA2, 0x1002, 0x2002}, {0xA3, 0, UINT64_MAX}, {UINT32_MAX, UINT32_MAX, 0}};
static const struct rpcrdma_read_segment reads[3] = {{0, {1, 2, 3}}, {0, {4, 5, 6}}, {UINT32_MAX, {7, 8, 9}}};
static const struct rpcrdma_write_plan writes[3] = {{segments, 4}, {NULL, 0}, {segments + 1, 2}};

static uint64_t total(const struct rpcrdma_header *header, const uint8_t *octets)
{
    struct rpcrdma_chunk chunk = rpcrdma_write_begin(header);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < header->read.n; i++)
        sum += rpcrdma_read_segment_at(header, octets, i).target.length;
    while (rpcrdma_write_next(header, octets, &chunk))
        for (uint32_t i = 0; i < chunk.n; i++)
            sum += rpcrdma_segment_at(&chunk, octets, i).length;
    if (header->has_reply) {
        chunk = rpcrdma_reply_chunk(header);
        for (uint32_t i = 0; i < chunk.n; i++)
            sum += rpcrdma_segment_at(&chunk, octets, i).length;
    }
    return sum;
}

/* Every plan of up to three read segments, three Write chunks and a Reply chunk; then each of its truncations. */
UNIT_TEST(plans_make_the_round_trip)
{
    for (unsigned proc = 0; proc <= 2; proc++)
        for (unsigned n_reads = 0; n_reads <= 3; n_reads++)
            for (unsigned n_writes = 0; n_writes <= 3; n_writes++)
                for (unsigned n_reply = 0; n_reply <= 3; n_reply++) {
                    const struct rpcrdma_plan plan = {.xid = 0xFEDCBA98,
                                                      .vers = 1,
                                                      .credit = 7,
                                                      .proc = proc,
                                                      .align = 64,
                                                      .thresh = 512,
                                                      .reads = reads,
                                                      .n_reads = n_reads,
                                                      .writes = writes,
                                                      .n_writes = n_writes,
                                                      .reply = n_reply < 3 ? &writes[n_reply] : NULL};
                    uint8_t octets[512];
                    struct xdr_writer w = {.p = octets, .size = sizeof octets};
                    struct rpcrdma_header header, cut;
                    struct rpcrdma_chunk chunk;

                    rpcrdma_header_encode(&plan, &w);
                    assert_false(w.failed);
                    assert_int_equal(rpcrdma_header_decode(&header, octets, w.at), RPCRDMA_OK);
                    assert_int_equal(header.header_len, w.at);
                    assert_true(header.xid == plan.xid && header.vers == 1 && header.credit == 7);
                    assert_int_equal(header.proc, proc);
                    assert_int_equal(header.align, proc == RPCRDMA_MSGP ? 64 : 0);
                    assert_int_equal(header.thresh, proc == RPCRDMA_MSGP ? 512 : 0);
                    assert_int_equal(header.read.n, n_reads);
                    assert_int_equal(header.write.n, n_writes);
                    assert_int_equal(header.has_reply, plan.reply != NULL);
                    for (unsigned i = 0; i < n_reads; i++) {
                        struct rpcrdma_read_segment segment = rpcrdma_read_segment_at(&header, octets, i);

                        assert_int_equal(segment.position, reads[i].position);
                        assert_memory_equal(&segment.target, &reads[i].target, sizeof segment.target);
                    }
                    chunk = rpcrdma_write_begin(&header);
                    for (unsigned i = 0; i < n_writes; i++) {
                        assert_true(rpcrdma_write_next(&header, octets, &chunk));
                        assert_int_equal(chunk.n, writes[i].n);
                        for (unsigned j = 0; j < chunk.n; j++) {
                            struct rpcrdma_segment segment = rpcrdma_segment_at(&chunk, octets, j);

                            assert_memory_equal(&segment, &writes[i].segments[j], sizeof segment);
                        }
                    }
                    assert_false(rpcrdma_write_next(&header, octets, &chunk));
                    for (size_t n = 0; n < w.at; n++) {
                        enum rpcrdma_status status = rpcrdma_header_decode(&cut, octets, n);

                        assert_int_equal(status,
                                         n < (proc == RPCRDMA_MSGP ? 24u : 16u) ? RPCRDMA_SHORT : RPCRDMA_OVERRUN);
                        assert_true(cut.fault_at <= n && cut.fault_at % 4 == 0);
                        assert_true(cut.read.n <= n_reads && cut.write.n <= n_writes && !cut.has_reply);
                        assert_true(total(&cut, octets) <= total(&header, octets));
                    }
                }
}

UNIT_TEST(short_messages_of_every_length)
{
    static const struct {
        struct rpcrdma_plan plan;
        size_t length;
    } cases[] = {
        {{.proc = RPCRDMA_DONE}, 16},
        {{.proc = RPCRDMA_ERROR, .err = RPCRDMA_ERR_CHUNK}, 20},
        {{.proc = RPCRDMA_ERROR, .err = RPCRDMA_ERR_VERS, .vers_low = 1, .vers_high = 2}, 28},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        uint8_t octets[32];
        struct xdr_writer w = {.p = octets, .size = sizeof octets};
        struct rpcrdma_header header;

        rpcrdma_header_encode(&cases[i].plan, &w);
        assert_int_equal(w.at, cases[i].length);
        assert_int_equal(rpcrdma_header_decode(&header, octets, w.at), RPCRDMA_OK);
        assert_int_equal(header.header_len, w.at);
        for (size_t n = 0; n < w.at; n++) {
            assert_int_equal(rpcrdma_header_decode(&header, octets, n), RPCRDMA_SHORT);
            assert_int_equal(header.fault_at, n & ~(size_t)3);
        }
    }
}

UNIT_TEST(an_encoder_without_room_fails)
{
    const struct rpcrdma_write_plan huge = {segments, 4};
    const struct rpcrdma_plan plan = {
        .proc = RPCRDMA_MSG, .reads = reads, .n_reads = 3, .writes = &huge, .n_writes = 1, .reply = &huge};
    uint8_t octets[16 + 76 + 76 + 72];

    for (size_t size = 0; size <= sizeof octets; size++) {
        struct xdr_writer w = {.p = octets, .size = size};

        rpcrdma_header_encode(&plan, &w);
        assert_int_equal(w.failed, size < sizeof octets);
    }
}

UNIT_TEST(names)
{
    assert_string_equal(rpcrdma_proc_name(0), "RDMA_MSG");
    assert_string_equal(rpcrdma_proc_name(4), "RDMA_ERROR");
    assert_string_equal(rpcrdma_proc_name(5), "unknown");
    assert_string_equal(rpcrdma_err_name(1), "ERR_VERS");
    assert_string_equal(rpcrdma_err_name(2), "ERR_CHUNK");
    assert_string_equal(rpcrdma_err_name(0), "unknown");
}
