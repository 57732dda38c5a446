/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result of an Atomic Operation in the Responder's memory: RFC 7306 section 5.1. Values are plain integers. */
#ifndef IWARP_WIRE_ATOMIC_H
#define IWARP_WIRE_ATOMIC_H

#include "wire/rdmap.h"

/*
 * Masked FetchAdd (5.1.1). A bit set in mask is the most significant bit of a field, whose carry is discarded. A mask
 * of 0 means plain 64-bit addition.
 */
uint64_t masked_fetch_add(uint64_t original, uint64_t add, uint64_t mask);

/*
 * Masked CmpSwap (5.1.2): where compare_mask is set, original must equal compare; then swap_mask's bits are replaced.
 */
uint64_t masked_cmp_swap(uint64_t original, uint64_t compare, uint64_t compare_mask, uint64_t swap, uint64_t swap_mask);

/* Applies the request's operation to original. False for an unassigned AOpCode. */
bool rdmap_atomic_apply(const struct rdmap_atomic_request *request, uint64_t original, uint64_t *result);

#endif
