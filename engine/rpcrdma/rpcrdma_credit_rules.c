// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Credits (RFC 8166 section 3.3.1, RFC 8167 section 4.1; RFC 5666 sections 3.3 and 3.8 by profile): how many Calls of a
 * side may be unanswered at a time. The two calling sides have separate credits.
 *
 * A Call is judged by what its caller knew when sending it: Replies that the caller had not received, as its ACK
 * numbers show, count neither for their grants nor for the end of their transactions.
 */
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>

enum {
    ANSWERS_KEPT = 64, /* answers that the caller may not have received yet */
    UNSEEN_MAX = 64,   /* Calls that the responder has not received yet */
    PROGRAMS_MAX = 4,
    PROGRAMS_CALLS_MAX = 512,
};

/* An answer, and the grant in force when the caller has received it. */
struct answer {
    uint64_t offset; /* of its last segment */
    uint32_t frame;
    uint32_t grant;
    bool ends; /* the answer ends a Call that was counted */
};

/* State of one calling side. */
struct caller {
    struct answer answers[ANSWERS_KEPT]; /* the latest, a ring */
    uint64_t n_answers;
    bool forgotten;     /* answers before a hole */
    uint32_t requested; /* by the latest Call; 0: none was seen */
    uint32_t uncounted; /* outstanding transactions that use no credit, or may not */
    uint32_t stale;     /* outstanding transactions that may have been answered in a hole */
    uint64_t stale_to;  /* transactions up to this number are stale */
    uint32_t dones;     /* RDMA_DONE since the latest Reply (RFC 5666 section 3.8) */
    uint32_t program;   /* of the first Call; 0: none was seen */
    bool programs;      /* the Calls are for several programs */
    bool over, over_initial, over_requested, over_dones; /* reported; reported again only after the number has fallen */
    struct rpcrdma_pattern requests, grants, crossed;
};

struct rpcrdma_credit_state {
    struct caller caller[2];
    uint32_t last_frame;
    uint32_t hole_frame[2];
};

bool rpcrdma_credit_new(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma->credit = arena_zeroed(rpcrdma->arena, sizeof *rpcrdma->credit);
    return rpcrdma->credit != NULL;
}

/* ---- Calls in flight ---- */

static uint32_t less(uint32_t a, uint32_t b)
{
    return a > b ? a - b : 0;
}

/* Calls that are certainly in flight, given the answers captured so far. */
static uint32_t credit_counted(const struct rpcrdma_connection *rpcrdma, unsigned side)
{
    const struct caller *c = &rpcrdma->credit->caller[side];

    return less(rpcrdma->side[side].calls.outstanding, c->uncounted + c->stale);
}

static void uncount(struct caller *c, struct rpcrdma_transaction *t)
{
    if (t->uncounted)
        return;
    t->uncounted = true;
    c->uncounted++;
    if (t->number <= c->stale_to)
        c->stale = less(c->stale, 1);
    INVARIANT(c->uncounted > 0);
}

void rpcrdma_credit_settled(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t)
{
    uncount(&rpcrdma->credit->caller[t->side], t);
    INVARIANT(t->uncounted && rpcrdma_waits(t));
}

void rpcrdma_credit_skipped(struct rpcrdma_connection *rpcrdma, unsigned side)
{
    rpcrdma->credit->hole_frame[side] = rpcrdma->credit->last_frame;
    for (unsigned i = 0; i < 2; i++) {
        struct caller *c = &rpcrdma->credit->caller[i];

        c->stale = less(rpcrdma->side[i].calls.outstanding, c->uncounted);
        c->stale_to = rpcrdma->transactions;
        INVARIANT(credit_counted(rpcrdma, i) == 0);
        c->requests.n = c->grants.n = c->crossed.n = 0; /* the patterns begin anew */
        if (i == side)
            continue;
        c->forgotten = true; /* the hole may contain a grant */
        c->n_answers = 0;
    }
}

