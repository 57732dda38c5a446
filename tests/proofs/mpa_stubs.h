/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the proofs of FPDUs have instead of a CRC, which is proved apart, and of a scratch whose octets are slow. */
#ifndef IWARP_TESTS_PROOFS_MPA_STUBS_H
#define IWARP_TESTS_PROOFS_MPA_STUBS_H

#include "tests/proofs/proof.h"
#include "wire/crc32c.h"
#include "wire/mpa_fpdu.h"

enum { COPIED = 18 /* the most that is copied at once */ };

/* A CRC is the same number for all octets; what matters is which octets it covers. */
static const void *crc_from;
static size_t crc_octets;
static uint32_t crc_value;

uint32_t crc32c(const void *data, size_t n)
{
    CLAIM(n == 0 || READABLE(data, n));
    crc_from = data;
    crc_octets = n;
    return crc_value;
}

static struct mpa_fpdu_scratch scratch;
static uint8_t bare[COPIED]; /* what was copied to scratch.ulpdu */
static bool copies = true;   /* false where no octet is looked at */

void *memcpy(void *to, const void *from, size_t n)
{
    uint8_t *out = to;

    CLAIM(READABLE(from, n) && WRITABLE(to, n));
    if (!copies)
        return to;
    CLAIM(n <= COPIED);
    if (SAME_OBJECT(to, &scratch))
        out = bare + (out - scratch.ulpdu);
    for (size_t i = 0; i < COPIED && i < n; i++)
        out[i] = ((const uint8_t *)from)[i];
    return to;
}

static inline const uint8_t *ulpdu_of(const struct mpa_fpdu *fpdu)
{
    return fpdu->ulpdu == scratch.ulpdu ? bare : fpdu->ulpdu;
}

#endif
