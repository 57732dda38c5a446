// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, start-up: RFC 5044 section 7.1. A malformed frame has one correct answer, a close, and several wrong ones
 * that break different rules: a case says which answers break its rule; with other wrong answers it is inconclusive.
 */
#include "traffic-gen/suite/suite_mpa.h"

#include "wire/octets.h"

#include <string.h>

static const int64_t at_once_pause = 300 * INT64_C(1000000), read_pause = 10 * INT64_C(1000000);

/* ---- what the device makes of a frame ---- */

enum answer {
    ANSWER_CLOSED = 1,   /* FIN or RST, whatever was sent before it */
    ANSWER_ACCEPTS = 2,  /* a Reply with R = 0 (Responder), an FPDU other than a Terminate (Initiator) */
    ANSWER_REJECTS = 4,  /* a Reply with R = 1 */
    ANSWER_OPEN = 8,     /* nothing, and the connection stays open for T_close */
    ANSWER_GARBAGE = 16, /* octets that are neither a frame nor an FPDU */
    ANSWER_LATE = 32,    /* closed, but only after T_close */
};

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

/* The verdict on an answer; failing: set of those that break the rule. */
static void judge(struct talk *talk, enum answer answer, unsigned failing)
{
    if (answer == ANSWER_CLOSED)
        talk_passed_by_end(talk, "the device closes: %s", talk_describe(talk, talk_last(talk)));
    else if (answer & failing)
        talk_failed(talk, "%s: %s", answer_words(answer), talk_describe(talk, talk_last(talk)));
    else
        talk_inconclusive(talk, "%s, which is wrong too, but breaks other rules", answer_words(answer));
}

/* ---- wrong frames ---- */

enum { REVISION_UNKNOWN = 42 };

enum wrong {
    WRONG_KEY_END,    /* the last octet of the key */
    WRONG_KEY_MIDDLE, /* several in its middle */
    WRONG_REVISION,
    WRONG_LENGTH, /* 513 octets of Private Data */
    WRONG_CUT,    /* FIN within the Private Data */
    WRONG_KIND,   /* a Request where a Reply is due */
    WRONG_HTTP,   /* something else altogether */
};

/* Our conforming frame as octets, made as if to be sent. */
static size_t right_frame(struct talk *talk, uint8_t *out, size_t size)
{
    const struct mpa_startup *theirs = talk_frame(talk, false);
    struct mpa_startup frame = {
        .kind = talk_is_initiator(talk) ? MPA_REQUEST : MPA_REPLY,
        .flags = MPA_FLAG_C,
        .revision = theirs ? theirs->revision : 1,
    };

    if (theirs && theirs->has_enhanced) {
        frame.flags |= MPA_FLAG_S;
        frame.has_enhanced = true;
        frame.enhanced = theirs->enhanced;
    }
    mpa_startup_fix_length(&frame);
    return mpa_startup_encode(&frame, out, size);
}

static void say_wrong(struct talk *talk, enum wrong wrong)
{
    static const char http[] = "GET / HTTP/1.1\r\nHost: device\r\n\r\n";
    static const uint8_t data[MPA_PRIVATE_DATA_MAX + 1];
    uint8_t octets[MPA_STARTUP_HEADER_LEN + sizeof data + 8] = {0};
    size_t n = right_frame(talk, octets, sizeof octets);

    switch (wrong) {
    case WRONG_KEY_END:
        octets[MPA_KEY_LEN - 1] ^= 0x01;
        break;
    case WRONG_KEY_MIDDLE:
        memset(octets + 4, 'x', 4);
        break;
    case WRONG_LENGTH:
        put_be16(octets + MPA_STARTUP_HEADER_LEN - 2, sizeof data);
        n = MPA_STARTUP_HEADER_LEN + sizeof data;
        break;
    case WRONG_CUT:
        put_be16(octets + MPA_STARTUP_HEADER_LEN - 2, 100);
        n = MPA_STARTUP_HEADER_LEN + 40;
        break;
    case WRONG_KIND:
        octets[9] = 'q'; /* "Req" for "Rep" */
        break;
    case WRONG_HTTP:
        n = sizeof http - 1;
        memcpy(octets, http, n);
        break;
    case WRONG_REVISION:
        break;
    }
    talk_write(talk, octets, n);
    if (wrong == WRONG_CUT)
        talk_finish(talk);
}

