/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packs memory that is mostly zero: of each word the upper octets that are 0 are left out. */
#ifndef IWARP_ENGINE_CORE_PACKED_H
#define IWARP_ENGINE_CORE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKED_MAX = 40960 }; /* octets that can be packed at a time */

struct packed {
    uint8_t *octets; /* groups of 64 words: a bit for each that is not 0, then length and octets of each of these */
    uint32_t size;   /* octets */
    uint32_t of;     /* words, before packing */
};

/* size: of whole words, at most PACKED_MAX. False: memory is lacking. */
bool pack(struct packed *packed, const void *memory, size_t size);
/* Into memory that is all 0. Frees what is packed. */
void unpack(struct packed *packed, void *memory);

#endif
