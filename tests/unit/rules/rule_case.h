/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A rule's case in rules/LAYER.cases, for the test that plays it (docs/case-files.md): a statement, and iwarp-check's
 * required results.
 */
#ifndef IWARP_TESTS_UNIT_RULES_RULE_CASE_H
#define IWARP_TESTS_UNIT_RULES_RULE_CASE_H

#include "engine/core/rule.h"
#include "traffic-gen/speak/faults/fault.h"

struct rule_case_finding {
    enum rule_id rule; /* RULE_COUNT ends a list */
    enum rule_severity severity;
    uint32_t count; /* 0: any */
};

/* Lists of rules end with RULE_COUNT. */
struct rule_case {
    struct fault said;
    const char *where;                     /* file and line */
    const char *options;                   /* of iwarp-check, separated by blanks */
    uint32_t snap;                         /* octets of each packet in the capture; 0: all */
    const char *lacks;                     /* the capture lacks these frames, such as "3, 7-9"; NULL: none */
    bool exactly;                          /* no findings except `also` and `found`; otherwise notes are allowed */
    const enum rule_id *one_of;            /* one of these must be found; empty: no requirement */
    const enum rule_id *also;              /* each of these may be found */
    const struct rule_case_finding *found; /* all of these must be found */
    const enum rule_id *passed;            /* each of these passed somewhere */
    const enum rule_id *doubtful;          /* these were inconclusive somewhere */
    const enum rule_id *silent;            /* these neither passed nor were inconclusive anywhere */
};

extern const struct rule_case rule_cases[]; /* said.id NULL ends */

#endif
