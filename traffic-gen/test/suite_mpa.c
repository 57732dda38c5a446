// SPDX-License-Identifier: GPL-2.0-or-later
/* Suite mpa, full operation: RFC 5044 sections 4 to 6 and 8. What is odd must be accepted, what is wrong must not. */
#include "traffic-gen/test/suite_mpa.h"

#include "wire/octets.h"

#include <string.h>

enum { HARMLESS_STAG = 1 };

/* ---- FPDUs to do something to ---- */

size_t mpa_harmless(struct talk *talk, uint8_t *ulpdu)
{
    /* STag and Tagged Offset of a Write of no octets are not looked at (RFC 5041 section 5.2). */
    const struct advert *advert = talk_advert(talk);
    bool known = advert->n > REGION_ALL;

    return talk_make_write(talk, ulpdu, known ? advert->regions[REGION_ALL].stag : HARMLESS_STAG,
                           known ? advert->regions[REGION_ALL].address : 0, NULL, 0);
}

size_t mpa_padded(struct talk *talk, uint8_t *ulpdu)
{
    const struct advert_memory *region = talk_region(talk, REGION_ALL);

    return region ? talk_make_write(talk, ulpdu, region->stag, region->address, "x", 1) : 0;
}

void mpa_expect_error(struct talk *talk)
{
    talk_expect_terminate(talk, &(struct talk_terminate){.layer = 2, .codes = {2, 3}, .or_close = true});
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
    talk_expect_alive(talk);
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
    talk_expect_alive(talk);
}

/* ---- what it must not take ---- */

static void pad_not_in_crc(struct talk *talk, const struct suite_test *test)
{
    struct mpa_fpdu_plan plan;
    uint8_t ulpdu[TALK_ULPDU];
    GByteArray *octets;
    size_t n;

    (void)test;
    if (!talk_start(talk, NULL) || !(n = mpa_padded(talk, ulpdu)))
        return;
    talk_plan(talk, &plan, ulpdu, n);
    octets = talk_encode_plan(&plan);
    plan.crc_fixed = true;
    plan.crc = get_le32(octets->data + octets->len - MPA_CRC_LEN);
    g_byte_array_unref(octets);
    memset(plan.pad, 0xA5, plan.pad_length);
    talk_send_plan(talk, &plan);
    mpa_expect_error(talk);
}

static void wrong_crc(struct talk *talk, const struct suite_test *test)
{
    uint8_t ulpdu[TALK_ULPDU];
    struct mpa_fpdu_plan plan;
    GByteArray *octets;

    (void)test;
    if (!talk_start(talk, NULL))
        return;
    talk_plan(talk, &plan, ulpdu, mpa_harmless(talk, ulpdu));
    octets = talk_encode_plan(&plan);
    octets->data[octets->len - 1] ^= 0x10;
    talk_write(talk, octets->data, octets->len);
    g_byte_array_unref(octets);
    mpa_expect_error(talk);
}

static const struct suite_test tests[] = {
    {RULE_MPA_4_1_06, NULL, DUT_ANY, NEED_REGIONS, odd_pad, "an FPDU whose PAD is not zero, with the right CRC over it",
     "the device goes on", 0},
    {RULE_MPA_4_1_07, NULL, DUT_ANY, NEED_REGIONS, pad_not_in_crc,
     "an FPDU whose PAD is not zero, with the CRC that it would have with a PAD of zero", "Terminate 2/0/2, or a close",
     0},
    {RULE_MPA_4_1_11, NULL, DUT_ANY, 0, unused_crc, "C = 0 in both frames, then three FPDUs with other CRC fields",
     "the device goes on", 0},
    {RULE_MPA_8_02, "crc", DUT_ANY, 0, wrong_crc, "an FPDU with one bit of its CRC field inverted",
     "Terminate 2/0/2, or a close", 0},
};

const struct suite suite_mpa = {"mpa", tests, G_N_ELEMENTS(tests)};
