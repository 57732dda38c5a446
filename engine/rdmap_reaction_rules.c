// SPDX-License-Identifier: GPL-2.0-or-later
/* Errors found in the capture, and how their receiver answers them. */
#include "engine/rdmap_internal.h"

bool rdmap_reaction_new(struct rdmap_connection *rdmap)
{
    (void)rdmap;
    return true;
}

void rdmap_reaction_free(struct rdmap_connection *rdmap)
{
    (void)rdmap;
}

void rdmap_reaction_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    (void)rdmap, (void)step;
}

void rdmap_reaction_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                              const struct rdmap_terminate *terminate, const struct rdmap_recent *accused)
{
    (void)rdmap, (void)step, (void)terminate, (void)accused;
}

void rdmap_reaction_skipped(struct rdmap_connection *rdmap, unsigned side)
{
    (void)rdmap, (void)side;
}

void rdmap_reaction_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place)
{
    (void)rdmap, (void)side, (void)reset, (void)place;
}

void rdmap_reaction_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    (void)rdmap, (void)time_ns;
}
