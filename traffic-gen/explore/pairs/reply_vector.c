// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs a vector of our Reply against an Initiator: its first FPDU, and the terms of the two frames. */
#include "traffic-gen/explore/pairs/exchange.h"
#include "traffic-gen/explore/pairs/reply_model.h"
#include "traffic-gen/tester/suite/talk/talk_job.h"

/* ---- the Reply ---- */

static bool vector_send_reply(struct talk *talk, const struct reply_plan *plan)
{
    uint8_t data[MPA_PRIVATE_DATA_MAX + 1];
    size_t cuts[FRAMES_CUTS_MAX];
    g_autofree char *flags = g_strdup_printf("mpa.flags=%u", plan->flags);
    g_autofree char *frame = !plan->is_enhanced ? g_strdup(flags)
                                                : g_strdup_printf("mpa.a=%d mpa.rtr=%u mpa.ird=%u mpa.ord=%u %s",
                                                                  plan->enhanced.peer_to_peer, plan->enhanced.rtr,
                                                                  plan->enhanced.ird, plan->enhanced.ord, flags);
    struct talk_wish wish = {.frame = frame};

    frames_fill(talk_job(talk)->run, data, sizeof data);
    if (!plan->usual_data) {
        wish.private_data = data;
        wish.private_length = plan->data_length;
    }
    wish.n_cuts = frames_cut(plan->cut, plan->data_length + (plan->is_enhanced ? MPA_ENHANCED_LEN : 0u), cuts);
    wish.cuts = wish.n_cuts > 0 ? cuts : NULL;
    return talk_send_frame(talk, &wish);
}

/* ---- the device's reaction ---- */

static void reply_vector_judge_refused(struct talk *talk, unsigned flags, enum rule_id rule)
{
    const struct talk_heard *heard = talk_hear(talk, talk_t_close(talk));

    if (heard->is_terminate && heard->meant.layer != RDMAP_LAYER_LLP)
        talk_inconclusive(talk, "refused, but not by MPA, whose Reply is wrong: %s", talk_describe(talk, heard));
    else if (exchange_is_refusal(heard))
        exchange_pass_refusal(talk, flags, "refused");
    else
        pairs_failed(talk, rule, "expected a Terminate, or a close; found %s", talk_describe(talk, heard));
}

/* With ORD 0 we may send no Reads. */
static void reply_vector_exchange(struct talk *talk, const struct reply_plan *plan)
{
    const bool has_words = talk_job(talk)->run->terms.words == PRIVATE_DATA_ADVERT &&
                           (plan->usual_data || plan->data_length >= ADVERT_WISH_LEN);
    struct exchange may = {.echo = talk_echoes(talk) && has_words,
                           .no_ord = plan->is_enhanced && plan->enhanced.ord == 0,
                           .ird_rule = RULE_MPA2_9_1_14};

    may.reads = talk_reads(talk) && !may.no_ord;
    if (plan->is_enhanced && plan->enhanced.ord != MPA_IRD_ORD_NOT_NEGOTIATED)
        may.at_once = plan->enhanced.ord;
    exchange_by_terms(talk, &may, RULE_MPA_7_1_2_22, "FPDUs");
}

static void reply_vector_judge_first(struct talk *talk, const struct reply_plan *plan, unsigned outcomes,
                                     enum rule_id rule)
{
    if (talk_first_fpdu(talk))
        reply_vector_exchange(talk, plan);
    else if (outcomes & REPLY_REFUSED && exchange_is_refusal(talk_last(talk)))
        exchange_pass_refusal(talk, plan->flags, "refused");
    else
        pairs_failed(talk, rule, "expected FPDUs; found %s", talk_found(talk));
}

/* ---- a vector ---- */

static void reply_vector_run(struct talk *talk, const struct pairs *pairs, const int *vector)
{
    const struct mpa_startup *frame;
    const struct mpa_enhanced *request;
    struct reply_plan plan;
    unsigned outcomes;
    enum rule_id rule;

    if (!talk_open(talk))
        return;
    frame = talk_hear_frame(talk);
    if (!frame || frame->has_enhanced != pairs->run->terms.enhanced) {
        talk_inconclusive(talk, "expected a Request as the device's first; found %s", talk_found(talk));
        return;
    }
    request = frame->has_enhanced ? &frame->enhanced : NULL;
    plan = reply_plan_of(pairs, vector, request);
    outcomes = reply_outcomes(&plan, request, &rule);
    if (!vector_send_reply(talk, &plan))
        return;
    talk_begin_operation(talk);
    if (outcomes == REPLY_REFUSED)
        reply_vector_judge_refused(talk, plan.flags, rule);
    else
        reply_vector_judge_first(talk, &plan, outcomes, rule);
}

static bool reply_vector_prepare(struct pairs *pairs, char **why)
{
    reply_usual(pairs);
    if (pairs->run->leaves)
        *why = g_strdup("the device closes soon after the start-up, whatever is sent");
    return !*why;
}

const struct pairs_model pairs_reply = {
    .name = "reply",
    .what = "MPA's start-up, of an Initiator: our Reply",
    .parameters = reply_parameters,
    .n = REPLY_PARAMETERS,
    .conditions = reply_conditions,
    .rule = RULE_MPA_7_1_2_22,
    .expected = "FPDUs, with the CRC, Markers and Reads that follow from these values (RFC 5044, RFC 6581)",
    .duts = DUT_INITIATOR,
    .prepare = reply_vector_prepare,
    .allowed = reply_allowed,
    .refused = reply_refused,
    .settle = pairs_settle,
    .run = reply_vector_run,
};
