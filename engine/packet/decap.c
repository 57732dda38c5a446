// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * IPv4 (RFC 791), IPv6 (RFC 8200), TCP (RFC 9293).
 *
 *   IPv4:  version 4, IHL 4 | TOS | total length (2) | id (2) | flags 3, fragment offset 13 | TTL | protocol |
 *          checksum (2) | source (4) | destination (4) | options
 *   IPv6:  version 4, class 8, flow 20 | payload length (2) | next header | hop limit | source (16) | destination (16)
 *   TCP:   source (2) | destination (2) | seq (4) | ack (4) | offset 4, reserved 4, flags 8 | window (2) |
 *          checksum (2) | urgent (2) | options
 *
 * The length in the IP header is 0 in packets that the sending host handed to its interface in one piece (segmentation
 * offload, larger than 65535 octets): then the packet's own length counts.
 */
#include "engine/packet/decap.h"
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "engine/packet/decap_link.h"
#include "engine/packet/decap_tunnel.h"
#include "engine/packet/fragments.h"
#include "engine/packet/tcp_checksum.h"
#include "engine/packet/tcp_header.h"
#include "wire/invariant.h"
#include "wire/octets.h"
#include "wire/rpcbind.h"

#include <arpa/inet.h>
#include <pcap/dlt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    IPV4_HEADER = 20,
    IPV4_ADDRESSES = 8,
    IPV6_HEADER = 40,
    IPV6_ADDRESSES = 32,
    UDP_HEADER = 8,
    PROTOCOL_HOP_BY_HOP = 0,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_ROUTING = 43,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_AH = 51,
    PROTOCOL_DESTINATION = 60,
    PROTOCOL_MOBILITY = 135,
    PROTOCOL_HIP = 139,
    PROTOCOL_SHIM6 = 140,
    IPV4_DF = 0x4000,
    IPV4_MF = 0x2000,
    IPV4_OFFSET = 0x1fff,
    TUNNELS_MAX = 8, /* nested */
};

/* Returned by a step: the packet contains an inner packet, which struct target describes. */
static const enum decap_status tunnelled = DECAP_STATUS_COUNT;

struct decap {
    struct fragments *fragments;
    unsigned tunnel;         /* decap_tunnel() */
    const uint8_t *too_long; /* the IP header of the current packet, if its datagram is longer than its frame */
};

/* Where the contents of a packet are stored. */
struct target {
    struct addressed_segment *tcp;
    struct ib_datagram *ib;
    /* The packet inside a tunnel. */
    enum link_payload inner;
    struct slice slice;
};

struct decap *decap_new(size_t fragment_limit)
{
    struct decap *decap = heap_zeroed(1, sizeof *decap);
    if (!decap)
        return NULL;
    decap->fragments = fragments_new(fragment_limit);
    if (!decap->fragments) {
        free(decap);
        return NULL;
    }
    return decap;
}

void decap_free(struct decap *decap)
{
    if (!decap)
        return;
    fragments_free(decap->fragments);
    free(decap);
}

/* ---- tunnels ---- */

static enum decap_status take_tunnel(struct target *target, enum link_payload inner, const struct slice *slice)
{
    target->inner = inner;
    INVARIANT(slice->captured <= slice->length);
    target->slice = *slice;
    target->tcp->segment.fragmented = false;
    return tunnelled;
}

static enum decap_status take_other(struct decap *decap, enum tunnel_field field, unsigned number)
{
    int tunnel = tunnel_named(field, number);

    if (tunnel < 0)
        return DECAP_OTHER;
    decap->tunnel = (unsigned)tunnel;
    INVARIANT(decap->tunnel < TUNNELS_NAMED);
    return DECAP_TUNNEL;
}

static void set_network(struct target *target, uint32_t network)
{
    target->tcp->source.network = target->tcp->destination.network = network;
}

/*
 * The network inside a tunnel between these two addresses, in either direction. A tunnel between other addresses is
 * another network, since anybody can make a tunnel and send packets with these inner addresses.
 */
