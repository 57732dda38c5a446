// SPDX-License-Identifier: GPL-2.0-or-later
/* iwarp-target without a device: its command line, the parameters of a connection, and the check of the listener. */
#include "lab/target/plan.h"
#include "lab/target/watch.h"
#include "tests/unit/support/support.h"
#include "wire/octets.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

static char why[256];

static enum options_outcome parse(struct target_options *out, const char *line)
{
    static char words[512];
    char *argv[32] = {"iwarp-target"};
    int argc = 1;

    snprintf(words, sizeof words, "%s", line);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    optind = 0; /* once more from the beginning */
    why[0] = '\0';
    return target_options_parse(out, argc, argv, why, sizeof why);
}

UNIT_TEST(test_defaults)
{
    struct target_options options;

    assert_int_equal(parse(&options, ""), OPTIONS_RUN);
    assert_false(options.connects);
    assert_string_equal(options.host, "");
    assert_string_equal(options.port, "7174");
    assert_int_equal(options.ird, 16);
    assert_int_equal(options.receives, 64);
    assert_false(options.sink);
}

UNIT_TEST(test_command_lines)
{
    struct target_options options;

    assert_int_equal(parse(&options, "--ird=3 --ord 4 --service=sink --advertise=send --idle=0.5 [fe80::1]:99"),
                     OPTIONS_RUN);
    assert_int_equal(options.ird, 3);
    assert_int_equal(options.ord, 4);
    assert_true(options.sink);
    assert_true(options.tell_in_send);
    assert_true(options.idle == 0.5);
    assert_string_equal(options.host, "fe80::1");
    assert_string_equal(options.port, "99");
    assert_int_equal(parse(&options, "--connect=tester:7174 --service=echo --receives=0"), OPTIONS_RUN);
    assert_true(options.connects);
    assert_string_equal(options.host, "tester");
    assert_int_equal(options.receives, 0);
    assert_int_equal(parse(&options, ":65535"), OPTIONS_RUN);
    assert_string_equal(options.port, "65535");
}

UNIT_TEST(test_wrong_command_lines)
{
    static const char *const lines[] = {"--ird=256",
                                        "--ird=-1",
                                        "--ird=1x",
                                        "--ird=",
                                        "--ird",
                                        "--nothing",
                                        "--service=nfs",
                                        "--advertise=no",
                                        "--idle=nan",
                                        "--idle=-1",
                                        "--connections=0",
                                        "--region-size=1",
                                        "0",
                                        "65536",
                                        "host:",
                                        "a:b:7",
                                        "[::1:7",
                                        "[]:7",
                                        "7 8",
                                        "--connect=7174",
                                        "--connect=h:99999",
                                        "--connect=h:7 8",
                                        "--receive-size=1048577"};
    struct target_options options;

    for (size_t i = 0; i < ARRAY_LENGTH(lines); i++) {
        if (parse(&options, lines[i]) != OPTIONS_BAD || !why[0])
            fail_msg("'%s' is taken", lines[i]);
    }
}

UNIT_TEST(test_nobody_asks)
{
    struct target_options options;
    struct plan plan;

    parse(&options, "--receives=5 --receive-size=100");
    plan = target_plan_make(&options, NULL, 0);
    assert_int_equal(plan.answer, PLAN_ACCEPT);
    assert_int_equal(plan.receives, 5);
    assert_int_equal(plan.size, 100);
    assert_true(plan.echo);
    parse(&options, "--service=sink");
    plan = target_plan_make(&options, (const uint8_t *)"something else", 14);
    assert_false(plan.echo);
    assert_int_equal(plan.receives, 64);
}

static struct plan asked(uint32_t receives, uint32_t size, uint32_t flags)
{
    const struct advert_wish wish = {receives, size, flags};
    struct target_options options;
    uint8_t words[ADVERT_WISH_LEN];

    parse(&options, "--receives=5 --receive-size=100");
    advert_wish_encode(&wish, false, words);
    return target_plan_make(&options, words, sizeof words);
}

UNIT_TEST(test_wishes)
{
    struct plan plan = asked(0, 4096, 0);

    assert_int_equal(plan.answer, PLAN_ACCEPT);
    assert_int_equal(plan.receives, 0);
    assert_false(plan.echo);
    assert_true(asked(1, 1, ADVERT_ECHO).echo);
    assert_int_equal(asked(1, 1, ADVERT_REJECT).answer, PLAN_REJECT);
    assert_int_equal(asked(1, 1, ADVERT_REJECT_DATA).answer, PLAN_REJECT_WITH_DATA);
    assert_int_equal(asked(1, 1, ADVERT_SILENT | ADVERT_ECHO).answer, PLAN_SILENCE);
}

UNIT_TEST(test_wishes_are_bounded)
{
    struct plan plan = asked(UINT32_MAX, UINT32_MAX, 0);

    assert_int_equal(plan.size, PLAN_SIZE_MAX);
    assert_true((uint64_t)plan.receives * plan.size <= PLAN_MEMORY_MAX);
    plan = asked(UINT32_MAX, 0, 0);
    assert_int_equal(plan.receives, PLAN_RECEIVES_MAX);
    assert_int_equal(plan.size, 0);
}

UNIT_TEST(test_questions)
{
    const struct advert_wish wish = {0, 0, ADVERT_ECHO};
    uint8_t words[ADVERT_WISH_LEN + 1] = {0};
    bool echo = false;

    advert_wish_encode(&wish, false, words);
    assert_true(plan_is_question(words, ADVERT_WISH_LEN, &echo));
    assert_true(echo);
    assert_false(plan_is_question(words, ADVERT_WISH_LEN - 1, &echo));
    assert_false(plan_is_question(words, ADVERT_WISH_LEN + 1, &echo));
    words[0] ^= 1;
    assert_false(plan_is_question(words, ADVERT_WISH_LEN, &echo));
}

UNIT_TEST(test_who_listens)
{
    static const char table[] =
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        "   0: 00000000:1C07 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 19011 1\n"
        "   1: 0F02000A:1C08 0202000A:1C09 01 00000000:00000000 00:00000000 00000000     0        0 19012 1\n"
        "  10: 00000000000000000000000000000000:0050 00000000000000000000000000000000:0000 0A 0:0 00:0 0 0 0 1\n";
    const struct {
        unsigned port;
        bool listens;
    } cases[] = {{0x1C07, true}, {0x1C08, false}, {0x1C09, false}, {80, true}, {0, false}};

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        FILE *file = fmemopen((void *)(uintptr_t)table, sizeof table - 1, "r");

        assert_non_null(file);
        assert_int_equal(watch_listed(file, cases[i].port), cases[i].listens);
        fclose(file);
    }
}
