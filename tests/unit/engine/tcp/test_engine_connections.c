// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distinguishing connections. Events are noted: open<id>:<port of side 0>, close<id>:<why>, <id>.<side>@<offset>+<n>.
 */
#include "engine/core/hash.h"
#include "engine/stack/stack.h"
#include "engine/tcp/connections.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>

struct trace {
    struct connections *connections;
    uint32_t frame;
    int64_t now;
    char log[NOTES_MAX];
    uint32_t dismiss; /* id of the connection to dismiss at its first octets */
};

struct consumer {
    struct trace *trace;
    struct connection *connection;
    struct stack *stack;
    struct verdict verdict;
};

static void octets_event(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                         const struct octets_origin *origin)
{
    struct consumer *c = ctx;

    note(c->trace->log, "%u.%u@%llu+%zu", c->connection->id, side, (unsigned long long)offset, n);
    if (c->trace->dismiss == c->connection->id)
        connection_dismiss(c->connection);
}

static void end_event(void *ctx, unsigned side, bool reset, const struct place *place)
{
    struct consumer *c = ctx;

    (void)place;
    if (reset)
        note(c->trace->log, "%u.%u@reset", c->connection->id, side);
}

static bool open_event(void *ctx, struct connection *connection)
{
    static const struct stack_options options = {.first = STACK_TCP, .last = STACK_TCP};
    static const struct stack_taps taps = {.octets = octets_event, .end = end_event};
    struct consumer *c = calloc(1, sizeof *c);
    const struct stack_setup setup = {.options = &options, .taps = &taps, .ctx = c, .verdict = &c->verdict};
    c->trace = ctx;
    c->connection = connection;
    connection->host = c;
    c->stack = stack_new(&setup);
    connection->tcp = c->stack ? stack_pair(c->stack) : NULL;
    note(((struct trace *)ctx)->log, "open%u:%u", connection->id, connection->endpoint[0].port);
    return c->stack != NULL;
}

static void close_event(void *ctx, struct connection *connection, enum connection_end why, int64_t now_ns)
{
    static const char *const words[] = {"closed", "reused", "evicted", "dismissed", "capture"};
    struct consumer *c = connection->host;
    stack_finish(c->stack, now_ns);
    note(((struct trace *)ctx)->log, "close%u:%s", connection->id, words[why]);
    stack_free(c->stack);
    free(c);
}

static void start_with(struct trace *t, const struct connections_options *options)
{
    struct connection_events events = {.ctx = t, .open = open_event, .close = close_event};
    memset(t, 0, sizeof *t);
    t->connections = connections_new(options, &events);
    assert_non_null(t->connections);
}

static void start(struct trace *t)
{
    start_with(t, NULL);
}

static void finish(struct trace *t)
{
    connections_finish(t->connections, t->now);
    connections_free(t->connections);
    t->connections = NULL;
}

static void expect(struct trace *t, const char *log)
{
    notes_expect(t->log, log);
}

static void end(struct trace *t)
{
    assert_null(t->connections); /* finished */
    expect(t, "");
}

/* A test on the trace `t`; begin: start or established. */
#define TRACE(test, begin) UNIT_TEST_ON(test, struct trace, t, begin, end)

/* Client at `port`, server at 20; from_server turns the direction. */
static struct connection *give(struct trace *t, uint16_t port, bool from_server, unsigned flags, uint32_t seq,
                               uint32_t ack, uint32_t length)
{
    static const uint8_t payload[2000];
    struct endpoint client = {.ip = 4, .address = {10, 0, 0, 1}, .port = port};
    struct endpoint server = {.ip = 4, .address = {10, 0, 0, 2}, .port = 20};
    struct addressed_segment a = {.source = from_server ? server : client,
                                  .destination = from_server ? client : server,
                                  .segment = {.frame = ++t->frame,
                                              .time_ns = t->now += 1000,
                                              .flags = (uint8_t)flags,
                                              .window = 65535,
                                              .window_scale = 255,
                                              .seq = seq,
                                              .ack = ack,
                                              .length = length,
                                              .captured = length,
                                              .payload = payload}};
    return connections_segment(t->connections, &a);
}

enum { CLIENT = 0, SERVER = 1 };

