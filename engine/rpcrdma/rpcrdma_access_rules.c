// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RDMA operations against the memory that Calls offer: RFC 8166 sections 2.3.2, 3.1, 3.4.3, 3.4.5 and 3.4.6.
 *
 * rpcrdma_memory.c has found the offer that an access fits, if any. An access without an offer violates exactly one
 * rule, the first of a list that applies: this depends on the other offers under the access's STag, on the Calls that
 * have been answered, and on the offers of the next Call. Ambiguous accesses (to an STag that several outstanding Calls
 * offer) are not judged. Nor are accesses whose Call may be missing in the capture (rpcrdma_lacks.c), unless they begin
 * or end within the offer of a known Call.
 */
#include "engine/rpcrdma/rpcrdma_memory_state.h"
#include "wire/invariant.h"

enum { DISORDERED_MAX = 1024 }; /* segments that are searched for one access */
enum { STRAY_CALLS = 3 };       /* Calls of the owner to wait for after an RDMA Read that preceded its Call */

static bool access_written(const struct rpcrdma_offer *offer)
{
    return offer->kind != RPCRDMA_READ_CHUNK;
}

/* ---- other offers under the STag of an access without an offer ---- */

struct lookup {
    const struct rpcrdma_offer *same;  /* outstanding, of the right kind, but for another range */
    const struct rpcrdma_offer *wrong; /* outstanding, for the other kind of access; if possible, holding the range */
    const struct rpcrdma_offer *answered; /* of the right kind and range, but of a Call that was answered */
    bool wrong_holds;
    const struct rpcrdma_offer *first, *last; /* of the right kind: the offers that hold its first and last octet */
};

/* Notes an outstanding offer for the other kind of access. */
static void note_wrong(struct lookup *found, const struct rpcrdma_offer *offer, bool holds)
{
    if (!found->wrong || (holds && !found->wrong_holds))
        found->wrong = offer;
    found->wrong_holds |= holds;
    INVARIANT(!found->wrong_holds || found->wrong);
}

/* Notes an outstanding offer of the right kind. */
static void note_same(struct lookup *found, const struct rpcrdma_offer *offer, const struct rpcrdma_area *area)
{
    const struct rpcrdma_area offered = rpcrdma_area_of(&offer->target);
    const struct rpcrdma_area begin = {area->stag, area->from, area->from + 1},
                              end = {area->stag, area->to - 1, area->to};

    if (!found->same || rpcrdma_area_meets(&offered, area))
        found->same = offer;
    if (rpcrdma_area_holds(&offered, &begin))
        found->first = offer;
    if (rpcrdma_area_holds(&offered, &end))
        found->last = offer;
    INVARIANT(found->same && rpcrdma_waits(found->same->transaction));
}

static struct lookup access_look_up(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    const struct rpcrdma_area area = rpcrdma_area_of_move(move);
    bool write = move->kind == RDMA_WRITE;
    struct lookup found = {0};

    for (const struct rpcrdma_offer *o = rpcrdma_offers_of(rpcrdma, move->owner, move->stag); o;
         o = rpcrdma_offers_next(o)) {
        const struct rpcrdma_area offered = rpcrdma_area_of(&o->target);
        bool holds = rpcrdma_area_holds(&offered, &area);

        if (!rpcrdma_waits(o->transaction)) {
            if (access_written(o) == write && holds && !found.answered)
                found.answered = o;
        } else if (access_written(o) != write) {
            note_wrong(&found, o, holds);
        } else {
            note_same(&found, o, &area);
        }
    }
    INVARIANT((!found.first && !found.last) || found.same);
    INVARIANT(!found.wrong || rpcrdma_waits(found.wrong->transaction));
    INVARIANT(!found.answered || !rpcrdma_waits(found.answered->transaction));
    return found;
}

/* The words of the segment name the accessed memory if read in another order. */
static bool disordered(const struct rpcrdma_segment *segment, const struct rpcrdma_move *move)
{
    uint32_t word[4] = {segment->handle, segment->length, (uint32_t)(segment->offset >> 32), (uint32_t)segment->offset};

    for (unsigned handle = 0; handle < 4; handle++) {
        for (unsigned length = 0; word[handle] == move->stag && length < 4; length++) {
            for (unsigned upper = 0; upper < 4; upper++) {
                unsigned lower = 6 - handle - length - upper;

                if (handle != length && upper != handle && upper != length && word[length] >= move->length &&
                    ((uint64_t)word[upper] << 32 | word[lower]) == move->to)
                    return true;
            }
        }
    }
    return false;
}

