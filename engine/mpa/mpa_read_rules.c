// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA Reads in flight against the negotiated IRD and ORD: RFC 6581 section 9.1. Atomics share the limit (RFC 7306).
 *
 * A Request counts from the frame that completes it in the capture until the frame that completes its Response. The
 * Response passes the capture point before the requester can receive it, so the count is never too high, unless the
 * capture has the directions in another order, which the ACK numbers show. Holes do not make the count too high either:
 * a Request in a hole is not counted, though its Response is, and a hole is assumed to hide as many Responses as it has
 * room for.
 */
#include "engine/core/words.h"
#include "engine/mpa/mpa_startup_state.h"
#include "wire/invariant.h"

enum { RESPONSE_MIN = MPA_LENGTH_LEN + DDP_TAGGED_HEADER_LEN + MPA_CRC_LEN };

static bool read_is_request(const struct ddp_segment *ddp)
{
    return !ddp->tagged && ddp->last && (ddp->opcode == RDMAP_READ_REQUEST || ddp->opcode == RDMAP_ATOMIC_REQUEST);
}

/*
 * The sender of this FPDU has received octets that were not judged yet, because they have not passed the capture point,
 * or still wait for other octets (without a CRC, or after a gap).
 */
static bool ahead_of_capture(const struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    const struct mpa_side *o = &mpa->side[other_side(side)];

    return event->acked_known && event->acked > (mpa->parameters.crc == ON && !o->gap_open ? o->next : o->cursor);
}

static bool read_is_response(const struct ddp_segment *ddp)
{
    return ddp->last && (ddp->tagged ? ddp->opcode == RDMAP_READ_RESPONSE : ddp->opcode == RDMAP_ATOMIC_RESPONSE);
}

/*
 * The number of Requests that `side` may have in flight: the Reply's IRD for the Initiator, its ORD for the Responder.
 */
static uint16_t read_limit_of(const struct mpa_connection *mpa, unsigned side)
{
    return initiator_of(mpa) == (int)side ? mpa->parameters.ird : mpa->parameters.ord;
}

static bool limit_negotiated(const struct mpa_connection *mpa, unsigned side)
{
    return mpa->parameters.enhanced && mpa->parameters.ird_ord_known &&
           read_limit_of(mpa, side) != MPA_IRD_ORD_NOT_NEGOTIATED && !mpa->order->side[0].enhanced_unusable &&
           !mpa->order->side[1].enhanced_unusable;
}

/*
 * `side` sent, or may have sent, so many Responses. They end Requests of the peer; what is left over ends Requests that
 * `side` had received when it sent this FPDU, and that have not passed the capture point yet.
 */
static void count_answered(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event,
                           uint64_t responses)
{
    struct mpa_reads_state *reads = &mpa->order->reads;
    unsigned peer = other_side(side);
    uint64_t ended = responses < reads->outstanding[peer] ? responses : reads->outstanding[peer];

    reads->outstanding[peer] -= ended;
    if (responses == ended || !ahead_of_capture(mpa, side, event))
        return;
    reads->early[peer] += responses - ended;
    reads->early_until[peer] = event->acked;
    INVARIANT(reads->outstanding[peer] == 0);
}

static void count_response(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    if (read_is_response(&event->ddp))
        count_answered(mpa, side, event, 1);
}

/* Octets that `side` sent before this FPDU, and that were not captured, may have been Responses. */
static void count_missing(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    if (!(event->within && event->ddp.opcode == RDMAP_WRITE))
        count_answered(mpa, side, event, event->skipped / RESPONSE_MIN);
}

static void count_request(struct mpa_reads_state *reads, unsigned side, uint64_t offset)
{
    if (offset >= reads->early_until[side])
        reads->early[side] = 0;
    if (reads->early[side] > 0)
        reads->early[side]--;
    else
        reads->outstanding[side]++;
    INVARIANT(reads->outstanding[side] == 0 || reads->early[side] == 0);
}

void mpa_judge_reads(struct mpa_connection *mpa, unsigned side, const struct mpa_fpdu_event *event)
{
    struct mpa_reads_state *reads = &mpa->order->reads;
    bool initiator = initiator_of(mpa) == (int)side;
    enum rule_id rule = initiator ? RULE_MPA2_9_1_15 : RULE_MPA2_9_1_28;
    unsigned peer = other_side(side);
    uint16_t limit;

    count_missing(mpa, side, event);
    count_response(mpa, side, event);
    if (reads->over[peer])
        reads->over[peer] = reads->outstanding[peer] > read_limit_of(mpa, peer);
    if (!read_is_request(&event->ddp))
        return;
    count_request(reads, side, event->place.offset);
    limit = read_limit_of(mpa, side);
    if (!limit_negotiated(mpa, side))
        return;
    if (reads->given_up || mpa->side[peer].gap_open) {
        verdict_inconclusive(mpa->verdict, rule, LOST_OR(WHY_LOWER), event->place.frame);
        return;
    }
    /* The sender has received an unknown number of Responses that come later in the capture. */
    if (ahead_of_capture(mpa, side, event)) {
        verdict_inconclusive(mpa->verdict, rule, WHY_ORDER, event->place.frame);
        return;
    }
    if (reads->outstanding[side] <= limit) {
        verdict_passed(mpa->verdict, rule);
        return;
    }
    /* A Read RTR although REP.IRD is 0 is MPA2-9.2-28. */
    if (reads->over[side] || (limit == 0 && mpa->order->rtr.read_without_slot))
        return;
    reads->over[side] = true;
    INVARIANT(reads->outstanding[side] > limit);
    verdict_failed(mpa->verdict, rule, event->direction, &event->place,
                   mpa->side[initiator ? peer : side].startup.place.frame,
                   "expected at most %u RDMA Read Request%s in flight (%s of the MPA Reply); found %llu RDMA Read "
                   "Requests in flight",
                   limit, plural(limit), initiator ? "IRD" : "ORD", (unsigned long long)reads->outstanding[side]);
}
