/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The workers for the shares of a capture: threads that get batches through queues of bounded length, or the reader of
 * the capture itself.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_WORKERS_H
#define IWARP_CONFORMANCE_CHECK_CHECK_WORKERS_H

#include "conformance/check/check_share.h"
#include "engine/core/heap.h"

struct workers;

/*
 * Creates workers for the shares of a capture, whose memory is on the heap, and which use the layouts in turn. n:
 * threads at most; if 0, or if threads cannot be created, the caller does the work. `shares` is borrowed; a share must
 * exist before its first packet. NULL: out of memory.
 */
struct workers *workers_new(struct share *const *shares, unsigned n, struct terminate_layouts *layouts,
                            struct heap *heap);
/* The worker of a share: 0, or a number below n. */
unsigned workers_of(const struct workers *workers, unsigned share);
/* Copies the segment, unless it is processed at once; waits while the worker lags far behind. False: out of memory. */
bool workers_segment(struct workers *workers, unsigned share, struct addressed_segment *segment);
/* Likewise for a packet of RoCE or InfiniBand. */
bool workers_datagram(struct workers *workers, unsigned share, const struct ib_datagram *datagram);
/*
 * Waits until all packets handed over are processed. The caller may then read the shares until it hands over more
 * packets.
 */
void workers_pause(struct workers *workers);
/* The capture has ended: finishes every share, and frees the workers. */
void workers_finish(struct workers *workers, int64_t last_ns);

#endif
