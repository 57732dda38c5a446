// SPDX-License-Identifier: GPL-2.0-or-later
/* Several runs of a case as one result. */
#include "tests/unit/support/support.h"
#include "traffic-gen/tester/suite/run/case.h"

static const int64_t second = INT64_C(1000000000);
static const char seen[] = "RDMAP-4.4-03: expected this; found that";

static void add(GPtrArray *runs, enum case_outcome outcome, const char *observation)
{
    struct case_result *result = case_result_new();

    result->outcome = outcome;
    result->actual = g_strdup("what it was");
    if (observation)
        g_ptr_array_add(result->observations, g_strdup(observation));
    g_ptr_array_add(runs, result);
}

static struct case_result *merge(const enum case_outcome *outcomes, unsigned n, bool believed)
{
    g_autoptr(GPtrArray) runs = g_ptr_array_new();

    for (unsigned i = 0; i < n; i++)
        add(runs, outcomes[i], NULL);
    return case_merge(runs, believed);
}

UNIT_TEST(outcomes)
{
    static const struct {
        enum case_outcome runs[3];
        unsigned n;
        bool believed;
        enum case_outcome result;
    } rows[] = {
        {{OUTCOME_FAILED, OUTCOME_FAILED}, 2, false, OUTCOME_FAILED},
        {{OUTCOME_FAILED, OUTCOME_PASSED, OUTCOME_PASSED}, 3, false, OUTCOME_UNSTABLE},
        {{OUTCOME_FAILED, OUTCOME_INCONCLUSIVE}, 2, false, OUTCOME_INCONCLUSIVE},
        {{OUTCOME_FAILED, OUTCOME_INCONCLUSIVE, OUTCOME_FAILED}, 3, false, OUTCOME_FAILED},
        /* Dead once, perhaps of something else; dead again, of this. */
        {{OUTCOME_DIED}, 1, false, OUTCOME_INCONCLUSIVE},
        {{OUTCOME_DIED}, 1, true, OUTCOME_DIED},
        {{OUTCOME_DIED, OUTCOME_DIED}, 2, false, OUTCOME_DIED},
        {{OUTCOME_DIED, OUTCOME_PASSED, OUTCOME_DIED}, 3, false, OUTCOME_DIED},
        {{OUTCOME_DIED, OUTCOME_PASSED, OUTCOME_PASSED}, 3, false, OUTCOME_INCONCLUSIVE},
        {{OUTCOME_DIED, OUTCOME_FAILED, OUTCOME_FAILED}, 3, false, OUTCOME_UNSTABLE},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct case_result *result = merge(rows[i].runs, rows[i].n, rows[i].believed);

        if (result->outcome != rows[i].result)
            fail_msg("row %u: %s", i, case_outcome_names[result->outcome]);
        case_result_free(result);
    }
}

UNIT_TEST(a_death_is_no_failure_of_the_rule)
{
    const enum case_outcome twice[] = {OUTCOME_DIED, OUTCOME_DIED};
    struct case_result *result = merge(twice, 2, false);

    assert_true(case_result_failed(result));
    assert_false(case_result_failed_rule(result));
    assert_string_equal(result->actual, "the device dies when it gets this, in 2 of 2 runs: what it was");
    case_result_free(result);
}

UNIT_TEST(died_once_is_taken_up_again)
{
    const enum case_outcome once[] = {OUTCOME_DIED};
    struct case_result *result = merge(once, 1, false);

    assert_true(case_died_once(result));
    case_restore_death(result);
    assert_int_equal(result->outcome, OUTCOME_DIED);
    assert_string_equal(result->actual, "what it was");
    case_result_free(result);
}

/* Findings of one of several runs are kept, and doubted. */
UNIT_TEST(observations)
{
    for (unsigned times = 1; times <= 2; times++) {
        g_autoptr(GPtrArray) runs = g_ptr_array_new();
        struct case_result *result;

        add(runs, OUTCOME_PASSED, NULL);
        for (unsigned i = 0; i < times; i++)
            add(runs, OUTCOME_PASSED, seen);
        result = case_merge(runs, false);
        assert_int_equal(result->observations->len, 1);
        assert_int_equal(result->doubted->len, times == 1);
        case_result_free(result);
    }
}

UNIT_TEST(late_ourselves)
{
    const struct talk_run run = {.t_react = 2 * second, .t_start = 60 * second, .t_idle = 120 * second};
    struct case_result *result = case_result_new();

    result->outcome = OUTCOME_FAILED;
    result->late = second / 2;
    assert_false(case_was_late(&run, result));
    result->late = second / 2 + 1;
    assert_true(case_was_late(&run, result));
    result->outcome = OUTCOME_PASSED;
    assert_false(case_was_late(&run, result));
    g_ptr_array_add(result->observations, g_strdup(seen));
    assert_true(case_was_late(&run, result));
    case_doubt_late(result);
    assert_int_equal(result->outcome, OUTCOME_INCONCLUSIVE);
    assert_int_equal(result->observations->len, 0);
    case_result_free(result);
}
