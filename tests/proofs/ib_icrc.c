// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/ib_icrc.c: InfiniBand Architecture Specification section 7.8.1, Annex A17. */
#include "wire/ib_icrc.h"

#include "tests/proofs/proof.h"
#include "wire/crc32.h"
#include "wire/ib.h"

enum { ONES = 8, IPV4_MOST = 60 + 8, N_MOST = 16 };

/* One of the octets that the CRC covers, any of them. */
static size_t watched, n_covered;
static uint8_t seen;

uint32_t crc32_extend(uint32_t crc, const void *data, size_t len)
{
    const uint8_t *p = data;

    CLAIM(len == 0 || READABLE(data, len));
    if (watched >= n_covered && watched - n_covered < len)
        seen = p[watched - n_covered];
    n_covered += len;
    return crc + 1;
}

static uint8_t masked_ipv6(const uint8_t *below, size_t k)
{
    return k == 0 ? below[0] | 0x0F : k <= 3 || k == 7 ? 0xFF : below[k];
}

/* What stands for octet k of the headers below. */
static uint8_t masked_below(enum ib_below kind, const uint8_t *below, size_t n, size_t k)
{
    bool udp_sum = k + 2 >= n;

    switch (kind) {
    case IB_BELOW_IPV4_UDP:
        return k == 1 || k == 8 || k == 10 || k == 11 || udp_sum ? 0xFF : below[k];
    case IB_BELOW_IPV6_UDP:
        return udp_sum ? 0xFF : masked_ipv6(below, k);
    case IB_BELOW_GRH:
        return masked_ipv6(below, k);
    default:
        if (k >= IB_LRH_LEN)
            return masked_ipv6(below + IB_LRH_LEN, k - IB_LRH_LEN);
        return k == 0 ? below[0] | 0xF0 : below[k];
    }
}

void proof_ib_icrc(void)
{
    enum ib_below kind = (enum ib_below)any_size_to(IB_BELOW_COUNT - 1);
    size_t below_len = any_size_to(IPV4_MOST + 4), n = any_size_to(N_MOST);
    size_t ones = kind == IB_BELOW_LRH || kind == IB_BELOW_LRH_GRH ? 0 : ONES;
    const uint8_t *below = any_octets(below_len), *transport = any_octets(n);

    watched = any_size();
    if (ib_icrc(kind, below, below_len, transport, n) == 0)
        return;
    CLAIM(n_covered == ones + below_len + n);
    ASSUME(watched < n_covered);
    if (watched < ones)
        CLAIM(seen == 0xFF);
    else if (watched < ones + below_len)
        CLAIM(seen == masked_below(kind, below, below_len, watched - ones));
    else
        CLAIM(seen == (watched - ones - below_len == 4 ? 0xFF : transport[watched - ones - below_len]));
    FALSE_CLAIM(kind != IB_BELOW_IPV4_UDP);
    FALSE_CLAIM(kind != IB_BELOW_LRH_GRH);
    FALSE_CLAIM(seen == 0xFF);
}