static void enter_path(struct target *target, uint32_t network)
{
    const struct endpoint *ends[] = {&target->tcp->source, &target->tcp->destination};
    uint64_t sum = 0;

    for (unsigned i = 0; i < 2; i++)
        sum += hash_octets(network, ends[i]->address, sizeof ends[i]->address);
    network = (uint32_t)(sum ^ sum >> 32);
    set_network(target, network + (network == 0) - (network == UINT32_MAX)); /* decap_packet() uses these two */
}

/* ---- TCP ---- */

/* The checksum covers the addresses, which have a fixed place in an IP header without options. */
static void set_summed(struct addressed_segment *out, const struct slice *slice, const uint8_t *ip)
{
    struct tcp_segment *segment = &out->segment;

    if (!ip || slice->captured != slice->length)
        return; /* nothing is set yet */
    if (out->source.ip == 4 && (ip[0] & 0x0f) * 4 == IPV4_HEADER) {
        segment->header = slice->p;
        segment->addresses = ip + 12;
        segment->n_addresses = IPV4_ADDRESSES;
    } else if (out->source.ip != 4 && ip[6] == PROTOCOL_TCP) {
        segment->header = slice->p;
        segment->addresses = ip + 8;
        segment->n_addresses = IPV6_ADDRESSES;
    }
}

static inline __attribute__((always_inline)) enum decap_status take_tcp(struct addressed_segment *out,
                                                                        struct slice slice, const uint8_t *ip)
{
    if (slice.length < TCP_HEADER_MIN)
        return DECAP_MALFORMED;
    if (slice.captured < TCP_HEADER_MIN)
        return DECAP_CUT;
    if (!tcp_header_read(&out->segment, slice.p, slice.captured, slice.length))
        return DECAP_MALFORMED;
    set_summed(out, &slice, ip);
    INVARIANT(out->segment.captured <= out->segment.length);
    INVARIANT(!out->segment.header || (ip && slice.captured == slice.length)); /* its checksum can be verified */
    out->source.port = get_be16(slice.p);
    out->destination.port = get_be16(slice.p + 2);
    return DECAP_TCP;
}

/* ---- InfiniBand transport ---- */

static void set_ib_addresses(struct target *target, enum ib_address_kind kind, const uint8_t *source,
                             const uint8_t *destination, size_t n)
{
    struct ib_datagram *ib = target->ib;

    ib->source = ib->destination = (struct ib_address){.kind = (uint8_t)kind, .network = target->tcp->source.network};
    INVARIANT(n <= sizeof ib->source.octets);
    memcpy(ib->source.octets, source, n);
    memcpy(ib->destination.octets, destination, n);
    INVARIANT(ib->source.kind == ib->destination.kind && ib->source.network == ib->destination.network);
}

/* slice: the packet from the BTH on. below: the beginning of the headers that the ICRC covers in part. */
static enum decap_status take_transport(const struct target *target, struct slice slice, enum ib_below kind,
                                        const uint8_t *below)
{
    struct ib_datagram *ib = target->ib;

    ib->ip_wrong = target->tcp->segment.ip_wrong;
    ib->p = slice.p;
    ib->captured = slice.captured;
    ib->length = slice.length;
    ib->kind = kind;
    ib->below = below;
    ib->below_len = below ? (uint32_t)(slice.p - below) : 0;
    INVARIANT(ib->captured <= ib->length);
    INVARIANT(!below || ib->below_len >= IB_LRH_LEN);
    return slice.captured < IB_BTH_LEN ? DECAP_CUT : DECAP_IB;
}

static enum decap_status take_other_udp(struct decap *decap, struct target *target, struct slice slice)
{
    const struct endpoint *source = &target->tcp->source, *destination = &target->tcp->destination;
    uint32_t length = get_be16(slice.p + 4), network = source->network;
    enum link_payload inner;
    enum decap_status status;

    if (length >= UDP_HEADER && length <= slice.length)
        slice_bound(&slice, length);
    slice_skip(&slice, UDP_HEADER);
    inner = tunnel_in_udp(destination->port, &slice, &network);
    if (inner != LINK_OTHER) {
        if (tunnel_has_number(destination->port))
            set_network(target, network);
        else
            enter_path(target, network);
        return take_tunnel(target, inner, &slice);
    }
    status = take_other(decap, TUNNEL_UDP_PORT, destination->port);
    return status == DECAP_OTHER ? take_other(decap, TUNNEL_UDP_PORT, source->port) : status;
}

