// SPDX-License-Identifier: GPL-2.0-or-later
/* The header of one DDP Segment by itself: RFC 5041 section 4, RFC 5040 section 4.1, RFC 7306 section 4. */
#include "engine/rdmap_internal.h"

void ddp_judge_no_header(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    (void)rdmap, (void)step;
}

void ddp_judge_header(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    (void)rdmap;
    step->sound = step->info != NULL && step->info->tagged == ddp->tagged &&
                  (ddp->tagged || ddp->qn == (uint32_t)step->info->queue);
}
