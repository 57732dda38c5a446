// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, full operation: what is unusual but must be accepted (RFC 5044 sections 4 to 6). Each case has its own
 * stimulus, so that a device that fails one need not fail others.
 */
#include "traffic-gen/suite/suite_mpa.h"

#include "wire/octets.h"

enum { MARKER_TRIES = 64 };

static const char lengths_octets[] = "0123456789abcdef";
static const int64_t pause_ns = 30 * INT64_C(1000000), hold_ns = 200 * INT64_C(1000000);

/* ---- FPDUs to modify ---- */

size_t mpa_harmless(struct talk *talk, uint8_t *ulpdu)
{
    /* STag and Tagged Offset of a zero-length Write are not checked (RFC 5041 section 5.2). */
    const struct advert *advert = talk_advert(talk);
    bool known = advert->n > REGION_ALL;

    return talk_make_write(talk, ulpdu, known ? advert->regions[REGION_ALL].stag : MPA_HARMLESS_STAG,
                           known ? advert->regions[REGION_ALL].address : 0, NULL, 0);
}

size_t mpa_padded(struct talk *talk, uint8_t *ulpdu)
{
    const struct advert_memory *region = talk_region(talk, REGION_ALL);

    return region ? talk_make_write(talk, ulpdu, region->stag, region->address, "x", 1) : 0;
}

void mpa_expect_error(struct talk *talk)
{
    talk_expect_terminate(talk, &(struct talk_terminate){.any_layer = true, .or_close = true});
}

/* The correct CRC of the plan. */
uint32_t mpa_crc_of(const struct mpa_fpdu_plan *plan)
{
    GByteArray *octets = talk_encode_plan(plan);
    uint32_t crc = get_le32(octets->data + octets->len - MPA_CRC_LEN);

    g_byte_array_unref(octets);
    return crc;
}

/* Sends harmless FPDUs until the next one has a Marker inside. False: verdict is set. */
bool mpa_reach_marker(struct talk *talk, uint8_t *ulpdu)
{
    struct mpa_fpdu_plan plan;

    for (unsigned i = 0; i < MARKER_TRIES; i++) {
        size_t n = mpa_harmless(talk, ulpdu);

        talk_plan(talk, &plan, ulpdu, n);
        if (mpa_next_marker(&plan.framing, plan.offset) != plan.offset &&
            mpa_fpdu_octets(&plan.framing, plan.offset, (uint16_t)n) > n + MPA_LENGTH_LEN + MPA_CRC_LEN)
            return true;
        talk_send_plan(talk, &plan);
    }
    talk_inconclusive(talk, "no FPDU came to contain a Marker");
    return false;
}

/* ---- what the receiver must accept ---- */

static bool say_odd_pad(struct talk *talk, const struct suite_case *row, bool odd)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    size_t n;

    (void)row;
    if (!talk_start(talk, NULL) || !(n = mpa_padded(talk, ulpdu)))
        return false;
    talk_plan(talk, &plan, ulpdu, n);
    if (odd)
        memset(plan.pad, 0xA5, plan.pad_length);
    talk_send_plan(talk, &plan);
    return true;
}

static bool say_unused_crc(struct talk *talk, const struct suite_case *row, bool odd)
{
    static const uint32_t values[] = {0x00000000, 0xFFFFFFFF, 0x12345678};
    const struct talk_wish wish = {.no_crc = true, .need_no_crc = true};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    (void)row;
    if (!talk_start(talk, &wish))
        return false;
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++) {
        talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
        plan.crc_fixed = odd;
        plan.crc = values[i];
        talk_send_plan(talk, &plan);
    }
    return true;
}

/* Our very first FPDU: so far the DUT has seen only our frame. */
static bool say_unused_crc_first(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct talk_wish wish = {.no_crc = true, .need_no_crc = true, .wait_only = true};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    (void)row;
    if (!talk_start(talk, &wish) || (!talk_is_initiator(talk) && !talk_first_fpdu(talk)))
        return false;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    plan.crc_fixed = odd;
    plan.crc = 0xDEADBEEF;
    talk_send_plan(talk, &plan);
    return true;
}

void mpa_set_reserved(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx;
    (void)offset;
    (void)index;
    put_be16(marker, 0x5AA5);
}

static void set_low_bits(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index)
{
    (void)ctx;
    (void)offset;
    (void)index;
    marker[3] |= 3;
}

static bool say_marker(struct talk *talk, bool odd,
                       void (*hook)(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index))
{
    const struct talk_wish wish = {.need_markers = true};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    if (!talk_start(talk, &wish) || !mpa_reach_marker(talk, ulpdu))
        return false;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    if (odd)
        plan.marker_hook = hook;
    talk_send_plan(talk, &plan);
    return true;
}

