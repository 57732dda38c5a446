/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * RDMAP messages: the opcode table (RFC 5040 sections 4.1 to 4.3, RFC 7306 section 4) and the headers of fixed length.
 * The header is the beginning of the DDP payload; Terminate is in wire/rdmap_terminate.h.
 *
 * RDMA Read Request, 28 octets (RFC 5040 section 4.4):
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                            SinkSTag                           |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                             SinkTO                            +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                            RDMARDSZ                           |
 *  +---------------------------------------------------------------+
 *  |                            SrcSTag                            |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                             SrcTO                             +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *
 * Immediate Data, 8 octets (RFC 7306 section 6.2): the ULP's.
 *
 * Atomic Request, 52 octets (RFC 7306 section 5.2.1):
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------------------------------------------------------+-------+
 *  |                       Reserved                        |AOpCode|
 *  +-------------------------------------------------------+-------+
 *  |                       Request Identifier                      |
 *  +---------------------------------------------------------------+
 *  |                          Remote STag                          |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                      Remote Tagged Offset                     +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                        Add or Swap Data                       +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                        Add or Swap Mask                       +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                          Compare Data                         +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                          Compare Mask                         +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *
 * Atomic Response, 12 octets (RFC 7306 section 5.2.2):
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                  Original Request Identifier                  |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                   Original Remote Data Value                  +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *
 * Decoders read what they need from p[0..n) and return false, with *out unchanged, when n is too short; they ignore
 * octets after the header. Encoders return the number of octets written, or 0 when size is too small.
 */
/* clang-format on */
#ifndef IWARP_WIRE_RDMAP_H
#define IWARP_WIRE_RDMAP_H

#include "wire/ddp.h"

enum {
    RDMAP_READ_REQUEST_LEN = 28,
    RDMAP_TERMINATE_LEN_MIN = 4,
    RDMAP_TERMINATE_LEN_MAX = 52, /* length field, Untagged DDP header, Read Request header */
    RDMAP_IMMEDIATE_LEN = 8,
    RDMAP_ATOMIC_REQUEST_LEN = 52,
    RDMAP_ATOMIC_RESPONSE_LEN = 12,
    RDMAP_OPCODE_EXPERIMENTAL = 15, /* as registered by RFC 6580 */
    RDMAP_QN_NONE = -1,
};

/* Properties of one opcode according to the RFCs. */
struct rdmap_opcode_info {
    const char *name;  /* as in RFC 5040 Figure 4: "RDMA Read Request" */
    const char *token; /* for one-line notations: "READ-REQ" */
    const char *key;   /* for JSON: "read_request" */
    bool tagged;
    int8_t queue;          /* QN, RDMAP_QN_NONE when tagged */
    uint8_t header_min;    /* octets of RDMAP header in the DDP payload; 0: none */
    uint8_t header_max;    /* differs from header_min for Terminate only */
    bool ulp_data;         /* may carry ULP payload after the header, in any number of DDP segments */
    bool invalidates;      /* the STag word of the header is the Invalidate STag */
    bool solicited;        /* with Solicited Event */
    bool rfc_version_only; /* from RFC 7306: RV must be 1 (section 4.1) */
};

enum { RDMAP_OPCODES = RDMAP_ATOMIC_RESPONSE + 1 };
extern const struct rdmap_opcode_info rdmap_opcodes[RDMAP_OPCODES];

/* NULL for opcodes that no RFC defines (12 to 15, and above). */
static inline const struct rdmap_opcode_info *rdmap_opcode_info(unsigned opcode)
{
    return opcode < RDMAP_OPCODES ? &rdmap_opcodes[opcode] : NULL;
}

/* A Send, with or without Invalidate and Solicited Event. */
static inline bool rdmap_is_send(unsigned opcode)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);

    return info && info->queue == DDP_QN_SEND && info->ulp_data;
}

static inline bool rdmap_invalidates(unsigned opcode)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(opcode);

    return info && info->invalidates;
}

/* Largest ULPDU of one message without ULP data: DDP header and RDMAP header; 0 when the opcode allows ULP data. */
unsigned rdmap_ulpdu_max(const struct rdmap_opcode_info *info);

/*
 * True when the two control octets can belong to an RDMAP message: reserved bits clear, versions 0 or 1, opcode
 * assigned, T bit as the opcode requires. Anything else is a separate fault, whatever the version bits say.
 */
static inline bool rdmap_control_plausible(const struct ddp_segment *ddp)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);

    return info && info->tagged == ddp->tagged && ddp->rsvd == 0 && ddp->rdmap_rsv == 0 && ddp->dv <= 1 && ddp->rv <= 1;
}
/* The opcode does not exist in the RDMAP version given by RV. */
static inline bool rdmap_opcode_too_new(const struct ddp_segment *ddp)
{
    const struct rdmap_opcode_info *info = rdmap_opcode_info(ddp->opcode);

    return info && info->rfc_version_only && ddp->rv == 0;
}

struct rdmap_read_request {
    uint32_t sink_stag;
    uint64_t sink_to;
    uint32_t size; /* RDMARDSZ */
    uint32_t source_stag;
    uint64_t source_to;
};

bool rdmap_read_request_decode(struct rdmap_read_request *out, const uint8_t *p, size_t n);
size_t rdmap_read_request_encode(const struct rdmap_read_request *request, uint8_t *out, size_t size);

/* The 8 octets belong to the ULP; the number, in network order, is for display only. */
bool rdmap_immediate_decode(uint64_t *out, const uint8_t *p, size_t n);
size_t rdmap_immediate_encode(uint64_t data, uint8_t *out, size_t size);

enum rdmap_atomic_opcode {
    RDMAP_ATOMIC_FETCH_ADD = 0,
    RDMAP_ATOMIC_SWAP_RESERVED = 1, /* mentioned in RFC 7306 section 5.2.1; the registry reserves the code */
    RDMAP_ATOMIC_CMP_SWAP = 2,
};

struct rdmap_atomic_request {
    uint32_t reserved; /* 28 bits, shifted down */
    uint8_t opcode;    /* AOpCode, 4 bits */
    uint32_t identifier;
    uint32_t stag;
    uint64_t to;
    uint64_t data; /* Add or Swap Data */
    uint64_t mask; /* Add or Swap Mask */
    uint64_t compare_data;
    uint64_t compare_mask;
};

bool rdmap_atomic_request_decode(struct rdmap_atomic_request *out, const uint8_t *p, size_t n);
size_t rdmap_atomic_request_encode(const struct rdmap_atomic_request *request, uint8_t *out, size_t size);

/* "FetchAdd", "CmpSwap", NULL for others. */
const char *rdmap_atomic_name(unsigned atomic_opcode);

struct rdmap_atomic_response {
    uint32_t identifier;
    uint64_t original;
};

bool rdmap_atomic_response_decode(struct rdmap_atomic_response *out, const uint8_t *p, size_t n);
size_t rdmap_atomic_response_encode(const struct rdmap_atomic_response *response, uint8_t *out, size_t size);

#endif
