/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the RPC-over-RDMA cases reach the device: a connection at the level of messages, with an end of the stack
 * (traffic-gen/ends/rpc_end.h) on it. The end is given what the device does, and the talker takes the events of the
 * end.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_RPC_PORT_H
#define IWARP_TRAFFIC_SUITE_TALK_RPC_PORT_H

#include "traffic-gen/suite/talk/rpc_talker.h"

struct rpc_port {
    /*
     * Connects to the device, or accepts its next connection; makes the end (rpc_talker_make_end()) and starts it,
     * until both sides may send. False: verdict is set.
     */
    bool (*open)(struct rpc_talker *talker, const struct talker_wish *wish);
    /* The next thing that the device does within ns, after the end has had it. After the end of the connection the same
     * again. */
    enum rpc_port_event (*hear)(struct rpc_talker *talker, int64_t ns);
    /*
     * run->rpc_listener, where devices connect to run->host and run->port: its port, or 0 with *why. And its end. NULL:
     * run->listener is used.
     */
    uint16_t (*listen)(struct talk_run *run, char **why);
    void (*close)(struct talk_run *run);
    /* One of the end's events has come. NULL: that is of no interest. */
    void (*noticed)(struct rpc_talker *talker);
    /* The connection is this talker's from here on. NULL: that is of no interest. */
    void (*handed_over)(struct rpc_talker *talker);
    bool is_blind; /* what is on the wire is not seen: the talker notes the messages, and nothing watches the device */
};

/* MPA on a TCP socket; every octet is seen. */
extern const struct rpc_port rpc_port_socket;

/* Queue pairs of an RDMA device of this host (traffic-gen/live/verbs/verbs.h). */
extern const struct rpc_port rpc_port_verbs;

/* What is the same on every port: the end of a new connection, with these MPA and Read options of its queue pair;
 * stream is borrowed. */
void rpc_talker_make_end(struct rpc_talker *talker, const struct talker_wish *wish, const struct qp_options *options,
                         const struct stream *stream);

#endif
