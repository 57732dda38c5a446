/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For servers that cannot take many connections (--reuse): a connection of the RPC-over-RDMA suites that its case has
 * not ended waits for the next case that wants the usual one. A case whose stimulus is in the start-up, or that ends
 * its connection, has its own.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RPC_REUSE_H
#define IWARP_TRAFFIC_TESTER_SUITE_RPC_REUSE_H

#include "traffic-gen/tester/suite/rpc/rpc_talker.h"

struct reuse {
    GMutex lock;
    gint on;          /* atomic; false: each case has its own connection */
    GPtrArray *lines; /* struct line *: connections that wait */
    gint told;        /* atomic: the message that the device cannot take many connections was printed */
};

struct reuse *reuse_new(bool on);
void reuse_free(struct reuse *reuse);
/* Ends the waiting connections in an orderly way. */
void reuse_end(struct talk_run *run);
bool reuse_is_on(const struct talk_run *run);
/* Whether a connection waits, which can show whether the device is alive. */
bool reuse_waits(const struct talk_run *run);
/*
 * Call when the device refused a connection without a reason from the case, and accepts it a while later: from here on
 * cases share a connection.
 */
void reuse_tires(struct talk_run *run);

/* Keeps the connection of a finished case. False: another case cannot use it. */
bool reuse_put(struct rpc_talker *talker);
/* Gives a waiting connection to the talker, whose case wants the usual one. False: none waits. */
bool reuse_take(struct rpc_talker *talker);

#endif
