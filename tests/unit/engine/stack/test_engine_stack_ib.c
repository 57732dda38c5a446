// SPDX-License-Identifier: GPL-2.0-or-later
/* RPC-over-RDMA on a reliable connection: packets in, messages, payloads and findings out. Client 0, server 1. */
#include "engine/nfs/rpcrdma_ulp.h"
#include "engine/stack/stack_ib.h"
#include "tests/unit/support/rpcrdma_talk.h"
#include "tests/unit/support/support.h"

enum { CLIENT_QP = 0x11, SERVER_QP = 0x22, MTU = 256, HANDLE = 0x77 };

struct bench {
    struct ib_connections *connections;
    struct stack_options options;
    struct stack_ib ib;
    struct stack_entrance above;
    unsigned ends[2]; /* by side: how often it was found to have asked for the end */
    struct verdict verdict;
    struct rule_counts counts;
    uint32_t frame, psn[2], credit;
    int64_t now_ns, step_ns;
    unsigned calls, replies, payloads, findings;
    uint64_t unreduced; /* of the last Reply */
    size_t captured;    /* of each payload, at most; 0: all */
    enum rule_id rule;
    enum rule_severity severity;
    uint8_t rpc[8192], send[8192];
};

static void on_finding(void *ctx, const struct finding *finding)
{
    struct bench *b = ctx;

    b->findings++;
    b->rule = finding->rule;
    b->severity = finding->severity;
}

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct bench *b = ctx;

    b->calls += message->kind == RPCRDMA_KIND_CALL;
    b->replies += message->kind == RPCRDMA_KIND_REPLY;
}

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct bench *b = ctx;

    b->payloads++;
    b->unreduced = payload->body->unreduced;
}

static const struct rpcrdma_taps taps = {.message = on_message, .payload = on_payload};
static const struct rpcrdma_own rpcrdma = {.taps = &taps};
static const struct ulp_own own[] = {{&rpcrdma_ulp, &rpcrdma}, {NULL}};

static const struct rpcrdma_connection *connection_of(const struct bench *b)
{
    return rpcrdma_ulp_connection(stack_guest(b->ib.stack, &rpcrdma_ulp));
}

static void on_end(void *ctx, unsigned side, bool reset, const struct place *place)
{
    struct bench *b = ctx;

    (void)reset, (void)place;
    b->ends[side]++;
}

static bool on_open(void *ctx, struct ib_connection *connection, struct ib_rc_events *events)
{
    struct bench *b = ctx;
    const struct stack_setup setup = {.options = &b->options, .ctx = b, .verdict = &b->verdict, .next = &b->above};

    b->above = (struct stack_entrance){.ctx = b, .end = on_end};
    b->ib = (struct stack_ib){.stack = stack_new(&setup), .connection = connection};
    assert_non_null(b->ib.stack);
    *events = stack_ib_events(&b->ib);
    return true;
}

static void on_managed(void *ctx, struct ib_connection *connection, unsigned side, const struct ib_cm *cm,
                       const struct place *place)
{
    struct bench *b = ctx;

    (void)connection;
    stack_ib_managed(&b->ib, side, cm, place);
}

static void on_close(void *ctx, struct ib_connection *connection, enum ib_connection_end why, int64_t now_ns)
{
    struct bench *b = ctx;

    (void)connection, (void)why;
    stack_ib_finish(&b->ib, now_ns);
    stack_free(b->ib.stack);
}

static void arrive(struct bench *b, unsigned side, const struct ib_packet *packet)
{
    struct ib_arrival arrival = {.source = {.kind = IB_ADDRESS_IPV4, .octets = {10, 0, 0, (uint8_t)side}},
                                 .destination = {.kind = IB_ADDRESS_IPV4, .octets = {10, 0, 0, (uint8_t)(1 - side)}},
                                 .packet = packet};

    arrival.frame = ++b->frame;
    arrival.time_ns = b->now_ns += b->step_ns;
    ib_connections_packet(b->connections, &arrival);
}

