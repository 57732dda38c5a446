// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * VXLAN (RFC 7348):  flags, 08 if there is a VNI (1) | reserved (3) | VNI (3) | reserved (1) | Ethernet
 * Geneve (RFC 8926): version 2, options 6, in words (1) | flags (1) | EtherType (2) | VNI (3) | reserved (1) | options
 * GRE (RFC 2784, 2890): flags, version (2) | EtherType (2) | checksum and reserved (4), key (4), sequence number (4),
 *                    each if its flag is set
 * ERSPAN in GRE:     type I (no sequence number): Ethernet; II: version 1, session (8); III: version 2 (12), and a
 *                    subheader (8) if the last bit says so
 * MPLS (RFC 3032):   label 20, class 3, last 1, TTL 8, until the last one; then IP, or Ethernet with an optional
 *                    control word (4) before it (RFC 4448)
 * TZSP:              version 1 (1) | type (1) | contents, 1: Ethernet (2) | tags: type, length, octets
 */
#include "engine/packet/decap_tunnel.h"
#include "wire/octets.h"

#include <stddef.h>

enum {
    PROTOCOL_IPV4 = 4,
    PROTOCOL_IPV6 = 41,
    PROTOCOL_GRE = 47,
    PROTOCOL_MPLS = 137,
    PORT_VXLAN = 4789,
    PORT_VXLAN_LINUX = 8472, /* Linux before the RFC, and still its default */
    PORT_GENEVE = 6081,
    PORT_GRE = 4754,
    PORT_MPLS = 6635,
    PORT_TZSP = 37008,
    ETHERTYPE_BRIDGED = 0x6558,
    ETHERTYPE_ERSPAN = 0x88be,
    ETHERTYPE_ERSPAN_3 = 0x22eb,
    VXLAN_HEADER = 8,
    VXLAN_VNI = 0x08,
    GENEVE_HEADER = 8,
    GRE_HEADER = 4,
    GRE_CHECKSUM = 0x8000,
    GRE_ROUTING = 0x4000,
    GRE_KEY = 0x2000,
    GRE_SEQUENCE = 0x1000,
    GRE_VERSION = 0x0007,
    ERSPAN_2_HEADER = 8,
    ERSPAN_3_HEADER = 12,
    ERSPAN_3_SUBHEADER = 8,
    MPLS_LABEL = 4,
    MPLS_LABELS_MAX = 16,
    CONTROL_WORD = 4,
    TZSP_HEADER = 4,
    TZSP_RECEIVED = 0,
    TZSP_TO_SEND = 1,
    TZSP_ETHERNET = 1,
    TZSP_TAG_PADDING = 0,
    TZSP_TAG_END = 1,
};

static enum link_payload inside(unsigned ethertype, struct slice *slice)
{
    return ethertype == ETHERTYPE_BRIDGED ? link_ethernet(slice) : link_by_ethertype(ethertype, slice);
}

/* VXLAN and Geneve networks are numbered separately; a network inside another network is a third kind. */
static void enter_network(uint32_t *network, uint32_t kind, const uint8_t *vni)
{
    *network = *network * 31 + (kind << 24 | get_be24(vni));
}

static enum link_payload in_vxlan(struct slice *slice, uint32_t *network)
{
    const uint8_t *p = slice->p;

    if (!slice_skip(slice, VXLAN_HEADER))
        return LINK_CUT;
    if (!(p[0] & VXLAN_VNI))
        return LINK_OTHER;
    enter_network(network, 1, p + 4);
    return link_ethernet(slice);
}

static enum link_payload in_geneve(struct slice *slice, uint32_t *network)
{
    const uint8_t *p = slice->p;

    if (slice->captured < GENEVE_HEADER)
        return LINK_CUT;
    if (p[0] >> 6 != 0)
        return LINK_OTHER;
    if (!slice_skip(slice, GENEVE_HEADER + (p[0] & 0x3fu) * 4))
        return LINK_CUT;
    enter_network(network, 2, p + 4);
    return inside(get_be16(p + 2), slice);
}

static enum link_payload in_erspan(struct slice *slice)
{
    const uint8_t *p = slice->p;
    unsigned version;

