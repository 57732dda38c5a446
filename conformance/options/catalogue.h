/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --list-rules and --explain: the rule catalogue for users. */
#ifndef IWARP_CONFORMANCE_OPTIONS_CATALOGUE_H
#define IWARP_CONFORMANCE_OPTIONS_CATALOGUE_H

#include "engine/core/rule.h"

#include <stdio.h>

/* One line per listed rule: id, document, section, level, verification, severity, title; tab-separated. */
void catalogue_list_text(FILE *out, const bool listed[RULE_COUNT]);
/* The same and more as a JSON array. */
void catalogue_list_json(FILE *out, const bool listed[RULE_COUNT]);
void catalogue_explain(FILE *out, const struct rule *rule);

#endif
