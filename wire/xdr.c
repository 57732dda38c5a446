// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/xdr.h"
#include "wire/invariant.h"

#include <string.h>

bool xdr_u64(struct xdr *x, uint64_t *out)
{
    if (!xdr_has(x, 8))
        return false;
    *out = get_be64(x->p + x->at);
    x->at += 8;
    INVARIANT(x->at <= x->n && x->at >= 8);
    return true;
}

bool xdr_skip(struct xdr *x, uint64_t n)
{
    /* The roundup of the three largest lengths would wrap around to 0. */
    if (n > UINT64_MAX - 3) {
        x->failed = true;
        return false;
    }
    if (!xdr_has(x, xdr_padded(n)))
        return false;
    x->at += (size_t)xdr_padded(n);
    INVARIANT(x->at <= x->n);
    return true;
}

bool xdr_opaque(struct xdr *x, const uint8_t **out, uint32_t *length)
{
    size_t start = x->at;
    uint32_t n;

    if (!xdr_u32(x, &n))
        return false;
    if (!xdr_skip(x, n)) {
        x->at = start;
        return false;
    }
    *out = x->p + start + 4;
    *length = n;
    INVARIANT(start + 4 <= x->at && n <= x->at - start - 4 && x->at <= x->n);
    return true;
}

/* Room for n octets, or NULL when the writer has failed. */
static uint8_t *xdr_room(struct xdr_writer *w, size_t n)
{
    uint8_t *p;

    if (w->failed || n > w->size - w->at) {
        w->failed = true;
        return NULL;
    }
    p = w->p + w->at;
    w->at += n;
    INVARIANT(w->at <= w->size && n <= w->at);
    return p;
}

void xdr_put_u32(struct xdr_writer *w, uint32_t v)
{
    uint8_t *p = xdr_room(w, 4);

    if (p)
        put_be32(p, v);
}

void xdr_put_u64(struct xdr_writer *w, uint64_t v)
{
    uint8_t *p = xdr_room(w, 8);

    if (p)
        put_be64(p, v);
}

void xdr_put_octets(struct xdr_writer *w, const void *p, size_t n)
{
    unsigned roundup = xdr_roundup(n);
    uint8_t *to;

    if (n == 0)
        return;
    to = n > SIZE_MAX - roundup ? NULL : xdr_room(w, n + roundup);
    if (!to) {
        w->failed = true;
        return;
    }
    memcpy(to, p, n);
    memset(to + n, 0, roundup);
    INVARIANT(w->at <= w->size && (n + roundup) % 4 == 0);
}

void xdr_put_opaque(struct xdr_writer *w, const void *p, uint32_t n)
{
    size_t start = w->at;

    xdr_put_u32(w, n);
    if (!w->failed)
        xdr_put_octets(w, p, n);
    if (w->failed)
        w->at = start;
    INVARIANT(w->at >= start && w->at <= w->size && (!w->failed || w->at == start));
}
