/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records a live connection as packets, from the octets that this end sent and received. Octets, their order, addresses
 * and ports are real; headers are synthetic: the recorder chooses sequence numbers, each write is one segment (more if
 * the MSS requires), and received octets are cut where units begin, because a program cannot see where TCP cut them.
 * This end's packets acknowledge everything received; the peer's acknowledge what TCP reports.
 */
#ifndef IWARP_TRAFFIC_LIVE_TCP_RECORD_H
#define IWARP_TRAFFIC_LIVE_TCP_RECORD_H

#include "support/frames/capture_file.h"

#include <sys/socket.h>

/*
 * NULL path: NULL, without a recording. Else NULL with *why ("PATH: reason", for g_free()) when the file cannot be
 * created.
 */
struct capture_file *record_create(const char *path, char **why);
/* Closes the result of record_create(), NULL too. False when the file is incomplete, with *why replaced. */
bool record_finish(const char *path, struct capture_file *file, char **why);

struct record;

/* Writes the handshake. mss: in the SYNs. file is borrowed. */
struct record *record_new(struct capture_file *file, const struct sockaddr *own, const struct sockaddr *peer,
                          bool opened_by_peer, uint16_t mss, int64_t time_ns);
/* Writes the octets that wait. */
void record_free(struct record *record);

void record_sent(struct record *record, int64_t time_ns, const uint8_t *p, size_t n);
/* acked: octets of this end that the peer has acknowledged. more: the rest of a unit may follow at once. */
void record_received(struct record *record, int64_t time_ns, const uint8_t *p, size_t n, uint64_t acked, bool more);
/* The peer acknowledges this many octets, perhaps without sending any. */
void record_acked(struct record *record, int64_t time_ns, uint64_t acked);
void record_fin(struct record *record, int64_t time_ns, bool ours);
void record_reset(struct record *record, int64_t time_ns, bool ours);

#endif
