// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmap: RFC 5040. Versions, opcodes, Read Requests, invalidation, Terminates, and what follows an error. */
#include "traffic-gen/suite/cases/suite_rows.h"
#include "traffic-gen/suite/talk/talk_internal.h"

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
            talk->result->shown = SHOWN_LOST;
            talk_failed(talk, "only %u of %u consecutive zero-length Reads were answered, then %s", i,
                        (unsigned)EMPTY_READS, talk_describe(talk, talk_last(talk)));
            return;
        }
        heard = talk_last(talk);
        if (heard->ddp.to != TALK_SINK_TO + i * SINK_STEP || heard->ddp.payload_len > 0) {
            if (heard->ddp.to > TALK_SINK_TO + i * SINK_STEP && heard->ddp.to < TALK_SINK_TO + EMPTY_READS * SINK_STEP)
                talk->result->shown = SHOWN_LOST; /* the one before it did not come */
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

/* A Terminate of DDP, not only a close. Neither says anything if a correct Send leads to one as well. */
static void terminates(struct talk *talk, const struct suite_case *row)
{
    enum { NO_LAYER = 16 };
    unsigned layer = NO_LAYER;
    g_autofree char *what = NULL;

    if (!row_say(talk, row, true))
        return;
    if (hear_end(talk, talk_t_react(talk))->is_terminate)
        layer = talk_last(talk)->meant.layer;
    what = g_strdup(talk_describe(talk, talk_last(talk)));
    if ((layer != NO_LAYER || !talk_is_open(talk)) && (!row_say(talk, row, false) || !talk_life_good(talk_probe(talk))))
        talk_inconclusive(talk, "%s; after a Send without an error the device does not continue either", what);
    else if (layer == RDMAP_LAYER_DDP)
        talk_passed(talk, "%s; after a Send without an error the device continues", what);
    else if (layer != NO_LAYER)
        talk_inconclusive(talk, "a Terminate, but not of DDP, whose version is wrong: %s", what);
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
    if (talk_has_passed(talk) && talk_answer(talk))
        talk_inconclusive(talk, "closed, but after the error the device says something: %s", talk_answer(talk));
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
    else if (heard->what == TALK_FPDU && heard->meant.layer != RDMAP_LAYER_DDP)
        talk_inconclusive(talk, "a Terminate, but not of DDP, whose version is wrong: %s", talk_describe(talk, heard));
    else if (heard->what == TALK_FPDU)
        talk_passed_by_end(talk, "%s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "%s", talk_describe(talk, heard));
    row_compare_refusal(talk, row);
}

static const struct suite_case tests[] = {
#include "suite_rdmap.inc"
};

const struct suite suite_rdmap = {"rdmap", tests, G_N_ELEMENTS(tests)};
