// SPDX-License-Identifier: GPL-2.0-or-later
/* Parses frames. */
#include "traffic-gen/live/wire/packet.h"

#include "support/frames/checksum.h"

#include <string.h>

enum {
    IPV4_HEAD = 20,
    IPV6_HEAD = 40,
    TCP_HEAD = 20,
    ICMP_HEAD = 8,
    ARP_LENGTH = 28,
    ND_LENGTH = 24,
    ND_OPTION = 8,
    IPV4_FRAGMENT_BITS = 0x3FFF, /* more fragments, or an offset */
    ICMP_UNREACHABLE = 3,
    ICMP_FRAGMENTATION_NEEDED = 4,
    QUOTED_TCP = 8, /* octets of our TCP header that every error repeats */
    OPTION_END = 0,
    OPTION_NOTHING = 1,
    OPTION_MSS = 2,
    OPTION_MSS_LENGTH = 4,
    FLAG_SYN = 0x02,
};

struct octets {
    const uint8_t *p;
    size_t n;
};

/* ---- TCP ---- */

static void read_options(const uint8_t *p, size_t n, struct wire_packet *out)
{
    size_t at = 0;

    while (at < n && p[at] != OPTION_END) {
        if (p[at] == OPTION_NOTHING) {
            at++;
            continue;
        }
        if (at + 2 > n || p[at + 1] < 2 || at + p[at + 1] > n)
            return;
        if (p[at] == OPTION_MSS && p[at + 1] == OPTION_MSS_LENGTH && out->flags & FLAG_SYN)
            out->mss = get_be16(p + at + 2);
        at += p[at + 1];
    }
}

static void read_tcp(struct octets in, uint64_t pseudo, bool sums_due, struct wire_packet *out)
{
    size_t head;

    if (in.n < TCP_HEAD)
        return;
    head = (size_t)(in.p[12] >> 4) * 4;
    if (head < TCP_HEAD || head > in.n)
        return;
    if (sums_due && checksum_of(checksum_add(pseudo + PROTOCOL_OF_TCP + in.n, in.p, in.n)) != 0)
        return;
    out->kind = PACKET_TCP;
    out->source.port = get_be16(in.p);
    out->destination.port = get_be16(in.p + 2);
    out->seq = get_be32(in.p + 4);
    out->ack = get_be32(in.p + 8);
    out->flags = in.p[13];
    out->urgent = get_be16(in.p + 18);
    out->window = get_be16(in.p + 14);
    out->payload = in.p + head;
    out->payload_length = in.n - head;
    read_options(in.p + TCP_HEAD, head - TCP_HEAD, out);
}

/* The beginning of our TCP segment that an error repeats. */
static void read_quoted(struct octets in, struct wire_packet *out)
{
    if (in.n < QUOTED_TCP)
        return;
    out->kind = PACKET_TOO_BIG;
    out->source.port = get_be16(in.p);
    out->destination.port = get_be16(in.p + 2);
    out->seq = get_be32(in.p + 4);
}

/* ---- IPv4 ---- */

static void set_ends(struct wire_packet *out, uint8_t ip, const uint8_t *source, const uint8_t *destination)
{
    const size_t n = ip == 4 ? 4 : 16;

    out->source = (struct endpoint){.ip = ip};
    out->destination = (struct endpoint){.ip = ip};
    memcpy(out->source.address, source, n);
    memcpy(out->destination.address, destination, n);
}

static bool in_ipv4_head(const struct octets *in, size_t *head)
{
    if (in->n < IPV4_HEAD || in->p[0] >> 4 != 4)
        return false;
    *head = (size_t)(in->p[0] & 15) * 4;
    return *head >= IPV4_HEAD && *head <= in->n;
}

static void read_icmp(struct octets in, struct wire_packet *out)
{
    struct octets quoted = {in.p + ICMP_HEAD, in.n - ICMP_HEAD};
    size_t head;

    if (checksum_of(checksum_add(0, in.p, in.n)) != 0)
        return;
    if (in.p[0] == ICMP_ECHO_REQUEST_TYPE && in.p[1] == 0) {
        out->kind = PACKET_ECHO;
        out->payload = in.p;
        out->payload_length = in.n;
        return;
    }
    if (in.p[0] != ICMP_UNREACHABLE || in.p[1] != ICMP_FRAGMENTATION_NEEDED || !in_ipv4_head(&quoted, &head) ||
        quoted.p[9] != PROTOCOL_OF_TCP)
        return;
    set_ends(out, 4, quoted.p + 12, quoted.p + 16);
    out->mtu = get_be16(in.p + 6);
    read_quoted((struct octets){quoted.p + head, quoted.n - head}, out);
}

static void read_ipv4(struct octets in, bool sums_due, struct wire_packet *out)
{
    size_t head, total;

    if (!in_ipv4_head(&in, &head))
        return;
    total = get_be16(in.p + 2);
    if (total < head || total > in.n || checksum_of(checksum_add(0, in.p, head)) != 0 ||
        get_be16(in.p + 6) & IPV4_FRAGMENT_BITS)
        return;
    set_ends(out, 4, in.p + 12, in.p + 16);
    out->congested = (in.p[1] & 3) == 3;

    const struct octets inside = {in.p + head, total - head};

    if (in.p[9] == PROTOCOL_OF_TCP)
        read_tcp(inside, checksum_add(0, in.p + 12, 8), sums_due, out);
    else if (in.p[9] == PROTOCOL_OF_ICMP && inside.n >= ICMP_HEAD)
        read_icmp(inside, out);
}

