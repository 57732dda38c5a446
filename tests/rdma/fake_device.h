/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RDMA device for tests (fake_rdma.c), linked with a test of one process: its properties, its objects, and its
 * work, which the test's loop does instead of a thread.
 */
#ifndef IWARP_TESTS_FAKE_DEVICE_H
#define IWARP_TESTS_FAKE_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/* May be changed at any time. */
struct fake_device {
    bool absent;         /* no device on this host */
    bool no_windows;     /* no memory windows; an RNIC never has any here */
    bool atomics;        /* supports Atomics */
    int refuse_memory;   /* errno of each registration from now on; 0: none */
    int send_queue_full; /* errno of each posted Send or other work; 0: none */
    bool impatient;      /* a Send without a Receive is not repeated */
    bool reads_late;     /* a Read is done after later work has been reported, as by soft iWARP */
    bool sends_late;     /* a Send is acknowledged after its receiver's next message; FAKE_RDMA_LATE */
    bool stream_gone;    /* iWARP: messages meet a stream that the peer has closed */
    bool silent;         /* requests for connections have no effect */
    unsigned steps;      /* work done and events fetched so far */
    int objects;         /* existing objects of the device: 0 when all were given back */
    int windows;         /* among them: memory windows */
};

extern struct fake_device fake_device;

/* Resets to InfiniBand without a thread. Returns a descriptor that is readable when there is work to do. */
int fake_reset(void);
/* Makes it an RNIC, or InfiniBand again. */
void fake_become(bool iwarp);
/* Does one piece of work; waits no longer than this. */
void fake_turn(int timeout_ms);
/* Reports an event about the queue pair of the latest requested connection. */
void fake_report(enum ibv_event_type type);

#endif
