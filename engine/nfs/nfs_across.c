// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/nfs/nfs_across.h"

#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nfs_across {
    struct entry {
        const void *record; /* only compared; NULL: the entry was judged */
        struct nfs_files *files;
    } * entries;
    unsigned n, size;
    bool lost;            /* there was no room for an entry: any file may have been changed */
    int64_t forgotten_ns; /* until this time, forgotten connections may have changed any file */
};

struct nfs_across *nfs_across_new(void)
{
    struct nfs_across *across = heap_zeroed(1, sizeof *across);

    if (across)
        across->forgotten_ns = INT64_MIN;
    return across;
}

static void across_drop(struct nfs_across *across, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        free(across->entries[i].files);
    across->n -= n;
    if (across->n > 0)
        memmove(across->entries, across->entries + n, across->n * sizeof *across->entries);
    INVARIANT(across->n <= across->size);
}

void nfs_across_free(struct nfs_across *across)
{
    if (!across)
        return;
    across_drop(across, across->n);
    free(across->entries);
    free(across);
}

void nfs_across_add(struct nfs_across *across, const void *record, struct nfs_files *files)
{
    void *array;

    if (!files)
        return;
    array = heap_room(across->entries, &across->size, across->n + 1, 64 * NFS_ACROSS_MAX, sizeof *across->entries);
    if (!array) {
        across->lost = true;
        free(files);
        return;
    }
    across->entries = array;
    across->entries[across->n++] = (struct entry){record, files};
    INVARIANT(across->n <= across->size && across->size <= 64 * NFS_ACROSS_MAX);
}

/* Whether the connection with these files may have changed what was read. */
static bool across_explains(const struct nfs_files *files, const struct nfs_difference *difference)
{
    if (files->blind && files->blind_ns <= difference->to_ns)
        return true;
    for (unsigned i = 0; i < files->n_changes; i++) {
        const struct nfs_change *change = &files->changes[i];

        if ((change->file == 0 || change->file == difference->file) && change->from_ns <= difference->to_ns &&
            change->to_ns >= difference->from_ns)
            return true;
    }
    return false;
}

static bool is_explained(const struct nfs_across *across, const struct nfs_files *files,
                         const struct nfs_difference *difference)
{
    for (unsigned i = 0; i < across->n; i++)
        if (across->entries[i].files != files && across_explains(across->entries[i].files, difference))
            return true;
    return across->lost || difference->from_ns <= across->forgotten_ns;
}

static void across_tell(const struct nfs_difference *difference, const struct ulp_across_host *host)
{
    char shift[NFS_SHIFT_TEXT_SIZE], words[256];
    const struct ulp_differs differs = {&difference->place, words};

    snprintf(words, sizeof words,
             "the READ in frame %" PRIu32 " did not return what the WRITE in frame %" PRIu32
             " had written: other octets, first at offset %" PRIu64 " of the file%s",
             difference->read, difference->written, difference->offset, nfs_shift_text(difference, shift));
    host->differs(host->ctx, &differs);
}

void nfs_across_conclude(struct nfs_across *across, const void *record, const struct ulp_across_host *host)
{
    const struct nfs_files *files;
    unsigned at = 0;

    while (at < across->n && across->entries[at].record != record)
        at++;
    if (at == across->n)
        return;
    files = across->entries[at].files;
    for (unsigned i = 0; i < files->n_differences; i++) {
        const struct nfs_difference *difference = &files->differences[i];

        if (is_explained(across, files, difference)) {
            if (host->excuse)
                host->excuse(host->ctx, RULE_NFS3_3_3_7_02, &difference->place);
        } else if (host->differs) {
            across_tell(difference, host);
        }
    }
}

static int64_t last_change(const struct nfs_files *files)
{
    int64_t last_ns = files->blind ? INT64_MAX : INT64_MIN;

    for (unsigned i = 0; i < files->n_changes; i++)
        last_ns = files->changes[i].to_ns > last_ns ? files->changes[i].to_ns : last_ns;
    return last_ns;
}

void nfs_across_trim(struct nfs_across *across)
{
    unsigned n = across->n > NFS_ACROSS_MAX ? across->n - NFS_ACROSS_MAX : 0;

    for (unsigned i = 0; i < n; i++) {
        int64_t last_ns = last_change(across->entries[i].files);

        across->forgotten_ns = last_ns > across->forgotten_ns ? last_ns : across->forgotten_ns;
    }
    across_drop(across, n);
    INVARIANT(across->n <= NFS_ACROSS_MAX);
    for (unsigned i = 0; i < across->n; i++)
        across->entries[i].record = NULL;
}
