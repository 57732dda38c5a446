/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The private data that the two ends of a test exchange in MPA's startup frames, after the enhanced data of revision 2.
 * All fields are big-endian.
 *
 *   from the DUT (Reply, or Request if it is the Initiator)   "IWT1" n:u32 n * { address:u64 stag:u32 length:u32 }
 *   from the test (Request, or Reply)                         "IWTQ" receives:u32 size:u32 flags:u32
 *
 *   from the test, in a Send on the established connection    "IWTO" operation:u32 address:u64 stag:u32 data:u64
 *                                                             compare:u64
 *
 * IWTO asks the DUT to perform an operation of its own on the test's memory. A DUT that cannot, or does not know the
 * format, treats the Send like any other and echoes it.
 *
 * A DUT that ignores IWTQ can still be tested, with fewer cases.
 */
#ifndef IWARP_SUPPORT_ADVERT_H
#define IWARP_SUPPORT_ADVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The regions of an advertisement, by index. */
enum advert_region {
    REGION_ALL,        /* remote read, write and atomics; 64 KiB */
    REGION_READ_ONLY,  /* remote read */
    REGION_WRITE_ONLY, /* remote write */
    REGION_LOCAL,      /* no remote access */
    REGION_FOREIGN,    /* of another Protection Domain */
    REGION_GONE,       /* invalidated already */
    REGION_SHARED,     /* like REGION_ALL, but shared by all connections; a DUT may lack it */
    REGION_COUNT
};

enum advert_flag {
    ADVERT_ECHO = 1,        /* echo every Send */
    ADVERT_REJECT = 2,      /* the private data are not acceptable: reject */
    ADVERT_REJECT_DATA = 4, /* likewise, and put private data into the rejection */
    ADVERT_SILENT = 8,      /* never answer the Request */
};

struct advert_memory {
    uint64_t address; /* Tagged Offset of its first octet */
    uint32_t stag;
    uint32_t length;
};

struct advert {
    unsigned n; /* number of regions announced; at most REGION_COUNT are kept */
    struct advert_memory regions[REGION_COUNT];
};

struct advert_wish {
    uint32_t receives, size, flags;
};

enum advert_operation {
    ADVERT_FETCH_ADD = 1, /* adds data, without a mask */
    ADVERT_CMP_SWAP,      /* swaps the word for data if all its bits equal compare */
    ADVERT_IMMEDIATE_SE,  /* Immediate Data with Solicited Event: data; no memory */
};

struct advert_request {
    uint32_t operation, stag;
    uint64_t address, data, compare;
};

enum { ADVERT_MAX = 8 + REGION_COUNT * 16, ADVERT_WISH_LEN = 16, ADVERT_REQUEST_LEN = 36 };

/* ULP private data p[0..n). False for other data. "LAB1" and "LABQ" are accepted as synonyms. */
bool advert_decode(struct advert *out, const uint8_t *p, size_t n);
bool advert_wish_decode(struct advert_wish *out, const uint8_t *p, size_t n);
bool advert_request_decode(struct advert_request *out, const uint8_t *p, size_t n); /* of any operation */
size_t advert_encode(const struct advert *advert, uint8_t out[ADVERT_MAX]);
size_t advert_wish_encode(const struct advert_wish *wish, bool lab, uint8_t out[ADVERT_WISH_LEN]);
void advert_request_encode(const struct advert_request *request, uint8_t out[ADVERT_REQUEST_LEN]);

#endif
