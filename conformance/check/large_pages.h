/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Large pages for captures with many connections. The kernel creates the pages of their state one by one, on first use,
 * which is a fifth of the work on such a capture. With pages of 2 MB it is a twentieth.
 */
#ifndef IWARP_CONFORMANCE_CHECK_LARGE_PAGES_H
#define IWARP_CONFORMANCE_CHECK_LARGE_PAGES_H

/* Initially zero; reused for several captures. */
struct large_pages {
    const char *end; /* of the heap, at the last call; NULL: no call yet */
};

/*
 * Call it now and then: asks for large pages for the memory that malloc() has taken from the kernel since the last
 * call, in the thread in which the process began; other threads have their own heaps. Without large pages in the
 * kernel, nothing changes.
 */
void large_pages_take(struct large_pages *pages);

#endif
