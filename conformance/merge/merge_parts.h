/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins the parts in which --rotate reports a capture into what one report of all would have been. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_PARTS_H
#define IWARP_CONFORMANCE_MERGE_MERGE_PARTS_H

#include "conformance/merge/merge_input.h"

struct merge_capture {
    JsonObject *object; /* a member of "captures", checked by merge.c */
    const char *path;   /* of the report it is in */
};

/*
 * captures: struct merge_capture, in the order in which they were given; they are changed. NULL, and *error: the parts
 * of a capture do not follow one another, or disagree. The array is the caller's.
 */
JsonArray *merge_parts(const GArray *captures, GError **error);
/* Gives a capture of MERGE_FORMAT_OF_CONNECTIONS the sums of its connections' rules. False: input->error says why. */
bool merge_sum_rules(struct merge_input *input, JsonObject *capture);
/* merge_fold.c: folds the findings of a connection of a whole capture. */
void merge_fold(JsonObject *connection);

#endif
