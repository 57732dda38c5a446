// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite mpa, full operation: what must not be accepted, and what the device has to do about it (RFC 5044 section 8). */
#include "traffic-gen/suite/cases/suite_look.h"

#include "wire/rdmap.h"

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

/* Another layer than MPA has looked into an FPDU whose CRC is wrong: that is MPA-4.4-19. */
static void judge_other_layer(struct talk *talk, const struct suite_case *row)
{
    const char *what = talk_describe(talk, talk_last(talk));

    if (row->variant == FAULT_BEFORE)
        talk_inconclusive(
            talk, "refused, but not by MPA, which is about the contents of an FPDU whose CRC is wrong: %s", what);
    else
        talk_failed(talk,
                    "expected no answer, or a Terminate of MPA; found the contents of an FPDU whose CRC is wrong "
                    "judged: %s",
                    what);
}

/* The comparison: without the fault the device answers. */
static bool answers_plainly(struct talk *talk, const struct suite_case *row)
{
    talk_wait_to_listen(talk);
    return row_say(talk, row, false) && row_await(talk, row) == LIFE_ANSWERS;
}

static void judge_no_answer(struct talk *talk, const struct suite_case *row, enum talk_life life)
{
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));

    if (talk_late_answer(talk))
        talk_inconclusive(talk, "%s; beside it the device says something else: %s", what, talk_answer(talk));
    else if (!answers_plainly(talk, row))
        talk_inconclusive(talk, "%s; without the fault the device does not answer either", what);
    else if (life == LIFE_CLOSED)
        talk_passed_by_end(talk, "expected no answer; found %s; without the fault the device answers", what);
    else
        talk_passed(talk, "expected no answer; found %s; without the fault the device answers", what);
}

/* A silence, a close or a Terminate of MPA passes, if the device answers what is right. */
static void unanswered(struct talk *talk, const struct suite_case *row)
{
    enum talk_life life;

    if (!row_say(talk, row, true))
        return;
    life = row_await(talk, row);
    if (life == LIFE_MUTE) /* it may be slow */
        life = row_await(talk, row);
    if (life == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer to %s; found %s",
                    row->variant == FAULT_BEFORE ? "the request after the faulty FPDU"
                                                 : "the request whose CRC is wrong",
                    talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_GARBAGE)
        talk_inconclusive(talk, "neither an answer nor a refusal: %s", talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_TERMINATE && talk_last(talk)->meant.layer != RDMAP_LAYER_LLP)
        judge_other_layer(talk, row);
    else
        judge_no_answer(talk, row, life);
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
    if (life == LIFE_TERMINATE && talk_last(talk)->meant.layer != RDMAP_LAYER_LLP)
        talk_inconclusive(talk, "refused, but not by MPA, whose Marker is wrong: %s",
                          talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_TERMINATE || life == LIFE_CLOSED)
        talk_passed_by_end(talk, "%s", talk_describe(talk, talk_last(talk)));
    else
        talk_inconclusive(talk, "the device continues, as it may with octets that arrive in order: %s",
                          talk_life_words(talk, life));
}

static const struct suite_case tests[] = {
#include "suite_mpa_errors.inc"
};

const struct suite suite_mpa_errors = {"mpa", tests, G_N_ELEMENTS(tests)};
