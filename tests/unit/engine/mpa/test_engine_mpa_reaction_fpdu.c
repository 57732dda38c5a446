// SPDX-License-Identifier: GPL-2.0-or-later
/* Reactions to FPDUs: errors that must not be ignored, oddities that must be, and how the answers are told apart. */
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

/* ---- wrong CRCs ---- */

static void answered_by_terminate(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "+MPA-8-02 +MPA-8-05 +MPA-8-14");
}

static void answered_by_close(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_close(l, R);
    line_expect(l, "+MPA-8-02");
}

static void never_acknowledged(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    l->acked_fixed[R] = true;
    l->acked[R] = l->sent[I];
    spoiled_send(l, I);
    line_ack(l, R);
    line_wait(l, 3 * second);
    line_ack(l, R);
    line_finish(l);
    line_expect(l, "+MPA-8-02");
}

/* What the receiver did is not in the capture at all. */
static void one_direction_only(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_wait(l, 3 * second);
    for (unsigned i = 0; i < 5; i++)
        line_send(l, I, 24);
    line_finish(l);
    line_expect(l, "?MPA-8-02");
}

/* Dropped without a word, repaired by TCP (MPA-8-11); what comes after it is answered rightly. */
static void repaired_by_retransmission(void **state)
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

static void ignored(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_ack(l, R);
    line_wait(l, 3 * second);
    exchange(l);
    line_close(l, I);
    line_expect(l, "MPA-8-02");
}

static void ignored_until_the_end(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, R);
    line_ack(l, I);
    line_wait(l, 3 * second);
    line_finish(l);
    line_expect(l, "MPA-8-02");
}

static void ignored_with_own_c0(void **state)
{
    struct mpa_line *l = line_started(C, 0);

    exchange(l);
    spoiled_send(l, I);
    line_ack(l, R);
    line_wait(l, 3 * second);
    line_send(l, R, 24);
    line_close(l, I);
    line_expect(l, "MPA-7.1.1-16");
}

static void capture_cut_short(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_ack(l, R);
    line_wait(l, second);
    line_send(l, R, 24);
    line_finish(l);
    line_expect(l, "?MPA-8-02");
}

/* The receiver closes only after its peer: that may be the end of the conversation, and no more. */
static void closed_after_the_peer(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_send(l, R, 24);
    line_close(l, I);
    line_expect(l, "?MPA-8-02");
}

static void answer_not_captured(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_ack(l, R);
    l->sent[R] += 60; /* lost by the capture, acknowledged below */
    line_ack(l, I);
    line_wait(l, 3 * second);
    line_send(l, R, 24);
    line_ack(l, I);
    line_wait(l, 3 * second);
    line_ack(l, I);
    line_finish(l);
    line_expect(l, "?MPA-8-02");
}

static void read_in_it_answered(void **state)
{
    struct mpa_line *l = line_started(C, C);
    uint8_t fpdu[LINE_FPDU_MAX];

    exchange(l);
    line_spoiled(l, I, fpdu, line_make_read(l, I, 0x9, 0, 100, fpdu));
    line_response(l, R, 0x9, 0, 100);
    line_wait(l, 3 * second);
    exchange(l);
    line_close(l, I);
    line_expect(l, "MPA-4.4-19");
}

static void read_in_it_refused(void **state)
{
    struct mpa_line *l = line_started(C, C);
    uint8_t fpdu[LINE_FPDU_MAX];

    exchange(l);
    line_spoiled(l, I, fpdu, line_make_read(l, I, 0x9, 0, 100, fpdu));
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "+MPA-4.4-19 +MPA-8-02");
}

static void read_after_it_answered(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_read(l, I, 0x9, 0, 100);
    line_response(l, R, 0x9, 0, 100);
    line_close(l, I);
    line_expect(l, "MPA-8-12");
}

static void read_after_it_refused(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    spoiled_send(l, I);
    line_read(l, I, 0x9, 0, 100);
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "+MPA-8-12 +MPA-8-02");
}

