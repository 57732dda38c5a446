// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls without an answer (RFC 8166 section 4.5, RFC 5531 section 3): passed over while later Calls are answered, left
 * unanswered for long, or cut off by a responder that closes. rpcrdma_reaction_rules.c says how a wrong Call must be
 * answered; a correct Call must draw a Reply, and a responder that cannot send the Reply has to close (RFC 8166 section
 * 4.5.4). A close gives no reason: the finding is a warning where the Call suggests a reason, or if the close is a
 * reset.
 */
#include "engine/core/hash.h"
#include "engine/core/words.h"
#include "engine/rpcrdma/rpcrdma_reaction.h"
#include "wire/invariant.h"

#include <inttypes.h>
#include <stdio.h>

enum { CALL_TEXT = 160, CONTEXT_TEXT = 96, SEGMENTS_USUAL = 7, WRITES_USUAL = 2, SECOND = 1000000000 };

/* ---- description of a Call ---- */

static int name_call(const struct rpcrdma_transaction *t, char *text, size_t size)
{
    const struct rpcrdma_body *body = &t->open->call_body;
    const char *program = body->known ? nfs_program_name(body->rpc.prog) : NULL, *name = rpcrdma_operation_of(t);

    if (!body->known)
        return snprintf(text, size, "the %sCall", t->open->call_header.proc == RPCRDMA_NOMSG ? "Long " : "");
    if (name && body->procedure)
        return snprintf(text, size, "%s of %s%u", name,
                        body->procedure->callback || !program ? "callback version " : program, body->rpc.vers);
    return snprintf(text, size, "procedure %u of program %u", body->rpc.proc, body->rpc.prog);
}

/* "READ of NFS3 (Write list of 1 chunk, Reply chunk; 16 segments in the longest)" */
static const char *unanswered_describe(const struct rpcrdma_transaction *t, char text[CALL_TEXT])
{
    unsigned reads = t->first_write, longest = 0;
    const char *separator = " (";
    size_t n;

    n = (size_t)name_call(t, text, CALL_TEXT);
    if (t->n_chunks == 0)
        return text;
    for (unsigned i = 0; i < t->n_chunks; i++)
        longest = t->chunks[i].n > longest ? t->chunks[i].n : longest;
    if (reads > 0 && n < CALL_TEXT) {
        n += (size_t)snprintf(text + n, CALL_TEXT - n, "%s%u Read chunk%s", separator, reads, plural(reads));
        separator = ", ";
    }
    if (t->n_writes > 0 && n < CALL_TEXT) {
        n += (size_t)snprintf(text + n, CALL_TEXT - n, "%s%u Write chunk%s", separator, t->n_writes,
                              plural(t->n_writes));
        separator = ", ";
    }
    if (t->reply_chunk >= 0 && n < CALL_TEXT)
        n += (size_t)snprintf(text + n, CALL_TEXT - n, "%sa Reply chunk", separator);
    if (longest > 1 && n < CALL_TEXT)
        n += (size_t)snprintf(text + n, CALL_TEXT - n, ", up to %u segments each", longest);
    if (n < CALL_TEXT)
        snprintf(text + n, CALL_TEXT - n, ", %s)", rpcrdma_untouched(t) ? "untouched" : "accessed");
    return text;
}

/* Describes the answers before and after the Call. */
static const char *context(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t,
                           char text[CONTEXT_TEXT])
{
    const struct rpcrdma_transaction *before = rpcrdma->side[t->side].calls.done.newest, *after = NULL;

    for (; before && before->answer.frame > t->call.frame; before = before->older)
        after = before->answer.frame != 0 ? before : after;
    if (before && after)
        snprintf(text, CONTEXT_TEXT, "the previous answer is in frame %u, the next one in frame %u",
                 before->answer.frame, after->answer.frame);
    else if (before)
        snprintf(text, CONTEXT_TEXT, "the previous answer is in frame %u, there is none after it",
                 before->answer.frame);
    else if (after)
        snprintf(text, CONTEXT_TEXT, "there is no answer before it, the next one is in frame %u", after->answer.frame);
    else
        snprintf(text, CONTEXT_TEXT, "no Call was answered");
    return text;
}