static void handshake(struct trace *t, uint16_t port, uint32_t isn)
{
    give(t, port, CLIENT, TCP_SYN, isn, 0, 0);
    give(t, port, SERVER, TCP_SYN | TCP_ACK, 9000, isn + 1, 0);
    give(t, port, CLIENT, TCP_ACK, isn + 1, 9001, 0);
}

/* After handshake: n octets from the client, both FINs. */
static void talk_and_close(struct trace *t, uint16_t port, uint32_t isn, uint32_t n)
{
    give(t, port, CLIENT, TCP_ACK, isn + 1, 9001, n);
    give(t, port, CLIENT, TCP_ACK | TCP_FIN, isn + 1 + n, 9001, 0);
    give(t, port, SERVER, TCP_ACK | TCP_FIN, 9001, isn + 2 + n, 0);
    give(t, port, CLIENT, TCP_ACK, isn + 2 + n, 9002, 0);
}

TRACE(two_at_a_time, start)
{
    handshake(t, 1, 100);
    handshake(t, 2, 100);
    give(t, 1, CLIENT, TCP_ACK, 101, 9001, 5);
    give(t, 2, SERVER, TCP_ACK, 9001, 101, 6);
    struct connection *connection = give(t, 1, SERVER, TCP_ACK, 9001, 106, 7);
    assert_int_equal(connection->id, 1);
    assert_int_equal(connection->start_frame, 1);
    assert_int_equal(connection->end_frame, 9);
    assert_int_equal(connection->segments, 5);
    finish(t);
    expect(t, "open1:1 open2:2 1.0@0+5 2.1@0+6 1.1@0+7 close1:capture close2:capture");
}

TRACE(sides, start)
{
    give(t, 1, SERVER, TCP_SYN | TCP_ACK, 1, 1, 0); /* answers the client: side 0 */
    give(t, 2, SERVER, TCP_ACK, 1, 1, 3);           /* in mid-stream: the first sender */
    give(t, 2, CLIENT, TCP_ACK, 1, 4, 3);
    give(t, 3, SERVER, TCP_SYN, 1, 0, 0);
    give(t, 4, CLIENT, TCP_RST, 1, 0, 0); /* resets nothing */
    finish(t);
    expect(t, "open1:1 open2:20 2.0@0+3 2.1@0+3 open3:20 close1:capture close2:capture close3:capture");
}

TRACE(reused_after_close, start)
{
    handshake(t, 1, 100);
    talk_and_close(t, 1, 100, 5);
    give(t, 1, CLIENT, TCP_ACK, 101, 9001, 5); /* late */
    handshake(t, 1, 70000);
    give(t, 1, CLIENT, TCP_ACK, 70001, 9001, 8);
    finish(t);
    expect(t, "open1:1 1.0@0+5 close1:reused open2:1 2.0@0+8 close2:capture");
}

/* The capture lacks one connection's end and the other's SYNs. One direction may be this far off. */
TRACE(reused_unseen, start)
{
    handshake(t, 1, 100);
    give(t, 1, CLIENT, TCP_ACK, 101, 9001, 5);
    give(t, 1, SERVER, TCP_ACK, 9001, 106, 7);
    give(t, 1, CLIENT, TCP_ACK, 101 + (9 << 20), 9008, 5);
    expect(t, "open1:1 1.0@0+5 1.1@0+7");
    give(t, 1, CLIENT, TCP_ACK, 101 + (40 << 20), 9008 + (40 << 20), 5);
    give(t, 1, SERVER, TCP_ACK, 9008 + (40 << 20), 106 + (40 << 20), 7);
    finish(t);
    expect(t, "open2:1 2.0@0+5 2.1@0+7 close1:reused close2:capture");
}

