// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/copies.h"

#include "wire/octets.h"

#include <string.h>

enum {
    TAIL = 8,       /* octets at the end, with an ICRC, if there is one */
    HEADS = 72,     /* as many have what is compared: */
    SMALL = 128,    /* octets: acknowledgements, which may be repeated for good */
    ESTABLISHED = 8 /* copies, after which small ones count as well */
};

/* Of Ethernet, IPv4 or IPv6, with or without a VLAN tag: identification, numbers, checksums. */
static const uint8_t places[] = {16, 38, 46, 56, 64};

static const int64_t copy_ns = 20000;

static uint64_t word_at(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

static uint64_t key_of(const struct packet *packet)
{
    static const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);
    uint64_t key = packet->length;

    if (packet->captured >= HEADS)
        for (size_t i = 0; i < sizeof places; i++)
            key = (key ^ word_at(packet->data + places[i])) * odd;
    else
        for (uint32_t i = 0; i + TAIL <= packet->captured; i += TAIL)
            key = (key ^ word_at(packet->data + i)) * odd;
    return (key ^ word_at(packet->data + packet->captured - TAIL)) * odd;
}

/* Six octets, in whatever order. */
static uint64_t address_at(const uint8_t *p)
{
    static const uint8_t mask[8] = {255, 255, 255, 255, 255, 255};

    return word_at(p) & word_at(mask);
}

/* A small packet may be repeated for good; not with the identification of the one before it. */
static bool is_unmistakable(const struct packet *packet)
{
    enum { ETHERTYPE = 12, VLAN = 0x8100, IPV4 = 0x0800, TAG_LEN = 4, IDENTIFICATION = 6 /* after the EtherType */ };
    uint32_t at = ETHERTYPE;

    if (packet->length >= SMALL)
        return true;
    if (packet->captured < ETHERTYPE + TAG_LEN + IDENTIFICATION + 2)
        return false;
    at += get_be16(packet->data + at) == VLAN ? TAG_LEN : 0;
    return get_be16(packet->data + at) == IPV4 && get_be16(packet->data + at + IDENTIFICATION) != 0;
}

/* Too late for a copy, or time went back. */
static bool is_over(int64_t before, int64_t now)
{
    return (uint64_t)now - (uint64_t)before > (uint64_t)copy_ns;
}

bool copies_take(struct copies *copies, const struct packet *packet)
{
    struct recent_packet now = {.time_ns = packet->time_ns};

    if (packet->captured < 2 * TAIL)
        return false;
    now.key = key_of(packet);
    now.to = address_at(packet->data);
    now.from = address_at(packet->data + 6);
    for (unsigned i = 1; i <= COPIES_RECENT; i++) {
        const struct recent_packet *before = &copies->recent[(copies->next - i) % COPIES_RECENT];

        if (is_over(before->time_ns, now.time_ns) || before->time_ns == 0 ||
            (before->to == now.from && now.to != now.from)) /* it answers: this may have been sent again for that */
            break;
        if (before->key != now.key || (copies->n < ESTABLISHED && !is_unmistakable(packet)))
            continue;
        if (copies->n++ == 0) {
            copies->first = packet->frame;
            copies->first_ns = packet->time_ns;
        }
        return true;
    }
    copies->recent[copies->next++ % COPIES_RECENT] = now;
    return false;
}
