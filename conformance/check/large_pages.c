// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/large_pages.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The size of the pieces that malloc() takes from the kernel. Pages at the boundary of two pieces are small, so pieces
 * are large. Their unused part is never touched, and costs nothing.
 */
enum { PIECE = 32 << 20 };

/* Setting one of malloc()'s thresholds makes all of them fixed, so all have to be set. */
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
