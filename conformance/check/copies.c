// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/copies.h"

#include "wire/ib.h"
#include "wire/octets.h"

#include <glib.h>
#include <pcap/dlt.h>
#include <string.h>

enum {
    TAIL = 8,       /* the last octets, including an ICRC, if any */
    HEADS_AT = 16,  /* the Ethernet addresses come before */
    HEADS_END = 80, /* the end of the TCP header, or the BTH, after a VLAN tag and IPv6 */
    SMALL = 128,    /* octets: acknowledgements, which may legitimately repeat */
    ESTABLISHED = 8 /* after this many copies, small packets count, too */
};

enum { ETHERTYPE_AT = 12, ETHERNET_LEN = 14, TAG_LEN = 4, VLAN = 0x8100, IPV4 = 0x0800, IPV6 = 0x86dd };

static const int64_t copy_ns = 20000;

static uint64_t copies_word_at(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

/* The offset after the addresses and the VLAN tag. */
static uint32_t ethertype_at(const struct packet *packet)
{
    return ETHERTYPE_AT + (get_be16(packet->data + ETHERTYPE_AT) == VLAN ? TAG_LEN : 0);
}

/* TCP or RoCE directly in Ethernet: the first octets tell packets apart. Tunnels may have equal first octets. */
static bool copies_is_plain(const struct packet *packet)
{
    enum { PLAIN_IPV4 = 0x45, TCP = 6, UDP = 17 };
    const uint8_t *p = packet->data + ethertype_at(packet), *ip = p + 2, *ports;
    bool v4 = get_be16(p) == IPV4 && ip[0] == PLAIN_IPV4;
    uint8_t protocol = v4 ? ip[9] : ip[6];

    if (packet->linktype != DLT_EN10MB || (!v4 && get_be16(p) != IPV6))
        return false;
    ports = ip + (v4 ? 20 : 40);
    return protocol == TCP || (protocol == UDP && get_be16(ports + 2) == IB_ROCE2_UDP_PORT);
}

/* Octets before this offset may differ between copies: addresses, the direction, the time. */
static uint32_t key_begin(const struct packet *packet)
{
    switch (packet->linktype) {
    case DLT_EN10MB:
    case DLT_LINUX_SLL:
    case DLT_ERF:
        return HEADS_AT;
    default:
        return 0;
    }
}

static uint64_t copies_key_of(const struct packet *packet)
{
    static const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    bool whole = packet->captured >= packet->length && packet->captured >= HEADS_END;
    uint32_t end = whole && copies_is_plain(packet) ? HEADS_END : packet->captured;
    uint64_t key = packet->length;

    for (uint32_t i = key_begin(packet); i + TAIL <= end; i += TAIL)
        key = (key ^ copies_word_at(packet->data + i)) * odd;
    return (key ^ copies_word_at(packet->data + packet->captured - TAIL)) * odd;
}

/* Six octets, in any order. */
static uint64_t address_at(const uint8_t *p)
{
    static const uint8_t mask[8] = {255, 255, 255, 255, 255, 255};

    return copies_word_at(p) & copies_word_at(mask);
}

/* The same octets, except for the link addresses. If the octets of two packets differ, neither is a copy of the other:
 * one was damaged, or somebody else sent it. */
static bool is_equal(const struct recent_packet *before, const struct packet *packet)
{
    uint32_t from = key_begin(packet);

    return before->captured == packet->captured &&
           memcmp(before->octets + from, packet->data + from, packet->captured - from) == 0;
}

static void remember(struct recent_packet *recent, const struct recent_packet *now, const struct packet *packet)
{
    uint8_t *octets = recent->octets;
    uint32_t room = recent->room;

    if (room < packet->captured) {
        room = packet->captured;
        octets = g_realloc(octets, room);
    }
    *recent = *now;
    recent->octets = octets;
    recent->room = room;
    recent->captured = packet->captured;
    memcpy(octets, packet->data, packet->captured);
}

/* A small packet may legitimately repeat, but not with the same identification as the packet before it. */
static bool is_unmistakable(const struct packet *packet)
{
    enum { IDENTIFICATION = 6 /* after the EtherType */ };
    uint32_t at;

    if (packet->length >= SMALL)
        return true;
    if (packet->captured < ETHERNET_LEN + TAG_LEN + IDENTIFICATION)
        return false;
    at = ethertype_at(packet);
    return get_be16(packet->data + at) == IPV4 && get_be16(packet->data + at + IDENTIFICATION) != 0;
}

bool copies_take(struct copies *copies, const struct packet *packet)
{
    struct recent_packet now = {.time_ns = packet->time_ns};

    if (packet->captured < 2 * TAIL)
        return false;
    now.key = copies_key_of(packet);
    now.to = address_at(packet->data);
    now.from = address_at(packet->data + 6);
    for (unsigned i = 1; i <= COPIES_RECENT; i++) {
        const struct recent_packet *before = &copies->recent[(copies->next - i) % COPIES_RECENT];

        /* The packet is too late to be a copy, or time went back. */
        if ((uint64_t)now.time_ns - (uint64_t)before->time_ns > (uint64_t)copy_ns || before->time_ns == 0 ||
            (before->to == now.from && now.to != now.from)) /* an answer: this packet may be a retransmission */
            break;
        if (before->key != now.key || !is_equal(before, packet) ||
            (copies->n < ESTABLISHED && !is_unmistakable(packet)))
            continue;
        if (copies->n++ == 0) {
            copies->first = packet->frame;
            copies->first_ns = packet->time_ns;
        }
        return true;
    }
    remember(&copies->recent[copies->next++ % COPIES_RECENT], &now, packet);
    return false;
}

void copies_clear(struct copies *copies)
{
    for (unsigned i = 0; i < COPIES_RECENT; i++)
        g_free(copies->recent[i].octets);
}
