// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The Read chunks of a Call against its arguments: RFC 8166 sections 3.4.1 to 3.4.5, 4.3.1. Which rule the lists break
 * follows from the reduction with which rpcrdma_payload.c could decode the payload.
 */
#include "engine/rpcrdma/rpcrdma_positions.h"
#include "wire/invariant.h"

#include <inttypes.h>

static const struct rpcrdma_item *item_at(const struct rpcrdma_body *body, uint64_t position)
{
    for (unsigned i = 0; i < body->n_items; i++) {
        if (body->items[i].item.position == position)
            return &body->items[i];
    }
    return NULL;
}

/* ---- reduced as the standard says ---- */

/* RFC 8267 section 6.4.1: judging by their lengths, the chunks were swapped. */
static bool check_swapped(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *a = &body->items[i];

        if (a->chunk < 0 || rpcrdma_chunk_holds(x->chunks[a->chunk].length, a->item.count))
            continue;
        for (unsigned k = i + 1; k < body->n_items; k++) {
            const struct rpcrdma_item *b = &body->items[k];

            if (b->chunk < 0 || b->item.count == a->item.count ||
                !rpcrdma_chunk_holds(x->chunks[b->chunk].length, a->item.count) ||
                !rpcrdma_chunk_holds(x->chunks[a->chunk].length, b->item.count))
                continue;
            rpcrdma_shape_fail(x->shape, RULE_NFSULB_6_4_1_07,
                               "expected the Read chunk of %u octets at Position %" PRIu64
                               " and the one of %u octets at %" PRIu64 "; found the Read chunks swapped",
                               a->item.count, a->item.position, b->item.count, b->item.position);
            return true;
        }
        return false;
    }
    return false;
}

static void check_item(struct rpcrdma_positions *x, const struct rpcrdma_item *item)
{
    enum rule_id binding = rpcrdma_shape_binding(x->shape);

    INVARIANT(item->chunk >= 0 && item->chunk < (int)x->n);
    if (!item->item.eligible) {
        rpcrdma_shape_fail(
            x->shape, binding != RULE_COUNT ? binding : RULE_NFSULB_6_1_05,
            "expected only DDP-eligible items in Read chunks; found %s in a Read chunk at Position %" PRIu64,
            rpcrdma_shape_item_name(x->shape, &item->item), item->item.position);
        return;
    }
    if (!rpcrdma_positions_split(x, &item->item))
        rpcrdma_positions_length(x, &x->chunks[item->chunk], &item->item);
}

/* Section 4.2.4: a chunk that no item needs. */
static void check_leftover(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    if (rpcrdma_by_rfc5666(x->shape->rpcrdma)) /* RFC 5667 section 4: a leftover chunk is ignored */
        return;
    for (unsigned i = 0; i < x->n && !x->shape->failed; i++) {
        const struct rpcrdma_chunk_state *chunk = &x->chunks[i];

        if (!rpcrdma_positions_is_data(x, i) || x->used[i])
            continue;
        if (chunk->length == 0)
            rpcrdma_shape_fail_as(x->shape, RULE_RPCR_4_3_01, SEVERITY_NOTE,
                                  "expected no Read list when there is nothing to read; found an empty segment at "
                                  "Position %u, where there is no item",
                                  chunk->position);
        else if (chunk->position < body->unreduced)
            rpcrdma_shape_fail(x->shape, RULE_RPCR_6_1_06,
                               "expected Read chunks at Positions of DDP-eligible items; found a Read chunk of %" PRIu64
                               " octets at Position %u, within an RPC Call that is complete without it",
                               chunk->length, chunk->position);
        else
            rpcrdma_shape_fail(x->shape, RULE_RPCR_4_2_4_03,
                               "expected Read chunks only within the arguments; found a Read chunk of %" PRIu64
                               " octets at Position %u of an RPC Call that ends at %" PRIu64,
                               chunk->length, chunk->position, body->unreduced);
    }
}

