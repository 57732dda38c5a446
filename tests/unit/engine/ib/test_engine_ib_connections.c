// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which packets belong to one connection: by connection management, by answers, or by neither. Queue pairs are at A (1)
 * and B (2); delivered packets are noted as "side:opcode" after the number of the connection.
 */
#include "engine/ib/ib_connections.h"
#include "tests/unit/support/support.h"

#include <stdio.h>

enum { A = 1, B = 2, C = 3 };

struct bench {
    struct ib_connections *connections;
    uint32_t frame;
    int64_t now;
    bool refuse;
    char log[NOTES_MAX];
    struct seen {
        struct bench *bench;
        uint32_t id;
    } seen[16];
    struct ib_connection last; /* that was closed */
};

static void on_part(void *ctx, const struct ib_rc_part *part)
{
    const struct seen *seen = ctx;

    note(seen->bench->log, "%u/%u:%02x", seen->id, part->place.side, part->packet->bth.opcode);
}

static bool on_open(void *ctx, struct ib_connection *connection, struct ib_rc_events *events)
{
    struct bench *bench = ctx;
    struct seen *seen = &bench->seen[connection->id % 16];

    *seen = (struct seen){bench, connection->id};
    *events = (struct ib_rc_events){.ctx = seen, .part = on_part};
    return !bench->refuse;
}

static void on_close(void *ctx, struct ib_connection *connection, enum ib_connection_end why, int64_t now_ns)
{
    static const char *const words[] = {"ended", "reused", "evicted", "capture"};
    struct bench *bench = ctx;

    bench->last = *connection;
    note(bench->log, "%u-%s", connection->id, words[why]);
}

static void on_managed(void *ctx, struct ib_connection *connection, unsigned side, const struct ib_cm *cm,
                       const struct place *place)
{
    struct bench *bench = ctx;

    note(bench->log, "%u/%u:%s", connection->id, side, ib_cm_name(cm->attribute));
}

static void open_with_events(struct bench *bench, const struct ib_connections_options *options,
                             const struct ib_connection_events *events)
{
    ib_connections_free(bench->connections);
    memset(bench, 0, sizeof *bench);
    bench->connections = ib_connections_new(options, events);
    assert_non_null(bench->connections);
}

static void open_with(struct bench *bench, const struct ib_connections_options *options)
{
    open_with_events(bench, options, &(struct ib_connection_events){bench, on_open, on_managed, on_close, NULL});
}

static void open_bench(struct bench *bench, uint32_t max_connections)
{
    open_with(bench, &(struct ib_connections_options){.max_connections = max_connections});
}

static void finish_bench(struct bench *bench, const char *expected)
{
    ib_connections_finish(bench->connections, bench->now);
    assert_string_equal(bench->log, expected);
}

static void unlimited(struct bench *bench)
{
    open_bench(bench, 0);
}

static void free_bench(struct bench *bench)
{
    ib_connections_free(bench->connections);
}

/* A test on `bench`, for any number of connections. */
#define BENCH(test) UNIT_TEST_ON(test, struct bench, bench, unlimited, free_bench)

static struct ib_address address(unsigned host)
{
    return (struct ib_address){.kind = IB_ADDRESS_IPV4, .octets = {10, 0, 0, (uint8_t)host}};
}

static void arrive(struct bench *bench, unsigned from, unsigned to, const struct ib_packet *packet)
{
    bench->now += 1000;
    ib_connections_packet(bench->connections, &(struct ib_arrival){.source = address(from),
                                                                   .destination = address(to),
                                                                   .packet = packet,
                                                                   .frame = ++bench->frame,
                                                                   .time_ns = bench->now});
}

static void packet(struct bench *bench, unsigned from, unsigned to, uint32_t qp, uint8_t opcode, uint32_t psn)
{
    static const uint8_t octets[64];
    const struct ib_opcode_info *info = ib_opcode_info(opcode);

    arrive(bench, from, to,
           &(struct ib_packet){.bth = {.opcode = opcode, .qp = qp, .psn = psn},
                               .info = info,
                               .headers = info->headers,
                               .aeth = {0x1F, 0},
                               .payload = octets,
                               .payload_len = info->payload ? 4 : 0,
                               .payload_captured = info->payload ? 4 : 0});
}