    if (slice->captured < ERSPAN_2_HEADER)
        return LINK_CUT;
    version = p[0] >> 4;
    if (version == 1)
        return slice_skip(slice, ERSPAN_2_HEADER) ? link_ethernet(slice) : LINK_CUT;
    if (version != 2)
        return LINK_OTHER;
    if (!slice_skip(slice, ERSPAN_3_HEADER) || (p[11] & 1 && !slice_skip(slice, ERSPAN_3_SUBHEADER)))
        return LINK_CUT;
    switch (p[10] >> 2 & 0x1f) { /* the frame's type */
    case 0:
        return link_ethernet(slice);
    case 2:
        return link_ip(slice);
    default:
        return LINK_OTHER;
    }
}

static enum link_payload in_gre(struct slice *slice, uint32_t *network)
{
    static const unsigned fields[] = {GRE_CHECKSUM, GRE_KEY, GRE_SEQUENCE};
    const uint8_t *p = slice->p;
    uint32_t header = GRE_HEADER;
    unsigned flags, type;

    if (slice->captured < GRE_HEADER)
        return LINK_CUT;
    flags = get_be16(p);
    type = get_be16(p + 2);
    if (flags & (GRE_ROUTING | GRE_VERSION))
        return LINK_OTHER;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        header += flags & fields[i] ? 4 : 0;
    if (!slice_skip(slice, header))
        return LINK_CUT;
    if (flags & GRE_KEY)
        *network = *network * 31 + get_be32(p + GRE_HEADER + (flags & GRE_CHECKSUM ? 4 : 0));
    if (type == ETHERTYPE_ERSPAN_3 || (type == ETHERTYPE_ERSPAN && flags & GRE_SEQUENCE))
        return in_erspan(slice);
    return type == ETHERTYPE_ERSPAN ? link_ethernet(slice) : inside(type, slice);
}

/* Whether an Ethernet header with decodable contents is at this offset. */
static bool is_ethernet_at(const struct slice *slice, uint32_t offset)
{
    struct slice rest = *slice;
    enum link_payload payload;

    if (!slice_skip(&rest, offset))
        return false;
    payload = link_ethernet(&rest);
    return payload != LINK_OTHER && payload != LINK_CUT;
}

/* The version alone does not suffice: it may be the beginning of an Ethernet address. */
static bool is_ip(const struct slice *slice)
{
    const uint8_t *p = slice->p;
    enum { SHORTEST = 20, IPV6_HEADER = 40 };

    if (slice->captured < SHORTEST)
        return false;
    if (p[0] >> 4 == 4)
        return (p[0] & 0x0f) >= 5 && get_be16(p + 2) >= SHORTEST && get_be16(p + 2) <= slice->length;
    return p[0] >> 4 == 6 && get_be16(p + 4) + (uint32_t)IPV6_HEADER <= slice->length;
}

enum link_payload tunnel_in_mpls(struct slice *slice)
{
    bool last = false;

    for (unsigned n = 0; !last; n++) {
        const uint8_t *label = slice->p;

        if (n == MPLS_LABELS_MAX)
            return LINK_OTHER;
        if (!slice_skip(slice, MPLS_LABEL))
            return LINK_CUT;
        last = label[2] & 1;
    }
    if (is_ip(slice)) /* the header does not say what is inside */
        return link_ip(slice);
    if (slice->captured > 0 && slice->p[0] >> 4 == 0 && is_ethernet_at(slice, CONTROL_WORD)) {
        slice_skip(slice, CONTROL_WORD);
        return link_ethernet(slice);
    }
    return is_ethernet_at(slice, 0) ? link_ethernet(slice) : link_ip(slice);
}

static enum link_payload in_tzsp(struct slice *slice)
{
    const uint8_t *p = slice->p;

    if (!slice_skip(slice, TZSP_HEADER))
        return LINK_CUT;
    if (p[0] != 1 || (p[1] != TZSP_RECEIVED && p[1] != TZSP_TO_SEND) || get_be16(p + 2) != TZSP_ETHERNET)
        return LINK_OTHER;
    for (;;) {
        const uint8_t *tag = slice->p;

        if (!slice_skip(slice, 1))
            return LINK_CUT;
        if (tag[0] == TZSP_TAG_END)
            return link_ethernet(slice);
        if (tag[0] != TZSP_TAG_PADDING && (slice->captured == 0 || !slice_skip(slice, 1u + tag[1])))
            return LINK_CUT;
    }
}