bool rpcrdma_hole_since(const struct rpcrdma_connection *rpcrdma, unsigned side, uint32_t frame)
{
    return rpcrdma->credit->hole_frame[side] >= frame;
}

static const struct answer *answer_before(const struct caller *c, uint64_t newest)
{
    return &c->answers[newest % ANSWERS_KEPT];
}

/* What the caller knew when it sent a Call. */
struct knowledge {
    bool known;
    bool initial; /* no grant yet: a single Call is allowed */
    uint32_t limit;
    uint32_t before; /* the grant before the latest */
    uint32_t lowest; /* of the grant and of grants that had not reached the caller */
    uint32_t frame;  /* of the Reply with the grant */
    uint32_t unseen; /* answers that had not reached the caller */
};

static uint64_t answers_kept(const struct caller *c)
{
    return c->n_answers < ANSWERS_KEPT ? c->n_answers : ANSWERS_KEPT;
}

/* When nothing shows what had arrived: uses the latest grants, because a lower one may not have arrived yet. */
static struct knowledge knowledge_of_latest(const struct rpcrdma_message *m, const struct caller *c)
{
    const struct answer *a = answer_before(c, c->n_answers - 1);
    struct knowledge k = {.known = true, .limit = a->grant, .lowest = a->grant, .frame = a->frame};
    uint64_t kept = answers_kept(c), looked = m->received > 0 || kept < 2 ? kept : 2;

    k.before = kept > 1 ? answer_before(c, c->n_answers - 2)->grant : 1;
    for (uint64_t i = 1; a->offset >= m->received && i < looked; i++) {
        a = answer_before(c, c->n_answers - 1 - i);
        k.limit = a->grant > k.limit ? a->grant : k.limit;
    }
    INVARIANT(kept > 0 && k.limit >= k.lowest);
    return k;
}

static struct knowledge knowledge_of(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m,
                                     const struct caller *c)
{
    struct knowledge k = {.lowest = UINT32_MAX};
    uint64_t kept = answers_kept(c);

    if (!rpcrdma_acked(rpcrdma, m) && c->n_answers > 0)
        return knowledge_of_latest(m, c);
    for (uint64_t i = 0; i < kept; i++) {
        const struct answer *a = answer_before(c, c->n_answers - 1 - i);

        k.lowest = a->grant < k.lowest ? a->grant : k.lowest;
        if (a->offset < m->acked) {
            k.known = true;
            k.limit = a->grant;
            k.before = i + 1 < kept ? answer_before(c, c->n_answers - 2 - i)->grant : 1;
            k.frame = a->frame;
            INVARIANT(k.lowest <= k.limit && k.unseen <= i);
            return k;
        }
        k.unseen += a->ends;
    }
    k.known = k.initial =
        c->n_answers <= ANSWERS_KEPT && !c->forgotten && rpcrdma_sends_seen(rpcrdma, other_side(m->side));
    k.limit = k.before = k.lowest = 1;
    INVARIANT(k.unseen <= kept && (!k.initial || kept == c->n_answers));
    return k;
}

/* ---- Calls ---- */

/* Several programs are in use, and none has more Calls in flight than the limit. */
static bool each_program_within(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m,
                                uint32_t limit)
{
    struct {
        uint32_t number, calls;
    } programs[PROGRAMS_MAX];
    unsigned n = 0, seen = 0;

    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, m->side, t));) {
        bool known = t == m->transaction ? m->has_rpc && m->rpc.status == RPC_OK : t->open->call_body.known;
        uint32_t number = t == m->transaction ? m->rpc.prog : t->open->call_body.rpc.prog;
        unsigned i = 0;

        if (!known || ++seen > PROGRAMS_CALLS_MAX)
            return false;
        while (i < n && programs[i].number != number)
            i++;
        if (i == PROGRAMS_MAX)
            return false;
        if (i == n) {
            programs[n].number = number;
            programs[n++].calls = 0;
        }
        INVARIANT(i < n && n <= PROGRAMS_MAX);
        if (++programs[i].calls > limit)
            return false;
    }
    return n > 1;
}

