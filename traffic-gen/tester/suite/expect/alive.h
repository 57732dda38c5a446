/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the device is alive: a separate connection with the learned start-up asks for the learned sign of life. Kinds
 * of death are told apart, because each has a different remedy.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_EXPECT_ALIVE_H
#define IWARP_TRAFFIC_TESTER_SUITE_EXPECT_ALIVE_H

#include "traffic-gen/tester/suite/talk/talk_run.h"

enum device_life {
    DEVICE_ALIVE,
    DEVICE_REFUSES,  /* an RST answers the SYN: nobody listens */
    DEVICE_VANISHED, /* the SYN is unanswered, or the host is unreachable; an Initiator no longer connects */
    DEVICE_REJECTS,  /* R = 1, or a close, in reply to a Request that the device accepted before */
    DEVICE_HANGS,    /* accepts TCP connections but answers no Request; an Initiator sends no Request */
    DEVICE_IDLES,    /* negotiates, but no longer exchanges data */
    DEVICE_STOPPED,  /* unknown: the run was stopped (suite_stopped) */
    DEVICE_LIVES
};

/* As in reports: "refuses", "vanished", ... */
extern const char *const device_life_names[DEVICE_LIVES];
/* A sentence about a dead device: "the device no longer accepts connections". */
const char *device_life_text(enum device_life life);

/*
 * Tries at least once, until the device is alive or `grace` ns have passed. *how, if not NULL: the last observation,
 * freed by the caller. patience: how long to wait for an Initiator's connection; 0: as long as in the past, plus a
 * margin.
 */
enum device_life alive_check(struct talk_run *run, int64_t grace, int64_t patience, char **how);

/*
 * Whether the device closed more than a few connections without errors between cases: then other closes prove nothing.
 */
bool device_closes_at_times(struct talk_run *run);
/* The same for connections that did not show it alive: closed, unanswered, or with a damaged answer. */
bool device_fails_at_times(struct talk_run *run);

#endif
