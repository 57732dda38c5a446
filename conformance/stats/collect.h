/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the statistics of one connection from what the engine's layers report (engine/stack/stack.h): a tap each. The
 * order of calls is that of the taps.
 *
 * Memory: bounded. Of each outstanding Call it keeps some 80 octets, and the engine bounds their number.
 */
#ifndef IWARP_CONFORMANCE_STATS_COLLECT_H
#define IWARP_CONFORMANCE_STATS_COLLECT_H

#include "conformance/stats/statistics.h"
#include "engine/ib/ib_rc.h"
#include "engine/stack/stack.h"

struct collector;

/* NULL: memory is lacking. */
struct collector *collector_new(bool ib);
/* After the stack, which retires its transactions. */
void collector_free(struct collector *collector);

/* TCP, MPA */
void collector_tcp(struct collector *collector, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                   uint64_t acked);
void collector_phase(struct collector *collector, enum mpa_phase phase, const struct mpa_parameters *parameters);
void collector_fpdu(struct collector *collector, const struct mpa_fpdu_event *event);
/* DDP, RDMAP */
void collector_rdmap(struct collector *collector, const struct rdmap_segment_event *event);
/* RoCE, InfiniBand: a packet of the connection after the engine had it, and the parts of messages that it brought. */
void collector_ib_packet(struct collector *collector, unsigned side, const struct ib_packet *packet,
                         const struct ib_rc_counts *counts, uint32_t frame, int64_t time_ns);
void collector_ib_part(struct collector *collector, const struct ib_rc_part *part);
/* What this side had sent from this offset on was sent again, and not acknowledged before. */
void collector_sent_again(struct collector *collector, unsigned side, uint64_t offset, int64_t time_ns);
/* What this side sent before this offset was received. */
void collector_received(struct collector *collector, unsigned side, uint64_t offset);
/* What `side` may have outstanding of Reads; 0: not known. */
void collector_read_limit(struct collector *collector, unsigned side, uint32_t limit);
/* n octets or requests that this side sent are missing in the capture. */
void collector_hole(struct collector *collector, unsigned side, uint64_t n);
/*
 * What was collected since it was last taken, the caller's; with `first` as side 0. It goes on unless this is the last
 * time. NULL: memory is lacking.
 */
struct statistics *collector_take(struct collector *collector, unsigned first, bool last);

#endif