/* ---- silence ---- */

/* The capture would show an answer to the Call. */
static bool followed(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    return !rpcrdma->closing.missing[other_side(t->side)] && !t->damage && !t->ambiguous && !t->spoilt &&
           t->outcome != RPCRDMA_SETTLED &&
           (rpcrdma->side[other_side(t->side)].started || rpcrdma_sends_seen(rpcrdma, other_side(t->side)));
}

/*
 * How long the responder has had to answer. If a close would not be seen, only a later message of the responder shows
 * that it did not close.
 */
static int64_t waited(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t, int64_t time_ns)
{
    if (rpcrdma->options.payload_only)
        time_ns = rpcrdma->reaction->spoke_ns[other_side(t->side)];
    return time_ns - t->call.time_ns;
}

/* The responder has sent a message since the Call. */
static bool spoke_since(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    return rpcrdma->reaction->spoke_ns[other_side(t->side)] > t->call.time_ns;
}

/*
 * The responder's host acknowledged the Call, or the responder spoke. Otherwise the capture may have lost the rest of
 * the connection.
 */
static bool heard_since(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    return rpcrdma->received[other_side(t->side)] > t->call.offset || spoke_since(rpcrdma, t);
}

/*
 * The responder has had its chance: it answered a later Call, or was silent for that long while neither side closed (if
 * a side closes, this is called for the moment before the close).
 */
static bool due(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t, int64_t time_ns)
{
    return followed(rpcrdma, t) &&
           (rpcrdma->answered_number[t->side] > t->number ||
            (heard_since(rpcrdma, t) && waited(rpcrdma, t, time_ns) >= rpcrdma->options.t_react));
}

/* Later Calls that are also unanswered. */
static unsigned stalled_after(const struct rpcrdma_transaction *t)
{
    unsigned n = 0;

    for (const struct rpcrdma_transaction *next = t->newer; next; next = next->newer)
        n += next->outcome != RPCRDMA_SETTLED && !next->repeats;
    return n;
}

/*
 * On InfiniBand a capture does not show that the last packet is missing. If other packets are missing, the answer may
 * be, too, unless the responder has sent something since.
 */
static bool may_be_lost(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    return rpcrdma->gaps_show_late && rpcrdma->holes > 0 && rpcrdma->answered_number[t->side] <= t->number;
}

static void judge_hang(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t,
                       const struct place *place, int64_t time_ns)
{
    struct rpcrdma_reaction_state *state = rpcrdma->reaction;
    int64_t silent = waited(rpcrdma, t, time_ns);
    char call[CALL_TEXT], around[CONTEXT_TEXT];
    bool passed_over = rpcrdma->answered_number[t->side] > t->number;
    char after[40] = "";
    unsigned n;

    if (silent < rpcrdma->options.t_answer || t->repeats || !followed(rpcrdma, t) || may_be_lost(rpcrdma, t) ||
        (rpcrdma->close_unseen && rpcrdma->answered_number[t->side] <= t->number))
        return;
    if (rpcrdma->closing.choked[t->side]) { /* the responder cannot send its answer */
        verdict_inconclusive(rpcrdma->verdict, RULE_RPCR_4_5_4_03, WHY_CAUSE, t->call.frame);
        return;
    }
    if (!passed_over && state->stalled[t->side]) /* reported with the first Call that waits */
        return;
    n = passed_over ? 0 : stalled_after(t);
    state->stalled[t->side] |= !passed_over;
    INVARIANT(rpcrdma_waits(t) && (passed_over || state->stalled[t->side]));
    if (n > 0)
        snprintf(after, sizeof after, ", nor %u later Call%s", n, plural(n));
    rpcrdma_fail_at_as(rpcrdma, place, RULE_RPCR_4_5_4_03, SEVERITY_WARNING, 0,
                       "expected an answer within %lld s, or the connection closed; found that %s was not answered for "
                       "%" PRId64 " s%s; %s",
                       (long long)(rpcrdma->options.t_answer / SECOND), unanswered_describe(t, call), silent / SECOND,
                       after, context(rpcrdma, t, around));
}

