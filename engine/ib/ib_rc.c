// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/ib/ib_rc.h"

#include "engine/core/heap.h"
#include "engine/ib/ib_rc_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>

/* ---- life ---- */

struct ib_rc *ib_rc_new(const struct ib_rc_options *options)
{
    struct ib_rc *rc = heap_zeroed(1, sizeof *rc);

    if (!rc)
        return NULL;
    rc->options = *options;
    if (rc->options.limit == 0)
        rc->options.limit = IB_RC_LIMIT_DEFAULT;
    return rc;
}

void ib_rc_listen(struct ib_rc *rc, const struct ib_rc_events *events)
{
    rc->events = *events;
}

void ib_rc_free(struct ib_rc *rc)
{
    if (!rc)
        return;
    for (unsigned side = 0; side < 2; side++) {
        ib_held_free(&rc->side[side].held);
        free(rc->side[side].reads.ring);
        ib_copies_free(&rc->side[side].copies);
        ib_copies_free(&rc->side[side].responses);
    }
    dispute_free(&rc->accept.dispute);
    free(rc);
}

unsigned ib_rc_path_mtu(const struct ib_rc *rc)
{
    return rc->mtu;
}

const struct path_trouble *ib_rc_path(const struct ib_rc *rc)
{
    return &rc->path;
}

const struct ib_rc_counts *ib_rc_counts(const struct ib_rc *rc)
{
    return &rc->counts;
}

void ib_rc_start(struct ib_rc *rc, unsigned side, uint32_t psn)
{
    struct ib_requests *requests = &rc->side[side];

    if (requests->known)
        return;
    requests->known = true;
    requests->psn = psn & IB_PSN_MASK;
    requests->next = IB_RC_ORIGIN;
    INVARIANT(requests->psn <= IB_PSN_MASK && requests->messages == 0);
}

void ib_rc_mtu(struct ib_rc *rc, unsigned mtu)
{
    if (mtu > 0)
        ib_rc_learn_mtu(rc, mtu);
}

void ib_rc_rnr_retries(struct ib_rc *rc, unsigned side, uint8_t retries)
{
    rc->side[side].rnr_retries = retries;
    rc->side[side].rnr_retries_known = true;
    INVARIANT(retries <= 7);
}

void ib_rc_ack_timeout(struct ib_rc *rc, int64_t timeout_ns, int64_t now_ns)
{
    rc->ack_timeout_ns = timeout_ns;
    INVARIANT(timeout_ns >= 0);
    for (unsigned side = 0; side < 2; side++) {
        rc->side[side].since_ns = now_ns;
        rc->side[side].resends_ns = INT64_MIN;
    }
}

/* ---- numbers ---- */

static bool times_are_sound(const struct ib_requests *requests)
{
    return (requests->answered_ns > 0) == (requests->trailed_ns > 0) && requests->answered_ns <= requests->trailed_ns;
}

static bool requests_are_sound(const struct ib_rc *rc, const struct ib_requests *requests)
{
    return requests->known == (requests->next >= IB_RC_ORIGIN) && requests->operation <= rc->operations &&
           (!requests->open || requests->messages > 0) && (requests->missed == 0 || requests->missed > IB_RC_ORIGIN) &&
           (requests->known || requests->messages == 0) && times_are_sound(requests);
}

bool ib_requests_offset(const struct ib_requests *requests, uint32_t psn, uint64_t *offset)
{
    uint32_t next = (uint32_t)(requests->psn + requests->next - IB_RC_ORIGIN) & IB_PSN_MASK;
    int32_t distance = ib_psn_distance(next, psn);

    if (!requests->known || (distance < 0 && (uint64_t) - (int64_t)distance > requests->next))
        return false;
    *offset = requests->next + (uint64_t)(int64_t)distance;
    return true;
}

uint32_t ib_rc_distance(const struct ib_rc *rc, unsigned side, const struct ib_packet *packet)
{
    const struct ib_requests *requests = &rc->side[packet->info->response ? other_side(side) : side];
    int32_t distance;

    if (!requests->known)
        return UINT32_MAX;
    distance =
        ib_psn_distance((uint32_t)(requests->psn + requests->next - IB_RC_ORIGIN) & IB_PSN_MASK, packet->bth.psn);
    return distance < 0 ? -(uint32_t)distance : (uint32_t)distance;
}

