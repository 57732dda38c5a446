/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of statistics, for writing and reading them: one table for each structure. */
#ifndef IWARP_CONFORMANCE_STATS_SHAPE_H
#define IWARP_CONFORMANCE_STATS_SHAPE_H

#include "conformance/stats/statistics.h"

enum stat_type {
    STAT_COUNTS,       /* n counts of 64 bits, by their names */
    STAT_COUNT,        /* 64 bits */
    STAT_NUMBER,       /* 32 bits */
    STAT_KNOWN_NUMBER, /* 32 bits; 0: unknown */
    STAT_KNOWN_COUNT,  /* 64 bits; 0: unknown */
    STAT_TRUTH,
    STAT_HISTOGRAM,
    STAT_FIRST, /* a time; INT64_MAX: none */
    STAT_LAST,  /* a time; INT64_MIN: none */
};

struct stat_member {
    const char *name; /* NULL ends a table; unused for STAT_COUNTS */
    enum stat_type type;
    size_t offset;
    const char *const *names; /* STAT_COUNTS */
    unsigned n;
};

extern const struct stat_member stat_members[], stat_calls_members[], stat_credits_members[], stat_operations_members[],
    stat_reads_members[], stat_carrier_members[];

/* The member of the structure at `base`. */
static inline void *stat_at(void *base, const struct stat_member *member)
{
    return (char *)base + member->offset;
}

static inline const void *stat_get(const void *base, const struct stat_member *member)
{
    return (const char *)base + member->offset;
}

#endif
