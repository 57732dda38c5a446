// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a vector of the start-up against a Responder: the answer, the Reply, and the terms of the two frames. */
#include "traffic-gen/explore/pairs/exchange.h"
#include "traffic-gen/explore/pairs/frames.h"
#include "traffic-gen/explore/pairs/startup_model.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

#include <string.h>

/* ---- the Request ---- */

static bool startup_vector_send_request(struct talk *talk, const struct startup_plan *plan)
{
    uint8_t data[MPA_PRIVATE_DATA_MAX + 1];
    size_t cuts[FRAMES_CUTS_MAX];
    const struct mpa_enhanced *enhanced = &plan->enhanced;
    g_autofree char *frame =
        g_strdup_printf("mpa.rev=%u mpa.a=%d mpa.rtr=%u mpa.ird=%u mpa.ord=%u mpa.flags=%u", plan->revision,
                        enhanced->peer_to_peer, enhanced->rtr, enhanced->ird, enhanced->ord, plan->flags);
    struct talk_wish wish = {.revision = plan->revision,
                             .enhanced = plan->is_enhanced,
                             .data = *enhanced,
                             .frame = frame,
                             .private_data = data,
                             .private_length = plan->data_length};

    frames_fill(talk_job(talk)->run, data, sizeof data);
    wish.n_cuts = frames_cut(plan->cut, plan->data_length + (plan->is_enhanced ? MPA_ENHANCED_LEN : 0u), cuts);
    wish.cuts = wish.n_cuts > 0 ? cuts : NULL;
    return talk_send_frame(talk, &wish);
}

/* ---- the answer ---- */

static bool startup_vector_is_closed(const struct talk_heard *heard)
{
    return heard->what == TALK_FIN || heard->what == TALK_RESET;
}

/* A Reply with a revision other than the Request's names the device's revision, and the connection ends. */
static enum startup_answer answer_of_frame(struct talk *talk, const struct startup_plan *plan,
                                           const struct mpa_startup *reply)
{
    if (reply->flags & MPA_FLAG_R)
        return STARTUP_REJECTED;
    if (startup_answers(plan) & STARTUP_NAMED && reply->revision != plan->revision)
        return startup_vector_is_closed(talk_hear(talk, talk_t_close(talk))) ? STARTUP_NAMED : 0;
    return STARTUP_ACCEPTED;
}

/* 0: neither a Reply nor a close. */
static enum startup_answer startup_vector_hear_answer(struct talk *talk, const struct startup_plan *plan)
{
    const struct mpa_startup *reply = talk_hear_frame(talk);

    if (reply)
        return answer_of_frame(talk, plan, reply);
    return startup_vector_is_closed(talk_last(talk)) ? STARTUP_CLOSED : 0;
}

static const char *startup_vector_answer_words(unsigned answers)
{
    if (answers & STARTUP_ACCEPTED)
        return answers & STARTUP_REJECTED ? "an accepting Reply, or a rejecting one for want of Reads"
                                          : "an accepting Reply";
    return answers & STARTUP_NAMED ? "a close, or a Reply that names another revision and a close"
                                   : "a close without a Reply";
}

/* True: the answer is allowed. */
static bool startup_vector_judge_answer(struct talk *talk, const struct startup_plan *plan, enum startup_answer answer)
{
    const unsigned answers = startup_answers(plan);

    if (answer & answers)
        return true;
    if (answers & STARTUP_ACCEPTED)
        talk_note_refusal(talk, false);
    pairs_failed(talk, startup_wrong_answer(plan, answer), "expected %s; found %s",
                 startup_vector_answer_words(answers), talk_found(talk));
    return false;
}

/* ---- the terms ---- */

static unsigned startup_vector_common_rtr(const struct talk *talk)
{
    return talk_frame(talk, true)->enhanced.rtr & talk_frame(talk, false)->enhanced.rtr;
}

/* Sends the first FPDU. False: nothing can follow; the verdict is set. */
static bool say_first(struct talk *talk, const struct startup_plan *plan)
{
    const unsigned types = plan->enhanced.peer_to_peer ? startup_vector_common_rtr(talk) : MPA_RTR_WRITE;

    if (types == 0) { /* the connection ends with our Terminate (RFC 6581 section 9.2) */
        talk_passed(talk, "%s; no type of RTR in common", talk_found(talk));
        return false;
    }
    talk_send_rtr(talk, types);
    if (types != MPA_RTR_READ || !talk_reads(talk) || talk_hear_opcode(talk, RDMAP_READ_RESPONSE))
        return true;
    pairs_failed(talk, RULE_MPA2_9_2_24, "expected an answer to the RTR Read; found %s", talk_found(talk));
    return false;
}

/*
 * With ORD 0 the only Read that we may send is an RTR; otherwise as many as both frames allow (RFC 6581 section 9.1).
 */
