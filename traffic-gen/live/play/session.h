/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One side of a scenario with all its connections: plans play scripted connections, and the stack plays `work`. */
#ifndef IWARP_TRAFFIC_LIVE_PLAY_SESSION_H
#define IWARP_TRAFFIC_LIVE_PLAY_SESSION_H

#include "traffic-gen/live/tcp/live.h"
#include "traffic-gen/scenario/scenario_source.h"

struct session_options {
    bool listens;
    const char *host, *port;
    bool on_device;          /* connects to host and port through an RDMA device: only NFS clients, without recording */
    const char *own_address; /* with on_device: this side's address; NULL: chosen by routing */
    const struct scenario_source *source;
    const GPtrArray *faults; /* NULL: none */
    unsigned mtu;            /* 0: the scenario's own */
    uint64_t seed;
    int64_t timeout_ns;
    const char *record; /* capture file, created when it listens or before it connects; NULL: none */
    /*
     * For NFS clients: the export, and the TCP port of MOUNT (versions 2 and 3), "rpcbind" to ask for it. NULL: "/",
     * and MOUNT on the same connection.
     */
    const char *export, *mount_port;
    int64_t first_delay_ns; /* from the start-up to their first Call */
};

enum session_end { SESSION_PLAYED, SESSION_OTHERWISE, SESSION_NOT_BEGUN };

/* *why: the difference, or why it could not start (for g_free()). After a signal: SESSION_OTHERWISE. */
enum session_end session_play(const struct session_options *options, char **why);

#endif