static void manage(struct bench *bench, unsigned from, unsigned to, struct ib_cm cm)
{
    uint8_t mad[IB_MAD_LEN];

    assert_int_equal(ib_cm_encode(&cm, mad, sizeof mad), IB_MAD_LEN);
    arrive(bench, from, to,
           &(struct ib_packet){.bth = {.opcode = 0x64, .qp = IB_QP_CM},
                               .info = ib_opcode_info(0x64),
                               .headers = IB_HAS_DETH,
                               .payload = mad,
                               .payload_len = IB_MAD_LEN,
                               .payload_captured = IB_MAD_LEN});
}

#define REQUEST(from, to, id, number)                                                                                  \
    manage(bench, from, to,                                                                                            \
           (struct ib_cm){.attribute = IB_CM_REQUEST,                                                                  \
                          .local_id = id,                                                                              \
                          .qp = number,                                                                                \
                          .psn = 500,                                                                                  \
                          .path_mtu = 1,                                                                               \
                          .service = ib_service_of_port(20049),                                                        \
                          .responder_resources = 4,                                                                    \
                          .initiator_depth = 3})
#define REPLY(from, to, id, remote, number)                                                                            \
    manage(bench, from, to,                                                                                            \
           (struct ib_cm){.attribute = IB_CM_REPLY, .local_id = id, .remote_id = remote, .qp = number, .psn = 900})
#define SAY(kind, from, to, id, remote)                                                                                \
    manage(bench, from, to, (struct ib_cm){.attribute = kind, .local_id = id, .remote_id = remote, .reason = 28})

BENCH(by_management)
{
    REQUEST(A, B, 71, 0x11);
    REQUEST(A, B, 71, 0x11);   /* again */
    REPLY(B, A, 82, 71, 0x11); /* the same number on both hosts */
    SAY(IB_CM_READY, A, B, 71, 82);
    packet(bench, A, B, 0x11, IB_SEND_ONLY, 900);
    packet(bench, B, A, 0x11, IB_ACKNOWLEDGE, 900);
    packet(bench, B, A, 0x11, IB_SEND_ONLY, 500);
    packet(bench, A, C, 0x11, IB_SEND_ONLY, 900); /* another connection's */
    SAY(IB_CM_DISCONNECT_REQUEST, B, A, 82, 71);
    SAY(IB_CM_DISCONNECT_REPLY, A, B, 71, 82);
    ib_connections_finish(bench->connections, bench->now);
    assert_string_equal(bench->log,
                        "1/0:ConnectRequest 1/0:ConnectRequest 1/1:ConnectReply 1/0:ReadyToUse 1/0:04 1/1:04 "
                        "1/1:DisconnectRequest 1/0:DisconnectReply 1-capture 2/0:04 2-capture");
}

BENCH(facts_of_management)
{
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    ib_connections_finish(bench->connections, 0);
    assert_true(bench->last.request_seen && bench->last.reply_seen && !bench->last.ready_seen && !bench->last.rejected);
    assert_int_equal(bench->last.qp[0], 0x11);
    assert_int_equal(bench->last.qp[1], 0x22);
    assert_int_equal(bench->last.port[1], 20049);
    assert_int_equal(bench->last.ird[0], 4);
    assert_int_equal(bench->last.ord[0], 3);
}

BENCH(rejected)
{
    REQUEST(A, B, 71, 0x11);
    SAY(IB_CM_REJECT, B, A, 0, 71);
    bench->now += INT64_C(20) * 1000000000;
    packet(bench, A, B, 0x99, IB_SEND_ONLY, 1); /* time passes */
    assert_true(bench->last.rejected);
    assert_int_equal(bench->last.reject_reason, 28);
    finish_bench(bench, "1/0:ConnectRequest 1/1:ConnectReject 1-ended 2/0:04 2-capture");
}

/* A queue pair number is reused by another connection. */
BENCH(reused)
{
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 900);
    REQUEST(A, B, 72, 0x33);
    REPLY(B, A, 83, 72, 0x22);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 900);
    finish_bench(bench, "1/0:ConnectRequest 1/1:ConnectReply 1/0:04 2/0:ConnectRequest 2/1:ConnectReply 2/0:04 "
                        "1-reused 2-capture");
}

static void talk(struct bench *bench, uint32_t there, uint32_t back)
{
    packet(bench, A, B, 0x22, IB_SEND_ONLY, there);
    packet(bench, B, A, 0x11, IB_ACKNOWLEDGE, there);
    packet(bench, B, A, 0x11, IB_SEND_ONLY, back);
    packet(bench, A, B, 0x22, IB_ACKNOWLEDGE, back);
}

