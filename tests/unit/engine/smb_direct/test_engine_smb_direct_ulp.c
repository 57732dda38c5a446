// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/smb_direct/smb_direct_ulp.h"
#include "tests/unit/support/guests.h"

/* The examples of MS-SMBD section 4.1. */
#define REQUEST  "0001 0001 0000 0a00 00040000 00040000 00000200"
#define RESPONSE "0001 0001 0001 0000 0a00 0100 00000000 00001000 00040000 00040000 00000200"
#define TRANSFER "ff00 0100 0000 0000 00000000 18000000 40000000 00000000 fe534d42"
#define FRAGMENT "ff00 0000 0000 0000 00100000 18000000 40000000 00000000 01020304"
#define EMPTY    "ff00 0100 0100 0000 00000000 00000000 00000000"

UNIT_TEST(start)
{
    struct guest_signs g;

    guest_signs_init(&g);
    g.signs.port[1] = 5445;
    guest_data_claims(&g, &smb_direct_ulp, 0, "00000010 00000001", ULP_POSSIBLE);
    guest_data_claims(&g, &smb_direct_ulp, 1, "10000000 01000000", ULP_POSSIBLE); /* in the other order */
    guest_send_claims(&g, &smb_direct_ulp, 0, REQUEST, 0, ULP_CERTAIN);
    g.send.side = 1;
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_POSSIBLE);
    guest_send_claims(&g, &smb_direct_ulp, 0, "0001 0002 0000 0a00 00040000 00040000 00000200", 0, ULP_NO);
    guest_data_claims(&g, &smb_direct_ulp, 0, "f6ab0e18 01000303", ULP_NO);
}

UNIT_TEST(midway)
{
    struct guest_signs g;

    guest_signs_midway(&g);
    guest_send(&g, 0, TRANSFER, 60);
    guest_send(&g, 1, TRANSFER, 60);
    guest_send_claims(&g, &smb_direct_ulp, 0, EMPTY, 0, ULP_POSSIBLE);
    guest_send_claims(&g, &smb_direct_ulp, 0, FRAGMENT, 60, ULP_POSSIBLE); /* nothing in it identifies SMB */
    guest_send_claims(&g, &smb_direct_ulp, 0, TRANSFER, 60, ULP_CERTAIN);
    guest_send_claims(&g, &smb_direct_ulp, 0, TRANSFER, 61, ULP_NO);
    /* Data that would begin far beyond the end. */
    guest_send(&g, 0, "ff00 0100 0000 0000 00000000 f8ffffff 08000000", 0);
    g.send.length = 0x100000000;
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_POSSIBLE);
}

UNIT_TEST(words)
{
    struct guest_signs g;

    guest_signs_init(&g);
    guest_says(&g, &smb_direct_ulp, NULL, 0, REQUEST, 0, "Negotiate Request credits 10 send 1024 receive 1024");
    guest_says(&g, &smb_direct_ulp, NULL, 1, RESPONSE, 0,
               "Negotiate Response credits asked 10 granted 1 status 0x00000000 read/write 1048576");
    guest_says(&g, &smb_direct_ulp, NULL, 0, TRANSFER, 60,
               "data 64 octets, remaining 0, credits asked 255 granted 1, SMB2");
    guest_says(&g, &smb_direct_ulp, NULL, 0, FRAGMENT, 60,
               "data 64 octets, remaining 4096, credits asked 255 granted 0");
    guest_says(&g, &smb_direct_ulp, NULL, 0, EMPTY, 0,
               "data 0 octets, remaining 0, credits asked 255 granted 1, response requested");
}