static void fail_over(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, const struct caller *c,
                      const struct knowledge *k, uint32_t in_flight)
{
    const char *direction = m->transaction->reverse ? " of the reverse direction" : "";

    if (k->initial)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_3_3_3_03, 0,
                     "expected at most one unanswered Call%s before a Reply grants credits; found %u unanswered Calls",
                     direction, (unsigned)in_flight);
    else if (rpcrdma_by_rfc5666(rpcrdma))
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_3_3_02, k->frame,
                     "expected at most %u unanswered Calls%s, as granted in frame %u; found %u unanswered Calls",
                     (unsigned)k->limit, direction, k->frame, (unsigned)in_flight);
    else if (c->programs && each_program_within(rpcrdma, m, k->limit))
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_6_3_01, k->frame,
                     "expected at most %u unanswered Calls%s across all programs, as granted in frame %u; found %u "
                     "unanswered Calls",
                     (unsigned)k->limit, direction, k->frame, (unsigned)in_flight);
    else
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_3_3_1_03, k->frame,
                     "expected at most %u unanswered Calls%s, as granted in frame %u; found %u unanswered Calls",
                     (unsigned)k->limit, direction, k->frame, (unsigned)in_flight);
}

static enum rule_id limit_rule(const struct rpcrdma_connection *rpcrdma, const struct knowledge *k)
{
    if (k->initial)
        return RULE_RPCR_3_3_3_03;
    return rpcrdma_by_rfc5666(rpcrdma) ? RULE_RPCR0_3_3_02 : RULE_RPCR_3_3_1_03;
}

static void pass_limit(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m, const struct caller *c,
                       const struct knowledge *k)
{
    enum rule_id rule = limit_rule(rpcrdma, k);

    if (!rpcrdma_calls_seen(rpcrdma, m->side)) { /* more Calls may be unanswered than the capture shows */
        rpcrdma_inconclusive(rpcrdma, rule, LOST_OR(WHY_UNREAD));
        return;
    }
    rpcrdma_pass(rpcrdma, rule);
    if (c->programs && !k->initial && !rpcrdma_by_rfc5666(rpcrdma))
        rpcrdma_pass(rpcrdma, RULE_RPCR_6_3_01);
}

/* The limit is the lower of request and grant. A lower request holds for the Calls after it. */
static void judge_requested(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, struct caller *c,
                            uint32_t in_flight)
{
    uint32_t requested = m->header.credit > c->requested ? m->header.credit : c->requested;

    if (rpcrdma_by_rfc5666(rpcrdma) || m->header.credit == 0)
        return;
    if (in_flight <= requested) {
        c->over_requested = false;
        if (rpcrdma_calls_seen(rpcrdma, m->side))
            rpcrdma_pass(rpcrdma, RULE_RPCR_3_3_1_05);
        else
            rpcrdma_inconclusive(rpcrdma, RULE_RPCR_3_3_1_05, LOST_OR(WHY_UNREAD));
        return;
    }
    if (!c->over_requested)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR_3_3_1_05, 0,
                     "expected at most %u unanswered Calls, as many as were requested; found %u unanswered Calls",
                     (unsigned)requested, (unsigned)in_flight);
    c->over_requested = true;
}

/* RDMA_DONE uses a credit, too (RFC 5666 section 3.8). */
static void judge_dones(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, struct caller *c,
                        const struct knowledge *k, uint32_t in_flight)
{
    if (in_flight + c->dones <= k->limit) {
        c->over_dones = false;
        rpcrdma_pass(rpcrdma, RULE_RPCR0_3_8_03);
        return;
    }
    if (!c->over_dones)
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_3_8_03, k->frame,
                     "expected at most %u unanswered Calls and RDMA_DONE messages, as granted in frame %u; found %u "
                     "unanswered Calls and %u RDMA_DONE messages",
                     (unsigned)k->limit, k->frame, (unsigned)in_flight, (unsigned)c->dones);
    c->over_dones = true;
}

