/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RDMA device for tests (fake_rdma.c), linked with a test of one process: what it is to be like, what it has given
 * away, and its work, which the test's loop does in place of a thread.
 */
#ifndef IWARP_TESTS_FAKE_DEVICE_H
#define IWARP_TESTS_FAKE_DEVICE_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/* May be changed at any time. */
struct fake_device {
    bool absent;         /* no device on this host */
    bool no_windows;     /* no memory windows, which an RNIC never has here */
    bool atomics;        /* it performs Atomics */
    int refuse_memory;   /* errno of each registration from now on; 0: none */
    int send_queue_full; /* errno of each posted Send or other work; 0: none */
    bool impatient;      /* a Send that finds no Receive is not tried again */
    bool reads_late;     /* a Read is done after what follows it has been reported, as by soft iWARP */
    bool sends_late;     /* a Send is acknowledged after what its receiver has sent next; FAKE_RDMA_LATE */
    bool stream_gone;    /* iWARP: what is sent meets a stream that the peer has closed */
    bool silent;         /* connections are asked for, and nothing happens */
    unsigned steps;      /* pieces of work done, and events fetched, so far */
    int objects;         /* of the device, that exist: 0 when everything was given back */
    int windows;         /* among them: memory windows */
};

extern struct fake_device fake_device;

/* As at the beginning: InfiniBand, without a thread. Returns a descriptor that is readable when there is work to do. */
int fake_reset(void);
/* An RNIC, or InfiniBand again. */
void fake_become(bool iwarp);
/* Does one piece of work; waits for it no longer than that. */
void fake_turn(int timeout_ms);
/* The device reports an event about the queue pair of the latest connection that was asked for. */
void fake_report(enum ibv_event_type type);

#endif
