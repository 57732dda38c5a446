/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording of a live connection as packets, from what this end sent and received. Octets, their order, addresses
 * and ports are true; headers are synthesised: sequence numbers count from numbers of the recorder's choice, each write
 * is a segment (or as many as the MSS needs), and what was received is cut where its units begin, because a program is
 * not told where TCP cut it. What this end sends acknowledges all that it had received; what the peer sends
 * acknowledges what TCP says it has received.
 */
#ifndef IWARP_TRAFFIC_LIVE_TCP_RECORD_H
#define IWARP_TRAFFIC_LIVE_TCP_RECORD_H

#include "traffic-gen/sim/capture_file.h"

#include <sys/socket.h>

/* NULL path: NULL, without a recording. Else NULL with *why ("PATH: reason", for g_free()) when it cannot be created.
 */
struct capture_file *record_create(const char *path, char **why);
/* Closes what record_create() returned, NULL too. False with *why, in place of what was there, when it is not whole. */
bool record_finish(const char *path, struct capture_file *file, char **why);

struct record;

/* Writes the handshake. mss: that of the SYNs. file is borrowed. */
struct record *record_new(struct capture_file *file, const struct sockaddr *own, const struct sockaddr *peer,
                          bool opened_by_peer, uint16_t mss, int64_t time_ns);
/* What waits is written. */
void record_free(struct record *record);

void record_sent(struct record *record, int64_t time_ns, const uint8_t *p, size_t n);
/* acked: octets of this end that the peer has acknowledged. more: the rest of a unit may follow at once. */
void record_received(struct record *record, int64_t time_ns, const uint8_t *p, size_t n, uint64_t acked, bool more);
/* The peer acknowledges so much, possibly without sending anything. */
void record_acked(struct record *record, int64_t time_ns, uint64_t acked);
void record_fin(struct record *record, int64_t time_ns, bool ours);
void record_reset(struct record *record, int64_t time_ns, bool ours);

#endif
