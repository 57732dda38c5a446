/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which senders' ICRCs count. A receiver drops a packet with a wrong ICRC, so such a packet is ignored here, too. But a
 * capture on the sending host sees packets before the adapter fills in the ICRC, a simulator may never fill it in, and
 * anonymised packets have changed since. Hence a sender's ICRC counts only from its first right ICRC on, and no longer
 * once packets with a wrong ICRC turn out to have been received. Memory: at
 * most 4096 senders; then the sender that has been idle longest is forgotten.
 */
#ifndef IWARP_ENGINE_IB_IB_ICRC_SENDERS_H
#define IWARP_ENGINE_IB_IB_ICRC_SENDERS_H

#include "engine/ib/ib_connections.h"
#include "engine/packet/decap.h"

struct ib_icrc_senders;

/* NULL when out of memory. */
struct ib_icrc_senders *ib_icrc_senders_new(void);
void ib_icrc_senders_free(struct ib_icrc_senders *senders);

/* Receivers drop packets of another version of the transport (section 9.6.1.1). */
static inline bool ib_is_other_version(const struct ib_packet *packet)
{
    return packet->bth.version != 0;
}

/* Notes a packet from arrival->source. Returns whether its receiver dropped the packet. */
bool ib_icrc_drops(struct ib_icrc_senders *senders, const struct ib_arrival *arrival, enum icrc_status status);
/*
 * packets: the number of packets judged as dropped that were acknowledged without a retransmission
 * (ib_rc_damaged_acked()).
 */
void ib_icrc_acked(struct ib_icrc_senders *senders, const struct ib_address *sender, unsigned packets);

#endif
