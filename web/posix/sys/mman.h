/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Large pieces of memory come from calloc(): nothing else is ever mapped. */
#ifndef IWARP_WEB_SYS_MMAN_H
#define IWARP_WEB_SYS_MMAN_H

#include <errno.h>
#include <stdlib.h>
#include <sys/types.h>

#define PROT_READ       1
#define PROT_WRITE      2
#define MAP_PRIVATE     2
#define MAP_ANONYMOUS   0x20
#define MAP_NORESERVE   0x4000
#define MAP_FAILED      ((void *)-1)
#define MADV_DONTNEED   4
#define MADV_HUGEPAGE   14
#define MADV_NOHUGEPAGE 15

static inline void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    void *piece = calloc(1, n);

    (void)at, (void)protection, (void)flags, (void)fd, (void)offset;
    return piece ? piece : MAP_FAILED;
}

static inline int munmap(void *piece, size_t n)
{
    (void)n;
    free(piece);
    return 0;
}

/* No memory is returned before it is freed. */
static inline int madvise(void *piece, size_t n, int advice)
{
    (void)piece, (void)n, (void)advice;
    errno = ENOSYS;
    return -1;
}

#endif
