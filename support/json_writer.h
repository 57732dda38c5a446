/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes JSON piece by piece, for reports about a million connections, which json-glib's builder would keep in memory.
 * The layout is that of json-glib's generator, which also writes strings that need escaping; but short objects and
 * arrays that occur many times are written in one line each.
 *
 * name: of the member, inside an object; NULL inside an array and at the top.
 */
#ifndef IWARP_SUPPORT_JSON_WRITER_H
#define IWARP_SUPPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer {
    FILE *out;
    unsigned depth, indentation; /* blanks per level */
    bool empty;                  /* the innermost object or array is empty so far */
    unsigned line;               /* nesting depth inside a one-line object or array; 0: outside */
    bool compact;                /* without blanks */
};

/* Locks `out` until json_writer_end(); errors stay in `out`. */
void json_writer_begin(struct json_writer *writer, FILE *out, unsigned indentation);
void json_writer_end(struct json_writer *writer);
/* NDJSON: an object in a line by itself, without blanks; instead of both functions above. */
void json_line_begin(struct json_writer *writer, FILE *out);
void json_line_end(struct json_writer *writer);

void json_begin_object(struct json_writer *writer, const char *name);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer, const char *name);
void json_end_array(struct json_writer *writer);
/* Written in one line, with all their contents. */
void json_begin_object_line(struct json_writer *writer, const char *name);
void json_begin_array_line(struct json_writer *writer, const char *name);

/* value NULL: writes null */
void json_string(struct json_writer *writer, const char *name, const char *value);
void json_number(struct json_writer *writer, const char *name, int64_t value);
/* An array of n strings. */
void json_strings(struct json_writer *writer, const char *name, const char *const *values, size_t n);
void json_double(struct json_writer *writer, const char *name, double value);
void json_bool(struct json_writer *writer, const char *name, bool value);
void json_null(struct json_writer *writer, const char *name);

#endif
