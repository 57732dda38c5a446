/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the path and the transports did to what one side sent. */
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
    uint32_t sent_most;   /* since everything was acknowledged */
    bool waiting;         /* for an acknowledgement of: */
    uint64_t at, latest;  /* offset or PSN of the first and the latest packet */
    uint32_t size, again; /* of the first: how large, and how often it was sent again */
    struct trouble_event first, last;
};

/* One side was not ready to receive. */
struct trouble_not_ready {
    uint32_t naks, early; /* early: the other side sent again before the time that it was asked to wait */
    struct trouble_event first;
    int64_t timer_ns, waited_least_ns; /* waited_least_ns: valid with early */
    uint32_t psn;                      /* the latest: */
    int64_t time_ns;
    bool waiting;
};

/* One side has closed its TCP window. */
struct trouble_window {
    struct trouble_event since; /* closed at present */
    struct trouble_event first; /* the longest time that it was, and how long */
    uint64_t longest_ns;
};

/* Data of one side that waited for an acknowledgement of what it had sent before. */
struct trouble_delay {
    int64_t sent_ns, acked_ns; /* of the latest segment, of an acknowledgement that came late; 0: none */
    uint64_t late_ns;          /* by so much */
    uint32_t n;
    uint64_t sum_ns;
    struct trouble_event first;
};

/* The Read Request of one side that was sent last. */
struct trouble_read {
    bool known, answered;
    uint32_t psn, rkey;
    uint64_t end; /* of the memory that it asks for */
    uint32_t n;   /* it was continued without an answer, so often */
    uint32_t first_psn, continued_psn;
    struct trouble_event first;
};

/* What one side has sent, and waited for the acknowledgement of, while it sent something again. */
struct trouble_stall {
    bool known, waiting, again; /* known: of RoCE, that a PSN is */
    uint64_t acked, highest; /* offset or PSN: up to it all is acknowledged; the end, or last packet, that was sent */
    struct trouble_event since;
    uint32_t n;
    uint64_t sum_ns, longest_ns;
    struct trouble_event first; /* since of the longest */
};

struct trouble_path {
    struct trouble_sizes sizes;
    struct trouble_stall stall;
    struct trouble_not_ready not_ready;
    struct trouble_window window;
    struct trouble_delay delay;
    struct trouble_read read;
    uint64_t marked, congested; /* packets with CE that it sent; CNPs, or segments with ECE, that it sent */
};

/* path: by side. */
void trouble_path_segment(struct trouble_path path[2], const struct tcp_segment *segment, uint64_t offset,
                          bool acked_known, uint64_t acked);
void trouble_path_ib(struct trouble_path path[2], unsigned side, const struct ib_packet *packet, uint32_t length,
                     struct trouble_event event);
/* The window may be closed still. */
void trouble_path_end(struct trouble_path path[2], int64_t until_ns);

#endif
