/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Upper layers (engine/rdma/ulp.h) as the checker and reports see them: a face for each upper layer with more to report
 * than counts, in conformance/guests/, and one face for all others. Callers of these functions do not know upper layers
 * by name.
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
struct tested_suite;
struct text_table;
struct trouble_facts;
struct _JsonObject;

/* The context of the guest's own taps; the context of all taps of a connection begins with this struct. */
struct guest_host {
    struct stack *stack;
    struct notes *notes;         /* NULL: no ladders wanted */
    struct collector *collector; /* NULL: no statistics wanted */
    struct trouble_facts *facts; /* NULL: out of memory */
    FILE *out;                   /* --print; NULL: not wanted */
    const struct report_capture *capture;
    uint32_t number;                 /* number of the connection in lines of --print */
    const struct endpoint *endpoint; /* by side */
    bool ndjson;                     /* --print=ndjson */
};

/* "report" is the value of take(). NULL: the guest has nothing to say there, or needs nothing. */
struct guest_face {
    const struct ulp_kind *kind; /* NULL: any */
    bool judged;                 /* the layer has rules */

    /* While a connection is read. */
    /* Context for struct ulp_own; g_free() it. */
    void *(*own)(const struct check_options *options);
    /* Adds a note on the private data to a line of --print. */
    void (*print_private_data)(FILE *out, const uint8_t *p, size_t n);
    /* Adds to statistics what the taps do not collect. */
    void (*add_statistics)(void *guest, struct statistics *statistics, unsigned initiator);

    /* The layer without RDMA, over TCP; all of these may be missing. */
    const char *plain;                                  /* its name there */
    const uint16_t *ports;                              /* its usual ports, ended by 0 */
    const char *enable;                                 /* what to look at if nothing listens on these ports */
    const struct trouble_enable *enable_on;             /* the same for known kinds of servers, ended by {NULL} */
    const char *where;                                  /* its usual port, in words */
    bool (*speaks_plainly)(const uint8_t *p, size_t n); /* whether a TCP segment begins with one of its requests */

    /* Notes the Calls without an answer, at the end of the connection. */
    void (*add_trouble)(void *guest, struct trouble_facts *facts);

    /* The guest's counts so far; NULL: it has not recognised the connection. initiator: a side. */
    void *(*take)(const struct ulp_kind *kind, void *guest, unsigned initiator);
    void (*free)(void *report);

    /* In reports. */
    const char *(*title)(const void *report);
    void (*write_text)(const void *report, const struct terminal *terminal, bool verbose);
    /* In JSON: the name of its object, which merge reads (NULL: reading->wrong says why), and its sums. */
    const char *member;
    /* part: of a series, which merge joins. */
    void (*write_json)(const void *report, struct json_writer *writer, bool part);
    void *(*read_json)(struct json_reading *reading, struct _JsonObject *object);
    void (*join)(void *report, const void *later);
    void (*write_junit)(const void *report, struct tested_suite *suite);
    /* --stats: a row for each operation or procedure that failed, and each of its statuses. */
    void (*add_statuses)(const void *report, struct text_table *table);
    void (*write_html_terms)(const void *report, struct html_page *page); /* among the connection's */
    void (*write_html)(const void *report, struct html_page *page);
};

/* The report's part on a connection's upper layer. */
struct report_guest {
    const struct guest_face *face; /* NULL: no layer was recognised */
    void *report;
};

/* The faces by name: conformance/guests/guests.c. Ended by NULL; the last face is for all other layers. */
extern const struct guest_face *const guest_faces[];

/* "NVMe over RDMA or SMB Direct": the layers with rules; g_free() it. */
gchar *guest_titles_judged(void);
/* kind may be NULL. */
const struct guest_face *guest_face_of(const struct ulp_kind *kind);
struct report_guest report_guest_take(const struct ulp_kind *kind, void *guest, unsigned initiator);
void report_guest_free(struct report_guest *guest);

/* The face's function, if the face has recognised the connection and has the function. */
#define REPORT_GUEST(guest, what, ...)                                                                                 \
    do {                                                                                                               \
        if ((guest)->face && (guest)->face->what)                                                                      \
            (guest)->face->what((guest)->report, __VA_ARGS__);                                                         \
    } while (0)

#endif