TRACE(retired_when_quiet_and_late_segments_open_nothing, start)
{
    handshake(t, 1, 100);
    talk_and_close(t, 1, 100, 5);
    handshake(t, 2, 100);
    t->now += INT64_C(11000000000);
    give(t, 2, CLIENT, TCP_ACK, 101, 9001, 1);
    expect(t, "open1:1 1.0@0+5 open2:2 close1:closed 2.0@0+1");
    assert_null(give(t, 1, CLIENT, TCP_ACK, 101, 9001, 5));
    assert_null(give(t, 1, SERVER, TCP_ACK | TCP_FIN, 9001, 107, 0));
    assert_null(give(t, 1, CLIENT, TCP_SYN, 100, 0, 0)); /* even its SYN */
    assert_null(give(t, 1, CLIENT, TCP_RST, 5, 0, 0));
    expect(t, "");
    /* Octets from a distant number belong to a connection whose SYN is missing. */
    give(t, 1, CLIENT, TCP_ACK, 0x70000000, 1, 9);
    handshake(t, 1, 4000);
    finish(t);
    expect(t, "open3:1 3.0@0+9 close3:reused open4:1 close2:capture close4:capture");
}

TRACE(a_stray_syn_does_not_end_a_connection, start)
{
    handshake(t, 1, 100);
    give(t, 1, CLIENT, TCP_ACK, 101, 9001, 5);
    give(t, 1, SERVER, TCP_ACK, 9001, 106, 5);
    assert_null(give(t, 1, CLIENT, TCP_SYN, 5000000, 0, 0));
    give(t, 1, SERVER, TCP_ACK, 9006, 106, 0); /* challenge */
    give(t, 1, CLIENT, TCP_ACK, 106, 9006, 5);
    expect(t, "open1:1 1.0@0+5 1.1@0+5 1.0@5+5");
    /* But an answered one does; it began at its SYN. */
    give(t, 1, CLIENT, TCP_SYN, 6000000, 0, 0);
    uint32_t frame = t->frame;
    struct connection *connection = give(t, 1, SERVER, TCP_SYN | TCP_ACK, 80000, 6000001, 0);
    assert_int_equal(connection->start_frame, frame);
    assert_int_equal(connection->segments, 2);
    give(t, 1, CLIENT, TCP_ACK, 6000001, 80001, 5);
    give(t, 1, SERVER, TCP_ACK, 80001, 6000006, 5);
    finish(t);
    expect(t, "open2:1 2.0@0+5 2.1@0+5 close1:reused close2:capture");
}

/* Both sides have sent five octets. */
static void established(struct trace *t)
{
    start(t);
    handshake(t, 1, 100);
    give(t, 1, CLIENT, TCP_ACK, 101, 9001, 5);
    give(t, 1, SERVER, TCP_ACK, 9001, 106, 5);
    expect(t, "open1:1 1.0@0+5 1.1@0+5");
}

static void goes_on_and_ends(struct trace *t, const char *log)
{
    give(t, 1, CLIENT, TCP_ACK, 106, 9006, 5);
    give(t, 1, SERVER, TCP_ACK, 9006, 111, 5);
    finish(t);
    expect(t, log);
}

TRACE(a_forged_syn_ack_does_not_end_a_connection, established)
{
    assert_null(give(t, 1, SERVER, TCP_SYN | TCP_ACK, 0x33333333, 0xdeadbeef, 0));
    goes_on_and_ends(t, "1.0@5+5 1.1@5+5 close1:capture");
}

/* Nor does one with octets, of one side alone. */
TRACE(a_forged_handshake_does_not_end_a_connection, established)
{
    handshake(t, 1, 70000000);
    give(t, 1, CLIENT, TCP_ACK, 70000001, 9001, 20);
    goes_on_and_ends(t, "open2:1 2.0@0+20 1.0@5+5 1.1@5+5 close1:capture close2:capture");
}

TRACE(nor_do_several_of_them, established)
{
    handshake(t, 1, 70000000);
    handshake(t, 1, 170000000);
    handshake(t, 1, 270000000);
    goes_on_and_ends(t, "open2:1 close2:reused open3:1 close3:reused open4:1 1.0@5+5 1.1@5+5 close1:capture "
                        "close4:capture");
}

/* The former connection ended when it fell silent, if this is certain. */
TRACE(a_connection_without_its_end_ends_with_the_next_one, established)
{
    handshake(t, 1, 70000000);
    t->now += INT64_C(3600000000000);
    give(t, 1, CLIENT, TCP_ACK, 70000001, 9001, 20);
    expect(t, "open2:1 2.0@0+20");
    give(t, 1, SERVER, TCP_ACK, 9001, 70000021, 20);
    expect(t, "2.1@0+20 close1:reused");
    give(t, 1, CLIENT, TCP_ACK, 101, 9001, 5); /* late: of neither */
    finish(t);
    expect(t, "close2:capture");
}

