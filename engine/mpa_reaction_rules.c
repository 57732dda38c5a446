// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/mpa_internal.h"

bool mpa_reaction_new(struct mpa_connection *mpa)
{
    (void)mpa;
    return true;
}

void mpa_reaction_free(struct mpa_connection *mpa)
{
    (void)mpa;
}

void mpa_reaction_startup(struct mpa_connection *mpa, unsigned side)
{
    (void)mpa, (void)side;
}

void mpa_reaction_bad_startup(struct mpa_connection *mpa, unsigned side, const struct place *place)
{
    (void)mpa, (void)side, (void)place;
}

void mpa_reaction_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    (void)mpa, (void)side, (void)event;
}

void mpa_reaction_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                          bool acked_known, uint64_t acked)
{
    (void)mpa, (void)segment, (void)offset, (void)acked_known, (void)acked;
}

void mpa_reaction_end(struct mpa_connection *mpa, unsigned side, bool reset)
{
    (void)mpa, (void)side, (void)reset;
}

void mpa_reaction_finish(struct mpa_connection *mpa, int64_t time_ns)
{
    (void)mpa, (void)time_ns;
}
