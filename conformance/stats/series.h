/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events over time, in a fixed number of bins. Bins start 16 microseconds wide and aligned to that width since the
 * epoch. They double their width whenever the covered time no longer fits, so that two series can be joined.
 */
#ifndef IWARP_CONFORMANCE_STATS_SERIES_H
#define IWARP_CONFORMANCE_STATS_SERIES_H

#include <stdbool.h>
#include <stdint.h>

enum { SERIES_BINS = 64, SERIES_WIDTH_BITS_MIN = 14 /* 16384 ns */ };

/* Sums, except the last four. */
enum series_value {
    SERIES_CALLS,
    SERIES_REPLIES,
    SERIES_LATENCY,      /* sum of the latencies of Replies, ns */
    SERIES_TO_RESPONDER, /* octets of payload, by direction; by sending side until the report is made */
    SERIES_TO_INITIATOR,
    SERIES_REPEATED,     /* octets sent again; RoCE and InfiniBand: packets */
    SERIES_LATENCY_MOST, /* ns */
    SERIES_IN_USE_MOST,  /* Calls outstanding */
    SERIES_IN_USE,       /* 1 + Calls outstanding after the latest Call or Reply; 0: none */
    SERIES_GRANTED,      /* 1 + the latest limit; 0: none */
    SERIES_VALUES
};

/* Names in JSON. */
extern const char *const series_names[SERIES_VALUES];

struct series {
    bool used;
    uint8_t width_bits;
    unsigned n;    /* bins in use, out of SERIES_BINS */
    int64_t first; /* number of the first bin: time >> width_bits */
    uint64_t bin[SERIES_BINS][SERIES_VALUES];
};

/* Initially without bins. */
static inline void series_init(struct series *series)
{
    series->used = false;
    series->width_bits = 0;
    series->n = 0;
    series->first = 0;
}
/* Creates the bin for this time. */
uint64_t *series_extend(struct series *series, int64_t time_ns);
/* The bin for this time. Times before the first bin go into the first bin. */
static inline uint64_t *series_at(struct series *series, int64_t time_ns)
{
    uint64_t at = (uint64_t)((time_ns >> series->width_bits) - series->first);

    return at < series->n ? series->bin[at] : series_extend(series, time_ns);
}
/* Whether nothing happened in this bin. */
bool series_is_empty(const struct series *series, unsigned bin);
void series_join(struct series *into, const struct series *from);

#endif
