// SPDX-License-Identifier: GPL-2.0-or-later
/* The model of Writes and Reads: its vectors, and the computed results. */
#include "tests/unit/support/support.h"
#include "traffic-gen/explore/pairs/geometry_model.h"

#include <string.h>

enum { SEEDS = 12, VECTORS_MAX = 80, REGION = 65536 };

static struct pairs pairs_of(struct talk_run *run)
{
    struct pairs pairs = {.model = &pairs_geometry, .run = run};

    geometry_usual(&pairs);
    return pairs;
}

UNIT_TEST(all_pairs_are_few)
{
    struct talk_run run = {0};
    struct pairs pairs = pairs_of(&run);
    unsigned sizes[GEOMETRY_PARAMETERS];
    const struct covering_problem problem = {
        .n = GEOMETRY_PARAMETERS, .sizes = sizes, .allowed = pairs_allowed, .refused = geometry_refused, .ctx = &pairs};
    int first[COVERING_PARAMETERS_MAX];

    for (unsigned i = 0; i < GEOMETRY_PARAMETERS; i++)
        sizes[i] = geometry_parameters[i].n;
    memcpy(first, pairs.usual, sizeof first);
    pairs_settle(&pairs, first);
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        GArray *vectors = covering_make(&problem, 2, NULL, first, seed);

        assert_true(vectors->len / GEOMETRY_PARAMETERS <= VECTORS_MAX);
        g_array_unref(vectors);
    }
}

/* Values that are not mentioned are as usual. */
static void read_vector(const char *text, int *vector)
{
    struct talk_run run = {0};
    struct pairs pairs = pairs_of(&run);
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);

    memcpy(vector, pairs.usual, GEOMETRY_PARAMETERS * sizeof *vector);
    for (unsigned i = 0; *text && parts[i]; i++) {
        g_auto(GStrv) pair = g_strsplit(parts[i], "=", 2);

        for (unsigned k = 0; k < GEOMETRY_PARAMETERS; k++) {
            if (strcmp(geometry_parameters[k].name, pair[0]) == 0)
                vector[k] = pairs_value(&pairs_geometry, k, pair[1]);
        }
    }
    pairs_settle(&pairs, vector);
    assert_true(pairs_allowed(&pairs, vector));
}

struct known {
    const char *text;
    unsigned served;
    enum rule_id rule;
    int64_t place;
};

UNIT_TEST(served)
{
    static const struct known known[] = {
        {"", 1, RULE_DDP_5_2_05, 0},
        {"op=read", 1, RULE_RDMAP_4_4_08, 0},
        {"n=4,at=odd", 4, RULE_DDP_5_2_05, 1},
        {"at=end", 1, RULE_DDP_5_2_05, REGION - 64},
        {"at=end,n=4,len=1001", 4, RULE_DDP_5_2_05, REGION - 4004},
        {"at=over", 0, RULE_DDP_7_1_14, REGION - 63},
        {"at=over,n=4", 3, RULE_DDP_7_1_14, REGION - 255},
        {"at=over,op=read,n=4", 3, RULE_RDMAP_7_2_12, REGION - 255},
        {"at=before,n=4", 0, RULE_DDP_7_1_13, -1},
        {"at=before,op=read", 0, RULE_RDMAP_7_2_11, -1},
        {"memory=own", 1, RULE_DDP_5_2_05, 0},
        {"memory=wrong", 0, RULE_DDP_7_1_12, 0},
        {"memory=wrong,op=read", 0, RULE_SEC_6_3_5_01, 0},
        {"memory=foreign", 0, RULE_DDP_8_2_01, 0},
        {"memory=foreign,op=read", 0, RULE_RDMAP_7_2_10, 0},
        {"memory=gone", 0, RULE_DDP_7_1_11, 0},
        {"memory=unknown,op=read", 0, RULE_RDMAP_7_2_09, 0},
        {"memory=unknown,len=0", 1, RULE_DDP_5_2_16, 0},
        {"at=over,len=0,op=read,n=4", 4, RULE_RDMAP_5_2_1_17, REGION + 1},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        int vector[COVERING_PARAMETERS_MAX];
        enum rule_id rule;

        read_vector(known[i].text, vector);
        assert_int_equal(geometry_served(vector, &rule), known[i].served);
        assert_int_equal(rule, known[i].rule);
        assert_int_equal(geometry_place(vector, REGION), known[i].place);
    }
}

UNIT_TEST(plans)
{
    int vector[COVERING_PARAMETERS_MAX];
    struct geometry_plan plan;

    read_vector("op=read,memory=own,sink=top,M=1,C=0", vector);
    plan = geometry_plan_of(vector);
    assert_true(plan.is_read && plan.markers && !plan.crc && plan.limit == 0);
    assert_int_equal(plan.region, REGION_READ_ONLY);
    assert_true(plan.sink_to > UINT32_MAX);
    read_vector("memory=own,ulpdu=37,cut=half", vector);
    plan = geometry_plan_of(vector);
    assert_int_equal(plan.region, REGION_WRITE_ONLY);
    assert_int_equal(plan.limit, 37);
    assert_non_null(strstr(plan.cut, "split-half"));
    read_vector("ulpdu=whole", vector);
    assert_int_equal(geometry_plan_of(vector).limit, 0);
}

/* A start-up that needs Markers, or no CRC, has them in each vector. */
UNIT_TEST(start_up_as_found)
{
    struct talk_run run = {.terms = {.markers = true, .no_crc = true}};
    struct pairs pairs = pairs_of(&run);
    int vector[COVERING_PARAMETERS_MAX];

    memcpy(vector, pairs.usual, sizeof vector);
    pairs_settle(&pairs, vector);
    assert_true(pairs_allowed(&pairs, vector));
    assert_true(geometry_plan_of(vector).markers && !geometry_plan_of(vector).crc);
    vector[GEOMETRY_AT_M] = pairs_value(&pairs_geometry, GEOMETRY_AT_M, "0");
    assert_false(pairs_allowed(&pairs, vector));
}

UNIT_TEST(memory_that_is_not_there)
{
    const struct advert advert = {.n = 3, .regions = {{.stag = 1}, {.stag = 2}, {.stag = 3}}};
    struct talk_run run = {0};
    struct pairs pairs = pairs_of(&run);

    geometry_leave_out(&pairs, &advert);
    assert_false(pairs.left_out[GEOMETRY_AT_MEMORY][MEMORY_IS_ALL]);
    assert_false(pairs.left_out[GEOMETRY_AT_MEMORY][MEMORY_IS_OWN]);
    assert_false(pairs.left_out[GEOMETRY_AT_MEMORY][MEMORY_IS_WRONG]);
    assert_true(pairs.left_out[GEOMETRY_AT_MEMORY][MEMORY_IS_FOREIGN]);
    assert_true(pairs.left_out[GEOMETRY_AT_MEMORY][MEMORY_IS_GONE]);
    assert_false(pairs.left_out[GEOMETRY_AT_MEMORY][MEMORY_IS_UNKNOWN]);
}
