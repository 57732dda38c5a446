/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * The Transport header of RPC-over-RDMA version 1: RFC 8166 section 4, with the message types of RFC 5666 that it
 * reserves. The Send begins with it; all words are big-endian.
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                            rdma_xid                           |
 *  +---------------------------------------------------------------+
 *  |                           rdma_vers                           |
 *  +---------------------------------------------------------------+
 *  |                          rdma_credit                          |
 *  +---------------------------------------------------------------+
 *  |                           rdma_proc                           |
 *  +---------------------------------------------------------------+
 *  /  RDMA_MSG, RDMA_NOMSG: Read list, Write list, Reply chunk     /
 *  /  RDMA_MSGP: rdma_align, rdma_thresh, then as RDMA_MSG         /
 *  /  RDMA_DONE: nothing                                           /
 *  /  RDMA_ERROR: rdma_err; ERR_VERS: also vers_low, vers_high     /
 *  +---------------------------------------------------------------+
 *  /  RDMA_MSG, RDMA_MSGP: the RPC message                         /
 *  +---------------------------------------------------------------+
 *
 * A plain segment, 16 octets; a read segment has its position, one word, before it:
 *
 *  +---------------------------------------------------------------+
 *  |                             handle                            |
 *  +---------------------------------------------------------------+
 *  |                             length                            |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                             offset                            +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *
 *   Read list     { 1, read segment } ... 0      a Read chunk: all segments of one position
 *   Write list    { 1, Write chunk } ... 0
 *   Write chunk   count, count plain segments    a Reply chunk is laid out alike
 *   Reply chunk   0, or 1 and a Write chunk
 *
 * The decoder borrows the octets and copies nothing: the accessors read lists from the octets that were decoded.
 */
/* clang-format on */
#ifndef IWARP_WIRE_RPCRDMA_H
#define IWARP_WIRE_RPCRDMA_H

#include "wire/xdr.h"

enum {
    RPCRDMA_VERSION = 1,
    RPCRDMA_PORT = 20049,
    RPCRDMA_FIXED_LEN = 16,  /* the four words that every message has */
    RPCRDMA_HEADER_MIN = 28, /* with three empty lists */
    RPCRDMA_ERR_CHUNK_LEN = 20,
    RPCRDMA_ERR_VERS_LEN = 28,
    RPCRDMA_SEGMENT_LEN = 16,
    RPCRDMA_READ_SEGMENT_LEN = 20,
    RPCRDMA_INLINE_DEFAULT = 1024, /* inline threshold when nothing else is known: section 3.3.3 */
    RPCRDMA_ERR_EXTRA_WORDS = 8,   /* RFC 5666 section 4.3: after an rdma_err that is neither of the two */
};

enum rpcrdma_proc {
    RPCRDMA_MSG = 0,
    RPCRDMA_NOMSG = 1,
    RPCRDMA_MSGP = 2, /* unused: RFC 8166 section 4.6.1 */
    RPCRDMA_DONE = 3, /* unused: section 4.6.2 */
    RPCRDMA_ERROR = 4,
};

enum rpcrdma_err { RPCRDMA_ERR_VERS = 1, RPCRDMA_ERR_CHUNK = 2 };

struct rpcrdma_segment {
    uint32_t handle; /* STag */
    uint32_t length;
    uint64_t offset; /* Tagged Offset */
};

struct rpcrdma_read_segment {
    uint32_t position;
    struct rpcrdma_segment target;
};

/* A list in the Send. */
struct rpcrdma_list {
    uint32_t at;  /* offset of its first word */
    uint32_t end; /* offset after its last word */
    /* Number of entries: read segments of the Read list, chunks of the Write list, segments of the Reply chunk. */
    uint32_t n;
    uint32_t segments; /* total in all entries */
};

enum rpcrdma_status {
    RPCRDMA_OK,
    RPCRDMA_SHORT,    /* ends within the fixed words, or within the body that rdma_proc requires (error data) */
    RPCRDMA_BAD_PROC, /* rdma_proc above 4: the following words are meaningless */
    RPCRDMA_BAD_DISCRIMINATOR, /* a word that announces an optional element is neither 0 nor 1 */
    RPCRDMA_OVERRUN,           /* a list continues past the end of the Send */
    RPCRDMA_BAD_ERR,           /* rdma_err is neither ERR_VERS nor ERR_CHUNK; header_len then ends after rdma_err */
};

struct rpcrdma_header {
    enum rpcrdma_status status;
    uint32_t xid, vers, credit, proc;
    uint32_t align, thresh; /* RDMA_MSGP */
    /* RDMA_MSG, RDMA_NOMSG, RDMA_MSGP; entries decoded before a fault are valid, other lists have n 0. */
    struct rpcrdma_list read, write, reply;
    bool has_reply; /* a Reply chunk is present, possibly without segments */
    uint32_t err, vers_low, vers_high;
    /* Length of the Transport header, after which the RPC message begins. Valid with RPCRDMA_OK, BAD_ERR. */
    uint32_t header_len;
    uint32_t fault_at; /* else: offset of the wrong word, or where the missing word should be */
    /* With BAD_PROC, BAD_DISCRIMINATOR, BAD_ERR: the wrong value; with OVERRUN: a count that is too large, or 0. */
    uint32_t fault;
};

/*
 * Decodes the Send p[0..n) according to rdma_proc, whatever rdma_vers says. Fields after the fault are zero. Time is
 * linear in n.
 */
enum rpcrdma_status rpcrdma_header_decode(struct rpcrdma_header *out, const uint8_t *p, size_t n);

/* Read segment i of header->read.n, in list order. p: the decoded octets. */
struct rpcrdma_read_segment rpcrdma_read_segment_at(const struct rpcrdma_header *header, const uint8_t *p, uint32_t i);

/* Iterates over the Write list: start with rpcrdma_write_begin(); false after the last chunk. */
struct rpcrdma_chunk {
    uint32_t at;   /* offset of its count word */
    uint32_t n;    /* number of segments */
    uint32_t next; /* private to the accessors */
};
struct rpcrdma_chunk rpcrdma_write_begin(const struct rpcrdma_header *header);
bool rpcrdma_write_next(const struct rpcrdma_header *header, const uint8_t *p, struct rpcrdma_chunk *chunk);
/* The Reply chunk; only if has_reply. */
struct rpcrdma_chunk rpcrdma_reply_chunk(const struct rpcrdma_header *header);
struct rpcrdma_segment rpcrdma_segment_at(const struct rpcrdma_chunk *chunk, const uint8_t *p, uint32_t i);

/* "RDMA_MSG", ..., "unknown" */
const char *rpcrdma_proc_name(uint32_t proc);
/* "ERR_VERS", "ERR_CHUNK", "unknown" */
const char *rpcrdma_err_name(uint32_t err);

/* ---- encoder ---- */

struct rpcrdma_write_plan {
    const struct rpcrdma_segment *segments;
    uint32_t n;
};

/* The header to write: fields as they are, right or wrong, so that faults can be made. */
struct rpcrdma_plan {
    uint32_t xid, vers, credit, proc;
    uint32_t align, thresh;
    const struct rpcrdma_read_segment *reads;
    uint32_t n_reads;
    const struct rpcrdma_write_plan *writes;
    uint32_t n_writes;
    const struct rpcrdma_write_plan *reply; /* NULL: not present */
    uint32_t err, vers_low, vers_high;
};

/* Appends the header; w->failed is set when it does not fit. */
void rpcrdma_header_encode(const struct rpcrdma_plan *plan, struct xdr_writer *w);

#endif
