/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins the parts of a capture written by --rotate into what a single report would have been. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_PARTS_H
#define IWARP_CONFORMANCE_MERGE_MERGE_PARTS_H

#include "conformance/merge/merge_read.h"

/* A capture of the merged report. */
struct merge_entry {
    GArray *parts; /* struct merge_capture, by part number; a whole capture is a single element */
};

/*
 * captures: struct merge_capture, in the order given. Returns an array of struct merge_entry that owns its contents;
 * NULL and *error: the parts of a capture are not consecutive.
 */
GArray *merge_entries(const GArray *captures, char *const *paths, GError **error);

/* Whether any capture had trouble. A part's trouble covers all parts before it, too. */
bool merge_any_trouble(const GArray *entries);
static inline const struct merge_capture *merge_last_part(const struct merge_entry *entry)
{
    return &g_array_index(entry->parts, struct merge_capture, entry->parts->len - 1);
}

/*
 * Passes the connections of all parts of an entry, by number, to take(); connections in several parts are joined first,
 * and so are their rules. Needs 24 octets per connection of a part. False: joining->error says why; the caller owns it.
 */
struct merge_joining {
    struct report_line *line; /* the buffers for reading */
    GArray *rules;            /* struct report_rule, of the connection that is passed */
    void *ctx;
    void (*take)(void *ctx, struct report_connection *connection);
    gchar *error;
};
bool merge_joined_connections(struct merge_files *files, const struct merge_entry *entry,
                              struct merge_joining *joining);

/* merge_join.c: adds the later part to the earlier part. */
void merge_join_connection(struct report_connection *into, struct report_connection *later);
void merge_join_capture(struct report_capture *into, struct report_capture *later);
/* Arrays of struct report_rule. */
void merge_rules_set(GArray *into, const GArray *from);
void merge_rules_add(GArray *into, const GArray *later);
/* Folds findings of the whole capture as a report of the whole does; parts list all of theirs. */
void merge_fold(struct report_connection *connection);

#endif