static struct rpcrdma_offer *find_disordered(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    unsigned looked = 0;

    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, move->owner, t));) {
        for (unsigned i = 0; i < t->n_offers && looked++ < DISORDERED_MAX; i++) {
            if (access_written(&t->offers[i]) == (move->kind == RDMA_WRITE) && disordered(&t->offers[i].target, move))
                return &t->offers[i];
        }
    }
    return NULL;
}

static bool offers_outstanding(const struct rpcrdma_connection *rpcrdma, unsigned owner, bool to_write)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, owner, t));) {
        for (unsigned i = 0; i < t->n_offers; i++) {
            if (access_written(&t->offers[i]) == to_write)
                return true;
        }
    }
    return false;
}

/* ---- findings at accesses ---- */

static const char *access_name(const struct rpcrdma_move *move)
{
    return move->kind == RDMA_WRITE ? "RDMA Write" : "RDMA Read";
}

static void fail_disordered(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move,
                            struct rpcrdma_offer *offer)
{
    const struct rpcrdma_segment *segment = &offer->target;
    bool read = offer->kind == RPCRDMA_READ_CHUNK;

    INVARIANT(rpcrdma_waits(offer->transaction) && offer->transaction->side == move->owner);

    if (offer->transaction->misread) /* reported already */
        return;
    rpcrdma_fail_at(rpcrdma, &offer->transaction->call, read ? RULE_RPCR_4_1_2_06 : RULE_RPCR_4_1_2_07,
                    move->place.frame,
                    "expected %shandle, length and 64-bit offset in this order; found a segment of 0x%08x 0x%08x "
                    "0x%016llx, while the %s in frame %u accesses 0x%llx of STag 0x%08x",
                    read ? "position, " : "", segment->handle, segment->length, (unsigned long long)segment->offset,
                    access_name(move), move->place.frame, (unsigned long long)move->to, move->stag);
    offer->transaction->malformed = true;
    rpcrdma_misread(offer->transaction);
    INVARIANT(offer->transaction->malformed && offer->transaction->misread);
}

static void fail_bounds(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move, const struct lookup *found,
                        enum rule_severity severity)
{
    const struct rpcrdma_segment *segment = &found->same->target;
    unsigned long long from = move->to, to = rpcrdma_area_of_move(move).to;

    if (found->first && found->last && found->first != found->last)
        rpcrdma_fail_at_as(rpcrdma, &move->place, RULE_RPCR_3_4_3_01, severity, found->first->transaction->call.frame,
                           "expected an %s within one segment; found an access from 0x%llx to 0x%llx of STag 0x%08x, "
                           "from the segment at 0x%llx across a gap into the one at 0x%llx",
                           access_name(move), from, to, move->stag, (unsigned long long)found->first->target.offset,
                           (unsigned long long)found->last->target.offset);
    else
        rpcrdma_fail_at_as(rpcrdma, &move->place, move->kind == RDMA_WRITE ? RULE_RPCR_3_4_6_05 : RULE_RPCR_3_4_5_09,
                           severity, found->same->transaction->call.frame,
                           "expected an %s within 0x%llx to 0x%llx of STag 0x%08x (%u octets offered by the Call in "
                           "frame %u); found an access from 0x%llx to 0x%llx",
                           access_name(move), (unsigned long long)segment->offset,
                           (unsigned long long)segment->offset + segment->length, move->stag, segment->length,
                           found->same->transaction->call.frame, from, to);
}

static struct rpcrdma_unwritten *find_unwritten(struct rpcrdma_memory_state *state, const struct rpcrdma_move *move,
                                                const struct rpcrdma_offer *answered)
{
    struct rpcrdma_area area = rpcrdma_area_of_move(move);

    for (unsigned i = 0; i < state->unwrittens; i++) {
        if (state->odd->unwritten[i].owner == move->owner &&
            (rpcrdma_area_meets(&state->odd->unwritten[i].area, &area) ||
             (answered && answered->transaction->number == state->odd->unwritten[i].transaction)))
            return &state->odd->unwritten[i];
    }
    return NULL;
}