static void position_pass_items(struct rpcrdma_positions *x)
{
    static const enum rule_id rules[] = {RULE_RPCR_3_4_1_01,   RULE_RPCR_3_4_4_1_01, RULE_RPCR_3_4_4_1_02,
                                         RULE_RPCR_3_4_4_4_01, RULE_RPCR_3_4_5_01,   RULE_RPCR_3_4_5_02,
                                         RULE_RPCR_3_4_5_05,   RULE_RPCR_4_2_4_03,   RULE_RPCR_4_3_1_1_01};
    const struct rpcrdma_body *body = x->shape->body;
    enum rule_id binding = rpcrdma_shape_binding(x->shape);
    bool any = false, odd = false, several = false;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        if (item->chunk < 0)
            continue;
        any = true;
        odd |= item->item.count % 4 != 0;
        several |= x->chunks[item->chunk].n > 1;
    }
    if (!any)
        return;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rpcrdma_shape_pass(x->shape, rules[i]);
    if (binding != RULE_COUNT)
        rpcrdma_shape_pass(x->shape, binding);
    if (odd)
        rpcrdma_shape_pass(x->shape, RULE_RPCR_3_4_4_4_02);
    if (several)
        rpcrdma_shape_pass(x->shape, RULE_RPCR_3_4_5_03);
    if (body->procedure->compound)
        rpcrdma_shape_pass(x->shape, RULE_NFSULB_6_4_1_07);
}

static void standard(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        if (body->items[i].chunk >= 0)
            x->used[body->items[i].chunk] = true;
        INVARIANT(body->items[i].chunk < (int)x->n && body->items[i].chunk < RPCRDMA_READ_CHUNKS_MAX);
    }
    if (check_swapped(x))
        return;
    for (unsigned i = 0; i < body->n_items && !x->shape->failed; i++) {
        if (body->items[i].chunk >= 0)
            check_item(x, &body->items[i]);
    }
    if (x->shape->failed)
        return;
    if (body->walk.status == NFS_WALK_OK && body->walk.left == 0 && !body->cut)
        check_leftover(x);
    if (!x->shape->failed && body->walk.status == NFS_WALK_OK && body->walk.left == 0)
        position_pass_items(x);
}

/* ---- reduced otherwise ---- */

/* Only the Position is wrong: the way it was counted decides which rule is broken. */
static void wrong_position(struct rpcrdma_positions *x, const struct rpcrdma_item *item, uint64_t reduced)
{
    struct rpcrdma_shape *shape = x->shape;
    const struct rpcrdma_chunk_state *chunk = &x->chunks[item->chunk];
    uint64_t right = item->item.position, arguments = shape->body->rpc.header_len;
    const char *name = rpcrdma_shape_item_name(shape, &item->item);

    INVARIANT(item->chunk >= 0 && item->chunk < (int)x->n);
    if (chunk->position + UINT64_C(4) == right)
        rpcrdma_shape_fail(shape, RULE_RPCR_4_3_1_1_01,
                           "expected Position %" PRIu64
                           ", where the contents of %s begin; found the Position of the octet count, %u",
                           right, name, chunk->position);
    else if (chunk->position == right + shape->t->open->call_header.header_len)
        rpcrdma_shape_fail(shape, RULE_RPCR_3_4_5_02,
                           "expected Position %" PRIu64
                           " for %s; found Position %u, counted from the start of the Send",
                           right, name, chunk->position);
    else if (chunk->position + arguments == right)
        rpcrdma_shape_fail(shape, RULE_RPCR_3_4_5_02,
                           "expected Position %" PRIu64 " for %s; found Position %u, counted from the arguments", right,
                           name, chunk->position);
    else if (chunk->position == reduced)
        rpcrdma_shape_fail(shape, RULE_RPCR_3_4_5_02,
                           "expected Position %" PRIu64 " for %s; found Position %u, counted in the reduced payload",
                           right, name, chunk->position);
    else if (chunk->position >= arguments && chunk->position < right && chunk->position >= 4)
        rpcrdma_shape_fail(shape, RULE_RPCR_6_1_06,
                           "expected Position %" PRIu64 " for %s; found Position %u, within another item", right, name,
                           chunk->position);
    else
        rpcrdma_shape_fail(shape, RULE_RPCR_3_4_5_02, "expected Position %" PRIu64 " for %s; found Position %u for %s",
                           right, name, chunk->position, name);
}

static void position_in_order(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        if (item->chunk >= 0 && x->chunks[item->chunk].position != item->item.position) {
            wrong_position(x, item, body->rpc.header_len + item->item.at);
            return;
        }
    }
}

