/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One connection of either role: its memory, its queue pair, and the echo. */
#ifndef IWARP_TARGET_CONNECTION_H
#define IWARP_TARGET_CONNECTION_H

#include "lab/target/memory.h"

#include <rdma/rdma_cma.h>

struct connection {
    struct connection *next;
    const struct target_options *options;
    struct rdma_cm_id *id; /* its own context; id->context is the connection */
    struct ibv_comp_channel *channel;
    struct ibv_cq *completions;
    struct memory memory;
    struct plan plan;
    double last;     /* monotonic seconds: when a message last arrived */
    unsigned unread; /* events of the completion queue, to be acknowledged */
    bool established, busy;
};

/* A connection without resources, which takes over id. NULL: out of memory; the id still belongs to the caller. */
struct connection *connection_new(struct rdma_cm_id *id, const struct target_options *options);
/* Creates memory and queue pair, once id has its device. False, after printing the reason. */
bool connection_open(struct connection *c);
/* Posts the Receives of the plan. False, after printing the reason. */
bool connection_post_receives(struct connection *c);
/* The private data to send: the advertisement, or nothing if it goes into a Send. */
void connection_terms(struct connection *c, struct rdma_conn_param *terms, uint8_t words[ADVERT_MAX]);
/* The Initiator's first message: the advertisement, or a greeting. */
void connection_greet(struct connection *c);
/*
 * Handles completions after c->channel became readable, limited so that other connections get their turn: c->busy says
 * that there may be more.
 */
void connection_work(struct connection *c);
/* Ends the connection if it is still open, and frees everything. */
void connection_free(struct connection *c);

double connection_now(void); /* monotonic seconds */

#endif
