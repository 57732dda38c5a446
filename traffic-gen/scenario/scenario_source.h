/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scenario as the user names it: one that the program knows, a file, or a script of the command line. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_SOURCE_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_SOURCE_H

#include "traffic-gen/faults/fault.h"
#include "traffic-gen/scenario/scenario.h"
#include "traffic-gen/scenario/work.h"

struct scenario_source {
    const struct scenario *scenario; /* NULL: there is none of that name */
    struct scenario own;             /* what it points to for a file or a script */
    bool is_file;                    /* of the user's */
    GPtrArray *statements;           /* of the script (script.h); NULL: scenario->play is called */
    char *place;                     /* what messages about them call the text */
    struct work *work;               /* for real ends, from the statements; NULL: not a scenario of work */
    bool counted;                    /* a count decides how long it is */
};

/*
 * script: what the scenario "script" says; NULL: there is no such scenario. count: of --count, 0: the scenario's own.
 * False with *error (for g_free()).
 */
bool scenario_source_load(struct scenario_source *source, const char *name, const char *script, unsigned count,
                          char **error);
void scenario_source_clear(struct scenario_source *source);

/* False when the fault has a conversation of its own, which belongs to another scenario, or both ends are real. */
bool scenario_source_takes(const struct scenario_source *source, const struct fault *fault);
/* Why the scenario cannot be played with this fault, and what can (for g_free()). */
char *scenario_source_refusal(const struct scenario_source *source, const struct fault *fault);
/*
 * Why it cannot be played on RoCE (for g_free()); NULL: it can. With a fault: this fault, which may have a conversation
 * of its own.
 */
char *scenario_source_roce_refusal(const struct scenario_source *source, const struct fault *fault);
unsigned scenario_source_mtu(const struct scenario_source *source);
/*
 * Plays it on the stage, with the fault (NULL: none); stage->deviated says then whether the fault found its place.
 * False with *error (for g_free()).
 */
bool scenario_source_play(const struct scenario_source *source, const struct fault *fault, struct stage *stage,
                          char **error);

/* The faults of a list of ids, separated by commas. NULL with *error; free the array with g_ptr_array_unref(). */
GPtrArray *faults_of_list(const char *ids, char **error);

#endif
