/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The reports to merge. Each is read more than once; one is open at a time, and input that cannot be read again is
 * copied.
 */
#ifndef IWARP_CONFORMANCE_MERGE_MERGE_FILES_H
#define IWARP_CONFORMANCE_MERGE_MERGE_FILES_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct merge_files {
    char **paths;     /* owned by the caller */
    GHashTable *kept; /* report number -> FILE *, a copy of piped input */
    int fd;           /* the report that is open; -1: none */
    guint latest;
};

void merge_files_init(struct merge_files *files, char **paths);
void merge_files_clear(struct merge_files *files);
/* A descriptor at this octet of a report, valid until the next call. -1: the report cannot be read. */
int merge_files_at(struct merge_files *files, guint number, uint64_t at);
/*
 * Copies n octets from the position of fd; MERGE_ALL: everything that is left. False: reading failed. Write errors stay
 * in `to`.
 */
#define MERGE_ALL UINT64_MAX
bool merge_files_copy(int fd, uint64_t n, FILE *to);

#endif
