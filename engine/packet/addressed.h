/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contents of an unwrapped packet, and its endpoints: a TCP segment, or a packet of the InfiniBand transport. */
#ifndef IWARP_ENGINE_PACKET_ADDRESSED_H
#define IWARP_ENGINE_PACKET_ADDRESSED_H

#include "wire/endpoint.h"
#include "wire/ib_icrc.h"
#include "wire/tap_mark.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- TCP ---- */

enum { TCP_FIN = 0x01, TCP_SYN = 0x02, TCP_RST = 0x04, TCP_PSH = 0x08, TCP_ACK = 0x10 };

/* One captured segment; numbers in host order. */
struct tcp_segment {
    uint32_t frame;
    int64_t time_ns;
    uint8_t side; /* 0 or 1: the sender */
    uint8_t flags;
    bool sack_permitted; /* option, SYN only */
    bool df;             /* IPv4 DF bit set, or IPv6 */
    bool fragmented;     /* came as IP fragments */
    bool ip_wrong;       /* the checksum of an IPv4 header is wrong, and not 0, which an interface fills in */
    bool stamped;        /* has the Timestamps option */
    uint16_t mss;        /* option, SYN only; 0 when absent */
    uint16_t window;
    uint8_t window_scale; /* option, SYN only; 255 when absent */
    uint32_t seq, ack;
    uint32_t stamp, echo; /* TSval and TSecr; valid with stamped */
    uint32_t length;      /* payload octets on the wire */
    uint32_t captured;    /* payload octets present, <= length (snap length) */
    const uint8_t *payload;
    /*
     * For the checksum (engine/packet/tcp_checksum.h), if verifiable: the header, and the n_addresses octets of both
     * addresses in the IP header, while the packet's memory is valid; or their sums.
     */
    const uint8_t *header, *addresses;
    uint8_t n_addresses;
    struct tcp_sums {
        bool known;
        uint16_t checksum;    /* the field's value, as it is in memory */
        uint64_t pseudo, all; /* of the pseudo-header; of pseudo-header and header */
    } sums;
};

/* A segment and its endpoints. Only connections_segment() (engine/tcp/connections.h) sets segment.side. */
struct addressed_segment {
    struct endpoint source, destination;
    struct tcp_segment segment;
};

/* ---- RoCE, InfiniBand ---- */

enum ib_address_kind { IB_ADDRESS_LID = 2, IB_ADDRESS_IPV4 = 4, IB_ADDRESS_IPV6 = 6, IB_ADDRESS_GID = 16 };

struct ib_address {
    uint8_t kind;       /* enum ib_address_kind */
    uint8_t octets[16]; /* network order, the rest is zero */
    uint32_t network;   /* as in struct endpoint */
};

/* The octets from the BTH to the ICRC, and the headers before them. Pointers are valid as long as packet->data. */
struct ib_datagram {
    struct ib_address source, destination;
    uint32_t frame;
    int64_t time_ns;
    const uint8_t *p; /* `captured` of `length` octets */
    uint32_t captured, length;
    enum ib_below kind;
    bool ip_wrong;        /* the checksum of the IPv4 header is wrong, and not 0 */
    struct tap_mark tap;  /* with IB_BELOW_TAP; source and destination as in this packet */
    const uint8_t *below; /* ends where p begins; NULL: there are extension headers, for which the ICRC is undefined */
    uint32_t below_len;
};

#endif
