// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/packet/dispute.h"

#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>

enum {
    /* The packet itself, the next packet of the other side, and two more. Four forged packets in a row are rare. */
    AHEAD_ENOUGH = 4,
    AHEAD_FOR_EACH_BEHIND = 4, /* retransmissions look as if they contradicted */
    BEHIND_ENOUGH = 2,
    INSISTS = 3,
};

void dispute_begin(struct dispute *dispute, const struct dispute *claim)
{
    INVARIANT(!dispute->open && !dispute->first);
    *dispute = (struct dispute){.open = true,
                                .about = claim->about,
                                .kind = claim->kind,
                                .at = claim->at,
                                .sent = claim->sent,
                                .wild = claim->wild,
                                .since_ns = claim->since_ns};
}

bool dispute_reach(struct dispute *dispute, uint64_t end)
{
    dispute->sent = end > dispute->sent ? end : dispute->sent;
    dispute->reached |= dispute->sent >= dispute->at;
    return dispute->reached;
}

struct dispute_item *dispute_add(struct dispute *dispute, size_t size, unsigned side, enum dispute_vote vote)
{
    struct dispute_item *item = heap_get(size);

    if (!item)
        return NULL;
    *item = (struct dispute_item){.size = size, .ahead = vote == DISPUTE_AHEAD};
    dispute->ahead[side & 1u] += vote == DISPUTE_AHEAD;
    dispute->behind[side & 1u] += vote == DISPUTE_BEHIND;
    *(dispute->last ? &dispute->last->next : &dispute->first) = item;
    dispute->last = item;
    dispute->n++;
    dispute->octets += size;
    INVARIANT(dispute->open && dispute->first && !dispute->last->next);
    return item;
}

enum dispute_reading dispute_read_last(const struct dispute *dispute)
{
    unsigned ahead = dispute->ahead[0] + dispute->ahead[1], behind = dispute->behind[0] + dispute->behind[1];

    /* One side alone is believed if it insists. */
    return ahead > behind && ((dispute->ahead[!dispute->about] > 0 && !dispute->wild) || ahead >= INSISTS)
               ? DISPUTE_TRUE
               : DISPUTE_FALSE;
}

enum dispute_reading dispute_read(const struct dispute *dispute)
{
    unsigned ahead = dispute->ahead[0] + dispute->ahead[1], behind = dispute->behind[0] + dispute->behind[1];

    if (dispute->reached && behind > 0)
        return DISPUTE_FALSE;
    if (dispute->ahead[0] > 0 && dispute->ahead[1] > 0 && ahead >= AHEAD_ENOUGH + AHEAD_FOR_EACH_BEHIND * behind)
        return DISPUTE_TRUE;
    if (behind >= BEHIND_ENOUGH && behind >= ahead)
        return DISPUTE_FALSE;
    return dispute->n < DISPUTE_PACKETS && dispute->octets < DISPUTE_OCTETS ? DISPUTE_OPEN : dispute_read_last(dispute);
}

struct dispute_item *dispute_end(struct dispute *dispute)
{
    struct dispute_item *first = dispute->first;

    *dispute = (struct dispute){.open = false};
    return first;
}

void dispute_free(struct dispute *dispute)
{
    for (struct dispute_item *item = dispute_end(dispute), *next; item; item = next) {
        next = item->next;
        free(item);
    }
}
