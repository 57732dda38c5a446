/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * FPDUs: RFC 5044 section 4. All fields are big-endian, except for the CRC, whose least significant octet comes first.
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +-------------------------------+-------------------------------+
 *  |         ULPDU_Length          |                               |
 *  +-------------------------------+                               +
 *  /                             ULPDU                             /
 *  /                               +-------------------------------+
 *  /                               |        PAD (0-3 octets)       |
 *  +-------------------------------+-------------------------------+
 *  |                              CRC                              |
 *  +---------------------------------------------------------------+
 *
 * A direction with Markers has one at every stream offset SeqStart + 512k:
 *
 *  +-------------------------------+-------------------------------+
 *  |            RESERVED           |            FPDUPTR            |
 *  +-------------------------------+-------------------------------+
 *
 * A Marker that directly precedes ULPDU_Length belongs to that FPDU and is covered by its CRC (4.3); so is one between
 * PAD and CRC (4.4). One right after the CRC belongs to the next FPDU. A grid point that faulty framing puts inside
 * ULPDU_Length, PAD or CRC cuts its 4 octets out there. Positions are stream offsets: octets since the start of one
 * direction of the TCP connection, 64 bits, so the grid never wraps.
 */
/* clang-format on */
#ifndef IWARP_WIRE_MPA_FPDU_H
#define IWARP_WIRE_MPA_FPDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MPA_MARKER_LEN = 4,
    MPA_MARKER_PERIOD = 512,
    MPA_ULPDU_MAX = 64768, /* section 3: the largest ULPDU that a conforming sender uses */
    MPA_MULPDU_MIN = 128,  /* section 4.5 */
    MPA_LENGTH_LEN = 2,
    MPA_CRC_LEN = 4,
    /* Largest FPDU that a 16-bit ULPDU_Length can announce, with all its Markers: bounds every buffer. */
    MPA_FPDU_OCTETS_MAX = 2 + 65535 + 3 + 4 + 4 * (65544 / 508 + 2),
    MPA_FPDU_MARKERS_MAX = 65544 / 508 + 2,
};

/* How one direction is framed. */
struct mpa_framing {
    bool markers;
    uint64_t seq_start; /* origin of the Marker grid; used when markers is set */
};

struct mpa_marker {
    uint64_t offset; /* of its first octet, in the stream */
    uint16_t reserved;
    uint16_t fpduptr;  /* as sent */
    uint16_t expected; /* what 4.3 demands here */
};

struct mpa_fpdu {
    uint64_t offset;       /* first octet, the leading Marker included */
    uint64_t header;       /* first octet of ULPDU_Length */
    const uint8_t *octets; /* the FPDU as in the stream, Markers included; borrowed */
    uint32_t length;       /* octets in all, Markers and CRC included */
    uint16_t ulpdu_length; /* the field */
    const uint8_t *ulpdu;  /* ulpdu_length octets without Markers; borrowed */
    uint8_t pad[3];
    uint8_t pad_length;
    uint32_t crc; /* the field, as a CRC32c value */
    uint32_t
        crc_computed; /* over all octets before the CRC field: octets[0 .. length - 4) unless a Marker is inside it */
    const struct mpa_marker *markers; /* all, the leading one included, ascending; borrowed */
    unsigned n_markers;
    /*
     * Set by readers of captures: this many octets at its end were not captured and read as zero, `lacking` of them in
     * the ULPDU. PAD and CRC are unknown then, and only the Markers that were captured are listed.
     */
    uint32_t cut;
    uint16_t lacking;
};

enum mpa_fpdu_status {
    MPA_FPDU_OK,
    MPA_FPDU_MORE, /* incomplete: *need octets from the same start are needed (a lower bound without the header) */
};

/* Where the ULPDU goes when Markers are cut out: the caller's, reused from call to call. Only Markers use it. */
struct mpa_fpdu_scratch {
    uint8_t ulpdu[65535];
    struct mpa_marker markers[MPA_FPDU_MARKERS_MAX];
};

/*
 * Parses the FPDU that starts at stream offset `offset`, whose octets are p[0..n). Pure: any 16-bit ULPDU_Length is
 * accepted, and Marker contents, PAD and CRC are reported, not judged. *need is set in both cases (when OK,
 * to out->length). scratch may be NULL when framing->markers is false. want_crc false leaves crc_computed 0. Everything
 * borrowed by *out lives as long as p and scratch stay unchanged.
 */
enum mpa_fpdu_status mpa_fpdu_parse(struct mpa_fpdu *out, size_t *need, const struct mpa_framing *framing,
                                    bool want_crc, uint64_t offset, const uint8_t *p, size_t n,
                                    struct mpa_fpdu_scratch *scratch);

/* Octets on the wire of an FPDU with this ULPDU_Length that starts at offset (its leading Marker included). */
size_t mpa_fpdu_octets(const struct mpa_framing *framing, uint64_t offset, uint16_t ulpdu_length);

