// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets of Linux's soft RoCE (rdma_rxe of 6.1) with their ICRC, and headers from the specification's tables. */
#include "tests/unit/support/support.h"
#include "wire/ib.h"
#include "wire/ib_icrc.h"

enum { IPV4_UDP = 28, IPV6_UDP = 48 };

static const char read_request[] = "4500003c815340004011a3590a0101020a010101c9bd12b700280000"
                                   "0c00ffff0000007680d7671c0000560aec16d0000000698400000100c9b17f4e";
static const char acknowledge[] = "4500003072d340004011b1e50a0101010a010102c9bd12b7001c0000"
                                  "1100ffff0000008200d7671b1f00000127dba59a";
static const char send_invalidate[] = "45000040819d40004011a30b0a0101020a010101c9bd12b7002c0000"
                                      "1700ffff0000007680d767a500006db430303030303030303030303030303030aca965c0";
static const char fetch_add[] =
    "4500004821a94000401102f80a0101020a010101ed7712b700340000"
    "1400ffff0000006780019fb8000055dbb1b57000000060d1000000000000000100000000000000006e2ac17d";
static const char atomic_ack[] = "450000380a6b400040111a460a0101010a010102ed7712b700240000"
                                 "1200ffff0000007100019fb81f000001b41a07346c23429b43545709";
static const char ipv6_ack[] =
    "60000000001c1140fd010000000000000000000000000001fd010000000000000000000000000002d22412b7001c0000"
    "1100ffff0000005f00d15e541f000001c8bfa5bf";

struct frame {
    uint8_t octets[512];
    size_t n, below;
    struct ib_packet packet;
};

static void take(struct frame *frame, const char *text, size_t below)
{
    frame->n = octets_of(text, frame->octets, sizeof frame->octets);
    frame->below = below;
    assert_int_equal(ib_packet_decode(&frame->packet, frame->octets + below, frame->n - below, frame->n - below),
                     IB_DECODED);
}

