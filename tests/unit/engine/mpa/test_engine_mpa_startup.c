// SPDX-License-Identifier: GPL-2.0-or-later
/* Startup frames and their negotiation: each rule broken once, and everything that is legal without a finding. */
#include "tests/unit/support/mpa_line.h"

#include <stdlib.h>

#define REQ MPA_REQUEST
#define REP MPA_REPLY

/* A conversation of two frames, an FPDU each way and a close. */
static void finish_talk(struct mpa_line *t)
{
    line_send(t, I, 16);
    line_send(t, R, 16);
    line_close(t, I);
}

static struct startup_frame req1(uint8_t flags)
{
    return startup_frame(REQ, flags, 1, NULL, 0);
}

static struct startup_frame rep1(uint8_t flags)
{
    return startup_frame(REP, flags, 1, NULL, 0);
}

/* ---- one frame ---- */

static void damaged_keys(void **state)
{
    for (unsigned i = 0; i < MPA_KEY_LEN; i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct startup_frame f = req1(0x40);

        f.octets[i] ^= 0x20;
        line_startup(t, f, rep1(0x40));
        finish_talk(t);
        /* That it was answered at all is the matter of the reaction rules. */
        assert_int_equal(t->seen.counts.failed[RULE_MPA_7_1_1_01], 1);
        line_free(t);
    }
}

static void request_with_r(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, req1(0x60), rep1(0x40));
    finish_talk(t);
    line_expect(t, "MPA-7.1.1-18");
}

static void reserved_bits(void **state)
{
    static const struct {
        uint8_t req, rep;
        bool enhanced;
        const char *ids;
    } cases[] = {
        {0x41, 0x40, false, "MPA-7.1.1-21"},
        {0x40, 0x48, false, "MPA-7.1.1-21"},
        {0x48, 0x40, true, "MPA2-6-02"},
        {0x40, 0x42, true, "MPA2-6-02"},
        {0x40, 0x40, true, ""},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);

        if (cases[i].enhanced)
            line_startup(t, startup_enhanced(REQ, cases[i].req, false, 0, 4, 4),
                         startup_enhanced(REP, cases[i].rep, false, 0, 4, 4));
        else
            line_startup(t, req1(cases[i].req), rep1(cases[i].rep));
        finish_talk(t);
        line_expect(t, cases[i].ids);
    }
}

static void unknown_revision(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say_frame(t, I, startup_frame(REQ, 0x40, 7, NULL, 0));
    line_close(t, I);
    line_expect(t, "MPA-7.1.1-23");
}

static void s_without_revision_2(void **state)
{
    static const uint8_t pd[4] = {0, 4, 0, 4};
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_say_frame(t, I, startup_frame(REQ, 0x50, 1, pd, 4));
    line_close(t, I);
    line_expect(t, "MPA2-6-04");
}

static void lengths(void **state)
{
    static const struct {
        uint16_t field;
        uint16_t octets;
        uint8_t flags, rev;
        const char *ids;
    } cases[] = {
        {513, 513, 0x40, 1, "MPA-7.1.1-34"}, {0x0400, 4, 0x40, 1, "MPA-7.1.1-07"}, {512, 512, 0x40, 1, ""},
        {8, 12, 0x40, 1, "MPA-7.1.1-28"},    {12, 8, 0x40, 1, "MPA-7.1.1-28"},     {0, 4, 0x40, 1, "MPA-7.1.1-29"},
        {2, 2, 0x50, 2, "MPA2-6-08"},        {0, 4, 0x50, 2, "MPA2-6-08"},         {16, 20, 0x50, 2, "MPA2-6-07"},
        {16, 24, 0x50, 2, "MPA-7.1.1-28"},   {0x0100, 1, 0x40, 1, "MPA-7.1.1-07"}, {1, 256, 0x40, 1, "MPA-7.1.1-07"},
    };
    uint8_t pd[600] = {0, 4, 0, 4, 'p', 'r', 'i', 'v'};

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct startup_frame f = startup_frame(REQ, cases[i].flags, cases[i].rev, pd, cases[i].octets);

        put_be16(f.octets + 18, cases[i].field);
        line_say_frame(t, I, f);
        line_close(t, I);
        line_expect_case(t, cases[i].ids, i);
    }
}

static void oversized_reply(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);
    uint8_t pd[513] = {0};

    line_say_frame(t, I, req1(0x40));
    line_say_frame(t, R, startup_frame(REP, 0x40, 1, pd, sizeof pd));
    line_close(t, I);
    line_expect(t, "MPA-7.1.1-34");
}

/* ---- enhanced data ---- */

static void contradictions_in_enhanced_data(void **state)
{
    static const struct {
        bool a;
        uint8_t rtr;
        const char *ids;
    } cases[] = {
        {false, MPA_RTR_READ, "MPA2-9.2-19"},
        {false, MPA_RTR_SEND, "MPA2-9.2-19"},
        {false, MPA_RTR_WRITE, "MPA2-9.2-19"},
        {true, 0, "MPA2-9.2-04"},
        {true, MPA_RTR_READ, ""},
        {false, 0, ""},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);

        line_say_frame(t, I, startup_enhanced(REQ, 0x40, cases[i].a, cases[i].rtr, 4, 4));
        line_close(t, I);
        line_expect_case(t, cases[i].ids, i);
    }
}

