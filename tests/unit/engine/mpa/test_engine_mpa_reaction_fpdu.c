// SPDX-License-Identifier: GPL-2.0-or-later
/* Reactions to FPDUs with hand-made octets, ACK numbers or order; the rest is in rules/mpa.cases. */
#include "tests/unit/support/mpa_line.h"

#include "wire/crc32c.h"

enum { C = MPA_FLAG_C, M = MPA_FLAG_M };

static void exchange(struct mpa_line *l)
{
    line_send(l, I, 24);
    line_send(l, R, 24);
}

static void spoiled_send(struct mpa_line *l, unsigned side)
{
    uint8_t fpdu[LINE_FPDU_MAX];

    line_spoiled(l, side, fpdu, line_make_send(l, side, 40, fpdu));
}

/* Dropped silently and repaired by TCP (MPA-8-11); later FPDUs are answered correctly. */
UNIT_TEST(repaired_by_retransmission)
{
    struct mpa_line *l = line_started(C, C);
    uint8_t fpdu[LINE_FPDU_MAX];
    size_t n;

    exchange(l);
    n = line_make_send(l, I, 40, fpdu);
    l->acked_fixed[R] = true;
    l->acked[R] = l->sent[I];
    line_spoiled(l, I, fpdu, n);
    line_ack(l, R);
    fpdu[n - 1] ^= 0x40;
    line_segment(l, I, TCP_ACK, l->sent[I] - n, fpdu, n);
    l->acked_fixed[R] = false;
    line_ack(l, R);
    line_read(l, I, 0x9, 0, 100);
    line_response(l, R, 0x9, 0, 100);
    line_wait(l, 3 * second);
    exchange(l);
    line_close(l, I);
    line_expect(l, "+MPA-8-02 ?MPA-7.1.5-03");
}

/* A Terminate about another FPDU, sent before the error arrived. */
UNIT_TEST(terminate_about_another)
{
    struct mpa_line *l = line_started(C, C);
    struct ddp_segment write = {.tagged = true, .last = true, .opcode = RDMAP_WRITE, .stag = 0x5};

    exchange(l);
    line_write(l, I, 40);
    spoiled_send(l, I);
    line_terminate_about(l, R, 0x1100, &write);
    line_close(l, R);
    line_expect(l, "?MPA-8-05");
}

UNIT_TEST(half_dead)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_terminate(l, R, 0x2002);
    line_ack(l, I);
    line_wait(l, 121 * second);
    line_ack(l, I);
    line_finish(l);
    line_expect(l, "MPA-8-14");
    l = line_started(C, C);
    exchange(l);
    spoiled_send(l, I);
    line_terminate(l, R, 0x2002);
    line_ack(l, I);
    line_wait(l, 100 * second);
    line_finish(l);
    line_expect(l, "?MPA-8-14");
}

/* A Send of n octets with octet `at` of the FPDU changed; the CRC is the old one, or right. */
static void odd_send(struct mpa_line *l, unsigned side, size_t n, size_t at, uint8_t value, bool right)
{
    uint8_t fpdu[LINE_FPDU_MAX];
    size_t length = line_make_send(l, side, n, fpdu);

    fpdu[at < length ? at : length - MPA_CRC_LEN - 1] = value;
    if (right)
        put_le32(fpdu + length - MPA_CRC_LEN, crc32c(fpdu, length - MPA_CRC_LEN));
    line_say(l, side, fpdu, length);
}

UNIT_TEST(crc_of_zero_reserved)
{
    struct mpa_line *l = line_started(C, C | M);

    odd_send(l, I, 24, 0, 0x11, false); /* the leading Marker */
    line_ack(l, R);
    line_wait(l, 3 * second);
    line_ack(l, R);
    line_finish(l);
    line_expect(l, "MPA-4.2-04");
}

UNIT_TEST(odd_but_taken)
{
    static const struct {
        bool pad, low_bits;
        const char *taken, *refused;
    } cases[] = {{true, false, "+MPA-4.1-06", "MPA-4.1-06"},
                 {false, false, "+MPA-4.2-03", "MPA-4.2-03"},
                 {false, true, "+MPA-4.2-06", "MPA-4.2-06"}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        for (unsigned refused = 0; refused < 2; refused++) {
            struct mpa_line *l = line_started(C, C | (cases[i].pad ? 0 : M));

            odd_send(l, I, cases[i].pad ? 31 : 24, cases[i].pad ? SIZE_MAX : cases[i].low_bits ? 3 : 1, 0x02, true);
            if (refused)
                line_terminate(l, R, 0x2003);
            else
                line_send(l, R, 24);
            line_close(l, R);
            line_expect(l, refused ? cases[i].refused : cases[i].taken);
        }
}

UNIT_TEST(complaint_about_lost_octets)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    l->sent[I] += 48;
    line_send(l, I, 24);
    line_ack(l, R);
    line_wait(l, second);
    for (unsigned i = 0; i < 4; i++)
        line_ack(l, R);
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "");
}

UNIT_TEST(misleading_marker)
{
    static const char *const outcomes[] = {"+MPA-8-03 +MPA-8-05", "MPA-8-03", "", ""};

    for (unsigned way = 0; way < 4; way++) {
        bool in_order = way >= 2, refused = way % 2 == 0;
        struct mpa_line *l = line_started(C, C | M);
        uint8_t first[LINE_FPDU_MAX], second_one[LINE_FPDU_MAX];
        size_t n_first, n_second;
        uint64_t at;

        exchange(l);
        n_first = line_make_send(l, I, 300, first);
        at = l->sent[I];
        l->sent[I] += n_first;
        n_second = line_make_send(l, I, 800, second_one);
        l->sent[I] = at;
        for (size_t i = 512 - (at + n_first - l->grid[I]) % 512; i < n_second; i += 512)
            second_one[i + 3] += 4;
        put_le32(second_one + n_second - MPA_CRC_LEN, crc32c(second_one, n_second - MPA_CRC_LEN));
        l->sent[I] += n_first + n_second;
        if (in_order)
            line_segment(l, I, TCP_ACK, at, first, n_first);
        line_segment(l, I, TCP_ACK, at + n_first, second_one, n_second);
        if (!in_order)
            line_segment(l, I, TCP_ACK, at, first, n_first);
        if (refused) {
            line_terminate(l, R, 0x2003);
            line_close(l, R);
        } else {
            line_ack(l, R);
            line_wait(l, 3 * second);
            line_send(l, R, 24);
            line_close(l, I);
        }
        line_expect(l, outcomes[way]);
    }
}

UNIT_TEST(answered_too_early)
{
    for (unsigned early = 0; early < 3; early++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];
        uint64_t at;
        size_t n;

        exchange(l);
        n = line_make_read(l, I, 0x9, 0, 100, fpdu);
        at = l->sent[I];
        line_say(l, I, fpdu, n - 4);
        if (early == 1)
            line_response(l, R, 0x9, 0, 100);
        line_say(l, I, fpdu + n - 4, 4);
        if (early == 2) { /* seen after the Request, but sent before its end had arrived */
            l->acked_fixed[R] = true;
            l->acked[R] = at + n - 4;
        }
        if (early != 1)
            line_response(l, R, 0x9, 0, 100);
        l->acked_fixed[R] = false;
        exchange(l);
        line_close(l, I);
        line_expect(l, early ? "MPA-6-06" : "+MPA-6-06");
    }
}
