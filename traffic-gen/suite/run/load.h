/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Load: connections of their own that exchange data all the time while cases run. What a case does to its connection
 * must not touch them: each octet that comes back is compared, and a lost, late or changed one is an error of theirs.
 */
#ifndef IWARP_TRAFFIC_SUITE_RUN_LOAD_H
#define IWARP_TRAFFIC_SUITE_RUN_LOAD_H

#include "traffic-gen/suite/talk/talk_internal.h"

enum { LOAD_MAX = 64 };

struct load;

/*
 * n connections to the device, which is a Responder that was learnt, each with data under way. NULL with *why, which
 * the caller frees: there is not one more connection to be had, or nothing comes back on it.
 */
struct load *load_start(struct talk_run *run, unsigned n, char **why);
/*
 * What has gone wrong since the last call, in words: "of 3 other connections, 2 failed: ...". NULL: nothing. The
 * caller frees it.
 */
char *load_errors(struct load *load);
/*
 * Before a case: what went wrong until now is forgotten, as no case is to blame for it, and each connection exchanges
 * data. False: after a while not all do.
 */
bool load_begin(struct load *load);
/* After it: waits until each connection has made a round trip, or failed. What the case did to it has shown by then. */
void load_settle(struct load *load);
/* Round trips whose octets were right, so far. */
uint64_t load_round_trips(struct load *load);
const char *load_what(const struct load *load); /* "Writes that are read back" */
void load_stop(struct load *load);

#endif
