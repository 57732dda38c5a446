/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vectors of a model for one device, as cases of iwarp-gen test. */
#ifndef IWARP_TRAFFIC_EXPLORE_PAIRS_VECTORS_H
#define IWARP_TRAFFIC_EXPLORE_PAIRS_VECTORS_H

#include "traffic-gen/explore/pairs/model.h"
#include "traffic-gen/tester/suite/run/run.h"

/* A model for this device. */
struct subject {
    struct pairs pairs;
    struct suite suite;
    int usual[COVERING_PARAMETERS_MAX]; /* after model->settle() */
    GArray *avoided;                    /* struct pairs_values: a vector with them fails */
    GPtrArray *avoided_for; /* for each of avoided, the first result that showed it: const struct case_result * */
    bool drawn;             /* all combinations have vectors, except those avoided since */
};

/* A vector as a case; the row is the first member, so that its function finds the rest. */
struct vector_case {
    struct suite_case row;
    const struct subject *subject;
    int vector[COVERING_PARAMETERS_MAX];
    char *name, *stimulus;
    bool hides; /* failed by some of its values, which hide the others */
};

struct subject *subject_new(const struct pairs_model *model, struct talk_run *run);
void subject_free(gpointer subject);

struct vector_case *vector_case_new(const struct subject *subject, const int *values);
void vector_case_free(gpointer vector);

/* The vector with only these parameters' values and the usual others. False: impossible. */
bool vector_with(const struct subject *subject, const int *vector, uint32_t parameters, int *out);
/* A vector that differs from the usual one in these values only; false: impossible. */
bool vector_of_values(const struct subject *subject, const struct pairs_values *some, int *out);

/* Like covering_make(), without the avoided values. */
GArray *vectors_draw(struct subject *subject, unsigned strength, const GArray *covered, const int *first,
                     uint32_t seed);
/* Possible combinations in none of these vectors, without the first n of `avoided`. */
size_t vectors_open(struct subject *subject, unsigned strength, const GArray *covered, unsigned n);

#endif
