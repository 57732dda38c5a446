// SPDX-License-Identifier: GPL-2.0-or-later
/* The border between a connection and the next one at the same addresses: one row for each kind of segment. */
#include "engine/tcp/tcp_boundary.h"
#include "tests/unit/support/support.h"

enum { CLIENT, SERVER, ISN = 1000, SERVER_ISN = 50000, FAR = 0x40000000 };

static struct tcp_segment segment(unsigned side, unsigned flags, uint32_t seq, uint32_t ack, uint32_t n)
{
    static const uint8_t payload[2000];

    return (struct tcp_segment){.frame = 1,
                                .side = (uint8_t)side,
                                .flags = (uint8_t)flags,
                                .window = 65535,
                                .window_scale = 255,
                                .seq = seq,
                                .ack = ack,
                                .length = n,
                                .captured = n,
                                .payload = payload};
}

static void feed(struct tcp_pair *pair, unsigned side, unsigned flags, uint32_t seq, uint32_t ack, uint32_t n)
{
    struct tcp_segment s = segment(side, flags, seq, ack, n);

    tcp_pair_segment(pair, &s);
}

/* Both have sent 100 octets after their SYNs. */
static struct tcp_pair *established(void)
{
    const struct tcp_pair_options options = {0};
    const struct tcp_pair_events events = {0};
    struct tcp_pair *pair = tcp_pair_new(&options, &events, NULL);

    assert_non_null(pair);
    feed(pair, CLIENT, TCP_SYN, ISN, 0, 0);
    feed(pair, SERVER, TCP_SYN | TCP_ACK, SERVER_ISN, ISN + 1, 0);
    feed(pair, CLIENT, TCP_ACK, ISN + 1, SERVER_ISN + 1, 100);
    feed(pair, SERVER, TCP_ACK, SERVER_ISN + 1, ISN + 101, 100);
    return pair;
}

static void end(struct tcp_pair *pair)
{
    feed(pair, CLIENT, TCP_FIN | TCP_ACK, ISN + 101, SERVER_ISN + 101, 0);
    feed(pair, SERVER, TCP_FIN | TCP_ACK, SERVER_ISN + 101, ISN + 102, 0);
    feed(pair, CLIENT, TCP_ACK, ISN + 102, SERVER_ISN + 102, 0);
    assert_int_equal(tcp_pair_state(pair), TCP_PAIR_CLOSED);
}

