// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, full operation: FPDUs split at every place over TCP segments (RFC 5044 sections 5.1 and A.4). Each part is
 * sent when the one before it has been acknowledged, so that no TCP joins them again.
 */
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/expect/expect.h"
#include "traffic-gen/tester/suite/talk/talk_wire.h"

/* Sends the rest when the device has received the octets before, and had time to process them. */
#define THEN_THE_REST "mpa.acked mpa.gap=20000"
static const int64_t read_pause = 20 * INT64_C(1000000), half_pause = 30 * INT64_C(1000000);

/* The range of octets of an FPDU at which it is cut: before each of these octets, and after the last. */
static void range_of(struct talk *talk, enum cut cut, size_t *from, size_t *to)
{
    const struct mpa_framing *framing = talk_framing(talk, true);
    const uint64_t offset = talk_out_offset(talk);
    const uint16_t ulpdu = DDP_TAGGED_HEADER_LEN + (cut == CUT_PAD);
    const size_t n = mpa_fpdu_octets(framing, offset, ulpdu), crc = n - MPA_CRC_LEN;

    switch (cut) {
    case CUT_LENGTH:
        *from = *to = 1;
        break;
    case CUT_HEADER:
        *from = MPA_LENGTH_LEN;
        *to = MPA_LENGTH_LEN + DDP_TAGGED_HEADER_LEN;
        break;
    case CUT_PAD:
        *from = crc - mpa_pad_length(ulpdu);
        *to = crc;
        break;
    case CUT_CRC:
        *from = crc;
        *to = n - 1;
        break;
    case CUT_MARKER:
        *from = (size_t)(mpa_next_marker(framing, offset) - offset);
        *to = MIN(*from + MPA_MARKER_LEN, n - 1);
        break;
    case CUT_MIDDLE:
    case CUT_OCTETS:
        break;
    }
}

/* Other cases split the first FPDU. */
static bool start_with_one(struct talk *talk, const struct talk_wish *wish)
{
    return talk_start(talk, wish) && talk_say(talk, "write");
}

static bool say_cut(struct talk *talk, const struct suite_case *row, bool odd)
{
    const enum cut cut = (enum cut)row->variant;
    const struct talk_wish wish = {.need_markers = cut == CUT_MARKER};
    size_t from = 0, to = 0;

    if (!start_with_one(talk, &wish))
        return false;
    for (size_t step = 0; (step == 0 || from + step <= to) && talk_is_open(talk); step++) {
        if (cut == CUT_MARKER && !reach_marker(talk))
            return false;
        range_of(talk, cut, &from, &to);
        if (odd ? !talk_say(talk, "%s mpa.split=%zu " THEN_THE_REST, row->says, from + step)
                : !talk_say(talk, "%s", row->says))
            return false;
    }
    return true;
}

/* Every octet in its own segment. */
static bool say_each_octet(struct talk *talk, const struct suite_case *row, bool odd)
{
    g_autoptr(GByteArray) octets = NULL;

    if (!start_with_one(talk, NULL) || !(octets = talk_octets(talk, NULL, 0, "%s", row->says)))
        return false;
    for (guint i = 0; odd && i < octets->len; i++) {
        talk_write(talk, octets->data + i, 1);
        talk_delivered(talk);
        talk_sleep(talk, read_pause);
    }
    if (!odd)
        talk_write(talk, octets->data, octets->len);
    return true;
}

/* Segments that start and end anywhere: the first half of all octets, a pause, and the rest. */
static bool say_halves(struct talk *talk, const struct suite_case *row, bool odd)
{
    g_autoptr(GByteArray) all = NULL;
    size_t first;

    if (!talk_start(talk, NULL) || !(all = talk_octets(talk, NULL, 0, "%s", row->says)))
        return false;
    first = odd ? all->len / 2 : all->len;
    talk_write(talk, all->data, first);
    talk_sleep(talk, half_pause);
    talk_write(talk, all->data + first, all->len - first);
    return true;
}

void mpa_cuts_cut(struct talk *talk, const struct suite_case *row)
{
    expect_stimulus *const say = row->variant == CUT_OCTETS   ? say_each_octet
                                 : row->variant == CUT_MIDDLE ? say_halves
                                                              : say_cut;

    expect_taken(talk, row, say, NULL);
}

/* An FPDU with a Marker inside. False: verdict is set. */
static bool start_at_marker(struct talk *talk)
{
    const struct talk_wish wish = {.need_markers = true};

    return start_with_one(talk, &wish) && reach_marker(talk);
}

/* Sequence numbers wrap after the ULPDU_Length of an FPDU, and before its Marker, as an earlier connection shows. */
static bool say_wrap(struct talk *talk, const struct suite_case *row, bool odd)
{
    uint64_t at;

    if (!start_at_marker(talk))
        return false;
    at = talk_out_offset(talk);
    if (odd) {
        talk_for_next(talk)->wraps_at = at + MPA_LENGTH_LEN;
        if (!start_at_marker(talk))
            return false;
    }
    if (talk_out_offset(talk) == at)
        return talk_say(talk, "%s", row->says);
    talk_inconclusive(talk, "two connections that begin alike have different lengths");
    return false;
}

void mpa_cuts_sequence_wraps(struct talk *talk, const struct suite_case *row)
{
    expect_taken(talk, row, say_wrap, NULL);
}
