// SPDX-License-Identifier: GPL-2.0-or-later
/* Segments with wrong TCP checksums: damaged in transit, or left to the sender's interface. */
#include "engine/packet/tcp_checksum.h"
#include "engine/tcp/tcp_pair.h"
#include "tests/unit/support/support.h"
#include "wire/octets.h"

#include <string.h>

enum { HEADER = 20 };

struct damage {
    struct tcp_pair *pair;
    uint32_t frame;
    char got[256];
    size_t n;
};

static uint16_t sum(const uint8_t *p, size_t n, uint32_t total)
{
    for (size_t i = 0; i < n; i++)
        total += i % 2 ? p[i] : (uint32_t)p[i] << 8;
    while (total >> 16)
        total = (total & 0xFFFF) + (total >> 16);
    return (uint16_t)total;
}

enum field { RIGHT, WRONG, ZERO, PSEUDO, NOT_PSEUDO };

/* A segment with its checksum; addresses are those of 10.0.0.1 and 10.0.0.2. */
static struct tcp_segment segment_with(enum field field, uint32_t seq, const char *text)
{
    static const uint8_t addresses[8] = {10, 0, 0, 1, 10, 0, 0, 2};
    size_t n = strlen(text);
    uint8_t octets[HEADER + 256] = {0};
    uint16_t pseudo = sum(addresses, sizeof addresses, 6 + HEADER + (uint32_t)n), value;
    struct tcp_segment segment = {.flags = TCP_ACK,
                                  .seq = seq,
                                  .length = (uint32_t)n,
                                  .captured = (uint32_t)n,
                                  .payload = (const uint8_t *)text,
                                  .mss = 0,
                                  .window_scale = 255};

    put_be32(octets + 4, seq);
    octets[12] = 5 << 4;
    octets[13] = TCP_ACK;
    memcpy(octets + HEADER, text, n);
    value = (uint16_t)~sum(octets, HEADER + n, pseudo);
    if (field == WRONG)
        value ^= 0x0100;
    else if (field != RIGHT)
        value = field == ZERO ? 0 : field == PSEUDO ? pseudo : (uint16_t)~pseudo;
    put_be16(octets + 16, value);
    segment.header = octets;
    segment.addresses = addresses;
    segment.n_addresses = sizeof addresses;
    tcp_checksum_keep(&segment);
    return segment;
}

static void on_octets(void *ctx, unsigned side, uint64_t offset, const uint8_t *p, size_t n,
                      const struct octets_origin *origin)
{
    struct damage *d = ctx;

    (void)origin;
    if (side == 1)
        return;
    assert_true(d->n <= offset); /* after a hole */
    d->n = offset + n;
    memcpy(d->got + offset, p, n);
}

static void begin(struct damage *d, enum field field)
{
    const struct tcp_pair_events events = {.ctx = d, .octets = on_octets};

    *d = (struct damage){0};
    d->pair = tcp_pair_new(NULL, &events, NULL);
    assert_non_null(d->pair);
    for (uint32_t i = 0; i < 10; i++) {
        struct tcp_segment segment = segment_with(field, 100 + 3 * i, "abc");

        segment.frame = ++d->frame;
        tcp_pair_segment(d->pair, &segment);
    }
    assert_int_equal(d->n, 30);
}

static void give(struct damage *d, enum field field, uint32_t at, const char *text)
{
    struct tcp_segment segment = segment_with(field, 100 + at, text);

    segment.frame = ++d->frame;
    tcp_pair_segment(d->pair, &segment);
}

/* The receiver acknowledges up to that octet. */
static void acknowledge(struct damage *d, uint32_t at)
{
    struct tcp_segment segment = {.frame = ++d->frame,
                                  .time_ns = d->frame * 1000000,
                                  .side = 1,
                                  .flags = TCP_ACK,
                                  .seq = 5000,
                                  .ack = 100 + at,
                                  .window = 65535,
                                  .window_scale = 255};

    tcp_pair_segment(d->pair, &segment);
}

