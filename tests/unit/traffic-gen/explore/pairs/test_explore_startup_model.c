// SPDX-License-Identifier: GPL-2.0-or-later
/* The model of the start-up: its vectors, and the computed results. */
#include "tests/unit/support/support.h"
#include "traffic-gen/explore/pairs/startup_model.h"

#include <string.h>

enum { SEEDS = 12, VECTORS_MAX = 80 };

static struct talk_run run_of(bool enhanced)
{
    return (struct talk_run){.dut = DUT_RESPONDER,
                             .has = enhanced ? NEED_ENHANCED : 0,
                             .terms = {.revision = enhanced ? 2 : 1,
                                       .enhanced = enhanced,
                                       .data = {.ird = STARTUP_READS, .ord = STARTUP_READS}}};
}

static struct pairs pairs_of(struct talk_run *run)
{
    struct pairs pairs = {.model = &pairs_startup, .run = run};

    startup_usual(&pairs);
    return pairs;
}

static GArray *make(const struct pairs *pairs, unsigned strength, uint32_t seed)
{
    unsigned sizes[STARTUP_PARAMETERS];
    const struct covering_problem problem = {
        .n = STARTUP_PARAMETERS, .sizes = sizes, .allowed = startup_allowed, .refused = startup_refused, .ctx = pairs};
    int first[COVERING_PARAMETERS_MAX];

    for (unsigned i = 0; i < STARTUP_PARAMETERS; i++)
        sizes[i] = startup_parameters[i].n;
    memcpy(first, pairs->usual, sizeof first);
    startup_settle(pairs, first);
    return covering_make(&problem, strength, NULL, first, seed);
}

UNIT_TEST(all_pairs_are_few)
{
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        struct talk_run run = run_of(true);
        struct pairs pairs = pairs_of(&run);
        GArray *vectors = make(&pairs, 2, seed);

        assert_true(vectors->len / STARTUP_PARAMETERS <= VECTORS_MAX);
        g_array_unref(vectors);
    }
}

/* The vector of a text like that of a report: values that are not mentioned are as usual. */
static void read_vector(const struct pairs *pairs, const char *text, int *vector)
{
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);

    memcpy(vector, pairs->usual, STARTUP_PARAMETERS * sizeof *vector);
    for (unsigned i = 0; *text && parts[i]; i++) {
        g_auto(GStrv) pair = g_strsplit(parts[i], "=", 2);

        for (unsigned k = 0; k < STARTUP_PARAMETERS; k++) {
            if (strcmp(startup_parameters[k].name, pair[0]) == 0)
                vector[k] = pairs_value(&pairs_startup, k, pair[1]);
        }
    }
    startup_settle(pairs, vector);
    assert_true(startup_allowed(pairs, vector));
}

static struct startup_plan plan_of(const char *text)
{
    struct talk_run run = run_of(true);
    struct pairs pairs = pairs_of(&run);
    int vector[COVERING_PARAMETERS_MAX];

    read_vector(&pairs, text, vector);
    return startup_plan_of(vector);
}

UNIT_TEST(plain_responder)
{
    struct talk_run run = run_of(false);
    struct pairs pairs = pairs_of(&run);
    GArray *vectors = make(&pairs, 2, 1);

    for (guint i = 0; i < vectors->len; i += STARTUP_PARAMETERS) {
        const struct startup_plan plan = startup_plan_of(&g_array_index(vectors, int, i));

        assert_true(!plan.is_enhanced && plan.revision != 2);
    }
    g_array_unref(vectors);
}

UNIT_TEST(values_that_follow)
{
    assert_int_equal(plan_of("pd=512").data_length, 508); /* S = 1 leaves no room for more */
    assert_int_equal(plan_of("pd=512,S=0").data_length, 512);
    assert_int_equal(plan_of("rev=1").flags, MPA_FLAG_C);
    assert_true(!plan_of("rev=1").is_enhanced);
    assert_int_equal(plan_of("").flags, MPA_FLAG_C | MPA_FLAG_S);
    assert_int_equal(plan_of("M=1,C=0").flags, MPA_FLAG_M | MPA_FLAG_S);
    assert_true(plan_of("rtr=read").enhanced.peer_to_peer);
    assert_int_equal(plan_of("rtr=read").enhanced.rtr, MPA_RTR_READ);
    assert_true(!plan_of("rtr=bits").enhanced.peer_to_peer && plan_of("rtr=bits").enhanced.rtr == 7);
}

