/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The start-up with a Responder, as parameters (RFC 5044 section 7.1, RFC 6581): a vector's Request, and the Reply that
 * it requires. Without I/O; startup_vector.c asks a device.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_STARTUP_MODEL_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_STARTUP_MODEL_H

#include "traffic-gen/explore/pairs/frames.h"
#include "traffic-gen/explore/pairs/model.h"

enum startup_parameter {
    STARTUP_AT_REV,
    STARTUP_AT_S,
    STARTUP_AT_M,
    STARTUP_AT_C,
    STARTUP_AT_IRD,
    STARTUP_AT_ORD,
    STARTUP_AT_RTR,
    STARTUP_AT_PD,
    STARTUP_AT_CUT,
    STARTUP_PARAMETERS
};

/* The Request of a vector. */
struct startup_plan {
    uint8_t revision, flags;
    bool is_enhanced;             /* S = 1 */
    struct mpa_enhanced enhanced; /* as sent: with `bits` its rtr counts even if A = 0 */
    uint16_t data_length;         /* of the upper layer's private data */
    enum frames_cut cut;          /* where segments divide the Request */
};

/* Possible reactions; a set, as upper layers decide some of them. */
enum startup_answer {
    STARTUP_ACCEPTED = 1,
    STARTUP_REJECTED = 2, /* a Reply with R = 1 */
    STARTUP_CLOSED = 4,   /* without a Reply */
    STARTUP_NAMED = 8,    /* a Reply that names another revision, then a close */
};

struct startup_plan startup_plan_of(const int *vector);
unsigned startup_answers(const struct startup_plan *plan);
/* The rule broken by an answer outside the set. */
enum rule_id startup_wrong_answer(const struct startup_plan *plan, enum startup_answer answer);

/*
 * Checks an accepting Reply: the next rule after `last` (NULL: from the first) that it breaks, with the expected value;
 * NULL: none.
 */
struct startup_check {
    enum rule_id rule;
    bool (*good)(const struct startup_plan *plan, const struct mpa_startup *reply);
    const char *expected;
};
const struct startup_check *startup_breach(const struct startup_plan *plan, const struct mpa_startup *reply,
                                           const struct startup_check *last);

/* ---- for struct pairs_model ---- */

extern const struct pairs_parameter startup_parameters[STARTUP_PARAMETERS];
extern const struct pairs_condition startup_conditions[];
bool startup_allowed(const void *pairs, const int *vector);
bool startup_refused(const void *pairs, unsigned parameter, int value);
void startup_settle(const struct pairs *pairs, int *vector);
/* Takes the values that the device was seen to accept. */
void startup_usual(struct pairs *pairs);

#endif
