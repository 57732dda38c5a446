/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes to the segments of a message, on our own TCP. */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_WIRE_DEEDS_H
#define IWARP_TRAFFIC_TESTER_SUITE_CASES_SUITE_WIRE_DEEDS_H

#include "traffic-gen/tester/suite/cases/suite_words.h"
#include "traffic-gen/tester/suite/talk/talk.h"

/* Octets of the stream that are held, and where they begin in it. */
struct stretch {
    struct talk *talk;
    const uint8_t *p;
    size_t n;
    uint64_t at;
};

struct wire_deed {
    void (*put)(const struct stretch *stretch, unsigned step);     /* NULL: segments of a table, around one cut */
    void (*plainly)(const struct stretch *stretch, unsigned step); /* the same without the oddity: with the same cuts */
    unsigned steps;                                                /* messages; 0: one for each octet but the first */
    unsigned fpdus;                                                /* of a message, at a time; 0: one */
};

extern const struct wire_deed wire_deeds[]; /* by enum deed */
void wire_put_deed(const struct stretch *stretch, enum deed deed, unsigned step);

#endif
