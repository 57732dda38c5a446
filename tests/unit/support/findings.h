/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports of a layer of the engine in a harness: findings and counts, and the expectations of tests. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_FINDINGS_H
#define IWARP_TESTS_UNIT_SUPPORT_FINDINGS_H

#include "engine/core/verdict.h"
#include "tests/unit/support/support.h"

enum { FINDINGS_MAX = 64 };

struct findings {
    struct verdict verdict; /* the layer's */
    struct rule_counts counts;
    struct finding finding[FINDINGS_MAX];
    unsigned n;                       /* may exceed FINDINGS_MAX */
    bool (*keeps)(enum rule_id rule); /* findings of other rules are not recorded; NULL: all are */
};

/* *f must stay where it is. */
void findings_begin(struct findings *f, bool (*keeps)(enum rule_id rule));
/* For `keeps`: rules other than those about reactions. */
bool findings_no_reaction(enum rule_id rule);
void findings_show(const struct findings *f, const char *name);

/* Each fails the test and shows the findings unless the condition holds. Exactly this finding: */
void findings_expect_one(const struct findings *f, enum rule_id rule, enum rule_severity severity, uint32_t frame);
/*
 * Exactly the named rules, separated by blanks, "" for none, about octets from `side` (-1: either). "+ID" requires that
 * the rule passed, "?ID" that it was inconclusive.
 */
void findings_expect(const struct findings *f, int side, const char *ids, const char *name);
/* The rules were judged and kept. */
#define findings_passed(f, ...)                                                                                        \
    findings_have_passed(f, (const enum rule_id[]){__VA_ARGS__}, ARRAY_LENGTH(((enum rule_id[]){__VA_ARGS__})))
void findings_have_passed(const struct findings *f, const enum rule_id *rules, size_t n);
void findings_inconclusive(const struct findings *f, enum rule_id rule);

#endif
