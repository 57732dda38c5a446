/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON written as it is made, for reports of a million connections: json-glib's builder would hold all of it in
 * memory. The layout is that of json-glib's generator, which also writes whatever strings need escaping; but what is
 * short and there many times is in a line by itself.
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
    unsigned depth, indentation; /* blanks of each level */
    bool empty;                  /* nothing is in the innermost object or array yet */
    unsigned line;               /* the depth in what is in one line; 0: nothing is */
};

/* `out` is locked until json_writer_end(); errors stay in it. */
void json_writer_begin(struct json_writer *writer, FILE *out, unsigned indentation);
void json_writer_end(struct json_writer *writer);

void json_begin_object(struct json_writer *writer, const char *name);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer, const char *name);
void json_end_array(struct json_writer *writer);
/* In one line, with all that is in it. */
void json_begin_object_line(struct json_writer *writer, const char *name);
void json_begin_array_line(struct json_writer *writer, const char *name);

/* value NULL: null */
void json_string(struct json_writer *writer, const char *name, const char *value);
void json_number(struct json_writer *writer, const char *name, int64_t value);
/* An array of n strings. */
void json_strings(struct json_writer *writer, const char *name, const char *const *values, size_t n);
/* An array of them, in one line. */
void json_numbers(struct json_writer *writer, const char *name, const int64_t *values, size_t n);
void json_double(struct json_writer *writer, const char *name, double value);
void json_bool(struct json_writer *writer, const char *name, bool value);
void json_null(struct json_writer *writer, const char *name);

/* Text that is JSON already, n octets of it; a name has its quotation marks, and 0 octets inside an array. */
struct json_text {
    const char *text;
    size_t n;
};

void json_text_value(struct json_writer *writer, struct json_text name, struct json_text value);
/* line: as json_begin_object_line(). */
void json_text_begin(struct json_writer *writer, struct json_text name, char bracket, bool line);
void json_text_end(struct json_writer *writer, char bracket);

#endif
