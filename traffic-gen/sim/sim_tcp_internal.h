/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the parts of the simulated TCP share: its events (sim_events.c), sending (sim_send.c), the script of each side
 * (sim_script.c), receiving (sim_receive.c), and its life (sim_tcp.c).
 */
#ifndef IWARP_TRAFFIC_SIM_SIM_TCP_INTERNAL_H
#define IWARP_TRAFFIC_SIM_SIM_TCP_INTERNAL_H

#include "traffic-gen/sim/random.h"
#include "traffic-gen/sim/sim_tcp.h"

#include <glib.h>

enum {
    HALF_PATH_NS = 25000,  /* end to tap, tap to end */
    SEGMENT_GAP_NS = 1000, /* between two segments of one sender */
    APPLICATION_NS = 8000, /* from arrival to the answer */
    DELAYED_ACK_NS = 1000000,
    REORDER_MIN_NS = 30000,
    REORDER_SPAN_NS = 300000,
    LATE_NS = 400000,
    RTO_NS = 200000000,
    SYN_RTO_NS = 1000000000,
    RTO_BACKOFF_MAX = 6,
    DUPLICATE_ACKS = 3,
    READ_MIN_NS = 20000, /* from arrival until the application has taken it, when windows count */
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

/* A stretch of the stream as first sent. */
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
    GArray *sent;              /* struct sent, from first_unacked on still in flight */
    unsigned first_unacked;
    uint64_t recover; /* retransmit on partial acknowledgements up to here */
    unsigned duplicate_acks, backoff;
    uint64_t rto_generation, ack_generation;
    bool established, dead;
    uint64_t rcv_nxt;
    GArray *beyond; /* struct range, received out of order, ascending, disjoint */
    unsigned unacked_segments;
    bool ack_pending, ack_now;
    int64_t next_departure;
    /* When windows count: */
    uint64_t snd_limit;     /* the peer has room for octets before this */
    uint16_t peer_window;   /* as it was told last */
    uint64_t read;          /* octets that the application has taken */
    uint64_t told;          /* room was told up to here */
    bool reading, blocked;  /* the application will read; octets wait for room */
    int64_t at_tap, at_end; /* when the packet before is there: jitter keeps the order */
    uint16_t ip_id;
};

struct sim_connection {
    struct sim *sim;
    struct sim_connection_options options;
    struct end end[2];
    struct sim_connection *before;
    GPtrArray *after;
    bool started, over, uncaptured;
};

struct packet {
    uint8_t flags;
    uint32_t seq, ack;
    uint64_t offset, acked;
    uint32_t length;
    uint16_t window;
    uint16_t ip_id;
    uint8_t *raw; /* owned payload of a raw segment; else it is taken from the stream */
    bool is_raw, uncaptured, fragment, no_df, fin, probe;
};

enum event_kind { EVENT_START, EVENT_TAP, EVENT_ARRIVE, EVENT_RTO, EVENT_ACK, EVENT_APPLICATION, EVENT_READ };

struct event {
    int64_t time;
    uint64_t serial;
    enum event_kind kind;
    struct sim_connection *connection;
    unsigned side; /* TAP, ARRIVE: the sender; else the owner */
    uint64_t generation;
    struct packet *packet; /* owned */
};

struct sim {
    struct capture_file *file;
    int64_t now;
    struct random_source random;
    struct sim_trouble trouble;
    GArray *heap; /* struct event, a binary heap by (time, serial) */
    uint64_t serial;
    GPtrArray *connections;
    uint8_t *frame, *fragment[2];
    bool write_failed;
};

/* ---- sim_events.c ---- */

void sim_schedule(struct sim *sim, struct event event);
struct event sim_take_first(struct sim *sim);
void sim_packet_free(struct packet *packet);
struct packet *sim_packet_copy(const struct packet *packet);

/* ---- sim_send.c ---- */

struct packet *sim_packet_new(struct sim_connection *connection, unsigned side, uint8_t flags, uint64_t offset,
                              uint32_t length);
/* Puts a packet on its way; takes ownership. `first` is false for retransmissions, which nothing befalls on purpose. */
void sim_depart(struct sim_connection *connection, unsigned side, struct packet *packet, const struct sim_how *how,
                bool first);
/* The packet passes the tap. */
void sim_capture(struct sim_connection *connection, unsigned side, const struct packet *packet);
/* Asks for the window again when nothing else can be sent. */
void sim_send_probe(struct sim_connection *connection, unsigned side);
void sim_send_ack(struct sim_connection *connection, unsigned side);
void sim_send_syn(struct sim_connection *connection, unsigned side);
void sim_send_new(struct sim_connection *connection, unsigned side, uint64_t from, uint64_t to, bool fin,
                  const struct sim_how *how);
void sim_retransmit_first(struct sim_connection *connection, unsigned side);
void sim_start_rto(struct sim_connection *connection, unsigned side);
uint32_t sim_segment_limit(const struct sim_connection *connection, unsigned side);
/* How much of what it may send the sender waits for before it sends less than a segment. */
uint32_t sim_worthwhile(const struct sim_connection *connection, unsigned side);

/* ---- sim_script.c ---- */

void sim_run_script(struct sim_connection *connection, unsigned side);
void sim_finish_if_over(struct sim_connection *connection);

/* ---- sim_receive.c ---- */

void sim_arrive(struct sim_connection *connection, unsigned sender, const struct packet *packet);
/* The application takes what has come. */
void sim_read(struct sim_connection *connection, unsigned side);
void sim_retransmission_timer(struct sim_connection *connection, unsigned side);

#endif
