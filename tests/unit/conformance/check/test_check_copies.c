// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies of packets made by the capture are distinguished from retransmissions. */
#include "conformance/check/copies.h"
#include "tests/unit/support/support.h"

#include <pcap/dlt.h>
#include <string.h>

enum { LENGTH = 200, MICROSECOND = 1000 };

static uint8_t octets[LENGTH];
static struct copies copies;
static int linktype;

static void begin(void)
{
    linktype = DLT_EN10MB;
    memset(&copies, 0, sizeof copies);
    for (unsigned i = 0; i < LENGTH; i++)
        octets[i] = (uint8_t)(i * 7);
}

static bool take(uint32_t frame, int64_t at_us, uint32_t length)
{
    const struct packet packet = {.frame = frame,
                                  .time_ns = MICROSECOND * (1000 + at_us),
                                  .linktype = linktype,
                                  .length = length,
                                  .captured = length,
                                  .data = octets};

    return copies_take(&copies, &packet);
}

/* The next packet goes the other way. */
static void turn(void)
{
    uint8_t address[6];

    memcpy(address, octets, 6);
    memmove(octets, octets + 6, 6);
    memcpy(octets + 6, address, 6);
}

UNIT_TEST(copies_within_microseconds)
{
    begin();
    assert_false(take(1, 0, LENGTH));
    assert_true(take(2, 2, LENGTH));
    assert_true(take(3, 5, LENGTH));
    assert_int_equal(copies.n, 2);
    assert_int_equal(copies.first, 2);
}

UNIT_TEST(later_it_was_sent_again)
{
    begin();
    assert_false(take(1, 0, LENGTH));
    assert_false(take(2, 500, LENGTH));
}

UNIT_TEST(another_identification_is_another_packet)
{
    begin();
    assert_false(take(1, 0, LENGTH));
    octets[18] ^= 1;
    assert_false(take(2, 1, LENGTH));
}

/* The inner packet begins anywhere. */
UNIT_TEST(in_a_tunnel_all_octets_count)
{
    begin();
    octets[12] = 0x08;
    octets[13] = 0x00;
    octets[14] = 0x45;
    octets[23] = 17; /* UDP, of an unknown port */
    for (unsigned at = 16; at < LENGTH; at++) {
        memset(&copies, 0, sizeof copies);
        assert_false(take(1, 0, LENGTH));
        octets[at] ^= 1;
        assert_false(take(2, 1, LENGTH));
        assert_true(take(3, 2, LENGTH));
        octets[at] ^= 1;
    }
}

UNIT_TEST(without_a_link_header)
{
    begin();
    linktype = DLT_RAW;
    assert_false(take(1, 0, LENGTH));
    octets[4] ^= 1; /* the identification */
    assert_false(take(2, 1, LENGTH));
}

UNIT_TEST(what_ends_otherwise_is_another_packet)
{
    begin();
    assert_false(take(1, 0, LENGTH));
    octets[LENGTH - 1] ^= 1;
    assert_false(take(2, 1, LENGTH));
}

/* The ICRC that would distinguish them was cut away. */
UNIT_TEST(a_cut_packet_that_differs_is_another_packet)
{
    struct packet packet = {
        .frame = 1, .time_ns = MICROSECOND, .length = LENGTH + 4, .captured = LENGTH, .data = octets};

    begin();
    assert_false(copies_take(&copies, &packet));
    packet.frame = 2;
    assert_true(copies_take(&copies, &packet));
    octets[LENGTH / 2] ^= 1;
    packet.frame = 3;
    assert_false(copies_take(&copies, &packet));
}

UNIT_TEST(after_an_answer_it_was_sent_again)
{
    begin();
    assert_false(take(1, 0, LENGTH));
    turn();
    assert_false(take(2, 1, 70));
    turn();
    assert_false(take(3, 2, LENGTH));
}

UNIT_TEST(acknowledgements_may_be_repeated)
{
    begin();
    for (unsigned i = 0; i < 4; i++)
        assert_false(take(1 + i, i, 62));
    for (unsigned i = 0; i < 9; i++)
        take(10 + i, 10, LENGTH);
    octets[18] ^= 1;
    assert_false(take(30, 11, 62));
    assert_true(take(31, 12, 62)); /* now it is known that every packet has copies */
}

UNIT_TEST(an_identification_tells_more)
{
    begin();
    octets[12] = 0x08;
    octets[13] = 0x00;
    assert_false(take(1, 0, 62));
    assert_true(take(2, 1, 62));
    octets[18] = octets[19] = 0;
    assert_false(take(3, 100, 62));
    assert_false(take(4, 101, 62));
}

UNIT_TEST(hardly_anything_was_captured)
{
    begin();
    for (uint32_t length = 0; length < LENGTH; length++)
        take(1 + length, length, length);
}
