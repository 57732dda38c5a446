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
 * A Marker directly before ULPDU_Length belongs to that FPDU and is covered by its CRC (4.3); so is a Marker between
 * PAD and CRC (4.4). A Marker right after the CRC belongs to the next FPDU. If faulty framing puts a grid point inside
 * ULPDU_Length, PAD or CRC, the Marker splits that field. Positions are 64-bit stream offsets: octets since the start
 * of one direction of the TCP connection, so the grid never wraps.
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
    /* The largest FPDU that a 16-bit ULPDU_Length can announce, with all its Markers: limits every buffer. */
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
    uint16_t expected; /* the value that 4.3 requires */
};

struct mpa_fpdu {
    uint64_t offset;       /* first octet, including the leading Marker */
    uint64_t header;       /* first octet of ULPDU_Length */
    const uint8_t *octets; /* the FPDU as in the stream, including Markers; borrowed */
    uint32_t length;       /* total number of octets, including Markers and CRC */
    uint16_t ulpdu_length; /* the field's value */
    const uint8_t *ulpdu;  /* ulpdu_length octets without Markers; borrowed */
    uint8_t pad[3];
    uint8_t pad_length;
    uint32_t crc; /* the field's value, as a CRC32c */
    /* Over all octets before the CRC field: octets[0 .. length - 4), unless a Marker is inside the field. */
    uint32_t crc_computed;
    const struct mpa_marker *markers; /* all Markers, including the leading one, ascending; borrowed */
    unsigned n_markers;
    /*
     * Set by readers of captures: number of octets at the end of the FPDU that were not captured and read as zero,
     * `lacking` of them in the ULPDU. PAD and CRC are then unknown, and only captured Markers are listed.
     */
    uint32_t cut;
    uint16_t lacking;
};

enum mpa_fpdu_status {
    MPA_FPDU_OK,
    /* Incomplete: *need octets from the same start are needed (a lower bound while the header is missing). */
    MPA_FPDU_MORE,
};

/*
 * Holds the ULPDU without Markers. Allocated by the caller, and reused by every call. Used only when there are Markers.
 */
struct mpa_fpdu_scratch {
    uint8_t ulpdu[65535];
    struct mpa_marker markers[MPA_FPDU_MARKERS_MAX];
};

/*
 * Parses the FPDU that starts at stream offset `offset`, with the octets p[0..n). Pure: accepts any 16-bit
 * ULPDU_Length, and reports Marker contents, PAD and CRC without judging them. *need is set in both cases (when OK, to
 * out->length). scratch may be NULL when framing->markers is false. want_crc false leaves crc_computed 0. Everything
 * that *out borrows stays valid as long as p and scratch are unchanged.
 */
enum mpa_fpdu_status mpa_fpdu_parse(struct mpa_fpdu *out, size_t *need, const struct mpa_framing *framing,
                                    bool want_crc, uint64_t offset, const uint8_t *p, size_t n,
                                    struct mpa_fpdu_scratch *scratch);

/* Octets on the wire of an FPDU with this ULPDU_Length that starts at offset, including its leading Marker. */
size_t mpa_fpdu_octets(const struct mpa_framing *framing, uint64_t offset, uint16_t ulpdu_length);

/* PAD length for a ULPDU_Length (section 4.1): 2, 1, 0, 3 for L mod 4 = 0, 1, 2, 3. */
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

/* MULPDU for an EMSS (section 4.5), within the range of section 3: 128..64768. */
unsigned mpa_mulpdu(unsigned emss, bool markers);

/*
 * A reader that takes the octets of one direction in pieces of any size and returns FPDUs; an FPDU within one piece is
 * not copied. Call mpa_fpdu_reader_feed(), then mpa_fpdu_reader_next() until it does not return OK, then
 * mpa_fpdu_reader_save() before the piece's memory becomes invalid. After next, restart and save, all unread octets are
 * p[0..n). Between feed and next, some of them may still be in `rest`; save joins them. Memory: one buffer that grows
 * to twice the largest number of octets kept at once. This is at most 2 * MPA_FPDU_OCTETS_MAX if next is always called
 * until it returns MORE; other callers must limit n themselves.
 */
struct mpa_fpdu_reader {
    struct mpa_framing framing;
    bool want_crc;
    struct mpa_fpdu_scratch *scratch; /* shared by all readers of a thread; needed when framing.markers */
    uint64_t offset;                  /* stream offset of the next octet to parse */
    const uint8_t *p;                 /* unread octets, in the piece or in buffer */
    size_t n;
    /* Private to the reader. */
    uint8_t *buffer;
    size_t capacity;
    const uint8_t *rest; /* unread octets of the piece, after p[0..n) */
    size_t rest_n;
    size_t need;   /* number of octets that the FPDU at p needs, when next() returned MORE */
    bool buffered; /* p points into buffer */
};

void mpa_fpdu_reader_init(struct mpa_fpdu_reader *reader, const struct mpa_framing *framing, bool want_crc,
                          uint64_t offset, struct mpa_fpdu_scratch *scratch);
void mpa_fpdu_reader_free(struct mpa_fpdu_reader *reader);

/*
 * Appends the octets at stream offset `offset`, which must directly follow those fed before (the caller fills holes or
 * calls restart()). Returns false, with the reader unchanged, when they do not follow, or when out of memory.
 */
bool mpa_fpdu_reader_feed(struct mpa_fpdu_reader *reader, uint64_t offset, const uint8_t *p, size_t n);
/*
 * *out borrows from the piece, the buffer and the scratch, until the next call on this reader or the next use of the
 * scratch.
 */
enum mpa_fpdu_status mpa_fpdu_reader_next(struct mpa_fpdu_reader *reader, struct mpa_fpdu *out);
/* Forgets all unread octets and continues at offset, after a hole. */
void mpa_fpdu_reader_restart(struct mpa_fpdu_reader *reader, uint64_t offset);
/*
 * Copies unread octets, so that the piece can be freed. False when out of memory; nothing is lost as long as the
 * piece stays.
 */
bool mpa_fpdu_reader_save(struct mpa_fpdu_reader *reader);

/*
 * Encoder. mpa_fpdu_plan_init() fills in a conforming FPDU; faults then change single members, even against the rules.
 * Markers are put wherever the grid requires them, whatever the fields say.
 */
struct mpa_fpdu_plan {
    struct mpa_framing framing;
    uint64_t offset; /* stream offset of the first octet */
    const uint8_t *ulpdu;
    uint16_t ulpdu_octets; /* octets taken from ulpdu */
    const uint8_t *rest;   /* the second piece of a ULPDU in two pieces */
    uint16_t rest_octets;
    uint16_t ulpdu_length; /* the field's value */
    uint8_t pad[8];        /* zero */
    uint8_t pad_length;
    bool crc_present;
    bool crc_fixed; /* send crc below instead of the computed value; plan_init sets it, with crc 0, when CRCs are off */
    uint32_t crc;
    /* Called with each complete 4-octet Marker, which it may change before the CRC is computed. May be NULL. */
    void (*marker_hook)(void *ctx, uint8_t marker[4], uint64_t offset, unsigned index);
    void *hook_ctx;
};

void mpa_fpdu_plan_init(struct mpa_fpdu_plan *plan, const struct mpa_framing *framing, uint64_t offset,
                        const uint8_t *ulpdu, uint16_t ulpdu_length, bool crc);
/* Returns the number of octets written, or 0 when size is too small or pad_length above 8. */
size_t mpa_fpdu_encode(const struct mpa_fpdu_plan *plan, uint8_t *out, size_t size);

#endif
