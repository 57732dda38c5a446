/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upper layers (engine/rdma/ulp.h) as checker and reports see them: a face for each that has more to say than counts,
 * in conformance/guests/, and one for all others. Whoever calls these functions knows no upper layer by name.
 */
#ifndef IWARP_CONFORMANCE_MODEL_GUEST_H
#define IWARP_CONFORMANCE_MODEL_GUEST_H

#include "engine/rdma/ulp.h"

#include <glib.h>
#include <stdio.h>

struct check_options;
struct collector;
struct html_page;
struct json_reading;
struct json_writer;
struct notes;
struct report_capture;
struct stack;
struct statistics;
struct terminal;
struct trouble_facts;
struct _JsonObject;
struct _xmlTextWriter;

/* What a guest's own taps may use: the context of all taps of a connection begins with it. */
struct guest_host {
    struct stack *stack;
    struct notes *notes;         /* NULL: no ladders wanted */
    struct collector *collector; /* NULL: no statistics wanted */
    struct trouble_facts *facts; /* NULL: memory is lacking */
    FILE *out;                   /* --print; NULL: not wanted */
    const struct report_capture *capture;
    uint32_t number; /* of the connection, in lines of --print */
    bool ndjson;     /* --print=ndjson */
};

/* "report" is what take() returned. NULL: the guest has nothing to say there, or needs nothing of it. */
struct guest_face {
    const struct ulp_kind *kind; /* NULL: any */
    bool judged;                 /* it has rules */

    /* While a connection is read. */
    /* For struct ulp_own; g_free() it. */
    void *(*own)(const struct check_options *options);
    /* What it finds in private data, in a line of --print. */
    void (*print_private_data)(FILE *out, const uint8_t *p, size_t n);
    /* What statistics have of it besides what its taps collect. */
    void (*add_statistics)(void *guest, struct statistics *statistics, unsigned initiator);

    /* What it is without RDMA, on TCP; all of these may be missing. */
    const char *plain;                                  /* how it is called then */
    const uint16_t *ports;                              /* that it usually has, ended by 0 */
    const char *enable;                                 /* what to look at where nothing listens on them */
    const char *where;                                  /* its usual port, in words */
    bool (*speaks_plainly)(const uint8_t *p, size_t n); /* does a TCP segment begin with a request of its? */

    /* Which Calls had no answer, at the end of the connection. */
    void (*add_trouble)(void *guest, struct trouble_facts *facts);

    /* What the guest has counted so far; NULL: it has not recognised the connection. initiator: a side. */
    void *(*take)(const struct ulp_kind *kind, void *guest, unsigned initiator);
    void (*free)(void *report);

    /* In reports. */
    const char *(*title)(const void *report);
    void (*write_text)(const void *report, const struct terminal *terminal, bool verbose);
    /* In JSON: the name of its object, which merge reads (NULL: reading->wrong says why), and what it adds up. */
    const char *member;
    void (*write_json)(const void *report, struct json_writer *writer);
    void *(*read_json)(struct json_reading *reading, struct _JsonObject *object);
    void (*join)(void *report, const void *later);
    void (*write_junit)(const void *report, struct _xmlTextWriter *writer);
    void (*write_html_terms)(const void *report, struct html_page *page); /* among the connection's */
    void (*write_html)(const void *report, struct html_page *page);
};

/* What a report contains of the upper layer of a connection. */
struct report_guest {
    const struct guest_face *face; /* NULL: none was recognised */
    void *report;
};

/* By what they name in reports: conformance/guests/guests.c. Ended by NULL; the last one is for all other kinds. */
extern const struct guest_face *const guest_faces[];

/* "NVMe over RDMA or SMB Direct": those that have rules; g_free() it. */
gchar *guest_titles_judged(void);
/* kind may be NULL. */
const struct guest_face *guest_face_of(const struct ulp_kind *kind);
struct report_guest report_guest_take(const struct ulp_kind *kind, void *guest, unsigned initiator);
void report_guest_free(struct report_guest *guest);

/* The face's function, if it has recognised the connection and cares. */
#define REPORT_GUEST(guest, what, ...)                                                                                 \
    do {                                                                                                               \
        if ((guest)->face && (guest)->face->what)                                                                      \
            (guest)->face->what((guest)->report, __VA_ARGS__);                                                         \
    } while (0)

#endif
