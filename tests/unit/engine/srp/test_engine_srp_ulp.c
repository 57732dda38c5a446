// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/srp/srp_ulp.h"
#include "tests/unit/support/guests.h"

#define REQUEST "[8] 0006 80 00 00002044 [16] 505400fffe0c0001 505400fffe0c0001 0044 [6]"
#define REPLY   "c0000000 00000080 [8] 00002054 00002044 0006 80 [25]"
#define REJECT  "c2000000 00010006 [24]"
/* A direct descriptor for data in. */
#define COMMAND                                                                                                        \
    "02 00 000000 01 00 00 2000000000000000 00000000 [8] 00000000 1200 [14] 0102030405060708 00011640 00000024"
#define RESPONSE "c1000000 00000001 2000000000000000 0000 0000 [16]"

UNIT_TEST(login)
{
    struct guest_signs g;

    guest_signs_init(&g);
    guest_private_data(&g, 0, REQUEST);
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_CERTAIN);
    guest_private_data(&g, 1, REPLY);
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_CERTAIN);
    guest_private_data(&g, 1, REJECT);
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_CERTAIN);
    guest_private_data(&g, 1, "c1000000 00010006 [48]");
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_NO);
    guest_signs_init(&g);
    guest_private_data(&g, 0, "[56]");
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_NO);
    guest_private_data(&g, 0, "f6ab0e18 01000303 [48]");
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_NO);
}

UNIT_TEST(midway)
{
    struct guest_signs g;

    guest_signs_midway(&g);
    for (unsigned i = 0; i < 3; i++) {
        guest_send(&g, i & 1, i & 1 ? RESPONSE : COMMAND, 0);
        assert_int_equal(srp_ulp.claim(&g.signs), ULP_POSSIBLE);
    }
    guest_send(&g, 1, RESPONSE, 0);
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_CERTAIN);
    guest_send(&g, 1, RESPONSE, 1);
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_NO);
    guest_send(&g, 0, "[64]", 0);
    assert_int_equal(srp_ulp.claim(&g.signs), ULP_NO);
}

UNIT_TEST(words)
{
    struct guest_signs g;

    guest_signs_init(&g);
    guest_send(&g, 0, COMMAND, 0);
    assert_string_equal(guest_words(&srp_ulp, NULL, &g), "command tag 0x2000000000000000 CDB 0x12");
    guest_send(&g, 1, RESPONSE, 0);
    assert_string_equal(guest_words(&srp_ulp, NULL, &g), "response tag 0x2000000000000000 status 0x00");
    guest_send(&g, 1, "81 [15]", 0);
    assert_string_equal(guest_words(&srp_ulp, NULL, &g), "credit request");
    guest_send(&g, 1, "55 [15]", 0);
    assert_null(guest_words(&srp_ulp, NULL, &g));
}
