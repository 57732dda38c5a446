/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the script engine share: connections (script_connection.c) and what is said on them (script.c). */
#ifndef IWARP_TRAFFIC_SAY_SCRIPT_INTERNAL_H
#define IWARP_TRAFFIC_SAY_SCRIPT_INTERNAL_H

#include "traffic-gen/say/rpc_script.h"
#include "traffic-gen/say/script.h"

/* A ULPDU must have room for a header and an octet. */
enum { SCRIPT_ULPDU_MIN = 32 };

struct script_player {
    struct stage *stage;
    const char *text;
    struct conversation_setup setup;
    struct conversation *conversation;
    bool started; /* its start-up frames are said, or are the script's to say */
    bool late;    /* the capture begins in the middle */
    bool unseen;  /* nothing is captured until the script says so */
    uint32_t late_msn;
    unsigned connections; /* that were before */
    bool hangs, ended;
    enum role closer;      /* closes at the end */
    GByteArray *before[2]; /* octets in front of the startup frames; NULL: none */
    struct rpc_script rpc;
};

/* ---- words ---- */

const char *script_value(char **words, const char *name);
unsigned script_number(char **words, const char *name, unsigned otherwise);
bool script_has(char **words, const char *word);

/* ---- script_connection.c ---- */

/* There is a connection, and both start-up frames are said. */
void script_start(struct script_player *player);
/* There is a connection; whatever is said of its start-up is the script's. */
void script_open(struct script_player *player);
void script_with(struct script_player *player, char **words);
/* `next`, with words of the new connection if there are any. */
void script_next(struct script_player *player, char **words);
/* Ends the connection as it has not been ended by the script. */
void script_close(struct script_player *player);
/* Octets by two digits each; ends the program when they are none. */
GByteArray *script_octets(const struct script_player *player, const char *hex);

#endif
