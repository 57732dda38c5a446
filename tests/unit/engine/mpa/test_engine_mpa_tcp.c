// SPDX-License-Identifier: GPL-2.0-or-later
/* TCP's behaviour on MPA connections, and the fit of FPDUs and segments; above all, false findings. */
#include "tests/unit/support/mpa_line.h"

#include "wire/crc32c.h"

#include <stdio.h>

enum { C = MPA_FLAG_C };

static void exchange(struct mpa_line *l)
{
    line_send(l, I, 24);
    line_send(l, R, 24);
}

UNIT_TEST(clean)
{
    struct mpa_line *l = line_started(C, C);

    for (unsigned i = 0; i < 10; i++)
        exchange(l);
    line_close(l, I);
    line_expect(l, "+MPA-1.2-04 +MPA-7.2-01 +MPA-A.3-04 +MPA-A.5.1-01 +MPA-3-03 +MPA-5.1-04");
}

/* Octets after the FIN, in either order in the capture. */
UNIT_TEST(after_the_fin)
{
    for (unsigned first = 0; first < 2; first++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t octets[48] = {0};

        exchange(l);
        line_fin(l, R);
        if (first == 0)
            line_segment(l, I, TCP_ACK, l->sent[I] + 1, octets, sizeof octets);
        line_fin(l, I);
        if (first == 1)
            line_segment(l, I, TCP_ACK, l->sent[I], octets, sizeof octets);
        line_ack(l, R);
        line_finish(l);
        line_expect(l, "MPA-7.2-01");
    }
}

/* ---- acknowledgments ---- */

UNIT_TEST(early_ack)
{
    static const char *const outcomes[] = {"MPA-1.2-04", "MPA-1.2-04", "MPA-1.2-04", "+MPA-1.2-04", ""};

    for (unsigned way = 0; way < ARRAY_LENGTH(outcomes); way++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];
        size_t n;

        exchange(l);
        l->acked_fixed[R] = true;
        l->acked[R] = l->sent[I] + 100;
        line_ack(l, R);
        l->acked_fixed[R] = false;
        switch (way) {
        case 0: /* sent much later */
            line_wait(l, second);
            line_send(l, I, 100);
            break;
        case 1: /* the acknowledgments decrease */
            line_send(l, I, 24);
            line_ack(l, R);
            break;
        case 2: /* never sent */
            break;
        case 3: /* the tap saw the directions in another order */
            line_send(l, I, 100);
            break;
        case 4: /* the capture lost them */
            n = line_make_send(l, I, 100, fpdu);
            l->sent[I] += n;
            line_wait(l, second);
            line_send(l, I, 24);
            line_ack(l, R);
            break;
        }
        line_close(l, I);
        line_expect(l, outcomes[way]);
    }
}

/* The capture has the acknowledgment of two FPDUs first, then the FPDUs, with an older acknowledgment between them. */
UNIT_TEST(older_ack_comes_late)
{
    struct mpa_line *l = line_started(C, C);
    uint8_t late[LINE_FPDU_MAX];
    size_t n;

    exchange(l);
    n = line_make_send(l, R, 24, late);
    l->acked_fixed[R] = true;
    l->acked[R] = l->sent[I] + 96;
    line_segment(l, R, TCP_ACK, l->sent[R] + n, NULL, 0);
    line_send(l, I, 24);
    l->acked[R] = l->sent[I];
    line_say(l, R, late, n);
    l->acked_fixed[R] = false;
    line_send(l, I, 24);
    line_close(l, I);
    line_expect(l, "+MPA-1.2-04");
}

/* The data come long after their acknowledgment: another segment ends at the same place, before or after an answer. */
UNIT_TEST(data_captured_late)
{
    for (unsigned way = 0; way < 3; way++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];
        size_t n;

        exchange(l);
        n = line_make_send(l, I, 24, fpdu);
        l->acked_fixed[R] = true;
        l->acked[R] = l->sent[I] + n + (way == 1 ? 4 : 0);
        line_ack(l, R);
        l->acked_fixed[R] = false;
        if (way == 2)
            line_send(l, R, 24); /* I's next message acknowledges it */
        line_wait(l, second);
        line_say(l, I, fpdu, n);
        line_close(l, I);
        line_expect(l, way == 0 ? "+MPA-1.2-04" : "MPA-1.2-04");
    }
}

/* The acknowledgment of a FIN that the capture lost. */
UNIT_TEST(fin_not_captured)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    l->sent[I]++;
    line_ack(l, R);
    line_fin(l, R);
    line_finish(l);
    line_expect(l, "+MPA-1.2-04");
}

/* ---- retransmissions ---- */

