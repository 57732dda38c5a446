/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that the capturing program had to drop, according to a pcapng file. */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H

#include <stdint.h>

/*
 * The drop counters of all interfaces, from a regular file of this size (draft-ietf-opsawg-pcapng section 4.6). They
 * count the whole capture, so they are at the end of the file, after the last packet. 0: no counters there, or another
 * format. Callers need the counters before the first connection closes, because the findings at its end are reported
 * then. libpcap does not pass on such blocks; a stream that cannot seek, such as a pipe or decompressed data, would
 * have to be read twice.
 */
uint64_t capture_drops(int fd, int64_t size);
/* The drop counters in an Interface Statistics Block of this machine's byte order: all its octets, at least 12. */
uint64_t drops_of_statistics(const uint8_t *block, uint32_t length);

#endif
