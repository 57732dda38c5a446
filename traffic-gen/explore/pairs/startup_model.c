// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/pairs/startup_model.h"

#include <string.h>

enum { REVISION_UNKNOWN = 3, ALL_RTR = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ, NOT = MPA_IRD_ORD_NOT_NEGOTIATED };

/* ---- values ---- */

static const char *const revisions[] = {"2", "1", "3"}, *const on_off[] = {"1", "0"}, *const off_on[] = {"0", "1"},
                         *const reads[] = {PAIRS_ABSENT, "16", "1", "0", "16382", "16383"},
                         *const rtrs[] = {PAIRS_ABSENT, "none", "bits", "send", "write", "read", "all"};

#define VALUES(of) (of), G_N_ELEMENTS(of)

const struct pairs_parameter startup_parameters[STARTUP_PARAMETERS] = {
    [STARTUP_AT_REV] = {"rev", "revision; 3, which no document defines, is refused", VALUES(revisions)},
    [STARTUP_AT_S] = {"S", "enhanced data of RFC 6581", VALUES(on_off)},
    [STARTUP_AT_M] = {"M", "we want Markers", VALUES(off_on)},
    [STARTUP_AT_C] = {"C", "CRC", VALUES(on_off)},
    [STARTUP_AT_IRD] = {"ird", "IRD; 16383: not negotiated", VALUES(reads)},
    [STARTUP_AT_ORD] = {"ord", "ORD; 16383: not negotiated", VALUES(reads)},
    [STARTUP_AT_RTR] = {"rtr", "A to D: A = 0; A = 0 with B, C and D set; A = 1 with these types", VALUES(rtrs)},
    [STARTUP_AT_PD] = {"pd", "octets of the upper layer's private data; above 508 (S = 1) or 512 it is refused",
                       frames_lengths, FRAMES_LENGTHS},
    [STARTUP_AT_CUT] = {"cut", "TCP segments of the Request: one, cut there, or one for each octet", frames_cuts,
                        FRAMES_CUTS},
};

/* ---- constraints ---- */

enum { S_IS_1 = 1 << 0 }; /* as in on_off[] */

const struct pairs_condition startup_conditions[] = {{STARTUP_AT_IRD, STARTUP_AT_S, S_IS_1},
                                                     {STARTUP_AT_ORD, STARTUP_AT_S, S_IS_1},
                                                     {STARTUP_AT_RTR, STARTUP_AT_S, S_IS_1},
                                                     {0, 0, 0}};

/* With S = 1 the enhanced data take 4 of the 512 octets (RFC 6581 section 6). */
static bool length_fits_s(const int *vector)
{
    if (pairs_is(&pairs_startup, vector, STARTUP_AT_S, "1"))
        return !pairs_is(&pairs_startup, vector, STARTUP_AT_PD, "512") &&
               !pairs_is(&pairs_startup, vector, STARTUP_AT_PD, "513");
    return !pairs_is(&pairs_startup, vector, STARTUP_AT_PD, "509");
}

static bool startup_model_has_data_to_cut(const int *vector)
{
    return !pairs_is(&pairs_startup, vector, STARTUP_AT_CUT, "data") ||
           !pairs_is(&pairs_startup, vector, STARTUP_AT_S, "0") ||
           !pairs_is(&pairs_startup, vector, STARTUP_AT_PD, "0");
}

bool startup_allowed(const void *ctx, const int *vector)
{
    if (!pairs_allowed(ctx, vector))
        return false;
    if (pairs_is(&pairs_startup, vector, STARTUP_AT_REV, "1") &&
        pairs_is(&pairs_startup, vector, STARTUP_AT_S, "1")) /* S needs revision 2 (RFC 6581 section 6) */
        return false;
    return vector[STARTUP_AT_S] == COVERING_OPEN || (length_fits_s(vector) && startup_model_has_data_to_cut(vector));
}

bool startup_refused(const void *ctx, unsigned parameter, int chosen)
{
    (void)ctx;
    if (parameter == STARTUP_AT_PD)
        return chosen == pairs_value(&pairs_startup, STARTUP_AT_PD, "509") ||
               chosen == pairs_value(&pairs_startup, STARTUP_AT_PD, "513");
    return parameter == STARTUP_AT_REV && chosen == pairs_value(&pairs_startup, STARTUP_AT_REV, "3");
}

static void settle_length(int *vector)
{
    static const struct {
        const char *s, *from, *to;
    } lengths_by_s[] = {{"1", "512", "508"}, {"1", "513", "509"}, {"0", "509", "513"}};

    for (unsigned i = 0; i < G_N_ELEMENTS(lengths_by_s); i++) {
        if (pairs_is(&pairs_startup, vector, STARTUP_AT_S, lengths_by_s[i].s) &&
            pairs_is(&pairs_startup, vector, STARTUP_AT_PD, lengths_by_s[i].from)) {
            vector[STARTUP_AT_PD] = pairs_value(&pairs_startup, STARTUP_AT_PD, lengths_by_s[i].to);
            return;
        }
    }
}