static void credit_judge_limit(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, struct caller *c)
{
    struct knowledge k = knowledge_of(rpcrdma, m, c);
    uint32_t in_flight = credit_counted(rpcrdma, m->side) + k.unseen;

    if (m->unsure || !k.known) {
        rpcrdma_inconclusive(rpcrdma, limit_rule(rpcrdma, &k), m->unsure ? WHY_ORDER : LOST_OR(WHY_MEMORY));
        return;
    }
    rpcrdma_pattern_judge(rpcrdma, m, &c->requests, in_flight, RULE_RPCR_3_3_1_06, "credit requests",
                          "Calls in flight");
    if (in_flight > k.limit) {
        bool *reported = k.initial ? &c->over_initial : &c->over;

        if (!*reported)
            fail_over(rpcrdma, m, c, &k, in_flight);
        *reported = true;
        return;
    }
    c->over = c->over_initial = false;
    INVARIANT(k.known && in_flight <= k.limit);
    pass_limit(rpcrdma, m, c, &k);
    if (rpcrdma_calls_seen(rpcrdma, m->side) && in_flight <= k.lowest && in_flight <= m->header.credit &&
        c->uncounted == 0)
        rpcrdma_resource_expected(
            rpcrdma, m,
            (struct rpcrdma_expected){.first = k.initial && c->n_answers == 0, .raised = in_flight > k.before});
    if (rpcrdma_by_rfc5666(rpcrdma) && c->dones > 0)
        judge_dones(rpcrdma, m, c, &k, in_flight);
    else if (!k.initial)
        judge_requested(rpcrdma, m, c, in_flight);
}

/* A copy that was sent so soon after the first transmission that the sender cannot have waited for an answer. */
static bool hasty(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_transaction *before = t->hash_next;

    while (before && before->xid != t->xid)
        before = before->hash_next;
    return before && t->call.time_ns - before->call.time_ns < rpcrdma->options.t_react;
}

void rpcrdma_credit_call(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct caller *c = &rpcrdma->credit->caller[m->side];
    struct rpcrdma_transaction *t = m->transaction;
    bool header = m->header.status == RPCRDMA_OK && m->header.vers == RPCRDMA_VERSION;

    rpcrdma->credit->last_frame = m->place.frame;
    if (m->has_rpc && m->rpc.status == RPC_OK) {
        if (c->program == 0)
            c->program = m->rpc.prog;
        c->programs |= m->rpc.prog != c->program;
    }
    if (rpcrdma->side[m->side].calls.outstanding == 1) /* no other Call is in doubt any longer */
        c->uncounted = c->stale = 0;
    /*
     * Retransmissions may be dropped without an answer, and malformed Calls are; a Call captured late may already be
     * answered. However, each Send uses a Receive: copies that come sooner than any timer count.
     */
    if ((t->repeats && !hasty(rpcrdma, t)) || t->damage) {
        uncount(c, t);
        return;
    }
    if (m->fixed) {
        if (m->header.credit == 0)
            rpcrdma_fail(rpcrdma, m, RULE_RPCR_3_3_1_01, 0,
                         "expected a request for at least one credit; found a request for 0 credits");
        else
            rpcrdma_pass(rpcrdma, RULE_RPCR_3_3_1_01);
    }
    if (!header) {
        uncount(c, t);
        return;
    }
    credit_judge_limit(rpcrdma, m, c);
    c->requested = m->header.credit;
}

