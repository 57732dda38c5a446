// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/copies.h"

#include "wire/octets.h"

#include <string.h>

enum {
    HEADS = 80,     /* octets that have all headers: a checksum or CRC in them, or at the end, stands for the rest */
    TAIL = 8,       /* octets */
    SMALL = 128,    /* octets: acknowledgements, which may be repeated for good */
    ESTABLISHED = 8 /* copies, after which small ones count as well */
};

static const int64_t copy_ns = 20000;

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t word_at(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

static uint64_t key_of(const struct packet *packet)
{
    uint32_t heads = packet->captured < HEADS ? packet->captured & ~7u : HEADS;
    uint64_t key = mix(packet->length, packet->captured);

    for (uint32_t i = 0; i < heads; i += sizeof(uint64_t))
        key = mix(key, word_at(packet->data + i));
    return mix(key, word_at(packet->data + packet->captured - TAIL));
}

static uint64_t address_at(const uint8_t *p)
{
    return (uint64_t)get_be16(p) << 32 | get_be32(p + 2);
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

        if (now.time_ns - before->time_ns > copy_ns || now.time_ns < before->time_ns || before->time_ns == 0 ||
            (before->to == now.from && now.to != now.from)) /* it answers: this may have been sent again for that */
            break;
        if (before->key != now.key || (packet->length < SMALL && copies->n < ESTABLISHED))
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
