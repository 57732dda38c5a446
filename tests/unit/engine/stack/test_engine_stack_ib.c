// SPDX-License-Identifier: GPL-2.0-or-later
/* RPC-over-RDMA on a reliable connection: packets in; messages, payloads and findings out. Client 0, server 1. */
#include "tests/unit/support/rc_bench.h"

UNIT_TEST(calls_and_replies)
{
    static struct rc_bench b;

    rc_bench_open(&b, true, true);
    rc_bench_null_call(&b, 9);
    rc_bench_null_reply(&b, 9);
    rc_bench_null_call(&b, 10);
    rc_bench_null_reply(&b, 10);
    assert_int_equal(b.calls, 2);
    assert_int_equal(b.replies, 2);
    assert_int_equal(b.payloads, 4);
    assert_int_equal(rpcrdma_connection_client(rc_bench_rpcrdma(&b)), 0);
    rc_bench_close(&b);
    assert_int_equal(b.findings, 0);
    assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_2_2_2_02).passed, 2);
}

/* The header is complete, with the XID and type of the RPC message: all are paired, but no payload is judged. */
UNIT_TEST(cut_after_the_header)
{
    static struct rc_bench b;

    rc_bench_open(&b, true, true);
    b.captured = RPCRDMA_FIXED_LEN + 12 + 8;
    rc_bench_null_call(&b, 9);
    rc_bench_null_reply(&b, 9);
    rc_bench_null_call(&b, 10);
    rc_bench_null_reply(&b, 10);
    assert_int_equal(b.calls, 2);
    assert_int_equal(b.replies, 2);
    assert_int_equal(b.payloads, 0);
    rc_bench_close(&b);
    assert_int_equal(b.findings, 0);
    assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_2_2_2_02).passed, 2);
}

UNIT_TEST(cut_in_the_header)
{
    static struct rc_bench b;

    rc_bench_open(&b, true, true);
    b.captured = RPCRDMA_FIXED_LEN;
    rc_bench_null_call(&b, 9);
    b.captured = 0;
    rc_bench_null_reply(&b, 9);
    assert_int_equal(b.calls, 0);
    assert_int_equal(b.replies, 1);
    rc_bench_close(&b);
    assert_int_equal(b.findings, 0);
}

UNIT_TEST(chunks_by_write)
{
    static struct rc_bench b;

    rc_bench_open(&b, true, true);
    rc_bench_read(&b, RC_HANDLE);
    assert_int_equal(b.payloads, 2);
    assert_true(b.unreduced == 24 + 20 + 600);
    rc_bench_close(&b);
    assert_int_equal(b.findings, 0);
}

/* RFC 8797 section 4.1: the server did not announce support. */
/* The place of a Write's octets is known without them. */
UNIT_TEST(writes_that_are_cut)
{
    static struct rc_bench b;

    rc_bench_open(&b, true, true);
    rc_bench_read_call(&b);
    b.captured = 40;
    rc_bench_read_data(&b);
    b.captured = 0;
    rc_bench_read_reply(&b, RC_HANDLE);
    assert_int_equal(b.replies, 1);
    assert_int_equal(b.payloads, 2);
    rc_bench_close(&b);
    assert_int_equal(b.findings, 0);
}

UNIT_TEST(invalidation_that_was_not_agreed_upon)
{
    static struct rc_bench b;

    rc_bench_open(&b, true, false);
    rc_bench_read(&b, RC_HANDLE);
    rc_bench_close(&b);
    assert_int_equal(b.findings, 1);
    assert_int_equal(b.rule, RULE_CMPD_4_1_03);
}

/* A Reply that the capture lost is not missing: the client has acknowledged it. */
UNIT_TEST(hole_in_a_capture)
{
    static struct rc_bench b;

    rc_bench_open(&b, true, true);
    rc_bench_null_call(&b, 9);
    rc_bench_acknowledge(&b, 0, b.psn[1]++); /* its Reply */
    rc_bench_null_call(&b, 10);
    rc_bench_null_reply(&b, 10);
    assert_int_equal(b.replies, 1);
    assert_false(rpcrdma_whole(rc_bench_rpcrdma(&b)));
    rc_bench_close(&b);
    assert_int_equal(b.findings, 0);
}

