/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the parts of the simulated TCP: sending (sim_send.c), the script of each side (sim_script.c), receiving
 * (sim_receive.c), and its life (sim_tcp.c).
 */
#ifndef IWARP_TRAFFIC_SPEAK_SIM_SIM_TCP_INTERNAL_H
#define IWARP_TRAFFIC_SPEAK_SIM_SIM_TCP_INTERNAL_H

#include "traffic-gen/speak/sim/sim_internal.h"
#include "traffic-gen/speak/sim/sim_tcp.h"

enum {
    DELAYED_ACK_NS = 1000000,
    RTO_NS = 200000000,
    SYN_RTO_NS = 1000000000,
    RTO_BACKOFF_MAX = 6,
    DUPLICATE_ACKS = 3,
    READ_MIN_NS = 20000, /* from arrival until the application has read it, with limited windows */
    READ_SPAN_NS = 2000000,
    WINDOW_SCALE = 7,
    WINDOW = 65535,
};

struct action {
    enum sim_step_kind kind;
    struct sim_how how;
    uint64_t from, to; /* SIM_WRITE: stream octets */
    bool on;           /* SIM_CAPTURING */
    struct sim_raw raw;
    bool gate_open;
    int64_t ready_at;
};

/* A range of the stream as first sent. */
struct sent {
    uint64_t offset;
    uint32_t length;
    bool fin;
    struct sim_how how;
};

struct range {
    uint64_t from, to;
};

struct end {
    GByteArray *stream;
    GArray *script; /* struct action */
    unsigned next_action;
    bool fin_scripted, fin_sent;
    uint64_t snd_nxt, snd_una; /* stream offsets; FIN counts as one octet */
    GArray *sent;              /* struct sent; those from first_unacked on are in flight */
    unsigned first_unacked;
    uint64_t recover; /* retransmit on partial acknowledgements up to here */
    unsigned duplicate_acks, backoff;
    uint64_t rto_generation, ack_generation;
    bool established, dead;
    uint64_t rcv_nxt;
    GArray *beyond; /* struct range, received out of order, ascending, disjoint */
    unsigned unacked_segments;
    bool ack_pending, ack_now;
    struct sim_lane lane;
    /* With limited windows: */
    uint64_t snd_limit;    /* the peer has room for octets before this offset */
    uint16_t peer_window;  /* as last advertised */
    uint64_t read;         /* octets read by the application */
    uint64_t advertised;   /* room was advertised up to this offset */
    bool reading, blocked; /* the application will read; octets wait for room */
    uint16_t ip_id;
};

struct sim_connection {
    struct sim *sim;
    struct sim_connection_options options;
    struct end end[2];
    struct sim_life life;
    bool follows; /* begins after another one */
    bool started, uncaptured;
};

struct packet {
    uint8_t flags;
    uint32_t seq, ack;
    uint64_t offset, acked;
    uint32_t length;
    uint16_t window;
    uint16_t ip_id;
    uint8_t *raw; /* owned payload of a raw segment; NULL: taken from the stream */
    bool is_raw, uncaptured, fragment, no_df, fin, probe;
};

enum { EVENT_START = EVENT_OWN, EVENT_RTO, EVENT_ACK, EVENT_APPLICATION, EVENT_READ };

/* ---- sim_tcp.c ---- */

extern const struct sim_transport sim_tcp;
void sim_tcp_schedule(struct sim_connection *connection, struct event event);

/* ---- sim_send.c ---- */

struct packet *sim_packet_new(struct sim_connection *connection, unsigned side, uint8_t flags, uint64_t offset,
                              uint32_t length);
/* Puts a packet on its way; takes ownership. `first` is false for retransmissions, which have no deliberate trouble. */
void sim_depart(struct sim_connection *connection, unsigned side, struct packet *packet, const struct sim_how *how,
                bool first);
/* The packet passes the tap. */
void sim_capture(struct sim_connection *connection, unsigned side, const struct packet *packet);
/* Probes the window when nothing else can be sent. */
void sim_send_probe(struct sim_connection *connection, unsigned side);
void sim_send_ack(struct sim_connection *connection, unsigned side);
void sim_send_syn(struct sim_connection *connection, unsigned side);
void sim_send_new(struct sim_connection *connection, unsigned side, uint64_t from, uint64_t to, bool fin,
                  const struct sim_how *how);
void sim_retransmit_first(struct sim_connection *connection, unsigned side);
void sim_start_rto(struct sim_connection *connection, unsigned side);
/* How much room the sender waits for before it sends less than a segment. */
uint32_t sim_worthwhile(const struct sim_connection *connection, unsigned side);

/* ---- sim_script.c ---- */

void sim_run_script(struct sim_connection *connection, unsigned side);
void sim_finish_if_over(struct sim_connection *connection);

/* ---- sim_receive.c ---- */

void sim_arrive(struct sim_connection *connection, unsigned sender, const struct packet *packet);
/* The application reads the received octets. */
void sim_read(struct sim_connection *connection, unsigned side);
void sim_retransmission_timer(struct sim_connection *connection, unsigned side);

#endif
