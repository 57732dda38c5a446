/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Joins the parts in which --rotate reports a capture into what one report of all would have been. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_PARTS_H
#define IWARP_CONFORMANCE_MERGE_MERGE_PARTS_H

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

/*
 * The connections of all parts of an entry, by number, one after the other to take(); they are joined if several parts
 * have them, and so are their rules. 24 octets of memory for each of a part. False: joining->error says why, the
 * caller's.
 */
struct merge_joining {
    struct report_line *line; /* they are read into */
    GArray *rules;            /* struct report_rule, of the connection that is taken */
    void *ctx;
    void (*take)(void *ctx, struct report_connection *connection);
    gchar *error;
};
bool merge_joined_connections(struct merge_files *files, const struct merge_entry *entry,
                              struct merge_joining *joining);

/* merge_join.c: the later one is added to the earlier one. */
void merge_join_connection(struct report_connection *into, struct report_connection *later);
void merge_join_capture(struct report_capture *into, struct report_capture *later);
/* Of struct report_rule. */
void merge_rules_set(GArray *into, const GArray *from);
void merge_rules_add(GArray *into, const GArray *later);
/* Parts list all findings: those of the whole are folded, as in its own report. */
void merge_fold(struct report_connection *connection);

#endif
