// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/packets.h"

#include <stdlib.h>

static struct ib_datagram ib;

static enum decap_status take(const struct packet_octets *o, int linktype, struct addressed_segment *out)
{
    /* A copy of the exact size, so that the sanitizers see any octet too many. */
    static uint8_t *copy;
    static struct decap *decap;
    decap_free(decap);
    decap = decap_new(0);
    free(copy);
    copy = malloc(o->n ? o->n : 1);
    memcpy(copy, o->p, o->n);
    struct packet packet = packet_of(o, linktype);
    packet.data = copy;
    return decap_packet(decap, &packet, out, &ib);
}

static void expect_segment(const struct packet_octets *o, int linktype, const char *source, const char *destination,
                           const char *text)
{
    struct addressed_segment out;
    char address[ENDPOINT_TEXT_SIZE];
    assert_int_equal(take(o, linktype, &out), DECAP_TCP);
    assert_string_equal(endpoint_text(&out.source, address), source);
    assert_string_equal(endpoint_text(&out.destination, address), destination);
    assert_int_equal(out.segment.length, strlen(text));
    assert_int_equal(out.segment.captured, strlen(text));
    assert_memory_equal(out.segment.payload, text, strlen(text));
    assert_int_equal(out.segment.frame, 1);
    assert_int_equal(out.segment.seq, 42);
    assert_int_equal(out.segment.ack, 77);
    assert_int_equal(out.segment.flags, TCP_ACK);
    assert_int_equal(out.segment.window, 0x2000);
}

static const struct {
    const char *name;
    int linktype;
    const char *header4, *header6;
} links[] = {
    {"Ethernet", DLT_EN10MB, "020202020202 040404040404 0800", "020202020202 040404040404 86dd"},
    {"802.1Q", DLT_EN10MB, "[12] 8100 0007 0800", "[12] 8100 0007 86dd"},
    {"QinQ", DLT_EN10MB, "[12] 88a8 0007 8100 0008 0800", "[12] 88a8 0007 8100 0008 86dd"},
    {"old QinQ", DLT_EN10MB, "[12] 9100 0007 8100 0008 0800", "[12] 9100 0007 8100 0008 86dd"},
    {"802.2 SNAP", DLT_EN10MB, "[12] 0040 aaaa03 000000 0800", "[12] 0040 aaaa03 000000 86dd"},
    {"cooked", DLT_LINUX_SLL, "0000 0001 0006 0202020202020000 0800", "0000 0001 0006 0202020202020000 86dd"},
    {"cooked with a tag", DLT_LINUX_SLL, "[14] 8100 0007 0800", "[14] 8100 0007 86dd"},
    {"cooked version 2", DLT_LINUX_SLL2, "0800 0000 00000001 0001 00 06 [8]", "86dd 0000 00000001 0001 00 06 [8]"},
    {"raw", DLT_RAW, "", ""},
    {"raw IPv4, IPv6", DLT_IPV4, "", ""},
    {"loopback, little-endian host", DLT_NULL, "02000000", "1e000000"},
    {"loopback, big-endian host", DLT_NULL, "00000002", "00000018"},
    {"loopback, network order", DLT_LOOP, "00000002", "0000001c"},
    {"NFLOG, little-endian host", DLT_NFLOG, "0200 0005 0800 0100 00000000 3100 0900",
     "0a00 0005 0500 0a00 00000000 4500 0900"},
    {"NFLOG, big-endian host", DLT_NFLOG, "0200 0005 0008 0001 00000000 0031 0009",
     "0a00 0005 0005 000a 00000000 0045 0009"},
    {"ERF", DLT_ERF, "[8] 02 04 0058 0000 0043 0000 [12] 0800", "[8] 82 04 0068 0000 0057 00[7] 0000 [12] 86dd"},
    {"MPLS", DLT_EN10MB, "[12] 8847 00010040 00020140", "[12] 8847 00020140"},
    {"GRE", DLT_RAW, "45000045 00004000 402f0000 c0000201 c0000202 0000 0800",
     "45000059 00004000 402f0000 c0000201 c0000202 0000 86dd"},
    {"GRE with a checksum, a key and a sequence number", DLT_RAW,
     "45000051 00004000 402f0000 c0000201 c0000202 b000 0800 [12]",
     "45000065 00004000 402f0000 c0000201 c0000202 b000 86dd [12]"},
    {"ERSPAN III", DLT_RAW, "45000063 00004000 402f0000 c0000201 c0000202 1000 22eb 00000007 20000000 [8] [12] 0800",
     "4500007f 00004000 402f0000 c0000201 c0000202 1000 22eb 00000007 20000000 [7] 01 [8] [12] 86dd"},
    {"VXLAN", DLT_RAW, "4500005f 00004000 40110000 c0000201 c0000202 c00012b5 004b0000 0800000000002a00 [12] 0800",
     "45000073 00004000 40110000 c0000201 c0000202 c00012b5 005f0000 0800000000002a00 [12] 86dd"},
    {"TZSP", DLT_RAW, "45000060 00004000 40110000 c0000201 c0000202 c0009090 004c0000 01000001 000a01c0 01 [12] 0800",
     "45000074 00004000 40110000 c0000201 c0000202 c0009090 00600000 01000001 000a01c0 01 [12] 86dd"},
};

