// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * What malloc() takes from the kernel at a time. The page in which one such piece ends and the next one begins is
 * small, so they are large. What is not needed of them is never touched, and costs nothing.
 */
enum { PIECE = 32 << 20 };

/* Whoever sets one of malloc()'s thresholds has to set them all: from then on, none adapts itself. */
static void take_large_pieces(void)
{
    mallopt(M_TOP_PAD, PIECE);
    mallopt(M_TRIM_THRESHOLD, 2 * PIECE);
    mallopt(M_MMAP_THRESHOLD, PIECE);
}

void large_pages_take(struct large_pages *pages)
{
    char *end = sbrk(0);
    size_t more = pages->end && end > pages->end ? (size_t)(end - pages->end) : 0;

    if (!pages->end)
        take_large_pieces();
    if (more > 0)
        madvise(end - more, more, MADV_HUGEPAGE);
    pages->end = end;
}
