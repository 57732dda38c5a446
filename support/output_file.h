/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file that exists completely or not at all: it is written under another name in its directory and renamed at the
 * end.
 */
#ifndef IWARP_SUPPORT_OUTPUT_FILE_H
#define IWARP_SUPPORT_OUTPUT_FILE_H

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

struct output_file {
    FILE *file;
    gchar *target;    /* with symbolic links resolved: the file itself is replaced, not a link to it */
    gchar *temporary; /* NULL: written in place (devices and pipes), or already removed or renamed */
};

/* True when both names refer to the same existing file. */
bool output_file_is(const char *path, const char *other);

/*
 * Writing to path (NULL or "-": standard output) would change the regular file that is read as `input` ("-": standard
 * input).
 */
bool output_file_is_input(const char *path, const char *input);

/* True: writing again replaces the file. False: it is written in place, after the earlier contents. */
bool output_file_is_replaced(const char *path);

/*
 * The path that the kernel must allow writing to: the directory in which the file is created and renamed, or the file
 * that is written in place. NULL: standard output.
 */
gchar *output_file_place(const char *path);

/*
 * path NULL or "-": standard output. Everything except regular files is written in place; an existing file keeps its
 * permissions. False with errno on failure.
 */
bool output_file_open(struct output_file *out, const char *path);
/* Whether output_file_open() would succeed; to be called before long work. False with errno if not. */
bool output_file_possible(const char *path);
/*
 * Call when everything is written: renames the file. False with errno on failure; the previous file is then still
 * there.
 */
bool output_file_finish(struct output_file *out);
/* For a file that was opened, or an all-zero structure: removes an unfinished file. */
void output_file_clear(struct output_file *out);

#endif
