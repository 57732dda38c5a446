// SPDX-License-Identifier: GPL-2.0-or-later
/* Startup frames, each on its own: RFC 5044 section 7.1, RFC 6581 sections 6 and 9. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <string.h>

/* ---- key ---- */

static void key_damaged(struct startup_write *w)
{
    w->octets->data[7] = 'r'; /* "MPA ID req Frame", "MPA ID rep Frame" */
}

/* ---- flags and revision ---- */

static void r_set(struct startup_write *w)
{
    w->frame.flags |= MPA_FLAG_R;
}

static void res_set(struct startup_write *w)
{
    w->frame.flags |= 0x01;
}

static void res_08_set(struct startup_write *w)
{
    w->frame.flags |= 0x08;
}

static void revision_7(struct startup_write *w)
{
    w->frame.revision = 7;
}

static void revision_1(struct startup_write *w)
{
    w->frame.revision = 1;
}

static void revision_0_without_m(struct startup_write *w)
{
    w->frame.revision = 0;
    w->frame.flags = MPA_FLAG_C;
    mpa_startup_fix_length(&w->frame);
}

static void m_cleared(struct startup_write *w)
{
    w->frame.flags &= (uint8_t)~MPA_FLAG_M;
}

/* ---- length ---- */

static const uint8_t text[] = "four octets too many";

static void four_octets_more(struct startup_write *w)
{
    g_byte_array_append(w->octets, text, 4);
}

static void four_zero_octets_more(struct startup_write *w)
{
    static const uint8_t zero[4];

    g_byte_array_append(w->octets, zero, sizeof zero);
}

static void crc_of_frame(struct startup_write *w)
{
    uint8_t crc[4];

    put_le32(crc, crc32c(w->octets->data, w->octets->len));
    g_byte_array_append(w->octets, crc, sizeof crc);
}

static void length_little_endian(struct startup_write *w)
{
    uint8_t high = w->octets->data[18];

    w->octets->data[18] = w->octets->data[19];
    w->octets->data[19] = high;
}

static void private_data_513(struct startup_write *w)
{
    while (w->octets->len < MPA_STARTUP_HEADER_LEN + MPA_PRIVATE_DATA_MAX + 1)
        g_byte_array_append(w->octets, text, 1);
    put_be16(w->octets->data + 18, MPA_PRIVATE_DATA_MAX + 1);
}

static void length_too_large(struct startup_write *w)
{
    put_be16(w->octets->data + 18, (uint16_t)(w->octets->len - MPA_STARTUP_HEADER_LEN + 4));
}

/* PD_Length counts the upper layer's part alone. */
static void length_without_enhanced(struct startup_write *w)
{
    w->frame.pd_length -= MPA_ENHANCED_LEN;
}

static void no_enhanced_data(struct startup_write *w)
{
    w->frame.has_enhanced = false;
    w->frame.ulp_length = 0;
    mpa_startup_fix_length(&w->frame);
}

static void two_octets_of_enhanced_data(struct startup_write *w)
{
    w->frame.has_enhanced = false;
    w->frame.ulp_data = (const uint8_t *)"\x00\x08";
    w->frame.ulp_length = 2;
    mpa_startup_fix_length(&w->frame);
}

static void private_data_present(struct conversation_setup *setup)
{
    setup->wish[INITIATOR].ulp_length = setup->wish[RESPONDER].ulp_length = 4;
}

/* ---- enhanced data ---- */

static void a_without_types(struct startup_write *w)
{
    w->frame.enhanced.peer_to_peer = true;
    w->frame.enhanced.rtr = 0;
}

static void types_without_a(struct startup_write *w)
{
    w->frame.enhanced.rtr = MPA_RTR_READ;
}

/* A=1, D=1, IRD 16, ORD 8, but S = 0. */
static void s_forgotten(struct startup_write *w)
{
    static const uint8_t data[4] = {0x80, 0x10, 0x40, 0x08};

    w->frame.flags &= (uint8_t)~MPA_FLAG_S;
    w->frame.has_enhanced = false;
    w->frame.ulp_data = data;
    w->frame.ulp_length = sizeof data;
    mpa_startup_fix_length(&w->frame);
}

/* The upper layer's octets first, then the enhanced data. */
static void enhanced_data_last(struct startup_write *w)
{
    uint8_t *p = w->octets->data + MPA_STARTUP_HEADER_LEN, enhanced[4] = {0x80, 0x10, 0x40, 0x08};
    size_t rest = w->octets->len - MPA_STARTUP_HEADER_LEN - sizeof enhanced;

    memmove(p, p + sizeof enhanced, rest);
    memcpy(p + rest, enhanced, sizeof enhanced);
}

/* IRD 16 with A as 10 80, ORD 8 with D as 08 40. */
static void little_endian_enhanced_data(struct startup_write *w)
{
    static const uint8_t data[4] = {0x10, 0x80, 0x08, 0x40};

    memcpy(w->octets->data + MPA_STARTUP_HEADER_LEN, data, sizeof data);
}

