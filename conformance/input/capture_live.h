/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets from an interface, through a buffer that the kernel fills. For capture.c. */
#ifndef IWARP_CONFORMANCE_INPUT_CAPTURE_LIVE_H
#define IWARP_CONFORMANCE_INPUT_CAPTURE_LIVE_H

#include "conformance/input/capture.h"

#include <pcap/pcap.h>

struct capture_live {
    pcap_t *pcap; /* the caller closes it */
    bool stopping;
    int64_t stop_ns;      /* since the epoch: packets up to this time are still delivered */
    int64_t stop_tick_ns; /* the same time on the monotonic clock */
    uint64_t dropped;
};

/* Drops all privileges once the interface is open. */
bool live_open(struct capture_live *live, const char *interface, const struct capture_live_options *options,
               struct capture_error *error);
/* Like pcap_next_ex(): 1: a packet; 0: none arrived for a while; PCAP_ERROR; or PCAP_ERROR_BREAK at the end. */
int live_next(struct capture_live *live, struct pcap_pkthdr **header, const u_char **data);
/* Ends the capture: the next calls still deliver the packets in the buffer. */
void capture_live_stop(struct capture_live *live);
/* Whether a packet with this time is later than the end. */
bool live_is_over(const struct capture_live *live, int64_t time_ns);
uint64_t live_dropped(struct capture_live *live);

#endif
