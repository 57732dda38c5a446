// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/counting.h"

#include <stdlib.h>
#include <string.h>

struct counting_table {
    struct counted *owner; /* NULL: free, and all zero */
    struct counting_table
        *next; /* the next free table; the one used last comes first, because it may still be in the cache */
    struct rule_counts counts;
};

void counting_free(struct counting *counting)
{
    for (unsigned i = 0; i < counting->n; i++)
        free(counting->tables[i]);
    folded_pool_free(&counting->pool);
    *counting = (struct counting){0};
}

/* Releases a table whose counts are 0. */
static void counting_release(struct counting *counting, struct counted *counted)
{
    struct counting_table *table = counted->table;

    counted->verdict->counts = NULL;
    counted->table = NULL;
    if (!table)
        return;
    table->owner = NULL;
    table->next = counting->free;
    counting->free = table;
}

/* Returns the counts, including earlier counts that are still folded. */
static struct folded_counts *counting_take(struct counting *counting, struct counted *counted)
{
    struct folded_counts *folded = counts_fold(&counting->pool, counted->verdict->counts, counted->folded);

    counted->folded = NULL;
    counting->memory_lacking |= !folded;
    return folded;
}

/* A connection that has not counted for a while gives up its table. */
static void make_idle(struct counting *counting, struct counted *counted)
{
    counted->folded = counting_take(counting, counted);
    counting_release(counting, counted);
}

/* All tables are lent: takes back the next table whose owner did nothing since the last scan. */
static void counting_take_back(struct counting *counting)
{
    while (!counting->free && counting->n > 0) {
        struct counted *owner = counting->tables[counting->hand]->owner;

        counting->hand = (counting->hand + 1) % counting->n;
        if (owner->recent)
            owner->recent = false;
        else
            make_idle(counting, owner);
    }
}

static struct counting_table *find_table(struct counting *counting)
{
    struct counting_table *table = counting->free;

    if (!table && counting->n < COUNTING_TABLES) {
        table = calloc(1, sizeof *table);
        if (table)
            return counting->tables[counting->n++] = table;
    }
    counting_take_back(counting);
    table = counting->free;
    if (table)
        counting->free = table->next;
    return table;
}

void counted_lend(struct counting *counting, struct counted *counted, bool last)
{
    struct counting_table *table = find_table(counting);

    if (!table) { /* the counts will be reported as incomplete */
        counting->memory_lacking = true;
        counted->verdict->counts = &counting->lost;
        return;
    }
    table->owner = counted;
    counted->table = table;
    counted->verdict->counts = &table->counts;
    if (last && !folded_any_failed(counted->folded))
        return;
    counts_unfold(counted->folded, &table->counts);
    counts_free(counted->folded);
    counted->folded = NULL;
}

void counted_rest(struct counting *counting, struct counted *counted)
{
    if (counted->table)
        make_idle(counting, counted);
}

struct folded_counts *counted_end(struct counting *counting, struct counted *counted)
{
    struct folded_counts *folded;

    counted_wake_last(counting, counted);
    folded = counting_take(counting, counted);
    counting_release(counting, counted);
    return folded;
}

struct folded_counts *counted_part(struct counting *counting, struct counted *counted)
{
    struct folded_counts *folded = counted->folded;

    if (counted->table)
        return counting_take(counting, counted);
    counted->folded = NULL;
    return folded;
}

void counted_drop(struct counting *counting, struct counted *counted)
{
    if (counted->table)
        memset(&counted->table->counts, 0, sizeof counted->table->counts);
    counting_release(counting, counted);
    counts_free(counted->folded);
    counted->folded = NULL;
}