/* A Reply to a Call that was not captured, nor was its Acknowledge: the client's next message decides. */
UNIT_TEST(reply_without_call)
{
    static const struct {
        bool missing, goes_on;
        unsigned failed, inconclusive;
    } cases[] = {{false, true, 1, 0}, {true, true, 0, 1}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        static struct rc_bench b;

        rc_bench_open(&b, true, true);
        rc_bench_null_call(&b, 8);
        rc_bench_null_reply(&b, 8);
        rc_bench_null_call(&b, 9);
        b.psn[0] += cases[i].missing;
        rc_bench_null_reply(&b, 10);
        assert_int_equal(b.findings, 0);
        if (cases[i].goes_on) {
            rc_bench_null_call(&b, 11);
            rc_bench_acknowledge(&b, 1, b.psn[0] - 1);
            b.step_ns = 4000000; /* directions are never further apart */
            rc_bench_null_call(&b, 12);
        }
        rc_bench_close(&b);
        assert_int_equal(b.findings, cases[i].failed);
        assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_2_2_2_02).failed, cases[i].failed);
        assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_2_2_2_02).inconclusive, cases[i].inconclusive);
    }
}

static void disconnect(struct rc_bench *b)
{
    rc_bench_manage(b, 0, (struct ib_cm){.attribute = IB_CM_DISCONNECT_REQUEST, .local_id = 1, .remote_id = 2});
}

enum { NOTHING = -1 };

/* The last message proves more, the longer the capture continues, and less, the more may be missing. */
UNIT_TEST(reply_without_call_at_the_end)
{
    static const struct {
        bool unanswered, acknowledged, closed, missing, lossy;
        uint32_t xid;
        int severity;
    } cases[] = {
        {.unanswered = true, .xid = 10, .severity = SEVERITY_WARNING},
        {.unanswered = true, .xid = 10, .acknowledged = true, .severity = SEVERITY_ERROR},
        {.unanswered = true, .xid = 10, .closed = true, .severity = SEVERITY_ERROR},
        {.xid = 999, .severity = SEVERITY_WARNING},
        {.xid = 999, .acknowledged = true, .severity = SEVERITY_ERROR},
        {.xid = 9, .closed = true, .severity = SEVERITY_WARNING}, /* the next that the client would use */
        {.xid = 0x09000000, .closed = true, .severity = SEVERITY_ERROR},
        {.unanswered = true, .xid = 10, .closed = true, .missing = true, .severity = NOTHING},
        {.unanswered = true, .xid = 10, .closed = true, .lossy = true, .severity = NOTHING},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        static struct rc_bench b;

        rc_bench_open(&b, true, true);
        rc_bench_null_call(&b, 7);
        rc_bench_null_reply(&b, 7);
        rc_bench_null_call(&b, 8);
        if (!cases[i].unanswered)
            rc_bench_null_reply(&b, 8);
        rc_bench_null_reply(&b, cases[i].xid);
        if (cases[i].acknowledged)
            rc_bench_acknowledge(&b, 0, b.psn[1] - 1);
        if (cases[i].missing) /* the Acknowledge of a Call that was not captured */
            rc_bench_acknowledge(&b, 1, b.psn[0]);
        if (cases[i].closed)
            disconnect(&b);
        if (cases[i].lossy)
            stack_lossy(b.ib.stack);
        assert_int_equal(b.findings, 0);
        rc_bench_close(&b);
        assert_int_equal(b.findings, cases[i].severity != NOTHING);
        if (cases[i].severity != NOTHING)
            assert_int_equal(b.severity, cases[i].severity);
    }
}

/* Of a missing Call the capture has the server's Write and its Reply. */
UNIT_TEST(write_without_call_at_the_end)
{
    for (unsigned answered = 0; answered < 2; answered++) {
        static struct rc_bench b;

        rc_bench_open(&b, true, true);
        rc_bench_null_call(&b, 8);
        rc_bench_null_reply(&b, 8);
        rc_bench_read_data(&b);
        if (answered)
            rc_bench_null_reply(&b, 9);
        disconnect(&b);
        rc_bench_close(&b);
        assert_int_equal(b.findings, 1 + answered);
        assert_int_equal(b.severity, answered ? SEVERITY_WARNING : SEVERITY_ERROR);
        assert_int_equal(b.rule, answered ? RULE_RPCR_3_3_1_10 : RULE_RPCR_3_4_6_04);
    }
}

