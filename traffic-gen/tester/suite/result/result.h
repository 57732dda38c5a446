/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of a run of the suites: filled in by the run, or read from a JSON report. Every report is made from it. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RESULT_RESULT_H
#define IWARP_TRAFFIC_TESTER_SUITE_RESULT_RESULT_H

#include "engine/core/rule.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum case_outcome {
    OUTCOME_PASSED,
    OUTCOME_FAILED,
    OUTCOME_UNSTABLE, /* repeated runs had different outcomes */
    OUTCOME_DIED,     /* the device died of the case in every run: a failure, but not of the case's rule */
    OUTCOME_INCONCLUSIVE,
    OUTCOME_NOT_APPLICABLE,
    OUTCOMES
};

extern const char *const case_outcome_names[OUTCOMES]; /* "passed", ..., "not applicable" */

/* The evidence for what a device did, which decides how much a pass means
 * (traffic-gen/tester/suite/run/counterparts.h). */
enum case_shown {
    SHOWN_ANSWER,    /* by its answer */
    SHOWN_CONTINUES, /* it continued: it gave its known sign of life */
    SHOWN_STAYS, /* it continued: it has no sign of life, but its TCP acknowledged, and it neither closed nor refused */
    SHOWN_REFUSED,          /* it refused in full operation, by a close or a Terminate */
    SHOWN_START_UP_REFUSED, /* it refused before full operation */
    SHOWN_CLOSED,           /* it closed where it had to continue */
    SHOWN_LOST,             /* it continued, but a required message was missing or damaged */
    SHOWN_KINDS
};

extern const char *const case_shown_names[SHOWN_KINDS];

/* One line of the transcript. */
struct case_step {
    double seconds; /* since the case began */
    bool ours;
    unsigned connection; /* number within the case, from 1 */
    char *caption;       /* "FPDU: RDMA Read Request QN 1 MSN 1 ..., CRC wrong" */
    char *octets;        /* hexadecimal; NULL: none (FIN, RST) */
    unsigned n;          /* total octets: the text may be shortened */
    unsigned left_out;   /* number of hidden steps before this one */
    unsigned repeated;   /* number of identical steps directly after this one, which are hidden */
};

struct case_result {
    char *id, *rule, *suite;
    char *document, *section, *level, *severity;
    GPtrArray *aliases; /* ids of rules that state the same requirement: char * */
    char *requirement, *stimulus, *expected;
    enum case_outcome outcome;
    char *actual;            /* reason for this outcome */
    GPtrArray *observations; /* other findings about the DUT: char * "ID: message" */
    GPtrArray *doubted;      /* char *: rules of observations that another run did not repeat */
    GPtrArray *steps;        /* struct case_step * */
    GArray *ports;           /* guint: the case's TCP ports, one for each connection, in the order of the ladder */
    double seconds;
    enum case_shown shown;
    char *rests_on; /* passed: the case or other evidence that the device can also do the opposite; NULL: not settled */
    char *waived;   /* reason for the waiver; NULL: not waived */
    char *reduced;  /* for a failed vector: the fewest of its values that still fail; NULL: not looked for */
    char *death;    /* state of the device afterwards (alive.h: device_life_names); NULL: alive */
    uint64_t runs[OUTCOMES]; /* when the case ran more than once: how often each outcome occurred */
    /* Set while the case runs: our side has sent its stimulus; a usual start-up, or what prepares it, was refused. */
    bool said, refused;
    bool mute;  /* passed by a close without a Terminate: a crash looks the same */
    bool ended; /* failed by an early close or Terminate */
    bool away;  /* after its stimulus nobody listened for a while */
    /* Delays of our own side in ns: the longest (traffic-gen/tester/suite/transport/lateness.h), and the sum of its
     * pauses */
    int64_t late, dragged;
};

/* A death of the device. */
struct device_death {
    GPtrArray *cases; /* char *: the case, or the cases that ran at the same time and cannot be told apart */
    char *state;      /* alive.h: device_life_names */
    char *what;       /* description */
    bool revived;
};

/* Combinations (--strength) that were not tested because vectors with these values fail. */
struct left_out {
    char *suite, *values; /* "startup", "M=1" */
    char *rule, *death;   /* reason of the failure; death: NULL unless the device dies */
    char *waived;         /* reason for the waiver; NULL: not waived */
    unsigned combinations;
};

/* A service that the device would have to offer for more cases. */
struct missing_service {
    unsigned cases;
    char *what, *service;
};

/* A file with the octets sent and received, or with packets from the wire. */
struct recording {
    char *file, *sha256; /* NULL: the file could not be read */
};

struct suite_report {
    char *device;  /* --device, or its address */
    char *role;    /* "responder" or "initiator" */
    char *version; /* of iwarp-gen */
    char *started; /* ISO 8601 */
    /* The report's origin (result_origin.c). NULL: unknown. */
    char *command, *catalogue;
    char *device_info;     /* output of --device-info */
    GPtrArray *recordings; /* struct recording * */
    char *load;            /* what other connections did meanwhile; NULL: no other connections */
    GPtrArray *soak;       /* char *: figures of a soak run, one a line; empty: not a soak run */
    double seconds;
    GPtrArray *results;        /* struct case_result * */
    GPtrArray *unused_waivers; /* char * */
    char *known;               /* shipped waivers that would explain failures (shipped.h); NULL: none */
    unsigned chosen, finished; /* cases selected, and cases that ran: fewer if the run ended early */
    char *state;               /* of the device at the end: "alive", ... (alive.h) */
    char *start_up;            /* the start-up that the device accepts, in words */
    char *sign;                /* the device's sign of life, in words */
    char *layout;              /* layout of its Terminates, if wrong */
    char *capture;             /* file with packets from the wire, made beside the run; NULL: none */
    unsigned can_run;          /* number of chosen cases that the service allows */
    GPtrArray *missing;        /* struct missing_service *: needed by the other cases */
    GPtrArray *deaths;         /* struct device_death * */
    GPtrArray *left_out;       /* struct left_out * */
};