/* Opens a connection on which it is our turn to send a frame. */
static bool our_turn(struct talk *talk)
{
    if (!talk_open(talk))
        return false;
    if (talk_is_initiator(talk) || talk_hear_frame(talk))
        return true;
    talk_inconclusive(talk, "expected a Request; found %s", talk_describe(talk, talk_last(talk)));
    return false;
}

static bool give(struct talk *talk, enum wrong wrong)
{
    const struct talk_wish odd_revision = {.revision = REVISION_UNKNOWN};

    if (!our_turn(talk))
        return false;
    if (wrong == WRONG_REVISION)
        talk_send_frame(talk, &odd_revision);
    else
        say_wrong(talk, wrong);
    if (!talk_is_initiator(talk))
        talk_begin_operation(talk); /* from now on the device can only send FPDUs */
    return true;
}

struct wrong_case {
    enum wrong wrong;
    unsigned failing; /* set of enum answer */
};

/* By variant. */
static const struct wrong_case cases[] = {
    {WRONG_KEY_END, ANSWER_ACCEPTS}, {WRONG_KEY_MIDDLE, ANSWER_ACCEPTS},
    {WRONG_KEY_END, ANSWER_REJECTS}, {WRONG_HTTP, ANSWER_REJECTS | ANSWER_ACCEPTS | ANSWER_GARBAGE},
    {WRONG_LENGTH, ANSWER_OPEN},     {WRONG_KEY_END, ANSWER_OPEN},
    {WRONG_REVISION, ANSWER_OPEN},   {WRONG_CUT, ANSWER_OPEN},
    {WRONG_LENGTH, ANSWER_ACCEPTS},  {WRONG_LENGTH, ANSWER_REJECTS},
    {WRONG_KIND, ANSWER_OPEN},
};

enum {
    CASE_KEY_END,
    CASE_KEY_MIDDLE,
    CASE_KEY_REJECTED,
    CASE_HTTP,
    CASE_LENGTH_OPEN,
    CASE_KEY_OPEN,
    CASE_REVISION_OPEN,
    CASE_CUT_OPEN,
    CASE_LENGTH_ACCEPTED,
    CASE_LENGTH_REJECTED,
    CASE_KIND_OPEN,
};

static void wrong_frame(struct talk *talk, const struct suite_case *row)
{
    const struct wrong_case *this = &cases[row->variant];
    enum answer answer;

    if (!give(talk, this->wrong))
        return;
    answer = hear_answer(talk, talk_t_close(talk));
    /* A Responder may name its own revision before it closes (section 7.1.1, Appendix C.2.1). */
    if (this->wrong == WRONG_REVISION && answer != ANSWER_CLOSED && talk_last(talk)->what == TALK_FRAME)
        answer = hear_answer(talk, talk_t_close(talk));
    /* Another rule is about a late close. */
    if (answer == ANSWER_OPEN && this->failing & ANSWER_OPEN && hear_answer(talk, talk_t_start(talk)) == ANSWER_CLOSED)
        answer = ANSWER_LATE;
    judge(talk, answer, this->failing);
}

/* Whether a device that answers an unknown revision continues in it. */
static void unknown_revision(struct talk *talk, const struct suite_case *row)
{
    const struct mpa_startup *reply;

    (void)row;
    if (!talk_is_initiator(talk)) {
        if (give(talk, WRONG_REVISION))
            judge(talk, hear_answer(talk, talk_t_close(talk)), ANSWER_ACCEPTS);
        return;
    }
    if (!give(talk, WRONG_REVISION))
        return;
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
    if (talk_probe(talk) == LIFE_ANSWERS)
        talk_failed(talk, "expected a close; expected a close; the device answers with revision %u and then FPDUs",
                    reply->revision);
    else if (talk_is_open(talk))
        talk_inconclusive(talk, "the device leaves the connection open, which another rule is about");
    else
        talk_passed_by_end(talk, "the device closes: %s", talk_describe(talk, talk_last(talk)));
}

/* A close, but not at once. */
static void late_close(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    if (!give(talk, WRONG_KEY_END))
        return;
    if (hear_answer(talk, talk_t_close(talk)) != ANSWER_OPEN) {
        judge(talk, talk_is_open(talk) ? ANSWER_ACCEPTS : ANSWER_CLOSED, 0);
        return;
    }
    judge(talk, hear_answer(talk, talk_t_start(talk)) == ANSWER_CLOSED ? ANSWER_LATE : ANSWER_OPEN, ANSWER_LATE);
}

/* ---- waiting ---- */

