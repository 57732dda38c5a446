// SPDX-License-Identifier: GPL-2.0-or-later
/* The CRC: RFC 5044 section 4.4. Each fault puts a particular wrong value where CRC32c over the right octets is due. */
#include "traffic-gen/say/fault.h"
#include "traffic-gen/say/setups.h"
#include "wire/crc32c.h"
#include "wire/octets.h"

#include <string.h>

/* ---- places, all with Markers but the first ---- */

static size_t octets_of(const struct fpdu_write *w)
{
    return mpa_fpdu_octets(&w->plan.framing, w->plan.offset, w->plan.ulpdu_length);
}

static bool on_grid(const struct fpdu_write *w, uint64_t at)
{
    return w->plan.framing.markers && mpa_next_marker(&w->plan.framing, at) == at;
}

static bool is_send(const struct fpdu_write *w)
{
    return (w->ulpdu[1] & 0x0F) == RDMAP_SEND;
}

static bool marker_leads(const struct fpdu_write *w)
{
    return on_grid(w, w->plan.offset);
}

static bool marker_before_crc(const struct fpdu_write *w)
{
    return on_grid(w, w->plan.offset + octets_of(w) - MPA_CRC_LEN - MPA_MARKER_LEN);
}

static bool ends_on_grid(const struct fpdu_write *w)
{
    return on_grid(w, w->plan.offset + octets_of(w));
}

/* One Marker, inside the ULPDU. */
static bool marker_inside(const struct fpdu_write *w)
{
    uint64_t at = mpa_next_marker(&w->plan.framing, w->plan.offset);

    return w->plan.framing.markers && !on_grid(w, w->plan.offset) &&
           at + MPA_MARKER_LEN + MPA_CRC_LEN < w->plan.offset + octets_of(w) &&
           at + MPA_MARKER_PERIOD > w->plan.offset + octets_of(w);
}

/* ---- wrong values ---- */

static void put_crc(struct fpdu_write *w, uint32_t crc)
{
    put_le32(w->octets->data + w->octets->len - MPA_CRC_LEN, crc);
}

static size_t covered(const struct fpdu_write *w)
{
    return w->octets->len - MPA_CRC_LEN;
}

/* CRC over everything before the CRC field but the `n` octets at `at`. */
static void put_crc_without(struct fpdu_write *w, size_t at, size_t n)
{
    const uint8_t *p = w->octets->data;

    put_crc(w, crc32c_extend(crc32c(p, at), p + at + n, covered(w) - at - n));
}

static void zero(struct fpdu_write *w)
{
    put_crc(w, 0);
}

