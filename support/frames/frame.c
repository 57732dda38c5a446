// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/frames/frame.h"

#include "support/frames/checksum.h"
#include "wire/ib.h"
#include "wire/ib_icrc.h"
#include "wire/octets.h"

#include <string.h>

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86DD,
    ETHERTYPE_VLAN = 0x8100,
    VLAN_ID = 42,
    IP_PROTOCOL_TCP = 6,
    IP_PROTOCOL_UDP = 17,
    UDP_HEADER = 8,
    TTL = 64,
    IPV4_DF = 0x4000,
    IPV4_MF = 0x2000,
};

static size_t ethernet_head(const struct frame_path *path, unsigned side, uint8_t *p)
{
    static const uint8_t mac[5] = {0x02, 0x00, 0x5E, 0x10, 0x00}; /* locally administered */
    size_t n = 12;

    memcpy(p, mac, 5);
    p[5] = path->host[!side];
    memcpy(p + 6, mac, 5);
    p[11] = path->host[side];
    if (path->vlan) {
        put_be16(p + n, ETHERTYPE_VLAN);
        put_be16(p + n + 2, VLAN_ID);
        n += 4;
    }
    put_be16(p + n, path->ipv6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4);
    return n + 2;
}

/* 192.0.2.0/24 and 2001:db8::/32 are the documentation prefixes. */
size_t frame_address(const struct frame_path *path, unsigned side, uint8_t *out)
{
    static const uint8_t ipv4_net[3] = {192, 0, 2}, ipv6_net[15] = {0x20, 0x01, 0x0d, 0xb8};
    size_t n = path->ipv6 ? 16 : 4;

    if (path->real) {
        memcpy(out, path->address[side], n);
        return n;
    }
    memcpy(out, path->ipv6 ? ipv6_net : ipv4_net, n - 1);
    out[n - 1] = path->host[side];
    return n;
}

struct ip_payload {
    unsigned side;
    uint8_t protocol;
    uint16_t ip_id;
    size_t length;
    uint8_t traffic_class; /* DSCP and ECN */
};

static size_t frame_ipv4_head(const struct frame_path *path, const struct ip_payload *payload, uint8_t *p)
{
    memset(p, 0, 20);
    p[0] = 0x45;
    p[1] = payload->traffic_class;
    put_be16(p + 2, (uint16_t)(20 + payload->length));
    put_be16(p + 4, payload->ip_id);
    put_be16(p + 6, path->no_df ? 0 : IPV4_DF);
    p[8] = TTL;
    p[9] = payload->protocol;
    frame_address(path, payload->side, p + 12);
    frame_address(path, !payload->side, p + 16);
    put_be16(p + 10, checksum_of(checksum_add(0, p, 20)));
    return 20;
}

static size_t frame_ipv6_head(const struct frame_path *path, const struct ip_payload *payload, uint8_t *p)
{
    memset(p, 0, 8);
    p[0] = (uint8_t)(0x60 | payload->traffic_class >> 4);
    p[1] = (uint8_t)(payload->traffic_class << 4);
    put_be16(p + 4, (uint16_t)payload->length);
    p[6] = payload->protocol;
    p[7] = TTL;
    frame_address(path, payload->side, p + 8);
    frame_address(path, !payload->side, p + 24);
    return 40;
}

