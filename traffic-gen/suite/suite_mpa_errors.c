// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite mpa, full operation: what must not be accepted, and what the device has to do about it (RFC 5044 section 8). */
#include "traffic-gen/suite/suite_mpa.h"

#include "wire/octets.h"

enum { LONG_EXCHANGE = 40 };

/* The octets of an FPDU with a bit inverted, so many octets before its end. */
static void write_damaged(struct talk *talk, const struct mpa_fpdu_plan *plan, size_t from_end, uint8_t bit)
{
    GByteArray *octets = talk_encode_plan(plan);

    octets->data[octets->len - from_end] ^= bit;
    talk_write(talk, octets->data, octets->len);
    g_byte_array_unref(octets);
}

/* To another place, a multiple of four octets away. */
static void set_fpduptr(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx;
    (void)offset;
    (void)index;
    marker[3] ^= 0x40;
}

static void pad_not_in_crc(struct talk *talk, const struct suite_case *row)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    size_t n;

    (void)row;
    if (!talk_start(talk, NULL) || !mpa_uses_crc(talk) || !(n = mpa_padded(talk, ulpdu)))
        return;
    talk_plan(talk, &plan, ulpdu, n);
    plan.crc = mpa_crc_of(&plan);
    plan.crc_fixed = true;
    memset(plan.pad, 0xA5, plan.pad_length);
    talk_send_plan(talk, &plan);
    mpa_expect_error(talk);
}

static void reserved_not_in_crc(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.need_markers = true};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    (void)row;
    if (!talk_start(talk, &wish) || !mpa_uses_crc(talk) || !mpa_reach_marker(talk, ulpdu))
        return;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    plan.crc = mpa_crc_of(&plan);
    plan.crc_fixed = true;
    plan.marker_hook = mpa_set_reserved;
    talk_send_plan(talk, &plan);
    mpa_expect_error(talk);
}

bool mpa_uses_crc(struct talk *talk)
{
    if (!talk_crc(talk))
        talk_not_applicable(talk, "CRC is not in use");
    return talk_crc(talk);
}

/* One bit, somewhere in an FPDU. */
enum damage { DAMAGE_CRC, DAMAGE_ULPDU, DAMAGE_PAD, DAMAGE_MARKER };

static void damaged(struct talk *talk, const struct suite_case *row)
{
    /* From the end: the CRC field, the Tagged Offset of a Write, the PAD after one octet. */
    static const size_t from_end[] = {[DAMAGE_CRC] = 1, [DAMAGE_ULPDU] = 5, [DAMAGE_PAD] = 5};
    const struct talk_wish wish = {.need_markers = row->variant == DAMAGE_MARKER};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    size_t n;

    if (!talk_start(talk, &wish) || !mpa_uses_crc(talk))
        return;
    if (row->variant == DAMAGE_MARKER && !mpa_reach_marker(talk, ulpdu))
        return;
    n = row->variant == DAMAGE_PAD ? mpa_padded(talk, ulpdu) : mpa_harmless(talk, ulpdu);
    if (n == 0)
        return;
    talk_plan(talk, &plan, ulpdu, n);
    if (row->variant == DAMAGE_MARKER) {
        plan.crc = mpa_crc_of(&plan);
        plan.crc_fixed = true;
        plan.marker_hook = set_fpduptr;
        talk_send_plan(talk, &plan);
    } else {
        write_damaged(talk, &plan, from_end[row->variant], 0x10);
    }
    mpa_expect_error(talk);
}

/* The device itself said C = 0, we C = 1; or: after many correct ones. */
static void damaged_by_our_wish(struct talk *talk, const struct suite_case *row)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    if (!talk_start(talk, &(struct talk_wish){.crc = row->variant == 0}) || !mpa_uses_crc(talk))
        return;
    if (row->variant == 0 && talk_frame(talk, false)->flags & MPA_FLAG_C) {
        talk_not_applicable(talk, "the device declares C = 1 itself");
        return;
    }
    for (int i = 0; i < (row->variant ? LONG_EXCHANGE : 0); i++)
        talk_send_ulpdu(talk, ulpdu, mpa_harmless(talk, ulpdu));
    talk_plan(talk, &plan, ulpdu, talk_make_write(talk, ulpdu, MPA_HARMLESS_STAG, 0x0C0C, NULL, 0));
    write_damaged(talk, &plan, 1, 0x01);
    mpa_expect_error(talk);
}

