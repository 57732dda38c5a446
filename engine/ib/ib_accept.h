/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which packets of a reliable connection count: those that their receiver accepts (InfiniBand Architecture
 * Specification volume 1, sections 9.6 and 9.7). The caller drops packets with a wrong version or ICRC before
 * (ib_icrc_senders.h). An answer whose request was not captured waits for later packets: the capture lost the request,
 * or nobody sent the request and the answer is forged (engine/packet/dispute.h).
 */
#ifndef IWARP_ENGINE_IB_IB_ACCEPT_H
#define IWARP_ENGINE_IB_IB_ACCEPT_H

#include "engine/packet/dispute.h"
#include "engine/packet/refusal.h"
#include "wire/ib.h"

struct ib_accept {
    uint16_t partition[2]; /* by the side that used it last */
    bool partition_known[2], partition_sure;
    struct dispute dispute;
};

struct ib_rc;

/* True: the packet, from `side`, is accepted. False: it waits, or is refused and counted. */
bool ib_accept(struct ib_rc *rc, unsigned side, const struct ib_packet *packet, uint32_t frame, int64_t time_ns);

#endif