/* ---- parts ---- */

struct ib_rc_part ib_rc_part_of(const struct ib_rc *rc, unsigned side, const struct ib_packet *packet,
                                const struct place *place)
{
    const struct ib_requests *other = &rc->side[other_side(side)];

    return (struct ib_rc_part){
        .kind = (enum ib_message)packet->info->message,
        .place = *place,
        .next = place->offset,
        .packet = packet,
        .p = packet->payload,
        .n = packet->payload_captured,
        .length = packet->payload_len,
        .acked_known = other->acked_known,
        .acked = other->acked_known && other->acked > IB_RC_ORIGIN ? other->acked - IB_RC_ORIGIN : 0,
        .skew_ns = ib_rc_skew(rc),
    };
}

uint64_t ib_rc_acked(const struct ib_rc *rc, unsigned side)
{
    const struct ib_requests *requests = &rc->side[side & 1u];

    return requests->acked_known && requests->acked > IB_RC_ORIGIN ? requests->acked - IB_RC_ORIGIN : 0;
}

bool ib_rc_missing(const struct ib_rc *rc, unsigned side)
{
    const struct ib_requests *requests = &rc->side[side & 1u];

    return !requests->next_least && requests->sent > requests->next;
}

void ib_rc_give(struct ib_rc *rc, const struct ib_rc_part *part)
{
    INVARIANT(part->kind != IB_MESSAGE_ACK && part->n <= part->length && part->place.side < 2);
    INVARIANT(part->operation > 0 && part->operation <= rc->operations);
    rc->counts.octets[part->place.side] += part->length;
    if (rc->events.part)
        rc->events.part(rc->events.ctx, part);
}

/* ---- requests ---- */

static struct place ib_rc_place_of(unsigned side, uint64_t offset, uint32_t frame, uint32_t first_frame,
                                   int64_t time_ns)
{
    return (struct place){.frame = frame,
                          .first_frame = first_frame,
                          .time_ns = time_ns,
                          .offset = offset > IB_RC_ORIGIN ? offset - IB_RC_ORIGIN : 0,
                          .side = (uint8_t)side};
}

/* Starts the message that a request packet begins, or continues the open one. */
static void enter_message(struct ib_rc *rc, struct ib_requests *requests, const struct ib_packet *packet)
{
    if (packet->info->first || !requests->open) {
        requests->messages++;
        requests->operation = ++rc->operations;
        requests->open = true;
        requests->first_known = packet->info->first;
        requests->memory_known = false;
        requests->index = 0;
        requests->octets = 0;
    }
    if (packet->headers & IB_HAS_RETH) {
        requests->memory_known = true;
        requests->address = packet->reth.address;
        requests->rkey = packet->reth.rkey;
    }
    INVARIANT(requests->open && requests->messages > 0 && requests->operation <= rc->operations);
}

static void ib_rc_remember(struct ib_requests *requests, const struct ib_packet *packet, const struct place *place)
{
    struct ib_recent *recent = &requests->recent[requests->messages % IB_RC_RECENT];

    if (requests->index == 0)
        *recent = (struct ib_recent){.from = requests->next, .kind = packet->info->message};
    recent->latest = *place;
    recent->invalidates |= packet->headers & IB_HAS_INVALIDATE;
    INVARIANT(recent->from <= requests->next && recent->kind != IB_MESSAGE_ACK);
}

/*
 * How long before a request an uncaptured copy of it may have been sent: a request is sent again after the timeout for
 * lack of an Acknowledge, all later requests together with it; or with earlier requests that the other side asked for
 * again, or that were captured twice (0: any time). The first Acknowledge ends the copies.
 */
static int64_t copy_before(const struct ib_rc *rc, struct ib_requests *requests, int64_t time_ns)
{
    bool resent = requests->resends_ns >= requests->since_ns &&
                  !(requests->acked_known && requests->acked > requests->resends_to);

    if (rc->ack_timeout_ns == 0)
        return 0;
    if (resent || time_ns - requests->since_ns >= rc->ack_timeout_ns) {
        requests->repeats = resent ? IB_REPEATS_SEEN : IB_REPEATS_BY_TIMEOUT;
        requests->repeats_from = requests->next;
    } else if (requests->acked_known && requests->acked > requests->repeats_from) {
        requests->repeats = IB_REPEATS_NONE;
    }
    return requests->repeats == IB_REPEATS_NONE   ? INT64_MAX
           : requests->repeats == IB_REPEATS_SEEN ? 0
                                                  : rc->ack_timeout_ns;
}

