/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads ordinary capture files without libpcap, whose file loop costs three calls of fread() and two copies per packet,
 * as much as all other work on a packet. Ordinary files are regular files in this machine's byte order, pcap or pcapng
 * with times in micro- or nanoseconds. The interfaces of pcapng may differ in their link types and snap lengths, which
 * libpcap refuses. At the first exception (an error, the end inside a
 * record, another kind of block with packets), the caller continues with libpcap, which decides.
 *
 * A pipe from iwarp-tap is read in the same way. It has drop counters between its packets, and nothing unusual.
 */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_DIRECT_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_DIRECT_H

#include <stdbool.h>
#include <stdint.h>

struct capture_direct;

/* What libpcap has already found in the file header. */
struct direct_facts {
    uint32_t snap_length; /* no packet is longer: of the first interface */
    int linktype;         /* DLT_* of the first interface */
};

struct direct_record {
    int64_t time_ns;
    uint32_t length, captured;
    int linktype;        /* DLT_* of the interface; -1: that of the file */
    const uint8_t *data; /* valid until the next call */
};

enum direct_status {
    DIRECT_PACKET,
    DIRECT_WAIT, /* pipes only: nothing has arrived yet */
    DIRECT_END,
    DIRECT_UNUSUAL,
};

/* Reads from the beginning of the file without moving its offset. NULL: not an ordinary file, or no memory. */
struct capture_direct *direct_open(int fd, const struct direct_facts *facts);
void direct_close(struct capture_direct *direct);
/* Reads a pcapng stream as it arrives. Waits for the first octets. NULL: not pcapng, or no memory. */
struct capture_direct *direct_open_pipe(int fd);
/* Must not be called again after any result except PACKET and WAIT. */
enum direct_status direct_next(struct capture_direct *direct, struct direct_record *record);
/* Octets of the file consumed. */
uint64_t direct_position(const struct capture_direct *direct);
/* The drops that the writer has counted so far. */
uint64_t direct_dropped(const struct capture_direct *direct);

#endif
