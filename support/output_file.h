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
    gchar *target;    /* with symbolic links resolved: it is the file that is replaced, not a link to it */
    gchar *temporary; /* NULL: written in place, as devices and pipes are, or removed or renamed already */
};

/* True when both names are of one file that exists. */
bool output_file_is(const char *path, const char *other);

/*
 * Writing to path (NULL or "-": standard output) would change the regular file that is read as input ("-": standard
 * input).
 */
bool output_file_is_input(const char *path, const char *input);

/* Written again, it is a file with the latest only; what is written in place would get each after the one before. */
bool output_file_is_replaced(const char *path);

/* What the kernel must allow to be written: the directory in which it is made and renamed, or what is written in place.
 * NULL: standard output. */
gchar *output_file_place(const char *path);

/*
 * path NULL or "-": standard output. Anything but a regular file is written in place; an existing file keeps
 * its permissions. False with errno on failure.
 */
bool output_file_open(struct output_file *out, const char *path);
/* Whether output_file_open() would succeed, to be asked before long work. False with errno if not. */
bool output_file_possible(const char *path);
/* Everything is written: renames it. False with errno on failure; the file that was there before is still there. */
bool output_file_finish(struct output_file *out);
/* For one that was opened, or is all zero: removes what is unfinished. */
void output_file_clear(struct output_file *out);

#endif