/* Copies state and what; the caller adds the cases. */
struct device_death *suite_report_add_death(struct suite_report *report, const char *state, const char *what);
void suite_report_add_missing(struct suite_report *report, unsigned cases, const char *what, const char *service);
void suite_report_add_recording(struct suite_report *report, const char *file, const char *sha256);
/* Copies left_out, but takes its texts. */
void suite_report_add_left_out(struct suite_report *report, const struct left_out *left_out);
/* "startup: 40 combinations with M=1, which fails by itself: MPA-7.1.2-10, waived: ..."; the caller frees it. */
char *left_out_text(const struct left_out *left_out);
struct suite_report *suite_report_new(void);
/* The first result with that id; NULL: none, or no report. */
struct case_result *suite_report_find(const struct suite_report *report, const char *id);
/* Moves results and deaths of a part of the run, and its state, which is the newest, to the report. */
void suite_report_take(struct suite_report *report, struct suite_report *part);
void suite_report_free(struct suite_report *report);
struct case_result *case_result_new(void);
/* Of structures of zeros. */
void case_result_init(void *zeroed);
void device_death_init(void *zeroed);
struct case_result *case_result_copy(const struct case_result *result);
/* Another outcome, and another description, which may contain the one before. */
void case_result_conclude(struct case_result *result, enum case_outcome outcome, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
/* The result is about this rule: copies its texts. */
void case_result_set_rule(struct case_result *result, const struct rule *rule);
void case_result_free(struct case_result *result);

/* Failed, unstable or died, waived or not. */
bool case_result_failed(const struct case_result *result);
/* The same because its rule was broken: the device did not die. */
bool case_result_failed_rule(const struct case_result *result);

/* A pass that means nothing without the evidence in rests_on. */
bool case_result_leans(const struct case_result *result);

/* Totals of one section of a document, in the order of the results. */
struct report_section {
    const char *document, *section; /* borrowed from a result */
    unsigned conforms, fails, waived, open;
};
GArray *suite_report_sections(const struct suite_report *report); /* struct report_section; owned by the caller */
/* "alive at the end", "died of MPA-8-02/crc: ..."; owned by the caller. */
char *suite_report_life(const struct suite_report *report);
/* Failures without a waiver, including those seen during other cases. */
unsigned suite_report_failures(const struct suite_report *report);

/* Cases that ran more than once, and those among them with different outcomes: shows how far to trust the device. */
unsigned suite_report_repeated(const struct suite_report *report, unsigned *differed);

/* Counts failures without a waiver, and failures with one. */
unsigned suite_report_count(const struct suite_report *report, enum case_outcome outcome, bool waived);
unsigned suite_report_waived(const struct suite_report *report); /* failures of any kind */

/* Each writes the whole report; the caller checks the stream for errors. */
void suite_report_text(const struct suite_report *report, FILE *out);
void suite_report_json(const struct suite_report *report, FILE *out);
void suite_report_junit(const struct suite_report *report, FILE *out);
void suite_report_tap(const struct suite_report *report, FILE *out);
void suite_report_page(const struct suite_report *report, FILE *out); /* HTML */
/* One report, or a matrix of rules by devices when there are several. */
void suite_report_html(struct suite_report *const *reports, unsigned n, FILE *out);

/* NULL with *error, which describes the error of the file. */
struct suite_report *suite_report_load(const char *path, GError **error);

/* ---- the meaning of Terminates whose first word is not laid out as in RFC 5040 Figure 9 (result_layout.c) ---- */

/*
 * layout: from engine/terminate/terminate_layout.h, proven by one of the device's Terminates. Wherever the results name
 * one of its Terminates, the meaning is added if it is known.
 */
void result_layout_explain(struct suite_report *report, const char *layout);

/* ---- the origin of a report: command line, rules, device (result_origin.c) ---- */

/* A command line quoted for a shell; owned by the caller. */
char *origin_command(int argc, char *const *argv);
/* "1729 rules, SHA-256 9f86d081...": equal for programs with the same catalogue; owned by the caller. */
char *origin_catalogue(void);
/* Adds the file with its present hash, or without one if it cannot be read. */
void origin_add_recording(struct suite_report *report, const char *path);

/* ---- breaches of rules other than the tested rule, reported as failures of those rules (result_seen.c) ---- */

/*
 * The rule of "ID: message" if a document requires it: its breach is a failure. NULL: it is only reported, or a wrong
 * layout of Terminates explains it.
 */
const struct rule *result_seen_rule(const char *observation, bool wrong_layout);

/*
 * Adds a result "ID/seen" for each selected rule without a failed case of its own: failed, or inconclusive when no case
 * saw the breach in more than one run.
 */
void result_seen_add(struct suite_report *report, bool (*wanted)(void *ctx, const char *rule), void *ctx);

#endif