UNIT_TEST(every_link_type)
{
    for (size_t i = 0; i < ARRAY_LENGTH(links); i++) {
        struct packet_octets o = {.n = 0};
        packet_add_hex(&o, links[i].header4);
        packet_add_ipv4(&o, 25, 1, 0x4000);
        packet_add_tcp(&o, 42, "hello");
        packet_add_hex(&o, "000000000000"); /* Ethernet padding */
        expect_segment(&o, links[i].linktype, "10.0.0.1:1000", "10.0.0.2:2000", "hello");
        o.n = 0;
        packet_add_hex(&o, links[i].header6);
        packet_add_ipv6(&o, 25, 6);
        packet_add_tcp(&o, 42, "hello");
        packet_add_hex(&o, "0000");
        expect_segment(&o, links[i].linktype, "[2001:db8::1]:1000", "[2001:db8::2]:2000", "hello");
    }
}

/* At every length the result is the segment with fewer octets, or missing headers; never an out-of-bounds read. */
UNIT_TEST(cut_at_every_length)
{
    for (size_t i = 0; i < ARRAY_LENGTH(links); i++) {
        for (int ip = 4; ip <= 6; ip += 2) {
            struct packet_octets o = {.n = 0};
            packet_add_hex(&o, ip == 4 ? links[i].header4 : links[i].header6);
            if (ip == 4)
                packet_add_ipv4(&o, 25, 1, 0);
            else
                packet_add_ipv6(&o, 25, 6);
            packet_add_tcp(&o, 42, "hello");
            size_t whole = o.n;
            for (size_t n = 0; n < whole; n++) {
                struct addressed_segment out;
                o.n = n;
                enum decap_status status = take(&o, links[i].linktype, &out);
                assert_int_equal(status, n < whole - 5 ? DECAP_CUT : DECAP_TCP);
                if (status == DECAP_TCP) {
                    assert_int_equal(out.segment.length, 5);
                    assert_int_equal(out.segment.captured, n - (whole - 5));
                }
            }
        }
    }
}

UNIT_TEST(other_protocols)
{
    struct addressed_segment out;
    struct packet_octets o = {.n = 0};

    packet_add_hex(&o, "[12] 0806 [28]"); /* ARP */
    assert_int_equal(take(&o, DLT_EN10MB, &out), DECAP_OTHER);
    o.n = 0;
    packet_add_ipv4(&o, 8, 1, 0);
    o.p[9] = 17; /* UDP */
    packet_add_hex(&o, "[8]");
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_OTHER);
    o.n = 0;
    packet_add_ipv6(&o, 8, 58); /* ICMPv6 */
    packet_add_hex(&o, "[8]");
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_OTHER);
    assert_int_equal(take(&o, DLT_IEEE802_11, &out), DECAP_LINKTYPE);
    o.n = 0;
    packet_add_hex(&o, "[12] 8864 [20]"); /* PPPoE */
    assert_int_equal(take(&o, DLT_EN10MB, &out), DECAP_TUNNEL);
    o.n = 0;
    packet_add_hex(&o, "[12] 0040 424203 [20]"); /* spanning tree */
    assert_int_equal(take(&o, DLT_EN10MB, &out), DECAP_OTHER);
}

