/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the records of the BPF programs (tap/event.h) to a capture: assigns them to connections, assembles items,
 * decides their order, and notes what is missing. Packets are written in the order of records, with their times. A
 * Reply that a client received waits, at most RECORDER_WAIT_NS or RECORDER_QUEUE records, for the octets that the
 * server had written into the client's memory, because these come first on the wire; everything after the Reply waits,
 * too. The end of a connection is written when the kernel forgets the connection, at most RECORDER_END_NS later.
 */
#ifndef IWARP_TAP_RECORDER_H
#define IWARP_TAP_RECORDER_H

#include "support/frames/capture_file.h"
#include "tap/event.h"
#include "wire/endpoint.h"

#include <stdbool.h>
#include <stdint.h>

enum { RECORDER_QUEUE = 8192, RECORDER_WAIT_NS = 200000000, RECORDER_END_NS = 2000000000, RECORDER_FILTERS = 16 };

struct recorder_options {
    uint32_t snap; /* octets of a packet that are written; 0: all */
    bool headers;  /* no file data: see tap/headers.h */
    /* Only connections with one of these peers, and of one of these ports at either end; none: all. */
    unsigned n_peers, n_ports;
    struct endpoint peer[RECORDER_FILTERS];
    uint16_t port[RECORDER_FILTERS];
    int64_t epoch_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
};

struct recorder_counts {
    uint64_t packets, octets; /* written */
    uint32_t connections;
    uint64_t dropped;    /* records of unknown connections */
    uint64_t incomplete; /* messages or segments, each a gap in its connection, or cut */
    bool failed;         /* the file could not be written; errno is that of the capture file */
};

struct recorder;

/* Borrows the file. */
struct recorder *recorder_new(const struct recorder_options *options, struct capture_file *file);
/* Takes a record: n octets at p. A record that contradicts itself counts as dropped. */
void recorder_take(struct recorder *recorder, const void *p, size_t n);
/* The kernel has had no room for that many records so far. Records say the same, so that each gap is at its place. */
void recorder_lost(struct recorder *recorder, uint64_t total);
/* The kernel has left out n runs of the programs, at an unknown place. */
void recorder_left_out(struct recorder *recorder, uint64_t n);
/* Time passes without records: now is CLOCK_MONOTONIC. */
void recorder_reach(struct recorder *recorder, uint64_t now_ns);
/* Writes what is waiting, and the number of drops. */
void recorder_finish(struct recorder *recorder);
struct recorder_counts recorder_counts(const struct recorder *recorder);
void recorder_free(struct recorder *recorder);

#endif
