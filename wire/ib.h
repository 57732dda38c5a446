/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of the InfiniBand transport (InfiniBand Architecture Specification volume 1, chapter 9), which RoCE carries,
 * too: Base Transport Header, extended headers by opcode, payload, pad, invariant CRC. All fields are big-endian except
 * the CRC (wire/ib_icrc.h).
 *
 * AtomicAckETH (8 octets) is the original data, ImmDt (4) the immediate data, IETH (4) the R_Key to invalidate; the
 * others are drawn below.
 *
 * The upper three bits of OpCode are the transport service, the lower five the operation. RFC 8166's handle and offset
 * are R_Key and virtual address here.
 */
/* clang-format off */
/*
 * BTH, 12 octets; S: Solicited Event, M: MigReq, F and B: FECN and BECN, A: AckReq:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------+-+-+---+-------+-------------------------------+
 *  |    OpCode     |S|M|Pad| TVer  |             P_Key             |
 *  +-+-+-----------+-+-+---+-------+-------------------------------+
 *  |F|B| reserved  |                Destination QP                 |
 *  +-+-+-----------+-----------------------------------------------+
 *  |A|  reserved   |            Packet Sequence Number             |
 *  +-+-------------+-----------------------------------------------+
 *
 * DETH, 8 octets:
 *
 *  +---------------------------------------------------------------+
 *  |                             Q_Key                             |
 *  +---------------+-----------------------------------------------+
 *  |    reserved   |                   Source QP                   |
 *  +---------------+-----------------------------------------------+
 *
 * RETH, 16 octets:
 *
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                        Virtual Address                        +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                             R_Key                             |
 *  +---------------------------------------------------------------+
 *  |                           DMA Length                          |
 *  +---------------------------------------------------------------+
 *
 * AtomicETH, 28 octets:
 *
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                        Virtual Address                        +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                             R_Key                             |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                       Swap (or Add) Data                      +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +                          Compare Data                         +
 *  |                                                               |
 *  +---------------------------------------------------------------+
 *
 * AETH, 4 octets:
 *
 *  +---------------+-----------------------------------------------+
 *  |    Syndrome   |                      MSN                      |
 *  +---------------+-----------------------------------------------+
 */
/* clang-format on */
#ifndef IWARP_WIRE_IB_H
#define IWARP_WIRE_IB_H

#include "wire/tap_mark.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IB_BTH_LEN = 12,
    IB_DETH_LEN = 8,
    IB_RETH_LEN = 16,
    IB_ATOMIC_ETH_LEN = 28,
    IB_AETH_LEN = 4,
    IB_ATOMIC_ACK_ETH_LEN = 8,
    IB_IMMDT_LEN = 4,
    IB_IETH_LEN = 4,
    IB_ICRC_LEN = 4,
    IB_HEADERS_MAX = IB_BTH_LEN + IB_ATOMIC_ETH_LEN,
    IB_PSN_MASK = 0xFFFFFF,
    IB_MTU_MAX = 4096,
    IB_QP_CM = 1, /* the general services QP, which receives connection management */
    IB_ROCE2_UDP_PORT = 4791,
    IB_ROCE1_ETHERTYPE = 0x8915,
};

enum ib_service { IB_RC = 0, IB_UC = 1, IB_RD = 2, IB_UD = 3, IB_CNP = 4, IB_XRC = 5 };

