// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read and Atomic Requests and the Responses to them. Only a Response proves that a receiver has processed an FPDU: at
 * a permitted time (RFC 5044 section 6), in spite of an error (section 8), within IRD (RFC 6581 section 9.1).
 */
#include "engine/core/words.h"
#include "engine/mpa/mpa_reaction.h"
#include "wire/invariant.h"

enum { ETYPE_UNTAGGED = 2, CODE_NO_BUFFER = 2, CODE_MSN_RANGE = 3 }; /* for layer DDP, RFC 5041 section 8.2 */

/* i is at most the capacity. */
static unsigned reaction_read_place_of(const struct read_ring *ring, unsigned i)
{
    unsigned place = ring->first + i;

    return place < ring->capacity ? place : place - ring->capacity;
}

static struct read_kept *reaction_read_kept_at(struct read_ring *ring, unsigned i)
{
    return &ring->kept[reaction_read_place_of(ring, i)];
}

static bool ring_is_sound(const struct read_ring *ring)
{
    return ring->n <= ring->capacity && ring->capacity <= READS_KEPT &&
           (ring->capacity == 0 || ring->first < ring->capacity) && (ring->kept != NULL) == (ring->capacity > 0);
}

/* Forgets the `count` oldest Requests. */
static void reaction_read_drop(struct read_ring *ring, unsigned count)
{
    ring->first = reaction_read_place_of(ring, count);
    ring->n -= count;
    INVARIANT(ring_is_sound(ring));
}

void reaction_read_free(struct read_ring *ring)
{
    if (ring)
        arena_drop(ring->kept, ring->capacity * sizeof *ring->kept);
}

/* Makes room for one more Request; the oldest is dropped if necessary. False: out of memory. */
static bool reaction_read_make_room(struct arena *arena, struct read_ring *ring)
{
    unsigned capacity = ring->capacity == 0 ? READS_FIRST : 2 * ring->capacity;
    struct read_kept *kept;

    if (ring->n < ring->capacity)
        return true;
    kept = capacity > READS_KEPT ? NULL : arena_resize(arena, NULL, 0, capacity * sizeof *kept);
    if (!kept && ring->capacity == 0)
        return false;
    if (!kept) {
        ring->skipped = true;
        reaction_read_drop(ring, 1);
        INVARIANT(ring->n < ring->capacity);
        return true;
    }
    for (unsigned i = 0; i < ring->n; i++)
        kept[i] = *reaction_read_kept_at(ring, i);
    arena_drop(ring->kept, ring->capacity * sizeof *ring->kept);
    ring->kept = kept;
    ring->first = 0;
    ring->capacity = capacity;
    INVARIANT(ring_is_sound(ring) && ring->n < ring->capacity);
    return true;
}

/* ---- requests ---- */

static bool reaction_read_fits(const struct read_kept *kept, const struct read_answer *answer)
{
    uint64_t ahead = answer->to - kept->to;

    if (kept->atomic || answer->atomic)
        return kept->atomic && answer->atomic && kept->identifier == answer->identifier;
    return answer->stag == kept->stag && (kept->size == 0 ? ahead == 0 : ahead < kept->size) &&
           answer->octets <= kept->size - ahead;
}

static const char *reaction_read_name_of(const struct read_kept *kept)
{
    return kept->atomic ? "Atomic" : "Read";
}

static void fail_completeness(struct mpa_connection *mpa, const struct place *place, const struct read_kept *kept,
                              uint64_t acked)
{
    if (mpa->side[1 - place->side].hole) { /* the capture may lack another Request with this sink */
        verdict_inconclusive(mpa->verdict, RULE_MPA_6_06, LOST_OR(WHY_HOLE), place->frame);
        return;
    }
    verdict_failed(mpa->verdict, RULE_MPA_6_06, direction_of(mpa, place->side), place, kept->at.frame,
                   "expected the Response only after all %u octets of the %s Request's FPDU had been received; found "
                   "that the Response was sent after %u octets of the Request",
                   (unsigned)(kept->at.end - kept->at.offset), reaction_read_name_of(kept),
                   acked < kept->at.offset ? 0 : (unsigned)(acked - kept->at.offset));
}

