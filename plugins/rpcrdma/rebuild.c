// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rebuilds RPC messages from their inline part and their chunks (RFC 8166 section 3.4). The inline part, a
 * Position-Zero Read chunk or a Reply chunk holds the reduced message. Each reduced item is inserted at its position in
 * the original message, with its XDR roundup, which a chunk need not contain.
 */
#include "plugins/rpcrdma/flow.h"

#include <epan/wmem_scopes.h>

#include <string.h>

enum {
    LARGE = 1 << 16,
    AHEAD = 32,         /* allocates at most this many times the octets that came */
    HEAD = 512,         /* room before the octets of a chunk's first part */
    WORTH_TAKING = 2048 /* from this size on, a part's octets are not copied: the part becomes the message */
};

/* ---- contents of a chunk ---- */

static compat_bool rebuild_release(wmem_allocator_t *allocator, wmem_cb_event_t event, void *octets)
{
    (void)allocator, (void)event;
    g_free(octets);
    return 0;
}

static uint8_t *part_octets(const struct kept_part *part)
{
    return part->block + part->head;
}

static void part_resize(struct kept_part *part, uint32_t room)
{
    if (part->block)
        wmem_unregister_callback(wmem_file_scope(), part->at_the_end);
    part->room = room;
    part->block = g_realloc(part->block, part->head + (size_t)room);
    part->at_the_end = wmem_register_callback(wmem_file_scope(), rebuild_release, part->block);
}

/* Room for the rest of the offered chunk, but limited by the octets that came: an offer may be hostile. */
static uint32_t rebuild_room_for(const struct kept_chunk *chunk, const struct kept_part *part, uint32_t needed)
{
    uint64_t rest = chunk->length > part->offset ? chunk->length - part->offset : 0, most = AHEAD * (uint64_t)needed;

    if (rest < needed)
        return 2 * needed;
    rest = rest < most ? rest : most;
    return rest < INT32_MAX ? (uint32_t)rest : INT32_MAX;
}

/* Appends the octets to the last part if they follow it; false: they do not. */
static bool part_takes(const struct kept_chunk *chunk, uint64_t offset, const uint8_t *p, uint32_t n)
{
    struct kept_part *part = chunk->last_part;

    if (!part || part->offset + part->length != offset || part->length > INT32_MAX - n)
        return false;
    if (part->length + n > part->room)
        part_resize(part, rebuild_room_for(chunk, part, part->length + n));
    memcpy(part_octets(part) + part->length, p, n);
    part->length += n;
    return true;
}

void rpcrdma_keep_part(struct kept_chunk *chunk, uint64_t offset, const uint8_t *p, uint32_t n)
{
    struct kept_part *part;

    if (part_takes(chunk, offset, p, n))
        return;
    part = wmem_new0(wmem_file_scope(), struct kept_part);
    part->offset = offset;
    part->length = n;
    part->head = offset == 0 && !chunk->parts ? HEAD : 0;
    part_resize(part, n);
    memcpy(part_octets(part), p, n);
    if (chunk->last_part)
        chunk->last_part->next = part;
    else
        chunk->parts = part;
    chunk->last_part = part;
}

/* The octets are in the message, and are no longer needed. */
static void drop_parts(struct kept_chunk *chunk)
{
    while (chunk->parts) {
        struct kept_part *part = chunk->parts;

        chunk->parts = part->next;
        if (part->block) {
            wmem_unregister_callback(wmem_file_scope(), part->at_the_end);
            g_free(part->block);
        }
        wmem_free(wmem_file_scope(), part);
    }
    chunk->last_part = NULL;
}

static int by_offset(const void *a, const void *b)
{
    const struct kept_part *const *x = a, *const *y = b;

    return ((*x)->offset > (*y)->offset) - ((*x)->offset < (*y)->offset);
}

/* Octets of the chunk from its beginning to the first one that was not moved. */
static uint64_t contiguous(const struct kept_chunk *chunk)
{
    const struct kept_part **sorted, *part;
    uint64_t end = 0;
    size_t n = 0;

    for (part = chunk->parts; part && part->offset <= end; part = part->next, n++)
        end = part->offset + part->length > end ? part->offset + part->length : end;
    if (!part)
        return end;
    for (; part; part = part->next)
        n++;
    sorted = g_new(const struct kept_part *, n);
    n = 0;
    for (part = chunk->parts; part; part = part->next)
        sorted[n++] = part;
    qsort(sorted, n, sizeof *sorted, by_offset);
    end = 0;
    for (size_t i = 0; i < n && sorted[i]->offset <= end; i++)
        end = sorted[i]->offset + sorted[i]->length > end ? sorted[i]->offset + sorted[i]->length : end;
    g_free(sorted);
    return end;
}

