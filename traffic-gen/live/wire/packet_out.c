// SPDX-License-Identifier: GPL-2.0-or-later
/* Frames that a host sends besides TCP: Neighbor Discovery, ARP and ICMP. */
#include "traffic-gen/live/wire/packet.h"

#include "support/frames/checksum.h"

#include <string.h>

enum {
    IPV4_HEAD = 20,
    IPV6_HEAD = 40,
    ARP_LENGTH = 28,
    ND_LENGTH = 32, /* with one option */
    ND_SOLICITED_OVERRIDE = 0x60,
    HOPS = 64,
    HOPS_OF_NEIGHBOUR = 255,
    ICMP_HEAD = 8,
    QUOTED = 8,
};

static const uint8_t broadcast[WIRE_MAC] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};

static uint8_t *ethernet(const struct wire_self *self, const uint8_t *to, uint16_t type, uint8_t *out)
{
    memcpy(out, to, WIRE_MAC);
    memcpy(out + WIRE_MAC, self->mac, WIRE_MAC);
    put_be16(out + 12, type);
    return out + WIRE_ETHERNET;
}

/* ---- IPv4 ---- */

static size_t arp(const struct wire_self *self, uint16_t operation, const uint8_t *to_mac, const uint8_t *to,
                  uint8_t *out)
{
    static const uint8_t ethernet_ipv4[6] = {0, 1, 8, 0, 6, 4};
    uint8_t *p = ethernet(self, operation == 1 ? broadcast : to_mac, ETHERTYPE_OF_ARP, out);

    memcpy(p, ethernet_ipv4, sizeof ethernet_ipv4);
    put_be16(p + 6, operation);
    memcpy(p + 8, self->mac, WIRE_MAC);
    memcpy(p + 14, self->address, 4);
    memset(p + 18, 0, WIRE_MAC);
    if (operation != 1)
        memcpy(p + 18, to_mac, WIRE_MAC);
    memcpy(p + 24, to, 4);
    return WIRE_ETHERNET + ARP_LENGTH;
}

static void out_ipv4_head(uint8_t *p, const uint8_t *from, const uint8_t *to, uint8_t protocol, size_t n)
{
    memset(p, 0, IPV4_HEAD);
    p[0] = 0x45;
    put_be16(p + 2, (uint16_t)(IPV4_HEAD + n));
    p[8] = HOPS;
    p[9] = protocol;
    memcpy(p + 12, from, 4);
    memcpy(p + 16, to, 4);
    put_be16(p + 10, checksum_of(checksum_add(0, p, IPV4_HEAD)));
}

/* ---- IPv6 ---- */

static void out_ipv6_head(uint8_t *p, const uint8_t *from, const uint8_t *to, uint8_t protocol, size_t n, uint8_t hops)
{
    memset(p, 0, 8);
    p[0] = 0x60;
    put_be16(p + 4, (uint16_t)n);
    p[6] = protocol;
    p[7] = hops;
    memmove(p + 8, from, 16);
    memmove(p + 24, to, 16);
}

/* p: the IPv6 header, followed by a message of n octets whose checksum field is 0. */
static void icmpv6_sum(uint8_t *p, size_t n)
{
    const uint64_t sum = checksum_add(PROTOCOL_OF_ICMPV6 + n, p + 8, 32);

    put_be16(p + IPV6_HEAD + 2, checksum_of(checksum_add(sum, p + IPV6_HEAD, n)));
}

/* type: of the message; option: the kind of its link-layer address. */
static size_t nd(const struct wire_self *self, uint8_t type, const uint8_t *to_mac, const uint8_t *to,
                 const uint8_t *target, uint8_t *out)
{
    uint8_t *ip = ethernet(self, to_mac, ETHERTYPE_OF_IPV6, out), *p = ip + IPV6_HEAD;

    out_ipv6_head(ip, self->address, to, PROTOCOL_OF_ICMPV6, ND_LENGTH, HOPS_OF_NEIGHBOUR);
    memset(p, 0, ND_LENGTH);
    p[0] = type;
    p[4] = type == ND_ADVERTISEMENT ? ND_SOLICITED_OVERRIDE : 0;
    memcpy(p + 8, target, 16);
    p[24] = type == ND_ADVERTISEMENT ? 2 : 1;
    p[25] = 1;
    memcpy(p + 26, self->mac, WIRE_MAC);
    icmpv6_sum(ip, ND_LENGTH);
    return WIRE_ETHERNET + IPV6_HEAD + ND_LENGTH;
}

