// SPDX-License-Identifier: GPL-2.0-or-later
/* What the latest WRITEs have written to files: hashes of blocks, grouped in pages; and which blocks were committed. */
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "engine/nfs/nfs_readback.h"
#include "wire/invariant.h"

#include <stdlib.h>

enum {
    PAGE = NFS_PAGE_BLOCKS * NFS_BLOCK,
    PAGES = 8192,   /* a power of two */
    SHIFT_MAX = 16, /* blocks */
    SHIFT_LOOKS = 16,
};

static bool pages_are_sound(const struct nfs_pages *pages)
{
    return pages->n <= pages->room && pages->room <= PAGES && (pages->n == 0 || (pages->index && pages->page));
}

static unsigned pages_slot_of(uint64_t file)
{
    return file >> 8 & (NFS_FILES - 1);
}

static uint32_t epoch_of(const struct nfs_pages *pages, uint64_t file)
{
    return pages->epoch + pages->file_epoch[pages_slot_of(file)];
}

static uint16_t *index_of(const struct nfs_pages *pages, uint64_t file, uint64_t number)
{
    return &pages->index[hash_word(file, number) & (PAGES - 1)];
}

/* The entry for this page, which may still hold another page with the same hash; NULL when out of memory. */
static struct nfs_page *page_at(struct nfs_pages *pages, uint64_t file, uint64_t number)
{
    uint16_t *index;
    void *larger;

    if (!pages->index && !(pages->index = heap_zeroed(PAGES, sizeof *pages->index)))
        return NULL;
    index = index_of(pages, file, number);
    if (*index == 0) {
        larger = heap_room(pages->page, &pages->room, pages->n + 1, PAGES, sizeof *pages->page);
        if (!larger)
            return NULL;
        pages->page = larger;
        pages->page[pages->n] = (struct nfs_page){.known = 0};
        *index = (uint16_t)++pages->n;
    }
    INVARIANT(*index > 0 && *index <= pages->n && pages_are_sound(pages));
    return &pages->page[*index - 1u];
}

void nfs_pages_free(struct nfs_pages *pages)
{
    free(pages->index);
    free(pages->page);
}

/* NULL: nothing is known about the page. */
static struct nfs_page *page_find(const struct nfs_pages *pages, uint64_t file, uint64_t number)
{
    uint16_t index = *index_of(pages, file, number);
    struct nfs_page *page = index == 0 ? NULL : &pages->page[index - 1u];
    INVARIANT(index <= pages->n);
    bool same =
        page && page->known && page->file == file && page->number == number && page->epoch == epoch_of(pages, file);

    return same ? page : NULL;
}

const struct nfs_page *nfs_pages_find(const struct nfs_pages *pages, uint64_t file, uint64_t block)
{
    const struct nfs_page *page = pages->index ? page_find(pages, file, block / NFS_PAGE_BLOCKS) : NULL;

    return page && page->known >> block % NFS_PAGE_BLOCKS & 1 ? page : NULL;
}

bool nfs_pages_any(const struct nfs_pages *pages, const struct nfs_use *read)
{
    if (!pages->index || read->count > NFS_DATA_MAX)
        return false;
    for (uint64_t number = read->offset / PAGE; number * PAGE < read->offset + read->count; number++)
        if (page_find(pages, read->file, number))
            return true;
    return false;
}

/* ---- changes ---- */

void nfs_pages_keep(struct nfs_pages *pages, const struct nfs_page *like, uint64_t block, uint32_t hash)
{
    uint64_t number = block / NFS_PAGE_BLOCKS;
    struct nfs_page *page = page_at(pages, like->file, number);

    if (!page)
        return;
    if (!page_find(pages, like->file, number) || page->replied != like->replied) { /* of another WRITE */
        *page = *like;
        page->number = number;
        page->epoch = epoch_of(pages, like->file);
    }
    page->known |= (uint8_t)(1u << block % NFS_PAGE_BLOCKS);
    page->hash[block % NFS_PAGE_BLOCKS] = hash;
    INVARIANT(pages_are_sound(pages) && nfs_pages_find(pages, like->file, block) == page);
}

void nfs_pages_forget_all(struct nfs_pages *pages)
{
    pages->epoch++;
}

void nfs_pages_forget(struct nfs_pages *pages, const struct nfs_use *use)
{
    if (!pages->index)
        return;
    if (use->file == 0) {
        nfs_pages_forget_all(pages);
    } else if (use->kind != NFS_USE_WRITE || use->count > NFS_DATA_MAX) {
        pages->file_epoch[pages_slot_of(use->file)]++;
    } else {
        for (uint64_t number = use->offset / PAGE; number * PAGE < use->offset + use->count; number++) {
            struct nfs_page *page = page_find(pages, use->file, number);

            if (page)
                page->known = 0;
        }
    }
    INVARIANT(!nfs_pages_any(pages, use));
}

/* ---- COMMIT ---- */

void nfs_pages_commit(struct nfs_pages *pages, const struct nfs_commit *commit)
{
    pages->commits[pages->n_commits++ % NFS_COMMITS] = *commit;
    INVARIANT(pages->n_commits > 0 && commit->from <= commit->to);
}

bool nfs_pages_committed(const struct nfs_pages *pages, const struct nfs_page *page, uint64_t block)
{
    for (unsigned i = 0; i < NFS_COMMITS && i < pages->n_commits && !page->stable; i++) {
        const struct nfs_commit *commit = &pages->commits[i];

        if (commit->file == page->file && commit->frame > page->reply_frame && commit->verifier == page->verifier &&
            commit->from <= block * NFS_BLOCK && commit->to >= (block + 1) * NFS_BLOCK)
            return true;
    }
    return page->stable;
}

/* ---- shifts ---- */

/* How many of the n blocks read from `block` on are equal to what was written `shift` blocks later. */
static unsigned count_shifted(const struct nfs_pages *pages, uint64_t file, uint64_t block, const uint32_t *read,
                              uint64_t n, int64_t shift, unsigned *looked)
{
    unsigned like = 0;

    *looked = 0;
    for (uint64_t i = 0; i < n && *looked < SHIFT_LOOKS; i++) {
        uint64_t at = block + i, shifted = at + (uint64_t)shift;
        const struct nfs_page *here = nfs_pages_find(pages, file, at);
        const struct nfs_page *there = nfs_pages_find(pages, file, shifted);

        if (!here || !there || *nfs_page_hash(here, at) == *nfs_page_hash(there, shifted))
            continue;
        ++*looked;
        like += read[i] == *nfs_page_hash(there, shifted);
    }
    INVARIANT(like <= *looked && *looked <= SHIFT_LOOKS);
    return like;
}

int64_t nfs_pages_shift(const struct nfs_pages *pages, uint64_t file, uint64_t block, const uint32_t *read, uint64_t n)
{
    for (int64_t by = 1; by <= SHIFT_MAX; by++)
        for (int sign = -1; sign <= 1; sign += 2) {
            unsigned looked, like = count_shifted(pages, file, block, read, n, sign * by, &looked);

            if (like >= 2 && like >= looked - looked / 4)
                return sign * by;
        }
    return 0;
}
