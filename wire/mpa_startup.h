/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * MPA Request and Reply Frames: RFC 5044 section 7.1.1.
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------------------------------------------------------+
 *  |                                                               |
 *  +      Key (16): "MPA ID Req Frame" or "MPA ID Rep Frame"       +
 *  /                                                               /
 *  +-+-+-+-+-------+---------------+-------------------------------+
 *  |M|C|R|S|  Res  |      Rev      |           PD_Length           |
 *  +-+-+-+-+-------+---------------+-------------------------------+
 *  /               Private Data (PD_Length octets, 0-512)          /
 *  +---------------------------------------------------------------+
 *
 * With S = 1 the Private Data begins with the enhanced data (RFC 6581 section 9):
 *
 *  +-+-+---------------------------+-+-+---------------------------+
 *  |A|B|            IRD            |C|D|            ORD            |
 *  +-+-+---------------------------+-+-+---------------------------+
 */
/* clang-format on */
#ifndef IWARP_WIRE_MPA_STARTUP_H
#define IWARP_WIRE_MPA_STARTUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    MPA_KEY_LEN = 16,
    MPA_STARTUP_HEADER_LEN = 20,
    MPA_PRIVATE_DATA_MAX = 512,
    MPA_ENHANCED_LEN = 4,
    MPA_FLAG_M = 0x80, /* the sender of this frame wants to receive Markers */
    MPA_FLAG_C = 0x40,
    MPA_FLAG_R = 0x20,
    MPA_FLAG_S = 0x10,
    MPA_FLAGS_RES = 0x0F,
    MPA_IRD_ORD_NOT_NEGOTIATED = 0x3FFF,
};

enum mpa_startup_kind { MPA_REQUEST, MPA_REPLY };

/* The RTR types of RFC 6581 section 9.2 as a set, in the order B, C, D. */
enum mpa_rtr { MPA_RTR_SEND = 1, MPA_RTR_WRITE = 2, MPA_RTR_READ = 4 };

struct mpa_enhanced {
    bool peer_to_peer; /* A */
    uint8_t rtr;       /* set of enum mpa_rtr: B, C, D */
    uint16_t ird;      /* 14 bits */
    uint16_t ord;      /* 14 bits */
};

struct mpa_startup {
    enum mpa_startup_kind kind;
    uint8_t flags; /* octet 16 as sent */
    uint8_t revision;
    uint16_t pd_length; /* as sent, even if above 512 */
    bool has_enhanced;  /* Rev 2 or higher, S = 1 and pd_length >= 4 */
    struct mpa_enhanced enhanced;
    const uint8_t *private_data; /* all of it, borrowed from the input; NULL when pd_length is 0 */
    const uint8_t *ulp_data;     /* the octets after the enhanced data; NULL when ulp_length is 0 */
    uint16_t ulp_length;
};

enum mpa_startup_status {
    MPA_STARTUP_OK,
    MPA_STARTUP_MORE,   /* a key (so far), but more octets are needed, *need in all */
    MPA_STARTUP_NO_KEY, /* the octets are not the start of a Request or Reply */
};

/*
 * Decodes the startup frame at p[0..n). *need is set to the whole frame's length once the header is complete, else to
 * MPA_STARTUP_HEADER_LEN. A frame with pd_length above 512 is decoded as it is (its *need can be 65555); the caller
 * judges it. Never reads past n. With MORE, kind, flags, revision and pd_length of *out are set once the header is
 * complete (*need above MPA_STARTUP_HEADER_LEN, or n at least that), else *out is unchanged.
 */
enum mpa_startup_status mpa_startup_decode(struct mpa_startup *out, size_t *need, const uint8_t *p, size_t n);

/* How many of the 16 key octets at p[0..n) equal the key of `kind`; with n below 16, how many of the n octets. */
unsigned mpa_startup_key_matches(enum mpa_startup_kind kind, const uint8_t *p, size_t n);

/*
 * Writes header, enhanced data (when flags has S and has_enhanced is set) and ulp_length octets of ulp_data. kind,
 * flags, revision and pd_length are written as they are, even if wrong, so that faults can be made;
 * mpa_startup_fix_length() fills in the right pd_length. Returns the number of octets written, 0 when size is too
 * small.
 */
size_t mpa_startup_encode(const struct mpa_startup *frame, uint8_t *out, size_t size);
void mpa_startup_fix_length(struct mpa_startup *frame);

#endif
