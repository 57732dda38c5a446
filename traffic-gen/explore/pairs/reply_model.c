// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/reply_model.h"

#include <string.h>

enum { ALL_RTR = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ, NOT = MPA_IRD_ORD_NOT_NEGOTIATED };

/* ---- values ---- */

static const char *const off_on[] = {"0", "1"}, *const on_off[] = {"1", "0"},
                         *const irds[] = {PAIRS_ABSENT, "same", "0", "1", "16382"},
                         *const ords[] = {PAIRS_ABSENT, "same", "0", "1"}, *const rtrs[] = {PAIRS_ABSENT, "same",
                                                                                            "send",       "write",
                                                                                            "read",       "none"};

#define VALUES(of) (of), G_N_ELEMENTS(of)

const struct pairs_parameter reply_parameters[REPLY_PARAMETERS] = {
    [REPLY_AT_M] = {"M", "we want Markers", VALUES(off_on)},
    [REPLY_AT_C] = {"C", "CRC", VALUES(on_off)},
    [REPLY_AT_IRD] = {"ird", "IRD; same: the Request's ORD", VALUES(irds)},
    [REPLY_AT_ORD] = {"ord", "ORD; same: the Request's IRD, 16 at most", VALUES(ords)},
    [REPLY_AT_RTR] = {"rtr", "types of RTR: all that the Request has, this one, none of them, which is refused",
                      VALUES(rtrs)},
    [REPLY_AT_PD] = {"pd", "octets of the upper layer's private data; above 508 (S = 1) or 512 it is refused",
                     frames_lengths, FRAMES_LENGTHS},
    [REPLY_AT_CUT] = {"cut", "TCP segments of the Reply: one, cut there, or one for each octet", frames_cuts,
                      FRAMES_CUTS},
};

/* ---- constraints ---- */

/* reply_usual() decides from the Request alone which values exist. */
const struct pairs_condition reply_conditions[] = {{0, 0, 0}};

/* The remaining RTR types, after the Request seen while learning. */
static unsigned reply_model_common_rtr(const struct pairs *pairs, const int *vector)
{
    static const uint8_t types[] = {0, ALL_RTR, MPA_RTR_SEND, MPA_RTR_WRITE, MPA_RTR_READ, 0};

    return types[vector[REPLY_AT_RTR]] & pairs->run->terms.data.rtr;
}

/* An RTR Read needs an IRD of at least 1 (RFC 6581 sections 9.1, 9.2). */
static bool serves_rtr(const struct pairs *pairs, const int *vector)
{
    return vector[REPLY_AT_IRD] == COVERING_OPEN || vector[REPLY_AT_RTR] == COVERING_OPEN ||
           !pairs_is(&pairs_reply, vector, REPLY_AT_IRD, "0") || reply_model_common_rtr(pairs, vector) != MPA_RTR_READ;
}

static bool reply_model_has_data_to_cut(const struct pairs *pairs, const int *vector)
{
    return pairs->run->terms.enhanced || !pairs_is(&pairs_reply, vector, REPLY_AT_CUT, "data") ||
           !pairs_is(&pairs_reply, vector, REPLY_AT_PD, "0");
}

bool reply_allowed(const void *ctx, const int *vector)
{
    return pairs_allowed(ctx, vector) && serves_rtr(ctx, vector) && reply_model_has_data_to_cut(ctx, vector);
}

bool reply_refused(const void *ctx, unsigned parameter, int chosen)
{
    (void)ctx;
    if (parameter == REPLY_AT_PD)
        return chosen == pairs_value(&pairs_reply, REPLY_AT_PD, "509") ||
               chosen == pairs_value(&pairs_reply, REPLY_AT_PD, "513");
    return parameter == REPLY_AT_RTR && chosen == pairs_value(&pairs_reply, REPLY_AT_RTR, "none");
}

/* ---- usual values ---- */

static void leave_out(struct pairs *pairs, enum reply_parameter parameter, const char *text)
{
    pairs->left_out[parameter][pairs_value(&pairs_reply, parameter, text)] = true;
}

/* All except one. */
static void leave_one(struct pairs *pairs, enum reply_parameter parameter, const char *text)
{
    for (int i = 0; i < (int)reply_parameters[parameter].n; i++)
        pairs->left_out[parameter][i] = i != pairs_value(&pairs_reply, parameter, text);
    pairs->usual[parameter] = pairs_value(&pairs_reply, parameter, text);
}

static void choose_lengths(struct pairs *pairs)
{
    static const char *const too_much[][2] = {{"509", NULL}, {"512", "513"}};
    const struct startup_terms *terms = &pairs->run->terms;
    const bool has_words = terms->words == PRIVATE_DATA_ADVERT && pairs->run->has & NEED_REGIONS;

    pairs->usual[REPLY_AT_PD] = pairs_value(&pairs_reply, REPLY_AT_PD,
                                            terms->words == PRIVATE_DATA_RPC ? "8"
                                            : has_words                      ? "16"
                                                                             : "0");
    if (terms->words != PRIVATE_DATA_RPC)
        leave_out(pairs, REPLY_AT_PD, "8");
    /* With S = 1 the enhanced data take 4 of the 512 octets (RFC 6581 section 6). */
    for (unsigned i = 0; i < 2 && too_much[terms->enhanced][i]; i++)
        leave_out(pairs, REPLY_AT_PD, too_much[terms->enhanced][i]);
}