static void judge_sound(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t,
                        const struct place *place, int64_t time_ns)
{
    bool now = due(rpcrdma, t, time_ns);

    if (t->reverse && t->n_chunks > 0 && now)
        rpcrdma_fail_at(rpcrdma, place, RULE_BIDI_5_3_04, 0,
                        "expected a Reply or ERR_CHUNK in answer to a reverse-direction Call with chunks; found no "
                        "answer to a reverse-direction Call with chunks");
    else if (t->reverse && t->twin && now && spoke_since(rpcrdma, t)) /* a silent responder need not have mistaken it */
        rpcrdma_fail_at(rpcrdma, place, RULE_BIDI_2_4_1_02, 0,
                        "expected an answer to the reverse-direction Call in frame %u, which shares its XID with a "
                        "forward Call; found no answer to the reverse-direction Call",
                        t->call.frame);
    else
        judge_hang(rpcrdma, t, place, time_ns);
}

/*
 * An endpoint need not support the reverse direction (RFC 8167 section 6). An endpoint that has not agreed to Calls,
 * and has answered none since, may ignore them; the finding at the first Call reports that they were sent.
 */
static bool is_unprepared(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    static const enum rule_id unasked[] = {RULE_BIDI_6_01, RULE_BIDI_6_02, RULE_BIDI_3_2_02, RULE_NFSULB_6_5_1_01};
    const struct rpcrdma_transaction *first = t->reverse ? rpcrdma_next_outstanding(rpcrdma, t->side, NULL) : NULL;

    for (size_t i = 0; first && first->fault != 0 && i < sizeof unasked / sizeof *unasked; i++) {
        if (unasked[i] == (enum rule_id)(first->fault - 1))
            return rpcrdma->answered_number[t->side] <= first->number;
    }
    return false;
}

static void unanswered_judge_unanswered(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t,
                                        int64_t time_ns)
{
    const struct rpcrdma_demand *demand = rpcrdma_demand_for(t);
    struct place place = t->call; /* silence has no frame */

    if (is_unprepared(rpcrdma, t)) {
        verdict_inconclusive(rpcrdma->verdict, RULE_RPCR_4_5_4_03, WHY_CAUSE, t->call.frame);
        return;
    }
    place.side = (uint8_t)other_side(t->side);
    place.awaited = true;
    place.offset = rpcrdma->side[place.side].end;
    INVARIANT(place.side != t->side && rpcrdma_waits(t) && !rpcrdma->subject.silent);
    rpcrdma->subject.silent = t;
    if (rpcrdma_reduced_ineligible(t)) {
        if (due(rpcrdma, t, time_ns))
            rpcrdma_fail_at(
                rpcrdma, &place, RULE_RPCR_6_1_08, 0,
                "expected ERR_CHUNK or GARBAGE_ARGS in answer to the Call in frame %u; found no answer to the Call",
                t->call.frame);
    } else if (!demand) {
        judge_sound(rpcrdma, t, &place, time_ns);
    } else if (due(rpcrdma, t, time_ns)) {
        rpcrdma_fail_at(rpcrdma, &place, demand->rule, 0,
                        "expected %s in answer to the Call in frame %u; found no answer to the Call", demand->expected,
                        t->call.frame);
    } else {
        verdict_inconclusive(rpcrdma->verdict, demand->rule, WHY_END, t->call.frame);
    }
    rpcrdma->subject.silent = NULL;
}

/* ---- closing ---- */

