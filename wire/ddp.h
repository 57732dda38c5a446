/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * DDP segment headers: RFC 5041 section 4. The octet after the DDP Control Field belongs to RDMAP (RFC 5040 section
 * 4.1); in untagged segments the word after that octet does, too. The payload follows the header.
 *
 * Tagged (T = 1), 14 octets:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *                                  +-+-+-------+---+---+---+-------+
 *                                  |T|L|  Rsvd | DV| RV|Rsv| Opcode|
 *  +-------------------------------+-+-+-------+---+---+---+-------+
 *  |                              STag                             |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                               TO                              +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *
 * Untagged (T = 0), 18 octets:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *                                  +-+-+-------+---+---+---+-------+
 *                                  |T|L|  Rsvd | DV| RV|Rsv| Opcode|
 *  +-------------------------------+-+-+-------+---+---+---+-------+
 *  |                  Invalidate STag, or reserved                 |
 *  +---------------------------------------------------------------+
 *  |                               QN                              |
 *  +---------------------------------------------------------------+
 *  |                              MSN                              |
 *  +---------------------------------------------------------------+
 *  |                               MO                              |
 *  +---------------------------------------------------------------+
 */
/* clang-format on */
#ifndef IWARP_WIRE_DDP_H
#define IWARP_WIRE_DDP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    DDP_TAGGED_HEADER_LEN = 14,
    DDP_UNTAGGED_HEADER_LEN = 18,
    DDP_QN_SEND = 0,
    DDP_QN_READ_REQUEST = 1,
    DDP_QN_TERMINATE = 2,
    DDP_QN_ATOMIC_RESPONSE = 3,
};

enum rdmap_opcode {
    RDMAP_WRITE = 0,
    RDMAP_READ_REQUEST = 1,
    RDMAP_READ_RESPONSE = 2,
    RDMAP_SEND = 3,
    RDMAP_SEND_INVALIDATE = 4,
    RDMAP_SEND_SE = 5,
    RDMAP_SEND_SE_INVALIDATE = 6,
    RDMAP_TERMINATE = 7,
    RDMAP_IMMEDIATE = 8,
    RDMAP_IMMEDIATE_SE = 9,
    RDMAP_ATOMIC_REQUEST = 10,
    RDMAP_ATOMIC_RESPONSE = 11,
};

struct ddp_segment {
    bool tagged;
    bool last;
    uint8_t rsvd;      /* 4 bits, shifted down */
    uint8_t dv;        /* DDP version */
    uint8_t rv;        /* RDMAP version */
    uint8_t rdmap_rsv; /* 2 bits, shifted down */
    uint8_t opcode;
    uint32_t stag; /* tagged: STag; untagged: Invalidate STag or the reserved word */
    uint64_t to;
    uint32_t qn, msn, mo;
    uint8_t header_len;     /* 14 or 18 */
    const uint8_t *payload; /* borrowed */
    size_t payload_len;
    size_t lacking; /* number of octets at the end of the payload that the capture lacks, and that read as zero */
};

/*
 * Decodes the ULPDU p[0..n). False when n is too short for the header that the T bit announces; what the first two
 * octets say is set if they are there.
 */
bool ddp_segment_decode(struct ddp_segment *out, const uint8_t *p, size_t n);

/* Writes the header; returns its length (14 or 18), or 0 when size is too small. */
size_t ddp_header_encode(const struct ddp_segment *segment, uint8_t *out, size_t size);

#endif