static void choose_reads(struct pairs *pairs, const struct mpa_enhanced *request)
{
    pairs->usual[REPLY_AT_IRD] = pairs_value(&pairs_reply, REPLY_AT_IRD, "same");
    pairs->usual[REPLY_AT_ORD] = pairs_value(&pairs_reply, REPLY_AT_ORD, "same");
    leave_out(pairs, REPLY_AT_IRD, PAIRS_ABSENT);
    leave_out(pairs, REPLY_AT_ORD, PAIRS_ABSENT);
    if (request->ord == NOT) /* if one end does not negotiate, the other does not either */
        leave_one(pairs, REPLY_AT_IRD, "same");
    if (request->ird == NOT || request->ird == 0)
        leave_one(pairs, REPLY_AT_ORD, "same");
}

static void choose_rtr(struct pairs *pairs, const struct mpa_enhanced *request)
{
    static const struct {
        const char *name;
        uint8_t type;
    } types[] = {{"send", MPA_RTR_SEND}, {"write", MPA_RTR_WRITE}, {"read", MPA_RTR_READ}};

    if (!request->peer_to_peer) {
        leave_one(pairs, REPLY_AT_RTR, PAIRS_ABSENT);
        return;
    }
    pairs->usual[REPLY_AT_RTR] = pairs_value(&pairs_reply, REPLY_AT_RTR, "same");
    leave_out(pairs, REPLY_AT_RTR, PAIRS_ABSENT);
    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
        if (!(request->rtr & types[i].type) || request->rtr == types[i].type)
            leave_out(pairs, REPLY_AT_RTR, types[i].name);
    }
    if (request->rtr == ALL_RTR) /* a Reply must have a type, and each value is a type */
        leave_out(pairs, REPLY_AT_RTR, "none");
}

void reply_usual(struct pairs *pairs)
{
    const struct startup_terms *terms = &pairs->run->terms;

    memset(pairs->left_out, 0, sizeof pairs->left_out);
    pairs->usual[REPLY_AT_M] = pairs_value(&pairs_reply, REPLY_AT_M, terms->markers ? "1" : "0");
    pairs->usual[REPLY_AT_C] = pairs_value(&pairs_reply, REPLY_AT_C, terms->no_crc || terms->crc_follows ? "0" : "1");
    pairs->usual[REPLY_AT_CUT] = pairs_value(&pairs_reply, REPLY_AT_CUT, "whole");
    choose_lengths(pairs);
    if (terms->enhanced) {
        choose_reads(pairs, &terms->data);
        choose_rtr(pairs, &terms->data);
    } else {
        leave_one(pairs, REPLY_AT_IRD, PAIRS_ABSENT);
        leave_one(pairs, REPLY_AT_ORD, PAIRS_ABSENT);
        leave_one(pairs, REPLY_AT_RTR, PAIRS_ABSENT);
    }
}

/* ---- the Reply ---- */

static uint16_t reads_of(const int *vector, enum reply_parameter parameter, uint16_t same)
{
    return pairs_is(&pairs_reply, vector, parameter, "same") ? same
                                                             : (uint16_t)pairs_number(&pairs_reply, vector, parameter);
}

static struct mpa_enhanced reply_model_answer(const int *vector, const struct mpa_enhanced *request)
{
    static const uint8_t types[] = {0, ALL_RTR, MPA_RTR_SEND, MPA_RTR_WRITE, MPA_RTR_READ};
    const uint16_t reads = (uint16_t)(request->ird == NOT ? NOT : MIN(request->ird, STARTUP_READS));
    struct mpa_enhanced reply = {.ird = reads_of(vector, REPLY_AT_IRD, request->ord),
                                 .ord = reads_of(vector, REPLY_AT_ORD, reads),
                                 .peer_to_peer = request->peer_to_peer};

    if (pairs_is(&pairs_reply, vector, REPLY_AT_RTR, "none"))
        reply.rtr = (uint8_t)(ALL_RTR & ~request->rtr);
    else if (request->peer_to_peer)
        reply.rtr = types[vector[REPLY_AT_RTR]] & request->rtr;
    return reply;
}

struct reply_plan reply_plan_of(const struct pairs *pairs, const int *vector, const struct mpa_enhanced *request)
{
    struct reply_plan plan = {.flags = (uint8_t)((pairs_is(&pairs_reply, vector, REPLY_AT_M, "1") ? MPA_FLAG_M : 0) |
                                                 (pairs_is(&pairs_reply, vector, REPLY_AT_C, "1") ? MPA_FLAG_C : 0) |
                                                 (request ? MPA_FLAG_S : 0)),
                              .is_enhanced = request != NULL,
                              .data_length = (uint16_t)pairs_number(&pairs_reply, vector, REPLY_AT_PD),
                              .usual_data = vector[REPLY_AT_PD] == pairs->usual[REPLY_AT_PD],
                              .cut = (enum frames_cut)vector[REPLY_AT_CUT]};

    if (request)
        plan.enhanced = reply_model_answer(vector, request);
    return plan;
}

unsigned reply_outcomes(const struct reply_plan *plan, const struct mpa_enhanced *request, enum rule_id *rule)
{
    *rule = RULE_MPA_7_1_2_22;
    if (plan->data_length + (plan->is_enhanced ? MPA_ENHANCED_LEN : 0) > MPA_PRIVATE_DATA_MAX) {
        *rule = RULE_MPA_7_1_2_17;
        return REPLY_REFUSED;
    }
    if (plan->is_enhanced && request->peer_to_peer && !(plan->enhanced.rtr & request->rtr)) {
        *rule = RULE_MPA2_9_2_13;
        return REPLY_REFUSED;
    }
    /* The Responder's upper layer may need the Reads that it asked for (RFC 6581 section 9.1). */
    return REPLY_GOES_ON | (plan->is_enhanced && plan->enhanced.ird < request->ord ? REPLY_REFUSED : 0);
}