static void retransmission(struct mpa_line *l, unsigned change, bool same_boundaries)
{
    uint8_t fpdu[LINE_FPDU_MAX];
    size_t n = line_make_send(l, I, 200, fpdu);
    uint64_t at = l->sent[I];

    line_say(l, I, fpdu, n);
    line_wait(l, 300 * millisecond);
    fpdu[100] ^= (uint8_t)change;
    if (same_boundaries) {
        line_segment(l, I, TCP_ACK, at, fpdu, n);
    } else {
        line_segment(l, I, TCP_ACK, at, fpdu, n / 2);
        line_segment(l, I, TCP_ACK, at + n / 2, fpdu + n / 2, n - n / 2);
    }
    line_ack(l, R);
}

UNIT_TEST(retransmissions)
{
    static const struct {
        unsigned change;
        bool same;
        unsigned times;
        const char *outcome;
    } cases[] = {
        {0, true, 1, "+MPA-7.1.5-03 +MPA-A.1-05"},
        {1, true, 1, "MPA-7.1.5-03 +MPA-A.1-05"},
        {0, false, 1, "+MPA-7.1.5-03"},
        {0, false, 3, "+MPA-7.1.5-03 MPA-A.1-05"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_started(C, C);
        char name[40];

        exchange(l);
        for (unsigned n = 0; n < cases[i].times; n++)
            retransmission(l, cases[i].change, cases[i].same);
        line_close(l, I);
        snprintf(name, sizeof name, "case %zu", i);
        line_expect_named(l, cases[i].outcome, name);
    }
}

UNIT_TEST(keep_alive)
{
    struct mpa_line *l = line_started(C, C);
    uint8_t garbage = 0xA5;

    exchange(l);
    line_ack(l, I);
    line_wait(l, 60 * second);
    line_segment(l, I, TCP_ACK, l->sent[I] - 1, &garbage, 1);
    line_ack(l, R);
    exchange(l);
    line_close(l, I);
    line_expect(l, "");
}

/* The first copy was damaged in transit, as its CRC shows; also if the repeat comes before the FPDU is complete. */
UNIT_TEST(damaged_at_first)
{
    for (unsigned before_end = 0; before_end < 2; before_end++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];
        size_t n;
        uint64_t at;

        exchange(l);
        n = line_make_send(l, I, 200, fpdu);
        at = l->sent[I];
        l->sent[I] += n;
        l->acked_fixed[R] = true;
        l->acked[R] = at;
        fpdu[100] ^= 1;
        line_segment(l, I, TCP_ACK, at, fpdu, n - (before_end ? 20 : 0));
        line_ack(l, R);
        fpdu[100] ^= 1;
        line_segment(l, I, TCP_ACK, at, fpdu, n);
        l->acked_fixed[R] = false;
        line_ack(l, R);
        exchange(l);
        line_close(l, I);
        line_expect(l, "?MPA-7.1.5-03");
    }
}

/* ---- FIN ---- */

UNIT_TEST(octets_beyond_the_fin)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    line_fin(l, I);
    l->sent[I]--;
    line_send(l, I, 24);
    line_fin(l, R);
    line_finish(l);
    line_expect(l, "MPA-7.2-01");
}

UNIT_TEST(keep_alive_after_the_fin)
{
    struct mpa_line *l = line_started(C, C);
    uint8_t garbage = 0;

    exchange(l);
    line_fin(l, I);
    line_ack(l, R);
    line_wait(l, 60 * second);
    line_segment(l, I, TCP_ACK, l->sent[I] - 1, &garbage, 1);
    line_ack(l, R);
    line_send(l, R, 24); /* the other direction continues */
    line_fin(l, R);
    line_finish(l);
    line_expect(l, "+MPA-7.2-01");
}

/* ---- IP ---- */

UNIT_TEST(no_df)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    l->no_df = true;
    exchange(l);
    l->no_df = false;
    line_close(l, I);
    assert_int_equal(l->seen.n, 2);
    assert_int_equal(l->seen.finding[0].rule, RULE_MPA_A_5_1_01);
    assert_int_equal(l->seen.finding[1].rule, RULE_MPA_A_5_1_01);
    l->seen.n = 0;
    line_expect(l, "");
}

UNIT_TEST(fragments)
{
    for (unsigned dropped = 0; dropped < 2; dropped++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];
        size_t n;
        uint64_t at;

        exchange(l);
        n = line_make_send(l, I, 900, fpdu);
        at = l->sent[I];
        l->acked_fixed[R] = dropped;
        l->acked[R] = at;
        l->fragmented = true;
        for (unsigned i = 0; i < (dropped ? 4 : 1); i++) {
            line_segment(l, I, TCP_ACK, at, fpdu, n);
            line_wait(l, second);
        }
        l->fragmented = false;
        l->sent[I] += n;
        line_ack(l, R);
        line_reset(l, R);
        line_finish(l);
        line_expect(l, dropped ? "MPA-A.5.1-02 MPA-A.5.1-01" : "+MPA-A.5.1-02 MPA-A.5.1-01");
    }
}

/* ---- sizes and segments ---- */

