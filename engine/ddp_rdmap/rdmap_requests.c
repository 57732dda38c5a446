// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read and Atomic Requests in flight, and the request that an answer belongs to: RFC 5040 section 5.2.2, RFC 7306
 * section 7. Both kinds share QN 1 and are answered in its order, so an answer belongs to the oldest open request.
 * Uncaptured requests and answers are handled as follows. Requests in a hole are counted by the MSNs of QN 1 when the
 * next request comes, and entered as unknown. Answers in a hole leave no count: from then on an answer is matched by
 * its fields, until the connection has been idle with nothing open; likewise for a capture that starts mid-connection,
 * where more patience is needed. An answer may be captured before its request: its sender's ACK number then covers more
 * than the capture has shown.
 */
#include "engine/ddp_rdmap/rdmap_internal.h"
#include "wire/invariant.h"

#include <string.h>

enum { CAPACITY_MIN = 2, LOST_MAX = 4096 };

static struct rdmap_request *slot(const struct rdmap_requests *requests, uint64_t serial)
{
    return &requests->ring[serial & (requests->capacity - 1)];
}

static bool open_requests_are_sound(const struct rdmap_requests *requests)
{
    return requests->head <= requests->tail && requests->tail - requests->head <= requests->capacity &&
           (requests->capacity & (requests->capacity - 1)) == 0 && requests->doubted <= requests->tail &&
           requests->peak >= requests->tail - requests->head;
}

struct rdmap_request *rdmap_request_at(struct rdmap_requests *requests, uint64_t serial)
{
    return serial >= requests->head && serial < requests->tail ? slot(requests, serial) : NULL;
}

/* Requests answered out of order are dropped when no older request is open. */
static void drop_answered(struct rdmap_requests *requests)
{
    while (requests->head < requests->tail && slot(requests, requests->head)->answered)
        requests->head++;
    INVARIANT(open_requests_are_sound(requests));
}

struct rdmap_request *rdmap_request_oldest(struct rdmap_requests *requests)
{
    drop_answered(requests);
    return requests->head < requests->tail ? slot(requests, requests->head) : NULL;
}

uint64_t rdmap_requests_open(const struct rdmap_requests *requests)
{
    return requests->tail - requests->head;
}

void rdmap_requests_free(struct rdmap_requests *requests)
{
    arena_drop(requests->ring, requests->capacity * sizeof *requests->ring);
}

static bool requests_grow(struct arena *arena, struct rdmap_requests *requests)
{
    uint64_t capacity = requests->capacity == 0 ? CAPACITY_MIN : 2 * requests->capacity;
    struct rdmap_request *ring = arena_resize(arena, NULL, 0, capacity * sizeof *ring);

    if (!ring)
        return false;
    for (uint64_t i = requests->head; i < requests->tail; i++)
        ring[i & (capacity - 1)] = *slot(requests, i);
    arena_drop(requests->ring, requests->capacity * sizeof *requests->ring);
    requests->ring = ring;
    requests->capacity = capacity;
    INVARIANT(open_requests_are_sound(requests) && rdmap_requests_open(requests) < capacity);
    return true;
}

static struct rdmap_request *requests_enter(const struct rdmap_connection *rdmap, struct rdmap_requests *requests)
{
    struct rdmap_request *request;

    drop_answered(requests);
    if (rdmap_requests_open(requests) >= rdmap->options.operations_max) {
        /* No sender has this many in flight: answers must have been missed, or never come. */
        requests->head++;
        rdmap_requests_distrust(requests);
    }
    if (rdmap_requests_open(requests) == requests->capacity && !requests_grow(rdmap->arena, requests)) {
        rdmap_requests_distrust(requests);
        return NULL;
    }
    request = slot(requests, requests->tail);
    *request = (struct rdmap_request){.serial = requests->tail};
    requests->tail++;
    if (rdmap_requests_open(requests) > requests->peak)
        requests->peak = rdmap_requests_open(requests);
    INVARIANT(open_requests_are_sound(requests) && rdmap_request_at(requests, request->serial) == request);
    INVARIANT(rdmap_requests_open(requests) <= rdmap->options.operations_max);
    return request;
}

