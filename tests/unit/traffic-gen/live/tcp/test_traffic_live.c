// SPDX-License-Identifier: GPL-2.0-or-later
/* The live transport: both ends of loopback connections in one loop. */
#include "tests/unit/support/support.h"
#include "traffic-gen/live/tcp/live.h"
#include "traffic-gen/live/tcp/units.h"

#include <signal.h>
#include <string.h>

static const int64_t second = 1000000000;
static const int64_t patience = 60000000000; /* for a machine that also builds packages */

struct end {
    struct live_socket *socket;
    GByteArray *received;
    uint64_t to_write, written;
    unsigned opened, fins, resets, closed, ticks;
    bool close_at_fin, reset_at_open, fin_at_open, stop_at_open;
    char *why;
};

static uint8_t pattern(uint64_t at)
{
    return (uint8_t)(at * 31 + (at >> 9));
}

static void push(struct end *end)
{
    const struct stream *stream = live_stream(end->socket);
    uint8_t piece[5000];

    while (end->written < end->to_write && stream->room(stream->ctx) > 0) {
        size_t n = MIN(sizeof piece, end->to_write - end->written);

        for (size_t i = 0; i < n; i++)
            piece[i] = pattern(end->written + i);
        stream->write(stream->ctx, piece, n);
        end->written += n;
        if (end->written == end->to_write)
            stream->close(stream->ctx, false);
    }
}

static void on_opened(void *ctx)
{
    struct end *end = ctx;
    const struct stream *stream = live_stream(end->socket);

    end->opened++;
    if (end->stop_at_open)
        raise(SIGTERM);
    if (end->reset_at_open)
        stream->close(stream->ctx, true);
    else if (end->fin_at_open)
        stream->close(stream->ctx, false);
    else
        push(end);
}

static void on_receive(void *ctx, const uint8_t *p, size_t n)
{
    struct end *end = ctx;

    g_byte_array_append(end->received, p, (guint)n);
}

static void on_fin(void *ctx)
{
    struct end *end = ctx;
    const struct stream *stream = live_stream(end->socket);

    end->fins++;
    if (end->close_at_fin)
        stream->close(stream->ctx, false);
}

static void on_reset(void *ctx)
{
    ((struct end *)ctx)->resets++;
}

static void on_room(void *ctx)
{
    push(ctx);
}

static void on_tick(void *ctx)
{
    ((struct end *)ctx)->ticks++;
}

static void on_closed(void *ctx, const char *why)
{
    struct end *end = ctx;

    end->closed++;
    end->why = g_strdup(why);
    end->socket = NULL;
}

static struct live_events events_of(struct end *end)
{
    return (struct live_events){end, on_opened, on_receive, on_fin, on_reset, on_room, on_tick, on_closed};
}

static bool on_accept(void *ctx, struct live_socket *socket, struct live_events *events)
{
    struct end *end = ctx;

    end->socket = socket;
    *events = events_of(end);
    return true;
}

struct fixture {
    struct live_loop *loop;
    struct live_listener *listener;
    struct end server, client;
    char port[8];
};

static void begin(struct fixture *f)
{
    struct live_options options = {.close_timeout_ns = patience};

    f->loop = live_loop_new();
    f->server.received = g_byte_array_new();
    f->client.received = g_byte_array_new();
    f->listener = live_listen(f->loop, "127.0.0.1", "0", 1, &options, on_accept, &f->server, NULL);
    assert_non_null(f->listener);
    g_snprintf(f->port, sizeof f->port, "%u", live_listener_port(f->listener));
}

static void finish(struct fixture *f)
{
    live_loop_free(f->loop);
    g_byte_array_unref(f->server.received);
    g_byte_array_unref(f->client.received);
    g_free(f->server.why);
    g_free(f->client.why);
}

static void connect_client(struct fixture *f)
{
    struct live_options options = {.close_timeout_ns = f->client.fin_at_open ? second / 5 : patience,
                                   .connect_timeout_ns = second};
    struct live_events events = events_of(&f->client);

    f->client.socket = live_connect(f->loop, "127.0.0.1", f->port, &options, &events, NULL);
    assert_non_null(f->client.socket);
}

/* Until both are closed; the listener would keep the loop busy forever. */
static void run(struct fixture *f, unsigned ends)
{
    int64_t deadline = live_now() + patience;

    while (f->server.closed + f->client.closed < ends && live_now() < deadline)
        live_run(f->loop, live_now() + second / 50);
    assert_int_equal(f->server.closed + f->client.closed, ends);
}

static void check_received(const struct end *end, uint64_t n)
{
    assert_int_equal(end->received->len, n);
    for (uint64_t i = 0; i < n; i++) {
        if (end->received->data[i] != pattern(i))
            fail_msg("octet %lu is wrong", (unsigned long)i);
    }
}

UNIT_TEST_ON(both_ways, struct fixture, f, begin, finish)
{
    f->client.to_write = 20000000; /* more than all buffers: waits for room occur */
    f->server.to_write = 3000000;
    connect_client(f);
    run(f, 2);
    check_received(&f->server, f->client.to_write);
    check_received(&f->client, f->server.to_write);
    assert_int_equal(f->server.fins, 1);
    assert_int_equal(f->client.fins, 1);
    assert_int_equal(f->client.opened, 1);
    assert_null(f->client.why);
}

