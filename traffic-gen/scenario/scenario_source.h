/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A scenario named by the user: built in, in a file, or a script on the command line. */
#ifndef IWARP_TRAFFIC_SCENARIO_SCENARIO_SOURCE_H
#define IWARP_TRAFFIC_SCENARIO_SCENARIO_SOURCE_H

#include "traffic-gen/scenario/scenario.h"
#include "traffic-gen/scenario/work.h"
#include "traffic-gen/speak/faults/fault.h"

struct scenario_source {
    const struct scenario *scenario; /* NULL: unknown name */
    struct scenario own;             /* `scenario` for a file or a script */
    bool is_file;                    /* of the user's */
    GPtrArray *statements;           /* of the script (script.h); NULL: scenario->play is called */
    char *place;                     /* name of the text in messages */
    struct work *work;               /* for real ends, from the statements; NULL: not a scenario of work */
    bool counted;                    /* its length depends on a count */
};

/*
 * script: the text of the scenario "script"; NULL: there is no such scenario. count: from --count, 0: the scenario's
 * default. False with *error (for g_free()).
 */
bool scenario_source_load(struct scenario_source *source, const char *name, const char *script, unsigned count,
                          char **error);
void scenario_source_clear(struct scenario_source *source);

/* False when the fault has its own conversation, which belongs to another scenario, or both ends are real. */
bool scenario_source_takes(const struct scenario_source *source, const struct fault *fault);
/* Why the scenario cannot be played with this fault, and which can (for g_free()). */
char *scenario_source_refusal(const struct scenario_source *source, const struct fault *fault);
/*
 * Why it cannot be played on RoCE (for g_free()); NULL: it can. With a fault: the same for the fault, which may have
 * its own conversation.
 */
char *scenario_source_roce_refusal(const struct scenario_source *source, const struct fault *fault);
unsigned scenario_source_mtu(const struct scenario_source *source);
/*
 * Plays it on the stage, with the fault (NULL: none); stage->deviated then says whether the fault was applied. False
 * with *error (for g_free()).
 */
bool scenario_source_play(const struct scenario_source *source, const struct fault *fault, struct stage *stage,
                          char **error);

/* The faults for ids separated by commas. NULL with *error; free the array with g_ptr_array_unref(). */
GPtrArray *faults_of_list(const char *ids, char **error);

#endif
