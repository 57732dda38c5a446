// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA operations on the memory that Calls offer: captured in another order, and on InfiniBand. rules/rpcrdma.cases has
 * the rest.
 */
#include "tests/unit/support/rpcrdma_talk.h"

/* Not NFS here: an unknown program. */
enum { PROGRAM = 400122, XID = 0x10 };

static struct rpcrdma_read_segment read_segment(uint32_t stag, uint32_t length, uint64_t offset)
{
    return (struct rpcrdma_read_segment){.position = 0, .target = {stag, length, offset}};
}

/* A Long Call whose Position Zero Read chunk is this segment. */
static uint32_t call_read(struct rpcrdma_talk *t, unsigned side, uint32_t xid, struct rpcrdma_read_segment segment)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    plan.proc = RPCRDMA_NOMSG;
    plan.reads = &segment;
    plan.n_reads = 1;
    return talk_message(t, side, &plan, NULL, 0);
}

/* The octets of such a Call. */
static const uint8_t *call_octets(struct rpcrdma_talk *t, uint32_t xid, size_t n)
{
    memset(t->rpc, 0, n);
    talk_rpc_call(t->rpc, sizeof t->rpc, xid, PROGRAM, 1, 1, NULL, 0);
    return t->rpc;
}

static uint32_t call_reply_chunk(struct rpcrdma_talk *t, unsigned side, uint32_t xid,
                                 const struct rpcrdma_segment *segments, uint32_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    struct rpcrdma_write_plan reply = {segments, n};

    plan.reply = &reply;
    return talk_call_with(t, side, &plan, PROGRAM, 1, 1, NULL, 0);
}

static uint32_t call_reply_segment(struct rpcrdma_talk *t, unsigned side, uint32_t xid, struct rpcrdma_segment segment)
{
    return call_reply_chunk(t, side, xid, &segment, 1);
}

enum { LONG = 40 }; /* size of a Call without arguments */
static const struct rpcrdma_segment region = {0x7a31c002, 4096, 0x7f0000001000};

/* ---- Reads ---- */

/* The other direction is captured late: the Call comes late, its Read is allowed. */
UNIT_TEST(read_before_late_call)
{
    struct rpcrdma_talk *t = talk_new();

    t->unreceived = (uint64_t)-400;
    talk_read_request(t, S, 0x31c40b01, 0x1000, LONG);
    t->unreceived = 0;
    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read_response(t, C, call_octets(t, XID, LONG), LONG);
    talk_reply(t, S, XID);
    findings_inconclusive(&t->seen, RULE_RPCR_3_4_5_09);
    talk_expect_nothing(t);
}

/* ---- Send with Invalidate ---- */

static uint32_t invalidate(struct rpcrdma_talk *t, uint32_t xid, uint32_t stag, struct rpcrdma_segment segment)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);
    struct rpcrdma_write_plan reply = {&segment, 1};
    size_t n = talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_SUCCESS, NULL, 0);

    segment.length = 0;
    plan.reply = &reply;
    return talk_message_invalidate(t, S, stag, &plan, t->rpc, n);
}

UNIT_TEST(invalidation)
{
    struct rpcrdma_segment other = {0x11220044, 64, 0};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_reply_segment(t, C, XID, region);
    invalidate(t, XID, region.handle, region);
    findings_passed(&t->seen, RULE_CMPD_4_1_02);
    call_reply_segment(t, C, XID + 1, region);
    call_reply_segment(t, C, XID + 2, other);
    frame = invalidate(t, XID + 1, other.handle, region);
    invalidate(t, XID + 2, other.handle, other);
    talk_expect(t, RULE_CMPD_4_1_02, SEVERITY_ERROR, frame);
}

/* On InfiniBand an Acknowledge proves that the access was carried out. */
UNIT_TEST(access_after_invalidation)
{
    static const struct {
        const char *name, *found;
        bool acknowledged, again, hole;
    } rows[] = {
        {"acknowledged", "CMPD-3.2-04 RPCR-2.3.2-02", true, false, false},
        {"not acknowledged", "RPCR-2.3.2-02 ?CMPD-3.2-04", false, false, false},
        {"offered again", "", true, true, false},
        {"after a hole", "?CMPD-3.2-04", true, false, true},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rpcrdma_talk *t = talk_new();

        t->infiniband = true;
        t->seen.keeps = NULL;
        call_reply_segment(t, C, XID, region);
        invalidate(t, XID, region.handle, region);
        if (rows[i].again)
            call_reply_segment(t, C, XID + 1, region);
        if (rows[i].hole)
            talk_hole(t, C);
        talk_write(t, S, region.handle, region.offset, NULL, 8);
        if (rows[i].acknowledged)
            rpcrdma_connection_received(t->rpcrdma, C, t->end[S]);
        talk_finish(t);
        findings_expect(&t->seen, -1, rows[i].found, rows[i].name);
        talk_free(t);
    }
}

