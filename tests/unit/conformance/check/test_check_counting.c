// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/check/counting.h"
#include "tests/unit/support/support.h"

#include <stdlib.h>

enum { CONNECTIONS = 3 * COUNTING_TABLES };

struct connection {
    struct verdict verdict;
    struct counted counted;
    struct rule_counts expected;
};

/* Many more connections than tables, in random order: each has its own counts, nothing is lost. */
UNIT_TEST(more_connections_than_tables)
{
    struct connection *connections = calloc(CONNECTIONS, sizeof *connections);
    struct counting *counting = calloc(1, sizeof *counting);
    uint64_t seed = 7;

    assert_true(connections && counting);
    for (unsigned i = 0; i < CONNECTIONS; i++)
        connections[i].counted.verdict = &connections[i].verdict;
    for (unsigned round = 0; round < 20 * CONNECTIONS; round++) {
        /* Some are busier than others. */
        size_t busy = next_random(&seed) & 1 ? CONNECTIONS : COUNTING_TABLES;
        struct connection *c = &connections[next_random(&seed) % busy];
        size_t rule = next_random(&seed) % RULE_COUNT;

        counted_wake(counting, &c->counted);
        verdict_passed(&c->verdict, (enum rule_id)rule);
        c->expected.passed[rule_counter[rule]]++;
    }
    assert_int_equal(counting->n, COUNTING_TABLES);
    for (unsigned i = 0; i < CONNECTIONS; i++) {
        struct connection *c = &connections[i];
        struct rule_counts counts = {0};
        struct folded_counts *folded;

        if (i % 3 == 0) {
            counted_drop(counting, &c->counted);
            continue;
        }
        counted_wake_last(counting, &c->counted);
        verdict_passed(&c->verdict, (enum rule_id)(i % RULE_COUNT));
        c->expected.passed[rule_counter[i % RULE_COUNT]]++;
        folded = counted_end(counting, &c->counted);
        assert_non_null(folded);
        assert_null(c->verdict.counts);
        counts_unfold(folded, &counts);
        assert_memory_equal(&counts, &c->expected, sizeof counts);
        counts_free(folded);
    }
    assert_false(counting->memory_lacking);
    counting_free(counting);
    free(counting);
    free(connections);
}

/* A returned table is empty for the next connection. */
UNIT_TEST(tables_are_used_again)
{
    static const enum rule_id rules[] = {RULE_MPA_3_07, RULE_MPA_4_1_01, RULE_DDP_3_08, RULE_RPC_3_01};
    struct counting *counting = calloc(1, sizeof *counting);

    assert_non_null(counting);
    for (unsigned i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct connection c = {0};
        struct rule_counts counts = {0};
        struct folded_counts *folded;

        c.counted.verdict = &c.verdict;
        counted_wake(counting, &c.counted);
        verdict_passed_n(&c.verdict, rules[i], i + 1);
        folded = counted_end(counting, &c.counted);
        assert_non_null(folded);
        counts_unfold(folded, &counts);
        counts_free(folded);
        for (unsigned k = 0; k < sizeof rules / sizeof rules[0]; k++)
            assert_int_equal(rule_counts_of(&counts, rules[k]).passed, k == i ? i + 1 : 0);
    }
    assert_int_equal(counting->n, 1);
    counting_free(counting);
    free(counting);
}
