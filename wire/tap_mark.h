/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clang-format off */
/*
 * The marker of iwarp-tap (tap/), which records the messages of RPC-over-RDMA where the kernel builds and parses them.
 * It writes each message as packets of RoCE v2, which any Wireshark shows. Parts of RoCE that the kernel does not know
 * are invented there: queue pair and packet sequence numbers, the division into packets, Acknowledges, ICRCs. The
 * marker says so. It takes the place of the Ethernet addresses, which a tap does not know either:
 *
 *   0                   1                   2                   3
 *   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
 *  +---------------+---------------+---------------+---------------+
 *  |   destination: 0x02, "tap" (0x74 0x61 0x70)                   |
 *  +-------------------------------+-------------------------------+
 *  |      destination port         |   source: 0x02, 0x6B ("k")    |
 *  +---------------+---------------+-------------------------------+
 *  |Version|C|F| 0 |   left out    |         source port           |
 *  +-------+-+-+---+---------------+-------------------------------+
 *
 *   Version   1
 *   C         the client recorded it; else the server
 *   F         found in the client's memory, after the server had moved it by RDMA unseen
 *   left out  number of packets of the same message before this one that are not in the file: whole, without octets
 *   ports     of the transport below, as the connection manager has them; 0: unknown
 */
/* clang-format on */
#ifndef IWARP_WIRE_TAP_MARK_H
#define IWARP_WIRE_TAP_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAP_MARK_LEN = 12 };

struct tap_mark {
    bool tapped; /* false: there is no marker, and the rest is invalid */
    bool by_client;
    bool found;
    uint8_t left_out;
    uint16_t source_port, destination_port;
};

/* What the first n octets of an Ethernet frame say. A marker of a later version counts as one of this version. */
struct tap_mark tap_mark_decode(const uint8_t *p, size_t n);
/* Writes TAP_MARK_LEN octets. */
void tap_mark_encode(const struct tap_mark *mark, uint8_t *p);

#endif
