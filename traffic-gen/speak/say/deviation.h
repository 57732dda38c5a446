/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors in MPA, written as words: in the start-up frame or the FPDUs of one statement, or (a deviation) in a frame or
 * FPDU that is looked for in a conforming conversation.
 */
#ifndef IWARP_TRAFFIC_SPEAK_SAY_DEVIATION_H
#define IWARP_TRAFFIC_SPEAK_SAY_DEVIATION_H

#include "traffic-gen/speak/say/words.h"

/* A start-up frame or an FPDU: `frame` or `plan` may be changed before it is encoded, `octets` before they are sent. */
struct frame_write {
    struct conversation *conversation;
    enum role role;
    bool startup;
    struct mpa_startup frame;
    uint8_t *data;  /* of a start-up frame: has room for MPA_PRIVATE_DATA_MAX octets of other Private Data */
    unsigned index; /* of an FPDU: number of FPDUs of this role before it */
    struct mpa_fpdu_plan plan;
    uint8_t *ulpdu; /* plan.ulpdu, writable; has room for ULPDU_ROOM octets */
    GByteArray *octets;
    struct sim_how how;
    struct words *words;        /* words being applied, */
    const struct word *word;    /* and the current word */
    struct words *marker_words; /* words that change Markers */
};

/* ---- words ---- */

/* Takes the words about start-up frames, or FPDUs, and refuses values out of range. False: there are none. */
bool mpa_take_words(struct words *words, bool startup);

/* Each applies words that have been taken; NULL changes nothing. */
void frame_change(struct words *words, struct frame_write *w);
void frame_change_octets(struct words *words, struct frame_write *w);

/* ---- deviations ---- */

/* How the offender's peer reacts. */
enum aftermath {
    GOES_ON,    /* the peer goes on */
    TERMINATED, /* the peer sends a Terminate and closes */
    CLOSED,     /* the peer closes without a Terminate */
};

enum { CONDITIONS_MAX = 4 };

struct deviation {
    GPtrArray *statements; /* owned */
    char *error;
    bool sets_up, changes;
    struct words setup; /* change the first conversation before it begins */
    /* The frame or FPDU to change: the start-up frame, or the first FPDU from `index` on that meets all conditions. */
    enum role role;
    bool startup;
    bool enhanced; /* the frame has S = 1 and at least four octets of upper-layer data */
    unsigned index;
    bool (*conditions[CONDITIONS_MAX])(const struct frame_write *w);
    struct words change;
    bool persistent; /* every FPDU from there on */
    enum aftermath aftermath;
    unsigned more; /* FPDUs that the offender still sends before the peer reacts: octets that complete a false length */
    uint16_t terminate; /* layer and type, code */
};

/*
 * Reads statements: `with WORD...`, which changes the negotiation; `I mpa-request WORD...`, `R mpa-reply WORD...` or
 * `I fpdu WORD...`, which name and change the frame; `R term LAYER/ETYPE/CODE` or `R close`, the peer's reaction. Words
 * of `fpdu`: from=N (not before the N-th, from 0), when=CONDITION,... (listed in deviation.c), every (all from there
 * on), more=N (FPDUs until the peer reacts). Word of start-up frames: enhanced.
 *
 * NULL with *error, which begins with `source`, when the text cannot be read. `source` outlives the result.
 */
struct deviation *deviation_parse(const char *source, const char *text, char **error);
void deviation_free(struct deviation *deviation);

bool deviation_strikes_startup(const struct deviation *deviation, const struct conversation *c, enum role role);
bool deviation_strikes(const struct deviation *deviation, const struct frame_write *w);

#endif
