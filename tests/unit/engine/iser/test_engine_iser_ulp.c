// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/iser/iser_ulp.h"
#include "tests/unit/support/guests.h"

#define HEADER   "10 [27]"
#define LOGIN    HEADER "4387 0000 00 00000a [40]" /* 10 octets of text */
#define COMMAND  "14 [3] [12] 77f35401 ff1100000644ab00 01c1 0000 00 000000 [8] 01000000 00001000 [8] 2800 [14]"
#define RESPONSE HEADER "2180 0000 00 000000 [8] 01000000 [28]"
#define HELLO    "20 11 0080 [24]"

UNIT_TEST(start)
{
    struct guest_signs g;

    guest_signs_init(&g);
    g.signs.port[1] = 3260;
    guest_data_claims(&g, &iser_ulp, 0, "80000000 [52]", ULP_POSSIBLE); /* one bit is not a sign, on any port */
    guest_send_claims(&g, &iser_ulp, 0, HELLO, 0, ULP_POSSIBLE);
    guest_send(&g, 0, LOGIN, 12);
    g.send.first = true;
    assert_int_equal(iser_ulp.claim(&g.signs), ULP_CERTAIN);
    g.send.length -= 2; /* unpadded */
    assert_int_equal(iser_ulp.claim(&g.signs), ULP_CERTAIN);
    g.send.length -= 1;
    assert_int_equal(iser_ulp.claim(&g.signs), ULP_NO);
    guest_data_claims(&g, &iser_ulp, 0, "81000000", ULP_NO);
}

UNIT_TEST(midway)
{
    struct guest_signs g;

    guest_signs_midway(&g);
    for (unsigned i = 0; i < 3; i++) {
        guest_send_claims(&g, &iser_ulp, i & 1, i & 1 ? RESPONSE : COMMAND, 0, ULP_POSSIBLE);
    }
    guest_send_claims(&g, &iser_ulp, 0, COMMAND, 0, ULP_CERTAIN);
    guest_send_claims(&g, &iser_ulp, 0, "10 000000 01 [71]", 0, ULP_NO); /* a handle that is not valid */
    guest_send_claims(&g, &iser_ulp, 0, "[76]", 0, ULP_NO);
}

UNIT_TEST(words)
{
    struct guest_signs g;

    guest_signs_init(&g);
    guest_says(&g, &iser_ulp, NULL, 0, LOGIN, 12, "Login Request ITT 0x0 data 10 octets");
    guest_says(&g, &iser_ulp, NULL, 0, COMMAND, 0,
               "SCSI Command ITT 0x1000000 CDB 0x28 4096 octets read STag 0x77f35401");
    guest_says(&g, &iser_ulp, NULL, 0, HELLO, 0, "Hello");
    guest_says(&g, &iser_ulp, NULL, 0, "[76]", 0, NULL);
}