/*
 * The receiver has skipped octets that PD_Length did not count, as if they were Private Data, and understood the FPDUs
 * after them.
 */
static void judge_excess_taken(struct mpa_connection *mpa, const struct place *answer, const struct read_kept *kept)
{
    struct startup_seen *startup = &mpa->side[1 - answer->side].startup;

    if (!startup->excess)
        return;
    startup->excess = false;
    verdict_failed(mpa->verdict, RULE_MPA_7_1_1_30, direction_of(mpa, answer->side), answer, startup->place.frame,
                   "expected the connection to be closed after the startup frame in frame %u, whose Private Data is "
                   "longer than PD_Length says; found an answer to the %s Request after the startup frame, in frame %u",
                   startup->place.frame, reaction_read_name_of(kept), kept->at.frame);
}

/* A Response came when only part of this Request had been received: before the Request, as the capture point saw it. */
static void judge_early(struct mpa_connection *mpa, struct read_ring *ring, struct read_kept *kept)
{
    uint64_t acked = ring->early.acked;

    if (!ring->early.open || !reaction_read_fits(kept, &ring->early.answer))
        return;
    ring->early.open = false;
    if (acked > kept->at.offset && acked < kept->at.end)
        fail_completeness(mpa, &ring->early.place, kept, acked);
    if (acked <= kept->at.offset) /* sent without receiving any of the Request: not an answer to it */
        return;
    judge_excess_taken(mpa, &ring->early.place, kept);
    kept->answered = true;
    if (ring->early.answer.last)
        ring->n--;
    INVARIANT(ring_is_sound(ring) && kept->answered);
}

static bool decode_request(const struct mpa_fpdu_event *event, struct read_kept *kept)
{
    const struct ddp_segment *ddp = &event->ddp;
    struct rdmap_read_request read;
    struct rdmap_atomic_request atomic;

    if (!reaction_is_request(event))
        return false;
    *kept = (struct read_kept){.atomic = ddp->opcode == RDMAP_ATOMIC_REQUEST};
    if (kept->atomic) {
        if (!rdmap_atomic_request_decode(&atomic, ddp->payload, ddp->payload_len))
            return false;
        kept->identifier = atomic.identifier;
        return true;
    }
    if (!rdmap_read_request_decode(&read, ddp->payload, ddp->payload_len))
        return false;
    kept->stag = read.sink_stag;
    kept->to = read.sink_to;
    kept->size = read.size;
    return true;
}

static void reaction_read_keep(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    const struct mpa_fpdu_event *event = fpdu->event;
    struct read_ring **ring = &mpa->reaction->reads[fpdu->side];
    const struct error_watch *error = &mpa->reaction->error[1 - fpdu->side];
    struct read_kept request, *kept;

    if (*ring)
        (*ring)->last_is_read = false;
    if (!decode_request(event, &request))
        return;
    if (!*ring)
        *ring = arena_zeroed(mpa->arena, sizeof **ring);
    if (!*ring || !reaction_read_make_room(mpa->arena, *ring))
        return;
    request.at = (struct stimulus){
        .offset = event->fpdu.offset, .end = event->fpdu.offset + event->fpdu.length, .frame = event->place.frame};
    request.wrong_crc = reaction_is_error(mpa, event);
    request.after_wrong = error->state != ERROR_NONE && error->state != ERROR_SETTLED;
    request.first = !request.atomic && mpa_is_first(mpa, fpdu->side, event) && (int)fpdu->side == initiator_of(mpa);
    kept = reaction_read_kept_at(*ring, (*ring)->n++);
    *kept = request;
    INVARIANT(ring_is_sound(*ring) && kept->at.end > kept->at.offset);
    (*ring)->last_is_read = !request.atomic;
    judge_early(mpa, *ring, kept);
}

