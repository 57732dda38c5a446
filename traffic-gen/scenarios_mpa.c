// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of RFC 5044 and RFC 6581. */
#include "traffic-gen/scenario.h"

static const struct conversation_setup rev1 = {
    .wish = {{.revision = 1, .flags = MPA_FLAG_C}, {.revision = 1, .flags = MPA_FLAG_C}}};

static const struct conversation_setup rev2 = {
    .wish = {{.revision = 2, .flags = MPA_FLAG_C | MPA_FLAG_S, .enhanced = {.ird = 16, .ord = 8}, .ulp_length = 24},
             {.revision = 2, .flags = MPA_FLAG_C | MPA_FLAG_S, .enhanced = {.ird = 8, .ord = 16}, .ulp_length = 8}}};

static void converse(struct stage *stage, const struct conversation_setup *setup)
{
    struct conversation *c = conversation_new(stage, setup);

    say_startup(c);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static void play_rev1(struct stage *stage)
{
    converse(stage, &rev1);
}

static void play_rev2(struct stage *stage)
{
    converse(stage, &rev2);
}

static const struct scenario scenarios[] = {
    {"rev1", "revision 1, CRC, no Markers: a bit of every message in both directions", play_rev1, 0},
    {"rev2", "revision 2, client-server, IRD and ORD negotiated", play_rev2, 0},
};

const struct scenario_table mpa_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
