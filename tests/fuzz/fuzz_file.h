/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inputs for file readers: octets under a path for open(), without a file on disk. */
#ifndef IWARP_TESTS_FUZZ_FUZZ_FILE_H
#define IWARP_TESTS_FUZZ_FUZZ_FILE_H

#include "tests/fuzz/fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

struct fuzz_file {
    int fd; /* 0: none yet */
    char path[32];
};

/* The path of a file with these octets; the same path at each call. */
static inline char *fuzz_file(struct fuzz_file *file, const uint8_t *p, size_t n)
{
    if (file->fd == 0) {
        file->fd = memfd_create("input", MFD_CLOEXEC);
        HOLDS(file->fd > 0);
        snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
    }
    HOLDS(ftruncate(file->fd, 0) == 0 && pwrite(file->fd, p, n, 0) == (ssize_t)n);
    return file->path;
}

/* A message for people: octets from the input contain no control characters and no line breaks. */
static inline void holds_one_line(const char *text)
{
    HOLDS(text && *text);
    for (; *text; text++)
        HOLDS((unsigned char)*text >= 0x20 && *text != 0x7F);
}

#endif
