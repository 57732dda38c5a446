/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules about reactions without a case of their own: another rule's case decides them, or no case can. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_UNTESTED_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_UNTESTED_H

#include "engine/core/rule.h"

struct untested_rule {
    enum rule_id rule;
    enum rule_id with; /* why NULL: a case of this rule decides both */
    const char *why;   /* why no case can decide it */
};

/* By index; NULL after the last. The catalogue has further equivalent rules. */
const struct untested_rule *untested_rule_at(unsigned index);
/* Whether a case of `with` also decides the rule: by the catalogue, or by this table. */
bool case_decides_too(enum rule_id rule, enum rule_id with);

#endif
