/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong in MPA, as words say it: in the startup frame or the FPDUs of one statement, or in one that is looked
 * for in a conversation that is otherwise right (a deviation).
 */
#ifndef IWARP_TRAFFIC_SAY_DEVIATION_H
#define IWARP_TRAFFIC_SAY_DEVIATION_H

#include "traffic-gen/say/words.h"

/*
 * A startup frame, or an FPDU: before it is encoded `frame`, or `plan`, may be changed, before it is sent `octets` may.
 */
struct frame_write {
    struct conversation *conversation;
    enum role role;
    bool startup;
    struct mpa_startup frame;
    uint8_t *data;  /* of a startup frame: room for other Private Data, MPA_PRIVATE_DATA_MAX octets */
    unsigned index; /* of an FPDU: those of this role before it */
    struct mpa_fpdu_plan plan;
    uint8_t *ulpdu; /* plan.ulpdu, writable; has room for ULPDU_ROOM octets */
    GByteArray *octets;
    struct sim_how how;
    struct words *words;        /* those being applied, */
    const struct word *word;    /* and which of them */
    struct words *marker_words; /* those that change Markers */
};

/* ---- words ---- */

/* Takes the words about startup frames, or FPDUs, refusing values that none of them has. False: there are none. */
bool mpa_take_words(struct words *words, bool startup);

/* Each with words that have been taken; NULL changes nothing. */
void frame_change(struct words *words, struct frame_write *w);
void frame_change_octets(struct words *words, struct frame_write *w);

/* ---- deviations ---- */

/* What the peer of the offender does about it. */
enum aftermath {
    GOES_ON,    /* harmless to the peer */
    TERMINATED, /* the peer sends a Terminate and closes */
    CLOSED,     /* the peer closes without a word */
};

enum { CONDITIONS_MAX = 4 };

struct deviation {
    GPtrArray *statements; /* owned */
    char *error;
    bool sets_up, changes;
    struct words setup; /* changes the first conversation before it begins */
    /* Which frame or FPDU: the role's startup frame, or its first FPDU from index on for which all conditions hold. */
    enum role role;
    bool startup;
    bool enhanced; /* the frame has S = 1 and at least four octets of the upper layer */
    unsigned index;
    bool (*conditions[CONDITIONS_MAX])(const struct frame_write *w);
    struct words change;
    bool persistent; /* every FPDU from there on */
    enum aftermath aftermath;
    unsigned more;      /* FPDUs that the offender still sends before the peer acts: what completes a false length */
    uint16_t terminate; /* layer and type, code */
};

/*
 * Statements: `with WORD...`, what both sides negotiate instead; `I mpa-request WORD...`, `R mpa-reply WORD...` or
 * `I fpdu WORD...`, which frame is changed and how; `R term LAYER/ETYPE/CODE` or `R close`, what the peer does about
 * it. Of `fpdu`: from=N (not before the N-th, from 0), when=CONDITION,... (deviation.c lists them), every (all from
 * there on), more=N (FPDUs until the peer acts); of startup frames: enhanced.
 *
 * NULL with *error, which begins with `source`, when it cannot be read. `source` outlives it.
 */
struct deviation *deviation_parse(const char *source, const char *text, char **error);
void deviation_free(struct deviation *deviation);

bool deviation_strikes_startup(const struct deviation *deviation, const struct conversation *c, enum role role);
bool deviation_strikes(const struct deviation *deviation, const struct frame_write *w);

#endif
