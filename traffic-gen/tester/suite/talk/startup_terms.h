/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start-up that a device wants: learned before the first case (learn_device.h) or given by the user (--mpa). Every
 * start-up uses it, except for the aspect that the case tests.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TALK_STARTUP_TERMS_H
#define IWARP_TRAFFIC_TESTER_SUITE_TALK_STARTUP_TERMS_H

#include "wire/mpa_startup.h"

#include <glib.h>

/* Contents of our private data. */
enum startup_private_data {
    PRIVATE_DATA_ADVERT, /* our wishes to the device's ULP: support/advert.h */
    PRIVATE_DATA_RPC,    /* RFC 8797 */
    PRIVATE_DATA_NONE
};

/* All zero: revision 1 with CRC, without Markers. */
struct startup_terms {
    uint8_t revision; /* of our Request; 0: 1 */
    bool enhanced;    /* S = 1 */
    bool no_crc;      /* C = 0 */
    bool markers;     /* M = 1 */
    bool crc_follows; /* a Reply: C as in the Request */
    /*
     * For our Request; our Reply follows the device's Request, with at most these Reads. All zero: IRD and ORD 16, A =
     * 0.
     */
    struct mpa_enhanced data;
    enum startup_private_data words;
};

/* Values that the user has fixed. */
enum startup_field {
    STARTUP_REVISION = 1,
    STARTUP_IRD = 2,
    STARTUP_ORD = 4,
    STARTUP_CRC = 8,
    STARTUP_MARKERS = 16,
    STARTUP_RTR = 32,
    STARTUP_DATA = 64,
};

struct startup_given {
    unsigned fields; /* set of enum startup_field: valid members of `terms` */
    struct startup_terms terms;
};

enum { STARTUP_OFFERS_MAX = 12, STARTUP_READS = 16 };

/*
 * "rev=2,ird=4,ord=4,crc=on,markers=off,rtr=write+read,data=rpc". False with *error, which lists the allowed words.
 * Values that the text does not mention stay in *out.
 */
bool startup_parse(struct startup_given *out, const char *text, GError **error);

/*
 * Offers for a Responder, the likeliest first, each with the user's values, without duplicates. words: contents of our
 * private data unless fixed. Returns the number of offers.
 */
unsigned startup_offers(const struct startup_given *given, enum startup_private_data words,
                        struct startup_terms out[STARTUP_OFFERS_MAX]);

/* "MPA revision 2, IRD 16, ORD 16, CRC, no Markers"; the caller frees it. */
char *startup_text(const struct startup_terms *terms);

#endif
