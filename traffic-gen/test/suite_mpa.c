// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite mpa, full operation: what is odd and must be accepted (RFC 5044 sections 4 to 6). Each test has a stimulus of
 * its own, so that a device that fails at one need not fail at others.
 */
#include "traffic-gen/test/suite_mpa.h"

#include "wire/octets.h"

enum { MARKER_TRIES = 64 };

static const int64_t pause_ns = 30 * INT64_C(1000000), hold_ns = 200 * INT64_C(1000000);

/* ---- FPDUs to do something to ---- */

size_t mpa_harmless(struct talk *talk, uint8_t *ulpdu)
{
    /* STag and Tagged Offset of a Write of no octets are not looked at (RFC 5041 section 5.2). */
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

void mpa_compare(struct talk *talk, const struct talk_wish *usual)
{
    g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));

    if (talk_start(talk, usual))
        talk_failed(talk, "%s; on another connection without what is odd the device goes on", what);
    else
        talk_inconclusive(talk, "%s; and without what is odd it does not go on either", what);
}

void mpa_expect_alive(struct talk *talk, const struct talk_wish *wish)
{
    struct talk_wish usual = wish ? *wish : (struct talk_wish){0};
    g_autofree char *what = NULL;

    talk_expect_alive(talk);
    if (talk_last(talk)->what != TALK_FIN && talk_last(talk)->what != TALK_RESET)
        return;
    what = g_strdup(talk_describe(talk, talk_last(talk)));
    usual.frame = NULL;
    usual.wait_only = usual.in_pieces = false;
    if (talk_start(talk, &usual) && talk_probe(talk) == LIFE_ANSWERS)
        talk_failed(talk, "%s; on another connection without what is odd the device goes on", what);
    else
        talk_inconclusive(talk, "%s: the layers above may close at any time", what);
}

/* The CRC that the plan would have. */
uint32_t mpa_crc_of(const struct mpa_fpdu_plan *plan)
{
    GByteArray *octets = talk_encode_plan(plan);
    uint32_t crc = get_le32(octets->data + octets->len - MPA_CRC_LEN);

    g_byte_array_unref(octets);
    return crc;
}

/* Harmless FPDUs until the next one has a Marker amid its octets. False: verdict is set. */
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
    talk_inconclusive(talk, "no Marker came to lie in an FPDU");
    return false;
}

/* ---- what the receiver has to take ---- */

static void odd_pad(struct talk *talk, const struct suite_test *test)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    size_t n;

    (void)test;
    if (!talk_start(talk, NULL) || !(n = mpa_padded(talk, ulpdu)))
        return;
    talk_plan(talk, &plan, ulpdu, n);
    memset(plan.pad, 0xA5, plan.pad_length);
    talk_send_plan(talk, &plan);
    mpa_expect_alive(talk, NULL);
}

static void unused_crc(struct talk *talk, const struct suite_test *test)
{
    static const uint32_t values[] = {0x00000000, 0xFFFFFFFF, 0x12345678};
    const struct talk_wish wish = {.no_crc = true, .need_no_crc = true};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    (void)test;
    if (!talk_start(talk, &wish))
        return;
    for (unsigned i = 0; i < G_N_ELEMENTS(values); i++) {
        talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
        plan.crc_fixed = true;
        plan.crc = values[i];
        talk_send_plan(talk, &plan);
    }
    mpa_expect_alive(talk, &wish);
}

/* Our first FPDU of all: the DUT has had nothing but our frame to learn from. */
static void unused_crc_first(struct talk *talk, const struct suite_test *test)
{
    const struct talk_wish wish = {.no_crc = true, .need_no_crc = true, .wait_only = true};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    (void)test;
    if (!talk_start(talk, &wish) || (!talk_is_initiator(talk) && !talk_first_fpdu(talk)))
        return;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    plan.crc_fixed = true;
    plan.crc = 0xDEADBEEF;
    talk_send_plan(talk, &plan);
    mpa_expect_alive(talk, &wish);
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

static void odd_marker(struct talk *talk, const struct suite_test *test)
{
    const struct talk_wish wish = {.need_markers = true};
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];

    if (!talk_start(talk, &wish) || !mpa_reach_marker(talk, ulpdu))
        return;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    plan.marker_hook = test->variant ? set_low_bits : mpa_set_reserved;
    talk_send_plan(talk, &plan);
    mpa_expect_alive(talk, &wish);
}

