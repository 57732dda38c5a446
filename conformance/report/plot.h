/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small plots as inline SVG: narrow enough for a phone, in the colours of the page (report.css). */
#ifndef IWARP_CONFORMANCE_REPORT_PLOT_H
#define IWARP_CONFORMANCE_REPORT_PLOT_H

#include "support/markup.h"

#include <stdbool.h>
#include <stdint.h>

enum plot_unit { PLOT_NUMBERS, PLOT_TIMES /* ns */, PLOT_OCTETS, PLOT_RATES /* octets a second */ };

enum { PLOT_LINES_MAX = 3 };

/* Values in bins of equal width. */
struct plot_line {
    const char *name;
    const double *values; /* n values; below 0: no value in this bin */
    bool filled;
};

struct plot {
    const char *title; /* the caption; static text, or escaped by markup */
    enum plot_unit unit;
    bool logarithmic; /* of values above 0 */
    uint64_t span_ns; /* of all bins together */
    unsigned bins;
    struct plot_line lines[PLOT_LINES_MAX];
    unsigned n_lines;
};

/* A figure; nothing if all values are missing or 0. */
void plot_over_time(xmlTextWriter *writer, const struct plot *plot);

/* A bar from low to high with a mark in the middle, and a thinner line to the end. */
struct plot_range {
    const char *name;
    double low, middle, high, end;
};
/* On a logarithmic scale; values below 1 are drawn as 1. */
void plot_ranges(xmlTextWriter *writer, const char *title, enum plot_unit unit, const struct plot_range *ranges,
                 unsigned n);

struct plot_bar {
    double from, to, height;
};
/* On a logarithmic scale, from 1; heights are shares of all values. */
void plot_bars(xmlTextWriter *writer, const char *title, enum plot_unit unit, const struct plot_bar *bars, unsigned n);

#endif