static void manage(struct bench *b, unsigned side, struct ib_cm cm)
{
    uint8_t mad[IB_MAD_LEN];

    assert_int_equal(ib_cm_encode(&cm, mad, sizeof mad), IB_MAD_LEN);
    arrive(b, side,
           &(struct ib_packet){.bth = {.opcode = 0x64, .qp = IB_QP_CM},
                               .info = ib_opcode_info(0x64),
                               .headers = IB_HAS_DETH,
                               .payload = mad,
                               .payload_len = IB_MAD_LEN,
                               .payload_captured = IB_MAD_LEN});
}

/* Both sides tell 4096 octets; whether each supports Remote Invalidation. */
static void open_bench(struct bench *b, bool client_invalidates, bool server_invalidates)
{
    const struct ib_connection_events events = {b, on_open, on_managed, on_close};
    struct rpcrdma_private_data data = {.version = RPCRDMA_PD_VERSION, .send_size = 4096, .receive_size = 4096};
    uint8_t block[RPCRDMA_PD_LEN], request[IB_IP_CM_LEN + RPCRDMA_PD_LEN];
    struct ib_ip_cm ip = {.ip_version = 4, .source_port = 700};

    memset(b, 0, sizeof *b);
    stack_options_init(&b->options, NULL);
    b->options.own = own;
    b->options.first = STACK_ULP;
    b->verdict = (struct verdict){.counts = &b->counts, .finding = on_finding, .ctx = b};
    b->credit = 32;
    b->step_ns = 1000000;
    b->psn[0] = 900;
    b->psn[1] = 500;
    b->connections = ib_connections_new(&(struct ib_connections_options){0}, &events);
    ib_ip_cm_encode(&ip, request, sizeof request);
    data.remote_invalidation = client_invalidates;
    rpcrdma_private_data_encode(&data, request + IB_IP_CM_LEN, RPCRDMA_PD_LEN);
    manage(b, 0,
           (struct ib_cm){.attribute = IB_CM_REQUEST,
                          .local_id = 1,
                          .qp = CLIENT_QP,
                          .psn = b->psn[1],
                          .path_mtu = 1,
                          .service = ib_service_of_port(20049),
                          .private_data = request,
                          .private_len = sizeof request});
    data.remote_invalidation = server_invalidates;
    rpcrdma_private_data_encode(&data, block, sizeof block);
    manage(b, 1,
           (struct ib_cm){.attribute = IB_CM_REPLY,
                          .local_id = 2,
                          .remote_id = 1,
                          .qp = SERVER_QP,
                          .psn = b->psn[0],
                          .private_data = block,
                          .private_len = sizeof block});
    manage(b, 0, (struct ib_cm){.attribute = IB_CM_READY, .local_id = 1, .remote_id = 2});
}

static void close_bench(struct bench *b)
{
    ib_connections_finish(b->connections, INT64_C(1000000000));
    ib_connections_free(b->connections);
}

/* A message in packets of the path MTU. opcodes: First, Middle, Last, Only. */
static void send_as(struct bench *b, unsigned side, const uint8_t opcodes[4], const uint8_t *p, size_t n,
                    uint64_t address, uint32_t invalidate)
{
    size_t at = 0;

    do {
        size_t piece = n - at < MTU ? n - at : MTU;
        bool first = at == 0, last = at + piece == n;
        uint8_t opcode = opcodes[first && last ? 3 : first ? 0 : last ? 2 : 1];
        const struct ib_opcode_info *info = ib_opcode_info(opcode);

        arrive(b, side,
               &(struct ib_packet){.bth = {.opcode = opcode,
                                           .qp = side == 0 ? SERVER_QP : CLIENT_QP,
                                           .psn = b->psn[side]++,
                                           .pad = (uint8_t)(-piece & 3)},
                                   .info = info,
                                   .headers = info->headers,
                                   .reth = {address, HANDLE, (uint32_t)n},
                                   .invalidate = invalidate,
                                   .payload = p + at,
                                   .payload_len = piece,
                                   .payload_captured = b->captured && b->captured < piece ? b->captured : piece});
        at += piece;
    } while (at < n);
}

