/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * The Terminate header, in the DDP payload: RFC 5040 section 4.8.
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------+-------+---------------+-+-+-+-------------------------+
 *  | Layer | EType |   Error Code  |M|D|R|         Reserved        |
 *  +-------+-------+---------------+-+-+-+-------------------------+
 *  |      DDP Segment Length       |                               |
 *  +-------------------------------+                               +
 *  /                 Terminated DDP Header (14 or 18)              /
 *  +---------------------------------------------------------------+
 *  /                   Terminated RDMA Header (28)                 /
 *  +---------------------------------------------------------------+
 *
 * DDP Segment Length is present when M or D is set; the DDP header when D is set (its T bit decides its length); the
 * RDMA header, always a Read Request's, when R is set. Length and DDP header have the same layout as in the offending
 * FPDU, so the octets from 4 on are a copy of its beginning.
 */
/* clang-format on */
#ifndef IWARP_WIRE_RDMAP_TERMINATE_H
#define IWARP_WIRE_RDMAP_TERMINATE_H

#include "wire/rdmap.h"

enum rdmap_terminate_layer { RDMAP_LAYER_RDMA = 0, RDMAP_LAYER_DDP = 1, RDMAP_LAYER_LLP = 2 };

struct rdmap_terminate {
    uint8_t layer;     /* 4 bits */
    uint8_t etype;     /* 4 bits */
    uint8_t code;      /* Error Code */
    bool m, d, r;      /* as sent */
    uint16_t reserved; /* 13 bits */
    /*
     * The parts present. Decoded: those that m, d, r announce and that are complete. Encoded: whatever is set, so that
     * faults can be made.
     */
    bool has_length, has_ddp, has_read;
    uint16_t segment_length;
    struct ddp_segment ddp; /* header only, payload is NULL */
    struct rdmap_read_request read;
    const uint8_t *trailing; /* octets after these parts, borrowed; NULL: none. Not encoded. */
    size_t trailing_len;
};

enum rdmap_terminate_status {
    RDMAP_TERMINATE_OK,
    RDMAP_TERMINATE_SHORT, /* fewer than 4 octets: *out is unchanged */
    RDMAP_TERMINATE_CUT,   /* a part that M, D, R announce is missing; the complete parts before it are decoded */
};

enum rdmap_terminate_status rdmap_terminate_decode(struct rdmap_terminate *out, const uint8_t *p, size_t n);

/* Returns the number of octets written, or 0 when size is too small. */
size_t rdmap_terminate_encode(const struct rdmap_terminate *terminate, uint8_t *out, size_t size);

/*
 * Sets length and DDP header, with M and D, from the offending ULPDU p[0..n); false when the ULPDU has no DDP header.
 */
bool rdmap_terminate_echo(struct rdmap_terminate *terminate, const uint8_t *p, size_t n);

/* Names in the words of the RFCs; NULL for undefined values. */
const char *rdmap_terminate_etype_name(unsigned layer, unsigned etype);
/* NULL for layer 0, EType 0, too, where any code is acceptable and meaningless. */
const char *rdmap_terminate_code_name(unsigned layer, unsigned etype, unsigned code);

#endif
