// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wire/mpa_fpdu.c, mpa_fpdu_encode.c: RFC 5044 section 4. The functions that place Markers are static, so the file is
 * included. A CRC may be any number here; what matters is which octets it covers.
 */
#include "wire/mpa_fpdu.c"

#include "tests/proofs/proof.h"

enum {
    ULPDU_MOST = 500,
    MARKERS_MOST = 2,
    OCTETS_MOST = MPA_LENGTH_LEN + ULPDU_MOST + 3 + MPA_CRC_LEN + MARKERS_MOST * MPA_MARKER_LEN,
    COPIED = 7, /* the most that the parser copies and then reads: PAD and CRC */
};

static const void *crc_from;
static size_t crc_octets;
static uint32_t crc_value;

uint32_t crc32c(const void *data, size_t n)
{
    CLAIM(n == 0 || READABLE(data, n));
    crc_from = data;
    crc_octets = n;
    return crc_value;
}

static struct mpa_fpdu_scratch *scratch;

/* Copies what is read afterwards: not the ULPDU. */
void *memcpy(void *to, const void *from, size_t n)
{
    CLAIM(READABLE(from, n) && WRITABLE(to, n));
    if (SAME_OBJECT(to, scratch))
        return to;
    CLAIM(n <= COPIED);
    for (size_t i = 0; i < COPIED && i < n; i++)
        ((uint8_t *)to)[i] = ((const uint8_t *)from)[i];
    return to;
}

/* The grid as section 4.3 says: every 512 octets from the start. */
void proof_mpa_next_marker(void)
{
    const struct mpa_framing framing = {true, any_u64()};
    uint64_t offset = any_u64(), next = mpa_next_marker(&framing, offset);

    CLAIM((next - framing.seq_start) % MPA_MARKER_PERIOD == 0 && next - offset < MPA_MARKER_PERIOD);
    CLAIM(grid_distance(&framing, offset) == next - offset);
    FALSE_CLAIM(next >= offset); /* at the end of the numbers the grid wraps */
    FALSE_CLAIM(next > offset);
}

/*
 * Walks the stream, octet by octet: octet 0 comes after a Marker only if the FPDU begins at a grid point, and octet
 * k + 1 comes right after octet k, or four octets later if a grid point is there. So the places are right for all k.
 */
void proof_mpa_marker_places(void)
{
    uint32_t grid = any_bool() ? NO_GRID : (uint32_t)any_size_to(MPA_MARKER_PERIOD - 1);
    uint32_t k = (uint32_t)any_size_to(2 + 65535 + 3 + 4), place = fpdu_place_of(grid, k),
             next = fpdu_place_of(grid, k + 1);
    bool at_grid = grid != NO_GRID && place + 1 >= grid && (place + 1 - grid) % MPA_MARKER_PERIOD == 0;

    CLAIM(fpdu_place_of(grid, 0) == (grid == 0 ? MPA_MARKER_LEN : 0));
    CLAIM(next == place + 1 + (at_grid ? MPA_MARKER_LEN : 0));
    CLAIM(place - k == MPA_MARKER_LEN * fpdu_markers_before(grid, k));
    CLAIM(fpdu_markers_before(grid, k) <= MPA_FPDU_MARKERS_MAX && place < MPA_FPDU_OCTETS_MAX);
    FALSE_CLAIM(!at_grid);
    FALSE_CLAIM(place == k);
}

void proof_mpa_fpdu_octets(void)
{
    const struct mpa_framing framing = {any_bool(), any_u64()};
    uint16_t length = any_u16();
    size_t n = mpa_fpdu_octets(&framing, any_u64(), length);

    CLAIM((MPA_LENGTH_LEN + length + mpa_pad_length(length)) % 4 == 0);
    CLAIM(n % 4 == 0 && n <= MPA_FPDU_OCTETS_MAX && n >= bare_octets(length));
    CLAIM(IMPLIES(!framing.markers, n == bare_octets(length)));
    FALSE_CLAIM(n == bare_octets(length));
}