static void position_with_roundup(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct nfs_item *item = &body->items[i].item;

        if (body->items[i].chunk < 0 || item->count % 4 == 0)
            continue;
        rpcrdma_shape_fail(
            x->shape, RULE_RPCR_3_4_4_4_02,
            "expected the roundup of %s to be removed with its contents; found %u octets of roundup inline",
            rpcrdma_shape_item_name(x->shape, item), xdr_roundup(item->count));
        return;
    }
}

/* Nothing was removed: a chunk for an inline item sends it twice. */
static void not_removed(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < x->n; i++) {
        const struct rpcrdma_item *item = rpcrdma_positions_is_data(x, i) ? item_at(body, x->chunks[i].position) : NULL;

        if (!item || x->chunks[i].length == 0)
            continue;
        rpcrdma_shape_excess(x->shape, xdr_padded(item->item.count));
        rpcrdma_shape_fail(
            x->shape, RULE_RPCR_3_4_1_01,
            "expected %s to be removed from the payload; found the item inline and in a Read chunk of %" PRIu64
            " octets at Position %u",
            rpcrdma_shape_item_name(x->shape, &item->item), x->chunks[i].length, x->chunks[i].position);
        return;
    }
    check_leftover(x);
}

/* Section 3.5.3: all further parts of a Long Call are at Position 0, too. True: reported. */
static bool check_continued(struct rpcrdma_positions *x)
{
    const struct rpcrdma_transaction *t = x->shape->t;

    for (unsigned i = 0; t->position_zero >= 0 && i < x->n; i++) {
        if (!rpcrdma_positions_is_data(x, i) || x->chunks[i].position != t->chunks[t->position_zero].length)
            continue;
        rpcrdma_shape_fail(x->shape, RULE_RPCR_3_5_3_03,
                           "expected Position 0 in all segments of the RPC Call's chunk; found Position %u in a "
                           "segment that continues the chunk",
                           x->chunks[i].position);
        return true;
    }
    return false;
}

static void position_partial(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];
        const struct rpcrdma_chunk_state *chunk = item->chunk >= 0 ? &x->chunks[item->chunk] : NULL;
        uint64_t octets = 0;

        if (!chunk || rpcrdma_chunk_holds(chunk->length, item->item.count))
            continue;
        for (const struct rpcrdma_chunk_state *c = chunk; c; c = rpcrdma_positions_within(x, &item->item, c->position))
            octets += c->length;
        if (chunk->position > item->item.position && check_continued(x))
            return;
        if (octets >= item->item.count && rpcrdma_positions_split(x, &item->item))
            return;
        rpcrdma_shape_excess(x->shape, item->item.count - octets);
        rpcrdma_shape_fail(x->shape, RULE_RPCR_3_4_4_1_02,
                           "expected all %u octets of %s in the Read chunk; found %" PRIu64
                           " octets in the Read chunk and the rest inline",
                           item->item.count, rpcrdma_shape_item_name(x->shape, &item->item), octets);
        return;
    }
}

static void position_counted(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        if (body->items[i].chunk < 0)
            continue;
        rpcrdma_shape_fail(x->shape, RULE_RPCR_3_4_4_1_01,
                           "expected the octet count of %s inline; found the octet count removed with the contents",
                           rpcrdma_shape_item_name(x->shape, &body->items[i].item));
        return;
    }
}

static void absent(struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct nfs_item *item = &body->items[i].item;

        if (!item->eligible || body->items[i].chunk >= 0 || item->count == 0)
            continue;
        rpcrdma_shape_fail(x->shape, RULE_RPCR_3_4_5_05,
                           "expected the %u octets of %s inline or in a Read chunk at Position %" PRIu64
                           "; found %s neither inline nor in a Read chunk",
                           item->count, rpcrdma_shape_item_name(x->shape, item), item->position,
                           rpcrdma_shape_item_name(x->shape, item));
        return;
    }
}

/* ---- when no reduction fits ---- */

/* The chunk that begins correctly and is longer than its item, after which the payload is invalid. */
static const struct rpcrdma_item *covering(const struct rpcrdma_positions *x)
{
    const struct rpcrdma_body *body = x->shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        if (item->chunk >= 0 && x->chunks[item->chunk].length >= xdr_padded(item->item.count) + 4)
            return item;
    }
    return NULL;
}