/* ULPDU_Length wrong in either direction: the CRC cannot be right then, and nothing after it may be trusted
 * (MPA-6-05). */
static void wrong_length(void **state)
{
    for (int change = -16; change <= 16; change += 32)
        for (unsigned answered = 0; answered < 2; answered++) {
            struct mpa_line *l = line_started(C, C);
            uint8_t fpdu[LINE_FPDU_MAX];
            size_t n;

            exchange(l);
            n = line_make_send(l, I, 60, fpdu);
            put_be16(fpdu, (uint16_t)(get_be16(fpdu) + change));
            line_say(l, I, fpdu, n);
            line_send(l, I, 33);
            line_read(l, I, 0x9, 0, 100);
            if (answered)
                line_response(l, R, 0x9, 0, 100);
            else
                line_terminate(l, R, 0x2002);
            line_close(l, R);
            line_expect(l, answered ? "MPA-8-12" : "+MPA-8-02 +MPA-8-05 +MPA-8-12");
        }
}

/* A Read Request that stood before the error may be answered after it. */
static void read_before_it_answered(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    line_read(l, I, 0x9, 0, 100);
    spoiled_send(l, I);
    line_response(l, R, 0x9, 0, 100);
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "+MPA-8-02 +MPA-6-06");
}

/* The Responder may send nothing after a bad first FPDU: MPA-7.1.2-24 speaks of that. */
static void bad_first_fpdu(void **state)
{
    struct mpa_line *l = line_started(C, C);
    uint8_t fpdu[LINE_FPDU_MAX];

    line_spoiled(l, I, fpdu, line_make_read(l, I, 0x9, 0, 100, fpdu));
    line_response(l, R, 0x9, 0, 100);
    line_close(l, I);
    line_expect(l, "?MPA-8-02");
    l = line_started(C, C);
    spoiled_send(l, I);
    line_close(l, R);
    line_expect(l, "+MPA-8-02");
}

static void wrong_terminates(void **state)
{
    static const struct {
        uint16_t what;
        const char *outcome;
    } cases[] = {
        {0x2002, "+MPA-8-05"}, {0x2003, "MPA-8-05"}, {0x0000, "MPA-8-05"}, {0x1202, "MPA-8-05"}, {0x2102, "MPA-8-05"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_started(C, C);

        exchange(l);
        spoiled_send(l, I);
        line_terminate(l, R, cases[i].what);
        line_close(l, R);
        line_expect(l, cases[i].outcome);
    }
}

/* A Terminate about another FPDU, which overtook the error. */
static void terminate_about_another(void **state)
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

static void half_dead(void **state)
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

/* ---- PAD and RESERVED under a CRC that takes them for zero ---- */

/* A Send of n octets with octet `at` of the FPDU set; the CRC is that of before, or right. */
static void odd_send(struct mpa_line *l, unsigned side, size_t n, size_t at, uint8_t value, bool right)
{
    uint8_t fpdu[LINE_FPDU_MAX];
    size_t length = line_make_send(l, side, n, fpdu);

    fpdu[at < length ? at : length - MPA_CRC_LEN - 1] = value;
    if (right)
        put_le32(fpdu + length - MPA_CRC_LEN, crc32c(fpdu, length - MPA_CRC_LEN));
    line_say(l, side, fpdu, length);
}

static void crc_of_zero_pad(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    odd_send(l, I, 31, SIZE_MAX, 0x55, false);
    line_ack(l, R);
    line_wait(l, 3 * second);
    exchange(l);
    line_close(l, I);
    line_expect(l, "MPA-4.1-07");
    l = line_started(C, C);
    exchange(l);
    odd_send(l, I, 31, SIZE_MAX, 0x55, false);
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "+MPA-4.1-07 +MPA-8-02");
}

static void crc_of_zero_reserved(void **state)
{
    struct mpa_line *l = line_started(C, C | M);

    odd_send(l, I, 24, 0, 0x11, false); /* the leading Marker */
    line_ack(l, R);
    line_wait(l, 3 * second);
    line_ack(l, R);
    line_finish(l);
    line_expect(l, "MPA-4.2-04");
}

