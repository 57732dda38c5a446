// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/support/support.h"

#include "engine/core/heap.h"

#include <stdlib.h>

UNIT_TEST(arrays_grow_up_to_a_bound)
{
    unsigned *numbers = NULL, size = 0;

    for (unsigned n = 1; n <= 100; n++) {
        unsigned *moved = heap_room(numbers, &size, n, 100, sizeof *numbers);

        assert_non_null(moved);
        assert_true(size >= n && size <= 100);
        numbers = moved;
        numbers[n - 1] = n;
    }
    assert_int_equal(size, 100);
    assert_null(heap_room(numbers, &size, 101, 100, sizeof *numbers));
    assert_false(heap_refused()); /* a limit is not a lack of memory */
    for (unsigned n = 1; n <= 100; n++)
        assert_int_equal(numbers[n - 1], n);
    free(numbers);
}
