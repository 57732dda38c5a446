// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/mpa_fpdu.c: RFC 5044 section 4. The functions that place Markers are static, so the file is included. */
#include "wire/mpa_fpdu.c"

#include "tests/proofs/mpa_stubs.h"

enum {
    AMONG = 500,     /* octets of a ULPDU, of which a few are copied */
    SPLIT = 7,       /* the most that the parser copies and then reads: PAD and CRC */
    ULPDU_MOST = 8,  /* all octets of it are looked at */
    MARKED_MOST = 3, /* the same with a Marker; each length has another PAD */
    OCTETS_MOST = MPA_LENGTH_LEN + ULPDU_MOST + 3 + MPA_CRC_LEN + MPA_MARKER_LEN,
};

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
    uint32_t k = (uint32_t)any_size_to(AMONG), len = (uint32_t)any_size_to(SPLIT), i = any_u32();
    const uint8_t *p = any_octets(fpdu_place_of(grid, k + len) + 1);
    uint8_t room[SPLIT] = {0};
    const uint8_t *out = bare_at(room, p, grid, k, len);

    CLAIM(IMPLIES(i < len, out[i] == p[fpdu_place_of(grid, k + i)]));
    CLAIM(IMPLIES(len < SPLIT, room[SPLIT - 1] == 0));
    FALSE_CLAIM(out == room);
    FALSE_CLAIM(out != room);
    FALSE_CLAIM(len == 0 || fpdu_place_of(grid, k + len - 1) == fpdu_place_of(grid, k) + len - 1);
}

/*
 * Octets of which n are there, with a Marker at `grid` octets from the first, or without Markers. The length of the
 * ULPDU is a constant, too, so that all places are. Returns whether the FPDU is complete. Each proof has false claims
 * of its own: a false claim holds where it is not reached.
 */
static bool parse_octets(struct mpa_fpdu *fpdu, uint16_t length, uint32_t grid, size_t n)
{
    const struct mpa_framing framing = {grid < MPA_MARKER_PERIOD, 0};
    const uint64_t offset = MPA_MARKER_PERIOD - grid;
    const uint32_t distance = grid_distance(&framing, offset), crc = bare_octets(length) - MPA_CRC_LEN;
    uint8_t octets[OCTETS_MOST], *p = octets + OCTETS_MOST - n; /* the octet after the last is outside */
    size_t need;
    bool want_crc = any_bool();

    for (size_t i = 0; i < n; i++)
        p[i] = any_u8();
    for (uint32_t i = 0; i < MPA_LENGTH_LEN; i++) {
        if (fpdu_place_of(distance, i) < n)
            p[fpdu_place_of(distance, i)] = (uint8_t)(i == 0 ? length >> 8 : length);
    }
    if (mpa_fpdu_parse(fpdu, &need, &framing, want_crc, offset, p, n, framing.markers ? &scratch : NULL) ==
        MPA_FPDU_MORE) {
        CLAIM(need > n && need <= mpa_fpdu_octets(&framing, offset, length));
        FALSE_CLAIM(n == 0);
        return false;
    }
    CLAIM(need == n && fpdu->length == n && n == mpa_fpdu_octets(&framing, offset, length));
    CLAIM(fpdu->ulpdu_length == length && fpdu->pad_length == mpa_pad_length(length));
    CLAIM(fpdu->offset == offset && fpdu->header == offset + fpdu_place_of(distance, 0));
    CLAIM(need == bare_octets(length) + MPA_MARKER_LEN * fpdu->n_markers);
    for (uint32_t i = 0; i < length; i++)
        CLAIM(ulpdu_of(fpdu)[i] == p[fpdu_place_of(distance, MPA_LENGTH_LEN + i)]);
    for (uint32_t i = 0; i < fpdu->pad_length; i++)
        CLAIM(fpdu->pad[i] == p[fpdu_place_of(distance, MPA_LENGTH_LEN + length + i)]);
    for (uint32_t i = 0; i < MPA_CRC_LEN; i++)
        CLAIM((uint8_t)(fpdu->crc >> 8 * i) == p[fpdu_place_of(distance, crc + i)]);
    if (fpdu->n_markers > 0) {
        CLAIM(fpdu->markers[0].offset == offset + grid);
        CLAIM(fpdu->markers[0].reserved == (p[grid] << 8 | p[grid + 1]));
        CLAIM(fpdu->markers[0].fpduptr == (p[grid + 2] << 8 | p[grid + 3]));
        CLAIM(fpdu->markers[0].expected == grid);
    }
    CLAIM(IMPLIES(want_crc, crc_from == p && crc_octets == fpdu_place_of(distance, crc)));
    CLAIM(fpdu->crc_computed == (want_crc ? crc_value : 0));
    return true;
}

/* Without Markers. What is incomplete differs little from one length to the next. */
void proof_mpa_fpdu_parse(void)
{
    struct mpa_fpdu fpdu;

    crc_value = any_u32();
    for (uint16_t length = 0; length <= ULPDU_MOST; length++) {
        for (size_t n = length == 0 ? 0 : bare_octets(length) - 1; n <= bare_octets(length); n++) {
            if (!parse_octets(&fpdu, length, MPA_MARKER_PERIOD, n))
                continue;
            FALSE_CLAIM(length < ULPDU_MOST);
            FALSE_CLAIM(fpdu.crc == 0);
            FALSE_CLAIM(fpdu.crc_computed == 0);
        }
    }
}

void proof_mpa_fpdu_parse_marker(void)
{
    struct mpa_fpdu fpdu;

    crc_value = any_u32();
    for (uint16_t length = 0; length <= MARKED_MOST; length++) {
        for (uint32_t grid = 0; grid <= OCTETS_MOST; grid++) {
            const struct mpa_framing framing = {true, 0};
            size_t need = mpa_fpdu_octets(&framing, MPA_MARKER_PERIOD - grid, length);

            /* What is incomplete differs little from one length to the next. */
            for (size_t n = length == 0 ? 0 : need - 1; n <= need; n++) {
                if (!parse_octets(&fpdu, length, grid, n))
                    continue;
                FALSE_CLAIM(fpdu.n_markers == 0);
                FALSE_CLAIM(fpdu.n_markers == 0 || fpdu.markers[0].reserved == 0);
                FALSE_CLAIM(fpdu.ulpdu != scratch.ulpdu);
                FALSE_CLAIM(length < MARKED_MOST);
            }
        }
    }
}
