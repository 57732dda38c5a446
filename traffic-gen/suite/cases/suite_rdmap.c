// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite rdmap: RFC 5040. Versions, opcodes, Read Requests, invalidation, Terminates, and what follows an error. */
#include "traffic-gen/suite/cases/suite_rows.h"
#include "traffic-gen/suite/talk/talk_internal.h"

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

void rdmap_reads_in_a_row(struct talk *talk, const struct suite_case *row)
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

/* ---- how an error ends the stream ---- */

/* Nothing is answered after an error, and the connection ends. */
void rdmap_no_recovery(struct talk *talk, const struct suite_case *row)
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
