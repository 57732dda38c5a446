/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of whole pages, all of one size, from large pieces of memory. A block can be cleared: it keeps its address,
 * but takes no memory until it is written to again.
 */
#ifndef IWARP_ENGINE_CORE_PAGES_H
#define IWARP_ENGINE_CORE_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PAGES_BLOCK = 40960 }; /* on systems with larger pages, blocks are not cleared */

/* Initialise to zero. Used by one thread at a time. */
struct pages {
    uint8_t **piece;
    unsigned n, room;
    size_t carved; /* octets used of the latest piece */
    void **given;  /* blocks returned by pages_give() */
    unsigned n_given, given_room;
    bool small; /* use small pages from now on: large ones would fill cleared blocks again */
};

/* A block with any content. NULL: out of memory. */
void *pages_take(struct pages *pages);
/* Returns the block to the free ones. */
void pages_give(struct pages *pages, void *block);
/* Sets all octets of the block to 0. False: the block is unchanged. */
bool pages_clear(struct pages *pages, void *block);
void pages_free(struct pages *pages);

#endif
