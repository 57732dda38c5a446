/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Cursors over XDR streams (RFC 4506): big-endian units of four octets. A variable-length item (section 4.10):
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                             count                             |
 *  +---------------------------------------------------------------+
 *  /                        contents (count)                       /
 *  /                               +-------------------------------+
 *  /                               | roundup (0-3 octets of zero)  |
 *  +-------------------------------+-------------------------------+
 *
 * The first failure is final: every later call fails and nothing moves, so a caller may check once, at the end.
 */
/* clang-format on */
#ifndef IWARP_WIRE_XDR_H
#define IWARP_WIRE_XDR_H

#include "wire/octets.h"

#include <stdbool.h>

/* Octets of roundup after a variable-length item of n octets (section 4.10). */
static inline unsigned xdr_roundup(uint64_t n)
{
    return (unsigned)(-n & 3u);
}

static inline uint64_t xdr_padded(uint64_t n)
{
    return n + xdr_roundup(n);
}

/* Reads p[0..n), borrowed. */
struct xdr {
    const uint8_t *p;
    size_t n;
    size_t at;   /* of the next octet */
    bool failed; /* the stream ended before the requested octets, which would have begun at `at` */
};

static inline struct xdr xdr_begin(const uint8_t *p, size_t n)
{
    return (struct xdr){.p = p, .n = n};
}

static inline size_t xdr_left(const struct xdr *x)
{
    return x->n - x->at;
}

/* True when n more octets are available; else the stream fails. */
static inline bool xdr_has(struct xdr *x, uint64_t n)
{
    if (x->failed || n > xdr_left(x))
        x->failed = true;
    return !x->failed;
}

/* Each returns false, *out unchanged, when the stream is too short. */
static inline bool xdr_u32(struct xdr *x, uint32_t *out)
{
    if (!xdr_has(x, 4))
        return false;
    *out = get_be32(x->p + x->at);
    x->at += 4;
    return true;
}

bool xdr_u64(struct xdr *x, uint64_t *out);
/* Octets without a count; skips their roundup, too. */
bool xdr_skip(struct xdr *x, uint64_t n);
/* Variable-length opaque or string: count, octets (borrowed in *out), roundup. */
bool xdr_opaque(struct xdr *x, const uint8_t **out, uint32_t *length);

/* Writes to p[0..size). */
struct xdr_writer {
    uint8_t *p;
    size_t size;
    size_t at;
    bool failed; /* size was too small */
};

void xdr_put_u32(struct xdr_writer *w, uint32_t v);
void xdr_put_u64(struct xdr_writer *w, uint64_t v);
/* n octets and their roundup, without a count. */
void xdr_put_octets(struct xdr_writer *w, const void *p, size_t n);
/* The same, preceded by the count. */
void xdr_put_opaque(struct xdr_writer *w, const void *p, uint32_t n);

#endif