/* Nor does a whole handshake, or one packet of the connection that it is about. */
BENCH(a_forged_request_does_not_end_a_connection)
{
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    talk(bench, 900, 500);
    bench->log[0] = '\0';
    manage(bench, A, B, (struct ib_cm){.attribute = IB_CM_REQUEST, .local_id = 99, .qp = 0x11, .psn = 70000});
    talk(bench, 901, 501);
    manage(bench, B, A,
           (struct ib_cm){.attribute = IB_CM_REPLY, .local_id = 98, .remote_id = 99, .qp = 0x22, .psn = 80000});
    talk(bench, 902, 502);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 80000);
    talk(bench, 903, 503);
    finish_bench(bench, "2/0:ConnectRequest 1/0:04 1/1:04 2/1:ConnectReply 1/0:04 1/1:04 2/0:04 1/0:04 1/1:04 "
                        "1-capture 2-capture");
}

/* Both sides use the new connection, whose request found the former connection on the same queue pair. */
BENCH(a_connection_without_its_end_ends_with_the_next_one)
{
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    talk(bench, 900, 500);
    bench->log[0] = '\0';
    manage(bench, A, B, (struct ib_cm){.attribute = IB_CM_REQUEST, .local_id = 99, .qp = 0x11, .psn = 70000});
    manage(bench, B, A,
           (struct ib_cm){.attribute = IB_CM_REPLY, .local_id = 98, .remote_id = 99, .qp = 0x22, .psn = 80000});
    talk(bench, 80000, 70000);
    talk(bench, 80001, 70001);
    finish_bench(bench, "2/0:ConnectRequest 2/1:ConnectReply 2/0:04 1-reused 2/1:04 2/0:04 2/1:04 2-capture");
}

/* The former connection ends, and the next one owns the queue pair. */
BENCH(a_rival_takes_over)
{
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    talk(bench, 900, 500);
    bench->log[0] = '\0';
    manage(bench, A, B, (struct ib_cm){.attribute = IB_CM_REQUEST, .local_id = 99, .qp = 0x11, .psn = 70000});
    SAY(IB_CM_DISCONNECT_REQUEST, B, A, 82, 71);
    bench->now += INT64_C(20) * 1000000000;
    packet(bench, B, A, 0x11, IB_SEND_ONLY, 70000);
    finish_bench(bench, "2/0:ConnectRequest 1/1:DisconnectRequest 1-ended 2/1:04 2-capture");
}

/* The former connection has ended, and the next one, which nobody used, must not keep its claim. */
BENCH(a_rival_gives_way_to_the_next_one)
{
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    talk(bench, 900, 500);
    bench->log[0] = '\0';
    manage(bench, A, B, (struct ib_cm){.attribute = IB_CM_REQUEST, .local_id = 99, .qp = 0x11, .psn = 70000});
    SAY(IB_CM_DISCONNECT_REQUEST, B, A, 82, 71);
    manage(bench, A, B, (struct ib_cm){.attribute = IB_CM_REQUEST, .local_id = 100, .qp = 0x11, .psn = 80000});
    packet(bench, B, A, 0x11, IB_SEND_ONLY, 80000);
    finish_bench(bench, "2/0:ConnectRequest 1/1:DisconnectRequest 1-reused 2-reused 3/0:ConnectRequest 3/1:04 "
                        "3-capture");
}

/* Both ends of a connection within a host have the same number: both directions look the same. */
BENCH(a_queue_pair_that_is_connected_to_itself)
{
    REQUEST(A, A, 71, 0x11);
    REPLY(A, A, 82, 71, 0x11);
    packet(bench, A, A, 0x11, IB_SEND_ONLY, 900);
    finish_bench(bench, "1/0:ConnectRequest 1/1:ConnectReply 1/1:04 1-capture");
}

/* No management: answers show which two directions belong together, even among several. */
BENCH(by_what_answers)
{
    packet(bench, A, B, 0x21, IB_SEND_ONLY, 1000);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 7000);
    packet(bench, B, A, 0x12, IB_SEND_ONLY, 40);
    assert_string_equal(bench->log, "");
    packet(bench, B, A, 0x12, IB_ACKNOWLEDGE, 7000);
    assert_string_equal(bench->log, "1/0:04 1/1:04");
    packet(bench, B, A, 0x11, IB_ACKNOWLEDGE, 1000);
    packet(bench, A, B, 0x21, IB_SEND_ONLY, 1001);
    finish_bench(bench, "1/0:04 1/1:04 2/0:04 2/0:04 1-capture 2-capture");
}

