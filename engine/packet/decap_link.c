// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Link-layer headers (https://www.tcpdump.org/linktypes.html).
 *
 *   Ethernet:    destination (6) | source (6) | [tag (2) | TCI (2)]... | EtherType (2)
 *                or 802.3: length (2) | LLC AA AA 03 | SNAP 00 00 00 | EtherType (2)
 *   cooked v1:   type (2) | ARPHRD (2) | address length (2) | address (8) | protocol (2)
 *   cooked v2:   protocol (2) | reserved (2) | interface (4) | ARPHRD (2) | type (1) | address length (1) | address (8)
 *   loopback:    address family (4), in the byte order of the host (NULL) or of the network (LOOP)
 *   raw:         nothing; the version in the IP header decides
 *   InfiniBand:  nothing; the packet begins with its Local Route Header
 *   ERF:         timestamp (8) | type (1) | flags (1) | record length (2) | loss counter (2) | wire length (2); while
 *                the upper bit of the type, then of each extension header (8), is set: another extension header;
 *                Ethernet: offset (1) | pad (1)
 *   NFLOG:       family (1) | version (1) | group (2) | attributes: length (2) | number (2) | octets, padded to 4; the
 *                IP packet is number 9
 */
#include "engine/packet/decap_link.h"
#include "engine/packet/decap_tunnel.h"
#include "wire/ib.h"
#include "wire/octets.h"

#include <pcap/dlt.h>
#include <stddef.h>
#include <string.h>

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    ETHERTYPE_8021Q = 0x8100,
    ETHERTYPE_8021AD = 0x88a8,
    ETHERTYPE_MPLS = 0x8847,
    ETHERTYPE_MPLS_MULTICAST = 0x8848,
    ETHERTYPE_QINQ_OLD = 0x9100,
    ETHERTYPE_QINQ_OLDER = 0x9200,
    ETHERTYPE_LOWEST = 0x0600, /* smaller values are an 802.3 length */
    ETHERNET_HEADER = 14,
    COOKED_HEADER = 16,
    COOKED2_HEADER = 20,
    LOOPBACK_HEADER = 4,
    ERF_HEADER = 16,
    ERF_EXTENSION = 8,
    ERF_EXTENSIONS_MAX = 8,
    ERF_ETHERNET = 2,
    ERF_COLOR_ETHERNET = 11,
    ERF_DSM_COLOR_ETHERNET = 16,
    ERF_COLOR_HASH_ETHERNET = 20,
    ERF_ETHERNET_SUBHEADER = 2,
    ERF_INFINIBAND = 21,
    NFLOG_HEADER = 4,
    NFLOG_ATTRIBUTE = 4,
    NFLOG_PAYLOAD = 9,
    TAGS_MAX = 8,
};

static enum link_payload named(unsigned type)
{
    int tunnel = tunnel_named(TUNNEL_ETHERTYPE, type);

    return tunnel < 0 ? LINK_OTHER : LINK_NAMED + (unsigned)tunnel;
}

enum link_payload link_by_ethertype(unsigned type, struct slice *slice)
{
    for (int tags = 0; tags < TAGS_MAX; tags++) {
        switch (type) {
        case ETHERTYPE_IPV4:
            return LINK_IPV4;
        case ETHERTYPE_IPV6:
            return LINK_IPV6;
        case IB_ROCE1_ETHERTYPE:
            return LINK_GRH;
        case ETHERTYPE_8021Q:
        case ETHERTYPE_8021AD:
        case ETHERTYPE_QINQ_OLD:
        case ETHERTYPE_QINQ_OLDER: {
            const uint8_t *tag = slice->p;
            if (!slice_skip(slice, 4))
                return LINK_CUT;
            type = get_be16(tag + 2);
            slice->vlan = slice->vlan * 8191 + (get_be16(tag) & 0xfffu) + 1;
            break;
        }
        case ETHERTYPE_MPLS:
        case ETHERTYPE_MPLS_MULTICAST:
            return LINK_MPLS;
        default:
            return named(type);
        }
    }
    return LINK_OTHER;
}

enum link_payload link_ethernet(struct slice *slice)
{
    static const uint8_t snap[] = {0xaa, 0xaa, 0x03, 0, 0, 0};
    const uint8_t *p = slice->p;
    if (!slice_skip(slice, ETHERNET_HEADER))
        return LINK_CUT;
    unsigned type = get_be16(p + 12);
    if (type < ETHERTYPE_LOWEST) {
        const uint8_t *llc = slice->p;
        if (!slice_skip(slice, sizeof snap + 2))
            return LINK_CUT;
        if (memcmp(llc, snap, sizeof snap) != 0)
            return LINK_OTHER;
        type = get_be16(llc + sizeof snap);
    }
    return link_by_ethertype(type, slice);
}

