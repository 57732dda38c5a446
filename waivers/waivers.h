/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known deviations (--waive, --waivers): findings of a waived rule are reported as waived and do not fail.
 *
 * A waiver file is a YAML list:
 *
 *   - id: MPA-4.3-03              # the rule, or any rule that states the same requirement
 *     why: firmware 1.2 counts Markers from the ISN
 *     link: https://bugs.example/17
 *     until: 2027-03-31           # the last day on which the waiver is effective
 *     fixed: firmware 1.3         # the version in which the deviation ends; for the reader alone
 *     scope:                      # optional: only octets from this device
 *       addresses: [192.0.2.7, 192.0.2.0/24, "192.0.2.7:20049", "[2001:db8::7]:20049"]
 *       role: responder
 *       operation: READ           # and only findings about this operation and kind
 *       kind: Reply
 *       found: "expected # zero octets; found *" # the text: '#' matches numbers, '*' anything
 *   - case: RPCR-4.5.4-03         # instead of id: a case of iwarp-gen test, not a finding
 *     why: two Read chunks are not answered
 *
 * or such a list as the value of `waivers`, together with `about`: the devices that deviate.
 */
#ifndef IWARP_WAIVERS_WAIVERS_H
#define IWARP_WAIVERS_WAIVERS_H

#include "engine/core/rule.h"
#include "wire/endpoint.h"

#include <glib.h>
#include <stdbool.h>

enum waiver_role { WAIVER_ANY_ROLE, WAIVER_INITIATOR, WAIVER_RESPONDER };

struct waiver_address {
    struct endpoint endpoint;
    unsigned prefix_length;
    bool any_port;
};

struct waiver {
    enum rule_id rule; /* the rule that carries the findings */
    char *id;          /* as the user wrote it, in `id` or `case` */
    bool one_case;     /* id names one case of the rule (iwarp-gen test): does not cover findings */
    bool of_values;    /* likewise for a combination of values, "startup/M=1"; there is no rule */
    char *why, *link;  /* may be NULL */
    char *where;       /* "--waive" or FILE:LINE */
    GArray *addresses; /* struct waiver_address; NULL: everywhere */
    enum waiver_role role;
    char *operation, *kind, *found; /* for findings, not for cases; NULL: any */
    char *until;                    /* "2027-03-31"; NULL: for ever */
    bool expired;                   /* that day is over: the waiver is without effect */
    char *fixed;                    /* "Linux 7.3": without effect here; NULL: not yet, or unknown */
    bool shipped;                   /* from a built-in file, which covers more than a single capture */
    gint used;                      /* atomic; for an expired waiver: it would have waived something */
};

/* The properties of a finding that waivers are compared with. */
struct waiver_finding {
    enum rule_id rule;
    const struct endpoint *sender;
    enum waiver_role role;        /* of the sender; WAIVER_ANY_ROLE: unknown */
    const char *operation, *kind; /* NULL: unknown */
    const char *message;
};

/* An array that owns its struct waiver *. */
GPtrArray *waivers_new(void);

/* --waive=ID[:why] */
bool waivers_add(GPtrArray *waivers, const char *argument, GError **error);
/*
 * --waivers=FILE|NAME: a file, or else a built-in name (shipped.h). Mistakes are reported as FILE:LINE: what is wrong
 * and what is allowed. of_cases: ids of cases are accepted, too.
 */
bool waivers_load(GPtrArray *waivers, const char *path, bool of_cases, GError **error);
/* The text of a waiver file, with ids of cases. *about: the devices that deviate, or NULL; g_free() it. */
bool waivers_parse(GPtrArray *waivers, const char *text, const char *path, char **about, GError **error);

/* ADDRESS, ADDRESS/LENGTH, ADDRESS:PORT, [ADDRESS]:PORT */
bool waiver_address_parse(const char *text, struct waiver_address *out);

/* True for octets that `sender` sent in that role. */
bool waiver_in_scope(const struct waiver *waiver, const struct endpoint *sender, enum waiver_role role);

/*
 * Number of octets of the numbers at the beginning of the text: words with a digit or hexadecimal octets, separated by
 * single spaces. 0: none.
 */
size_t waiver_numbers(const char *text);

/* Only for findings: waives no case. */
bool waiver_of_findings(const struct waiver *waiver);
/* Whether the waiver covers this finding, expired or not. Waivers for a single case cover none. */
bool waiver_covers(const struct waiver *waiver, const struct waiver_finding *finding);
/*
 * The first waiver that covers the finding and has not expired, or NULL. It counts as used, and so does an expired one
 * before it.
 */
const struct waiver *waivers_match(GPtrArray *waivers, const struct waiver_finding *finding);

#endif
