/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two ends of a test say to each other in the MPA private data. With revision 2 it follows the enhanced
 * data. All big-endian.
 *
 *   of the DUT (Reply, or Request when it is the Initiator)   "IWT1" n:u32 n * { address:u64 stag:u32 length:u32 }
 *   of the test (Request, or Reply)                           "IWTQ" receives:u32 size:u32 flags:u32
 *
 *   of the test, in a Send, once the connection is in use     "IWTO" operation:u32 address:u64 stag:u32 data:u64
 *                                                             compare:u64
 *
 * The last one asks for an operation of the DUT's own on memory of the test. A DUT that cannot do it, or does not know
 * the words, treats the Send as any other: it echoes it.
 *
 * A DUT that ignores the test's words can still be tested, by fewer cases.
 */
#ifndef IWARP_SUPPORT_ADVERT_H
#define IWARP_SUPPORT_ADVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The regions of an advertisement, by index. */
enum advert_region {
    REGION_ALL,        /* remote read, write, atomics; 64 KiB */
    REGION_READ_ONLY,  /* remote read */
    REGION_WRITE_ONLY, /* remote write */
    REGION_LOCAL,      /* no remote access */
    REGION_FOREIGN,    /* of another Protection Domain */
    REGION_GONE,       /* invalidated already */
    REGION_SHARED,     /* as REGION_ALL, but its octets are those of all connections; a DUT may have none */
    REGION_COUNT
};

enum advert_flag {
    ADVERT_ECHO = 1,        /* send back what is sent */
    ADVERT_REJECT = 2,      /* these private data are not acceptable */
    ADVERT_REJECT_DATA = 4, /* the same, and the rejection is to carry private data */
    ADVERT_SILENT = 8,      /* never answer the Request */
};

struct advert_memory {
    uint64_t address; /* Tagged Offset of its first octet */
    uint32_t stag;
    uint32_t length;
};

struct advert {
    unsigned n; /* regions announced, at most REGION_COUNT are kept */
    struct advert_memory regions[REGION_COUNT];
};

struct advert_wish {
    uint32_t receives, size, flags;
};

enum advert_operation {
    ADVERT_FETCH_ADD = 1, /* of data, without a mask */
    ADVERT_CMP_SWAP,      /* of all bits, to data where the word is compare */
    ADVERT_IMMEDIATE_SE,  /* Immediate Data with Solicited Event: data; there is no memory */
};

struct advert_request {
    uint32_t operation, stag;
    uint64_t address, data, compare;
};

enum { ADVERT_MAX = 8 + REGION_COUNT * 16, ADVERT_WISH_LEN = 16, ADVERT_REQUEST_LEN = 36 };

/* ULP private data p[0..n). False when they are none of these. "LAB1" and "LABQ" mean the same. */
bool advert_decode(struct advert *out, const uint8_t *p, size_t n);
bool advert_wish_decode(struct advert_wish *out, const uint8_t *p, size_t n);
bool advert_request_decode(struct advert_request *out, const uint8_t *p, size_t n); /* of whatever operation */
size_t advert_encode(const struct advert *advert, uint8_t out[ADVERT_MAX]);
size_t advert_wish_encode(const struct advert_wish *wish, bool lab, uint8_t out[ADVERT_WISH_LEN]);
void advert_request_encode(const struct advert_request *request, uint8_t out[ADVERT_REQUEST_LEN]);

#endif
