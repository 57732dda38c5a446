// SPDX-License-Identifier: GPL-2.0-or-later
/* Queue pairs: each hand-made error of a peer, and the Terminate that answers it; its octets cut, and random. */
#include "tests/unit/support/queue_pairs.h"

/*
 * The peer's errors, and the Terminate for each: layer, type and code, and which of M, D, R. The last ULPDU of a case
 * is the faulty one. before: work that this side has in flight.
 */
static const struct {
    const char *what;
    enum { NOTHING, A_READ, AN_ATOMIC } before;
    const char *ulpdus[3];
    int cause;
    const char *mdr;
} wrong[] = {
    /* Tagged, RFC 5041 section 7.1 */
    {"Write, no such STag", NOTHING, {"c140 00000040 0000000000001000 aa"}, 0x1100, "110"},
    {"Write, of another stream", NOTHING, {"c140 00000050 0000000000001000 aa"}, 0x1102, "110"},
    {"Read, of another stream", NOTHING, {READ_1 SINK "00000001 00000050 0000000000001000"}, 0x0103, "111"},
    {"atomic, of another stream", NOTHING, {ATOMIC_1 FETCH_ADD("00000050 0000000000001000")}, 0x0103, "110"},
    {"Invalidate, of another stream", NOTHING, {"4144 00000050 00000000 00000001 00000000 aa"}, 0x0109, "110"},
    {"Read Response, of another stream", A_READ, {"c142 00000050 0000000000001000 aabbccdd"}, 0x1102, "110"},
    {"Write, below the region", NOTHING, {"c140 00000010 0000000000000fff aa"}, 0x1101, "110"},
    {"Write, beyond the region", NOTHING, {"c140 00000010 0000000000002fff aabb"}, 0x1101, "110"},
    {"Write, TO wraps", NOTHING, {"c140 00000010 ffffffffffffffff aabb"}, 0x1103, "110"},
    {"Write, no right", NOTHING, {"c140 00000020 0000000000001000 aa"}, 0x0102, "110"},
    {"Write, DDP version 0", NOTHING, {"c040 00000010 0000000000001000 aa"}, 0x1104, "110"},
    {"Write, DDP version 3", NOTHING, {"c340 00000010 0000000000001000 aa"}, 0x1104, "110"},
    {"Write, RDMAP version 2", NOTHING, {"c180 00000010 0000000000001000 aa"}, 0x0205, "110"},
    {"Write, RDMAP version 0", NOTHING, {"c100 00000010 0000000000001000 aa"}, 0x0205, "110"},
    {"Send that is Tagged", NOTHING, {"c143 00000010 0000000000001000 aa"}, 0x0206, "110"},
    {"opcode 12, Tagged", NOTHING, {"c14c 00000010 0000000000001000 aa"}, 0x0206, "110"},
    {"Read Response to nothing", NOTHING, {"c142 00000010 0000000000001000 aa"}, 0x0206, "110"},
    {"Read Response to an atomic", AN_ATOMIC, {"c142 00000010 0000000000001000 aa"}, 0x0206, "110"},
    {"Read Response, no such STag", A_READ, {"c142 00000040 0000000000001000 aa"}, 0x1100, "110"},
    {"Read Response, another STag", A_READ, {"c142 00000020 0000000000001000 aa"}, 0x1101, "110"},
    {"Read Response, too long", A_READ, {"c142 00000010 0000000000001000 aabbccddee"}, 0x1101, "110"},
    {"Read Response, too early", A_READ, {"c142 00000010 0000000000000ffe aabbccdd"}, 0x1101, "110"},
    {"Read Response, TO wraps", A_READ, {"c142 00000010 fffffffffffffffe aabbccdd"}, 0x1103, "110"},
    {"Read Response, too short", A_READ, {"c142 00000010 0000000000001000 aa"}, 0x02FF, "110"},
    {"Read Response, DDP version 2", A_READ, {"c242 00000010 0000000000001000 aabbccdd"}, 0x1104, "110"},
    {"second Read Response",
     A_READ,
     {"c142 00000010 0000000000001000 aabbccdd", "c142 00000010 0000000000001000 aabbccdd"},
     0x0206,
     "110"},
    {"Write after a sound one",
     NOTHING,
     {"8140 00000010 0000000000001000 aa", "c140 00000010 0000000000003000 aa"},
     0x1101,
     "110"},
    /* Untagged, RFC 5041 section 7.1 */
    {"Send, DDP version 0", NOTHING, {"4043 00000000 00000000 00000001 00000000 aa"}, 0x1206, "110"},
    {"Send, queue 4", NOTHING, {"4143 00000000 00000004 00000001 00000000 aa"}, 0x1201, "110"},
    {"Send, queue 0xFFFFFFFF", NOTHING, {"4143 00000000 ffffffff 00000001 00000000 aa"}, 0x1201, "110"},
    {"Send, MSN 0", NOTHING, {"4143 00000000 00000000 00000000 00000000 aa"}, 0x1203, "110"},
    {"Send, MSN 2", NOTHING, {"4143 00000000 00000000 00000002 00000000 aa"}, 0x1203, "110"},
    {"Send, MSN far ahead", NOTHING, {"4143 00000000 00000000 00001001 00000000 aa"}, 0x1203, "110"},
    {"Send, MSN again", NOTHING, {SEND_1, SEND_1}, 0x1203, "110"},
    {"Send, MO beyond the buffer", NOTHING, {"4143 00000000 00000000 00000001 00000041 aa"}, 0x1204, "110"},
    {"Send, MO 4 at the beginning", NOTHING, {"4143 00000000 00000000 00000001 00000004 aa"}, 0x1204, "110"},
    {"Send, hole",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000000 aaaaaaaa", "4143 00000000 00000000 00000001 00000005 aa"},
     0x1204,
     "110"},
    {"Send, octets twice",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000000 aaaaaaaa", "4143 00000000 00000000 00000001 00000003 aa"},
     0x1204,
     "110"},
    {"Send, too long", NOTHING, {SEND_1 "[65]"}, 0x1205, "110"},
    {"Send, too long at the end",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000000 [64]", "4143 00000000 00000000 00000001 00000040 aa"},
     0x1205,
     "110"},
    {"Send, RDMAP version 3", NOTHING, {"41c3 00000000 00000000 00000001 00000000 aa"}, 0x0205, "110"},
    {"opcode 14", NOTHING, {"414e 00000000 00000000 00000001 00000000 aa"}, 0x0206, "110"},
    {"Write that is Untagged", NOTHING, {"4140 00000000 00000000 00000001 00000000 aa"}, 0x0206, "110"},
    {"Send on queue 1", NOTHING, {"4143 00000000 00000001 00000001 00000000 aa"}, 0x0206, "110"},
    {"Read Request on queue 0", NOTHING, {"4141 00000000 00000000 00000001 00000000 [28]"}, 0x0206, "110"},
    {"Send that becomes another",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000000 aa", "4145 00000000 00000000 00000001 00000001 aa"},
     0x0206,
     "110"},
    /* Read Requests, RFC 5040 section 7.2 */
    {"Read, no such STag", NOTHING, {READ_1 SINK "00000001 00000040 0000000000001000"}, 0x0100, "111"},
    {"Read, below the region", NOTHING, {READ_1 SINK "00000001 00000010 0000000000000fff"}, 0x0101, "111"},
    {"Read, beyond the region", NOTHING, {READ_1 SINK "00002001 00000010 0000000000001000"}, 0x0101, "111"},
    {"Read, no right", NOTHING, {READ_1 SINK "00000001 00000030 0000000000001000"}, 0x0102, "111"},
    {"Read, TO wraps", NOTHING, {READ_1 SINK "00000002 00000010 ffffffffffffffff"}, 0x0104, "111"},
    {"Read, too short", NOTHING, {READ_1 "[27]"}, 0x02FF, "110"},
    {"Read, too long", NOTHING, {READ_1 "[29]"}, 0x02FF, "110"},
    {"Read, longer than any request", NOTHING, {READ_1 "[53]"}, 0x1205, "110"},
    {"Read, MSN 2", NOTHING, {"4141 00000000 00000001 00000002 00000000 [28]"}, 0x1203, "110"},
    {"Read, MO 4", NOTHING, {"4141 00000000 00000001 00000001 00000004 [28]"}, 0x1204, "110"},
    {"Read, RDMAP version 2", NOTHING, {"4181 00000000 00000001 00000001 00000000 [28]"}, 0x0205, "110"},
    {"Read, DDP version 0", NOTHING, {"4041 00000000 00000001 00000001 00000000 [28]"}, 0x1206, "110"},
    /* Invalidation */
    {"Invalidate, no such STag", NOTHING, {"4144 00000040 00000000 00000001 00000000 aa"}, 0x0109, "110"},
    {"Invalidate, not to be ended so", NOTHING, {"4146 00000010 00000000 00000001 00000000 aa"}, 0x0109, "110"},
    {"Invalidate, again",
     NOTHING,
     {"4144 00000030 00000000 00000001 00000000 aa", "4144 00000030 00000000 00000002 00000000 aa"},
     0x0109,
     "110"},
    {"Invalidated, then written",
     NOTHING,
     {"4144 00000030 00000000 00000001 00000000 aa", "c140 00000030 0000000000001000 aa"},
     0x1100,
     "110"},
    /* RFC 7306 section 8.2 */
    {"atomic, no such STag", NOTHING, {ATOMIC_1 FETCH_ADD("00000040 0000000000001000")}, 0x0100, "110"},
    {"atomic, beyond the region", NOTHING, {ATOMIC_1 FETCH_ADD("00000010 0000000000003000")}, 0x0101, "110"},
    {"atomic, no right", NOTHING, {ATOMIC_1 FETCH_ADD("00000020 0000000000001000")}, 0x0102, "110"},
    {"atomic, TO wraps", NOTHING, {ATOMIC_1 FETCH_ADD("00000010 fffffffffffffffc")}, 0x0104, "110"},
    {"atomic, not aligned", NOTHING, {ATOMIC_1 FETCH_ADD("00000010 0000000000001004")}, 0x0207, "110"},
    {"atomic, AOpCode 1", NOTHING, {ATOMIC_1 "00000001 00000007 00000010 0000000000001000 [32]"}, 0x0206, "110"},
    {"atomic, AOpCode 15", NOTHING, {ATOMIC_1 "0000000f 00000007 00000010 0000000000001000 [32]"}, 0x0206, "110"},
    {"atomic, too short", NOTHING, {ATOMIC_1 "[51]"}, 0x02FF, "110"},
    {"atomic, too long", NOTHING, {ATOMIC_1 "[53]"}, 0x1205, "110"},
    {"atomic, MSN 6", NOTHING, {"414a 00000000 00000001 00000006 00000000 [52]"}, 0x1203, "110"},
    {"atomic, MO 4", NOTHING, {"414a 00000000 00000001 00000001 00000004 [52]"}, 0x1204, "110"},
    {"atomic on queue 0", NOTHING, {"414a 00000000 00000000 00000001 00000000 [52]"}, 0x0206, "110"},
    {"atomic, RDMAP version 0", NOTHING, {"410a 00000000 00000001 00000001 00000000 [52]"}, 0x0205, "110"},
    {"Atomic Response to nothing", NOTHING, {"414b 00000000 00000003 00000001 00000000 [12]"}, 0x1202, "110"},
    {"Atomic Response to a Read", A_READ, {"414b 00000000 00000003 00000001 00000000 [12]"}, 0x02FF, "110"},
    {"Atomic Response of another", AN_ATOMIC, {"414b 00000000 00000003 00000001 00000000 00000055 [8]"}, 0x02FF, "110"},
    {"Atomic Response, too short", AN_ATOMIC, {"414b 00000000 00000003 00000001 00000000 00000001 [7]"}, 0x02FF, "110"},
    {"Immediate Data of 4 octets", NOTHING, {"4148 00000000 00000000 00000001 00000000 [4]"}, 0x02FF, "110"},
    {"Immediate Data of 9 octets", NOTHING, {"4148 00000000 00000000 00000001 00000000 [9]"}, 0x02FF, "110"},
    /* No whole header */
    {"one octet", NOTHING, {"41"}, 0x02FF, "000"},
    {"short Tagged header", NOTHING, {"c140 00000010 00000000000010"}, 0x02FF, "000"},
    {"short Untagged header", NOTHING, {"4143 00000010 00000000 00000001 000000"}, 0x02FF, "000"},
    /* Correct, although unusual */
    {"Write of nothing anywhere", NOTHING, {"c140 00000040 ffffffffffffffff"}, NO_TERMINATE, ""},
    {"Write to the last octet", NOTHING, {"c140 00000010 0000000000002fff aa"}, NO_TERMINATE, ""},
    {"Read of nothing anywhere", NOTHING, {READ_1 SINK "00000000 00000040 ffffffffffffffff"}, NO_TERMINATE, ""},
    {"Send of nothing", NOTHING, {SEND_1}, NO_TERMINATE, ""},
    {"reserved bits of DDP and RDMAP", NOTHING, {"7d73 ffffffff 00000000 00000001 00000000 aa"}, NO_TERMINATE, ""},
    {"reserved bits of a Write", NOTHING, {"fd70 00000010 0000000000001000 aa"}, NO_TERMINATE, ""},
    {"Send that fills the buffer", NOTHING, {SEND_1 "[64]"}, NO_TERMINATE, ""},
    {"Send in descending order",
     NOTHING,
     {"0143 00000000 00000000 00000001 00000004 aaaa", "0143 00000000 00000000 00000001 00000000 bbbbbbbb",
      "4143 00000000 00000000 00000001 00000006"},
     NO_TERMINATE,
     ""},
    {"Read Request in two segments",
     NOTHING,
     {"0141 00000000 00000001 00000001 00000000 [20]", "4141 00000000 00000001 00000001 00000014 [8]"},
     NO_TERMINATE,
     ""},
    {"reserved bits of an atomic",
     NOTHING,
     {ATOMIC_1 "fffffff0 00000007 00000010 0000000000001008 [32]"},
     NO_TERMINATE,
     ""},
    {"Immediate Data", NOTHING, {"4149 ffffffff 00000000 00000001 00000000 0000000000000001"}, NO_TERMINATE, ""},
    {"Read Response in two",
     A_READ,
     {"8142 00000010 0000000000001000 aabb", "c142 00000010 0000000000001002 ccdd"},
     NO_TERMINATE,
     ""},
    {"Atomic Response",
     AN_ATOMIC,
     {"414b 00000000 00000003 00000001 00000000 00000001 0000000000000042"},
     NO_TERMINATE,
     ""},
};

