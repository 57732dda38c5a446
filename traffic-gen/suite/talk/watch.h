/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine as watcher of one live connection: it is fed the exact octets of both directions, wrapped in TCP segments,
 * and the same segments can be recorded, so that iwarp-check judges exactly what was judged here.
 *
 * Segments are as they were written and read, not as they were on the wire; so the SYNs carry no MSS unless the case is
 * about it, and nothing that depends on segmentation is judged.
 */
#ifndef IWARP_TRAFFIC_SUITE_TALK_WATCH_H
#define IWARP_TRAFFIC_SUITE_TALK_WATCH_H

#include "engine/mpa/mpa.h"
#include "traffic-gen/sim/capture_file.h"
#include "wire/endpoint.h"

#include <glib.h>

enum watch_side { WATCH_SUITE, WATCH_DUT };

/* Packets of connections that run at the same time, in one file. */
struct watch_recorder {
    GMutex lock;
    struct capture_file *file;
    bool failed;
};

struct watch_options {
    enum watch_side opener;  /* of the TCP connection */
    struct endpoint ends[2]; /* by enum watch_side */
    uint16_t mss;            /* announced in our SYN; 0: not announced */
    int64_t t_react, t_close, t_start, t_idle;
    struct watch_recorder *recorder; /* NULL: none */
    const char *layout;              /* of the DUT's Terminates, if it is known to be wrong; NULL: it is not */
};

struct watch_finding {
    enum rule_id rule;
    enum rule_severity severity;
    char *message;
};

struct watch;

struct watch *watch_new(const struct watch_options *options);
void watch_free(struct watch *watch);
/* Octets that side sent after it had received `acked` octets from the other. */
void watch_octets(struct watch *watch, enum watch_side side, const uint8_t *p, size_t n, uint64_t acked);
/* That side has received so much, and sends nothing. */
void watch_acked(struct watch *watch, enum watch_side side, uint64_t acked);
void watch_fin(struct watch *watch, enum watch_side side, uint64_t acked);
void watch_reset(struct watch *watch, enum watch_side side);
/* The end of the connection: decides what only the end can decide. */
void watch_finish(struct watch *watch);

/* Findings about the DUT: struct watch_finding. */
const GArray *watch_findings(const struct watch *watch);

#endif