static void send_message(struct bench *b, unsigned side, const struct rpcrdma_plan *plan, size_t n, uint32_t invalidate)
{
    static const uint8_t plain[] = {IB_SEND_FIRST, IB_SEND_MIDDLE, IB_SEND_LAST, IB_SEND_ONLY};
    static const uint8_t invalidating[] = {IB_SEND_FIRST, IB_SEND_MIDDLE, IB_SEND_LAST_INVALIDATE,
                                           IB_SEND_ONLY_INVALIDATE};
    struct xdr_writer w = {.p = b->send, .size = sizeof b->send};

    rpcrdma_header_encode(plan, &w);
    assert_false(w.failed);
    memcpy(b->send + w.at, b->rpc, n);
    send_as(b, side, invalidate ? invalidating : plain, b->send, w.at + n, 0, invalidate);
}

static const struct rpcrdma_plan plain_plan = {
    .xid = 9, .vers = RPCRDMA_VERSION, .credit = 32, .proc = RPCRDMA_MSG, .vers_low = 1, .vers_high = 1};

static void null_call(struct bench *b, uint32_t xid)
{
    struct rpcrdma_plan plan = plain_plan;

    plan.xid = xid;
    plan.credit = b->credit;
    send_message(b, 0, &plan, talk_rpc_call(b->rpc, sizeof b->rpc, xid, TALK_NFS, 3, 0, NULL, 0), 0);
}

static void null_reply(struct bench *b, uint32_t xid)
{
    struct rpcrdma_plan plan = plain_plan;

    plan.xid = xid;
    plan.credit = b->credit;
    send_message(b, 1, &plan, talk_rpc_reply(b->rpc, sizeof b->rpc, xid, RPC_SUCCESS, NULL, 0), 0);
}

static void calls_and_replies(void **state)
{
    static struct bench b;

    (void)state;
    open_bench(&b, true, true);
    null_call(&b, 9);
    null_reply(&b, 9);
    null_call(&b, 10);
    null_reply(&b, 10);
    assert_int_equal(b.calls, 2);
    assert_int_equal(b.replies, 2);
    assert_int_equal(b.payloads, 4);
    assert_int_equal(rpcrdma_connection_client(connection_of(&b)), 0);
    close_bench(&b);
    assert_int_equal(b.findings, 0);
    assert_int_equal(b.counts.passed[RULE_RPCR_2_2_2_02], 2);
}

/* The header is there, with the XID and type of the RPC message: all are paired, and no payload is judged. */
static void cut_after_the_header(void **state)
{
    static struct bench b;

    (void)state;
    open_bench(&b, true, true);
    b.captured = RPCRDMA_FIXED_LEN + 12 + 8;
    null_call(&b, 9);
    null_reply(&b, 9);
    null_call(&b, 10);
    null_reply(&b, 10);
    assert_int_equal(b.calls, 2);
    assert_int_equal(b.replies, 2);
    assert_int_equal(b.payloads, 0);
    close_bench(&b);
    assert_int_equal(b.findings, 0);
    assert_int_equal(b.counts.passed[RULE_RPCR_2_2_2_02], 2);
}

static void cut_in_the_header(void **state)
{
    static struct bench b;

    (void)state;
    open_bench(&b, true, true);
    b.captured = RPCRDMA_FIXED_LEN;
    null_call(&b, 9);
    b.captured = 0;
    null_reply(&b, 9);
    assert_int_equal(b.calls, 0);
    assert_int_equal(b.replies, 1);
    close_bench(&b);
    assert_int_equal(b.findings, 0);
}

enum { OCTETS = 600 };

/* READ of 600 octets into a Write chunk, XID 9. */
static void read_call(struct bench *b)
{
    struct rpcrdma_segment segment = {.handle = HANDLE, .length = OCTETS, .offset = 0x1000};
    struct rpcrdma_write_plan chunk = {.segments = &segment, .n = 1};
    struct rpcrdma_plan plan = plain_plan;
    uint8_t args[64];
    struct xdr_writer w = {.p = args, .size = sizeof args};

    plan.writes = &chunk;
    plan.n_writes = 1;
    xdr_put_u32(&w, 8); /* file handle */
    xdr_put_u64(&w, 1);
    xdr_put_u64(&w, 0); /* offset */
    xdr_put_u32(&w, OCTETS);
    send_message(b, 0, &plan, talk_rpc_call(b->rpc, sizeof b->rpc, 9, TALK_NFS, 3, 6, args, w.at), 0);
}

