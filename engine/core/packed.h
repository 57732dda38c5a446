/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs memory that is mostly zero: the leading zero octets of each word are omitted. */
#ifndef IWARP_ENGINE_CORE_PACKED_H
#define IWARP_ENGINE_CORE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKED_MAX = 40960 }; /* most octets that can be packed at a time */

struct packed {
    uint8_t *octets; /* groups of 64 words: a bit for each nonzero word, then the length and octets of each of these */
    uint32_t size;   /* in octets */
    uint32_t of;     /* number of words before packing */
};

/* size: a whole number of words, at most PACKED_MAX octets. False: out of memory. */
bool pack(struct packed *packed, const void *memory, size_t size);
/* Unpacks into memory that is all 0, and frees the packed octets. */
void unpack(struct packed *packed, void *memory);

#endif
