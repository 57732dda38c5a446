// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite ddp: RFC 5041. What is placed is read back or echoed; what must not be placed is refused with the error of
 * section 7.2.
 */
#include "traffic-gen/suite/cases/suite_look.h"

#include <string.h>

enum { DATA = 600, READ_BACK_NS_PARTS = 4 };

/* ---- placement ---- */

/* A Read after a Write was not answered: is it answered without the Write? */
static void compare_read(struct talk *talk)
{
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));

    if (talk_start(talk, NULL) && talk_say(talk, "read region=all srcto+100 size=600") &&
        talk_hear_opcode(talk, RDMAP_READ_RESPONSE))
        talk_failed(
            talk, "expected an answer to a Read of the octets just written; found %s; without the Write it is answered",
            what);
    else
        talk_inconclusive(talk, "the device answers no Read of the region, with or without a Write before it: %s",
                          what);
}

static void tagged_placed(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;
    uint8_t data[DATA];

    for (unsigned i = 0; i < DATA; i++)
        data[i] = (uint8_t)(i * 7 + 1);
    if (!talk_start(talk, NULL) || !talk_say_octets(talk, data, DATA, "%s", row->says))
        return;
    heard = talk_hear_opcode(talk, RDMAP_READ_RESPONSE);
    if (!heard)
        compare_read(talk);
    else if (heard->ddp.payload_len != DATA || memcmp(heard->ddp.payload, data, DATA) != 0)
        talk_failed(talk, "expected the %u octets written; the Read returned others", (unsigned)DATA);
    else
        talk_passed(talk, "the Read returned what had been written");
}

static void untagged_placed(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    if (!row_say(talk, row, true))
        return;
    heard = talk_hear_opcode(talk, RDMAP_SEND);
    if (!heard && !talk_echoes(talk))
        talk_inconclusive(talk, "the device is not known to echo anything: %s", talk_describe(talk, talk_last(talk)));
    else if (!heard)
        talk_failed(talk, "expected the echo of the Send; found %s", talk_describe(talk, talk_last(talk)));
    else if (!talk_echoes_message(&heard->ddp))
        talk_failed(talk, "expected the Send echoed unchanged; found other octets");
    else
        talk_passed(talk, "the Send was echoed");
}

/* The message is incomplete until its last segment arrives: an echo before that shows that it was delivered too early.
 */
static void not_before_last(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    if (!row_say(talk, row, true))
        return;
    heard = talk_hear(talk, talk_t_react(talk) / READ_BACK_NS_PARTS);
    if (heard->what == TALK_FPDU) {
        talk_failed(talk, "expected no echo before the last segment; found %s", talk_describe(talk, heard));
        return;
    }
    if (heard->what != TALK_SILENCE) {
        talk_inconclusive(talk, "%s in the middle of a message", talk_describe(talk, heard));
        return;
    }
    if (talk_answer(talk)) {
        talk_failed(talk, "expected no echo before the last segment; found %s", talk_answer(talk));
        return;
    }
    talk_say(talk, "send");
    heard = talk_hear_opcode(talk, RDMAP_SEND);
    if (heard)
        talk_passed(talk, "the echo came after the last segment");
    else
        talk_inconclusive(talk, "expected the echo of a message of two segments; found %s",
                          talk_describe(talk, talk_last(talk)));
}

/* ---- half-close ---- */

/* The comparison: without our FIN. A device that closes as soon as it sees FIN may have its reasons. */
static void half_close(struct talk *talk, const struct suite_case *row)
{
    enum talk_sign sign;
    enum talk_life life;

    (void)row;
    if (!talk_start(talk, NULL))
        return;
    sign = needs_question(talk);
    if (sign == SIGN_TCP)
        return;
    if (talk_reads(talk) && talk_advert(talk)->n > REGION_ALL)
        sign = SIGN_REGION;
    talk_ask(talk, sign, "");
    talk_finish(talk);
    life = talk_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_ANSWERS)
        talk_passed(talk, "the request was answered after our FIN");
    else if (life == LIFE_CLOSED)
        talk_inconclusive(talk, "%s: the layers above may close at any time", talk_describe(talk, talk_last(talk)));
    else
        talk_failed(talk, "expected the answer to a request sent before our FIN; found %s",
                    talk_describe(talk, talk_last(talk)));
}

/* ---- what must be refused ---- */

/*
 * The request must not be answered: it was not, if the device ended the connection, by a Terminate for one of these
 * reasons, and has said nothing else.
 */
static void judge_refused_unanswered(struct talk *talk, enum talk_life life, const struct talk_reason *reasons,
                                     unsigned n)
{
    const bool is_terminate = life == LIFE_TERMINATE;
    const bool has_reason = is_terminate && talk_has_reason(&talk_last(talk)->meant, reasons, n);
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));

    if (talk_late_answer(talk))
        talk_inconclusive(talk, "%s; beside it the device says something: %s", what, talk_answer(talk));
    else if (is_terminate && !has_reason)
        talk_inconclusive(talk, "refused, but by a layer that cannot see the fault, or for another reason: %s", what);
    else if (is_terminate || life == LIFE_CLOSED)
        talk_passed_by_end(talk, "%s", what);
    else
        talk_inconclusive(talk, "neither an answer nor a refusal: %s", what);
}

