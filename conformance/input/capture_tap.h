/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this host's kernel itself sends and receives over RDMA: iwarp-tap records it, as a child process with the rights
 * that this program was started with. For capture.c.
 */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_TAP_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_TAP_H

#include "conformance/input/capture.h"

#include <sys/types.h>

struct capture_tap {
    pid_t pid;   /* 0: not running */
    int run;     /* the child ends when this is closed; -1: closed */
    int packets; /* a pipe with pcapng; -1: closed */
};

/* The name of the interface. */
bool tap_is_interface(const char *name);
/* Drops all privileges once iwarp-tap is started, and returns when it records. */
bool tap_open(struct capture_tap *tap, const struct capture_live_options *options, struct capture_error *error);
/* Waits for more octets, a moment. */
void tap_wait(const struct capture_tap *tap);
/* Lets iwarp-tap write what it has, and end. Safe in a signal handler. */
void tap_stop(struct capture_tap *tap);
/* Closes everything. True: iwarp-tap recorded until tap_stop(). */
bool tap_close(struct capture_tap *tap);

#endif
