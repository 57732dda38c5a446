/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One side of a scenario with all its connections: scripted ones are played by plans, those of work by the stack. */
#ifndef IWARP_TRAFFIC_LIVE_SESSION_H
#define IWARP_TRAFFIC_LIVE_SESSION_H

#include "traffic-gen/live/tcp/live.h"
#include "traffic-gen/scenario/scenario_source.h"

struct session_options {
    bool listens;
    const char *host, *port;
    bool on_device;          /* connects to host and port by an RDMA device: NFS clients only, and no recording */
    const char *own_address; /* then: this side's address; NULL: as routes say */
    const struct scenario_source *source;
    const GPtrArray *faults; /* NULL: none */
    unsigned mtu;            /* 0: the scenario's own */
    uint64_t seed;
    int64_t timeout_ns;
    const char *record; /* capture file, created once it listens or before it connects; NULL: none */
    /* Of NFS clients: the export, and the TCP port of MOUNT (versions 2 and 3), "rpcbind" to ask for it. NULL: "/", and
     * MOUNT is asked over the same connection. */
    const char *export, *mount_port;
    int64_t first_delay_ns; /* from the start-up to their first Call */
};

enum session_end { SESSION_PLAYED, SESSION_OTHERWISE, SESSION_NOT_BEGUN };

/* *why: what differed, or why it could not start (for g_free()). Stopped by a signal: SESSION_OTHERWISE. */
enum session_end session_play(const struct session_options *options, char **why);

#endif
