/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing XDR stream (RFC 4506) that records which of its items may move by RDMA; for the stack's RPC messages.
 * wire/xdr.h reads XDR.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_XDR_OUT_H
#define IWARP_TRAFFIC_ENDS_STACK_XDR_OUT_H

#include "traffic-gen/ends/stack/rpc_end.h"

#include <glib.h>

struct xdr_out {
    GByteArray *octets;
    struct rpc_end_item items[RPC_END_ITEMS_MAX];
    unsigned n_items;
};

void xdr_out_begin(struct xdr_out *out);
void xdr_out_free(struct xdr_out *out);
/* Moves octets and items into the message; out is empty after it. */
void xdr_out_take(struct xdr_out *out, struct rpc_end_message *message);

void xdr_out_u32(struct xdr_out *out, uint32_t v);
/* Several words. */
#define xdr_out_words(out, ...)                                                                                        \
    xdr_out_u32s(out, (const uint32_t[]){__VA_ARGS__}, G_N_ELEMENTS(((uint32_t[]){__VA_ARGS__})))
void xdr_out_u32s(struct xdr_out *out, const uint32_t *words, size_t n);
void xdr_out_u64(struct xdr_out *out, uint64_t v);
static inline void xdr_out_bool(struct xdr_out *out, bool v)
{
    xdr_out_u32(out, v);
}
/* n octets and their roundup, without a count. */
void xdr_out_fixed(struct xdr_out *out, const void *p, size_t n);
/* The same, preceded by the count. */
void xdr_out_opaque(struct xdr_out *out, const void *p, uint32_t n);
/* The same for a DDP-eligible item, even if empty: each eligible result has its Write chunk (RFC 8166 4.3.2.1). */
void xdr_out_eligible(struct xdr_out *out, const void *p, uint32_t n);

/* Where the next octet goes, counted from the message's first. */
static inline size_t xdr_out_at(const struct xdr_out *out)
{
    return out->octets->len;
}
/* Overwrites a word: for counts and statuses that are known only later. */
void xdr_out_set_u32(struct xdr_out *out, size_t at, uint32_t v);
/* Removes everything from `at` on, items included. */
void xdr_out_cut(struct xdr_out *out, size_t at);

#endif
