// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data read from a file must equal the data that were written there and committed: NFS3-3.3.7-02, and "What happened".
 * nfs_pages.c keeps a hash of each block of 512 octets of the latest WRITEs. A block is compared with a READ only if
 * (1) nothing on this connection may have changed the block since the WRITE: another WRITE, SETATTR and the like, a
 * re-created file, a Call that is unreadable or unanswered, a recalled delegation; (2) the client had the WRITE's Reply
 * when it sent the READ; (3) no message has been missing since the WRITE; (4) the WRITE was stable, or COMMIT returned
 * the WRITE's verifier. nfs_across.c judges what other connections may have changed. Memory of a connection, after the
 * first WRITE: at most 0.7 MiB for the pages, and 2.3 MiB for open Calls.
 */
#include "engine/nfs/nfs_readback.h"

#include "engine/core/heap.h"
#include "wire/crc32c.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = NFS_BLOCK, OPEN_MAX = 256 };

/* A Call that has no answer yet. */
struct nfs_access {
    struct nfs_access *next, **link;
    struct nfs_use use;
    int64_t time_ns;
    uint32_t frame;
    bool spoilt; /* another Call, open at the same time, may have changed the same octets */
    bool broken; /* some octets were not seen, or not in order */
    int chunk;   /* that holds the data; -1: the data are inline */
    uint64_t fed;
    unsigned n_blocks;
    uint8_t part[BLOCK]; /* the beginning of a block */
    uint32_t hash[];     /* of the blocks, from the one in which the data begin */
};

struct nfs_readback {
    struct nfs_access *open;
    unsigned n_open;
    struct nfs_pages pages;
    bool blind;             /* permanently */
    struct nfs_files known; /* without the changes, which follow */
    struct nfs_change *changes;
    unsigned changes_size;
};

/* Holds between Calls and Replies. */
static bool nfs_readback_is_sound(const struct nfs_readback *b)
{
    return b->n_open <= OPEN_MAX && (b->open != NULL) == (b->n_open > 0) && b->known.n_changes <= b->changes_size &&
           b->changes_size <= NFS_CHANGES_MAX && b->known.n_differences <= NFS_DIFFERENCES_MAX;
}

/* ---- files that were changed ---- */

/* Only other connections are affected: this connection still knows its own files. */
static void set_outside(struct nfs_readback *b, int64_t time_ns)
{
    if (!b->known.blind || time_ns < b->known.blind_ns)
        b->known.blind_ns = time_ns;
    b->known.blind = true;
    INVARIANT(b->known.blind_ns <= time_ns);
}

static void set_blind(struct nfs_readback *b, int64_t time_ns)
{
    b->blind = true;
    set_outside(b, time_ns);
}

static void note_change(struct nfs_readback *b, uint64_t file, int64_t from_ns, int64_t to_ns)
{
    unsigned n = b->known.n_changes;
    void *array;

    for (unsigned i = n; file != 0 && i > 0; i--) {
        struct nfs_change *change = &b->changes[i - 1];

        if (change->file != file)
            continue;
        change->from_ns = from_ns < change->from_ns ? from_ns : change->from_ns;
        change->to_ns = to_ns > change->to_ns ? to_ns : change->to_ns;
        INVARIANT(change->from_ns <= from_ns && change->to_ns >= to_ns);
        return;
    }
    array = heap_room(b->changes, &b->changes_size, n + 1, NFS_CHANGES_MAX, sizeof *b->changes);
    if (!array) {
        set_outside(b, from_ns);
        return;
    }
    b->changes = array;
    b->changes[b->known.n_changes++] = (struct nfs_change){file, from_ns, to_ns};
    INVARIANT(nfs_readback_is_sound(b));
}

/* ---- data ---- */

static const uint32_t *nfs_readback_hash_of(const struct nfs_access *a, uint64_t block)
{
    INVARIANT(block >= a->use.offset / BLOCK && block - a->use.offset / BLOCK < a->n_blocks);
    return &a->hash[block - a->use.offset / BLOCK];
}

