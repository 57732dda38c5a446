/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client of NFSv4.1 whose connections break: it goes on with its session on the next one and sends again what was not
 * answered, as RFC 8881 section 2.10.6 says, so that every operation is executed exactly once. What the server answers
 * is compared with a model of the tree.
 */
#ifndef IWARP_TRAFFIC_CHAOS_CHAOS_H
#define IWARP_TRAFFIC_CHAOS_CHAOS_H

#include "traffic-gen/chaos/history.h"
#include "traffic-gen/suite/talk/talk_internal.h"

enum chaos_end {
    CHAOS_KEPT,     /* every invariant */
    CHAOS_BROKEN,   /* one was not */
    CHAOS_NO_SERVER /* it could not be reached, or does not speak NFSv4.1 on the export */
};

struct chaos_outcome {
    enum chaos_end end;
    unsigned steps, faults, connections, restarts; /* so far */
    char *what;                                    /* what was broken, or why there is no server; the caller frees it */
};

struct chaos_server {
    struct talk_run *run; /* it has been learnt: learn_device() */
    const char *address;  /* for the command, in IWARP_DEVICE */
    const char *restart;  /* command that restarts it; NULL: the history has no such steps */
    int64_t t_restart;    /* for that, ns */
};

/* Runs the history, in names of its own. */
void chaos_run(const struct chaos_server *server, const GArray *steps, struct chaos_outcome *outcome);

/*
 * The shortest history found that breaks an invariant, too, by leaving out steps of one that does. runs: how many were
 * tried. The caller's.
 */
GArray *chaos_reduce(const struct chaos_server *server, const GArray *steps, unsigned *runs);

#endif
