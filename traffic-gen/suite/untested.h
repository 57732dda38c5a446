/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules about reactions that have no test of their own: another one settles them, or nothing can provoke them. */
#ifndef IWARP_TRAFFIC_SUITE_UNTESTED_H
#define IWARP_TRAFFIC_SUITE_UNTESTED_H

#include "engine/rule.h"

struct untested_rule {
    enum rule_id rule;
    enum rule_id with; /* why NULL: a test of this rule decides both */
    const char *why;   /* no test can decide it, because */
};

/* By index; NULL behind the last. Beside them stand the rules that the catalogue itself says are the same as others. */
const struct untested_rule *untested_rule_at(unsigned index);
/* A test of `with` decides the rule, too: by the catalogue, or by this table. */
bool case_decides_too(enum rule_id rule, enum rule_id with);

#endif