/* RFC 4291 section 2.7.1, RFC 2464 section 7: the group of all addresses with the same last octets. */
static size_t solicit(const struct wire_self *self, const uint8_t *target, uint8_t *out)
{
    uint8_t group[16] = {0xFF, 0x02, [11] = 1, [12] = 0xFF}, mac[WIRE_MAC] = {0x33, 0x33, 0xFF};

    memcpy(group + 13, target + 13, 3);
    memcpy(mac + 3, target + 13, 3);
    return nd(self, ND_SOLICITATION, mac, group, target, out);
}

static size_t announce(const struct wire_self *self, uint8_t *out)
{
    static const uint8_t all_nodes[16] = {0xFF, 0x02, [15] = 1}, mac[WIRE_MAC] = {0x33, 0x33, 0, 0, 0, 1};
    const size_t n = nd(self, ND_ADVERTISEMENT, mac, all_nodes, self->address, out);
    uint8_t *ip = out + WIRE_ETHERNET, *p = ip + IPV6_HEAD;

    p[4] = 0x20; /* unsolicited: section 7.2.6 of RFC 4861 */
    put_be16(p + 2, 0);
    icmpv6_sum(ip, ND_LENGTH);
    return n;
}

/* ---- both versions ---- */

size_t wire_packet_ask(const struct wire_self *self, const uint8_t *target, uint8_t out[WIRE_SMALL_FRAME])
{
    if (self->ip == 4)
        return arp(self, 1, broadcast, target, out);
    return memcmp(target, self->address, 16) == 0 ? announce(self, out) : solicit(self, target, out);
}

size_t wire_packet_answer(const struct wire_self *self, const struct wire_packet *question,
                          uint8_t out[WIRE_SMALL_FRAME])
{
    if (!question->has_mac)
        return 0; /* a probe from a host that checks whether the address is in use */
    if (self->ip == 4)
        return arp(self, 2, question->mac, question->source.address, out);
    return nd(self, ND_ADVERTISEMENT, question->mac, question->source.address, self->address, out);
}

void wire_packet_echo(const struct wire_self *self, uint8_t *frame, struct wire_packet *echo)
{
    uint8_t *ip = frame + WIRE_ETHERNET, *p = frame + (echo->payload - frame);
    uint8_t back[WIRE_MAC];

    memcpy(back, frame + WIRE_MAC, WIRE_MAC);
    ethernet(self, back, self->ip == 4 ? ETHERTYPE_OF_IPV4 : ETHERTYPE_OF_IPV6, frame);
    p[0] = self->ip == 4 ? 0 : ICMPV6_ECHO_REQUEST_TYPE + 1;
    put_be16(p + 2, 0);
    if (self->ip == 4) {
        memcpy(ip + 12, echo->destination.address, 4);
        memcpy(ip + 16, echo->source.address, 4);
        put_be16(p + 2, checksum_of(checksum_add(0, p, echo->payload_length)));
        return;
    }
    memcpy(ip + 8, echo->destination.address, 16);
    memcpy(ip + 24, echo->source.address, 16);
    icmpv6_sum(ip, echo->payload_length);
}

size_t wire_packet_too_big(const struct wire_self *self, const uint8_t mac[WIRE_MAC], const struct endpoint *to,
                           const struct endpoint *ours, uint32_t seq, uint16_t mtu, uint8_t out[WIRE_SMALL_FRAME])
{
    const bool v4 = self->ip == 4;
    const size_t head = v4 ? IPV4_HEAD : IPV6_HEAD, n = ICMP_HEAD + head + QUOTED;
    uint8_t *ip = ethernet(self, mac, v4 ? ETHERTYPE_OF_IPV4 : ETHERTYPE_OF_IPV6, out), *p = ip + head;
    uint8_t *quoted = p + ICMP_HEAD;

    memset(p, 0, n);
    if (v4) {
        out_ipv4_head(ip, self->address, to->address, PROTOCOL_OF_ICMP, n);
        out_ipv4_head(quoted, to->address, ours->address, PROTOCOL_OF_TCP, mtu);
        p[0] = 3;
        p[1] = 4;
        put_be16(p + 6, mtu);
    } else {
        out_ipv6_head(ip, self->address, to->address, PROTOCOL_OF_ICMPV6, n, HOPS);
        out_ipv6_head(quoted, to->address, ours->address, PROTOCOL_OF_TCP, mtu, HOPS);
        p[0] = ICMPV6_TOO_BIG_TYPE;
        put_be32(p + 4, mtu);
    }
    put_be16(quoted + head, to->port);
    put_be16(quoted + head + 2, ours->port);
    put_be32(quoted + head + 4, seq);
    if (v4)
        put_be16(p + 2, checksum_of(checksum_add(0, p, n)));
    else
        icmpv6_sum(ip, n);
    return WIRE_ETHERNET + head + n;
}