UNIT_TEST(terminates)
{
    uint8_t ulpdu[200] = {0};

    for (size_t k = 0; k < ARRAY_LENGTH(wrong); k++) {
        struct qp_ends ends;
        size_t n = 0;

        print_message("%s\n", wrong[k].what);
        qps_open_responder(&ends, &qps_usual);
        if (wrong[k].before != NOTHING) {
            /* A message that lets the Responder send, but takes no MSN. */
            qps_say_hex(&ends, "c140 00000001 [8]", ulpdu, sizeof ulpdu);
            if (wrong[k].before == A_READ)
                qps_post(&ends, R, (struct qp_work){.kind = QP_READ, .n = 4, .sink_stag = STAG_ALL, .sink_to = BASE});
            else
                qps_post(&ends, R, (struct qp_work){.kind = QP_FETCH_ADD});
            assert_int_equal(qps_fpdu_count(&ends, R), 1);
        }
        for (unsigned i = 0; i < 3 && wrong[k].ulpdus[i]; i++) {
            assert_int_equal(ends.side[R].terminated, 0);
            n = qps_say_hex(&ends, wrong[k].ulpdus[i], ulpdu, sizeof ulpdu);
        }
        if (wrong[k].cause == NO_TERMINATE) {
            assert_int_equal(ends.side[R].terminated, 0);
            assert_false(pair_finished(ends.pair, R));
            assert_int_equal(ends.side[R].completed, wrong[k].before != NOTHING);
        } else {
            qps_check_terminate(&ends, (unsigned)wrong[k].cause, wrong[k].mdr, ulpdu, n);
            assert_int_equal(ends.side[R].flushed + ends.side[R].completed, wrong[k].before != NOTHING);
            /* Then silence, whatever comes. */
            n = qps_fpdu_count(&ends, R);
            qps_say_hex(&ends, READ_1 SINK "00000001 00000010 0000000000001000", ulpdu, sizeof ulpdu);
            qps_say_hex(&ends, "c140 00000010 0000000000001000 55", ulpdu, sizeof ulpdu);
            assert_int_equal(qps_fpdu_count(&ends, R), n);
            assert_int_not_equal(ends.side[R].region[0], 0x55);
        }
        pair_close(ends.pair, I, false);
        qps_run(&ends);
        assert_true(ends.side[R].ended);
        assert_int_equal(ends.side[R].orderly, wrong[k].cause == NO_TERMINATE);
        qps_close(&ends);
    }
}

