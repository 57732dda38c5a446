/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether the device is alive: a connection of its own that starts as learnt and asks for the sign of life that was
 * learnt. What is dead is told apart, because each wants another cure.
 */
#ifndef IWARP_TRAFFIC_SUITE_ALIVE_H
#define IWARP_TRAFFIC_SUITE_ALIVE_H

#include "traffic-gen/suite/talk_internal.h"

enum device_life {
    DEVICE_ALIVE,
    DEVICE_REFUSES,  /* an RST answers the SYN: nobody listens */
    DEVICE_VANISHED, /* nothing answers the SYN, or the host is not reachable; an Initiator does not come any more */
    DEVICE_REJECTS,  /* R = 1, or a close, after the Request that it took before */
    DEVICE_HANGS,    /* it accepts TCP connections and answers no Request; an Initiator sends none */
    DEVICE_IDLES,    /* it negotiates, and does not exchange any more */
    DEVICE_STOPPED,  /* not known: we were stopped (suite_stopped) */
    DEVICE_LIVES
};

/* "refuses", "vanished", ...: of the reports. */
extern const char *const device_life_names[DEVICE_LIVES];
/* A sentence about a dead one: "the device no longer accepts connections". */
const char *device_life_text(enum device_life life);

/*
 * Tries again until it is alive or `grace` ns have passed; at least once. *how, if not NULL: what was seen last, the
 * caller's to free. patience: how long a connection of an Initiator is waited for; 0: as long as it has taken so far,
 * with a margin.
 */
enum device_life alive_check(struct talk_run *run, int64_t grace, int64_t patience, char **how);

#endif
