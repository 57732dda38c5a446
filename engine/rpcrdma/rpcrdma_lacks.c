// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Uncaptured Sends of each side. A hole can only have hidden Sends that fit in it: DDP numbers the Sends of a
 * direction, and PSNs and opcodes bound their number; a hole within an RDMA Write or a Read Response hides none. A
 * missing Send may be an outstanding Call that offers memory, until an answer comes under an XID that no Call has, or
 * until the connection has been silent for so long that the Call must have been answered.
 */
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

enum {
    FPDU_OVERHEAD = 20,                     /* of a Tagged FPDU: ULPDU_Length, DDP header, CRC */
    SEND_FPDU_MIN = 24 + RPCRDMA_FIXED_LEN, /* the same of a Send, plus the shortest Transport header: RDMA_DONE */
};

static bool lack_is_sound(const struct rpcrdma_lack *lack)
{
    return (lack->any || (lack->sends == 0 && !lack->beginning && !lack->untracked && !lack->cut)) &&
           !(lack->open && lack->old) && lack->answered <= lack->unseen;
}

bool rpcrdma_sends_seen(const struct rpcrdma_connection *rpcrdma, unsigned side)
{
    const struct rpcrdma_lack *lack = &rpcrdma->side[side].lack;

    return rpcrdma->terms.from_start && !lack->any && !lack->open && !lack->pending;
}

bool rpcrdma_calls_seen(const struct rpcrdma_connection *rpcrdma, unsigned side)
{
    const struct rpcrdma_lack *lack = &rpcrdma->side[side].lack;

    return !lack->untracked && !lack->pending && !lack->open && !lack->beginning && lack->sends <= lack->answered;
}

bool rpcrdma_answers_seen(const struct rpcrdma_connection *rpcrdma, unsigned caller)
{
    struct rpcrdma_transaction *t = NULL;

    while ((t = rpcrdma_next_outstanding(rpcrdma, caller, t)))
        if (t->damage)
            return false;
    return true;
}

enum why rpcrdma_calls_doubt(const struct rpcrdma_connection *rpcrdma, bool unsure, unsigned side, enum why otherwise)
{
    if (unsure)
        return WHY_ORDER;
    return rpcrdma_calls_seen(rpcrdma, side) ? otherwise : LOST_OR(otherwise);
}

enum why rpcrdma_answer_doubt(const struct rpcrdma_transaction *t, bool unsure, enum why otherwise)
{
    if (unsure || t->damage == RPCRDMA_LATE)
        return WHY_ORDER;
    return t->damage == RPCRDMA_WHOLE ? otherwise : LOST_OR(WHY_COPIES);
}

/* ---- what a hole can have hidden ---- */

/* The same Write or Read Response continues after the hole, *octets later. */
static bool within_message(const struct rpcrdma_side *s, const struct rdma_part *part, uint64_t *octets)
{
    const struct rpcrdma_tail *tail = &s->tail;

    if (tail->kind != part->kind || tail->last || part->kind == RDMA_SEND || part->kind == RDMA_READ ||
        !part->memory_known || tail->handle != part->handle || part->address < tail->address)
        return false;
    *octets = part->address - tail->address;
    return true;
}

/* The missing octets belong to Tagged segments, and the remainder is too short for a Send. */
static bool too_short_for_send(const struct rpcrdma_side *s, const struct rdma_part *part)
{
    uint64_t gap = part->place.offset - s->end, tagged = 0, segments = 0;

    if (part->place.offset < s->end)
        return false;
    if (within_message(s, part, &tagged) && tagged < gap && s->tail.longest > 0)
        segments = (tagged + s->tail.longest - 1) / s->tail.longest;
    else
        tagged = 0; /* the part belongs to another message */
    INVARIANT(segments <= tagged && tagged < gap + !gap);
    return gap < tagged + segments * FPDU_OVERHEAD + SEND_FPDU_MIN;
}

/* The hole is right before this part. */
static bool without_sends(const struct rpcrdma_side *s, const struct rdma_part *part)
{
    if (part->psns.gaps_show_late)
        return part->psns.sends_missing == 0;
    if (!part->in_message || part->faulty)
        return false;
    if (part->kind == RDMA_SEND && part->offset == 0 && s->lack.numbered && !s->lack.open)
        return part->number == s->lack.number + 1;
    return too_short_for_send(s, part);
}

static void add_missing(struct rpcrdma_lack *lack, uint32_t sends)
{
    lack->any |= sends > 0;
    if (lack->old)
        return;
    lack->beginning |= sends > UINT16_MAX; /* the missing Sends cannot be counted */
    lack->sends += sends > UINT16_MAX ? 0 : sends;
}

