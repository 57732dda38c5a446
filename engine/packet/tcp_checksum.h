/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TCP checksum (RFC 9293 section 3.1), in two parts: header and pseudo-header are summed where they are at hand,
 * the payload only when someone asks.
 */
#ifndef IWARP_ENGINE_PACKET_TCP_CHECKSUM_H
#define IWARP_ENGINE_PACKET_TCP_CHECKSUM_H

#include "engine/packet/addressed.h"

enum tcp_checksum {
    TCP_CHECKSUM_UNKNOWN, /* octets are missing, or it was left to the interface: zero, or the pseudo-header's sum */
    TCP_CHECKSUM_RIGHT,
    TCP_CHECKSUM_WRONG,
};

/* Sums header and addresses: the packet's memory is needed no longer, but for the payload. */
void tcp_checksum_keep(struct tcp_segment *segment);
/* Of a segment whose payload is still as captured. */
enum tcp_checksum tcp_checksum(const struct tcp_segment *segment);

#endif
