// SPDX-License-Identifier: GPL-2.0-or-later
/* RTR, reads in flight, versions and Terminates: each rule broken once, and what is legal. */
#include "tests/unit/support/mpa_line.h"

#include <stdlib.h>

#define REQ MPA_REQUEST
#define REP MPA_REPLY

enum { SEND = MPA_RTR_SEND, WRITE = MPA_RTR_WRITE, READ = MPA_RTR_READ };

static void start_p2p(struct mpa_line *t, uint8_t req_rtr, uint8_t rep_rtr)
{
    line_startup(t, startup_enhanced(REQ, 0x40, true, req_rtr, 4, 4), startup_enhanced(REP, 0x40, true, rep_rtr, 4, 4));
}

static void start_depths(struct mpa_line *t, uint16_t req_ird, uint16_t req_ord, uint16_t rep_ird, uint16_t rep_ord)
{
    line_startup(t, startup_enhanced(REQ, 0x40, false, 0, req_ird, req_ord),
                 startup_enhanced(REP, 0x40, false, 0, rep_ird, rep_ord));
}

static void send_rtr(struct mpa_line *t, unsigned type)
{
    if (type == SEND)
        line_send(t, I, 0);
    else if (type == WRITE)
        line_message(t, I, tagged_segment(RDMAP_WRITE, 0x1234, 0), NULL, 0);
    else
        line_read(t, I, 0x55, 0x1000, 0);
}

static void finish_p2p(struct mpa_line *t, unsigned type)
{
    if (type == READ)
        line_response(t, R, 0x55, 0x1000, 0);
    line_send(t, R, 16);
    line_send(t, I, 16);
    line_read(t, I, 0x66, 0, 100);
    line_response(t, R, 0x66, 0, 100);
    line_close(t, I);
}

/* ---- RTR ---- */

static void every_rtr(void **state)
{
    static const uint8_t types[] = {SEND, WRITE, READ};

    for (unsigned i = 0; i < ARRAY_LENGTH(types); i++)
        for (uint8_t req = 1; req < 8; req++)
            for (uint8_t rep = 1; rep < 8; rep++) {
                struct mpa_line *t = line_new_direct(PROFILE_IETF);
                bool common = (req & rep & types[i]) != 0;

                if ((req & rep) == 0) { /* only a Terminate may come: a matter of the reaction rules */
                    line_free(t);
                    continue;
                }
                start_p2p(t, req, rep);
                send_rtr(t, types[i]);
                finish_p2p(t, types[i]);
                assert_int_equal(t->seen.counts.passed[RULE_MPA2_9_2_12], common);
                if (common && types[i] != WRITE)
                    assert_int_equal(t->seen.counts.passed[RULE_MPA2_9_2_27], 1);
                if (common && types[i] == READ)
                    assert_int_equal(t->seen.counts.passed[RULE_MPA2_9_2_24], 1);
                line_expect_case(t, common ? "" : "MPA2-9.2-12", req * 100u + rep * 10u + types[i]);
            }
}

static void faulty_rtr(void **state)
{
    for (unsigned i = 0; i < 12; i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        struct ddp_segment send = untagged_segment(RDMAP_SEND, 0, 1), write = tagged_segment(RDMAP_WRITE, 1, 0);
        const char *ids = "";

        start_p2p(t, i == 11 ? WRITE : 7, 7);
        switch (i) {
        case 0:
            line_message(t, I, send, NULL, 4);
            ids = "MPA2-9.2-21";
            break;
        case 1:
            send.msn = 2;
            line_message(t, I, send, NULL, 0);
            ids = "MPA2-9.2-21";
            break;
        case 2:
            send.mo = 4;
            line_message(t, I, send, NULL, 0);
            ids = "MPA2-9.2-21";
            break;
        case 3:
            send.last = false;
            line_message(t, I, send, NULL, 0);
            ids = "MPA2-9.2-21";
            break;
        case 4:
            line_message(t, I, write, NULL, 8);
            ids = "MPA2-9.2-22";
            break;
        case 5:
            write.last = false;
            line_message(t, I, write, NULL, 0);
            ids = "MPA2-9.2-22";
            break;
        case 6:
            line_read(t, I, 1, 2, 8);
            ids = "MPA2-9.2-23";
            break;
        case 7:
            t->msn[I][1] = 3;
            line_read(t, I, 1, 2, 0);
            ids = "MPA2-9.2-23";
            break;
        case 8: /* 8 octets: no RDMAP message */
            line_ulpdu(t, I, "", 0);
            ids = "MPA2-1.1-01";
            break;
        case 9: /* an ordinary Send, the RTR after it */
            line_send(t, I, 24);
            send_rtr(t, WRITE);
            ids = "MPA2-5-02";
            break;
        case 10: /* the establishment failed */
            line_terminate_control(t, I, 0x20060000, 0);
            break;
        case 11: /* an ordinary Send, Send is no common RTR, and none comes */
            line_send(t, I, 24);
            line_send(t, I, 24);
            ids = "MPA2-9.2-12";
            break;
        }
        line_close(t, I);
        line_expect_case(t, ids, i);
    }
}

