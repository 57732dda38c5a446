/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what claims to be a JSON report. Nothing in it is trusted before it was checked. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_INPUT_H
#define IWARP_CONFORMANCE_MERGE_MERGE_INPUT_H

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
    JsonNode *root;
    uint64_t format;
    GError *error; /* the first thing that is wrong: names the file */
};

/* False: input->error says why. merge_input_clear() in either case. */
bool merge_input_load(struct merge_input *input, const char *path);
void merge_input_clear(struct merge_input *input);
/* Sets input->error unless there is one. Returns false. */
bool merge_input_wrong(struct merge_input *input, const char *what, const char *name, const char *wanted);

/* Required members; `what` names the object in messages. NULL or false if one is missing or of another type.
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
const char *merge_string_element(struct merge_input *input, JsonArray *array, guint i, const char *what);

#endif
