/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule catalogue: one row per requirement of the standards, generated from rules/<layer>.tsv. Everything that lists
 * rules (--list-rules, --explain, docs, expert infos, tests) reads this table.
 */
#ifndef IWARP_ENGINE_CORE_RULE_H
#define IWARP_ENGINE_CORE_RULE_H

/*
 * Generated: enum rule_id, in catalogue order, and RULE_COUNT; rule_counter[], the place of a rule in tables of
 * RULE_COUNTERS counts. Judged rules have a counter each, and rules that state the same share it. The others, which
 * nothing counts, have RULE_UNCOUNTED.
 */
#include "rule_ids.h"

#include <stdbool.h>
#include <stddef.h>

enum rule_severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_ERROR };

enum rule_observe { OBSERVE_WIRE, OBSERVE_WIRE_1WAY, OBSERVE_REACTION, OBSERVE_ENDPOINT, OBSERVE_META };

/* The transports on which a rule is binding. */
enum rule_transport { RULE_ON_ANY, RULE_ON_IWARP, RULE_ON_IB /* RoCE and InfiniBand */ };

enum rule_judged {
    RULE_JUDGED,     /* has a check and findings of its own */
    RULE_SAME,       /* states the same requirement as another rule and shares its outcome */
    RULE_WITH,       /* has no check of its own: a violation also breaks other rules, and is reported under their ids */
    RULE_PERMISSION, /* permits something; never has findings */
    RULE_NOT_JUDGED, /* invisible in a capture; `how` says why */
};

struct rule {
    const char *id;       /* "MPA-4.3-03" */
    const char *layer;    /* "mpa" */
    const char *document; /* "RFC 5044" */
    const char *section;
    const char *level; /* "MUST", "SHOULD", "STATED", ... */
    const char *party;
    enum rule_transport transport;
    enum rule_observe observe;
    enum rule_severity severity;
    enum rule_judged judged;
    enum rule_id same; /* for RULE_SAME: the rule that carries the findings; else the rule itself */
    /*
     * Rules with which this rule is judged: a violation may be reported under their ids, but not each of their findings
     * violates this rule. A RULE_WITH has only these; a RULE_JUDGED has findings of its own, too.
     */
    const enum rule_id *with;
    unsigned n_with;
    const char *text;  /* the requirement, in the project's own words */
    const char *how;   /* how it is judged, or why it cannot be */
    const char *cause; /* what a violation typically looks like */
};

extern const struct rule rule_catalogue[RULE_COUNT];

/* Finds a rule by id, case-insensitively; NULL when there is none. */
const struct rule *rule_find(const char *id);
enum rule_id rule_number(const struct rule *rule);
/*
 * Whether every finding of rule `id` is a finding of this rule: `id` is this rule, or the rule with the same
 * requirement.
 */
bool rule_carried_by(const struct rule *rule, enum rule_id id);
/* Whether this rule is judged along with rule `id`. */
bool rule_judged_with(const struct rule *rule, enum rule_id id);
/* Whether the rule is binding on that transport, RULE_ON_IWARP or RULE_ON_IB; all rules are on RULE_ON_ANY. */
bool rule_binds_on(const struct rule *rule, enum rule_transport transport);
const char *rule_severity_name(enum rule_severity severity); /* "error" */
const char *rule_observe_name(enum rule_observe observe);    /* "wire-1way" */
/* How the rule is verified: "passive", "active", "passive+active" or "none". */
const char *rule_verification(const struct rule *rule);

#endif
