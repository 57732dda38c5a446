// SPDX-License-Identifier: GPL-2.0-or-later
/* RTR and versions by hand: sides whose start is unknown; the rest is in rules/mpa.cases. */
#include "tests/unit/support/mpa_line.h"

#include <stdlib.h>

#define REQ MPA_REQUEST
#define REP MPA_REPLY

enum { SEND = MPA_RTR_SEND, WRITE = MPA_RTR_WRITE, READ = MPA_RTR_READ };

static void start_p2p(struct mpa_line *t, uint8_t req_rtr, uint8_t rep_rtr)
{
    line_startup(t, startup_enhanced(REQ, 0x40, true, req_rtr, 4, 4), startup_enhanced(REP, 0x40, true, rep_rtr, 4, 4));
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

UNIT_TEST(faulty_rtr)
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
        case 8: /* 8 octets: not an RDMAP message */
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
        case 11: /* an ordinary Send: Send is not a common RTR type, and no RTR comes */
            line_send(t, I, 24);
            line_send(t, I, 24);
            ids = "MPA2-9.2-12";
            break;
        }
        line_close(t, I);
        line_expect_case(t, ids, i);
    }
}

UNIT_TEST(read_rtr_not_answered)
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
        line_close(t, I);                       /* i == 4: a bare close, perhaps by the ULP */
        line_expect_case(t, i < 3 ? "MPA2-9.2-24" : "", i);
    }
}

static void send_version(struct mpa_line *t, unsigned side, uint8_t dv, uint8_t rv)
{
    struct ddp_segment segment = untagged_segment(RDMAP_SEND, 0, t->msn[side][0]++);

    segment.dv = dv;
    segment.rv = rv;
    line_message(t, side, segment, NULL, 16);
}

/* Without start-up frames, the first direction's version counts. */
UNIT_TEST(versions_of_the_directions)
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

UNIT_TEST(fpdus_without_startup)
{
    for (uint8_t version = 0; version < 2; version++) {
        struct mpa_line *t = line_new_direct(PROFILE_IETF);

        line_framing(t, false, false, true);
        for (unsigned i = 0; i < 6; i++) {
            send_version(t, I, version, version);
            send_version(t, R, version, version);
        }
        line_close(t, I);
        if (!mpa_connection_is_mpa(t->mpa)) { /* without recognition nothing is judged */
            line_free(t);
            skip();
        }
        line_expect_case(t, version == 0 ? "MPA-C-01" : "MPA-7.1.2-01", version);
    }
}