static uint32_t crc_on_the_wire(const struct frame *frame)
{
    const uint8_t *p = frame->packet.icrc;

    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t crc_of(const struct frame *frame, enum ib_below kind)
{
    return ib_icrc(kind, frame->octets, frame->below, frame->octets + frame->below,
                   frame->n - frame->below - IB_ICRC_LEN);
}

UNIT_TEST(headers_of_real_packets)
{
    struct frame frame;

    take(&frame, read_request, IPV4_UDP);
    assert_string_equal(frame.packet.info->name, "RDMA READ Request");
    assert_int_equal(frame.packet.bth.qp, 0x76);
    assert_int_equal(frame.packet.bth.psn, 0xd7671c);
    assert_true(frame.packet.bth.ack_request);
    assert_int_equal(frame.packet.bth.pkey, 0xffff);
    assert_int_equal(frame.packet.headers, IB_HAS_RETH);
    assert_true(frame.packet.reth.address == UINT64_C(0x0000560aec16d000));
    assert_int_equal(frame.packet.reth.rkey, 0x6984);
    assert_int_equal(frame.packet.reth.length, 256);
    assert_int_equal(frame.packet.payload_len, 0);

    take(&frame, acknowledge, IPV4_UDP);
    assert_true(frame.packet.info->response);
    assert_int_equal(ib_aeth_kind(frame.packet.aeth.syndrome), IB_AETH_ACK);
    assert_int_equal(frame.packet.aeth.msn, 1);

    take(&frame, send_invalidate, IPV4_UDP);
    assert_int_equal(frame.packet.invalidate, 0x6db4);
    assert_int_equal(frame.packet.payload_len, 16);
    assert_memory_equal(frame.packet.payload, "0000000000000000", 16);

    take(&frame, fetch_add, IPV4_UDP);
    assert_int_equal(frame.packet.atomic.rkey, 0x60d1);
    assert_true(frame.packet.atomic.swap == 1 && frame.packet.atomic.compare == 0);

    take(&frame, atomic_ack, IPV4_UDP);
    assert_true(frame.packet.original == UINT64_C(0xb41a07346c23429b));
}

UNIT_TEST(invariant_crc_of_real_packets)
{
    static const char *const packets[] = {read_request, acknowledge, send_invalidate, fetch_add, atomic_ack};
    struct frame frame;

    for (unsigned i = 0; i < ARRAY_LENGTH(packets); i++) {
        take(&frame, packets[i], IPV4_UDP);
        assert_int_equal(crc_of(&frame, IB_BELOW_IPV4_UDP), crc_on_the_wire(&frame));
        /* Fields that routers change do not matter: TOS, TTL, header checksum, UDP checksum, FECN and BECN. */
        frame.octets[1] = 0x03;
        frame.octets[8]--;
        frame.octets[10] ^= 0x55;
        frame.octets[26] = 0x12;
        frame.octets[IPV4_UDP + 4] = 0xC0;
        assert_int_equal(crc_of(&frame, IB_BELOW_IPV4_UDP), crc_on_the_wire(&frame));
        frame.octets[IPV4_UDP + 11] ^= 1;
        assert_int_not_equal(crc_of(&frame, IB_BELOW_IPV4_UDP), crc_on_the_wire(&frame));
    }
    take(&frame, ipv6_ack, IPV6_UDP);
    assert_int_equal(crc_of(&frame, IB_BELOW_IPV6_UDP), crc_on_the_wire(&frame));
    frame.octets[0] |= 0x0F;
    frame.octets[3] = 0x77;
    frame.octets[7] = 1;
    assert_int_equal(crc_of(&frame, IB_BELOW_IPV6_UDP), crc_on_the_wire(&frame));
    frame.octets[9] ^= 1;
    assert_int_not_equal(crc_of(&frame, IB_BELOW_IPV6_UDP), crc_on_the_wire(&frame));
}

UNIT_TEST(crc_of_impossible_lengths)
{
    const uint8_t octets[128] = {0};

    assert_int_equal(ib_icrc(IB_BELOW_IPV4_UDP, octets, IPV4_UDP - 1, octets, 40), 0);
    assert_int_equal(ib_icrc(IB_BELOW_IPV4_UDP, octets, 72, octets, 40), 0);
    assert_int_equal(ib_icrc(IB_BELOW_IPV6_UDP, octets, IPV4_UDP, octets, 40), 0);
    assert_int_equal(ib_icrc(IB_BELOW_IPV4_UDP, octets, IPV4_UDP, octets, IB_BTH_LEN - 1), 0);
    assert_int_equal(ib_icrc(IB_BELOW_LRH, octets, 40, octets, 40), 0);
    assert_int_not_equal(ib_icrc(IB_BELOW_LRH_GRH, octets, 48, octets, 40), 0);
}

/* The table of section 9.2.1: the number of assigned OpCodes by service. */
UNIT_TEST(opcode_table)
{
    unsigned assigned[8] = {0};

    for (unsigned opcode = 0; opcode < 300; opcode++) {
        const struct ib_opcode_info *info = ib_opcode_info(opcode);

        if (!info)
            continue;
        assigned[opcode >> 5]++;
        assert_true(info->name && info->token);
        /* Requests name memory in their first packet only. */
        if (info->message == IB_MESSAGE_WRITE)
            assert_int_equal((info->headers & IB_HAS_RETH) != 0, info->first);
        /* Immediate data and the key to invalidate are in the last packet. */
        if (info->headers & (IB_HAS_IMMEDIATE | IB_HAS_INVALIDATE))
            assert_true(info->last);
        if (info->response && (info->first || info->last))
            assert_true(info->headers & IB_HAS_AETH);
    }
    assert_int_equal(assigned[IB_RC], 23);
    assert_int_equal(assigned[IB_UC], 12);
    assert_int_equal(assigned[IB_UD], 2);
    assert_int_equal(assigned[IB_RD] + assigned[IB_CNP] + assigned[IB_XRC], 0);
    assert_null(ib_opcode_info(0x15));
}

UNIT_TEST(what_is_encoded_is_decoded)
{
    uint8_t octets[128];
    uint64_t seed = 9;

    for (unsigned opcode = 0; opcode < 256; opcode++) {
        struct ib_packet packet = {.bth = {.opcode = (uint8_t)opcode,
                                           .solicited = next_random(&seed) & 1,
                                           .migration = next_random(&seed) & 1,
                                           .pad = next_random(&seed) & 3,
                                           .pkey = (uint16_t)next_random(&seed),
                                           .becn = next_random(&seed) & 1,
                                           .qp = next_random(&seed) & 0xFFFFFF,
                                           .ack_request = next_random(&seed) & 1,
                                           .psn = next_random(&seed) & 0xFFFFFF},
                                   .qkey = 0x80010000,
                                   .source_qp = 0x123456,
                                   .reth = {UINT64_C(0x1122334455667788), 0x99AABBCC, 0xDDEEFF00},
                                   .atomic = {UINT64_C(0x8877665544332211), 1, 2, 3},
                                   .aeth = {0x62, 0xABCDEF},
                                   .original = UINT64_C(0x0102030405060708),
                                   .immediate = 0xCAFE,
                                   .invalidate = 0xF00D},
                         again;
        size_t n;

        memset(octets, 0, sizeof octets);
        n = ib_headers_encode(&packet, octets, sizeof octets);
        if (!ib_opcode_info(opcode)) {
            assert_int_equal(n, 0);
            continue;
        }
        assert_int_equal(ib_headers_encode(&packet, octets, n - 1), 0);
        assert_int_equal(ib_packet_decode(&again, octets, sizeof octets, sizeof octets), IB_DECODED);
        assert_int_equal(again.header_len, n);
        assert_int_equal(again.bth.qp, packet.bth.qp);
        assert_int_equal(again.bth.psn, packet.bth.psn);
        assert_int_equal(again.bth.pkey, packet.bth.pkey);
        assert_int_equal(again.bth.pad, packet.bth.pad);
        assert_int_equal(again.bth.solicited, packet.bth.solicited);
        assert_int_equal(again.bth.migration, packet.bth.migration);
        assert_int_equal(again.bth.becn, packet.bth.becn);
        assert_int_equal(again.bth.ack_request, packet.bth.ack_request);
        assert_int_equal(again.payload_len, sizeof octets - n - packet.bth.pad - IB_ICRC_LEN);
        /* Each header present was read back. */
        assert_true(!(again.headers & IB_HAS_RETH) || again.reth.address == packet.reth.address);
        assert_true(!(again.headers & IB_HAS_ATOMIC) || again.atomic.compare == packet.atomic.compare);
        assert_true(!(again.headers & IB_HAS_AETH) || again.aeth.msn == packet.aeth.msn);
        assert_true(!(again.headers & IB_HAS_ATOMIC_ACK) || again.original == packet.original);
        assert_true(!(again.headers & IB_HAS_IMMEDIATE) || again.immediate == packet.immediate);
        assert_true(!(again.headers & IB_HAS_INVALIDATE) || again.invalidate == packet.invalidate);
        assert_true(!(again.headers & IB_HAS_DETH) || again.source_qp == packet.source_qp);
    }
}

UNIT_TEST(cut_and_short_packets)
{
    struct frame frame;
    struct ib_packet packet;

    take(&frame, send_invalidate, IPV4_UDP);
    frame.n -= IPV4_UDP;
    /* Snap length: headers, then payload, then the CRC go missing. */
    for (size_t captured = 0; captured <= frame.n; captured++) {
        enum ib_decoding decoding = ib_packet_decode(&packet, frame.octets + IPV4_UDP, frame.n, captured);

        assert_int_equal(decoding, captured < IB_BTH_LEN + IB_IETH_LEN ? IB_CUT : IB_DECODED);
        if (captured >= IB_BTH_LEN)
            assert_int_equal(packet.bth.psn, 0xd767a5);
        if (decoding == IB_DECODED) {
            assert_int_equal(packet.payload_len, 16);
            assert_int_equal(packet.payload_captured, captured - 16 < 16 ? captured - 16 : 16);
            assert_int_equal(packet.icrc_captured, captured == frame.n);
        }
    }
    /* A packet that is too short for its opcode. */
    for (size_t length = 0; length < IB_BTH_LEN + IB_IETH_LEN + IB_ICRC_LEN; length++)
        assert_int_equal(ib_packet_decode(&packet, frame.octets + IPV4_UDP, length, length), IB_MALFORMED);
}

UNIT_TEST(sequence_numbers_wrap)
{
    assert_int_equal(ib_psn_distance(5, 7), 2);
    assert_int_equal(ib_psn_distance(7, 5), -2);
    assert_int_equal(ib_psn_distance(0xFFFFFF, 0), 1);
    assert_int_equal(ib_psn_distance(1, 0xFFFFFE), -3);
    assert_int_equal(ib_psn_distance(0, 0x7FFFFF), 0x7FFFFF);
    assert_int_equal(ib_psn_distance(0, 0x800000), -0x800000);
}

/* Table "Encoding for RNR NAK Timer Field", in microseconds. */
UNIT_TEST(times_to_wait)
{
    static const int64_t times[] = {655360, 10,    20,    30,    40,    60,     80,     120,    160,    240,   320,
                                    480,    640,   960,   1280,  1920,  2560,   3840,   5120,   7680,   10240, 15360,
                                    20480,  30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680, 491520};

    for (unsigned code = 0; code < sizeof times / sizeof *times; code++)
        assert_int_equal(ib_rnr_timer_ns((uint8_t)(0x20 | code)), times[code] * 1000);
}

UNIT_TEST(naks_have_names)
{
    assert_string_equal(ib_nak_name(0x60), "PSN sequence error");
    assert_string_equal(ib_nak_name(0x62), "remote access error");
    assert_null(ib_nak_name(0x1f));
    assert_null(ib_nak_name(0x65));
    assert_int_equal(ib_aeth_kind(0x2a), IB_AETH_RNR_NAK);
}

UNIT_TEST(link_headers)
{
    struct ib_lrh lrh = {.virtual_lane = 3,
                         .service_level = 5,
                         .next = IB_NEXT_GRH,
                         .destination = 0x1234,
                         .source = 0xFEDC,
                         .words = 0x2A5},
                  lrh_again;
    struct ib_grh grh = {.version = 6,
                         .traffic_class = 0xA5,
                         .flow_label = 0xBEEF1,
                         .payload_length = 300,
                         .next = IB_GRH_NEXT_BTH,
                         .hop_limit = 64,
                         .source = {1, 2},
                         .destination = {3, 4}},
                  grh_again;
    uint8_t octets[IB_GRH_LEN];

    assert_int_equal(ib_lrh_encode(&lrh, octets, sizeof octets), IB_LRH_LEN);
    assert_true(ib_lrh_decode(&lrh_again, octets, IB_LRH_LEN));
    assert_int_equal(lrh_again.virtual_lane, 3);
    assert_int_equal(lrh_again.service_level, 5);
    assert_int_equal(lrh_again.next, IB_NEXT_GRH);
    assert_int_equal(lrh_again.destination, 0x1234);
    assert_int_equal(lrh_again.source, 0xFEDC);
    assert_int_equal(lrh_again.words, 0x2A5);
    assert_false(ib_lrh_decode(&lrh_again, octets, IB_LRH_LEN - 1));
    assert_int_equal(ib_grh_encode(&grh, octets, sizeof octets), IB_GRH_LEN);
    assert_true(ib_grh_decode(&grh_again, octets, IB_GRH_LEN));
    assert_memory_equal(grh.source, grh_again.source, 16);
    assert_int_equal(grh_again.flow_label, 0xBEEF1);
    assert_int_equal(grh_again.traffic_class, 0xA5);
    assert_int_equal(grh_again.payload_length, 300);
    assert_false(ib_grh_decode(&grh_again, octets, IB_GRH_LEN - 1));
}
