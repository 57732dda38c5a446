// SPDX-License-Identifier: GPL-2.0-or-later
/* An allocation failure silences the findings of those that share the memory, and no others. */
#include "tests/unit/support/support.h"

#include "engine/core/heap.h"
#include "engine/core/verdict.h"

#include <pthread.h>
#include <stdlib.h>

static struct rule_counts counts;
static unsigned findings;

static void on_finding(void *ctx, const struct finding *finding)
{
    (void)ctx, (void)finding;
    findings++;
}

static void fail_once(void)
{
    struct verdict verdict = {.counts = &counts, .finding = on_finding};

    verdict_failed(&verdict, RULE_DDP_4_1_04, DIR_UNKNOWN, &(struct place){0}, 0, "expected one; found another");
}

static void *refused_in_thread(void *heap)
{
    heap_use(heap);
    assert_null(heap_get(SIZE_MAX - 4096));
    return NULL;
}

UNIT_TEST(refusal_stays_with_its_heap)
{
    static struct heap first, second; /* in use beyond this test */
    pthread_t thread;

    heap_use(&first);
    free(heap_get(1));
    assert_false(heap_refused());
    fail_once();
    assert_int_equal(findings, 1);
    assert_int_equal(pthread_create(&thread, NULL, refused_in_thread, &first), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(heap_refused());
    fail_once();
    assert_int_equal(findings, 1);
    assert_int_equal(rule_counts_of(&counts, RULE_DDP_4_1_04).failed, 1);
    assert_int_equal(rule_counts_of(&counts, RULE_DDP_4_1_04).inconclusive, 1);
    heap_use(&second);
    assert_false(heap_refused());
    fail_once();
    assert_int_equal(findings, 2);
    heap_use(NULL);
    assert_false(heap_refused());
    assert_null(heap_resize(NULL, SIZE_MAX - 4096));
    assert_true(heap_refused());
    heap_use(&second);
    assert_false(heap_refused());
}
