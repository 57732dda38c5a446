// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmap: RFC 5040. Versions, opcodes, Read Requests, invalidation, Terminates, and what follows an error. */
#include "traffic-gen/suite/cases/suite_rows.h"

#include <string.h>

/* ---- what must be accepted ---- */

/* Several in a row, in one segment as many as the device serves at once; each is answered, in order. */
enum { EMPTY_READS = 4, SINK_STEP = 64 };

static unsigned at_once_max(const struct talk *talk)
{
    return CLAMP(talk_dut_ird(talk), 1, EMPTY_READS);
}

static void say_empty_reads(struct talk *talk, unsigned from, unsigned to)
{
    talk_say(talk, "cork");
    for (unsigned i = from; i < to; i++)
        talk_say(talk, "read sinkto+%u", i * SINK_STEP);
    talk_say(talk, "uncork");
}

static bool say_several(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    if (!talk_start(talk, NULL))
        return false;
    say_empty_reads(talk, 0, odd ? at_once_max(talk) : 1);
    return true;
}

static void reads_in_a_row(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;
    unsigned asked;

    talk_expect_taken(talk, row, say_several, row_await);
    if (!talk_has_passed(talk))
        return;
    asked = at_once_max(talk);
    for (unsigned i = 0; i < EMPTY_READS; i++) {
        if (i > 0 && talk_await(talk, SIGN_READ, talk_t_react(talk)) != LIFE_ANSWERS) {
            talk_failed(talk, "only %u of %u consecutive zero-length Reads were answered, then %s", i,
                        (unsigned)EMPTY_READS, talk_describe(talk, talk_last(talk)));
            return;
        }
        heard = talk_last(talk);
        if (heard->ddp.to != TALK_SINK_TO + i * SINK_STEP || heard->ddp.payload_len > 0) {
            talk_failed(talk, "expected a zero-length Read Response to TO 0x%x; found %s", TALK_SINK_TO + i * SINK_STEP,
                        talk_describe(talk, heard));
            return;
        }
        if (asked < EMPTY_READS) {
            say_empty_reads(talk, asked, asked + 1);
            asked++;
        }
    }
    talk_passed(talk, "%u consecutive zero-length Reads were answered, in order", (unsigned)EMPTY_READS);
}

/* ---- the peer's Terminate ---- */

/* The DUT ends the connection without a Terminate: ours has already ended the stream. */
static void terminate(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    if (!row_say(talk, row, true))
        return;
    heard = hear_end(talk, talk_t_close(talk));
    if (heard->what == TALK_FIN || heard->what == TALK_RESET)
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
    else
        talk_failed(talk, "expected the device to close; found %s", talk_describe(talk, heard));
}

/* ---- invalidation ---- */

static void invalidated(struct talk *talk, const struct suite_case *row)
{
    if (!talk_start(talk, NULL) || !talk_say(talk, "send-inv region=all"))
        return;
    if (!talk_hear_opcode(talk, RDMAP_SEND))
        talk_inconclusive(talk, "the device does not accept a Send with Invalidate of memory that it advertised: %s",
                          talk_describe(talk, talk_last(talk)));
    else if (row_say_rest(talk, row, true))
        expect_refusal(talk, row);
}

/* ---- how an error ends the stream ---- */

/* A Terminate, not only a close. A close counts if a correct Send does not lead to one. */
static void terminates(struct talk *talk, const struct suite_case *row)
{
    g_autofree char *what = NULL;

    if (!row_say(talk, row, true))
        return;
    if (hear_end(talk, talk_t_react(talk))->is_terminate) {
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
        return;
    }
    what = g_strdup(talk_describe(talk, talk_last(talk)));
    if (!talk_is_open(talk) && (!row_say(talk, row, false) || !talk_life_good(talk_probe(talk))))
        talk_inconclusive(talk, "%s; after a Send without an error the device does not continue either", what);
    else
        talk_failed(talk, "expected a Terminate about a segment with DV 2; found %s", what);
}

