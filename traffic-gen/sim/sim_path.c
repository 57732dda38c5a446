// SPDX-License-Identifier: GPL-2.0-or-later
/* What happens to a packet on its way: loss, detours, copies, jitter. */
#include "traffic-gen/sim/sim_internal.h"

static int64_t detour(struct sim *sim)
{
    return REORDER_MIN_NS + (int64_t)random_below(&sim->random, REORDER_SPAN_NS);
}

/* The kinds of chance in this order: the same seed gives the same capture. */
void sim_travel(struct sim *sim, struct sim_lane *lane, const struct event *packet, const struct sim_travel *travel,
                const struct sim_how *how)
{
    int64_t departure = MAX(sim->now, lane->next_departure);
    int64_t to_tap = HALF_PATH_NS, to_end = HALF_PATH_NS;
    bool lost = travel->troubled && random_chance(&sim->random, sim->trouble.loss), lost_before_tap = false;
    bool twice = travel->troubled && random_chance(&sim->random, sim->trouble.dup);
    bool detoured = false;

    lane->next_departure = departure + SEGMENT_GAP_NS;
    if (lost)
        lost_before_tap = random_below(&sim->random, 2) == 0;
    if (travel->troubled && random_chance(&sim->random, sim->trouble.reorder)) {
        detoured = true;
        if (random_below(&sim->random, 2) == 0)
            to_tap += detour(sim);
        else
            to_end += detour(sim);
    }
    if (how) {
        lost |= how->lose || how->lose_before;
        lost_before_tap |= how->lose_before;
        twice |= how->twice;
        if (how->late) {
            to_tap += LATE_NS;
            detoured = true;
        }
    }
    to_tap += sim->trouble.delay_ns / 2;
    to_end += sim->trouble.delay_ns / 2;
    if (sim->trouble.jitter_ns > 0) {
        to_tap += (int64_t)random_below(&sim->random, (uint64_t)sim->trouble.jitter_ns / 2 + 1);
        to_end += (int64_t)random_below(&sim->random, (uint64_t)sim->trouble.jitter_ns / 2 + 1);
    }
    if (sim->trouble.jitter_ns > 0 && !detoured) {
        to_tap = lane->at_tap = MAX(departure + to_tap, lane->at_tap + SEGMENT_GAP_NS);
        lane->at_end = MAX(to_tap + to_end, lane->at_end + SEGMENT_GAP_NS);
        to_end = lane->at_end - to_tap;
        to_tap -= departure;
    }
    for (unsigned copy = 0; copy < (twice ? 2u : 1u); copy++) {
        struct event event = *packet;

        event.time = departure + to_tap + copy * 3000;
        if (!lost_before_tap) {
            event.kind = EVENT_TAP;
            event.packet = packet->transport->packet_copy(packet->packet);
            sim_schedule(sim, event);
        }
        if (!lost && !travel->absent) {
            event.kind = EVENT_ARRIVE;
            event.time += to_end;
            event.packet = packet->transport->packet_copy(packet->packet);
            sim_schedule(sim, event);
        }
    }
}
