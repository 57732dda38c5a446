// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite mpa, full operation: what must not be accepted, and what the device has to do about it (RFC 5044 section 8). */
#include "traffic-gen/suite/cases/suite_look.h"

/* The device itself said C = 0, we C = 1. */
static void damaged_by_our_wish(struct talk *talk, const struct suite_case *row)
{
    if (!talk_start(talk, &(struct talk_wish){.crc = true}) || !needs_crc(talk))
        return;
    if (talk_frame(talk, false)->flags & MPA_FLAG_C)
        talk_not_applicable(talk, "the device declares C = 1 itself");
    else if (row_say_rest(talk, row, true))
        expect_refusal(talk, row);
}

/* Anything but an answer passes, if the device normally answers. */
static void unanswered(struct talk *talk, const struct suite_case *row)
{
    enum talk_life life;

    if (!row_say(talk, row, true))
        return;
    life = row_await(talk, row);
    if (life == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer to %s; found %s",
                    row->variant ? "the request after the faulty FPDU" : "the request whose CRC is wrong",
                    talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_CLOSED)
        talk_passed_by_end(talk, "expected an answer; found %s", talk_describe(talk, talk_last(talk)));
    else
        talk_passed(talk, "expected an answer; found %s", talk_describe(talk, talk_last(talk)));
}

/* We do not close: the device must. */
static void ends(struct talk *talk, const struct suite_case *row)
{
    if (row_say(talk, row, true))
        talk_expect_close(talk, talk_t_idle(talk));
}

/* A receiver need not check Markers of octets in order (section 8): only a device that does can pass. */
static void wrong_marker(struct talk *talk, const struct suite_case *row)
{
    enum talk_life life;

    if (!row_say(talk, row, true))
        return;
    life = talk_probe(talk);
    if (life == LIFE_TERMINATE || life == LIFE_CLOSED)
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
    else
        talk_inconclusive(talk, "the device continues, as it may with octets that arrive in order: %s",
                          talk_life_words(talk, life));
}

#define ERROR_EXPECTED "Terminate 2/0/2 (layer LLP, type MPA, CRC), or a close"

static const struct suite_case tests[] = {
    {RULE_MPA_4_1_07, NULL, DUT_ANY, NEED_REGIONS, row_refused,
     "an FPDU whose PAD is not zero, with the CRC for a zero PAD", ERROR_EXPECTED,
     .says = "with need-crc; write region=all len=1 @14=0x78 (mpa.old-crc mpa.padding=A5A5A5)"},
    {RULE_MPA_4_2_04, NULL, DUT_ANY, 0, row_refused,
     "a Marker whose RESERVED field is not zero, with the CRC for a zero field", ERROR_EXPECTED,
     .says = "with need-crc marker; write (mpa.old-crc mpa.reserved=0x5AA5)"},
    {RULE_MPA_4_4_19, NULL, DUT_ANY, 0, unanswered, "a request in an FPDU whose CRC is wrong", "no answer",
     .says = "with need-crc; ask mpa@-2^0x80"},
    {RULE_MPA_4_4_19, "memory", DUT_ANY, NEED_REGIONS, row_leaves_no_trace,
     "a Write in an FPDU whose CRC is wrong, then, on another connection, a Read of that memory",
     "the memory is as it was before", .says = "with need-crc; write region=shared to+0 mpa@-1^2",
     .variant = LOOK_BAD_CRC},
    {RULE_MPA_7_1_1_16, "own-c0", DUT_ANY, 0, damaged_by_our_wish,
     "C = 0 from the device and C = 1 from us, then an FPDU with a wrong CRC", ERROR_EXPECTED,
     .says = "write stag=1 to=0x0C0C mpa@-1^1"},
    {RULE_MPA_7_1_1_16, "late", DUT_ANY, 0, row_refused, "40 correct FPDUs, then one with a wrong CRC", ERROR_EXPECTED,
     .says = "with need-crc; 40* write; write stag=1 to=0x0C0C (mpa@-1^1)"},
    {RULE_MPA_7_1_2_42, NULL, DUT_ANY, 0, ends, "an FPDU without its last 5 octets, then nothing",
     "the device closes within --idle-timeout", .says = "write mpa.cut=5"},
    {RULE_MPA_8_02, "crc", DUT_ANY, 0, row_refused, "an FPDU with one bit of its CRC field inverted", ERROR_EXPECTED,
     .says = "with need-crc; write (mpa@-1^0x10)"},
    {RULE_MPA_8_02, "ulpdu", DUT_ANY, 0, row_refused, "an FPDU with one bit of its ULPDU inverted", ERROR_EXPECTED,
     .says = "with need-crc; write (mpa@-5^0x10)"},
    {RULE_MPA_8_02, "pad", DUT_ANY, NEED_REGIONS, row_refused, "an FPDU with one bit of its PAD inverted",
     ERROR_EXPECTED, .says = "with need-crc; write region=all len=1 @14=0x78 (mpa@-5^0x10)"},
    {RULE_MPA_8_02, "marker", DUT_ANY, 0, row_refused,
     "an FPDU of whose Marker the two low bits, which mean nothing, were changed after its CRC was computed",
     ERROR_EXPECTED, .says = "with need-crc marker; write (mpa.old-crc mpa.ptr|3)"},
    {RULE_MPA_8_03, NULL, DUT_ANY, 0, wrong_marker,
     "a Marker that does not point to its FPDU, with a correct CRC, in order",
     "Terminate 2/0/3, or a close; the device may continue as long as octets arrive in order",
     .says = "with marker; write mpa.ptr^0x40"},
    {RULE_MPA_8_05, NULL, DUT_ANY, 0, row_refused_with_code, "an FPDU with a wrong CRC", "Terminate 2/0/2",
     .says = "with need-crc; write mpa@-1^8"},
    {RULE_MPA_8_12, "crc", DUT_ANY, 0, unanswered, "an FPDU with a wrong CRC, followed by a correct request",
     "no answer", .says = "with need-crc; cork; write mpa@-1^0x20; ask; uncork", .variant = 1},
    {RULE_MPA_8_12, "length", DUT_ANY, 0, unanswered,
     "an FPDU with a wrong ULPDU_Length, followed by a correct request", "no answer",
     .says = "with need-crc; cork; write mpa.len+4; ask; uncork", .variant = 1},
    {RULE_MPA_8_14, NULL, DUT_ANY, 0, ends, "an FPDU with a wrong CRC; we do not close",
     "the device closes within --idle-timeout", .says = "with need-crc; write mpa@-1^4"},
};

const struct suite suite_mpa_errors = {"mpa", tests, G_N_ELEMENTS(tests)};
