// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of statements, and which deviations can be read. */
#include "tests/unit/support/support.h"
#include "traffic-gen/speak/say/deviation.h"

#include <string.h>

static const struct word *word_at(const GPtrArray *statements, unsigned statement, unsigned index)
{
    return &g_array_index(((const struct statement *)statements->pdata[statement])->words, struct word, index);
}

UNIT_TEST(test_words)
{
    char *error = NULL;
    GPtrArray *statements = script_parse(
        "x", "with rev2 irdI=0x10; ;I 3* send len+4 msn-1 reply-segs=3 @7^16 mpa@-7&0xF0 keep-pad =5", &error);
    const struct statement *send;

    assert_non_null(statements);
    assert_int_equal(statements->len, 2);
    assert_int_equal(word_at(statements, 0, 1)->number, 16);
    send = statements->pdata[1];
    assert_int_equal(send->times, 3);
    assert_int_equal(send->line, 0);
    assert_int_equal(send->number, 2);
    assert_int_equal(send->words->len, 7);
    for (unsigned i = 0; i < 7; i++) {
        static const struct {
            const char *name;
            char op;
            uint64_t number;
        } expected[] = {{"len", '+', 4}, {"msn", '-', 1},       {"reply-segs", '=', 3},
                        {"@7", '^', 16}, {"mpa@-7", '&', 0xF0}, {"keep-pad", 0, 0},
                        {"=5", 0, 0}};
        const struct word *word = word_at(statements, 1, i);

        assert_string_equal(word->name, expected[i].name);
        assert_int_equal(word->op, expected[i].op);
        assert_int_equal(word->number, expected[i].number);
    }
    g_ptr_array_unref(statements);
}

UNIT_TEST(test_operators)
{
    static const struct {
        char op;
        uint64_t old, n, expected;
    } cases[] = {{'=', 5, 3, 3}, {'+', 5, 3, 8}, {'-', 5, 3, 2}, {'^', 5, 3, 6}, {'&', 5, 3, 1}, {'|', 5, 3, 7}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++)
        assert_int_equal(word_apply(&(struct word){.op = cases[i].op, .number = cases[i].n}, cases[i].old),
                         cases[i].expected);
}

UNIT_TEST(test_scripts_that_cannot_be_read)
{
    static const char *const texts[] = {"I", "X send", "I sned", "I with", "send", "I 5*", "R next"};

    for (size_t i = 0; i < ARRAY_LENGTH(texts); i++) {
        g_autofree char *error = NULL;

        assert_null(script_parse("x", texts[i], &error));
        assert_int_equal(strncmp(error, "x, statement 1: cannot read '", 29), 0);
    }
}

/* Each statement as "LINE:SIDE VERB WORDS", in their order. */
static char *said(const char *text, unsigned count, bool *counted)
{
    char *error = NULL;
    g_autoptr(GPtrArray) statements = script_parse_counted("x", text, count, counted, &error);
    GString *all = g_string_new(NULL);

    if (!statements)
        fail_msg("%s", error);
    for (unsigned i = 0; i < statements->len; i++) {
        const struct statement *s = statements->pdata[i];

        g_string_append_printf(all, "%s%u:%c %s", i ? "|" : "", s->line, s->role == INITIATOR ? 'I' : 'R',
                               verb_name(s->verb));
        for (unsigned k = 0; k < s->words->len; k++)
            g_string_append_printf(all, " %s", word_at(statements, i, k)->name);
    }
    return g_string_free(all, FALSE);
}

UNIT_TEST(test_lines)
{
    static const struct {
        const char *text, *expected;
        unsigned count;
        bool counted;
    } cases[] = {
        {"", "", 0, false},
        {"# no\n\n  I send\n", "3:I send", 0, false},
        {"I send\n  zeros\n\n    # no\n early;\nR send", "1:I send zeros early|6:R send", 0, false},
        {"  I send\n  R send\r\n\tI fin", "1:I send|2:R send|3:I fin", 0, false},
        {"I send; R send\n I fin; R fin\n", "1:I send|1:R send I fin|2:R fin", 0, false},
        {"I send;\n\n  # no\n  R send\n   early;; R fin\n  I fin\nR rst",
         "1:I send|4:R send early|5:R fin I fin|7:R rst", 0, false},
        {"repeat 2 {\n I send\n}\n I fin\n", "2:I send|2:I send|4:I fin", 0, false},
        {"repeat\n\n 2 {\nI send\n}", "4:I send|4:I send", 0, false},
        {"repeat 2 {\n  I send\n  R send\n    early\n}\nI fin\n",
         "2:I send|3:R send early|2:I send|3:R send early|6:I fin", 0, false},
        {"repeat 2 { I send; repeat 2 { R send } }", "0:I send|0:R send|0:R send|0:I send|0:R send|0:R send", 0, false},
        {"repeat count { I send }; R fin", "0:I send|0:R fin", 0, true},
        {"repeat count { I send }; R fin", "0:I send|0:I send|0:I send|0:R fin", 3, true},
        {"repeat 7 { }", "", 0, false},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        bool counted = !cases[i].counted;
        g_autofree char *all = said(cases[i].text, cases[i].count, &counted);

        assert_string_equal(all, cases[i].expected);
        assert_int_equal(counted, cases[i].counted);
    }
}