/* ---- hostile octets ---- */

UNIT_TEST(truncated_ulpdus)
{
    uint8_t ulpdu[200];

    for (size_t k = 0; k < ARRAY_LENGTH(wrong); k++) {
        size_t n = octets_of(wrong[k].ulpdus[0], ulpdu, sizeof ulpdu);

        for (size_t cut = 1; cut <= n; cut++) {
            struct qp_ends ends;

            qps_open_responder(&ends, &qps_usual);
            qps_say(&ends, ulpdu, cut);
            qps_say(&ends, ulpdu, n);
            assert_true(ends.side[R].terminated <= 1);
            qps_close(&ends);
        }
    }
}

UNIT_TEST(random_ulpdus)
{
    uint64_t seed = 9;

    for (unsigned round = 0; round < 2000; round++) {
        struct qp_ends ends;
        uint8_t ulpdu[200];

        qps_open_responder(&ends, &qps_usual);
        qps_say_hex(&ends, "c140 00000001 [8]", ulpdu, sizeof ulpdu);
        for (unsigned i = 0; i < next_random(&seed) % 4; i++)
            qps_post(&ends, R,
                     (struct qp_work){
                         .kind = i & 1 ? QP_FETCH_ADD : QP_READ, .sink_stag = STAG_ALL, .n = 9, .sink_to = BASE});
        for (unsigned i = 0; i < 30; i++) {
            size_t n = octets_of(wrong[next_random(&seed) % ARRAY_LENGTH(wrong)].ulpdus[0], ulpdu, sizeof ulpdu);

            if (n >= 18 && !(ulpdu[0] & 0x80))
                put_be32(ulpdu + 10, 1 + i / 4);
            if (next_random(&seed) % 3 == 0)
                ulpdu[next_random(&seed) % n] ^= (uint8_t)(1 << next_random(&seed) % 8);
            qps_say(&ends, ulpdu, n);
        }
        assert_true(ends.side[R].terminated <= 1);
        assert_int_equal(ends.side[R].terminated == 1, pair_finished(ends.pair, R));
        qps_close(&ends);
    }
}
