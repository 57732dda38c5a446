/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selectors of --rules and --skip: a rule id, an id prefix, a document, document/section, a layer or a level. */
#ifndef IWARP_CONFORMANCE_OPTIONS_SELECTOR_H
#define IWARP_CONFORMANCE_OPTIONS_SELECTOR_H

#include "engine/mpa/mpa.h"

#include <glib.h>

/*
 * Marks the rules that a comma-separated list of selectors names; marks that are set stay set. False and *error when a
 * selector names nothing that exists.
 */
bool selector_mark(const char *list, bool marks[RULE_COUNT], GError **error);

/*
 * False for rules that only another profile binds to (RFC 5666, RFC 5667). The layers do not exercise these rules; this
 * function serves the rules that share the outcome of others.
 */
bool rule_binds(const struct rule *rule, enum rule_profile profile);

/*
 * Which findings are reported. A finding is reported under the id of the rule that carries it; rules with the same
 * requirement share the finding, and others are judged along with it. To choose one of these rules is to choose the
 * finding; to skip the carrying rule removes the finding.
 */
struct rule_selection {
    bool listed[RULE_COUNT];   /* the rule itself was chosen */
    bool shown[RULE_COUNT];    /* in tables of outcomes: the rule was chosen, or a rule that is judged along with it */
    bool reported[RULE_COUNT]; /* findings of this rule are reported */
};

void rule_selection_init(struct rule_selection *selection, const bool chosen[RULE_COUNT],
                         const bool skipped[RULE_COUNT]);

#endif
