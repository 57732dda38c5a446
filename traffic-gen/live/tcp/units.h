/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds where the units of an MPA stream begin and end: start-up frames and FPDUs (RFC 5044 sections 4 and 7.1.1). It
 * reads only what the lengths need: octets come in pieces of any size, and only a partial header is kept. Octets before
 * a start-up frame (7.1.3) are not units.
 */
#ifndef IWARP_TRAFFIC_LIVE_TCP_UNITS_H
#define IWARP_TRAFFIC_LIVE_TCP_UNITS_H

#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"

/* The kind of a unit, from its header. */
struct unit_kind {
    enum { UNIT_REQUEST, UNIT_REPLY, UNIT_FPDU } what;
    bool rejected;  /* REPLY: the flag R */
    uint8_t opcode; /* FPDU: RDMAP opcode (section 4.1 of RFC 5040) */
};

struct units_stream {
    enum { UNITS_PLAIN, UNITS_FRAME, UNITS_FPDUS } state;
    unsigned n;        /* number of complete units */
    uint64_t boundary; /* end of the last complete unit */
    uint64_t offset;
    uint8_t head[MPA_STARTUP_HEADER_LEN]; /* of the current unit */
    unsigned head_n;
    uint64_t begin, end;     /* of the current unit; end 0: its header is incomplete */
    uint8_t flags, revision; /* of the start-up frame */
    bool has_frame;
    struct unit_kind last; /* of the unit that began last */
    struct mpa_framing framing;
};

/* Both directions of a connection: each direction's frame decides whether the other has Markers. */
struct units {
    struct units_stream streams[2];
};

/*
 * Takes the next octets of a stream, p[0..n), n above 0. Returns how many of them belong to the current unit: below n
 * when another unit begins there. streams[side].n counts complete units. Call it until all octets are consumed.
 */
size_t units_take(struct units *units, unsigned side, const uint8_t *p, size_t n);
/* Properties of the unit that ended last. */
struct unit_kind units_last(const struct units *units, unsigned side);
/* "Reply", "Send", "opcode 12"; static or valid until the next call. */
const char *unit_name(struct unit_kind kind);
/* Whether the current unit is complete, so that the next octet begins another. */
bool units_at_boundary(const struct units *units, unsigned side);

#endif
