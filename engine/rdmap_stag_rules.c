// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of STags, as far as a capture shows it. */
#include "engine/rdmap_internal.h"

bool rdmap_stag_new(struct rdmap_connection *rdmap)
{
    (void)rdmap;
    return true;
}

void rdmap_stag_free(struct rdmap_connection *rdmap)
{
    (void)rdmap;
}

void rdmap_stag_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    (void)rdmap, (void)step;
}

void rdmap_stag_skipped(struct rdmap_connection *rdmap, unsigned side)
{
    (void)rdmap, (void)side;
}
