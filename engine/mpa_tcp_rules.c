// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/mpa_internal.h"

bool mpa_tcp_new(struct mpa_connection *mpa)
{
    (void)mpa;
    return true;
}

void mpa_tcp_free(struct mpa_connection *mpa)
{
    (void)mpa;
}

void mpa_tcp_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                     uint64_t acked)
{
    (void)mpa, (void)segment, (void)offset, (void)acked_known, (void)acked;
}

void mpa_tcp_conflict(struct mpa_connection *mpa, unsigned side, uint64_t offset, uint8_t first, uint8_t repeated,
                      uint32_t first_frame, const struct tcp_segment *segment)
{
    (void)mpa, (void)side, (void)offset, (void)first, (void)repeated, (void)first_frame, (void)segment;
}

void mpa_tcp_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    (void)mpa, (void)side, (void)event;
}

void mpa_tcp_end(struct mpa_connection *mpa, unsigned side, bool reset)
{
    (void)mpa, (void)side, (void)reset;
}

void mpa_tcp_finish(struct mpa_connection *mpa)
{
    (void)mpa;
}