/* Nothing or part of a frame, then silence. */
static void incomplete(struct talk *talk, const struct suite_case *row)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN + 64];

    if (!our_turn(talk))
        return;
    if (row->variant > 0) {
        right_frame(talk, octets, sizeof octets);
        talk_write(talk, octets, (size_t)row->variant);
    }
    if (!talk_is_initiator(talk))
        talk_begin_operation(talk);
    mpa_expect_end(talk, talk_t_start(talk));
}

/* An Initiator that has not received the whole Reply must wait; when it has, it continues. */
static void withheld(struct talk *talk, const struct suite_case *row)
{
    uint8_t octets[MPA_STARTUP_HEADER_LEN + 64];
    const struct talk_heard *heard;
    size_t n;

    (void)row;
    if (!our_turn(talk))
        return;
    n = right_frame(talk, octets, sizeof octets);
    talk_write(talk, octets, n - 1);
    talk_begin_operation(talk);
    heard = talk_hear(talk, talk_t_react(talk));
    if (heard->what == TALK_FIN || heard->what == TALK_RESET) {
        talk_passed_by_end(talk, "the device closes: %s", talk_describe(talk, heard));
        return;
    }
    if (heard->what != TALK_SILENCE || heard->n > 0) {
        talk_failed(talk, "expected the device to wait for the whole Reply; found %s", talk_describe(talk, heard));
        return;
    }
    talk_write(talk, octets + n - 1, 1);
    talk_begin_operation(talk); /* from here on */
    heard = talk_hear(talk, talk_t_close(talk));
    if (heard->what == TALK_FPDU && !heard->is_terminate)
        talk_passed(talk, "the device waits for the whole Reply, then continues: %s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "the device waits, but does not continue after the whole Reply either: %s",
                          talk_describe(talk, heard));
}

/* ---- right frames ---- */

static bool say_res(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    return talk_start_oddly(talk, &(struct talk_wish){.frame = odd ? "mpa.flags|0x0F" : NULL});
}

/* Requests that every device must grant. */
static bool say_markers(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    return talk_start_oddly(talk, &(struct talk_wish){.markers = odd, .no_crc = true});
}

static bool say_crc(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    return talk_start_oddly(talk, &(struct talk_wish){.crc = odd, .no_crc = !odd});
}

static void must_grant(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, row->variant == 0 ? say_markers : say_crc, NULL);
    if (!talk_has_passed(talk))
        return;
    /* What the device inserts shows in its own FPDUs. */
    if (talk_fpdus_heard(talk) == 0)
        talk_inconclusive(talk, "the device accepts %s, but sent no FPDU", row->variant == 0 ? "M = 1" : "C = 1");
    else if (row->variant == 0 && talk_markers_heard(talk) == 0)
        talk_failed(talk, "expected Markers after M = 1 was accepted; found none in its FPDUs");
}

static void default_crc(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.no_crc = true};

    (void)row;
    if (!talk_start(talk, &wish))
        return;
    if (talk_frame(talk, false)->flags & MPA_FLAG_C)
        talk_passed(talk, "the device sets C = 1");
    else if (talk_vouches_default(talk))
        talk_failed(talk, "expected C = 1 in the default configuration; found C = 0");
    else
        talk_not_applicable(
            talk, "the device sets C = 0; if it is in its default configuration, say so with --default-configuration");
}

/* Private Data that the device's ULP is asked to reject. */
/* No answer: does it answer others? */
static void compare(struct talk *talk)
{
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));

    if (talk_start(talk, NULL))
        talk_failed(talk, "expected a Reply with R = 1; found %s; with other private data it accepts", what);
    else
        talk_inconclusive(talk, "%s; with other private data it does not accept either", what);
}

static void disliked(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.advert = {.flags = (uint32_t)row->variant}};
    const struct mpa_startup *reply;

    if (!talk_open(talk))
        return;
    talk_send_frame(talk, &wish);
    reply = talk_hear_frame(talk);
    if (reply && reply->flags & MPA_FLAG_R)
        talk_passed(talk, "%s", talk_describe(talk, talk_last(talk)));
    else if (reply)
        talk_failed(talk, "expected a Reply with R = 1; found %s", talk_describe(talk, talk_last(talk)));
    else
        compare(talk);
}

static void disliked_reply(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.advert = {.flags = ADVERT_REJECT}, .wait_only = true};
    enum answer answer;

    (void)row;
    if (!talk_start(talk, &wish))
        return;
    answer = hear_answer(talk, talk_t_close(talk));
    if (answer == ANSWER_OPEN)
        talk_passed(talk, "the device says nothing more");
    else
        judge(talk, answer, ANSWER_ACCEPTS | ANSWER_GARBAGE);
}

