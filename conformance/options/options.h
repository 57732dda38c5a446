/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of iwarp-check. */
#ifndef IWARP_CONFORMANCE_OPTIONS_OPTIONS_H
#define IWARP_CONFORMANCE_OPTIONS_OPTIONS_H

#include "conformance/options/outputs.h"
#include "conformance/options/selector.h"
#include "conformance/options/status.h"
#include "engine/ib/ib_connections.h"
#include "engine/mpa/mpa.h"

#include <glib.h>

#define CHECK_ERROR (check_error_quark())
GQuark check_error_quark(void);
enum check_error { CHECK_ERROR_USAGE, CHECK_ERROR_INPUT };

/* --color */
enum color_use { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

enum { MAX_FINDINGS_DEFAULT = 1000, ASSUMED_QPS_MAX = 64 };

struct check_options {
    GArray *outputs;     /* struct report_output, at least one */
    char *annotate;      /* the annotated copy; NULL: none */
    bool both;           /* files: a client's capture and the server's */
    char *write_waivers; /* the list of waivers to write for failing findings; NULL: none */
    struct rule_selection rules;
    enum rule_severity fail_on;
    bool fail_never, fail_trouble; /* fail_trouble: trouble fails the run, too */
    struct mpa_options mpa;
    const char *profile; /* the name given */
    GPtrArray *waivers;  /* waivers.h */
    bool strict_waivers;
    bool exclusive;         /* nobody else writes the memory that the connection accesses */
    unsigned assume_inline; /* 0: not given */
    bool assume_no_icrc;    /* for RoCE and InfiniBand */
    struct ib_qp_pair assumed_qps[ASSUMED_QPS_MAX];
    unsigned n_assumed_qps;
    int64_t t_answer;                  /* nanoseconds; 0: not given */
    bool print, verbose, stats, quiet; /* quiet: standard output has only the verdict */
    bool print_ndjson;                 /* --print as JSON objects */
    uint32_t count;                    /* packets to read from a capture; 0: all */
    enum color_use color;              /* in the text report */
    bool summary;                      /* one line per capture on standard output; reports only go to files */
    enum tristate progress;            /* UNKNOWN: on if standard error is a terminal */
    unsigned jobs;
    size_t memory_limit;     /* octets for all connections together; 0: the default */
    unsigned max_findings;   /* kept per rule and connection; 0: all */
    bool counts_apart;       /* JSON: count how often each rule passed on each connection, too */
    char *interface;         /* live capture */
    char *filter;            /* for the interface, or for files given by -r; NULL: none */
    char *keep;              /* -w: where to keep the judged packets; NULL: nowhere */
    char *user;              /* -Z: the user that root becomes; NULL: the default */
    unsigned capture_buffer; /* octets; 0: the default */
    int64_t rotate_ns;       /* the period of one report; 0: a single report */
    char **files;            /* NULL-terminated; empty with interface */
    char *command_line;      /* quoted for a shell */

    bool fold;        /* list the first three of equal findings, and count the others */
    bool allow_empty; /* treat captures with nothing to check as passed */

    bool list_rules, list_waivers, list_interfaces, version, help;
    char *explain;
};

/*
 * Parses argv. False and *error (CHECK_ERROR_USAGE) if it is invalid; the caller clears `options` in either case. With
 * list_rules, version, help or explain there may be no files.
 */
bool options_parse(struct check_options *options, int argc, char **argv, GError **error);
/* Parses the value of --fail-on. */
bool options_parse_fail_on(struct check_options *options, const char *value, GError **error);
void options_clear(struct check_options *options);
/* True when a finding of this severity makes the status CHECK_FAIL. */
bool options_fails(const struct check_options *options, enum rule_severity severity);

extern const char options_help[];

/*
 * Adds to an error of GLib's parser the option that was probably meant, or the command that lists all options, `help`.
 */
void options_add_hint(GError *error, const GOptionEntry *entries, const char *help);

#endif
