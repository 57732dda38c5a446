/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams of files and pipes that may be compressed with gzip, zstd or lz4, as their first octets show. Data are
 * decompressed as they are read: memory is limited to the libraries' windows, at most 128 MiB (zstd), for any file.
 */
#ifndef IWARP_CONFORMANCE_INPUT_UNPACK_H
#define IWARP_CONFORMANCE_INPUT_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct unpack;

/* Sees the content as it is read, and may change it. */
struct unpack_watch {
    void *ctx;
    void (*octets)(void *ctx, uint8_t *p, size_t n);
};

/*
 * file: nothing has been read from it yet; a pipe is allowed. If the data are not compressed and the file can seek,
 * returns `file` itself, at the same position, and *unpack is NULL. Otherwise returns a stream of the content that
 * cannot seek; closing the stream closes `file`, unless that is standard input. The caller frees *unpack after the
 * stream is closed. watch may be NULL, and is copied. NULL: the file cannot be read, or no memory (errno); `file` is
 * still open.
 */
FILE *unpack_stream(FILE *file, const struct unpack_watch *watch, struct unpack **unpack);
void unpack_free(struct unpack *unpack);

/* "gzip", "zstd", "lz4"; NULL: the data are not compressed */
const char *unpack_format(const struct unpack *unpack);
/* The error at the end of compressed data, after everything before it was delivered; NULL: no error. */
const char *unpack_trouble(const struct unpack *unpack);
/* True: the file is truncated. Otherwise it is damaged, or reading failed. */
bool unpack_is_truncated(const struct unpack *unpack);
/* Octets of the file consumed. */
int64_t unpack_position(const struct unpack *unpack);

#endif
