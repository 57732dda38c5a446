// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, start-up: RFC 5044 section 7.1. A malformed frame has one correct answer, a close, and several wrong ones
 * that break different rules: a case says which answers break its rule; with other wrong answers it is inconclusive.
 */
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/expect/expect.h"

/* ---- what the device makes of a frame ---- */

static const char *answer_words(enum answer answer)
{
    switch (answer) {
    case ANSWER_CLOSED:
        return "the device closes";
    case ANSWER_ACCEPTS:
        return "the device continues as if nothing were wrong";
    case ANSWER_REJECTS:
        return "the device answers with a rejecting Reply";
    case ANSWER_OPEN:
        return "the device leaves the connection open";
    case ANSWER_GARBAGE:
        return "the device answers with octets that are not MPA";
    case ANSWER_LATE:
        return "the device closes, but not at once";
    }
    return "";
}

static enum answer hear_answer(struct talk *talk, int64_t ns)
{
    int64_t until = talk_now() + ns;

    for (;;) {
        const struct talk_heard *heard = talk_hear(talk, MAX(until - talk_now(), 0));

        switch (heard->what) {
        case TALK_FIN:
        case TALK_RESET:
            return ANSWER_CLOSED;
        case TALK_SILENCE:
            return ANSWER_OPEN;
        case TALK_GARBAGE:
            return ANSWER_GARBAGE;
        case TALK_FRAME:
            return heard->frame.flags & MPA_FLAG_R ? ANSWER_REJECTS : ANSWER_ACCEPTS;
        case TALK_FPDU:
            if (!heard->is_terminate)
                return ANSWER_ACCEPTS;
        }
    }
}

/* The verdict on an answer; failing: set of the answers that break the rule. */
static void judge(struct talk *talk, enum answer answer, unsigned failing)
{
    if (answer == ANSWER_CLOSED)
        talk_passed_by_end(talk, "the device closes: %s", talk_found(talk));
    else if (answer & failing)
        talk_failed(talk, "%s: %s", answer_words(answer), talk_found(talk));
    else
        talk_inconclusive(talk, "%s, which is wrong too, but breaks other rules", answer_words(answer));
}

/* ---- wrong frames ---- */

enum { REVISION_UNKNOWN = 42 };

/* Opens a connection on which it is our turn to send a frame. */
static bool our_turn(struct talk *talk)
{
    if (!talk_open(talk))
        return false;
    if (talk_is_initiator(talk) || talk_hear_frame(talk))
        return true;
    talk_inconclusive(talk, "expected a Request; found %s", talk_found(talk));
    return false;
}

/* The frame that the row says, or one of an unknown revision. */
static bool give(struct talk *talk, const struct suite_case *row)
{
    if (!our_turn(talk))
        return false;
    talk_plain_startup(talk);
    if (row->says)
        talk_say(talk, "%s", row->says);
    else
        talk_send_frame(talk, &(struct talk_wish){.revision = REVISION_UNKNOWN});
    if (!talk_is_initiator(talk))
        talk_begin_operation(talk); /* from now on the device can only send FPDUs */
    return true;
}

/* variant: the set of enum answer that breaks the rule. */
void mpa_startup_wrong_frame(struct talk *talk, const struct suite_case *row)
{
    const unsigned failing = (unsigned)row->variant;
    enum answer answer;

    if (!give(talk, row))
        return;
    answer = hear_answer(talk, talk_t_close(talk));
    /* A Responder may name its own revision before it closes (section 7.1.1, Appendix C.2.1). */
    if (!row->says && answer != ANSWER_CLOSED && talk_last(talk)->what == TALK_FRAME)
        answer = hear_answer(talk, talk_t_close(talk));
    /* Another rule is about a late close. */
    if (answer == ANSWER_OPEN && failing & (ANSWER_OPEN | ANSWER_LATE) &&
        hear_answer(talk, talk_t_start(talk)) == ANSWER_CLOSED)
        answer = ANSWER_LATE;
    judge(talk, answer, failing);
}

