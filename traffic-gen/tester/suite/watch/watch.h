/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine as watcher of one live connection: it receives the exact octets of both directions, wrapped in TCP
 * segments. The same segments can be recorded, so that iwarp-check judges exactly the same.
 *
 * Segments show the octets written and read, not the packets on the wire; so the SYNs carry no MSS unless the case is
 * about it, and rules about segmentation are not judged.
 */
#ifndef IWARP_TRAFFIC_TESTER_SUITE_WATCH_WATCH_H
#define IWARP_TRAFFIC_TESTER_SUITE_WATCH_WATCH_H

#include "engine/mpa/mpa.h"
#include "support/frames/capture_file.h"
#include "wire/endpoint.h"

#include <glib.h>

enum watch_side { WATCH_SUITE, WATCH_DUT };

/* Writes packets of parallel connections into one file. */
struct watch_recorder {
    GMutex lock;
    struct capture_file *file;
    bool failed;
};

struct watch_options {
    enum watch_side opener;  /* opened the TCP connection */
    struct endpoint ends[2]; /* by enum watch_side */
    uint16_t mss;            /* in our SYN; 0: not announced */
    int64_t t_react, t_close, t_start, t_idle;
    struct watch_recorder *recorder; /* NULL: none */
    const char *layout;              /* of the DUT's Terminates, if known to be wrong; NULL: right */
};

struct watch_finding {
    enum rule_id rule;
    enum rule_severity severity;
    char *message;
};

struct watch;

struct watch *watch_new(const struct watch_options *options);
void watch_free(struct watch *watch);
/* Octets that a side sent after it had received `acked` octets from the other. */
void watch_octets(struct watch *watch, enum watch_side side, const uint8_t *p, size_t n, uint64_t acked);
/* The side has received this many octets, and sends nothing. */
void watch_acked(struct watch *watch, enum watch_side side, uint64_t acked);
void watch_fin(struct watch *watch, enum watch_side side, uint64_t acked);
void watch_reset(struct watch *watch, enum watch_side side);
/* Ends the connection, which decides the remaining rules. */
void watch_finish(struct watch *watch);

/* Findings about the DUT: struct watch_finding. */
const GArray *watch_findings(const struct watch *watch);

#endif
