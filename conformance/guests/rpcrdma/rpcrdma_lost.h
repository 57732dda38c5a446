/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What of a Call's latency the path took: by losing packets, which come again after a timeout or a few duplicate ACKs,
 * and by letting later ones overtake. Only what the capture shows is counted; it is not the server's time.
 */
#ifndef IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_LOST_H
#define IWARP_CONFORMANCE_GUESTS_RPCRDMA_RPCRDMA_LOST_H

#include "conformance/stats/collect_internal.h"

/* What this side had sent from this offset on was sent again: the meaning of collector_sent_again(). */
void rpcrdma_lost_sent_again(struct collector *collector, unsigned side, uint64_t offset, int64_t time_ns);
/* Data of the Call was moved there, before this is noted in the Call. */
void rpcrdma_lost_moved(struct collector *collector, struct open_call *call, const struct place *place);
/* Its answer came. */
void rpcrdma_lost_answered(struct collector *collector, struct open_call *call, const struct place *place);

#endif
