/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine that the standards describe. They leave choices open (a ULP may close at any time), so that each step
 * has a set of outputs that are allowed, and which of them came decides what is due next. Where no text says what is
 * due, nothing after it is judged.
 */
#ifndef IWARP_TRAFFIC_LEARN_STANDARD_H
#define IWARP_TRAFFIC_LEARN_STANDARD_H

#include "engine/core/rule.h"
#include "traffic-gen/learn/machine.h"

struct standard_difference {
    struct word word; /* its last input has the output that is not allowed */
    const char *output, *due;
    enum rule_id rule; /* RULE_COUNT: none; a device has to survive */
};

/* struct standard_difference, one for each edge that is not allowed; for machines of that alphabet. */
GArray *standard_compare(const struct machine *machine, const char *alphabet);

#endif
