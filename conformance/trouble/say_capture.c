// SPDX-License-Identifier: GPL-2.0-or-later
/* Defects of the capture itself. */
#include "conformance/trouble/saying.h"
#include "engine/packet/decap.h"

#include <inttypes.h>

enum { PACKETS_FEW = 8 };

static uint64_t sent_by(const struct trouble_facts *facts, unsigned side)
{
    return MAX(facts->side[side].packets, facts->side[side].parts);
}

/* Packets to the server, and to the client. */
static void capture_count(const struct saying *saying, uint64_t packets[2])
{
    packets[0] = packets[1] = 0;
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        packets[0] += sent_by(facts, facts->opener & 1u);
        packets[1] += sent_by(facts, (facts->opener & 1u) ^ 1u);
    }
}

static bool any_messages(const struct saying *saying)
{
    for (guint i = 0; i < saying->facts->len; i++)
        if (facts_at(saying, i)->parts > 0)
            return true;
    return false;
}

bool says_one_direction(const struct saying *saying)
{
    uint64_t packets[2];

    capture_count(saying, packets);
    return packets[0] + packets[1] >= PACKETS_FEW && (packets[0] == 0 || packets[1] == 0) && any_messages(saying);
}

void say_capture(const struct saying *saying)
{
    const struct trouble_facts *first = facts_at(saying, 0);
    struct endpoint from = saying->client, to = saying->server;
    char sender[ENDPOINT_TEXT_SIZE], receiver[ENDPOINT_TEXT_SIZE];
    uint64_t packets[2];
    struct trouble *trouble;

    if (!says_one_direction(saying))
        return;
    capture_count(saying, packets);
    if (packets[0] == 0) {
        from = saying->server;
        to = saying->client;
    }
    trouble = say(saying, TROUBLE_ONE_DIRECTION, first, first->first,
                  g_strdup_printf("only packets from %s to %s were captured: the other side's actions are unknown",
                                  endpoint_text(&from, sender), endpoint_text(&to, receiver)));
    say_next(trouble, g_strdup("capture again, and mirror both directions"));
    for (guint i = 1; i < saying->facts->len; i++)
        say_also(trouble, facts_at(saying, i));
}
