// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/xdr.c: RFC 4506. */
#include "wire/xdr.h"

#include "tests/proofs/proof.h"

/* Any reader that an earlier call may have left. */
static struct xdr any_reader(size_t most)
{
    size_t n = any_size_to(most);
    struct xdr x = xdr_begin(any_octets_to(n, most), n);

    x.at = any_size_to(n);
    x.failed = any_bool();
    return x;
}

void proof_xdr_roundup(void)
{
    uint64_t n = any_u64();

    CLAIM(xdr_roundup(n) < 4 && (n + xdr_roundup(n)) % 4 == 0);
    FALSE_CLAIM(xdr_padded(n) >= n); /* the three largest numbers wrap */
}

void proof_xdr_read(void)
{
    struct xdr x = any_reader(32);
    const struct xdr before = x;
    const uint8_t *item = NULL;
    uint32_t word = 0, length = 0;
    uint64_t hyper = 0, skipped = any_u64();
    bool done;

    switch (any_u8() & 3) {
    case 0:
        done = xdr_u32(&x, &word);
        CLAIM(IMPLIES(done, x.at == before.at + 4 && word == get_be32(x.p + before.at)));
        break;
    case 1:
        done = xdr_u64(&x, &hyper);
        CLAIM(IMPLIES(done, x.at == before.at + 8 && hyper == get_be64(x.p + before.at)));
        break;
    case 2:
        done = xdr_skip(&x, skipped);
        CLAIM(IMPLIES(done, x.at - before.at == skipped + xdr_roundup(skipped) && skipped <= before.n));
        break;
    default:
        done = xdr_opaque(&x, &item, &length);
        CLAIM(IMPLIES(done, item == x.p + before.at + 4 && x.at == before.at + 4 + xdr_padded(length)));
        FALSE_CLAIM(!done || length == 0);
        break;
    }
    CLAIM(x.at <= x.n && x.n == before.n && x.p == before.p);
    CLAIM(done == !x.failed && IMPLIES(before.failed, x.failed));
    CLAIM(IMPLIES(!done, x.at == before.at));
    FALSE_CLAIM(done);
}

/* An item that is written is read again, with a roundup of zeros; a writer that is full writes nothing. */
void proof_xdr_write(void)
{
    size_t size = any_size_to(32), i = any_size();
    uint32_t n = (uint32_t)any_size_to(20), length = 0;
    const uint8_t *octets = any_octets(n), *item = NULL;
    struct xdr_writer w = {.p = any_octets(size), .size = size, .at = any_size_to(size), .failed = any_bool()};
    const struct xdr_writer before = w;
    struct xdr x;

    xdr_put_opaque(&w, octets, n);
    CLAIM(w.at <= w.size && IMPLIES(before.failed, w.failed) && IMPLIES(w.failed, w.at == before.at));
    if (w.failed)
        return;
    CLAIM(w.at == before.at + 4 + xdr_padded(n));
    x = xdr_begin(w.p + before.at, w.at - before.at);
    CLAIM(xdr_opaque(&x, &item, &length) && length == n && xdr_left(&x) == 0);
    CLAIM(IMPLIES(i < n, item[i] == octets[i]));
    CLAIM(IMPLIES(i >= n && i < xdr_padded(n), item[i] == 0));
    FALSE_CLAIM(n % 4 == 0);
}

void proof_xdr_write_words(void)
{
    size_t size = any_size_to(16);
    struct xdr_writer w = {.p = any_octets(size), .size = size, .at = any_size_to(size), .failed = any_bool()};
    const struct xdr_writer before = w;
    uint64_t value = any_u64();

    xdr_put_u64(&w, value);
    CLAIM(IMPLIES(w.failed, w.at == before.at));
    CLAIM(IMPLIES(!w.failed, w.at == before.at + 8 && get_be64(w.p + before.at) == value));
    if (!w.failed)
        xdr_put_u32(&w, (uint32_t)value);
    CLAIM(w.at <= w.size);
    FALSE_CLAIM(w.failed);
}