/* Calls that a responder may have been unable to receive, or that its RDMA layer refuses. */
static const enum rule_id excuses[] = {
    RULE_RPCR_3_3_1_03, RULE_RPCR_3_3_1_05, RULE_RPCR_3_3_3_03, RULE_RPCR_6_3_01,   RULE_RPCR0_3_3_02,
    RULE_RPCR0_3_8_03,  RULE_RPCR_3_3_2_01, RULE_RPCR_3_3_3_08, RULE_CMPD_4_2_04,   RULE_CMPD_4_2_05,
    RULE_CMPD_4_11,     RULE_CMPD_5_1_01,   RULE_BIDI_4_2_01,   RULE_RPCR_3_5_3_11, RULE_CMPD_4_1_04,
};

/* Something else that this side sent explains why the other side gave up, regardless of the Calls. */
static bool excused(const struct rpcrdma_connection *rpcrdma, unsigned caller)
{
    struct rpcrdma_transaction *t = NULL;

    if (rpcrdma->side[caller].faulty)
        return true;
    while ((t = rpcrdma_next_outstanding(rpcrdma, caller, t))) {
        if (t->repeats || t->astray)
            return true;
        for (size_t i = 0; t->fault != 0 && i < sizeof excuses / sizeof *excuses; i++) {
            if (excuses[i] == (enum rule_id)(t->fault - 1))
                return true;
        }
    }
    return false;
}

/*
 * The responder was silent before the Call, or packets have been retransmitted since shortly before it: the host that
 * ends the connection may not be the host that answered earlier Calls.
 */
static bool troubled(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    const struct rdma_closing *closing = &rpcrdma->closing;

    return closing->silent || (closing->resent && closing->resent_ns >= t->call.time_ns - rpcrdma->options.t_react);
}

/*
 * How likely the responder gave up because of this Call; 0: the Call is not unusual. Calls like those served earlier on
 * this connection are not unusual.
 */
static unsigned oddity(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_served_most *served = &rpcrdma->reaction->served[t->side];
    unsigned odd = t->fault != 0 ? 8 : 0;

    odd += t->n_writes > WRITES_USUAL && t->n_writes > served->writes ? 4 : 0;
    for (unsigned i = 0; i < t->n_chunks; i++)
        odd += t->chunks[i].n > SEGMENTS_USUAL && t->chunks[i].n > served->segments ? 2 : 0;
    odd += t->reverse && t->n_chunks > 0 ? 4 : 0;
    return odd;
}

/*
 * Calls of one shape ask for the same: the procedure, the operations of a COMPOUND, the kinds and sizes of chunk lists.
 * Returns a place in a set of 64 * RPCRDMA_ACROSS_SHAPES.
 */
static unsigned shape_of(const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_body *body = &t->open->call_body;
    uint32_t words[] = {
        t->open->call_header.proc, t->first_write, t->n_writes, t->reply_chunk >= 0, t->reverse, 0, 0, 0, 0};
    uint64_t hash = 0;

    for (unsigned i = 0; i < t->n_chunks; i++)
        words[5] |= t->chunks[i].n > SEGMENTS_USUAL ? t->chunks[i].n : 0;
    if (body->known) {
        words[6] = body->rpc.prog;
        words[7] = body->rpc.vers;
        words[8] = body->rpc.proc;
    }
    hash = hash_octets(hash, (const uint8_t *)words, sizeof words);
    for (unsigned i = 0; body->walked && i < body->n_operations; i++)
        hash = hash_octets(hash, (const uint8_t *)&body->operations[i].op, sizeof body->operations[i].op);
    return (unsigned)(hash >> 16) % (64 * RPCRDMA_ACROSS_SHAPES);
}

static bool was_served(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t, unsigned shape)
{
    return (rpcrdma->reaction->shapes[t->side][shape / 64] >> shape % 64 & 1) != 0;
}

const uint64_t *rpcrdma_unanswered_shapes(const struct rpcrdma_connection *rpcrdma, unsigned caller)
{
    return rpcrdma->reaction->shapes[caller];
}