/* ---- responses ---- */

/*
 * Responses come in the order of the Requests (RFC 5040 section 5.5): finds the oldest that fits, preferring a correct
 * Request.
 */
static int reaction_read_find(struct read_ring *ring, const struct read_answer *answer)
{
    int faulty = -1;

    for (unsigned i = 0; i < ring->n; i++) {
        const struct read_kept *kept = reaction_read_kept_at(ring, i);

        if (!reaction_read_fits(kept, answer))
            continue;
        if (!kept->wrong_crc && !kept->after_wrong)
            return (int)i;
        if (faulty < 0)
            faulty = (int)i;
    }
    return faulty;
}

/* The FPDU had to be complete before its contents were passed on (section 6). */
static void judge_completeness(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu,
                               const struct read_ring *ring, const struct read_kept *kept)
{
    if (!fpdu->acked_known || kept->answered)
        return;
    /*
     * If no octet of the Request had been received, the Response may answer an older, similar Request that was
     * forgotten.
     */
    if (fpdu->acked <= kept->at.offset && (ring->skipped || ring->early.lost || !mpa->parameters.startup_seen))
        return;
    if (fpdu->acked < kept->at.end)
        fail_completeness(mpa, &fpdu->event->place, kept, fpdu->acked);
    else
        verdict_passed(mpa->verdict, RULE_MPA_6_06);
}

/*
 * The Initiator's first FPDU was a Read Request, and a later Request is answered first. If the first is answered
 * afterwards, only the order is wrong (RFC 5040 section 5.2.2): the end decides.
 */
static void reaction_read_judge_first(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu,
                                      struct read_ring *ring, unsigned answered)
{
    const struct read_kept *first = reaction_read_kept_at(ring, 0);

    INVARIANT(answered < ring->n);
    if (answered == 0 || reaction_read_kept_at(ring, answered)->atomic || !first->first || first->answered ||
        first->wrong_crc || mpa->parameters.peer_to_peer || mpa->side[fpdu->side].hole ||
        mpa->reaction->responder_understood || ring->early.lost)
        return;
    mpa->reaction->responder_understood = true;
    mpa->reaction->passed_over.first = *first;
    mpa->reaction->passed_over.place = fpdu->event->place;
    mpa->reaction->passed_over.later_frame = reaction_read_kept_at(ring, answered)->at.frame;
}

static void answer_passed_over(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu,
                               const struct read_answer *answer)
{
    if (mpa->reaction->passed_over.later_frame != 0 && fpdu->side == mpa->reaction->passed_over.place.side &&
        reaction_read_fits(&mpa->reaction->passed_over.first, answer))
        mpa->reaction->passed_over.later_frame = 0;
}

void reaction_read_finish(struct mpa_connection *mpa)
{
    const struct place *place = &mpa->reaction->passed_over.place;

    if (mpa->reaction->passed_over.later_frame != 0)
        verdict_failed(mpa->verdict, RULE_MPA_7_1_2_12, direction_of(mpa, place->side), place,
                       mpa->reaction->passed_over.first.at.frame,
                       "expected the RDMA Read Request in the first FPDU to be answered; found the answer to a later "
                       "RDMA Read Request, in frame %u",
                       mpa->reaction->passed_over.later_frame);
    mpa->reaction->passed_over.later_frame = 0;
}

