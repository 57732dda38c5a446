/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hand-made packets, header by header. */
#ifndef IWARP_TESTS_UNIT_SUPPORT_PACKETS_H
#define IWARP_TESTS_UNIT_SUPPORT_PACKETS_H

#include "engine/packet/decap.h"
#include "tests/unit/support/support.h"
#include "wire/octets.h"

#include <pcap/dlt.h>

struct packet_octets {
    uint8_t p[70000];
    size_t n;
};

void packet_add(struct packet_octets *o, const void *p, size_t n);
void packet_add_hex(struct packet_octets *o, const char *hex);

/* A TCP header without options, ports 1000 > 2000, and text. */
void packet_add_tcp(struct packet_octets *o, uint32_t seq, const char *text);

/* 10.0.0.1 > 10.0.0.2; flags_offset as in the header. */
void packet_add_ipv4(struct packet_octets *o, size_t payload, unsigned id, unsigned flags_offset);

/* 2001:db8::1 > 2001:db8::2 */
void packet_add_ipv6(struct packet_octets *o, size_t payload, uint8_t next);
struct packet packet_of(const struct packet_octets *o, int linktype);

#endif