void rdmap_requests_distrust(struct rdmap_requests *requests)
{
    requests->uncertain = requests->incomplete = true;
}

/* From now on, the entries are exactly the open requests. */
static void trust(struct rdmap_requests *requests)
{
    requests->uncertain = requests->incomplete = false;
    requests->overdrawn = 0;
    requests->late_until = 0;
}

void rdmap_requests_idle(struct rdmap_requests *requests)
{
    if (rdmap_requests_certain(requests))
        return;
    while (requests->head < requests->tail &&
           (slot(requests, requests->head)->doubtful || !slot(requests, requests->head)->known ||
            slot(requests, requests->head)->answered))
        requests->head++;
    trust(requests);
    requests->idle = true;
    INVARIANT(open_requests_are_sound(requests) && !requests->uncertain && requests->overdrawn == 0);
}

void rdmap_requests_first(struct rdmap_requests *requests)
{
    requests->maybe_lost = requests->lost_within = false;
    if (requests->tail == 0 && !requests->unclaimed && requests->late_until == 0)
        trust(requests);
}

/* The directions may be captured apart: the request's answer may be in a hole that came before it. */
static bool may_be_answered(const struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    const struct rdmap_side *responder = &rdmap->side[other_side(step->side)];

    return responder->hole &&
           (responder->hole_open || !step->fpdu->acked_known || step->fpdu->acked < responder->hole_to);
}

void rdmap_requests_push(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    struct rdmap_side *s = &rdmap->side[step->side];
    struct rdmap_requests *requests = &s->requests;
    struct rdmap_request *request;

    drop_answered(requests);
    /* An open Response may belong to this request, although the Response came first. */
    if (requests->uncertain && !requests->incomplete && requests->head == requests->tail &&
        requests->last_answer_ns != 0 && !rdmap->side[other_side(step->side)].tagged.open &&
        step->fpdu->place.time_ns - requests->last_answer_ns >= rdmap->options.t_react)
        trust(requests);
    request = requests_enter(rdmap, requests);
    if (!request)
        return;
    request->known = true;
    request->msn = step->ddp->msn;
    request->end = step->fpdu->fpdu.offset + step->fpdu->fpdu.length;
    requests->uncertain |= request->end <= requests->late_until || may_be_answered(rdmap, step);
    /*
     * The answer to an older request may be taken for its answer. The first message of a late capture may be a copy,
     * whose answer came before.
     */
    request->doubtful = requests->uncertain || (!rdmap->parameters.startup_seen && !s->from_start && s->messages == 1);
    if (requests->overdrawn > 0 && !requests->maybe_lost) { /* its answer was captured first */
        requests->overdrawn--;
        request->answered = true;
    }
    step->request = request;
    INVARIANT(request->serial + 1 == requests->tail && request->end > step->fpdu->fpdu.offset);
}

void rdmap_requests_cut(struct rdmap_connection *rdmap, const struct rdmap_step *step)
{
    struct rdmap_requests *requests = &rdmap->side[step->side].requests;

    if (requests->overdrawn > 0 && !requests->maybe_lost) /* its answer was captured first */
        requests->overdrawn--;
    else
        requests_enter(rdmap, requests);
}

void rdmap_requests_doubt(struct rdmap_requests *requests)
{
    requests->uncertain = true;
    for (uint64_t i = requests->head > requests->doubted ? requests->head : requests->doubted; i < requests->tail; i++)
        slot(requests, i)->doubtful = true;
    requests->doubted = requests->tail;
    INVARIANT(open_requests_are_sound(requests));
}

void rdmap_requests_unclaimed(struct rdmap_requests *requests)
{
    requests->unclaimed = true;
    rdmap_requests_doubt(requests);
}

void rdmap_requests_hole(struct rdmap_side *requester)
{
    struct rdmap_requests *requests = &requester->requests;

    requests->idle = false;
    requests->maybe_lost = true;
    requests->lost_within |= requester->messages > 0;
}

