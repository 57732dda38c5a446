// SPDX-License-Identifier: GPL-2.0-or-later
/* Conforming conversations of RFC 5041, RFC 5040 and RFC 7306: what scenarios in YAML cannot say. */
#include "traffic-gen/say/operations.h"
#include "traffic-gen/say/setups.h"
#include "traffic-gen/scenario/scenario.h"

enum { IN_FLIGHT = 16, OPERATIONS_DEFAULT = 1000, READ_OCTETS = 256 };

/* Reads and Atomics alternate, so many of them in flight that the queue is always full. */
static void play_operations(struct stage *stage)
{
    unsigned count = stage->count ? stage->count : OPERATIONS_DEFAULT;
    struct conversation_setup setup = setup_rev2;

    setup.wish[INITIATOR].enhanced.ord = setup.wish[RESPONDER].enhanced.ird = IN_FLIGHT;
    setup.wish[INITIATOR].enhanced.ird = setup.wish[RESPONDER].enhanced.ord = IN_FLIGHT;

    struct conversation *c = conversation_new(stage, &setup);
    struct message message = {0};

    say_startup(c);
    for (unsigned i = 0; i < count + IN_FLIGHT; i++) {
        if (i >= IN_FLIGHT) {
            bool atomic = (i - IN_FLIGHT) % 2;

            message.answers = 0;
            message_init(c, RESPONDER, atomic ? RDMAP_ATOMIC_RESPONSE : RDMAP_READ_RESPONSE, &message);
            say_message(c, RESPONDER, &message);
        }
        if (i < count) {
            message_init(c, INITIATOR, i % 2 ? RDMAP_ATOMIC_REQUEST : RDMAP_READ_REQUEST, &message);
            message.read.size = READ_OCTETS;
            message.atomic.to += 8 * (i % 64);
            say_message(c, INITIATOR, &message);
        }
    }
    say_close(c, INITIATOR);
}

static const struct scenario scenarios[] = {
    {.name = "operations", .summary = "--count Reads and Atomics, 16 in flight", .play = play_operations},
};

const struct scenario_table rdmap_scenarios = {scenarios, sizeof scenarios / sizeof scenarios[0]};
