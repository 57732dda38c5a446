// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/rc_bench.h"

static void on_finding(void *ctx, const struct finding *finding)
{
    struct rc_bench *b = ctx;

    b->findings++;
    b->rule = finding->rule;
    b->severity = finding->severity;
}

static void on_message(void *ctx, const struct rpcrdma_message *message)
{
    struct rc_bench *b = ctx;

    b->calls += message->kind == RPCRDMA_KIND_CALL;
    b->replies += message->kind == RPCRDMA_KIND_REPLY;
}

static void on_payload(void *ctx, const struct rpcrdma_payload *payload)
{
    struct rc_bench *b = ctx;

    b->payloads++;
    b->unreduced = payload->body->unreduced;
}

static const struct rpcrdma_taps taps = {.message = on_message, .payload = on_payload};
static const struct rpcrdma_own rpcrdma = {.taps = &taps};

/* RPC-over-RDMA as a guest whose ends are counted in the bench. */
static struct ulp_kind watched;
static struct rc_bench *watcher;
static const struct ulp_kind *const kinds[] = {&watched, NULL};
static const struct ulp_own own[] = {{&watched, &rpcrdma}, {NULL}};

static void on_end(void *guest, unsigned side, bool reset, const struct place *place)
{
    watcher->ends[side]++;
    rpcrdma_ulp.end(guest, side, reset, place);
}

static void on_closing(void *guest, const struct rdma_closing *closing)
{
    memcpy(watcher->missing, closing->missing, sizeof watcher->missing);
    rpcrdma_ulp.closing(guest, closing);
}

const struct rpcrdma_connection *rc_bench_rpcrdma(const struct rc_bench *b)
{
    return rpcrdma_ulp_connection(stack_guest(b->ib.stack, &watched));
}

static bool on_open(void *ctx, struct ib_connection *connection, struct ib_rc_events *events)
{
    struct rc_bench *b = ctx;
    const struct stack_setup setup = {.options = &b->options, .ctx = b, .verdict = &b->verdict};

    b->ib = (struct stack_ib){.stack = stack_new(&setup), .connection = connection};
    assert_non_null(b->ib.stack);
    *events = stack_ib_events(&b->ib);
    return true;
}

static void on_managed(void *ctx, struct ib_connection *connection, unsigned side, const struct ib_cm *cm,
                       const struct place *place)
{
    struct rc_bench *b = ctx;

    stack_ib_managed(&b->ib, side, cm, place);
}

static void on_close(void *ctx, struct ib_connection *connection, enum ib_connection_end why, int64_t now_ns)
{
    struct rc_bench *b = ctx;

    (void)connection, (void)why;
    stack_ib_finish(&b->ib, now_ns);
    stack_free(b->ib.stack);
}

void rc_bench_arrive(struct rc_bench *b, unsigned side, const struct ib_packet *packet)
{
    struct ib_arrival arrival = {.source = {.kind = IB_ADDRESS_IPV4, .octets = {10, 0, 0, (uint8_t)side}},
                                 .destination = {.kind = IB_ADDRESS_IPV4, .octets = {10, 0, 0, (uint8_t)(1 - side)}},
                                 .packet = packet};

    arrival.frame = ++b->frame;
    arrival.time_ns = b->now_ns += b->step_ns;
    ib_connections_packet(b->connections, &arrival);
}

void rc_bench_manage(struct rc_bench *b, unsigned side, struct ib_cm cm)
{
    uint8_t mad[IB_MAD_LEN];

    assert_int_equal(ib_cm_encode(&cm, mad, sizeof mad), IB_MAD_LEN);
    rc_bench_arrive(b, side,
                    &(struct ib_packet){.bth = {.opcode = 0x64, .qp = IB_QP_CM},
                                        .info = ib_opcode_info(0x64),
                                        .headers = IB_HAS_DETH,
                                        .payload = mad,
                                        .payload_len = IB_MAD_LEN,
                                        .payload_captured = IB_MAD_LEN});
}

