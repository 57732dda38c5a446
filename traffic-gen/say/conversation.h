/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversations: an Initiator and a Responder over a simulated network, speaking by the encoders of wire/.
 *
 * Each call adds what one role says; it is said when everything that the peer was scripted to say before has arrived.
 * What is right is filled in here (framing as negotiated, MULPDU, MSN, MO, the Last bit); words of the statement and
 * deviations change it (deviation.h).
 */
#ifndef IWARP_TRAFFIC_SAY_CONVERSATION_H
#define IWARP_TRAFFIC_SAY_CONVERSATION_H

#include "traffic-gen/sim/sim_tcp.h"
#include "wire/ddp.h"
#include "wire/mpa_fpdu.h"
#include "wire/mpa_startup.h"

#include <glib.h>

enum role { INITIATOR, RESPONDER };

struct carrier;
struct conversation;
struct deviation;
struct operations;
struct rc_connection;
struct words;

/* One capture in the making. */
struct stage {
    struct sim *sim;
    const struct carrier *carrier;     /* of its conversations; carrier_mpa unless it is changed */
    const struct deviation *deviation; /* NULL: conforming, or a script says itself what is wrong */
    bool deviated;                     /* it found its place */
    const char *impossible;            /* why the carrier cannot do what was scripted; NULL: it can */
    unsigned mtu;
    bool ipv6, vlan;
    unsigned n_conversations;
    unsigned client;          /* number of the host that plays the scenario, beside others */
    unsigned first;           /* conversations of the stages before: addresses differ from theirs */
    GPtrArray *conversations; /* owned */
    uint64_t seed;
    uint64_t octets;           /* that all conversations have said so far */
    const char *memory_folder; /* where the memory of real ends is written at the end; NULL: nowhere */
};

/* What a role says in its startup frame. */
struct startup_wish {
    uint8_t revision;
    uint8_t flags;                /* MPA_FLAG_* */
    struct mpa_enhanced enhanced; /* used when flags has S */
    uint16_t ulp_length;          /* octets of ULP Private Data */
    const uint8_t *ulp_data;      /* they; NULL: a text */
};

struct conversation_setup {
    struct startup_wish wish[2]; /* by role */
    bool responder_opens;        /* TCP: the Responder connects */
    uint32_t isn[2];             /* by TCP side; 0: a default */
    uint16_t mss[2];             /* announced, by TCP side; 0: from the MTU */
    uint32_t segment_max;        /* see sim_connection_options */
    bool no_sack, no_df;
    uint16_t port;              /* of TCP side 0; 0: a fresh one */
    uint16_t service_port;      /* of TCP side 1; 0: that of tests */
    bool no_mpa;                /* TCP alone, on any carrier */
    struct conversation *after; /* begins when that one is over */
    int64_t delay_ns;
    uint16_t ulpdu_max; /* cut messages at this instead of the MULPDU */
    bool plain;         /* messages as message_init() makes plain ones */
};

struct conversation {
    struct stage *stage;
    const struct carrier *carrier;
    struct sim_connection *tcp; /* of carrier_mpa; else NULL */
    struct rc_connection *rc;   /* of carrier_roce; else NULL */
    void *socket;               /* of carriers outside of say/; else NULL */
    struct conversation_setup setup;
    unsigned number;
    unsigned side[2];              /* of the network's connection, of each role: 0 opens it */
    struct mpa_framing framing[2]; /* of what each role sends */
    bool crc;
    uint8_t version; /* of DDP and RDMAP */
    unsigned emss;
    unsigned fpdus[2];  /* written so far */
    uint32_t msn[2][4]; /* last used, by role and queue */
    bool doomed;        /* a deviation happened: the peer is silent until doom more FPDUs are there, then acts */
    enum role offender;
    unsigned doom;
    bool plain;                    /* messages of a kind have the same memory and the same pattern (operations.h) */
    bool over;                     /* a reset or a deviation ended it: what the script still says is left out */
    struct operations *operations; /* owned; used by operations.h only */
    GByteArray *corked[2];
    bool is_corked[2];
    struct sim_how how;    /* for the next write only: how.received is filled in unless early is set */
    bool early;            /* the next write does not wait for the peer's words */
    struct words *changes; /* to the next startup frame or FPDU (deviation.h); NULL: none */
};

enum { ULPDU_ROOM = 65535 };

/* ---- one stage for one capture ---- */

/* Where in a capture of several stages the next one begins: all zero for the first. */
struct stage_place {
    int64_t elapsed_ns;
    unsigned conversations;
};

struct stage *stage_new(struct capture_file *file, uint64_t seed, const struct sim_trouble *trouble,
                        const struct stage_place *place);
/* A stage whose conversations are with real peers: nothing is captured. */
struct stage *stage_new_live(const struct carrier *carrier);
/* The place after it, once it has been played. */
void stage_leave(const struct stage *stage, struct stage_place *place);
void stage_free(struct stage *stage);

/* ---- calls of a script ---- */

/* Owned by the stage. */
struct conversation *conversation_new(struct stage *stage, const struct conversation_setup *setup);

void say_request(struct conversation *c);
void say_reply(struct conversation *c);
/* Both. */
void say_startup(struct conversation *c);
/* Any startup frame by any role, without taking its meaning over. */
void say_startup_frame(struct conversation *c, enum role role, const struct mpa_startup *frame);
void startup_frame_init(const struct conversation *c, enum role role, struct mpa_startup *frame);

/* One FPDU with this ULPDU. */
void say_fpdu(struct conversation *c, enum role role, const uint8_t *ulpdu, uint16_t n);

/* Collects what a role says into one write, so that it shares segments. */
void cork(struct conversation *c, enum role role);
void uncork(struct conversation *c, enum role role);

/* A pure ACK after a silence of both: shows that the connection is still there. */
void say_nothing(struct conversation *c, enum role role, int64_t ns);
/* Octets outside any FPDU. */
void say_octets(struct conversation *c, enum role role, const void *p, size_t n);

/* From here on the capture holds, or does not hold, what both say. */
void say_capturing(struct conversation *c, enum role role, bool on, const struct sim_how *how);

void say_fin(struct conversation *c, enum role role);
void say_reset(struct conversation *c, enum role role);
/* Both FINs, `first` before the other. */
void say_close(struct conversation *c, enum role first);
/* For scripts that go on with raw TCP. */
struct sim_how orderly(const struct conversation *c, enum role role);

#endif
