// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/atomic.h"

/*
 * Adds all fields at once: with their top bits cleared, no field can carry into the next one, because the sum of two
 * fields reaches the top bit at most. The top bits are then added without carry, which discards the carry. Bits above
 * the highest mask bit are a field, too, cut at 64 bits by the type.
 */
uint64_t masked_fetch_add(uint64_t original, uint64_t add, uint64_t mask)
{
    return ((original & ~mask) + (add & ~mask)) ^ ((original ^ add) & mask);
}

uint64_t masked_cmp_swap(uint64_t original, uint64_t compare, uint64_t compare_mask, uint64_t swap, uint64_t swap_mask)
{
    if ((original ^ compare) & compare_mask)
        return original;
    return original ^ ((original ^ swap) & swap_mask);
}

bool rdmap_atomic_apply(const struct rdmap_atomic_request *request, uint64_t original, uint64_t *result)
{
    switch (request->opcode) {
    case RDMAP_ATOMIC_FETCH_ADD:
        *result = masked_fetch_add(original, request->data, request->mask);
        return true;
    case RDMAP_ATOMIC_CMP_SWAP:
        *result = masked_cmp_swap(original, request->compare_data, request->compare_mask, request->data, request->mask);
        return true;
    default:
        return false;
    }
}