/* The queue pair identifies the end even if the start was not captured. */
BENCH(disconnected_by_queue_pair)
{
    packet(bench, A, B, 0x21, IB_SEND_ONLY, 1000);
    packet(bench, B, A, 0x11, IB_ACKNOWLEDGE, 1000);
    manage(bench, B, A,
           (struct ib_cm){.attribute = IB_CM_DISCONNECT_REQUEST, .local_id = 82, .remote_id = 71, .qp = 0x12});
    manage(bench, B, A,
           (struct ib_cm){.attribute = IB_CM_DISCONNECT_REQUEST, .local_id = 82, .remote_id = 71, .qp = 0x11});
    finish_bench(bench, "1/0:04 1/1:DisconnectRequest 1-capture");
}

/* Two connections received the same PSN: the answer may be for either, until another PSN decides. */
BENCH(in_doubt)
{
    packet(bench, A, B, 0x21, IB_SEND_ONLY, 1000);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 1000);
    packet(bench, B, A, 0x11, IB_ACKNOWLEDGE, 1000);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 1001);
    assert_string_equal(bench->log, "");
    packet(bench, B, A, 0x11, IB_ACKNOWLEDGE, 1001);
    finish_bench(bench, "1/0:04 1/0:04 1-capture 2/0:04 2-capture");
}

/* The same if the user names the pair: at the first packet of the second one. */
BENCH(in_no_doubt)
{
    static const struct ib_qp_pair assumed[] = {{{0x99, 0x98}}, {{0x11, 0x22}}};

    open_with(bench, &(struct ib_connections_options){.assumed = assumed, .n_assumed = ARRAY_LENGTH(assumed)});
    packet(bench, A, B, 0x21, IB_SEND_ONLY, 1000);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 1000);
    assert_string_equal(bench->log, "");
    packet(bench, B, A, 0x11, IB_SEND_ONLY, 5000);
    assert_string_equal(bench->log, "1/0:04 1/1:04");
    packet(bench, B, A, 0x11, IB_ACKNOWLEDGE, 1000);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 1001);
    finish_bench(bench, "1/0:04 1/1:04 1/0:04 1-capture 2/0:04 2-capture");
}

BENCH(one_direction)
{
    packet(bench, A, B, 0x21, IB_SEND_ONLY, 1000);
    packet(bench, A, B, 0x21, IB_SEND_ONLY, 1001);
    ib_connections_finish(bench->connections, 0);
    assert_true(bench->last.qp_known[1] && !bench->last.qp_known[0]);
    finish_bench(bench, "1/0:04 1/0:04 1-capture");
}

BENCH(bounds)
{
    open_bench(bench, 2);
    for (unsigned i = 0; i < 3; i++)
        REQUEST(A, B, i, 0x11 + i);
    finish_bench(bench, "1/0:ConnectRequest 2/0:ConnectRequest 1-evicted 3/0:ConnectRequest 2-capture 3-capture");

    /* Queue pairs without counterpart: the oldest is judged as it is. */
    open_bench(bench, 100000);
    for (unsigned i = 0; i < IB_UNPAIRED_MAX + 2; i++)
        packet(bench, A, B, i, IB_SEND_ONLY, 5);
    assert_string_equal(bench->log, "1/0:04 2/0:04");

    /* And packets kept for one of them. */
    open_bench(bench, 0);
    for (unsigned i = 0; i < 2000 && bench->log[0] == '\0'; i++)
        packet(bench, A, B, 0x21, IB_ACKNOWLEDGE, 5);
    ib_connections_finish(bench->connections, 0);
    assert_string_equal(bench->log, "1-capture");
    assert_true(bench->last.packets > 500 && bench->last.packets <= 2000);
}

struct kept {
    unsigned unpaired;
    size_t held;
};

static void on_unpaired(void *ctx, uint32_t frame)
{
    (void)frame;
    ((struct kept *)ctx)->unpaired++;
}

static void on_held(void *ctx, size_t octets)
{
    ((struct kept *)ctx)->held += octets;
}

static struct kept kept_of(struct bench *bench)
{
    struct kept kept = {0};

    ib_connections_kept(bench->connections, &(struct kept_visit){&kept, NULL, on_unpaired, on_held});
    return kept;
}