void startup_settle(const struct pairs *pairs, int *vector)
{
    if (pairs_is(&pairs_startup, vector, STARTUP_AT_REV, "1"))
        vector[STARTUP_AT_S] = pairs_value(&pairs_startup, STARTUP_AT_S, "0");
    pairs_settle(pairs, vector);
    settle_length(vector);
}

/* ---- usual values ---- */

static int usual_reads(unsigned number)
{
    g_autofree char *text = g_strdup_printf("%u", number);
    int chosen = pairs_value(&pairs_startup, STARTUP_AT_IRD, text);

    return chosen == COVERING_OPEN ? pairs_value(&pairs_startup, STARTUP_AT_IRD, "16") : chosen;
}

static int usual_rtr(const struct startup_terms *terms)
{
    static const char *const names[] = {
        [0] = "none", [MPA_RTR_SEND] = "send", [MPA_RTR_WRITE] = "write", [MPA_RTR_READ] = "read", [ALL_RTR] = "all"};
    const char *name = terms->data.peer_to_peer ? names[terms->data.rtr & ALL_RTR] : "none";

    return pairs_value(&pairs_startup, STARTUP_AT_RTR, name ? name : "all");
}

void startup_usual(struct pairs *pairs)
{
    static const char *const words[] = {
        [PRIVATE_DATA_ADVERT] = "16", [PRIVATE_DATA_RPC] = "8", [PRIVATE_DATA_NONE] = "0"};
    const struct startup_terms *terms = &pairs->run->terms;
    bool knows_enhanced = pairs->run->has & NEED_ENHANCED;

    memset(pairs->left_out, 0, sizeof pairs->left_out);
    pairs->usual[STARTUP_AT_REV] = pairs_value(&pairs_startup, STARTUP_AT_REV, terms->revision == 2 ? "2" : "1");
    pairs->usual[STARTUP_AT_S] = pairs_value(&pairs_startup, STARTUP_AT_S, terms->enhanced ? "1" : "0");
    pairs->usual[STARTUP_AT_M] = pairs_value(&pairs_startup, STARTUP_AT_M, terms->markers ? "1" : "0");
    pairs->usual[STARTUP_AT_C] = pairs_value(&pairs_startup, STARTUP_AT_C, terms->no_crc ? "0" : "1");
    pairs->usual[STARTUP_AT_IRD] = usual_reads(terms->data.ird);
    pairs->usual[STARTUP_AT_ORD] = usual_reads(terms->data.ord);
    pairs->usual[STARTUP_AT_RTR] = usual_rtr(terms);
    pairs->usual[STARTUP_AT_PD] = pairs_value(&pairs_startup, STARTUP_AT_PD, words[terms->words]);
    pairs->usual[STARTUP_AT_CUT] = pairs_value(&pairs_startup, STARTUP_AT_CUT, "whole");
    if (terms->words != PRIVATE_DATA_RPC)
        pairs->left_out[STARTUP_AT_PD][pairs_value(&pairs_startup, STARTUP_AT_PD, "8")] = true;
    if (!knows_enhanced) {
        pairs->left_out[STARTUP_AT_S][pairs_value(&pairs_startup, STARTUP_AT_S, "1")] = true;
        /* A device that knows only RFC 5044 may close after a revision other than its own (section 7.1.1). */
        if (terms->revision != 2)
            pairs->left_out[STARTUP_AT_REV][pairs_value(&pairs_startup, STARTUP_AT_REV, "2")] = true;
    }
}

/* ---- the Request ---- */

static struct mpa_enhanced enhanced_of(const int *vector)
{
    static const uint8_t types[] = {[1] = 0, ALL_RTR, MPA_RTR_SEND, MPA_RTR_WRITE, MPA_RTR_READ, ALL_RTR};
    const int rtr = vector[STARTUP_AT_RTR];

    return (struct mpa_enhanced){.ird = (uint16_t)pairs_number(&pairs_startup, vector, STARTUP_AT_IRD),
                                 .ord = (uint16_t)pairs_number(&pairs_startup, vector, STARTUP_AT_ORD),
                                 .rtr = types[rtr],
                                 .peer_to_peer = rtr > pairs_value(&pairs_startup, STARTUP_AT_RTR, "bits")};
}

struct startup_plan startup_plan_of(const int *vector)
{
    struct startup_plan plan = {.revision = (uint8_t)pairs_number(&pairs_startup, vector, STARTUP_AT_REV),
                                .flags =
                                    (uint8_t)((pairs_is(&pairs_startup, vector, STARTUP_AT_M, "1") ? MPA_FLAG_M : 0) |
                                              (pairs_is(&pairs_startup, vector, STARTUP_AT_C, "1") ? MPA_FLAG_C : 0) |
                                              (pairs_is(&pairs_startup, vector, STARTUP_AT_S, "1") ? MPA_FLAG_S : 0)),
                                .is_enhanced = pairs_is(&pairs_startup, vector, STARTUP_AT_S, "1"),
                                .data_length = (uint16_t)pairs_number(&pairs_startup, vector, STARTUP_AT_PD),
                                .cut = (enum frames_cut)vector[STARTUP_AT_CUT]};

