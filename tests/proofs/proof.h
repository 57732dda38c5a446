/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of proofs. A proof is a function proof_NAME() of this directory; proofs.tsv lists all of them. CBMC tries
 * every value of everything that any_...() returns, and every path, and shows that no claim fails and nothing is
 * undefined: no access outside, no overflow, no shift too far, no loop beyond its bound.
 *
 * A proof that assumes too much proves nothing. So each proof has false claims beside the true ones: each must fail, or
 * the proof does not reach what it speaks about.
 */
#ifndef IWARP_TESTS_PROOFS_PROOF_H
#define IWARP_TESTS_PROOFS_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifndef __CPROVER__ /* for compilers, which check the types */
void __CPROVER_assert(bool claim, const char *text);
void __CPROVER_assume(bool chosen);
bool __CPROVER_r_ok(const void *p, size_t n);
bool __CPROVER_w_ok(const void *p, size_t n);
bool __CPROVER_same_object(const void *p, const void *q);
#endif

#define CLAIM(claim)       __CPROVER_assert(claim, #claim)
#define FALSE_CLAIM(claim) __CPROVER_assert(claim, "false: " #claim)
#define ASSUME(chosen)     __CPROVER_assume(chosen)
#define READABLE(p, n)     __CPROVER_r_ok(p, n)
#define WRITABLE(p, n)     __CPROVER_w_ok(p, n)
#define SAME_OBJECT(p, q)  __CPROVER_same_object(p, q)
#define IMPLIES(a, b)      (!(a) || (b))

/* A function without a body returns any value. */
uint8_t any_u8(void);
uint16_t any_u16(void);
uint32_t any_u32(void);
uint64_t any_u64(void);
size_t any_size(void);

static inline bool any_bool(void)
{
    return any_u8() & 1;
}

static inline size_t any_size_to(size_t most)
{
    size_t n = any_size();

    ASSUME(n <= most);
    return n;
}

/* n octets of any values; the octet after the last is outside. */
static inline uint8_t *any_octets(size_t n)
{
    uint8_t *p = malloc(n);

    ASSUME(p);
    return p;
}

/*
 * The same for octets that are accessed at places which the octets themselves decide: there an object of a fixed size,
 * whose last octet is the last of n, takes seconds instead of minutes. An access before the first octet is found only
 * for n == most.
 */
static inline uint8_t *any_octets_to(size_t n, size_t most)
{
    uint8_t *object = malloc(most);

    ASSUME(object && n <= most);
    return object + (most - n);
}

#endif