static uint32_t hash_of_block(const uint8_t *p)
{
    return crc32c(p, BLOCK);
}

static void nfs_readback_feed(struct nfs_access *a, const uint8_t *p, uint64_t n)
{
    n = n < a->use.count - a->fed ? n : a->use.count - a->fed;
    while (n > 0) {
        uint64_t at = a->use.offset + a->fed;
        size_t in = at % BLOCK, length = BLOCK - in < n ? BLOCK - in : (size_t)n;
        uint32_t *hash = &a->hash[at / BLOCK - a->use.offset / BLOCK];

        INVARIANT(at / BLOCK - a->use.offset / BLOCK < a->n_blocks && length <= n);

        if (length == BLOCK) {
            *hash = hash_of_block(p);
        } else {
            memcpy(a->part + in, p, length);
            if (in + length == BLOCK)
                *hash = hash_of_block(a->part);
        }
        a->fed += length;
        p += length;
        n -= length;
    }
    INVARIANT(a->fed <= a->use.count);
}

void nfs_readback_move(const struct rpcrdma_move *move)
{
    const struct nfs_exchange *exchange = move->offer ? move->offer->transaction->nfs : NULL;
    struct nfs_access *a = exchange ? exchange->access : NULL;

    if (!a || a->n_blocks == 0 || !move->p || (int)move->offer->chunk != a->chunk)
        return;
    a->broken |= move->offset != a->fed || move->lacking > 0;
    if (!a->broken)
        nfs_readback_feed(a, move->p, move->length);
    INVARIANT(a->fed <= a->use.count && a->chunk < (int)move->offer->transaction->n_chunks);
}

/* ---- Calls ---- */

static bool changes(const struct nfs_access *a)
{
    return a->use.kind != NFS_USE_READ && a->use.kind != NFS_USE_COMMIT;
}

static bool nfs_readback_overlaps(const struct nfs_use *a, const struct nfs_use *b)
{
    bool ranges =
        (a->kind == NFS_USE_READ || a->kind == NFS_USE_WRITE) && (b->kind == NFS_USE_READ || b->kind == NFS_USE_WRITE);

    if (a->file == 0 || b->file == 0)
        return true;
    return a->file == b->file && (!ranges || (a->offset < b->offset + b->count && b->offset < a->offset + a->count));
}

static struct nfs_access *access_new(struct nfs_readback *b, const struct nfs_look *look, const struct nfs_use *use)
{
    bool data =
        (use->kind == NFS_USE_READ || use->kind == NFS_USE_WRITE) && use->count > 0 && use->count <= NFS_DATA_MAX;
    unsigned n = data ? (unsigned)((use->offset + use->count - 1) / BLOCK - use->offset / BLOCK + 1) : 0;
    struct nfs_access *a = b->n_open < OPEN_MAX ? heap_get(sizeof *a + n * sizeof a->hash[0]) : NULL;

    if (!a)
        return NULL;
    a->use = *use;
    a->time_ns = look->place.time_ns;
    a->frame = look->t->call.frame;
    a->spoilt = a->broken = false;
    a->chunk = -1;
    a->fed = 0;
    a->n_blocks = n;
    for (struct nfs_access *other = b->open; other; other = other->next)
        if ((changes(a) || changes(other)) && nfs_readback_overlaps(&a->use, &other->use))
            a->spoilt = other->spoilt = true;
    a->next = b->open;
    a->link = &b->open;
    if (a->next)
        a->next->link = &a->next;
    b->open = a;
    b->n_open++;
    INVARIANT(nfs_readback_is_sound(b) && *a->link == a && n <= NFS_DATA_MAX / BLOCK + 1);
    return a;
}

