/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CRC32c (Castagnoli) as iSCSI and MPA use it: RFC 5044 section 4.4, RFC 3720 Appendix B.4. */
#ifndef IWARP_WIRE_CRC32C_H
#define IWARP_WIRE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/*
 * The CRC32c of len octets: preset to all ones, reflected, complemented; "123456789" gives 0xE3069283.
 * On the wire the value goes least significant octet first (put_le32). data may be NULL when len is 0.
 */
uint32_t crc32c(const void *data, size_t len);

/* Continues from the CRC32c of a prefix: crc32c_extend(crc32c(a), b) == crc32c(a || b). */
uint32_t crc32c_extend(uint32_t crc, const void *data, size_t len);

/* crc32c_extend() without special CPU instructions, some twenty times slower. */
uint32_t crc32c_extend_plain(uint32_t crc, const void *data, size_t len);

/*
 * Index, at least `from`, of the first octet where the CRC32c of all octets before it is stored, least significant
 * octet first; n if there is none. A CRC of 0 does not count: zeros prove nothing.
 */
size_t crc32c_find(const uint8_t *p, size_t from, size_t n);

#endif
