/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pcapng file says about the capture: packets that the capturing program had to drop, when it ended, and in a
 * stream the link types of its interfaces.
 */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_DROPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* According to Interface Statistics Blocks (draft-ietf-opsawg-pcapng section 4.6). */
struct capture_counts {
    uint64_t dropped;
    uint64_t delivered; /* packets received and not dropped; a file with fewer packets is an excerpt; 0: unknown */
    int64_t ended_ns;   /* when the capture ended; 0: unknown */
};

/*
 * The counts of all interfaces, from a regular file of this size. They cover the whole capture, so they are at the end
 * of the file, after the last packet. All zeros: no counters there, or another format. Callers need the counters before
 * the first connection closes, because the findings at its end are reported then. libpcap does not pass on such blocks.
 */
struct capture_counts capture_drops(int fd, int64_t size);

/* The times of an interface. All zeros: microseconds since the epoch. */
struct drops_clock {
    bool known;         /* the following is: */
    uint8_t resolution; /* if_tsresol */
    int64_t offset_s;   /* if_tsoffset */
};

/*
 * The same while the octets pass, before libpcap has them: of a pipe or decompressed data, or of a file whose writer
 * counts as it goes, as iwarp-tap does, and has the counters between the packets. All zeros at first.
 */
struct drops_stream {
    bool unusual;            /* not pcapng, or damaged: no more is counted */
    bool begun;              /* after the first block's beginning */
    bool swapped;            /* the other byte order */
    uint32_t to_skip;        /* octets of the current block that are not kept */
    uint32_t n_kept;         /* of the current block */
    uint32_t to_keep;        /* before the next look at them; 0: enough for the type and length */
    uint8_t kept[4096];      /* larger statistics blocks are skipped */
    struct drops_interface { /* in this section; the last is the largest of all further interfaces */
        struct drops_clock clock;
        struct capture_counts counts;
        uint16_t link; /* LINKTYPE_* */
    } interface[64];
    uint32_t interfaces;
    struct capture_counts sum; /* of all sections; never falls */
    uint64_t described;        /* interfaces of all sections */
    uint16_t first_link;       /* of the first of them */
    uint64_t packets;
    /* Of the latest packets, XOR the first link type; owned by the caller. NULL: each interface has that link type. */
    uint16_t *links;
};
/*
 * libpcap refuses an interface that differs from the first one in link type or snap length. So the octets of each
 * interface are changed: to the link type of the first, and to the largest snap length.
 */
void drops_octets(struct drops_stream *stream, uint8_t *p, size_t n);
/* DLT_* of a packet that libpcap has just read, counted from 0. first: of the first interface. */
int drops_linktype(const struct drops_stream *stream, uint64_t packet, int first);
/*
 * Instead of drops_octets(): a whole Interface Description or Statistics Block of this machine's byte order, at least
 * 12 octets.
 */
void drops_block(struct drops_stream *stream, const uint8_t *block, uint32_t length);

#endif
