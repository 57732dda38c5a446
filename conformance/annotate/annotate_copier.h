/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the two halves of the copier: annotate_copy.c (pcapng) and annotate_pcap.c. */
#ifndef IWARP_CONFORMANCE_ANNOTATE_ANNOTATE_COPIER_H
#define IWARP_CONFORMANCE_ANNOTATE_ANNOTATE_COPIER_H

#include "conformance/annotate/annotate_copy.h"

enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_OLD_PACKET = 2,
    BLOCK_SIMPLE_PACKET = 3,
    BLOCK_PACKET = 6,
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_SECTION_APPLICATION = 4,
    OPTION_INTERFACE_TSRESOL = 9,
    OPTION_INTERFACE_FCSLEN = 13,
    OPTION_VALUE_MAX = 65535,
    BLOCK_MAX = 16 << 20, /* the limit of libpcap and Wireshark */
};

#define PADDED(n) (((size_t)(n) + 3) & ~(size_t)3)

struct copier {
    FILE *in, *out;
    const struct annotate_comments *comments;
    struct capture_error *error;
    bool big_endian; /* of the section */
    bool section_seen;
    uint32_t frame;       /* counted so far */
    uint32_t interfaces;  /* of the section */
    uint32_t snap_length; /* of its first interface */
    GByteArray *block;    /* the current block; pcap: the packet */
    GByteArray *added;    /* options for it */
    GPtrArray *texts;     /* comments for it */
};

uint16_t copier_get16(const struct copier *copier, const uint8_t *p);
uint32_t copier_get32(const struct copier *copier, const uint8_t *p);
void copier_put16(const struct copier *copier, uint8_t *p, uint16_t value);
void copier_put32(const struct copier *copier, uint8_t *p, uint32_t value);

void copier_option(struct copier *copier, GByteArray *to, uint16_t code, const void *value, size_t n);
void copier_comment(struct copier *copier, GByteArray *to, const char *text);
/* Counts the packet and appends its comments to `added`. */
void copier_add_packet_comments(struct copier *copier);

/* Sets the error text and returns `status`. */
enum annotate_status copier_stop(struct copier *copier, enum annotate_status status, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

enum annotate_status copier_convert_pcap(struct copier *copier);

#endif