/* Whether the datagram is RoCE or rpcbind; otherwise *status is set. */
static bool is_of_port(struct decap *decap, struct target *target, struct slice slice, enum decap_status *status)
{
    uint16_t port = target->tcp->destination.port;

    if (port == IB_ROCE2_UDP_PORT || port == RPCBIND_PORT)
        return true;
    *status = take_other_udp(decap, target, slice);
    return *status == DECAP_OTHER && target->tcp->source.port == RPCBIND_PORT;
}

/*
 * UDP: source (2) | destination (2) | length (2) | checksum (2). ip: where the IP header begins; NULL: the datagram
 * came in fragments.
 */
static enum decap_status take_udp(struct decap *decap, struct target *target, struct slice slice, const uint8_t *ip)
{
    const uint8_t *p = slice.p;
    struct endpoint *source = &target->tcp->source, *destination = &target->tcp->destination;
    bool v4 = source->ip == 4;
    enum decap_status status;
    uint32_t length;

    if (slice.captured < UDP_HEADER)
        return slice.length < UDP_HEADER ? DECAP_MALFORMED : DECAP_CUT;
    source->port = get_be16(p);
    destination->port = get_be16(p + 2);
    if (!is_of_port(decap, target, slice, &status))
        return status;
    if (!ip)
        return DECAP_OTHER; /* RoCE has no fragments */
    length = get_be16(p + 4);
    if (length < UDP_HEADER || length > slice.length)
        return DECAP_MALFORMED;
    slice_bound(&slice, length);
    slice_skip(&slice, UDP_HEADER);
    if (destination->port != IB_ROCE2_UDP_PORT) {
        target->tcp->segment.payload = slice.p;
        target->tcp->segment.length = slice.length;
        target->tcp->segment.captured = slice.captured;
        return DECAP_RPCBIND;
    }
    set_ib_addresses(target, v4 ? IB_ADDRESS_IPV4 : IB_ADDRESS_IPV6, source->address, destination->address,
                     v4 ? 4 : 16);
    if (!v4 && slice.p - ip != IPV6_HEADER + UDP_HEADER)
        ip = NULL;
    return take_transport(target, slice, v4 ? IB_BELOW_IPV4_UDP : IB_BELOW_IPV6_UDP, ip);
}

static enum decap_status take_grh(struct target *target, struct slice slice, enum ib_below kind, const uint8_t *below)
{
    struct ib_grh grh;

    if (!ib_grh_decode(&grh, slice.p, slice.captured))
        return DECAP_CUT;
    if (grh.version != 6 || grh.payload_length > slice.length - IB_GRH_LEN)
        return DECAP_MALFORMED;
    if (grh.next != IB_GRH_NEXT_BTH)
        return DECAP_OTHER;
    slice_skip(&slice, IB_GRH_LEN);
    slice_bound(&slice, grh.payload_length);
    set_ib_addresses(target, IB_ADDRESS_GID, grh.source, grh.destination, sizeof grh.source);
    return take_transport(target, slice, kind, below);
}

static enum decap_status take_lrh(struct target *target, struct slice slice)
{
    const uint8_t *below = slice.p;
    struct ib_lrh lrh;

    if (!ib_lrh_decode(&lrh, slice.p, slice.captured))
        return DECAP_CUT;
    if (lrh.words * 4u < IB_LRH_LEN || lrh.words * 4u > slice.length)
        return DECAP_MALFORMED;
    slice_bound(&slice, lrh.words * 4u); /* the VCRC follows */
    slice_skip(&slice, IB_LRH_LEN);
    INVARIANT(slice.length + IB_LRH_LEN == lrh.words * 4u);
    switch ((enum ib_next)lrh.next) {
    case IB_NEXT_GRH:
        return take_grh(target, slice, IB_BELOW_LRH_GRH, below);
    case IB_NEXT_BTH:
        set_ib_addresses(target, IB_ADDRESS_LID, below + 6, below + 2, 2);
        return take_transport(target, slice, IB_BELOW_LRH, below);
    case IB_NEXT_RAW:
    case IB_NEXT_IPV6:
        break;
    }
    return DECAP_OTHER;
}