void rpcrdma_unanswered_served(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    struct rpcrdma_served_most *served = &rpcrdma->reaction->served[t->side];
    unsigned shape = shape_of(t);

    rpcrdma->reaction->shapes[t->side][shape / 64] |= UINT64_C(1) << shape % 64;
    served->writes = t->n_writes > served->writes ? t->n_writes : served->writes;
    for (unsigned i = 0; i < t->n_chunks; i++)
        served->segments = t->chunks[i].n > served->segments ? t->chunks[i].n : served->segments;
    INVARIANT(was_served(rpcrdma, t, shape));
    INVARIANT(served->writes >= t->n_writes && (t->n_chunks == 0 || served->segments >= t->chunks[0].n));
}

/*
 * A server that is restarted or killed also resets connections. The Call is the likely reason for the end if the Call
 * was the only one outstanding, and the first of its kind; if it had arrived; and if the end followed at once, with
 * nothing done about the Call. For a close in order, which an idle server also does, the Call must be unusual.
 */
static bool suspicious(const struct rpcrdma_connection *rpcrdma, unsigned closer, const struct rpcrdma_transaction *t,
                       const struct place *place)
{
    bool arrived = rpcrdma->closing.acked > t->call.offset || rpcrdma->received[closer] > t->call.offset;

    return arrived && !rpcrdma->closing.bare && !was_served(rpcrdma, t, shape_of(t)) && t->open->octets_written == 0 &&
           place->time_ns - t->call.time_ns < rpcrdma->options.t_react;
}

/*
 * Calls with sound Transport headers that are cut off: returns the Call that most likely was the reason; *n: how many.
 */
static struct rpcrdma_transaction *likeliest(struct rpcrdma_connection *rpcrdma, unsigned caller, unsigned *n)
{
    struct rpcrdma_transaction *t = NULL, *why = NULL;

    while ((t = rpcrdma_next_outstanding(rpcrdma, caller, t))) {
        if (rpcrdma_demand_for(t) || rpcrdma_reduced_ineligible(t) || t->outcome == RPCRDMA_SETTLED ||
            rpcrdma->answered_number[t->side] > t->number)
            continue;
        if (t->fault == 0 && !t->malformed)
            rpcrdma_pass(rpcrdma, RULE_RPCR_4_5_4_03);
        ++*n;
        if (!why || oddity(rpcrdma, t) >= oddity(rpcrdma, why))
            why = t;
    }
    INVARIANT((why != NULL) == (*n > 0));
    return why;
}

static enum rule_id cut_off_rule(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t)
{
    enum rule_id rule = t->reverse && t->n_chunks > 0 ? RULE_BIDI_5_3_04 : rpcrdma_form_rule(rpcrdma, t);

    return rule == RULE_COUNT ? RULE_RPC_3_01 : rule;
}

/*
 * Calls with sound Transport headers are cut off: one finding, at the Call that most likely was the reason.
 * engine/across/across_cut_off.c adds what other connections prove about the Call, or withdraws the finding.
 */