/* Three packets, the offset in the first one only. */
static void read_data(struct bench *b)
{
    static const uint8_t opcodes[] = {IB_WRITE_FIRST, IB_WRITE_MIDDLE, IB_WRITE_LAST, IB_WRITE_ONLY};
    static const uint8_t data[OCTETS];

    send_as(b, 1, opcodes, data, OCTETS, 0x1000, 0);
}

static void read_reply(struct bench *b, uint32_t invalidate)
{
    struct rpcrdma_segment segment = {.handle = HANDLE, .length = OCTETS, .offset = 0x1000};
    struct rpcrdma_write_plan chunk = {.segments = &segment, .n = 1};
    struct rpcrdma_plan plan = plain_plan;
    uint8_t results[256];
    struct xdr_writer w = {.p = results, .size = sizeof results};

    plan.writes = &chunk;
    plan.n_writes = 1;
    xdr_put_u32(&w, 0); /* NFS3_OK */
    xdr_put_u32(&w, 0); /* no attributes */
    xdr_put_u32(&w, OCTETS);
    xdr_put_u32(&w, 1); /* end of the file */
    xdr_put_u32(&w, OCTETS);
    send_message(b, 1, &plan, talk_rpc_reply(b->rpc, sizeof b->rpc, 9, RPC_SUCCESS, results, w.at), invalidate);
}

static void read_into_a_chunk(struct bench *b, uint32_t invalidate)
{
    read_call(b);
    read_data(b);
    read_reply(b, invalidate);
}

static void chunks_by_write(void **state)
{
    static struct bench b;

    (void)state;
    open_bench(&b, true, true);
    read_into_a_chunk(&b, HANDLE);
    assert_int_equal(b.payloads, 2);
    assert_true(b.unreduced == 24 + 20 + 600);
    close_bench(&b);
    assert_int_equal(b.findings, 0);
}

/* RFC 8797 section 4.1: the server did not say that it supports it. */
/* Where the octets of a Write go is known without them. */
static void writes_that_are_cut(void **state)
{
    static struct bench b;

    (void)state;
    open_bench(&b, true, true);
    read_call(&b);
    b.captured = 40;
    read_data(&b);
    b.captured = 0;
    read_reply(&b, HANDLE);
    assert_int_equal(b.replies, 1);
    assert_int_equal(b.payloads, 2);
    close_bench(&b);
    assert_int_equal(b.findings, 0);
}

static void invalidation_that_was_not_agreed_upon(void **state)
{
    static struct bench b;

    (void)state;
    open_bench(&b, true, false);
    read_into_a_chunk(&b, HANDLE);
    close_bench(&b);
    assert_int_equal(b.findings, 1);
    assert_int_equal(b.rule, RULE_CMPD_4_1_03);
}

static void acknowledge(struct bench *b, unsigned side, uint32_t psn)
{
    arrive(b, side,
           &(struct ib_packet){.bth = {.opcode = IB_ACKNOWLEDGE, .qp = side == 0 ? SERVER_QP : CLIENT_QP, .psn = psn},
                               .info = ib_opcode_info(IB_ACKNOWLEDGE),
                               .headers = IB_HAS_AETH,
                               .aeth = {0x1F, 0}});
}

/* A Reply that the capture lost is no missing Reply: the client has acknowledged it. */
static void hole_in_a_capture(void **state)
{
    static struct bench b;

    (void)state;
    open_bench(&b, true, true);
    null_call(&b, 9);
    acknowledge(&b, 0, b.psn[1]++); /* its Reply */
    null_call(&b, 10);
    null_reply(&b, 10);
    assert_int_equal(b.replies, 1);
    assert_false(rpcrdma_whole(connection_of(&b)));
    close_bench(&b);
    assert_int_equal(b.findings, 0);
}

