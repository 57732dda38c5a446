/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One TCP segment, or one packet of RoCE v2, as an Ethernet frame, with correct lengths and checksums.
 *
 *   Ethernet 14 | VLAN tag 4, optional | IPv4 20 or IPv6 40 | TCP 20 + options | payload
 *                                                           | UDP 8 | headers of InfiniBand | payload | pad | ICRC 4
 */
#ifndef IWARP_SUPPORT_FRAMES_FRAME_H
#define IWARP_SUPPORT_FRAMES_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FRAME_HEAD_MAX = 14 + 4 + 40 + 60, FRAME_MAX = FRAME_HEAD_MAX + 65535 };

/* Addressing of the two ends; the same for the whole connection. */
struct frame_path {
    bool ipv6;
    bool vlan;
    bool no_df;             /* IPv4: leave Don't Fragment unset (RFC 5044 A.5.1 says it should be set) */
    uint8_t host[2];        /* last octet of the address of each TCP side */
    bool real;              /* uses the addresses below, not documentation addresses */
    uint8_t address[2][16]; /* of each TCP side, in network order; IPv4: the first four octets */
    uint16_t port[2];
};

struct frame_tcp {
    unsigned side; /* of the sender */
    uint32_t seq, ack;
    uint8_t flags;         /* as in the header: FIN 0x01, SYN 0x02, RST 0x04, PSH 0x08, ACK 0x10 */
    uint8_t traffic_class; /* of IP: DSCP and ECN */
    uint16_t window;
    uint16_t urgent; /* pointer, with the flag URG (0x20) */
    bool bad_checksum;
    uint16_t ip_id;
    const uint8_t *options; /* padded to a multiple of four */
    size_t options_length;
    const uint8_t *payload;
    size_t payload_length;
};

/* Writes the frame to out (FRAME_MAX octets); returns its length. A payload too long for an IP datagram is cut. */
size_t frame_encode(const struct frame_path *path, const struct frame_tcp *tcp, uint8_t *out);

/* RoCE v2 (InfiniBand Architecture Specification volume 1, annex A17). path->port is not used. */
struct frame_roce {
    unsigned side;        /* of the sender */
    uint16_t source_port; /* UDP: the same for all packets of one flow */
    uint16_t ip_id;
    const uint8_t *headers; /* BTH and extended headers, whose pad count is that of the payload */
    size_t headers_length;
    const uint8_t *payload;
    size_t payload_length;
    bool no_icrc; /* its octets are 0, for packets that were never on a wire */
};

/* Like frame_encode(), but pads the payload and adds the invariant CRC. */
size_t frame_encode_roce(const struct frame_path *path, const struct frame_roce *roce, uint8_t *out);

/* Writes the address of a side, 4 or 16 octets; returns their number. */
size_t frame_address(const struct frame_path *path, unsigned side, uint8_t *out);

/*
 * Cuts an IPv4 frame from frame_encode() into two fragments of one datagram; the first holds `first` octets of the IP
 * payload (a multiple of eight). Returns false for IPv6 or a datagram that is too short. Lengths go to *length.
 */
bool frame_fragment(const struct frame_path *path, const uint8_t *frame, size_t n, size_t first, uint8_t *out[2],
                    size_t length[2]);

#endif