/* ---- IP ---- */

/*
 * Copies in pieces as large as those read later: a processor stalls when it reads what it has just written in smaller
 * pieces.
 */
static inline void decap_set_address(struct endpoint *out, uint8_t ip, const uint8_t *p)
{
    uint32_t four;
    uint64_t eight[2] = {0, 0};

    out->ip = ip;
    if (ip == 4) {
        memcpy(&four, p, sizeof four);
        eight[0] = htonl(1) == 1 ? (uint64_t)four << 32 : four;
    } else {
        memcpy(eight, p, sizeof eight);
    }
    memcpy(out->address, &eight[0], sizeof eight[0]);
    memcpy(out->address + 8, &eight[1], sizeof eight[1]);
    INVARIANT(ip != 4 || (eight[1] == 0 && get_be32(out->address) == get_be32(p)));
}

static void set_addresses(struct addressed_segment *out, uint8_t ip, const uint8_t *source, const uint8_t *destination)
{
    decap_set_address(&out->source, ip, source);
    decap_set_address(&out->destination, ip, destination);
}

/* Adds a fragment; COMPLETE leaves the whole datagram in *slice. */
static enum fragment_status reassemble(struct decap *decap, struct addressed_segment *out, struct slice *slice,
                                       uint8_t protocol, uint32_t id, uint32_t offset, bool more)
{
    struct fragment_key key = {.ip = out->source.ip,
                               .protocol = protocol,
                               .id = id,
                               .network = out->source.network,
                               .vlan = slice->vlan,
                               .wrong = out->segment.ip_wrong};
    memcpy(key.source, out->source.address, sizeof key.source);
    memcpy(key.destination, out->destination.address, sizeof key.destination);
    struct fragment fragment = {
        .offset = offset, .length = slice->length, .captured = slice->captured, .more = more, .octets = slice->p};
    struct datagram datagram;
    enum fragment_status status = fragments_add(decap->fragments, &key, &fragment, out->segment.time_ns, &datagram);
    if (status == FRAGMENT_COMPLETE) {
        *slice = (struct slice){datagram.octets, datagram.captured, datagram.length, slice->vlan};
        out->segment.fragmented = true;
    }
    INVARIANT(status != FRAGMENT_COMPLETE || datagram.captured <= datagram.length);
    return status;
}

static enum decap_status fragment_answer(enum fragment_status status)
{
    return status == FRAGMENT_KEPT ? DECAP_FRAGMENT : DECAP_MALFORMED;
}

/* Not inlined, to keep the code for TCP small. */
static __attribute__((noinline)) enum decap_status take_not_tcp(struct decap *decap, struct target *target,
                                                                struct slice slice, uint8_t protocol, const uint8_t *ip)
{
    enum link_payload inner;
    uint32_t network;

    if (protocol == PROTOCOL_UDP)
        return take_udp(decap, target, slice, ip);
    network = target->tcp->source.network;
    inner = tunnel_in_ip(protocol, &slice, &network);
    if (inner == LINK_OTHER)
        return take_other(decap, TUNNEL_IP_PROTOCOL, protocol);
    enter_path(target, network);
    return take_tunnel(target, inner, &slice);
}

/* ip: the beginning of the IP header; NULL: the packet came in fragments. */
static inline enum decap_status take_protocol(struct decap *decap, struct target *target, struct slice slice,
                                              uint8_t protocol, const uint8_t *ip)
{
    return protocol == PROTOCOL_TCP ? take_tcp(target->tcp, slice, ip)
                                    : take_not_tcp(decap, target, slice, protocol, ip);
}

static bool is_read(uint8_t protocol)
{
    return protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP || tunnel_is_read(protocol);
}