/* PAD length of section 4.1 for a ULPDU_Length: 2, 1, 0, 3 for L mod 4 = 0, 1, 2, 3. */
static inline unsigned mpa_pad_length(uint16_t ulpdu_length)
{
    return (2u - ulpdu_length) & 3u;
}

/* First grid position at or after offset. */
static inline uint64_t mpa_next_marker(const struct mpa_framing *framing, uint64_t offset)
{
    uint64_t phase = (offset - framing->seq_start) % MPA_MARKER_PERIOD;
    return phase == 0 ? offset : offset + (MPA_MARKER_PERIOD - phase);
}

/* MULPDU of section 4.5 for an EMSS, within the range of section 3: 128..64768. */
unsigned mpa_mulpdu(unsigned emss, bool markers);

/*
 * A reader that takes the octets of one direction in pieces of any size and returns FPDUs, without copying those that
 * are in one piece. Call mpa_fpdu_reader_feed(), then mpa_fpdu_reader_next() until it does not return OK, then
 * mpa_fpdu_reader_save() before the piece's memory goes away. After next, restart and save all unread octets are
 * p[0..n). Between feed and next a part of them may still be in `rest`; save moves them together. Memory: one buffer
 * that grows to twice the largest number of octets kept at once. It is at most 2 * MPA_FPDU_OCTETS_MAX when next is
 * called until it returns MORE; a caller that does not must bound n itself.
 */
struct mpa_fpdu_reader {
    struct mpa_framing framing;
    bool want_crc;
    struct mpa_fpdu_scratch *scratch; /* shared by all readers of a thread; needed when framing.markers */
    uint64_t offset;                  /* of the next octet to parse */
    const uint8_t *p;                 /* unread octets, in the piece or in buffer */
    size_t n;
    /* The reader's own. */
    uint8_t *buffer;
    size_t capacity;
    const uint8_t *rest; /* of the piece: unread octets after p[0..n) */
    size_t rest_n;
    size_t need;   /* octets that the FPDU at p needs, when next() returned MORE */
    bool buffered; /* p points into buffer */
};

void mpa_fpdu_reader_init(struct mpa_fpdu_reader *reader, const struct mpa_framing *framing, bool want_crc,
                          uint64_t offset, struct mpa_fpdu_scratch *scratch);
void mpa_fpdu_reader_free(struct mpa_fpdu_reader *reader);

/*
 * Appends the octets at stream offset `offset`; they must directly follow what was fed before (the caller fills holes
 * or calls restart()). Returns false, with the reader unchanged, when they do not, or when memory is lacking.
 */
bool mpa_fpdu_reader_feed(struct mpa_fpdu_reader *reader, uint64_t offset, const uint8_t *p, size_t n);
/* *out borrows from the piece, the buffer and the scratch, until the next call on this reader or use of the scratch. */
enum mpa_fpdu_status mpa_fpdu_reader_next(struct mpa_fpdu_reader *reader, struct mpa_fpdu *out);
/* Forgets everything unread and continues at offset, after a hole. */
void mpa_fpdu_reader_restart(struct mpa_fpdu_reader *reader, uint64_t offset);
/* Keeps what is unread, so that the piece may go. False when memory is lacking; nothing is lost as long as the piece
 * stays. */
bool mpa_fpdu_reader_save(struct mpa_fpdu_reader *reader);

/*
 * Encoder. mpa_fpdu_plan_init() fills in what the rules demand; faults then change single members, against the rules,
 * too. Markers are put wherever the grid demands them, whatever the fields say.
 */
struct mpa_fpdu_plan {
    struct mpa_framing framing;
    uint64_t offset; /* where in the stream the first octet goes */
    const uint8_t *ulpdu;
    uint16_t ulpdu_octets; /* octets taken from ulpdu */
    const uint8_t *rest;   /* the second piece of the ULPDU, when it is in two */
    uint16_t rest_octets;
    uint16_t ulpdu_length; /* the field */
    uint8_t pad[8];        /* zero */
    uint8_t pad_length;
    bool crc_present;
    bool crc_fixed; /* send crc below instead of the computed value; plan_init sets it, with crc 0, when CRCs are off */
    uint32_t crc;
    /* Called for each Marker with its 4 octets ready; may change them before the CRC is taken. NULL: none. */
    void (*marker_hook)(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index);
    void *hook_ctx;
};

void mpa_fpdu_plan_init(struct mpa_fpdu_plan *plan, const struct mpa_framing *framing, uint64_t offset,
                        const uint8_t *ulpdu, uint16_t ulpdu_length, bool crc);
/* Returns the octets written, or 0 when size is too small or pad_length above 8. */
size_t mpa_fpdu_encode(const struct mpa_fpdu_plan *plan, uint8_t *out, size_t size);

#endif
