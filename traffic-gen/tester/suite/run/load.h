/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load: separate connections that exchange data all the time while cases run. A case must not affect them: every octet
 * that comes back is compared, and a lost, late or changed octet is an error.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_RUN_LOAD_H
#define IWARP_TRAFFIC_TESTER_SUITE_RUN_LOAD_H

#include "traffic-gen/tester/suite/talk/talk_run.h"

enum { LOAD_MAX = 64 };

struct load;

/*
 * Opens n connections to the device, a learned Responder, and exchanges data on each. NULL with *why, which the caller
 * frees: no further connection is possible, or nothing comes back.
 */
struct load *load_start(struct talk_run *run, unsigned n, char **why);
/* Errors since the last call: "of 3 other connections, 2 failed: ...". NULL: none. The caller frees it. */
char *load_errors(struct load *load);
/*
 * Call before a case: forgets earlier errors, which are not the case's fault, and waits until each connection exchanges
 * data. False: some connections do not.
 */
bool load_begin(struct load *load);
/* Call after a case: waits until each connection has made a round trip or failed, to see the case's effects. */
void load_settle(struct load *load);
/* Round trips with the right octets so far. */
uint64_t load_round_trips(struct load *load);
const char *load_what(const struct load *load); /* "Writes that are read back" */
void load_stop(struct load *load);

#endif