/* Whether a device that answers an unknown revision continues in it. */
void mpa_startup_unknown_revision(struct talk *talk, const struct suite_case *row)
{
    const struct mpa_startup *reply;

    if (!give(talk, row))
        return;
    if (!talk_is_initiator(talk)) {
        judge(talk, hear_answer(talk, talk_t_close(talk)), ANSWER_ACCEPTS);
        return;
    }
    reply = talk_hear_frame(talk);
    if (!reply) {
        judge(talk, talk_is_open(talk) ? ANSWER_OPEN : ANSWER_CLOSED, 0);
        return;
    }
    if (reply->revision == talk_frame(talk, true)->revision) {
        talk_inconclusive(talk, "expected a revision that exists; the device answers with revision %u",
                          reply->revision);
        return;
    }
    talk_begin_operation(talk);
    if (!talk_first_fpdu(talk))
        return;
    if (life_probe(talk) == LIFE_ANSWERS)
        talk_failed(talk, "expected a close; expected a close; the device answers with revision %u and then FPDUs",
                    reply->revision);
    else if (talk_is_open(talk))
        talk_inconclusive(talk, "the device leaves the connection open, which another rule is about");
    else
        talk_passed_by_end(talk, "the device closes: %s", talk_found(talk));
}

/* ---- waiting ---- */

/* Sends the first `variant` octets of a frame (0: none), then nothing more. */
void mpa_startup_incomplete(struct talk *talk, const struct suite_case *row)
{
    g_autoptr(GByteArray) octets = NULL;

    if (!our_turn(talk))
        return;
    talk_plain_startup(talk);
    talk_mark(talk, DUE_TERMINATE);
    if (row->variant > 0 && (octets = talk_octets(talk, NULL, 0, "startup")))
        talk_write(talk, octets->data, MIN(octets->len, (guint)row->variant));
    if (!talk_is_initiator(talk))
        talk_begin_operation(talk);
    expect_device_close(talk, talk_t_start(talk));
    if (talk_has_passed(talk) && talk_answer(talk))
        talk_inconclusive(talk, "closed, but only after an answer to a part of a frame: %s", talk_answer(talk));
}

/* An Initiator that has not received the whole Reply must wait; when it has, it continues. */
void mpa_startup_withheld(struct talk *talk, const struct suite_case *row)
{
    g_autoptr(GByteArray) octets = NULL;
    const struct talk_heard *heard;

    (void)row;
    if (!our_turn(talk))
        return;
    talk_plain_startup(talk);
    if (!(octets = talk_octets(talk, NULL, 0, "startup")))
        return;
    talk_mark(talk, 0);
    talk_write(talk, octets->data, octets->len - 1);
    talk_begin_operation(talk);
    heard = talk_hear(talk, talk_t_react(talk));
    if (heard->what == TALK_FIN || heard->what == TALK_RESET) {
        talk_passed_by_end(talk, "the device closes: %s", talk_describe(talk, heard));
        return;
    }
    if (talk_answer(talk)) {
        talk_failed(talk, "expected the device to wait for the whole Reply; found %s", talk_describe(talk, heard));
        return;
    }
    talk_write(talk, octets->data + octets->len - 1, 1);
    talk_begin_operation(talk); /* from here on */
    heard = talk_hear(talk, talk_t_close(talk));
    if (heard->what == TALK_FPDU && !heard->is_terminate)
        talk_passed(talk, "the device waits for the whole Reply, then continues: %s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "the device waits, but does not continue after the whole Reply either: %s",
                          talk_describe(talk, heard));
}

/* ---- right frames ---- */

/* Requests that every device must grant. */
void mpa_startup_must_grant(struct talk *talk, const struct suite_case *row)
{
    unsigned fpdus, markers;

    expect_taken(talk, row, row_say, NULL);
    if (!talk_has_passed(talk))
        return;
    fpdus = talk_fpdus(talk, &markers);
    /* The device's own FPDUs show what it inserts. */
    if (fpdus == 0)
        talk_inconclusive(talk, "the device accepts %s, but sent no FPDU",
                          row->variant == GRANT_MARKERS ? "M = 1" : "C = 1");
    else if (row->variant == GRANT_MARKERS && markers == 0)
        talk_failed(talk, "expected Markers after M = 1 was accepted; found none in its FPDUs");
}
