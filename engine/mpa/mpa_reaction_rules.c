// SPDX-License-Identifier: GPL-2.0-or-later
/* Reactions: the hooks of the core, the clock, and what each side has acknowledged. */
#include "engine/mpa/mpa_reaction.h"
#include "engine/terminate/terminate_layout.h"
#include "wire/invariant.h"

bool mpa_reaction_new(struct mpa_connection *mpa)
{
    mpa->reaction = arena_zeroed(mpa->arena, sizeof *mpa->reaction);
    return mpa->reaction != NULL;
}

void mpa_reaction_free(struct mpa_connection *mpa)
{
    if (!mpa->reaction)
        return;
    reaction_read_free(mpa->reaction->reads[0]);
    reaction_read_free(mpa->reaction->reads[1]);
}

/* ---- shared by all families ---- */

struct place reaction_place(const struct mpa_connection *mpa, unsigned side)
{
    const struct mpa_reaction_state *state = mpa->reaction;

    return (struct place){.frame = state->frame,
                          .first_frame = state->frame,
                          .time_ns = state->now,
                          .offset = mpa->side[side].next,
                          .side = (uint8_t)side,
                          .awaited = state->frame_side != side};
}

bool reaction_received(const struct mpa_connection *mpa, unsigned reactor, uint64_t end)
{
    return mpa->reaction->acked_known[reactor] && mpa->reaction->acked[reactor] >= end;
}

bool reaction_sees_all(const struct mpa_connection *mpa)
{
    return mpa_sees_all(mpa);
}

bool reaction_lost(const struct mpa_connection *mpa, unsigned reactor)
{
    const struct mpa_reaction_state *reaction = mpa->reaction;
    const struct tcp_side_facts *facts;

    if (mpa->side[reactor].hole)
        return true;
    if (!mpa->tcp)
        return false;
    facts = tcp_pair_facts(mpa->tcp, reactor);
    /* The current segment may be the one that acknowledges a FIN which is missing, or comes a frame late. */
    return facts->next < facts->highest || (facts->acked_known && facts->acked > facts->next + facts->fin) ||
           (reaction->acked_known[1 - reactor] && reaction->acked[1 - reactor] > facts->next + facts->fin);
}

bool reaction_is_end(const struct tcp_segment *segment, unsigned reactor)
{
    return segment && segment->side == reactor && segment->flags & (TCP_FIN | TCP_RST);
}

double reaction_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}

bool reaction_after(const struct reaction_fpdu *fpdu, uint64_t end)
{
    return !fpdu->acked_known || fpdu->acked >= end;
}

bool reaction_is_mpa_error(const struct rdmap_terminate *terminate)
{
    return terminate->layer == RDMAP_LAYER_LLP && terminate->etype == 0;
}

/* ---- hooks ---- */

static void advance(struct mpa_connection *mpa, int64_t time_ns, uint32_t frame, unsigned side)
{
    struct mpa_reaction_state *state = mpa->reaction;

    /* Frames of merged captures may go back in time: deadlines do not. */
    if (time_ns > state->now)
        state->now = time_ns;
    if (frame > state->frame) {
        state->frame = frame;
        state->frame_side = (uint8_t)side;
    }
    INVARIANT(state->now >= time_ns && state->frame >= frame && state->frame_side < 2);
}

static void reaction_acknowledge(struct mpa_connection *mpa, unsigned side, uint64_t acked)
{
    struct mpa_reaction_state *state = mpa->reaction;

    if (!state->acked_known[side] || acked > state->acked[side])
        state->acked[side] = acked;
    state->acked_known[side] = true;
    INVARIANT(state->acked[side] >= acked);
}

void mpa_reaction_startup(struct mpa_connection *mpa, unsigned side)
{
    const struct startup_seen *startup = &mpa->side[side].startup;

    advance(mpa, startup->place.time_ns, startup->place.frame, side);
    reaction_close_startup(mpa, side);
    reaction_establish_startup(mpa, side);
    reaction_wait_startup(mpa, side);
}

void mpa_reaction_bad_startup(struct mpa_connection *mpa, unsigned side, const struct place *place)
{
    advance(mpa, place->time_ns, place->frame, side);
    reaction_close_bad_reply(mpa, side, place);
}

