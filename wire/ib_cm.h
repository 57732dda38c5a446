/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Connection management of InfiniBand (InfiniBand Architecture Specification volume 1, section 12.6): a connection's
 * ends, numbers and private data; and the IP addressing that librdmacm puts before the consumer's private data in a
 * request (Annex A11 of the specification, "RDMA IP CM Service").
 *
 * A MAD has 256 octets, big-endian: a header of 24 and the message.
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------+---------------+---------------+---------------+
 *  |Base version, 1|   Class, 7    |Class version,2|    Method     |
 *  +---------------+---------------+---------------+---------------+
 *  |            Status             |        Class specific         |
 *  +-------------------------------+-------------------------------+
 *  |                                                               |
 *  +                        Transaction ID                         +
 *  |                                                               |
 *  +-------------------------------+-------------------------------+
 *  |         Attribute ID          |           reserved            |
 *  +-------------------------------+-------------------------------+
 *  |                      Attribute modifier                       |
 *  +---------------------------------------------------------------+
 *
 * Offsets from the beginning of the message:
 *
 *   ConnectRequest      0 local comm ID, 8 service ID, 16 CA GUID, 32 local QPN (24 bits), 35 responder resources,
 *                       39 initiator depth, 43 remote CM response timeout (upper 5 bits), 44 starting PSN (24 bits),
 *                       47 local CM response timeout (upper 5 bits), retry count (lower 3), 48 P_Key,
 *                       50 path MTU (upper 4 bits), RNR retry count (lower 3), 51 max CM retries (upper 4 bits),
 *                       52 local LID, 54 remote LID, 56 local GID, 72 remote GID, 91 packet rate (lower 6 bits),
 *                       93 hop limit, 95 local ACK timeout (upper 5 bits), 140 private data (92 octets)
 *   ConnectReply        0 local comm ID, 4 remote comm ID, 12 local QPN (24 bits), 20 starting PSN (24 bits),
 *                       24 responder resources, 25 initiator depth, 27 RNR retry count (upper 3 bits), 28 CA GUID,
 *                       36 private data (196)
 *   ReadyToUse          0 local comm ID, 4 remote comm ID, 8 private data (224)
 *   ConnectReject       0 local comm ID, 4 remote comm ID, 8 message rejected (upper 2 bits), 10 reason,
 *                       84 private data (148)
 *   DisconnectRequest   0 local comm ID, 4 remote comm ID, 8 remote QPN (24 bits), 12 private data (220)
 *   DisconnectReply     0 local comm ID, 4 remote comm ID, 8 private data (224)
 *   MsgRcptAck          0 local comm ID, 4 remote comm ID, 8 message (upper 2 bits), 10 private data (222)
 *
 * The IP-CM header, 36 octets; an IPv4 address is in the last 4 of the 16 octets:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------+-------+-------+-------+-------------------------------+
 *  |MajVer |MinVer | IPver |reserv.|          Source port          |
 *  +-------+-------+-------+-------+-------------------------------+
 *  /                       Source address (16)                     /
 *  +---------------------------------------------------------------+
 *  /                    Destination address (16)                   /
 *  +---------------------------------------------------------------+
 */
/* clang-format on */
#ifndef IWARP_WIRE_IB_CM_H
#define IWARP_WIRE_IB_CM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    IB_MAD_LEN = 256,
    IB_MAD_HEADER_LEN = 24,
    IB_CM_PRIVATE_MAX = 224,
    IB_CM_REQUEST_PRIVATE = 92,
    IB_CM_REPLY_PRIVATE = 196,
    IB_IP_CM_LEN = 36,
    IB_CM_REJECT_INVALID_SERVICE_ID = 8,
    IB_CM_REJECT_CONSUMER = 28,
};

/* Attribute IDs (section 12.6, table "CM attributes"). */
enum ib_cm_attribute {
    IB_CM_REQUEST = 0x10,
    IB_CM_MRA = 0x11,
    IB_CM_REJECT = 0x12,
    IB_CM_REPLY = 0x13,
    IB_CM_READY = 0x14,
    IB_CM_DISCONNECT_REQUEST = 0x15,
    IB_CM_DISCONNECT_REPLY = 0x16,
};

