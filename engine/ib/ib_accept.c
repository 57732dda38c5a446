// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/ib/ib_accept.h"

#include "engine/ib/ib_rc_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum { PARTITION = 0x7FFF }; /* the upper bit of a P_Key is the kind of membership */

/* A packet that waits. */
struct waiting {
    struct dispute_item item; /* first */
    unsigned side;
    uint32_t frame;
    int64_t time_ns;
    struct ib_packet packet;
    uint8_t octets[];
};

static void ib_accept_refuse(struct ib_rc *rc, unsigned side, enum packet_refusal why)
{
    rc->counts.refused[side][why]++;
}

/* The partition is certain once both sides have used the same partition. */
static bool is_of_partition(struct ib_rc *rc, unsigned side, const struct ib_packet *packet)
{
    struct ib_accept *accept = &rc->accept;
    uint16_t pkey = packet->bth.pkey & PARTITION;

    if (!accept->partition_sure) {
        accept->partition[side] = pkey;
        accept->partition_known[side] = true;
        accept->partition_sure =
            accept->partition_known[other_side(side)] && accept->partition[other_side(side)] == pkey;
    }
    return !accept->partition_sure || accept->partition[side] == pkey;
}

void ib_rc_partition(struct ib_rc *rc, uint16_t pkey)
{
    rc->accept.partition[0] = rc->accept.partition[1] = pkey & PARTITION;
    rc->accept.partition_known[0] = rc->accept.partition_known[1] = rc->accept.partition_sure = true;
}

/* The first request offset that `requests` has not used, as far as this is known. */
static uint64_t unused_of(const struct ib_requests *requests)
{
    return requests->claimed > requests->next ? requests->claimed : requests->next;
}

/* Whether an answer names a request that its sender waits for (section 9.7.5). offset: of the request. */
static enum packet_refusal place_of_answer(const struct ib_requests *requests, const struct ib_packet *packet,
                                           uint64_t offset)
{
    unsigned kind = ib_aeth_kind(packet->aeth.syndrome);
    bool fatal = packet->info->message == IB_MESSAGE_ACK && kind == IB_AETH_NAK &&
                 (packet->aeth.syndrome & 0x1F) != IB_NAK_SEQUENCE;

    if (fatal && requests->acked_known && offset < requests->acked)
        return REFUSED_ACK;
    if (requests->held.n > 0 && offset == requests->next) /* the receiver asks for the request that is missing */
        return ACCEPTED;
    /* While the MTU is unknown, so is the number of PSNs that the last Read has used. */
    return offset < unused_of(requests) || requests->next_least || requests->messages == 0 ? ACCEPTED : DOUBTFUL;
}

static enum dispute_vote vote_of_requester(struct dispute *dispute, const struct ib_requests *requests, uint64_t offset,
                                           int64_t time_ns)
{
    if (offset < requests->next)
        return DISPUTE_NEUTRAL;
    if (offset <= dispute->sent && dispute_reach(dispute, offset + 1)) /* captured after its Acknowledge */
        return dispute->ahead[dispute->about] == 0 ? DISPUTE_AHEAD : DISPUTE_NEUTRAL;
    if (offset >= dispute->at)
        return DISPUTE_AHEAD;
    /* A request had jumped ahead. A later request that continues where the side was before contradicts it. */
    return dispute->ahead[dispute->about] > 0 || time_ns - dispute->since_ns >= DISPUTE_APART_NS ? DISPUTE_BEHIND
                                                                                                 : DISPUTE_NEUTRAL;
}

static enum dispute_vote ib_accept_vote(struct ib_rc *rc, unsigned side, const struct ib_packet *packet,
                                        int64_t time_ns)
{
    struct dispute *dispute = &rc->accept.dispute;
    const struct ib_requests *requests = &rc->side[dispute->about];
    uint64_t offset;

    if ((side == dispute->about) == packet->info->response || !ib_requests_offset(requests, packet->bth.psn, &offset))
        return DISPUTE_NEUTRAL; /* of the other direction */
    if (side == dispute->about)
        return vote_of_requester(dispute, requests, offset, time_ns);
    if (offset + 1 >= dispute->at)
        return DISPUTE_AHEAD;
    /* An old Read may be repeated; everything else comes in order. */
    return requests->acked_known && offset + 1 < requests->acked ? DISPUTE_NEUTRAL : DISPUTE_BEHIND;
}

/* The fate of a packet if the claim is false: refused are answers that nobody waits for, and requests after a gap,
 * since a responder does not execute them. */
static enum packet_refusal place_when_false(const struct ib_rc *rc, const struct waiting *waiting, unsigned about)
{
    const struct ib_requests *requests = &rc->side[about];
    uint64_t offset;