/* Segments that begin and end anywhere: one and a half FPDUs, a pause, the other half and another one. */
static void unaligned(struct talk *talk, const struct suite_test *test)
{
    GByteArray *all;

    (void)test;
    if (!talk_start(talk, NULL))
        return;
    all = mpa_harmless_octets(talk, 3);
    talk_write(talk, all->data, all->len / 2);
    talk_sleep(talk, pause_ns);
    talk_write(talk, all->data + all->len / 2, all->len - all->len / 2);
    g_byte_array_unref(all);
    mpa_expect_alive(talk, NULL);
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

static void all_lengths(struct talk *talk, const struct suite_test *test)
{
    static const char octets[] = "0123456789abcdef";
    const struct advert_memory *region;
    uint8_t ulpdu[TALK_ULPDU];

    (void)test;
    if (!talk_start(talk, NULL) || !(region = talk_region(talk, REGION_ALL)))
        return;
    for (size_t n = 0; n < sizeof(octets); n++)
        talk_send_ulpdu(talk, ulpdu, talk_make_write(talk, ulpdu, region->stag, region->address, octets, n));
    mpa_expect_alive(talk, NULL);
}

/* A Read Request of which a part is held back: it may only be answered when all of it is there. */
static void held_back(struct talk *talk, const struct suite_test *test)
{
    enum { HELD_BACK = 6 };
    const struct talk_heard *heard;
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    GByteArray *octets;

    (void)test;
    if (!talk_start(talk, NULL))
        return;
    talk_plan(talk, &plan, ulpdu, talk_make_read(talk, ulpdu, 0, 0, 0));
    octets = talk_encode_plan(&plan);
    talk_write(talk, octets->data, octets->len - HELD_BACK);
    /* Not for long: a device need not wait for the rest for ever. */
    do {
        heard = talk_hear(talk, hold_ns);
    } while (heard->what == TALK_FPDU && heard->has_ddp && heard->ddp.opcode != RDMAP_READ_RESPONSE);
    if (heard->what == TALK_FPDU && heard->has_ddp) {
        talk_failed(talk, "a Read Response came before the whole FPDU of the Read Request had been sent");
    } else {
        talk_write(talk, octets->data + octets->len - HELD_BACK, HELD_BACK);
        if (talk_hear_opcode(talk, RDMAP_READ_RESPONSE))
            talk_passed(talk, "the Read Response came when the FPDU was complete");
        else
            talk_inconclusive(talk, "no Read Response, but %s", talk_describe(talk, talk_last(talk)));
    }
    g_byte_array_unref(octets);
}

/* The frame and the first FPDU in pieces: what a network does while the device switches to MPA. */
static void switching(struct talk *talk, const struct suite_test *test)
{
    const struct talk_wish wish = {.in_pieces = true, .wait_only = true};
    GByteArray *octets;

    (void)test;
    if (!talk_start(talk, &wish) || (!talk_is_initiator(talk) && !talk_first_fpdu(talk))) {
        if (talk_frame(talk, true) && talk_last(talk)->what != TALK_SILENCE)
            mpa_compare(talk, NULL);
        return;
    }
    octets = mpa_harmless_octets(talk, 1);
    talk_write(talk, octets->data, 3);
    talk_sleep(talk, pause_ns);
    talk_write(talk, octets->data + 3, octets->len - 3);
    g_byte_array_unref(octets);
    mpa_expect_alive(talk, &wish);
}

/* A Read of several segments by a path that takes 100 octets at a time. */
static void tiny_segments(struct talk *talk, const struct suite_test *test)
{
    enum { TINY_MSS = 100, SIZE = 1024 };
    const struct advert_memory *region;
    uint8_t ulpdu[TALK_ULPDU];
    unsigned parts = 0, small = 0;
    bool last = false;

    (void)test;
    talk_set_mss(talk, TINY_MSS);
    if (!talk_start(talk, NULL) || !(region = talk_region(talk, REGION_ALL)))
        return;
    talk_send_ulpdu(talk, ulpdu, talk_make_read(talk, ulpdu, region->stag, region->address, SIZE));
    while (!last) {
        const struct talk_heard *heard = talk_hear(talk, talk_t_react(talk));

        if (heard->what != TALK_FPDU || !heard->has_ddp || heard->ddp.opcode != RDMAP_READ_RESPONSE) {
            talk_inconclusive(talk, "the Read was not answered: %s", talk_describe(talk, heard));
            return;
        }
        last = heard->ddp.last;
        parts += !last;
        small += !last && heard->fpdu.ulpdu_length < MPA_MULPDU_MIN;
    }
    if (small > 0 && small == parts)
        talk_failed(talk, "all of %u DDP Segments that are not the last have a ULPDU_Length below 128", parts);
    else
        talk_passed(talk, "%u of %u DDP Segments before the last have a ULPDU_Length of 128 or more", parts - small,
                    parts);
}

static const struct suite_test tests[] = {
    {RULE_MPA_4_1_06, NULL, DUT_ANY, NEED_REGIONS, odd_pad, "an FPDU whose PAD is not zero, with the right CRC over it",
     "the device goes on", 0},
    {RULE_MPA_4_1_11, NULL, DUT_ANY, 0, unused_crc, "C = 0 in both frames, then three FPDUs with other CRC fields",
     "the device goes on", 0},
    {RULE_MPA_4_2_03, NULL, DUT_ANY, 0, odd_marker, "a Marker whose RESERVED is not zero, with the right CRC over it",
     "the device goes on", 0},
    {RULE_MPA_4_2_06, NULL, DUT_ANY, 0, odd_marker, "a Marker with the two low bits of FPDUPTR set, CRC right",
     "the device goes on", 1},
    {RULE_MPA_4_4_09, NULL, DUT_ANY, 0, unused_crc_first,
     "C = 0 in both frames, then a first FPDU whose CRC field is not the CRC", "the device goes on", 0},
    {RULE_MPA_4_5_07, NULL, DUT_RESPONDER, NEED_REGIONS, tiny_segments,
     "an MSS of 100 octets in our SYN, then a Read of 1024 octets", "DDP Segments with a ULPDU_Length of 128 or more",
     0},
    {RULE_MPA_5_1_06, NULL, DUT_ANY, 0, unaligned, "TCP segments with one FPDU and a half each", "the device goes on",
     0},
    {RULE_MPA_5_2_01, NULL, DUT_ANY, NEED_REGIONS, all_lengths, "FPDUs with a ULPDU_Length of 14 to 30 octets",
     "the device goes on", 0},
    {RULE_MPA_6_06, NULL, DUT_ANY, 0, held_back, "a Read Request without the last 6 octets of its FPDU; later these",
     "a Read Response when all has been sent, and not before", 0},
    {RULE_MPA_7_1_5_04, NULL, DUT_ANY, 0, switching, "the start-up frame and the first FPDU in pieces, with pauses",
     "the device goes on", 0},
};

const struct suite suite_mpa = {"mpa", tests, G_N_ELEMENTS(tests)};