/* Datagrams to and from port 111 are passed on whole, or as far as they were captured. */
UNIT_TEST(datagrams_to_rpcbind)
{
    for (unsigned ip = 4; ip <= 6; ip += 2) {
        struct addressed_segment out;
        struct packet_octets o = {.n = 0};

        if (ip == 4)
            packet_add_ipv4(&o, 8 + 5, 1, 0);
        else
            packet_add_ipv6(&o, 8 + 5, 17);
        if (ip == 4)
            o.p[9] = 17;
        size_t udp = o.n;
        packet_add_hex(&o, "03fe 006f 000d 0000 0102030405 00000000"); /* padding */
        assert_int_equal(take(&o, DLT_RAW, &out), DECAP_RPCBIND);
        assert_int_equal(out.source.ip, ip);
        assert_int_equal(out.source.port, 1022);
        assert_int_equal(out.destination.port, 111);
        assert_int_equal(out.segment.length, 5);
        assert_int_equal(out.segment.captured, 5);
        assert_memory_equal(out.segment.payload, "\1\2\3\4\5", 5);
        o.p[udp + 5] = 8 + 5 + 60; /* UDP's length beyond the packet */
        assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
        o.p[udp + 5] = 7;
        assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
        o.p[udp + 5] = 8 + 5;
        o.p[udp + 3] = 112;
        assert_int_equal(take(&o, DLT_RAW, &out), DECAP_OTHER);
        o.p[udp] = 0;
        o.p[udp + 1] = 111;
        assert_int_equal(take(&o, DLT_RAW, &out), DECAP_RPCBIND);
        assert_int_equal(out.source.port, 111);
        assert_int_equal(out.segment.length, 5);
    }
}

UNIT_TEST(ipv4_with_options)
{
    struct packet_octets o = {.n = 0};

    packet_add_ipv4(&o, 8 + 25, 1, 0);
    o.p[0] = 0x47;
    packet_add_hex(&o, "94040000 01010100");
    packet_add_tcp(&o, 42, "hello");
    expect_segment(&o, DLT_RAW, "10.0.0.1:1000", "10.0.0.2:2000", "hello");
}

UNIT_TEST(ipv6_extension_headers)
{
    struct addressed_segment out;
    struct packet_octets o = {.n = 0};

    packet_add_ipv6(&o, 8 + 8 + 24 + 16 + 8 + 25, 0);
    packet_add_hex(&o, "2b00 0104 00000000"); /* hop-by-hop, padding */
    packet_add_hex(&o, "3c00 [6]");           /* routing */
    packet_add_hex(&o, "3302 0110 [20]");     /* destination options, 24 octets */
    packet_add_hex(&o, "2c02 [14]");          /* authentication header, 16 octets */
    packet_add_hex(&o, "0600 0000 00000001"); /* fragment header of a whole datagram */
    packet_add_tcp(&o, 42, "hello");
    expect_segment(&o, DLT_RAW, "[2001:db8::1]:1000", "[2001:db8::2]:2000", "hello");
    size_t whole = o.n;
    for (size_t n = 0; n < whole - 5; n++) {
        o.n = n;
        assert_int_equal(take(&o, DLT_RAW, &out), DECAP_CUT);
    }
    /* A header longer than the packet. */
    o.n = whole;
    o.p[41] = 200;
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
}

