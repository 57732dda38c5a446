/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a file that claims to be a report, line by line. Nothing in it is trusted until it has been checked. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_LINES_H
#define IWARP_CONFORMANCE_MERGE_MERGE_LINES_H

#include "conformance/report/report_json.h"

/* Far more than a connection with 100 findings per rule needs. */
enum { MERGE_LINE_MAX = 64 << 20 };

struct merge_lines {
    const char *path;
    int fd;
    GString *text; /* a window of the file */
    size_t at;     /* the offset of the next line in the window */
    bool ended;    /* the file */
    JsonParser *parser;
    struct json_reading reading; /* the input of functions that read the line's object */
    gchar *error;                /* the first error: names the file, and the line if there is one */
    /* The latest line. */
    uint64_t begin, end; /* in the file, with the newline */
    uint32_t number;     /* from 1 */
    JsonObject *object;
    const char *type; /* "connection" */
};

/*
 * Reads lines from the position of fd, which is `at` octets into the file. The caller owns fd and path; fd -1: the file
 * cannot be read.
 */
void merge_lines_init(struct merge_lines *lines, const char *path, int fd, uint64_t at);
void merge_lines_clear(struct merge_lines *lines);
/* Reads the next line. False: there are no more lines, or see lines->error. */
bool merge_lines_next(struct merge_lines *lines);
/*
 * Both set lines->error unless it is already set, and return false; merge_lines_wrong() takes the text from
 * lines->reading.
 */
bool merge_lines_fail(struct merge_lines *lines, const char *text);
bool merge_lines_wrong(struct merge_lines *lines);

#endif
