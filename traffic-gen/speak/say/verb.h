/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the parts of the executor: verbs, the current statement, and the conversation so far. */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_VERB_H
#define IWARP_TRAFFIC_SPEAK_SAY_VERB_H

#include "traffic-gen/speak/say/deviation.h"
#include "traffic-gen/speak/say/operations.h"
#include "traffic-gen/speak/say/rpc_script.h"
#include "traffic-gen/speak/say/script.h"
#include "traffic-gen/speak/say/words.h"

/* A ULPDU must have room for a header and one octet. */
enum { SCRIPT_ULPDU_MIN = 32 };

struct script_player {
    struct stage *stage;
    const char *source; /* file or script, for messages */
    char *error;        /* the first error: no further statement is carried out */
    struct conversation_setup setup;
    struct conversation *conversation;
    bool joined;  /* the conversation begins and ends elsewhere */
    bool begun;   /* something has been sent */
    bool started; /* its start-up frames are sent, or left to the script */
    bool late;    /* the capture begins in the middle */
    bool unseen;  /* nothing is captured until the script says so */
    uint32_t late_msn;
    unsigned connections; /* number of earlier connections */
    uint64_t octets;      /* octets sent in the stage's earlier conversations */
    bool hangs, ended;
    enum role closer;      /* closes at the end */
    GByteArray *before[2]; /* octets before the startup frames; NULL: none */
    struct rpc_script rpc;
};

/* One execution of a statement. */
struct saying {
    struct script_player *player;
    struct conversation *c; /* NULL for verbs between connections */
    enum role role;
    const struct verb *verb;
    unsigned index; /* which repetition */
    struct words words;
};

struct field_set; /* script_messages.c */
struct rpc_making;

enum verb_time {
    AFTER_STARTUP,       /* after both start-up frames */
    STARTUP,             /* before the start-up frames, or at any time */
    BETWEEN_CONNECTIONS, /* does not belong to a side */
};

struct verb {
    const char *name;
    void (*say)(struct saying *s);
    enum verb_time time;
    bool of_both; /* may be used without a side */
    /* RDMAP messages */
    enum rdmap_opcode opcode;
    const struct field_set *fields; /* besides the fields of all messages */
    enum rdmap_atomic_opcode atomic;
    /* RPC-over-RDMA */
    void (*say_rpc)(struct rpc_making *m);
};

/* Tables, one for each subject; each ends with a verb without a name. */
extern const struct verb message_verbs[], connection_verbs[], rpc_verbs[], work_verbs[];

/* ---- script_connection.c ---- */

/* Applies words about the negotiation; the rest stays as it is. */
void setup_change(struct conversation_setup *setup, struct words *words);
/* Makes sure that a connection exists and both start-up frames are sent. */
void script_start(struct script_player *player);
/* Makes sure that a connection exists; the script sends the start-up frames. */
void script_open(struct script_player *player);
/* Ends the connection unless the script did. */
void script_close(struct script_player *player);

#endif