UNIT_TEST(lengths_of_zero_are_offloaded_packets)
{
    struct addressed_segment out;
    struct packet_octets o = {.n = 0};

    packet_add_ipv4(&o, 25, 1, 0);
    put_be16(o.p + 2, 0);
    packet_add_tcp(&o, 42, "hello");
    expect_segment(&o, DLT_RAW, "10.0.0.1:1000", "10.0.0.2:2000", "hello");
    o.n = 0;
    packet_add_ipv6(&o, 0, 6);
    packet_add_tcp(&o, 42, "hello");
    expect_segment(&o, DLT_RAW, "[2001:db8::1]:1000", "[2001:db8::2]:2000", "hello");
    /* With the jumbo option, whose length counts from after the IPv6 header. */
    o.n = 0;
    packet_add_ipv6(&o, 0, 0);
    packet_add_hex(&o, "0600 c204 00000021");
    packet_add_tcp(&o, 42, "hello");
    packet_add_hex(&o, "0000");
    expect_segment(&o, DLT_RAW, "[2001:db8::1]:1000", "[2001:db8::2]:2000", "hello");
    /* After padding of both kinds; a length that ends within the options is invalid. */
    o.n = 0;
    packet_add_ipv6(&o, 0, 0);
    packet_add_hex(&o, "0601 0001 0100 c204 00000029 0000 0000");
    packet_add_tcp(&o, 42, "hello");
    packet_add_hex(&o, "0000");
    expect_segment(&o, DLT_RAW, "[2001:db8::1]:1000", "[2001:db8::2]:2000", "hello");
    o.p[51] = 15;
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
    /* An option longer than its header: without a jumbo length, the packet goes to its end. */
    o.n = 0;
    packet_add_ipv6(&o, 0, 0);
    packet_add_hex(&o, "0600 0105 00000000");
    packet_add_tcp(&o, 42, "hello");
    expect_segment(&o, DLT_RAW, "[2001:db8::1]:1000", "[2001:db8::2]:2000", "hello");
}

UNIT_TEST(contradictions)
{
    struct addressed_segment out;
    struct packet_octets o = {.n = 0};

    packet_add_ipv4(&o, 25, 1, 0);
    packet_add_tcp(&o, 42, "hello");
    o.p[0] = 0x44; /* IHL 4 */
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
    o.p[0] = 0x45;
    put_be16(o.p + 2, 19); /* total length within the header */
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
    put_be16(o.p + 2, 39); /* within the TCP header */
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
    put_be16(o.p + 2, 45);
    o.p[32] = 0x40; /* TCP header of 16 octets */
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
    o.p[32] = 0xf0; /* of 60 */
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_MALFORMED);
    /* A version other than the link layer's. */
    struct packet_octets six = {.n = 0};
    packet_add_hex(&six, "[12] 86dd");
    packet_add_ipv6(&six, 25, 6);
    packet_add_tcp(&six, 42, "hello");
    assert_int_equal(take(&six, DLT_EN10MB, &out), DECAP_TCP);
    six.p[14] = 0x40;
    assert_int_equal(take(&six, DLT_EN10MB, &out), DECAP_MALFORMED);
    /* More octets announced than captured: some are missing. */
    o.p[32] = 0x50;
    put_be16(o.p + 2, 100);
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_TCP);
    assert_int_equal(out.segment.length, 60);
    assert_int_equal(out.segment.captured, 5);
}