UNIT_TEST_ON(half_close, struct fixture, f, begin, finish)
{
    f->client.fin_at_open = true;
    f->server.close_at_fin = true;
    connect_client(f);
    run(f, 2);
    assert_int_equal(f->server.fins + f->client.fins, 2);
    assert_int_equal(f->server.resets + f->client.resets, 0);
}

UNIT_TEST_ON(reset, struct fixture, f, begin, finish)
{
    f->client.reset_at_open = true;
    connect_client(f);
    run(f, 2);
    assert_int_equal(f->server.resets, 1);
    assert_int_equal(f->server.fins, 0);
    assert_int_equal(f->client.resets, 0); /* it knows about its own reset */
}

UNIT_TEST_ON(peer_that_does_not_close, struct fixture, f, begin, finish)
{
    f->client.fin_at_open = true;
    connect_client(f);
    run(f, 2);
    assert_non_null(strstr(f->client.why, "did not close in time"));
    assert_int_equal(f->server.resets, 1);
    assert_true(f->client.ticks > 0); /* their number depends on the machine */
}

UNIT_TEST_ON(refused, struct fixture, f, begin, finish)
{
    live_listener_close(f->listener);
    connect_client(f);
    run(f, 1);
    assert_int_equal(f->client.opened, 0);
    assert_non_null(strstr(f->client.why, "Connection refused"));
    assert_true(live_run(f->loop, live_now() + second)); /* nothing is open: at once */
}

UNIT_TEST_ON(limit, struct fixture, f, begin, finish)
{
    struct end second_client = {.received = g_byte_array_new(), .fin_at_open = true};
    struct live_events events = events_of(&second_client);
    struct live_options options = {0};

    connect_client(f); /* holds the only place */
    second_client.socket = live_connect(f->loop, "127.0.0.1", f->port, &options, &events, NULL);
    live_run(f->loop, live_now() + second / 10);
    assert_int_equal(f->server.opened, 1);
    live_forget(f->client.socket);
    live_run(f->loop, live_now() + second / 10);
    assert_int_equal(f->server.closed, 1);
    assert_int_equal(f->server.opened, 2);
    live_forget(second_client.socket);
    g_byte_array_unref(second_client.received);
}

UNIT_TEST_ON(stop, struct fixture, f, begin, finish)
{
    live_stop_on_signals(f->loop);
    f->client.to_write = 1;
    connect_client(f);
    f->server.stop_at_open = true;
    assert_true(live_run(f->loop, live_now() + 5 * second)); /* the server's end raises SIGTERM */
    assert_true(live_stopped(f->loop));
    assert_int_equal(f->server.opened, 1);
    assert_false(live_run(f->loop, live_now() + second / 50)); /* begins anew */
}

UNIT_TEST(addresses)
{
    static const struct {
        const char *text, *host, *port;
    } good[] = {
        {"host:7174", "host", "7174"}, {"[::1]:80", "::1", "80"}, {":7174", "", "7174"}, {"1.2.3.4:0", "1.2.3.4", "0"}};
    static const char *const bad[] = {"", "host", "host:", "::1:80", "host:65536", "host:x", "[::1]", "host:-1"};

    for (unsigned i = 0; i < G_N_ELEMENTS(good); i++) {
        char *host, *port;

        assert_true(live_parse_address(good[i].text, &host, &port, NULL));
        assert_string_equal(host, good[i].host);
        assert_string_equal(port, good[i].port);
        g_free(host);
        g_free(port);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        GError *error = NULL;
        char *host, *port;

        assert_false(live_parse_address(bad[i], &host, &port, &error));
        assert_non_null(error);
        g_error_free(error);
    }
}

/* A stream of text, a frame with private data, and FPDUs with Markers, in pieces of every size. */
UNIT_TEST(units)
{
    static const uint8_t peer_frame[] = "MPA ID Req Frame\x80\x01\0\0", ulpdu[2000] = {0};
    static const uint8_t frame[] = "MPA ID Rep Frame\0\x01\0\3abc";
    GByteArray *stream = g_byte_array_new();
    uint64_t ends[8];
    unsigned n = 0;
    uint8_t room[4096];

    g_byte_array_append(stream, (const uint8_t *)"hello MPMPA ID Re", 15);
    g_byte_array_append(stream, frame, 23);
    ends[n++] = stream->len;
    for (unsigned i = 0; i < 4; i++) {
        struct mpa_framing framing = {.markers = true, .seq_start = ends[0]};
        struct mpa_fpdu_plan plan;

        mpa_fpdu_plan_init(&plan, &framing, stream->len, ulpdu, (uint16_t)(i * 600 + 18), true);
        g_byte_array_append(stream, room, (guint)mpa_fpdu_encode(&plan, room, sizeof room));
        ends[n++] = stream->len;
    }
    for (size_t piece = 1; piece <= stream->len; piece++) {
        struct units units = {0};
        unsigned seen = 0;

        assert_int_equal(units_take(&units, 0, peer_frame, 20), 20);
        assert_int_equal(units.streams[0].n, 1);
        for (size_t at = 0; at < stream->len;) {
            size_t rest = MIN(piece, stream->len - at);

            while (rest > 0) {
                size_t taken = units_take(&units, 1, stream->data + at, rest);

                assert_true(taken > 0 && taken <= rest);
                at += taken;
                rest -= taken;
                if (units.streams[1].n > seen)
                    assert_int_equal(at, ends[seen++]);
            }
        }
        assert_int_equal(seen, n);
    }
    g_byte_array_unref(stream);
}