static void misplaced_enhanced_data(void **state)
{
    static const uint8_t pd[8] = {'h', 'e', 'l', 'o', 0x80, 16, 0xc0, 16};
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, startup_frame(REQ, 0x50, 2, pd, 8), startup_enhanced(REP, 0x40, true, 6, 16, 16));
    line_close(t, I);
    line_expect(t, "MPA2-9-01");
}

static void byte_swapped_enhanced_data(void **state)
{
    static const uint8_t pd[4] = {0x10, 0x80, 0x10, 0xc0};
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, startup_frame(REQ, 0x50, 2, pd, 4), startup_enhanced(REP, 0x40, true, 6, 16, 16));
    line_close(t, I);
    line_expect(t, "MPA2-9-02");
}

static void missing_s(void **state)
{
    static const uint8_t pd[8] = {0x80, 0x10, 0x80, 0x10, 1, 2, 3, 4};
    /* Private data of NFS over RDMA (RFC 8797) begins like peer-to-peer data, but with depths that nobody has. */
    static const uint8_t rpcrdma[8] = {0xf6, 0xab, 0x0e, 0x18, 1, 0, 3, 3};
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, startup_frame(REQ, 0x40, 2, pd, 8), startup_frame(REP, 0x40, 2, NULL, 0));
    finish_talk(t);
    line_expect(t, "MPA2-6-01");
    t = line_new_direct(PROFILE_IETF);
    line_startup(t, startup_frame(REQ, 0x40, 2, rpcrdma, 8), startup_frame(REP, 0x40, 2, rpcrdma, 8));
    finish_talk(t);
    line_expect(t, "");
}

/* ---- RDMAC ---- */

static void rdmac_frames(void **state)
{
    static const struct {
        uint8_t req_rev, req_flags, rep_rev, rep_flags;
        enum rule_profile profile;
        const char *ids;
    } cases[] = {
        {0, 0xc0, 0, 0xc0, PROFILE_RDMAC, ""},
        {1, 0x00, 0, 0xc0, PROFILE_RDMAC, ""},
        {1, 0x80, 0, 0xc0, PROFILE_IETF, ""},
        {1, 0xc0, 0, 0xc0, PROFILE_IETF, ""},
        {0, 0xc0, 0, 0xc0, PROFILE_IETF, "MPA-C.2.5-01"},
        {0, 0x40, 0, 0xc0, PROFILE_RDMAC, "MPA-C.1-05"},
        {0, 0x80, 0, 0xc0, PROFILE_RDMAC, "MPA-C.1-05"},
        {0, 0xc0, 0, 0x40, PROFILE_RDMAC, "MPA-C.2.3-01"},
        {0, 0xc0, 0, 0x80, PROFILE_RDMAC, "MPA-C.1-05"},
        {1, 0x40, 0, 0x40, PROFILE_RDMAC, "MPA-C.2.5-02"},
        {0, 0xc0, 1, 0x40, PROFILE_RDMAC, ""},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = line_new_direct(cases[i].profile);

        line_startup(t, startup_frame(REQ, cases[i].req_flags, cases[i].req_rev, NULL, 0),
                     startup_frame(REP, cases[i].rep_flags, cases[i].rep_rev, NULL, 0));
        line_close(t, I);
        line_expect_case(t, cases[i].ids, i);
    }
}

/* ---- pairs ---- */

static void formats(void **state)
{
    static const struct {
        uint8_t req_rev;
        bool req_s;
        uint8_t rep_rev;
        bool rep_s;
        const char *ids;
    } cases[] = {
        {1, false, 1, false, ""},           {2, true, 2, true, ""},
        {2, false, 2, false, ""},           {2, false, 1, false, ""},
        {1, false, 2, false, "MPA2-10-10"}, {1, false, 2, true, "MPA2-10-02"},
        {2, false, 2, true, "MPA2-10-02"},  {2, true, 1, false, "MPA2-10-01"},
        {2, true, 2, false, "MPA2-10-01"},  {2, true, 1, true, "MPA2-6-04"},
    };
    static const uint8_t pd[4] = {0, 4, 0, 4};

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++)
        for (unsigned reject = 0; reject <= MPA_FLAG_R; reject += MPA_FLAG_R) {
            struct mpa_line *t = line_new_direct(PROFILE_IETF);

            line_startup(
                t, startup_frame(REQ, cases[i].req_s ? 0x50 : 0x40, cases[i].req_rev, pd, 4),
                startup_frame(REP, (uint8_t)((cases[i].rep_s ? 0x50u : 0x40u) | reject), cases[i].rep_rev, pd, 4));
            line_close(t, I);
            line_expect_case(t, cases[i].ids, i);
        }
}