/* Nothing is answered after an error, and the connection ends. */
static void no_recovery(struct talk *talk, const struct suite_case *row)
{
    if (!row_say(talk, row, true))
        return;
    if (talk_await(talk, SIGN_READ, talk_t_react(talk)) == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer after a Send with opcode 12; a Read Request after it was answered");
    else
        talk_expect_close(talk, talk_t_close(talk));
}

/* The Terminate is the next message: no echo of later Sends and no other answer comes before it. */
static void at_once(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    if (!talk_start(talk, NULL))
        return;
    talk_sleep(talk, talk_t_react(talk) / 8); /* what was due before it has been sent */
    while (talk_hear(talk, 0)->what == TALK_FPDU)
        ;
    row_say_rest(talk, row, true);
    heard = talk_hear(talk, talk_t_react(talk));
    if (heard->what == TALK_FPDU && !heard->is_terminate)
        talk_failed(talk, "expected the Terminate first; found %s before it", talk_describe(talk, heard));
    else if (heard->what == TALK_FPDU)
        talk_passed(talk, "%s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "%s", talk_describe(talk, heard));
}

static const struct suite_case tests[] = {
    {RULE_RDMAP_1_2_02, NULL, DUT_ANY, NEED_REGIONS | NEED_ECHO, invalidated,
     "a Send with Invalidate, then a Write to that STag", "a Terminate, or a close", .says = "write region=all"},
    {RULE_RDMAP_1_2_02, "read", DUT_ANY, NEED_REGIONS | NEED_ECHO, invalidated,
     "a Send with Invalidate, then a Read from that STag", "a Terminate, or a close", .says = "read region=all",
     .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_3_2_03, NULL, DUT_ANY, NEED_WORDS, row_refused, "a Send longer than the Receive buffer of 4096 octets",
     "a Terminate, or a close", .says = "(3*) send (l=0 len=1400 zeros)", .served = RDMAP_SEND},
    {RULE_RDMAP_4_1_27, NULL, DUT_ANY, NEED_RECEIVES, row_taken, "a Send with both Rsv bits set",
     "the device continues", .says = "send (rsv=3)"},
    {RULE_RDMAP_4_1_30, NULL, DUT_ANY, NEED_RECEIVES, row_taken, "a Send whose Invalidate STag word is not zero",
     "the device continues", .says = "send (stag=0x12345678)"},
    {RULE_RDMAP_4_1_30, "se", DUT_ANY, NEED_RECEIVES, row_taken,
     "a Send with Solicited Event whose Invalidate STag word is not zero", "the device continues",
     .says = "send-se (stag=0x12345678)"},
    {RULE_RDMAP_4_8_07, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code, "a Read from an STag that does not exist",
     "Terminate 0/1/00", .says = "read region=all (src^0x5A5A5A00)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_4_8_08, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code, "a Read that starts before a region",
     "Terminate 0/1/01", .says = "read region=all (srcto-64)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_4_8_08, "bounds", DUT_ANY, NEED_REGIONS, row_refused_with_code,
     "a Read whose last octets are past the end of the region", "Terminate 0/1/01",
     .says = "read region=all (end srcto-32)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_4_8_09, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code,
     "a Read from a region that only allows remote writes", "Terminate 0/1/02", .says = "read region=(write-only)[all]",
     .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_4_8_09, "local", DUT_ANY, NEED_REGIONS, row_refused_with_code,
     "a Read from a region without remote access", "Terminate 0/1/02", .says = "read region=(local)[all]",
     .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_4_8_10, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code,
     "a Read from an STag of another Protection Domain", "Terminate 0/1/03", .says = "read region=(foreign)[all]",
     .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_4_8_11, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code,
     "a Read whose SrcTO plus length wraps around", "Terminate 0/1/04",
     .says = "read region=all (srcto=0xFFFFFFFFFFFFFFDF)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_4_8_12, NULL, DUT_ANY, NEED_REGIONS, row_refused_with_code,
     "a Send with Invalidate of an STag that does not exist", "Terminate 0/1/09 or 0/2/09",
     .says = "(send-inv stag=0x5A5A5A00)[send]", .served = RDMAP_SEND},
    {RULE_RDMAP_4_8_14, NULL, DUT_ANY, NEED_RECEIVES, row_refused_with_code, "a Send with RV 2", "Terminate 0/2/05",
     .says = "send (rv=2)", .served = RDMAP_SEND},
    {RULE_RDMAP_4_8_15, NULL, DUT_ANY, NEED_RECEIVES, row_refused_with_code, "a Send with opcode 12",
     "Terminate 0/2/06", .says = "send (op=12)", .served = RDMAP_SEND},
    {RULE_RDMAP_4_8_29, NULL, DUT_ANY, NEED_REGIONS, terminate, "a Terminate with all reserved bits set",
     "the device closes, without a Terminate", .says = "with receives=0; term 0/0/0 res=0x1FFF"},
    {RULE_RDMAP_5_2_1_06, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Read Request of 32 octets",
     "a Terminate, or a close", .says = "read region=all (grow=4)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_5_2_1_06, "longer", DUT_ANY, NEED_REGIONS, row_refused, "a Read Request of 29 octets, one too many",
     "a Terminate, or a close", .says = "read region=all (grow=1)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_5_2_1_06, "shorter", DUT_ANY, NEED_REGIONS, row_refused, "a Read Request of 27 octets, one too few",
     "a Terminate, or a close", .says = "read region=all (cut=45)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_5_2_1_06, "mo", DUT_ANY, NEED_REGIONS, row_refused, "a Read Request with MO 4",
     "a Terminate, or a close", .says = "read region=all (mo=4)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_5_2_1_17, NULL, DUT_ANY, 0, row_taken, "a zero-length Read from an STag that does not exist",
     "the Read Response", .says = "read (src=0x12345678 srcto=0xFFFFFFFFFFFFFFFF)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_5_2_1_17, "rights", DUT_ANY, NEED_REGIONS, row_taken,
     "a zero-length Read from a region that only allows remote writes", "the Read Response",
     .says = "read (region=write-only size=0)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_5_2_1_17, "row", DUT_ANY, 0, reads_in_a_row,
     "four consecutive zero-length Reads, as many at once as the device serves", "four Read Responses, in order",
     .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_5_2_2_06, NULL, DUT_ANY, 0, row_refused, "an unsolicited Read Response to an STag that does not exist",
     "Terminate 0/2/06 or 1/1/00, or a close", .says = "(answer stag=0x5A5A5A00 to=0 zeros)"},
    {RULE_RDMAP_5_2_2_06, "writable", DUT_ANY, NEED_REGIONS, row_refused,
     "an unsolicited Read Response to memory that allows remote writes", "Terminate 0/2/06, or a close",
     .says = "(answer region=all zeros)"},
    {RULE_RDMAP_5_2_2_06, "local", DUT_ANY, NEED_REGIONS, row_refused,
     "an unsolicited Read Response to memory without remote access, as the sink of a Read may be",
     "Terminate 0/2/06, or a close", .says = "(answer region=local zeros)"},
    {RULE_RDMAP_5_2_2_06, "empty", DUT_ANY, 0, row_refused, "an unsolicited Read Response without payload",
     "Terminate 0/2/06, or a close", .says = "(answer stag=1 to=0 len=0)"},
    {RULE_RDMAP_5_3_05, NULL, DUT_ANY, NEED_WORDS, row_refused, "a Send longer than the Receive buffer of 4096 octets",
     "a Terminate, or a close", .says = "(3*) send (l=0 len=1400 zeros)", .served = RDMAP_SEND},
    {RULE_RDMAP_5_3_12, NULL, DUT_ANY, NEED_RECEIVES, row_taken, "a zero-length Send", "the device continues",
     .says = "send (len=0)"},
    {RULE_RDMAP_5_4_05, NULL, DUT_RESPONDER, NEED_WORDS, terminate, "a Terminate to a device that posts no Receive",
     "the device closes, without a Terminate", .says = "with receives=0; term 0/0/0"},
    {RULE_RDMAP_6_2_1_01, NULL, DUT_ANY, NEED_RECEIVES, terminates, "a Send with DV 2", "a Terminate",
     .says = "send (dv=2)"},
    {RULE_RDMAP_7_01, NULL, DUT_ANY, NEED_RECEIVES, no_recovery,
     "a Send with opcode 12, then a zero-length Read Request", "no answer, and the connection ends",
     .says = "send op=12; read"},
    {RULE_RDMAP_7_1_05, NULL, DUT_ANY, NEED_RECEIVES, at_once, "a Send with DV 2",
     "the Terminate is the device's next message", .says = "send dv=2"},
    {RULE_RDMAP_7_1_10, NULL, DUT_ANY, NEED_RECEIVES, row_refused_with_code,
     "a Send with DV 2, then one with opcode 12", "Terminate 1/2/06, about the former",
     .says = "send dv=2; send op=12"},
    {RULE_RDMAP_7_2_02, NULL, DUT_ANY, NEED_RECEIVES, row_refused, "a Send with opcode 12", "a Terminate, or a close",
     .says = "send (op=12)", .served = RDMAP_SEND},
    {RULE_RDMAP_7_2_02, "tagged", DUT_ANY, NEED_REGIONS, row_refused, "a Tagged segment with the opcode of a Send",
     "a Terminate, or a close", .says = "write region=all (op=3)"},
    {RULE_RDMAP_7_2_02, "tagged-send", DUT_ANY, NEED_RECEIVES, row_refused,
     "a Send with T = 1, whose QN, MSN and MO are right for a device that reads them", "a Terminate, or a close",
     .says = "send (@0=0xC1)", .served = RDMAP_SEND},
    {RULE_RDMAP_7_2_02, "untagged", DUT_ANY, NEED_RECEIVES, row_refused,
     "an Untagged segment with the opcode of a Write", "a Terminate, or a close", .says = "send (op=0)"},
    {RULE_RDMAP_7_2_02, "untagged-write", DUT_ANY, NEED_REGIONS, row_refused,
     "a Write with T = 0, whose STag and TO are right for a device that reads them", "a Terminate, or a close",
     .says = "write region=all (@0=0x41)"},
    {RULE_RDMAP_7_2_02, "queue", DUT_ANY, NEED_RECEIVES, row_refused, "a Read Request on QN 0",
     "a Terminate, or a close", .says = "send (op=1 zeros len=28)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_7_2_02, "terminate-queue", DUT_ANY, NEED_RECEIVES, row_refused, "a Send on QN 2",
     "a Terminate, or a close", .says = "send (qn=2)", .served = RDMAP_SEND},
    {RULE_RDMAP_7_2_03, NULL, DUT_ANY, NEED_RECEIVES, row_refused, "a Send with RV 2", "a Terminate, or a close",
     .says = "send (rv=2)", .served = RDMAP_SEND},
    {RULE_RDMAP_7_2_03, "write", DUT_ANY, NEED_REGIONS, row_refused, "a Write with RV 2", "a Terminate, or a close",
     .says = "write region=all (rv=2)"},
    {RULE_RDMAP_7_2_04, NULL, DUT_ANY, NEED_REGIONS, row_refused,
     "a Send with Invalidate of an STag that does not exist", "a Terminate, or a close",
     .says = "(send-inv stag=0x5A5A5A00)[send]", .served = RDMAP_SEND},
    {RULE_RDMAP_7_2_04, "gone", DUT_ANY, NEED_REGIONS, row_refused,
     "a Send with Invalidate of an STag that was invalidated before", "a Terminate, or a close",
     .says = "(send-inv region=gone)[send]", .served = RDMAP_SEND},
    {RULE_RDMAP_7_2_05, NULL, DUT_ANY, NEED_REGIONS, row_refused,
     "a Send with SE and Invalidate of an STag of another Protection Domain", "a Terminate, or a close",
     .says = "(send-se-inv region=foreign)[send]", .served = RDMAP_SEND},
    {RULE_RDMAP_7_2_07, NULL, DUT_ANY, 0, row_refused, "a Send on QN 1", "Terminate 0/2/06 or 1/2/01, or a close",
     .says = "(read op=3 sink=0 sinkto=0)"},
    {RULE_RDMAP_7_2_08, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Read Request with RV 2", "a Terminate, or a close",
     .says = "read region=all (rv=2)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_7_2_09, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Read from an STag that does not exist",
     "a Terminate, or a close", .says = "read region=all (src^0x5A5A5A00)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_7_2_09, "gone", DUT_ANY, NEED_REGIONS, row_refused, "a Read from an STag that was invalidated",
     "a Terminate, or a close", .says = "read region=(gone)[all]", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_7_2_09, "key", DUT_ANY, NEED_REGIONS, row_refused,
     "a Read from an STag with another key than the region's", "a Terminate, or a close",
     .says = "read region=all (src^1)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_7_2_10, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Read from an STag of another Protection Domain",
     "a Terminate, or a close", .says = "read region=(foreign)[all]", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_7_2_11, NULL, DUT_ANY, NEED_REGIONS, row_refused, "a Read that starts before a region",
     "a Terminate, or a close", .says = "read region=all (srcto-64)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_7_2_12, NULL, DUT_ANY, NEED_REGIONS, row_refused,
     "a Read whose last octets are past the end of the region", "a Terminate, or a close",
     .says = "read region=all (end srcto-32)", .served = RDMAP_READ_RESPONSE},
    {RULE_RDMAP_7_2_12, "one", DUT_ANY, NEED_REGIONS, row_refused,
     "a Read whose last octet is past the end of the region", "a Terminate, or a close",
     .says = "read region=all (end srcto-63)", .served = RDMAP_READ_RESPONSE},
    {RULE_SEC_6_3_5_01, NULL, DUT_ANY, NEED_REGIONS, row_not_served,
     "a Read from a region that only allows remote writes", "Terminate 0/1/02, and none of the octets",
     .says = "read region=(write-only)[all]", .served = RDMAP_READ_RESPONSE},
};

const struct suite suite_rdmap = {"rdmap", tests, G_N_ELEMENTS(tests)};
