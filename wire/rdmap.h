/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RDMAP messages: the opcode table (RFC 5040 sections 4.1 and 4.2, RFC 7306 section 4) and the headers of fixed length.
 * The header is the beginning of the DDP payload; Terminate is in wire/rdmap_terminate.h.
 *
 *   Read Request (28)     0-3 SinkSTag, 4-11 SinkTO, 12-15 RDMARDSZ, 16-19 SrcSTag, 20-27 SrcTO
 *   Immediate Data (8)    0-7 data
 *   Atomic Request (52)   0-3 Reserved (28 bits) | AOpCode (4), 4-7 Request Identifier, 8-11 Remote STag, 12-19 Remote
 * TO, 20-27 Add or Swap Data, 28-35 Add or Swap Mask, 36-43 Compare Data, 44-51 Compare Mask Atomic Response (12)  0-3
 * Original Request Identifier, 4-11 Original Remote Data Value
 *
 * Decoders read what they need from p[0..n) and return false, *out unchanged, when n is too short; octets behind the
 * header are not theirs to judge. Encoders return the octets written, or 0 when size is too small.
 */
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
    RDMAP_OPCODE_EXPERIMENTAL = 15, /* as RFC 6580 registers it */
    RDMAP_QN_NONE = -1,
};

/* What the documents say of one opcode. */
struct rdmap_opcode_info {
    const char *name;     /* in the words of the RFC: "RDMA Read Request" */
    const char *token;    /* for one-line notations: "READ_REQ" */
    const char *document; /* "rfc5040" */
    const char *section;  /* where its message or header is defined */
    bool tagged;
    int8_t queue;          /* QN, RDMAP_QN_NONE when tagged */
    uint8_t header_min;    /* octets of RDMAP header in the DDP payload; 0: none */
    uint8_t header_max;    /* above header_min for Terminate only */
    bool ulp_data;         /* may carry ULP payload behind the header */
    bool many_segments;    /* may take more than one DDP segment */
    bool invalidates;      /* STag word of the header is the Invalidate STag */
    bool solicited;        /* with Solicited Event */
    bool rfc_version_only; /* RV must be 1 (RFC 7306 section 4.1) */
};

/* NULL for opcodes that no document defines (12 to 15, and above). */
const struct rdmap_opcode_info *rdmap_opcode_info(unsigned opcode);

/* Largest ULPDU of one message without ULP data: DDP header and RDMAP header; 0 when the opcode allows ULP data. */
unsigned rdmap_ulpdu_max(const struct rdmap_opcode_info *info);

/*
 * True when the two control octets can be those of an RDMAP message: reserved bits clear, versions 0 or 1, opcode
 * assigned, T bit and RV as the opcode demands. Anything else is a fault of its own, whatever its version bits say.
 */
bool rdmap_control_plausible(const struct ddp_segment *ddp);

struct rdmap_read_request {
    uint32_t sink_stag;
    uint64_t sink_to;
    uint32_t size; /* RDMARDSZ */
    uint32_t source_stag;
    uint64_t source_to;
};

bool rdmap_read_request_decode(struct rdmap_read_request *out, const uint8_t *p, size_t n);
size_t rdmap_read_request_encode(const struct rdmap_read_request *request, uint8_t *out, size_t size);

/* The 8 octets belong to the ULP; they are a number only for display, in network order. */
bool rdmap_immediate_decode(uint64_t *out, const uint8_t *p, size_t n);
size_t rdmap_immediate_encode(uint64_t data, uint8_t *out, size_t size);

enum rdmap_atomic_opcode {
    RDMAP_ATOMIC_FETCH_ADD = 0,
    RDMAP_ATOMIC_SWAP_RESERVED = 1, /* RFC 7306 section 5.2.1 speaks of it, its registry reserves the code */
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
