/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known deviations (--waive, --waivers): findings of a waived rule are reported as waived and do not fail.
 *
 * A waiver file is a YAML list:
 *
 *   - id: MPA-4.3-03              # the rule; of rules that state the same requirement, any
 *     why: firmware 1.2 counts Markers from the ISN
 *     link: https://bugs.example/17
 *     until: 2027-03-31           # the last day on which it waives anything
 *     scope:                      # optional: only what this device sent
 *       addresses: [192.0.2.7, 192.0.2.0/24, "192.0.2.7:20049", "[2001:db8::7]:20049"]
 *       role: responder
 *       operation: READ           # and only findings about these
 *       kind: Reply
 *       found: "expected # zero octets; found *" # its text: '#' is for numbers, '*' for anything
 *   - case: RPCR-4.5.4-03         # instead of id: a case of iwarp-gen test, and no finding
 *     why: two Read chunks are not answered
 *
 * or that list as the value of `waivers`, with whose deviations they are in `about`.
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
    enum rule_id rule; /* the one that carries the findings */
    char *id;          /* as the user wrote it; of `id` or `case`, whichever was given */
    bool one_case;     /* id is that of one case of the rule (iwarp-gen test): it says nothing about findings */
    bool of_values;    /* the same of a combination: its values, "startup/M=1"; there is no rule */
    char *why, *link;  /* may be NULL */
    char *where;       /* "--waive" or FILE:LINE */
    GArray *addresses; /* struct waiver_address; NULL: everywhere */
    enum waiver_role role;
    char *operation, *kind, *found; /* of findings, which are not those of cases; NULL: any */
    char *until;                    /* "2027-03-31"; NULL: for ever */
    bool expired;                   /* that day is over: the waiver waives nothing */
    bool shipped;                   /* of a file by name, which is about more than one capture shows */
    gint used;                      /* atomic; of an expired one: it would have waived something */
};

/* What waivers are held against. */
struct waiver_finding {
    enum rule_id rule;
    const struct endpoint *sender;
    enum waiver_role role;        /* of the sender; WAIVER_ANY_ROLE: not known */
    const char *operation, *kind; /* NULL: not known */
    const char *message;
};

/* An array of struct waiver *, which it owns. */
GPtrArray *waivers_new(void);

/* --waive=ID[:why] */
bool waivers_add(GPtrArray *waivers, const char *argument, GError **error);
/*
 * --waivers=FILE|NAME: a file, or else what is shipped by that name (shipped.h). Mistakes are reported as FILE:LINE:
 * what is wrong and what is allowed. of_cases: ids of cases are accepted as well.
 */
bool waivers_load(GPtrArray *waivers, const char *path, bool of_cases, GError **error);
/* The text of such a file, with ids of cases. *about: whose deviations they are, or NULL; g_free() it. */
bool waivers_parse(GPtrArray *waivers, const char *text, const char *path, char **about, GError **error);

/* ADDRESS, ADDRESS/LENGTH, ADDRESS:PORT, [ADDRESS]:PORT */
bool waiver_address_parse(const char *text, struct waiver_address *out);

/* True for what `sender` sent in that role. */
bool waiver_in_scope(const struct waiver *waiver, const struct endpoint *sender, enum waiver_role role);

/* The octets of the numbers that the text begins with: words with a digit, hexadecimal octets, a space between. 0:
 * none. */
size_t waiver_numbers(const char *text);

/* Only findings of some kind: it waives no case. */
bool waiver_of_findings(const struct waiver *waiver);
/* Whether it is for this finding, expired or not. Waivers of a single case are for none. */
bool waiver_covers(const struct waiver *waiver, const struct waiver_finding *finding);
/* The first one that covers the finding and has not expired, NULL when there is none. It counts as used, and so does an
 * expired one before it. */
const struct waiver *waivers_match(GPtrArray *waivers, const struct waiver_finding *finding);

#endif