static void startup_vector_exchange(struct talk *talk, const struct startup_plan *plan)
{
    const unsigned none = MPA_IRD_ORD_NOT_NEGOTIATED, ird = talk_frame(talk, false)->enhanced.ird;
    struct exchange may = {.echo = talk_echoes(talk) && talk_job(talk)->run->terms.words == PRIVATE_DATA_ADVERT &&
                                   plan->data_length >= ADVERT_WISH_LEN,
                           .no_ord = plan->is_enhanced && plan->enhanced.ord == 0,
                           .ird_rule = RULE_MPA2_9_1_03};

    may.reads = talk_reads(talk) && !may.no_ord;
    if (plan->is_enhanced && plan->enhanced.ord != none && ird != none)
        may.at_once = MIN(plan->enhanced.ord, ird);
    exchange_by_terms(talk, &may, RULE_MPA_7_1_2_12, "accepted");
}

/* ---- a vector ---- */

/* False: the verdict is set. A known breach does not hide others. */
static bool startup_vector_judge_reply(struct talk *talk, const struct pairs *pairs, const struct startup_plan *plan)
{
    const struct mpa_startup *reply = talk_frame(talk, false);
    const struct startup_check *breach = NULL;

    while ((breach = startup_breach(plan, reply, breach))) {
        if (!pairs_goes_on(talk, pairs, breach->rule, "expected %s; found %s", breach->expected, talk_found(talk)))
            return false;
    }
    return true;
}

static void startup_vector_run(struct talk *talk, const struct pairs *pairs, const int *vector)
{
    const struct startup_plan plan = startup_plan_of(vector);
    enum startup_answer answer;

    if (!talk_open(talk) || !startup_vector_send_request(talk, &plan))
        return;
    answer = startup_vector_hear_answer(talk, &plan);
    if (!startup_vector_judge_answer(talk, &plan, answer))
        return;
    if (answer == STARTUP_ACCEPTED) {
        if (startup_vector_judge_reply(talk, pairs, &plan)) {
            talk_begin_operation(talk);
            if (say_first(talk, &plan))
                startup_vector_exchange(talk, &plan);
        }
    } else if (answer == STARTUP_REJECTED)
        exchange_pass_refusal(talk, plan.flags, "rejected, as an upper layer that needs more Reads may do");
    else
        exchange_pass_refusal(talk, plan.flags, "refused");
}

/* ---- private data that the device's upper layer accepts ---- */

/* The upper layer decides about private data: it may reject unknown data (RFC 5044 section 7.1.2). */
static bool is_disliked(const struct pairs *pairs, int length)
{
    int vector[STARTUP_PARAMETERS];
    const struct mpa_startup *reply;
    struct startup_plan plan;
    struct talk *talk = talk_begin_job(pairs->run, NULL, 1, NULL);
    bool disliked;

    memcpy(vector, pairs->usual, sizeof vector);
    vector[STARTUP_AT_PD] = length;
    startup_settle(pairs, vector);
    plan = startup_plan_of(vector);
    reply = talk_open(talk) && startup_vector_send_request(talk, &plan) ? talk_hear_frame(talk) : NULL;
    disliked = reply && reply->flags & MPA_FLAG_R;
    talk_end_job(talk);
    return disliked;
}

static bool startup_vector_prepare(struct pairs *pairs, char **why)
{
    const struct pairs_parameter *lengths = &startup_parameters[STARTUP_AT_PD];

    startup_usual(pairs);
    if (pairs->run->leaves) {
        *why = g_strdup("the device closes soon after the start-up, whatever is sent");
        return false;
    }
    for (int i = 0; i < (int)lengths->n; i++) {
        if (i == pairs->usual[STARTUP_AT_PD] || pairs->left_out[STARTUP_AT_PD][i] ||
            startup_refused(pairs, STARTUP_AT_PD, i))
            continue;
        pairs->left_out[STARTUP_AT_PD][i] = is_disliked(pairs, i);
        if (pairs->left_out[STARTUP_AT_PD][i])
            g_printerr("iwarp-gen: pd=%s is left out: the device's upper layer rejects such private data\n",
                       lengths->values[i]);
    }
    return true;
}

const struct pairs_model pairs_startup = {
    .name = "startup",
    .what = "MPA's start-up, of a Responder",
    .parameters = startup_parameters,
    .n = STARTUP_PARAMETERS,
    .conditions = startup_conditions,
    .rule = RULE_MPA_7_1_2_10,
    .expected = "the answer, the Reply, CRC, Markers and Reads that follow from these values (RFC 5044, RFC 6581)",
    .duts = DUT_RESPONDER,
    .prepare = startup_vector_prepare,
    .allowed = startup_allowed,
    .refused = startup_refused,
    .settle = startup_settle,
    .run = startup_vector_run,
};
