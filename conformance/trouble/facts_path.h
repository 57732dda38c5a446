/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the path and the transports did to the packets of one side. */
#ifndef IWARP_CONFORMANCE_TROUBLE_FACTS_PATH_H
#define IWARP_CONFORMANCE_TROUBLE_FACTS_PATH_H

#include "engine/packet/addressed.h"
#include "wire/ib.h"

/* frame 0: it did not happen. */
struct trouble_event {
    uint32_t frame;
    int64_t time_ns;
};

/* By size of the packets of one side, in octets after the IP header. */
struct trouble_sizes {
    uint32_t acked_most;  /* the largest that the other side has acknowledged */
    uint32_t sent_most;   /* the largest packet since everything was acknowledged */
    bool waiting;         /* an acknowledgement is outstanding; then: */
    uint64_t at, latest;  /* offset or PSN of the first and the latest packet */
    uint32_t size, again; /* the first packet: its size, and how often it was retransmitted */
    struct trouble_event first, last;
};

/* One side was not ready to receive. */
struct trouble_not_ready {
    uint32_t naks, early; /* early: the other side repeated the packet before the requested time */
    struct trouble_event first;
    int64_t timer_ns, waited_least_ns; /* waited_least_ns: valid with early */
    uint32_t psn;                      /* the latest packet: */
    int64_t time_ns;
    bool waiting;
};

/* One side has closed its TCP window. */
struct trouble_window {
    struct trouble_event since; /* of the current closing */
    struct trouble_event first; /* when the longest closing began, and how long it lasted */
    uint64_t longest_ns;
};

/* Data of one side that waited for an acknowledgement of earlier data. */
struct trouble_delay {
    int64_t sent_ns, acked_ns; /* of the latest segment; of an acknowledgement that came late; 0: none */
    uint64_t late_ns;          /* how late it came */
    uint32_t n;
    uint64_t sum_ns;
    struct trouble_event first;
};

/* The latest Read Request of one side. */
struct trouble_read {
    bool known, answered;
    uint32_t psn, rkey;
    uint64_t end; /* of the requested memory */
    uint32_t n;   /* how often it was continued without an answer */
    uint32_t first_psn, continued_psn;
    struct trouble_event first;
};

/* Read Requests of one side that were sent again (RoCE). */
struct trouble_reading {
    bool known, answered;
    uint32_t at, highest;       /* PSN of the first Request that waits; of the latest */
    uint32_t again;             /* how often it was sent again */
    uint32_t responses, octets; /* packets with data for it, sent by the other side; the largest of these */
    struct trouble_event first;
};

/* Read Requests of one side, and the Read Responses of the other side to them. */
struct trouble_asks {
    uint64_t requests, responses;
    struct trouble_event last; /* the latest Request */
};

/* TCP keepalives of one side since the other side was last heard. */
struct trouble_probe {
    uint32_t n;
    struct trouble_event first;
};

/* Data of one side that waited for an acknowledgement while the side retransmitted. */
struct trouble_stall {
    bool known, waiting, again; /* known: a PSN is known (RoCE) */
    uint64_t acked, highest;    /* offset or PSN: acked: everything before it is acknowledged; highest: the end, or the
                                   last packet, that was sent */
    struct trouble_event since;
    uint32_t n;
    uint64_t sum_ns, longest_ns;
    struct trouble_event first; /* `since` of the longest stall */
};

struct trouble_path {
    struct trouble_sizes sizes;
    struct trouble_stall stall;
    struct trouble_not_ready not_ready;
    struct trouble_window window;
    struct trouble_delay delay;
    struct trouble_read read;
    struct trouble_reading reading;
    struct trouble_asks asks;
    struct trouble_probe probe;
    uint64_t marked, congested; /* packets with CE from this side; CNPs, or segments with ECE, from this side */
};

/* path: by side. */
void trouble_path_segment(struct trouble_path path[2], const struct tcp_segment *segment, uint64_t offset,
                          bool acked_known, uint64_t acked);
void trouble_path_ib(struct trouble_path path[2], unsigned side, const struct ib_packet *packet, uint32_t length,
                     struct trouble_event event);
/* The window may still be closed. */
void trouble_path_end(struct trouble_path path[2], int64_t until_ns);

#endif
