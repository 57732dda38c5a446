// SPDX-License-Identifier: GPL-2.0-or-later
/* The InfiniBand transport in all its lower layers. The packets in UDP are Linux's, with their ICRC. */
#include "tests/unit/support/packets.h"
#include "wire/ib.h"

static const char ipv4[] = "45000030 72d34000 4011b1e5 0a010101 0a010102 c9bd12b7 001c0000";
static const char ipv6[] = "60000000 001c1140 fd010000000000000000000000000001 fd010000000000000000000000000002 "
                           "d22412b7 001c0000";
static const char grh[] = "60000000 00141b40 fe800000000000000000000000000001 fe800000000000000000000000000002";
static const char lrh[] = "0002 0005 0007 0003";
static const char lrh_grh[] = "0003 0005 0011 0003";
static const char acknowledge[] = "1100ffff 00000082 00d7671b 1f000001 27dba59a";

static enum decap_status take(const struct packet_octets *o, int linktype, struct ib_datagram *ib)
{
    struct packet packet = packet_of(o, linktype);
    struct addressed_segment segment;
    struct decap *decap = decap_new(0);
    enum decap_status status = decap_packet(decap, &packet, &segment, ib);

    decap_free(decap);
    return status;
}

static void expect(const char *link, int linktype, const char *below, unsigned kind, unsigned address_kind)
{
    struct packet_octets o = {0};
    struct ib_datagram ib;
    struct ib_packet packet;

    packet_add_hex(&o, link);
    packet_add_hex(&o, below);
    packet_add_hex(&o, acknowledge);
    assert_int_equal(take(&o, linktype, &ib), DECAP_IB);
    assert_int_equal(ib.kind, kind);
    assert_int_equal(ib.source.kind, address_kind);
    assert_int_equal(ib.length, 20);
    assert_int_equal(ib.captured, 20);
    assert_int_equal(ib.frame, 1);
    assert_non_null(ib.below);
    assert_ptr_equal(ib.below + ib.below_len, ib.p);
    assert_int_equal(ib_packet_decode(&packet, ib.p, ib.length, ib.captured), IB_DECODED);
    assert_int_equal(packet.bth.opcode, IB_ACKNOWLEDGE);
    assert_int_equal(packet.bth.qp, 0x82);
}

UNIT_TEST(every_way)
{
    expect("[12] 0800", DLT_EN10MB, ipv4, IB_BELOW_IPV4_UDP, IB_ADDRESS_IPV4);
    expect("[12] 8100 0007 0800", DLT_EN10MB, ipv4, IB_BELOW_IPV4_UDP, IB_ADDRESS_IPV4);
    expect("[12] 86dd", DLT_EN10MB, ipv6, IB_BELOW_IPV6_UDP, IB_ADDRESS_IPV6);
    expect("[14] 0800", DLT_LINUX_SLL, ipv4, IB_BELOW_IPV4_UDP, IB_ADDRESS_IPV4);
    expect("", DLT_RAW, ipv6, IB_BELOW_IPV6_UDP, IB_ADDRESS_IPV6);
    expect("[12] 8915", DLT_EN10MB, grh, IB_BELOW_GRH, IB_ADDRESS_GID);
    expect("[12] 8100 0007 8915", DLT_EN10MB, grh, IB_BELOW_GRH, IB_ADDRESS_GID);
    expect("", DLT_INFINIBAND, lrh, IB_BELOW_LRH, IB_ADDRESS_LID);
    expect("[8] 15 00 0000 0000 001c", DLT_ERF, lrh, IB_BELOW_LRH, IB_ADDRESS_LID);
    expect("[8] 95 00 0000 0000 001c 80[7] 00[7]", DLT_ERF, lrh, IB_BELOW_LRH, IB_ADDRESS_LID);
}

UNIT_TEST(invariant_crc)
{
    struct packet_octets o = {0};
    struct ib_datagram ib;

    packet_add_hex(&o, ipv4);
    packet_add_hex(&o, acknowledge);
    assert_int_equal(take(&o, DLT_RAW, &ib), DECAP_IB);
    assert_int_equal(ib_icrc(ib.kind, ib.below, ib.below_len, ib.p, ib.length - IB_ICRC_LEN), 0x9aa5db27);
}

UNIT_TEST(link_with_routing)
{
    struct packet_octets o = {0};
    struct ib_datagram ib;

    packet_add_hex(&o, lrh_grh);
    packet_add_hex(&o, grh);
    packet_add_hex(&o, acknowledge);
    packet_add_hex(&o, "abcd"); /* VCRC */
    assert_int_equal(take(&o, DLT_INFINIBAND, &ib), DECAP_IB);
    assert_int_equal(ib.kind, IB_BELOW_LRH_GRH);
    assert_int_equal(ib.length, 20);
    assert_int_equal(ib.source.octets[15], 1);
    assert_int_equal(ib.destination.octets[15], 2);
}

UNIT_TEST(addresses_of_a_link)
{
    struct packet_octets o = {0};
    struct ib_datagram ib;

    packet_add_hex(&o, lrh);
    packet_add_hex(&o, acknowledge);
    assert_int_equal(take(&o, DLT_INFINIBAND, &ib), DECAP_IB);
    assert_int_equal(ib.source.octets[1], 3);
    assert_int_equal(ib.destination.octets[1], 5);
}

UNIT_TEST(what_it_is_not)
{
    static const struct {
        const char *octets;
        enum decap_status status;
    } packets[] = {
        /* another port; a fragment; UDP's length beyond the packet; below its header */
        {"45000030 72d34000 4011b1e5 0a010101 0a010102 c9bd12b8 001c0000 [20]", DECAP_OTHER},
        {"4500002c 72d32000 4011b1e5 0a010101 0a010102 c9bd12b7 00180000 [16]", DECAP_FRAGMENT},
        {"45000030 72d34000 4011b1e5 0a010101 0a010102 c9bd12b7 00ff0000 [20]", DECAP_MALFORMED},
        {"45000030 72d34000 4011b1e5 0a010101 0a010102 c9bd12b7 00070000 [20]", DECAP_MALFORMED},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(packets); i++) {
        struct packet_octets o = {0};
        struct ib_datagram ib;

        packet_add_hex(&o, packets[i].octets);
        assert_int_equal(take(&o, DLT_RAW, &ib), packets[i].status);
    }
}

UNIT_TEST(cut_at_every_length)
{
    struct packet_octets o = {0};
    struct ib_datagram ib;
    struct decap *decap = decap_new(0);

    packet_add_hex(&o, lrh_grh);
    packet_add_hex(&o, grh);
    packet_add_hex(&o, acknowledge);
    for (uint32_t n = 0; n <= o.n; n++) {
        struct packet packet = packet_of(&o, DLT_INFINIBAND);
        struct addressed_segment segment;

        packet.captured = n;
        assert_int_equal(decap_packet(decap, &packet, &segment, &ib), n < o.n - 8 ? DECAP_CUT : DECAP_IB);
        if (n >= o.n - 8)
            assert_int_equal(ib.captured, n - 48);
    }
    decap_free(decap);
}
