// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/ib.c: InfiniBand Architecture Specification, chapters 7 to 9. */
#include "wire/ib.h"

#include "tests/proofs/proof.h"

void proof_ib_packet_decode(void)
{
    struct ib_packet packet;
    size_t captured = any_size_to(80), length = any_size_to(4200), size = any_size_to(64), i = any_size();
    const uint8_t *p = any_octets(captured);
    uint8_t *out = any_octets(size);
    enum ib_decoding decoding = ib_packet_decode(&packet, p, length, captured);

    if (decoding != IB_DECODED)
        return;
    CLAIM(captured >= packet.header_len || length < captured);
    CLAIM(packet.header_len <= IB_HEADERS_MAX && packet.payload == p + packet.header_len);
    CLAIM(packet.header_len + packet.payload_len + packet.bth.pad + IB_ICRC_LEN == length);
    CLAIM(packet.payload_captured <= packet.payload_len);
    CLAIM(packet.header_len + packet.payload_captured <= captured);
    CLAIM(IMPLIES(packet.icrc_captured, length <= captured && packet.icrc + IB_ICRC_LEN == p + length));
    CLAIM(IMPLIES(!packet.icrc_captured, !packet.icrc));
    if (packet.info) {
        size_t written = ib_headers_encode(&packet, out, size);

        CLAIM(written == (size < packet.header_len ? 0 : packet.header_len));
        /* Octets 4 and 8 of the BTH, and octet 4 of the DETH, have reserved bits. */
        ASSUME(i < written && i != 4 && i != 8 && !(packet.headers & IB_HAS_DETH && i == IB_BTH_LEN + 4));
        CLAIM(out[i] == p[i]);
        FALSE_CLAIM(packet.header_len < IB_HEADERS_MAX);
        FALSE_CLAIM(!(packet.headers & IB_HAS_DETH));
    }
}

void proof_ib_opcodes(void)
{
    unsigned opcode = any_u32();
    const struct ib_opcode_info *info = ib_opcode_info(opcode);
    uint8_t syndrome = any_u8();
    int32_t distance;
    uint32_t a = any_u32() & IB_PSN_MASK, b = any_u32() & IB_PSN_MASK;

    CLAIM(IMPLIES(info, opcode <= UINT8_MAX && info->name && info->token));
    CLAIM(ib_rnr_timer_ns(syndrome) > 0 && ib_rnr_timer_ns(syndrome) <= INT64_C(655360000));
    CLAIM(IMPLIES(ib_nak_name(syndrome), ib_aeth_kind(syndrome) == IB_AETH_NAK));
    distance = ib_psn_distance(a, b);
    CLAIM(distance >= -(1 << 23) && distance < 1 << 23 && ((a + (uint32_t)distance) & IB_PSN_MASK) == b);
    FALSE_CLAIM(!info);
    FALSE_CLAIM(distance >= 0);
}

void proof_ib_link_headers(void)
{
    size_t n = any_size_to(48), size = any_size_to(48), i = any_size();
    const uint8_t *p = any_octets(n);
    uint8_t *out = any_octets(size);
    struct ib_lrh lrh;
    struct ib_grh grh;

    if (any_bool() && ib_lrh_decode(&lrh, p, n)) {
        struct ib_lrh again;
        size_t written = ib_lrh_encode(&lrh, out, size);

        CLAIM(n >= IB_LRH_LEN && written == (size < IB_LRH_LEN ? 0 : IB_LRH_LEN));
        if (written > 0) {
            CLAIM(ib_lrh_decode(&again, out, written) && again.virtual_lane == lrh.virtual_lane);
            CLAIM(again.service_level == lrh.service_level && again.next == lrh.next && again.words == lrh.words);
            CLAIM(again.destination == lrh.destination && again.source == lrh.source);
            FALSE_CLAIM(lrh.words == 0);
        }
    } else if (ib_grh_decode(&grh, p, n)) {
        size_t written = ib_grh_encode(&grh, out, size);

        CLAIM(n >= IB_GRH_LEN && written == (size < IB_GRH_LEN ? 0 : IB_GRH_LEN));
        CLAIM(IMPLIES(i < written, out[i] == p[i]));
        FALSE_CLAIM(written == 0);
    }
}