/* The lower five bits of OpCode. */
enum ib_operation {
    IB_SEND_FIRST = 0x00,
    IB_SEND_MIDDLE = 0x01,
    IB_SEND_LAST = 0x02,
    IB_SEND_LAST_IMMEDIATE = 0x03,
    IB_SEND_ONLY = 0x04,
    IB_SEND_ONLY_IMMEDIATE = 0x05,
    IB_WRITE_FIRST = 0x06,
    IB_WRITE_MIDDLE = 0x07,
    IB_WRITE_LAST = 0x08,
    IB_WRITE_LAST_IMMEDIATE = 0x09,
    IB_WRITE_ONLY = 0x0A,
    IB_WRITE_ONLY_IMMEDIATE = 0x0B,
    IB_READ_REQUEST = 0x0C,
    IB_READ_RESPONSE_FIRST = 0x0D,
    IB_READ_RESPONSE_MIDDLE = 0x0E,
    IB_READ_RESPONSE_LAST = 0x0F,
    IB_READ_RESPONSE_ONLY = 0x10,
    IB_ACKNOWLEDGE = 0x11,
    IB_ATOMIC_ACKNOWLEDGE = 0x12,
    IB_COMPARE_SWAP = 0x13,
    IB_FETCH_ADD = 0x14,
    IB_SEND_LAST_INVALIDATE = 0x16,
    IB_SEND_ONLY_INVALIDATE = 0x17,
};

/* Which extended headers an opcode has; they follow in this order. */
enum ib_header {
    IB_HAS_DETH = 1,
    IB_HAS_RETH = 2,
    IB_HAS_ATOMIC = 4,
    IB_HAS_AETH = 8,
    IB_HAS_ATOMIC_ACK = 16,
    IB_HAS_IMMEDIATE = 32,
    IB_HAS_INVALIDATE = 64,
};

/* The kind of message that a packet belongs to. */
enum ib_message {
    IB_MESSAGE_SEND,
    IB_MESSAGE_WRITE,
    IB_MESSAGE_READ,
    IB_MESSAGE_READ_RESPONSE,
    IB_MESSAGE_ACK,
    IB_MESSAGE_ATOMIC,
    IB_MESSAGE_ATOMIC_ACK
};

struct ib_opcode_info {
    const char *name;  /* "SEND First" */
    const char *token; /* for one-line notations: "SEND_FIRST" */
    uint8_t message;   /* enum ib_message */
    uint8_t headers;   /* set of enum ib_header, without DETH, which depends on the service */
    bool first, last;  /* both: "Only"; neither: "Middle" */
    bool payload;      /* may carry payload */
    bool response;     /* its PSN belongs to the other direction's requests */
};

/*
 * opcode: a whole OpCode. NULL for operations that the service does not have (section 9.2.1), and for RD, XRC and CNP,
 * which have headers of their own.
 */
const struct ib_opcode_info *ib_opcode_info(unsigned opcode);

static inline enum ib_service ib_service_of(unsigned opcode)
{
    return (enum ib_service)(opcode >> 5 & 7);
}

struct ib_bth {
    uint8_t opcode;
    bool solicited, migration;
    uint8_t pad;     /* octets after the payload, 0 to 3 */
    uint8_t version; /* TVer, 0 */
    uint16_t pkey;
    bool fecn, becn;
    uint32_t qp; /* destination, 24 bits */
    bool ack_request;
    uint32_t psn; /* 24 bits */
};

struct ib_reth {
    uint64_t address;
    uint32_t rkey;
    uint32_t length;
};

struct ib_atomic {
    uint64_t address;
    uint32_t rkey;
    uint64_t swap; /* or the data to add */
    uint64_t compare;
};

/* Syndrome of an AETH (section 9.7.5.2.1). */
enum ib_aeth_kind { IB_AETH_ACK, IB_AETH_RNR_NAK, IB_AETH_RESERVED, IB_AETH_NAK };
enum ib_nak {
    IB_NAK_SEQUENCE = 0,
    IB_NAK_INVALID_REQUEST = 1,
    IB_NAK_REMOTE_ACCESS = 2,
    IB_NAK_REMOTE_OPERATION = 3,
    IB_NAK_INVALID_RD_REQUEST = 4,
};

struct ib_aeth {
    uint8_t syndrome;
    uint32_t msn; /* 24 bits */
};

static inline enum ib_aeth_kind ib_aeth_kind(uint8_t syndrome)
{
    return (enum ib_aeth_kind)(syndrome >> 5 & 3);
}

