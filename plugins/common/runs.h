/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs of records. In most traffic a record follows from the two before it: as many octets on, in a later frame, and
 * otherwise the same, or one more. From the third on such records are not kept: a run has the first two, and where each
 * of the others is. They are made again when they are asked for.
 *
 * Memory is of file scope.
 */
#ifndef IWARP_PLUGINS_COMMON_RUNS_H
#define IWARP_PLUGINS_COMMON_RUNS_H

#include "plugins/common/record.h"

/* What a plugin's records have in common. */
struct run_pattern {
    /* Makes *out, a copy of the first with a place of its own, the nth from 0 of those that follow from the first two.
     */
    void (*nth)(const struct record *first, const struct record *second, unsigned n, struct record *out);
    /* Whether the record is the one that nth() made, apart from its place. NULL: if all octets after it are the same.
     */
    bool (*same)(const struct record *made, const struct record *record);
    /* A record that nth() made is to last. May be NULL. */
    void (*keep)(struct record *made);
};

enum { RECORD_MAX = 192 }; /* octets of a record with a pattern, and of what nth() puts after it */

struct run;

struct runs {
    const struct run_pattern *pattern; /* NULL: there are no runs */
    size_t size;                       /* of a record */
    struct runs_side {
        uint32_t last_frame; /* of its records */
        struct run **run;    /* sorted by stream offset as well as by frame */
        unsigned n, room;
        bool open;                      /* the record before was the last one of the last run */
        const struct record *before[2]; /* records that were not taken, the latest first; NULL: there is none */
    } side[2];
};

/* A record, not before the others of its side: whether it is in a run now, so that it need not be kept. */
bool runs_take(struct runs *runs, unsigned side, const struct record *record);
/* The record is in no run, and the next one follows from none before it. */
void runs_break(struct runs *runs, unsigned side);
/* Make the record at that place, or the first one of the frame; false: it is in no run. */
bool runs_at(const struct runs *runs, const struct place *place, struct record *out);
bool runs_in_frame(const struct runs *runs, uint32_t frame, struct record *out, unsigned *side);
/* Whether they can find anything: on the first pass, mostly not. */
static inline bool runs_reach(const struct runs *runs, uint32_t frame)
{
    return frame <= runs->side[0].last_frame || frame <= runs->side[1].last_frame;
}

#endif