/* "ConnectRequest", ...; NULL for attributes that do not concern a reliable connection. */
const char *ib_cm_name(unsigned attribute);

/* How to reach the responder according to a ConnectRequest, and the limits of both ends. */
struct ib_cm_path {
    uint64_t guid; /* the sender's channel adapter; also in a reply */
    uint16_t pkey;
    uint16_t lid[2];    /* local, remote: the sender's and its peer's */
    uint8_t gid[2][16]; /* likewise; an IPv4 address as ::ffff:a.b.c.d */
    uint8_t hop_limit, packet_rate;
    uint8_t cm_timeout;  /* of both ends: 4.096 us * 2^n */
    uint8_t ack_timeout; /* likewise */
    uint8_t cm_retries, retries, rnr_retries;
};

/* 0 for an exponent of 0, which means no timeout. */
static inline int64_t ib_cm_timeout_ns(uint8_t exponent)
{
    return exponent > 0 ? INT64_C(4096) << (exponent & 0x1F) : 0;
}

struct ib_cm {
    uint8_t attribute; /* enum ib_cm_attribute */
    uint64_t transaction;
    uint32_t local_id, remote_id; /* remote_id: 0 in a request */
    uint64_t service;             /* in a REQUEST */
    uint32_t qp;                  /* REQUEST, REPLY: the sender's; DISCONNECT_REQUEST: the receiver's */
    /* REQUEST, REPLY: the first PSN that the receiver of this message will use (section 12.7.24). */
    uint32_t psn;
    /* REQUEST, REPLY: number of Reads and Atomics that the sender serves at a time (IRD). */
    uint8_t responder_resources;
    uint8_t initiator_depth;     /* REQUEST, REPLY: number that the sender may have outstanding (ORD) */
    uint8_t path_mtu;            /* REQUEST: code, 1 to 5: 256 to 4096 octets */
    struct ib_cm_path path;      /* REQUEST; REPLY: guid and rnr_retries */
    uint8_t subject;             /* REJECT, MRA: 0 request, 1 reply, 2 others */
    uint16_t reason;             /* REJECT; 0: not captured */
    const uint8_t *private_data; /* borrowed; padded with zeros; the true length is not transmitted */
    uint8_t private_len;         /* length of the field */
};

/*
 * Decodes a MAD, of which p[0..n) was captured. False, with *out invalid, when the MAD is not connection management, or
 * n ends before the private data. private_len is the captured length of the field.
 */
bool ib_cm_decode(struct ib_cm *out, const uint8_t *p, size_t n);
/*
 * Decodes what was captured of a ConnectReject that was cut before its private data: type, IDs and reason, each 0 if n
 * ends before. False: another message, or cut before its type.
 */
bool ib_cm_decode_cut_reject(struct ib_cm *out, const uint8_t *p, size_t n);
/*
 * Writes the 256 octets; private data shorter than the field is padded with zeros. Returns 0 when size is too small,
 * the attribute is unknown, or the private data is too long. Fields that struct ib_cm lacks are zero.
 */
size_t ib_cm_encode(const struct ib_cm *cm, uint8_t *out, size_t size);

/* 256 to 4096 for a path MTU code; 0 for reserved codes. */
unsigned ib_cm_mtu(uint8_t code);

/* The header that librdmacm puts at the beginning of a request's private data. */
struct ib_ip_cm {
    uint8_t ip_version; /* 4 or 6 */
    uint16_t source_port;
    uint8_t source[16], destination[16]; /* IPv4: in the last four octets */
};

/* Service IDs of the RDMA IP CM Service: port space (0x0106: TCP) and port. */
bool ib_service_is_ip(uint64_t service, uint16_t *port);
uint64_t ib_service_of_port(uint16_t port);

/* False when p[0..n) does not begin with an IP-CM header: version 0.0 and an IP version of 4 or 6. */
bool ib_ip_cm_decode(struct ib_ip_cm *out, const uint8_t *p, size_t n);
size_t ib_ip_cm_encode(const struct ib_ip_cm *header, uint8_t *out, size_t size);

/*
 * The consumer's part of the private data: in a request to an IP service, the octets after the IP-CM header. *n is its
 * length.
 */
const uint8_t *ib_cm_consumer_data(const struct ib_cm *cm, size_t *n);

#endif