/* A Reply to a Call that was not captured, nor was its Acknowledge: what comes next from the client tells. */
static void reply_without_call(void **state)
{
    static const struct {
        bool missing, goes_on;
        unsigned failed, inconclusive;
    } cases[] = {{false, true, 1, 0}, {true, true, 0, 1}};

    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        static struct bench b;

        open_bench(&b, true, true);
        null_call(&b, 8);
        null_reply(&b, 8);
        null_call(&b, 9);
        b.psn[0] += cases[i].missing;
        null_reply(&b, 10);
        assert_int_equal(b.findings, 0);
        if (cases[i].goes_on) {
            null_call(&b, 11);
            acknowledge(&b, 1, b.psn[0] - 1);
            b.step_ns = 4000000; /* no directions are further apart */
            null_call(&b, 12);
        }
        assert_int_equal(b.findings, cases[i].failed);
        close_bench(&b);
        assert_int_equal(b.findings, cases[i].failed);
        assert_int_equal(b.counts.failed[RULE_RPCR_2_2_2_02], cases[i].failed);
        assert_int_equal(b.counts.inconclusive[RULE_RPCR_2_2_2_02], cases[i].inconclusive);
    }
}

static void disconnect(struct bench *b)
{
    manage(b, 0, (struct ib_cm){.attribute = IB_CM_DISCONNECT_REQUEST, .local_id = 1, .remote_id = 2});
}

enum { NOTHING = -1 };

/* What comes last proves the more, the further the capture goes on, and the less, the more it may lack. */
static void reply_without_call_at_the_end(void **state)
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

    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        static struct bench b;

        open_bench(&b, true, true);
        null_call(&b, 7);
        null_reply(&b, 7);
        null_call(&b, 8);
        if (!cases[i].unanswered)
            null_reply(&b, 8);
        null_reply(&b, cases[i].xid);
        if (cases[i].acknowledged)
            acknowledge(&b, 0, b.psn[1] - 1);
        if (cases[i].missing) /* the Acknowledge of a Call that was not captured */
            acknowledge(&b, 1, b.psn[0]);
        if (cases[i].closed)
            disconnect(&b);
        if (cases[i].lossy)
            stack_lossy(b.ib.stack);
        assert_int_equal(b.findings, 0);
        close_bench(&b);
        assert_int_equal(b.findings, cases[i].severity != NOTHING);
        if (cases[i].severity != NOTHING)
            assert_int_equal(b.severity, cases[i].severity);
    }
}

/* Of a Call that the capture lacks both is seen, what it makes the server write, and its Reply. */
static void write_without_call_at_the_end(void **state)
{
    (void)state;
    for (unsigned answered = 0; answered < 2; answered++) {
        static struct bench b;

        open_bench(&b, true, true);
        null_call(&b, 8);
        null_reply(&b, 8);
        read_data(&b);
        if (answered)
            null_reply(&b, 9);
        disconnect(&b);
        close_bench(&b);
        assert_int_equal(b.findings, 1 + answered);
        assert_int_equal(b.severity, answered ? SEVERITY_WARNING : SEVERITY_ERROR);
        assert_int_equal(b.rule, answered ? RULE_RPCR_3_3_1_10 : RULE_RPCR_3_4_6_04);
    }
}

/* The first Call's Reply was not captured, nor was its Acknowledge: the second Call is not one too many. */
static void call_without_reply(void **state)
{
    (void)state;
    for (unsigned missing = 0; missing < 2; missing++) {
        static struct bench b;

        open_bench(&b, true, true);
        null_call(&b, 8);
        b.psn[1] += missing;
        null_call(&b, 9);
        null_reply(&b, 9);
        if (missing)
            acknowledge(&b, 0, b.psn[1] - 1);
        null_reply(&b, missing ? 10 : 8);
        close_bench(&b);
        assert_int_equal(b.counts.failed[RULE_RPCR_3_3_3_03], !missing);
        assert_int_equal(b.findings, !missing);
    }
}