/* Anything but an answer passes, if the device normally answers. */
static void expect_no_answer(struct talk *talk, enum talk_sign sign, const char *what)
{
    enum talk_life life = talk_await(talk, sign, talk_t_react(talk));

    if (life == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer to %s; found %s", what, talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_CLOSED)
        talk_passed_by_end(talk, "expected an answer; found %s", talk_describe(talk, talk_last(talk)));
    else
        talk_passed(talk, "expected an answer; found %s", talk_describe(talk, talk_last(talk)));
}

static void damaged_read(struct talk *talk, const struct suite_case *row)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    enum talk_sign sign;

    (void)row;
    if (!talk_start(talk, NULL) || !mpa_uses_crc(talk) || (sign = mpa_question_sign(talk)) == SIGN_TCP)
        return;
    talk_plan(talk, &plan, ulpdu, talk_make_question(talk, sign, ulpdu));
    write_damaged(talk, &plan, 2, 0x80);
    expect_no_answer(talk, sign, "the request whose CRC is wrong");
}

/* A faulty FPDU followed by a correct request, in one segment. */
static void behind_an_error(struct talk *talk, const struct suite_case *row)
{
    uint64_t offset;
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    enum talk_sign sign;
    GByteArray *wrong, *question;

    if (!talk_start(talk, NULL) || !mpa_uses_crc(talk) || (sign = mpa_question_sign(talk)) == SIGN_TCP)
        return;
    offset = talk_out_offset(talk);
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    if (row->variant)
        plan.ulpdu_length = (uint16_t)(plan.ulpdu_length + 4); /* with the CRC at the FPDU's true end */
    wrong = talk_encode_plan(&plan);
    if (!row->variant)
        wrong->data[wrong->len - 1] ^= 0x20;
    talk_plan(talk, &plan, ulpdu, talk_make_question(talk, sign, ulpdu));
    plan.offset = offset + wrong->len;
    question = talk_encode_plan(&plan);
    g_byte_array_append(wrong, question->data, question->len);
    talk_write(talk, wrong->data, wrong->len);
    g_byte_array_unref(question);
    g_byte_array_unref(wrong);
    expect_no_answer(talk, sign, "the request after the faulty FPDU");
}

static void error_code(struct talk *talk, const struct suite_case *row)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    (void)row;
    if (!talk_start(talk, NULL) || !mpa_uses_crc(talk))
        return;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    write_damaged(talk, &plan, 1, 0x08);
    talk_expect_terminate(talk, &(struct talk_terminate){.layer = 2, .codes = {2}, .close_open = true});
}

/* We do not close: the device must, after its Terminate. */
static void tears_down(struct talk *talk, const struct suite_case *row)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    (void)row;
    if (!talk_start(talk, NULL) || !mpa_uses_crc(talk))
        return;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    write_damaged(talk, &plan, 1, 0x04);
    mpa_expect_end(talk, talk_t_idle(talk));
}

void mpa_expect_end(struct talk *talk, int64_t ns)
{
    int64_t until = talk_now() + ns;
    const struct talk_heard *heard;

    do {
        heard = talk_hear(talk, MAX(until - talk_now(), 0));
    } while (heard->what != TALK_FIN && heard->what != TALK_RESET && heard->what != TALK_SILENCE);
    if (heard->what == TALK_SILENCE)
        talk_failed(talk, "expected the device to close; the connection was still open after %.1f s", (double)ns / 1e9);
    else
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
}

/* A receiver need not check Markers of octets in order (section 8): only a device that does can pass. */
static void wrong_marker(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.need_markers = true};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    enum talk_life life;

    (void)row;
    if (!talk_start(talk, &wish) || !mpa_reach_marker(talk, ulpdu))
        return;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    plan.marker_hook = set_fpduptr;
    talk_send_plan(talk, &plan);
    life = talk_probe(talk);
    if (life == LIFE_TERMINATE || life == LIFE_CLOSED)
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
    else
        talk_inconclusive(talk, "the device continues, as it may with octets that arrive in order: %s",
                          talk_life_words(talk, life));
}

