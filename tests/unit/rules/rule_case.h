/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rules/LAYER.cases says of a rule, for the test that plays it (rules/README.md): a statement, and what
 * iwarp-check must say of the conversation.
 */
#ifndef IWARP_TESTS_UNIT_RULES_RULE_CASE_H
#define IWARP_TESTS_UNIT_RULES_RULE_CASE_H

#include "engine/core/rule.h"
#include "traffic-gen/faults/fault.h"

/* Lists of rules end with RULE_COUNT. */
struct rule_case {
    struct fault said;
    const char *where;            /* file and line */
    const char *options;          /* of iwarp-check */
    bool exactly;                 /* nothing is found but this; else notes may be */
    const enum rule_id *one_of;   /* one of these is found; empty: none need be */
    const enum rule_id *found;    /* with `exactly` all these are found, else each may be */
    const enum rule_id *passed;   /* these held somewhere */
    const enum rule_id *doubtful; /* these were inconclusive somewhere */
};

extern const struct rule_case rule_cases[]; /* said.id NULL ends */

#endif
