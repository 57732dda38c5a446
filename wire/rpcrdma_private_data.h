/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * RPC-over-RDMA version 1 CM Private Data: RFC 8797 section 4.
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                Format Identifier (0xF6AB0E18)                 |
 *  +---------------+-------------+-+---------------+---------------+
 *  |  Version (1)  |  Reserved   |R|   Send Size   | Receive Size  |
 *  +---------------+-------------+-+---------------+---------------+
 *
 * R: remote invalidation is supported. A size of x means (x + 1) * 1024 octets.
 *
 * The block can begin at any octet of the Private Data of an MPA Request or Reply (section 5.2); in practice it follows
 * the enhanced data of RFC 6581. A peer that sends no valid block counts as having R 0 and both sizes 1024.
 */
/* clang-format on */
#ifndef IWARP_WIRE_RPCRDMA_PRIVATE_DATA_H
#define IWARP_WIRE_RPCRDMA_PRIVATE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RPCRDMA_PD_LEN = 8,
    RPCRDMA_PD_VERSION = 1,
    RPCRDMA_PD_FLAG_R = 0x01,
    RPCRDMA_PD_FLAGS_RESERVED = 0xFE,
    RPCRDMA_PD_SIZE_UNIT = 1024,
    RPCRDMA_PD_SIZE_MAX = 256 * RPCRDMA_PD_SIZE_UNIT,
};

#define RPCRDMA_PD_IDENTIFIER UINT32_C(0xF6AB0E18)

struct rpcrdma_private_data {
    size_t offset;   /* offset of the Format Identifier in the given octets; not encoded */
    uint8_t version; /* as sent */
    uint8_t flags;   /* octet 5 as sent */
    bool remote_invalidation;
    uint32_t send_size;    /* octets, 1024..262144, always a multiple of 1024 */
    uint32_t receive_size; /* as send_size */
};

enum rpcrdma_private_data_status {
    RPCRDMA_PD_OK,
    RPCRDMA_PD_ABSENT, /* no Format Identifier; *out is unchanged */
    /* The Format Identifier was found, but fewer than 8 octets from there on; only offset is set. */
    RPCRDMA_PD_TRUNCATED,
    RPCRDMA_PD_BAD_VERSION, /* Version is not 1; only offset and version are meaningful */
};

/*
 * Searches p[0..n) for the Format Identifier and decodes the block. The first valid block counts, so that octets that
 * happen to equal the identifier do not hide it. Without a valid block the first block found is reported.
 */
enum rpcrdma_private_data_status rpcrdma_private_data_find(struct rpcrdma_private_data *out, const uint8_t *p,
                                                           size_t n);

/*
 * Writes the 8 octets. version and flags are written as they are, R is added when remote_invalidation is set; sizes are
 * rounded down to a multiple of 1024 and limited to the possible range. Returns 8, or 0 when size is too small.
 */
size_t rpcrdma_private_data_encode(const struct rpcrdma_private_data *data, uint8_t *out, size_t size);

#endif
