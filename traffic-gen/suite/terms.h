/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start-up that a device wants: found before the first case (learn.h) or said by the user (--mpa). Every start-up
 * uses it but for what its case is about.
 */
#ifndef IWARP_TRAFFIC_SUITE_TERMS_H
#define IWARP_TRAFFIC_SUITE_TERMS_H

#include "wire/mpa_startup.h"

#include <glib.h>

/* What our ULP private data hold. */
enum terms_words {
    TERMS_WORDS_ADVERT, /* what we want of the device's ULP: test/advert.h */
    TERMS_WORDS_RPC,    /* RFC 8797 */
    TERMS_WORDS_NONE
};

/* Zero: revision 1 with CRC, without Markers. */
struct talk_terms {
    uint8_t revision; /* of our Request; 0: 1 */
    bool enhanced;    /* S = 1 */
    bool no_crc;      /* C = 0 */
    bool markers;     /* M = 1 */
    bool crc_follows; /* a Reply: C as in the Request */
    /* Of a Request; a Reply answers the Request, with no more Reads than these. All zero: IRD and ORD 16, A = 0. */
    struct mpa_enhanced data;
    enum terms_words words;
};

/* What the user has fixed. */
enum terms_field {
    TERMS_REVISION = 1,
    TERMS_IRD = 2,
    TERMS_ORD = 4,
    TERMS_CRC = 8,
    TERMS_MARKERS = 16,
    TERMS_RTR = 32,
    TERMS_DATA = 64,
};

struct terms_given {
    unsigned fields; /* set of enum terms_field: those of `terms` that count */
    struct talk_terms terms;
};

enum { TERMS_OFFERS_MAX = 12, TERMS_READS = 16 };

/*
 * "rev=2,ird=4,ord=4,crc=on,markers=off,rtr=write+read,data=rpc". False with *error saying what is allowed; what *out
 * held before stays where the text says nothing.
 */
bool terms_parse(struct terms_given *out, const char *text, GError **error);

/*
 * The ladder: what to offer a Responder, the likeliest first, each with what the user has fixed, none twice. words:
 * what our private data hold unless that is fixed. Returns how many.
 */
unsigned terms_offers(const struct terms_given *given, enum terms_words words, struct talk_terms out[TERMS_OFFERS_MAX]);

/* "MPA revision 2, IRD 16, ORD 16, CRC, no Markers"; the caller's to free. */
char *terms_text(const struct talk_terms *terms);

#endif