static void read_rtr_without_slot(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    line_startup(t, startup_enhanced(REQ, 0x40, true, READ, 0, 0), startup_enhanced(REP, 0x40, true, READ, 0, 0));
    send_rtr(t, READ);
    line_response(t, R, 0x55, 0x1000, 0);
    line_close(t, I);
    line_expect(t, "MPA2-9.2-28");
}

static void read_rtr_not_answered(void **state)
{
    for (unsigned i = 0; i < 5; i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);

        start_p2p(t, READ, READ);
        send_rtr(t, READ);
        if (i == 0)
            line_send(t, R, 16);
        else if (i == 1)
            line_response(t, R, 0x55, 0x1000, 4);
        else if (i == 2)
            line_response(t, R, 0x56, 0x1000, 0);
        else if (i == 3)
            line_terminate_control(t, R, 0, 0); /* local catastrophic error */
        line_close(t, I);                       /* i == 4: a bare close, perhaps the ULP's wish */
        line_expect_case(t, i < 3 ? "MPA2-9.2-24" : "", i);
    }
}

static void msn_after_rtr(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    start_p2p(t, SEND, SEND);
    send_rtr(t, SEND);
    t->msn[I][0] = 1;
    line_send(t, I, 16);
    line_close(t, I);
    line_expect(t, "MPA2-9.2-27");
}

/* ---- reads in flight ---- */

static void read_depths(void **state)
{
    static const struct {
        uint16_t req_ird, req_ord, rep_ird, rep_ord;
        unsigned side, burst;
        const char *ids;
    } cases[] = {
        {4, 4, 4, 4, I, 4, ""},
        {4, 1, 1, 4, I, 2, "MPA2-9.1-15"},
        {4, 0, 0, 4, I, 1, "MPA2-9.1-15"},
        {4, 2, 2, 4, I, 9, "MPA2-9.1-15"}, /* one burst, one finding */
        {4, 0x3fff, 0x3fff, 4, I, 20, ""},
        {4, 4, 4, 1, R, 1, ""},
        {4, 4, 4, 1, R, 2, "MPA2-9.1-28"},
        {0x3fff, 4, 4, 0x3fff, R, 20, ""},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);
        unsigned side = cases[i].side;

        start_depths(t, cases[i].req_ird, cases[i].req_ord, cases[i].rep_ird, cases[i].rep_ord);
        line_send(t, I, 16);
        for (unsigned n = 0; n < cases[i].burst; n++)
            line_read(t, side, n, 0, 8);
        for (unsigned n = 0; n < cases[i].burst; n++)
            line_response(t, 1 - side, n, 0, 8);
        line_close(t, I);
        line_expect_case(t, cases[i].ids, i);
    }
}

/* One at a time within a depth of 1; Atomics count, too. */
static void reads_one_by_one(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    start_depths(t, 4, 1, 1, 4);
    for (unsigned i = 0; i < 5; i++) {
        struct ddp_segment part = tagged_segment(RDMAP_READ_RESPONSE, i, 0);

        line_read(t, I, i, 0, 200);
        part.last = false;
        line_message(t, R, part, NULL, 100);
        line_response(t, R, i, 100, 100);
        line_message(t, I, untagged_segment(RDMAP_ATOMIC_REQUEST, 1, t->msn[I][1]++), NULL, 52);
        line_message(t, R, untagged_segment(RDMAP_ATOMIC_RESPONSE, 3, i + 1), NULL, 12);
    }
    line_close(t, I);
    assert_int_equal(t->seen.counts.passed[RULE_MPA2_9_1_15], 10);
    line_expect(t, "");

    t = line_new_direct(PROFILE_IETF);
    start_depths(t, 4, 1, 1, 4);
    line_read(t, I, 1, 0, 200);
    line_message(t, I, untagged_segment(RDMAP_ATOMIC_REQUEST, 1, t->msn[I][1]++), NULL, 52);
    line_close(t, I);
    line_expect(t, "MPA2-9.1-15");
}

static void reads_over_a_hole(void **state)
{
    struct mpa_line *t = line_new_direct(PROFILE_IETF);

    start_depths(t, 4, 1, 1, 4);
    line_read(t, I, 1, 0, 8);
    line_hole(t, R, 32);
    line_read(t, I, 2, 0, 8);
    line_close(t, I);
    assert_int_equal(t->seen.counts.inconclusive[RULE_MPA2_9_1_15], 1);
    line_expect(t, "");
}

/* ---- versions ---- */

static void send_version(struct mpa_line *t, unsigned side, uint8_t dv, uint8_t rv)
{
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, t->msn[side][0]++);

    segment.dv = dv;
    segment.rv = rv;
    line_message(t, side, segment, NULL, 16);
}

