/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run of the suites found: filled in by the run, or read from a JSON report. Every report is made from it. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_RESULT_H
#define IWARP_TRAFFIC_SUITE_RESULT_RESULT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum case_outcome {
    OUTCOME_PASSED,
    OUTCOME_FAILED,
    OUTCOME_UNSTABLE, /* repeated runs had different outcomes */
    OUTCOME_DIED,     /* the device dies of it, each time: a failure, but none of the case's rule */
    OUTCOME_INCONCLUSIVE,
    OUTCOME_NOT_APPLICABLE,
    OUTCOMES
};

extern const char *const case_outcome_names[OUTCOMES]; /* "passed", ..., "not applicable" */

/* How a device showed what it did; how much a pass means depends on this (traffic-gen/suite/run/counterparts.h). */
enum case_shown {
    SHOWN_ANSWER,           /* by what it sent */
    SHOWN_CONTINUES,        /* it went on: it gave the sign of life that it is known to give */
    SHOWN_STAYS,            /* it went on: it has none, but its TCP acknowledged, and it neither closed nor refused */
    SHOWN_REFUSED,          /* in full operation, by a close or a Terminate */
    SHOWN_START_UP_REFUSED, /* likewise, before */
    SHOWN_CLOSED,           /* it closed where it had to go on */
    SHOWN_LOST,             /* it went on, but what had to come did not, or came damaged */
    SHOWN_KINDS
};

extern const char *const case_shown_names[SHOWN_KINDS];

/* One line of the transcript. */
struct case_step {
    double seconds; /* since the case began */
    bool ours;
    unsigned connection; /* of the case, from 1 */
    char *caption;       /* "FPDU: RDMA Read Request QN 1 MSN 1 ..., CRC wrong" */
    char *octets;        /* hexadecimal; NULL: none (FIN, RST) */
    unsigned n;          /* octets in all: the text may be shortened */
    unsigned left_out;   /* steps between the one before and this one that are not shown */
    unsigned repeated;   /* times that the same was said again at once, and is not shown */
};

struct case_result {
    char *id, *rule, *suite;
    char *document, *section, *level, *severity;
    GPtrArray *aliases; /* ids of rules that state the same requirement: char * */
    char *requirement, *stimulus, *expected;
    enum case_outcome outcome;
    char *actual;            /* why this outcome */
    GPtrArray *observations; /* what else the engine found about the DUT: char * "ID: message" */
    GPtrArray *doubted;      /* char *: rules of observations that did not come again in another run */
    GPtrArray *steps;        /* struct case_step * */
    GArray *ports;           /* guint: the case's TCP ports, one per connection, in the order of the ladder */
    double seconds;
    enum case_shown shown;
    char *rests_on; /* passed: the case, or what else, that shows that the device can tell; NULL: not settled */
    char *waived;   /* why; NULL: not */
    char *reduced;  /* of a failed vector: the fewest of its values that still fail; NULL: not looked for */
    char *death;    /* state of the device afterwards (alive.h: device_life_names); NULL: alive */
    unsigned runs[OUTCOMES]; /* when it ran more than once: how often each outcome occurred */
    /* While it runs: our side has sent its stimulus; a usual start-up, or what prepares it, was refused. */
    bool said, refused;
    bool mute;  /* it passed by a close without a Terminate: a crash looks like that, too */
    bool ended; /* it failed by a close or a Terminate, whatever else was to come */
    bool away;  /* after its stimulus nobody listened for a while */
    /* ns by which our own side was late: its longest delay (traffic-gen/suite/talk/lateness.h), and the sum of its
     * pauses */
    int64_t late, dragged;
};

/* The device died. */
struct device_death {
    GPtrArray *cases; /* char *: the case, or those that ran at the same time and cannot be told apart */
    char *state;      /* alive.h: device_life_names */
    char *what;       /* in words */
    bool revived;
};