static void ieee(struct fpdu_write *w)
{
    uint32_t crc = 0xFFFFFFFF;

    for (size_t i = 0; i < covered(w); i++) {
        crc ^= w->octets->data[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    put_crc(w, ~crc);
}

static void swapped(struct fpdu_write *w)
{
    uint8_t *p = w->octets->data + covered(w);

    put_be32(p, get_le32(p));
}

static void without_length(struct fpdu_write *w)
{
    put_crc_without(w, 0, MPA_LENGTH_LEN);
}

static void without_marker_before_crc(struct fpdu_write *w)
{
    put_crc_without(w, covered(w) - MPA_MARKER_LEN, MPA_MARKER_LEN);
}

static void without_leading_marker(struct fpdu_write *w)
{
    put_crc_without(w, 0, MPA_MARKER_LEN);
}

static void without_interior_marker(struct fpdu_write *w)
{
    put_crc_without(w, mpa_next_marker(&w->plan.framing, w->plan.offset) - w->plan.offset, MPA_MARKER_LEN);
}

static void with_next_marker(struct fpdu_write *w)
{
    static const uint8_t marker[MPA_MARKER_LEN];

    put_crc(w, crc32c_extend(crc32c(w->octets->data, covered(w)), marker, sizeof marker));
}

/* The CRC field straight after ULPDU_Length, the rest moved back. */
static void crc_behind_length(struct fpdu_write *w)
{
    uint8_t *p = w->octets->data;
    uint32_t crc = crc32c(p, covered(w));

    memmove(p + MPA_LENGTH_LEN + MPA_CRC_LEN, p + MPA_LENGTH_LEN, covered(w) - MPA_LENGTH_LEN);
    put_le32(p + MPA_LENGTH_LEN, crc);
}

static void damaged(struct fpdu_write *w)
{
    w->octets->data[w->octets->len - MPA_CRC_LEN - 3] ^= 0x10;
}

static const struct fault faults[] = {
    {.id = "MPA-4.4-07",
     .scenario = "rev1",
     .summary = "CRC right in many FPDUs, then 00000000",
     .index = 12,
     .fpdu_octets = zero,
     .aftermath = TERMINATED},
    {.id = "MPA-4.4-12",
     .scenario = "rev1",
     .summary = "CRC-32 of Ethernet instead of CRC32c",
     .index = 2,
     .fpdu_octets = ieee,
     .aftermath = TERMINATED},
    {.id = "MPA-4.4-13",
     .scenario = "rev1",
     .summary = "CRC with its most significant octet first",
     .index = 2,
     .fpdu_octets = swapped,
     .aftermath = TERMINATED},
    {.id = "MPA-4.4-14",
     .scenario = "rev1",
     .summary = "CRC without ULPDU_Length",
     .index = 2,
     .fpdu_octets = without_length,
     .aftermath = TERMINATED},
    {.id = "MPA-4.4-15",
     .scenario = "marker-walk",
     .summary = "CRC without the Marker between PAD and CRC",
     .index = 1,
     .where = marker_before_crc,
     .fpdu_octets = without_marker_before_crc,
     .aftermath = TERMINATED},
    {.id = "MPA-4.4-16",
     .scenario = "marker-walk",
     .summary = "CRC of a later FPDU begun behind its leading Marker",
     .index = 1,
     .where = marker_leads,
     .fpdu_octets = without_leading_marker,
     .aftermath = TERMINATED},
    {.id = "MPA-4.4-17",
     .scenario = "marker-walk",
     .summary = "CRC covers the Marker that follows the FPDU",
     .index = 1,
     .where = ends_on_grid,
     .fpdu_octets = with_next_marker,
     .aftermath = TERMINATED},
    {.id = "MPA-4.4-18",
     .scenario = "rev1",
     .summary = "CRC straight after ULPDU_Length",
     .index = 2,
     .fpdu_octets = crc_behind_length,
     .aftermath = TERMINATED},
    {.id = "MPA-4.3-12",
     .scenario = "figures",
     .summary = "Figure 5 with a CRC that leaves the leading Marker out",
     .where = marker_leads,
     .fpdu_octets = without_leading_marker,
     .aftermath = CLOSED}, /* the first FPDU: the Responder may not send any (7.1.2) */
    {.id = "MPA-4.3-13",
     .scenario = "marker-walk",
     .summary = "CRC without the Marker inside the FPDU",
     .index = 2,
     .where = marker_inside,
     .fpdu_octets = without_interior_marker,
     .aftermath = TERMINATED},
    {.id = "MPA-7.1.1-15",
     .scenario = "crc-by-reply",
     .summary = "the Initiator sends 00000000 although the Reply has C = 1",
     .fpdu_octets = zero,
     .persistent = true,
     .aftermath = CLOSED},
    {.id = "MPA-C.1-04",
     .scenario = "rdmac",
     .summary = "revision 0 without CRC",
     .fpdu_octets = zero,
     .persistent = true,
     .aftermath = CLOSED},
    {.id = "MPA-4.4-12/damaged",
     .scenario = "rev1",
     .summary = "an octet changed on its way, as every CRC is for",
     .index = 4,
     .where = is_send,
     .fpdu_octets = damaged,
     .aftermath = TERMINATED},
};

const struct fault_table crc_faults = {faults, sizeof faults / sizeof faults[0]};