static void access_end(struct nfs_readback *b, struct nfs_access *a)
{
    *a->link = a->next;
    if (a->next)
        a->next->link = a->link;
    b->n_open--;
    INVARIANT(nfs_readback_is_sound(b));
    free(a);
}

/* Finds where the data of the Call come from. */
static void nfs_readback_find_data(const struct nfs_look *look, struct nfs_access *a)
{
    const struct rpcrdma_item *data = a->use.data;
    const uint8_t *p = data ? rpcrdma_contents(look->body, data) : NULL;

    a->use.data = NULL; /* the pointer is valid only during the event */
    if (a->n_blocks == 0)
        return;
    if (a->use.kind == NFS_USE_READ)
        a->chunk = look->t->n_writes == 1 ? look->t->first_write : -1;
    else if (data && data->chunk >= 0)
        a->chunk = data->chunk;
    else if (p)
        nfs_readback_feed(a, p, data->item.count);
    INVARIANT(!a->use.data && a->chunk < (int)look->t->n_chunks);
}

/* Whether the use leaves anything to keep or to compare. */
static bool is_of_interest(const struct nfs_readback *b, const struct nfs_use *use)
{
    switch (use->kind) {
    case NFS_USE_NONE:
        return false;
    case NFS_USE_READ:
        return b && !b->blind && nfs_pages_any(&b->pages, use);
    case NFS_USE_COMMIT:
        return b && !b->blind;
    default:
        return true;
    }
}

static void take_use(struct nfs_look *look, struct nfs_readback *b, const struct nfs_use *use)
{
    bool known = use->kind != NFS_USE_UNKNOWN && !look->t->repeats;
    struct nfs_access *a = known ? access_new(b, look, use) : NULL;

    if (!a) {
        if (use->kind != NFS_USE_READ && use->kind != NFS_USE_COMMIT)
            set_blind(b, look->place.time_ns);
        return;
    }
    look->exchange->access = a;
    a->spoilt |= !rpcrdma_calls_seen(look->nfs->rpcrdma, look->t->side);
    if (changes(a) && use->kind != NFS_USE_CREATE)
        nfs_pages_forget(&b->pages, use);
    nfs_readback_find_data(look, a);
    INVARIANT(nfs_readback_is_sound(b) && look->exchange->access == a);
}

void nfs_readback_call(struct nfs_look *look)
{
    const struct nfs_use use = look->body->known ? nfs_use_of(look->body) : (struct nfs_use){.kind = NFS_USE_UNKNOWN};
    struct nfs_readback *b;

    if (look->exchange->access || !is_of_interest(look->nfs->readback, &use))
        return;
    if (!look->nfs->readback)
        look->nfs->readback = heap_zeroed(1, sizeof *look->nfs->readback);
    b = look->nfs->readback;
    if (b)
        take_use(look, b, &use);
}

void nfs_readback_forget(struct nfs_connection *nfs, const struct place *since)
{
    struct nfs_readback *b = nfs->readback;

    if (!b)
        return;
    nfs_pages_forget_all(&b->pages);
    for (struct nfs_access *a = b->open; a; a = a->next)
        a->spoilt = true;
    if (since)
        note_change(b, 0, INT64_MIN, since->time_ns);
    INVARIANT(nfs_readback_is_sound(b));
}

/* ---- Replies ---- */

static bool is_sound(const struct nfs_look *look, const struct nfs_access *a)
{
    const struct rpcrdma_transaction *t = look->t;

    return !a->spoilt && !a->broken && a->n_blocks > 0 && !t->damage && !t->ambiguous && !t->misread && !t->repeats &&
           !t->spoilt;
}

