/* SPDX-License-Identifier: GPL-2.0-or-later */
/* libpcap's reading of files: the common part of both formats. */
#ifndef IWARP_WEB_PCAP_FILE_H
#define IWARP_WEB_PCAP_FILE_H

#include <pcap/pcap.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    PCAP_SNAP_LENGTH_MAX = 262144,
    PCAP_BLOCK_MAX = 16 << 20,
    PCAP_INTERFACES_MAX = 1 << 16,
    PCAP_NS_PER_S = 1000000000,
};

/* The units of an interface's times. */
struct pcap_interface {
    uint64_t ticks_per_second;
    int64_t offset_s;
};

struct pcap {
    FILE *file;
    char error[PCAP_ERRBUF_SIZE];
    bool swapped, is_pcapng, nanoseconds; /* in the file */
    bool broken;
    int linktype, snap_length;
    uint32_t first_linktype, first_snap_length; /* pcapng: those of the first interface */
    struct pcap_interface *interfaces;
    unsigned n_interfaces;
    struct pcap_pkthdr header;
    uint8_t *buffer;
    size_t room;
};

uint16_t pcap_get16(const pcap_t *pcap, const uint8_t *p);
uint32_t pcap_get32(const pcap_t *pcap, const uint8_t *p);
/* Converts the link type of a file to that of programs. */
int pcap_linktype_of(uint32_t in_file);
int pcap_snap_length_of(uint32_t in_file);
/* Ensures room for n octets in the buffer. */
bool pcap_room(pcap_t *pcap, size_t n);
__attribute__((format(printf, 2, 3))) void pcap_say(pcap_t *pcap, const char *format, ...);

/* The rest of the file's head, after the first 4 octets. False: the error is set. */
bool pcapng_begin(pcap_t *pcap, const uint8_t magic[4]);
/* As pcap_next_ex(). */
int pcapng_next(pcap_t *pcap, const uint8_t **data);

#endif