void rdmap_requests_found(struct rdmap_connection *rdmap, struct rdmap_requests *requests, uint32_t missing)
{
    requests->maybe_lost = requests->lost_within = false;
    if (requests->idle) {
        requests->idle = false;
        return;
    }
    if (missing > LOST_MAX || requests->overdrawn > missing) {
        rdmap_requests_distrust(requests);
        if (requests->overdrawn > 0 && requests->early_to > requests->late_until)
            requests->late_until = requests->early_to;
        requests->overdrawn = 0;
        return;
    }
    missing -= (uint32_t)requests->overdrawn;
    requests->overdrawn = 0;
    while (missing-- > 0 && requests_enter(rdmap, requests))
        ;
    INVARIANT(open_requests_are_sound(requests));
}

static bool requests_fits(const struct rdmap_request *request, const struct ddp_segment *ddp, uint32_t identifier)
{
    if (!request->known || request->answered)
        return false;
    if (ddp->opcode == RDMAP_READ_RESPONSE)
        return request->operation.kind == RDMAP_OP_READ && request->operation.read.sink_stag == ddp->stag &&
               request->operation.read.sink_to == ddp->to;
    return request->operation.kind == RDMAP_OP_ATOMIC && request->operation.atomic.identifier == identifier;
}

/* The first request that fits the answer; NULL: none. */
static struct rdmap_request *requests_fitting(const struct rdmap_requests *requests, const struct ddp_segment *ddp,
                                              uint32_t identifier)
{
    uint64_t end =
        requests->tail - requests->head > RDMAP_SEARCH_MAX ? requests->head + RDMAP_SEARCH_MAX : requests->tail;

    for (uint64_t i = requests->head; i < end; i++)
        if (requests_fits(slot(requests, i), ddp, identifier))
            return slot(requests, i);
    return NULL;
}

bool rdmap_read_is_asked_for(const struct rdmap_requests *requests, const struct ddp_segment *response)
{
    return requests_fitting(requests, response, 0);
}

bool rdmap_atomic_is_asked_for(const struct rdmap_requests *requests, uint32_t identifier)
{
    return requests_fitting(requests, &(struct ddp_segment){.opcode = RDMAP_ATOMIC_RESPONSE}, identifier);
}

static bool of_kind(const struct rdmap_request *request, const struct ddp_segment *ddp)
{
    return request->known && !request->answered &&
           request->operation.kind == (ddp->opcode == RDMAP_READ_RESPONSE ? RDMAP_OP_READ : RDMAP_OP_ATOMIC);
}

/* The first request that fits the answer; if none does, the first of its kind, unless only fields can decide. */
static struct rdmap_request *requests_search(struct rdmap_requests *requests, const struct ddp_segment *ddp,
                                             uint32_t identifier)
{
    struct rdmap_request *fitting = requests_fitting(requests, ddp, identifier);
    uint64_t end =
        requests->tail - requests->head > RDMAP_SEARCH_MAX ? requests->head + RDMAP_SEARCH_MAX : requests->tail;

    for (uint64_t i = requests->head; !fitting && !requests->uncertain && i < end; i++)
        if (of_kind(slot(requests, i), ddp))
            return slot(requests, i);
    return fitting;
}

/* The answer was sent before the request came. */
static bool came_later(const struct rdmap_request *request, const struct rdmap_step *answer)
{
    return answer->acked_known && answer->acked < request->end;
}

/*
 * Finds the request of an answer while the oldest request is in a hole, and its answer may be in a hole, too. Returns
 * the request whose fields fit, unless the answer was sent before that request came; else the oldest. The others stay
 * open, since a hidden request may have the same fields.
 */
static struct rdmap_request *requests_behind_hole(const struct rdmap_requests *requests, struct rdmap_request *oldest,
                                                  const struct rdmap_step *step, uint32_t identifier)
{
    struct rdmap_request *fitting = requests->uncertain ? requests_fitting(requests, step->ddp, identifier) : NULL;

    return fitting && !came_later(fitting, step) ? fitting : oldest;
}