UNIT_TEST(options_of_a_syn)
{
    struct addressed_segment out;
    struct packet_octets o = {.n = 0};

    packet_add_ipv4(&o, 40, 1, 0x4000);
    packet_add_tcp(&o, 42, "");
    packet_add_hex(&o, "020405b4 0402 080a[8] 01 030307");
    o.p[20 + 12] = 0xa0;
    o.p[20 + 13] = TCP_SYN;
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_TCP);
    assert_int_equal(out.segment.mss, 1460);
    assert_true(out.segment.sack_permitted);
    assert_int_equal(out.segment.window_scale, 7);
    assert_true(out.segment.df);
    assert_int_equal(out.segment.length, 0);
    /* Without a SYN they mean nothing. */
    o.p[20 + 13] = TCP_ACK;
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_TCP);
    assert_int_equal(out.segment.mss, 0);
    assert_int_equal(out.segment.window_scale, 255);
    /* Broken lengths. */
    o.p[20 + 13] = TCP_SYN;
    for (unsigned length = 0; length < 256; length++) {
        o.p[41] = (uint8_t)length;
        assert_int_equal(take(&o, DLT_RAW, &out), DECAP_TCP);
    }
    /* The snap length cut the options. */
    o.p[41] = 4;
    o.n = 20 + 22;
    assert_int_equal(take(&o, DLT_RAW, &out), DECAP_TCP);
    assert_int_equal(out.segment.mss, 0);
}

/* ---- fragments ---- */

/* Cuts the TCP segment in o, `n` octets, into fragments of `size` octets and delivers them in the order of the bits. */
static enum decap_status give_fragment(struct decap *decap, int ip, const uint8_t *p, size_t n, size_t from,
                                       size_t size, unsigned id, int64_t time_ns, struct addressed_segment *out)
{
    static struct packet_octets o;
    bool more = from + size < n;
    size_t length = more ? size : n - from;
    o.n = 0;
    if (ip == 4) {
        packet_add_ipv4(&o, length, id, (unsigned)(from / 8) | (more ? 0x2000 : 0));
    } else {
        uint8_t h[8] = {6};
        put_be16(h + 2, (uint16_t)(from | more));
        put_be32(h + 4, id);
        packet_add_ipv6(&o, 8 + length, 44);
        packet_add(&o, h, sizeof h);
    }
    packet_add(&o, p + from, length);
    struct packet packet = packet_of(&o, DLT_RAW);
    packet.time_ns = time_ns;
    return decap_packet(decap, &packet, out, &ib);
}

static const char text[] = "The quick brown fox jumps over the lazy dog, and over a second one.";

UNIT_TEST(fragments_in_any_order)
{
    static const size_t orders[][6] = {{0, 16, 32, 48, 64, 80}, {80, 64, 48, 32, 16, 0}, {48, 0, 80, 16, 64, 32}};
    struct packet_octets whole = {.n = 0};

    packet_add_tcp(&whole, 42, text);
    assert_true(whole.n >= 81 && whole.n <= 96);
    for (int ip = 4; ip <= 6; ip += 2) {
        for (size_t order = 0; order < ARRAY_LENGTH(orders); order++) {
            struct decap *decap = decap_new(0);
            struct addressed_segment out;
            for (size_t i = 0; i < 6; i++) {
                enum decap_status status = give_fragment(decap, ip, whole.p, whole.n, orders[order][i], 16, 9, 0, &out);
                assert_int_equal(status, i < 5 ? DECAP_FRAGMENT : DECAP_TCP);
                if (i == 2) /* again */
                    assert_int_equal(give_fragment(decap, ip, whole.p, whole.n, orders[order][0], 16, 9, 0, &out),
                                     DECAP_FRAGMENT);
            }
            assert_true(out.segment.fragmented);
            assert_int_equal(out.segment.captured, strlen(text));
            assert_memory_equal(out.segment.payload, text, strlen(text));
            decap_free(decap);
        }
    }
}

