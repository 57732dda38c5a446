/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Infers a device's Mealy machine by asking (Angluin's L*, Information and Computation 75, 1987, for Mealy machines;
 * counterexamples as Rivest and Schapire, Information and Computation 103, 1993, take them apart). It knows neither
 * inputs nor devices: answers.h remembers what was asked, and asks.
 */
#ifndef IWARP_TRAFFIC_LEARN_LEARNER_H
#define IWARP_TRAFFIC_LEARN_LEARNER_H

#include "traffic-gen/learn/answers.h"
#include "traffic-gen/learn/machine.h"

struct learner_options {
    unsigned checks; /* random words that the machine has to predict before it is believed */
    unsigned seed;   /* of these */
};

/*
 * machine has its inputs; the rest is filled in. False with *why, which the caller frees: the device has no such
 * machine (it answers differently each time, or has more than MACHINE_STATES_MAX states), it died, or we were stopped.
 */
bool learner_infer(struct machine *machine, struct answers *answers, const struct learner_options *options, char **why);

#endif
