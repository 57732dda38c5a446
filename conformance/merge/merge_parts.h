/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins the parts in which --rotate reports a capture into what one report of all would have been. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_PARTS_H
#define IWARP_CONFORMANCE_MERGE_MERGE_PARTS_H

#include "conformance/merge/merge_input.h"
#include "conformance/merge/merge_pair.h"
#include "conformance/merge/merge_read.h"

/* A capture of the merged report. */
struct merge_entry {
    GArray *parts; /* struct merge_capture, in the order of their numbers; one that is whole: itself alone */
};

/*
 * captures: struct merge_capture, in the order in which they were given. An array of struct merge_entry, which frees
 * what is in it; NULL, and *error: the parts of a capture do not follow one another.
 */
GArray *merge_entries(const GArray *captures, char *const *paths, GError **error);

/* Did anything go wrong in any of them? What parts say of that is about all parts before them, too. */
bool merge_any_trouble(const GArray *entries);
static inline const struct merge_capture *merge_last_part(const struct merge_entry *entry)
{
    return &g_array_index(entry->parts, struct merge_capture, entry->parts->len - 1);
}

/* A capture without its connections, the member being there and empty: g_free() it. NULL: input->error says why. */
gchar *merge_header_text(struct merge_input *input, struct merge_files *files, const struct merge_capture *capture);
/* The same, with counts of rules. */
JsonObject *merge_header(struct merge_input *input, struct merge_files *files, const struct merge_capture *capture);
/* That of all parts of an entry together. whole: from the first part to the last one. */
JsonObject *merge_joined_header(struct merge_input *input, struct merge_files *files, const struct merge_entry *entry,
                                bool *whole);
/*
 * The connections of all parts of an entry, by number, one after the other to take(); they are joined if several parts
 * have them. 24 octets of memory for each of a part. False: input->error says why.
 */
struct merge_take {
    void *ctx;
    void (*take)(void *ctx, struct json_view connection);
};
bool merge_joined_connections(struct merge_input *input, struct merge_files *files, const struct merge_entry *entry,
                              bool whole, const struct merge_take *taker);
/* merge_join.c: the later one is added to the earlier one. False: pair->input->error says why. */
bool merge_join_connection(const struct merge_pair *pair);
bool merge_join_capture(const struct merge_pair *pair);
bool merge_join_rules(const struct merge_pair *pair, const char *what);
/* merge_fold.c: folds the findings of a connection of a whole capture. */
void merge_fold(JsonObject *connection);

#endif