/*
 * The largest number of Sends among the requests missing before this one. If an RDMA Write was open, one of the missing
 * packets ends it; if this packet continues another Write, one of the missing packets begins that Write.
 */
static uint32_t sends_missing(const struct ib_requests *requests, const struct ib_packet *packet)
{
    bool writes = requests->lost_message == IB_MESSAGE_WRITE,
         goes_on = packet->info->message == IB_MESSAGE_WRITE && !packet->info->first;
    uint64_t others = (uint64_t)writes + goes_on;
    uint64_t sends = requests->lost > others ? requests->lost - others : 0;

    if (requests->lost == 0)
        return 0;
    sends += requests->lost_message == IB_MESSAGE_SEND; /* the open Send lacks its end */
    return sends > UINT32_MAX ? UINT32_MAX : (uint32_t)sends;
}

/* The next request that was captured too early; NULL: none. A request far ahead may be forged (refuse_contradicted()).
 */
static const struct ib_held_packet *held_soon(const struct ib_requests *requests)
{
    const struct ib_held_packet *later = ib_held_first(&requests->held);

    return later && later->offset <= requests->next + DISPUTE_PACKETS ? later : NULL;
}

/* A later request was sent long before: this packet is a copy, of which the first transmission was not captured. */
static bool fills_late(const struct ib_rc *rc, const struct ib_requests *requests, int64_t time_ns)
{
    const struct ib_held_packet *later = held_soon(requests);

    return later && time_ns - later->time_ns >= ib_rc_skew(rc);
}

static void ib_rc_take_request(struct ib_rc *rc, unsigned side, const struct ib_packet *packet,
                               const struct place *place)
{
    struct ib_requests *requests = &rc->side[side];
    struct ib_rc_part part = ib_rc_part_of(rc, side, packet, place);
    uint64_t offset = requests->next;
    bool read = packet->info->message == IB_MESSAGE_READ || packet->info->message == IB_MESSAGE_ATOMIC;

    part.sends_missing = sends_missing(requests, packet);
    requests->lost = 0;
    if (requests->older) {
        requests->older = false;
        part.sends_missing = UINT32_MAX;
        ib_rc_hole(rc, &(struct ib_rc_hole){side, offset, offset, ib_requests_frame(requests), *place, false});
    }
    part.reads_unseen = part.kind == IB_MESSAGE_SEND && ib_reads_incomplete(rc, side, place);
    enter_message(rc, requests, packet);
    ib_rc_remember(requests, packet, place);
    part.message = requests->messages - 1;
    part.operation = requests->operation;
    part.index = requests->index++;
    part.first_known = requests->first_known;
    part.last = packet->info->last;
    part.complete = part.last && part.first_known;
    part.offset = requests->octets;
    requests->octets += part.length;
    requests->open = !packet->info->last;
    part.copy_ns = copy_before(rc, requests, place->time_ns);
    part.others_held = held_soon(requests) != NULL;
    part.resent = requests->repeats == IB_REPEATS_SEEN || fills_late(rc, requests, place->time_ns);
    if (part.last)
        requests->since_ns = place->time_ns;
    if (part.kind == IB_MESSAGE_WRITE && requests->memory_known) {
        part.memory_known = true;
        part.address = requests->address;
        part.rkey = requests->rkey;
        requests->address += part.length;
    } else if (part.kind == IB_MESSAGE_READ) {
        part.memory_known = true;
        part.address = packet->reth.address;
        part.rkey = packet->reth.rkey;
        part.size = packet->reth.length;
        part.reads_open = 1 + ib_reads_open(rc, side, place->time_ns);
    } else if (part.kind == IB_MESSAGE_ATOMIC) {
        part.memory_known = true;
        part.address = packet->atomic.address;
        part.rkey = packet->atomic.rkey;
    }
    requests->damaged = 0;
    requests->next_least = false;
    requests->next = offset + (read ? ib_reads_add(rc, side, packet, offset, part.message, &requests->next_least) : 1);
    part.next = requests->next - IB_RC_ORIGIN;
    INVARIANT(requests->next > offset && requests->known); /* offsets never go back */
    INVARIANT(part.message < requests->messages && part.index < requests->index);
    ib_rc_give(rc, &part);
}