static void fail_write_after_reply(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move, uint32_t xid,
                                   const struct place *reply)
{
    rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_2_3_2_02, reply->frame,
                    "expected RDMA Writes for XID 0x%08x before its Reply in frame %u; found an RDMA Write after the "
                    "Reply, to 0x%llx of STag 0x%08x",
                    xid, reply->frame, (unsigned long long)move->to, move->stag);
}

/* A Write into memory of an answered Call: late, or meant for another Call. */
static void judge_answered_write(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move,
                                 const struct rpcrdma_transaction *t)
{
    rpcrdma_revoked_access(rpcrdma, move, t);
    INVARIANT(!rpcrdma_waits(t) && t->side == move->owner);
    if (rpcrdma->memory->late_number[move->owner] == t->number)
        return;
    if (t->outcome == RPCRDMA_FAILED) {
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_4_6_04, t->answer.frame,
                        "expected memory that an outstanding Call offers; found STag 0x%08x of XID 0x%08x, which "
                        "RDMA_ERROR answered in frame %u",
                        move->stag, t->xid, t->answer.frame);
        return;
    }
    if (offers_outstanding(rpcrdma, move->owner, true)) {
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_4_3_02, t->answer.frame,
                        "expected memory that an outstanding Call offers; found STag 0x%08x of XID 0x%08x, which was "
                        "answered in frame %u",
                        move->stag, t->xid, t->answer.frame);
        return;
    }
    rpcrdma->memory->late_number[move->owner] = t->number;
    fail_write_after_reply(rpcrdma, move, t->xid, &t->answer);
}

static void judge_stray_write(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    struct lookup found = access_look_up(rpcrdma, move);
    struct rpcrdma_unwritten *unwritten = find_unwritten(state, move, found.answered);
    struct rpcrdma_offer *offer;

    if (unwritten) {
        if (!unwritten->reported && state->late_number[move->owner] != unwritten->transaction)
            fail_write_after_reply(rpcrdma, move, unwritten->xid, &unwritten->place);
        unwritten->reported = true;
        state->late_number[move->owner] = unwritten->transaction;
        INVARIANT(unwritten->owner == move->owner);
    } else if ((offer = find_disordered(rpcrdma, move))) {
        fail_disordered(rpcrdma, move, offer);
    } else if (found.wrong && (found.wrong_holds || !found.same)) {
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_4_5_10, found.wrong->transaction->call.frame,
                        "expected no RDMA Write to memory of a Read list; found an RDMA Write to 0x%llx of STag "
                        "0x%08x, which the Call in frame %u offers for reading",
                        (unsigned long long)move->to, move->stag, found.wrong->transaction->call.frame);
    } else if (found.same) {
        fail_bounds(rpcrdma, move, &found, SEVERITY_ERROR);
    } else if (found.answered) {
        judge_answered_write(rpcrdma, move, found.answered->transaction);
    } else {
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_4_6_04, 0,
                        "expected an STag that an outstanding Call offers in its Write list or Reply chunk; found an "
                        "RDMA Write to STag 0x%08x (to 0x%llx, %llu octets)",
                        move->stag, (unsigned long long)move->to, (unsigned long long)move->length);
    }
}

/* ---- RDMA Reads of memory that nothing offers: reported after the next Calls ---- */

static void report_stray(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_stray *stray)
{
    if (rpcrdma->gaps_show_late &&
        rpcrdma_lost_since(rpcrdma, stray->owner, stray->place.frame)) { /* the Call may have preceded the Read */
        verdict_inconclusive(rpcrdma->verdict, RULE_RPCR_3_4_5_09, LOST_OR(WHY_HOLE), stray->place.frame);
        return;
    }
    rpcrdma_fail_at(
        rpcrdma, &stray->place, RULE_RPCR_3_4_5_09, 0,
        "expected an RDMA Read of memory that an outstanding Call offers in its Read list; found an RDMA Read of STag "
        "0x%08x (0x%llx to 0x%llx)",
        stray->area.stag, (unsigned long long)stray->area.from, (unsigned long long)stray->area.to);
}

static void drop_stray(struct rpcrdma_memory_state *state, unsigned i)
{
    for (state->strays--; i < state->strays; i++)
        state->odd->stray[i] = state->odd->stray[i + 1];
    INVARIANT(state->strays < RPCRDMA_STRAYS_MAX);
}