static bool decode_answer(const struct mpa_fpdu_event *event, struct read_answer *answer)
{
    const struct ddp_segment *ddp = &event->ddp;
    struct rdmap_atomic_response atomic;

    if (!event->has_ddp || event->crc == MPA_CRC_WRONG)
        return false;
    *answer = (struct read_answer){.atomic = ddp->opcode == RDMAP_ATOMIC_RESPONSE, .last = ddp->last};
    if (answer->atomic) {
        if (ddp->tagged || !rdmap_atomic_response_decode(&atomic, ddp->payload, ddp->payload_len))
            return false;
        answer->identifier = atomic.identifier;
        return true;
    }
    answer->stag = ddp->stag;
    answer->to = ddp->to;
    answer->octets = (uint32_t)ddp->payload_len;
    return ddp->tagged && ddp->opcode == RDMAP_READ_RESPONSE;
}

/* Keeps a Response for which there is no Request yet. */
static void reaction_read_keep_early(struct read_ring *ring, const struct reaction_fpdu *fpdu,
                                     const struct read_answer *answer)
{
    if (!fpdu->acked_known)
        return;
    ring->early.lost |= ring->early.open;
    ring->early.open = true;
    ring->early.answer = *answer;
    ring->early.acked = fpdu->acked;
    ring->early.place = fpdu->event->place;
}

static void judge_answer_of(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu, struct read_ring *ring,
                            unsigned i)
{
    struct read_kept *kept = reaction_read_kept_at(ring, i);

    if (kept->wrong_crc || kept->after_wrong)
        reaction_error_answered(mpa, fpdu, kept);
    else
        judge_completeness(mpa, fpdu, ring, kept);
    judge_excess_taken(mpa, &fpdu->event->place, kept);
    reaction_read_judge_first(mpa, fpdu, ring, i);
    kept->answered = true;
    INVARIANT(i < ring->n);
}

static void reaction_read_answer(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    struct read_ring **ring = &mpa->reaction->reads[1 - fpdu->side];
    struct read_answer answer;
    int i;

    if (!decode_answer(fpdu->event, &answer))
        return;
    if (!*ring)
        *ring = arena_zeroed(mpa->arena, sizeof **ring);
    if (!*ring)
        return;
    answer_passed_over(mpa, fpdu, &answer);
    i = reaction_read_find(*ring, &answer);
    if (i < 0) {
        reaction_read_keep_early(*ring, fpdu, &answer);
        return;
    }
    judge_answer_of(mpa, fpdu, *ring, (unsigned)i);
    (*ring)->skipped |= i > 0;
    if (answer.last)
        reaction_read_drop(*ring, (unsigned)i + 1);
}

/* ---- IRD ---- */

/* How many Requests of `side` its peer has declared to support; false when not negotiated. */
static bool reaction_read_limit_of(const struct mpa_connection *mpa, unsigned side, unsigned *limit, enum rule_id *rule)
{
    const struct mpa_parameters *parameters = &mpa->parameters;
    bool initiator = (int)side == parameters->initiator_side;

    if (!parameters->ird_ord_known || !parameters->enhanced || parameters->initiator_side < 0)
        return false;
    *limit = initiator ? parameters->ird : parameters->ord;
    *rule = initiator ? RULE_MPA2_9_1_03 : RULE_MPA2_9_1_14;
    /* REP.ORD above REQ.IRD was never agreed on: MPA2-9.1-16. */
    if (!initiator && *limit > mpa->side[parameters->initiator_side].startup.frame.enhanced.ird)
        return false;
    return *limit != MPA_IRD_ORD_NOT_NEGOTIATED && *limit > 0;
}

/* The Terminate is about a missing buffer, or an MSN out of range, on the queue of RDMA Read Requests. */
static bool refuses_read(const struct mpa_reaction_state *state, unsigned reader,
                         const struct rdmap_terminate *terminate)
{
    if (terminate->layer != RDMAP_LAYER_DDP || terminate->etype != ETYPE_UNTAGGED ||
        (terminate->code != CODE_NO_BUFFER && terminate->code != CODE_MSN_RANGE))
        return false;
    if (!terminate->has_ddp) /* decide by the last FPDU */
        return state->reads[reader] && state->reads[reader]->last_is_read;
    return !terminate->ddp.tagged && terminate->ddp.qn == DDP_QN_READ_REQUEST;
}