/* ---- Reads outstanding ---- */

UNIT_TEST(reads_beyond_the_terms)
{
    struct rdma_terms terms = {.initiator_side = C, .from_start = true, .reads_max = {[S] = 2}};

    for (unsigned open = 1; open <= 4; open++) { /* certainly outstanding together with the third */
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        rpcrdma_connection_terms(t->rpcrdma, &terms);
        t->infiniband = true;
        call_read(t, C, XID, (struct rpcrdma_read_segment){.target = region});
        t->reads_open = 1;
        talk_read_request(t, S, region.handle, region.offset, 8);
        findings_passed(&t->seen, RULE_RPCR_3_3_1_11);
        talk_read_request(t, S, region.handle, region.offset + 8, 8);
        t->reads_open = open;
        frame = talk_read_request(t, S, region.handle, region.offset + 16, 8);
        if (open > 2) {
            talk_expect(t, RULE_RPCR_3_3_1_11, SEVERITY_ERROR, frame);
        } else {
            talk_finish(t);
            findings_inconclusive(&t->seen, RULE_RPCR_3_3_1_11);
            talk_expect_nothing(t);
        }
    }
}

/* A slot of the ring is free again once its STag, which was accessed, is offered again. */
UNIT_TEST(invalidations_in_a_ring)
{
    enum { RING = 8 };
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_segment last = region;

    t->infiniband = true;
    call_reply_segment(t, C, XID, region);
    invalidate(t, XID, region.handle, region);
    talk_write(t, S, region.handle, region.offset, NULL, 8);
    t->copy_ns = 1000000;
    call_reply_segment(t, C, XID + 1, region); /* may have been sent before the access */
    t->copy_ns = 0;
    talk_reply(t, S, XID + 1);
    for (unsigned i = 0; i < RING; i++) {
        last.handle = 0x100 + 0x100 * i * i;
        call_reply_segment(t, C, XID + 2 + i, last);
        invalidate(t, XID + 2 + i, last.handle, last);
    }
    talk_write(t, S, last.handle, last.offset, NULL, 8);
    rpcrdma_connection_received(t->rpcrdma, C, t->end[S]);
    talk_finish(t);
    assert_int_equal(rule_counts_of(&t->seen.counts, RULE_CMPD_3_2_04).failed, 1);
    talk_free(t);
}

/* ---- content ---- */

static void count_replies(void *ctx, const struct rpcrdma_payload *payload)
{
    *(unsigned *)ctx += payload->reply;
}

/* An RDMA Write across the limit is not kept, so the Reply chunk is not decoded, whatever length the Reply returns. */
UNIT_TEST(content_beyond_the_limit)
{
    enum { LIMIT = 512, FIRST = 400, RETURNED = 500 };
    const struct rpcrdma_options options = {.profile = PROFILE_IETF, .always = true, .content_max = LIMIT};

    for (unsigned second = RETURNED - FIRST; second <= 2 * (RETURNED - FIRST); second += RETURNED - FIRST) {
        struct rpcrdma_talk *t = talk_new_bare(&options);
        struct rpcrdma_segment returned = {region.handle, RETURNED, region.offset};
        struct rpcrdma_write_plan reply = {&returned, 1};
        struct rpcrdma_plan plan;
        uint8_t results[RETURNED] = {0}, rpc[RETURNED + RPC_REPLY_MIN];
        unsigned replies = 0;

        t->watch.ctx = &replies;
        t->watch.payload = count_replies;
        talk_midstream(t);
        call_reply_segment(t, C, XID, region);
        talk_rpc_reply(rpc, sizeof rpc, XID, RPC_SUCCESS, results, RETURNED - RPC_REPLY_MIN);
        talk_write(t, S, region.handle, region.offset, rpc, FIRST);
        talk_write(t, S, region.handle, region.offset + FIRST, NULL, second);
        plan = talk_plan(t, S, XID);
        plan.proc = RPCRDMA_NOMSG;
        plan.reply = &reply;
        talk_message(t, S, &plan, NULL, 0);
        assert_int_equal(replies, FIRST + second <= LIMIT);
        talk_free(t);
    }
}
