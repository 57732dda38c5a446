// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/rdmap_terminate.c: RFC 5040 section 4.8. */
#include "wire/rdmap_terminate.h"

#include "tests/proofs/proof.h"

void proof_rdmap_terminate_decode(void)
{
    struct rdmap_terminate terminate;
    size_t n = any_size_to(RDMAP_TERMINATE_LEN_MAX + 8), size = any_size_to(RDMAP_TERMINATE_LEN_MAX), i = any_size();
    const uint8_t *p = any_octets(n);
    uint8_t *out = any_octets(size);
    enum rdmap_terminate_status status = rdmap_terminate_decode(&terminate, p, n);
    size_t whole, written;

    CLAIM((status == RDMAP_TERMINATE_SHORT) == (n < RDMAP_TERMINATE_LEN_MIN));
    if (status == RDMAP_TERMINATE_SHORT)
        return;
    CLAIM(IMPLIES(terminate.has_ddp, terminate.has_length && terminate.d));
    CLAIM(IMPLIES(terminate.has_read, terminate.r));
    if (status != RDMAP_TERMINATE_OK)
        return;
    CLAIM(terminate.has_length == (terminate.m || terminate.d) && terminate.has_ddp == terminate.d);
    CLAIM(terminate.has_read == terminate.r);
    whole = n - terminate.trailing_len;
    CLAIM(terminate.trailing == (terminate.trailing_len > 0 ? p + whole : NULL));
    written = rdmap_terminate_encode(&terminate, out, size);
    CLAIM(written == (size < whole ? 0 : whole));
    CLAIM(IMPLIES(i < written, out[i] == p[i]));
    FALSE_CLAIM(terminate.trailing_len == 0);
    FALSE_CLAIM(whole < RDMAP_TERMINATE_LEN_MAX);
    FALSE_CLAIM(written == 0);
}

/* What a Terminate says about a ULPDU is the beginning of that ULPDU. */
void proof_rdmap_terminate_echo(void)
{
    struct rdmap_terminate terminate = {.layer = 1, .etype = any_u8() & 15, .code = any_u8()}, read;
    size_t n = any_size_to(48), written, i = any_size();
    const uint8_t *p = any_octets(n);
    uint8_t out[RDMAP_TERMINATE_LEN_MAX];

    if (!rdmap_terminate_echo(&terminate, p, n))
        return;
    written = rdmap_terminate_encode(&terminate, out, sizeof out);
    CLAIM(written == 6u + terminate.ddp.header_len);
    CLAIM(rdmap_terminate_decode(&read, out, written) == RDMAP_TERMINATE_OK);
    CLAIM(read.segment_length == n && read.code == terminate.code && read.m && read.d && !read.r);
    ASSUME(i < terminate.ddp.header_len);
    CLAIM(out[6 + i] == p[i]);
    FALSE_CLAIM(n == terminate.ddp.header_len);
}

void proof_rdmap_terminate_names(void)
{
    unsigned layer = any_u32(), etype = any_u32(), code = any_u32();
    const char *of_etype = rdmap_terminate_etype_name(layer, etype);

    CLAIM(IMPLIES(of_etype, layer <= RDMAP_LAYER_LLP && etype <= 3));
    CLAIM(IMPLIES(rdmap_terminate_code_name(layer, etype, code), of_etype && code <= UINT8_MAX));
    FALSE_CLAIM(!of_etype);
}