void ib_rc_hole(struct ib_rc *rc, const struct ib_rc_hole *hole)
{
    struct ib_rc_hole counted = *hole;

    counted.from -= IB_RC_ORIGIN;
    counted.to -= IB_RC_ORIGIN;
    INVARIANT(hole->from >= IB_RC_ORIGIN && hole->from <= hole->to);
    rc->counts.holes[hole->side]++;
    counted.no_room = rc->no_room;
    if (rc->events.hole)
        rc->events.hole(rc->events.ctx, &counted);
}

static void skip_to(struct ib_rc *rc, unsigned side, uint64_t to, const struct place *next)
{
    struct ib_requests *requests = &rc->side[side];

    INVARIANT(to > requests->next);
    ib_rc_hole(rc, &(struct ib_rc_hole){side, requests->next, to, ib_requests_frame(requests), *next, false});
    if (requests->lost == 0)
        requests->lost_message =
            requests->open ? requests->recent[requests->messages % IB_RC_RECENT].kind : (uint8_t)IB_MESSAGE_ACK;
    requests->lost += to - requests->next;
    requests->next = to;
    requests->next_least = false;
    requests->open = false;
    INVARIANT(requests->lost > 0);
}

/* Checks whether the request at `offset` can follow a Read whose response packets cannot be counted yet. */
static void ib_rc_follow(struct ib_rc *rc, unsigned side, uint64_t offset)
{
    struct ib_requests *requests = &rc->side[side];

    if (!requests->next_least || offset <= requests->next || !ib_reads_followed(rc, side, offset))
        return;
    requests->next = offset;
    requests->next_least = false;
    INVARIANT(rc->side[side].reads.n > 0);
}

/* Skips missing requests up to `offset`: those that were acknowledged; with `all`, all of them. */
static void skip_gap(struct ib_rc *rc, unsigned side, uint64_t offset, const struct place *next, bool all)
{
    const struct ib_requests *requests = &rc->side[side];

    if (offset > requests->next && requests->acked_known && requests->acked > requests->next)
        skip_to(rc, side, requests->acked < offset ? requests->acked : offset, next);
    if (offset > requests->next && all)
        skip_to(rc, side, offset, next);
    INVARIANT(!all || requests->next >= offset);
}

/* Delivers held packets up to the first gap; with `all`, across gaps, too. */
static void give_held(struct ib_rc *rc, unsigned side, uint32_t frame, int64_t time_ns, bool all)
{
    struct ib_requests *requests = &rc->side[side];
    const struct ib_held_packet *first;

    while ((first = ib_held_first(&requests->held))) {
        /* The cause that made the packet deliverable: another packet, or the end, which has no frame. */
        struct place place = frame > first->frame
                                 ? ib_rc_place_of(side, first->offset, frame, first->frame, time_ns)
                                 : ib_rc_place_of(side, first->offset, first->frame, first->frame, first->time_ns);
        struct ib_held_packet *packet;

        ib_rc_follow(rc, side, first->offset);
        skip_gap(rc, side, first->offset, &place, all);
        INVARIANT(!all || first->offset <= requests->next);
        if (first->offset > requests->next)
            return;
        packet = ib_held_take(&requests->held);
        if (packet->offset == requests->next)
            ib_rc_take_request(rc, side, &packet->packet, &place);
        free(packet);
    }
}

static void report_copy(const struct ib_rc *rc, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    const struct ib_requests *requests = &rc->side[side];
    struct place place = ib_rc_place_of(side, offset, frame, frame, time_ns);

    if (rc->events.sent_again && offset >= IB_RC_ORIGIN && !(requests->acked_known && offset < requests->acked))
        rc->events.sent_again(rc->events.ctx, &place);
}

