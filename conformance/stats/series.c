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

/* Joins two adjacent bins, or the same bin of two series: `from` is the later bin. */
static void join_bin(uint64_t into[SERIES_VALUES], const uint64_t from[SERIES_VALUES])
{
    for (unsigned i = 0; i < SERIES_LATENCY_MOST; i++)
        into[i] = from[i] > UINT64_MAX - into[i] ? UINT64_MAX : into[i] + from[i];
    for (unsigned i = SERIES_LATENCY_MOST; i <= SERIES_IN_USE_MOST; i++)
        into[i] = from[i] > into[i] ? from[i] : into[i];
    for (unsigned i = SERIES_IN_USE; i < SERIES_VALUES; i++)
        into[i] = from[i] != 0 ? from[i] : into[i];
}

/* Makes bins 2^bits times as wide, in place: each bin moves into an earlier bin, or stays. */
static void coarsen(struct series *series, unsigned bits)
{
    int64_t first = series->first >> bits;

    for (unsigned i = 0; i < series->n; i++) {
        int64_t at = ((series->first + (int64_t)i) >> bits) - first;

        if (at == (int64_t)i)
            continue;
        join_bin(series->bin[at], series->bin[i]);
        memset(series->bin[i], 0, sizeof series->bin[i]);
    }
    if (series->n > 0)
        series->n = (unsigned)(((series->first + (int64_t)series->n - 1) >> bits) - first + 1);
    series->first = first;
    series->width_bits = (uint8_t)(series->width_bits + bits);
}

/* Extends the bins in use up to this bin. */
static void use_bins(struct series *series, unsigned last)
{
    while (series->n <= last)
        memset(series->bin[series->n++], 0, sizeof *series->bin);
}

/* The number of bits by which bins must grow for this bin to fit. */
static unsigned bits_lacking(const struct series *series, int64_t bin)
{
    unsigned bits = 0;

    while ((bin >> bits) - (series->first >> bits) >= SERIES_BINS)
        bits++;
    return bits;
}

uint64_t *series_extend(struct series *series, int64_t time_ns)
{
    int64_t at;

    time_ns = time_ns < 0 ? 0 : time_ns;
    if (!series->used) {
        series->used = true;
        series->width_bits = SERIES_WIDTH_BITS_MIN;
        series->first = time_ns >> SERIES_WIDTH_BITS_MIN;
    }
    at = (time_ns >> series->width_bits) - series->first;
    if (at >= SERIES_BINS) {
        coarsen(series, bits_lacking(series, time_ns >> series->width_bits));
        at = (time_ns >> series->width_bits) - series->first;
    }
    at = at < 0 ? 0 : at;
    use_bins(series, (unsigned)at);
    return series->bin[at];
}

bool series_is_empty(const struct series *series, unsigned bin)
{
    static const uint64_t nothing[SERIES_VALUES];

    return memcmp(series->bin[bin], nothing, sizeof nothing) == 0;
}

void series_join(struct series *into, const struct series *from)
{
    struct series later = *from;
    int64_t last;

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
    if (later.width_bits < into->width_bits)
        coarsen(&later, (unsigned)(into->width_bits - later.width_bits));
    if (into->width_bits < later.width_bits)
        coarsen(into, (unsigned)(later.width_bits - into->width_bits));
    last = later.first + (int64_t)later.n - 1;
    if (last - into->first >= SERIES_BINS) {
        unsigned bits = bits_lacking(into, last);

        coarsen(into, bits);
        coarsen(&later, bits);
    }
    for (unsigned i = 0; i < later.n; i++) {
        int64_t at = later.first + (int64_t)i - into->first;

        use_bins(into, (unsigned)at);
        join_bin(into->bin[at], later.bin[i]);
    }
}
