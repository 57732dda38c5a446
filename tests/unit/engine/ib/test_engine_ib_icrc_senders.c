// SPDX-License-Identifier: GPL-2.0-or-later
/* Whose ICRC counts: damaged packets are left out, packets that no receiver can have checked are accepted. */
#include "engine/ib/ib_icrc_senders.h"
#include "tests/unit/support/support.h"

static bool drops(struct ib_icrc_senders *senders, uint8_t host, bool management, enum icrc_status status)
{
    struct ib_packet packet = {.headers = management ? IB_HAS_DETH : 0, .info = ib_opcode_info(IB_SEND_ONLY)};
    struct ib_arrival arrival = {.source = {.kind = IB_ADDRESS_IPV4, .octets = {192, 0, 2, host}}, .packet = &packet};

    return ib_icrc_drops(senders, &arrival, status);
}

static void acked(struct ib_icrc_senders *senders, uint8_t host, unsigned packets)
{
    const struct ib_address address = {.kind = IB_ADDRESS_IPV4, .octets = {192, 0, 2, host}};

    ib_icrc_acked(senders, &address, packets);
}

UNIT_TEST(damage_is_dropped_from_the_first_right_one_on)
{
    struct ib_icrc_senders *senders = ib_icrc_senders_new();

    assert_false(drops(senders, 1, false, ICRC_WRONG));
    assert_false(drops(senders, 1, false, ICRC_UNKNOWN));
    assert_false(drops(senders, 1, false, ICRC_WRONG));
    assert_false(drops(senders, 2, false, ICRC_RIGHT));
    assert_true(drops(senders, 2, false, ICRC_WRONG));
    assert_false(drops(senders, 1, false, ICRC_WRONG)); /* another host */
    assert_false(drops(senders, 1, false, ICRC_RIGHT));
    assert_true(drops(senders, 1, false, ICRC_WRONG));
    ib_icrc_senders_free(senders);
}

UNIT_TEST(acknowledged_damage_was_none)
{
    struct ib_icrc_senders *senders = ib_icrc_senders_new();

    drops(senders, 1, false, ICRC_RIGHT);
    acked(senders, 1, 0);
    acked(senders, 1, 2);
    assert_true(drops(senders, 1, false, ICRC_WRONG)); /* the capture may lack the retransmission */
    acked(senders, 1, 1);
    assert_false(drops(senders, 1, false, ICRC_WRONG));
    assert_false(drops(senders, 1, false, ICRC_RIGHT));
    assert_false(drops(senders, 1, false, ICRC_WRONG));
    drops(senders, 2, true, ICRC_RIGHT); /* only connection management has right ones */
    assert_true(drops(senders, 2, false, ICRC_WRONG));
    acked(senders, 2, 1);
    assert_false(drops(senders, 2, false, ICRC_WRONG));
    ib_icrc_senders_free(senders);
}

/* The senders idle longest are forgotten, never one that has just sent, and new ones have room. */
UNIT_TEST(more_senders_than_there_is_room_for)
{
    struct ib_icrc_senders *senders = ib_icrc_senders_new();

    for (unsigned host = 1; host < 60000; host++) {
        struct ib_packet packet = {.info = ib_opcode_info(IB_SEND_ONLY)};
        struct ib_arrival arrival = {
            .source = {.kind = IB_ADDRESS_IPV4, .octets = {10, 1, (uint8_t)(host >> 8), (uint8_t)host}},
            .packet = &packet};

        assert_false(ib_icrc_drops(senders, &arrival, ICRC_WRONG));
        assert_false(ib_icrc_drops(senders, &arrival, ICRC_RIGHT));
        assert_true(ib_icrc_drops(senders, &arrival, ICRC_WRONG));
        if (host == 1)
            drops(senders, 1, false, ICRC_RIGHT);
        else
            assert_true(drops(senders, 1, false, ICRC_WRONG));
    }
    ib_icrc_senders_free(senders);
}