size_t frame_encode(const struct frame_path *path, const struct frame_tcp *tcp, uint8_t *out)
{
    size_t room = (path->ipv6 ? 65535 : 65535 - 20) - 20 - tcp->options_length;
    size_t payload_length = tcp->payload_length < room ? tcp->payload_length : room;
    size_t tcp_length = 20 + tcp->options_length + payload_length;
    const struct ip_payload inside = {tcp->side, IP_PROTOCOL_TCP, tcp->ip_id, tcp_length, tcp->traffic_class};
    size_t n = ethernet_head(path, tcp->side, out);
    uint8_t *ip = out + n;

    n += path->ipv6 ? frame_ipv6_head(path, &inside, ip) : frame_ipv4_head(path, &inside, ip);

    uint8_t *p = out + n;

    put_be16(p, path->port[tcp->side]);
    put_be16(p + 2, path->port[!tcp->side]);
    put_be32(p + 4, tcp->seq);
    put_be32(p + 8, tcp->ack);
    p[12] = (uint8_t)((20 + tcp->options_length) / 4 << 4);
    p[13] = tcp->flags;
    put_be16(p + 14, tcp->window);
    put_be16(p + 16, 0);
    put_be16(p + 18, tcp->urgent);
    if (tcp->options_length)
        memcpy(p + 20, tcp->options, tcp->options_length);
    if (payload_length)
        memcpy(p + 20 + tcp->options_length, tcp->payload, payload_length);

    /* Pseudo header: both addresses, protocol, TCP length. */
    uint64_t sum = path->ipv6 ? checksum_add(0, ip + 8, 32) : checksum_add(0, ip + 12, 8);

    sum += IP_PROTOCOL_TCP + tcp_length;
    put_be16(p + 16, checksum_of(checksum_add(sum, p, tcp_length)) ^ (tcp->bad_checksum ? 0x5555 : 0));
    return n + tcp_length;
}

size_t frame_encode_roce(const struct frame_path *path, const struct frame_roce *roce, uint8_t *out)
{
    size_t pad = (4 - roce->payload_length % 4) % 4;
    size_t transport = roce->headers_length + roce->payload_length + pad;
    const struct ip_payload inside = {roce->side, IP_PROTOCOL_UDP, roce->ip_id, UDP_HEADER + transport + IB_ICRC_LEN,
                                      0};
    size_t ip_at = ethernet_head(path, roce->side, out);
    uint8_t *ip = out + ip_at;
    size_t head = path->ipv6 ? frame_ipv6_head(path, &inside, ip) : frame_ipv4_head(path, &inside, ip);
    uint8_t *udp = ip + head, *p = udp + UDP_HEADER;
    uint32_t crc = 0;

    put_be16(udp, roce->source_port);
    put_be16(udp + 2, IB_ROCE2_UDP_PORT);
    put_be16(udp + 4, (uint16_t)inside.length);
    put_be16(udp + 6, 0); /* annex A17.3.1: the invariant CRC protects the packet */
    memcpy(p, roce->headers, roce->headers_length);
    if (roce->payload_length)
        memcpy(p + roce->headers_length, roce->payload, roce->payload_length);
    memset(p + roce->headers_length + roce->payload_length, 0, pad);
    if (!roce->no_icrc)
        crc = ib_icrc(path->ipv6 ? IB_BELOW_IPV6_UDP : IB_BELOW_IPV4_UDP, ip, head + UDP_HEADER, p, transport);
    for (unsigned i = 0; i < IB_ICRC_LEN; i++)
        p[transport + i] = (uint8_t)(crc >> 8 * i);
    return ip_at + head + inside.length;
}

bool frame_fragment(const struct frame_path *path, const uint8_t *frame, size_t n, size_t first, uint8_t *out[2],
                    size_t length[2])
{
    size_t link = 14 + (path->vlan ? 4 : 0), head = link + 20;

    if (path->ipv6 || first % 8 != 0 || n <= head + first)
        return false;

    size_t part[2] = {first, n - head - first};

    for (unsigned i = 0; i < 2; i++) {
        uint8_t *ip = out[i] + link;

        memcpy(out[i], frame, head);
        memcpy(out[i] + head, frame + head + (i ? first : 0), part[i]);
        put_be16(ip + 2, (uint16_t)(20 + part[i]));
        put_be16(ip + 6, i ? (uint16_t)(first / 8) : IPV4_MF);
        put_be16(ip + 10, 0);
        put_be16(ip + 10, checksum_of(checksum_add(0, ip, 20)));
        length[i] = head + part[i];
    }
    return true;
}
