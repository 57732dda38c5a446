/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long to wait for the device: the one place that says so. The user's times are minimums. A device that was seen to
 * need longer, on connections with nothing odd, has longer everywhere.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_PATIENCE_H
#define IWARP_TRAFFIC_SUITE_TALK_PATIENCE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Zero: nothing was seen yet. */
struct patience {
    gint slowest_ms; /* what answers took lately; atomic */
};

/* An answer to something usual took so long. */
void patience_note(struct patience *patience, int64_t took_ns);
/* At least `given` ns. sure: longer, as nothing was seen yet; what is silent for so long is believed to be silent. */
int64_t patience_wait(const struct patience *patience, int64_t given, bool sure);
/* For what the device may put off until `given` ns have passed. */
int64_t patience_after(const struct patience *patience, int64_t given);

#endif
