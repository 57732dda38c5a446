// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Segments that look wrong and must be accepted: reserved fields that receivers ignore, and Tagged segments without
 * payload, whose STag and TO are not checked. Terminates about such segments are judged in rdmap_terminate_culprit.c,
 * their acceptance here. Likewise Terminates, for which there is always a buffer (RFC 5040 section 5.4).
 */
#include "engine/ddp_rdmap/rdmap_reaction.h"
#include "wire/invariant.h"

static const enum rule_id rules[ODD_KINDS] = {
    [ODD_RSVD] = RULE_DDP_4_1_11,
    [ODD_RDMAP_RSV] = RULE_RDMAP_4_1_27,
    [ODD_WORD] = RULE_RDMAP_4_1_30,
    [ODD_WORD_EXTENSION] = RULE_RDMAPX_4_1_04,
    [ODD_ZERO_TAGGED] = RULE_DDP_5_2_16,
    [ODD_ATOMIC_RESERVED] = RULE_RDMAPX_5_2_1_03,
    [ODD_COMPARE_DATA] = RULE_RDMAPX_5_2_1_13,
    [ODD_COMPARE_MASK] = RULE_RDMAPX_5_2_1_15,
    [ODD_TERMINATE_RESERVED] = RULE_RDMAP_4_8_29,
    [ODD_TERMINATE] = RULE_RDMAP_5_4_05,
};

enum { TERMINATES = 1u << ODD_TERMINATE_RESERVED | 1u << ODD_TERMINATE };

static unsigned kind_if(bool odd, enum odd_kind kind)
{
    return odd ? 1u << kind : 0;
}

static unsigned kinds_of_atomic(const struct rdmap_atomic_request *atomic)
{
    bool adds = atomic->opcode == RDMAP_ATOMIC_FETCH_ADD;

    return kind_if(atomic->reserved != 0, ODD_ATOMIC_RESERVED) |
           kind_if(adds && atomic->compare_data != 0, ODD_COMPARE_DATA) |
           kind_if(adds && atomic->compare_mask != UINT64_MAX, ODD_COMPARE_MASK);
}

static unsigned kinds_of(const struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;
    unsigned kinds = kind_if(ddp->rsvd != 0, ODD_RSVD) | kind_if(ddp->rdmap_rsv != 0, ODD_RDMAP_RSV);

    if (ddp->tagged)
        return kinds | kind_if(ddp->payload_len == 0, ODD_ZERO_TAGGED);
    if (ddp->stag != 0 && step->info && !step->info->invalidates)
        kinds |= 1u << (step->info->rfc_version_only ? ODD_WORD_EXTENSION : ODD_WORD);
    if (ddp->opcode == RDMAP_ATOMIC_REQUEST && step->operation)
        kinds |= kinds_of_atomic(&step->operation->atomic);
    return kinds | kind_if(reaction_is_terminate(step), ODD_TERMINATE);
}

void rdmap_odd_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct odd_watch *mine = &rdmap->reaction->odd[step->side], *theirs = &rdmap->reaction->odd[1 - step->side];
    unsigned kinds;

    if (mine->pending != 0 && !reaction_is_terminate(step))
        for (unsigned kind = 0; kind < ODD_KINDS; kind++)
            if (reaction_after(step, mine->end[kind]))
                mine->settled |= mine->pending & 1u << kind;
    INVARIANT((mine->settled & ~mine->pending) == 0);
    if (!step->sound || rdmap->reaction->fault[1 - step->side].state != FAULT_UNSEEN)
        return;
    kinds = kinds_of(step);
    if (kinds == 0)
        return;
    for (unsigned kind = 0; kind < ODD_KINDS; kind++)
        if (kinds & 1u << kind)
            theirs->end[kind] = reaction_end_of(step);
    theirs->pending |= kinds;
    theirs->settled &= ~kinds;
    INVARIANT((theirs->settled & ~theirs->pending) == 0 && theirs->pending >> ODD_KINDS == 0);
}

void rdmap_odd_terminate(struct rdmap_connection *rdmap, struct rdmap_step *step,
                         const struct rdmap_terminate *terminate, const struct rdmap_recent *culprit)
{
    struct odd_watch *mine = &rdmap->reaction->odd[step->side], *theirs = &rdmap->reaction->odd[1 - step->side];
    const struct ddp_segment *ddp = &terminate->ddp;

    if (terminate->reserved != 0) {
        theirs->pending |= 1u << ODD_TERMINATE_RESERVED;
        theirs->settled &= ~(1u << ODD_TERMINATE_RESERVED);
        theirs->end[ODD_TERMINATE_RESERVED] = reaction_end_of(step);
    }
    if (culprit && !ddp->tagged && ddp->qn == DDP_QN_TERMINATE && ddp->opcode == RDMAP_TERMINATE && ddp->msn == 1 &&
        ddp->mo == 0) {
        if (rdmap_terminate_is(terminate, RDMAP_LAYER_DDP, 2) && terminate->code == 2)
            rdmap_fail(
                rdmap, step, RULE_RDMAP_5_4_05, culprit->place.frame,
                "expected a buffer for the Terminate in frame %u; found a Terminate that reports the lack of a buffer",
                culprit->place.frame);
        else if (mine->pending & 1u << ODD_TERMINATE_RESERVED)
            rdmap_fail(
                rdmap, step, RULE_RDMAP_4_8_29, culprit->place.frame,
                "expected the Reserved bits of the Terminate in frame %u to be ignored; found a Terminate about it",
                culprit->place.frame);
    }
    /* The Terminate may be about another segment of the peer. */
    for (unsigned kind = 0; kind < ODD_KINDS; kind++)
        if (mine->pending & 1u << kind)
            verdict_inconclusive(rdmap->verdict, rules[kind], WHY_CAUSE, step->fpdu->place.frame);
    mine->pending = mine->settled = 0;
    INVARIANT((theirs->settled & ~theirs->pending) == 0);
}

void rdmap_odd_settle(struct rdmap_connection *rdmap, unsigned reactor, bool closed)
{
    struct odd_watch *watch = &rdmap->reaction->odd[reactor];

    for (unsigned kind = 0; kind < ODD_KINDS; kind++) {
        unsigned bit = 1u << kind;

        if (!(watch->pending & bit))
            continue;
        /* Closing is the way to accept a Terminate. */
        if ((watch->settled & bit) ||
            ((bit & TERMINATES) && closed && reaction_acked(&rdmap->side[reactor], watch->end[kind])))
            verdict_passed(rdmap->verdict, rules[kind]);
        else
            verdict_inconclusive(rdmap->verdict, rules[kind], LOST_OR(WHY_END),
                                 rdmap->side[other_side(reactor)].last.frame);
    }
    watch->pending = watch->settled = 0;
}
