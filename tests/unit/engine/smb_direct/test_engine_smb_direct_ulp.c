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
    guest_private_data(&g, 0, "00000010 00000001");
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_POSSIBLE);
    guest_private_data(&g, 1, "10000000 01000000"); /* in the other order */
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_POSSIBLE);
    guest_send(&g, 0, REQUEST, 0);
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_CERTAIN);
    g.send.side = 1;
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_POSSIBLE);
    guest_send(&g, 0, "0001 0002 0000 0a00 00040000 00040000 00000200", 0);
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_NO);
    guest_private_data(&g, 0, "f6ab0e18 01000303");
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_NO);
}

UNIT_TEST(midway)
{
    struct guest_signs g;

    guest_signs_midway(&g);
    guest_send(&g, 0, TRANSFER, 60);
    guest_send(&g, 1, TRANSFER, 60);
    guest_send(&g, 0, EMPTY, 0);
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_POSSIBLE);
    guest_send(&g, 0, FRAGMENT, 60); /* nothing in it identifies SMB */
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_POSSIBLE);
    guest_send(&g, 0, TRANSFER, 60);
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_CERTAIN);
    guest_send(&g, 0, TRANSFER, 61);
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_NO);
    /* Data that would begin far beyond the end. */
    guest_send(&g, 0, "ff00 0100 0000 0000 00000000 f8ffffff 08000000", 0);
    g.send.length = 0x100000000;
    assert_int_equal(smb_direct_ulp.claim(&g.signs), ULP_POSSIBLE);
}

UNIT_TEST(words)
{
    struct guest_signs g;

    guest_signs_init(&g);
    guest_send(&g, 0, REQUEST, 0);
    assert_string_equal(guest_words(&smb_direct_ulp, NULL, &g), "Negotiate Request credits 10 send 1024 receive 1024");
    guest_send(&g, 1, RESPONSE, 0);
    assert_string_equal(guest_words(&smb_direct_ulp, NULL, &g),
                        "Negotiate Response credits asked 10 granted 1 status 0x00000000 read/write 1048576");
    guest_send(&g, 0, TRANSFER, 60);
    assert_string_equal(guest_words(&smb_direct_ulp, NULL, &g),
                        "data 64 octets, remaining 0, credits asked 255 granted 1, SMB2");
    guest_send(&g, 0, FRAGMENT, 60);
    assert_string_equal(guest_words(&smb_direct_ulp, NULL, &g),
                        "data 64 octets, remaining 4096, credits asked 255 granted 0");
    guest_send(&g, 0, EMPTY, 0);
    assert_string_equal(guest_words(&smb_direct_ulp, NULL, &g),
                        "data 0 octets, remaining 0, credits asked 255 granted 1, response requested");
}
