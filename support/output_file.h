/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that is there completely or not at all: it grows under another name beside its place, and takes it at the end.
 */
#ifndef IWARP_SUPPORT_OUTPUT_FILE_H
#define IWARP_SUPPORT_OUTPUT_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

struct output_file {
    FILE *file;
    gchar *target;    /* with symbolic links resolved: it is the file that is replaced, not a link to it */
    gchar *temporary; /* NULL: written in place, as devices and pipes are, or not there (any more) */
};

/* True when both names are of one file that exists. */
bool output_file_is(const char *path, const char *other);

/*
 * path NULL or "-": standard output. What is no regular file is written in place; a name that is taken keeps its
 * permissions. False with errno when it cannot be.
 */
bool output_file_open(struct output_file *out, const char *path);
/* Whether that could be, for those that work for long before they write. False with errno when it cannot. */
bool output_file_possible(const char *path);
/* All is written: it takes its place. False with errno when that failed; the file that was there before is still there.
 */
bool output_file_finish(struct output_file *out);
/* Of one that was opened, or is all zero: what is unfinished is removed. */
void output_file_clear(struct output_file *out);

#endif
