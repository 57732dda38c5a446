/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that is mostly zero, in little room: words without their upper octets that are 0. */
#ifndef IWARP_ENGINE_CORE_PACKED_H
#define IWARP_ENGINE_CORE_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACKED_MAX = 40960 }; /* octets that can be packed at a time */

struct packed {
    uint8_t *octets; /* for each 64 words which of them are not 0, and then the length of each of these, and it */
    uint32_t size;   /* octets */
    uint32_t of;     /* words they were */
};

/* size: of whole words, at most PACKED_MAX. False: memory is lacking. */
bool pack(struct packed *packed, const void *memory, size_t size);
/* Into memory that is all 0. Frees what is packed. */
void unpack(struct packed *packed, void *memory);

#endif
