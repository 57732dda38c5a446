/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that the capturing program had no room for, according to a pcapng file. */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H

#include <stdint.h>

/*
 * The drop counters of all interfaces, in a regular file of this size (draft-ietf-opsawg-pcapng section 4.6). They
 * count the whole capture, so they are written at the end of the file, after the last packet. 0: no counters there, or
 * another format.
 *
 * The counters must be known before the first connection closes, because findings at its end are reported then. A
 * stream that cannot seek, such as a pipe or decompressed data, would have to be read twice; libpcap does not pass on
 * such blocks.
 */
uint64_t capture_drops(int fd, int64_t size);

#endif
