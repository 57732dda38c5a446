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

/* What follows an error is ignored, even if the device would otherwise answer it. */
static void dropped(struct talk *talk, const struct suite_case *row)
{
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
    else if (life == LIFE_CLOSED)
        talk_passed_by_end(talk, "%s", talk_describe(talk, talk_last(talk)));
    else
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
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
        talk_passed_by_end(talk, "at each place: %s", talk_describe(talk, heard));
    }
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
    else if (talk_last(talk)->is_terminate || !talk_is_open(talk))
        talk_passed_by_end(talk, "the device does not accept it: %s", talk_describe(talk, talk_last(talk)));
    else if (!talk_echoes(talk))
        talk_inconclusive(talk, "the device is not known to echo anything: %s", talk_describe(talk, talk_last(talk)));
    else
        talk_failed(talk, "expected the Send delivered or refused; found %s", talk_describe(talk, talk_last(talk)));
}

/* A Read Request whose only segment is not marked the last. */
static void never_last(struct talk *talk, const struct suite_case *row)
{
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
    else if (life == LIFE_CLOSED)
        talk_passed_by_end(talk, "%s", talk_describe(talk, talk_last(talk)));
    else
        talk_passed(talk, "expected an answer; found %s", talk_describe(talk, talk_last(talk)));
}