/* No other request that may be open has these fields; a request in a hole may have any fields. */
static bool fits_no_other(const struct rdmap_requests *requests, const struct rdmap_request *fitting,
                          const struct ddp_segment *ddp, uint32_t identifier)
{
    uint64_t end =
        fitting->serial + RDMAP_SEARCH_MAX < requests->tail ? fitting->serial + RDMAP_SEARCH_MAX : requests->tail;

    for (uint64_t i = fitting->serial + 1; i < end; i++)
        if (!slot(requests, i)->known || requests_fits(slot(requests, i), ddp, identifier))
            return false;
    return true;
}

/* The answer fits only one request: older requests were answered in the hole, and later ones are open. */
static void trust_from(struct rdmap_requests *requests, struct rdmap_request *answered)
{
    trust(requests);
    for (uint64_t i = answered->serial; i < requests->tail; i++)
        slot(requests, i)->doubtful = false;
    requests->doubted = answered->serial; /* a later hole may have hidden their answers */
    INVARIANT(answered->serial >= requests->head && answered->serial < requests->tail);
}

/*
 * There is no open request that the answer could answer. early: its sender had received requests that are still to
 * come.
 */
static enum rdmap_match without_request(struct rdmap_requests *requests, const struct rdmap_step *step, bool early)
{
    requests->unclaimed = true;
    if (requests->uncertain)
        return RDMAP_MATCH_UNKNOWN;
    if (!requests->maybe_lost && !early)
        return RDMAP_MATCH_UNSOLICITED;
    requests->overdrawn++;
    requests->early_to = step->acked_known ? step->acked : UINT64_MAX;
    return RDMAP_MATCH_UNKNOWN;
    INVARIANT(requests->overdrawn > 0 && !requests->uncertain);
}

void rdmap_requests_match(struct rdmap_connection *rdmap, struct rdmap_step *step, uint32_t identifier)
{
    struct rdmap_requests *requests = &rdmap->side[other_side(step->side)].requests;
    struct rdmap_request *oldest = rdmap_request_oldest(requests);
    bool early = step->acked_known && step->acked > rdmap->side[other_side(step->side)].end;

    step->match = RDMAP_MATCH_UNKNOWN;
    if (oldest && !oldest->known) {
        step->request = requests_behind_hole(requests, oldest, step, identifier);
        return;
    }
    step->request = oldest ? requests_search(requests, step->ddp, identifier) : NULL;
    if (step->request && (requests->maybe_lost || early) && !requests_fits(step->request, step->ddp, identifier)) {
        rdmap_requests_doubt(requests); /* may just as well answer a missing request, or one still to come */
        step->request = NULL;
        return;
    }
    if (step->request && requests->uncertain && came_later(step->request, step))
        step->request = NULL; /* the answer to a request in the hole */
    if (!step->request) {
        step->match = without_request(requests, step, early);
        return;
    }
    INVARIANT(step->request->known && !step->request->answered);
    if (early) /* a later request with the same sink may be the one answered */
        step->request->doubtful = true;
    if (requests->uncertain) { /* older requests were answered in the hole */
        requests->head = step->request->serial;
        if (!requests->incomplete && !requests->maybe_lost && !early && requests->late_until == 0 &&
            fits_no_other(requests, step->request, step->ddp, identifier))
            trust_from(requests, step->request);
    }
    step->match = step->request->serial == requests->head ? RDMAP_MATCH_HEAD : RDMAP_MATCH_LATER;
    INVARIANT(open_requests_are_sound(requests) && step->request->serial >= requests->head);
}

void rdmap_requests_retire(struct rdmap_requests *requests, struct rdmap_request *request, int64_t time_ns)
{
    request->answered = true;
    requests->last_answer_ns = time_ns;
    drop_answered(requests);
    INVARIANT(requests->head == requests->tail || !slot(requests, requests->head)->answered);
}
