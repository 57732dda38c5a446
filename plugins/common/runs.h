/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of records. In most traffic a record follows from the two before it: the same distance further in the stream, in
 * a later frame, and otherwise the same or incremented. A run keeps the first two such records, and only the places of
 * the later ones, which are made again on request.
 *
 * Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_COMMON_RUNS_H
#define IWARP_PLUGINS_COMMON_RUNS_H

#include "plugins/common/record.h"

/* The common pattern of a layer's records. */
struct run_pattern {
    /*
     * Makes *out, a copy of the first record with a place of its own: number n (from 0) of those after the first two.
     */
    void (*nth)(const struct record *first, const struct record *second, unsigned n, struct record *out);
    /*
     * Whether the record equals the one that nth() made, apart from its place. NULL: all octets after it are compared.
     */
    bool (*same)(const struct record *made, const struct record *record);
    /* A record made by nth() must stay valid. May be NULL. */
    void (*keep)(struct record *made);
    union record_room *room; /* for the record that was requested last */
};

enum { RECORD_MAX = 192 }; /* octets of a record with a pattern, including what nth() appends */

union record_room {
    struct record record;
    char octets[RECORD_MAX];
};

struct run;

struct runs {
    const struct run_pattern *pattern; /* NULL: no runs */
    size_t size;                       /* of a record */
    struct runs_side {
        uint32_t last_frame; /* of its records */
        struct run **run;    /* sorted by stream offset as well as by frame */
        unsigned n, room;
        bool open;                      /* the record before was the last of the last run */
        const struct record *before[2]; /* records that are in no run, the latest first; NULL: none */
    } side[2];
};

/* Takes a record, which must not precede the others of its side. True: it is now in a run, and need not be kept. */
bool runs_take(struct runs *runs, unsigned side, const struct record *record);
/* The record is in no run, and the next record does not follow from it or from earlier ones. */
void runs_break(struct runs *runs, unsigned side);
/* Make the record at that place, or the first record of the frame; false: it is in no run. */
bool runs_at(const struct runs *runs, const struct place *place, struct record *out);
bool runs_in_frame(const struct runs *runs, uint32_t frame, struct record *out, unsigned *side);
/* Whether these functions can find anything, which is rare on the first pass. */
static inline bool runs_reach(const struct runs *runs, uint32_t frame)
{
    return runs->pattern && (frame <= runs->side[0].last_frame || frame <= runs->side[1].last_frame);
}

#endif
