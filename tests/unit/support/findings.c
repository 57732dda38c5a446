// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/findings.h"

#include <stdio.h>

static unsigned recorded(const struct findings *f)
{
    return f->n < FINDINGS_MAX ? f->n : FINDINGS_MAX;
}

static void on_finding(void *ctx, const struct finding *finding)
{
    struct findings *f = ctx;

    if (f->keeps && !f->keeps(finding->rule))
        return;
    if (f->n < FINDINGS_MAX)
        f->finding[f->n] = *finding;
    f->n++;
}

void findings_begin(struct findings *f, bool (*keeps)(enum rule_id rule))
{
    memset(f, 0, sizeof *f);
    f->verdict = (struct verdict){.counts = &f->counts, .finding = on_finding, .ctx = f};
    f->keeps = keeps;
}

bool findings_no_reaction(enum rule_id rule)
{
    return rule_catalogue[rule].observe != OBSERVE_REACTION;
}

void findings_show(const struct findings *f, const char *name)
{
    for (unsigned i = 0; i < recorded(f); i++) {
        const struct finding *finding = &f->finding[i];

        print_message("%s: %s %s frame %u, side %u: %s\n", name, rule_severity_name(finding->severity),
                      rule_catalogue[finding->rule].id, finding->place.frame, finding->place.side, finding->message);
    }
}

void findings_expect_one(const struct findings *f, enum rule_id rule, enum rule_severity severity, uint32_t frame)
{
    const struct finding *first = &f->finding[0];

    if (f->n != 1 || first->rule != rule || first->severity != severity || first->place.frame != frame) {
        findings_show(f, "found");
        fail_msg("expected %s %s at frame %u; found %u findings", rule_severity_name(severity), rule_catalogue[rule].id,
                 frame, f->n);
    }
    assert_int_equal(rule_counts_of(&f->counts, rule).failed, 1);
}

static bool at(const struct finding *finding, int side)
{
    return side < 0 || finding->place.side == (unsigned)side;
}

static bool has(const struct findings *f, int side, const char *id)
{
    for (unsigned i = 0; i < recorded(f); i++)
        if (at(&f->finding[i], side) && strcmp(rule_catalogue[f->finding[i].rule].id, id) == 0)
            return true;
    return false;
}

static void expect_count(const struct findings *f, char kind, const char *id, const char *name)
{
    const struct rule *rule = rule_find(id);
    struct rule_count count;

    assert_non_null(rule);
    count = rule_counts_of(&f->counts, rule_number(rule));
    if ((kind == '+' ? count.passed : count.inconclusive) > 0)
        return;
    findings_show(f, name);
    fail_msg("%s: %c%s: passed %u failed %u inconclusive %u", name, kind, id, count.passed, count.failed,
             count.inconclusive);
}

void findings_expect(const struct findings *f, int side, const char *ids, const char *name)
{
    unsigned wanted = 0, found = f->n - recorded(f);
    char copy[256], *rest = copy;

    for (unsigned i = 0; i < recorded(f); i++)
        found += at(&f->finding[i], side);
    snprintf(copy, sizeof copy, "%s", ids);
    for (char *id = strtok_r(rest, " ", &rest); id; id = strtok_r(NULL, " ", &rest)) {
        if (*id == '+' || *id == '?') {
            expect_count(f, *id, id + 1, name);
            continue;
        }
        wanted++;
        if (!has(f, side, id)) {
            findings_show(f, name);
            fail_msg("%s: no finding of %s", name, id);
        }
    }
    if (found != wanted) {
        findings_show(f, name);
        fail_msg("%s: %u findings instead of %u", name, found, wanted);
    }
}

void findings_have_passed(const struct findings *f, const enum rule_id *rules, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (rule_counts_of(&f->counts, rules[i]).passed == 0)
            fail_msg("%s was not passed", rule_catalogue[rules[i]].id);
}

void findings_inconclusive(const struct findings *f, enum rule_id rule)
{
    if (rule_counts_of(&f->counts, rule).inconclusive == 0)
        fail_msg("%s was not inconclusive", rule_catalogue[rule].id);
}
