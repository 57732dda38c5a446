/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the executor share: verbs, the statement being carried out, and the conversation so far. */
#ifndef IWARP_TRAFFIC_SAY_VERB_H
#define IWARP_TRAFFIC_SAY_VERB_H

#include "traffic-gen/say/deviation.h"
#include "traffic-gen/say/operations.h"
#include "traffic-gen/say/rpc_script.h"
#include "traffic-gen/say/script.h"
#include "traffic-gen/say/words.h"

/* A ULPDU must have room for a header and an octet. */
enum { SCRIPT_ULPDU_MIN = 32 };

struct script_player {
    struct stage *stage;
    const char *source; /* file or script, for messages */
    char *error;        /* the first one: nothing is carried out after it */
    struct conversation_setup setup;
    struct conversation *conversation;
    bool joined;  /* it began elsewhere, and ends there */
    bool begun;   /* something has been said */
    bool started; /* its startup frames are said, or left to the script */
    bool late;    /* the capture begins in the middle */
    bool unseen;  /* nothing is captured until the script says so */
    uint32_t late_msn;
    unsigned connections; /* before this one */
    uint64_t octets;      /* that the stage's conversations have said before it */
    bool hangs, ended;
    enum role closer;      /* closes at the end */
    GByteArray *before[2]; /* octets before the startup frames; NULL: none */
    struct rpc_script rpc;
};

/* One statement, once. */
struct saying {
    struct script_player *player;
    struct conversation *c; /* NULL for verbs between connections */
    enum role role;
    const struct verb *verb;
    unsigned index; /* of the repetitions */
    struct words words;
};

struct field_set; /* script_messages.c */
struct rpc_making;

enum verb_time {
    AFTER_STARTUP,       /* the startup frames have been said before */
    STARTUP,             /* they have not been, or need not */
    BETWEEN_CONNECTIONS, /* of neither side */
};

struct verb {
    const char *name;
    void (*say)(struct saying *s);
    enum verb_time time;
    bool of_both; /* may be used without a side */
    /* RDMAP messages */
    enum rdmap_opcode opcode;
    const struct field_set *fields; /* besides those of all messages */
    enum rdmap_atomic_opcode atomic;
    /* RPC-over-RDMA */
    void (*say_rpc)(struct rpc_making *m);
};

/* Tables, one per subject; a verb without a name ends each. */
extern const struct verb message_verbs[], connection_verbs[], rpc_verbs[], work_verbs[];

/* ---- script_connection.c ---- */

/* What words about the negotiation change in it; each that is not given leaves it as it is. */
void setup_change(struct conversation_setup *setup, struct words *words);
/* There is a connection, and both startup frames are said. */
void script_start(struct script_player *player);
/* There is a connection; whatever is said of its startup is left to the script. */
void script_open(struct script_player *player);
/* Ends the connection unless the script has done so. */
void script_close(struct script_player *player);

#endif
