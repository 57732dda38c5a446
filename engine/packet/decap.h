/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a captured packet to a TCP segment, or to a packet of the InfiniBand transport: link layer, VLAN tags, IPv4 and
 * IPv6 with their options, extension headers and fragments, TCP header; UDP to the port of RoCE v2, the GRH of RoCE v1,
 * the LRH of an InfiniBand link. The same inside tunnels (decap_tunnel.h). TCP checksums are not verified here:
 * captures on the sending host have partial ones (offload), see engine/packet/tcp_checksum.h.
 */
#ifndef IWARP_ENGINE_PACKET_DECAP_H
#define IWARP_ENGINE_PACKET_DECAP_H

#include "engine/packet/addressed.h"
#include "wire/ib.h"

/* A packet as captured. */
struct packet {
    uint32_t frame;    /* number in the capture, from 1; wraps to 1 after the largest number */
    int64_t time_ns;   /* since the epoch */
    uint32_t length;   /* on the wire */
    uint32_t captured; /* octets at data, <= length */
    const uint8_t *data;
    int linktype; /* DLT_... */
};

enum decap_status {
    DECAP_TCP,
    DECAP_IB,        /* RoCE, InfiniBand */
    DECAP_RPCBIND,   /* a UDP datagram to or from port 111 */
    DECAP_TUNNEL,    /* in a tunnel that is not decoded */
    DECAP_OTHER,     /* none of these */
    DECAP_FRAGMENT,  /* a fragment, kept until the others come */
    DECAP_CUT,       /* the snap length cut the headers, or a length field exceeds the packet */
    DECAP_MALFORMED, /* a header contradicts itself */
    DECAP_LINKTYPE,  /* unknown link type */
    DECAP_STATUS_COUNT
};

struct decap;

/* fragment_limit: octets of incomplete datagrams kept; 0: the default (4 MiB). NULL: out of memory. */
struct decap *decap_new(size_t fragment_limit);
void decap_free(struct decap *decap);
/*
 * DECAP_TCP fills *out, DECAP_RPCBIND its endpoints, payload, lengths, frame and time, DECAP_IB fills *ib; otherwise
 * they are undefined. out->segment.side is not set. out->segment.payload is valid while packet->data is, until the next
 * call.
 */
enum decap_status decap_packet(struct decap *decap, const struct packet *packet, struct addressed_segment *out,
                               struct ib_datagram *ib);

/* After DECAP_TUNNEL: the tunnel's index (tunnel_name() in decap_tunnel.h). */
unsigned decap_tunnel(const struct decap *decap);

/* The number of IP datagrams forgotten so far, before all their fragments came, because there was no room. */
uint64_t decap_forgotten(const struct decap *decap);

/*
 * Whether an InfiniBand packet's ICRC is right. ICRC_UNKNOWN: the packet was not captured completely, or no ICRC is
 * defined for it.
 */
enum icrc_status { ICRC_RIGHT, ICRC_WRONG, ICRC_UNKNOWN };
/* packet: decoded from the datagram. */
enum icrc_status ib_datagram_icrc(const struct ib_datagram *datagram, const struct ib_packet *packet);

enum { ENDPOINT_TEXT_SIZE = 64 };
/* "192.0.2.1:4420", "[2001:db8::1]:4420"; "192.0.2.1" with port 0, "LID 5" with ip 0. Returns text. */
char *endpoint_text(const struct endpoint *endpoint, char text[ENDPOINT_TEXT_SIZE]);

#endif
