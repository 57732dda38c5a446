// SPDX-License-Identifier: GPL-2.0-or-later
#include "wire/mpa_fpdu.h"

#include "wire/crc32c.h"
#include "wire/invariant.h"
#include "wire/octets.h"

#include <string.h>

enum {
    BETWEEN_MARKERS = MPA_MARKER_PERIOD - MPA_MARKER_LEN, /* 508 octets of FPDUs, section 4.3 */
    NO_GRID = INT32_MAX,
};

/*
 * Section 4.3 places Markers by position alone. So the layout of an FPDU follows from the distance `grid` between its
 * first octet and the next grid point, even if a grid point hits a field: octet k, not counting Markers, comes after
 * all Markers whose grid point the stream reaches before that octet. A grid point right after the last octet is not
 * counted: that Marker belongs to the next FPDU.
 */
static uint32_t fpdu_markers_before(uint32_t grid, uint32_t k)
{
    return k < grid ? 0 : 1 + (k - grid) / BETWEEN_MARKERS;
}

static uint32_t fpdu_place_of(uint32_t grid, uint32_t k)
{
    return k + MPA_MARKER_LEN * fpdu_markers_before(grid, k);
}

static uint32_t grid_distance(const struct mpa_framing *framing, uint64_t offset)
{
    return framing->markers ? (uint32_t)(mpa_next_marker(framing, offset) - offset) : NO_GRID;
}

/* Octets of an FPDU without Markers. */
static uint32_t bare_octets(uint16_t ulpdu_length)
{
    return MPA_LENGTH_LEN + ulpdu_length + mpa_pad_length(ulpdu_length) + MPA_CRC_LEN;
}

size_t mpa_fpdu_octets(const struct mpa_framing *framing, uint64_t offset, uint16_t ulpdu_length)
{
    return fpdu_place_of(grid_distance(framing, offset), bare_octets(ulpdu_length) - 1) + 1;
}

/* Copies octets k..k+len of the FPDU at p, without Markers. */
static void copy_bare(uint8_t *out, const uint8_t *p, uint32_t grid, uint32_t k, uint32_t len)
{
    while (len > 0) {
        uint32_t until = k < grid ? grid - k : BETWEEN_MARKERS - (k - grid) % BETWEEN_MARKERS;
        uint32_t step = len < until ? len : until;

        INVARIANT(step > 0 && step <= len);

        memcpy(out, p + fpdu_place_of(grid, k), step);
        out += step;
        k += step;
        len -= step;
    }
}

/* Octets k..k+len of the FPDU at p: in place, or copied to `room` if a Marker splits them. */
static inline const uint8_t *bare_at(uint8_t *room, const uint8_t *p, uint32_t grid, uint32_t k, uint32_t len)
{
    if (k + len <= grid)
        return p + k;
    copy_bare(room, p, grid, k, len);
    return room;
}

static unsigned read_markers(struct mpa_marker *markers, const struct mpa_fpdu *fpdu, uint32_t grid)
{
    unsigned n = 0;

    for (uint32_t at = grid; at < fpdu->length; at += MPA_MARKER_PERIOD) {
        uint64_t offset = fpdu->offset + at;

        markers[n++] = (struct mpa_marker){
            .offset = offset,
            .reserved = get_be16(fpdu->octets + at),
            .fpduptr = get_be16(fpdu->octets + at + 2),
            .expected = offset < fpdu->header ? 0 : (uint16_t)(offset - fpdu->header),
        };
        INVARIANT(at < fpdu->length && n <= MPA_FPDU_MARKERS_MAX);
    }
    return n;
}

enum mpa_fpdu_status mpa_fpdu_parse(struct mpa_fpdu *out, size_t *need, const struct mpa_framing *framing,
                                    bool want_crc, uint64_t offset, const uint8_t *p, size_t n,
                                    struct mpa_fpdu_scratch *scratch)
{
    uint32_t grid = grid_distance(framing, offset);
    uint32_t bare, pad, crc;
    uint8_t room[sizeof out->pad + MPA_CRC_LEN];
    const uint8_t *tail;
    uint16_t ulpdu_length;

    *need = fpdu_place_of(grid, MPA_LENGTH_LEN - 1) + 1;
    if (n < *need)
        return MPA_FPDU_MORE;
    ulpdu_length = get_be16(bare_at(room, p, grid, 0, MPA_LENGTH_LEN));
    bare = bare_octets(ulpdu_length);
    *need = fpdu_place_of(grid, bare - 1) + 1;
    if (n < *need)
        return MPA_FPDU_MORE;

    INVARIANT(*need >= bare && bare % 4 == 0);
    *out = (struct mpa_fpdu){
        .offset = offset,
        .header = offset + fpdu_place_of(grid, 0),
        .octets = p,
        .length = (uint32_t)*need,
        .ulpdu_length = ulpdu_length,
        .pad_length = (uint8_t)mpa_pad_length(ulpdu_length),
    };
    pad = MPA_LENGTH_LEN + ulpdu_length;
    crc = pad + out->pad_length;
    if (fpdu_markers_before(grid, MPA_LENGTH_LEN) == fpdu_markers_before(grid, pad - 1) || ulpdu_length == 0) {
        out->ulpdu = p + fpdu_place_of(grid, MPA_LENGTH_LEN);
    } else {
        copy_bare(scratch->ulpdu, p, grid, MPA_LENGTH_LEN, ulpdu_length);
        out->ulpdu = scratch->ulpdu;
    }
    tail = bare_at(room, p, grid, pad, out->pad_length + MPA_CRC_LEN);
    for (unsigned i = 0; i < out->pad_length; i++)
        out->pad[i] = tail[i];
    out->crc = get_le32(tail + out->pad_length);
    INVARIANT(out->pad_length < 4 && out->header >= offset && out->header - offset < out->length);
    if (grid < out->length) {
        out->n_markers = read_markers(scratch->markers, out, grid);
        out->markers = scratch->markers;
        INVARIANT(out->n_markers > 0 && out->markers[0].offset >= offset);
    }
    if (want_crc)
        out->crc_computed = crc32c(p, fpdu_place_of(grid, crc));
    return MPA_FPDU_OK;
}

unsigned mpa_mulpdu(unsigned emss, bool markers)
{
    unsigned overhead = MPA_LENGTH_LEN + MPA_CRC_LEN + emss % 4;

    if (markers)
        overhead += MPA_MARKER_LEN * (emss / MPA_MARKER_PERIOD + (emss % MPA_MARKER_PERIOD != 0));
    if (emss < overhead + MPA_MULPDU_MIN)
        return MPA_MULPDU_MIN;
    return emss - overhead > MPA_ULPDU_MAX ? MPA_ULPDU_MAX : emss - overhead;
}