/* The enclosed header shows another reason than too many Requests. */
static bool refused_for_other_reason(const struct mpa_connection *mpa, unsigned reader,
                                     const struct rdmap_terminate *terminate)
{
    uint64_t requests = mpa->reaction->requests[reader];

    if (!terminate->has_ddp)
        return false;
    if (terminate->ddp.opcode == RDMAP_ATOMIC_REQUEST)
        return true; /* RDMAPX-5.2.2-09 */
    /* The RTR is the first Request, and has a rule of its own: MPA2-9.2-05. */
    if (terminate->ddp.msn == 1 && (int)reader == initiator_of(mpa) && mpa->parameters.peer_to_peer &&
        mpa->parameters.rtr & MPA_RTR_READ)
        return true;
    /* The MSN may really have been out of range, if the last request had a wrong one. */
    return terminate->code == CODE_MSN_RANGE &&
           (terminate->ddp.msn > requests || terminate->ddp.msn + mpa->side[reader].reads_outstanding <= requests);
}

static void judge_ird(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    unsigned reader = 1 - fpdu->side, limit;
    struct mpa_reaction_state *state = mpa->reaction;
    const struct rdmap_terminate *terminate = &fpdu->terminate;
    enum rule_id rule;

    if (state->reads_peak[reader] == 0 || !reaction_read_limit_of(mpa, reader, &limit, &rule))
        return;
    if (!fpdu->is_terminate) {
        if (state->reads_limit_reached[reader] && mpa->side[reader].reads_outstanding < limit) {
            verdict_passed(mpa->verdict, rule);
            state->reads_limit_reached[reader] = false;
        }
        return;
    }
    if (!refuses_read(state, reader, terminate) || refused_for_other_reason(mpa, reader, terminate))
        return;
    /* The Terminate's sender may have received a Request that the capture lacks, or shows later. */
    if (mpa->side[0].hole || mpa->side[1].hole ||
        (fpdu->acked_known && fpdu->acked > mpa->side[reader].next + mpa->side[reader].fin))
        verdict_inconclusive(mpa->verdict, rule, LOST_OR(WHY_ORDER), fpdu->event->place.frame);
    else if (state->reads_peak[reader] <= limit)
        verdict_failed(mpa->verdict, rule, direction_of(mpa, fpdu->side), &fpdu->event->place,
                       mpa->side[reader].last_frame,
                       "expected %u simultaneous RDMA Read Requests to be accepted; found a Terminate (layer 1, error "
                       "type 2, code %u) although there were never more than %u RDMA Read Request%s",
                       limit, terminate->code, (unsigned)state->reads_peak[reader], plural(state->reads_peak[reader]));
}

static void reaction_read_count_reads(struct mpa_connection *mpa, unsigned reader)
{
    struct mpa_reaction_state *state = mpa->reaction;
    uint64_t now = mpa->side[reader].reads_outstanding;
    unsigned limit;
    enum rule_id rule;

    if (now > state->reads_peak[reader])
        state->reads_peak[reader] = now;
    if (now > 0 && reaction_read_limit_of(mpa, reader, &limit, &rule) && now == limit)
        state->reads_limit_reached[reader] = true;
    INVARIANT(state->reads_peak[reader] >= now);
}

void reaction_read_fpdu(struct mpa_connection *mpa, const struct reaction_fpdu *fpdu)
{
    reaction_read_answer(mpa, fpdu);
    judge_ird(mpa, fpdu);
    if (fpdu->event->has_ddp && !fpdu->event->ddp.tagged && fpdu->event->ddp.qn == DDP_QN_READ_REQUEST)
        mpa->reaction->requests[fpdu->side] += fpdu->event->ddp.last;
    reaction_read_keep(mpa, fpdu);
    reaction_read_count_reads(mpa, fpdu->side);
}