static void copy_out(uint8_t *out, const struct kept_chunk *chunk, uint64_t n)
{
    for (const struct kept_part *part = chunk->parts; part; part = part->next) {
        uint64_t left = part->offset < n ? n - part->offset : 0;

        left = part->length < left ? part->length : left;
        if (left > 0)
            memcpy(out + part->offset, part_octets(part), left);
    }
}

/* ---- the layout of the message ---- */

/* The reduced message. */
struct reduced {
    uint64_t length, have;
};

struct insertion {
    uint64_t position;
    const struct kept_chunk *chunk; /* NULL: roundup only */
    uint64_t octets, have;
    unsigned roundup;
};

struct work {
    struct insertion *insertions;
    unsigned n;
    struct kept_piece *pieces;
    unsigned n_pieces;
    uint64_t length;
};

static int rebuild_by_position(const void *a, const void *b)
{
    const struct insertion *x = a, *y = b;

    return (x->position > y->position) - (x->position < y->position);
}

static bool inserted(const struct work *work, const struct kept_chunk *chunk)
{
    for (unsigned i = 0; i < work->n; i++) {
        if (work->insertions[i].chunk == chunk)
            return true;
    }
    return false;
}

static void rebuild_insert(struct work *work, const struct kept_chunk *chunk, uint64_t position, uint64_t octets,
                           uint64_t roundup)
{
    work->insertions[work->n++] = (struct insertion){.position = position,
                                                     .chunk = chunk,
                                                     .octets = octets,
                                                     .have = chunk ? contiguous(chunk) : 0,
                                                     .roundup = (unsigned)roundup};
}

/* Octets of the chunk after the item and its roundup are not part of the message. */
static void insert_item(struct work *work, const struct kept_chunk *chunk, bool reply, const struct nfs_item *item,
                        enum rpcrdma_reduction reduction)
{
    uint64_t octets = reply ? chunk->returned : chunk->length, have = contiguous(chunk);
    unsigned front = reduction == RPCRDMA_REDUCED_COUNT ? 4 : 0; /* the count is in the chunk, too */
    bool rest_inline = reduction == RPCRDMA_REDUCED_ROUNDUP || reduction == RPCRDMA_REDUCED_PARTIAL;
    uint64_t most = front + (rest_inline ? item->count : xdr_padded(item->count));

    octets = octets < most ? octets : most;
    /* Roundup that belongs to the chunk, but has not come yet, is known: it is zero. */
    if (!rest_inline && have >= front + item->count && have < octets)
        octets = have;
    rebuild_insert(work, chunk, item->position - front, octets,
                   !rest_inline && octets >= front + item->count ? most - octets : 0);
}

static bool rebuild_usable(const struct rpcrdma_body *body)
{
    return body && body->known && body->walked && body->reduction != RPCRDMA_REDUCED_NONE;
}

static void insert_items(struct work *work, const struct kept_transaction *kept, bool reply,
                         const struct rpcrdma_body *body)
{
    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        if (item->chunk < 0 && body->reduction == RPCRDMA_REDUCED_UNPADDED)
            rebuild_insert(work, NULL, item->item.position + item->item.count, 0, xdr_roundup(item->item.count));
        else if (item->chunk >= 0 && (unsigned)item->chunk < kept->n_chunks &&
                 !inserted(work, &kept->chunks[item->chunk]))
            insert_item(work, &kept->chunks[item->chunk], reply, &item->item, body->reduction);
    }
}

/*
 * Roundup after a chunk that holds the last part of an item; if the item is unknown, the roundup of the chunk's length.
 */
static uint64_t roundup_after(const struct kept_chunk *chunk, const struct rpcrdma_body *body)
{
    uint64_t end = chunk->position + chunk->length;

    if (!body)
        return xdr_roundup(chunk->length);
    for (unsigned i = 0; i < body->n_items; i++) {
        if (body->items[i].item.position + body->items[i].item.count == end)
            return xdr_roundup(body->items[i].item.count);
    }
    return 0;
}

/* Calls only: their Read chunks have Positions (section 3.4.5). */
static void insert_by_position(struct work *work, const struct kept_transaction *kept, const struct rpcrdma_body *body)
{
    for (unsigned i = 0; i < kept->n_chunks; i++) {
        const struct kept_chunk *chunk = &kept->chunks[i];

        if (chunk->kind == RPCRDMA_READ_CHUNK && chunk->position != 0 && chunk->length > 0)
            rebuild_insert(work, chunk, chunk->position, chunk->length, roundup_after(chunk, body));
    }
    qsort(work->insertions, work->n, sizeof *work->insertions, rebuild_by_position);
}