void rc_bench_open(struct rc_bench *b, bool client_invalidates, bool server_invalidates)
{
    const struct ib_connection_events events = {.ctx = b, .open = on_open, .managed = on_managed, .close = on_close};
    struct rpcrdma_private_data data = {.version = RPCRDMA_PD_VERSION, .send_size = 4096, .receive_size = 4096};
    uint8_t block[RPCRDMA_PD_LEN], request[IB_IP_CM_LEN + RPCRDMA_PD_LEN];
    struct ib_ip_cm ip = {.ip_version = 4, .source_port = 700};

    memset(b, 0, sizeof *b);
    stack_options_init(&b->options, NULL);
    watcher = b;
    watched = rpcrdma_ulp;
    watched.end = on_end;
    watched.closing = on_closing;
    b->options.ulps = kinds;
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
    rc_bench_manage(b, 0,
                    (struct ib_cm){.attribute = IB_CM_REQUEST,
                                   .local_id = 1,
                                   .qp = RC_CLIENT_QP,
                                   .psn = b->psn[1],
                                   .path_mtu = 1,
                                   .path.ack_timeout = 14,
                                   .service = ib_service_of_port(20049),
                                   .private_data = request,
                                   .private_len = sizeof request});
    data.remote_invalidation = server_invalidates;
    rpcrdma_private_data_encode(&data, block, sizeof block);
    rc_bench_manage(b, 1,
                    (struct ib_cm){.attribute = IB_CM_REPLY,
                                   .local_id = 2,
                                   .remote_id = 1,
                                   .qp = RC_SERVER_QP,
                                   .psn = b->psn[0],
                                   .private_data = block,
                                   .private_len = sizeof block});
    rc_bench_manage(b, 0, (struct ib_cm){.attribute = IB_CM_READY, .local_id = 1, .remote_id = 2});
}

void rc_bench_close(struct rc_bench *b)
{
    ib_connections_finish(b->connections, INT64_C(1000000000));
    ib_connections_free(b->connections);
}

void rc_bench_send_as(struct rc_bench *b, unsigned side, const uint8_t opcodes[4], const uint8_t *p, size_t n,
                      uint64_t address, uint32_t invalidate)
{
    size_t at = 0;

    do {
        size_t piece = n - at < RC_MTU ? n - at : RC_MTU;
        bool first = at == 0, last = at + piece == n;
        uint8_t opcode = opcodes[first && last ? 3 : first ? 0 : last ? 2 : 1];
        const struct ib_opcode_info *info = ib_opcode_info(opcode);

        rc_bench_arrive(
            b, side,
            &(struct ib_packet){.bth = {.opcode = opcode,
                                        .qp = side == 0 ? RC_SERVER_QP : RC_CLIENT_QP,
                                        .psn = b->psn[side]++,
                                        .pad = (uint8_t)(-piece & 3)},
                                .info = info,
                                .headers = info->headers,
                                .reth = {address, RC_HANDLE, (uint32_t)n},
                                .invalidate = invalidate,
                                .payload = p + at,
                                .payload_len = piece,
                                .payload_captured = b->captured && b->captured < piece ? b->captured : piece});
        at += piece;
    } while (at < n);
}

void rc_bench_send(struct rc_bench *b, unsigned side, const struct rpcrdma_plan *plan, size_t n, uint32_t invalidate)
{
    static const uint8_t plain[] = {IB_SEND_FIRST, IB_SEND_MIDDLE, IB_SEND_LAST, IB_SEND_ONLY};
    static const uint8_t invalidating[] = {IB_SEND_FIRST, IB_SEND_MIDDLE, IB_SEND_LAST_INVALIDATE,
                                           IB_SEND_ONLY_INVALIDATE};
    struct xdr_writer w = {.p = b->send, .size = sizeof b->send};

    rpcrdma_header_encode(plan, &w);
    assert_false(w.failed);
    memcpy(b->send + w.at, b->rpc, n);
    rc_bench_send_as(b, side, invalidate ? invalidating : plain, b->send, w.at + n, 0, invalidate);
}

