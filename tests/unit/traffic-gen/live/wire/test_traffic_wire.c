// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two hosts with our own TCP, and a link between them that loses, duplicates and delays frames, on a simulated clock.
 */
#include "tests/unit/support/support.h"
#include "traffic-gen/live/wire/host.h"

#include <errno.h>
#include <string.h>

enum { PORT = 7174, OCTETS = 200000, FRAMES_MAX = 100000 };

static const int64_t ms = 1000000;

struct flying {
    int64_t at;
    unsigned to;
    size_t n;
    uint8_t octets[];
};

struct net {
    struct wire_host *hosts[2];
    struct wire_tcp *tcp[2]; /* of host 0, which opens by default; of host 1 */
    GQueue flying;           /* struct flying, by time */
    int64_t now;
    GRand *rand;
    double loss, dup, late;
    uint8_t ip;
    unsigned frames, mtu_seen;
    bool cut;     /* nothing arrives any more */
    bool damages; /* on purpose */
};

struct end {
    struct net *net;
    unsigned host;
};

static struct net net;
static struct end ends[2];

static gint by_time(gconstpointer a, gconstpointer b, gpointer unused)
{
    const struct flying *x = a, *y = b;

    (void)unused;
    return x->at <= y->at ? -1 : 1; /* in the order in which they were sent */
}

static void fly(struct end *end, const uint8_t *frame, size_t n, int64_t delay)
{
    struct flying *flying = g_malloc(sizeof *flying + n);

    flying->at = net.now + delay;
    flying->to = 1 - end->host;
    flying->n = n;
    memcpy(flying->octets, frame, n);
    g_queue_insert_sorted(&net.flying, flying, by_time, NULL);
}

static void on_send(void *ctx, const uint8_t *frame, size_t n)
{
    struct end *end = ctx;
    struct wire_packet packet;

    assert_true(++net.frames < FRAMES_MAX);
    wire_packet_parse(frame, n, true, &packet);
    assert_true(net.damages || packet.kind != PACKET_OTHER); /* checksums are right, lengths fit */
    net.mtu_seen = MAX(net.mtu_seen, (unsigned)n - WIRE_ETHERNET);
    if (net.cut || g_rand_double(net.rand) < net.loss)
        return;
    for (unsigned copy = 0; copy < (g_rand_double(net.rand) < net.dup ? 2u : 1u); copy++)
        fly(end, frame, n, (g_rand_double(net.rand) < net.late ? 5 : 1) * ms / 10);
}

static void on_changed(void *ctx, struct wire_tcp *tcp)
{
    (void)ctx;
    (void)tcp;
}

static void on_accepted(void *ctx, uint16_t port, struct wire_tcp *tcp)
{
    struct end *end = ctx;

    assert_int_equal(port, PORT);
    net.tcp[end->host] = tcp;
}

static void run(int64_t ns)
{
    const int64_t until = net.now + ns;

    while (net.now < until) {
        struct flying *first = g_queue_peek_head(&net.flying);
        int64_t due = MIN(wire_host_due(net.hosts[0]), wire_host_due(net.hosts[1]));

        if (first && first->at <= due && first->at <= until) {
            net.now = MAX(net.now, first->at);
            g_queue_pop_head(&net.flying);
            wire_host_input(net.hosts[first->to], first->octets, first->n, true, net.now);
            g_free(first);
            continue;
        }
        net.now = MIN(MAX(due, net.now + 1), until);
        wire_host_tick(net.hosts[0], net.now);
        wire_host_tick(net.hosts[1], net.now);
    }
}

static const char *const addresses_v4[] = {"192.0.2.1/24", "192.0.2.2/24"};
static const char *const addresses_v6[] = {"2001:db8::1/64", "2001:db8::2/64"};

/* fault: of host 1 */
static void begin(const char *const addresses[2], enum wire_fault fault)
{
    memset(&net, 0, sizeof net);
    net.now = 1;
    net.rand = g_rand_new_with_seed(7);
    for (unsigned i = 0; i < 2; i++) {
        struct wire_place place;
        char *why = NULL;

        ends[i] = (struct end){&net, i};
        assert_true(wire_place_parse(addresses[i], NULL, &place, &why));
        place.mtu = 1500;
        place.fault = i == 1 ? fault : WIRE_FAULT_NONE;
        net.ip = place.self.ip;
        net.hosts[i] = wire_host_new(&place, &(struct wire_host_events){on_send, on_changed, on_accepted, &ends[i]});
    }
}

