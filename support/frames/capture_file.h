/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes capture files: pcapng (section header, one Ethernet interface with nanosecond time, enhanced packets) or
 * classic pcap with nanoseconds; or gives the packets to the caller. There is one buffer, so memory does not grow with
 * the file.
 */
#ifndef IWARP_SUPPORT_FRAMES_CAPTURE_FILE_H
#define IWARP_SUPPORT_FRAMES_CAPTURE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum capture_format { CAPTURE_PCAPNG, CAPTURE_PCAP };

struct capture_file;

/* Opens path for writing ("-": standard output). snap_length 0 keeps whole packets. NULL with errno set on failure. */
struct capture_file *capture_file_open(const char *path, enum capture_format format, uint32_t snap_length);

/* The same for pcapng with whole packets; the comment goes into the section header. */
struct capture_file *capture_file_open_commented(const char *path, const char *comment);

/*
 * No file: each packet goes to take() instead, `captured` octets of n. False ends the capture as a full disk would: it
 * sets errno.
 */
typedef bool (*capture_file_take)(void *ctx, int64_t time_ns, const uint8_t *p, size_t captured, size_t n);
struct capture_file *capture_file_to(capture_file_take take, void *ctx);

/*
 * From now on packets are written as if captured live: the first one now, others at their distance in time. For readers
 * who watch.
 */
void capture_file_set_live(struct capture_file *file);

/* Packets for which wants() is false are left out from now on. */
typedef bool (*capture_file_wants)(void *ctx, const uint8_t *p, size_t n);
void capture_file_set_filter(struct capture_file *file, capture_file_wants wants, void *ctx);

/* Writes one packet; octets beyond the snap length are cut. False with errno set when writing failed. */
bool capture_file_packet(struct capture_file *file, int64_t time_ns, const uint8_t *p, size_t n);

/* A packet of n octets, of which `captured` are at p; a snap length cuts it further. */
bool capture_file_cut_packet(struct capture_file *file, int64_t time_ns, const uint8_t *p, size_t captured, size_t n);

/*
 * pcapng: packets that could not be recorded, so far, for lack of room. After the last packet, for readers
 * (conformance/input/capture_drops.h). No effect on pcap, which has no place for it.
 */
bool capture_file_drops(struct capture_file *file, int64_t time_ns, uint64_t dropped);

/* Passes on the contents of the buffer. False with errno set when anything could not be written. */
bool capture_file_flush(struct capture_file *file);

/* Octets of the file so far. */
uint64_t capture_file_octets(const struct capture_file *file);

/* Flushes and closes. False with errno set when anything could not be written. */
bool capture_file_close(struct capture_file *file);

#endif