static void end_write(struct nfs_readback *b, const struct nfs_look *look, const struct nfs_access *a)
{
    struct nfs_written written;
    struct nfs_page page;

    if (b->blind || !is_sound(look, a) || a->fed != a->use.count || !nfs_written_of(look->body, &a->use, &written) ||
        written.count != a->use.count)
        return;
    page = (struct nfs_page){.file = a->use.file,
                             .replied = look->place.offset,
                             .verifier = written.verifier,
                             .time_ns = a->time_ns,
                             .frame = a->frame,
                             .reply_frame = look->place.frame,
                             .stable = written.stable};
    for (uint64_t block = (a->use.offset + BLOCK - 1) / BLOCK; (block + 1) * BLOCK <= a->use.offset + a->fed; block++)
        nfs_pages_keep(&b->pages, &page, block, *nfs_readback_hash_of(a, block));
    INVARIANT(a->fed == a->use.count && page.frame == a->frame);
}

static void end_commit(struct nfs_readback *b, const struct nfs_look *look, const struct nfs_access *a)
{
    struct nfs_written written;

    if (!nfs_written_of(look->body, &a->use, &written))
        return;
    nfs_pages_commit(&b->pages, &(struct nfs_commit){.file = a->use.file,
                                                     .from = a->use.offset,
                                                     .to = a->use.count > 0 ? a->use.offset + a->use.count : UINT64_MAX,
                                                     .verifier = written.verifier,
                                                     .frame = a->frame});
}

const char *nfs_shift_text(const struct nfs_difference *difference, char text[NFS_SHIFT_TEXT_SIZE])
{
    text[0] = '\0';
    if (difference->shift != 0)
        snprintf(text, NFS_SHIFT_TEXT_SIZE, ", shifted by %" PRId64 " octets towards the %s",
                 difference->shift < 0 ? -difference->shift : difference->shift,
                 difference->shift < 0 ? "end" : "beginning");
    return text;
}

static void nfs_readback_report(struct nfs_readback *b, const struct nfs_look *look, const struct nfs_access *a,
                                const struct nfs_page *page, uint64_t block, uint64_t end)
{
    struct nfs_files *files = &b->known;
    bool exclusive = look->nfs->options.exclusive;
    char shift[NFS_SHIFT_TEXT_SIZE];
    const struct nfs_difference difference = {
        .file = a->use.file,
        .offset = block * BLOCK,
        .shift = BLOCK * nfs_pages_shift(&b->pages, a->use.file, block, nfs_readback_hash_of(a, block), end - block),
        .written = page->frame,
        .read = a->frame,
        .place = look->place,
        .from_ns = page->time_ns,
        .to_ns = look->place.time_ns};

    if (files->n_differences < NFS_DIFFERENCES_MAX)
        files->differences[files->n_differences++] = difference;
    INVARIANT(nfs_readback_is_sound(b) && difference.offset + BLOCK <= a->use.offset + a->fed);
    nfs_fail_as(look, RULE_NFS3_3_3_7_02, exclusive ? SEVERITY_ERROR : SEVERITY_NOTE,
                "expected the octets of the WRITE in frame %" PRIu32
                "; found that the READ returned other octets, first at offset %" PRIu64 " of the file%s%s",
                page->frame, difference.offset, nfs_shift_text(&difference, shift),
                exclusive ? "" : "; another writer may explain it");
}

static void end_read(struct nfs_readback *b, const struct nfs_look *look, struct nfs_access *a)
{
    const struct rpcrdma_item *data = nfs_data_read(look->body, &a->use);
    const uint8_t *p = data ? rpcrdma_contents(look->body, data) : NULL;
    bool compared = false;
    uint64_t end;

    if (!data || b->blind || look->nfs->unread > 0 || !rpcrdma_calls_seen(look->nfs->rpcrdma, look->t->side))
        return;
    a->broken |= p && a->fed > 0; /* octets were moved for a result that is inline */
    if (p && a->fed == 0 && a->n_blocks > 0)
        nfs_readback_feed(a, p, data->item.count);
    if (!is_sound(look, a))
        return;
    end = (a->use.offset + (data->item.count < a->fed ? data->item.count : a->fed)) / BLOCK;
    INVARIANT(end * BLOCK <= a->use.offset + a->use.count);
    for (uint64_t block = (a->use.offset + BLOCK - 1) / BLOCK; block < end; block++) {
        const struct nfs_page *page = nfs_pages_find(&b->pages, a->use.file, block);

        if (!page || page->replied >= look->t->call_received || !nfs_pages_committed(&b->pages, page, block) ||
            !rpcrdma_whole_since(look->nfs->rpcrdma, page->frame))
            continue;
        compared = true;
        if (*nfs_page_hash(page, block) == *nfs_readback_hash_of(a, block))
            continue;
        nfs_readback_report(b, look, a, page, block, end);
        return;
    }
    if (compared)
        nfs_pass(look, RULE_NFS3_3_3_7_02);
}

