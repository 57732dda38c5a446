// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, full operation: FPDUs split at every place over TCP segments (RFC 5044 sections 5.1 and A.4). Each part is
 * sent when the one before it has been acknowledged, so that no TCP joins them again.
 */
#include "traffic-gen/suite/suite_mpa.h"

enum cut { CUT_LENGTH, CUT_HEADER, CUT_PAD, CUT_CRC, CUT_MARKER, CUT_OCTETS };

static const int64_t read_pause = 20 * INT64_C(1000000);

/* Sends the rest, once the device has had the first n octets and the time to look at them. */
static void write_cut(struct talk *talk, const GByteArray *octets, size_t n)
{
    talk_write(talk, octets->data, n);
    talk_delivered(talk);
    talk_sleep(talk, read_pause);
    talk_write(talk, octets->data + n, octets->len - n);
}

/* From where to where the octets of an FPDU are cut: before each of these, and after the last. */
static bool range_of(struct talk *talk, enum cut cut, const struct mpa_fpdu_plan *plan, size_t n, size_t *from,
                     size_t *to)
{
    const size_t crc = n - MPA_CRC_LEN, pad = crc - plan->pad_length;

    switch (cut) {
    case CUT_LENGTH:
        *from = *to = 1;
        break;
    case CUT_HEADER:
        *from = MPA_LENGTH_LEN;
        *to = MPA_LENGTH_LEN + DDP_TAGGED_HEADER_LEN;
        break;
    case CUT_PAD:
        *from = pad;
        *to = crc;
        break;
    case CUT_CRC:
        *from = crc;
        *to = n - 1;
        break;
    case CUT_MARKER:
        *from = (size_t)(mpa_next_marker(&plan->framing, plan->offset) - plan->offset);
        *to = MIN(*from + MPA_MARKER_LEN, n - 1);
        break;
    case CUT_OCTETS:
        *from = 1;
        *to = n - 1;
        break;
    }
    return talk_is_open(talk);
}

/* One FPDU: with a PAD if that is split, with a Marker inside if that is. NULL: verdict is set. */
static GByteArray *make_fpdu(struct talk *talk, enum cut cut, struct mpa_fpdu_plan *plan, uint8_t *ulpdu)
{
    size_t n;

    if (cut == CUT_MARKER && !mpa_reach_marker(talk, ulpdu))
        return NULL;
    n = cut == CUT_PAD ? mpa_padded(talk, ulpdu) : mpa_harmless(talk, ulpdu);
    if (n == 0)
        return NULL;
    talk_plan(talk, plan, ulpdu, n);
    return talk_encode_plan(plan);
}

/* Other cases split the first FPDU. */
static bool start_with_one(struct talk *talk, const struct talk_wish *wish)
{
    GByteArray *whole;

    if (!talk_start(talk, wish))
        return false;
    whole = mpa_harmless_octets(talk, 1);
    talk_write(talk, whole->data, whole->len);
    g_byte_array_unref(whole);
    return true;
}

static bool say_cut(struct talk *talk, const struct suite_case *row, bool odd)
{
    const enum cut cut = (enum cut)row->variant;
    const struct talk_wish wish = {.need_markers = cut == CUT_MARKER};
    size_t from = 0, to = 0;

    if (!start_with_one(talk, &wish))
        return false;
    for (size_t step = 0; step == 0 || from + step <= to; step++) {
        struct mpa_fpdu_plan plan;
        uint8_t ulpdu[TALK_ULPDU];
        GByteArray *octets = make_fpdu(talk, cut, &plan, ulpdu);

        if (!octets)
            return false;
        if (!range_of(talk, cut, &plan, octets->len, &from, &to)) {
            g_byte_array_unref(octets);
            break;
        }
        if (odd)
            write_cut(talk, octets, from + step);
        else
            talk_write(talk, octets->data, octets->len);
        g_byte_array_unref(octets);
    }
    return true;
}

/* Every octet in its own segment. */
static bool say_octets(struct talk *talk, const struct suite_case *row, bool odd)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    GByteArray *octets;

    if (!start_with_one(talk, NULL) || !(octets = make_fpdu(talk, (enum cut)row->variant, &plan, ulpdu)))
        return false;
    for (guint i = 0; odd && i < octets->len; i++) {
        talk_write(talk, octets->data + i, 1);
        talk_delivered(talk);
        talk_sleep(talk, read_pause);
    }
    if (!odd)
        talk_write(talk, octets->data, octets->len);
    g_byte_array_unref(octets);
    return true;
}

static void cut(struct talk *talk, const struct suite_case *row)
{
    talk_expect_taken(talk, row, row->variant == CUT_OCTETS ? say_octets : say_cut, NULL);
}

#define GOES_ON "the device continues"

static const struct suite_case tests[] = {
    {RULE_MPA_5_1_06, "length", DUT_ANY, 0, cut, "an FPDU whose ULPDU_Length is split over two TCP segments", GOES_ON,
     .variant = CUT_LENGTH},
    {RULE_MPA_5_1_06, "header", DUT_ANY, 0, cut, "FPDUs split over two TCP segments before each octet of their header",
     GOES_ON, .variant = CUT_HEADER},
    {RULE_MPA_5_1_06, "pad", DUT_ANY, NEED_REGIONS, cut,
     "FPDUs split over two TCP segments before each octet of their PAD, and after it", GOES_ON, .variant = CUT_PAD},
    {RULE_MPA_5_1_06, "crc", DUT_ANY, 0, cut, "FPDUs split over two TCP segments before each octet of their CRC field",
     GOES_ON, .variant = CUT_CRC},
    {RULE_MPA_5_1_06, "marker", DUT_ANY, 0, cut,
     "FPDUs split over two TCP segments before each octet of a Marker, and after it", GOES_ON, .variant = CUT_MARKER},
    {RULE_MPA_5_1_06, "octets", DUT_ANY, 0, cut, "an FPDU in TCP segments of one octet", GOES_ON,
     .variant = CUT_OCTETS},
};

const struct suite suite_mpa_cuts = {"mpa", tests, G_N_ELEMENTS(tests)};
