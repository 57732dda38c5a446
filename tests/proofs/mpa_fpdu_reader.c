// SPDX-License-Identifier: GPL-2.0-or-later
/* wire/mpa_fpdu_reader.c: FPDUs from pieces of any size. */
#include "tests/proofs/mpa_stubs.h"

enum { OCTETS = 18, PIECES = 2, SHORTEST = 8 };

/* Moves to the start of the buffer, which the first octet comes before. */
void *memmove(void *to, const void *from, size_t n)
{
    CLAIM(SAME_OBJECT(to, from) && (const uint8_t *)to <= (const uint8_t *)from);
    return memcpy(to, from, n);
}

/* The reader has a buffer from before, so small that it is fast. It never needs a larger one here. */
static uint8_t buffer[OCTETS];

void *malloc(size_t n)
{
    (void)n;
    CLAIM(false);
    return NULL;
}

void free(void *p)
{
    CLAIM(p == buffer);
}

/*
 * The stream has two FPDUs and arrives in two pieces; after a save, the memory of a piece is used for other octets. The
 * reader returns the FPDUs of the stream, and keeps the octets after the last complete FPDU. The length of the first
 * FPDU, the place of the cut, and later lengths (0) are constants, so all places are constants.
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
    stream[0] = 0;
    stream[1] = first;
    for (size_t k = second; k + 1 < OCTETS; k += SHORTEST)
        stream[k] = stream[k + 1] = 0; /* the second, and what follows */
    mpa_fpdu_reader_init(&reader, &framing, false, 0, NULL);
    reader.buffer = buffer;
    reader.capacity = sizeof buffer;
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
