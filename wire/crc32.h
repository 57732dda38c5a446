/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC32 as Ethernet uses it, and InfiniBand in its ICRC. */
#ifndef IWARP_WIRE_CRC32_H
#define IWARP_WIRE_CRC32_H

#include <stddef.h>
#include <stdint.h>

/*
 * Continues from the CRC32 of a prefix (0 for an empty one): reflected, complemented; "123456789" gives 0xCBF43926.
 * data may be NULL when len is 0.
 */
uint32_t crc32_extend(uint32_t crc, const void *data, size_t len);

/* The same without special CPU instructions, some twenty times slower. */
uint32_t crc32_extend_plain(uint32_t crc, const void *data, size_t len);

#endif
