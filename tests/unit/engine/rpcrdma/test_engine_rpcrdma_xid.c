// SPDX-License-Identifier: GPL-2.0-or-later
/* Who calls, which XIDs are in use, what answers refer to. */
#include "tests/unit/support/rpcrdma_talk.h"

enum { CALLBACK = 0x40000000 };

/* ---- conforming ---- */

/* ---- duplicate XIDs ---- */

/* ---- answers ---- */

/* The capture tells the Reply before its Call. */
static void test_call_captured_late(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    t->end[C] += 200;
    talk_reply(t, S, 0x40);
    t->end[C] -= 200;
    talk_call(t, C, 0x40);
    talk_expect_nothing(t);
}

/* ---- who calls ---- */

/* ---- msg_type ---- */

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call_captured_late),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
