// SPDX-License-Identifier: GPL-2.0-or-later
/* The Write chunks that a Call provides, against the results that it asks for: RFC 8166 sections 3.4.6, 4.3.2. */
#include "engine/core/words.h"
#include "engine/rpcrdma/rpcrdma_shape.h"
#include "wire/invariant.h"

#include <inttypes.h>

/* Judges a Write chunk of the Call by the octets that its result may have. */
static bool check_size(struct rpcrdma_shape *shape, const struct rpcrdma_chunk_state *chunk, uint64_t count)
{
    unsigned number = chunk->number + 1;

    if (chunk->length < count && rpcrdma_chunk_disordered(shape->t, chunk, count)) {
        rpcrdma_shape_fail(shape, RULE_RPCR_4_1_2_07,
                           "expected handle, length and 64-bit offset in this order; found a length of %" PRIu64
                           " octets, with the expected %" PRIu64 " in another place of the segment",
                           chunk->length, count);
        return false;
    }
    if (chunk->length < count) {
        bool read = shape->t->misread == RPCRDMA_READ;

        rpcrdma_shape_fail(shape, RULE_RPCR_3_4_6_02,
                           "expected Write chunk %u to have room for the %" PRIu64
                           " octets asked for; found a Write chunk of %" PRIu64 " octets",
                           number, count, chunk->length);
        if (read && shape->t->misread)
            shape->t->misread = RPCRDMA_MISREAD_ROOM;
        return false;
    }
    rpcrdma_shape_pass(shape, RULE_RPCR_3_4_6_02);
    if (count % 4 == 0 || rpcrdma_by_rfc5666(shape->rpcrdma))
        return true;
    if (chunk->length == xdr_padded(count))
        rpcrdma_shape_fail(shape, RULE_RPCR_3_4_6_2_01,
                           "expected Write chunk %u to have %" PRIu64
                           " octets, without space for roundup; found a Write chunk of %" PRIu64 " octets",
                           number, count, chunk->length);
    else
        rpcrdma_shape_pass(shape, RULE_RPCR_3_4_6_2_01);
    return true;
}

static void check_sizes(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_transaction *t = shape->t;
    const struct nfs_decoded call = rpcrdma_decoded(shape->body);

    for (unsigned k = 0; k < t->n_writes && k < shape->results; k++) {
        const struct rpcrdma_chunk_state *chunk = &t->chunks[t->first_write + k];
        uint64_t count;

        INVARIANT(chunk->kind == RPCRDMA_WRITE_CHUNK && chunk->number == k);
        /* An empty chunk asks for the result inline; by RFC 5667 so does a chunk of empty segments. */
        if (chunk->n == 0 || (chunk->length == 0 && rpcrdma_by_rfc5666(shape->rpcrdma)) ||
            !nfs_result_asked(&call, k, &count))
            continue;
        if (!check_size(shape, chunk, count))
            return;
    }
}

/* Auxiliary programs and callbacks have their own rule; NFS has one for the Write list. */
static enum rule_id no_results(const struct rpcrdma_shape *shape)
{
    enum rule_id binding = rpcrdma_shape_binding(shape);

    return binding == RULE_COUNT || nfs_binding_is_nfs(binding) ? RULE_RPCR_4_3_2_02 : binding;
}

static void check_no_results(struct rpcrdma_shape *shape)
{
    unsigned n = shape->t->n_writes;

    if (n > 0)
        rpcrdma_shape_fail(
            shape, no_results(shape),
            "expected no Write list for %s, whose Reply has no DDP-eligible result; found a Write list of %u chunk%s",
            shape->body->procedure->name, n, plural(n));
    else
        rpcrdma_shape_pass(shape, no_results(shape));
}

void rpcrdma_provision_rules(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_transaction *t = shape->t;

    rpcrdma_shape_count_results(shape);
    if (!shape->results_known || t->offers_lost)
        return;
    /* By RFC 5667 section 4 unneeded lists are ignored. */
    if (rpcrdma_by_rfc5666(shape->rpcrdma) && t->n_writes > shape->results)
        return;
    if (shape->results == 0) {
        check_no_results(shape);
        return;
    }
    if (t->n_writes == 0)
        return;
    rpcrdma_shape_pass(shape, RULE_RPCR_4_3_2_02);
    if (t->n_writes > shape->results) {
        /* For several results the RFC says only that chunks are filled until either runs out. */
        rpcrdma_shape_fail_as(
            shape, RULE_RPCR_4_3_2_1_01, shape->results == 1 ? SEVERITY_ERROR : SEVERITY_NOTE,
            "expected at most %u Write chunk%s for as many DDP-eligible results; found %u Write chunks", shape->results,
            plural(shape->results), t->n_writes);
        return;
    }
    rpcrdma_shape_pass(shape, RULE_RPCR_4_3_2_1_01);
    if (shape->body->walked && rpcrdma_shape_whole(shape))
        check_sizes(shape);
}
