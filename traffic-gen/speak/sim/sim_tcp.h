/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * TCP in the simulated network (sim.h). Acknowledgements show what that side has received at that moment;
 * retransmission repairs loss.
 *
 * Sides are TCP sides: 0 opens, 1 accepts. Stream offset 0 is the first octet after the SYN.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SIM_SIM_TCP_H
#define IWARP_TRAFFIC_SPEAK_SIM_SIM_TCP_H

#include "support/frames/frame.h"
#include "traffic-gen/speak/sim/sim.h"

enum { SEG_FIN = 0x01, SEG_SYN = 0x02, SEG_RST = 0x04, SEG_PSH = 0x08, SEG_ACK = 0x10 };

struct sim_connection;

struct sim_connection_options {
    struct frame_path path;
    uint32_t isn[2];      /* sequence number of the SYN */
    uint16_t mss[2];      /* announced by each side: limits the other's segments */
    bool no_sack[2];      /* leave SACK-permitted out of the SYN */
    uint32_t segment_max; /* above the MSS: super-segments as seen with segmentation offload; 0: MSS */
    int64_t delay_ns;     /* between the connection's start and sim_connect()'s moment */
};

/* Adds a connection; its handshake begins when the simulation runs. */
struct sim_connection *sim_connect(struct sim *sim, const struct sim_connection_options *options);
/* Lets the connection begin only when `before` is over (both ends closed or reset): for a reused pair of ports. */
void sim_connect_after(struct sim_connection *connection, struct sim_life *before);
struct sim_life *sim_life(struct sim_connection *connection);

/* The gate of an orderly answer: everything scripted so far for side's peer. */
uint64_t sim_all_of_peer(const struct sim_connection *connection, unsigned side);
/* Octets scripted so far for side, its FIN not counted. */
uint64_t sim_written(const struct sim_connection *connection, unsigned side);

/* The octets scripted so far; valid until the next write. */
const uint8_t *sim_stream(const struct sim_connection *connection, unsigned side);

/* One write: starts a new segment, is cut at the MSS. The octets are copied. */
void sim_write(struct sim_connection *connection, unsigned side, const uint8_t *p, size_t n, const struct sim_how *how);
void sim_fin(struct sim_connection *connection, unsigned side, const struct sim_how *how);
void sim_reset(struct sim_connection *connection, unsigned side, const struct sim_how *how);
/* Shows or hides this connection's packets in the capture from here on. */
void sim_capturing(struct sim_connection *connection, unsigned side, bool on, const struct sim_how *how);

/* Sends a segment outside orderly TCP. Numbers are relative to the correct ones. */
struct sim_raw {
    uint8_t flags;     /* 0: ACK */
    uint64_t offset;   /* stream offset of its first octet */
    int64_t ack_delta; /* added to the acknowledgement */
    const uint8_t *p;
    size_t n;
    bool zero_window;
};
void sim_raw(struct sim_connection *connection, unsigned side, const struct sim_raw *raw, const struct sim_how *how);

/* ---- the script, for playing it on another transport ---- */

enum sim_step_kind { SIM_WRITE, SIM_FIN, SIM_RESET, SIM_CAPTURING, SIM_RAW };

struct sim_step {
    enum sim_step_kind kind;
    struct sim_how how;
    uint64_t from, to; /* WRITE: octets of the stream */
    struct sim_raw raw;
};

unsigned sim_n_steps(const struct sim_connection *connection, unsigned side);
struct sim_step sim_step(const struct sim_connection *connection, unsigned side, unsigned index);
bool sim_follows(const struct sim_connection *connection); /* begins after another connection */

#endif