/* FPDUs with n octets of payload in non-final DDP segments, back to back in segments of `size` octets. */
static void stream(struct mpa_line *l, unsigned fpdus, size_t n, bool last, size_t size)
{
    static uint8_t octets[1 << 18];
    size_t length = 0, at;
    uint64_t start = l->sent[I];

    for (unsigned i = 0; i < fpdus; i++) {
        struct ddp_segment segment = {
            .tagged = true, .last = last, .opcode = RDMAP_WRITE, .stag = 5, .to = (uint64_t)i * n};

        length += line_make(l, I, segment, NULL, n, octets + length);
        l->sent[I] = start + length;
    }
    l->sent[I] = start;
    for (at = 0; at < length; at += size)
        line_say(l, I, octets + at, length - at < size ? length - at : size);
    line_ack(l, R);
}

UNIT_TEST(sizes)
{
    static const struct {
        unsigned fpdus;
        size_t payload;
        bool last;
        size_t segment;
        uint16_t mss;
        const char *outcome;
    } cases[] = {
        {10, 1440, false, 1460, 1460, "+MPA-3-03 +MPA-4.5-02 +MPA-4.5-05"},
        {10, 1441, false, 1460, 1460, "MPA-4.5-02 +MPA-4.5-05"}, /* ULPDU_Length 1455 */
        {10, 1441, false, 1464, 1460, ""},                       /* TSO */
        {10, 1440, false, 1360, 1460, "+MPA-3-03"},              /* the path MTU is smaller, or options take room */
        {10, 1986, true, 1460, 1460, "MPA-3-03"},                /* ULPDU_Length 2000 */
        {10, 1986, true, 2008, 1460, ""},                        /* TSO: segments above the MSS */
        {10, 1986, true, 1460, 0, ""},                           /* no MSS known */
        {10, 1600, true, 1460, 1460, "MPA-4.5-02"},
        {40, 186, false, 208, 1460, "MPA-4.5-05"}, /* ULPDU_Length 200 */
        {40, 186, true, 208, 1460, ""},            /* small messages */
        {6, 186, false, 208, 1460, ""},            /* too few */
        {10, 60, false, 88, 88, "MPA-4.5-07"},
        {10, 114, false, 88, 88, "+MPA-4.5-07"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_new();
        char name[40];

        l->mss[R] = cases[i].mss;
        line_startup(l, startup_frame(MPA_REQUEST, C, 1, NULL, 0), startup_frame(MPA_REPLY, C, 1, NULL, 0));
        stream(l, cases[i].fpdus, cases[i].payload, cases[i].last, cases[i].segment);
        line_send(l, R, 24);
        line_close(l, I);
        snprintf(name, sizeof name, "case %zu", i);
        line_expect_named(l, cases[i].outcome, name);
    }
}

UNIT_TEST(alignment)
{
    static const struct {
        unsigned fpdus;
        size_t payload, segment;
        const char *outcome;
    } cases[] = {
        {100, 337, 1460, "MPA-5.1-04"},
        {100, 337, 357, "+MPA-5.1-04"}, /* one FPDU in each segment, except the last */
        {20, 337, 1460, ""},            /* too few */
        {100, 1440, 1000, ""},          /* segments limited by window or path, FPDUs in several of them */
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_started(C, C);
        char name[40];

        stream(l, cases[i].fpdus, cases[i].payload, true, cases[i].segment == 357 ? 360 : cases[i].segment);
        line_send(l, R, 24);
        line_close(l, I);
        snprintf(name, sizeof name, "case %zu", i);
        line_expect_named(l, cases[i].outcome, name);
    }
}

/* A whole FPDU and half of the next in a segment, the rest in its own. */
UNIT_TEST(half_fpdus)
{
    struct mpa_line *l = line_started(C, C);

    for (unsigned i = 0; i < 12; i++) {
        uint8_t octets[LINE_FPDU_MAX];
        uint64_t at = l->sent[I];
        size_t first = line_make_send(l, I, 100, octets), both;

        l->sent[I] = at + first;
        both = first + line_make_send(l, I, 100, octets + first);
        l->sent[I] = at;
        line_say(l, I, octets, first + 64);
        line_say(l, I, octets + first + 64, both - first - 64);
        line_send(l, R, 24);
    }
    line_close(l, I);
    line_expect(l, "MPA-5.1-05 +MPA-5.1-06");
}

UNIT_TEST(pauses)
{
    for (unsigned inside = 0; inside < 2; inside++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];
        size_t n;

        exchange(l);
        n = line_make_send(l, I, 100, fpdu);
        if (inside)
            line_say(l, I, fpdu, 60);
        line_ack(l, R);
        line_wait(l, 10 * second);
        if (inside)
            line_say(l, I, fpdu + 60, n - 60);
        else
            line_say(l, I, fpdu, n);
        exchange(l);
        line_close(l, I);
        line_expect(l, inside ? "MPA-5.1-07" : "+MPA-5.1-07");
    }
}