/* The first Call's Reply was not captured, nor was its Acknowledge: the second Call does not exceed the grant. */
UNIT_TEST(call_without_reply)
{
    for (unsigned missing = 0; missing < 2; missing++) {
        static struct rc_bench b;

        rc_bench_open(&b, true, true);
        rc_bench_null_call(&b, 8);
        b.psn[1] += missing;
        rc_bench_null_call(&b, 9);
        rc_bench_null_reply(&b, 9);
        if (missing)
            rc_bench_acknowledge(&b, 0, b.psn[1] - 1);
        rc_bench_null_reply(&b, missing ? 10 : 8);
        rc_bench_close(&b);
        assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_3_3_3_03).failed, !missing);
        assert_int_equal(b.findings, !missing);
    }
}

/* WRITE of 600 octets from a Read chunk, its Read, and its Reply this much later. */
static void write_by_read(struct rc_bench *b, int64_t later_ns)
{
    const struct rpcrdma_read_segment entry = {72, {.handle = RC_HANDLE, .length = RC_OCTETS, .offset = 0x1000}};
    struct rpcrdma_plan plan = rc_bench_plan;
    uint8_t args[64], results[64];
    struct xdr_writer w = {.p = args, .size = sizeof args};

    plan.reads = &entry;
    plan.n_reads = 1;
    xdr_put_u32(&w, 8); /* file handle */
    xdr_put_u64(&w, 1);
    xdr_put_u64(&w, 0); /* offset */
    xdr_put_u32(&w, RC_OCTETS);
    xdr_put_u32(&w, 2); /* FILE_SYNC */
    xdr_put_u32(&w, RC_OCTETS);
    rc_bench_send(b, 0, &plan, talk_rpc_call(b->rpc, sizeof b->rpc, 9, TALK_NFS, 3, 7, args, w.at), 0);
    rc_bench_arrive(b, 1,
                    &(struct ib_packet){.bth = {.opcode = IB_READ_REQUEST, .qp = RC_CLIENT_QP, .psn = b->psn[1]},
                                        .info = ib_opcode_info(IB_READ_REQUEST),
                                        .headers = IB_HAS_RETH,
                                        .reth = {0x1000, RC_HANDLE, RC_OCTETS}});
    b->psn[1] += 3;
    b->step_ns = later_ns;
    w = (struct xdr_writer){.p = results, .size = sizeof results};
    xdr_put_u32(&w, 0); /* NFS3_OK */
    xdr_put_u64(&w, 0); /* no attributes */
    xdr_put_u32(&w, RC_OCTETS);
    xdr_put_u32(&w, 2);
    xdr_put_u64(&w, 5);
    rc_bench_send(b, 1, &rc_bench_plan, talk_rpc_reply(b->rpc, sizeof b->rpc, 9, RPC_SUCCESS, results, w.at), 0);
    b->step_ns = 1000000;
}

/* A Reply during its Read leaves open only rules that depend on the Read. */
UNIT_TEST(reply_before_the_response)
{
    static struct rc_bench b;

    rc_bench_open(&b, true, true);
    rc_bench_null_call(&b, 8);
    rc_bench_null_reply(&b, 8);
    write_by_read(&b, 1000000);
    rc_bench_null_call(&b, 10);
    rc_bench_null_reply(&b, 10);
    assert_true(rpcrdma_whole(rc_bench_rpcrdma(&b)));
    rc_bench_close(&b);
    assert_int_equal(b.findings, 0);
    assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_2_3_2_03).inconclusive, 1);
    assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_2_2_2_03).inconclusive, 0);
    assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_3_3_1_03).inconclusive, 0);
}

/* No response can have come if the Reply follows at once, unless the directions are out of step. */
UNIT_TEST(reply_too_soon_for_the_response)
{
    static const struct {
        int64_t later_ns;
        bool answered, lags, fails;
    } cases[] = {
        {1000, true, false, true},
        {900000, true, false, false},
        {1000, false, false, false},
        {1000, true, true, false},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        static struct rc_bench b;

        rc_bench_open(&b, true, true);
        if (cases[i].lags)
            rc_bench_acknowledge(&b, 0, b.psn[1]);
        rc_bench_null_call(&b, 8);
        rc_bench_null_reply(&b, 8);
        if (cases[i].answered)
            rc_bench_acknowledge(&b, 0, b.psn[1] - 1);
        write_by_read(&b, cases[i].later_ns);
        rc_bench_null_call(&b, 10);
        rc_bench_null_reply(&b, 10);
        rc_bench_close(&b);
        assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_2_3_2_03).failed, cases[i].fails);
        assert_int_equal(b.findings, cases[i].fails);
    }
}