/* WRITE of 600 octets from a Read chunk, its Read, and its Reply so much later. */
static void write_by_read(struct bench *b, int64_t later_ns)
{
    const struct rpcrdma_read_segment entry = {72, {.handle = HANDLE, .length = OCTETS, .offset = 0x1000}};
    struct rpcrdma_plan plan = plain_plan;
    uint8_t args[64], results[64];
    struct xdr_writer w = {.p = args, .size = sizeof args};

    plan.reads = &entry;
    plan.n_reads = 1;
    xdr_put_u32(&w, 8); /* file handle */
    xdr_put_u64(&w, 1);
    xdr_put_u64(&w, 0); /* offset */
    xdr_put_u32(&w, OCTETS);
    xdr_put_u32(&w, 2); /* FILE_SYNC */
    xdr_put_u32(&w, OCTETS);
    send_message(b, 0, &plan, talk_rpc_call(b->rpc, sizeof b->rpc, 9, TALK_NFS, 3, 7, args, w.at), 0);
    arrive(b, 1,
           &(struct ib_packet){.bth = {.opcode = IB_READ_REQUEST, .qp = CLIENT_QP, .psn = b->psn[1]},
                               .info = ib_opcode_info(IB_READ_REQUEST),
                               .headers = IB_HAS_RETH,
                               .reth = {0x1000, HANDLE, OCTETS}});
    b->psn[1] += 3;
    b->step_ns = later_ns;
    w = (struct xdr_writer){.p = results, .size = sizeof results};
    xdr_put_u32(&w, 0); /* NFS3_OK */
    xdr_put_u64(&w, 0); /* no attributes */
    xdr_put_u32(&w, OCTETS);
    xdr_put_u32(&w, 2);
    xdr_put_u64(&w, 5);
    send_message(b, 1, &plain_plan, talk_rpc_reply(b->rpc, sizeof b->rpc, 9, RPC_SUCCESS, results, w.at), 0);
    b->step_ns = 1000000;
}

/* A Reply while its Read is under way leaves open what depends on the Read, and nothing else. */
static void reply_before_the_response(void **state)
{
    static struct bench b;

    (void)state;
    open_bench(&b, true, true);
    null_call(&b, 8);
    null_reply(&b, 8);
    write_by_read(&b, 1000000);
    null_call(&b, 10);
    null_reply(&b, 10);
    assert_true(rpcrdma_whole(connection_of(&b)));
    close_bench(&b);
    assert_int_equal(b.findings, 0);
    assert_int_equal(b.counts.inconclusive[RULE_RPCR_2_3_2_03], 1);
    assert_int_equal(b.counts.inconclusive[RULE_RPCR_2_2_2_03], 0);
    assert_int_equal(b.counts.inconclusive[RULE_RPCR_3_3_1_03], 0);
}

/* No response can have come where the Reply follows at once, unless the directions are out of step. */
static void reply_too_soon_for_the_response(void **state)
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

    (void)state;
    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        static struct bench b;

        open_bench(&b, true, true);
        if (cases[i].lags)
            acknowledge(&b, 0, b.psn[1]);
        null_call(&b, 8);
        null_reply(&b, 8);
        if (cases[i].answered)
            acknowledge(&b, 0, b.psn[1] - 1);
        write_by_read(&b, cases[i].later_ns);
        null_call(&b, 10);
        null_reply(&b, 10);
        close_bench(&b);
        assert_int_equal(b.counts.failed[RULE_RPCR_2_3_2_03], cases[i].fails);
        assert_int_equal(b.findings, cases[i].fails);
    }
}

/* With one credit, so that a Call that is held to be unanswered shows. */
static void open_narrow(struct bench *b)
{
    open_bench(b, true, true);
    b->credit = 1;
    null_call(b, 8);
    acknowledge(b, 1, b->psn[0] - 1);
    null_reply(b, 8);
}

static void close_narrow(struct bench *b, unsigned failed)
{
    null_call(b, 20);
    null_reply(b, 20);
    close_bench(b);
    assert_int_equal(b->findings, failed);
    assert_int_equal(b->counts.failed[RULE_RPCR_3_3_1_03], failed);
}

