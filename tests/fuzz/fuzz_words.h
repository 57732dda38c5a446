/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mutator for inputs with a head and 32-bit words, such as XDR, or programs in steps of four octets. libFuzzer's own
 * mutator inserts and removes single octets, which misaligns XDR. Only in programs with libFuzzer.
 */
#ifndef IWARP_TESTS_FUZZ_FUZZ_WORDS_H
#define IWARP_TESTS_FUZZ_FUZZ_WORDS_H

#include "tests/fuzz/fuzz.h"

#ifdef IWARP_LIBFUZZER

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed);

static inline uint32_t fuzz_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Typical counts, discriminants, operations and errors. */
static inline uint32_t fuzz_word(uint32_t *state)
{
    static const uint32_t limits[] = {0, 1, 2, 0xffffffff, 0x7fffffff, 0x80000000, 10000, 65536};

    switch (fuzz_random(state) % 4) {
    case 0:
        return limits[fuzz_random(state) % (sizeof limits / sizeof limits[0])];
    case 1:
        return 10000 + fuzz_random(state) % 100;
    default:
        return fuzz_random(state) % 80;
    }
}

static inline size_t fuzz_word_insert(uint8_t *words, size_t n, size_t room, size_t at, size_t length)
{
    if (length > room - n)
        length = room - n;
    memmove(words + 4 * (at + length), words + 4 * at, 4 * (n - at));
    return length;
}

/* Changes words[0..n), at most `room`. Returns the new number. */
static inline size_t fuzz_change_words(uint8_t *words, size_t n, size_t room, uint32_t *state)
{
    size_t at = n > 0 ? fuzz_random(state) % n : 0, length = 1 + fuzz_random(state) % 8, from;
    uint32_t word = fuzz_word(state);
    uint8_t octets[4] = {(uint8_t)(word >> 24), (uint8_t)(word >> 16), (uint8_t)(word >> 8), (uint8_t)word};

    switch (n > 0 ? fuzz_random(state) % 6 : 1) {
    case 0: /* another value */
        memcpy(words + 4 * at, octets, 4);
        return n;
    case 1: /* one more */
        if (fuzz_word_insert(words, n, room, at, 1) == 0)
            return n;
        memcpy(words + 4 * at, octets, 4);
        return n + 1;
    case 2: /* fewer */
        length = length > n - at ? n - at : length;
        memmove(words + 4 * at, words + 4 * (at + length), 4 * (n - at - length));
        return n - length;
    case 3: /* repeats some words: two operations, another element */
        length = length > n - at ? n - at : length;
        return n + fuzz_word_insert(words, n, room, at, length);
    case 4: /* copies some to another place */
        from = fuzz_random(state) % n;
        length = length > n - at ? n - at : length;
        length = length > n - from ? n - from : length;
        memmove(words + 4 * at, words + 4 * from, 4 * length);
        return n;
    default: /* a bit */
        words[4 * at + fuzz_random(state) % 4] ^= (uint8_t)(1u << fuzz_random(state) % 8);
        return n;
    }
}

/* For LLVMFuzzerCustomMutator(): head: octets before the words. */
static inline size_t fuzz_mutate_words(uint8_t *data, size_t size, size_t max, unsigned seed, size_t head)
{
    uint32_t state = seed;
    size_t n;

    /* libFuzzer's own mutator for the head, for the dictionary, and to join inputs. */
    if (size < head || max < head || fuzz_random(&state) % 4 == 0)
        return LLVMFuzzerMutate(data, size, max);
    n = (size - head) / 4;
    for (unsigned i = 1 + fuzz_random(&state) % 4; i > 0; i--)
        n = fuzz_change_words(data + head, n, (max - head) / 4, &state);
    return head + 4 * n;
}

#endif
#endif
