// SPDX-License-Identifier: GPL-2.0-or-later
/* FPDU format: RFC 5044 sections 3 and 4.1. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <string.h>

/* ---- places ---- */

static bool has_pad(const struct fpdu_write *w)
{
    return w->plan.pad_length > 0;
}

static bool has_three_pad_octets(const struct fpdu_write *w)
{
    return w->plan.pad_length == 3;
}

static bool has_three_pad_octets_without_markers(const struct fpdu_write *w)
{
    return w->plan.pad_length == 3 && !w->plan.framing.markers;
}

/* One Marker, inside the FPDU. */
static bool has_interior_marker(const struct fpdu_write *w)
{
    const struct mpa_framing *framing = &w->plan.framing;
    uint64_t end = w->plan.offset + mpa_fpdu_octets(framing, w->plan.offset, w->plan.ulpdu_length);
    uint64_t at = mpa_next_marker(framing, w->plan.offset);

    return framing->markers && at > w->plan.offset && at < end && at + MPA_MARKER_PERIOD >= end;
}

static bool is_read_request(const struct fpdu_write *w)
{
    return (w->ulpdu[1] & 0x0F) == RDMAP_READ_REQUEST;
}

static bool is_last_of_send(const struct fpdu_write *w)
{
    return (w->ulpdu[1] & 0x0F) == RDMAP_SEND && w->ulpdu[0] & 0x40 && w->plan.ulpdu_length > 40;
}

/* ---- what is done there ---- */

static void set_ulpdu_length(struct fpdu_write *w, uint16_t n)
{
    w->plan.ulpdu_length = w->plan.ulpdu_octets = n;
    w->plan.pad_length = (uint8_t)mpa_pad_length(n);
}

static void two_read_requests(struct fpdu_write *w)
{
    uint16_t n = w->plan.ulpdu_length;

    memcpy(w->ulpdu + n, w->ulpdu, n);
    put_be32(w->ulpdu + n + 10, get_be32(w->ulpdu + 10) + 1); /* MSN */
    set_ulpdu_length(w, (uint16_t)(2 * n));
}

static void one_octet_too_many(struct fpdu_write *w)
{
    memset(w->ulpdu + w->plan.ulpdu_length, 0x5A, MPA_ULPDU_MAX + 1u - w->plan.ulpdu_length);
    set_ulpdu_length(w, MPA_ULPDU_MAX + 1);
}

static void empty(struct fpdu_write *w)
{
    set_ulpdu_length(w, 0);
}

static void shorter_than_a_header(struct fpdu_write *w)
{
    set_ulpdu_length(w, 10);
}

static void version_zero(struct fpdu_write *w)
{
    w->ulpdu[0] &= 0xFC;
    w->ulpdu[1] &= 0x3F;
}

static void stray_octets(struct fpdu_write *w)
{
    /* Read as a header they announce 5 octets, so that the receiver soon finds a wrong CRC. */
    static const uint8_t stray[3] = {0x00, 0x05, 0x5A};

    g_byte_array_prepend(w->octets, stray, sizeof stray);
}

static void length_of_all(struct fpdu_write *w)
{
    w->plan.ulpdu_length += MPA_LENGTH_LEN + MPA_CRC_LEN;
}

static void length_with_marker(struct fpdu_write *w)
{
    w->plan.ulpdu_length += MPA_MARKER_LEN;
}

static void no_pad(struct fpdu_write *w)
{
    w->plan.pad_length = 0;
}

static void pad_not_zero(struct fpdu_write *w)
{
    for (unsigned i = 0; i < w->plan.pad_length; i++)
        w->plan.pad[i] = (uint8_t)(i + 1);
}

/* Nonzero PAD under the CRC of zero PAD. */
static void pad_outside_crc(struct fpdu_write *w)
{
    g_autofree uint8_t *octets = g_malloc(MPA_FPDU_OCTETS_MAX);
    size_t n = mpa_fpdu_encode(&w->plan, octets, MPA_FPDU_OCTETS_MAX);

    w->plan.crc = get_le32(octets + n - MPA_CRC_LEN);
    w->plan.crc_fixed = true;
    pad_not_zero(w);
}

/* [length ULPDU PAD CRC] becomes [length ULPDU CRC PAD], the CRC over what then precedes it. */
static void crc_before_pad(struct fpdu_write *w)
{
    uint8_t *end = w->octets->data + w->octets->len, pad = w->plan.pad_length;
    uint8_t *crc = end - MPA_CRC_LEN - pad;

    put_le32(crc, crc32c(w->octets->data, (size_t)(crc - w->octets->data)));
    memset(crc + MPA_CRC_LEN, 0, pad);
}

static void no_crc_field(struct fpdu_write *w)
{
    w->plan.crc_present = false;
}

static void large_ulpdus(struct conversation_setup *setup)
{
    setup->ulpdu_max = 8000;
}

static void small_ulpdus(struct conversation_setup *setup)
{
    setup->ulpdu_max = 200;
}

static void tiny_ulpdus(struct conversation_setup *setup)
{
    setup->ulpdu_max = 80;
}

