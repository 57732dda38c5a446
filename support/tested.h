/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program tested: suites of cases, written as JUnit or TAP. */
#ifndef IWARP_SUPPORT_TESTED_H
#define IWARP_SUPPORT_TESTED_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum tested {
    TESTED_PASSED,
    TESTED_FAILED,
    TESTED_ERROR,
    TESTED_WAIVED, /* a failure that was expected: without a message JUnit shows it as passed */
    TESTED_SKIPPED,
    TESTED_OUTCOMES
};

struct tested_pair {
    const char *name, *value;
};

enum { TESTED_DETAILS = 8 };

/* Texts live as long as the suite: they are constant, borrowed, or tested_keep() has them. */
struct tested_case {
    enum tested outcome;
    const char *name;                           /* in JUnit; NULL: JUnit leaves the case out */
    const char *description;                    /* in TAP; NULL: TAP leaves the case out, but not its remarks */
    const char *type;                           /* JUnit's, of a failure or an error */
    const char *message;                        /* why it did not pass */
    const char *reason;                         /* the same for TAP, of what is waived or skipped; NULL: the message */
    const char *body;                           /* JUnit's, lines below the message; NULL: none */
    const char *remarks;                        /* TAP's comments, a line each; NULL: none */
    struct tested_pair details[TESTED_DETAILS]; /* TAP's, ended by NULL */
    double seconds;
};

struct tested_suite {
    struct tested_pair attributes[4]; /* JUnit's, before the counts, in this order */
    const char *class_name, *err;     /* JUnit's: of the cases; of the suite, may be NULL */
    GString *out;                     /* JUnit's, lines */
    double seconds;
    bool shared;                /* each case took an equal part of the seconds */
    GArray *cases, *properties; /* struct tested_case, struct tested_pair */
    GPtrArray *kept;
};

void tested_begin(struct tested_suite *suite);
void tested_end(struct tested_suite *suite);
/* Takes the text, for g_free() at the end of the suite. */
const char *tested_keep(struct tested_suite *suite, char *text);
/* Copies the value. */
void tested_property(struct tested_suite *suite, const char *name, const char *value);
/* "not known" unless `known`. */
void tested_property_number(struct tested_suite *suite, const char *name, bool known, uint64_t value);

/*
 * JUnit has no single schema. These functions write only what the schemas in use have in common: the attributes and the
 * order that the strict schema demands, and nothing that the lenient schemas do not know. So a test case is failed,
 * skipped or neither, and everything else goes to the suite's system-out. Write errors stay in the stream `out`.
 */
struct _xmlTextWriter *junit_begin(FILE *out);
/* number: how many suites came before. */
void junit_suite(struct _xmlTextWriter *writer, const struct tested_suite *suite, unsigned number);
void junit_end(struct _xmlTextWriter *writer);

/*
 * TAP 14 (testanything.org) that readers of the kernel's KTAP accept, too: no subtests; YAML blocks, which KTAP readers
 * skip, explain the results.
 */
void tap_begin(FILE *out, unsigned n);
unsigned tap_count(const struct tested_suite *suite);
/* number: how many test points came before. Returns the number with the points of the suite. */
unsigned tap_suite(FILE *out, const struct tested_suite *suite, unsigned number);
void tap_comment(FILE *out, const char *text);

#endif