UNIT_TEST(in_an_open_connection)
{
    struct tcp_pair *pair = established();
    const struct {
        struct tcp_segment segment;
        enum tcp_boundary boundary;
    } rows[] = {
        {segment(CLIENT, TCP_ACK, ISN + 101, SERVER_ISN + 101, 50), TCP_GOES_ON},
        /* lost by the capture: much of one direction */
        {segment(CLIENT, TCP_ACK, ISN + FAR, SERVER_ISN + 101, 50), TCP_GOES_ON},
        {segment(CLIENT, TCP_ACK, ISN + FAR, SERVER_ISN + FAR, 50), TCP_BEGINS},
        {segment(CLIENT, TCP_ACK, ISN + FAR, SERVER_ISN + FAR, 0), TCP_STRAYS},
        {segment(CLIENT, TCP_RST | TCP_ACK, ISN + FAR, SERVER_ISN + FAR, 0), TCP_MAY_END},
        /* RFC 5961: this may only be a question */
        {segment(CLIENT, TCP_SYN, ISN + FAR, 0, 0), TCP_MAY_BEGIN},
        {segment(SERVER, TCP_SYN, ISN + FAR, 0, 0), TCP_MAY_BEGIN},
        {segment(SERVER, TCP_SYN | TCP_ACK, SERVER_ISN + FAR, ISN + FAR + 1, 0), TCP_MAY_BEGIN},
        {segment(CLIENT, TCP_RST, ISN + 101, 0, 0), TCP_GOES_ON},
        {segment(CLIENT, TCP_RST, ISN + 102, 0, 0), TCP_GOES_ON}, /* after a FIN that the capture lacks */
        {segment(CLIENT, TCP_RST, ISN + 601, 0, 0), TCP_MAY_END},
        {segment(CLIENT, TCP_SYN, ISN, 0, 0), TCP_GOES_ON}, /* its own, late */
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(tcp_boundary(pair, &rows[i].segment, NULL), rows[i].boundary);
    tcp_pair_free(pair);
}

/* The capture begins with one segment: what the other side has sent is known from its acknowledgment. */
UNIT_TEST(after_the_first_segment)
{
    const struct tcp_pair_options options = {0};
    const struct tcp_pair_events events = {0};
    struct tcp_pair *pair = tcp_pair_new(&options, &events, NULL);
    struct tcp_segment next = segment(CLIENT, TCP_ACK, ISN + FAR, SERVER_ISN + FAR, 50);
    struct tcp_segment lost = segment(CLIENT, TCP_ACK, ISN + FAR, SERVER_ISN, 50);
    struct tcp_segment answer = segment(SERVER, TCP_ACK, SERVER_ISN, ISN + 100, 50);

    feed(pair, CLIENT, TCP_ACK, ISN, SERVER_ISN, 100);
    assert_int_equal(tcp_boundary(pair, &next, NULL), TCP_BEGINS);
    assert_int_equal(tcp_boundary(pair, &lost, NULL), TCP_GOES_ON);
    assert_int_equal(tcp_boundary(pair, &answer, NULL), TCP_GOES_ON);
    tcp_pair_free(pair);
}

UNIT_TEST(after_a_syn_that_was_held_back)
{
    struct tcp_pair *pair = established();
    struct tcp_segment syn = segment(CLIENT, TCP_SYN, ISN + FAR, 0, 0);
    struct tcp_segment answer = segment(SERVER, TCP_SYN | TCP_ACK, 7, ISN + FAR + 1, 0);
    struct tcp_segment challenge = segment(SERVER, TCP_ACK, SERVER_ISN + 101, ISN + 101, 0);
    struct tcp_segment data = segment(CLIENT, TCP_ACK, ISN + FAR + 1, 8, 20);
    struct tcp_segment going_on = segment(CLIENT, TCP_ACK, ISN + 101, SERVER_ISN + 101, 20);

    assert_int_equal(tcp_boundary(pair, &answer, &syn), TCP_HAS_BEGUN);
    assert_int_equal(tcp_boundary(pair, &challenge, &syn), TCP_GOES_ON);
    assert_int_equal(tcp_boundary(pair, &data, &syn), TCP_HAS_BEGUN);
    /* A SYN-ACK alone, its SYN not captured, or forged. */
    syn = segment(SERVER, TCP_SYN | TCP_ACK, 7, ISN + FAR + 1, 0);
    assert_int_equal(tcp_boundary(pair, &data, &syn), TCP_HAS_BEGUN);
    assert_int_equal(tcp_boundary(pair, &going_on, &syn), TCP_GOES_ON);
    tcp_pair_free(pair);
}

UNIT_TEST(after_the_end)
{
    struct tcp_pair *pair = established();
    struct tcp_segment late = segment(CLIENT, TCP_ACK, ISN + 1, SERVER_ISN + 101, 100);
    struct tcp_segment foreign = segment(CLIENT, TCP_ACK, ISN + FAR, 12345, 100);
    struct tcp_segment ack = segment(CLIENT, TCP_ACK, ISN + FAR, 12345, 0);
    struct tcp_segment syn = segment(CLIENT, TCP_SYN, ISN + FAR, 0, 0);
    struct tcp_segment old_syn = segment(CLIENT, TCP_SYN, ISN, 0, 0);
    struct tcp_segment reset = segment(SERVER, TCP_RST, ISN + FAR, 0, 0);
    struct tcp_remains remains;

    end(pair);
    assert_int_equal(tcp_boundary(pair, &late, NULL), TCP_GOES_ON);
    assert_int_equal(tcp_boundary(pair, &foreign, NULL), TCP_BEGINS);
    assert_int_equal(tcp_boundary(pair, &syn, NULL), TCP_BEGINS);
    remains = tcp_remains(pair);
    tcp_pair_free(pair);
    assert_false(tcp_remains_reused(&remains, &late, false));
    assert_false(tcp_remains_reused(&remains, &ack, false));
    assert_false(tcp_remains_reused(&remains, &old_syn, false));
    assert_false(tcp_remains_reused(&remains, &reset, false));
    assert_true(tcp_remains_reused(&remains, &syn, false));
    assert_true(tcp_remains_reused(&remains, &foreign, false));
    /* This connection was dismissed: only a SYN changes that. */
    assert_false(tcp_remains_reused(&remains, &foreign, true));
    assert_true(tcp_remains_reused(&remains, &syn, true));
}