/* The request before the Call is missing, and the Acknowledge of both: the Call waits while it is answered. */
static void reply_before_its_call_is_taken(void **state)
{
    static struct bench b;

    (void)state;
    open_narrow(&b);
    b.psn[0]++;
    null_call(&b, 9);
    null_reply(&b, 9);
    null_call(&b, 10);
    acknowledge(&b, 1, b.psn[0] - 1);
    null_reply(&b, 10);
    close_narrow(&b, 0);
}

/* The capture lacks a Call, and has the copy that its sender, who missed the Acknowledge, sent after the Reply. */
static void copy_of_a_call_that_is_missing(void **state)
{
    static struct bench b;

    (void)state;
    open_narrow(&b);
    null_reply(&b, 9);
    null_call(&b, 9);
    acknowledge(&b, 1, b.psn[0] - 1);
    close_narrow(&b, 0);
    assert_int_equal(b.counts.inconclusive[RULE_RPCR_3_3_1_10], 1);

    open_bench(&b, true, true);
    null_call(&b, 8);
    null_reply(&b, 8);
    read_data(&b);
    read_call(&b);
    read_reply(&b, 0);
    close_bench(&b);
    assert_int_equal(b.findings, 0);
    assert_int_equal(b.counts.inconclusive[RULE_RPCR_3_4_6_04], 1);
}

/* A Call seen before the Reply to the one before it: the server's Acknowledge says which was sent first. */
static void directions_out_of_step(void **state)
{
    enum { NEVER, AFTER_THE_REPLY, BEFORE_THE_REPLY };

    (void)state;
    for (unsigned acknowledged = NEVER; acknowledged <= BEFORE_THE_REPLY; acknowledged++) {
        static struct bench b;

        if (acknowledged == NEVER) {
            open_bench(&b, true, true);
            b.credit = 1;
            null_call(&b, 8);
            null_reply(&b, 8);
        } else {
            open_narrow(&b);
        }
        null_call(&b, 9);
        null_call(&b, 10);
        if (acknowledged == BEFORE_THE_REPLY)
            acknowledge(&b, 1, b.psn[0] - 1);
        null_reply(&b, 9);
        if (acknowledged == AFTER_THE_REPLY)
            acknowledge(&b, 1, b.psn[0] - 1);
        null_reply(&b, 10);
        close_narrow(&b, acknowledged != AFTER_THE_REPLY);
        assert_int_equal(b.counts.inconclusive[RULE_RPCR_3_3_1_03], acknowledged == AFTER_THE_REPLY);
    }
}

static void reply_to_a_missing_disconnect_request(void **state)
{
    static struct bench b;

    (void)state;
    for (unsigned captured = 0; captured < 2; captured++) {
        open_bench(&b, true, true);
        if (captured)
            manage(&b, 1, (struct ib_cm){.attribute = IB_CM_DISCONNECT_REQUEST, .local_id = 2, .remote_id = 1});
        manage(&b, 0, (struct ib_cm){.attribute = IB_CM_DISCONNECT_REPLY, .local_id = 1, .remote_id = 2});
        manage(&b, 0, (struct ib_cm){.attribute = IB_CM_DISCONNECT_REPLY, .local_id = 1, .remote_id = 2});
        assert_int_equal(b.ends[1], 1);
        assert_int_equal(b.ends[0], 0);
        close_bench(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_and_replies),
        cmocka_unit_test(cut_after_the_header),
        cmocka_unit_test(cut_in_the_header),
        cmocka_unit_test(writes_that_are_cut),
        cmocka_unit_test(chunks_by_write),
        cmocka_unit_test(invalidation_that_was_not_agreed_upon),
        cmocka_unit_test(hole_in_a_capture),
        cmocka_unit_test(reply_without_call),
        cmocka_unit_test(reply_without_call_at_the_end),
        cmocka_unit_test(write_without_call_at_the_end),
        cmocka_unit_test(call_without_reply),
        cmocka_unit_test(reply_before_the_response),
        cmocka_unit_test(reply_too_soon_for_the_response),
        cmocka_unit_test(reply_before_its_call_is_taken),
        cmocka_unit_test(copy_of_a_call_that_is_missing),
        cmocka_unit_test(directions_out_of_step),
        cmocka_unit_test(reply_to_a_missing_disconnect_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
