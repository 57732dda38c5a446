/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start-up with an Initiator, as parameters (RFC 5044 section 7.1, RFC 6581): its Request is given, our Reply has
 * the values. The model says how the device must react. Without I/O; reply_vector.c asks a device.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_REPLY_MODEL_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_REPLY_MODEL_H

#include "traffic-gen/explore/pairs/frames.h"
#include "traffic-gen/explore/pairs/model.h"

enum reply_parameter {
    REPLY_AT_M,
    REPLY_AT_C,
    REPLY_AT_IRD,
    REPLY_AT_ORD,
    REPLY_AT_RTR,
    REPLY_AT_PD,
    REPLY_AT_CUT,
    REPLY_PARAMETERS
};

/* The Reply of a vector to this Request. */
struct reply_plan {
    uint8_t flags; /* M and C; S is as in the Request */
    bool is_enhanced;
    struct mpa_enhanced enhanced;
    uint16_t data_length; /* of the upper layer's private data */
    bool usual_data;      /* private data that the device was seen to accept */
    enum frames_cut cut;
};

/* Possible reactions; a set. */
enum reply_outcome {
    REPLY_GOES_ON = 1, /* sends FPDUs */
    REPLY_REFUSED = 2  /* a Terminate, or a close */
};

/* For a Request without enhanced data, `request` is NULL. */
struct reply_plan reply_plan_of(const struct pairs *pairs, const int *vector, const struct mpa_enhanced *request);
/* rule: broken by any other reaction. */
unsigned reply_outcomes(const struct reply_plan *plan, const struct mpa_enhanced *request, enum rule_id *rule);

/* ---- for struct pairs_model ---- */

extern const struct pairs_parameter reply_parameters[REPLY_PARAMETERS];
extern const struct pairs_condition reply_conditions[];
bool reply_allowed(const void *pairs, const int *vector);
bool reply_refused(const void *pairs, unsigned parameter, int value);
/* Takes the device's Request as it was learned. */
void reply_usual(struct pairs *pairs);

#endif
