// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of RFC 5040 and RFC 7306 whose numbers grow with each repetition, which scripts cannot say.
 */
#include "traffic-gen/scenario/scenario.h"

enum { IN_FLIGHT = 16, OPERATIONS_DEFAULT = 1000 };

/* Alternates Reads and Atomics, with enough in flight to keep the queue full. */
static char *rdmap_write_operations(unsigned count)
{
    GString *script = g_string_new("with rev2 irdI=16 ordI=16 irdR=16 ordR=16");

    count = count ? count : OPERATIONS_DEFAULT;
    for (unsigned i = 0; i < count + IN_FLIGHT; i++) {
        if (i >= IN_FLIGHT)
            g_string_append(script, i % 2 ? "; R result" : "; R answer");
        if (i < count && i % 2)
            g_string_append_printf(script, "; I fadd ato+%u", 8 * (i % 64));
        else if (i < count)
            g_string_append(script, "; I read size=256");
    }
    return g_string_free(script, FALSE);
}

static const struct scenario scenarios[] = {
    {.name = "operations", .summary = "--count Reads and Atomics, 16 in flight", .write = rdmap_write_operations},
};

const struct scenario_table rdmap_scenarios = {scenarios, sizeof scenarios / sizeof scenarios[0]};
