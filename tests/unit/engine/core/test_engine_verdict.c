// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/verdict.h"
#include "tests/unit/support/support.h"

static const enum rule_id rule = RULE_MPA_3_07;

static uint32_t passed(const struct rule_counts *counts)
{
    assert_int_equal(rule_counts_of(counts, rule - 1).passed, 0);
    assert_int_equal(rule_counts_of(counts, rule + 1).passed, 0);
    return rule_counts_of(counts, rule).passed;
}

/* One at a time, beyond an octet; not while muted, at any place. */
UNIT_TEST(passes_are_counted)
{
    struct rule_counts counts = {0};
    struct verdict verdict = {.counts = &counts};

    for (unsigned i = 0; i < 1000; i++) {
        assert_int_equal(passed(&counts), i);
        verdict.muted = true;
        verdict_passed(&verdict, rule);
        verdict_passed_n(&verdict, rule, 3);
        assert_int_equal(passed(&counts), i);
        verdict.muted = false;
        verdict_passed(&verdict, rule);
    }
    assert_true(counts.others);
}

UNIT_TEST(several_at_once)
{
    struct rule_counts counts = {0};
    struct verdict verdict = {.counts = &counts};

    verdict_passed_n(&verdict, rule, 255);
    assert_int_equal(passed(&counts), 255);
    assert_false(counts.others);
    verdict_passed_n(&verdict, rule, 1);
    assert_int_equal(passed(&counts), 256);
    verdict_passed_n(&verdict, rule, 70000);
    verdict_passed_n(&verdict, rule, 0);
    assert_int_equal(passed(&counts), 70256);
}

UNIT_TEST(counting_saturates)
{
    struct rule_counts counts = {0};
    struct verdict verdict = {.counts = &counts};

    counts_set(&counts, rule_counter[rule], (struct rule_count){.passed = UINT32_MAX - 1});
    for (unsigned i = 0; i < 600; i++) {
        verdict_passed(&verdict, rule);
        assert_int_equal(passed(&counts), UINT32_MAX);
    }
    verdict_passed_n(&verdict, rule, UINT32_MAX);
    assert_int_equal(passed(&counts), UINT32_MAX);
}

/* Each judged rule has a counter; rules that state the same share it; the others have none. */
UNIT_TEST(counters_of_rules)
{
    unsigned judged = 0;

    for (unsigned i = 0; i < RULE_COUNT; i++) {
        const struct rule *r = &rule_catalogue[i];

        if (r->judged == RULE_JUDGED)
            assert_int_equal(rule_counter[i], judged++);
        else if (r->judged == RULE_SAME)
            assert_int_equal(rule_counter[i], rule_counter[r->same]);
        else
            assert_int_equal(rule_counter[i], RULE_UNCOUNTED);
    }
    assert_int_equal(judged, RULE_UNCOUNTED);
    assert_int_equal(judged + 1, RULE_COUNTERS);
}

UNIT_TEST(failure_withdrawn)
{
    struct rule_counts counts = {0};
    struct verdict verdict = {.counts = &counts};

    for (unsigned i = 0; i < 2; i++) {
        counts_set(&counts, rule_counter[rule], (struct rule_count){.failed = 1 - i, .inconclusive = 3 + i});
        verdict_withdraw(&verdict, rule, WHY_HOLE, 0);
        assert_int_equal(rule_counts_of(&counts, rule).failed, 0);
        assert_int_equal(rule_counts_of(&counts, rule).inconclusive, 4 + i);
    }
}

static void count_finding(void *ctx, const struct finding *finding)
{
    assert_non_null(finding);
    ++*(unsigned *)ctx;
}

/* Also after a part that another layer has judged. */
UNIT_TEST(nothing_is_counted_when_off)
{
    struct rule_counts counts = {0}, none = {0};
    unsigned findings = 0;
    struct verdict verdict = {.counts = &counts, .off = true, .finding = count_finding, .ctx = &findings};
    struct place place = {.frame = 1};

    verdict_mute(&verdict, true);
    verdict_mute(&verdict, false);
    verdict_passed(&verdict, rule);
    verdict_inconclusive(&verdict, rule, WHY_HOLE, 1);
    verdict_failed(&verdict, rule, DIR_UNKNOWN, &place, 0, "expected nothing; found nothing");
    assert_int_equal(findings, 0);
    assert_int_equal(verdict.errors, 0);
    assert_memory_equal(&counts, &none, sizeof counts);
    verdict.off = false;
    verdict_mute(&verdict, false);
    verdict_failed(&verdict, rule, DIR_UNKNOWN, &place, 0, "expected nothing; found nothing");
    assert_int_equal(findings, 1);
}

/* Of each rule, also when earlier counts are folded; a loss is named with its own frame. */
UNIT_TEST(the_first_reason_is_kept)
{
    struct rule_counts counts = {0};
    struct doubts doubts = {0};
    struct verdict verdict = {.counts = &counts, .doubts = &doubts, .muted = true};

    verdict_inconclusive(&verdict, rule, WHY_END, 1);
    verdict.muted = false;
    verdict_inconclusive(&verdict, rule, LOST_OR(WHY_ORDER), 2);
    counts = (struct rule_counts){0};
    verdict_lose(&verdict, WHY_HOLE, 3);
    verdict_inconclusive(&verdict, rule, WHY_END, 1);
    verdict_inconclusive(&verdict, rule + 1, LOST_OR(WHY_ORDER), 4);
    assert_int_equal(doubts.n, 2);
    assert_true(doubts.at[0].why == WHY_ORDER && doubts.at[0].frame == 2);
    assert_true(doubts.at[1].why == WHY_HOLE && doubts.at[1].frame == 3);
    doubts_free(&doubts);
}
