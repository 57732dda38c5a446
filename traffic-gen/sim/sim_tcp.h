/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A simulated TCP: two ends, a path with trouble, and a tap in its middle that writes a capture file.
 *
 * A discrete-event simulation under an injected clock. Each connection follows a script: the actions of each side run
 * in order, each as soon as its gate is open (so much received from the peer, so long waited). What an acknowledgement
 * tells is what that side has really received at that moment; loss is repaired by retransmission; everything is decided
 * by the seed. The tap sits between the ends, so a packet may be lost, delayed or doubled before it (the capture shows
 * the effect) or behind it (the capture shows the packet as if nothing had happened).
 *
 * Sides are TCP sides: 0 opens, 1 accepts. Stream offset 0 is the first octet after the SYN.
 */
#ifndef IWARP_TRAFFIC_SIM_SIM_TCP_H
#define IWARP_TRAFFIC_SIM_SIM_TCP_H

#include "traffic-gen/sim/capture_file.h"
#include "traffic-gen/sim/frame.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SEG_FIN = 0x01, SEG_SYN = 0x02, SEG_RST = 0x04, SEG_PSH = 0x08, SEG_ACK = 0x10 };

/* What the network is like. Probabilities are per packet, 0..1. */
struct sim_trouble {
    double loss;          /* by the network; TCP retransmits */
    double reorder;       /* overtaken by later packets */
    double dup;           /* delivered twice */
    double resegment;     /* sender cuts elsewhere, joins writes, or retransmits with other boundaries */
    double capture_loss;  /* delivered, but missing from the capture */
    int64_t delay_ns;     /* of the path in one direction, added to a short one */
    int64_t jitter_ns;    /* more than that, up to this; packets do not overtake one another by it */
    uint32_t window;      /* octets that each end has room for, which its application takes after a while; 0: plenty */
    uint32_t segment_max; /* super-segments of segmentation offload, which join writes; 0: none */
};

struct sim;
struct sim_connection;

/* file is borrowed. Time starts at start_ns (since the epoch). */
struct sim *sim_new(struct capture_file *file, int64_t start_ns, uint64_t seed, const struct sim_trouble *trouble);
void sim_free(struct sim *sim);

/*
 * Plays every connection to its end. On failure returns false and sets *why: a script that can go no further (a gate
 * that never opens), or a capture file that cannot be written (errno is set then).
 */
bool sim_run(struct sim *sim, const char **why);
int64_t sim_now(const struct sim *sim);

struct sim_connection_options {
    struct frame_path path;
    uint32_t isn[2];      /* sequence number of the SYN */
    uint16_t mss[2];      /* announced by each side: bounds what the other sends */
    bool no_sack[2];      /* leave SACK-permitted out of the SYN */
    uint32_t segment_max; /* above the MSS: super-segments as seen with segmentation offload; 0: MSS */
    int64_t delay_ns;     /* between the connection's start and sim_connect()'s moment */
};

/* Adds a connection; its handshake begins when the simulation runs. */
struct sim_connection *sim_connect(struct sim *sim, const struct sim_connection_options *options);
/* The connection begins only when `before` is over (both ends closed or reset): for a reused pair of ports. */
void sim_connect_after(struct sim_connection *connection, struct sim_connection *before);

/* When and how an action happens. Zero: at once after the side's previous action. */
struct sim_how {
    uint64_t received; /* stream octets of the peer that must have been received (its FIN counts as one) */
    int64_t delay_ns;  /* waited after the gate opened */
    bool acked;        /* all that this side sent before must have been acknowledged */
    /* What befalls the segments of a write, once, deterministically: */
    bool uncaptured;  /* not in the capture, yet delivered */
    bool lose;        /* lost behind the tap on the first attempt */
    bool lose_before; /* lost before the tap on the first attempt: the capture has a gap until the retransmission */
    bool late;        /* overtaken by what follows */
    bool twice;       /* delivered twice */
    bool fragment;    /* as two IP fragments (IPv4) */
    bool no_df;       /* IPv4: Don't Fragment not set */
};

/* Everything scripted so far for the peer of side: the gate of an orderly answer. */
uint64_t sim_all_of_peer(const struct sim_connection *connection, unsigned side);
/* Octets scripted so far for side, its FIN not counted. */
uint64_t sim_written(const struct sim_connection *connection, unsigned side);

/* The octets scripted so far; valid until the next write. */
const uint8_t *sim_stream(const struct sim_connection *connection, unsigned side);

/* One write: starts a new segment, is cut at the MSS. The octets are copied. */
void sim_write(struct sim_connection *connection, unsigned side, const uint8_t *p, size_t n, const struct sim_how *how);
void sim_fin(struct sim_connection *connection, unsigned side, const struct sim_how *how);
void sim_reset(struct sim_connection *connection, unsigned side, const struct sim_how *how);
/* From here on the capture holds, or does not hold, this connection's packets. */
void sim_capturing(struct sim_connection *connection, unsigned side, bool on, const struct sim_how *how);

/* A segment outside the script of orderly TCP. Numbers are relative to what would be right. */
struct sim_raw {
    uint8_t flags;     /* 0: ACK */
    uint64_t offset;   /* stream offset of its first octet */
    int64_t ack_delta; /* added to the acknowledgement */
    const uint8_t *p;
    size_t n;
    bool zero_window;
};
void sim_raw(struct sim_connection *connection, unsigned side, const struct sim_raw *raw, const struct sim_how *how);

/* ---- what was scripted, for those who play it elsewhere ---- */

enum sim_step_kind { SIM_WRITE, SIM_FIN, SIM_RESET, SIM_CAPTURING, SIM_RAW };

struct sim_step {
    enum sim_step_kind kind;
    struct sim_how how;
    uint64_t from, to; /* WRITE: octets of the stream */
    struct sim_raw raw;
};

unsigned sim_n_steps(const struct sim_connection *connection, unsigned side);
struct sim_step sim_step(const struct sim_connection *connection, unsigned side, unsigned index);
const struct sim_connection *sim_before(const struct sim_connection *connection); /* NULL: begins by itself */
const struct sim_connection_options *sim_options(const struct sim_connection *connection);

#endif
