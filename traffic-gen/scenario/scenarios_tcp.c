// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets that TCP sends by itself: what no conversation can say. */
#include "traffic-gen/say/setups.h"
#include "traffic-gen/scenario/scenario.h"

static void play_keep_alive(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);
    static const uint8_t garbage = 0;

    say_startup(c);
    say_send(c, INITIATOR, 24);
    say_send(c, RESPONDER, 24);

    for (enum role role = INITIATOR; role <= RESPONDER; role++) {
        unsigned side = c->side[role];
        struct sim_how how = orderly(c, role);
        uint64_t next = sim_written(c->tcp, side);

        how.delay_ns = INT64_C(5000000000);
        sim_raw(c->tcp, side, &(struct sim_raw){.offset = next - 1}, &how);
        sim_raw(c->tcp, side, &(struct sim_raw){.offset = next - 1, .p = &garbage, .n = 1}, &how);
    }
    say_traffic(c);
    say_close(c, INITIATOR);
}

/* The receiver's window closes; the sender probes with the next octet, which is then sent again with its segment. */
static void play_zero_window(struct stage *stage)
{
    struct conversation *c = conversation_new(stage, &setup_rev1);

    say_startup(c);
    say_send(c, INITIATOR, 2000);

    struct sim_how how = orderly(c, RESPONDER);
    unsigned side = c->side[RESPONDER];

    sim_raw(c->tcp, side, &(struct sim_raw){.offset = sim_written(c->tcp, side), .zero_window = true}, &how);
    how = (struct sim_how){.acked = true, .delay_ns = 300000000};

    /* A Send of 24 octets: ULPDU_Length 42, whose first octet is 0. */
    const uint8_t probe = 0;

    side = c->side[INITIATOR];
    sim_raw(c->tcp, side, &(struct sim_raw){.offset = sim_written(c->tcp, side), .p = &probe, .n = 1}, &how);
    pause_before_next(c, 500000000);
    say_send(c, INITIATOR, 24);
    say_traffic(c);
    say_close(c, INITIATOR);
}

static const struct scenario scenarios[] = {
    {.name = "keep-alive", .summary = "keep-alive probes with and without a garbage octet", .play = play_keep_alive},
    {.name = "zero-window", .summary = "closed window and a window probe", .play = play_zero_window},
};

const struct scenario_table tcp_scenarios = {scenarios, sizeof scenarios / sizeof scenarios[0]};
