/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Conversations: an Initiator and a Responder talk over a simulated network with the encoders of wire/.
 *
 * Each call adds a message of one role, which is sent when everything scripted for the peer before has arrived. Correct
 * values are filled in here (framing as negotiated, MULPDU, MSN, MO, the Last bit); words of the statement and
 * deviations change them (deviation.h).
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_CONVERSATION_H
#define IWARP_TRAFFIC_SPEAK_SAY_CONVERSATION_H

#include "traffic-gen/speak/sim/sim_tcp.h"
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
    const struct carrier *carrier;     /* of its conversations; carrier_mpa by default */
    const struct deviation *deviation; /* NULL: conforming, or the script itself makes the errors */
    bool deviated;                     /* the deviation was applied */
    const char *impossible;            /* why the carrier cannot play the script; NULL: it can */
    unsigned mtu;
    bool ipv6, vlan;
    unsigned n_conversations;
    unsigned client;          /* number of the host that plays the scenario, when several do */
    unsigned first;           /* conversations of earlier stages: their addresses are not used again */
    GPtrArray *conversations; /* owned */
    uint64_t seed;
    uint64_t octets;           /* sent in all conversations so far */
    const char *memory_folder; /* directory for the memory of real ends at the end; NULL: not written */
};

/* What a role sends in its start-up frame. */
struct startup_wish {
    uint8_t revision;
    uint8_t flags;                /* MPA_FLAG_* */
    struct mpa_enhanced enhanced; /* used when flags has S */
    uint16_t ulp_length;          /* octets of ULP Private Data */
    const uint8_t *ulp_data;      /* NULL: a text */
};

struct conversation_setup {
    struct startup_wish wish[2]; /* by role */
    bool responder_opens;        /* TCP: the Responder connects */
    uint32_t isn[2];             /* by TCP side; 0: a default */
    uint16_t mss[2];             /* announced, by TCP side; 0: from the MTU */
    uint32_t segment_max;        /* see sim_connection_options */
    bool no_sack, no_df;
    uint16_t port;              /* of TCP side 0; 0: a fresh one */
    uint16_t service_port;      /* by role */
    bool no_mpa;                /* TCP alone, on any carrier */
    struct conversation *after; /* begins when `after` is over */
    int64_t delay_ns;
    uint16_t ulpdu_max; /* cut messages at this instead of the MULPDU */
    bool plain;         /* messages are as message_init() makes plain ones */
};

struct conversation {
    struct stage *stage;
    const struct carrier *carrier;
    struct sim_connection *tcp; /* of carrier_mpa; else NULL */
    struct rc_connection *rc;   /* of carrier_roce; else NULL */
    void *socket;               /* of carriers outside say/; else NULL */
    struct conversation_setup setup;
    unsigned number;
    unsigned side[2];              /* side of each role in the network's connection: 0 opens it */
    struct mpa_framing framing[2]; /* of each role's stream */
    bool crc;
    uint8_t version; /* of DDP and RDMAP */
    unsigned emss;
    unsigned fpdus[2];  /* written so far */
    uint32_t msn[2][4]; /* last used, by role and queue */
    bool doomed;        /* a deviation happened: the peer waits for doom more FPDUs, then reacts */
    enum role offender;
    unsigned doom;
    bool plain; /* messages of a kind have the same memory and the same pattern (operations.h) */
    bool over;  /* a reset or a deviation ended the conversation: the rest of the script is left out */
    struct operations *operations; /* owned; used by operations.h only */
    GByteArray *corked[2];
    bool is_corked[2];
    struct sim_how how;    /* for the next write only: how.received is filled in unless early is set */
    bool early;            /* the next write does not wait for the peer */
    struct words *changes; /* to the next startup frame or FPDU (deviation.h); NULL: none */
};

enum { ULPDU_ROOM = 65535 };

/* ---- one stage for one capture ---- */

/* Where in a capture of several stages the next stage begins: all zero for the first. */
struct stage_place {
    int64_t elapsed_ns;
    unsigned conversations;
};

struct stage *stage_new(struct capture_file *file, uint64_t seed, const struct sim_trouble *trouble,
                        const struct stage_place *place);
/* A stage whose conversations have real peers: nothing is captured. */
struct stage *stage_new_live(const struct carrier *carrier);
/* The place after a stage that has been played. */
void stage_leave(const struct stage *stage, struct stage_place *place);
void stage_free(struct stage *stage);

/* ---- calls of a script ---- */

/* Owned by the stage. */
struct conversation *conversation_new(struct stage *stage, const struct conversation_setup *setup);

void say_request(struct conversation *c);
void say_reply(struct conversation *c);
/* Sends both start-up frames. */
void say_startup(struct conversation *c);
/* Sends any start-up frame by any role; does not adopt its terms. */
void say_startup_frame(struct conversation *c, enum role role, const struct mpa_startup *frame);
void startup_frame_init(const struct conversation *c, enum role role, struct mpa_startup *frame);

/* Sends one FPDU with this ULPDU. */
void say_fpdu(struct conversation *c, enum role role, const uint8_t *ulpdu, uint16_t n);

/* Collects role's octets into one write, so that they share segments. */
void cork(struct conversation *c, enum role role);
void uncork(struct conversation *c, enum role role);

/* A pure ACK after both sides were silent: shows that the connection still exists. */
void say_nothing(struct conversation *c, enum role role, int64_t ns);
/* Sends octets outside any FPDU. */
void say_octets(struct conversation *c, enum role role, const void *p, size_t n);

/* Shows or hides the following packets of both sides in the capture. */
void say_capturing(struct conversation *c, enum role role, bool on, const struct sim_how *how);

void say_fin(struct conversation *c, enum role role);
void say_reset(struct conversation *c, enum role role);
/* Sends both FINs, that of `first` before the other. */
void say_close(struct conversation *c, enum role first);
/* For scripts that go on with raw TCP. */
struct sim_how orderly(const struct conversation *c, enum role role);

#endif
