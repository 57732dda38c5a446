/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets that the capturing program had to drop, according to a pcapng file. */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The drop counters of all interfaces, from a regular file of this size (draft-ietf-opsawg-pcapng section 4.6). They
 * count the whole capture, so they are at the end of the file, after the last packet. 0: no counters there, or another
 * format. Callers need the counters before the first connection closes, because the findings at its end are reported
 * then. libpcap does not pass on such blocks.
 */
uint64_t capture_drops(int fd, int64_t size);

/*
 * The same while the octets pass, before libpcap has them: of a pipe or decompressed data, or of a file whose writer
 * counts as it goes, as iwarp-tap does, and has the counters between the packets. All zeros at first.
 */
struct drops_stream {
    bool unusual;         /* not pcapng, or damaged: no more is counted */
    bool begun;           /* after the first block's beginning */
    bool swapped;         /* the other byte order */
    uint32_t to_skip;     /* octets of the current block that are not kept */
    uint32_t n_kept;      /* of the current block */
    uint32_t to_keep;     /* before the next look at them; 0: enough for the type and length */
    uint8_t kept[4096];   /* larger statistics blocks are skipped */
    uint64_t dropped[64]; /* in this section, by interface; the last is the largest of all further interfaces */
    uint64_t sum;         /* of all sections; never falls */
};
void drops_octets(struct drops_stream *stream, const uint8_t *p, size_t n);
/* Instead of drops_octets(): a whole Interface Statistics Block of this machine's byte order, at least 12 octets. */
void drops_statistics(struct drops_stream *stream, const uint8_t *block, uint32_t length);

#endif