TRACE(a_reset_out_of_sequence_ends_nothing_that_goes_on, established)
{
    assert_null(give(t, 1, CLIENT, TCP_RST, 106 + 500, 0, 0));
    goes_on_and_ends(t, "1.0@5+5 1.1@5+5 close1:capture");
    /* The capture may have lost octets before a reset: if silence follows, the reset counts. */
    established(t);
    assert_null(give(t, 1, CLIENT, TCP_RST, 106 + 500, 0, 0));
    give(t, 1, SERVER, TCP_ACK, 9006, 106, 5);
    finish(t);
    expect(t, "1.1@5+5 1.0@reset close1:capture");
    /* An end without doubt comes first. */
    established(t);
    assert_null(give(t, 1, CLIENT, TCP_RST, 106 + 500, 0, 0));
    give(t, 1, SERVER, TCP_RST, 9006, 0, 0);
    finish(t);
    expect(t, "1.1@reset close1:closed");
}

UNIT_TEST(a_former_connection_makes_room_as_others_do)
{
    const struct connections_options options = {.max_connections = 2};
    struct trace t;

    start_with(&t, &options);
    handshake(&t, 1, 100);
    give(&t, 1, CLIENT, TCP_ACK, 101, 9001, 5);
    give(&t, 1, SERVER, TCP_ACK, 9001, 106, 5);
    handshake(&t, 1, 70000000);
    handshake(&t, 2, 300);
    give(&t, 1, CLIENT, TCP_ACK, 70000001, 9001, 20);
    handshake(&t, 3, 300);
    finish(&t);
    expect(&t, "open1:1 1.0@0+5 1.1@0+5 open2:1 close1:reused open3:2 2.0@0+20 close3:evicted open4:3 close2:capture "
               "close4:capture");
}

TRACE(dismissed, start)
{
    t->dismiss = 1;
    handshake(t, 1, 100);
    assert_null(give(t, 1, CLIENT, TCP_ACK, 101, 9001, 5));
    assert_null(give(t, 1, CLIENT, TCP_ACK, 106, 9001, 5));
    assert_null(give(t, 1, CLIENT, TCP_ACK, 50000000, 9001, 5));
    handshake(t, 1, 7777);
    finish(t);
    expect(t, "open1:1 1.0@0+5 close1:dismissed open2:1 close2:capture");
}

UNIT_TEST(bounded)
{
    struct connections_options options = {.max_connections = 3};
    struct trace t;

    start_with(&t, &options);
    for (uint16_t port = 1; port <= 3; port++)
        handshake(&t, port, 100);
    give(&t, 1, CLIENT, TCP_ACK, 101, 9001, 5);
    handshake(&t, 4, 100);
    finish(&t);
    expect(&t, "open1:1 open2:2 open3:3 1.0@0+5 close2:evicted open4:4 close1:capture close3:capture close4:capture");
}

struct kept {
    unsigned ended;
    size_t held;
};

static void on_ended(void *ctx, uint32_t frame)
{
    struct kept *kept = ctx;

    assert_true(frame > 0);
    kept->ended++;
}

static void on_held(void *ctx, size_t octets)
{
    struct kept *kept = ctx;

    kept->held += octets;
}

static struct kept kept_of(struct trace *t)
{
    struct kept kept = {0};

    connections_kept(t->connections, &(struct kept_visit){&kept, on_ended, NULL, on_held});
    return kept;
}

