// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/histogram.h"

#include "engine/core/heap.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE_BITS = 5 };

unsigned histogram_bucket_of(uint64_t value)
{
    unsigned power;

    if (value < HISTOGRAM_PAGE)
        return (unsigned)value;
    power = 63 - (unsigned)__builtin_clzll(value);
    return (power - PAGE_BITS + 1) * HISTOGRAM_PAGE + (unsigned)(value >> (power - PAGE_BITS) & (HISTOGRAM_PAGE - 1));
}

/* The number of low bits that a bucket does not distinguish. */
static unsigned width_bits(unsigned bucket)
{
    return bucket < 2 * HISTOGRAM_PAGE ? 0 : bucket / HISTOGRAM_PAGE - 1;
}

uint64_t histogram_bucket_first(unsigned bucket)
{
    if (bucket < HISTOGRAM_PAGE)
        return bucket;
    return (uint64_t)(HISTOGRAM_PAGE + bucket % HISTOGRAM_PAGE) << width_bits(bucket);
}

uint64_t histogram_bucket_last(unsigned bucket)
{
    return histogram_bucket_first(bucket) + ((UINT64_C(1) << width_bits(bucket)) - 1);
}

void histogram_clear(struct histogram *histogram)
{
    free(histogram->pages);
    *histogram = (struct histogram){.count = 0};
}

/* The page with this bucket. Pages are added singly, because few powers of two occur. */
static uint64_t *page_with(struct histogram *histogram, unsigned bucket)
{
    uint8_t *at = &histogram->page_of[bucket / HISTOGRAM_PAGE];

    if (!histogram->pages || *at == 0) {
        uint64_t(*pages)[HISTOGRAM_PAGE] =
            heap_resize(histogram->pages, (histogram->n_pages + 1u) * sizeof *histogram->pages);

        if (!pages) {
            histogram->lacking = true;
            return NULL;
        }
        if (!histogram->pages)
            memset(histogram->page_of, 0, sizeof histogram->page_of);
        histogram->pages = pages;
        memset(pages[histogram->n_pages], 0, sizeof *pages);
        *at = ++histogram->n_pages;
    }
    return histogram->pages[*at - 1];
}

/* Moves the early numbers into buckets. */
static void spread(struct histogram *histogram)
{
    uint64_t early[HISTOGRAM_EARLY];
    unsigned n = histogram->n_early;

    memcpy(early, histogram->early, sizeof early);
    histogram->n_early = 0;
    for (unsigned i = 0; i < n; i++) {
        unsigned bucket = histogram_bucket_of(early[i]);
        uint64_t *page = page_with(histogram, bucket);

        if (page)
            page[bucket % HISTOGRAM_PAGE]++;
    }
}

bool histogram_add_bucket(struct histogram *histogram, unsigned bucket, uint64_t n)
{
    uint64_t *page;

    if (histogram->n_early > 0)
        spread(histogram);
    page = page_with(histogram, bucket);
    if (!page)
        return false;
    page[bucket % HISTOGRAM_PAGE] = saturating_sum(page[bucket % HISTOGRAM_PAGE], n);
    histogram->count = saturating_sum(histogram->count, n);
    return true;
}

/* Keeps the number itself while there are few. */
static bool histogram_keep_early(struct histogram *histogram, uint64_t value)
{
    if (histogram->pages || histogram->n_early == HISTOGRAM_EARLY || histogram->count != histogram->n_early)
        return false;
    histogram->early[histogram->n_early++] = value;
    histogram->count++;
    return true;
}

void histogram_add_n(struct histogram *histogram, uint64_t value, uint64_t n)
{
    uint64_t product;

    if (n == 0 || (!(n == 1 && histogram_keep_early(histogram, value)) &&
                   !histogram_add_bucket(histogram, histogram_bucket_of(value), n)))
        return;
    if (__builtin_mul_overflow(value, n, &product))
        product = UINT64_MAX;
    histogram->sum = saturating_sum(histogram->sum, product);
    if (histogram->count == n || value < histogram->least)
        histogram->least = value;
    if (value > histogram->most)
        histogram->most = value;
}

uint64_t histogram_bucket(const struct histogram *histogram, unsigned bucket)
{
    unsigned page;
    uint64_t n = 0;

    if (!histogram->pages) {
        for (unsigned i = 0; i < histogram->n_early; i++)
            n += histogram_bucket_of(histogram->early[i]) == bucket;
        return n;
    }
    page = histogram->page_of[bucket / HISTOGRAM_PAGE];
    return page == 0 ? 0 : histogram->pages[page - 1][bucket % HISTOGRAM_PAGE];
}

void histogram_join(struct histogram *into, const struct histogram *from)
{
    bool first = into->count == 0;

    into->lacking |= from->lacking;
    if (from->count == 0)
        return;
    for (unsigned i = 0; i < from->n_early; i++)
        histogram_add_bucket(into, histogram_bucket_of(from->early[i]), 1);
    for (unsigned bucket = 0; from->pages && bucket < HISTOGRAM_BUCKETS; bucket++) {
        uint64_t n = histogram_bucket(from, bucket);

        if (n > 0)
            histogram_add_bucket(into, bucket, n);
    }
    into->sum = saturating_sum(into->sum, from->sum);
    into->least = first || from->least < into->least ? from->least : into->least;
    into->most = from->most > into->most ? from->most : into->most;
}

uint64_t histogram_quantile(const struct histogram *histogram, double q)
{
    double wanted = q * (double)histogram->count, so_far = 0;

    if (histogram->count == 0 || wanted > (double)(histogram->count - 1)) /* the largest, which is known exactly */
        return histogram->most;
    for (unsigned bucket = histogram_begin(histogram); bucket < histogram_end(histogram); bucket++) {
        uint64_t n = histogram_bucket(histogram, bucket), first = histogram_bucket_first(bucket), middle;

        so_far += (double)n;
        if (n == 0 || so_far < wanted)
            continue;
        middle = first + (histogram_bucket_last(bucket) - first) / 2;
        if (middle < histogram->least)
            return histogram->least;
        return middle > histogram->most ? histogram->most : middle;
    }
    return histogram->most;
}

uint64_t histogram_up_to(const struct histogram *histogram, uint64_t value)
{
    unsigned last = histogram_bucket_of(value);
    uint64_t sum = 0;

    for (unsigned bucket = 0; bucket <= last; bucket++)
        sum = saturating_sum(sum, histogram_bucket(histogram, bucket));
    return sum;
}
