/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * Lookups of rpcbind, and their answers: the address of a program. RFC 1833, on ONC RPC (RFC 5531), UDP and TCP port
 * 111.
 *
 * Arguments of GETPORT, version 2 (portmapper); prot is 6 for TCP, 17 for UDP:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                              prog                             |
 *  +---------------------------------------------------------------+
 *  |                              vers                             |
 *  +---------------------------------------------------------------+
 *  |                              prot                             |
 *  +---------------------------------------------------------------+
 *  |                              port                             |
 *  +---------------------------------------------------------------+
 *
 * Arguments of GETADDR, versions 3 and 4, and of GETVERSADDR and GETADDRLIST, version 4; the strings are XDR's
 * (wire/xdr.h):
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                              prog                             |
 *  +---------------------------------------------------------------+
 *  |                              vers                             |
 *  +---------------------------------------------------------------+
 *  /                             netid                             /
 *  +---------------------------------------------------------------+
 *  /                            address                            /
 *  +---------------------------------------------------------------+
 *  /                             owner                             /
 *  +---------------------------------------------------------------+
 *
 * The result of GETPORT is the port, 0 if the program is not registered; the result of GETADDR and GETVERSADDR is the
 * universal address, a string, empty if the program is not registered.
 *
 * DUMP has no arguments: it asks for all mappings. On TCP each record follows its mark (RFC 5531 section 11):
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-+-------------------------------------------------------------+
 *  |L|                           length                            |    L: last fragment
 *  +-+-------------------------------------------------------------+
 */
/* clang-format on */
#ifndef IWARP_WIRE_RPCBIND_H
#define IWARP_WIRE_RPCBIND_H

#include "wire/rpc.h"

enum {
    RPCBIND_PORT = 111,
    RPCBIND_PROGRAM = 100000,
    RPCBIND_PORTMAPPER = 2, /* the version with protocol numbers; 3 and 4 have network identifiers */
    RPCBIND_MARK_LEN = 4,
    RPCBIND_TCP = 6, /* protocols */
    RPCBIND_UDP = 17,
};

enum rpcbind_question {
    RPCBIND_NOTHING,    /* a Reply, or a Call that does not ask for an address */
    RPCBIND_LOOKUP,     /* asks for one program and version: all fields are set */
    RPCBIND_DUMP,       /* asks for all mappings: `version` is set */
    RPCBIND_UNREADABLE, /* not a whole rpcbind message */
};

struct rpcbind_lookup {
    uint32_t xid;
    uint32_t version, procedure; /* of rpcbind */
    uint32_t program, program_version;
    uint32_t protocol;    /* IP protocol; version 2 only */
    const uint8_t *netid; /* borrowed; versions 3 and 4 only */
    uint32_t netid_len;
};

/* Decodes p[0..n), which begins with the XID. */
enum rpcbind_question rpcbind_decode(struct rpcbind_lookup *out, const uint8_t *p, size_t n);
/*
 * Returns the first record of a TCP segment and moves p[0..n) past it. NULL: the record continues in another segment,
 * and the rest of this segment is skipped.
 */
const uint8_t *rpcbind_next_record(const uint8_t **p, size_t *n, size_t *length);

enum rpcbind_answer {
    RPCBIND_NO_ANSWER, /* a Call, an error, an address without a port, or no whole message */
    RPCBIND_NOT_REGISTERED,
    RPCBIND_REGISTERED,
};
/* The XID of p[0..n) if the octets begin a Reply. */
bool rpcbind_reply_xid(const uint8_t *p, size_t n, uint32_t *xid);
/*
 * What the Reply p[0..n) to GETPORT, GETADDR or GETVERSADDR says about the program; other procedures give
 * RPCBIND_NO_ANSWER. *port: of a registered program; 0: the address does not end as RFC 5665 requires.
 */
enum rpcbind_answer rpcbind_decode_answer(uint32_t version, uint32_t procedure, const uint8_t *p, size_t n,
                                          uint16_t *port);

/* The transport that is asked about: the protocol or network identifier, for IPv4 or IPv6. */
enum rpcbind_transport {
    RPCBIND_FOR_TCP,
    RPCBIND_FOR_UDP,
    RPCBIND_FOR_RDMA,
    RPCBIND_FOR_RDMA6,
    RPCBIND_FOR_OTHERS,
};
enum rpcbind_transport rpcbind_transport(const struct rpcbind_lookup *lookup);
/* The network identifiers of RDMA transports, "rdma" and "rdma6" (RFC 8166 section 9). */
bool rpcbind_is_rdma(const struct rpcbind_lookup *lookup);
/* "tcp" and "tcp6": RFC 5665. ip: 4 or 6. */
bool rpcbind_is_tcp(const struct rpcbind_lookup *lookup, uint8_t ip);
/* "GETPORT", "GETADDR", ...; "?" when the version has no such procedure. */
const char *rpcbind_name(uint32_t version, uint32_t procedure);

/* Writes the Call for a lookup, without credentials; version, procedure, program etc. as they are. */
void rpcbind_encode(const struct rpcbind_lookup *lookup, uint32_t xid, struct xdr_writer *w);

#endif
