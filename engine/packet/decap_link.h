/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Link layers: from a packet to its network protocol. */
#ifndef IWARP_ENGINE_PACKET_DECAP_LINK_H
#define IWARP_ENGINE_PACKET_DECAP_LINK_H

#include "wire/invariant.h"

#include <stdbool.h>
#include <stdint.h>

/* The octets of a layer: `captured` of `length` are at p. */
struct slice {
    const uint8_t *p;
    uint32_t captured, length;
    uint32_t vlan; /* the VLAN tags outside, mixed; 0: none */
};

/* Removes n octets from the front. False: not all of them were captured. */
static inline bool slice_skip(struct slice *slice, uint32_t n)
{
    if (slice->captured < n)
        return false;
    slice->p += n;
    slice->captured -= n;
    slice->length -= n;
    INVARIANT(slice->captured <= slice->length);
    return true;
}

/* Limits the layer to n octets; the rest is padding. If n exceeds the length, octets are missing. */
static inline void slice_bound(struct slice *slice, uint32_t n)
{
    slice->length = n;
    if (slice->captured > n)
        slice->captured = n;
    INVARIANT(slice->captured <= slice->length);
}

/*
 * LINK_GRH: RoCE v1. LINK_LRH: a packet of an InfiniBand link. LINK_MPLS: from the label stack on. LINK_NAMED plus an
 * index: a tunnel that is not decoded (tunnel_name() in decap_tunnel.h).
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

/* Removes the link layer's header and VLAN tags. */
enum link_payload link_payload(int linktype, struct slice *slice);
/* The same inside a tunnel. */
enum link_payload link_ethernet(struct slice *slice);
enum link_payload link_by_ethertype(unsigned type, struct slice *slice);
/* The version in the IP header decides. */
enum link_payload link_ip(struct slice *slice);

#endif