/* By frames of the last segments, and by segments that wait after a hole; connections within the limits stay. */
UNIT_TEST(trimmed)
{
    const struct connections_options options = {.max_connections = UINT32_MAX};
    struct trace t;
    struct kept kept;

    start_with(&t, &options);
    for (uint16_t port = 1; port <= 3; port++)
        handshake(&t, port, 100); /* up to frames 3, 6, 9 */
    give(&t, 2, CLIENT, TCP_ACK, 111, 9001, 500);
    give(&t, 3, CLIENT, TCP_ACK, 111, 9001, 50);
    kept = kept_of(&t);
    assert_int_equal(kept.ended, 0);
    assert_true(kept.held > 550);
    connections_trim(t.connections, &(struct kept_limits){.connection = 3, .held = SIZE_MAX}, t.now);
    connections_trim(t.connections, &(struct kept_limits){.held = 500}, t.now);
    assert_true(kept_of(&t).held < 500);
    give(&t, 3, CLIENT, TCP_ACK, 101, 9001, 10); /* the octets that were missing */
    assert_int_equal(kept_of(&t).held, 0);
    finish(&t);
    expect(&t, "open1:1 open2:2 open3:3 close1:evicted 2.0@10+500 3.0@0+10 3.0@10+50 close2:capture "
               "close3:capture");
}

/* With or without packets of other connections in between, by frames or by time. */
UNIT_TEST(over_when_its_own_time_has_come)
{
    const struct connections_options options = {.linger_frames = 100};
    struct trace t;

    start_with(&t, &options);
    handshake(&t, 1, 100);
    talk_and_close(&t, 1, 100, 1);
    t.log[0] = '\0';
    connections_reach(t.connections, t.frame + 100, t.now);
    expect(&t, "");
    connections_reach(t.connections, t.frame + 101, t.now);
    assert_int_equal(kept_of(&t).ended, 1);
    connections_trim(t.connections, &(struct kept_limits){.ended = t.frame - 1, .held = SIZE_MAX}, t.now);
    assert_int_equal(kept_of(&t).ended, 1);
    connections_trim(t.connections, &(struct kept_limits){.ended = t.frame, .held = SIZE_MAX}, t.now);
    assert_int_equal(kept_of(&t).ended, 0);
    finish(&t);
    expect(&t, "close1:closed");
}

UNIT_TEST(many)
{
    const struct connections_options options = {.linger_frames = 100};
    struct trace *t = malloc(sizeof *t);

    start_with(t, &options);
    for (uint32_t port = 1; port <= 5000; port++) {
        handshake(t, (uint16_t)port, port);
        talk_and_close(t, (uint16_t)port, port, 1);
        t->log[0] = '\0';
    }
    struct connection *connection = give(t, 5000, CLIENT, TCP_ACK, 5001, 9002, 0);
    assert_int_equal(connection->id, 5000);
    for (uint16_t port = 1; port <= 3000; port++)
        assert_null(give(t, port, CLIENT, TCP_ACK, port + 1U, 9001, 1));
    assert_null(strstr(t->log, "open"));
    connections_finish(t->connections, t->now += INT64_C(20000000000));
    t->log[0] = '\0';
    connections_free(t->connections);
    free(t);
}

/* Both directions are in one share; nobody can choose addresses in one share, for any seed of the run. */
UNIT_TEST(shares_have_a_seed)
{
    unsigned first = 0, alike = 0;

    for (unsigned i = 0; i < 64; i++) {
        /* The sums of these addresses are the same. */
        struct addressed_segment there = {
            .source = {.ip = 4, .address = {10, 0, 0, 1, 0, 0, 0, (uint8_t)i}, .port = 40000},
            .destination = {.ip = 4, .address = {10, 0, 2, 15, 0, 0, 0, (uint8_t)(255 - i)}, .port = 20049}};
        struct addressed_segment back = {.source = there.destination, .destination = there.source};
        unsigned share = connections_share(&there, 1000);

        assert_int_equal(connections_share(&back, 1000), share);
        first = i == 0 ? share : first;
        alike += share == first;
    }
    assert_true(alike < 8);
    alike = 0;
    for (unsigned i = 0; i < 64; i++) {
        struct addressed_segment there = {.source = {.ip = 4, .address = {10, 0, 0, 1}, .port = 40000},
                                          .destination = {.ip = 4, .address = {10, 0, 2, 15}, .port = 20049}};
        unsigned share;

        hash_seed = i * UINT64_C(0x9E3779B97F4A7C15);
        share = connections_share(&there, 1000);
        first = i == 0 ? share : first;
        alike += share == first;
    }
    assert_true(alike < 8);
}