/* Combinations (--strength) that were not asked, as vectors with these values fail. */
struct left_out {
    char *suite, *values; /* "startup", "M=1" */
    char *rule, *death;   /* what they fail by; death: NULL unless the device dies */
    char *waived;         /* why; NULL: not */
    unsigned combinations;
};

/* What a device would have to offer for more cases. */
struct missing_service {
    unsigned cases;
    char *what, *service;
};

/* A file with what was sent and received, or was on the wire. */
struct recording {
    char *file, *sha256; /* NULL: it could not be read */
};

struct suite_report {
    char *device;  /* --device, or its address */
    char *role;    /* "responder" or "initiator" */
    char *version; /* of iwarp-gen */
    char *started; /* ISO 8601 */
    /* Where it comes from (result_origin.h). NULL: not known. */
    char *command, *catalogue;
    char *device_info;     /* what --device-info printed */
    GPtrArray *recordings; /* struct recording * */
    char *load;            /* what other connections did meanwhile; NULL: there were none */
    GPtrArray *soak;       /* char *: figures of a soak run, a line each; empty: it was none */
    double seconds;
    GPtrArray *results;        /* struct case_result * */
    GPtrArray *unused_waivers; /* char * */
    char *known;               /* waivers that would explain failures (shipped.h); NULL: none do */
    unsigned chosen, finished; /* cases selected, and cases that ran: fewer when the run ended early */
    char *state;               /* of the device at the end: "alive", ... (alive.h) */
    char *start_up;            /* the one that it accepts, in words */
    char *sign;                /* how it shows life, in words */
    char *layout;              /* of its Terminates, when it is wrong */
    char *capture;             /* file with what was on the wire, made beside the run; NULL: none is known */
    unsigned can_run;          /* of the chosen cases, with the service as it is */
    GPtrArray *missing;        /* struct missing_service *: why the others cannot */
    GPtrArray *deaths;         /* struct device_death * */
    GPtrArray *left_out;       /* struct left_out * */
};

/* Copies state and what; the cases are the caller's to add. */
struct device_death *suite_report_add_death(struct suite_report *report, const char *state, const char *what);
void suite_report_add_missing(struct suite_report *report, unsigned cases, const char *what, const char *service);
void suite_report_add_recording(struct suite_report *report, const char *file, const char *sha256);
/* Copies it. */
void suite_report_add_left_out(struct suite_report *report, const struct left_out *left_out);
void left_out_clear(struct left_out *left_out); /* its texts */
/* "startup: 40 combinations with M=1, which fails by itself: MPA-7.1.2-10, waived: ..."; the caller frees it. */
char *left_out_text(const struct left_out *left_out);
struct suite_report *suite_report_new(void);
void suite_report_free(struct suite_report *report);
struct case_result *case_result_new(void);
struct case_result *case_result_copy(const struct case_result *result);
void case_result_free(struct case_result *result);

/* Failed, unstable or died, waived or not. */
bool case_result_failed(const struct case_result *result);
/* The same, but by a breach of its rule: the device did not die. */
bool case_result_failed_rule(const struct case_result *result);

/* A pass that says something only beside what rests_on names. */
bool case_result_leans(const struct case_result *result);

/* Totals of one section of a document, in the order of the results. */
struct report_section {
    const char *document, *section; /* borrowed from a result */
    unsigned conforms, fails, waived, open;
};
GArray *suite_report_sections(const struct suite_report *report); /* struct report_section; the caller's */
/* "alive at the end", "died of MPA-8-02/crc: ...": the caller's. */
char *suite_report_life(const struct suite_report *report);
/* Failures that are not waived, with those seen during other cases. */
unsigned suite_report_failures(const struct suite_report *report);

/* Cases that ran more than once, and of these the ones with different outcomes: how far the device is to be trusted. */
unsigned suite_report_repeated(const struct suite_report *report, unsigned *differed);

/* Waived failures are counted apart. */
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

/* NULL with *error saying what is wrong with the file. */
struct suite_report *suite_report_load(const char *path, GError **error);

#endif
