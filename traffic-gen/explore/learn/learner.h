/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Infers a device's Mealy machine by asking (Angluin's L*, Information and Computation 75, 1987, for Mealy machines;
 * counterexamples are analysed as by Rivest and Schapire, Information and Computation 103, 1993). The learner does not
 * know inputs or devices: answers.h asks and remembers.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_LEARN_LEARNER_H
#define IWARP_TRAFFIC_EXPLORE_LEARN_LEARNER_H

#include "traffic-gen/explore/learn/answers.h"
#include "traffic-gen/explore/learn/machine.h"

struct learner_options {
    unsigned checks; /* random words that the machine has to predict at the end */
    unsigned seed;   /* for the random words */
};

/*
 * Takes the inputs from machine and fills in the rest. False with *why, which the caller frees: there is no such
 * machine (the answers vary, or more than MACHINE_STATES_MAX states), the device died, or the run was stopped.
 */
bool learner_infer(struct machine *machine, struct answers *answers, const struct learner_options *options, char **why);

#endif