UNIT_TEST(answers)
{
    struct startup_plan plan = plan_of("");

    assert_int_equal(startup_answers(&plan), STARTUP_ACCEPTED);
    assert_int_equal(startup_wrong_answer(&plan, STARTUP_CLOSED), RULE_MPA_7_1_2_10);
    plan = plan_of("ird=0");
    assert_int_equal(startup_answers(&plan), STARTUP_ACCEPTED | STARTUP_REJECTED);
    plan = plan_of("rev=3");
    assert_int_equal(startup_answers(&plan), STARTUP_CLOSED | STARTUP_NAMED);
    assert_int_equal(startup_wrong_answer(&plan, STARTUP_ACCEPTED), RULE_MPA_7_1_1_24);
    plan = plan_of("pd=513,S=0");
    assert_int_equal(startup_answers(&plan), STARTUP_CLOSED);
    assert_int_equal(startup_wrong_answer(&plan, STARTUP_ACCEPTED), RULE_MPA_7_1_1_31);
    assert_int_equal(startup_wrong_answer(&plan, STARTUP_REJECTED), RULE_MPA_7_1_2_40);
    assert_int_equal(startup_answers(&(struct startup_plan){.revision = 2, .is_enhanced = true, .data_length = 509}),
                     STARTUP_CLOSED);
}

struct reply {
    const char *request;
    uint8_t flags;
    struct mpa_enhanced data;
    enum rule_id rule; /* RULE_COUNT: none */
};

UNIT_TEST(replies)
{
    enum { S = MPA_FLAG_C | MPA_FLAG_S, ALL = MPA_RTR_SEND | MPA_RTR_WRITE | MPA_RTR_READ };
    static const struct reply known[] = {
        {"", S, {.ird = 16, .ord = 16}, RULE_COUNT},
        {"", S, {.ird = 16, .ord = 17}, RULE_MPA2_9_1_10},
        {"", S | 1, {.ird = 16, .ord = 16}, RULE_MPA_7_1_1_21},
        {"", MPA_FLAG_C, {0}, RULE_MPA2_10_01},
        {"S=0", MPA_FLAG_C, {0}, RULE_COUNT},
        {"S=0", S, {.ird = 16, .ord = 16}, RULE_MPA2_10_02},
        {"rev=1,M=1", MPA_FLAG_C, {0}, RULE_COUNT},
        {"ird=0", S, {.ird = 16, .ord = 0}, RULE_COUNT},
        {"ird=0", S, {.ird = 16, .ord = 1}, RULE_MPA2_9_1_10},
        {"ird=16383", S, {.ird = 16, .ord = MPA_IRD_ORD_NOT_NEGOTIATED}, RULE_COUNT},
        {"ird=16383", S, {.ird = 16, .ord = 16}, RULE_MPA2_9_1_25},
        {"ord=16383", S, {.ird = 16, .ord = 16}, RULE_MPA2_9_1_22},
        {"rtr=all", S, {.peer_to_peer = true, .rtr = MPA_RTR_SEND, .ird = 16, .ord = 16}, RULE_COUNT},
        {"rtr=all", S, {.ird = 16, .ord = 16}, RULE_MPA2_9_2_06},
        {"rtr=all", S, {.peer_to_peer = true, .ird = 16, .ord = 16}, RULE_MPA2_9_2_11},
        {"rtr=none", S, {.peer_to_peer = true, .rtr = ALL, .ird = 16, .ord = 16}, RULE_MPA2_9_2_18},
        {"rtr=bits", S, {.rtr = ALL, .ird = 16, .ord = 16}, RULE_MPA2_9_2_19},
        {"rtr=read,ord=0", S, {.peer_to_peer = true, .rtr = MPA_RTR_READ, .ird = 0, .ord = 16}, RULE_MPA2_9_2_28},
        {"rtr=read,ord=0", S, {.peer_to_peer = true, .rtr = MPA_RTR_WRITE, .ird = 0, .ord = 16}, RULE_COUNT},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        const struct startup_plan plan = plan_of(known[i].request);
        const struct mpa_startup reply = {.kind = MPA_REPLY,
                                          .flags = known[i].flags,
                                          .has_enhanced = known[i].flags & MPA_FLAG_S,
                                          .enhanced = known[i].data};
        const struct startup_check *breach = startup_breach(&plan, &reply, NULL);

        assert_int_equal(breach ? breach->rule : RULE_COUNT, known[i].rule);
    }
}