struct pair_case {
    bool req_a;
    uint8_t req_rtr;
    uint16_t req_ird, req_ord;
    bool rep_a;
    uint8_t rep_rtr;
    uint16_t rep_ird, rep_ord;
    uint8_t reject;
    const char *ids;
};

static void enhanced_pairs(void **state)
{
    static const struct pair_case cases[] = {
        {false, 0, 4, 4, false, 0, 4, 4, 0, ""},
        {false, 0, 0, 0, false, 0, 0, 0, 0, ""},
        {false, 0, 16, 1, false, 0, 200, 16, 0, ""},
        {true, 2, 4, 4, true, 2, 4, 4, 0, ""},
        {true, 7, 4, 0, true, 4, 1, 4, 0, ""},
        {true, 2, 4, 4, true, 7, 4, 4, 0, ""},
        {true, 4, 4, 4, false, 0, 4, 4, 0, "MPA2-9.2-06"},
        {true, 4, 4, 4, false, 4, 4, 4, 0, "MPA2-9.2-06"},
        {true, 4, 4, 4, false, 0, 4, 4, MPA_FLAG_R, ""},
        {false, 0, 4, 4, true, 2, 4, 4, 0, "MPA2-9.2-18"},
        {false, 0, 4, 4, true, 2, 4, 4, MPA_FLAG_R, "MPA2-9.2-18"},
        {false, 0, 4, 4, false, 2, 4, 4, 0, "MPA2-9.2-19"},
        {true, 1, 4, 4, true, 0, 4, 4, 0, "MPA2-9.2-11"},
        {false, 0, 4, 4, false, 0, 4, 8, 0, "MPA2-9.1-10"},
        {false, 0, 4, 4, false, 0, 4, 8, MPA_FLAG_R, ""},
        {false, 0, 4, 16, false, 0, 4, 4, 0, "MPA2-9.1-04"},
        {false, 0, 4, 16, false, 0, 4, 4, MPA_FLAG_R, ""},
        {false, 0, 4, 0x3fff, false, 0, 16, 4, 0, "MPA2-9.1-22"},
        {false, 0, 4, 0x3fff, false, 0, 0x3fff, 4, 0, ""},
        {false, 0, 0x3fff, 4, false, 0, 4, 16, 0, "MPA2-9.1-25"},
        {false, 0, 0x3fff, 4, false, 0, 4, 0x3fff, 0, ""},
        {false, 0, 0x3fff, 0x3fff, false, 0, 0x3fff, 0x3fff, 0, ""},
        {false, 0, 4, 4, false, 0, 0x3fff, 4, 0, "MPA2-9.1-29"},
        {false, 0, 4, 4, false, 0, 4, 0x3fff, 0, "MPA2-9.1-29"},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        const struct pair_case *c = &cases[i];
        struct mpa_line *t = line_new_direct(PROFILE_IETF);

        line_startup(t, startup_enhanced(REQ, 0x40, c->req_a, c->req_rtr, c->req_ird, c->req_ord),
                     startup_enhanced(REP, (uint8_t)(0x40 | c->reject), c->rep_a, c->rep_rtr, c->rep_ird, c->rep_ord));
        line_close(t, I);
        line_expect_case(t, c->ids, i);
    }
}

/* Every legal combination of M, C and Rev, with an FPDU each way. */
static void legal_flags(void **state)
{
    for (unsigned bits = 0; bits < 16; bits++)
        for (unsigned enhanced = 0; enhanced < 2; enhanced++) {
            struct mpa_line *t = line_new_direct(PROFILE_IETF);
            uint8_t req = (uint8_t)((bits & 3) << 6), rep = (uint8_t)((bits & 12) << 4);

            if (enhanced)
                line_startup(t, startup_enhanced(REQ, req, false, 0, 8, 8), startup_enhanced(REP, rep, false, 0, 8, 8));
            else
                line_startup(t, req1(req), rep1(rep));
            for (unsigned i = 0; i < 4; i++) {
                line_send(t, I, 300);
                line_send(t, R, 500);
            }
            line_close(t, I);
            assert_true(t->seen.counts.passed[RULE_MPA_7_1_2_16] == 1);
            assert_true(t->seen.counts.passed[RULE_MPA_7_1_2_23] == 1);
            assert_true(t->seen.counts.passed[RULE_MPA_3_16] == 8);
            line_expect(t, "");
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_keys),
        cmocka_unit_test(request_with_r),
        cmocka_unit_test(reserved_bits),
        cmocka_unit_test(unknown_revision),
        cmocka_unit_test(s_without_revision_2),
        cmocka_unit_test(lengths),
        cmocka_unit_test(oversized_reply),
        cmocka_unit_test(contradictions_in_enhanced_data),
        cmocka_unit_test(misplaced_enhanced_data),
        cmocka_unit_test(byte_swapped_enhanced_data),
        cmocka_unit_test(missing_s),
        cmocka_unit_test(rdmac_frames),
        cmocka_unit_test(formats),
        cmocka_unit_test(enhanced_pairs),
        cmocka_unit_test(legal_flags),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
