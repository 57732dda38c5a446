// SPDX-License-Identifier: GPL-2.0-or-later
#include "plugins/rpcrdma/ib_flow.h"

#include "plugins/common/by_frame.h"
#include "plugins/common/keep.h"

#include <epan/wmem_scopes.h>

static struct by_frame frames; /* struct kept_segment: the first that was reported in the frame */

const struct kept_segment *rpcrdma_ib_segments(uint32_t number)
{
    return by_frame_get(&frames, number);
}

static struct kept_packet usual_packet;

static struct kept_packet *packet_of_segment(struct kept_segment *segment)
{
    if (segment->packet == &usual_packet)
        segment->packet = keep_new(sizeof *segment->packet);
    return segment->packet;
}

void rpcrdma_ib_keep(struct kept_segment *segment, const struct place *place)
{
    struct kept_segment *last = by_frame_get(&frames, segment->record.frame);

    segment->packet = &usual_packet;
    if (place->first_frame != 0 && place->first_frame != place->frame)
        packet_of_segment(segment)->held_from = place->first_frame;
    if (!last) {
        by_frame_put(&frames, segment->record.frame, segment);
        return;
    }
    while (last->packet->next_in_frame)
        last = last->packet->next_in_frame;
    packet_of_segment(last)->next_in_frame = segment;
}

/* ---- Sends of several packets ---- */

void rpcrdma_ib_open_send(struct rpcrdma_flow *flow, struct kept_segment *segment, bool first)
{
    unsigned side = segment->side & 1u;

    segment->of_send = true;
    if (first || !flow->open_send[side])
        flow->open_send[side] = segment;
    else
        packet_of_segment(flow->last_of_send[side])->next_in_send = segment;
    flow->last_of_send[side] = segment;
}

static struct kept_sent *ib_flow_sent_of(struct kept_message *message)
{
    if (!message->sent)
        message->sent = keep_new(sizeof *message->sent);
    return message->sent;
}

/* A Send that is the payload of its frame need not be copied. */
static bool needs_octets(const struct rpcrdma_flow *flow, const struct kept_segment *first,
                         const struct kept_segment *last)
{
    return first != last || last->packet->held_from != 0 || last->record.frame < *flow->now;
}

static void ib_flow_note_answer(struct rpcrdma_flow *flow, const struct rpcrdma_message *message,
                                struct kept_message *kept)
{
    unsigned side = message->side & 1u;

    if (message->kind != RPCRDMA_KIND_REPLY && message->kind != RPCRDMA_KIND_ERROR)
        return;
    if (!flow->answers[side])
        flow->answers[side] = wmem_alloc_array(wmem_file_scope(), struct kept_answer, ANSWERS_KEPT);
    flow->answers[side][flow->n_answers[side]++ % ANSWERS_KEPT] =
        (struct kept_answer){.offset = message->place.offset, .message = kept};
}

void rpcrdma_ib_close_send(struct rpcrdma_flow *flow, const struct rpcrdma_message *message)
{
    struct kept_segment *first = flow->open_send[message->side & 1u];
    struct kept_segment *last = rpcrdma_flow_change(flow, &message->place);
    struct kept_sent *sent;

    flow->open_send[message->side & 1u] = NULL;
    if (!first || !last || !last->message || last != flow->last_of_send[message->side & 1u])
        return;
    ib_flow_note_answer(flow, message, last->message);
    for (struct kept_segment *segment = first; segment != last; segment = segment->packet->next_in_send)
        packet_of_segment(segment)->part_of = last->message;
    if (!needs_octets(flow, first, last))
        return;
    sent = ib_flow_sent_of(last->message);
    sent->first_in = kept_own_frame(first);
    sent->last_in = last->record.frame;
    sent->octets = wmem_memdup(wmem_file_scope(), message->p, message->n);
    sent->n = message->n;
}

/* ---- packets before their connection was known ---- */

void rpcrdma_ib_note_untold(struct rpcrdma_flow *flow, const struct place *place)
{
    const struct kept_segment *segment = rpcrdma_flow_change(flow, place);
    struct kept_untold *untold;

    if (!segment || segment->record.frame >= *flow->now)
        return;
    untold = keep_new(sizeof *untold);
    untold->segment = segment;
    untold->time_ns = place->time_ns;
    if (!flow->untold)
        flow->untold = untold;
    else
        flow->last_untold->next = untold;
    flow->last_untold = untold;
}

const struct kept_untold *rpcrdma_ib_next_untold(struct rpcrdma_flow *flow)
{
    const struct kept_untold *untold = flow->untold;

    if (untold)
        flow->untold = untold->next;
    return untold;
}

/* ---- the transport ---- */

void rpcrdma_ib_on_part(struct rpcrdma_flow *flow, const struct ib_rc_part *part)
{
    unsigned side = part->place.side & 1u;

    if (part->packet->info->response)
        return;
    flow->latest[side] = part->place.frame;
    flow->mark[side] = flow->judge.latest;
}

void rpcrdma_ib_on_hole(struct rpcrdma_flow *flow, const struct verdict *verdict, const struct ib_rc_hole *hole)
{
    bool late = hole->after < flow->latest[hole->side & 1u]; /* requests after the hole have been judged */

    judge_withdraw(&flow->judge, late ? NULL : flow->mark[hole->side & 1u], verdict, hole);
}

/* A side takes an answer with the last copy that was sent before it acknowledges the answer, as in --stats. */
void rpcrdma_ib_on_sent_again(struct rpcrdma_flow *flow, const struct place *place)
{
    unsigned side = place->side & 1u;

    for (unsigned i = 0; i < MIN(flow->n_answers[side], ANSWERS_KEPT); i++) {
        const struct kept_answer *answer = &flow->answers[side][i];

        if (answer->offset != place->offset)
            continue;
        ib_flow_sent_of(answer->message)->received_in = place->frame;
        answer->message->sent->received_ns = place->time_ns;
    }
}

static void ib_flow_file_closed(void)
{
    frames = (struct by_frame){NULL, 0};
}

void rpcrdma_ib_flow_register(void)
{
    register_cleanup_routine(ib_flow_file_closed);
}