/* A part of an FPDU, then nothing. */
static void half_an_fpdu(struct talk *talk, const struct suite_case *row)
{
    GByteArray *octets;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    octets = mpa_harmless_octets(talk, 1);
    talk_write(talk, octets->data, octets->len - 5);
    g_byte_array_unref(octets);
    mpa_expect_end(talk, talk_t_idle(talk));
}

#define ERROR_EXPECTED "Terminate 2/0/2 (layer LLP, type MPA, CRC), or a close"

static const struct suite_case tests[] = {
    {RULE_MPA_4_1_07, NULL, DUT_ANY, NEED_REGIONS, pad_not_in_crc,
     "an FPDU whose PAD is not zero, with the CRC for a zero PAD", ERROR_EXPECTED, .variant = 0},
    {RULE_MPA_4_2_04, NULL, DUT_ANY, 0, reserved_not_in_crc,
     "a Marker whose RESERVED field is not zero, with the CRC for a zero field", ERROR_EXPECTED, .variant = 0},
    {RULE_MPA_4_4_19, NULL, DUT_ANY, 0, damaged_read, "a request in an FPDU whose CRC is wrong", "no answer",
     .variant = 0},
    {RULE_MPA_7_1_1_16, "own-c0", DUT_ANY, 0, damaged_by_our_wish,
     "C = 0 from the device and C = 1 from us, then an FPDU with a wrong CRC", ERROR_EXPECTED, .variant = 0},
    {RULE_MPA_7_1_1_16, "late", DUT_ANY, 0, damaged_by_our_wish, "40 correct FPDUs, then one with a wrong CRC",
     ERROR_EXPECTED, .variant = 1},
    {RULE_MPA_7_1_2_42, NULL, DUT_ANY, 0, half_an_fpdu, "an FPDU without its last 5 octets, then nothing",
     "the device closes within --idle-timeout", .variant = 0},
    {RULE_MPA_8_02, "crc", DUT_ANY, 0, damaged, "an FPDU with one bit of its CRC field inverted", ERROR_EXPECTED,
     .variant = DAMAGE_CRC},
    {RULE_MPA_8_02, "ulpdu", DUT_ANY, 0, damaged, "an FPDU with one bit of its ULPDU inverted", ERROR_EXPECTED,
     .variant = DAMAGE_ULPDU},
    {RULE_MPA_8_02, "pad", DUT_ANY, NEED_REGIONS, damaged, "an FPDU with one bit of its PAD inverted", ERROR_EXPECTED,
     .variant = DAMAGE_PAD},
    {RULE_MPA_8_02, "marker", DUT_ANY, 0, damaged, "an FPDU whose Marker was changed after its CRC was computed",
     "Terminate 2/0/2 or 2/0/3, or a close", .variant = DAMAGE_MARKER},
    {RULE_MPA_8_03, NULL, DUT_ANY, 0, wrong_marker,
     "a Marker that does not point to its FPDU, with a correct CRC, in order",
     "Terminate 2/0/3, or a close; the device may continue as long as octets arrive in order", .variant = 0},
    {RULE_MPA_8_05, NULL, DUT_ANY, 0, error_code, "an FPDU with a wrong CRC",
     "if a Terminate, then layer 2 type 0 code 2", .variant = 0},
    {RULE_MPA_8_12, "crc", DUT_ANY, 0, behind_an_error, "an FPDU with a wrong CRC, followed by a correct request",
     "no answer", .variant = 0},
    {RULE_MPA_8_12, "length", DUT_ANY, 0, behind_an_error,
     "an FPDU with a wrong ULPDU_Length, followed by a correct request", "no answer", .variant = 1},
    {RULE_MPA_8_14, NULL, DUT_ANY, 0, tears_down, "an FPDU with a wrong CRC; we do not close",
     "the device closes within --idle-timeout", .variant = 0},
};

const struct suite suite_mpa_errors = {"mpa", tests, G_N_ELEMENTS(tests)};