static const struct fault faults[] = {
    {.id = "MPA-7.1.1-01",
     .scenario = "rev1",
     .summary = "key of the Request is 'MPA ID req Frame'",
     .startup_octets = key_damaged,
     .aftermath = CLOSED},
    {.id = "MPA-7.1.1-04",
     .scenario = "rev1",
     .summary = "key of the Reply is 'MPA ID rep Frame'",
     .role = RESPONDER,
     .startup_octets = key_damaged,
     .aftermath = CLOSED},
    {.id = "MPA-7.1.1-07",
     .scenario = "rev1",
     .summary = "PD_Length of the Reply is little-endian",
     .role = RESPONDER,
     .setup = private_data_present,
     .startup_octets = length_little_endian,
     .aftermath = CLOSED},
    {.id = "MPA-7.1.1-18", .scenario = "rev1", .summary = "Request with R = 1", .startup = r_set},
    {.id = "MPA-7.1.1-21", .scenario = "rev1", .summary = "Request with a Res bit (0x01)", .startup = res_set},
    {.id = "MPA-7.1.1-23",
     .scenario = "rev1",
     .summary = "Request of revision 7",
     .startup = revision_7,
     .aftermath = CLOSED},
    {.id = "MPA-7.1-05",
     .scenario = "rev1",
     .summary = "Request followed by its CRC32c",
     .startup_octets = crc_of_frame,
     .aftermath = CLOSED},
    {.id = "MPA-7.1.1-28",
     .scenario = "private-data",
     .summary = "Request with four octets more than PD_Length tells",
     .setup = private_data_present,
     .startup_octets = four_octets_more,
     .aftermath = CLOSED},
    {.id = "MPA-7.1.1-28/short",
     .scenario = "private-data",
     .summary = "four octets fewer than PD_Length tells, then silence",
     .setup = private_data_present,
     .startup_octets = length_too_large,
     .aftermath = CLOSED},
    {.id = "MPA-7.1.1-29",
     .scenario = "rev1",
     .summary = "PD_Length 0, yet four zero octets follow",
     .startup_octets = four_zero_octets_more,
     .aftermath = CLOSED},
    {.id = "MPA-7.1.1-34",
     .scenario = "rev1",
     .summary = "513 octets of Private Data",
     .startup_octets = private_data_513,
     .aftermath = CLOSED},
    {.id = "MPA-C.1-05",
     .scenario = "rev1",
     .summary = "Request of revision 0 with M = 0",
     .startup = revision_0_without_m,
     .aftermath = CLOSED},
    {.id = "MPA-C.2.3-01",
     .scenario = "rdmac",
     .summary = "Reply of revision 0 with M = 0 to a Request of revision 0",
     .role = RESPONDER,
     .startup = m_cleared},
    {.id = "MPA-C.2.5-02",
     .scenario = "permissive",
     .summary = "Reply of revision 0 with M = 0 to a Request of revision 1",
     .role = RESPONDER,
     .startup = m_cleared},
    {.id = "MPA2-6-02", .scenario = "rev2", .summary = "enhanced Request with Res bit 0x08", .startup = res_08_set},
    {.id = "MPA2-6-04",
     .scenario = "rev2",
     .enhanced = true,
     .summary = "Request with S = 1 and revision 1",
     .startup = revision_1,
     .aftermath = CLOSED},
    {.id = "MPA2-6-07",
     .scenario = "rev2",
     .enhanced = true,
     .summary = "PD_Length counts the upper layer's octets alone",
     .startup = length_without_enhanced,
     .aftermath = CLOSED},
    {.id = "MPA2-6-08",
     .scenario = "rev2-reject",
     .enhanced = true,
     .summary = "rejecting Reply with S = 1 and PD_Length 0",
     .role = RESPONDER,
     .startup = no_enhanced_data},
    {.id = "MPA2-6-08/two",
     .scenario = "rev2",
     .enhanced = true,
     .summary = "Request with S = 1 and PD_Length 2",
     .startup = two_octets_of_enhanced_data,
     .aftermath = CLOSED},
    {.id = "MPA2-6-01",
     .scenario = "rev2-plain",
     .summary = "enhanced data in a Request with S = 0",
     .startup = s_forgotten},
    {.id = "MPA2-9-01",
     .scenario = "rev2",
     .enhanced = true,
     .summary = "enhanced data behind the upper layer's",
     .startup_octets = enhanced_data_last,
     .aftermath = CLOSED},
    {.id = "MPA2-9-02",
     .scenario = "rev2",
     .enhanced = true,
     .summary = "enhanced data in little-endian order",
     .startup_octets = little_endian_enhanced_data},
    {.id = "MPA2-9.2-04",
     .scenario = "rev2",
     .enhanced = true,
     .summary = "Request with A = 1 and none of B, C, D",
     .startup = a_without_types,
     .aftermath = CLOSED},
    {.id = "MPA2-9.2-19",
     .enhanced = true,
     .scenario = "rev2",
     .summary = "Request with A = 0 and D = 1",
     .startup = types_without_a},
};

const struct fault_table startup_faults = {faults, sizeof faults / sizeof faults[0]};