    if (plan.is_enhanced)
        plan.enhanced = enhanced_of(vector);
    return plan;
}

/* ---- the answer ---- */

static bool is_too_long(const struct startup_plan *plan)
{
    return plan->data_length + (plan->is_enhanced ? MPA_ENHANCED_LEN : 0) > MPA_PRIVATE_DATA_MAX;
}

unsigned startup_answers(const struct startup_plan *plan)
{
    if (plan->revision == REVISION_UNKNOWN) /* RFC 5044 sections 7.1.1 and C.2.1 */
        return STARTUP_CLOSED | STARTUP_NAMED;
    if (is_too_long(plan)) /* sections 7.1.1 and 7.1.2 */
        return STARTUP_CLOSED;
    /* The Responder's upper layer may need more Reads than the Request allows (RFC 6581 section 9.1). */
    if (plan->is_enhanced && plan->enhanced.ird < STARTUP_READS)
        return STARTUP_ACCEPTED | STARTUP_REJECTED;
    return STARTUP_ACCEPTED;
}

enum rule_id startup_wrong_answer(const struct startup_plan *plan, enum startup_answer answer)
{
    if (plan->revision == REVISION_UNKNOWN)
        return answer == STARTUP_ACCEPTED ? RULE_MPA_7_1_1_24 : RULE_MPA_7_1_1_25;
    if (!is_too_long(plan))
        return RULE_MPA_7_1_2_10;
    return answer == STARTUP_ACCEPTED   ? RULE_MPA_7_1_1_31
           : answer == STARTUP_REJECTED ? RULE_MPA_7_1_2_40
                                        : RULE_MPA_7_1_2_04;
}

/* ---- the Reply ---- */

static bool res_is_zero(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    (void)plan;
    return (reply->flags & MPA_FLAGS_RES) == 0;
}

static bool is_enhanced_too(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->is_enhanced || reply->has_enhanced;
}

static bool is_unenhanced_too(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return plan->is_enhanced || !(reply->flags & MPA_FLAG_S);
}

static bool has_a(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->enhanced.peer_to_peer || reply->enhanced.peer_to_peer;
}

static bool has_no_a(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->is_enhanced || plan->enhanced.peer_to_peer || !reply->enhanced.peer_to_peer;
}

static bool names_a_type(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->enhanced.peer_to_peer || reply->enhanced.rtr != 0;
}

static bool names_none_without_a(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->is_enhanced || plan->enhanced.peer_to_peer || reply->enhanced.rtr == 0;
}

static bool ord_is_within_ird(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->is_enhanced || plan->enhanced.ird == NOT || reply->enhanced.ord == NOT ||
           reply->enhanced.ord <= plan->enhanced.ird;
}

static bool ird_is_left_open(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->is_enhanced || plan->enhanced.ord != NOT || reply->enhanced.ird == NOT;
}

static bool ord_is_left_open(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->is_enhanced || plan->enhanced.ird != NOT || reply->enhanced.ord == NOT;
}

/* If Read is the only common type, it needs an IRD of at least 1 (RFC 6581 sections 9.1, 9.2). */
static bool serves_rtr_read(const struct startup_plan *plan, const struct mpa_startup *reply)
{
    return !plan->enhanced.peer_to_peer || (plan->enhanced.rtr & reply->enhanced.rtr) != MPA_RTR_READ ||
           reply->enhanced.ird > 0;
}

static const struct startup_check checks[] = {
    {RULE_MPA_7_1_1_21, res_is_zero, "Res bits of zero"},
    {RULE_MPA2_10_01, is_enhanced_too, "S = 1, as in the Request"},
    {RULE_MPA2_10_02, is_unenhanced_too, "S = 0, as in the Request"},
    {RULE_MPA2_9_2_06, has_a, "A = 1, as in the Request"},
    {RULE_MPA2_9_2_18, has_no_a, "A = 0, as in the Request"},
    {RULE_MPA2_9_2_11, names_a_type, "a type of RTR"},
    {RULE_MPA2_9_2_19, names_none_without_a, "no type of RTR with A = 0"},
    {RULE_MPA2_9_1_10, ord_is_within_ird, "an ORD of at most the Request's IRD"},
    {RULE_MPA2_9_1_22, ird_is_left_open, "IRD 16383, as the Request's ORD"},
    {RULE_MPA2_9_1_25, ord_is_left_open, "ORD 16383, as the Request's IRD"},
    {RULE_MPA2_9_2_28, serves_rtr_read, "an IRD of at least 1 for an RTR Read"},
};

const struct startup_check *startup_breach(const struct startup_plan *plan, const struct mpa_startup *reply,
                                           const struct startup_check *last)
{
    for (const struct startup_check *check = last ? last + 1 : checks; check < checks + G_N_ELEMENTS(checks); check++) {
        if (!check->good(plan, reply))
            return check;
    }
    return NULL;
}
