// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/mpa_fpdu_reader.c: FPDUs from pieces of any size. */
#include "tests/proofs/proof.h"
#include "wire/mpa_fpdu.h"

enum { OCTETS = 18, PIECES = 2, SHORTEST = 8 };

uint32_t crc32c(const void *data, size_t n)
{
    (void)data;
    (void)n;
    return any_u32();
}

/* The reader asks for 2048 octets; it has to do with fewer here, which are faster. */
static uint8_t buffer[OCTETS];
static bool taken;

void *malloc(size_t n)
{
    CLAIM(n >= OCTETS && !taken);
    taken = true;
    return buffer;
}

void free(void *p)
{
    CLAIM(!p || p == buffer);
    taken = false;
}

/*
 * The stream has two FPDUs and arrives in two pieces; after a save, the memory of a piece is used for other octets. The
 * reader returns the FPDUs of the stream, and keeps the octets after the last complete FPDU. The length of the first
 * FPDU and the place of the cut are constants, so all places are constants.
 */
static void read_in_pieces(uint8_t first, size_t cut)
{
    const struct mpa_framing framing = {false, 0};
    const size_t end[PIECES] = {cut, OCTETS};
    struct mpa_fpdu_reader reader;
    uint8_t stream[OCTETS], memory[OCTETS];
    size_t at = 0, second = mpa_fpdu_octets(&framing, 0, first);
    unsigned found = 0;

    for (unsigned k = 0; k < OCTETS; k++)
        stream[k] = any_u8();
    stream[0] = stream[second] = stream[second + 1] = 0;
    stream[1] = first;
    mpa_fpdu_reader_init(&reader, &framing, false, 0, NULL);
    for (unsigned i = 0; i < PIECES; i++) {
        size_t n = end[i] - at;
        uint8_t *piece = memory + OCTETS - n; /* the octet after the last is outside */
        struct mpa_fpdu fpdu;

        for (size_t k = 0; k < n; k++)
            piece[k] = stream[at + k];
        CLAIM(mpa_fpdu_reader_feed(&reader, at, piece, n));
        at = end[i];
        while (mpa_fpdu_reader_next(&reader, &fpdu) == MPA_FPDU_OK) {
            CLAIM(fpdu.offset == (found == 0 ? 0 : second) && reader.offset <= at);
            CLAIM(fpdu.offset + fpdu.length == reader.offset && fpdu.ulpdu_length == (found == 0 ? first : 0));
            for (unsigned k = 0; k < fpdu.length; k++)
                CLAIM(fpdu.octets[k] == stream[fpdu.offset + k]);
            found++;
            FALSE_CLAIM(i == 0);
            FALSE_CLAIM(fpdu.octets == piece);
            FALSE_CLAIM(fpdu.octets[7] == 0);
        }
        CLAIM(mpa_fpdu_reader_save(&reader));
        CLAIM(reader.rest_n == 0 && reader.offset + reader.n == at);
        FALSE_CLAIM(reader.n == 0);
        for (size_t k = 0; k < n; k++)
            piece[k] = any_u8();
    }
    CLAIM(found == (second + SHORTEST <= OCTETS ? 2 : 1));
    FALSE_CLAIM(found == 1);
    mpa_fpdu_reader_free(&reader);
}

void proof_mpa_fpdu_reader(void)
{
    for (uint8_t first = 0; first <= 4; first++) {
        for (size_t cut = 0; cut <= OCTETS; cut++)
            read_in_pieces(first, cut);
    }
}