/* ---- oddities ---- */

static void odd_but_taken(void **state)
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

/* Silence for longer than any reaction takes is acceptance, too; a bare close is neither. */
static void odd_and_silence(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    odd_send(l, I, 31, SIZE_MAX, 0x55, true);
    line_ack(l, R);
    line_wait(l, 3 * second);
    line_finish(l);
    line_expect(l, "+MPA-4.1-06");
    l = line_started(C, C);
    exchange(l);
    odd_send(l, I, 31, SIZE_MAX, 0x55, true);
    line_close(l, R);
    line_expect(l, "?MPA-4.1-06");
}

static void unused_crc(void **state)
{
    struct mpa_line *l = line_started(0, 0);

    exchange(l);
    exchange(l);
    line_close(l, I);
    line_expect(l, "+MPA-4.1-11 +MPA-4.4-09 +MPA-5.2-01 +MPA-7.1.2-12");
    l = line_started(0, 0);
    line_send(l, I, 24);
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "MPA-4.4-09");
    l = line_started(0, 0);
    exchange(l);
    line_send(l, I, 24);
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "MPA-4.1-11");
}

static void complaint_about_nothing(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    line_send(l, I, 24);
    line_terminate(l, R, 0x2002);
    line_close(l, R);
    line_expect(l, "MPA-5.2-01");
}

/* A Terminate of another layer is somebody else's matter. */
static void complaint_of_another_layer(void **state)
{
    struct mpa_line *l = line_started(C, C);

    exchange(l);
    line_send(l, I, 24);
    line_terminate(l, R, 0x1202);
    line_close(l, R);
    line_expect(l, "");
}

static void complaint_about_lost_octets(void **state)
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

static void unaligned(void **state)
{
    for (unsigned refused = 0; refused < 2; refused++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];
        size_t n;

        exchange(l);
        n = line_make_send(l, I, 400, fpdu);
        for (size_t at = 0; at < n; at += 50)
            line_say(l, I, fpdu + at, n - at < 50 ? n - at : 50);
        if (refused)
            line_terminate(l, R, 0x2002);
        else
            line_send(l, R, 24);
        line_close(l, R);
        line_expect(l, refused ? "MPA-5.1-06" : "+MPA-5.1-06");
    }
}

static void out_of_order(void **state)
{
    for (unsigned refused = 0; refused < 2; refused++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];
        size_t n;
        uint64_t at;

        exchange(l);
        n = line_make_send(l, I, 400, fpdu);
        at = l->sent[I];
        l->sent[I] += n;
        line_segment(l, I, TCP_ACK, at + 200, fpdu + 200, n - 200);
        line_segment(l, I, TCP_ACK, at, fpdu, 200);
        if (refused)
            line_terminate(l, R, 0x2002);
        else
            line_send(l, R, 24);
        line_close(l, R);
        line_expect(l, refused ? "MPA-A.5.2-01" : "+MPA-A.5.2-01 +MPA-5.1-06");
    }
}

static void repeated_while_switching(void **state)
{
    for (unsigned refused = 0; refused < 2; refused++) {
        struct mpa_line *l = line_new();
        struct startup_frame request = startup_frame(MPA_REQUEST, C, 1, NULL, 0),
                             reply = startup_frame(MPA_REPLY, C, 1, NULL, 0);

        line_handshake(l);
        line_segment(l, I, TCP_ACK, 0, request.octets, request.n);
        line_wait(l, 200 * millisecond);
        line_say(l, I, request.octets, request.n);
        line_say(l, R, reply.octets, reply.n);
        l->crc = true;
        line_send(l, I, 24);
        if (refused)
            line_terminate(l, R, 0x2002);
        else
            line_send(l, R, 24);
        line_close(l, R);
        line_expect(l, refused ? "MPA-7.1.5-04" : "+MPA-7.1.5-04 +MPA-7.1.5-03");
    }
}

