/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the parts of a simulated reliable connection: its life (rc.c), the script of each side (rc_script.c),
 * connection management (rc_manage.c), requests (rc_request.c), answers (rc_respond.c), and packets (rc_packet.c).
 *
 * PSNs count in 64 bits from a side's first request; on the wire they have 24 bits.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SIM_RC_INTERNAL_H
#define IWARP_TRAFFIC_SPEAK_SIM_RC_INTERNAL_H

#include "traffic-gen/speak/sim/rc.h"
#include "traffic-gen/speak/sim/sim_internal.h"
#include "wire/ib_cm.h"

enum {
    RC_WINDOW = 64,     /* packets in flight */
    RC_ACK_NS = 2500,   /* how long an Acknowledge waits for further packets */
    RC_RNR_NS = 640000, /* delay requested by an RNR NAK: code 12 */
    RC_RNR_CODE = 12,
    RC_CM_NS = 500000000,
    RC_CM_TRIES = 16,
    RC_TIMEOUTS_MAX = 100, /* in succession, without progress */
    RC_ACK_TIMEOUT = 15,   /* 4.096 us * 2^15 */
    RC_NO_CREDITS = 0x1F,
};

static const int64_t rc_timeout_ns = INT64_C(4096) << RC_ACK_TIMEOUT;

struct rc_action {
    struct rc_step step; /* step.p is owned */
    struct sim_how how;
    bool gate_open;
    int64_t ready_at;
    bool arrived; /* the peer has received all of it */
    bool refused; /* the peer answers it with RC_REFUSE */
};

/* A posted request. */
struct rc_request {
    unsigned action;
    uint64_t from;    /* offset of its first packet */
    uint32_t packets; /* number of offsets that it takes */
    uint32_t got;     /* READ: packets of the response received */
    bool sent;        /* its first packet was sent */
};

/* A Read from the peer. */
struct rc_served {
    uint64_t from;
    uint32_t packets;
    uint32_t length;
    uint8_t *octets; /* owned, `length` octets; NULL: not answered yet */
    unsigned answer; /* the action that answered it */
};

/* A message of connection management, and the action it carries. */
struct rc_mad {
    uint8_t attribute; /* enum ib_cm_attribute; 0: none */
    bool carries;      /* has an action: */
    unsigned action;
    uint8_t octets[IB_MAD_LEN];
};

struct rc_end {
    GArray *script; /* struct rc_action */
    unsigned next_action;
    unsigned arrived; /* number of first actions that have arrived */
    bool broken;      /* the queue pair is in error: it sends neither requests nor answers */
    bool gone;        /* this side's connection is over: */
    bool capture_off;
    struct sim_lane lane;
    uint16_t ip_id;
    uint32_t mad_psn;
    /* Connection management. */
    struct rc_mad asks; /* message that is repeated until answered */
    unsigned tries;
    uint64_t mad_generation;
    bool established, leaving;
    /* Requests. */
    GArray *requests;  /* struct rc_request, ascending */
    unsigned open;     /* the first request that is not done */
    unsigned reads;    /* Reads among them that are sent and not done */
    uint64_t posted;   /* offset after the last request */
    uint64_t done;     /* offsets before it are acknowledged, or answered */
    uint64_t next;     /* next offset to send */
    bool went_back;    /* went back to `done`: not again before the timer, or progress */
    uint64_t again;    /* offsets before it were sent before going back: they may arrive twice */
    unsigned timeouts; /* since the last progress */
    uint64_t timer_generation;
    int64_t not_before; /* requested by an RNR NAK */
    bool no_retries;    /* the first RNR NAK ends the connection */
    /* Answers. */
    uint64_t expected; /* offset of the peer's next request */
    bool nak_sent;     /* a NAK asked for `expected`; later requests are dropped silently */
    uint32_t msn;
    GArray *served;     /* struct rc_served, ascending */
    unsigned to_answer; /* the first of served without an answer */
    bool refusing;      /* the peer's request at `expected` waits for its NAK */
    bool ack_pending;
    uint64_t ack_generation;
};