static enum decap_status take_ipv4(struct decap *decap, struct target *target, struct slice slice)
{
    struct addressed_segment *out = target->tcp;
    const uint8_t *p = slice.p;
    if (slice.captured < IPV4_HEADER)
        return DECAP_CUT;
    uint32_t header = (uint32_t)(p[0] & 0x0f) * 4, total = get_be16(p + 2);
    if (p[0] >> 4 != 4 || header < IPV4_HEADER)
        return DECAP_MALFORMED;
    if (total == 0)
        total = slice.length;
    if (total < header)
        return DECAP_MALFORMED;
    decap->too_long = total > slice.length ? p : NULL;
    unsigned flags = get_be16(p + 6);
    uint8_t protocol = p[9];
    if (!is_read(protocol))
        return take_other(decap, TUNNEL_IP_PROTOCOL, protocol);
    slice_bound(&slice, total);
    if (!slice_skip(&slice, header))
        return DECAP_CUT;
    set_addresses(out, 4, p + 12, p + 16);
    out->segment.df = flags & IPV4_DF;
    out->segment.ip_wrong |= ipv4_checksum_wrong(p, header);
    if (flags & (IPV4_MF | IPV4_OFFSET)) {
        enum fragment_status status =
            reassemble(decap, out, &slice, protocol, get_be16(p + 4), (flags & IPV4_OFFSET) * 8, flags & IPV4_MF);
        if (status != FRAGMENT_COMPLETE)
            return fragment_answer(status);
        p = NULL;
    }
    return take_protocol(decap, target, slice, protocol, p);
}

/*
 * RFC 2675: the length in a hop-by-hop option, for a header whose length is 0. Returns 0 when there is no such option.
 */
static uint32_t jumbo_length(const uint8_t *p, const uint8_t *end)
{
    enum { PAD1 = 0, JUMBO = 0xc2 };
    while (p < end) {
        if (*p == PAD1) {
            p++;
            continue;
        }
        if (end - p < 2 || p[1] > end - p - 2)
            return 0;
        if (p[0] == JUMBO && p[1] == 4)
            return get_be32(p + 2);
        p += 2 + p[1];
    }
    return 0;
}

/* Length of an extension header; 0 when the protocol is not one. p: the header's first two octets. */
static uint32_t extension_length(uint8_t protocol, const uint8_t *p)
{
    switch (protocol) {
    case PROTOCOL_HOP_BY_HOP:
    case PROTOCOL_ROUTING:
    case PROTOCOL_DESTINATION:
    case PROTOCOL_MOBILITY:
    case PROTOCOL_HIP:
    case PROTOCOL_SHIM6:
        return ((uint32_t)p[1] + 1) * 8;
    case PROTOCOL_FRAGMENT:
        return 8;
    case PROTOCOL_AH: /* RFC 4302 section 2.2 */
        return ((uint32_t)p[1] + 2) * 4;
    default:
        return 0;
    }
}

static const uint8_t no_octets[2];

/* The n octets of the extension header before *slice may contain the length that the IPv6 header lacks. */
static enum decap_status take_jumbo(struct slice *slice, const uint8_t *header, uint32_t n)
{
    uint32_t jumbo = jumbo_length(header + 2, header + n);
    if (jumbo && jumbo < n)
        return DECAP_MALFORMED;
    if (jumbo && jumbo - n < slice->length)
        slice_bound(slice, jumbo - n);
    INVARIANT(slice->captured <= slice->length);
    return DECAP_TCP;
}

/* *slice: the octets after the Fragment header; becomes the whole datagram. */
static enum decap_status take_fragment(struct decap *decap, struct addressed_segment *out, struct slice *slice,
                                       const uint8_t *header)
{
    unsigned field = get_be16(header + 2);
    if (!(field & 0xfff9)) /* no offset, and no more fragments: "atomic", RFC 6946 */
        return DECAP_TCP;
    enum fragment_status status =
        reassemble(decap, out, slice, header[0], get_be32(header + 4), field & 0xfff8, field & 1);
    return status == FRAGMENT_COMPLETE ? DECAP_TCP : fragment_answer(status);
}

