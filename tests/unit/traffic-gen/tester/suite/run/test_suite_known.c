// SPDX-License-Identifier: GPL-2.0-or-later
/* Which shipped waivers would explain a device's failures. */
#include "tests/unit/support/support.h"
#include "traffic-gen/tester/suite/run/choice.h"

static const struct endpoint device = {.ip = 4, .address = {192, 0, 2, 7}, .port = 7174};

static void add(struct suite_report *report, const char *rule, enum case_outcome outcome)
{
    struct case_result *result = case_result_new();

    result->id = g_strdup(rule);
    result->rule = g_strdup(rule);
    result->outcome = outcome;
    g_ptr_array_add(report->results, result);
}

static void expect(struct suite_report *report, enum suite_dut dut, const char *known)
{
    choice_known(dut, &device, report);
    if (known)
        assert_string_equal(report->known, known);
    else
        assert_null(report->known);
    g_clear_pointer(&report->known, g_free);
}

UNIT_TEST(test_known)
{
    struct suite_report *report = suite_report_new();
    GPtrArray *linux_siw = waivers_new();

    expect(report, DUT_RESPONDER, NULL);
    add(report, "MPA-4.3-09", OUTCOME_FAILED);
    add(report, "MPA-4.1-05", OUTCOME_PASSED);
    expect(report, DUT_RESPONDER, NULL);
    add(report, "MPA-7.1.2-23", OUTCOME_FAILED); /* a Responder's */
    expect(report, DUT_INITIATOR, NULL);
    expect(report, DUT_RESPONDER,
           "1 of 2 failures would be waived if the iWARP device is siw of Linux 6.1 (--waivers=linux-6.1-siw)");
    add(report, "RPCR-2.2.4.2-02", OUTCOME_FAILED); /* of other findings, which are not cases */
    add(report, "EXP-3.5.1-01", OUTCOME_UNSTABLE);
    expect(report, DUT_RESPONDER,
           "2 of 4 failures would be waived if the responder is Linux 6.1 and the iWARP device is siw of Linux 6.1 "
           "(--waivers=linux-6.1)");

    assert_true(waivers_load(linux_siw, "linux", true, NULL));
    for (guint i = 0; i < report->results->len; i++)
        choice_waive(linux_siw, DUT_RESPONDER, &device, g_ptr_array_index(report->results, i));
    expect(report, DUT_RESPONDER, NULL); /* no file explains the rest */
    choice_unused(linux_siw, false, report);
    assert_int_equal(report->unused_waivers->len, 0);
    g_ptr_array_unref(linux_siw);
    suite_report_free(report);
}

static void assert_waived(GPtrArray *waivers, const char *suite, const char *reduced, const char *why)
{
    struct case_result *result = case_result_new();

    result->id = g_strdup_printf("%s/M=1,C=0,pd=257,cut=key", suite);
    result->suite = g_strdup(suite);
    result->rule = g_strdup("MPA-7.1.2-10");
    result->reduced = g_strdup(reduced);
    result->outcome = OUTCOME_FAILED;
    choice_waive(waivers, DUT_RESPONDER, &device, result);
    assert_int_equal(g_strcmp0(result->waived, why), 0);
    case_result_free(result);
}

/* A waiver for values matches what was reduced to all of them, and nothing else. */
UNIT_TEST(test_values)
{
    GPtrArray *waivers = waivers_new();
    struct suite_report *report = suite_report_new();
    char **known;

    assert_true(waivers_parse(waivers,
                              "- {id: startup/M=1, why: one}\n"
                              "- {id: 'startup/pd=257,C=0', why: two}\n"
                              "- {id: startup/cut=key, why: three, scope: {role: initiator}}\n"
                              "- {id: MPA-7.1.1-31, why: four}\n"
                              "- {case: MPA-7.1.1-05, why: five}\n"
                              "- {id: MPA-7.1.2-10, why: six, scope: {kind: Reply}}\n"
                              "- {id: MPA-7.1.2-10, why: seven, until: 2001-01-01}\n",
                              "known.yaml", NULL, NULL));
    known = choice_known_values(waivers, DUT_RESPONDER, &device);
    assert_int_equal(g_strv_length(known), 2);
    assert_string_equal(known[1], "startup/pd=257,C=0");
    g_strfreev(known);
    assert_true(choice_waives(waivers, DUT_RESPONDER, &device, RULE_MPA_7_1_1_31));
    assert_true(choice_waives(waivers, DUT_RESPONDER, &device, RULE_MPA_7_1_1_05));
    assert_false(choice_waives(waivers, DUT_RESPONDER, &device, RULE_MPA_7_1_2_10)); /* only findings; expired */

    choice_unused(waivers, true, report);
    assert_int_equal(report->unused_waivers->len, 4);
    assert_waived(waivers, "startup", "M=1,C=0", NULL);
    assert_waived(waivers, "startup", "the usual values", NULL);
    assert_waived(waivers, "startup", NULL, NULL);
    assert_waived(waivers, "startup", "cut=key", NULL);
    assert_waived(waivers, "geometry", "M=1", NULL);
    assert_waived(waivers, "startup", "M=1", "one");
    assert_waived(waivers, "startup", "C=0,pd=257", "two");

    g_ptr_array_set_size(report->unused_waivers, 0);
    choice_unused(waivers, true, report);
    assert_int_equal(report->unused_waivers->len, 2);
    g_ptr_array_set_size(report->unused_waivers, 0);
    choice_unused(waivers, false, report); /* of cases, which have no values, and of their rules */
    assert_int_equal(report->unused_waivers->len, 2);
    suite_report_free(report);
    g_ptr_array_unref(waivers);
}