static const struct fault faults[] = {
    {.id = "MPA-3-01",
     .scenario = "rev1",
     .summary = "two RDMA Read Requests in one FPDU, ULPDU_Length 92",
     .where = is_read_request,
     .fpdu = two_read_requests,
     .aftermath = TERMINATED,
     .terminate = 0x1205}, /* DDP, untagged buffer, message too long */
    {.id = "MPA-3-03",
     .scenario = "rev1",
     .summary = "ULPDUs of 8000 octets with an MSS of 1460",
     .setup = large_ulpdus},
    {.id = "MPA-3-05", .scenario = "jumbo", .summary = "ULPDU_Length 64769", .index = 1, .fpdu = one_octet_too_many},
    {.id = "MPA-3-07",
     .scenario = "rev1",
     .summary = "FPDU with ULPDU_Length 0, right CRC",
     .index = 2,
     .fpdu = empty,
     .aftermath = TERMINATED,
     .terminate = 0x1000}, /* DDP, local catastrophic */
    {.id = "MPA-3-16",
     .scenario = "rev1",
     .summary = "DDP and RDMAP version 0 in a Send under MPA revision 1",
     .index = 2,
     .fpdu = version_zero,
     .aftermath = TERMINATED,
     .terminate = 0x1206}, /* DDP, untagged buffer, invalid DDP version */
    {.id = "MPA-4.1-01",
     .scenario = "rev1",
     .summary = "three stray octets between two FPDUs",
     .index = 3,
     .fpdu_octets = stray_octets,
     .aftermath = TERMINATED},
    {.id = "MPA-4.1-02",
     .scenario = "rev1",
     .summary = "ULPDU_Length counts itself and the CRC too",
     .index = 2,
     .where = is_last_of_send,
     .fpdu = length_of_all,
     .aftermath = TERMINATED,
     .more = 1},
    {.id = "MPA-4.1-03",
     .scenario = "marker-walk",
     .summary = "ULPDU_Length counts the Marker inside the FPDU",
     .index = 2,
     .where = has_interior_marker,
     .fpdu = length_with_marker,
     .aftermath = TERMINATED,
     .more = 1},
    {.id = "MPA-4.1-04",
     .scenario = "rev1",
     .summary = "the three PAD octets are missing",
     .index = 1,
     .where = has_three_pad_octets,
     .fpdu = no_pad,
     .aftermath = TERMINATED,
     .more = 1},
    {.id = "MPA-4.1-05",
     .scenario = "rev1",
     .summary = "PAD octets 01 02 03, covered by the CRC",
     .index = 1,
     .where = has_pad,
     .fpdu = pad_not_zero},
    {.id = "MPA-4.1-06",
     .scenario = "rev1",
     .summary = "the receiver answers nonzero PAD with a Terminate",
     .also = "MPA-4.1-05",
     .index = 1,
     .where = has_pad,
     .fpdu = pad_not_zero,
     .aftermath = TERMINATED},
    {.id = "MPA-4.1-06+ok",
     .scenario = "rev1",
     .summary = "the receiver goes on after nonzero PAD",
     .also = "MPA-4.1-05",
     .index = 1,
     .where = has_pad,
     .fpdu = pad_not_zero},
    {.id = "MPA-4.1-07",
     .scenario = "rev1",
     .summary = "nonzero PAD under the CRC of zero PAD is accepted",
     .also = "MPA-4.1-05",
     .index = 1,
     .where = has_pad,
     .fpdu = pad_outside_crc},
    {.id = "MPA-4.1-07+ok",
     .scenario = "rev1",
     .summary = "nonzero PAD under the CRC of zero PAD is answered with Terminate 20 02",
     .also = "MPA-4.1-05",
     .index = 1,
     .where = has_pad,
     .fpdu = pad_outside_crc,
     .aftermath = TERMINATED},
    {.id = "MPA-4.1-08",
     .scenario = "rev1",
     .summary = "CRC before the PAD",
     .index = 1,
     .where = has_three_pad_octets_without_markers,
     .fpdu_octets = crc_before_pad,
     .aftermath = TERMINATED},
    {.id = "MPA-4.1-09",
     .scenario = "no-crc",
     .summary = "no CRC field in the FPDUs of the Initiator",
     .index = 1,
     .fpdu = no_crc_field,
     .persistent = true,
     .aftermath = CLOSED,
     .more = 3},
    {.id = "MPA-4.1-12",
     .scenario = "rev1",
     .summary = "FPDU with a ULPDU of 10 octets, too short for any DDP header",
     .also = "DDP-4.3-01",
     .index = 2,
     .fpdu = shorter_than_a_header,
     .aftermath = TERMINATED,
     .terminate = 0x1000},
    {.id = "MPA-4.5-05",
     .scenario = "jumbo",
     .summary = "messages cut into ULPDUs of 200 octets",
     .setup = small_ulpdus},
    {.id = "MPA-4.5-07", .scenario = "tiny-mss", .summary = "MSS 88 and ULPDUs of 80 octets", .setup = tiny_ulpdus},
};

const struct fault_table fpdu_faults = {faults, sizeof faults / sizeof faults[0]};
