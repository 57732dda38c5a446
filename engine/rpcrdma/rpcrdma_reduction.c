// SPDX-License-Identifier: GPL-2.0-or-later
/* How much of an item is in the payload, under the assumed reduction: RFC 8166 sections 3.4 and 4.3. */
#include "engine/rpcrdma/rpcrdma_look.h"
#include "wire/invariant.h"

/* ---- chunks that an item may be in ---- */

static const struct rpcrdma_chunk_state *reduction_chunk_at(const struct rpcrdma_look *look, int chunk)
{
    INVARIANT(chunk >= 0 && chunk < (int)look->t->n_chunks);
    return &look->t->chunks[chunk];
}

/* Items come in ascending positions: chunks before this one are not needed again. */
static int read_chunk_from(struct rpcrdma_look *look, uint64_t position)
{
    while (look->next < look->n_order && reduction_chunk_at(look, look->order[look->next])->position < position)
        look->next++;
    INVARIANT(look->next <= look->n_order && look->n_order <= RPCRDMA_READ_CHUNKS_MAX);
    return look->next < look->n_order ? look->order[look->next] : -1;
}

int rpcrdma_look_read_chunk(struct rpcrdma_look *look, uint64_t position)
{
    int chunk = read_chunk_from(look, position);

    return chunk >= 0 && reduction_chunk_at(look, chunk)->position == position ? chunk : -1;
}

/* The Write chunk of the current READ-class operation, if it was returned with octets. */
int rpcrdma_look_write_chunk(const struct rpcrdma_look *look)
{
    unsigned number = look->body->procedure->compound ? look->class - 1 : 0;
    int chunk = (int)(look->t->first_write + number);

    INVARIANT(!look->in_class || look->class > 0);
    if ((look->body->procedure->compound && !look->in_class) || number >= look->t->n_writes)
        return -1;
    return reduction_chunk_at(look, chunk)->returned > 0 ? chunk : -1;
}

/* The next Write chunk that was returned with this length. */
static int write_chunk_with(struct rpcrdma_look *look, uint32_t count)
{
    for (; look->next < look->t->n_writes; look->next++) {
        int chunk = (int)(look->t->first_write + look->next);

        if (reduction_chunk_at(look, chunk)->returned == 0)
            continue;
        if (!rpcrdma_chunk_holds(reduction_chunk_at(look, chunk)->returned, count))
            return -1;
        look->next++;
        INVARIANT(chunk < (int)look->t->n_chunks && look->next <= look->t->n_writes);
        return chunk;
    }
    return -1;
}

static int standard_chunk(struct rpcrdma_look *look, const struct nfs_item *item)
{
    if (look->reply)
        return item->eligible ? rpcrdma_look_write_chunk(look) : -1;
    return rpcrdma_look_read_chunk(look, item->position - (look->reduction == RPCRDMA_REDUCED_COUNT ? 4 : 0));
}

/* ---- how much of an item is inline ---- */

static uint64_t left_standard(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = standard_chunk(look, item);
    return *chunk >= 0 ? 0 : xdr_padded(item->count);
}

static uint64_t left_roundup(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = standard_chunk(look, item);
    if (*chunk < 0)
        return xdr_padded(item->count);
    return look->word && item->count % 4 != 0 ? 4 : xdr_roundup(item->count);
}

static uint64_t left_inline(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    (void)look;
    *chunk = -1;
    return xdr_padded(item->count);
}

static uint64_t left_in_order(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = -1;
    if (!item->eligible || item->count == 0)
        return xdr_padded(item->count);
    if (look->reply)
        *chunk = write_chunk_with(look, item->count);
    else if (look->next < look->n_order &&
             rpcrdma_chunk_holds(reduction_chunk_at(look, look->order[look->next])->length, item->count))
        *chunk = look->order[look->next++];
    return *chunk >= 0 ? 0 : xdr_padded(item->count);
}

