// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/series.h"

#include <string.h>

const char *const series_names[SERIES_VALUES] = {
    [SERIES_CALLS] = "calls",
    [SERIES_REPLIES] = "replies",
    [SERIES_LATENCY] = "latency_sum",
    [SERIES_TO_RESPONDER] = "octets_to_responder",
    [SERIES_TO_INITIATOR] = "octets_to_initiator",
    [SERIES_REPEATED] = "repeated",
    [SERIES_LATENCY_MOST] = "latency_max",
    [SERIES_IN_USE_MOST] = "in_use_max",
    [SERIES_IN_USE] = "in_use",
    [SERIES_GRANTED] = "granted",
};

/* Of two bins, or of the same bin in two series: `from` is the later one. */
static void join_bin(uint64_t into[SERIES_VALUES], const uint64_t from[SERIES_VALUES])
{
    for (unsigned i = 0; i < SERIES_LATENCY_MOST; i++)
        into[i] = from[i] > UINT64_MAX - into[i] ? UINT64_MAX : into[i] + from[i];
    for (unsigned i = SERIES_LATENCY_MOST; i <= SERIES_IN_USE_MOST; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
    for (unsigned i = SERIES_IN_USE; i < SERIES_VALUES; i++)
        into[i] = from[i] != 0 ? from[i] : into[i];
}

/* Twice the width. The first of a pair has an even number. */
static void coarsen(struct series *series)
{
    struct series finer = *series;

    series->first = finer.first >> 1;
    series->width_bits++;
    memset(series->bin, 0, sizeof series->bin);
    for (unsigned i = 0; i < SERIES_BINS; i++)
        join_bin(series->bin[((finer.first + (int64_t)i) >> 1) - series->first], finer.bin[i]);
}

uint64_t *series_at(struct series *series, int64_t time_ns)
{
    int64_t at;

    time_ns = time_ns < 0 ? 0 : time_ns;
    if (!series->used) {
        series->used = true;
        series->width_bits = SERIES_WIDTH_BITS_MIN;
        series->first = time_ns >> SERIES_WIDTH_BITS_MIN;
    }
    while ((at = (time_ns >> series->width_bits) - series->first) >= SERIES_BINS)
        coarsen(series);
    return series->bin[at < 0 ? 0 : at];
}

bool series_is_empty(const struct series *series, unsigned bin)
{
    static const uint64_t nothing[SERIES_VALUES];

    return memcmp(series->bin[bin], nothing, sizeof nothing) == 0;
}

/* The number of its last bin in which something happened. */
static int64_t last_used(const struct series *series)
{
    int64_t last = SERIES_BINS - 1;

    while (last > 0 && series_is_empty(series, (unsigned)last))
        last--;
    return series->first + last;
}

void series_join(struct series *into, const struct series *from)
{
    struct series later = *from;

    if (!later.used)
        return;
    if (!into->used) {
        *into = later;
        return;
    }
    if (later.first << later.width_bits < into->first << into->width_bits) {
        struct series earlier = later;

        later = *into;
        *into = earlier;
    }
    while (later.width_bits < into->width_bits)
        coarsen(&later);
    while (into->width_bits < later.width_bits)
        coarsen(into);
    while (last_used(&later) - into->first >= SERIES_BINS) {
        coarsen(into);
        coarsen(&later);
    }
    for (int64_t i = 0; i < SERIES_BINS; i++) {
        int64_t at = later.first + i - into->first;

        if (at >= 0 && at < SERIES_BINS)
            join_bin(into->bin[at], later.bin[i]);
    }
}
