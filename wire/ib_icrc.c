// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/ib_icrc.h"

#include "wire/crc32.h"
#include "wire/ib.h"

#include <stdbool.h>
#include <string.h>

enum { ONES = 8, IPV4_LEN = 20, IPV4_MAX = 60, IPV6_LEN = 40, UDP_LEN = 8, BELOW_MAX = IPV4_MAX + UDP_LEN };

/* Octets, by offset in the header, that count as ones. */
static void mask_ipv4(uint8_t *ip)
{
    ip[1] = 0xFF;             /* TOS */
    ip[8] = 0xFF;             /* TTL */
    memset(ip + 10, 0xFF, 2); /* checksum */
}

static void mask_ipv6(uint8_t *ip)
{
    ip[0] |= 0x0F; /* traffic class, flow label */
    memset(ip + 1, 0xFF, 3);
    ip[7] = 0xFF; /* hop limit */
}

/* False when headers of this kind cannot have this length. */
static bool mask(enum ib_below kind, uint8_t *below, size_t n)
{
    switch (kind) {
    case IB_BELOW_IPV4_UDP:
        if (n < IPV4_LEN + UDP_LEN || n > BELOW_MAX)
            return false;
        mask_ipv4(below);
        break;
    case IB_BELOW_IPV6_UDP:
        if (n != IPV6_LEN + UDP_LEN)
            return false;
        mask_ipv6(below);
        break;
    case IB_BELOW_GRH:
        if (n != IB_GRH_LEN)
            return false;
        mask_ipv6(below);
        return true;
    case IB_BELOW_LRH:
    case IB_BELOW_LRH_GRH:
        if (n != IB_LRH_LEN + (kind == IB_BELOW_LRH_GRH ? IB_GRH_LEN : 0u))
            return false;
        below[0] |= 0xF0; /* virtual lane */
        if (kind == IB_BELOW_LRH_GRH)
            mask_ipv6(below + IB_LRH_LEN);
        return true;
    case IB_BELOW_TAP:
        return false;
    }
    memset(below + n - 2, 0xFF, 2); /* UDP checksum */
    return true;
}

uint32_t ib_icrc(enum ib_below kind, const uint8_t *below, size_t below_len, const uint8_t *transport, size_t n)
{
    static const uint8_t ones[ONES] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    uint8_t masked[BELOW_MAX], bth[IB_BTH_LEN];
    uint32_t crc = 0;

    if (below_len > sizeof masked || n < IB_BTH_LEN)
        return 0;
    memcpy(masked, below, below_len);
    if (!mask(kind, masked, below_len))
        return 0;
    memcpy(bth, transport, sizeof bth);
    bth[4] = 0xFF;
    if (kind != IB_BELOW_LRH && kind != IB_BELOW_LRH_GRH)
        crc = crc32_extend(crc, ones, sizeof ones);
    crc = crc32_extend(crc, masked, below_len);
    crc = crc32_extend(crc, bth, sizeof bth);
    return crc32_extend(crc, transport + IB_BTH_LEN, n - IB_BTH_LEN);
}
