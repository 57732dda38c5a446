/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of whole pages, all of one size, from pieces of memory that the kernel gives. A block can be cleared: it keeps
 * its address, and takes no memory until it is written to again.
 */
#ifndef IWARP_ENGINE_CORE_PAGES_H
#define IWARP_ENGINE_CORE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGES_BLOCK = 40960 }; /* where pages are larger, nothing is cleared */

/* To begin with zero. One thread's at a time. */
struct pages {
    uint8_t **piece;
    unsigned n, room;
    size_t carved; /* octets of the latest piece */
    void **given;  /* blocks that pages_give() took back */
    unsigned n_given, given_room;
    bool small; /* the pages, from now on: large ones would fill cleared blocks again */
};

/* A block with any content. NULL: memory is lacking. */
void *pages_take(struct pages *pages);
/* The block is free again. */
void pages_give(struct pages *pages, void *block);
/* All octets of the block are 0 from now on. False: the block is as it was. */
bool pages_clear(struct pages *pages, void *block);
void pages_free(struct pages *pages);

#endif
