/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the device is alive: a separate connection that starts as learnt and asks for the sign of life that was
 * learnt. The ways of being dead are kept apart, because each has another remedy.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_ALIVE_H
#define IWARP_TRAFFIC_SUITE_TALK_ALIVE_H

#include "traffic-gen/suite/talk/talk_internal.h"

enum device_life {
    DEVICE_ALIVE,
    DEVICE_REFUSES,  /* an RST answers the SYN: nobody listens */
    DEVICE_VANISHED, /* nothing answers the SYN, or the host is not reachable; an Initiator no longer connects */
    DEVICE_REJECTS,  /* R = 1, or a close, in reply to the Request that it accepted before */
    DEVICE_HANGS,    /* it accepts TCP connections and answers no Request; an Initiator sends none */
    DEVICE_IDLES,    /* it negotiates, but no longer exchanges anything */
    DEVICE_STOPPED,  /* unknown: the run was stopped (suite_stopped) */
    DEVICE_LIVES
};

/* As reports have them: "refuses", "vanished", ... */
extern const char *const device_life_names[DEVICE_LIVES];
/* A sentence about a dead device: "the device no longer accepts connections". */
const char *device_life_text(enum device_life life);

/*
 * Tries again until it is alive or `grace` ns have passed; at least once. *how, if not NULL: what was seen last, the
 * caller frees it. patience: how long to wait for an Initiator's connection; 0: as long as it has taken so far, plus a
 * margin.
 */
enum device_life alive_check(struct talk_run *run, int64_t grace, int64_t patience, char **how);

/*
 * Connections with nothing odd, between cases, were closed in the start-up or after it, and not just one in many: what
 * it closes otherwise says nothing.
 */
bool device_closes_at_times(struct talk_run *run);
/* Likewise, they did not show it alive: closed, without an answer, with a damaged one. */
bool device_fails_at_times(struct talk_run *run);

#endif
