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

/*
 * Sums the header at p, of which `captured` of `length` octets (with the payload) are there; segment has been read from
 * it. addresses: n octets of the IP header, source and destination.
 */
void tcp_checksum_begin(struct tcp_segment *segment, const uint8_t *addresses, size_t n, const uint8_t *p,
                        uint32_t captured, uint32_t length);
/* Of a segment whose payload is still as captured. */
enum tcp_checksum tcp_checksum(const struct tcp_segment *segment);

#endif
