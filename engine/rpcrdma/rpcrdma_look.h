/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of one attempt to decode a payload: rpcrdma_payload.c walks, rpcrdma_reduction.c decides what is inline. */
#ifndef IWARP_ENGINE_RPCRDMA_RPCRDMA_LOOK_H
#define IWARP_ENGINE_RPCRDMA_RPCRDMA_LOOK_H

#include "engine/rpcrdma/rpcrdma_internal.h"

enum { LOOK_ALL_BARE = -1 };

struct rpcrdma_look {
    const struct rpcrdma_transaction *t;
    struct rpcrdma_body *body;
    bool reply;
    enum rpcrdma_reduction reduction;
    uint16_t order[RPCRDMA_READ_CHUNKS_MAX]; /* the Call's Read chunks by Position, without the one at Position Zero */
    unsigned n_order;
    unsigned next;  /* Calls: index in order; Replies: index in the Write list */
    unsigned seen;  /* items so far */
    bool word;      /* counts a whole zero word as the rest of an item's roundup */
    int bare;       /* index of the item without roundup, or one of the values above */
    unsigned class; /* READ-class operations that began so far */
    bool in_class;  /* the latest operation is of the READ class */
};

/* Octets of an item's contents and roundup in the payload, by look->reduction; *chunk: holds the rest, or -1. */
uint64_t rpcrdma_look_inline(struct rpcrdma_look *look, const struct nfs_item *item, int *chunk);
/* The Read chunk at this Position, or -1. To be called with ascending Positions; look->next = 0 starts over. */
int rpcrdma_look_read_chunk(struct rpcrdma_look *look, uint64_t position);
/* The Write chunk of the current READ-class operation, if it was returned with octets, or -1. */
int rpcrdma_look_write_chunk(const struct rpcrdma_look *look);
/* Sorts the Call's Read chunks into look->order. */
void rpcrdma_look_sort(struct rpcrdma_look *look);
/*
 * True if data chunks exist: a Call's Read chunks except the one at Position Zero, a Reply's Write chunks with octets.
 */
bool rpcrdma_look_has_chunks(const struct rpcrdma_look *look);

#endif