static enum decap_status skip_extension(struct slice *slice, uint8_t protocol)
{
    if (slice->captured < 8)
        return slice->length < 8 ? DECAP_MALFORMED : DECAP_CUT;
    uint32_t n = extension_length(protocol, slice->p);
    if (n > slice->length)
        return DECAP_MALFORMED;
    return slice_skip(slice, n) ? DECAP_TCP : DECAP_CUT;
}

/* An extension header of IPv6; *protocol becomes the protocol after it. DECAP_TCP: may still be TCP. */
static enum decap_status take_extension(struct decap *decap, struct addressed_segment *out, struct slice *slice,
                                        uint8_t *protocol, bool length_known)
{
    const uint8_t *header = slice->p;
    uint8_t extension = *protocol;
    enum decap_status status = skip_extension(slice, extension);
    if (status != DECAP_TCP)
        return status;
    *protocol = header[0];
    if (extension == PROTOCOL_HOP_BY_HOP && !length_known)
        return take_jumbo(slice, header, (uint32_t)(slice->p - header));
    INVARIANT(slice->p >= header && slice->captured <= slice->length);
    return extension == PROTOCOL_FRAGMENT ? take_fragment(decap, out, slice, header) : DECAP_TCP;
}

static __attribute__((noinline)) enum decap_status take_ipv6(struct decap *decap, struct target *target,
                                                             struct slice slice)
{
    struct addressed_segment *out = target->tcp;
    const uint8_t *p = slice.p;
    if (slice.captured < IPV6_HEADER)
        return DECAP_CUT;
    if (p[0] >> 4 != 6)
        return DECAP_MALFORMED;
    uint32_t length = get_be16(p + 4);
    uint8_t protocol = p[6];
    set_addresses(out, 6, p + 8, p + 24);
    out->segment.df = true;
    slice_skip(&slice, IPV6_HEADER);
    decap->too_long = length > slice.length ? p : NULL;
    if (length)
        slice_bound(&slice, length);
    while (!is_read(protocol)) {
        if (extension_length(protocol, no_octets) == 0)
            return take_other(decap, TUNNEL_IP_PROTOCOL, protocol);
        enum decap_status status = take_extension(decap, out, &slice, &protocol, length != 0);
        if (status != DECAP_TCP)
            return status;
    }
    return take_protocol(decap, target, slice, protocol, out->segment.fragmented ? NULL : p);
}

static enum decap_status take_payload(struct decap *decap, struct target *target, enum link_payload payload,
                                      struct slice slice)
{
    switch (payload) {
    case LINK_IPV4:
        return take_ipv4(decap, target, slice);
    case LINK_IPV6:
        return take_ipv6(decap, target, slice);
    case LINK_GRH:
        return take_grh(target, slice, IB_BELOW_GRH, slice.p);
    case LINK_LRH:
        return take_lrh(target, slice);
    case LINK_MPLS:
        payload = tunnel_in_mpls(&slice);
        return take_tunnel(target, payload, &slice);
    case LINK_OTHER:
        return DECAP_OTHER;
    case LINK_CUT:
        return DECAP_CUT;
    case LINK_UNKNOWN_TYPE:
        return DECAP_LINKTYPE;
    case LINK_NAMED:
        break;
    }
    decap->tunnel = payload - LINK_NAMED;
    INVARIANT(decap->tunnel < TUNNELS_NAMED);
    return DECAP_TUNNEL;
}

static const uint32_t tap_network = UINT32_MAX; /* above every VNI, which has 24 bits */

/*
 * Packets written by iwarp-tap carry a marker instead of Ethernet addresses. They form a separate network, so that a
 * foreign packet with a marker does not join a captured connection.
 */
static void take_tap_mark(struct ib_datagram *ib, const struct packet *packet)
{
    ib->tap = (struct tap_mark){.tapped = false};
    if (packet->linktype == DLT_EN10MB)
        ib->tap = tap_mark_decode(packet->data, packet->captured);
    if (!ib->tap.tapped)
        return;
    ib->kind = IB_BELOW_TAP;
    ib->below = NULL;
    ib->below_len = 0;
    ib->source.network = ib->destination.network = tap_network;
    INVARIANT(ib->kind == IB_BELOW_TAP && !ib->below);
}