void ib_rc_tell_copy(struct ib_rc *rc, struct ib_rc_copy *copy, enum ib_comparison comparison,
                     const struct ib_difference *difference)
{
    if (comparison == IB_NOT_COMPARED || !rc->events.copy)
        return;
    copy->first_frame = difference->first_frame;
    copy->difference = comparison == IB_DIFFERS ? difference->text : NULL;
    rc->events.copy(rc->events.ctx, copy);
}

/*
 * Compares a request with the earlier one of the same PSN. After the end of a connection, its queue pairs may be used
 * again.
 */
static void compare_request(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint64_t offset,
                            const struct place *place)
{
    struct ib_requests *requests = &rc->side[side];
    enum ib_comparison comparison, of_read;
    struct ib_difference difference;
    struct ib_rc_copy copy = {.kind = (enum ib_message)packet->info->message,
                              .place = *place,
                              .taken = requests->acked_known && offset < requests->acked};

    if (rc->disconnected)
        return;
    comparison = ib_copies_compare(&requests->copies, offset, packet, &difference);
    if (packet->info->message == IB_MESSAGE_READ && comparison != IB_DIFFERS) {
        of_read = ib_reads_compare(rc, side, packet, offset, &difference);
        comparison = of_read == IB_NOT_COMPARED ? comparison : of_read;
    }
    ib_rc_tell_copy(rc, &copy, comparison, &difference);
}

/* The request at `offset` is sent again, or was asked for again. */
static void note_resend(struct ib_requests *requests, uint64_t offset, int64_t time_ns)
{
    requests->resends_ns = time_ns;
    if (offset > requests->resends_to)
        requests->resends_to = offset;
}

/* Handles a copy, or a request from before the start of the capture. */
static void request_again(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint64_t offset,
                          uint32_t frame, int64_t time_ns)
{
    struct ib_requests *requests = &rc->side[side];

    struct place place = ib_rc_place_of(side, offset, frame, frame, time_ns);

    ib_not_ready_request(requests, offset, time_ns);
    requests->older |= requests->late && offset < IB_RC_ORIGIN;
    note_resend(requests, offset, time_ns);
    compare_request(rc, side, packet, offset, &place);
    if (packet->info->message == IB_MESSAGE_READ)
        ib_reads_again(requests, offset);
    rc->counts.retransmitted[side]++;
    INVARIANT(!requests->older || requests->late);
    report_copy(rc, side, offset, frame, time_ns);
    path_trouble_packet(&rc->path, side, PATH_AGAIN, time_ns);
}

static void ib_rc_request(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame,
                          int64_t time_ns)
{
    struct ib_requests *requests = &rc->side[side];
    struct place place;
    uint64_t offset = 0;
    bool again = false;

    if (!requests->known) {
        ib_rc_start(rc, side, packet->bth.psn);
        requests->late = true;
    }
    if (!ib_requests_offset(requests, packet->bth.psn, &offset) || offset < requests->next) {
        request_again(rc, side, packet, offset, frame, time_ns);
        return;
    }
    path_trouble_packet(&rc->path, side, PATH_NEW, time_ns);
    ib_not_ready_request(requests, offset, time_ns);
    ib_rc_follow(rc, side, offset);
    place = ib_rc_place_of(side, offset, frame, frame, time_ns);
    if (requests->held.n > 0 && ib_copies_has(&requests->copies, offset)) /* a copy of a held packet */
        compare_request(rc, side, packet, offset, &place);
    else
        ib_copies_keep(&requests->copies, offset, requests->acked_known ? requests->acked : IB_RC_ORIGIN, packet,
                       frame);
    skip_gap(rc, side, offset, &place, false);
    if (offset == requests->next) {
        ib_rc_take_request(rc, side, packet, &place);
    } else if (!ib_held_add(&requests->held, rc->options.limit, offset, packet, frame, time_ns, &again)) {
        rc->no_room = requests->acked_known;
        give_held(rc, side, frame, time_ns, true);
        skip_gap(rc, side, offset, &place, true);
        rc->no_room = false;
        if (offset == requests->next)
            ib_rc_take_request(rc, side, packet, &place);
    }
    rc->counts.retransmitted[side] += again;
    give_held(rc, side, frame, time_ns, false);
    INVARIANT(requests->known && requests_are_sound(rc, requests));
    INVARIANT(requests->held.n == 0 || ib_held_first(&requests->held)->offset > requests->next);
    INVARIANT(requests->held.octets <= rc->options.limit);
}

