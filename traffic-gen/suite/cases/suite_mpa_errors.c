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

/* What is wrong is before the request that must not be answered, not in it. */
enum { FAULT_BEFORE = 1 };

/* Anything but an answer passes, if the device normally answers. */
static void unanswered(struct talk *talk, const struct suite_case *row)
{
    enum talk_life life;

    if (!row_say(talk, row, true))
        return;
    life = row_await(talk, row);
    if (life == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer to %s; found %s",
                    row->variant == FAULT_BEFORE ? "the request after the faulty FPDU"
                                                 : "the request whose CRC is wrong",
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

static const struct suite_case tests[] = {
#include "suite_mpa_errors.inc"
};

const struct suite suite_mpa_errors = {"mpa", tests, G_N_ELEMENTS(tests)};
