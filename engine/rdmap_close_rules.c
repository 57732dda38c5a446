// SPDX-License-Identifier: GPL-2.0-or-later
/* The end of an RDMAP stream: RFC 5040 section 6, RFC 5041 section 6.2. */
#include "engine/rdmap_internal.h"

bool rdmap_close_new(struct rdmap_connection *rdmap)
{
    (void)rdmap;
    return true;
}

void rdmap_close_free(struct rdmap_connection *rdmap)
{
    (void)rdmap;
}

void rdmap_close_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    (void)rdmap, (void)step;
}

void rdmap_close_end(struct rdmap_connection *rdmap, unsigned side, bool reset, const struct place *place)
{
    (void)rdmap, (void)side, (void)reset, (void)place;
}

void rdmap_close_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    (void)rdmap, (void)time_ns;
}