static void find_insertions(struct work *work, const struct kept_transaction *kept, bool reply,
                            const struct rpcrdma_body *body)
{
    if (rebuild_usable(body) && (reply || body->reduction != RPCRDMA_REDUCED_PARTIAL))
        insert_items(work, kept, reply, body);
    else if (!reply)
        insert_by_position(work, kept, rebuild_usable(body) ? body : NULL);
}

static void rebuild_add_piece(struct work *work, uint64_t length, uint64_t have, const struct kept_chunk *chunk)
{
    if (length == 0)
        return;
    work->pieces[work->n_pieces++] = (struct kept_piece){
        .from = (uint32_t)work->length,
        .length = (uint32_t)length,
        .have = (uint32_t)(have < length ? have : length),
        .chunk = chunk,
    };
    work->length += length;
}

static void add_reduced(struct work *work, const struct reduced *reduced, uint64_t *used, uint64_t length)
{
    rebuild_add_piece(work, length, *used < reduced->have ? reduced->have - *used : 0, NULL);
    *used += length;
}

/* Lays out the pieces; false: the message would be too long for a tvb. */
static bool lay_out(struct work *work, const struct reduced *reduced)
{
    uint64_t used = 0, sum = reduced->length;

    for (unsigned i = 0; i < work->n; i++)
        sum += work->insertions[i].octets + work->insertions[i].roundup;
    if (sum > INT32_MAX)
        return false;
    work->pieces = wmem_alloc_array(wmem_file_scope(), struct kept_piece, 3 * (size_t)work->n + 1);
    for (unsigned i = 0; i < work->n; i++) {
        const struct insertion *in = &work->insertions[i];
        uint64_t before = in->position > work->length ? in->position - work->length : 0;

        if (before > reduced->length - used) /* the message ends before its position */
            break;
        add_reduced(work, reduced, &used, before);
        rebuild_add_piece(work, in->octets, in->have, in->chunk);
        if (in->roundup > 0) {
            rebuild_add_piece(work, in->roundup, in->roundup, NULL);
            work->pieces[work->n_pieces - 1].roundup = true;
        }
    }
    add_reduced(work, reduced, &used, reduced->length - used);
    return true;
}

/* ---- putting it together ---- */

/* Memory of file scope. Wireshark's allocator would waste an eighth of its blocks on allocations of megabytes. */
static uint8_t *octets_new(size_t n)
{
    uint8_t *octets;

    if (n < LARGE)
        return wmem_alloc(wmem_file_scope(), n);
    octets = g_malloc(n);
    wmem_register_callback(wmem_file_scope(), rebuild_release, octets);
    return octets;
}

static bool may_be_taken(const struct kept_piece *piece)
{
    const struct kept_part *part = piece->chunk ? piece->chunk->parts : NULL;

    return part && !part->next && part->offset == 0 && part->length >= piece->have && piece->have >= WORTH_TAKING &&
           piece->from <= part->head;
}

/*
 * The first piece whose octets are a single part is not copied: the part's block becomes the message, and the other
 * pieces are put around it. NULL: no such piece.
 */
static const struct kept_piece *rebuild_take_part(struct kept_rpc *rpc, uint8_t **out)
{
    for (unsigned i = 0; i < rpc->n_pieces && rpc->pieces[i].from < rpc->have; i++) {
        const struct kept_piece *piece = &rpc->pieces[i];

        if (may_be_taken(piece)) {
            struct kept_part *part = piece->chunk->parts;

            part_resize(part, rpc->have - piece->from);
            *out = part_octets(part) - piece->from;
            part->block = NULL; /* leaves the part empty, in case octets for it still come */
            part->length = part->room = 0;
            return piece;
        }
    }
    return NULL;
}

/* Allocates memory for the octets that are available, not for the announced length. */
static void rebuild_fill(struct kept_rpc *rpc, const struct work *work, const uint8_t *p)
{
    const struct kept_piece *taken;
    uint8_t *out;

    rpc->pieces = work->pieces;
    rpc->n_pieces = work->n_pieces;
    rpc->length = (uint32_t)work->length;
    for (unsigned i = 0; i < work->n_pieces; i++) {
        rpc->have += work->pieces[i].have;
        if (work->pieces[i].have < work->pieces[i].length)
            break;
    }
    if (rpc->have == 0)
        return;
    taken = rebuild_take_part(rpc, &out);
    if (!taken)
        out = octets_new(rpc->have);
    rpc->octets = out;
    for (unsigned i = 0; i < work->n_pieces && work->pieces[i].from < rpc->have; i++) {
        const struct kept_piece *piece = &work->pieces[i];

        if (piece->roundup) {
            memset(out + piece->from, 0, piece->have);
        } else if (piece->chunk && piece != taken) {
            copy_out(out + piece->from, piece->chunk, piece->have);
        } else if (!piece->chunk && p) {
            memcpy(out + piece->from, p, piece->have);
            p += piece->have;
        }
    }
}

