/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules about Terminates, shared by their files (rdmap_terminate_*.c, rdmap_reaction_*.c). */
#ifndef IWARP_ENGINE_DDP_RDMAP_RDMAP_TERMINATE_H
#define IWARP_ENGINE_DDP_RDMAP_RDMAP_TERMINATE_H

#include "engine/ddp_rdmap/rdmap_internal.h"
#include "engine/terminate/terminate_layout.h"

/* rdmap_terminate_culprit.c: terminate->has_ddp is set; culprit: the segment at fault, NULL when not kept. */
void rdmap_terminate_judge_culprit(struct rdmap_connection *rdmap, struct rdmap_step *step,
                                   const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit);

static inline bool rdmap_terminate_is(const struct rdmap_terminate *terminate, unsigned layer, unsigned etype)
{
    return terminate->layer == layer && terminate->etype == etype;
}

/* rdmap_reaction_rules.c: whether `side` must report this segment; the Terminate's code is then judged there. */
bool rdmap_reaction_expects(const struct rdmap_connection *rdmap, unsigned side, const struct rdmap_recent *culprit);

/* The request on QN 1 of `side` with this MSN that is not completely answered; NULL when unknown. */
struct rdmap_request *rdmap_open_request(struct rdmap_connection *rdmap, unsigned side, uint32_t msn);

/* The rule about a wrong field in this segment of `side` that its receiver must ignore; RULE_COUNT: none. */
enum rule_id rdmap_overlooked_field(struct rdmap_connection *rdmap, unsigned side, const struct ddp_segment *ddp);

#endif