void proof_mpa_mulpdu(void)
{
    unsigned emss = any_u32(), mulpdu;
    bool markers = any_bool();

    ASSUME(emss <= UINT16_MAX);
    mulpdu = mpa_mulpdu(emss, markers);
    CLAIM(mulpdu >= MPA_MULPDU_MIN && mulpdu <= MPA_ULPDU_MAX);
    /* Section 4.5: a ULPDU of that size, with all Markers that can be among its octets, fits a segment. */
    CLAIM(IMPLIES(mulpdu > MPA_MULPDU_MIN,
                  mulpdu + 6 + emss % 4 + (markers ? 4 * ((emss + MPA_MARKER_PERIOD - 1) / MPA_MARKER_PERIOD) : 0) <=
                      emss));
    FALSE_CLAIM(mulpdu == MPA_MULPDU_MIN);
}

/* Octets that a Marker splits, or none. */
void proof_mpa_copy_bare(void)
{
    uint32_t grid = any_bool() ? NO_GRID : (uint32_t)any_size_to(MPA_MARKER_PERIOD - 1);
    uint32_t k = (uint32_t)any_size_to(ULPDU_MOST), len = (uint32_t)any_size_to(COPIED), i = any_u32();
    const uint8_t *p = any_octets(fpdu_place_of(grid, k + len) + 1);
    uint8_t room[COPIED] = {0};
    const uint8_t *out = bare_at(room, p, grid, k, len);

    CLAIM(IMPLIES(i < len, out[i] == p[fpdu_place_of(grid, k + i)]));
    CLAIM(IMPLIES(len < COPIED, room[COPIED - 1] == 0));
    FALSE_CLAIM(out == room);
    FALSE_CLAIM(out != room);
    FALSE_CLAIM(len == 0 || fpdu_place_of(grid, k + len - 1) == fpdu_place_of(grid, k) + len - 1);
}

/* Any octets at any place of the stream. */
void proof_mpa_fpdu_parse(void)
{
    const struct mpa_framing framing = {any_bool(), any_u64()};
    struct mpa_fpdu fpdu;
    uint64_t offset = any_u64();
    uint32_t grid = grid_distance(&framing, offset), crc;
    size_t n = any_size_to(OCTETS_MOST), need;
    const uint8_t *p = any_octets(n);
    bool want_crc = any_bool();

    scratch = malloc(sizeof *scratch);
    ASSUME(scratch);
    crc_value = any_u32();
    if (mpa_fpdu_parse(&fpdu, &need, &framing, want_crc, offset, p, n, framing.markers ? scratch : NULL) ==
        MPA_FPDU_MORE) {
        CLAIM(need > n);
        return;
    }
    CLAIM(need <= n && fpdu.length == need && need == mpa_fpdu_octets(&framing, offset, fpdu.ulpdu_length));
    CLAIM(fpdu.ulpdu_length == (p[fpdu_place_of(grid, 0)] << 8 | p[fpdu_place_of(grid, 1)]));
    CLAIM(fpdu.header - fpdu.offset == (grid == 0 ? MPA_MARKER_LEN : 0));
    CLAIM(fpdu.pad_length == mpa_pad_length(fpdu.ulpdu_length));
    CLAIM(fpdu.ulpdu == scratch->ulpdu || fpdu.ulpdu_length == 0 || READABLE(fpdu.ulpdu, fpdu.ulpdu_length));
    CLAIM(need == bare_octets(fpdu.ulpdu_length) + MPA_MARKER_LEN * fpdu.n_markers);
    CLAIM(IMPLIES(!framing.markers, fpdu.n_markers == 0 && fpdu.ulpdu == p + MPA_LENGTH_LEN));
    CLAIM(IMPLIES(fpdu.n_markers > 0, fpdu.markers[0].offset == offset + grid));
    crc = MPA_LENGTH_LEN + fpdu.ulpdu_length + fpdu.pad_length;
    CLAIM((uint8_t)fpdu.crc == p[fpdu_place_of(grid, crc)] && fpdu.crc >> 24 == p[fpdu_place_of(grid, crc + 3)]);
    CLAIM(IMPLIES(want_crc, crc_from == p && crc_octets == fpdu_place_of(grid, crc) && fpdu.crc_computed == crc_value));
    FALSE_CLAIM(fpdu.n_markers == 0);
    FALSE_CLAIM(fpdu.n_markers < MARKERS_MOST);
    FALSE_CLAIM(fpdu.ulpdu != scratch->ulpdu);
    FALSE_CLAIM(fpdu.ulpdu_length < ULPDU_MOST);
}