static void versions(void **state)
{
    static const struct {
        uint8_t req, rep;  /* Rev */
        uint8_t octets[6]; /* DV << 4 | RV of FPDUs, I and R in turn; 0xff ends */
        const char *ids;
    } cases[] = {
        {1, 1, {0x11, 0x11, 0x11, 0x11, 0xff}, ""},
        {0, 0, {0x00, 0x00, 0x00, 0x00, 0xff}, ""},
        {1, 0, {0x00, 0x00, 0x00, 0x00, 0xff}, ""},
        {1, 1, {0x11, 0x11, 0x00, 0x11, 0xff}, "MPA-3-16"},
        {1, 1, {0x00, 0x11, 0x00, 0x11, 0xff}, "MPA-3-16"},
        {1, 1, {0x11, 0x11, 0x11, 0x00, 0xff}, "MPA-3-16"},
        {1, 1, {0x11, 0x00, 0x11, 0x00, 0xff}, "MPA-C.1-03"},
        {1, 1, {0x11, 0x11, 0x10, 0x11, 0xff}, "MPA-C.1-01"},
        {1, 1, {0x11, 0x11, 0x01, 0x11, 0xff}, "MPA-C.1-01"},
        {0, 0, {0x11, 0x00, 0x11, 0x00, 0xff}, "MPA-3-16"},
        {1, 0, {0x11, 0x00, 0x11, 0x00, 0xff}, "MPA-C.2.5-04"},
        {0, 1, {0x00, 0x00, 0x00, 0xff}, "MPA-C.2-01"},
        {0, 1, {0x11, 0x11, 0x11, 0xff}, "MPA-C.2-01"},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = line_new_direct(PROFILE_RDMAC);

        line_startup(t, startup_frame(REQ, 0xc0, cases[i].req, NULL, 0),
                     startup_frame(REP, 0xc0, cases[i].rep, NULL, 0));
        for (unsigned n = 0; n < 6 && cases[i].octets[n] != 0xff; n++)
            send_version(t, n & 1, cases[i].octets[n] >> 4, cases[i].octets[n] & 15);
        line_close(t, I);
        line_expect_case(t, cases[i].ids, i);
    }
}

/* No startup frame says which version is right: that of the direction that came first. */
static void versions_of_the_directions(void **state)
{
    for (uint8_t first = 0; first < 2; first++) {
        struct mpa_line *t = line_new_direct(PROFILE_RDMAC);

        line_framing(t, false, false, true);
        for (unsigned i = 0; i < 6; i++) {
            send_version(t, I, first, first);
            send_version(t, R, 1 - first, 1 - first);
        }
        line_close(t, I);
        assert_true(mpa_connection_is_mpa(t->mpa));
        line_expect_case(t, first == 0 ? "MPA-C-01 MPA-C.1-03" : "MPA-7.1.2-01 MPA-C.1-03", first);
    }
}

static void fpdus_without_startup(void **state)
{
    for (uint8_t version = 0; version < 2; version++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);

        line_framing(t, false, false, true);
        for (unsigned i = 0; i < 6; i++) {
            send_version(t, I, version, version);
            send_version(t, R, version, version);
        }
        line_close(t, I);
        if (!mpa_connection_is_mpa(t->mpa)) { /* without recognition there is nothing to judge */
            line_free(t);
            skip();
        }
        line_expect_case(t, version == 0 ? "MPA-C-01" : "MPA-7.1.2-01", version);
    }
}

/* ---- Terminates ---- */

static void terminates(void **state)
{
    static const struct {
        bool enhanced;
        unsigned before; /* FPDUs of the Initiator before it */
        uint32_t control;
        uint8_t copies;
        const char *ids;
    } cases[] = {
        {false, 2, 0x20020000, 0, ""},          {false, 2, 0x20010000, 0, ""},
        {false, 2, 0x20090000, 0, "MPA-8-16"},  {false, 2, 0x20000000, 0, "MPA-8-16"},
        {false, 2, 0x10090000, 0, ""}, /* DDP's codes are not MPA's */
        {false, 0, 0x20060000, 0, "MPA2-8-02"}, {true, 2, 0x20060000, 0, "MPA2-8-02"},
        {true, 2, 0x20050000, 0, ""}, /* open */
        {true, 0, 0x20050000, 0, ""},           {true, 0, 0x20060000, 0, ""},
        {true, 0, 0x20070000, 0, ""},           {true, 0, 0x2007c000, 20, "MPA2-8-03"},
    };

    for (unsigned i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);

        if (cases[i].enhanced)
            start_depths(t, 4, 4, 4, 4);
        else
            line_plain_start(t);
        for (unsigned n = 0; n < cases[i].before; n++)
            line_send(t, I, 16);
        line_terminate_control(t, I, cases[i].control, cases[i].copies);
        line_close(t, I);
        line_expect_case(t, cases[i].ids, i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rtr),
        cmocka_unit_test(faulty_rtr),
        cmocka_unit_test(read_rtr_without_slot),
        cmocka_unit_test(read_rtr_not_answered),
        cmocka_unit_test(msn_after_rtr),
        cmocka_unit_test(read_depths),
        cmocka_unit_test(reads_one_by_one),
        cmocka_unit_test(reads_over_a_hole),
        cmocka_unit_test(versions),
        cmocka_unit_test(fpdus_without_startup),
        cmocka_unit_test(terminates),
        cmocka_unit_test(versions_of_the_directions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
