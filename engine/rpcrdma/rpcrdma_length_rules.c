// SPDX-License-Identifier: GPL-2.0-or-later
/* The length and number of an item's Read chunks: RFC 8166 sections 3.4.5, 3.4.5.2; RFC 5666 section 3.7. */
#include "engine/rpcrdma/rpcrdma_positions.h"
#include "wire/invariant.h"

#include <inttypes.h>

/* ---- length: section 3.4.5.2 ---- */

/* A segment with nothing but roundup, which RFC 5666 section 3.7 asks senders to avoid. */
static bool roundup_apart(const struct rpcrdma_positions *x, const struct rpcrdma_chunk_state *chunk, uint32_t count)
{
    const struct rpcrdma_offer *last = &x->shape->t->offers[chunk->first + chunk->n - 1];

    INVARIANT(chunk->n > 0 && chunk->first + chunk->n <= x->shape->t->n_offers);
    return chunk->n > 1 && last->start >= count && last->target.length > 0;
}

static void roundup_included(struct rpcrdma_positions *x, const struct rpcrdma_chunk_state *chunk,
                             const struct nfs_item *item)
{
    if (!rpcrdma_by_rfc5666(x->shape->rpcrdma))
        rpcrdma_shape_fail(
            x->shape, RULE_RPCR_3_4_5_2_01,
            "expected a Read chunk of %u octets for %s, without its roundup; found a Read chunk of %" PRIu64 " octets",
            item->count, rpcrdma_shape_item_name(x->shape, item), chunk->length);
    else if (roundup_apart(x, chunk, item->count))
        rpcrdma_shape_fail(
            x->shape, RULE_RPCR0_3_7_01,
            "expected the roundup of %s in the segment of its last octets; found the roundup in a segment of its own",
            rpcrdma_shape_item_name(x->shape, item));
    else
        rpcrdma_shape_pass(x->shape, RULE_RPCR0_3_7_01);
}

/* Section 3.4.5.2: the count does not include roundup in the chunk. NFSv2 and NFSv3 carry the count twice. */
static void check_count(struct rpcrdma_positions *x, const struct rpcrdma_chunk_state *chunk,
                        const struct nfs_item *item)
{
    const struct rpcrdma_body *body = x->shape->body;
    enum nfs_mark mark = nfs_count_mark(&body->rpc);
    unsigned i = 0;
    const struct nfs_value *said;

    if (body->procedure->compound || item->mark != NFS_MARK_DATA)
        return;
    said = rpcrdma_value(body, mark, 0, &i);
    if (!said || said->value % 4 == 0 || chunk->length != xdr_padded(said->value))
        return;
    if (item->count == xdr_padded(said->value))
        rpcrdma_shape_fail(x->shape, RULE_RPCR_3_4_5_2_03,
                           "expected the data's octet count to remain %" PRIu64
                           " when the Read chunk includes roundup; found an octet count of %u",
                           said->value, item->count);
    else if (item->count == said->value)
        rpcrdma_shape_pass(x->shape, RULE_RPCR_3_4_5_2_03);
}

void rpcrdma_positions_length(struct rpcrdma_positions *x, const struct rpcrdma_chunk_state *chunk,
                              const struct nfs_item *item)
{
    enum rule_id rule = rpcrdma_by_rfc5666(x->shape->rpcrdma) ? RULE_RPCR0_3_4_03 : RULE_RPCR_3_4_5_2_02;

    if (!rpcrdma_chunk_holds(chunk->length, item->count) && rpcrdma_chunk_disordered(x->shape->t, chunk, item->count)) {
        rpcrdma_shape_fail(
            x->shape, RULE_RPCR_4_1_2_06,
            "expected position, handle, length and 64-bit offset in this order; found a length of %" PRIu64
            " octets, with the expected %u in another place of the segment",
            chunk->length, item->count);
        return;
    }
    if (!rpcrdma_chunk_holds(chunk->length, item->count)) {
        if (item->count % 4 != 0)
            rpcrdma_shape_fail(x->shape, rule,
                               "expected a Read chunk of %u octets, or %" PRIu64
                               " with roundup, for %s; found a Read chunk of %" PRIu64 " octets",
                               item->count, xdr_padded(item->count), rpcrdma_shape_item_name(x->shape, item),
                               chunk->length);
        else
            rpcrdma_shape_fail(x->shape, rule,
                               "expected a Read chunk of %u octets for %s; found a Read chunk of %" PRIu64 " octets",
                               item->count, rpcrdma_shape_item_name(x->shape, item), chunk->length);
        return;
    }
    rpcrdma_shape_pass(x->shape, rule);
    if (chunk->length != item->count)
        roundup_included(x, chunk, item);
    else if (item->count % 4 != 0 && !rpcrdma_by_rfc5666(x->shape->rpcrdma))
        rpcrdma_shape_pass(x->shape, RULE_RPCR_3_4_5_2_01);
    check_count(x, chunk, item);
    if (chunk->length > item->count)
        x->shape->t->chunks[chunk - x->chunks].roundup = item->count;
}

/* ---- one item in several chunks ---- */

/* The chunk that begins within this item, after `after`; NULL: none. */
const struct rpcrdma_chunk_state *rpcrdma_positions_within(const struct rpcrdma_positions *x,
                                                           const struct nfs_item *item, uint64_t after)
{
    const struct rpcrdma_chunk_state *best = NULL;

    for (unsigned i = 0; i < x->n; i++) {
        uint64_t position = x->chunks[i].position;

        if (rpcrdma_positions_is_data(x, i) && position > after && position >= item->position &&
            position < item->position + item->count && (!best || position < best->position))
            best = &x->chunks[i];
    }
    return best;
}

/* Section 3.4.5: all segments of one item have its Position. True: reported. */
bool rpcrdma_positions_split(struct rpcrdma_positions *x, const struct nfs_item *item)
{
    const struct rpcrdma_chunk_state *first = rpcrdma_positions_within(x, item, item->position - 1), *second;
    uint64_t octets = 0;
    bool in_sequence = true;

    if (!first || first->length >= item->count)
        return false;
    second = rpcrdma_positions_within(x, item, first->position);
    if (!second)
        return false;
    for (const struct rpcrdma_chunk_state *c = first; c; c = rpcrdma_positions_within(x, item, c->position)) {
        in_sequence &= c->position == item->position + octets;
        octets += c->length;
        x->used[c - x->chunks] = true;
    }
    if (in_sequence)
        rpcrdma_shape_fail(x->shape, RULE_RPCR_3_4_5_03,
                           "expected Position %u in all segments of the Read chunk of %s; found Position %u in a later "
                           "segment, advanced by the segments before it",
                           first->position, rpcrdma_shape_item_name(x->shape, item), second->position);
    else
        rpcrdma_shape_fail(x->shape, RULE_RPCR_3_4_5_01,
                           "expected one Position in all segments of the Read chunk of %s; found Positions %u and %u",
                           rpcrdma_shape_item_name(x->shape, item), first->position, second->position);
    return true;
}
