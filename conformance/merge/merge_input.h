/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what claims to be a JSON report. Nothing in it is trusted before it was checked. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_INPUT_H
#define IWARP_CONFORMANCE_MERGE_MERGE_INPUT_H

#include "conformance/merge/json_source.h"

#include <glib.h>
#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Far above what any report counts, and far below where sums overflow. */
#define MERGE_COUNT_MAX (INT64_C(1) << 48)

/* "format": that of REPORT_JSON_FORMAT, or the one before it, where only connections had counts of rules. */
enum { MERGE_FORMAT_OF_CONNECTIONS = 1 };

struct merge_input {
    const char *path;
    GError *error; /* the first thing that is wrong: names the file */
};

enum merge_unread { MERGE_UNREADABLE, MERGE_NO_JSON, MERGE_NO_OBJECT };

void merge_input_clear(struct merge_input *input);
/* Both set input->error unless there is one, and return false. */
bool merge_input_unread(struct merge_input *input, enum merge_unread why);
bool merge_input_wrong(struct merge_input *input, const char *what, const char *name, const char *wanted);

/* Members of what was read; `what` names the object in messages. No item or false if one is missing or of another type.
 */
struct json_view merge_view_object(struct merge_input *input, struct json_view object, const char *what,
                                   const char *name);
struct json_view merge_view_array(struct merge_input *input, struct json_view object, const char *what,
                                  const char *name);
struct json_view merge_view_string(struct merge_input *input, struct json_view object, const char *what,
                                   const char *name);
bool merge_view_count(struct merge_input *input, struct json_view object, const char *what, const char *name,
                      uint64_t *value);
bool merge_view_bool(struct merge_input *input, struct json_view object, const char *what, const char *name,
                     bool *value);

/*
 * The same of connections that are joined, which json-glib holds: NULL or false if one is missing or of another type.
 */
JsonObject *merge_object(struct merge_input *input, JsonObject *object, const char *what, const char *name);
JsonArray *merge_array(struct merge_input *input, JsonObject *object, const char *what, const char *name);
const char *merge_string(struct merge_input *input, JsonObject *object, const char *what, const char *name);
bool merge_count(struct merge_input *input, JsonObject *object, const char *what, const char *name, uint64_t *value);
/* An element of an array, as above; false if it is missing, too. */
bool merge_count_element(struct merge_input *input, JsonArray *array, guint i, const char *what, uint64_t *value);
bool merge_bool(struct merge_input *input, JsonObject *object, const char *what, const char *name, bool *value);
/* Elements of arrays. */
JsonObject *merge_element(struct merge_input *input, JsonArray *array, guint i, const char *what);

#endif
