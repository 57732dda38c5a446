/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The TCP checksum (RFC 9293 section 3.1), in two parts: header and pseudo-header are summed while they are available,
 * the payload only on request.
 */
#ifndef IWARP_ENGINE_PACKET_TCP_CHECKSUM_H
#define IWARP_ENGINE_PACKET_TCP_CHECKSUM_H

#include "engine/packet/addressed.h"

enum tcp_checksum {
    TCP_CHECKSUM_UNKNOWN, /* octets are missing, or the interface was to fill it in: zero, or the pseudo-header's sum */
    TCP_CHECKSUM_RIGHT,
    TCP_CHECKSUM_WRONG,
};

/* Whether the checksum of an IPv4 header with n octets, all captured, is wrong, and not 0. */
bool ipv4_checksum_wrong(const uint8_t *header, uint32_t n);
/* Sums header and addresses; after that, only the payload is needed from the packet's memory. */
void tcp_checksum_keep(struct tcp_segment *segment);
/* Verifies a segment whose payload is still as captured. */
enum tcp_checksum tcp_checksum(const struct tcp_segment *segment);

#endif
