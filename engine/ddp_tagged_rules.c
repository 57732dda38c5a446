// SPDX-License-Identifier: GPL-2.0-or-later
/* Tagged messages: STag, TO, Last: RFC 5041 sections 4.2, 5.2, 5.3. */
#include "engine/rdmap_internal.h"

void ddp_tagged_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_side *s = &rdmap->side[step->side];
    const struct ddp_segment *ddp = step->ddp;
    struct ddp_queue *q = &s->tagged;
    struct ddp_message *m = &q->message;

    if (!q->open) {
        *m = (struct ddp_message){.number = s->messages++,
                                  .control = step->fpdu->fpdu.ulpdu[1],
                                  .opcode = ddp->opcode,
                                  .tagged = true,
                                  .first_known = true,
                                  .stag = ddp->stag,
                                  .start = ddp->to,
                                  .first = step->fpdu->place};
        q->any = q->open = step->starts = true;
        q->messages++;
    }
    m->next = ddp->to + ddp->payload_len;
    m->octets += ddp->payload_len;
    m->segments++;
    m->last = step->fpdu->place;
    step->message = m;
    step->complete = step->ends && m->first_known && !m->damaged;
    if (step->ends)
        q->open = false;
}

void ddp_tagged_hole(struct rdmap_connection *rdmap, unsigned side)
{
    rdmap->side[side].tagged = (struct ddp_queue){0};
}

void ddp_tagged_end(struct rdmap_connection *rdmap, unsigned side, bool fin)
{
    (void)rdmap, (void)side, (void)fin;
}
