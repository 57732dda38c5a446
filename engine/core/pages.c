// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/pages.h"

#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    FIRST_PIECE = 32 * PAGES_BLOCK,
    OTHER_PIECE = 820 * PAGES_BLOCK, /* 32 MiB; the kernel allocates only the parts that are written to */
};

static size_t pages_size_of(unsigned piece)
{
    return piece == 0 ? FIRST_PIECE : OTHER_PIECE;
}

static bool pages_is_sound(const struct pages *pages)
{
    return pages->n <= pages->room && pages->n_given <= pages->given_room && pages->carved % PAGES_BLOCK == 0 &&
           pages->carved <= (pages->n > 0 ? pages_size_of(pages->n - 1) : 0);
}

/* Connections alternate, so large pages avoid many lookups of page addresses. */
static void advise(const struct pages *pages, unsigned piece)
{
    madvise(pages->piece[piece], pages_size_of(piece), pages->small || piece == 0 ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
}

static bool pages_add_piece(struct pages *pages)
{
    uint8_t **larger = heap_room(pages->piece, &pages->room, pages->n + 1, UINT_MAX, sizeof *larger), *piece;

    if (!larger)
        return false;
    pages->piece = larger;
    piece =
        mmap(NULL, pages_size_of(pages->n), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (piece == MAP_FAILED)
        return false;
    pages->piece[pages->n] = piece;
    pages->carved = 0;
    advise(pages, pages->n++);
    INVARIANT(pages_is_sound(pages) && pages->n > 0);
    return true;
}

void *pages_take(struct pages *pages)
{
    if (pages->n_given > 0)
        return pages->given[--pages->n_given];
    if ((pages->n == 0 || pages->carved == pages_size_of(pages->n - 1)) && !pages_add_piece(pages))
        return NULL;
    pages->carved += PAGES_BLOCK;
    INVARIANT(pages_is_sound(pages) && pages->carved > 0);
    return pages->piece[pages->n - 1] + pages->carved - PAGES_BLOCK;
}

void pages_give(struct pages *pages, void *block)
{
    void **larger = heap_room(pages->given, &pages->given_room, pages->n_given + 1, UINT_MAX, sizeof *larger);

    pages_clear(pages, block);
    if (!larger)
        return; /* the block is unused until all are freed */
    pages->given = larger;
    pages->given[pages->n_given++] = block;
    INVARIANT(pages_is_sound(pages) && pages->n_given > 0);
}

bool pages_clear(struct pages *pages, void *block)
{
    if (PAGES_BLOCK % sysconf(_SC_PAGESIZE) != 0)
        return false;
    if (!pages->small) {
        pages->small = true;
        for (unsigned i = 0; i < pages->n; i++)
            advise(pages, i);
    }
    INVARIANT(pages->small);
    return madvise(block, PAGES_BLOCK, MADV_DONTNEED) == 0;
}

void pages_free(struct pages *pages)
{
    for (unsigned i = 0; i < pages->n; i++)
        munmap(pages->piece[i], pages_size_of(i));
    free(pages->piece);
    free(pages->given);
    *pages = (struct pages){0};
}
