/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a fault stays visible in an incomplete capture. This model does not know how the checker works; `true` names
 * faults that no checker may miss, `false` proves nothing.
 */
#ifndef IWARP_TRAFFIC_EXPLORE_SIMULATE_VISIBLE_H
#define IWARP_TRAFFIC_EXPLORE_SIMULATE_VISIBLE_H

#include "traffic-gen/explore/simulate/judge.h"

/* The packets that a capture lacks, or has only a part of. */
unsigned visible_missing(const struct view *view, const struct packets *packets);

/*
 * False: on RoCE, the capture lacks a request of this client or of its server, and everything that would show that: its
 * Acknowledge, and all later requests; on iWARP, a RST. It looks like a complete capture of something else, which may
 * be wrong.
 */
bool visible_losses(const struct view *view, const struct packets *packets, const struct plan *plan, unsigned client);

/* False: a network that loses or reorders packets may hide violations of this rule even from a complete capture. */
bool visible_in_whole(const struct plan *plan, const struct rule *rule);

/* found: the finding in the complete capture of the packets. */
bool visible_in(const struct view *view, const struct packets *packets, const struct plan *plan,
                const struct judged_finding *found);

#endif
