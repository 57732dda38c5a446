// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/packets.h"

void packet_add(struct packet_octets *o, const void *p, size_t n)
{
    assert_true(o->n + n <= sizeof o->p);
    memcpy(o->p + o->n, p, n);
    o->n += n;
}

void packet_add_hex(struct packet_octets *o, const char *hex)
{
    o->n += octets_of(hex, o->p + o->n, sizeof o->p - o->n);
}

void packet_add_tcp(struct packet_octets *o, uint32_t seq, const char *text)
{
    uint8_t h[20] = {0x03, 0xe8, 0x07, 0xd0, [12] = 0x50, [13] = TCP_ACK, [14] = 0x20, [15] = 0};
    put_be32(h + 4, seq);
    put_be32(h + 8, 77);
    packet_add(o, h, sizeof h);
    packet_add(o, text, strlen(text));
}

void packet_add_ipv4(struct packet_octets *o, size_t payload, unsigned id, unsigned flags_offset)
{
    uint8_t h[20] = {0x45, [8] = 64, [9] = 6, [12] = 10, [15] = 1, [16] = 10, [19] = 2};
    put_be16(h + 2, (uint16_t)(sizeof h + payload));
    put_be16(h + 4, (uint16_t)id);
    put_be16(h + 6, (uint16_t)flags_offset);
    packet_add(o, h, sizeof h);
}

void packet_add_ipv6(struct packet_octets *o, size_t payload, uint8_t next)
{
    uint8_t h[40] = {0x60,     [6] = next,  [7] = 64,    [8] = 0x20,  [9] = 0x01,  [10] = 0x0d, [11] = 0xb8,
                     [23] = 1, [24] = 0x20, [25] = 0x01, [26] = 0x0d, [27] = 0xb8, [39] = 2};
    put_be16(h + 4, (uint16_t)payload);
    packet_add(o, h, sizeof h);
}

struct packet packet_of(const struct packet_octets *o, int linktype)
{
    return (struct packet){.frame = 1,
                           .time_ns = 5,
                           .length = (uint32_t)o->n,
                           .captured = (uint32_t)o->n,
                           .data = o->p,
                           .linktype = linktype};
}
