/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The part of a Call's latency that the path caused by losing packets, which come again after a timeout or a few
 * duplicate ACKs, and by reordering packets. Only losses visible in the capture count; this is not the server's time.
 */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_LOST_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_LOST_H

#include "conformance/stats/collect_internal.h"

/* Data that this side sent from this offset on were retransmitted, as in collector_sent_again(). */
void rpcrdma_lost_sent_again(struct collector *collector, unsigned side, uint64_t offset, int64_t time_ns);
/* Data of the Call were moved at this place; call it before the move is noted in the Call. */
void rpcrdma_lost_moved(struct collector *collector, struct open_call *call, const struct place *place);
/* The answer to the Call came. */
void rpcrdma_lost_answered(struct collector *collector, struct open_call *call, const struct place *place);

#endif