/* With one credit, so that a Call wrongly taken as unanswered shows. */
static void open_narrow(struct rc_bench *b)
{
    rc_bench_open(b, true, true);
    b->credit = 1;
    rc_bench_null_call(b, 8);
    rc_bench_acknowledge(b, 1, b->psn[0] - 1);
    rc_bench_null_reply(b, 8);
}

static void close_narrow(struct rc_bench *b, unsigned failed)
{
    rc_bench_null_call(b, 20);
    rc_bench_null_reply(b, 20);
    rc_bench_close(b);
    assert_int_equal(b->findings, failed);
    assert_int_equal(rule_counts_of(&b->counts, RULE_RPCR_3_3_1_03).failed, failed);
}

/* The request before the Call is missing, as is the Acknowledge of both: the Call waits while it is answered. */
UNIT_TEST(reply_before_its_call_is_taken)
{
    static struct rc_bench b;

    open_narrow(&b);
    b.psn[0]++;
    rc_bench_null_call(&b, 9);
    rc_bench_null_reply(&b, 9);
    rc_bench_null_call(&b, 10);
    rc_bench_acknowledge(&b, 1, b.psn[0] - 1);
    rc_bench_null_reply(&b, 10);
    close_narrow(&b, 0);
}

/* The capture lacks a Call, and has the copy that its sender sent after the Reply for lack of an Acknowledge. */
UNIT_TEST(copy_of_a_call_that_is_missing)
{
    static struct rc_bench b;

    open_narrow(&b);
    rc_bench_null_reply(&b, 9);
    rc_bench_null_call(&b, 9);
    rc_bench_acknowledge(&b, 1, b.psn[0] - 1);
    close_narrow(&b, 0);
    assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_3_3_1_10).inconclusive, 1);

    rc_bench_open(&b, true, true);
    rc_bench_null_call(&b, 8);
    rc_bench_null_reply(&b, 8);
    rc_bench_read_data(&b);
    rc_bench_read_call(&b);
    rc_bench_read_reply(&b, 0);
    rc_bench_close(&b);
    assert_int_equal(b.findings, 0);
    assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_3_4_6_04).inconclusive, 1);
}

/* A Call seen before the previous Call's Reply: the server's Acknowledge shows which was sent first. */
UNIT_TEST(directions_out_of_step)
{
    enum { NEVER, AFTER_THE_REPLY, BEFORE_THE_REPLY };

    for (unsigned acknowledged = NEVER; acknowledged <= BEFORE_THE_REPLY; acknowledged++) {
        static struct rc_bench b;

        if (acknowledged == NEVER) {
            rc_bench_open(&b, true, true);
            b.credit = 1;
            rc_bench_null_call(&b, 8);
            rc_bench_null_reply(&b, 8);
        } else {
            open_narrow(&b);
        }
        rc_bench_null_call(&b, 9);
        rc_bench_null_call(&b, 10);
        if (acknowledged == BEFORE_THE_REPLY)
            rc_bench_acknowledge(&b, 1, b.psn[0] - 1);
        rc_bench_null_reply(&b, 9);
        if (acknowledged == AFTER_THE_REPLY)
            rc_bench_acknowledge(&b, 1, b.psn[0] - 1);
        rc_bench_null_reply(&b, 10);
        close_narrow(&b, acknowledged != AFTER_THE_REPLY);
        assert_int_equal(rule_counts_of(&b.counts, RULE_RPCR_3_3_1_03).inconclusive, acknowledged == AFTER_THE_REPLY);
    }
}

UNIT_TEST(reply_to_a_missing_disconnect_request)
{
    static struct rc_bench b;

    for (unsigned captured = 0; captured < 2; captured++) {
        rc_bench_open(&b, true, true);
        if (captured)
            rc_bench_manage(&b, 1,
                            (struct ib_cm){.attribute = IB_CM_DISCONNECT_REQUEST, .local_id = 2, .remote_id = 1});
        rc_bench_manage(&b, 0, (struct ib_cm){.attribute = IB_CM_DISCONNECT_REPLY, .local_id = 1, .remote_id = 2});
        rc_bench_manage(&b, 0, (struct ib_cm){.attribute = IB_CM_DISCONNECT_REPLY, .local_id = 1, .remote_id = 2});
        assert_int_equal(b.ends[1], 1);
        assert_int_equal(b.ends[0], 0);
        assert_int_equal(b.missing[1], captured == 0);
        assert_false(b.missing[0]);
        rc_bench_close(&b);
    }
}