static enum link_payload cooked(struct slice *slice)
{
    const uint8_t *p = slice->p;
    return slice_skip(slice, COOKED_HEADER) ? link_by_ethertype(get_be16(p + 14), slice) : LINK_CUT;
}

static enum link_payload cooked2(struct slice *slice)
{
    const uint8_t *p = slice->p;
    return slice_skip(slice, COOKED2_HEADER) ? link_by_ethertype(get_be16(p), slice) : LINK_CUT;
}

enum link_payload link_ip(struct slice *slice)
{
    if (slice->captured < 1)
        return LINK_CUT;
    switch (slice->p[0] >> 4) {
    case 4:
        return LINK_IPV4;
    case 6:
        return LINK_IPV6;
    default:
        return LINK_OTHER;
    }
}

static enum link_payload loopback(struct slice *slice)
{
    const uint8_t *p = slice->p;
    if (!slice_skip(slice, LOOPBACK_HEADER))
        return LINK_CUT;
    /* Families are small numbers, which reveals the byte order. The number for IPv6 differs between systems. */
    uint32_t family = get_be32(p);
    if (family > 0xffff)
        family = get_le32(p);
    switch (family) {
    case 2:
        return LINK_IPV4;
    case 10: /* Linux */
    case 24: /* NetBSD, OpenBSD */
    case 28: /* FreeBSD */
    case 30: /* macOS */
        return LINK_IPV6;
    default:
        return LINK_OTHER;
    }
}

static enum link_payload infiniband(struct slice *slice)
{
    return slice->captured < IB_LRH_LEN ? LINK_CUT : LINK_LRH;
}

static bool is_erf_ethernet(unsigned type)
{
    return type == ERF_ETHERNET || type == ERF_COLOR_ETHERNET || type == ERF_DSM_COLOR_ETHERNET ||
           type == ERF_COLOR_HASH_ETHERNET;
}

static enum link_payload erf_record(struct slice *slice)
{
    const uint8_t *p = slice->p;
    unsigned type;
    bool more;

    if (!slice_skip(slice, ERF_HEADER))
        return LINK_CUT;
    type = p[8] & 0x7f;
    more = p[8] & 0x80;
    if (type != ERF_INFINIBAND && !is_erf_ethernet(type))
        return LINK_OTHER;
    for (int i = 0; more && i < ERF_EXTENSIONS_MAX; i++) {
        more = slice->captured > 0 && slice->p[0] & 0x80;
        if (!slice_skip(slice, ERF_EXTENSION))
            return LINK_CUT;
    }
    if (type != ERF_INFINIBAND && !slice_skip(slice, ERF_ETHERNET_SUBHEADER))
        return LINK_CUT;
    slice_bound(slice, get_be16(p + 14)); /* the record is padded */
    return type == ERF_INFINIBAND ? infiniband(slice) : link_ethernet(slice);
}

/* In the host's byte order, which shows because attribute numbers are small. */
static uint16_t nflog_number(const uint8_t *p, bool big)
{
    return big ? get_be16(p) : get_le16(p);
}

static enum link_payload nflog(struct slice *slice)
{
    if (!slice_skip(slice, NFLOG_HEADER))
        return LINK_CUT;
    while (slice->captured >= NFLOG_ATTRIBUTE) {
        const uint8_t *p = slice->p;
        bool big = p[3] != 0 && p[2] == 0;
        uint32_t length = nflog_number(p, big), padded = (length + 3) & ~3u;

        if (length < NFLOG_ATTRIBUTE)
            return LINK_OTHER;
        if (nflog_number(p + 2, big) == NFLOG_PAYLOAD) {
            slice_skip(slice, NFLOG_ATTRIBUTE);
            slice_bound(slice, length - NFLOG_ATTRIBUTE);
            return link_ip(slice);
        }
        if (!slice_skip(slice, padded))
            return LINK_CUT;
    }
    return LINK_CUT;
}

static const struct {
    int linktype;
    enum link_payload (*take)(struct slice *slice);
} links[] = {
    {DLT_EN10MB, link_ethernet},  {DLT_LINUX_SLL, cooked}, {DLT_LINUX_SLL2, cooked2}, {DLT_RAW, link_ip},
    {DLT_IPV4, link_ip},          {DLT_IPV6, link_ip},     {DLT_NULL, loopback},      {DLT_LOOP, loopback},
    {DLT_INFINIBAND, infiniband}, {DLT_ERF, erf_record},   {DLT_NFLOG, nflog},
};

enum link_payload link_payload(int linktype, struct slice *slice)
{
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (links[i].linktype == linktype)
            return links[i].take(slice);
    return LINK_UNKNOWN_TYPE;
}