static void unanswered_judge_cut_off(struct rpcrdma_connection *rpcrdma, unsigned closer, const struct place *place,
                                     const char *how, bool reset)
{
    unsigned n = 0;
    char call[CALL_TEXT], around[CONTEXT_TEXT];
    struct rpcrdma_transaction *why = likeliest(rpcrdma, other_side(closer), &n);
    struct rpcrdma_across_cut cut = {.place = *place, .forgotten = rpcrdma->closing.forgotten};
    bool suspect;

    if (!why || !followed(rpcrdma, why))
        return;
    cut.rule = cut_off_rule(rpcrdma, why);
    INVARIANT(cut.rule < RULE_COUNT && rpcrdma_waits(why));
    if (!rpcrdma_whole(rpcrdma) || rpcrdma->closing.missing[closer] || excused(rpcrdma, other_side(closer)) ||
        troubled(rpcrdma, why)) {
        verdict_inconclusive(
            rpcrdma->verdict, cut.rule,
            rpcrdma_whole(rpcrdma) && !rpcrdma->closing.missing[closer] ? WHY_CAUSE : LOST_OR(WHY_HOLE), place->frame);
        return;
    }
    if (why->reverse && (why->n_chunks == 0 || (!reset && rpcrdma->side[closer].calls.outstanding == 0)))
        return; /* a client that closes may simply have finished */
    suspect = n == 1 && (reset || oddity(rpcrdma, why) > 0) && suspicious(rpcrdma, closer, why, place);
    cut.shape = shape_of(why);
    cut.reported = !cut.forgotten && (suspect || reset);
    if (!why->reverse)
        rpcrdma_record_cut_off(rpcrdma, why, &cut);
    if (!cut.reported)
        return; /* a responder may have to close (RFC 8166 section 4.5.4) */
    rpcrdma->subject.silent = why;
    rpcrdma_fail_at_as(rpcrdma, place, cut.rule, suspect ? SEVERITY_WARNING : SEVERITY_NOTE, why->call.frame,
                       "expected an answer to the Call in frame %u; found %s cut off by %s; %u Call%s unanswered; %s",
                       why->call.frame, unanswered_describe(why, call), how, n, plural(n),
                       context(rpcrdma, why, around));
    rpcrdma->subject.silent = NULL;
}

/* The responder closes with this Call unanswered: a warning if it should have sent an error. True: reported. */
static bool judge_closed(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_transaction *t,
                         const struct place *place, const char *how)
{
    const struct rpcrdma_demand *demand = rpcrdma_demand_for(t);
    bool ineligible = rpcrdma_reduced_ineligible(t);
    enum rule_id rule = ineligible || !demand ? RULE_RPCR_6_1_08 : demand->rule;

    /* The responder skipped the Call and closes later. */
    if (rpcrdma->answered_number[t->side] > t->number) {
        unanswered_judge_unanswered(rpcrdma, t, place->time_ns);
        return false;
    }
    if (!ineligible && !demand) {
        if (t->reverse) /* or the client closes, because it has finished */
            unanswered_judge_unanswered(rpcrdma, t, place->time_ns);
        return false;
    }
    if (t->reverse) {
        unanswered_judge_unanswered(rpcrdma, t, place->time_ns);
        return false;
    }
    if (t->damage || t->ambiguous || t->spoilt || !rpcrdma_calls_seen(rpcrdma, t->side)) {
        verdict_inconclusive(rpcrdma->verdict, rule,
                             rpcrdma_answer_doubt(t, false, rpcrdma_calls_doubt(rpcrdma, false, t->side, WHY_READINGS)),
                             t->call.frame);
        return true;
    }
    rpcrdma->subject.silent = t;
    rpcrdma_fail_at_as(rpcrdma, place, rule, SEVERITY_WARNING, t->call.frame,
                       "expected %s in answer to the Call in frame %u; found the Call answered with %s",
                       ineligible ? "ERR_CHUNK or GARBAGE_ARGS" : demand->expected, t->call.frame, how);
    rpcrdma->subject.silent = NULL;
    return true;
}

void rpcrdma_unanswered_close(struct rpcrdma_connection *rpcrdma, unsigned side, const struct place *place,
                              const char *how, bool reset, bool explained)
{
    struct rpcrdma_transaction *t = NULL;

    while ((t = rpcrdma_next_outstanding(rpcrdma, other_side(side), t)))
        explained |= judge_closed(rpcrdma, t, place, how);
    if (!explained)
        unanswered_judge_cut_off(rpcrdma, side, place, how, reset);
    while ((t = rpcrdma_next_outstanding(rpcrdma, side, t)))
        unanswered_judge_unanswered(rpcrdma, t, place->time_ns);
}

void rpcrdma_unanswered_finish(struct rpcrdma_connection *rpcrdma, int64_t time_ns)
{
    for (unsigned side = 0; side < 2; side++) {
        for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, side, t));)
            unanswered_judge_unanswered(rpcrdma, t, time_ns);
    }
}
