// SPDX-License-Identifier: GPL-2.0-or-later
/* Shared by all guests: any octets may replace their messages, and none claims noise. */
#include "engine/rdma/ulp_choice.h"
#include "engine/rdma/ulp_signs.h"
#include "engine/stack/ulps.h"
#include "tests/unit/support/guests.h"

UNIT_TEST(opener)
{
    assert_int_equal(ulp_presumed_opener(ulps, (const uint16_t[2]){40000, 4420}), 0);
    assert_int_equal(ulp_presumed_opener(ulps, (const uint16_t[2]){4420, 40000}), 1);
    assert_int_equal(ulp_presumed_opener(ulps, (const uint16_t[2]){4420, 4420}), 0);
    assert_int_equal(ulp_presumed_opener(ulps, (const uint16_t[2]){0, 0}), 0);
    assert_int_equal(ulp_presumed_opener(ulps, (const uint16_t[2]){5445, 20049}), 1);
}

/* On its own port, in mid-connection. */
UNIT_TEST(noise)
{
    static const uint64_t lengths[] = {0, 8, 16, 20, 32, 36, 64, 68, 76, 200};
    uint64_t seed = 20261123;

    for (unsigned i = 1; ulps[i]; i++) {
        for (unsigned round = 0; round < 20000; round++) {
            struct guest_signs g;

            guest_signs_midway(&g);
            g.signs.port[1] = ulps[i]->port[0];
            g.send.p = g.octets[2];
            g.send.n = g.send.length = lengths[next_random(&seed) % ARRAY_LENGTH(lengths)];
            if (round % 4 != 0) /* otherwise only zeros */
                fill_random(&seed, g.octets[2], g.send.n);
            g.signs.send = &g.send;
            g.signs.sends = 8;
            assert_int_not_equal(ulps[i]->claim(&g.signs), ULP_CERTAIN);
        }
    }
}

static void give(struct ulp_choice *choice, const uint8_t *p, size_t n, unsigned number, const struct ulp_kind **kind)
{
    struct rdma_part part = {.kind = RDMA_SEND,
                             .first_of_all = number == 0,
                             .in_message = true,
                             .message = number,
                             .first_known = true,
                             .last = true,
                             .complete = true,
                             .p = p,
                             .n = n};

    *kind = ulp_choice_part(choice, &part);
}

/* Unknown Sends close it. */
UNIT_TEST(undecided)
{
    static const uint8_t rpc[28] = {0, 0, 0, 7, 0, 0, 0, 1};
    const struct ulp_kind *kind;
    struct arena *arena = arena_new(NULL);
    struct ulp_choice *choice = ulp_choice_new(ulps, arena);

    assert_non_null(choice);
    assert_false(ulp_choice_closed(choice));
    give(choice, rpc, sizeof rpc, 0, &kind);
    assert_null(kind);
    assert_true(ulp_choice_closed(choice));
    arena_release(arena);
}
