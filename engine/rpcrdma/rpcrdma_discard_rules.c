// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages that the receiver must silently discard (RFC 8166 sections 4.2.4, 4.5 and 4.6): they neither draw an answer
 * nor make the receiver close the connection.
 */
#include "engine/rpcrdma/rpcrdma_reaction.h"
#include "wire/invariant.h"

/* How the receiver must treat a message of this kind that broke a rule. */
static const struct met {
    enum rule_id broken, rule;
    enum rpcrdma_kind kind;
} mets[] = {
    {RULE_RPCR_4_1_2_10, RULE_RPCR_4_5_01, RPCRDMA_KIND_UNKNOWN},
    {RULE_RPCR_4_01, RULE_RPCR_4_5_01, RPCRDMA_KIND_UNKNOWN},
    {RULE_RPCR_4_6_2_01, RULE_RPCR_4_6_2_02, RPCRDMA_KIND_UNKNOWN},
    {RULE_RPCR_4_2_4_07, RULE_RPCR_4_2_4_08, RPCRDMA_KIND_ERROR},
    {RULE_RPCR_4_1_2_13, RULE_RPCR_4_5_10, RPCRDMA_KIND_ERROR},
    {RULE_RPCR_4_1_2_14, RULE_RPCR_4_5_10, RPCRDMA_KIND_ERROR},
    {RULE_RPCR_4_3_1_03, RULE_RPCR_4_3_1_04, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_6_1_01, RULE_RPCR_4_6_1_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_2_2_01, RULE_RPCR_4_5_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_1_2_02, RULE_RPCR_4_5_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_1_2_03, RULE_RPCR_4_5_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_1_2_04, RULE_RPCR_4_5_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_1_2_05, RULE_RPCR_4_5_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_1_2_08, RULE_RPCR_4_5_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_1_2_09, RULE_RPCR_4_5_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_4_1_2_11, RULE_RPCR_4_5_03, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_2_2_2_02, RULE_RPCR_2_2_2_05, RPCRDMA_KIND_REPLY},
    {RULE_RPCR_3_3_1_10, RULE_RPCR_2_2_2_05, RPCRDMA_KIND_REPLY},
};

static const struct met *met_for(const struct rpcrdma_message *m)
{
    for (size_t i = 0; m->fault != 0 && i < sizeof mets / sizeof *mets; i++) {
        if (mets[i].broken == (enum rule_id)(m->fault - 1) && mets[i].kind == m->kind)
            return &mets[i];
    }
    return NULL;
}

static bool none_is_open(const struct rpcrdma_reaction_state *state, unsigned side)
{
    for (unsigned i = 0; i < RPCRDMA_DISCARDS_MAX; i++)
        if (state->discard[side][i].open)
            return false;
    return true;
}

static void open_discard(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m, enum rule_id rule)
{
    struct rpcrdma_reaction_state *state = rpcrdma->reaction;
    unsigned side = other_side(m->side);
    struct rpcrdma_discard *discard = &state->discard[side][state->next[side]++ % RPCRDMA_DISCARDS_MAX];

    if (discard->open) /* the message in this slot is forgotten */
        verdict_inconclusive(rpcrdma->verdict, discard->rule, WHY_MEMORY, discard->place.frame);
    *discard = (struct rpcrdma_discard){
        .open = true, .rule = rule, .xid = m->header.xid, .has_xid = m->n >= 4, .place = m->place};
    INVARIANT(discard->rule < RULE_COUNT && state->next[side] > 0 && !none_is_open(state, side));
}

static bool takes_up(const struct rpcrdma_message *m, const struct rpcrdma_discard *discard)
{
    bool answers = m->kind == RPCRDMA_KIND_ERROR || m->kind == RPCRDMA_KIND_REPLY;

    return answers && discard->has_xid && m->header.xid == discard->xid &&
           (m->kind == RPCRDMA_KIND_ERROR || !m->transaction || !rpcrdma_waits(m->transaction));
}

/* The receiver continues: a message is wrong only if it reacts to a message that should have been discarded. */
static void discard_judge(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m,
                          struct rpcrdma_discard *discard)
{
    static const char text[] =
        "expected the message in frame %u to be silently discarded; found %s in answer, with XID 0x%08x";
    const char *what = m->kind == RPCRDMA_KIND_ERROR ? "an RDMA_ERROR" : "a Reply";