void nfs_readback_reply(const struct nfs_look *look)
{
    struct nfs_access *a = look->exchange->access;

    if (!a)
        return;
    switch (a->use.kind) {
    case NFS_USE_WRITE:
        end_write(look->nfs->readback, look, a);
        break;
    case NFS_USE_READ:
        end_read(look->nfs->readback, look, a);
        break;
    case NFS_USE_COMMIT:
        end_commit(look->nfs->readback, look, a);
        break;
    case NFS_USE_CREATE:
        /* The file is new, or is an old file that may keep part of its contents. */
        a->use.file = nfs_file_created(look->body);
        nfs_pages_forget(&look->nfs->readback->pages, &a->use);
        break;
    default:
        break;
    }
    a->n_blocks = 0; /* a copy of the Reply proves nothing more */
    INVARIANT(nfs_readback_is_sound(look->nfs->readback));
}

/* ---- ends ---- */

struct nfs_files *nfs_connection_files(struct nfs_connection *nfs)
{
    const struct nfs_readback *b = nfs->readback;
    struct nfs_files *files = b ? heap_get(sizeof *files + b->known.n_changes * sizeof files->changes[0]) : NULL;

    if (!files)
        return NULL;
    *files = b->known;
    INVARIANT(files->n_changes <= NFS_CHANGES_MAX && files->n_differences <= NFS_DIFFERENCES_MAX);
    if (files->n_changes > 0)
        memcpy(files->changes, b->changes, files->n_changes * sizeof files->changes[0]);
    return files;
}

/* A Call without an answer may still be carried out later. */
static void note_access(struct nfs_readback *b, const struct nfs_access *a, bool answered, int64_t time_ns)
{
    if (changes(a))
        note_change(b, a->use.file, a->time_ns, answered ? time_ns : INT64_MAX);
}

void nfs_readback_settle(struct nfs_connection *nfs, const struct rpcrdma_transaction *t, struct nfs_exchange *exchange)
{
    struct nfs_readback *b = nfs->readback;
    bool answered = !rpcrdma_waits(t);

    if (!exchange->access)
        return;
    note_access(b, exchange->access, answered, t->answer.time_ns);
    if (!answered && changes(exchange->access))
        set_blind(b, exchange->access->time_ns);
    if (exchange->access->use.kind == NFS_USE_CREATE && exchange->access->use.file == 0)
        nfs_pages_forget_all(&b->pages); /* the Reply did not say which file */
    access_end(b, exchange->access);
    exchange->access = NULL;
    INVARIANT(nfs_readback_is_sound(b));
}

void nfs_readback_finish(struct nfs_connection *nfs)
{
    for (struct nfs_access *a = nfs->readback ? nfs->readback->open : NULL; a; a = a->next)
        note_access(nfs->readback, a, false, 0);
}

void nfs_readback_free(struct nfs_connection *nfs)
{
    if (!nfs->readback)
        return;
    for (struct nfs_access *a = nfs->readback->open, *next; a; a = next) {
        next = a->next;
        free(a);
    }
    nfs_pages_free(&nfs->readback->pages);
    free(nfs->readback->changes);
    free(nfs->readback);
}
