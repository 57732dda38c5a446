/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where connections count how often rules passed and failed: a limited number of tables, lent to active connections.
 * The counts of other connections are folded (engine/core/fold.h), so that idle connections take little memory.
 */
#ifndef IWARP_CONFORMANCE_CHECK_COUNTING_H
#define IWARP_CONFORMANCE_CHECK_COUNTING_H

#include "engine/core/fold.h"

enum { COUNTING_TABLES = 256 }; /* per thread: 2.3 MiB */

struct counting_table;

/* The state of a connection. Initially zero, except for the verdict, whose counts are NULL while no table is lent. */
struct counted {
    struct verdict *verdict;
    struct counting_table *table;
    struct folded_counts *folded; /* earlier counts */
    bool recent;                  /* has counted since the tables were last scanned */
};

struct counting {
    struct counting_table *tables[COUNTING_TABLES];
    unsigned n, hand;
    struct counting_table *free;
    struct folded_pool pool; /* for connections that are idle or over */
    bool memory_lacking;     /* counts were lost */
    struct rule_counts lost;
};

void counting_free(struct counting *counting);

/* Lends a table. `last`: earlier counts stay folded, unless they have findings. */
void counted_lend(struct counting *counting, struct counted *counted, bool last);

/* Call it before anything is counted. */
static inline void counted_wake(struct counting *counting, struct counted *counted)
{
    counted->recent = true;
    if (!counted->verdict->counts)
        counted_lend(counting, counted, false);
}

/* Likewise, if only counted_end() or counted_drop() follows. */
static inline void counted_wake_last(struct counting *counting, struct counted *counted)
{
    if (!counted->verdict->counts)
        counted_lend(counting, counted, true);
}

/* Nothing is counted for a while: the table, which is still in the cache, is free for another connection. */
void counted_rest(struct counting *counting, struct counted *counted);
/* The connection has ended. The caller owns the counts, and calls counts_free(); NULL: out of memory. */
struct folded_counts *counted_end(struct counting *counting, struct counted *counted);
/* Returns the counts so far; the connection continues to count from 0. NULL: out of memory, or no counts. */
struct folded_counts *counted_part(struct counting *counting, struct counted *counted);
/* Like counted_end(), without the counts. */
void counted_drop(struct counting *counting, struct counted *counted);

#endif
