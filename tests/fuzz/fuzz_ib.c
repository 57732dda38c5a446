// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A packet of the InfiniBand transport: the first octet chooses how much was captured, and the layer below. A decoded
 * packet is encoded to the same octets, except reserved bits.
 */
#include "tests/fuzz/fuzz.h"
#include "wire/ib.h"
#include "wire/ib_cm.h"
#include "wire/ib_icrc.h"

static void mad(const uint8_t *p, size_t n)
{
    struct ib_cm cm, again;
    uint8_t back[IB_MAD_LEN];
    size_t consumer;

    if (!ib_cm_decode(&cm, p, n))
        return;
    HOLDS(ib_cm_name(cm.attribute) != NULL);
    HOLDS(cm.private_data >= p && cm.private_data + cm.private_len <= p + IB_MAD_LEN);
    HOLDS(ib_cm_consumer_data(&cm, &consumer) + consumer == cm.private_data + cm.private_len);
    HOLDS(ib_cm_encode(&cm, back, sizeof back) == IB_MAD_LEN && ib_cm_decode(&again, back, sizeof back));
    HOLDS(again.qp == cm.qp && again.psn == cm.psn && again.service == cm.service && again.reason == cm.reason);
    /* If the packet was cut, its private data were cut, too. */
    HOLDS(again.private_len == cm.private_len || (n < IB_MAD_LEN && again.private_len > cm.private_len));
    HOLDS(memcmp(again.private_data, cm.private_data, cm.private_len) == 0);
}

static void below(const uint8_t *p, size_t n)
{
    struct ib_lrh lrh;
    struct ib_grh grh;
    uint8_t back[IB_GRH_LEN];

    if (ib_lrh_decode(&lrh, p, n))
        HOLDS(ib_lrh_encode(&lrh, back, sizeof back) == IB_LRH_LEN);
    if (ib_grh_decode(&grh, p, n)) {
        HOLDS(ib_grh_encode(&grh, back, sizeof back) == IB_GRH_LEN);
        HOLDS(memcmp(back, p, IB_GRH_LEN) == 0);
    }
    for (unsigned kind = IB_BELOW_IPV4_UDP; kind <= IB_BELOW_LRH_GRH; kind++)
        for (size_t at = 0; at <= n && at <= 80; at += 4)
            ib_icrc((enum ib_below)kind, p, at, p + at, n - at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t back[IB_HEADERS_MAX + IB_DETH_LEN];
    struct ib_packet packet, again;
    enum ib_decoding decoding;
    size_t captured;

    if (size == 0)
        return 0;
    captured = size - 1 < data[0] * 4u ? size - 1 : data[0] * 4u;
    decoding = ib_packet_decode(&packet, data + 1, size - 1, captured);
    below(data + 1, size - 1);
    if (decoding != IB_DECODED)
        return 0;
    HOLDS(packet.header_len + packet.payload_len + packet.bth.pad + IB_ICRC_LEN == size - 1);
    HOLDS(packet.payload_captured <= packet.payload_len && packet.header_len + packet.payload_captured <= captured);
    if (packet.info) {
        HOLDS(ib_headers_encode(&packet, back, sizeof back) == packet.header_len);
        HOLDS(ib_packet_decode(&again, back, size - 1, packet.header_len) == IB_DECODED);
        HOLDS(again.bth.psn == packet.bth.psn && again.bth.qp == packet.bth.qp && again.headers == packet.headers);
        HOLDS(again.reth.address == packet.reth.address && again.atomic.compare == packet.atomic.compare);
    }
    mad(packet.payload, packet.payload_captured);
    return 0;
}