/* By frames, and by packets that wait for a missing one; a queue pair with one packet is forgotten. */
BENCH(trimmed)
{
    const struct ib_connections_options options = {.max_connections = UINT32_MAX, .max_unpaired = UINT32_MAX};

    open_with(bench, &options);
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 905);
    packet(bench, A, B, 0x31, IB_SEND_ONLY, 5);
    packet(bench, A, B, 0x32, IB_SEND_ONLY, 5);
    packet(bench, A, B, 0x32, IB_SEND_ONLY, 6);
    packet(bench, A, B, 0x33, IB_SEND_ONLY, 5);
    assert_int_equal(kept_of(bench).unpaired, 3);
    assert_string_equal(bench->log, "1/0:ConnectRequest 1/1:ConnectReply");
    assert_int_equal(
        ib_connections_trim(bench->connections, &(struct kept_limits){.unpaired = 5, .held = SIZE_MAX}, bench->now), 1);
    assert_int_equal(kept_of(bench).unpaired, 1);
    assert_int_equal(ib_connections_trim(bench->connections, &(struct kept_limits){.held = 1}, bench->now), 1);
    assert_int_equal(kept_of(bench).held, 0);
    assert_int_equal(
        ib_connections_trim(bench->connections, &(struct kept_limits){.connection = 3, .held = SIZE_MAX}, bench->now),
        0);
    finish_bench(bench, "1/0:ConnectRequest 1/1:ConnectReply 2/0:04 2/0:04 1/0:04 1-evicted 2-capture");
}

static void on_forgotten(void *ctx, uint32_t frame)
{
    struct bench *bench = ctx;

    note(bench->log, "forgot-%u", frame);
}

/* A queue pair with a single packet is forgotten, one with more is judged; at the end, one at a time. */
BENCH(making_room)
{
    const struct ib_connections_options options = {.max_unpaired = 2};

    open_with_events(bench, &options,
                     &(struct ib_connection_events){bench, on_open, on_managed, on_close, on_forgotten});
    packet(bench, A, B, 1, IB_SEND_ONLY, 1);
    packet(bench, A, B, 2, IB_SEND_ONLY, 1);
    packet(bench, A, B, 2, IB_SEND_ONLY, 2);
    packet(bench, A, B, 3, IB_SEND_ONLY, 1);
    packet(bench, A, B, 4, IB_SEND_ONLY, 1);
    finish_bench(bench, "forgot-1 1/0:04 1/0:04 1-capture 2/0:04 2-capture 3/0:04 3-capture");
}

static void tapped(struct bench *bench, uint8_t opcode, uint32_t psn, uint8_t left_out)
{
    static const uint8_t octets[64];
    const struct ib_opcode_info *info = ib_opcode_info(opcode);

    arrive(bench, A, B,
           &(struct ib_packet){.bth = {.opcode = opcode, .qp = 0x22, .psn = psn},
                               .info = info,
                               .headers = info->headers,
                               .reth = {0x1000, 7, 5 * IB_MTU_MAX},
                               .payload = octets,
                               .payload_len = IB_MTU_MAX,
                               .tap = {.tapped = true, .left_out = left_out}});
}

/* A tap leaves out the middle packets of a Write that have no octets in the file; of other messages it cannot. */
BENCH(left_out_packets_are_filled_in)
{
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    bench->log[0] = '\0';
    tapped(bench, IB_WRITE_FIRST, 900, 3);
    tapped(bench, IB_WRITE_LAST, 904, 3);
    tapped(bench, IB_SEND_ONLY, 905, 255);
    finish_bench(bench, "1/0:06 1/0:07 1/0:07 1/0:07 1/0:08 1/0:04 1-capture");
}

BENCH(host_refuses)
{
    bench->refuse = true;
    REQUEST(A, B, 71, 0x11);
    REPLY(B, A, 82, 71, 0x22);
    packet(bench, A, B, 0x22, IB_SEND_ONLY, 900);
    finish_bench(bench, "");
}

BENCH(many)
{
    enum { N = 3000 };

    for (uint32_t i = 0; i < N; i++) {
        REQUEST(A, B, i, i + 2);
        REPLY(B, A, i + 100000, i, N - i + 2);
        bench->log[0] = '\0';
    }
    for (uint32_t i = 0; i < N; i++) {
        char text[32];

        bench->log[0] = '\0';
        packet(bench, A, B, N - i + 2, IB_SEND_ONLY, 900);
        assert_non_null(strstr(bench->log, "/0:04"));
        assert_null(strchr(bench->log, ' '));
        SAY(IB_CM_DISCONNECT_REQUEST, B, A, i + 100000, i);
        snprintf(text, sizeof text, "%u/1:DisconnectRequest", i + 1);
        assert_non_null(strstr(bench->log, text));
    }
    bench->log[0] = '\0';
    bench->now += INT64_C(11) * 1000000000;
    for (unsigned i = 0; i < 3; i++)
        packet(bench, A, C, 7, IB_SEND_ONLY, i); /* each packet retires one */
    assert_string_equal(bench->log, "1-ended 2-ended 3-ended");
}
