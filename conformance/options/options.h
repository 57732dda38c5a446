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
    GArray *outputs;     /* struct report_output, one at least */
    char *annotate;      /* the annotated capture; NULL: not wanted */
    char *write_waivers; /* a list of waivers for what fails; NULL: not wanted */
    struct rule_selection rules;
    enum rule_severity fail_on;
    bool fail_never, fail_trouble; /* fail_trouble: what happened counts, too */
    struct mpa_options mpa;
    const char *profile; /* as given */
    GPtrArray *waivers;  /* waivers.h */
    bool strict_waivers;
    bool exclusive;         /* only the connection itself writes the memory that it accesses */
    unsigned assume_inline; /* 0: not given */
    bool assume_no_icrc;    /* of RoCE and InfiniBand */
    struct ib_qp_pair assumed_qps[ASSUMED_QPS_MAX];
    unsigned n_assumed_qps;
    int64_t t_answer;                  /* nanoseconds; 0: not given */
    bool print, verbose, stats, quiet; /* quiet: only the verdict on standard output */
    bool print_ndjson;                 /* --print as objects of JSON */
    uint32_t count;                    /* packets to read of a capture; 0: all */
    enum color_use color;              /* of the text report */
    bool summary;                      /* lines on standard output, and reports only to files */
    enum tristate progress;            /* UNKNOWN: when standard error is a terminal */
    unsigned jobs;
    size_t memory_limit;     /* octets, of all connections at a time; 0: the default */
    unsigned max_findings;   /* kept per rule and connection; 0: all */
    bool counts_apart;       /* JSON: how often each rule passed on each connection, too */
    char *interface;         /* live capture */
    char *filter;            /* of the interface, or of files given by -r; NULL: none */
    char *keep;              /* -w: the packets that are judged; NULL: they are not kept */
    char *user;              /* -Z: who root becomes; NULL: the default */
    unsigned capture_buffer; /* of it, in octets; 0: the default */
    int64_t rotate_ns;       /* a report of each such period; 0: one of all */
    char **files;            /* NULL-terminated; empty with interface */
    char *command_line;      /* as a shell takes it */

    bool fold;        /* of equal findings the first three are listed, the others counted */
    bool allow_empty; /* captures in which nothing was checked are accepted */

    bool list_rules, list_waivers, list_interfaces, version, help;
    char *explain;
};

/*
 * Parses argv. False and *error (CHECK_ERROR_USAGE) if it is invalid; the caller clears `options` in either case.
 * With list_rules, version, help or explain set there may be no files.
 */
bool options_parse(struct check_options *options, int argc, char **argv, GError **error);
/* The value of --fail-on. */
bool options_parse_fail_on(struct check_options *options, const char *value, GError **error);
void options_clear(struct check_options *options);
/* True when a finding of this severity makes the status CHECK_FAIL. */
bool options_fails(const struct check_options *options, enum rule_severity severity);

extern const char options_help[];

/* Adds to an error of GLib's parser: the option that was meant, or the command that shows all, `help`. */
void options_add_hint(GError *error, const GOptionEntry *entries, const char *help);

#endif