static void end(struct damage *d, const char *got, uint64_t damaged)
{
    tcp_pair_finish(d->pair);
    d->got[d->n] = '\0';
    assert_string_equal(d->got + 30, got);
    assert_int_equal(tcp_pair_facts(d->pair, 0)->refused[REFUSED_CHECKSUM], damaged);
    tcp_pair_free(d->pair);
}

UNIT_TEST(the_checksum)
{
    static const struct {
        enum field field;
        enum tcp_checksum found;
    } cases[] = {
        {RIGHT, TCP_CHECKSUM_RIGHT},    {WRONG, TCP_CHECKSUM_WRONG},        {ZERO, TCP_CHECKSUM_UNKNOWN},
        {PSEUDO, TCP_CHECKSUM_UNKNOWN}, {NOT_PSEUDO, TCP_CHECKSUM_UNKNOWN},
    };
    struct tcp_segment segment;

    (void)state;
    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++)
        for (const char *text = "octets of some length"; *text; text++) {
            segment = segment_with(cases[i].field, 0xFFFFFFF0, text);
            assert_int_equal(tcp_checksum(&segment), cases[i].found);
        }
    segment = segment_with(RIGHT, 1, "snapped");
    segment.captured--;
    assert_int_equal(tcp_checksum(&segment), TCP_CHECKSUM_UNKNOWN);
}

UNIT_TEST(a_damaged_segment_comes_again)
{
    struct damage d;

    (void)state;
    begin(&d, RIGHT);
    give(&d, WRONG, 30, "dXf");
    give(&d, RIGHT, 33, "ghi"); /* waits */
    give(&d, WRONG, 36, "jXl"); /* out of order, and damaged */
    give(&d, RIGHT, 30, "def");
    give(&d, RIGHT, 36, "jkl");
    give(&d, WRONG, 30, "dYf"); /* repeated, and damaged */
    end(&d, "defghijkl", 3);
}

/* Nothing changes if the checksum is right, unknown, or always wrong. */
UNIT_TEST(what_is_not_damaged_is_taken)
{
    static const struct {
        enum field before, field;
    } cases[] = {{RIGHT, RIGHT}, {RIGHT, ZERO}, {RIGHT, PSEUDO}, {RIGHT, NOT_PSEUDO}, {WRONG, WRONG}, {PSEUDO, WRONG}};

    (void)state;
    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct damage d;

        begin(&d, cases[i].before);
        give(&d, cases[i].field, 30, "def");
        end(&d, "def", 0);
    }
}

/* Old segments, whose octets nobody acknowledges again, decide nothing. */
UNIT_TEST(a_decision_is_not_outvoted)
{
    struct damage d;

    (void)state;
    begin(&d, RIGHT);
    acknowledge(&d, 30);
    for (unsigned i = 0; i < 30; i++)
        give(&d, WRONG, 27, "xyz");
    give(&d, WRONG, 30, "dXf");
    give(&d, RIGHT, 30, "def");
    acknowledge(&d, 33);
    give(&d, WRONG, 33, "gXi");
    give(&d, RIGHT, 33, "ghi");
    acknowledge(&d, 36);
    end(&d, "defghi", 32);
}

/* An interface joins segments, and leaves the checksum wrong: three times, the receiver has such octets. */
UNIT_TEST(what_the_receiver_has_was_not_damaged)
{
    struct damage d;

    (void)state;
    begin(&d, RIGHT);
    acknowledge(&d, 30);
    for (uint32_t at = 30; at < 150; at += 6) {
        give(&d, WRONG, at, "def");
        acknowledge(&d, at + 3);
        give(&d, RIGHT, at + 3, "ghi");
        acknowledge(&d, at + 6);
    }
    tcp_pair_finish(d.pair);
    assert_true(tcp_pair_facts(d.pair, 0)->refused[REFUSED_CHECKSUM] >= 3);
    assert_true(tcp_pair_facts(d.pair, 0)->refused[REFUSED_CHECKSUM] < 20);
    tcp_pair_free(d.pair);
}