/* What follows an error is ignored, even if the device would otherwise answer it. */
static void dropped(struct talk *talk, const struct suite_case *row)
{
    static const struct talk_reason of_ddp = {RDMAP_LAYER_DDP, TALK_ANY, TALK_ANY};
    enum talk_sign sign;
    enum talk_life life;

    if (!talk_start(talk, NULL))
        return;
    sign = talk_usable_sign(talk);
    if (sign != SIGN_READ && sign != SIGN_REGION) {
        talk_not_applicable(talk, "the device is not known to answer Reads");
        return;
    }
    row_say_rest(talk, row, true);
    life = talk_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer to a Read Request after a segment with DV 2; found one");
    else if (life == LIFE_MUTE)
        talk_inconclusive(talk, "expected an error; found neither an error nor an answer");
    else
        judge_refused_unanswered(talk, life, &of_ddp, 1);
    row_compare_refusal(talk, row);
}

/* An FPDU whose ULPDU is too short for its header, cut over two TCP segments at each place: a connection for each. */
static void short_in_parts(struct talk *talk, const struct suite_case *row)
{
    enum { FPDU = 16 };

    for (unsigned at = 1; at < FPDU; at++) {
        const struct talk_heard *heard;

        if (!talk_start(talk, NULL) || !talk_say(talk, "write") ||
            !talk_say(talk, "%s mpa.split=%u mpa.acked mpa.gap=20000", row->says, at))
            return;
        heard = hear_end(talk, talk_t_react(talk));
        if (!heard->is_terminate && talk_is_open(talk)) {
            talk_failed(talk, "cut after octet %u of %u: expected a Terminate or a close; found %s", at, FPDU,
                        talk_describe(talk, heard));
            return;
        }
        judge_refusal(talk, row);
        if (!talk_has_passed(talk))
            return;
    }
    talk_passed_by_end(talk, "at each place: %s", talk_describe(talk, talk_last(talk)));
}

/*
 * A Send of two segments with a Read Request between them: nothing forbids it, and nothing demands that it be accepted.
 * But the echo must be the message.
 */
static void interrupted(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    if (!row_say(talk, row, true))
        return;
    heard = talk_hear_opcode(talk, RDMAP_SEND);
    if (heard && !talk_echoes_message(&heard->ddp))
        talk_failed(talk, "expected the Send echoed unchanged; found other octets");
    else if (heard)
        talk_passed(talk, "the Send was echoed");
    else if (talk_last(talk)->is_terminate && talk_last(talk)->meant.layer == RDMAP_LAYER_LLP)
        talk_inconclusive(talk, "refused, but by MPA, which nothing is wrong for: %s",
                          talk_describe(talk, talk_last(talk)));
    else if (talk_last(talk)->is_terminate || !talk_is_open(talk)) {
        talk_passed_by_end(talk, "the device does not accept it: %s", talk_describe(talk, talk_last(talk)));
        row_compare_refusal(talk, row);
    } else if (!talk_echoes(talk))
        talk_inconclusive(talk, "the device is not known to echo anything: %s", talk_describe(talk, talk_last(talk)));
    else
        talk_failed(talk, "expected the Send delivered or refused; found %s", talk_describe(talk, talk_last(talk)));
}

/* A Read Request whose only segment is not marked the last. */
static void never_last(struct talk *talk, const struct suite_case *row)
{
    static const struct talk_reason above_mpa[] = {{RDMAP_LAYER_RDMA, TALK_ANY, TALK_ANY},
                                                   {RDMAP_LAYER_DDP, TALK_ANY, TALK_ANY}};
    enum talk_life life;

    if (!talk_start(talk, NULL))
        return;
    if (talk_usable_sign(talk) != SIGN_READ) {
        talk_not_applicable(talk, "the device is not known to answer zero-length Reads");
        return;
    }
    row_say_rest(talk, row, true);
    life = talk_await(talk, SIGN_READ, talk_t_react(talk));
    if (life == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer to a Read Request without L; found %s",
                    talk_describe(talk, talk_last(talk)));
    else if (life == LIFE_MUTE && !talk_answer(talk))
        talk_passed(talk, "expected no answer; found nothing");
    else {
        judge_refused_unanswered(talk, life, above_mpa, G_N_ELEMENTS(above_mpa));
        row_compare_refusal(talk, row);
    }
}

static const struct suite_case tests[] = {
#include "suite_ddp.inc"
};

const struct suite suite_ddp = {"ddp", tests, G_N_ELEMENTS(tests)};