/* ---- answers ---- */

/*
 * Measures how soon an answer came to the latest captured request, or notes that it answers a request not captured yet.
 */
static void time_answer(struct ib_requests *requests, uint64_t offset, int64_t time_ns)
{
    const struct ib_recent *latest = &requests->recent[requests->messages % IB_RC_RECENT];
    int64_t took = time_ns - latest->latest.time_ns;

    requests->lags |= offset > requests->next && !requests->next_least;
    /* After a retransmission it is unknown which copy is being answered. */
    if (offset != requests->next || took <= 0 || requests->resends_ns >= latest->latest.time_ns)
        return;
    if (requests->answered_ns == 0 || took < requests->answered_ns)
        requests->answered_ns = took;
    requests->trails++;
    if (took > requests->trailed_ns)
        requests->trailed_ns = took;
    INVARIANT(times_are_sound(requests) && requests->answered_ns > 0);
}

/*
 * If one direction is captured late, its Acknowledges seem to trail the other direction's requests by the same delay,
 * while its own requests come before these requests or sooner after them. If all Acknowledges of both sides have
 * followed at once, neither direction is late.
 */
int64_t ib_rc_skew(const struct ib_rc *rc)
{
    enum { MARGIN = 2 };
    static const int64_t least_ns = 100000;
    int64_t trailed = 0;

    for (unsigned side = 0; side < 2; side++) {
        const struct ib_requests *requests = &rc->side[side];

        if (requests->lags || requests->trails < IB_RC_TRAILS_MIN)
            return ib_skew_ns;
        if (requests->trailed_ns > trailed)
            trailed = requests->trailed_ns;
    }
    INVARIANT(trailed > 0);
    return trailed < (ib_skew_ns - least_ns) / MARGIN ? MARGIN * trailed + least_ns : ib_skew_ns;
}

static void note_sent(struct ib_requests *requests, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    if (offset <= requests->sent)
        return;
    requests->sent = offset;
    requests->sent_frame = frame;
    requests->sent_ns = time_ns;
}

/* The other side has received everything from this side before `offset`. */
static void ib_rc_acknowledged(struct ib_rc *rc, unsigned side, uint64_t offset, uint32_t frame, int64_t time_ns)
{
    struct ib_requests *requests = &rc->side[side];

    requests->not_ready.waiting &= offset <= requests->not_ready.offset;
    if (requests->acked_known && offset <= requests->acked)
        return;
    time_answer(requests, offset, time_ns);
    requests->acked_known = true;
    requests->acked = offset;
    note_sent(requests, offset, frame, time_ns);
    INVARIANT(requests->known && requests->sent >= requests->acked);
    /*
     * Missing requests that were acknowledged were lost by the capture. If no request after them was captured, they may
     * still come.
     */
    give_held(rc, side, frame, time_ns, false);
    if (rc->events.acknowledged && offset > IB_RC_ORIGIN)
        rc->events.acknowledged(rc->events.ctx, other_side(side), offset - IB_RC_ORIGIN);
}

/* refusal: with side, place and reason filled in. */
static void report_refusal(struct ib_rc *rc, struct ib_rc_refusal refusal, uint64_t offset)
{
    const struct ib_requests *requests = &rc->side[other_side(refusal.side)];
    uint64_t kept = requests->messages < IB_RC_RECENT ? requests->messages : IB_RC_RECENT;

    if (!rc->events.refused)
        return;
    refusal.offset = offset > IB_RC_ORIGIN ? offset - IB_RC_ORIGIN : 0;
    /* A NAK for an offset that was not seen is not about a known message. */
    for (uint64_t i = 0; offset < requests->next && i < kept && !refusal.known; i++) {
        const struct ib_recent *recent = &requests->recent[(requests->messages - i) % IB_RC_RECENT];

        if (recent->from > offset)
            continue;
        refusal.known = true;
        refusal.kind = (enum ib_message)recent->kind;
        refusal.invalidates = recent->invalidates;
        refusal.culprit = recent->latest;
    }
    INVARIANT(!refusal.known || (refusal.kind != IB_MESSAGE_ACK && refusal.offset + IB_RC_ORIGIN < requests->next));
    rc->events.refused(rc->events.ctx, &refusal);
}

