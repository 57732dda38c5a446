/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models of combinations: the parameters of one subject, their values, and which of them go together. A model computes
 * the required reaction to a vector from the RFCs' conditions; it has no list of results.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_MODEL_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_MODEL_H

#include "traffic-gen/explore/pairs/covering.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"

/* The value of a parameter that does not exist: IRD in a Request without enhanced data. */
#define PAIRS_ABSENT "-"

struct pairs_parameter {
    const char *name, *what;
    const char *const *values;
    unsigned n;
};

/* A parameter that exists only with some values of another parameter. */
struct pairs_condition {
    unsigned parameter, of;
    unsigned values; /* set of 1 << value; 0 ends the list */
};

/* Some values of a vector, whatever the other values are. */
struct pairs_values {
    uint32_t parameters; /* a set of 1 << index */
    int values[COVERING_PARAMETERS_MAX];
};

struct pairs;

struct pairs_model {
    const char *name, *what;
    const struct pairs_parameter *parameters;
    unsigned n;
    const struct pairs_condition *conditions;
    enum rule_id rule;    /* for a failure that breaks no other rule */
    const char *expected; /* description for reports */
    unsigned duts, needs; /* sets of enum suite_dut, enum suite_need */
    bool of_messages;     /* an RDMA device of this host can send it although it makes the octets itself */
    /*
     * Sets usual and left_out from what is known about the device; may ask the device. False with *why: nothing can be
     * combined.
     */
    bool (*prepare)(struct pairs *pairs, char **why);
    /* The functions of struct covering_problem; ctx: struct pairs. */
    bool (*allowed)(const void *pairs, const int *vector);
    bool (*refused)(const void *pairs, unsigned parameter, int value);
    /* Adjusts values that depend on others after some were made usual again. */
    void (*settle)(const struct pairs *pairs, int *vector);
    /* Runs and judges the vector. */
    void (*run)(struct talk *talk, const struct pairs *pairs, const int *vector);
};

/* A model with the knowledge about one device. */
struct pairs {
    const struct pairs_model *model;
    struct talk_run *run;
    int usual[COVERING_PARAMETERS_MAX]; /* values that the device was seen to accept; before model->settle() */
    bool left_out[COVERING_PARAMETERS_MAX][COVERING_VALUES_MAX]; /* values not tried on this device */
    /* No drawn vector has all values of any of these. */
    const struct pairs_values *avoided;
    unsigned n_avoided;
    /* Whether a waiver exists for the rule; NULL: there are no waivers. */
    bool (*waives)(const void *ctx, enum rule_id rule);
    const void *ctx;
};

extern const struct pairs_model pairs_startup, pairs_reply, pairs_geometry, pairs_chunks;

/* All models, in running order; NULL after the last. */
extern const struct pairs_model *const pairs_models[];

/* NULL: unknown name. */
const struct pairs_model *pairs_model_named(const char *name);
/* The index of the parameter's value; COVERING_OPEN: no such value. */
int pairs_value(const struct pairs_model *model, unsigned parameter, const char *text);
/* Whether the vector has this value; a value that is a number. */
bool pairs_is(const struct pairs_model *model, const int *vector, unsigned parameter, const char *text);
unsigned pairs_number(const struct pairs_model *model, const int *vector, unsigned parameter);
bool pairs_is_absent(const struct pairs_model *model, unsigned parameter, int value);
/* Whether the vector has all these values. */
bool pairs_has(const struct pairs_values *some, const int *vector);
/* Reads "startup/M=1,pd=257": the model and its values. False with *why, which the caller frees: what is allowed. */
bool pairs_parse(const char *text, const struct pairs_model **model, struct pairs_values *out, char **why);
/* For a model without further constraints: no value is left out or avoided, and the conditions hold so far. */
bool pairs_allowed(const void *pairs, const int *vector);
/* For a model without further constraints: sets parameters absent or to the usual value, as the conditions say. */
void pairs_settle(const struct pairs *pairs, int *vector);
/* "M=1,pd=257": the values of these parameters (a set of 1 << index) that exist; the caller frees it. */
char *pairs_text(const struct pairs_model *model, const int *vector, uint32_t parameters);

bool pairs_waives(const struct pairs *pairs, enum rule_id rule);
/* A verdict for model->run(): failed by this rule, which the report then names. */
void pairs_failed(struct talk *talk, enum rule_id rule, const char *format, ...) G_GNUC_PRINTF(3, 4);
/*
 * The same for a failure after which the vector can go on. True: it must go on because a waiver exists for the rule;
 * then the report has the failure as an observation, which fails the vector if nothing else does.
 */
bool pairs_goes_on(struct talk *talk, const struct pairs *pairs, enum rule_id rule, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