static void enters_operation(struct talk *talk, const struct suite_case *row)
{
    const struct talk_wish wish = {.wait_only = true};
    const struct talk_heard *heard;

    (void)row;
    if (!talk_start(talk, &wish))
        return;
    heard = talk_hear(talk, talk_t_close(talk));
    if (heard->what == TALK_FPDU && !heard->is_terminate)
        talk_passed(talk, "%s", talk_describe(talk, heard));
    else if (heard->what == TALK_GARBAGE || (heard->what == TALK_SILENCE && heard->n > 0))
        talk_failed(talk, "expected framed data from the device; found %s", talk_describe(talk, heard));
    else
        talk_inconclusive(talk, "%s", talk_describe(talk, heard));
}

/*
 * A request right after the Reply, in our first FPDU: a device that is still turning to full operation must not lose
 * it. The comparison is the same after a pause. cut: the FPDU's first octet goes alone.
 */
static bool say_at_once(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct talk_wish wish = {.wait_only = true, .at_once = odd};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    enum talk_sign sign;
    GByteArray *octets;
    size_t first;

    if (!talk_start(talk, &wish) || (sign = mpa_question_sign(talk)) == SIGN_TCP)
        return false;
    if (!odd)
        talk_sleep(talk, at_once_pause);
    talk_plan(talk, &plan, ulpdu, talk_make_question(talk, sign, ulpdu));
    octets = talk_encode_plan(&plan);
    first = odd && row->variant ? (size_t)row->variant : octets->len;
    talk_write(talk, octets->data, first);
    if (first < octets->len) {
        talk_delivered(talk);
        talk_sleep(talk, read_pause);
        talk_write(talk, octets->data + first, octets->len - first);
    }
    g_byte_array_unref(octets);
    return true;
}

static enum talk_life await_answer(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    return talk_await(talk, talk_usable_sign(talk), talk_t_react(talk));
}

static void first_is_an_fpdu(struct talk *talk, const struct suite_case *row)
{
    for (unsigned i = 0; i < TALK_AT_ONCE_TRIES && (i == 0 || talk_has_passed(talk)); i++)
        talk_expect_taken(talk, row, say_at_once, await_answer);
}

static void odd_res(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_res, NULL);
}

#define CLOSE_EXPECTED "the device closes"