UNIT_TEST(test_lines_that_cannot_be_read)
{
    static const struct {
        const char *text, *error;
    } cases[] = {
        {"I send\nI sned\n", "x:2: cannot read 'sned'; allowed here: write, read, "},
        {"I send;\n\n  # no\n  I sned; I send\n", "x:4: cannot read 'sned'"},
        {"I send;\n  I send }\n", "x:2: '}' without '{'"},
        {"I send; I\n\n sned\n", "x:1: cannot read 'sned'"},
        {"I send\n\nX\n", "x:3: cannot read 'X'; allowed here: I, R, repeat, with, next"},
        {"I send\nwait 5\n", "x:2: cannot read 'wait'; allowed here: I, R, "},
        {"I sn\033ed\n", "x:1: cannot read 'sn?ed'; "},
        {"I 3 {\n}\n", "x:1: before '{' there is 'repeat N' or 'repeat count'"},
        {"repeat {\n}\n", "x:1: before '{'"},
        {"\nrepeat 0 {\n}\n", "x:2: cannot read '0'"},
        {"repeat -1 { }\n", "x:1: cannot read '-1'"},
        {"repeat 5x { }\n", "x:1: cannot read '5x'"},
        {"repeat 100001 { }\n", "x:1: a count of more than 100000"},
        {"repeat 18446744073709551616 { }\n", "x:1: a count of more than 100000"},
        {"I send\n}\n", "x:2: '}' without '{'"},
        {"I send\nrepeat 5 {\nI send\nrepeat 2 {\nI send\n}\n", "x:2: '{' without '}'"},
        {"I send; ; repeat 5 { I send", "x, statement 2: '{' without '}'"},
        {"repeat 2 { I send }; ; I sned", "x, statement 3: cannot read 'sned'"},
        {"repeat 5\nI send\n", "x:1: after 'repeat N' or 'repeat count' there is '{'"},
        {"I 0* send", "x, statement 1: cannot read '0*'"},
        {"I * send", "x, statement 1: cannot read '*'"},
        {"I -1* send", "x, statement 1: cannot read '-1*'"},
        {"I 5x* send", "x, statement 1: cannot read '5x*'"},
        {"R 100001* send", "x, statement 1: a count of more than 100000"},
        {"repeat 50000 { I send; R send; I send }",
         "x, statement 4: more than 100000 statements, repetitions included"},
        {"repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 "
         "{ "
         "repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 { repeat 9 {",
         "x, statement 17: repetitions lie more than 16 deep in one another"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        g_autofree char *error = NULL;

        assert_null(script_parse("x", cases[i].text, &error));
        assert_int_equal(strncmp(error, cases[i].error, strlen(cases[i].error)), 0);
    }
}

UNIT_TEST(test_deviations)
{
    char *error = NULL;
    struct deviation *d = deviation_parse(
        "x", "with dataI=4; R fpdu from=2 when=pad,no-markers every more=3 mpa.padding=0102; I term 2/0/03", &error);

    assert_non_null(d);
    assert_true(d->sets_up && d->changes && !d->startup && d->persistent);
    assert_int_equal(d->role, RESPONDER);
    assert_int_equal(d->index, 2);
    assert_int_equal(d->more, 3);
    assert_non_null(d->conditions[1]);
    assert_null(d->conditions[2]);
    assert_int_equal(d->aftermath, TERMINATED);
    assert_int_equal(d->terminate, 0x2003);
    deviation_free(d);
}

/* A mistake is found when the text is read, not when the statement is carried out. */
UNIT_TEST(test_deviations_that_cannot_be_read)
{
    static const struct {
        const char *text, *word;
    } cases[] = {
        {"I fpdu when=pads", "pads"},
        {"I fpdu mpa.padding=0", "mpa.padding=0"},
        {"I fpdu mpa.padding", "mpa.padding"},
        {"I fpdu mpa.len", "mpa.len"},
        {"I fpdu mpa.rev=1", "mpa.rev=1"},
        {"I mpa-request mpa.ptr+4", "mpa.ptr+4"},
        {"I mpa-request from=1", "from=1"},
        {"I fpdu mpa@x=1", "mpa@x=1"},
        {"I fpdu len=5", "len=5"},
        {"I send", "send"},
        {"R term 2/0", "2/0"},
        {"with revX=1", "revX=1"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        g_autofree char *error = NULL;
        g_autofree char *expected = g_strdup_printf("cannot read '%s'", cases[i].word);

        assert_null(deviation_parse("x", cases[i].text, &error));
        assert_non_null(strstr(error, expected));
    }
}

UNIT_TEST(test_deviations_that_cannot_be_carried_out)
{
    g_autofree char *error = NULL;

    assert_null(deviation_parse("x", "with mulpdu=3", &error));
    assert_string_equal(error, "x, statement 1: 'mulpdu' cannot be carried out: it is not from 32 to 64768");
}
