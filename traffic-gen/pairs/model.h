/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is combined: the parameters of one subject, the values of each, and which of them go together. A model computes
 * from the values of a vector what the device has to do, by the RFCs' conditions; nothing of that is listed.
 */
#ifndef IWARP_TRAFFIC_PAIRS_MODEL_H
#define IWARP_TRAFFIC_PAIRS_MODEL_H

#include "traffic-gen/pairs/covering.h"
#include "traffic-gen/suite/talk/talk_internal.h"

/* The value that a parameter has where it does not exist: IRD in a Request without enhanced data. */
#define PAIRS_ABSENT "-"

struct pairs_parameter {
    const char *name, *what;
    const char *const *values;
    unsigned n;
};

/* A parameter that is there with some values of another one, and absent with the others. */
struct pairs_condition {
    unsigned parameter, of;
    unsigned values; /* set of 1 << value; 0: the last condition was before */
};

/* Some values of a vector, whatever the others are. */
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
    enum rule_id rule;    /* of a failure that breaks no rule in particular */
    const char *expected; /* in words, of reports */
    unsigned duts, needs; /* sets of enum suite_dut, enum suite_need */
    bool of_messages;     /* an RDMA device of this host can carry it, which makes the octets by itself */
    /* Sets usual and left_out by what is known about the device; may ask it. False with *why: there is nothing to
     * combine. */
    bool (*prepare)(struct pairs *pairs, char **why);
    /* Of struct covering_problem; ctx: struct pairs. */
    bool (*allowed)(const void *pairs, const int *vector);
    bool (*refused)(const void *pairs, unsigned parameter, int value);
    /* After some values were made usual again: what follows from the others. */
    void (*settle)(const struct pairs *pairs, int *vector);
    /* Says it and judges. */
    void (*run)(struct talk *talk, const struct pairs *pairs, const int *vector);
};

/* A model, and what is known about the device. */
struct pairs {
    const struct pairs_model *model;
    struct talk_run *run;
    int usual[COVERING_PARAMETERS_MAX]; /* what the device was seen to accept; before model->settle() */
    bool left_out[COVERING_PARAMETERS_MAX][COVERING_VALUES_MAX]; /* values that this device is not asked for */
    /* While vectors are drawn: none has all values of one of these. */
    const struct pairs_values *avoided;
    unsigned n_avoided;
    /* Whether a waiver is for the rule; NULL: there are none. */
    bool (*waives)(const void *ctx, enum rule_id rule);
    const void *ctx;
};

extern const struct pairs_model pairs_startup, pairs_reply, pairs_geometry, pairs_chunks;

/* All models, in the order in which they run; NULL after the last. */
extern const struct pairs_model *const pairs_models[];

/* NULL: there is none of this name. */
const struct pairs_model *pairs_model_named(const char *name);
/* The index of the parameter's value; COVERING_OPEN: it has no such value. */
int pairs_value(const struct pairs_parameter *parameter, const char *text);
bool pairs_is_absent(const struct pairs_model *model, unsigned parameter, int value);
/* The vector has all of them. */
bool pairs_has(const struct pairs_values *some, const int *vector);
/* "startup/M=1,pd=257": the model, and its values. False with *why, which the caller frees: what is allowed. */
bool pairs_parse(const char *text, const struct pairs_model **model, struct pairs_values *out, char **why);
/* No value is left out or avoided, and the model's conditions hold, as far as values are chosen. */
bool pairs_fit(const struct pairs *pairs, const struct pairs_model *model, const int *vector);
/* Makes the conditions hold: absent, or the usual value. */
void pairs_settle(const struct pairs *pairs, const struct pairs_model *model, int *vector);
/* "M=1,pd=257": the values of these parameters (a set of 1 << index) that are there; the caller frees it. */
char *pairs_text(const struct pairs_model *model, const int *vector, uint32_t parameters);

bool pairs_waives(const struct pairs *pairs, enum rule_id rule);
/* A verdict for model->run(): failed, by this rule, which the report then names. */
void pairs_failed(struct talk *talk, enum rule_id rule, const char *format, ...) G_GNUC_PRINTF(3, 4);
/*
 * The same of something after which the vector can go on. True: it has to, as a waiver is for the rule; then the report
 * has it as an observation, which fails the vector if nothing else does.
 */
bool pairs_goes_on(struct talk *talk, const struct pairs *pairs, enum rule_id rule, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
