/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated conversations whose verdict is known: each seed chooses one, which is played, captured and checked in this
 * process. A conversation that conforms must have no finding; a planted fault must be named where it is visible, and
 * nothing else may be found.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_SIMULATE_SIMULATE_H
#define IWARP_TRAFFIC_EXPLORE_SIMULATE_SIMULATE_H

#include "traffic-gen/explore/simulate/adversary.h"
#include "traffic-gen/explore/simulate/distort.h"
#include "traffic-gen/explore/simulate/judge.h"

enum simulate_outcome {
    SIMULATE_RIGHT,
    SIMULATE_UNPLAYED, /* the plan cannot be played */
    SIMULATE_FALSE,    /* a finding of what was not planted */
    SIMULATE_MISSED,   /* a planted fault is not named */
};

struct simulation {
    struct plan *plan;
    GArray *distortions;      /* struct distortion; NULL: not chosen yet */
    enum adversary adversary; /* instead of distortions */
    GArray *forgeries;        /* struct forgery; NULL: not chosen yet */
    /* Filled by simulate(). */
    struct packets packets;
    struct view *view; /* the capture of the verdict */
    bool provoked;     /* the fault was played */
    bool distorted;    /* the verdict is about the capture with distortions */
    bool forged;       /* the verdict is about the capture with forged packets */
    unsigned missing;  /* packets that the capture lacks */
    bool visible;      /* the fault stays visible in it */
    enum simulate_outcome outcome;
    const struct rule *rule; /* of a false finding, otherwise NULL */
    char *why;               /* of an outcome that is not right: one line */
};

/* Chooses what a seed means. Free with simulation_free(). */
struct simulation *simulation_new(uint64_t seed, const struct plan_wish *wish, enum adversary adversary);
void simulation_free(struct simulation *simulation);

/*
 * Plays and checks: the complete capture first, then the distorted one, or the one with forged packets, unless the
 * first was wrong.
 */
void simulate(struct simulation *simulation, struct judge *judge);

/* Makes a wrong simulation as short as possible, so that it stays wrong in the same way. */
void simulate_reduce(struct simulation *simulation, struct judge *judge);
/* How to play it, and what is wrong: several lines. */
void simulation_append_text(GString *out, const struct simulation *simulation);

#endif
