// SPDX-License-Identifier: GPL-2.0-or-later
/* Any message of a device is an answer, unless it is due; and a Terminate refuses an error for the row's reasons. */
#include "tests/unit/support/support.h"
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/talk/talk_internal.h"

#include <string.h>

struct conversation_of {
    struct talk_run run;
    struct talk *talk;
    const struct case_result *result;
};

static void begin(struct conversation_of *one)
{
    *one = (struct conversation_of){.run = {.dut = DUT_RESPONDER, .t_react = 1000, .listener = -1}};
    one->talk = talk_begin_job(&one->run, NULL, 1, NULL);
    one->result = talk_job(one->talk)->result;
    talk_begin_saying(one->talk);
    one->talk->startup.operating = true;
}

static void end(struct conversation_of *one)
{
    talk_end_job(one->talk);
}

/* ---- answers ---- */

enum { TAGGED_LEN = 14, UNTAGGED_LEN = 18, PAYLOAD = 4, ROOM = 64 };

/* The device sends a segment with this payload first; `most` octets of the FPDU arrive. */
static void hear(struct talk *talk, uint8_t control, uint8_t opcode, const uint8_t payload[2], size_t most)
{
    const bool tagged = control & 0x80;
    const uint8_t header = tagged ? TAGGED_LEN : UNTAGGED_LEN, length = header + PAYLOAD;
    uint8_t fpdu[ROOM] = {0, length, control, (uint8_t)(0x40 | opcode)};
    const size_t n = (2u + length + 3u) / 4 * 4 + MPA_CRC_LEN;

    memcpy(fpdu + MPA_LENGTH_LEN + header, payload, 2);
    g_byte_array_append(talk->connection.in, fpdu, (guint)MIN(n, most));
    talk_hear(talk, 0);
}

static const uint8_t nothing[2], of_mpa[2] = {0x20, 0x02};
enum { WHOLE = ROOM, LAST = 0x41, NOT_LAST = 0x01, TAGGED = 0xC1 };