static bool say_marker_reserved(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    return say_marker(talk, odd, mpa_set_reserved);
}

static bool say_marker_low_bits(struct talk *talk, const struct suite_case *row, bool odd)
{
    (void)row;
    return say_marker(talk, odd, set_low_bits);
}

/* Segments that start and end anywhere: one and a half FPDUs, a pause, the other half and one more. */
static bool say_unaligned(struct talk *talk, const struct suite_case *row, bool odd)
{
    GByteArray *all;
    size_t first;

    (void)row;
    if (!talk_start(talk, NULL))
        return false;
    all = mpa_harmless_octets(talk, 3);
    first = odd ? all->len / 2 : all->len;
    talk_write(talk, all->data, first);
    talk_sleep(talk, pause_ns);
    talk_write(talk, all->data + first, all->len - first);
    g_byte_array_unref(all);
    return true;
}

GByteArray *mpa_harmless_octets(struct talk *talk, unsigned n)
{
    uint64_t offset = talk_out_offset(talk);
    GByteArray *all = g_byte_array_new();
    uint8_t ulpdu[TALK_ULPDU];

    for (unsigned i = 0; i < n; i++) {
        struct mpa_fpdu_plan plan;
        GByteArray *octets;

        talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
        plan.offset = offset + all->len;
        octets = talk_encode_plan(&plan);
        g_byte_array_append(all, octets->data, octets->len);
        g_byte_array_unref(octets);
    }
    return all;
}

/* Writes to the same place, each one octet longer than the one before; in the comparison all have the length of the
 * first.
 */
static bool say_all_lengths(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct advert_memory *region;
    uint8_t ulpdu[TALK_ULPDU];

    (void)row;
    if (!talk_start(talk, NULL) || !(region = talk_region(talk, REGION_ALL)))
        return false;
    for (size_t n = 0; n < sizeof lengths_octets; n++)
        talk_send_ulpdu(talk, ulpdu,
                        talk_make_write(talk, ulpdu, region->stag, region->address, lengths_octets, odd ? n : 0));
    return true;
}

static void all_lengths(struct talk *talk, const struct suite_case *row)
{
    const struct advert_memory *region;
    const struct talk_heard *heard;
    uint8_t ulpdu[TALK_ULPDU];

    talk_expect_taken(talk, row, say_all_lengths, NULL);
    if (!talk_has_passed(talk) || !talk_reads(talk) || !(region = talk_region(talk, REGION_ALL)))
        return;
    talk_send_ulpdu(talk, ulpdu, talk_make_read(talk, ulpdu, region->stag, region->address, sizeof lengths_octets - 1));
    heard = talk_hear_opcode(talk, RDMAP_READ_RESPONSE);
    if (heard && (heard->ddp.payload_len != sizeof lengths_octets - 1 ||
                  memcmp(heard->ddp.payload, lengths_octets, sizeof lengths_octets - 1) != 0))
        talk_failed(talk, "expected the octets of the Writes in the device's memory; found others");
}

/* A question of which a part is held back: it may be answered only when it is complete. */
static bool say_held_back(struct talk *talk, const struct suite_case *row, bool odd)
{
    enum { HELD_BACK = 6 };
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    enum talk_sign sign;
    GByteArray *octets;
    enum talk_life early;

    (void)row;
    if (!talk_start(talk, NULL) || (sign = mpa_question_sign(talk)) == SIGN_TCP)
        return false;
    talk_plan(talk, &plan, ulpdu, talk_make_question(talk, sign, ulpdu));
    octets = talk_encode_plan(&plan);
    if (!odd) {
        talk_write(talk, octets->data, octets->len);
        g_byte_array_unref(octets);
        return true;
    }
    talk_write(talk, octets->data, octets->len - HELD_BACK);
    /* Not for long: a device need not wait for ever. */
    early = talk_await(talk, sign, hold_ns);
    if (early == LIFE_ANSWERS)
        talk_failed(talk, "expected no answer before the whole FPDU of the question was sent; found %s",
                    talk_describe(talk, talk_last(talk)));
    else
        talk_write(talk, octets->data + octets->len - HELD_BACK, HELD_BACK);
    g_byte_array_unref(octets);
    return early != LIFE_ANSWERS;
}

/* The answer to what has already been asked. */
static enum talk_life await_answer(struct talk *talk, const struct suite_case *row)
{
    (void)row;
    return talk_await(talk, talk_usable_sign(talk), talk_t_react(talk));
}

enum talk_sign mpa_question_sign(struct talk *talk)
{
    enum talk_sign sign = talk_usable_sign(talk);

    if (sign == SIGN_TCP)
        talk_not_applicable(talk, "the device's service has never answered a request");
    return sign;
}