void rpcrdma_credit_done(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct caller *c = &rpcrdma->credit->caller[m->side];
    struct knowledge k = knowledge_of(rpcrdma, m, c);

    rpcrdma->credit->last_frame = m->place.frame;
    if (!rpcrdma_by_rfc5666(rpcrdma))
        return;
    c->dones++;
    if (m->faulty)
        return;
    if (m->unsure || !k.known)
        rpcrdma_inconclusive(rpcrdma, RULE_RPCR0_3_8_03, m->unsure ? WHY_ORDER : LOST_OR(WHY_MEMORY));
    else
        judge_dones(rpcrdma, m, c, &k, credit_counted(rpcrdma, m->side) + k.unseen);
}

/* ---- answers ---- */

/* Calls in flight as known to the responder, without those that it had not received. */
static bool responder_knew(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m, unsigned side,
                           uint32_t *in_flight)
{
    const struct rpcrdma_transaction *t = rpcrdma->side[side].calls.waiting.newest;
    unsigned unseen = 0;

    for (; rpcrdma_acked(rpcrdma, m) && t && t->call.offset >= m->acked; t = t->older)
        if (++unseen > UNSEEN_MAX)
            return false;
    *in_flight = less(rpcrdma->side[side].calls.outstanding, unseen);
    INVARIANT(unseen <= UNSEEN_MAX && *in_flight <= rpcrdma->side[side].calls.outstanding);
    return true;
}

static void judge_grant_patterns(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, struct caller *c)
{
    unsigned caller = other_side(m->side);
    struct knowledge own = knowledge_of(rpcrdma, m, &rpcrdma->credit->caller[m->side]);
    uint32_t in_flight;
    bool follows;

    if (m->unsure || !responder_knew(rpcrdma, m, caller, &in_flight))
        return;
    rpcrdma_pattern_judge(rpcrdma, m, &c->grants, in_flight, RULE_RPCR_3_3_1_06, "credit grants", "Calls in flight");
    follows = c->grants.reported;
    if (rpcrdma->side[m->side].calls.total > 0 && !follows)
        rpcrdma_pattern_judge(rpcrdma, m, &c->crossed, credit_counted(rpcrdma, m->side) + own.unseen, RULE_BIDI_4_1_03,
                              "credit grants", "the responder's own Calls in flight");
}

/* A grant of 0: RFC 5666 forbids it only if no Call in progress will bring another grant (section 3.3). */
static void judge_zero_rfc5666(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, const struct caller *c)
{
    unsigned others = less(rpcrdma->side[other_side(m->side)].calls.outstanding, m->transaction != NULL);
    enum rule_id rule = c->dones > 0 || m->header.read.n > 0 ? RULE_RPCR0_11_03 : RULE_RPCR0_3_3_01;

    if (others > 0)
        rpcrdma_pass(rpcrdma, rule);
    else if (m->unsure || !rpcrdma_calls_seen(rpcrdma, other_side(m->side)))
        rpcrdma_inconclusive(rpcrdma, rule, rpcrdma_calls_doubt(rpcrdma, m->unsure, other_side(m->side), WHY_UNREAD));
    else if (rule == RULE_RPCR0_11_03)
        rpcrdma_fail(rpcrdma, m, rule, 0,
                     "expected a Reply to be withheld to bring the next credit while RDMA_DONE is awaited; found a "
                     "grant of 0 with no Call left in progress");
    else
        rpcrdma_fail(rpcrdma, m, rule, 0,
                     "expected a grant of at least 1, as no other Call is in progress; found a grant of 0 credits");
}

static void judge_zero(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m, const struct caller *c)
{
    enum rule_id rule = rpcrdma_by_rfc5666(rpcrdma) ? RULE_RPCR0_3_3_01 : RULE_RPCR_3_3_1_04;

    if (m->header.credit > 0)
        rpcrdma_pass(rpcrdma, rule);
    else if (rpcrdma_by_rfc5666(rpcrdma))
        judge_zero_rfc5666(rpcrdma, m, c);
    else
        rpcrdma_fail(rpcrdma, m, rule, 0, "expected a grant of at least 1; found a grant of 0 credits");
}