UNIT_TEST(test_answers)
{
    static const struct {
        unsigned due;
        uint8_t control, opcode;
        size_t most;
        const char *answer; /* NULL: none */
    } table[] = {
        {0, LAST, RDMAP_SEND, WHOLE, "Send"},
        {DUE_SENDS, LAST, RDMAP_SEND, WHOLE, NULL},
        {DUE_SENDS, LAST, RDMAP_SEND_SE_INVALIDATE, WHOLE, NULL},
        {DUE_SENDS, NOT_LAST, RDMAP_SEND, WHOLE, "a part of a message"},
        {DUE_SENDS, LAST, RDMAP_SEND, 9, "a part of a message"},
        {DUE_SENDS, LAST, RDMAP_READ_REQUEST, WHOLE, "Read Request"},
        {DUE_SENDS, TAGGED, RDMAP_READ_RESPONSE, WHOLE, "Read Response"},
        {DUE_READ_RESPONSES, TAGGED, RDMAP_READ_RESPONSE, WHOLE, NULL},
        {DUE_READ_RESPONSES, TAGGED, RDMAP_WRITE, WHOLE, "Write"},
        {DUE_TERMINATE, LAST, RDMAP_TERMINATE, WHOLE, NULL},
        {DUE_SENDS, LAST, RDMAP_TERMINATE, WHOLE, "Terminate"},
        {DUE_TERMINATE, TAGGED, RDMAP_READ_RESPONSE, WHOLE, "Read Response"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(table); i++) {
        struct conversation_of one;
        const char *answer;

        begin(&one);
        hear(one.talk, LAST, RDMAP_SEND, nothing, WHOLE); /* before the mark */
        talk_mark(one.talk, table[i].due);
        assert_null(talk_answer(one.talk));
        hear(one.talk, table[i].control, table[i].opcode, of_mpa, table[i].most);
        answer = talk_answer(one.talk);
        if (!answer != !table[i].answer || (answer && !strstr(answer, table[i].answer)))
            fail_msg("row %u: %s", i, answer ? answer : "no answer");
        end(&one);
    }
}

UNIT_TEST(test_the_first_answer_stays)
{
    struct conversation_of one;

    begin(&one);
    talk_mark(one.talk, DUE_TERMINATE);
    hear(one.talk, LAST, RDMAP_TERMINATE, of_mpa, WHOLE);
    assert_null(talk_answer(one.talk));
    hear(one.talk, TAGGED, RDMAP_READ_RESPONSE, nothing, WHOLE); /* after it */
    hear(one.talk, LAST, RDMAP_TERMINATE, of_mpa, WHOLE);
    assert_non_null(strstr(talk_answer(one.talk), "Read Response"));
    talk_mark(one.talk, 0);
    assert_null(talk_answer(one.talk));
    end(&one);
}

/* ---- reasons ---- */

UNIT_TEST(test_reasons)
{
    static const char of_three[] = "Terminate 1/2/*, 0/2/ff or 2/*/*, or a close";
    static const struct {
        const char *expected;
        uint8_t layer, etype, code;
        enum case_outcome outcome;
    } table[] = {
        {of_three, 1, 2, 6, OUTCOME_PASSED},
        {of_three, 1, 1, 6, OUTCOME_INCONCLUSIVE},
        {of_three, 0, 2, 255, OUTCOME_PASSED},
        {of_three, 0, 2, 6, OUTCOME_INCONCLUSIVE},
        {of_three, 2, 0, 2, OUTCOME_PASSED},
        {"Terminate 1/1/03", 1, 1, 3, OUTCOME_PASSED},
        {"Terminate 1/1/03", 1, 1, 4, OUTCOME_INCONCLUSIVE},
        {"Terminate 0/1/*, or a close", 1, 1, 0, OUTCOME_INCONCLUSIVE},
        {"Terminate 2/0/2 (layer LLP, type MPA, CRC), or a close", 1, 1, 0, OUTCOME_INCONCLUSIVE},
        {"a Terminate, or a close", 1, 1, 0, OUTCOME_INCONCLUSIVE}, /* no layer is named: none fits */
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(table); i++) {
        const struct suite_case row = {.expected = table[i].expected};
        struct conversation_of one;

        begin(&one);
        one.talk->transcript.heard = (struct talk_heard){.what = TALK_FPDU, .is_terminate = true};
        one.talk->transcript.heard.meant.layer = table[i].layer;
        one.talk->transcript.heard.meant.etype = table[i].etype;
        one.talk->transcript.heard.meant.code = table[i].code;
        judge_refusal(one.talk, &row);
        if (one.result->outcome != table[i].outcome)
            fail_msg("row %u: %s", i, one.result->actual);
        end(&one);
    }
}

/* ---- lines ---- */

UNIT_TEST(test_the_first_line_that_holds)
{
    static const struct suite_verdict lines[] = {
        {VERDICT_ENDS, WHEN_CLOSED, 0, NULL, NULL, "ends: {found}"},
        {VERDICT_PASS, WHEN_SILENT, WHEN_SAID, NULL, NULL, "{found}, {found}"},
        {VERDICT_UNCLEAR, WHEN_TERMINATE, 0, NULL, "1/*/*", "not of DDP"},
        {VERDICT_SKIP, 0, 0, "1/2/0a", NULL, "1/2/0a"},
        {VERDICT_FAIL, WHEN_FPDU, 0, NULL, NULL, "100 %s: {found}{answer}"},
        {.text = NULL},
    };
    static const struct suite_case row = {.verdicts = lines}, without = {.verdicts = NULL};
    static const struct {
        unsigned facts;
        uint8_t layer, etype, code; /* where there is a Terminate */
        enum case_outcome outcome;
        const char *actual; /* NULL: no line holds */
    } table[] = {
        {WHEN_CLOSED | WHEN_SAID, 0, 0, 0, OUTCOME_PASSED, "ends: it"},
        {WHEN_SILENT, 0, 0, 0, OUTCOME_PASSED, "it, it"},
        {WHEN_SILENT | WHEN_SAID, 0, 0, 0, OUTCOME_INCONCLUSIVE, NULL},
        {WHEN_TERMINATE, 0, 2, 10, OUTCOME_INCONCLUSIVE, "not of DDP"},
        {WHEN_TERMINATE, 1, 2, 10, OUTCOME_NOT_APPLICABLE, "1/2/0a"},
        {WHEN_TERMINATE, 1, 2, 9, OUTCOME_INCONCLUSIVE, NULL},
        {WHEN_FPDU | WHEN_SAID, 1, 2, 10, OUTCOME_FAILED, "100 %s: it"},
        {0, 0, 0, 0, OUTCOME_INCONCLUSIVE, NULL},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(table); i++) {
        struct reaction reaction = {
            .facts = table[i].facts,
            .is_terminate = table[i].facts & WHEN_TERMINATE,
            .meant = {.layer = table[i].layer, .etype = table[i].etype, .code = table[i].code},
            .found = "it",
        };
        struct conversation_of one;

        begin(&one);
        assert_null(verdict_by_lines(one.talk, &without, &reaction));
        assert_null(one.result->actual);
        if (!verdict_by_lines(one.talk, &row, &reaction) != !table[i].actual ||
            g_strcmp0(one.result->actual, table[i].actual) != 0 ||
            (table[i].actual && one.result->outcome != table[i].outcome))
            fail_msg("row %u: %s", i, one.result->actual);
        end(&one);
    }
}
