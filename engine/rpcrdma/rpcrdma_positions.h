/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The Read chunks of one Call against its items: shared by rpcrdma_position_rules.c and rpcrdma_length_rules.c. */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_POSITIONS_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_POSITIONS_H

#include "engine/rpcrdma/rpcrdma_shape.h"

struct rpcrdma_positions {
    struct rpcrdma_shape *shape;
    bool used[RPCRDMA_READ_CHUNKS_MAX]; /* chunks that an item accounts for */
    const struct rpcrdma_chunk_state *chunks;
    unsigned n; /* Read chunks, including the one at Position Zero */
};

/* Not the chunk at Position Zero. */
static inline bool rpcrdma_positions_is_data(const struct rpcrdma_positions *x, unsigned i)
{
    return (int)i != x->shape->t->position_zero && i < RPCRDMA_READ_CHUNKS_MAX;
}

/* The chunk that begins within this item, after `after`; NULL: none. */
const struct rpcrdma_chunk_state *rpcrdma_positions_within(const struct rpcrdma_positions *x,
                                                           const struct nfs_item *item, uint64_t after);
/* Section 3.4.5: all segments of one item have its Position. True: reported. */
bool rpcrdma_positions_split(struct rpcrdma_positions *x, const struct nfs_item *item);
/* Section 3.4.5.2: the length of an item's chunk. */
void rpcrdma_positions_length(struct rpcrdma_positions *x, const struct rpcrdma_chunk_state *chunk,
                              const struct nfs_item *item);

#endif
