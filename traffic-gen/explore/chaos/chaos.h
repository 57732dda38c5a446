/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client of NFSv4.1 whose connections break: it continues its session on the next one and repeats unanswered Calls
 * (RFC 8881 section 2.10.6), so that every operation is executed exactly once. The answers are compared with a model of
 * the tree.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_CHAOS_CHAOS_H
#define IWARP_TRAFFIC_EXPLORE_CHAOS_CHAOS_H

#include "traffic-gen/explore/chaos/history.h"
#include "traffic-gen/tester/suite/talk/talk_run.h"

enum chaos_end {
    CHAOS_KEPT,     /* no invariant was broken */
    CHAOS_BROKEN,   /* an invariant was broken */
    CHAOS_NO_SERVER /* no connection, or no NFSv4.1 on the export */
};

struct chaos_outcome {
    enum chaos_end end;
    unsigned steps, faults, connections, restarts; /* so far */
    char *what; /* the broken invariant, or why there is no server; the caller frees it */
};

struct chaos_server {
    struct talk_run *run; /* after learn_device() */
    const char *address;  /* for the command, in IWARP_DEVICE */
    const char *restart;  /* command that restarts the server; NULL: the history has no restarts */
    int64_t t_restart;    /* time for the restart, in ns */
};

/* Runs the history, with its own file names. */
void chaos_run(const struct chaos_server *server, const GArray *steps, struct chaos_outcome *outcome);

/*
 * The shortest history found that also breaks an invariant, made by removing steps. runs: number of attempts. The
 * caller frees it.
 */
GArray *chaos_reduce(const struct chaos_server *server, const GArray *steps, unsigned *runs);

#endif
