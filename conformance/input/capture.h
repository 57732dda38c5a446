/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources of packets: a capture file (pcap, pcapng; any byte order, micro- or nanoseconds; plain or compressed with
 * gzip, zstd or lz4), standard input, or an interface, all through libpcap; iwarp-tap, which records what the kernel of
 * this host sends and receives; or the caller's memory.
 */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_H

#include "engine/packet/decap.h"

#include <stdio.h>

enum { CAPTURE_ERROR_SIZE = 512 };

/* One line, without the program's name and without a newline; names the file and the error. */
struct capture_error {
    char text[CAPTURE_ERROR_SIZE];
};

enum capture_status {
    CAPTURE_PACKET,
    CAPTURE_TIMEOUT, /* live only: nothing arrived for a while; the caller should call again */
    CAPTURE_END,
    CAPTURE_TRUNCATED, /* the file ends too early: inside a record, or inside compressed data; everything before was
                          delivered. Error text set. */
    CAPTURE_CORRUPT,   /* the rest cannot be read; everything before it was delivered. Error text set. */
};

struct capture;

struct capture_live_options {
    unsigned snap_length; /* 0: whole packets */
    unsigned buffer;      /* octets of the kernel buffer; 0: the default */
    const char *filter;   /* pcap-filter language, or the part of it that iwarp-tap knows; NULL: none */
    const char *user;     /* the user that root becomes; NULL: the caller of sudo, or nobody */
    bool writes;          /* a process that gives up root still has to write files */
};

/* "-" is standard input. NULL with the error set: the file cannot be opened or is not a capture. */
struct capture *capture_open(const char *path, struct capture_error *error);
/*
 * "kernel" is iwarp-tap. Drops all privileges once the interface is open, except the privilege to write files if
 * `writes` is set; see capture_live_opened(). options NULL: the defaults.
 */
struct capture *capture_open_live(const char *interface, const struct capture_live_options *options,
                                  struct capture_error *error);
/*
 * Drops the privilege to write as well, unless reports `remain` to be written. False with the error set: the kernel
 * refuses.
 */
bool capture_live_opened(const char *interface, bool remain, struct capture_error *error);
/*
 * No file: give() makes the next packet, without its frame number and link type, which is Ethernet; false: there is
 * none. NULL: not enough memory.
 */
struct capture *capture_from(bool (*give)(void *ctx, struct packet *packet), void *ctx);
void capture_close(struct capture *capture);

/*
 * Delivers only packets that match a filter in the pcap-filter language; the others still count as frames. For files
 * only: a live capture has its filter from the start.
 */
bool capture_filter(struct capture *capture, const char *filter, struct capture_error *error);
/* Starts a copy of delivered packets in a pcap file. */
bool capture_keep(struct capture *capture, const char *path, struct capture_error *error);
/* Ends the copy; false: the copy is incomplete. */
bool capture_kept(struct capture *capture, struct capture_error *error);

/* Lists interfaces for capturing, one per line: name, kind, and whether it is up. */
bool capture_list_interfaces(FILE *out, struct capture_error *error);

/* packet->data is valid until the next call. Any result except PACKET and TIMEOUT is final. */
enum capture_status capture_next(struct capture *capture, struct packet *packet, struct capture_error *error);

/* The fraction of a regular file that was read, 0 to 1; negative: unknown (standard input, live). */
double capture_progress(const struct capture *capture);
/*
 * Packets dropped by the kernel. In a live capture, a pipe or compressed data: so far. In a file: during the whole
 * capture, if the file ends with their number; else so far.
 */
uint64_t capture_dropped(struct capture *capture);
/*
 * After CAPTURE_END: the time at which the capture ended. For a live capture, the time at which it was stopped; for a
 * file, the time that the file names. 0: the time is unknown, or the file is an excerpt.
 */
int64_t capture_ended(const struct capture *capture);
bool capture_is_live(const struct capture *capture);
/* True if the input is not a regular file, so that its end is unknown. */
bool capture_is_endless(const struct capture *capture);
/* The time that a packet arriving now would have. */
int64_t capture_now(void);
/*
 * Makes capture_next() return CAPTURE_END: for a file, at once; for a live capture, after the packets received so far,
 * or at once when called again. Safe in a signal handler.
 */
void capture_stop(struct capture *capture);

__attribute__((format(printf, 2, 3))) void capture_error_set(struct capture_error *error, const char *format, ...);

#endif