static void wrap_inside(void **state)
{
    for (unsigned refused = 0; refused < 2; refused++) {
        struct mpa_line *l = line_new();

        l->isn[I] = (uint32_t) - (1 + 20 + 300);
        line_startup(l, startup_frame(MPA_REQUEST, C, 1, NULL, 0), startup_frame(MPA_REPLY, C | M, 1, NULL, 0));
        line_send(l, I, 24);
        line_send(l, R, 24);
        line_send(l, I, 1000);
        if (refused)
            line_terminate(l, R, 0x2003);
        else
            line_send(l, R, 24);
        line_close(l, R);
        line_expect(l, refused ? "MPA-4.3-07" : "+MPA-4.3-07");
    }
}

/* ---- Markers ---- */

static void misleading_marker(void **state)
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

/* ---- RDMA Reads ---- */

static void answered_too_early(void **state)
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
        if (early == 2) { /* seen after the Request, but sent before its end had come */
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

static void first_fpdu_lost(void **state)
{
    for (unsigned lost = 0; lost < 2; lost++) {
        struct mpa_line *l = line_started(C, C);

        line_read(l, I, 0x9, 0, 100);
        line_read(l, I, 0xa, 0, 100);
        if (!lost)
            line_response(l, R, 0x9, 0, 100);
        line_response(l, R, 0xa, 0, 100);
        exchange(l);
        line_close(l, I);
        line_expect(l, lost ? "MPA-7.1.2-12" : "+MPA-7.1.2-12");
    }
}

/* ---- waiting ---- */

static void rest_of_an_fpdu(void **state)
{
    static const struct {
        unsigned seconds;
        bool closed;
        const char *outcome;
    } cases[] = {{121, false, "MPA-7.1.2-42"}, {60, true, "+MPA-7.1.2-42"}, {60, false, "?MPA-7.1.2-42"}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_started(C, C);
        uint8_t fpdu[LINE_FPDU_MAX];

        exchange(l);
        line_make_send(l, I, 100, fpdu);
        line_say(l, I, fpdu, 60);
        line_ack(l, R);
        line_wait(l, cases[i].seconds * second);
        if (cases[i].closed)
            line_reset(l, R);
        else
            line_ack(l, R);
        line_finish(l);
        line_expect(l, cases[i].outcome);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answered_by_terminate),
        cmocka_unit_test(answered_by_close),
        cmocka_unit_test(never_acknowledged),
        cmocka_unit_test(one_direction_only),
        cmocka_unit_test(repaired_by_retransmission),
        cmocka_unit_test(ignored),
        cmocka_unit_test(ignored_until_the_end),
        cmocka_unit_test(ignored_with_own_c0),
        cmocka_unit_test(capture_cut_short),
        cmocka_unit_test(closed_after_the_peer),
        cmocka_unit_test(answer_not_captured),
        cmocka_unit_test(read_in_it_answered),
        cmocka_unit_test(read_in_it_refused),
        cmocka_unit_test(read_after_it_answered),
        cmocka_unit_test(read_after_it_refused),
        cmocka_unit_test(wrong_length),
        cmocka_unit_test(read_before_it_answered),
        cmocka_unit_test(bad_first_fpdu),
        cmocka_unit_test(wrong_terminates),
        cmocka_unit_test(terminate_about_another),
        cmocka_unit_test(half_dead),
        cmocka_unit_test(crc_of_zero_pad),
        cmocka_unit_test(crc_of_zero_reserved),
        cmocka_unit_test(odd_but_taken),
        cmocka_unit_test(odd_and_silence),
        cmocka_unit_test(unused_crc),
        cmocka_unit_test(complaint_about_nothing),
        cmocka_unit_test(complaint_of_another_layer),
        cmocka_unit_test(complaint_about_lost_octets),
        cmocka_unit_test(unaligned),
        cmocka_unit_test(out_of_order),
        cmocka_unit_test(repeated_while_switching),
        cmocka_unit_test(wrap_inside),
        cmocka_unit_test(misleading_marker),
        cmocka_unit_test(answered_too_early),
        cmocka_unit_test(first_fpdu_lost),
        cmocka_unit_test(rest_of_an_fpdu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