    if ((waiting->side == about) == waiting->packet.info->response ||
        !ib_requests_offset(requests, waiting->packet.bth.psn, &offset))
        return ACCEPTED;
    if (waiting->side == about)
        return offset > requests->next && !requests->next_least ? REFUSED_WINDOW : ACCEPTED;
    return place_of_answer(requests, &waiting->packet, offset) == ACCEPTED ? ACCEPTED : REFUSED_ACK;
}

/* An answer of the side that the dispute is about: far ahead of everything that the other side has sent. */
static bool is_wild_answer(const struct ib_rc *rc, const struct waiting *waiting, unsigned about)
{
    const struct ib_requests *requests = &rc->side[other_side(about)];
    uint64_t offset;

    return waiting->side == about && waiting->packet.info->response &&
           ib_requests_offset(requests, waiting->packet.bth.psn, &offset) &&
           place_of_answer(requests, &waiting->packet, offset) == DOUBTFUL &&
           offset - unused_of(requests) > DISPUTE_PACKETS;
}

static void ib_accept_settle(struct ib_rc *rc, enum dispute_reading reading)
{
    struct dispute dispute = rc->accept.dispute;
    struct ib_requests *about = &rc->side[dispute.about];

    if (reading == DISPUTE_TRUE && dispute.at > about->claimed)
        about->claimed = dispute.at;
    if (reading == DISPUTE_FALSE) {
        rc->counts.refused[dispute.about][REFUSED_WINDOW] += about->held.n;
        ib_held_free(&about->held);
    }
    for (struct dispute_item *item = dispute_end(&rc->accept.dispute), *next; item; item = next) {
        const struct waiting *waiting = (struct waiting *)item;
        enum packet_refusal place = is_wild_answer(rc, waiting, dispute.about) ? REFUSED_ACK
                                    : reading == DISPUTE_TRUE                  ? ACCEPTED
                                                              : place_when_false(rc, waiting, dispute.about);

        next = item->next;
        if (place == ACCEPTED)
            ib_rc_take(rc, waiting->side, &waiting->packet, waiting->frame, waiting->time_ns);
        else
            ib_accept_refuse(rc, waiting->side, place);
        free(item);
    }
}

static bool ib_accept_wait(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame,
                           int64_t time_ns)
{
    struct dispute *dispute = &rc->accept.dispute;
    enum dispute_vote vote = dispute->first ? ib_accept_vote(rc, side, packet, time_ns) : DISPUTE_AHEAD;
    struct waiting *waiting =
        (struct waiting *)dispute_add(dispute, sizeof *waiting + packet->payload_captured, side, vote);
    enum dispute_reading reading = waiting ? dispute_read(dispute) : dispute_read_last(dispute);

    if (waiting) {
        waiting->side = side;
        waiting->frame = frame;
        waiting->time_ns = time_ns;
        waiting->packet = *packet;
        waiting->packet.payload = waiting->octets;
        waiting->packet.icrc = NULL;
        if (packet->payload_captured > 0)
            memcpy(waiting->octets, packet->payload, packet->payload_captured);
    }
    if (reading != DISPUTE_OPEN)
        ib_accept_settle(rc, reading);
    return waiting != NULL;
}

bool ib_accept(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame, int64_t time_ns)
{
    const struct ib_requests *requests = &rc->side[other_side(side)];
    enum packet_refusal place = ACCEPTED;
    uint64_t offset = 0;

    if (packet->tap.tapped)
        return true; /* its numbers are invented */
    if (!is_of_partition(rc, side, packet)) {
        ib_accept_refuse(rc, side, REFUSED_PKEY);
        return false;
    }
    if (rc->accept.dispute.open)
        return !ib_accept_wait(rc, side, packet, frame, time_ns);
    if (packet->info->response && ib_requests_offset(requests, packet->bth.psn, &offset))
        place = place_of_answer(requests, packet, offset);
    if (place == ACCEPTED)
        return true;
    if (place != DOUBTFUL) {
        ib_accept_refuse(rc, side, place);
        return false;
    }
    if (rc->options.at_once && offset - unused_of(requests) > DISPUTE_PACKETS) { /* a loss is seldom as large */
        ib_accept_refuse(rc, side, REFUSED_ACK);
        return false;
    }
    if (rc->options.at_once) {
        rc->side[other_side(side)].claimed = offset + 1;
        return true;
    }
    dispute_begin(&rc->accept.dispute, &(struct dispute){.about = other_side(side),
                                                         .kind = REFUSED_ACK,
                                                         .at = offset + 1,
                                                         .sent = requests->next,
                                                         .wild = offset - unused_of(requests) > DISPUTE_PACKETS,
                                                         .since_ns = time_ns});
    return !ib_accept_wait(rc, side, packet, frame, time_ns);
}

void ib_rc_settle(struct ib_rc *rc)
{
    if (rc->accept.dispute.open)
        ib_accept_settle(rc, dispute_read_last(&rc->accept.dispute));
    INVARIANT(!rc->accept.dispute.open);
}
