// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/nvme/nvme_ulp.h"
#include "tests/unit/support/guests.h"

#define REQUEST    "0000 0000 2000 1f00 [24]"
#define IO_REQUEST "0000 0100 8000 7f00 0100 [22]"
#define REPLY      "0000 2000 [28]"
/* Fabrics, command 0, Connect; a keyed SGL of 1024 octets. */
#define CONNECT    "7f400000 01 [19] 00fc4606000011ff 000400 01567134 4f [24]"
#define READ       "02400100 01000000 [16] 0040000000000000 001000 01567134 4f [24]"
#define WRITE      "01400200 01000000 [16] 0000000000000000 08000000 000000 01 [24]"
#define COMPLETION "[8] 0100 0100 0500 0000"

UNIT_TEST(start)
{
    struct guest_signs g;

    guest_signs_init(&g);
    guest_data_claims(&g, &nvme_ulp, 0, REQUEST, ULP_POSSIBLE);
    g.signs.port[1] = 4420;
    assert_int_equal(nvme_ulp.claim(&g.signs), ULP_CERTAIN);
    guest_data_claims(&g, &nvme_ulp, 1, REPLY, ULP_CERTAIN);
    guest_data_claims(&g, &nvme_ulp, 1, "f6ab0e18 01000303", ULP_NO);
    guest_signs_init(&g);
    guest_data_claims(&g, &nvme_ulp, 0, "0000 0000 2000 1f00 [20] 00000001", ULP_NO); /* reserved */
}

UNIT_TEST(first_capsule)
{
    struct guest_signs g;

    guest_signs_init(&g);
    guest_send_claims(&g, &nvme_ulp, 0, CONNECT, 0, ULP_CERTAIN);
    g.send.side = 1;
    assert_int_equal(nvme_ulp.claim(&g.signs), ULP_POSSIBLE);
    g.send.length = 65;
    assert_int_equal(nvme_ulp.claim(&g.signs), ULP_NO);
}

UNIT_TEST(midway)
{
    struct guest_signs g;

    guest_signs_midway(&g);
    for (unsigned i = 0; i < 3; i++) {
        guest_send_claims(&g, &nvme_ulp, 0, READ, 0, ULP_POSSIBLE);
    }
    guest_send_claims(&g, &nvme_ulp, 1, COMPLETION, 0, ULP_POSSIBLE); /* mostly zeros */
    guest_send_claims(&g, &nvme_ulp, 0, WRITE, 8, ULP_CERTAIN);
    guest_send_claims(&g, &nvme_ulp, 0, WRITE, 9, ULP_NO);
    guest_signs_midway(&g);
    g.signs.port[0] = 4420;
    guest_send_claims(&g, &nvme_ulp, 0, READ, 0, ULP_POSSIBLE);
    guest_send_claims(&g, &nvme_ulp, 0, READ, 0, ULP_CERTAIN);
}

/* The meaning of an opcode depends on the queue. */
UNIT_TEST(words)
{
    uint64_t queue[8] = {0};
    struct guest_signs g;

    assert_true(nvme_ulp.state_size <= sizeof queue);
    guest_signs_init(&g);
    guest_says(&g, &nvme_ulp, queue, 0, READ, 0, "command opcode 0x02 cid 0x0001 4096 octets");
    guest_private_data(&g, 0, IO_REQUEST);
    nvme_ulp.learn(queue, 0, &g.signs.data[0]);
    guest_says(&g, &nvme_ulp, queue, 0, READ, 0, "command Read cid 0x0001 4096 octets");
    guest_says(&g, &nvme_ulp, queue, 0, WRITE, 8, "command Write cid 0x0002 in capsule 8 octets");
    guest_says(&g, &nvme_ulp, queue, 0, CONNECT, 0, "command Connect cid 0x0000 1024 octets"); /* of queue 0 */
    guest_says(&g, &nvme_ulp, queue, 0, READ, 0, "command Get Log Page cid 0x0001 4096 octets");
    guest_says(&g, &nvme_ulp, queue, 1, COMPLETION, 0, "completion cid 0x0005 status 0x0000");
    guest_says(&g, &nvme_ulp, queue, 1, "[15]", 0, NULL);
}
