// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/trouble/facts_state.h"

#include "conformance/trouble/facts.h"
#include "engine/core/heap.h"
#include "wire/octets.h"

#include <string.h>

enum { SEQUENCES_FEW = 20, TESTED_FEW = 10 };
static const int64_t stays_ns = 10000000000;

/* NULL: out of memory. */
static struct trouble_state *facts_state_of(struct trouble_facts *facts)
{
    if (!facts->state)
        facts->state = heap_zeroed(1, sizeof *facts->state);
    return facts->state;
}

bool trouble_state_stays(const struct trouble_state *state)
{
    return state->flagged.n >= SEQUENCES_FEW &&
           (state->tested >= TESTED_FEW || state->flagged.last.time_ns - state->flagged.first.time_ns >= stays_ns);
}

bool trouble_state_is_plain(const struct trouble_facts *facts)
{
    return !facts->state || (!trouble_state_stays(facts->state) && !facts->state->behind.what);
}

void trouble_state_flags(struct trouble_facts *facts, uint32_t flags, struct trouble_event event)
{
    struct trouble_state *state = flags != 0 ? facts_state_of(facts) : facts->state;

    if (!state || (state->over && trouble_state_stays(state)))
        return;
    if (flags == 0) {
        state->over = state->flagged.n > 0;
        return;
    }
    if (state->over || state->flagged.n == 0) {
        state->flagged = (struct trouble_repeated){.first = event};
        state->flags = state->tested = 0;
        state->over = state->others = false;
    }
    state->flags |= flags;
    state->flagged.last = event;
    state->flagged.n++;
}

void trouble_state_tested(struct trouble_facts *facts, const uint8_t stateid[STATEID_LEN])
{
    struct trouble_state *state = facts->state;

    if (!state || state->flagged.n == 0 || state->over)
        return;
    if (state->tested++ == 0)
        memcpy(state->stateid, stateid, STATEID_LEN);
    state->others |= memcmp(state->stateid, stateid, STATEID_LEN) != 0;
}

void trouble_state_recalled(struct trouble_facts *facts, const uint8_t stateid[STATEID_LEN], struct trouble_event event)
{
    struct trouble_state *state = facts_state_of(facts);

    if (!state)
        return;
    state->recall = (struct trouble_recall){.sent = event};
    memcpy(state->recall.stateid, stateid, STATEID_LEN);
}

void trouble_state_accepted(struct trouble_facts *facts, struct trouble_event event)
{
    if (facts->state && facts->state->recall.sent.frame != 0 && facts->state->recall.answered.frame == 0)
        facts->state->recall.answered = event;
}

/* The seqid is the first word of a stateid; 0: the latest. */
void trouble_state_layout(struct trouble_facts *facts, const char *what, const uint8_t stateid[STATEID_LEN],
                          struct trouble_event event)
{
    struct trouble_state *state = facts->state;
    uint32_t seqid = get_be32(stateid), due;

    if (!state || state->behind.what || state->recall.answered.frame == 0 ||
        memcmp(state->recall.stateid + 4, stateid + 4, STATEID_LEN - 4) != 0)
        return;
    due = get_be32(state->recall.stateid);
    if (seqid != 0 && (int32_t)(due - seqid) > 0)
        state->behind = (struct trouble_behind){what, seqid, due, event, state->recall.sent};
}
