/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the units of an MPA stream begin and end: start-up frames and FPDUs (RFC 5044 sections 4 and 7.1.1). Contents
 * matter only as far as the lengths need: octets go through in pieces of any size, and only a partial header is kept.
 * Octets before a start-up frame (7.1.3) are no units.
 */
#ifndef IWARP_TRAFFIC_LIVE_TCP_UNITS_H
#define IWARP_TRAFFIC_LIVE_TCP_UNITS_H

#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"

/* What a unit is, as far as its head says. */
struct unit_kind {
    enum { UNIT_REQUEST, UNIT_REPLY, UNIT_FPDU } what;
    bool rejected;  /* REPLY: the flag R */
    uint8_t opcode; /* FPDU: of RDMAP (section 4.1 of RFC 5040) */
};

struct units_stream {
    enum { UNITS_PLAIN, UNITS_FRAME, UNITS_FPDUS } state;
    unsigned n;        /* whole units so far */
    uint64_t boundary; /* the end of the last of them */
    uint64_t offset;
    uint8_t head[MPA_STARTUP_HEADER_LEN]; /* of the unit that has begun */
    unsigned head_n;
    uint64_t begin, end;     /* of that unit; end 0: its head is not whole */
    uint8_t flags, revision; /* of the start-up frame */
    bool has_frame;
    struct unit_kind last; /* of the unit that began last */
    struct mpa_framing framing;
};

/* Both directions of a connection: the frame of each rules whether the other has Markers. */
struct units {
    struct units_stream streams[2];
};

/*
 * The next octets of a stream, p[0..n), n above 0. Returns how many of them belong to the current unit: below n when
 * another one begins there. streams[side].n counts whole units. Call it until all octets are consumed.
 */
size_t units_take(struct units *units, unsigned side, const uint8_t *p, size_t n);
/* Of the unit that ended last. */
struct unit_kind units_last(const struct units *units, unsigned side);
/* "Reply", "Send", "opcode 12"; static or valid until the next call. */
const char *unit_name(struct unit_kind kind);
/* The current unit is whole: the next octet begins another one. */
bool units_at_boundary(const struct units *units, unsigned side);

#endif
