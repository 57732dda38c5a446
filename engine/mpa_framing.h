/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Full Operation: what framing, its diagnosis and the recognition of FPDU streams share. */
#ifndef IWARP_ENGINE_MPA_FRAMING_H
#define IWARP_ENGINE_MPA_FRAMING_H

#include "engine/mpa_internal.h"

/*
 * How unlike an FPDU with a DDP segment (RFC 5041, RFC 5040) the octets from ULPDU_Length on are: 0 for a faultless
 * header, up to HEADER_ODD_MAX for one that a faulty DDP or RDMAP layer may send, more for something else. Takes into
 * account only what the n octets show. ddp may be NULL; else the header, when it is there (*whole set).
 */
enum { HEADER_ODD_MAX = 2 };
unsigned mpa_header_oddity(const uint8_t *p, size_t n);

/* A faultless header, as far as it is visible, and at least ULPDU_Length and both control octets of it are. */
bool mpa_header_plausible(const uint8_t *p, size_t n, uint16_t *ulpdu_length);

struct mpa_framing_state {
    struct mpa_framing framing; /* in use */
    uint64_t start;             /* first octet of Full Operation */
};

#endif