/* The frame and the first FPDU in pieces: what a network does while the device switches to MPA. */
static bool say_switching(struct talk *talk, const struct suite_case *row, bool odd)
{
    const struct talk_wish wish = {.in_pieces = odd, .wait_only = true};
    GByteArray *octets;

    (void)row;
    if (!talk_start_oddly(talk, &wish))
        return false;
    if (!talk_frame(talk, false) || !talk_is_open(talk) || (!talk_is_initiator(talk) && !talk_first_fpdu(talk)))
        return true;
    octets = mpa_harmless_octets(talk, 1);
    if (odd) {
        talk_write(talk, octets->data, 3);
        talk_sleep(talk, pause_ns);
    }
    talk_write(talk, octets->data + (odd ? 3 : 0), octets->len - (odd ? 3 : 0));
    g_byte_array_unref(octets);
    return true;
}

/* A Read of several segments over a path that carries 100 octets at a time. */
static void tiny_segments(struct talk *talk, const struct suite_case *row)
{
    enum { TINY_MSS = 100, SIZE = 1024 };
    const struct advert_memory *region;
    uint8_t ulpdu[TALK_ULPDU];
    unsigned parts = 0, small = 0;
    bool last = false;

    (void)row;
    talk_set_mss(talk, TINY_MSS);
    if (!talk_start(talk, NULL) || !(region = talk_region(talk, REGION_ALL)))
        return;
    talk_send_ulpdu(talk, ulpdu, talk_make_read(talk, ulpdu, region->stag, region->address, SIZE));
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

enum { ODD_PAD, UNUSED_CRC, UNUSED_CRC_FIRST, MARKER_RESERVED, MARKER_LOW_BITS, UNALIGNED, HELD_BACK, SWITCHING };

static void taken(struct talk *talk, const struct suite_case *row)
{
    static const struct {
        talk_stimulus *say;
        talk_alive *alive;
    } cases[] = {
        [ODD_PAD] = {say_odd_pad, NULL},
        [UNUSED_CRC] = {say_unused_crc, NULL},
        [UNUSED_CRC_FIRST] = {say_unused_crc_first, NULL},
        [MARKER_RESERVED] = {say_marker_reserved, NULL},
        [MARKER_LOW_BITS] = {say_marker_low_bits, NULL},
        [UNALIGNED] = {say_unaligned, NULL},
        [HELD_BACK] = {say_held_back, await_answer},
        [SWITCHING] = {say_switching, NULL},
    };

    talk_expect_taken(talk, row, cases[row->variant].say, cases[row->variant].alive);
}

static const struct suite_case tests[] = {
    {RULE_MPA_4_1_06, NULL, DUT_ANY, NEED_REGIONS, taken, "an FPDU whose PAD is not zero, with a correct CRC",
     "the device continues", .variant = ODD_PAD},
    {RULE_MPA_4_1_11, NULL, DUT_ANY, 0, taken, "C = 0 in both frames, then three FPDUs whose CRC fields are not CRCs",
     "the device continues", .variant = UNUSED_CRC},
    {RULE_MPA_4_2_03, NULL, DUT_ANY, 0, taken, "a Marker whose RESERVED field is not zero, with a correct CRC",
     "the device continues", .variant = MARKER_RESERVED},
    {RULE_MPA_4_2_06, NULL, DUT_ANY, 0, taken, "a Marker with the two low bits of FPDUPTR set, and a correct CRC",
     "the device continues", .variant = MARKER_LOW_BITS},
    {RULE_MPA_4_4_09, NULL, DUT_ANY, 0, taken, "C = 0 in both frames, then a first FPDU whose CRC field is not the CRC",
     "the device continues", .variant = UNUSED_CRC_FIRST},
    {RULE_MPA_4_5_07, NULL, DUT_RESPONDER, NEED_REGIONS, tiny_segments,
     "an MSS of 100 octets in our SYN, then a Read of 1024 octets", "DDP Segments with a ULPDU_Length of 128 or more",
     .variant = 0},
    {RULE_MPA_5_1_06, NULL, DUT_ANY, 0, taken, "TCP segments of one and a half FPDUs each", "the device continues",
     .variant = UNALIGNED},
    {RULE_MPA_5_2_01, NULL, DUT_ANY, NEED_REGIONS, all_lengths, "Writes with a ULPDU_Length of 14 to 30 octets",
     "the device continues, and its memory holds the octets", .variant = 0},
    {RULE_MPA_6_06, NULL, DUT_ANY, 0, taken, "a request whose last 6 octets arrive later",
     "the answer after everything has been sent, not before", .variant = HELD_BACK},
    {RULE_MPA_7_1_5_04, NULL, DUT_ANY, 0, taken, "the start-up frame and the first FPDU in pieces, with pauses",
     "the device continues", .variant = SWITCHING},
};

const struct suite suite_mpa = {"mpa", tests, G_N_ELEMENTS(tests)};
