/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that work on the shares of a capture: they are given segments in batches, through queues of bounded length.
 */
#ifndef IWARP_CONFORMANCE_CHECK_CHECK_WORKERS_H
#define IWARP_CONFORMANCE_CHECK_CHECK_WORKERS_H

#include "conformance/check/check_share.h"
#include "engine/core/heap.h"

struct workers;

/*
 * For CHECK_SHARES shares, whose memory is of the heap; n threads at most, which use the layouts of their shares in
 * turn. NULL: no threads or no memory; the caller does the work itself.
 */
struct workers *workers_new(struct share *const *shares, unsigned n, struct terminate_layouts *layouts,
                            struct heap *heap);
/* Copies the segment; waits while the worker lags far behind. False: out of memory. */
bool workers_segment(struct workers *workers, unsigned share, const struct addressed_segment *segment);
/* The same for a packet of RoCE or InfiniBand. */
bool workers_datagram(struct workers *workers, unsigned share, const struct ib_datagram *datagram);
/* Waits until everything handed over is done. The shares may be read then, until more is handed over. */
void workers_pause(struct workers *workers);
/* The capture is over: every worker finishes its shares. Frees the workers. */
void workers_finish(struct workers *workers, int64_t last_ns);

#endif