static void keep_stray(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    if (!rpcrdma_memory_has_odd(rpcrdma))
        return;
    if (state->strays == RPCRDMA_STRAYS_MAX) {
        report_stray(rpcrdma, &state->odd->stray[0]);
        drop_stray(state, 0);
    }
    state->odd->stray[state->strays++] = (struct rpcrdma_stray){.area = rpcrdma_area_of_move(move),
                                                                .owner = move->owner,
                                                                .place = move->place,
                                                                .acked_known = move->acked_known,
                                                                .acked = move->acked};
    INVARIANT(rpcrdma_memory_is_sound(state) && state->strays > 0);
}

static bool offers_area(const struct rpcrdma_transaction *t, const struct rpcrdma_area *area)
{
    for (unsigned i = 0; i < t->n_offers; i++) {
        struct rpcrdma_area offered = rpcrdma_area_of(&t->offers[i].target);

        if (!access_written(&t->offers[i]) && rpcrdma_area_holds(&offered, area))
            return true;
    }
    return false;
}

static void keep_ahead(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    const struct rpcrdma_ahead *latest;
    struct rpcrdma_ahead *oldest;

    if (!rpcrdma->gaps_show_late || !rpcrdma_memory_has_odd(rpcrdma))
        return;
    latest = &state->odd->ahead[(state->aheads + RPCRDMA_STRAYS_MAX - 1) % RPCRDMA_STRAYS_MAX];
    if (latest->place.frame != 0 && latest->owner == move->owner && latest->stag == move->stag)
        return;
    oldest = &state->odd->ahead[state->aheads++ % RPCRDMA_STRAYS_MAX];
    if (oldest->place.frame != 0) /* the Call that may excuse this access will no longer find it */
        rpcrdma_pending_excuse(rpcrdma, oldest->owner, oldest->place.frame);
    *oldest = (struct rpcrdma_ahead){.stag = move->stag, .place = move->place, .owner = move->owner};
    INVARIANT(rpcrdma_memory_is_sound(state) && state->aheads > 0);
}

static bool offers_stag(const struct rpcrdma_transaction *t, uint32_t stag)
{
    for (unsigned i = 0; i < t->n_offers; i++)
        if (t->offers[i].target.handle == stag)
            return true;
    return false;
}

static void settle_ahead(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *call)
{
    const struct rpcrdma_side *caller = &rpcrdma->side[call->side];
    unsigned n = rpcrdma_ring_used(rpcrdma->memory->aheads, RPCRDMA_STRAYS_MAX);

    if (caller->accessed && caller->calls.answered == 0)
        rpcrdma_damage(call->transaction);
    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_ahead *ahead = &rpcrdma->memory->odd->ahead[i];

        if (ahead->place.frame == 0 || ahead->owner != call->side || !offers_stag(call->transaction, ahead->stag))
            continue;
        rpcrdma_damage(call->transaction);
        if (rpcrdma_call_may_precede(call, &ahead->place))
            rpcrdma_pending_excuse(rpcrdma, call->side, ahead->place.frame);
        ahead->place.frame = 0;
    }
}

/* The sender of the Read had not received the Call. */
static bool came_before(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_stray *stray,
                        const struct rpcrdma_message *call)
{
    if (rpcrdma->gaps_show_late)
        return !rpcrdma_lost_since(rpcrdma, stray->owner, stray->place.frame) &&
               !rpcrdma_call_may_precede(call, &stray->place);
    return stray->acked_known && stray->acked <= call->place.offset;
}

/* The Call is certainly not from before the Read, as far as the order of the capture tells. */
static bool access_comes_after(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_stray *stray,
                               const struct rpcrdma_message *call)
{
    return !rpcrdma->gaps_show_late || !rpcrdma_call_may_precede(call, &stray->place);
}

void rpcrdma_access_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *call)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    settle_ahead(rpcrdma, call);
    for (unsigned i = 0; i < state->strays;) {
        struct rpcrdma_stray *stray = &state->odd->stray[i];

        if (stray->owner != call->side) {
            i++;
        } else if (offers_area(call->transaction, &stray->area)) {
            if (came_before(rpcrdma, stray, call)) {
                rpcrdma_fail_at(rpcrdma, &stray->place, RULE_RPCR_3_4_5_06, call->place.frame,
                                "expected RDMA Reads of STag 0x%08x after the Call that offers it; found an RDMA Read "
                                "before the Call that offers its memory, in frame %u",
                                stray->area.stag, call->place.frame);
            } else { /* the Call may have come before the Read, and this is a copy */
                verdict_inconclusive(rpcrdma->verdict, RULE_RPCR_3_4_5_06, LOST_OR(WHY_ORDER), stray->place.frame);
                rpcrdma_damage(call->transaction);
            }
            drop_stray(state, i);
        } else if (access_comes_after(rpcrdma, stray, call) && ++stray->calls == STRAY_CALLS) {
            report_stray(rpcrdma, stray);
            drop_stray(state, i);
        } else {
            i++;
        }
    }
    INVARIANT(rpcrdma_memory_is_sound(state));
}

