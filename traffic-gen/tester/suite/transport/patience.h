/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long to wait for the device; other files ask here. The user's times are minimums. A device that was seen to need
 * longer on connections without errors gets more time everywhere.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_TRANSPORT_PATIENCE_H
#define IWARP_TRAFFIC_TESTER_SUITE_TRANSPORT_PATIENCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* All zero: nothing was seen yet. */
struct patience {
    gint slowest_ms; /* time of recent answers; atomic */
};

/* Notes the time of an answer to a usual message. */
void patience_note(struct patience *patience, int64_t took_ns);
/* Returns at least `given` ns. sure: longer, because nothing was seen yet; a silence of this length counts. */
int64_t patience_wait(const struct patience *patience, int64_t given, bool sure);
/* For reactions that the device may delay until `given` ns have passed. */
int64_t patience_after(const struct patience *patience, int64_t given);

#endif