bool tunnel_is_read(uint8_t protocol)
{
    return protocol == PROTOCOL_GRE || protocol == PROTOCOL_IPV4 || protocol == PROTOCOL_IPV6 ||
           protocol == PROTOCOL_MPLS;
}

enum link_payload tunnel_in_ip(uint8_t protocol, struct slice *slice, uint32_t *network)
{
    switch (protocol) {
    case PROTOCOL_IPV4:
    case PROTOCOL_IPV6:
        return link_ip(slice);
    case PROTOCOL_GRE:
        return in_gre(slice, network);
    case PROTOCOL_MPLS:
        return LINK_MPLS;
    default:
        return LINK_OTHER;
    }
}

enum link_payload tunnel_in_udp(uint16_t destination_port, struct slice *slice, uint32_t *network)
{
    switch (destination_port) {
    case PORT_VXLAN:
    case PORT_VXLAN_LINUX:
        return in_vxlan(slice, network);
    case PORT_GENEVE:
        return in_geneve(slice, network);
    case PORT_GRE:
        return in_gre(slice, network);
    case PORT_MPLS:
        return LINK_MPLS;
    case PORT_TZSP:
        return in_tzsp(slice);
    default:
        return LINK_OTHER;
    }
}

bool tunnel_has_number(uint16_t destination_port)
{
    return destination_port == PORT_VXLAN || destination_port == PORT_VXLAN_LINUX || destination_port == PORT_GENEVE;
}

/* ---- names ---- */

static const struct {
    enum tunnel_field field;
    unsigned number;
    const char *name;
} named[TUNNELS_NAMED] = {
    {TUNNEL_ETHERTYPE, 0x8864, "PPPoE (Ethernet type 0x8864)"},
    {TUNNEL_ETHERTYPE, 0x88e5, "MACsec (Ethernet type 0x88e5)"},
    {TUNNEL_ETHERTYPE, 0x88e7, "a provider's backbone bridges (Ethernet type 0x88e7)"},
    {TUNNEL_ETHERTYPE, 0x894f, "NSH (Ethernet type 0x894f)"},
    {TUNNEL_IP_PROTOCOL, PROTOCOL_GRE, "GRE (IP protocol 47)"},
    {TUNNEL_IP_PROTOCOL, 50, "IPsec (IP protocol 50)"},
    {TUNNEL_IP_PROTOCOL, 51, "IPsec (IP protocol 51)"},
    {TUNNEL_IP_PROTOCOL, 97, "EtherIP (IP protocol 97)"},
    {TUNNEL_IP_PROTOCOL, 115, "L2TP (IP protocol 115)"},
    {TUNNEL_UDP_PORT, 1194, "OpenVPN (UDP port 1194)"},
    {TUNNEL_UDP_PORT, 1701, "L2TP (UDP port 1701)"},
    {TUNNEL_UDP_PORT, 2152, "GTP-U (UDP port 2152)"},
    {TUNNEL_UDP_PORT, 3544, "Teredo (UDP port 3544)"},
    {TUNNEL_UDP_PORT, 4341, "LISP (UDP port 4341)"},
    {TUNNEL_UDP_PORT, 4500, "IPsec (UDP port 4500)"},
    {TUNNEL_UDP_PORT, 4790, "VXLAN-GPE (UDP port 4790)"},
    {TUNNEL_UDP_PORT, 5247, "CAPWAP (UDP port 5247)"},
    {TUNNEL_UDP_PORT, 6080, "GUE (UDP port 6080)"},
    {TUNNEL_UDP_PORT, 51820, "WireGuard (UDP port 51820)"},
};

int tunnel_named(enum tunnel_field field, unsigned number)
{
    for (int i = 0; i < TUNNELS_NAMED; i++)
        if (named[i].field == field && named[i].number == number)
            return i;
    return -1;
}

const char *tunnel_name(unsigned index)
{
    return index < TUNNELS_NAMED ? named[index].name : "";
}
