/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the statistics of one connection from the events of the engine's layers (engine/stack/stack.h), with one
 * function per tap. The functions are called in the order of the taps. Memory: bounded. Each outstanding Call takes
 * some 80 octets, and the engine bounds the number of Calls.
 */
#ifndef IWARP_CONFORMANCE_STATS_COLLECT_H
#define IWARP_CONFORMANCE_STATS_COLLECT_H

#include "conformance/stats/statistics.h"
#include "engine/ib/ib_rc.h"
#include "engine/stack/stack.h"

struct collector;

/* NULL: out of memory. */
struct collector *collector_new(bool ib);
/* Call it after the stack is freed, because freeing retires transactions. */
void collector_free(struct collector *collector);

/* TCP, MPA */
void collector_tcp(struct collector *collector, const struct tcp_segment *segment, uint64_t offset, bool acked_known,
                   uint64_t acked);
void collector_phase(struct collector *collector, enum mpa_phase phase, const struct mpa_parameters *parameters);
void collector_fpdu(struct collector *collector, const struct mpa_fpdu_event *event);
/* DDP, RDMAP */
void collector_rdmap(struct collector *collector, const struct rdmap_segment_event *event);
/* RoCE, InfiniBand: a packet of the connection after the engine took it, and the parts of messages in it. */
void collector_ib_packet(struct collector *collector, unsigned side, const struct ib_packet *packet,
                         const struct ib_rc_counts *counts, uint32_t frame, int64_t time_ns);
void collector_ib_part(struct collector *collector, const struct ib_rc_part *part);
/* Data that this side sent from this offset on were retransmitted, and had not been acknowledged. */
void collector_sent_again(struct collector *collector, unsigned side, uint64_t offset, int64_t time_ns);
/* Data that this side sent before this offset were received. */
void collector_received(struct collector *collector, unsigned side, uint64_t offset);
/* The Reads that `side` may have outstanding; 0: unknown. */
void collector_read_limit(struct collector *collector, unsigned side, uint32_t limit);
/* n octets or requests of this side are missing in the capture: they were not captured between these times. */
void collector_hole(struct collector *collector, unsigned side, uint64_t n, int64_t from_ns, int64_t to_ns);
/* n octets of this side are missing, because a snap length cut the packets that carried them. */
void collector_cut(struct collector *collector, unsigned side, uint64_t n);
/* When this side was seen last. */
int64_t collector_seen(const struct collector *collector, unsigned side);
/* When the octet before the missing octet at `offset` was seen. It will not be asked again. */
int64_t collector_seen_before(struct collector *collector, unsigned side, uint64_t offset);
/*
 * Returns the data collected since the last call, which the caller then owns; `first` becomes side 0. Collection
 * continues unless this is the last call. NULL: out of memory.
 */
struct statistics *collector_take(struct collector *collector, unsigned first, bool last);

#endif
