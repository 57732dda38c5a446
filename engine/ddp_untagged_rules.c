// SPDX-License-Identifier: GPL-2.0-or-later
/* Untagged messages: queues, MSN, MO, Last: RFC 5041 sections 4.3, 5.2, 5.3. */
#include "engine/rdmap_internal.h"

#include <stdlib.h>
#include <string.h>

void ddp_untagged_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_side *s = &rdmap->side[step->side];
    const struct ddp_segment *ddp = step->ddp;
    struct ddp_queue *q = &s->queue[ddp->qn];
    struct ddp_message *m = &q->message;

    if (!q->open) {
        *m = (struct ddp_message){.number = s->messages++,
                                  .control = step->fpdu->fpdu.ulpdu[1],
                                  .opcode = ddp->opcode,
                                  .first_known = ddp->mo == 0,
                                  .stag = ddp->stag,
                                  .qn = ddp->qn,
                                  .msn = ddp->msn,
                                  .start = ddp->mo,
                                  .first = step->fpdu->place};
        q->any = q->open = step->starts = true;
        q->known = true;
        q->messages++;
        q->expected = ddp->msn + 1;
    }
    m->next = ddp->mo + ddp->payload_len;
    m->octets += ddp->payload_len;
    m->segments++;
    m->last = step->fpdu->place;
    step->message = m;
    step->complete = step->ends && m->first_known && !m->damaged;
    if (m->segments == 1) {
        step->content = ddp->payload;
        step->content_len = ddp->payload_len;
    }
    if (step->ends)
        q->open = false;
}

void ddp_untagged_hole(struct rdmap_connection *rdmap, unsigned side)
{
    for (unsigned qn = 0; qn < DDP_QUEUES; qn++)
        rdmap->side[side].queue[qn] = (struct ddp_queue){.content = rdmap->side[side].queue[qn].content};
}

void ddp_untagged_end(struct rdmap_connection *rdmap, unsigned side, bool fin)
{
    (void)rdmap, (void)side, (void)fin;
}
