/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One side of a planned conversation on a real connection: writes each part of the plan when the peer has come far
 * enough.
 */
#ifndef IWARP_TRAFFIC_LIVE_PLAY_PLAYER_H
#define IWARP_TRAFFIC_LIVE_PLAY_PLAYER_H

#include "traffic-gen/live/play/plan.h"
#include "traffic-gen/live/tcp/live.h"

struct player;

/* plan is borrowed. timeout_ns: how long the peer may lag behind the plan. */
struct player *player_new(const struct plan *plan, unsigned side, struct live_socket *socket, int64_t timeout_ns);
/* Call after the socket's `closed`. */
void player_free(struct player *player);
/* Events for the socket; `closed` is the caller's, who calls player_closed() there. */
void player_events(struct player *player, struct live_events *events);
/* How the peer deviated from the plan, or NULL when the plan was completed; `why` is from `closed`. */
const char *player_closed(struct player *player, const char *why);

#endif
