/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The invariant CRC of InfiniBand packets (InfiniBand Architecture Specification volume 1 section 7.8.1; for RoCE v2
 * its Annex A17 section A17.3.3): Ethernet's CRC-32 over all octets that no router changes; octets that a router may
 * change count as ones. On the wire, the least significant octet comes first.
 *
 *   | ones | headers before the BTH, masked | BTH, octet 4 as ones | extended headers, payload, pad | ICRC |
 *   |<--------------------------------- covered --------------------------------------------->|
 *
 *   RoCE v2, IPv4   64 ones; IP header with TOS, TTL and header checksum as ones; UDP header with its checksum as ones
 *   RoCE v2, IPv6   64 ones; IPv6 header with traffic class, flow label and hop limit as ones; UDP header likewise
 *   RoCE v1         64 ones; GRH as IPv6 header
 *   InfiniBand      LRH with its virtual lane as ones; GRH, if present, as IPv6 header
 *
 * followed in each case by the BTH with octet 4 (FECN, BECN, reserved) as ones, and everything up to the CRC.
 */
#ifndef IWARP_WIRE_IB_ICRC_H
#define IWARP_WIRE_IB_ICRC_H

#include <stddef.h>
#include <stdint.h>

/*
 * The headers before the BTH. IPv4 headers may have options. IB_BELOW_TAP: those that iwarp-tap writes
 * (wire/tap_mark.h), for which no CRC is defined.
 */
enum ib_below { IB_BELOW_IPV4_UDP, IB_BELOW_IPV6_UDP, IB_BELOW_GRH, IB_BELOW_LRH, IB_BELOW_LRH_GRH, IB_BELOW_TAP };
enum { IB_BELOW_COUNT = IB_BELOW_TAP + 1 };

/*
 * The CRC of a packet: below[0..below_len) are its headers before the BTH, transport[0..n) the octets from the BTH up
 * to the CRC. Returns 0 (also a possible CRC) when below_len or n is too short for the headers.
 */
uint32_t ib_icrc(enum ib_below kind, const uint8_t *below, size_t below_len, const uint8_t *transport, size_t n);

#endif
