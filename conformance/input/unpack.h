/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams of files that may be compressed: with gzip, zstd or lz4, as their first octets say. Decompresses while it is
 * read: the memory is that of the libraries' windows, at most 128 MiB (zstd), whatever the file holds.
 */
#ifndef IWARP_CONFORMANCE_INPUT_UNPACK_H
#define IWARP_CONFORMANCE_INPUT_UNPACK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct unpack;

/*
 * file: nothing was read from it yet; a pipe will do. If it is not compressed, `file` itself, where it was, and *unpack
 * NULL. Else a stream of its content that cannot seek; closing it closes `file`, unless that is standard input. *unpack
 * is for the caller to free, after the stream is closed.
 * NULL: cannot be read, or no memory (errno); `file` is still open.
 */
FILE *unpack_stream(FILE *file, struct unpack **unpack);
void unpack_free(struct unpack *unpack);

/* "gzip", "zstd", "lz4" */
const char *unpack_format(const struct unpack *unpack);
/* Why the stream ended in an error, after everything before it was delivered; NULL: it has not. */
const char *unpack_trouble(const struct unpack *unpack);
/* The trouble is that the file ends too early; otherwise it is damaged, or could not be read. */
bool unpack_is_truncated(const struct unpack *unpack);
/* Octets of the compressed file consumed. */
int64_t unpack_position(const struct unpack *unpack);

#endif