static void judge_stray_read(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct lookup found = access_look_up(rpcrdma, move);
    struct rpcrdma_offer *offer = find_disordered(rpcrdma, move);

    if (offer)
        fail_disordered(rpcrdma, move, offer);
    else if (found.same)
        fail_bounds(rpcrdma, move, &found, SEVERITY_ERROR);
    else if (found.answered) {
        rpcrdma_revoked_access(rpcrdma, move, found.answered->transaction);
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_4_5_1_02, found.answered->transaction->answer.frame,
                        "expected no RDMA Read of a Read chunk after the answer to its Call (XID 0x%08x, frame %u); "
                        "found an RDMA Read of STag 0x%08x after the answer",
                        found.answered->transaction->xid, found.answered->transaction->answer.frame, move->stag);
    } else if (found.wrong)
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_4_5_09, found.wrong->transaction->call.frame,
                        "expected an RDMA Read of memory that an outstanding Call offers in its Read list; found an "
                        "RDMA Read of STag "
                        "0x%08x, which the Call in frame %u offers for writing",
                        move->stag, found.wrong->transaction->call.frame);
    else
        keep_stray(rpcrdma, move);
}

/* ---- the client accesses memory of the server ---- */

/* No Call of the server offers memory, so the client has nothing to access. */
static bool access_judge_model(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    bool write = move->kind == RDMA_WRITE;

    if (rpcrdma->client < 0 || (unsigned)rpcrdma->client != move->side ||
        rpcrdma_offers_of(rpcrdma, move->owner, move->stag) || offers_outstanding(rpcrdma, move->owner, write))
        return false;
    if (!write && rpcrdma_served_read(rpcrdma, move))
        return true;
    if (write)
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_1_02, 0,
                        "expected no RDMA Write from the client; found an RDMA Write of %llu octets to 0x%llx of STag "
                        "0x%08x from the client",
                        (unsigned long long)move->length, (unsigned long long)move->to, move->stag);
    else
        rpcrdma_fail_at(rpcrdma, &move->place, RULE_RPCR_3_1_01, 0,
                        "expected no RDMA Read from the client; found an RDMA Read of %llu octets from 0x%llx of STag "
                        "0x%08x by the client",
                        (unsigned long long)move->length, (unsigned long long)move->to, move->stag);
    return true;
}

/* ---- accesses ---- */

static const enum rule_id read_rules[] = {RULE_RPCR_3_1_01,   RULE_RPCR_3_4_3_01, RULE_RPCR_3_4_3_02,
                                          RULE_RPCR_3_4_5_06, RULE_RPCR_3_4_5_09, RULE_RPCR_3_4_5_1_02,
                                          RULE_RPCR_4_1_2_06};
static const enum rule_id write_rules[] = {RULE_RPCR_2_3_2_02, RULE_RPCR_3_1_02,   RULE_RPCR_3_4_3_01,
                                           RULE_RPCR_3_4_3_02, RULE_RPCR_3_4_5_10, RULE_RPCR_3_4_6_04,
                                           RULE_RPCR_3_4_6_05, RULE_RPCR_4_1_2_07};

enum { ACCESSES_FIRST = 8 };

static void judge_fitting(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;
    bool write = move->kind == RDMA_WRITE;
    const enum rule_id *rules = write ? write_rules : read_rules;
    unsigned n = write ? sizeof write_rules / sizeof write_rules[0] : sizeof read_rules / sizeof read_rules[0];

    if (state->accesses == state->accesses_size && state->accesses_size < RPCRDMA_ACCESSES_MAX)
        state->access =
            arena_double(rpcrdma->arena, state->access, &state->accesses_size, ACCESSES_FIRST, sizeof *state->access);
    INVARIANT((state->accesses_size & (state->accesses_size - 1)) == 0 && state->accesses_size <= RPCRDMA_ACCESSES_MAX);
    if (state->accesses_size > 0)
        state->access[state->accesses++ & (state->accesses_size - 1)] =
            (struct rpcrdma_access){.side = (uint8_t)move->side,
                                    .offset = move->place.offset,
                                    .kind = move->kind,
                                    .area = rpcrdma_area_of_move(move),
                                    .xid = move->offer->transaction->xid,
                                    .frame = move->place.frame};
    INVARIANT(rpcrdma_memory_is_sound(state) && rpcrdma_waits(move->offer->transaction));
    if (!move->first)
        return;
    for (unsigned i = 0; i < n; i++)
        rpcrdma_pass(rpcrdma, rules[i]);
}

