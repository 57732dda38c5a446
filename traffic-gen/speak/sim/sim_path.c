// SPDX-License-Identifier: GPL-2.0-or-later
/* A packet's way: loss, detours, copies, jitter. */
#include "traffic-gen/speak/sim/sim_internal.h"

static int64_t detour(struct sim *sim)
{
    return REORDER_MIN_NS + (int64_t)random_below(&sim->random, REORDER_SPAN_NS);
}

struct fate {
    bool lost, lost_before_tap, twice;
    bool detoured; /* may be overtaken */
    int64_t to_tap, to_end;
};

/* Draws in this order: the same seed gives the same capture. */
static struct fate by_chance(struct sim *sim, bool troubled)
{
    struct fate fate = {.to_tap = HALF_PATH_NS, .to_end = HALF_PATH_NS};

    if (!troubled)
        return fate;
    fate.lost = random_chance(&sim->random, sim->trouble.loss);
    fate.twice = random_chance(&sim->random, sim->trouble.dup);
    if (fate.lost)
        fate.lost_before_tap = random_below(&sim->random, 2) == 0;
    if (random_chance(&sim->random, sim->trouble.reorder)) {
        fate.detoured = true;
        if (random_below(&sim->random, 2) == 0)
            fate.to_tap += detour(sim);
        else
            fate.to_end += detour(sim);
    }
    return fate;
}

/* Jitter alone does not change the order of packets. */
static void delay(struct sim *sim, struct sim_lane *lane, int64_t departure, struct fate *fate)
{
    fate->to_tap += sim->trouble.delay_ns / 2;
    fate->to_end += sim->trouble.delay_ns / 2;
    if (sim->trouble.jitter_ns <= 0)
        return;
    fate->to_tap += (int64_t)random_below(&sim->random, (uint64_t)sim->trouble.jitter_ns / 2 + 1);
    fate->to_end += (int64_t)random_below(&sim->random, (uint64_t)sim->trouble.jitter_ns / 2 + 1);
    if (fate->detoured)
        return;
    lane->at_tap = MAX(departure + fate->to_tap, lane->at_tap + SEGMENT_GAP_NS);
    lane->at_end = MAX(lane->at_tap + fate->to_end, lane->at_end + SEGMENT_GAP_NS);
    fate->to_tap = lane->at_tap - departure;
    fate->to_end = lane->at_end - lane->at_tap;
}

void sim_travel(struct sim *sim, struct sim_lane *lane, const struct event *packet, const struct sim_travel *travel,
                const struct sim_how *how)
{
    int64_t departure = MAX(sim->now, lane->next_departure);
    struct fate fate = by_chance(sim, travel->troubled);

    lane->next_departure = departure + SEGMENT_GAP_NS;
    if (how) {
        fate.lost |= how->lose || how->lose_before;
        fate.lost_before_tap |= how->lose_before;
        fate.twice |= how->twice;
        fate.detoured |= how->late;
        fate.to_tap += how->late ? LATE_NS : 0;
    }
    delay(sim, lane, departure, &fate);
    for (unsigned copy = 0; copy < (fate.twice ? 2u : 1u); copy++) {
        struct event event = *packet;

        event.time = departure + fate.to_tap + copy * 3000;
        if (!fate.lost_before_tap) {
            event.kind = EVENT_TAP;
            event.packet = packet->transport->packet_copy(packet->packet);
            sim_schedule(sim, event);
        }
        if (!fate.lost && !travel->absent) {
            event.kind = EVENT_ARRIVE;
            event.time += fate.to_end;
            event.packet = packet->transport->packet_copy(packet->packet);
            sim_schedule(sim, event);
        }
    }
}
