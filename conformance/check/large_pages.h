/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Large pages for captures of many connections. The kernel makes the pages of their state one by one, when each is
 * first touched, and that is a fifth of the work on such a capture. With pages of 2 MB it is a twentieth.
 */
#ifndef IWARP_CONFORMANCE_CHECK_LARGE_PAGES_H
#define IWARP_CONFORMANCE_CHECK_LARGE_PAGES_H

/* To begin with zero; for one capture after another. */
struct large_pages {
    const char *end; /* of the heap, when it was last looked at; NULL: it was not */
};

/*
 * To be called now and then: asks for large pages for what malloc() has taken from the kernel since, for the thread in
 * which the process began; those of others have their own heaps. Where the kernel has none, nothing changes.
 */
void large_pages_take(struct large_pages *pages);

#endif