/*
 * The header of the Call that offers this memory may not have been understood, or the Call may not have been captured.
 */
static bool uncertain(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    if (move->unsure || !rpcrdma_calls_seen(rpcrdma, move->owner))
        return true;
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, move->owner, t));) {
        if (t->open->call_header.status != RPCRDMA_OK || t->offers_lost)
            return true;
    }
    return false;
}

/*
 * A Call that offers this memory may be missing in the capture. However, if the access begins or ends within the offer
 * of a captured Call, then two outstanding Calls would have to offer the same memory: a warning.
 */
static bool runs_over(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move, struct lookup *found)
{
    struct rpcrdma_area area = rpcrdma_area_of_move(move), offered;

    if (move->unsure || rpcrdma_calls_seen(rpcrdma, move->owner))
        return false;
    *found = access_look_up(rpcrdma, move);
    if (!found->same || found->same->transaction->damage)
        return false;
    offered = rpcrdma_area_of(&found->same->target);
    INVARIANT(rpcrdma_waits(found->same->transaction));
    return rpcrdma_area_meets(&offered, &area);
}

/* True: a missing Call may explain this access, or the access was judged here. */
static bool judge_uncertain(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_move *move)
{
    struct lookup found;

    if (!uncertain(rpcrdma, move))
        return false;
    if (!rpcrdma->verdict->muted && (move->first || move->operation == 0) && runs_over(rpcrdma, move, &found))
        fail_bounds(rpcrdma, move, &found, SEVERITY_WARNING);
    else
        rpcrdma_inconclusive(rpcrdma, move->kind == RDMA_WRITE ? RULE_RPCR_3_4_6_04 : RULE_RPCR_3_4_5_09,
                             rpcrdma_calls_doubt(rpcrdma, move->unsure, move->owner, WHY_UNREAD));
    return true;
}

void rpcrdma_memory_move(struct rpcrdma_connection *rpcrdma, struct rpcrdma_move *move)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    /* Without octets, no memory is accessed (RFC 5040 section 5.2). A Response follows its request. */
    if (move->kind == RDMA_READ_RESPONSE && !move->offer)
        rpcrdma_revoked_response(rpcrdma, move);
    if (move->kind == RDMA_READ_RESPONSE) {
        rpcrdma_hasty_response(rpcrdma, move);
        rpcrdma_invalidated_response(rpcrdma, move);
        rpcrdma_record_response(rpcrdma, move);
    }
    if (move->length == 0 || move->kind == RDMA_READ_RESPONSE)
        return;
    if (move->offer) {
        judge_fitting(rpcrdma, move);
        return;
    }
    rpcrdma_transactions_astray(rpcrdma, move->owner);
    rpcrdma_record_stray(rpcrdma, move);
    keep_ahead(rpcrdma, move);
    rpcrdma_invalidated_access(rpcrdma, move);
    if (judge_uncertain(rpcrdma, move))
        return;
    /* One finding for all segments of an RDMA Write. */
    if (!move->first && move->operation != 0 && state->judged[move->side] == move->operation)
        return;
    state->judged[move->side] = move->operation;
    INVARIANT(rpcrdma_memory_is_sound(state));
    if (rpcrdma->verdict->muted || access_judge_model(rpcrdma, move))
        return;
    if (move->kind == RDMA_WRITE)
        judge_stray_write(rpcrdma, move);
    else
        judge_stray_read(rpcrdma, move);
}

void rpcrdma_access_finish(struct rpcrdma_connection *rpcrdma)
{
    struct rpcrdma_memory_state *state = rpcrdma->memory;

    for (unsigned i = 0; i < state->strays; i++)
        report_stray(rpcrdma, &state->odd->stray[i]);
    state->strays = 0;
    INVARIANT(rpcrdma_memory_is_sound(state));
}
