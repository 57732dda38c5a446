/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Terminate header: RFC 5040 section 4.8. Offsets in the DDP payload.
 *
 *   0-3     Layer 0xF0000000, EType 0x0F000000, Error Code 0x00FF0000, M 0x8000, D 0x4000, R 0x2000, Reserved 0x1FFF
 *   4-5     DDP Segment Length            when M or D is set
 *   then    Terminated DDP Header (14/18) when D is set; its own T bit tells which
 *   then    Terminated RDMA Header (28)   when R is set; that of a Read Request
 *
 * Length and DDP header lie as in the FPDU that they were taken from, so octets 4.. copy its beginning.
 */
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
    /* What is there. Decoded: announced by m, d, r and whole. Encoded: whatever is set, so that faults can be made. */
    bool has_length, has_ddp, has_read;
    uint16_t segment_length;
    struct ddp_segment ddp; /* header only, payload is NULL */
    struct rdmap_read_request read;
    const uint8_t *trailing; /* octets behind all this, borrowed; NULL when there are none. Not encoded. */
    size_t trailing_len;
};

enum rdmap_terminate_status {
    RDMAP_TERMINATE_OK,
    RDMAP_TERMINATE_SHORT, /* fewer than 4 octets: *out is unchanged */
    RDMAP_TERMINATE_CUT,   /* a part that M, D, R announce is missing; what is whole before it is decoded */
};

enum rdmap_terminate_status rdmap_terminate_decode(struct rdmap_terminate *out, const uint8_t *p, size_t n);

/* Returns the octets written, or 0 when size is too small. */
size_t rdmap_terminate_encode(const struct rdmap_terminate *terminate, uint8_t *out, size_t size);

/* Sets length and DDP header, with M and D, from the ULPDU p[0..n) that is accused; false when it has no DDP header. */
bool rdmap_terminate_accuse(struct rdmap_terminate *terminate, const uint8_t *p, size_t n);

/* Names in the standards' terms; NULL where the documents define none. */
const char *rdmap_terminate_layer_name(unsigned layer);
const char *rdmap_terminate_etype_name(unsigned layer, unsigned etype);
/* For layer 0, EType 0 any code is acceptable and has no meaning: NULL as well. */
const char *rdmap_terminate_code_name(unsigned layer, unsigned etype, unsigned code);

#endif
