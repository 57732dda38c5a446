/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An RDMA device of the test's own, for the verbs transport: connections between ends of the same process, whose
 * operations are done when they are posted. Rights and bounds of memory are checked as a device does.
 */
#ifndef IWARP_TESTS_UNIT_SUPPORT_FAKE_VERBS_H
#define IWARP_TESTS_UNIT_SUPPORT_FAKE_VERBS_H

#include "traffic-gen/live/verbs/verbs_calls.h"

#include <stdbool.h>

/* What the device is like; may be changed at any time. */
struct fake_device {
    bool absent;         /* no device on this host */
    bool windows;        /* memory windows of type 2 */
    int refuse_memory;   /* errno of each registration from now on; 0: none */
    int send_queue_full; /* errno of each posted Send or other work; 0: none */
    bool iwarp;          /* its kind */
    bool reads_late;     /* a Read is done after what follows it has been reported, as by soft iWARP */
    bool stream_gone;    /* iWARP: what is sent meets a stream that the peer has closed */
    int reads;           /* max_qp_rd_atom, max_qp_init_rd_atom */
    bool silent;         /* connections are asked for, and nothing happens */
    unsigned steps;      /* events that were fetched so far */
    /* Objects of the device that exist: all 0 when everything was given back. */
    int ids, channels, domains, regions, windows_there, queues, completion_channels, queue_pairs;
};

extern struct fake_device fake;
extern const struct verbs_calls fake_verbs;

/* As at the beginning: a device with windows, and 16 Reads. */
void fake_reset(void);
/* The device reports an event about the queue pair of the latest connection that was asked for. */
void fake_report(enum ibv_event_type type);
/* The latest connection that was asked for: the peer's queue pair sends whatever it likes. */
struct rdma_cm_id *fake_asker(void);

#endif
