// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets that TCP sends by itself: what no scenario in YAML can say. */
#include "traffic-gen/scenario/scenario.h"

#define PROBED(side) side " segment at=-1 wait=5000; " side " segment at=-1 len=1 value=0 wait=5000; "

static const struct scenario scenarios[] = {
    {.name = "keep-alive",
     .summary = "keep-alive probes with and without a garbage octet",
     .script = "with plain; I send len=24; R send len=24; " PROBED("I") PROBED("R") "I traffic"},
    /* The probe is the next octet, which is then sent again with its segment: ULPDU_Length 42, whose first one is 0. */
    {.name = "zero-window",
     .summary = "closed window and a window probe",
     .script = "with plain; I send len=2000; R segment zero-window; I segment len=1 value=0 early acked wait=300; "
               "I send len=24 wait=500; I traffic"},
};

const struct scenario_table tcp_scenarios = {scenarios, sizeof scenarios / sizeof scenarios[0]};
