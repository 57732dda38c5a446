/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The TCP header (RFC 9293 section 3.1), and the relevant options of a SYN (section 3.2, RFC 7323, RFC 2018). */
#ifndef IWARP_ENGINE_PACKET_TCP_HEADER_H
#define IWARP_ENGINE_PACKET_TCP_HEADER_H

#include "engine/packet/addressed.h"

enum { TCP_HEADER_MIN = 20 };

/*
 * Reads the segment at p, including payload: `captured` of `length` octets, at least TCP_HEADER_MIN. Sets the segment's
 * flags, numbers, window, options and payload. False: the header length is wrong.
 */
bool tcp_header_read(struct tcp_segment *segment, const uint8_t *p, uint32_t captured, uint32_t length);

#endif