    if (m->acked_known && m->acked <= discard->place.offset) /* sent before the message arrived */
        return;
    discard->open = false;
    if (!takes_up(m, discard))
        rpcrdma_pass(rpcrdma, discard->rule);
    else if (m->kind == RPCRDMA_KIND_ERROR && !m->transaction && (unsigned)rpcrdma->client == m->side)
        /* An RDMA_ERROR from the requester is also wrong by itself (section 4.2.4). */
        rpcrdma_fail_at(rpcrdma, &m->place, discard->rule, discard->place.frame, text, discard->place.frame, what,
                        discard->xid);
    else
        rpcrdma_fail(rpcrdma, m, discard->rule, discard->place.frame, text, discard->place.frame, what, discard->xid);
}

void rpcrdma_discard_judge(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *m)
{
    unsigned n = rpcrdma_ring_used(rpcrdma->reaction->next[m->side], RPCRDMA_DISCARDS_MAX);
    struct rpcrdma_discard *discards = rpcrdma->reaction->discard[m->side];

    for (unsigned i = 0; i < n; i++) {
        if (discards[i].open)
            discard_judge(rpcrdma, m, &discards[i]);
    }
}

void rpcrdma_discard_open(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *m)
{
    const struct met *met = met_for(m);

    /* By RFC 5666 section 4.2 an RDMA_ERROR answers any wrong message, even a short one. */
    if (met && !m->unsure && (!rpcrdma_by_rfc5666(rpcrdma) || met->rule != RULE_RPCR_4_5_01))
        open_discard(rpcrdma, m, met->rule);
}

void rpcrdma_discard_skipped(struct rpcrdma_connection *rpcrdma, enum why why)
{
    for (unsigned i = 0; i < 2 * RPCRDMA_DISCARDS_MAX; i++) {
        struct rpcrdma_discard *discard =
            &rpcrdma->reaction->discard[i / RPCRDMA_DISCARDS_MAX][i % RPCRDMA_DISCARDS_MAX];

        if (discard->open)
            verdict_inconclusive(rpcrdma->verdict, discard->rule, why, discard->place.frame);
        discard->open = false;
    }
    INVARIANT(none_is_open(rpcrdma->reaction, 0) && none_is_open(rpcrdma->reaction, 1));
}

/*
 * A side that is the first to close after a message that it should have discarded did not discard the message. This is
 * certain if Calls are unanswered. Servers also close without a reason, but not at once.
 */
static void discard_judge_end(struct rpcrdma_connection *rpcrdma, unsigned side, const struct place *place,
                              const struct rpcrdma_discard *discard)
{
    bool busy = rpcrdma->side[0].calls.outstanding + rpcrdma->side[1].calls.outstanding > 0;
    bool server = rpcrdma->client >= 0 && side != (unsigned)rpcrdma->client;

    if ((busy || server) && place->time_ns - discard->place.time_ns < rpcrdma->options.t_react &&
        rpcrdma_calls_seen(rpcrdma, 0) && rpcrdma_calls_seen(rpcrdma, 1) && !rpcrdma->options.payload_only)
        rpcrdma_fail_at_as(rpcrdma, place, discard->rule,
                           busy ? rule_catalogue[discard->rule].severity : SEVERITY_WARNING, discard->place.frame,
                           "expected the message in frame %u to be silently discarded; found the connection closed",
                           discard->place.frame);
    else
        verdict_inconclusive(rpcrdma->verdict, discard->rule, LOST_OR(WHY_CAUSE), discard->place.frame);
}

bool rpcrdma_discard_end(struct rpcrdma_connection *rpcrdma, unsigned side, const struct place *place,
                         const struct place *culprit)
{
    bool any = false;

    for (unsigned i = 0; i < RPCRDMA_DISCARDS_MAX; i++) {
        struct rpcrdma_discard *discard = &rpcrdma->reaction->discard[side][i];

        if (!discard->open)
            continue;
        discard->open = false;
        any = true;
        if (culprit && culprit->frame != discard->place.frame)
            verdict_inconclusive(rpcrdma->verdict, discard->rule, WHY_CAUSE, discard->place.frame);
        else
            discard_judge_end(rpcrdma, side, place, discard);
    }
    INVARIANT(none_is_open(rpcrdma->reaction, side));
    return any;
}

void rpcrdma_discard_finish(struct rpcrdma_connection *rpcrdma)
{
    rpcrdma_discard_skipped(rpcrdma, LOST_OR(WHY_END));
}