static void open_lack(struct rpcrdma_lack *lack)
{
    lack->open = true;
    lack->old = false;
}

bool rpcrdma_lacks_before(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part)
{
    struct rpcrdma_side *s = &rpcrdma->side[part->place.side & 1u];
    bool none = without_sends(s, part);

    s->lack.pending = false;
    if (none)
        return false;
    open_lack(&s->lack);
    if (part->psns.gaps_show_late) {
        add_missing(&s->lack, part->psns.sends_missing);
        s->lack.open = false;
    }
    INVARIANT(lack_is_sound(&s->lack));
    return true;
}

void rpcrdma_lacks_unknown(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    rpcrdma->side[side].lack.pending = false;
    open_lack(&rpcrdma->side[side].lack);
    INVARIANT(lack_is_sound(&rpcrdma->side[side].lack));
}

void rpcrdma_lacks_one(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    struct rpcrdma_lack *lack = &rpcrdma->side[side].lack;

    lack->any = true;
    if (!rpcrdma->gaps_show_late && lack->numbered && lack->cut && lack->cut_number == lack->number)
        return; /* another part of the Send was missing before */
    lack->cut = true;
    lack->cut_number = lack->number;
    lack->sends++;
    INVARIANT(lack_is_sound(lack) && lack->sends > 0);
}

void rpcrdma_lacks_beginning(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    struct rpcrdma_lack *lack = &rpcrdma->side[side].lack;

    lack->any = lack->beginning = true;
    INVARIANT(lack_is_sound(lack) && !rpcrdma_sends_seen(rpcrdma, side));
}

void rpcrdma_lacks_track(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    rpcrdma->side[side].lack.any = rpcrdma->side[side].lack.untracked = true;
    verdict_lose(rpcrdma->verdict, WHY_MEMORY, rpcrdma->said.frame);
    INVARIANT(lack_is_sound(&rpcrdma->side[side].lack) && !rpcrdma_calls_seen(rpcrdma, side));
}

/* ---- what settles a missing Send ---- */

void rpcrdma_lacks_send(struct rpcrdma_connection *rpcrdma, const struct rdma_part *part)
{
    struct rpcrdma_side *s = &rpcrdma->side[part->place.side & 1u];
    struct rpcrdma_lack *lack = &s->lack;
    bool next = !lack->numbered || part->number != lack->number;
    /* A Call that waited for a missing request will claim its own answer. */
    bool waited = part->psns.gaps_show_late && part->place.first_frame < part->place.frame;

    if (!part->psns.gaps_show_late && next) {
        uint32_t sends = lack->numbered ? part->number - lack->number - 1 : 0;

        /* MSNs begin with 1 (RFC 5041 section 4.3): if the capture starts late, it still lacks no Send of this side. */
        if (!lack->numbered && part->number == 1)
            lack->beginning = false;
        else if (lack->open)
            add_missing(lack, lack->numbered ? sends : UINT32_MAX);
        lack->open = lack->old = false;
        lack->numbered = true;
        lack->number = part->number;
    }
    if (lack->sends <= lack->answered && !waited) {
        /* Answers that came before their Calls are not those of missing Calls: the Calls follow now. */
        lack->sends = part->place.offset < s->calls.lagged_until ? lack->sends : 0;
        lack->answered = 0;
    }
    rpcrdma->verdict->unseen_answered[part->place.side & 1u] = 0;
    INVARIANT(lack_is_sound(lack));
    INVARIANT(part->psns.gaps_show_late || (lack->numbered && lack->number == part->number));
}

void rpcrdma_lacks_answered(struct rpcrdma_connection *rpcrdma, unsigned caller)
{
    rpcrdma->side[caller].lack.answered++;
    rpcrdma->side[caller].lack.unseen++;
    rpcrdma->verdict->unseen_answered[caller]++;
    INVARIANT(lack_is_sound(&rpcrdma->side[caller].lack));
}

void rpcrdma_lacks_claimed(struct rpcrdma_connection *rpcrdma, unsigned caller)
{
    struct rpcrdma_lack *lack = &rpcrdma->side[caller].lack;

    lack->answered -= lack->answered > 0;
    lack->unseen -= lack->unseen > 0;
    INVARIANT(lack_is_sound(lack));
}

void rpcrdma_lacks_quiet(struct rpcrdma_connection *rpcrdma)
{
    for (unsigned side = 0; side < 2; side++) {
        struct rpcrdma_lack *lack = &rpcrdma->side[side].lack;

        lack->any |= lack->open;
        lack->old = lack->open;
        lack->open = lack->beginning = false;
        lack->sends = lack->answered = 0;
        INVARIANT(lack_is_sound(lack));
    }
}
