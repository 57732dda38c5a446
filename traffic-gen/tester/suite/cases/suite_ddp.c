// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite ddp: RFC 5041. Placed octets are read back or echoed; octets that must not be placed are refused with the error
 * of section 7.2.
 */
#include "traffic-gen/tester/suite/cases/suite_look.h"
#include "traffic-gen/tester/suite/expect/life.h"

#include <string.h>

enum { DATA = 600, READ_BACK_NS_PARTS = 4 };

/* ---- placement ---- */

/* A Read after a Write was not answered: is it answered without the Write? */
static void compare_read(struct talk *talk)
{
    g_autofree char *what = g_strdup(talk_found(talk));

    if (talk_start(talk, NULL) && talk_say(talk, "read region=all srcto+100 size=600") &&
        talk_hear_opcode(talk, RDMAP_READ_RESPONSE))
        talk_failed(
            talk, "expected an answer to a Read of the octets just written; found %s; without the Write it is answered",
            what);
    else
        talk_inconclusive(talk, "the device answers no Read of the region, with or without a Write before it: %s",
                          what);
}

void ddp_tagged_placed(struct talk *talk, const struct suite_case *row)
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

/* The message is incomplete until its last segment arrives: an echo before that shows that it was delivered too early.
 */
void ddp_not_before_last(struct talk *talk, const struct suite_case *row)
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
        talk_inconclusive(talk, "expected the echo of a message of two segments; found %s", talk_found(talk));
}

/* ---- half-close ---- */

/* The comparison: without our FIN. A device that closes as soon as it sees FIN may have its reasons. */
void ddp_half_close(struct talk *talk, const struct suite_case *row)
{
    enum talk_sign sign;
    enum life life;

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
    life = life_await(talk, sign, talk_t_react(talk));
    if (life == LIFE_ANSWERS)
        talk_passed(talk, "the request was answered after our FIN");
    else if (life == LIFE_CLOSED)
        talk_inconclusive(talk, "%s: the layers above may close at any time", talk_found(talk));
    else
        talk_failed(talk, "expected the answer to a request sent before our FIN; found %s", talk_found(talk));
}

/* ---- what must be refused ---- */

/* An FPDU whose ULPDU is too short for its header, cut over two TCP segments at each place: a connection for each. */
void ddp_short_in_parts(struct talk *talk, const struct suite_case *row)
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
    talk_passed_by_end(talk, "at each place: %s", talk_found(talk));
}
