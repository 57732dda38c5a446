/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that the standards describe. They leave choices open (a ULP may close at any time), so each step has a
 * set of allowed outputs, and the output decides the next state. Where no text prescribes an output, later steps are
 * not checked.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_LEARN_STANDARD_H
#define IWARP_TRAFFIC_EXPLORE_LEARN_STANDARD_H

#include "engine/core/rule.h"
#include "traffic-gen/explore/learn/machine.h"

struct standard_difference {
    struct word word; /* the output for its last input is not allowed */
    const char *output, *due;
    enum rule_id rule; /* RULE_COUNT: none, but a device has to survive */
};

/* struct standard_difference, one for each forbidden edge; for machines of that alphabet. */
GArray *standard_compare(const struct machine *machine, const char *alphabet);

#endif