/* Decodes a Terminate as intended, if the layout of its control word is wrong (RDMAP-4.8-02). */
static bool decode_terminate(struct mpa_connection *mpa, unsigned side, struct rdmap_terminate *terminate,
                             const uint8_t *p, size_t n)
{
    enum rdmap_terminate_status status = rdmap_terminate_decode(terminate, p, n);

    rdmap_terminate_reread(terminate, &status, p, n, &mpa->host[side]);
    return status != RDMAP_TERMINATE_SHORT;
}

void mpa_reaction_fpdu(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    const struct octets_origin *origin = event->first;
    struct reaction_fpdu fpdu; /* terminate is set only if is_terminate */

    fpdu.event = event;
    fpdu.side = side;
    fpdu.acked_known = origin->acked_known;
    fpdu.acked = origin->acked;
    advance(mpa, event->place.time_ns, event->place.frame, side);
    if (origin->acked_known)
        reaction_acknowledge(mpa, side, origin->acked);
    /*
     * The part that it asks for, or complains about, was not captured: neither a reaction nor its absence proves
     * anything.
     */
    if (event->has_ddp && event->ddp.lacking > 0 && !event->ddp.tagged && event->ddp.qn != DDP_QN_SEND) {
        verdict_lose(mpa->verdict, WHY_CUT, event->place.frame);
        mpa->side[0].hole = mpa->side[1].hole = true;
    }
    fpdu.is_terminate = event->crc != MPA_CRC_WRONG && event->has_ddp && !event->ddp.tagged &&
                        event->ddp.qn == DDP_QN_TERMINATE && event->ddp.opcode == RDMAP_TERMINATE &&
                        event->ddp.lacking == 0 &&
                        decode_terminate(mpa, side, &fpdu.terminate, event->ddp.payload, event->ddp.payload_len);
    reaction_close_fpdu(mpa, &fpdu);
    reaction_establish_fpdu(mpa, &fpdu);
    reaction_read_fpdu(mpa, &fpdu);
    reaction_error_fpdu(mpa, &fpdu);
    reaction_accept_fpdu(mpa, &fpdu);
    mpa->reaction->terminated[side] |= fpdu.is_terminate;
}

void mpa_reaction_segment(struct mpa_connection *mpa, const struct tcp_segment *segment, uint64_t offset,
                          bool acked_known, uint64_t acked)
{
    unsigned side = segment->side;

    advance(mpa, segment->time_ns, segment->frame, side);
    if (acked_known)
        reaction_acknowledge(mpa, side, acked);
    if (!reaction_sees_all(mpa))
        return;
    reaction_close_segment(mpa, segment);
    reaction_establish_segment(mpa, segment);
    reaction_wait_segment(mpa, segment);
    reaction_error_segment(mpa, segment, offset);
    reaction_accept_segment(mpa, segment, offset);
}

void mpa_reaction_conflict(struct mpa_connection *mpa, unsigned side, uint64_t offset,
                           const struct tcp_segment *segment)
{
    mpa->reaction->conflict_from[side] = offset;
    mpa->reaction->conflict_to[side] = offset + segment->length;
    INVARIANT(mpa->reaction->conflict_to[side] >= mpa->reaction->conflict_from[side]);
    if (reaction_sees_all(mpa))
        reaction_error_repaired(mpa, side, offset, segment);
}

void mpa_reaction_end(struct mpa_connection *mpa, unsigned side, bool reset)
{
    const struct place *place = &mpa->side[side].end_place;

    advance(mpa, place->time_ns, place->frame, side);
    reaction_close_end(mpa, side, reset);
    reaction_establish_end(mpa, side, reset);
    reaction_wait_end(mpa, side);
    reaction_error_end(mpa, side, reset);
    mpa->reaction->ended[side] = true;
}

void mpa_reaction_finish(struct mpa_connection *mpa, int64_t time_ns)
{
    advance(mpa, time_ns, 0, 0);
    reaction_close_finish(mpa);
    reaction_establish_finish(mpa);
    reaction_wait_finish(mpa);
    reaction_error_finish(mpa);
    reaction_accept_finish(mpa);
    reaction_read_finish(mpa);
}
