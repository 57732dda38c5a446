// SPDX-License-Identifier: GPL-2.0-or-later
/* The model of chunk lists: its vectors, and the computed results. */
#include "tests/unit/support/support.h"
#include "traffic-gen/explore/pairs/chunks_model.h"

#include <string.h>

enum { SEEDS = 12, VECTORS_MAX = 80 };

static struct pairs pairs_of(struct talk_run *run, unsigned versions)
{
    struct pairs pairs = {.model = &pairs_chunks, .run = run};

    chunks_usual(&pairs, versions);
    return pairs;
}

static GArray *make(const struct pairs *pairs, uint32_t seed)
{
    unsigned sizes[CHUNKS_PARAMETERS];
    const struct covering_problem problem = {
        .n = CHUNKS_PARAMETERS, .sizes = sizes, .allowed = chunks_allowed, .refused = chunks_refused, .ctx = pairs};
    int first[COVERING_PARAMETERS_MAX];

    for (unsigned i = 0; i < CHUNKS_PARAMETERS; i++)
        sizes[i] = chunks_parameters[i].n;
    memcpy(first, pairs->usual, sizeof first);
    chunks_settle(pairs, first);
    return covering_make(&problem, 2, NULL, first, seed);
}

UNIT_TEST(all_pairs_are_few)
{
    struct talk_run run = {0};
    struct pairs pairs = pairs_of(&run, NFS_ALL_VERSIONS);

    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        GArray *vectors = make(&pairs, seed);

        assert_true(vectors->len / CHUNKS_PARAMETERS <= VECTORS_MAX);
        g_array_unref(vectors);
    }
}

/* Properties of all vectors. */
UNIT_TEST(vectors_are_sound)
{
    struct talk_run run = {0};
    struct pairs pairs = pairs_of(&run, 1 << NFS_V3 | 1 << NFS_V41);
    GArray *vectors = make(&pairs, 1);

    for (guint i = 0; i < vectors->len; i += CHUNKS_PARAMETERS) {
        const struct chunks_plan plan = chunks_plan_of(&g_array_index(vectors, int, i));

        assert_true(plan.version == NFS_V3 || plan.version == NFS_V41);
        assert_true(plan.call != CALL_IS_INLINE || (plan.length == 100 && plan.segments == 0));
        assert_true((plan.call == CALL_IS_CHUNK) == (plan.form != FORM_IS_ABSENT));
        assert_true((plan.reply == REPLY_IS_INLINE) == (plan.reply_segments == 0));
    }
    g_array_unref(vectors);
}

/* Values that are not mentioned are as usual. */
static struct chunks_plan plan_of(const char *text)
{
    struct talk_run run = {0};
    struct pairs pairs = pairs_of(&run, NFS_ALL_VERSIONS);
    g_auto(GStrv) parts = g_strsplit(text, ",", -1);
    int vector[COVERING_PARAMETERS_MAX];

    memcpy(vector, pairs.usual, sizeof vector);
    for (unsigned i = 0; *text && parts[i]; i++) {
        g_auto(GStrv) pair = g_strsplit(parts[i], "=", 2);

        for (unsigned k = 0; k < CHUNKS_PARAMETERS; k++) {
            if (strcmp(chunks_parameters[k].name, pair[0]) == 0)
                vector[k] = pairs_value(&pairs_chunks, k, pair[1]);
        }
    }
    chunks_settle(&pairs, vector);
    assert_true(chunks_allowed(&pairs, vector));
    return chunks_plan_of(vector);
}

UNIT_TEST(plans)
{
    assert_int_equal(plan_of("").room, 2999);
    assert_int_equal(plan_of("room=round").room, 3000);
    assert_int_equal(plan_of("room=small,len=100").room, 60);
    assert_int_equal(plan_of("call=inline,len=8191").length, 100);
    assert_int_equal(plan_of("call=long,seg=7").segments, 7);
    assert_int_equal(plan_of("call=long").form, FORM_IS_ABSENT);
    assert_int_equal(plan_of("reply=inline,rseg=3").reply_segments, 0);
    assert_int_equal(plan_of("nfs=4.1").version, NFS_V41);
}

struct known {
    const char *text;
    unsigned write, read;
    const char *write_section, *read_section; /* of the rule that any other result breaks */
};

UNIT_TEST(outcomes)
{
    enum { LESS = CHUNKS_ERROR | CHUNKS_FEWER, ANY = LESS | CHUNKS_SUCCESS };
    static const struct known known[] = {
        {"", CHUNKS_SUCCESS, CHUNKS_SUCCESS, "3.4.5", "4.3.2"},
        {"form=pad", CHUNKS_SUCCESS, CHUNKS_SUCCESS, "3.4.5.2", "4.3.2"},
        {"form=short", CHUNKS_ERROR, CHUNKS_SUCCESS, "4.5.2", "4.3.2"},
        {"form=far", CHUNKS_ERROR, CHUNKS_SUCCESS, "4.5.2", "4.3.2"},
        {"room=small", CHUNKS_SUCCESS, LESS, "3.4.5", "4.5.3"},
        {"call=long,reply=reply", CHUNKS_SUCCESS, CHUNKS_SUCCESS, "3.5.3", "3.5.3"},
        {"call=both,reply=both", CHUNKS_SUCCESS, CHUNKS_SUCCESS, "3.5.1", "4.3.2"},
        {"call=inline,reply=inline", CHUNKS_SUCCESS, CHUNKS_SUCCESS, "3.5.1", "3.5.1"},
        {"reply=inline", CHUNKS_SUCCESS, ANY, "3.4.5", "4.5.3"},
        {"reply=inline,inline=1024", CHUNKS_SUCCESS, LESS, "3.4.5", "4.5.3"},
        {"reply=inline,len=8191", CHUNKS_SUCCESS, LESS, "3.4.5", "4.5.3"},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(known); i++) {
        const struct chunks_plan plan = plan_of(known[i].text);
        enum rule_id rule;

        assert_int_equal(chunks_of_write(&plan, &rule), known[i].write);
        assert_string_equal(rule_catalogue[rule].section, known[i].write_section);
        assert_int_equal(chunks_of_read(&plan, &rule), known[i].read);
        assert_string_equal(rule_catalogue[rule].section, known[i].read_section);
    }
}