const struct rpcrdma_plan rc_bench_plan = {
    .xid = 9, .vers = RPCRDMA_VERSION, .credit = 32, .proc = RPCRDMA_MSG, .vers_low = 1, .vers_high = 1};

void rc_bench_null_call(struct rc_bench *b, uint32_t xid)
{
    struct rpcrdma_plan plan = rc_bench_plan;

    plan.xid = xid;
    plan.credit = b->credit;
    rc_bench_send(b, 0, &plan, talk_rpc_call(b->rpc, sizeof b->rpc, xid, TALK_NFS, 3, 0, NULL, 0), 0);
}

void rc_bench_null_reply(struct rc_bench *b, uint32_t xid)
{
    struct rpcrdma_plan plan = rc_bench_plan;

    plan.xid = xid;
    plan.credit = b->credit;
    rc_bench_send(b, 1, &plan, talk_rpc_reply(b->rpc, sizeof b->rpc, xid, RPC_SUCCESS, NULL, 0), 0);
}

void rc_bench_read_call(struct rc_bench *b)
{
    struct rpcrdma_segment segment = {.handle = RC_HANDLE, .length = RC_OCTETS, .offset = 0x1000};
    struct rpcrdma_write_plan chunk = {.segments = &segment, .n = 1};
    struct rpcrdma_plan plan = rc_bench_plan;
    uint8_t args[64];
    struct xdr_writer w = {.p = args, .size = sizeof args};

    plan.writes = &chunk;
    plan.n_writes = 1;
    xdr_put_u32(&w, 8); /* file handle */
    xdr_put_u64(&w, 1);
    xdr_put_u64(&w, 0); /* offset */
    xdr_put_u32(&w, RC_OCTETS);
    rc_bench_send(b, 0, &plan, talk_rpc_call(b->rpc, sizeof b->rpc, 9, TALK_NFS, 3, 6, args, w.at), 0);
}

/* Three packets, the offset in the first one only. */
void rc_bench_read_data(struct rc_bench *b)
{
    static const uint8_t opcodes[] = {IB_WRITE_FIRST, IB_WRITE_MIDDLE, IB_WRITE_LAST, IB_WRITE_ONLY};
    static const uint8_t data[RC_OCTETS];

    rc_bench_send_as(b, 1, opcodes, data, RC_OCTETS, 0x1000, 0);
}

void rc_bench_read_reply(struct rc_bench *b, uint32_t invalidate)
{
    struct rpcrdma_segment segment = {.handle = RC_HANDLE, .length = RC_OCTETS, .offset = 0x1000};
    struct rpcrdma_write_plan chunk = {.segments = &segment, .n = 1};
    struct rpcrdma_plan plan = rc_bench_plan;
    uint8_t results[256];
    struct xdr_writer w = {.p = results, .size = sizeof results};

    plan.writes = &chunk;
    plan.n_writes = 1;
    xdr_put_u32(&w, 0); /* NFS3_OK */
    xdr_put_u32(&w, 0); /* no attributes */
    xdr_put_u32(&w, RC_OCTETS);
    xdr_put_u32(&w, 1); /* end of the file */
    xdr_put_u32(&w, RC_OCTETS);
    rc_bench_send(b, 1, &plan, talk_rpc_reply(b->rpc, sizeof b->rpc, 9, RPC_SUCCESS, results, w.at), invalidate);
}

void rc_bench_read(struct rc_bench *b, uint32_t invalidate)
{
    rc_bench_read_call(b);
    rc_bench_read_data(b);
    rc_bench_read_reply(b, invalidate);
}

void rc_bench_acknowledge(struct rc_bench *b, unsigned side, uint32_t psn)
{
    rc_bench_arrive(b, side,
                    &(struct ib_packet){
                        .bth = {.opcode = IB_ACKNOWLEDGE, .qp = side == 0 ? RC_SERVER_QP : RC_CLIENT_QP, .psn = psn},
                        .info = ib_opcode_info(IB_ACKNOWLEDGE),
                        .headers = IB_HAS_AETH,
                        .aeth = {0x1F, 0}});
}
