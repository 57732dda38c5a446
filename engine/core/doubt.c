// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/core/doubt.h"

#include "engine/core/heap.h"
#include "engine/core/rule.h"
#include "wire/invariant.h"

#include <stddef.h>
#include <stdlib.h>

const struct doubt_text doubt_texts[WHY_COUNT] = {
    [WHY_NONE] = {NULL, "the reason was not kept", "at frame"},
    [WHY_HOLE] = {"hole", "packets are missing", "near frame"},
    [WHY_LATE] = {"late start", "the capture lacks the beginning of the connection", "before frame"},
    [WHY_CUT] = {"cut", "octets are beyond the snap length", "near frame"},
    [WHY_LOWER] = {"lower layer", "octets are damaged in a lower layer", "near frame"},
    [WHY_UNREAD] = {"unread", "a message cannot be decoded", "at frame"},
    [WHY_ORDER] = {"order", "the order of the two directions is unknown", "at frame"},
    [WHY_ACK] = {"acknowledgment", "no acknowledgment shows what had been received", "at frame"},
    [WHY_COPIES] = {"copies", "octets were sent again, and either copy may count", "at frame"},
    [WHY_READINGS] = {"readings", "several readings fit", "at frame"},
    [WHY_CAUSE] = {"cause", "something else may be the cause", "at frame"},
    [WHY_AGREED] = {"setting", "a limit or setting is not in the packets", "at frame"},
    [WHY_ELSEWHERE] = {"other connection", "another connection may explain it", "at frame"},
    [WHY_END] = {"end", "the connection or its capture ends too early", "after frame"},
    [WHY_OPEN] = {"open", "the documents leave it open", "at frame"},
    [WHY_MEMORY] = {"memory", "the state was too large to keep", "at frame"},
};

const char *doubt_word(unsigned why)
{
    INVARIANT(why < WHY_COUNT);
    return doubt_texts[why].word;
}

static struct doubt_at *doubts_find(const struct doubts *doubts, uint16_t counter)
{
    for (unsigned i = 0; i < doubts->n; i++)
        if (doubts->at[i].counter == counter)
            return &doubts->at[i];
    return NULL;
}

static void doubts_append(struct doubts *doubts, struct doubt_at doubt)
{
    struct doubt_at *at = heap_room(doubts->at, &doubts->room, doubts->n + 1, RULE_COUNTERS, sizeof *at);

    if (!at)
        return;
    doubts->at = at;
    doubts->at[doubts->n++] = doubt;
    INVARIANT(doubts->n <= doubts->room);
}

void doubts_keep(struct doubts *doubts, struct doubt_at doubt)
{
    if (!doubts_find(doubts, doubt.counter))
        doubts_append(doubts, doubt);
}

/* A doubt without a frame counts as the last one. Equal frames: the same choice in any order. */
static uint64_t rank_of(const struct doubt_at *doubt)
{
    return (uint64_t)(doubt->frame - 1) << 8 | doubt->why;
}

void doubt_put_first(struct doubt_at *doubt, const struct doubt_at *other)
{
    if (doubt->why == WHY_NONE || (other->why != WHY_NONE && rank_of(other) < rank_of(doubt)))
        *doubt = *other;
}

void doubts_add(struct doubts *doubts, const struct doubts *from)
{
    for (unsigned i = 0; i < from->n; i++) {
        struct doubt_at *before = doubts_find(doubts, from->at[i].counter);

        if (before)
            doubt_put_first(before, &from->at[i]);
        else
            doubts_append(doubts, from->at[i]);
    }
}

void doubts_sum(const struct doubts *doubts, struct doubt_at *sums)
{
    for (unsigned i = 0; i < doubts->n; i++)
        doubt_put_first(&sums[doubts->at[i].counter], &doubts->at[i]);
}

void doubts_free(struct doubts *doubts)
{
    free(doubts->at);
    *doubts = (struct doubts){0};
}