/*
 * The datagram is longer than its frame, so a receiver drops it, and yet its checksum is right for the octets that are
 * there. A converter that cuts packets, and writes the cut lengths, leaves no right checksum.
 */
static bool is_forged_length(const struct addressed_segment *out, const uint8_t *ip)
{
    const uint8_t *tcp = ip + (out->source.ip == 4 ? (ip[0] & 0x0f) * 4 : IPV6_HEADER);
    struct addressed_segment whole = *out;
    uint32_t n = (uint32_t)(out->segment.payload + out->segment.captured - tcp);

    whole.segment.length = whole.segment.captured;
    set_summed(&whole, &(struct slice){tcp, n, n, 0}, ip);
    return tcp_checksum(&whole.segment) == TCP_CHECKSUM_RIGHT;
}

enum decap_status decap_packet(struct decap *decap, const struct packet *packet, struct addressed_segment *out,
                               struct ib_datagram *ib)
{
    struct target target = {.tcp = out, .ib = ib, .slice = {packet->data, packet->captured, packet->length, 0}};
    enum decap_status status;
    unsigned n = 0;

    out->segment = (struct tcp_segment){.frame = packet->frame, .time_ns = packet->time_ns};
    ib->frame = packet->frame;
    ib->time_ns = packet->time_ns;
    decap->too_long = NULL;
    set_network(&target, 0);
    target.inner = link_payload(packet->linktype, &target.slice);
    do
        status = take_payload(decap, &target, target.inner, target.slice);
    while (status == tunnelled && n++ < TUNNELS_MAX);
    INVARIANT(status != DECAP_TCP || out->segment.captured <= out->segment.length);
    INVARIANT(status != DECAP_TCP || (out->source.ip == out->destination.ip && out->source.ip != 0));
    INVARIANT(status != DECAP_RPCBIND || out->segment.captured <= out->segment.length);
    INVARIANT(status != DECAP_IB || (ib->captured <= ib->length && ib->captured >= IB_BTH_LEN));
    if (status == DECAP_IB)
        take_tap_mark(ib, packet);
    if (status == DECAP_TCP && decap->too_long && out->segment.captured > 0 && !out->segment.fragmented)
        out->segment.ip_wrong |= is_forged_length(out, decap->too_long);
    return status == tunnelled ? DECAP_OTHER : status;
}

unsigned decap_tunnel(const struct decap *decap)
{
    return decap->tunnel;
}

uint64_t decap_forgotten(const struct decap *decap)
{
    return fragments_forgotten(decap->fragments);
}

char *endpoint_text(const struct endpoint *endpoint, char text[ENDPOINT_TEXT_SIZE])
{
    char address[INET6_ADDRSTRLEN] = "?";
    if (endpoint->ip == 0) {
        snprintf(text, ENDPOINT_TEXT_SIZE, "LID %u", (unsigned)get_be16(endpoint->address));
        return text;
    }
    inet_ntop(endpoint->ip == 6 ? AF_INET6 : AF_INET, endpoint->address, address, sizeof address);
    if (endpoint->port == 0) {
        snprintf(text, ENDPOINT_TEXT_SIZE, "%s", address);
        return text;
    }
    snprintf(text, ENDPOINT_TEXT_SIZE, endpoint->ip == 6 ? "[%s]:%u" : "%s:%u", address, (unsigned)endpoint->port);
    return text;
}

enum icrc_status ib_datagram_icrc(const struct ib_datagram *datagram, const struct ib_packet *packet)
{
    const uint8_t *p = packet->icrc;

    if (datagram->ip_wrong)
        return ICRC_WRONG; /* the receiver drops the packet, too */
    if (!p || !datagram->below)
        return ICRC_UNKNOWN;
    return ib_icrc(datagram->kind, datagram->below, datagram->below_len, datagram->p, datagram->length - IB_ICRC_LEN) ==
                   get_le32(p)
               ? ICRC_RIGHT
               : ICRC_WRONG;
}
