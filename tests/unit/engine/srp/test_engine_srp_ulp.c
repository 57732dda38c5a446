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
    guest_data_claims(&g, &srp_ulp, 0, REQUEST, ULP_CERTAIN);
    guest_data_claims(&g, &srp_ulp, 1, REPLY, ULP_CERTAIN);
    guest_data_claims(&g, &srp_ulp, 1, REJECT, ULP_CERTAIN);
    guest_data_claims(&g, &srp_ulp, 1, "c1000000 00010006 [48]", ULP_NO);
    guest_signs_init(&g);
    guest_data_claims(&g, &srp_ulp, 0, "[56]", ULP_NO);
    guest_data_claims(&g, &srp_ulp, 0, "f6ab0e18 01000303 [48]", ULP_NO);
}

UNIT_TEST(midway)
{
    struct guest_signs g;

    guest_signs_midway(&g);
    for (unsigned i = 0; i < 3; i++) {
        guest_send_claims(&g, &srp_ulp, i & 1, i & 1 ? RESPONSE : COMMAND, 0, ULP_POSSIBLE);
    }
    guest_send_claims(&g, &srp_ulp, 1, RESPONSE, 0, ULP_CERTAIN);
    guest_send_claims(&g, &srp_ulp, 1, RESPONSE, 1, ULP_NO);
    guest_send_claims(&g, &srp_ulp, 0, "[64]", 0, ULP_NO);
}

UNIT_TEST(words)
{
    struct guest_signs g;

    guest_signs_init(&g);
    guest_says(&g, &srp_ulp, NULL, 0, COMMAND, 0, "command tag 0x2000000000000000 CDB 0x12");
    guest_says(&g, &srp_ulp, NULL, 1, RESPONSE, 0, "response tag 0x2000000000000000 status 0x00");
    guest_says(&g, &srp_ulp, NULL, 1, "81 [15]", 0, "credit request");
    guest_says(&g, &srp_ulp, NULL, 1, "55 [15]", 0, NULL);
}
