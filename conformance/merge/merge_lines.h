/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What claims to be a report, line by line: nothing in it is trusted before it was checked. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_LINES_H
#define IWARP_CONFORMANCE_MERGE_MERGE_LINES_H

#include "conformance/report/report_json.h"

/* Far above what a connection needs by default: 100 findings of each rule. */
enum { MERGE_LINE_MAX = 64 << 20 };

struct merge_lines {
    const char *path;
    int fd;
    GString *text; /* a window of the file */
    size_t at;     /* where the next line begins in it */
    bool ended;    /* the file */
    JsonParser *parser;
    struct json_reading reading; /* for whoever reads the object of a line */
    gchar *error;                /* the first thing that is wrong: names the file, and the line if there is one */
    /* The latest line. */
    uint64_t begin, end; /* in the file, with the newline */
    uint32_t number;     /* from 1 */
    JsonObject *object;
    const char *type; /* "connection" */
};

/* Lines from where fd, the caller's, is: `at` octets into the file. path is borrowed. fd -1: it cannot be read. */
void merge_lines_init(struct merge_lines *lines, const char *path, int fd, uint64_t at);
void merge_lines_clear(struct merge_lines *lines);
/* False: there are no more, or lines->error. */
bool merge_lines_next(struct merge_lines *lines);
/* Both set lines->error unless there is one, and return false; the second one from lines->reading. */
bool merge_lines_fail(struct merge_lines *lines, const char *text);
bool merge_lines_wrong(struct merge_lines *lines);

#endif
