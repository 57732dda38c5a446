/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Link layers: from a packet to the network protocol in it. */
#ifndef IWARP_ENGINE_PACKET_DECAP_LINK_H
#define IWARP_ENGINE_PACKET_DECAP_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* Octets of a layer: `captured` of `length` are at p. */
struct slice {
    const uint8_t *p;
    uint32_t captured, length;
};

/* Takes n octets off the front. False: they are not all captured. */
static inline bool slice_skip(struct slice *slice, uint32_t n)
{
    if (slice->captured < n)
        return false;
    slice->p += n;
    slice->captured -= n;
    slice->length -= n;
    return true;
}

/* Bounds the layer to n octets; whatever follows is padding. If n exceeds what is there, octets are missing. */
static inline void slice_bound(struct slice *slice, uint32_t n)
{
    slice->length = n;
    if (slice->captured > n)
        slice->captured = n;
}

/*
 * LINK_GRH: RoCE v1. LINK_LRH: a packet of an InfiniBand link. LINK_MPLS: from the label stack on. LINK_NAMED and a
 * number: that tunnel, which is not looked into (tunnel_name() in decap_tunnel.h).
 */
enum link_payload {
    LINK_IPV4,
    LINK_IPV6,
    LINK_GRH,
    LINK_LRH,
    LINK_MPLS,
    LINK_OTHER,
    LINK_CUT,
    LINK_UNKNOWN_TYPE,
    LINK_NAMED
};

/* Takes the link layer's header and VLAN tags off. */
enum link_payload link_payload(int linktype, struct slice *slice);
/* The same of what is inside a tunnel. */
enum link_payload link_ethernet(struct slice *slice);
enum link_payload link_by_ethertype(unsigned type, struct slice *slice);
/* The version in the IP header decides. */
enum link_payload link_ip(struct slice *slice);

#endif