struct rc_connection {
    struct sim *sim;
    struct rc_options options;
    struct rc_end end[2];
    uint32_t id[2]; /* communication IDs */
    uint64_t transaction;
    struct sim_life life;
    bool started;
};

struct rc_packet {
    struct ib_packet wire; /* without payload */
    uint64_t offset;       /* of the request, or of the request that it answers */
    uint8_t *payload;      /* owned */
    size_t n;
    struct rc_mad *mad; /* owned; NULL: the packet is for the queue pair */
    uint16_t ip_id;
    bool uncaptured;
};

enum {
    RC_EVENT_START = EVENT_OWN,
    RC_EVENT_SCRIPT,
    RC_EVENT_MAD,
    RC_EVENT_TIMER,
    RC_EVENT_ACK,
    RC_EVENT_PUMP,
    RC_EVENT_LEAVE
};

static inline struct rc_action *rc_action(struct rc_end *end, unsigned index)
{
    return &g_array_index(end->script, struct rc_action, index);
}

/* ---- rc.c ---- */

const char *rc_waits_for(const void *connection);
void rc_free(void *connection);
void rc_schedule(struct rc_connection *connection, struct event event);
void rc_finish_if_over(struct rc_connection *connection);

/* ---- rc_script.c ---- */

void rc_run_script(struct rc_connection *connection, unsigned side);
/* The side's action has reached the peer, whose script may continue. */
void rc_has_arrived(struct rc_connection *connection, unsigned side, unsigned action);

/* ---- rc_manage.c ---- */

/* The peer is ready: it said so, or sends data. */
void rc_establish(struct rc_connection *connection, unsigned side);
void rc_manage(struct rc_connection *connection, unsigned side, unsigned action);
/* Handles this message from side's peer. */
void rc_managed(struct rc_connection *connection, unsigned side, const struct rc_mad *mad);
void rc_mad_timer(struct rc_connection *connection, unsigned side);
/* Answers the DisconnectRequest. */
void rc_disconnect(struct rc_connection *connection, unsigned side);

/* ---- rc_request.c ---- */

/* Posts the request of an action. */
void rc_post(struct rc_connection *connection, unsigned side, unsigned action);
bool rc_all_done(const struct rc_end *end);
void rc_pump(struct rc_connection *connection, unsigned side);
/* Handles an Acknowledge or a response from side's peer. */
void rc_answered(struct rc_connection *connection, unsigned side, const struct rc_packet *packet);
void rc_timer(struct rc_connection *connection, unsigned side);
void rc_start_timer(struct rc_connection *connection, unsigned side);
/* Number of packets for a message of this length. */
uint32_t rc_packets_of(const struct rc_connection *connection, size_t octets);

/* ---- rc_respond.c ---- */

/* Handles a request from side's peer. */
void rc_requested(struct rc_connection *connection, unsigned side, const struct rc_packet *packet);
void rc_answer(struct rc_connection *connection, unsigned side, unsigned action);
void rc_say_nak(struct rc_connection *connection, unsigned side, unsigned action);
void rc_say_sign(struct rc_connection *connection, unsigned side);
void rc_acknowledge(struct rc_connection *connection, unsigned side);

/* ---- rc_packet.c ---- */

extern const struct sim_transport rc_transport;
/* Makes a packet from side to the other queue pair, with the headers of its opcode. */
struct rc_packet *rc_packet_new(const struct rc_connection *connection, unsigned side, enum ib_operation operation,
                                uint64_t offset);
/* The same for connection management. */
struct rc_packet *rc_packet_of_mad(struct rc_connection *connection, unsigned side, const struct rc_mad *mad);
/* Sends the packet and takes ownership. */
void rc_depart(struct rc_connection *connection, unsigned side, struct rc_packet *packet, const struct sim_how *how);

#endif