static void judge_undecodable(struct rpcrdma_positions *x)
{
    struct rpcrdma_shape *shape = x->shape;
    const struct rpcrdma_item *item = covering(x);
    enum rule_id binding = rpcrdma_shape_binding(shape);
    const struct nfs_decoded call = rpcrdma_decoded(shape->body);

    if (check_continued(x))
        return;
    if (!nfs_reduces_call(&call) && binding != RULE_COUNT)
        rpcrdma_shape_fail(shape, binding,
                           "expected no Read chunk for NFS arguments, none of which is DDP-eligible; found arguments "
                           "removed into a Read chunk");
    else if (item)
        rpcrdma_shape_fail(shape, RULE_RPCR_3_4_4_4_01,
                           "expected one item in a Read chunk, %s of %u octets; found a Read chunk of %" PRIu64
                           " octets, with what follows the item missing inline",
                           rpcrdma_shape_item_name(shape, &item->item), item->item.count,
                           x->chunks[item->chunk].length);
    else
        rpcrdma_shape_fail(shape, RULE_RPCR_6_1_06,
                           "expected a payload that forms a valid RPC Call once the Read chunks are inserted; found a "
                           "payload that is invalid at octet %" PRIu64,
                           shape->body->walk.position);
}

void rpcrdma_position_rules(struct rpcrdma_shape *shape)
{
    struct rpcrdma_positions x = {.shape = shape, .chunks = shape->t->chunks};

    while (x.n < shape->t->n_chunks && x.chunks[x.n].kind == RPCRDMA_READ_CHUNK)
        x.n++;
    switch (shape->body->reduction) {
    case RPCRDMA_REDUCED_STANDARD:
    case RPCRDMA_REDUCED_UNPADDED:
    case RPCRDMA_REDUCED_RECOUNT:
    case RPCRDMA_REDUCED_OTHER:
        standard(&x);
        break;
    case RPCRDMA_REDUCED_ROUNDUP:
        position_with_roundup(&x);
        break;
    case RPCRDMA_REDUCED_INLINE:
        not_removed(&x);
        break;
    case RPCRDMA_REDUCED_IN_ORDER:
        position_in_order(&x);
        break;
    case RPCRDMA_REDUCED_PARTIAL:
        position_partial(&x);
        break;
    case RPCRDMA_REDUCED_COUNT:
        position_counted(&x);
        break;
    case RPCRDMA_REDUCED_ABSENT:
        absent(&x);
        break;
    case RPCRDMA_REDUCED_BARE:
        rpcrdma_shape_fail(
            shape, RULE_RPCR_4_03,
            "expected a verifier after the credential (RFC 5531); found the arguments right after the credential");
        break;
    case RPCRDMA_REDUCED_NONE:
        if (x.n > (shape->t->position_zero >= 0))
            judge_undecodable(&x);
        break;
    }
}

/* ---- without the message ---- */

/* For a Long Call whose Position-Zero chunk was never read: the sum of all its chunks, each with its roundup. */
static uint64_t most_unreduced(const struct rpcrdma_transaction *t)
{
    uint64_t octets = 0;

    for (unsigned i = 0; i < t->n_chunks; i++)
        if (t->chunks[i].kind == RPCRDMA_READ_CHUNK)
            octets += xdr_padded(t->chunks[i].length);
    return octets;
}

void rpcrdma_position_unread(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t)
{
    uint64_t end = most_unreduced(t);

    if (rpcrdma_by_rfc5666(rpcrdma) || t->open->call_body.known || t->malformed || t->misread || t->offers_lost ||
        t->position_zero < 0 || t->open->call_header.proc != RPCRDMA_NOMSG)
        return;
    for (unsigned i = 0; i < t->n_chunks; i++) {
        const struct rpcrdma_chunk_state *chunk = &t->chunks[i];

        if (chunk->kind != RPCRDMA_READ_CHUNK || chunk->length == 0 ||
            chunk->position + xdr_padded(chunk->length) <= end)
            continue;
        t->fault = t->fault > 0 ? t->fault : 1 + (uint32_t)RULE_RPCR_3_4_5_02;
        rpcrdma_fail_at(rpcrdma, &t->call, RULE_RPCR_3_4_5_02, 0,
                        "expected Positions within the RPC Call, which has at most %" PRIu64
                        " octets; found Position %u, where %" PRIu64 " octets begin",
                        end, chunk->position, chunk->length);
        return;
    }
}
