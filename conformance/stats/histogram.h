/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A distribution of numbers in buckets of constant relative width, after HdrHistogram: numbers below 32 have a bucket
 * each, and each higher power of two has 32. A quantile is off by at most 1/64 of its value (1.6 %); count, sum, least
 * and most are exact. Joining two histograms gives the histogram of all their numbers.
 *
 * Memory: none for the first few numbers, which are kept as they are; then 256 octets for each power of two that
 * occurs, at most 15 KiB.
 */
#ifndef IWARP_CONFORMANCE_STATS_HISTOGRAM_H
#define IWARP_CONFORMANCE_STATS_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HISTOGRAM_PAGE = 32,  /* buckets per power of two */
    HISTOGRAM_PAGES = 60, /* the first page is for 0 to 31 */
    HISTOGRAM_BUCKETS = HISTOGRAM_PAGE * HISTOGRAM_PAGES,
    HISTOGRAM_EARLY = 7, /* as many as fit */
};

/* Initially zero. */
struct histogram {
    uint64_t count; /* the number of values, or the sum of their weights; saturates, and so does sum */
    uint64_t sum;
    uint64_t least, most; /* valid with count > 0 */
    union {
        uint64_t early[HISTOGRAM_EARLY];  /* without pages: the numbers themselves */
        uint8_t page_of[HISTOGRAM_PAGES]; /* with pages: 1 + index; 0: empty */
    };
    uint8_t n_early, n_pages;
    bool lacking; /* out of memory: some numbers are missing in the buckets */
    uint64_t (*pages)[HISTOGRAM_PAGE];
};

void histogram_clear(struct histogram *histogram);
/* Counts `value` n times. */
void histogram_add_n(struct histogram *histogram, uint64_t value, uint64_t n);
/* Adds the contents of `from`. */
void histogram_join(struct histogram *into, const struct histogram *from);
/*
 * The smallest x such that at least the share q (0 to 1) of all numbers is at most x: the middle of its bucket, but
 * within least and most. 0 if there are no numbers.
 */
uint64_t histogram_quantile(const struct histogram *histogram, double q);
/* How many numbers are at most `value`: exact if a bucket ends there. */
uint64_t histogram_up_to(const struct histogram *histogram, uint64_t value);

/*
 * For storage: the numbers in a bucket. histogram_add_bucket() does not change sum, least and most; false: out of
 * memory.
 */
uint64_t histogram_bucket(const struct histogram *histogram, unsigned bucket);
bool histogram_add_bucket(struct histogram *histogram, unsigned bucket, uint64_t n);
/* The bucket of a number, and the first and last number of a bucket. */
unsigned histogram_bucket_of(uint64_t value);
uint64_t histogram_bucket_first(unsigned bucket);
uint64_t histogram_bucket_last(unsigned bucket);
/* All numbers are in buckets from begin up to, but not including, end. */
static inline unsigned histogram_begin(const struct histogram *histogram)
{
    return histogram->pages ? 0 : histogram_bucket_of(histogram->least);
}
static inline unsigned histogram_end(const struct histogram *histogram)
{
    return histogram->pages ? HISTOGRAM_BUCKETS : histogram_bucket_of(histogram->most) + 1;
}

static inline uint64_t saturating_sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* Usually the number equals an earlier number, and this takes a few instructions. */
static inline void histogram_add(struct histogram *histogram, uint64_t value, uint64_t n)
{
    unsigned power = value < HISTOGRAM_PAGE ? 0 : 63 - (unsigned)__builtin_clzll(value);
    unsigned page = power == 0 ? 0 : power - 4;
    unsigned at = histogram->pages ? histogram->page_of[page] : 0;
    uint64_t weighted, count, sum;

    if (n == 0 || at == 0 || __builtin_mul_overflow(value, n, &weighted) ||
        __builtin_add_overflow(histogram->count, n, &count) || __builtin_add_overflow(histogram->sum, weighted, &sum)) {
        histogram_add_n(histogram, value, n);
        return;
    }
    histogram->pages[at - 1][(power == 0 ? value : value >> (power - 5)) % HISTOGRAM_PAGE] += n;
    histogram->count = count;
    histogram->sum = sum;
    histogram->least = value < histogram->least ? value : histogram->least;
    histogram->most = value > histogram->most ? value : histogram->most;
}

#endif