/* A Reply with a Read list requires an RDMA_DONE, which uses a credit (RFC 5666 section 3.8). */
static void judge_room_for_done(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    unsigned others = less(rpcrdma->side[other_side(m->side)].calls.outstanding, m->transaction != NULL);

    if (m->header.read.n == 0 || m->unsure || m->header.credit == 0)
        return;
    if (m->header.credit > others)
        rpcrdma_pass(rpcrdma, RULE_RPCR0_3_8_04);
    else
        rpcrdma_fail(rpcrdma, m, RULE_RPCR0_3_8_04, 0,
                     "expected a grant of at least %u, for the Calls in progress and the RDMA_DONE that this Reply "
                     "requires; found a grant of %u credits",
                     others + 1, (unsigned)m->header.credit);
}

/* Removes a completed Call from the count. True when it was counted. */
static bool credit_settle(struct caller *c, const struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction, *other;

    if (!t || !rpcrdma_waits(t))
        return false;
    if (m->header.status != RPCRDMA_OK) { /* the Call stays outstanding, but the responder has answered it */
        bool was = !t->uncounted;

        uncount(c, t);
        return was;
    }
    /* The first answer to a Call or its retransmissions ends the copy that is counted. */
    for (other = t->hash_next; t->uncounted && other; other = other->hash_next) {
        if (other->xid != t->xid || !rpcrdma_waits(other) || other->uncounted)
            continue;
        uncount(c, other);
        c->uncounted--;
        return true;
    }
    if (t->uncounted)
        c->uncounted = less(c->uncounted, 1);
    else if (t->number <= c->stale_to)
        c->stale = less(c->stale, 1);
    return !t->uncounted;
}

void rpcrdma_credit_answer(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    struct caller *c = &rpcrdma->credit->caller[other_side(m->side)];
    struct answer a = {.offset = m->place.offset, .frame = m->place.frame, .grant = 1};
    bool faulty = m->faulty, old = rpcrdma_by_rfc5666(rpcrdma);
    bool sound = m->kind == RPCRDMA_KIND_REPLY && m->header.status == RPCRDMA_OK && !faulty, grants = sound;

    rpcrdma->credit->last_frame = m->place.frame;
    if (sound || (m->kind == RPCRDMA_KIND_REPLY && m->fixed && !old))
        judge_zero(rpcrdma, m, c);
    if (sound)
        grants = !m->faulty && (m->header.credit > 0 || old);
    m->faulty = faulty; /* the grant does not change how the rest of the Reply is judged */
    if (sound) {
        if (old)
            judge_room_for_done(rpcrdma, m);
        if (m->header.credit > 0)
            judge_grant_patterns(rpcrdma, m, c);
    }
    /*
     * It is open whether the value counts in an RDMA_ERROR (RFC 8166 section 4.5 does not say), or in a Reply that the
     * requester may discard: such a value may have raised the limit, but has not lowered it.
     */
    if (c->n_answers > 0)
        a.grant = answer_before(c, c->n_answers - 1)->grant;
    if (grants || m->header.credit > a.grant)
        a.grant = m->header.credit;
    a.ends = credit_settle(c, m);
    if (a.ends && c->uncounted == 0 && !m->faulty && m->header.status == RPCRDMA_OK &&
        rpcrdma_calls_seen(rpcrdma, other_side(m->side)))
        rpcrdma_resource_expected(rpcrdma, m, (struct rpcrdma_expected){0});
    c->answers[c->n_answers++ % ANSWERS_KEPT] = a;
    INVARIANT(a.grant > 0 || old);
    INVARIANT(answers_kept(c) > 0 && answers_kept(c) <= ANSWERS_KEPT);
    if (m->kind == RPCRDMA_KIND_REPLY)
        c->dones = 0;
    /* A Reply without a known Call was most likely meant for an outstanding Call. */
    if (!m->transaction && m->faulty && credit_counted(rpcrdma, other_side(m->side)) > 0)
        c->uncounted++;
}