/* ---- IPv6 ---- */

/* Source (1) or Target (2) Link-Layer Address. */
static void read_nd_options(struct octets in, uint8_t wanted, struct wire_packet *out)
{
    size_t at = 0;

    while (at + ND_OPTION <= in.n && in.p[at + 1] > 0 && at + (size_t)in.p[at + 1] * 8 <= in.n) {
        if (in.p[at] == wanted) {
            memcpy(out->mac, in.p + at + 2, WIRE_MAC);
            out->has_mac = true;
        }
        at += (size_t)in.p[at + 1] * 8;
    }
}

/* RFC 4861 section 7.1: sent by a neighbour itself, so the hop limit is 255. */
static void read_nd(struct octets in, uint8_t hops, struct wire_packet *out)
{
    if (in.n < ND_LENGTH || hops != 255 || in.p[1] != 0)
        return;
    out->kind = in.p[0] == ND_SOLICITATION ? PACKET_QUESTION : PACKET_ANSWER;
    memcpy(out->target, in.p + 8, 16);
    read_nd_options((struct octets){in.p + ND_LENGTH, in.n - ND_LENGTH}, in.p[0] == ND_SOLICITATION ? 1 : 2, out);
    if (out->kind == PACKET_ANSWER && !out->has_mac)
        out->kind = PACKET_OTHER;
}

static void read_icmpv6(struct octets in, uint64_t pseudo, uint8_t hops, struct wire_packet *out)
{
    if (checksum_of(checksum_add(pseudo + PROTOCOL_OF_ICMPV6 + in.n, in.p, in.n)) != 0)
        return;
    switch (in.p[0]) {
    case ND_SOLICITATION:
    case ND_ADVERTISEMENT:
        read_nd(in, hops, out);
        break;
    case ICMPV6_ECHO_REQUEST_TYPE:
        out->kind = PACKET_ECHO;
        out->payload = in.p;
        out->payload_length = in.n;
        break;
    case ICMPV6_TOO_BIG_TYPE:
        if (in.n < ICMP_HEAD + IPV6_HEAD || in.p[ICMP_HEAD] >> 4 != 6 || in.p[ICMP_HEAD + 6] != PROTOCOL_OF_TCP)
            break;
        set_ends(out, 6, in.p + ICMP_HEAD + 8, in.p + ICMP_HEAD + 24);
        out->mtu = get_be32(in.p + 4);
        read_quoted((struct octets){in.p + ICMP_HEAD + IPV6_HEAD, in.n - ICMP_HEAD - IPV6_HEAD}, out);
        break;
    default:
        break;
    }
}

static void read_ipv6(struct octets in, bool sums_due, struct wire_packet *out)
{
    size_t length;
    uint64_t pseudo;

    if (in.n < IPV6_HEAD || in.p[0] >> 4 != 6)
        return;
    length = get_be16(in.p + 4);
    if (length > in.n - IPV6_HEAD)
        return;
    set_ends(out, 6, in.p + 8, in.p + 24);
    out->congested = (in.p[1] >> 4 & 3) == 3;
    pseudo = checksum_add(0, in.p + 8, 32);

    const struct octets inside = {in.p + IPV6_HEAD, length};

    if (in.p[6] == PROTOCOL_OF_TCP)
        read_tcp(inside, pseudo, sums_due, out);
    else if (in.p[6] == PROTOCOL_OF_ICMPV6 && inside.n >= ICMP_HEAD)
        read_icmpv6(inside, pseudo, in.p[7], out);
}

/* ---- ARP ---- */

static void read_arp(struct octets in, struct wire_packet *out)
{
    static const uint8_t ethernet_ipv4[6] = {0, 1, 8, 0, 6, 4};
    uint16_t operation;

    if (in.n < ARP_LENGTH || memcmp(in.p, ethernet_ipv4, sizeof ethernet_ipv4) != 0)
        return;
    operation = get_be16(in.p + 6);
    if (operation != 1 && operation != 2)
        return;
    out->kind = operation == 1 ? PACKET_QUESTION : PACKET_ANSWER;
    out->source.ip = out->destination.ip = 4;
    memcpy(out->mac, in.p + 8, WIRE_MAC);
    out->has_mac = true;
    memcpy(out->source.address, in.p + 14, 4);
    memcpy(out->target, operation == 1 ? in.p + 24 : in.p + 14, 4);
}

void wire_packet_parse(const uint8_t *frame, size_t n, bool sums_due, struct wire_packet *out)
{
    memset(out, 0, sizeof *out);
    if (n < WIRE_ETHERNET)
        return;

    const struct octets inside = {frame + WIRE_ETHERNET, n - WIRE_ETHERNET};

    switch (get_be16(frame + 12)) {
    case ETHERTYPE_OF_IPV4:
        read_ipv4(inside, sums_due, out);
        break;
    case ETHERTYPE_OF_IPV6:
        read_ipv6(inside, sums_due, out);
        break;
    case ETHERTYPE_OF_ARP:
        read_arp(inside, out);
        break;
    default:
        break;
    }
}
