/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Figures for people: three digits and a unit. */
#ifndef IWARP_CONFORMANCE_STATS_UNITS_H
#define IWARP_CONFORMANCE_STATS_UNITS_H

#include <stdint.h>

enum { UNITS_SIZE = 32 };

/* Each returns `text`. "84 µs", "1.53 ms" */
const char *units_time(uint64_t ns, char text[UNITS_SIZE]);
/* "512", "4.1 kB", "1.05 MB": powers of ten */
const char *units_octets(uint64_t octets, char text[UNITS_SIZE]);
/* The rate of octets in ns: "1.2 MB/s"; "-" if ns is 0. */
const char *units_rate(uint64_t octets, uint64_t ns, char text[UNITS_SIZE]);
/* "97 %", "0.3 %", "less than 0.1 %", "over 99 %"; 100 % is exact */
const char *units_share(uint64_t part, uint64_t whole, char text[UNITS_SIZE]);

#endif
