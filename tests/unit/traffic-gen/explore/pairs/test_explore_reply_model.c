// SPDX-License-Identifier: GPL-2.0-or-later
/* The model of our Replies: its vectors and the required results depend on the Request. */
#include "tests/unit/support/support.h"
#include "traffic-gen/explore/pairs/reply_model.h"

#include <string.h>

enum { ALL = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ, NOT = MPA_IRD_ORD_NOT_NEGOTIATED };

static struct talk_run run_of(const struct mpa_enhanced *request)
{
    struct talk_run run = {.dut = DUT_INITIATOR, .terms = {.revision = 1}};

    if (request)
        run.terms = (struct startup_terms){.revision = 2, .enhanced = true, .data = *request};
    return run;
}

static struct pairs pairs_of(struct talk_run *run)
{
    struct pairs pairs = {.model = &pairs_reply, .run = run};

    reply_usual(&pairs);
    return pairs;
}

/* The vector of a text like that of a report: values that are not mentioned are as usual. */
static void read_vector(const struct pairs *pairs, const char *text, int *vector)
{
    const struct pairs_model *model;
    g_autofree char *whole = g_strdup_printf("reply/%s", text), *why = NULL;
    struct pairs_values some = {0};

    memcpy(vector, pairs->usual, REPLY_PARAMETERS * sizeof *vector);
    if (*text)
        assert_true(pairs_parse(whole, &model, &some, &why));
    for (unsigned i = 0; i < REPLY_PARAMETERS; i++) {
        if (some.parameters & 1U << i)
            vector[i] = some.values[i];
    }
}

static bool is_allowed(const struct pairs *pairs, const char *text)
{
    int vector[COVERING_PARAMETERS_MAX];

    read_vector(pairs, text, vector);
    return reply_allowed(pairs, vector);
}

struct allowed {
    const char *text;
    bool with_plain, with_reads, with_rtr; /* Requests: S = 0; S = 1, A = 0; A = 1 with Writes and Reads */
};

UNIT_TEST(what_a_request_allows)
{
    static const struct allowed rows[] = {
        {"M=1,C=0,cut=octets", true, true, true},
        {"ird=1", false, true, true},
        {"ord=0", false, true, true},
        {"rtr=write", false, false, true},
        {"rtr=send", false, false, false}, /* it has none */
        {"rtr=none", false, false, true},
        {"rtr=read,ird=1", false, false, true},
        {"rtr=read,ird=0", false, false, false}, /* a Read needs an IRD of at least 1 */
        {"pd=509", false, true, true},
        {"pd=513", true, false, false},
        {"pd=512", true, false, false},
        {"pd=8", false, false, false}, /* RPC's */
        {"pd=0,cut=data", false, true, true},
    };
    static const struct mpa_enhanced reads = {.ird = 8, .ord = 4},
                                     rtr = {
                                         .ird = 8, .ord = 4, .peer_to_peer = true, .rtr = MPA_RTR_WRITE | MPA_RTR_READ};
    struct talk_run plain_run = run_of(NULL), reads_run = run_of(&reads), rtr_run = run_of(&rtr);
    const struct pairs plain = pairs_of(&plain_run), with_reads = pairs_of(&reads_run), with_rtr = pairs_of(&rtr_run);

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        assert_int_equal(is_allowed(&plain, rows[i].text), rows[i].with_plain);
        assert_int_equal(is_allowed(&with_reads, rows[i].text), rows[i].with_reads);
        assert_int_equal(is_allowed(&with_rtr, rows[i].text), rows[i].with_rtr);
    }
}

/* Values that the Request does not negotiate are not in the Reply; a Request of all types leaves no others. */
UNIT_TEST(what_follows)
{
    static const struct mpa_enhanced open = {.ird = NOT, .ord = NOT},
                                     all = {.peer_to_peer = true, .rtr = ALL, .ord = 1};
    struct talk_run open_run = run_of(&open), all_run = run_of(&all);
    const struct pairs opened = pairs_of(&open_run), all_types = pairs_of(&all_run);
    int vector[COVERING_PARAMETERS_MAX];
    struct reply_plan plan;

    assert_false(is_allowed(&opened, "ird=1"));
    assert_false(is_allowed(&opened, "ord=1"));
    read_vector(&opened, "", vector);
    plan = reply_plan_of(&opened, vector, &open);
    assert_int_equal(plan.enhanced.ird, NOT);
    assert_int_equal(plan.enhanced.ord, NOT);
    assert_false(is_allowed(&all_types, "rtr=none"));
    assert_false(is_allowed(&all_types, "ord=1")); /* it serves no Reads */
}

UNIT_TEST(outcomes)
{
    static const struct {
        const char *text;
        unsigned outcomes;
        enum rule_id rule;
    } rows[] = {
        {"", REPLY_GOES_ON, RULE_MPA_7_1_2_22},
        {"ird=16382,ord=1", REPLY_GOES_ON, RULE_MPA_7_1_2_22},
        {"ird=1", REPLY_GOES_ON | REPLY_REFUSED, RULE_MPA_7_1_2_22},
        {"pd=508", REPLY_GOES_ON, RULE_MPA_7_1_2_22},
        {"pd=509", REPLY_REFUSED, RULE_MPA_7_1_2_17},
        {"rtr=none", REPLY_REFUSED, RULE_MPA2_9_2_13},
    };
    static const struct mpa_enhanced request = {.ird = 8, .ord = 4, .peer_to_peer = true, .rtr = MPA_RTR_READ};
    struct talk_run run = run_of(&request);
    const struct pairs pairs = pairs_of(&run);

    for (unsigned i = 0; i < G_N_ELEMENTS(rows); i++) {
        int vector[COVERING_PARAMETERS_MAX];
        struct reply_plan plan;
        enum rule_id rule;

        read_vector(&pairs, rows[i].text, vector);
        plan = reply_plan_of(&pairs, vector, &request);
        assert_int_equal(reply_outcomes(&plan, &request, &rule), rows[i].outcomes);
        assert_int_equal(rule, rows[i].rule);
        assert_true(plan.enhanced.peer_to_peer && plan.is_enhanced && plan.flags & MPA_FLAG_S);
    }
}
