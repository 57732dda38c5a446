/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads an Ethernet frame for a host with its own TCP: a TCP segment (RFC 9293 section 3.1), a question or answer about
 * a neighbour (ARP, RFC 826; Neighbor Discovery, RFC 4861 section 4.3), news of a smaller path MTU (RFC 792, RFC 4443
 * section 3.2), or an Echo Request. Every octet may be hostile.
 */
#ifndef IWARP_TRAFFIC_LIVE_WIRE_PACKET_H
#define IWARP_TRAFFIC_LIVE_WIRE_PACKET_H

#include "wire/endpoint.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WIRE_MAC = 6,
    WIRE_ETHERNET = 14,
    ETHERTYPE_OF_IPV4 = 0x0800,
    ETHERTYPE_OF_ARP = 0x0806,
    ETHERTYPE_OF_IPV6 = 0x86DD,
    PROTOCOL_OF_ICMP = 1,
    PROTOCOL_OF_TCP = 6,
    PROTOCOL_OF_ICMPV6 = 58,
    ICMP_ECHO_REQUEST_TYPE = 8,
    ICMPV6_TOO_BIG_TYPE = 2,
    ICMPV6_ECHO_REQUEST_TYPE = 128,
    ND_SOLICITATION = 135,
    ND_ADVERTISEMENT = 136,
};

enum wire_packet_kind {
    PACKET_OTHER, /* irrelevant, a fragment, or damaged */
    PACKET_TCP,
    PACKET_QUESTION, /* who has `target`? */
    PACKET_ANSWER,   /* `target` is at `mac` */
    PACKET_TOO_BIG,  /* a packet of ours was too big */
    PACKET_ECHO,     /* an Echo Request */
};

struct wire_packet {
    enum wire_packet_kind kind;
    struct endpoint source, destination; /* ports of TCP; TOO_BIG: those of our oversized packet */
    uint8_t target[16];                  /* QUESTION, ANSWER */
    uint8_t mac[WIRE_MAC];               /* of the sender of a QUESTION or ANSWER */
    bool has_mac;
    uint8_t flags; /* TCP, and the members below */
    uint16_t window;
    uint16_t mss; /* option of a SYN; 0: none */
    uint16_t urgent;
    uint32_t seq; /* TOO_BIG: of our packet */
    uint32_t ack;
    bool congested;         /* IP: Congestion Experienced */
    uint32_t mtu;           /* TOO_BIG */
    const uint8_t *payload; /* of TCP; ECHO: from the ICMP header on. Points into the frame */
    size_t payload_length;
};

/*
 * Reads n octets at frame. sums_due: the checksum of TCP is complete; a frame from this machine may have a partial one
 * (offload).
 */
void wire_packet_parse(const uint8_t *frame, size_t n, bool sums_due, struct wire_packet *out);

/* ---- frames that a host sends; each function returns the length ---- */

struct wire_self {
    uint8_t mac[WIRE_MAC];
    uint8_t ip; /* 4 or 6 */
    uint8_t address[16];
};

enum { WIRE_SMALL_FRAME = 128 };

/* Asks for the MAC address of `target`; for its own address this is an announcement. */
size_t wire_packet_ask(const struct wire_self *self, const uint8_t *target, uint8_t out[WIRE_SMALL_FRAME]);
/* Answers a QUESTION with our address. 0: impossible. */
size_t wire_packet_answer(const struct wire_self *self, const struct wire_packet *question,
                          uint8_t out[WIRE_SMALL_FRAME]);
/* Turns the frame of an ECHO into its reply, in place. */
void wire_packet_echo(const struct wire_self *self, uint8_t *frame, struct wire_packet *echo);
/*
 * "Too big" (RFC 792 Fragmentation Needed, RFC 4443 Packet Too Big) from us to `to`, as if its packet with this TCP
 * header had met a path of `mtu` octets.
 */
size_t wire_packet_too_big(const struct wire_self *self, const uint8_t mac[WIRE_MAC], const struct endpoint *to,
                           const struct endpoint *ours, uint32_t seq, uint16_t mtu, uint8_t out[WIRE_SMALL_FRAME]);

#endif
