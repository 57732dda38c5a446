/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reports to merge, which are read more than once: one at a time is open, and what cannot be read again is kept. */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_FILES_H
#define IWARP_CONFORMANCE_MERGE_MERGE_FILES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct merge_files {
    char **paths;     /* the caller's */
    GHashTable *kept; /* number -> FILE *, a copy of what came through a pipe */
    int fd;           /* of the latest; -1: none */
    guint latest;
};

void merge_files_init(struct merge_files *files, char **paths);
void merge_files_clear(struct merge_files *files);
/* A descriptor at that octet of a report, good until another one is asked for. -1: it cannot be read. */
int merge_files_at(struct merge_files *files, guint number, uint64_t at);
/* Copies n octets from the position of fd; MERGE_ALL: all of the rest. False: reading failed. Write errors stay in
 * `to`. */
#define MERGE_ALL UINT64_MAX
bool merge_files_copy(int fd, uint64_t n, FILE *to);

#endif