/* One breach at a time. */
UNIT_TEST(all_breaches)
{
    static const enum rule_id broken[] = {RULE_MPA_7_1_1_21, RULE_MPA2_9_2_18, RULE_MPA2_9_2_19, RULE_MPA2_9_1_10};
    const struct startup_plan plan = plan_of("rtr=none");
    const struct mpa_startup reply = {.kind = MPA_REPLY,
                                      .flags = MPA_FLAG_C | MPA_FLAG_S | 1,
                                      .has_enhanced = true,
                                      .enhanced = {.peer_to_peer = true, .rtr = MPA_RTR_SEND, .ird = 16, .ord = 17}};
    const struct startup_check *breach = NULL;

    for (unsigned i = 0; i < G_N_ELEMENTS(broken); i++) {
        breach = startup_breach(&plan, &reply, breach);
        assert_non_null(breach);
        assert_int_equal(breach->rule, broken[i]);
    }
    assert_null(startup_breach(&plan, &reply, breach));
}

static void assert_no_values(const char *text, const char *message)
{
    const struct pairs_model *model;
    struct pairs_values some;
    char *why = NULL;

    assert_false(pairs_parse(text, &model, &some, &why));
    assert_string_equal(why, message);
    g_free(why);
}

UNIT_TEST(values_in_text)
{
    struct talk_run run = run_of(true);
    struct pairs pairs = pairs_of(&run);
    const struct pairs_model *model;
    struct pairs_values some;
    int vector[COVERING_PARAMETERS_MAX];
    char *why = NULL;

    assert_true(pairs_parse("startup/pd=257,M=1", &model, &some, &why));
    assert_ptr_equal(model, &pairs_startup);
    assert_int_equal(some.parameters, 1 << STARTUP_AT_M | 1 << STARTUP_AT_PD);
    read_vector(&pairs, "M=1,pd=257,C=0", vector);
    assert_true(pairs_has(&some, vector));
    pairs.avoided = &some;
    pairs.n_avoided = 1;
    assert_false(startup_allowed(&pairs, vector));
    read_vector(&pairs, "M=1,pd=256", vector);
    assert_false(pairs_has(&some, vector));
    assert_true(startup_allowed(&pairs, vector));
    assert_no_values("startup/ird=-", "startup has no 'ird=-' (iwarp-gen list pairs has the values)");
    assert_no_values("startup/", "'startup/' is not SUBJECT/PARAMETER=VALUE,... (iwarp-gen list pairs)");
    assert_no_values("", "'' is not SUBJECT/PARAMETER=VALUE,... (iwarp-gen list pairs)");
}

UNIT_TEST(texts)
{
    struct talk_run run = run_of(true);
    struct pairs pairs = pairs_of(&run);
    int vector[COVERING_PARAMETERS_MAX];
    char *text;

    read_vector(&pairs, "rev=1,pd=512", vector);
    text = pairs_text(&pairs_startup, vector, UINT32_MAX);
    assert_string_equal(text, "rev=1,S=0,M=0,C=1,pd=512,cut=whole");
    g_free(text);
    text = pairs_text(&pairs_startup, vector, 1 << STARTUP_AT_PD | 1 << STARTUP_AT_IRD);
    assert_string_equal(text, "pd=512");
    g_free(text);
    assert_int_equal(pairs_value(&pairs_startup, STARTUP_AT_PD, "7"), COVERING_OPEN);
}
