/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened over time, in a fixed number of bins. They begin 16 microseconds wide, aligned to that width since the
 * epoch, and double their width whenever the time covered no longer fits, so that two series can be joined.
 */
#ifndef IWARP_CONFORMANCE_STATS_SERIES_H
#define IWARP_CONFORMANCE_STATS_SERIES_H

#include <stdbool.h>
#include <stdint.h>

enum { SERIES_BINS = 64, SERIES_WIDTH_BITS_MIN = 14 /* 16384 ns */ };

/* Sums, but for the last four. */
enum series_value {
    SERIES_CALLS,
    SERIES_REPLIES,
    SERIES_LATENCY,      /* sum of those of the Replies, ns */
    SERIES_TO_RESPONDER, /* octets of payload, in either direction: by side until the report is made */
    SERIES_TO_INITIATOR,
    SERIES_REPEATED,     /* octets sent again; RoCE and InfiniBand: packets */
    SERIES_LATENCY_MOST, /* ns */
    SERIES_IN_USE_MOST,  /* Calls outstanding */
    SERIES_IN_USE,       /* 1 + Calls outstanding after the latest Call or Reply; 0: there was none */
    SERIES_GRANTED,      /* 1 + the latest limit; 0: there was none */
    SERIES_VALUES
};

/* Names in JSON. */
extern const char *const series_names[SERIES_VALUES];

struct series {
    bool used;
    uint8_t width_bits;
    unsigned n;    /* bins so far, of SERIES_BINS: the others have no content */
    int64_t first; /* number of the first bin: time >> width_bits */
    uint64_t bin[SERIES_BINS][SERIES_VALUES];
};

/* Without a bin. */
static inline void series_init(struct series *series)
{
    series->used = false;
    series->width_bits = 0;
    series->n = 0;
    series->first = 0;
}
/* Where the bin of this time is not there yet. */
uint64_t *series_extend(struct series *series, int64_t time_ns);
/* The bin of this time. What is before the first bin goes into it. */
static inline uint64_t *series_at(struct series *series, int64_t time_ns)
{
    uint64_t at = (uint64_t)((time_ns >> series->width_bits) - series->first);

    return at < series->n ? series->bin[at] : series_extend(series, time_ns);
}
/* Nothing happened in this bin. */
bool series_is_empty(const struct series *series, unsigned bin);
void series_join(struct series *into, const struct series *from);

#endif
