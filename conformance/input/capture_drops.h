/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a pcapng file says of packets that whoever captured had no room for. */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H

#include <stdint.h>

/*
 * The drop counters of all interfaces, in a regular file of this size (draft-ietf-opsawg-pcapng section 4.6). They
 * count the whole capture, so they are written at its end: after the last packet. 0: none there, or another format.
 *
 * They must be known before the first connection closes, as what its end proves is reported then. So a stream that
 * cannot seek, a pipe or what comes out of decompression, would have to be read twice; libpcap passes on no such
 * blocks.
 */
uint64_t capture_drops(int fd, int64_t size);

#endif
