/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run of the suites has found: filled in by the run, or read from a JSON report; all reports are made of it. */
#ifndef IWARP_TRAFFIC_SUITE_RESULT_H
#define IWARP_TRAFFIC_SUITE_RESULT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum test_outcome {
    TEST_PASSED,
    TEST_FAILED,
    TEST_UNSTABLE, /* repeated, with different outcomes */
    TEST_INCONCLUSIVE,
    TEST_NOT_APPLICABLE,
    TEST_OUTCOMES
};

extern const char *const test_outcome_names[TEST_OUTCOMES]; /* "passed", ..., "not applicable" */

/* One thing that was said, in order. */
struct test_step {
    double seconds; /* since the test began */
    bool ours;
    unsigned connection; /* of the test, from 1 */
    char *caption;       /* "FPDU: RDMA Read Request QN 1 MSN 1 ..., CRC wrong" */
    char *octets;        /* hexadecimal; NULL: none (FIN, RST) */
    unsigned n;          /* octets in all: the text may be cut */
    unsigned left_out;   /* steps before this one, and after the one before it, that are not shown */
};

struct test_result {
    char *id, *rule, *suite;
    char *document, *section, *level, *severity;
    GPtrArray *aliases; /* ids of rules that state the same requirement: char * */
    char *requirement, *stimulus, *expected;
    enum test_outcome outcome;
    char *actual;            /* why this outcome */
    GPtrArray *observations; /* what else the engine found about the DUT: char * "ID: message" */
    GPtrArray *steps;        /* struct test_step * */
    GArray *ports;           /* guint: the test's TCP ports, one per connection, in the order of the ladder */
    double seconds;
    bool by_end;  /* passed because the device refused or closed: it has to be alive afterwards */
    char *waived; /* why; NULL: not */
    char *death;  /* what became of the device (alive.h: device_life_names); NULL: it was alive afterwards */
    unsigned runs[TEST_OUTCOMES]; /* repeated: how often each */
    /* While it runs: our side said something of its own; a usual start-up was not taken. */
    bool said, refused;
};

/* The device died. */
struct test_death {
    GPtrArray *cases; /* char *: the case, or those that ran at the same time and could not be told apart */
    char *state;      /* alive.h: device_life_names */
    char *what;       /* in words */
    bool revived;
};

/* What a device would have to offer for more cases. */
struct test_missing {
    unsigned cases;
    char *what, *service;
};

struct test_report {
    char *device;  /* as the user calls it, or its address */
    char *role;    /* "responder" or "initiator" */
    char *version; /* of iwarp-gen */
    char *started; /* ISO 8601 */
    double seconds;
    GPtrArray *results;        /* struct test_result * */
    GPtrArray *unused_waivers; /* char * */
    unsigned chosen, finished; /* cases that were to run, and those that did: fewer when the run ended early */
    char *state;               /* of the device at the end: "alive", ... (alive.h) */
    char *start_up;            /* that it takes, in words */
    char *sign;                /* how it shows life, in words */
    char *layout;              /* of its Terminates, when that is wrong */
    unsigned can_run;          /* of the chosen cases, as its service is */
    GPtrArray *missing;        /* struct test_missing *: why the others cannot */
    GPtrArray *deaths;         /* struct test_death * */
};

/* Copies state and what; the cases are the caller's to add. */
struct test_death *test_report_add_death(struct test_report *report, const char *state, const char *what);
void test_report_add_missing(struct test_report *report, unsigned cases, const char *what, const char *service);
struct test_report *test_report_new(void);
void test_report_free(struct test_report *report);
struct test_result *test_result_new(void);
struct test_result *test_result_copy(const struct test_result *result);
void test_result_free(struct test_result *result);

/* Failed or unstable, waived or not. */
bool test_result_failed(const struct test_result *result);

/* Of one section of a document, in the order in which the results come. */
struct test_section {
    const char *document, *section; /* borrowed from a result */
    unsigned conforms, fails, waived, open;
};
GArray *test_report_sections(const struct test_report *report); /* struct test_section; the caller's */
/* "alive at the end", "died of MPA-8-02/crc: ...": the caller's. */
char *test_report_life(const struct test_report *report);
/* Cases that failed, and do not count as waived; seen beside other cases, too. */
unsigned test_report_failures(const struct test_report *report);

/* Failures that are waived do not count as such. */
unsigned test_report_count(const struct test_report *report, enum test_outcome outcome, bool waived);

/* Each writes the whole report; the stream's errors are the caller's to look for. */
void test_report_text(const struct test_report *report, FILE *out);
void test_report_json(const struct test_report *report, FILE *out);
void test_report_junit(const struct test_report *report, FILE *out);
void test_report_page(const struct test_report *report, FILE *out); /* HTML */
/* One report, or a matrix of rules by devices when there are several. */
void test_report_html(struct test_report *const *reports, unsigned n, FILE *out);

/* NULL with *error saying what is wrong with the file. */
struct test_report *test_report_load(const char *path, GError **error);

#endif
