/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the RPC-over-RDMA cases reach the device: a connection that carries messages, with an end of the stack
 * (traffic-gen/ends/stack/rpc_end.h) on it. The end receives the device's messages, and the talker receives the end's
 * events.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RPC_RPC_PORT_H
#define IWARP_TRAFFIC_TESTER_SUITE_RPC_RPC_PORT_H

#include "traffic-gen/tester/suite/rpc/rpc_talker.h"

struct rpc_port {
    /*
     * Connects to the device, or accepts its next connection; makes the end (rpc_talker_make_end()) and starts it,
     * until both sides may send. False: verdict is set.
     */
    bool (*open)(struct rpc_talker *talker, const struct talker_wish *wish);
    /*
     * The device's next action within ns, after the end has handled it. After the end of the connection always the
     * same.
     */
    enum rpc_port_event (*hear)(struct rpc_talker *talker, int64_t ns);
    /*
     * Creates run->rpc_listener, where devices connect to run->host and run->port, and returns its port, or 0 with
     * *why. The second function frees it. NULL: run->listener is used.
     */
    uint16_t (*listen)(struct talk_run *run, char **why);
    void (*close)(struct talk_run *run);
    /* Called after each event of the end. NULL: not needed. */
    void (*noticed)(struct rpc_talker *talker);
    /* The connection is this talker's from here on. NULL: not needed. */
    void (*handed_over)(struct rpc_talker *talker);
    bool is_blind; /* the wire is not visible: the talker records messages, and no engine watches the device */
};

/* MPA on a TCP socket; every octet is visible. */
extern const struct rpc_port rpc_port_socket;

/* Queue pairs of an RDMA device of this host (traffic-gen/live/verbs/verbs.h). */
extern const struct rpc_port rpc_port_verbs;

/*
 * Common to all ports: creates the end of a new connection, with these MPA and Read options for its queue pair; stream
 * is borrowed.
 */
void rpc_talker_make_end(struct rpc_talker *talker, const struct talker_wish *wish, const struct qp_options *options,
                         const struct stream *stream);

#endif
