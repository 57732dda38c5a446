// SPDX-License-Identifier: GPL-2.0-or-later
/* Histories, and the world's model of them. */
#include "tests/unit/support/support.h"
#include "traffic-gen/explore/chaos/history.h"

#include <string.h>

enum { STEPS = 2000 };

UNIT_TEST(same_by_seed)
{
    GArray *one = chaos_history(7, STEPS, false), *again = chaos_history(7, STEPS, false),
           *other = chaos_history(8, STEPS, false);

    assert_int_equal(one->len, STEPS);
    for (guint i = 0; i < STEPS; i++) {
        g_autofree char *text = chaos_step_text(&g_array_index(one, struct chaos_step, i)),
                        *same = chaos_step_text(&g_array_index(again, struct chaos_step, i));

        assert_string_equal(text, same);
    }
    assert_memory_not_equal(one->data, other->data, STEPS * sizeof(struct chaos_step));
    g_array_unref(one);
    g_array_unref(again);
    g_array_unref(other);
}

/* Every step occurs where it can. */
UNIT_TEST(everything_occurs)
{
    unsigned seen[CHAOS_OPERATIONS][CHAOS_FAULTS] = {0};
    GArray *steps = chaos_history(1, STEPS, false);

    for (guint i = 0; i < steps->len; i++) {
        const struct chaos_step *step = &g_array_index(steps, struct chaos_step, i);

        assert_true(step->which < (step->operation == CHAOS_WRITE ? CHAOS_BLOCKS : CHAOS_FOLDERS));
        assert_true(step->pattern > 0);
        seen[step->operation][step->fault]++;
    }
    for (unsigned operation = 0; operation < CHAOS_OPERATIONS; operation++) {
        for (unsigned fault = 0; fault < CHAOS_FAULTS; fault++)
            assert_int_equal(seen[operation][fault] > 0, fault != CHAOS_READ_FAILS || operation == CHAOS_WRITE);
    }
    g_array_unref(steps);
}

UNIT_TEST(world)
{
    const struct chaos_step make = {.operation = CHAOS_MAKE, .which = 1},
                            remove = {.operation = CHAOS_REMOVE, .which = 1},
                            write = {.operation = CHAOS_WRITE, .which = 2, .pattern = 7},
                            read = {.operation = CHAOS_READ};
    struct chaos_world world = {0};

    assert_int_equal(chaos_apply(&world, &remove), CHAOS_NOENT);
    assert_int_equal(chaos_apply(&world, &make), CHAOS_OK);
    assert_int_equal(chaos_apply(&world, &make), CHAOS_EXIST);
    assert_int_equal(chaos_apply(&world, &remove), CHAOS_OK);
    assert_int_equal(chaos_apply(&world, &read), CHAOS_OK);
    assert_int_equal(world.written, 0);
    assert_int_equal(chaos_apply(&world, &write), CHAOS_OK);
    assert_int_equal(world.written, 3); /* the two blocks before it are a hole */
    assert_int_equal(world.blocks[2], 7);
    assert_int_equal(world.blocks[0], 0);
}
