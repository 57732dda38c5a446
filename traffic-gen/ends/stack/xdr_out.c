// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/stack/xdr_out.h"

#include "wire/xdr.h"

void xdr_out_begin(struct xdr_out *out)
{
    *out = (struct xdr_out){.octets = g_byte_array_new()};
}

void xdr_out_free(struct xdr_out *out)
{
    if (out->octets)
        g_byte_array_unref(out->octets);
    *out = (struct xdr_out){0};
}

void xdr_out_take(struct xdr_out *out, struct rpc_end_message *message)
{
    *message = (struct rpc_end_message){.n = out->octets->len, .n_items = out->n_items};
    memcpy(message->items, out->items, sizeof message->items);
    message->p = g_byte_array_free(out->octets, FALSE);
    *out = (struct xdr_out){0};
}

/* Makes room for n more octets. */
static uint8_t *out_grow(struct xdr_out *out, size_t n)
{
    guint at = out->octets->len;

    g_byte_array_set_size(out->octets, at + (guint)n);
    return out->octets->data + at;
}

void xdr_out_u32(struct xdr_out *out, uint32_t v)
{
    put_be32(out_grow(out, 4), v);
}

void xdr_out_u32s(struct xdr_out *out, const uint32_t *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        xdr_out_u32(out, words[i]);
}

void xdr_out_u64(struct xdr_out *out, uint64_t v)
{
    put_be64(out_grow(out, 8), v);
}

void xdr_out_fixed(struct xdr_out *out, const void *p, size_t n)
{
    uint8_t *to;

    if (n == 0)
        return;
    to = out_grow(out, xdr_padded(n));
    memcpy(to, p, n);
    memset(to + n, 0, xdr_roundup(n));
}

void xdr_out_opaque(struct xdr_out *out, const void *p, uint32_t n)
{
    xdr_out_u32(out, n);
    xdr_out_fixed(out, p, n);
}

void xdr_out_eligible(struct xdr_out *out, const void *p, uint32_t n)
{
    xdr_out_u32(out, n);
    if (out->n_items < RPC_END_ITEMS_MAX)
        out->items[out->n_items++] = (struct rpc_end_item){.at = out->octets->len, .n = n};
    xdr_out_fixed(out, p, n);
}

void xdr_out_set_u32(struct xdr_out *out, size_t at, uint32_t v)
{
    put_be32(out->octets->data + at, v);
}

void xdr_out_cut(struct xdr_out *out, size_t at)
{
    g_byte_array_set_size(out->octets, (guint)at);
    while (out->n_items > 0 && out->items[out->n_items - 1].at >= at)
        out->n_items--;
}
