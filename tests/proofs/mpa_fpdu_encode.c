// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/mpa_fpdu_encode.c: what the encoder writes is what the parser reads, and is as long as mpa_fpdu_octets() says.
 */
#include "tests/proofs/mpa_stubs.h"

enum {
    ULPDU_MOST = 5, /* whose octets are looked at */
    OCTETS_MOST = MPA_LENGTH_LEN + ULPDU_MOST + 3 + MPA_CRC_LEN + MPA_MARKER_LEN,
    LONG_MOST = 500,
    LONG_OCTETS_MOST = MPA_LENGTH_LEN + LONG_MOST + 3 + MPA_CRC_LEN + 2 * MPA_MARKER_LEN,
};

/* The Marker at `grid` octets from the FPDU; a constant, as is the length, so that all places are, too. */
static void encode_and_parse(const uint8_t ulpdu[ULPDU_MOST], uint32_t grid, uint16_t length)
{
    const struct mpa_framing framing = {grid < MPA_MARKER_PERIOD, 0};
    uint64_t offset = MPA_MARKER_PERIOD - grid;
    struct mpa_fpdu_plan plan;
    struct mpa_fpdu fpdu;
    uint8_t out[OCTETS_MOST];
    size_t need, n, covered;

    mpa_fpdu_plan_init(&plan, &framing, offset, ulpdu, length, true);
    n = mpa_fpdu_encode(&plan, out, sizeof out);
    covered = crc_octets;
    CLAIM(n == mpa_fpdu_octets(&framing, offset, length));
    CLAIM(mpa_fpdu_parse(&fpdu, &need, &framing, true, offset, out, n, &scratch) == MPA_FPDU_OK && need == n);
    CLAIM(fpdu.ulpdu_length == length && fpdu.crc == crc_value);
    CLAIM(crc_octets == covered); /* both cover the same octets */
    for (unsigned i = 0; i < fpdu.pad_length; i++)
        CLAIM(fpdu.pad[i] == 0);
    for (unsigned i = 0; i < length; i++)
        CLAIM(ulpdu_of(&fpdu)[i] == ulpdu[i]);
    if (fpdu.n_markers > 0)
        CLAIM(fpdu.markers[0].fpduptr == fpdu.markers[0].expected && fpdu.markers[0].reserved == 0);
    FALSE_CLAIM(fpdu.n_markers == 0);
    FALSE_CLAIM(fpdu.ulpdu != scratch.ulpdu);
    FALSE_CLAIM(length < ULPDU_MOST);
    FALSE_CLAIM(length == 0 || ulpdu[0] == 0);
}

void proof_mpa_fpdu_encode(void)
{
    uint8_t ulpdu[ULPDU_MOST];

    crc_value = any_u32();
    for (unsigned i = 0; i < ULPDU_MOST; i++)
        ulpdu[i] = any_u8();
    for (uint16_t length = 0; length <= ULPDU_MOST; length++) {
        for (uint32_t grid = 0; grid <= OCTETS_MOST; grid++)
            encode_and_parse(ulpdu, grid, length);
        encode_and_parse(ulpdu, MPA_MARKER_PERIOD, length); /* no Markers */
    }
}

/* Any place on the grid and any room: an FPDU that does not fit gives 0. */
void proof_mpa_fpdu_encode_room(void)
{
    const struct mpa_framing framing = {any_bool(), 0};
    struct mpa_fpdu_plan plan;
    uint64_t offset = any_u16() & (MPA_MARKER_PERIOD - 1);
    uint16_t length = (uint16_t)any_size_to(LONG_MOST);
    size_t size = any_size_to(LONG_OCTETS_MOST + 1), need = mpa_fpdu_octets(&framing, offset, length);

    copies = false;
    mpa_fpdu_plan_init(&plan, &framing, offset, any_octets(length), length, any_bool());
    CLAIM(mpa_fpdu_encode(&plan, any_octets(size), size) == (size < need ? 0 : need));
    FALSE_CLAIM(size < need);
    FALSE_CLAIM(size != need);
    FALSE_CLAIM(need < LONG_OCTETS_MOST - 3);
}