/* Reported only at this point, because a Send that is sent again after an RNR NAK may be received normally. */
static void report_not_ready(struct ib_rc *rc)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct ib_requests *requests = &rc->side[side];

        if (ib_not_ready_final(rc, side))
            report_refusal(rc,
                           (struct ib_rc_refusal){.side = other_side(side),
                                                  .not_ready = true,
                                                  .hasty = requests->not_ready.hasty,
                                                  .place = requests->not_ready.place},
                           requests->not_ready.offset);
    }
}

/* A copy of a NAK about an earlier loss is not reported again. */
static void report_missed(struct ib_rc *rc, unsigned responder, uint64_t offset)
{
    struct ib_requests *requests = &rc->side[other_side(responder)];

    if (offset < IB_RC_ORIGIN || requests->missed == offset + 1 || (requests->acked_known && requests->acked > offset))
        return;
    requests->missed = offset + 1;
    INVARIANT(requests->missed > IB_RC_ORIGIN);
    if (rc->events.missed)
        rc->events.missed(rc->events.ctx, responder, offset - IB_RC_ORIGIN);
}

static void acknowledgement(struct ib_rc *rc, unsigned responder, const struct ib_packet *packet, uint64_t offset,
                            const struct place *place)
{
    struct ib_requests *requests = &rc->side[other_side(responder)];
    unsigned code = packet->aeth.syndrome & 0x1F;

    switch (ib_aeth_kind(packet->aeth.syndrome)) {
    case IB_AETH_ACK:
        ib_rc_acknowledged(rc, other_side(responder), offset + 1, place->frame, place->time_ns);
        break;
    case IB_AETH_RNR_NAK:
        note_resend(requests, offset, place->time_ns);
        rc->counts.rnr_naks[responder]++;
        ib_rc_acknowledged(rc, other_side(responder), offset, place->frame, place->time_ns);
        if (!rc->disconnected && requests->acked <= offset) /* otherwise overtaken by the Acknowledge */
            ib_not_ready_nak(rc, other_side(responder), offset, packet->aeth.syndrome, place);
        note_sent(requests, offset + 1, place->frame, place->time_ns);
        report_missed(rc, responder, offset);
        break;
    case IB_AETH_NAK:
        note_resend(requests, offset, place->time_ns);
        ib_rc_acknowledged(rc, other_side(responder), offset, place->frame, place->time_ns);
        if (code > IB_NAK_INVALID_RD_REQUEST)
            break;
        rc->counts.naks[responder][code]++;
        if (code == IB_NAK_SEQUENCE) {
            report_missed(rc, responder, offset);
            break;
        }
        note_sent(requests, offset + 1, place->frame, place->time_ns);
        report_refusal(rc, (struct ib_rc_refusal){.side = responder, .nak = (enum ib_nak)code, .place = *place},
                       offset);
        break;
    case IB_AETH_RESERVED:
        break;
    }
}

static void ib_rc_answer(struct ib_rc *rc, unsigned responder, const struct ib_packet *packet, uint32_t frame,
                         int64_t time_ns)
{
    const struct ib_requests *own = &rc->side[responder];
    struct place place = ib_rc_place_of(responder, own->known ? own->next : IB_RC_ORIGIN, frame, frame, time_ns);
    uint64_t offset;

    if (!ib_requests_offset(&rc->side[other_side(responder)], packet->bth.psn, &offset))
        return;
    if (packet->info->message == IB_MESSAGE_ACK) {
        acknowledgement(rc, responder, packet, offset, &place);
        return;
    }
    /* Responses come in order, and imply that everything before them has arrived (section 9.7.5.1.2). */
    ib_rc_acknowledged(rc, other_side(responder), offset + 1, frame, time_ns);
    ib_reads_answer(rc, responder, packet, offset, &place);
}

void ib_rc_packet(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame, int64_t time_ns)
{
    if (packet->info && ib_accept(rc, side, packet, frame, time_ns))
        ib_rc_take(rc, side, packet, frame, time_ns);
}

void ib_rc_refused(struct ib_rc *rc, unsigned side, enum packet_refusal why)
{
    rc->counts.refused[side][why]++;
}

