/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two ends connected in memory. TCP is reliable, so what they send does not depend on the network: each write is
 * recorded with the octets that its writer had received from the peer. A simulated TCP can later play the writes,
 * whatever the network does to its segments.
 */
#ifndef IWARP_TRAFFIC_ENDS_STACK_PAIR_H
#define IWARP_TRAFFIC_ENDS_STACK_PAIR_H

#include "traffic-gen/ends/stack/queue_pair.h"
#include "traffic-gen/ends/stack/stream.h"
#include "traffic-gen/speak/sim/sim_tcp.h"

/* An end as the transport sees it. tick may be NULL. */
struct pair_end {
    void *end;
    void (*receive)(void *end, const uint8_t *p, size_t n);
    void (*receive_fin)(void *end);
    void (*receive_reset)(void *end);
    void (*tick)(void *end);
};

enum pair_kind { PAIR_WRITE, PAIR_FIN, PAIR_RESET };

struct pair_action {
    enum pair_kind kind;
    unsigned side;
    uint64_t from, n;  /* WRITE: the octets, in this side's stream */
    uint64_t received; /* octets of the peer's stream received before this action; the peer's FIN counts as one */
    int64_t delay_ns;  /* delay after that, or after the side's previous action */
};

struct pair;

/* Both sides have this MSS. The clock begins at start_ns. */
struct pair *pair_new(uint16_t mss, int64_t start_ns);
void pair_free(struct pair *pair);

/* pair_stream() returns the stream for making the end of side 0 or 1; pair_attach() then takes the end, copied. */
const struct stream *pair_stream(struct pair *pair, unsigned side);
void pair_attach(struct pair *pair, unsigned side, const struct pair_end *end);
/* The same for an end that is only a queue pair. */
void pair_attach_qp(struct pair *pair, unsigned side, struct qp *qp);

/* Delivers the oldest write that is under way. False when there is none. */
bool pair_step(struct pair *pair);
/* Runs until nothing is under way. False after more than limit steps. */
bool pair_run(struct pair *pair, size_t limit);
/* Lets this time pass; then both ends look at the clock. */
void pair_wait(struct pair *pair, int64_t ns);

/* Adds foreign octets as if side had written them. */
void pair_write(struct pair *pair, unsigned side, const uint8_t *p, size_t n);
void pair_close(struct pair *pair, unsigned side, bool reset);

size_t pair_n_actions(const struct pair *pair);
const struct pair_action *pair_action(const struct pair *pair, size_t index);
/* All octets that side has written; *n is their number. */
const uint8_t *pair_written(const struct pair *pair, unsigned side, size_t *n);
bool pair_finished(const struct pair *pair, unsigned side); /* FIN or RST written */

/* Scripts all actions on a connection; tcp_side is the TCP side of side 0. */
void pair_play(const struct pair *pair, struct sim_connection *tcp, unsigned tcp_side);

#endif
