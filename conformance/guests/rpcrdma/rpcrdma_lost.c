// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/guests/rpcrdma/rpcrdma_lost.h"

#include "engine/rpcrdma/rpcrdma.h"

/* Counts each nanosecond once, even if packets are retransmitted several times. */
static void lost_lose(struct lost_time *lost, int64_t since_ns, int64_t until_ns, bool moving)
{
    uint64_t ns = time_since(since_ns > lost->until_ns ? since_ns : lost->until_ns, until_ns);

    lost->ns += ns;
    lost->moving_ns += moving ? ns : 0;
    lost->until_ns = until_ns > lost->until_ns ? until_ns : lost->until_ns;
}

/* On TCP all later octets wait for the retransmission; on RoCE later packets are themselves retransmitted. */
static bool lost_waits_for(const struct collector *collector, uint64_t offset, uint64_t resent)
{
    return collector->ib ? offset == resent : offset >= resent;
}

/* Either the server did not have the Call until now, or the data moved last had not arrived. */
static void take_resent(const struct collector *collector, struct open_call *call, unsigned side, uint64_t resent,
                        int64_t time_ns)
{
    const struct rpcrdma_transaction *t = call->transaction;
    uint64_t received = collector->side[side].received;

    if (side == t->side && t->call.offset >= received && lost_waits_for(collector, t->call.offset, resent))
        lost_lose(&call->lost, t->call.time_ns, time_ns, false);
    else if (call->moved && side == call->last_side && call->last_offset >= received &&
             lost_waits_for(collector, call->last_offset, resent))
        lost_lose(&call->lost, call->last_ns, time_ns, true);
}

void rpcrdma_lost_sent_again(struct collector *collector, unsigned side, uint64_t offset, int64_t time_ns)
{
    for (struct open_call *call = collector->oldest; call; call = call->newer)
        take_resent(collector, call, side, offset, time_ns);
}

/* The data came with a packet that was lost or overtaken before the capture point, so they were unusable until now. */
static void take_late(const struct collector *collector, struct open_call *call, const struct place *place, bool moving)
{
    const struct rpcrdma_transaction *t = call->transaction;
    const struct tcp_order *order = &collector->side[place->side & 1u].order;
    int64_t since = call->moved ? call->last_ns : t->call.time_ns;

    if (order->filled_frame == 0 || order->filled_frame != place->frame)
        return;
    since = order->filled_since_ns > since ? order->filled_since_ns : since;
    lost_lose(&call->lost, since, place->time_ns, moving);
}

void rpcrdma_lost_moved(struct collector *collector, struct open_call *call, const struct place *place)
{
    take_late(collector, call, place, call->moved);
    call->last_offset = place->offset;
    call->last_side = place->side & 1u;
}

void rpcrdma_lost_answered(struct collector *collector, struct open_call *call, const struct place *place)
{
    take_late(collector, call, place, false);
}