static const struct suite_case tests[] = {
    {RULE_DDP_4_1_02, NULL, DUT_ANY, NEED_REGIONS, tagged_placed, "a Write, then a Read of the same octets",
     "the Read returns what was written", .says = "write region=all to+100; read region=all srcto+100 size=600"},
    {RULE_DDP_4_1_02, "end", DUT_ANY, NEED_REGIONS, tagged_placed,
     "a Write to the last octets of a region, then a Read of them", "the Read returns what was written",
     .says = "write region=all end to-600; read region=all end srcto-600 size=600"},
    {RULE_DDP_4_1_03, NULL, DUT_ANY, NEED_ECHO, untagged_placed, "a Send", "the same octets are echoed",
     .says = "send"},
    {RULE_DDP_4_1_03, "interrupted", DUT_ANY, NEED_ECHO, interrupted,
     "a Send of two segments, with a zero-length Read Request between them",
     "the same octets are echoed, or the device refuses it", .says = "send l=0 len=32; read; send len=32 zeros"},
    {RULE_DDP_4_1_03, "write", DUT_ANY, NEED_ECHO, interrupted,
     "a Send of two segments, with a zero-length Write between them",
     "the same octets are echoed, or the device refuses it",
     .says = "send l=0 len=32; write stag=1 to=0; send len=32 zeros"},
    {RULE_DDP_4_1_11, NULL, DUT_ANY, NEED_RECEIVES, row_taken, "a Send with all Rsvd bits set", "the device continues",
     .says = "send (rsvd=15)"},
    {RULE_DDP_4_1_11, "tagged", DUT_ANY, NEED_REGIONS, row_taken, "a Write with all Rsvd bits set",
     "the device continues", .says = "write region=all (rsvd=15)"},
    {RULE_DDP_5_2_16, NULL, DUT_ANY, 0, row_taken, "a zero-length Write to STag 0 at the last Tagged Offset",
     "the device continues", .says = "write (stag=0 to=0xFFFFFFFFFFFFFFFF)"},
    {RULE_DDP_5_4_03, NULL, DUT_ANY, NEED_ECHO, not_before_last,
     "the first segment of a Send, a pause, then the last segment", "no echo before the last segment",
     .says = "send l=0"},
    {RULE_DDP_5_4_03, "read", DUT_ANY, 0, never_last, "a zero-length Read Request without L", "no Read Response",
     .says = "read l=0"},
    {RULE_DDP_6_2_1_06, NULL, DUT_ANY, 0, half_close, "a request, immediately followed by our FIN",
     "the request is answered", .variant = 0},
    {RULE_DDP_6_2_2_03, NULL, DUT_ANY, 0, row_refused, "a ULPDU of 10 octets that starts like a Send",
     "a Terminate, or a close", .says = "(fpdu 40430000000000000000)"},
    {RULE_DDP_6_2_2_03, "cut", DUT_ANY, 0, short_in_parts,
     "a ULPDU of 10 octets that starts like a Send, its FPDU split over two TCP segments before each of its octets",
     "a Terminate, or a close", .says = "fpdu 40430000000000000000"},
    {RULE_DDP_6_2_2_03, "zero", DUT_ANY, 0, row_refused, "an FPDU with a ULPDU_Length of 0", "a Terminate, or a close",
     .says = "(fpdu)"},
    {RULE_DDP_6_2_2_03, "two", DUT_ANY, 0, row_refused, "an FPDU with a ULPDU_Length of 2", "a Terminate, or a close",
     .says = "(fpdu 4043)"},
    {RULE_DDP_7_1_01, NULL, DUT_ANY, NEED_RECEIVES, row_refused, "a Send on QN 7", "Terminate 1/2/01, or a close",
     .says = "send (qn=7)", .served = RDMAP_SEND},
    {RULE_DDP_7_1_01, "atomic", DUT_ANY, NEED_RECEIVES, row_refused, "a Send on QN 3, without an Atomic Request",
     "Terminate 1/2/01, 1/2/02, 1/2/03 or 0/2/06, or a close", .says = "send (qn=3)", .served = RDMAP_SEND},
    {RULE_DDP_7_1_02, NULL, DUT_RESPONDER, NEED_WORDS, row_refused, "a Send to a device that posts no Receive",
     "a Terminate, or a close", .says = "(with receives=0;) send", .served = RDMAP_SEND},
    {RULE_DDP_7_1_07, NULL, DUT_ANY, NEED_RECEIVES, row_refused, "a Send whose MO is 7FFFFFFF",
     "Terminate 1/2/04, or a close", .says = "send (mo=0x7FFFFFFF)", .served = RDMAP_SEND},
    {RULE_DDP_7_1_08, NULL, DUT_ANY, NEED_WORDS, row_refused, "a Send longer than the Receive buffer of 4096 octets",
     "a Terminate, or a close", .says = "(3*) send (l=0 len=1400 zeros)", .served = RDMAP_SEND},
    {RULE_DDP_7_1_09, NULL, DUT_ANY, NEED_RECEIVES, row_refused, "a Send whose MSN is 100,000 ahead",
     "Terminate 1/2/03 or 1/2/02, or a close", .says = "send (msn+100000)", .served = RDMAP_SEND},
    {RULE_DDP_7_1_09, "repeated", DUT_ANY, NEED_RECEIVES, row_refused,
     "a Send with the MSN of one that is already complete", "Terminate 1/2/03 or 1/2/02, or a close",
     .says = "send (; send msn-1)"},
    {RULE_DDP_7_1_11, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Write to an STag that does not exist",
     "a Terminate, or a close", .says = "write region=all (stag^0x5A5A5A00)"},
    {RULE_DDP_7_1_11, "gone", DUT_ANY, NEED_REGIONS, row_refused, "a Write to an STag that was invalidated",
     "a Terminate, or a close", .says = "write region=(gone)[all]"},
    {RULE_DDP_7_1_11, "key", DUT_ANY, NEED_REGIONS, row_refused,
     "a Write to an STag with another key than the region's", "a Terminate, or a close",
     .says = "write region=all (stag^1)"},
    {RULE_DDP_7_1_12, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Write to a region that only allows remote reads",
     "a Terminate, or a close", .says = "write region=(read-only)[all]"},
    {RULE_DDP_7_1_12, "local", DUT_ANY, NEED_REGIONS, row_refused, "a Write to a region without remote access",
     "a Terminate, or a close", .says = "write region=(local)[all]"},
    {RULE_DDP_7_1_13, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Write that starts before a region",
     "a Terminate, or a close", .says = "write region=all (to-64)"},
    {RULE_DDP_7_1_13, "beyond", DUT_ANY, NEED_REGIONS, row_refused, "a Write that starts past the end of a region",
     "a Terminate, or a close", .says = "write region=all (end to+1)"},
    {RULE_DDP_7_1_14, NULL, DUT_ANY, NEED_REGIONS, row_refused,
     "a Write whose last octets are past the end of the region", "a Terminate, or a close",
     .says = "write region=all (end to-32)"},
    {RULE_DDP_7_1_14, "one", DUT_ANY, NEED_REGIONS, row_refused,
     "a Write whose last octet is past the end of the region", "a Terminate, or a close",
     .says = "write region=all (end to-63)"},
    {RULE_DDP_7_1_15, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Write whose Tagged Offset plus length wraps around",
     "Terminate 1/1/03", .says = "write region=all (to=0xFFFFFFFFFFFFFFDF)"},
    {RULE_DDP_7_1_17, NULL, DUT_ANY, NEED_REGIONS, row_leaves_no_trace,
     "a Write with DV 2, then, on another connection, a Read of that memory", "the memory is as it was before",
     .says = "write region=shared to+512 dv=2", .variant = LOOK_BAD_VERSION},
    {RULE_DDP_7_1_20, NULL, DUT_ANY, NEED_RECEIVES, dropped, "a Send with DV 2, then a Read Request",
     "no Read Response", .says = "send dv=2; ask"},
    {RULE_DDP_7_2_03, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code, "a Write to an STag that does not exist",
     "Terminate 1/1/00", .says = "write region=all (stag^0x5A5A5A00)"},
    {RULE_DDP_7_2_04, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code, "a Write that starts before a region",
     "Terminate 1/1/01", .says = "write region=all (to-64)"},
    {RULE_DDP_7_2_04, "bounds", DUT_ANY, NEED_REGIONS, row_refused_with_code,
     "a Write whose last octets are past the end of the region", "Terminate 1/1/01",
     .says = "write region=all (end to-32)"},
    {RULE_DDP_7_2_05, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code,
     "a Write to an STag of another Protection Domain", "Terminate 1/1/02", .says = "write region=(foreign)[all]"},
    {RULE_DDP_7_2_07, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code, "a Write with DV 2", "Terminate 1/1/04",
     .says = "write region=all (dv=2)"},
    {RULE_DDP_7_2_09, NULL, DUT_RESPONDER, NEED_WORDS, row_refused_with_code,
     "a Send to a device that posts no Receive", "Terminate 1/2/02", .says = "(with receives=0;) send",
     .served = RDMAP_SEND},
    {RULE_DDP_7_2_12, NULL, DUT_ANY, NEED_WORDS, row_refused_with_code,
     "a Send longer than the Receive buffer of 4096 octets", "Terminate 1/2/05",
     .says = "(3*) send (l=0 len=1400 zeros)", .served = RDMAP_SEND},
    {RULE_DDP_7_2_13, NULL, DUT_ANY, NEED_RECEIVES, row_refused_with_code, "a Send with DV 2", "Terminate 1/2/06",
     .says = "send (dv=2)", .served = RDMAP_SEND},
    {RULE_DDP_8_2_01, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Write to an STag of another Protection Domain",
     "a Terminate, or a close", .says = "write region=(foreign)[all]"},
};

const struct suite suite_ddp = {"ddp", tests, G_N_ELEMENTS(tests)};