static const struct kept_chunk *long_chunk(const struct kept_transaction *kept, bool reply)
{
    for (unsigned i = 0; i < kept->n_chunks; i++) {
        const struct kept_chunk *chunk = &kept->chunks[i];

        if (reply ? chunk->kind == RPCRDMA_REPLY_CHUNK : chunk->kind == RPCRDMA_READ_CHUNK && chunk->position == 0)
            return chunk;
    }
    return NULL;
}

/* A chunk with contents whose position in the message is unknown. */
static const struct kept_chunk *find_unplaced(const struct work *work, const struct kept_transaction *kept,
                                              const struct kept_rpc *rpc)
{
    bool reply = rpc->reply;

    for (unsigned i = 0; i < kept->n_chunks; i++) {
        const struct kept_chunk *chunk = &kept->chunks[i];

        if ((chunk->kind == RPCRDMA_READ_CHUNK) != reply && chunk->octets > 0 && chunk != rpc->from &&
            (reply ? chunk->returned : chunk->length) > 0 && !inserted(work, chunk))
            return chunk;
    }
    return NULL;
}

/* The message that a Position-Zero Read chunk or Reply chunk holds; the caller frees it. NULL: no such chunk. */
static uint8_t *long_message(struct kept_rpc *rpc, const struct kept_transaction *kept, struct reduced *reduced)
{
    const struct kept_chunk *chunk = rpc->from = long_chunk(kept, rpc->reply);
    uint8_t *flat;

    if (!chunk)
        return NULL;
    reduced->length = rpc->reply ? chunk->returned : chunk->length;
    reduced->have = contiguous(chunk);
    reduced->have = reduced->have < reduced->length ? reduced->have : reduced->length;
    flat = g_malloc(reduced->have + 1);
    copy_out(flat, chunk, reduced->have);
    return flat;
}

void rpcrdma_rebuild(struct kept_rpc *rpc, const struct kept_transaction *kept, const struct rpcrdma_body *body,
                     const uint8_t *p, uint32_t n)
{
    struct reduced reduced = {.length = n, .have = n};
    struct work work = {.insertions = g_new0(struct insertion, kept->n_chunks + (body ? body->n_items : 0) + 1)};
    uint8_t *flat = p ? NULL : long_message(rpc, kept, &reduced);

    find_insertions(&work, kept, rpc->reply, body);
    rpc->unplaced = find_unplaced(&work, kept, rpc);
    if (lay_out(&work, &reduced))
        rebuild_fill(rpc, &work, p ? p : flat);
    g_free(flat);
    g_free(work.insertions);
    for (unsigned i = 0; i < kept->n_chunks; i++) {
        if ((kept->chunks[i].kind == RPCRDMA_READ_CHUNK) != rpc->reply)
            drop_parts(&kept->chunks[i]);
    }
}

/* ---- Calls ---- */

/* How many octets of a Read chunk the message needs: some responders never read the roundup at the end. */
static uint64_t needed(const struct rpcrdma_transaction *t, unsigned chunk)
{
    const struct rpcrdma_body *body = &t->open->call_body;
    uint64_t length = t->chunks[chunk].length;

    if (!rebuild_usable(body))
        return length;
    for (unsigned i = 0; i < body->n_items && body->reduction == RPCRDMA_REDUCED_STANDARD; i++) {
        if (body->items[i].chunk == (int)chunk)
            return body->items[i].item.count < length ? body->items[i].item.count : length;
    }
    return length;
}

static bool chunk_complete(const struct rpcrdma_transaction *t, unsigned number)
{
    const struct rpcrdma_chunk_state *chunk = &t->chunks[number];
    uint64_t left = needed(t, number);

    for (uint32_t i = 0; i < chunk->n && left > 0; i++) {
        const struct rpcrdma_offer *offer = &t->offers[chunk->first + i];
        uint64_t need = offer->target.length < left ? offer->target.length : left;

        if (need > 0 && (offer->moved.n == 0 || offer->moved.lost || offer->moved.range[0].from > 0 ||
                         offer->moved.range[0].to < need))
            return false;
        left -= need;
    }
    return true;
}

bool rpcrdma_call_complete(const struct kept_transaction *kept, const struct rpcrdma_transaction *t)
{
    bool any = kept->call->waiting != NULL;

    for (unsigned i = 0; i < t->n_chunks; i++) {
        if (t->chunks[i].kind != RPCRDMA_READ_CHUNK)
            continue;
        if (!chunk_complete(t, i))
            return false;
        any = true;
    }
    return any;
}
