/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for events of the RDMA CM and completions of all connections, in one thread. */
#ifndef IWARP_TARGET_LOOP_H
#define IWARP_TARGET_LOOP_H

#include "lab/target/connection.h"

#include <signal.h>

struct loop {
    const struct target_options *options;
    struct rdma_event_channel *channel;
    struct connection *connections;
    unsigned n;
    void *role; /* owned by the caller */
    /* An event: a copy, with its private data; the original has been acknowledged. */
    void (*event)(struct loop *loop, const struct rdma_cm_event *event);
    /* Called some ten times a second, and after all events. False: the loop ends. */
    bool (*tick)(struct loop *loop, double now);
    /* The connection is about to be freed. May be NULL. */
    void (*ended)(struct loop *loop, struct connection *c);
};

/* False, after printing the reason, if the RDMA CM cannot be used. */
bool loop_open(struct loop *loop);
/* Runs until a signal, until tick returns false, or until the event channel fails (false; the reason was printed). */
bool loop_run(struct loop *loop);
/* Frees all connections and the channel. The caller must have destroyed its own identifiers. */
void loop_close(struct loop *loop);

void loop_add(struct loop *loop, struct connection *c);
void loop_drop(struct loop *loop, struct connection *c);

#endif
