/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated network: connections between two ends each, a path with disturbances, and a tap in its middle that writes
 * a capture file.
 *
 * A discrete-event simulation under an injected clock. Each connection follows a script: the actions of each side run
 * in order, each as soon as its gate is open (so much received from the peer, so long waited). The seed decides
 * everything. The tap sits between the ends, so a packet may be lost, delayed or doubled before it (the capture shows
 * the effect) or after it (the capture shows the packet as if nothing had happened).
 */
#ifndef IWARP_TRAFFIC_SPEAK_SIM_SIM_H
#define IWARP_TRAFFIC_SPEAK_SIM_SIM_H

#include "support/frames/capture_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Properties of the network. Probabilities are per packet, 0..1. */
struct sim_trouble {
    double loss;    /* by the network; the transport retransmits */
    double reorder; /* overtaken by later packets */
    double dup;     /* delivered twice */
    double
        resegment; /* TCP: the sender cuts segments differently, joins writes, or retransmits with other boundaries */
    double not_ready;    /* RoCE: a Send finds no Receive, and is repeated */
    double capture_loss; /* delivered, but missing from the capture */
    int64_t delay_ns;    /* added to the path's short delay, in one direction */
    int64_t jitter_ns;   /* random further delay, at most this; packets keep their order */
    /* TCP: receive buffer of each end, which its application reads after a while; 0: large */
    uint32_t window;
    uint32_t segment_max; /* TCP: super-segments of segmentation offload, which join writes; 0: none */
};

struct sim;

/* file is borrowed. Time starts at start_ns (since the epoch). */
struct sim *sim_new(struct capture_file *file, int64_t start_ns, uint64_t seed, const struct sim_trouble *trouble);
void sim_free(struct sim *sim);

/*
 * Plays every connection to its end. On failure returns false and sets *why: a script cannot continue (a gate never
 * opens), or the capture file cannot be written (errno is set then).
 */
bool sim_run(struct sim *sim, const char **why);
int64_t sim_now(const struct sim *sim);

/* A connection of any transport, from its start to its end in both directions. */
struct sim_life;

/* When and how an action happens. All zero: at once after the side's previous action. */
struct sim_how {
    /* What must have arrived from the peer: TCP: octets of its stream, its FIN counts as one; RoCE: steps */
    uint64_t received;
    int64_t delay_ns; /* delay after the gate opened */
    bool acked;       /* everything this side sent before must have been acknowledged */
    /* Deliberate trouble for the segments of a write, once: */
    bool uncaptured;  /* delivered, but not in the capture */
    bool lose;        /* the first attempt is lost after the tap */
    bool lose_before; /* the first attempt is lost before the tap: the capture has a gap until the retransmission */
    bool late;        /* later packets overtake it */
    bool twice;       /* delivered twice */
    bool fragment;    /* sent as two IP fragments (IPv4) */
    bool no_df;       /* IPv4: without Don't Fragment */
};

#endif
