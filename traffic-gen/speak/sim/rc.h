/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reliable connections of RoCE v2 in the simulated network (sim.h): connection management, and a queue pair at each end
 * (InfiniBand Architecture Specification volume 1, chapters 9 and 12; its annex A17).
 *
 * Messages are cut at the path MTU. Requests have their own PSNs in each direction; a Read takes as many as its
 * response has packets. Acknowledges are coalesced. A NAK from the receiver, a requester that misses an answer, or its
 * timer recovers lost packets; then everything from there on is sent again (go-back-N), for a Read the missing rest.
 *
 * Sides: 0 sends the ConnectRequest. sim_how.received counts the peer's steps that must have arrived.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SIM_RC_H
#define IWARP_TRAFFIC_SPEAK_SIM_RC_H

#include "support/frames/frame.h"
#include "traffic-gen/speak/sim/sim.h"
#include "wire/ib.h"

struct rc_connection;

struct rc_options {
    struct frame_path path; /* port: of the IP service, of each side */
    unsigned mtu;           /* of the path: 256, 512, 1024, 2048 or 4096 */
    uint32_t qp[2];         /* of each side */
    uint32_t psn[2];        /* of each side's first request */
    uint8_t reads[2];       /* Reads that each side serves at once (responder resources); 0: none */
    uint8_t depth[2];       /* Reads that each side requests at once (initiator depth); 0: none */
    int64_t delay_ns;       /* between the connection's start and its ConnectRequest */
};

/* The largest path MTU whose packets fit into Ethernet frames of this MTU; 0: none. */
unsigned rc_path_mtu(unsigned mtu);

/* Adds a connection, which begins when the simulation runs. */
struct rc_connection *rc_connect(struct sim *sim, const struct rc_options *options);
/* Lets the connection begin only when `before` is over. */
void rc_connect_after(struct rc_connection *connection, struct sim_life *before);
struct sim_life *rc_life(struct rc_connection *connection);

enum rc_kind {
    RC_REQUEST, /* ConnectRequest, with private data p[0..n) */
    RC_REPLY,   /* ConnectReply */
    RC_REJECT,  /* ConnectReject by the consumer */
    RC_SEND,
    RC_WRITE,
    RC_READ,
    RC_ANSWER, /* to the peer's oldest unanswered Read: p[0..n), zeros beyond */
    RC_REFUSE, /* a NAK for the request from rc_refuse(); with not_ready an RNR NAK, which ends the connection */
    RC_SIGN,   /* repeats the latest Acknowledge: shows that it is still there */
    RC_END,    /* DisconnectRequest when its own requests are done; at once with abrupt */
    RC_CAPTURE /* shows or hides the connection's packets in the capture from here on */
};

struct rc_step {
    enum rc_kind kind;
    bool solicited, invalidate; /* SEND */
    uint32_t rkey;              /* WRITE, READ; SEND: the key to invalidate */
    uint64_t address;           /* WRITE, READ */
    uint32_t length;            /* READ */
    enum ib_nak nak;            /* REFUSE */
    bool not_ready;             /* REFUSE: RNR NAK; the peer may not retry */
    bool abrupt;                /* END */
    bool on;                    /* CAPTURE */
    const uint8_t *p;           /* copied */
    size_t n;
};

/* Everything scripted so far for side's peer: the gate of an orderly answer. */
uint64_t rc_all_of_peer(const struct rc_connection *connection, unsigned side);
void rc_say(struct rc_connection *connection, unsigned side, const struct rc_step *step, const struct sim_how *how);
/*
 * Chooses the latest request of that kind (SEND, WRITE, READ) of side's peer: it is never acknowledged, and the next
 * RC_REFUSE answers it. False: there is none.
 */
bool rc_refuse(struct rc_connection *connection, unsigned side, enum rc_kind kind);
/* True when the last step of side's peer is a Send. */
bool rc_peer_has_sent(const struct rc_connection *connection, unsigned side);

#endif