void ib_rc_take(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame, int64_t time_ns)
{
    rc->counts.packets[side]++;
    if (!rc->mtu_settled) {
        struct place place = ib_rc_place_of(side, rc->side[side].next, frame, frame, time_ns);

        ib_rc_observe_mtu(rc, packet, &place);
    }
    if (packet->info->response)
        path_trouble_packet(&rc->path, side, PATH_SIGN_OF_LIFE, time_ns);
    if (packet->info->response)
        ib_rc_answer(rc, side, packet, frame, time_ns);
    else
        ib_rc_request(rc, side, packet, frame, time_ns);
    INVARIANT(requests_are_sound(rc, &rc->side[0]) && requests_are_sound(rc, &rc->side[1]));
    INVARIANT(rc->mtu > 0 || !rc->mtu_settled);
}

void ib_rc_damaged(struct ib_rc *rc, unsigned side, const struct ib_packet *packet)
{
    struct ib_requests *requests = &rc->side[side];
    uint64_t offset;

    requests->damaged +=
        !requests->known || (ib_requests_offset(requests, packet->bth.psn, &offset) && offset >= requests->next);
}

unsigned ib_rc_damaged_acked(struct ib_rc *rc, unsigned side)
{
    struct ib_requests *requests = &rc->side[side];
    unsigned damaged = requests->damaged;

    /* While a side has no known request, any Acknowledge answers a dropped request. */
    if (damaged == 0 || (requests->known && (!requests->acked_known || requests->acked <= requests->next)))
        return 0;
    requests->damaged = 0;
    return damaged;
}

void ib_rc_disconnect(struct ib_rc *rc, int64_t now_ns)
{
    if (rc->disconnected)
        return;
    ib_rc_settle(rc); /* packets that wait came before the end */
    rc->disconnected = true;
    for (unsigned sender = 0; sender < 2; sender++) /* it answers the other side's requests in that time */
        ib_not_ready_end(&rc->side[sender], rc->side[other_side(sender)].trailed_ns, now_ns);
}

/*
 * Requests after a gap that nobody acknowledged. The side never reached them although new requests came later: after a
 * loss, a requester sends everything from the gap on again (section 9.7.3.2), so another host sent these. Likewise if
 * more requests are missing before them than any loss at the end of a capture explains.
 */
static void refuse_contradicted(struct ib_rc *rc, unsigned side)
{
    struct ib_requests *requests = &rc->side[side];
    const struct ib_recent *latest = &requests->recent[requests->messages % IB_RC_RECENT];

    if (requests->messages > 0 && !requests->next_least)
        rc->counts.refused[side][REFUSED_WINDOW] +=
            ib_held_drop(&requests->held, requests->acked_known ? requests->acked : IB_RC_ORIGIN,
                         requests->next + DISPUTE_PACKETS, latest->latest.frame);
}

size_t ib_rc_held(const struct ib_rc *rc, unsigned side)
{
    const struct dispute *dispute = &rc->accept.dispute;

    return rc->side[side].held.octets + (dispute->about == side ? dispute->octets : 0);
}

void ib_rc_stop_waiting(struct ib_rc *rc, unsigned side)
{
    ib_rc_settle(rc);
    rc->no_room = rc->side[side].acked_known;
    give_held(rc, side, 0, 0, true);
    rc->no_room = false;
    INVARIANT(rc->side[side].held.n == 0);
    ib_held_free(&rc->side[side].held);
}

void ib_rc_finish(struct ib_rc *rc)
{
    ib_rc_settle(rc);
    for (unsigned side = 0; side < 2; side++) {
        struct ib_requests *requests = &rc->side[side];

        refuse_contradicted(rc, side);
        give_held(rc, side, 0, 0, true);
        if (ib_rc_missing(rc, side)) {
            uint32_t frame = requests->sent_frame;
            struct place place = ib_rc_place_of(side, requests->sent, frame, frame, requests->sent_ns);

            skip_to(rc, side, requests->sent, &place); /* of the last requests, only the answer was captured */
        }
        INVARIANT(requests->held.n == 0 && !ib_rc_missing(rc, side));
    }
    report_not_ready(rc);
}

bool ib_rc_hole_explains(enum rule_id rule, uint32_t frame, uint32_t after)
{
    return frame > after && rule_catalogue[rule].observe != OBSERVE_WIRE_1WAY;
}
