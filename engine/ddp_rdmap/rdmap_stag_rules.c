// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The life of STags, as far as a capture shows it: RFC 5041 section 4.2, RFC 5040 section 4.4, RFC 7306 section 5.
 * Advertisements are ULP payload, which is not decoded here. But an STag that its user has named in a Send with
 * Invalidate is invalid until its owner advertises it again. The user cannot know a new advertisement while nothing
 * from the owner has reached it since, that is, while its ACK numbers stay unchanged. (The captured order proves less:
 * the capture may deliver the two directions in another order, for example around a hole.)
 */
#include "engine/ddp_rdmap/rdmap_answers.h"
#include "engine/ddp_rdmap/rdmap_atomic_state.h"
#include "wire/invariant.h"

enum { INVALID_MAX = 64 };

struct invalidated {
    uint32_t stag;
    uint32_t frame;
    uint64_t acked; /* how far the user had received the owner's direction */
};

/* STags of the other side, by the side that invalidated them. A ring. */
struct rdmap_stag_state {
    struct {
        struct invalidated entry[INVALID_MAX];
        unsigned first, n;
    } side[2];
};

static struct invalidated *entry_at(struct rdmap_stag_state *state, unsigned side, unsigned i)
{
    return &state->side[side].entry[(state->side[side].first + i) % INVALID_MAX];
}

/* A message of the owner may have reached this segment's sender since the invalidation. */
static bool may_be_renewed(const struct rdmap_step *step, const struct invalidated *entry)
{
    return !step->acked_known || step->acked > entry->acked;
}

/* The entry of an STag that is certainly invalid; else NULL. */
static const struct invalidated *stag_find(struct rdmap_connection *rdmap, const struct rdmap_step *step, uint32_t stag)
{
    struct rdmap_stag_state *state = rdmap->stag;

    while (state->side[step->side].n > 0 && may_be_renewed(step, entry_at(state, step->side, 0))) {
        state->side[step->side].first++;
        state->side[step->side].n--;
        INVARIANT(state->side[step->side].n < INVALID_MAX);
    }
    for (unsigned i = 0; i < state->side[step->side].n; i++)
        if (entry_at(state, step->side, i)->stag == stag)
            return entry_at(state, step->side, i);
    return NULL;
}

static void judge_use(struct rdmap_connection *rdmap, struct rdmap_step *step, enum rule_id rule, uint32_t stag,
                      const char *what)
{
    const struct invalidated *entry;

    if (!rdmap->stag || rdmap->stag->side[step->side].n == 0)
        return;
    entry = stag_find(rdmap, step, stag);
    if (entry)
        rdmap_fail(rdmap, step, rule, entry->frame,
                   "expected a valid STag %s; found STag 0x%08x, which was invalidated in frame %u and cannot have "
                   "been advertised anew",
                   what, stag, entry->frame);
    else if (rdmap->stag->side[step->side].n > 0)
        verdict_passed(rdmap->verdict, rule);
}

static void invalidate(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_stag_state *state = rdmap->stag;
    unsigned side = step->side;

    if (!step->acked_known)
        return;
    if (!state)
        state = rdmap->stag = arena_zeroed(rdmap->arena, sizeof *state);
    if (!state)
        return;
    if (state->side[side].n == INVALID_MAX) {
        state->side[side].first++;
        state->side[side].n--;
    }
    *entry_at(state, side, state->side[side].n++) =
        (struct invalidated){.stag = step->ddp->stag, .frame = step->fpdu->place.frame, .acked = step->acked};
    INVARIANT(state->side[side].n > 0 && state->side[side].n <= INVALID_MAX);
}

void rdmap_stag_segment(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    const struct ddp_segment *ddp = step->ddp;

    switch (ddp->opcode) {
    case RDMAP_WRITE:
        if (step->starts && ddp->payload_len > 0)
            judge_use(rdmap, step, RULE_DDP_4_2_08, ddp->stag, "in an RDMA Write");
        break;
    case RDMAP_READ_REQUEST:
        if (step->operation && step->operation->read.size > 0)
            judge_use(rdmap, step, RULE_RDMAP_4_4_09, step->operation->read.source_stag, "as SrcSTag");
        break;
    case RDMAP_ATOMIC_REQUEST:
        if (step->operation)
            judge_use(rdmap, step, RULE_RDMAPX_5_07, step->operation->atomic.stag, "as Remote STag");
        break;
    case RDMAP_SEND_INVALIDATE:
    case RDMAP_SEND_SE_INVALIDATE:
        if (step->ends && !step->faulty)
            invalidate(rdmap, step);
        break;
    default:
        break;
    }
}

void rdmap_stag_skipped(struct rdmap_connection *rdmap, unsigned side)
{
    if (rdmap->stag)
        rdmap->stag->side[0].n = rdmap->stag->side[1].n = 0;
    rdmap_values_hole(rdmap, side);
    rdmap_alignment_forget(rdmap, side, NULL); /* an invalidation may be missing */
    rdmap_answers_hole(rdmap, side);
}
