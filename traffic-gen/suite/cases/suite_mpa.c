// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, full operation: what is unusual but must be accepted (RFC 5044 sections 4 to 6). Each case has its own
 * stimulus, so that a device that fails one need not fail others.
 */
#include "traffic-gen/suite/cases/suite_rows.h"

#include <string.h>

static const char lengths_octets[] = "0123456789abcdef";
static const int64_t pause_ns = 30 * INT64_C(1000000), hold_ns = 200 * INT64_C(1000000);

/* Segments that start and end anywhere: one and a half FPDUs, a pause, the other half and one more. */
static bool say_unaligned(struct talk *talk, const struct suite_case *row, bool odd)
{
    g_autoptr(GByteArray) all = NULL;
    size_t first;

    if (!talk_start(talk, NULL) || !(all = talk_octets(talk, "%s", row->says)))
        return false;
    first = odd ? all->len / 2 : all->len;
    talk_write(talk, all->data, first);
    talk_sleep(talk, pause_ns);
    talk_write(talk, all->data + first, all->len - first);
    return true;
}

static void unaligned(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_unaligned, NULL);
}

/* Writes to the same place, each one octet longer than the one before; in the comparison all have the length of the
 * first.
 */
static bool say_all_lengths(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    if (!talk_start(talk, NULL))
        return false;
    for (size_t n = 0; n < sizeof lengths_octets; n++) {
        if (!talk_say_octets(talk, lengths_octets, odd ? n : 0, "write region=all"))
            return false;
    }
    return true;
}

static void all_lengths(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    talk_expect_taken(talk, row, say_all_lengths, NULL);
    if (!talk_has_passed(talk) || !talk_reads(talk) || !talk_say(talk, "read region=all size=16"))
        return;
    heard = talk_hear_opcode(talk, RDMAP_READ_RESPONSE);
    if (heard && (heard->ddp.payload_len != sizeof lengths_octets - 1 ||
                  memcmp(heard->ddp.payload, lengths_octets, sizeof lengths_octets - 1) != 0))
        talk_failed(talk, "expected the octets of the Writes in the device's memory; found others");
}

/* A question of which a part is held back: it may be answered only when it is complete. */
static bool say_held_back(struct talk *talk, const struct suite_case *row, bool odd)
{
    enum { HELD_BACK = 6 };
    g_autoptr(GByteArray) octets = NULL;
    enum talk_sign sign;

    if (!talk_start(talk, NULL) || (sign = needs_question(talk)) == SIGN_TCP ||
        !(octets = talk_octets(talk, "%s", row->says)))
        return false;
    if (odd) {
        talk_write(talk, octets->data, octets->len - HELD_BACK);
        /* Not for long: a device need not wait for ever. */
        if (talk_await(talk, sign, hold_ns) == LIFE_ANSWERS) {
            talk_failed(talk, "expected no answer before the whole FPDU of the question was sent; found %s",
                        talk_describe(talk, talk_last(talk)));
            return false;
        }
        g_byte_array_remove_range(octets, 0, octets->len - HELD_BACK);
    }
    talk_write(talk, octets->data, octets->len);
    return true;
}

static void held_back(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, say_held_back, row_await);
}

/* A Read of several segments over a path that carries 100 octets at a time. */
static void tiny_segments(struct talk *talk, const struct suite_case *row)
{
    enum { TINY_MSS = 100 };
    unsigned parts = 0, small = 0;
    bool last = false;

    talk_set_mss(talk, TINY_MSS);
    if (!row_say(talk, row, true))
        return;
    while (!last) {
        const struct talk_heard *heard = talk_hear(talk, talk_t_react(talk));

        if (heard->what != TALK_FPDU || !heard->has_ddp || heard->ddp.opcode != RDMAP_READ_RESPONSE) {
            talk_inconclusive(talk, "expected a Read Response; found %s", talk_describe(talk, heard));
            return;
        }
        last = heard->ddp.last;
        parts += !last;
        small += !last && heard->fpdu.ulpdu_length < MPA_MULPDU_MIN;
    }
    if (parts == 0)
        talk_inconclusive(talk, "the Read Response came in one segment: the MSS of our SYN did not take effect");
    else if (small == parts)
        talk_failed(talk, "expected a ULPDU_Length of 128 or more; all of %u DDP Segments before the last have less",
                    parts);
    else
        talk_passed(talk, "%u of %u DDP Segments before the last have a ULPDU_Length of 128 or more", parts - small,
                    parts);
}

static const struct suite_case tests[] = {
    {RULE_MPA_4_1_06, NULL, DUT_ANY, NEED_REGIONS, row_taken, "an FPDU whose PAD is not zero, with a correct CRC",
     "the device continues", .says = "write region=all len=1 @14=0x78 (mpa.padding=A5A5A5)"},
    {RULE_MPA_4_1_11, NULL, DUT_ANY, 0, row_taken,
     "C = 0 in both frames, then three FPDUs whose CRC fields are not CRCs", "the device continues",
     .says = "with no-crc need-no-crc; write (mpa.crc=0)[mpa.right-crc]; write (mpa.crc=0xFFFFFFFF)[mpa.right-crc]; "
             "write (mpa.crc=0x12345678)[mpa.right-crc]"},
    {RULE_MPA_4_2_03, NULL, DUT_ANY, 0, row_taken, "a Marker whose RESERVED field is not zero, with a correct CRC",
     "the device continues", .says = "with marker; write (mpa.reserved=0x5AA5)"},
    {RULE_MPA_4_2_06, NULL, DUT_ANY, 0, row_taken, "a Marker with the two low bits of FPDUPTR set, and a correct CRC",
     "the device continues", .says = "with marker; write (mpa.ptr|3)"},
    {RULE_MPA_4_4_09, NULL, DUT_ANY, 0, row_taken,
     "C = 0 in both frames, then a first FPDU whose CRC field is not the CRC", "the device continues",
     .says = "with no-crc need-no-crc first; write (mpa.crc=0xDEADBEEF)[mpa.right-crc]"},
    {RULE_MPA_4_5_07, NULL, DUT_RESPONDER, NEED_REGIONS, tiny_segments,
     "an MSS of 100 octets in our SYN, then a Read of 1024 octets", "DDP Segments with a ULPDU_Length of 128 or more",
     .says = "read region=all size=1024"},
    {RULE_MPA_5_1_06, NULL, DUT_ANY, 0, unaligned, "TCP segments of one and a half FPDUs each", "the device continues",
     .says = "3* write"},
    {RULE_MPA_5_2_01, NULL, DUT_ANY, NEED_REGIONS, all_lengths, "Writes with a ULPDU_Length of 14 to 30 octets",
     "the device continues, and its memory holds the octets", .variant = 0},
    {RULE_MPA_6_06, NULL, DUT_ANY, 0, held_back, "a request whose last 6 octets arrive later",
     "the answer after everything has been sent, not before", .says = "ask"},
    {RULE_MPA_7_1_5_04, NULL, DUT_ANY, 0, row_taken, "the start-up frame and the first FPDU in pieces, with pauses",
     "the device continues", .says = "with (pieces) first; write (mpa.split=3 mpa.gap=30000)"},
};

const struct suite suite_mpa = {"mpa", tests, G_N_ELEMENTS(tests)};