static const struct suite_case tests[] = {
    {RULE_MPA_4_3_01, NULL, DUT_ANY, 0, must_grant, "M = 1 in our start-up frame; if refused, the same with M = 0",
     "the device continues, with Markers", .variant = 0},
    {RULE_MPA_4_4_01, NULL, DUT_ANY, 0, must_grant, "C = 1 in our start-up frame; if refused, the same with C = 0",
     "the device continues, with CRC", .variant = 1},
    {RULE_MPA_4_4_03, NULL, DUT_ANY, 0, default_crc, "C = 0 in our start-up frame",
     "C = 1 in the device's frame, by default", .variant = 0},
    {RULE_MPA_7_1_1_02, "end", DUT_RESPONDER, 0, wrong_frame, "a Request whose key has a wrong last octet",
     CLOSE_EXPECTED ", and does not accept", .variant = CASE_KEY_END},
    {RULE_MPA_7_1_1_02, "middle", DUT_RESPONDER, 0, wrong_frame, "a Request whose key has four wrong octets",
     CLOSE_EXPECTED ", and does not accept", .variant = CASE_KEY_MIDDLE},
    {RULE_MPA_7_1_1_05, NULL, DUT_INITIATOR, 0, wrong_frame, "a Reply whose key has a wrong last octet",
     CLOSE_EXPECTED ", without FPDUs", .variant = CASE_KEY_END},
    {RULE_MPA_7_1_1_22, NULL, DUT_ANY, 0, odd_res, "our start-up frame with all Res bits set", "the device continues",
     .variant = 0},
    {RULE_MPA_7_1_1_24, NULL, DUT_ANY, 0, unknown_revision, "our start-up frame with Rev 42",
     CLOSE_EXPECTED ", without FPDUs", .variant = 0},
    {RULE_MPA_7_1_1_25, NULL, DUT_ANY, 0, wrong_frame, "our start-up frame with Rev 42", CLOSE_EXPECTED,
     .variant = CASE_REVISION_OPEN},
    {RULE_MPA_7_1_1_30, NULL, DUT_ANY, 0, wrong_frame,
     "our start-up frame with PD_Length 100, 40 octets of it, and FIN", CLOSE_EXPECTED, .variant = CASE_CUT_OPEN},
    {RULE_MPA_7_1_1_31, NULL, DUT_ANY, 0, wrong_frame, "our start-up frame with 513 octets of Private Data",
     CLOSE_EXPECTED ", and does not continue", .variant = CASE_LENGTH_ACCEPTED},
    {RULE_MPA_7_1_2_04, "key", DUT_RESPONDER, 0, wrong_frame, "a Request whose key has a wrong last octet",
     CLOSE_EXPECTED ", without a rejecting Reply", .variant = CASE_KEY_REJECTED},
    {RULE_MPA_7_1_2_04, "pd-length", DUT_RESPONDER, 0, wrong_frame, "a Request with 513 octets of Private Data",
     CLOSE_EXPECTED, .variant = CASE_LENGTH_OPEN},
    {RULE_MPA_7_1_2_04, "http", DUT_RESPONDER, 0, wrong_frame, "a web browser's request",
     CLOSE_EXPECTED ", without an answer", .variant = CASE_HTTP},
    {RULE_MPA_7_1_2_05, NULL, DUT_RESPONDER, NEED_WORDS, disliked, "private data that the ULP is asked to reject",
     "a Reply with R = 1", .variant = ADVERT_REJECT},
    {RULE_MPA_7_1_2_12, NULL, DUT_RESPONDER, 0, first_is_an_fpdu,
     "a request in the first FPDU, as soon as the Reply has come", "its answer", .variant = 0},
    {RULE_MPA_7_1_2_12, "cut", DUT_RESPONDER, 0, first_is_an_fpdu,
     "the first octet of the first FPDU as soon as the Reply has come, then the rest", "the request is answered",
     .variant = 1},
    {RULE_MPA_7_1_2_16, NULL, DUT_INITIATOR, 0, withheld, "a Reply without its last octet", "no FPDU", .variant = 0},
    {RULE_MPA_7_1_2_17, NULL, DUT_INITIATOR, 0, wrong_frame, "a Reply with 513 octets of Private Data", CLOSE_EXPECTED,
     .variant = CASE_LENGTH_OPEN},
    {RULE_MPA_7_1_2_18, NULL, DUT_INITIATOR, NEED_ECHO, disliked_reply, "private data that the ULP is asked to reject",
     "no FPDU but a Terminate", .variant = 0},
    {RULE_MPA_7_1_2_22, NULL, DUT_INITIATOR, 0, enters_operation, "an accepting Reply", "FPDUs", .variant = 0},
    {RULE_MPA_7_1_2_26, NULL, DUT_ANY, 0, wrong_frame, "our start-up frame with a wrong last octet in its key",
     CLOSE_EXPECTED, .variant = CASE_KEY_OPEN},
    {RULE_MPA_7_1_2_29, NULL, DUT_RESPONDER, NEED_WORDS, disliked,
     "private data that the ULP is asked to reject with private data of its own", "a Reply with R = 1",
     .variant = ADVERT_REJECT_DATA},
    {RULE_MPA_7_1_2_34, NULL, DUT_INITIATOR, 0, wrong_frame, "a Request in answer to the device's Request",
     CLOSE_EXPECTED, .variant = CASE_KIND_OPEN},
    {RULE_MPA_7_1_2_35, NULL, DUT_RESPONDER, 0, incomplete, "nothing at all",
     "the device closes within --start-timeout", .variant = 0},
    {RULE_MPA_7_1_2_40, NULL, DUT_RESPONDER, 0, wrong_frame, "a Request with 513 octets of Private Data",
     CLOSE_EXPECTED ", without a rejecting Reply", .variant = CASE_LENGTH_REJECTED},
    {RULE_MPA_7_1_2_41, "nothing", DUT_INITIATOR, 0, incomplete, "no Reply", "the device closes within --start-timeout",
     .variant = 0},
    {RULE_MPA_7_1_2_41, "key", DUT_ANY, 0, incomplete, "10 octets of our start-up frame, then nothing",
     "the device closes within --start-timeout", .variant = 10},
    {RULE_MPA_8_09, NULL, DUT_ANY, 0, late_close, "our start-up frame with a wrong last octet in its key",
     "the device closes at once", .variant = 0},
};

const struct suite suite_mpa_startup = {"mpa", tests, G_N_ELEMENTS(tests)};
