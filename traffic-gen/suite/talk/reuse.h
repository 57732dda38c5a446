/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For servers that tire (--reuse, --connections-per-second): a connection of the RPC-over-RDMA suites that its case has
 * not ended waits for the next case that wants the usual one, and new ones are made no faster than the device is given
 * time for. Cases whose stimulus is in the start-up, or that end their connection, have one of their own.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_REUSE_H
#define IWARP_TRAFFIC_SUITE_TALK_REUSE_H

#include "traffic-gen/suite/talk/rpc_talker.h"

struct reuse {
    GMutex lock;
    gint on;          /* atomic; false: each case has its own */
    GPtrArray *lines; /* struct line *: connections that wait */
    int64_t between;  /* between new connections, nanoseconds; 0: no limit */
    int64_t next_at;  /* when the next one may be made */
    gint told;        /* atomic: that the device tires */
};

/* between: nanoseconds. */
struct reuse *reuse_new(bool on, int64_t between);
void reuse_free(struct reuse *reuse);
/* Ends the connections that wait, in an orderly way. */
void reuse_end(struct talk_run *run);
bool reuse_is_on(const struct talk_run *run);
/* A connection waits: what is asked on it says whether the device is alive. */
bool reuse_waits(const struct talk_run *run);
/*
 * The device refused a connection for no reason that the case gave, and takes it a while later: from here on cases
 * share one.
 */
void reuse_tires(struct talk_run *run);

/* Puts the connection of a case that is over by. False: it is not one that another case can go on with. */
bool reuse_put(struct rpc_talker *talker);
/* Gives one to the talker, whose case wants the usual connection. False: there is none. */
bool reuse_take(struct rpc_talker *talker);

/* The user says that the device needs time between connections. */
bool reuse_is_paced(const struct talk_run *run);
/* Before a connection to the device is made. */
void reuse_pace(struct talk *talk);

#endif