static void end_all(void)
{
    for (unsigned i = 0; i < 2; i++)
        wire_host_free(net.hosts[i]);
    g_queue_clear_full(&net.flying, g_free);
    g_rand_free(net.rand);
}

/* Defines a test for both versions of IP. */
#define TEST_ON_BOTH(test)                                                                                             \
    static void test##_on_both(void);                                                                                  \
    UNIT_TEST(test##_v4)                                                                                               \
    {                                                                                                                  \
        begin(addresses_v4, WIRE_FAULT_NONE);                                                                          \
        test##_on_both();                                                                                              \
        end_all();                                                                                                     \
    }                                                                                                                  \
    UNIT_TEST(test##_v6)                                                                                               \
    {                                                                                                                  \
        begin(addresses_v6, WIRE_FAULT_NONE);                                                                          \
        test##_on_both();                                                                                              \
        end_all();                                                                                                     \
    }                                                                                                                  \
    static void test##_on_both(void)

static struct endpoint place_of(unsigned host, uint16_t port)
{
    const uint8_t last = (uint8_t)(host + 1);

    if (net.ip == 4)
        return (struct endpoint){.ip = 4, .address = {192, 0, 2, last}, .port = port};
    return (struct endpoint){.ip = 6, .address = {0x20, 0x01, 0x0D, 0xB8, [15] = last}, .port = port};
}

static void listen_with(uint16_t mss, unsigned limit)
{
    assert_int_equal(wire_host_listen(net.hosts[1], &(struct endpoint){.port = PORT}, mss, limit), PORT);
}

static void connect_by(const struct wire_opening *how)
{
    struct endpoint to = place_of(1, PORT);

    net.tcp[0] = wire_host_connect(net.hosts[0], &to, how, net.now);
    assert_non_null(net.tcp[0]);
    run(20000 * ms);
    assert_non_null(net.tcp[1]);
    assert_int_equal(net.tcp[0]->state, WIRE_OPEN);
}

static void connect_with(uint16_t mss, unsigned limit)
{
    listen_with(mss, limit);
    connect_by(NULL);
}

static uint8_t octet_at(size_t i)
{
    return (uint8_t)(i * 31 + i / 253);
}

/* All octets of one end arrive at the other, in order, then the FIN. */
static void transfer(unsigned from, size_t all, size_t at_once)
{
    struct wire_tcp *source = net.tcp[from], *sink = net.tcp[1 - from];
    uint8_t octets[3000];
    size_t sent = 0, got = 0;

    for (unsigned turns = 0; got < all; turns++) {
        size_t n = MIN(MIN(all - sent, sizeof octets), at_once);

        assert_true(turns < 200000);
        for (size_t i = 0; i < n; i++)
            octets[i] = octet_at(sent + i);
        sent += wire_tcp_write(source, octets, n, net.now);
        run(ms / 2);
        while ((n = wire_tcp_read(sink, octets, MIN(sizeof octets, at_once * 2), net.now)) > 0) {
            for (size_t i = 0; i < n; i++)
                assert_int_equal(octets[i], octet_at(got + i));
            got += n;
        }
    }
    assert_int_equal(got, all);
}

static void close_both(void)
{
    for (unsigned i = 0; i < 2; i++) {
        wire_tcp_finish(net.tcp[i], net.now);
        run(5000 * ms);
        assert_true(net.tcp[1 - i]->peer_fin);
    }
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(net.tcp[i]->state, WIRE_OVER);
        assert_int_equal(net.tcp[i]->error, 0);
        assert_int_equal(wire_tcp_unacknowledged(net.tcp[i]), 0);
    }
}

TEST_ON_BOTH(transfer)
{
    connect_with(0, 0);
    transfer(0, OCTETS, 3000);
    transfer(1, OCTETS, 3000);
    assert_int_equal(net.mtu_seen, 1500);
    close_both();
}

TEST_ON_BOTH(transfer_over_a_bad_link)
{
    net.loss = 0.05;
    net.dup = 0.05;
    net.late = 0.1;
    connect_with(0, 0);
    transfer(0, OCTETS, 3000);
    transfer(1, OCTETS, 700);
    net.loss = 0;
    close_both();
}

TEST_ON_BOTH(small_window)
{
    connect_with(100, 150);
    transfer(0, 20000, 3000);
    transfer(1, 20000, 3000);
    close_both();
}

/* Simultaneous open: each end has its stream. */
TEST_ON_BOTH(crossed)
{
    net.dup = 0.2;
    listen_with(0, 0);
    wire_host_cross(net.hosts[1], PORT, true);
    connect_by(NULL);
    assert_true(net.tcp[0]->crossed && net.tcp[1]->crossed);
    assert_int_equal(net.tcp[1]->state, WIRE_OPEN);
    transfer(1, 20000, 3000);
    transfer(0, 20000, 3000);
    close_both();
}

/* A listener's connections have the wanted sequence numbers, which wrap, and random ones afterwards. */
TEST_ON_BOTH(begins_at)
{
    const uint32_t iss = 0U - 100;

    listen_with(0, 0);
    wire_host_begin_at(net.hosts[1], PORT, &iss);
    connect_by(NULL);
    assert_int_equal(net.tcp[1]->iss, iss);
    transfer(1, 20000, 3000);
    close_both();
    wire_host_begin_at(net.hosts[1], PORT, NULL);
    connect_by(NULL);
    assert_int_not_equal(net.tcp[1]->iss, iss);
}

enum { EARLY = 300 };

static void connect_early(void)
{
    uint8_t early[EARLY];

    for (size_t i = 0; i < EARLY; i++)
        early[i] = octet_at(i);
    listen_with(0, 0);
    connect_by(&(struct wire_opening){.early = early, .n_early = EARLY});
}

/* Unacknowledged octets of a SYN are sent again. */
TEST_ON_BOTH(early_octets)
{
    connect_early();
    assert_int_equal(net.tcp[1]->rcv, 0);
    transfer(0, 20000, 100);
    transfer(1, 20000, 3000);
    close_both();
}

/* Acknowledged ones are not; this peer has lost them. */
UNIT_TEST(early_octets_taken)
{
    uint8_t octets[EARLY + 1], got[EARLY];

    begin(addresses_v4, WIRE_FAULT_SYN_DATA);
    connect_early();
    for (size_t i = 0; i < sizeof octets; i++)
        octets[i] = octet_at(i);
    assert_int_equal(wire_tcp_write(net.tcp[0], octets, 200, net.now), 200);
    assert_int_equal(wire_tcp_write(net.tcp[0], octets + 200, sizeof octets - 200, net.now), sizeof octets - 200);
    run(100 * ms);
    assert_int_equal(wire_tcp_unacknowledged(net.tcp[0]), 0);
    assert_int_equal(wire_tcp_read(net.tcp[1], got, sizeof got, net.now), 1);
    assert_int_equal(got[0], octet_at(EARLY));
    close_both();
    end_all();
}

/* A closed window is probed without limit; octets arrive once it is open. */
TEST_ON_BOTH(closed_window)
{
    uint8_t octets[600] = {1};

    connect_with(0, 500);
    assert_int_equal(wire_tcp_write(net.tcp[0], octets, sizeof octets, net.now), sizeof octets);
    run(60000 * ms);
    assert_int_equal(net.tcp[0]->state, WIRE_OPEN);
    assert_int_equal(wire_tcp_unread(net.tcp[1]), 500);
    assert_int_equal(wire_tcp_read(net.tcp[1], octets, sizeof octets, net.now), 500);
    run(10000 * ms);
    assert_int_equal(wire_tcp_unread(net.tcp[1]), 100);
}

TEST_ON_BOTH(nobody_listens)
{
    struct endpoint to = place_of(1, 9);
    struct wire_tcp *tcp = wire_host_connect(net.hosts[0], &to, NULL, net.now);

    run(1000 * ms);
    assert_int_equal(tcp->state, WIRE_OVER);
    assert_int_equal(tcp->error, ECONNREFUSED);
}

TEST_ON_BOTH(peer_gone)
{
    uint8_t octet = 1;

    connect_with(0, 0);
    net.cut = true;
    wire_tcp_write(net.tcp[0], &octet, 1, net.now);
    run(60000 * ms);
    assert_int_equal(net.tcp[0]->state, WIRE_OVER);
    assert_int_equal(net.tcp[0]->error, ETIMEDOUT);
}

TEST_ON_BOTH(reset)
{
    connect_with(0, 0);
    wire_host_release(net.hosts[0], net.tcp[0], false, net.now);
    run(10 * ms);
    assert_int_equal(net.tcp[1]->error, ECONNRESET);
}

/* RFC 5961: an RST, or a SYN, in the window but not at its beginning is answered, and has no other effect. */
TEST_ON_BOTH(forged)
{
    uint8_t octet = 1;

    connect_with(0, 0);
    for (int64_t away = -100000; away <= 100000; away += 9999)
        for (unsigned flags = 0x02; flags <= 0x04; flags += 0x02)
            wire_tcp_put(net.tcp[0], &(struct wire_put){.from = away ? away : 1, .flags = (uint8_t)flags});
    run(100 * ms);
    assert_int_equal(net.tcp[1]->state, WIRE_OPEN);
    wire_tcp_write(net.tcp[0], &octet, 1, net.now);
    run(100 * ms);
    assert_int_equal(wire_tcp_unread(net.tcp[1]), 1);
}

/* Held octets leave in the segments that are put; the rest follows after the release. */
TEST_ON_BOTH(put)
{
    uint8_t octets[90], got[100];

    for (unsigned i = 0; i < sizeof octets; i++)
        octets[i] = octet_at(i);
    connect_with(0, 0);
    wire_tcp_hold(net.tcp[0], true, net.now);
    wire_tcp_write(net.tcp[0], octets, sizeof octets, net.now);
    run(2000 * ms);
    assert_int_equal(wire_tcp_unread(net.tcp[1]), 0);
    wire_tcp_put(net.tcp[0], &(struct wire_put){.from = 30, .p = octets + 30, .n = 30});
    net.damages = true;
    wire_tcp_put(net.tcp[0], &(struct wire_put){.from = 0, .p = octets + 60, .n = 30, .bad_checksum = true});
    net.damages = false;
    run(2000 * ms);
    assert_int_equal(wire_tcp_unread(net.tcp[1]), 0);
    wire_tcp_put(net.tcp[0], &(struct wire_put){.from = 0, .p = octets, .n = 30});
    run(10 * ms);
    assert_int_equal(wire_tcp_unread(net.tcp[1]), 60);
    wire_tcp_hold(net.tcp[0], false, net.now);
    run(2000 * ms);
    assert_int_equal(wire_tcp_read(net.tcp[1], got, sizeof got, net.now), sizeof octets);
    assert_memory_equal(got, octets, sizeof octets);
    assert_int_equal(wire_tcp_unacknowledged(net.tcp[0]), 0);
}

/* A smaller path MTU: octets in flight are sent again in smaller packets. */
TEST_ON_BOTH(narrow_path)
{
    connect_with(0, 0);
    transfer(0, 10000, 3000);
    assert_true(wire_host_narrow(net.hosts[1], net.tcp[1], 600));
    run(10 * ms);
    net.mtu_seen = 0;
    transfer(0, 10000, 3000);
    assert_int_equal(net.mtu_seen, 600);
    /* Unreasonably small values are ignored. */
    assert_true(wire_host_narrow(net.hosts[1], net.tcp[1], 70));
    run(10 * ms);
    net.mtu_seen = 0;
    transfer(0, 10000, 3000);
    assert_int_equal(net.mtu_seen, 600);
}

UNIT_TEST(places)
{
    static const struct {
        const char *address, *gateway, *why; /* NULL: it is good */
    } rows[] = {
        {"192.0.2.1/24", NULL, NULL},
        {"192.0.2.1/24", "192.0.2.254", NULL},
        {"fe80::1/64", NULL, NULL},
        {"192.0.2.1", NULL, "192.0.2.1/24"},
        {"2001:db8::1", NULL, "2001:db8::1/64"},
        {"192.0.2.1/33", NULL, "prefix"},
        {"224.0.0.1/24", NULL, "not the address of a host"},
        {"127.0.0.1/8", NULL, "not the address of a host"},
        {"::1/128", NULL, "not the address of a host"},
        {"ff02::1/64", NULL, "not the address of a host"},
        {"host/24", NULL, "not the address of a host"},
        {"192.0.2.1/24", "2001:db8::1", "gateway"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct wire_place place;
        char *why = NULL;

        assert_int_equal(wire_place_parse(rows[i].address, rows[i].gateway, &place, &why), !rows[i].why);
        if (rows[i].why)
            assert_non_null(strstr(why, rows[i].why));
        g_free(why);
    }
}
