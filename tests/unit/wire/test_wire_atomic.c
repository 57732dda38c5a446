// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"
#include "wire/atomic.h"

/* RFC 7306 section 5.1.1 bit by bit: a full adder whose carry a mask bit stops. */
static uint64_t fetch_add_by_bits(uint64_t original, uint64_t add, uint64_t mask)
{
    uint64_t result = 0;
    unsigned carry = 0;

    for (unsigned bit = 0; bit < 64; bit++) {
        unsigned ones = carry + (original >> bit & 1) + (add >> bit & 1);

        result |= (uint64_t)(ones % 2) << bit;
        carry = mask >> bit & 1 ? 0 : ones / 2;
    }
    return result;
}

/* RFC 7306 section 5.1.2 bit by bit. */
static uint64_t cmp_swap_by_bits(uint64_t original, uint64_t compare, uint64_t compare_mask, uint64_t swap,
                                 uint64_t swap_mask)
{
    uint64_t result = 0;

    for (unsigned bit = 0; bit < 64; bit++)
        if (compare_mask >> bit & 1 && (compare >> bit & 1) != (original >> bit & 1))
            return original;
    for (unsigned bit = 0; bit < 64; bit++)
        result |= ((swap_mask >> bit & 1 ? swap : original) >> bit & 1) << bit;
    return result;
}

/* Random values, including critical patterns for carries and masks. */
static uint64_t interesting(uint64_t *seed)
{
    static const uint64_t patterns[] = {0,
                                        UINT64_MAX,
                                        1,
                                        UINT64_C(1) << 63,
                                        UINT64_C(0x8000000080000000),
                                        UINT64_C(0x5555555555555555),
                                        UINT64_C(0xAAAAAAAAAAAAAAAA),
                                        UINT64_C(0x8080808080808080)};
    uint64_t r = next_random(seed);

    switch (r % 6) {
    case 0:
        return patterns[(r >> 8) % ARRAY_LENGTH(patterns)];
    case 1:
        return UINT64_C(1) << ((r >> 8) % 64); /* one bit */
    case 2:
        return UINT64_MAX >> ((r >> 8) % 64); /* a run of ones */
    case 3:
        return next_random(seed) & next_random(seed) & next_random(seed);
    default:
        return next_random(seed);
    }
}

UNIT_TEST(fetch_add_examples)
{
    assert_true(masked_fetch_add(41, 1, 0) == 42);
    assert_true(masked_fetch_add(UINT64_MAX, 1, 0) == 0);
    assert_true(masked_fetch_add(UINT64_MAX, 1, UINT64_C(1) << 63) == 0);
    /* two fields of 32 bits: the lower wraps and does not change the upper */
    assert_true(masked_fetch_add(UINT64_C(0x00000005FFFFFFFF), UINT64_C(0x0000000100000001),
                                 UINT64_C(0x0000000080000000)) == UINT64_C(0x0000000600000000));
    /* fields of one bit: exclusive or */
    assert_true(masked_fetch_add(UINT64_C(0xF0F0), UINT64_C(0xFF00), UINT64_MAX) == UINT64_C(0x0FF0));
}

UNIT_TEST(fetch_add_agrees_with_the_bits)
{
    uint64_t seed = 12;

    for (unsigned i = 0; i < 300000; i++) {
        uint64_t original = interesting(&seed), add = interesting(&seed), mask = interesting(&seed);

        assert_true(masked_fetch_add(original, add, mask) == fetch_add_by_bits(original, add, mask));
        assert_true(masked_fetch_add(original, add, 0) == original + add);
    }
}

UNIT_TEST(cmp_swap_examples)
{
    assert_true(masked_cmp_swap(7, 7, UINT64_MAX, 9, UINT64_MAX) == 9);
    assert_true(masked_cmp_swap(7, 8, UINT64_MAX, 9, UINT64_MAX) == 7);
    assert_true(masked_cmp_swap(7, 8, 0, 9, UINT64_MAX) == 9);                    /* nothing is compared */
    assert_true(masked_cmp_swap(0x1234, 0x0034, 0xFF, 0xABCD, 0xFF00) == 0xAB34); /* the masks are independent */
    assert_true(masked_cmp_swap(7, 7, UINT64_MAX, 9, 0) == 7);
}

UNIT_TEST(cmp_swap_agrees_with_the_bits)
{
    uint64_t seed = 13;
    unsigned swapped = 0;

    for (unsigned i = 0; i < 300000; i++) {
        uint64_t original = interesting(&seed), compare_mask = interesting(&seed);
        uint64_t compare =
            next_random(&seed) & 1 ? original ^ (interesting(&seed) & ~compare_mask) : interesting(&seed);
        uint64_t swap = interesting(&seed), swap_mask = interesting(&seed);
        uint64_t result = masked_cmp_swap(original, compare, compare_mask, swap, swap_mask);

        assert_true(result == cmp_swap_by_bits(original, compare, compare_mask, swap, swap_mask));
        swapped += result != original;
    }
    assert_true(swapped > 50000);
}

UNIT_TEST(apply_follows_the_opcode)
{
    struct rdmap_atomic_request request = {
        .data = 5, .mask = UINT64_MAX, .compare_data = 7, .compare_mask = UINT64_MAX};
    uint64_t result;

    request.opcode = RDMAP_ATOMIC_CMP_SWAP;
    assert_true(rdmap_atomic_apply(&request, 7, &result));
    assert_true(result == 5);
    assert_true(rdmap_atomic_apply(&request, 8, &result));
    assert_true(result == 8);
    request.opcode = RDMAP_ATOMIC_FETCH_ADD;
    request.mask = 0;
    assert_true(rdmap_atomic_apply(&request, 7, &result));
    assert_true(result == 12);
    for (uint8_t opcode = 0; opcode < 16; opcode++) {
        request.opcode = opcode;
        assert_int_equal(rdmap_atomic_apply(&request, 7, &result), rdmap_atomic_name(opcode) != NULL);
    }
}