UNIT_TEST(overlapping_fragments)
{
    struct packet_octets whole = {.n = 0}, other;
    struct addressed_segment out;

    packet_add_tcp(&whole, 42, text);
    other = whole;
    other.p[40] ^= 1;
    for (int ip = 4; ip <= 6; ip += 2) {
        /* The same octets twice, with other boundaries: allowed only on IPv4 (RFC 5722). */
        struct decap *decap = decap_new(0);
        assert_int_equal(give_fragment(decap, ip, whole.p, whole.n, 0, 48, 1, 0, &out), DECAP_FRAGMENT);
        enum decap_status status = give_fragment(decap, ip, whole.p, whole.n, 40, 200, 1, 0, &out);
        assert_int_equal(status, ip == 4 ? DECAP_TCP : DECAP_MALFORMED);
        /* Different octets: the receiver's choice is unknown. */
        assert_int_equal(give_fragment(decap, ip, whole.p, whole.n, 0, 48, 2, 0, &out), DECAP_FRAGMENT);
        assert_int_equal(give_fragment(decap, ip, other.p, whole.n, 40, 200, 2, 0, &out), DECAP_MALFORMED);
        assert_int_equal(give_fragment(decap, ip, whole.p, whole.n, 40, 200, 2, 0, &out), DECAP_MALFORMED);
        /* Two ends. */
        assert_int_equal(give_fragment(decap, ip, whole.p, whole.n, 80, 200, 3, 0, &out), DECAP_FRAGMENT);
        assert_int_equal(give_fragment(decap, ip, whole.p, 60, 56, 200, 3, 0, &out), DECAP_MALFORMED);
        decap_free(decap);
    }
}

UNIT_TEST(fragments_do_not_wait_for_ever)
{
    struct packet_octets whole = {.n = 0};
    struct addressed_segment out;
    struct decap *decap = decap_new(0);

    packet_add_tcp(&whole, 42, text);
    assert_int_equal(give_fragment(decap, 4, whole.p, whole.n, 0, 40, 1, 0, &out), DECAP_FRAGMENT);
    assert_int_equal(give_fragment(decap, 4, whole.p, whole.n, 40, 200, 1, INT64_C(61000000000), &out), DECAP_FRAGMENT);
    decap_free(decap);
    /* More datagrams than are kept: the oldest is dropped. */
    decap = decap_new(0);
    for (unsigned id = 0; id < 1000; id++)
        assert_int_equal(give_fragment(decap, 4, whole.p, whole.n, 0, 40, id, 0, &out), DECAP_FRAGMENT);
    assert_int_equal(give_fragment(decap, 4, whole.p, whole.n, 40, 200, 0, 0, &out), DECAP_FRAGMENT);
    assert_int_equal(give_fragment(decap, 4, whole.p, whole.n, 40, 200, 999, 0, &out), DECAP_TCP);
    decap_free(decap);
    /* The same for octets. */
    decap = decap_new(10000);
    for (unsigned id = 0; id < 50; id++)
        assert_int_equal(give_fragment(decap, 4, whole.p, whole.n, 0, 40, id, 0, &out), DECAP_FRAGMENT);
    assert_int_equal(give_fragment(decap, 4, whole.p, whole.n, 40, 200, 49, 0, &out), DECAP_TCP);
    decap_free(decap);
}

UNIT_TEST(hostile_fragments)
{
    uint64_t seed = 1;
    struct decap *decap = decap_new(100000);
    static struct packet_octets o;
    static uint8_t noise[2000];
    struct addressed_segment out;

    fill_random(&seed, noise, sizeof noise);
    for (int i = 0; i < 20000; i++) {
        size_t n = 1 + next_random(&seed) % 200;
        o.n = 0;
        if (i & 1) {
            packet_add_ipv4(&o, n, next_random(&seed) % 4,
                            next_random(&seed) % 4 ? next_random(&seed) & 0x20ff : 0x3fff);
        } else {
            uint8_t h[8] = {next_random(&seed) % 4 ? 6 : 44};
            put_be16(h + 2, (uint16_t)next_random(&seed) & 0x1ff);
            h[7] = (uint8_t)(next_random(&seed) % 4);
            packet_add_ipv6(&o, 8 + n, 44);
            packet_add(&o, h, sizeof h);
        }
        packet_add(&o, noise, n);
        struct packet packet = packet_of(&o, DLT_RAW);
        if (next_random(&seed) % 8 == 0)
            packet.captured -= (uint32_t)(next_random(&seed) % packet.captured);
        decap_packet(decap, &packet, &out, &ib);
    }
    decap_free(decap);
}
