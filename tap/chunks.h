/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The segments that a Transport header names, for a host that does not see the other side's moves. */
#ifndef IWARP_TAP_CHUNKS_H
#define IWARP_TAP_CHUNKS_H

#include "wire/rpcrdma.h"

enum { CHUNKS_MAX = 256 };

struct chunk_segments {
    unsigned n;
    struct rpcrdma_segment segment[CHUNKS_MAX];
};

/* Whether a Send has a message of that type: RPC_CALL or RPC_REPLY. */
bool chunks_are_of(uint32_t type, const uint8_t *p, size_t n);
/* What the other side reads for this Call: the segments of its Read list. Empty for other messages. */
void chunks_of_call(struct chunk_segments *out, const uint8_t *p, size_t n);
/*
 * What its sender has written before this Reply: its Write list and Reply chunk, without empty segments. Empty for
 * other messages.
 */
void chunks_of_reply(struct chunk_segments *out, const uint8_t *p, size_t n);

#endif
