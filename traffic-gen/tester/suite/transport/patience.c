// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/tester/suite/transport/patience.h"

enum {
    TIMES = 2,      /* an answer may take this many times the slowest recent answer */
    FORGETS = 8,    /* each answer reduces a slower earlier one by this fraction */
    SLOWEST = 4000, /* ms; slower devices need --timeout */
    SURE_TIMES = 10,
    SURE = 5000, /* ms; longest answer of devices tested without --timeout */
    MS = 1000000,
};

void patience_note(struct patience *patience, int64_t took_ns)
{
    const gint took = (gint)CLAMP(took_ns / MS, 0, SLOWEST), before = g_atomic_int_get(&patience->slowest_ms);

    g_atomic_int_set(&patience->slowest_ms, MAX(took, before - (before + FORGETS - 1) / FORGETS));
}

static int64_t learnt(const struct patience *patience)
{
    return (int64_t)g_atomic_int_get(&patience->slowest_ms) * TIMES * MS;
}

int64_t patience_wait(const struct patience *patience, int64_t given, bool sure)
{
    const int64_t least = sure ? MAX(given, MIN(SURE_TIMES * given, SURE * (int64_t)MS)) : given;

    return MAX(least, learnt(patience));
}

int64_t patience_after(const struct patience *patience, int64_t given)
{
    return given + learnt(patience);
}
