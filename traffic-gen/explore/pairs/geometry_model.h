/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes and Reads of a device's memory, as parameters (RFC 5040 sections 5.1, 5.2, RFC 5041 section 5.2): their place,
 * length and segments; which of them are refused. Without I/O; geometry_vector.c asks a device.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_GEOMETRY_MODEL_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_GEOMETRY_MODEL_H

#include "traffic-gen/explore/pairs/model.h"

enum geometry_parameter {
    GEOMETRY_AT_OP,
    GEOMETRY_AT_LEN,
    GEOMETRY_AT_PLACE,
    GEOMETRY_AT_MEMORY,
    GEOMETRY_AT_N,
    GEOMETRY_AT_ULPDU,
    GEOMETRY_AT_CUT,
    GEOMETRY_AT_SINK,
    GEOMETRY_AT_M,
    GEOMETRY_AT_C,
    GEOMETRY_PARAMETERS
};

enum geometry_memory {
    MEMORY_IS_ALL,     /* remote reads and writes */
    MEMORY_IS_OWN,     /* only what the operation needs */
    MEMORY_IS_WRONG,   /* only fields that it does not need */
    MEMORY_IS_FOREIGN, /* of another Protection Domain */
    MEMORY_IS_GONE,    /* invalidated */
    MEMORY_IS_UNKNOWN  /* an STag that does not exist */
};

/* The messages of a vector. */
struct geometry_plan {
    bool is_read, markers, crc;
    uint32_t length; /* of each message; each begins where the previous one ends */
    unsigned n;      /* messages */
    enum geometry_memory memory;
    enum advert_region region; /* the memory they use */
    unsigned limit;            /* largest ULPDU of a Write; 0: no limit */
    const char *cut;           /* words that cut the FPDU of each message; "": not cut */
    uint64_t sink_to;
};

struct geometry_plan geometry_plan_of(const int *vector);
/* Octets from the region's start to the first message; negative: before it. */
int64_t geometry_place(const int *vector, uint32_t region_length);
/* Messages served before a message is refused, with the rule that requires this; all of them: none is refused. */
unsigned geometry_served(const int *vector, enum rule_id *rule);

/* ---- for struct pairs_model ---- */

extern const struct pairs_parameter geometry_parameters[GEOMETRY_PARAMETERS];
extern const struct pairs_condition geometry_conditions[];
bool geometry_refused(const void *pairs, unsigned parameter, int value);
void geometry_usual(struct pairs *pairs);
/* Settles the rest: leaves out memory that the device does not advertise. */
void geometry_leave_out(struct pairs *pairs, const struct advert *advert);

#endif