/* How long an RNR NAK with this syndrome asks the requester to wait (section 9.7.5.2.8, table "RNR NAK timer"). */
int64_t ib_rnr_timer_ns(uint8_t syndrome);
/* "PSN sequence error", ..., for a NAK's syndrome. NULL for reserved codes. */
const char *ib_nak_name(uint8_t syndrome);

struct ib_packet {
    struct ib_bth bth;
    const struct ib_opcode_info *info; /* NULL: an opcode without known headers; everything after the BTH is payload */
    unsigned headers;                  /* set of enum ib_header: the headers that are valid */
    uint32_t qkey, source_qp;          /* DETH */
    struct ib_reth reth;
    struct ib_atomic atomic;
    struct ib_aeth aeth;
    uint64_t original; /* AtomicAckETH */
    uint32_t immediate;
    uint32_t invalidate;
    uint8_t header_len;      /* BTH and extended headers */
    const uint8_t *payload;  /* borrowed */
    size_t payload_len;      /* without pad, according to the packet's length */
    size_t payload_captured; /* number of payload octets captured */
    bool icrc_captured;
    const uint8_t *icrc; /* 4 octets; NULL unless captured */
    bool icrc_wrong;     /* set by whoever verifies the ICRC; decoding leaves it false */
    struct tap_mark tap; /* set by whoever reads the frame; decoding leaves it false */
};

enum ib_decoding {
    IB_DECODED,
    IB_CUT,       /* the headers were not captured completely: bth is valid if its 12 octets were, nothing else */
    IB_MALFORMED, /* headers, pad and CRC are longer than the packet */
};

/*
 * Decodes what UDP (RoCE v2), the GRH or the LRH carries: the octets from the BTH to the ICRC, `length` on the wire, of
 * which `captured` are at p. *out is zeroed first.
 */
enum ib_decoding ib_packet_decode(struct ib_packet *out, const uint8_t *p, size_t length, size_t captured);

/*
 * Writes BTH and the extended headers of the opcode; returns their length, or 0 when size is too small or the opcode
 * has no info. The caller adds payload, pad and ICRC.
 */
size_t ib_headers_encode(const struct ib_packet *packet, uint8_t *out, size_t size);

/* How far b is after a, in -2^23 .. 2^23 - 1 (section 9.7.1: PSNs are compared modulo 2^24). */
static inline int32_t ib_psn_distance(uint32_t a, uint32_t b)
{
    return (int32_t)((b - a) << 8) >> 8;
}

/* Local Route Header of the InfiniBand link (section 7.7). */
enum { IB_LRH_LEN = 8, IB_GRH_LEN = 40 };
enum ib_next { IB_NEXT_RAW = 0, IB_NEXT_IPV6 = 1, IB_NEXT_BTH = 2, IB_NEXT_GRH = 3 };

struct ib_lrh {
    uint8_t virtual_lane, service_level;
    uint8_t next; /* enum ib_next */
    uint16_t destination, source;
    uint16_t words; /* packet length in 4-octet words, from the LRH up to the VCRC */
};

bool ib_lrh_decode(struct ib_lrh *out, const uint8_t *p, size_t n);
size_t ib_lrh_encode(const struct ib_lrh *lrh, uint8_t *out, size_t size);

/* Global Route Header: has the layout of an IPv6 header (section 8.3); next header 0x1B is the BTH. */
enum { IB_GRH_NEXT_BTH = 0x1B };

struct ib_grh {
    uint8_t version, traffic_class;
    uint32_t flow_label;
    uint16_t payload_length; /* octets from the end of the GRH up to the VCRC, including the ICRC */
    uint8_t next, hop_limit;
    uint8_t source[16], destination[16];
};

bool ib_grh_decode(struct ib_grh *out, const uint8_t *p, size_t n);
size_t ib_grh_encode(const struct ib_grh *grh, uint8_t *out, size_t size);

#endif
