// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, full operation: unusual FPDUs that must be accepted (RFC 5044 sections 4 to 6). Each case has its own
 * stimulus, so that a device that fails one need not fail others.
 */
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/expect/expect.h"

#include <string.h>

static const char lengths_octets[] = "0123456789abcdef";
static const int64_t hold_ns = 200 * INT64_C(1000000);

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

void mpa_all_lengths(struct talk *talk, const struct suite_case *row)
{
    const struct talk_heard *heard;

    expect_taken(talk, row, say_all_lengths, NULL);
    if (!talk_has_passed(talk) || !talk_reads(talk) || !talk_say(talk, "read region=all size=16"))
        return;
    heard = talk_hear_opcode(talk, RDMAP_READ_RESPONSE);
    if (heard && (heard->ddp.payload_len != sizeof lengths_octets - 1 ||
                  memcmp(heard->ddp.payload, lengths_octets, sizeof lengths_octets - 1) != 0))
        talk_failed(talk, "expected the octets of the Writes in the device's memory; found others");
}

/* Part of a request is held back: the device may answer only when the request is complete. */
static bool say_held_back(struct talk *talk, const struct suite_case *row, bool odd)
{
    enum { HELD_BACK = 6 };
    g_autoptr(GByteArray) octets = NULL;
    enum talk_sign sign;

    if (!talk_start(talk, NULL) || (sign = needs_question(talk)) == SIGN_TCP ||
        !(octets = talk_octets(talk, NULL, 0, "%s", row->says)))
        return false;
    if (odd) {
        talk_mark(talk, 0);
        talk_write(talk, octets->data, octets->len - HELD_BACK);
        /* Only for a short time: a device need not wait for ever. */
        if (life_await(talk, sign, hold_ns) == LIFE_ANSWERS) {
            talk_failed(talk, "expected no answer before the whole FPDU of the question was sent; found %s",
                        talk_found(talk));
            return false;
        }
        if (talk_answer(talk)) {
            talk_inconclusive(talk, "before the whole FPDU of the question was sent, the device says something: %s",
                              talk_answer(talk));
            return false;
        }
        g_byte_array_remove_range(octets, 0, octets->len - HELD_BACK);
    }
    talk_write(talk, octets->data, octets->len);
    return true;
}

void mpa_held_back(struct talk *talk, const struct suite_case *row)
{
    expect_taken(talk, row, say_held_back, row_await);
}

/* A Read of several segments over a path that carries 100 octets at a time. */
void mpa_tiny_segments(struct talk *talk, const struct suite_case *row)
{
    enum { TINY_MSS = 100 };
    unsigned parts = 0, small = 0;
    bool last = false;

    talk_for_next(talk)->mss = TINY_MSS;
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