/* A chunk may hold the beginning or the end of a Call's item; several chunks may hold one part each. */
static uint64_t left_partial(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    uint64_t padded = xdr_padded(item->count), end = item->position + item->count, octets = 0;

    if (look->reply) {
        *chunk = standard_chunk(look, item);
        octets = *chunk >= 0 ? reduction_chunk_at(look, *chunk)->returned : 0;
    } else {
        *chunk = -1;
        for (int c = read_chunk_from(look, item->position); c >= 0 && reduction_chunk_at(look, c)->position < end;
             c = read_chunk_from(look, (uint64_t)reduction_chunk_at(look, c)->position + 1)) {
            const struct rpcrdma_chunk_state *state = reduction_chunk_at(look, c);

            *chunk = *chunk < 0 ? c : *chunk;
            octets += state->length;
            if (state->position + state->length == end) /* the chunk holds the end, and with it the roundup */
                octets += xdr_roundup(item->count);
        }
    }
    return octets < padded ? padded - octets : 0;
}

static uint64_t left_other(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = item->count > 0 && !(item->eligible && standard_chunk(look, item) < 0)
                 ? write_chunk_with(look, item->count)
                 : -1;
    return *chunk >= 0 ? 0 : xdr_padded(item->count);
}

static uint64_t left_absent(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = standard_chunk(look, item);
    return *chunk >= 0 || item->eligible ? 0 : xdr_padded(item->count);
}

static uint64_t left_unpadded(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = standard_chunk(look, item);
    if (*chunk >= 0)
        return 0;
    return look->bare == LOOK_ALL_BARE || (unsigned)look->bare == look->seen ? item->count : xdr_padded(item->count);
}

/* How much of an item is inline, by reduction. */
static uint64_t (*const left[RPCRDMA_REDUCED_NONE])(struct rpcrdma_look *look, const struct nfs_item *item,
                                                    int *chunk) = {
    [RPCRDMA_REDUCED_STANDARD] = left_standard, [RPCRDMA_REDUCED_ROUNDUP] = left_roundup,
    [RPCRDMA_REDUCED_INLINE] = left_inline,     [RPCRDMA_REDUCED_IN_ORDER] = left_in_order,
    [RPCRDMA_REDUCED_PARTIAL] = left_partial,   [RPCRDMA_REDUCED_OTHER] = left_other,
    [RPCRDMA_REDUCED_COUNT] = left_standard,    [RPCRDMA_REDUCED_ABSENT] = left_absent,
    [RPCRDMA_REDUCED_UNPADDED] = left_unpadded, [RPCRDMA_REDUCED_BARE] = left_standard,
    [RPCRDMA_REDUCED_RECOUNT] = left_standard,
};

uint64_t rpcrdma_look_inline(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk)
{
    uint64_t octets = left[look->reduction](look, item, chunk);

    INVARIANT(*chunk < (int)look->t->n_chunks && octets <= xdr_padded(item->count));
    return octets;
}

/* ---- all chunks ---- */

bool rpcrdma_look_has_chunks(const struct rpcrdma_look *look)
{
    if (!look->reply)
        return look->n_order > 0;
    for (unsigned i = 0; i < look->t->n_writes; i++) {
        if (reduction_chunk_at(look, (int)(look->t->first_write + i))->returned > 0)
            return true;
    }
    return false;
}

/* The lists are usually sorted. */
void rpcrdma_look_sort(struct rpcrdma_look *look)
{
    for (unsigned i = 0; i < look->t->n_chunks && look->t->chunks[i].kind == RPCRDMA_READ_CHUNK; i++) {
        unsigned at = look->n_order;

        if ((int)i == look->t->position_zero || look->n_order == RPCRDMA_READ_CHUNKS_MAX)
            continue;
        for (; at > 0 && reduction_chunk_at(look, look->order[at - 1])->position > look->t->chunks[i].position; at--)
            look->order[at] = look->order[at - 1];
        look->order[at] = (uint16_t)i;
        look->n_order++;
        INVARIANT(at < look->n_order && look->n_order <= RPCRDMA_READ_CHUNKS_MAX);
        INVARIANT(at == 0 || reduction_chunk_at(look, look->order[at - 1])->position <= look->t->chunks[i].position);
        INVARIANT(at + 1 == look->n_order ||
                  reduction_chunk_at(look, look->order[at + 1])->position > look->t->chunks[i].position);
    }
}
