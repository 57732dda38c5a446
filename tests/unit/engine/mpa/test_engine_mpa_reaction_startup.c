// SPDX-License-Identifier: GPL-2.0-or-later
/* Reactions to startup frames: closes, Terminates of the establishment, RTR, IRD and waiting. */
#include "tests/unit/support/mpa_line.h"

#include <stdio.h>

enum { C = MPA_FLAG_C, REJECT = MPA_FLAG_R };

static struct startup_frame request(uint8_t flags)
{
    return startup_frame(MPA_REQUEST, flags, 1, NULL, 0);
}

static struct startup_frame reply(uint8_t flags)
{
    return startup_frame(MPA_REPLY, flags, 1, NULL, 0);
}

/* A Request of a kind that must be closed upon, and what the Responder does about it. */
enum answer { CLOSES, RESETS, ACCEPTS, REJECTS, NOTHING, LATE, ACKNOWLEDGED_FIRST, CUT_SHORT, NOT_RECEIVED, ANSWERS };

static void answer_request(struct mpa_line *l, struct startup_frame frame, enum answer answer)
{
    struct startup_frame accepting =
        frame.octets[16] & MPA_FLAG_S ? startup_enhanced(MPA_REPLY, C, false, 0, 1, 1) : reply(C);

    line_handshake(l);
    line_say(l, I, frame.octets, frame.n);
    if (answer == NOT_RECEIVED) {
        l->acked_fixed[R] = true;
        l->acked[R] = 0;
    }
    line_ack(l, R);
    switch (answer) {
    case CLOSES:
        line_close(l, R);
        return;
    case RESETS:
        line_reset(l, R);
        break;
    case ACCEPTS:
        line_say(l, R, accepting.octets, accepting.n);
        break;
    case REJECTS:
        accepting.octets[16] |= REJECT;
        line_say(l, R, accepting.octets, accepting.n);
        line_close(l, R);
        return;
    case NOTHING:
    case NOT_RECEIVED:
        line_wait(l, 6 * second);
        line_ack(l, I);
        break;
    case LATE:
        line_wait(l, 6 * second);
        line_close(l, R);
        return;
    case ACKNOWLEDGED_FIRST: /* the capture has the FIN a frame late */
        line_wait(l, 6 * second);
        l->acked_fixed[I] = true;
        l->acked[I] = l->sent[R] + 1;
        line_ack(l, I);
        line_close(l, R);
        return;
    case CUT_SHORT:
        line_wait(l, 4 * second);
        line_ack(l, I);
        break;
    case ANSWERS:
        break;
    }
    line_finish(l);
}

static struct startup_frame broken_request(unsigned kind)
{
    struct startup_frame f = request(C);

    switch (kind) {
    case 0:
        f.octets[5] ^= 0x20;
        break;
    case 1:
        f.octets[17] = 255;
        break;
    case 2:
        f = startup_frame(MPA_REQUEST, C, 1, NULL, 513);
        break;
    default:
        f = startup_frame(MPA_REQUEST, C | MPA_FLAG_S, 2, NULL, 2);
        break;
    }
    return f;
}

static void broken_requests(void **state)
{
    static const struct {
        unsigned kind;
        enum answer answer;
        const char *outcome;
    } cases[] = {
        {0, CLOSES, "+MPA-7.1.1-02 +MPA-7.1.2-04 +MPA-7.1.2-26 +MPA-8-09"},
        {0, RESETS, "+MPA-7.1.1-02 +MPA-7.1.2-26"},
        {0, ACCEPTS, "MPA-7.1.1-02 +MPA-7.1.2-10"},
        {0, REJECTS, "MPA-7.1.2-04"},
        {0, NOTHING, "MPA-7.1.2-26"},
        {0, LATE, "MPA-8-09"},
        {0, ACKNOWLEDGED_FIRST, "?MPA-7.1.2-26"},
        {0, CUT_SHORT, "?MPA-7.1.1-02"},
        {0, NOT_RECEIVED, "?MPA-7.1.1-02"},
        {1, CLOSES, "+MPA-7.1.1-24 +MPA-7.1.1-25"},
        {1, REJECTS, "+MPA-7.1.1-25"},
        {1, NOTHING, "MPA-7.1.1-25"},
        {1, LATE, "MPA-8-09"},
        {1, CUT_SHORT, "?MPA-7.1.1-25"},
        {2, CLOSES, "+MPA-7.1.1-31 +MPA-7.1.2-04 +MPA-7.1.2-40"},
        {2, ACCEPTS, "MPA-7.1.1-31"},
        {2, REJECTS, "MPA-7.1.2-40"},
        {2, NOTHING, "MPA-7.1.2-04"},
        {3, CLOSES, "+MPA2-6-09"},
        {3, ACCEPTS, "MPA2-6-09"},
        {3, REJECTS, "+MPA2-6-09"},
        {3, NOTHING, "MPA2-6-09"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_new();
        char name[40];

        answer_request(l, broken_request(cases[i].kind), cases[i].answer);
        snprintf(name, sizeof name, "case %zu", i);
        line_expect_named(l, cases[i].outcome, name);
    }
}

/* The Responder accepts Rev 255 as if it were 1, and goes into Full Operation. */
static void unknown_revision_used(void **state)
{
    struct mpa_line *l = line_new();
    struct startup_frame bad = broken_request(1);

    line_startup(l, bad, reply(C));
    line_send(l, I, 24);
    line_send(l, R, 24);
    line_close(l, I);
    line_expect(l, "MPA-7.1.1-24");
}

static struct startup_frame broken_reply(unsigned kind)
{
    struct startup_frame f = reply(C);

    switch (kind) {
    case 0:
        f.octets[5] ^= 0x20;
        break;
    case 1:
        f.octets[17] = 7;
        break;
    case 2:
        f = startup_frame(MPA_REPLY, C, 1, NULL, 513);
        break;
    default:
        memset(f.octets, 0x33, f.n);
        break;
    }
    return f;
}

static void broken_replies(void **state)
{
    static const struct {
        unsigned kind;
        enum answer answer;
        const char *outcome;
    } cases[] = {
        {0, CLOSES, "+MPA-7.1.1-05 +MPA-7.1.2-26 +MPA-8-09"},
        {0, ANSWERS, "MPA-7.1.1-05 +MPA-7.1.2-10"},
        {0, NOTHING, "MPA-7.1.2-26"},
        {1, CLOSES, "+MPA-7.1.1-25"},
        {1, ANSWERS, "MPA-7.1.1-24"},
        {1, NOTHING, "MPA-7.1.1-25"},
        {2, CLOSES, "+MPA-7.1.1-31 +MPA-7.1.2-17"},
        {2, ANSWERS, "MPA-7.1.1-31"},
        {2, NOTHING, "MPA-7.1.2-17"},
        {3, CLOSES, "+MPA-7.1.1-05"},
        {3, NOTHING, "MPA-7.1.2-26"},
        {3, CUT_SHORT, "?MPA-7.1.2-26"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_new();
        char name[40];

        line_startup(l, request(C), broken_reply(cases[i].kind));
        line_ack(l, I);
        snprintf(name, sizeof name, "case %zu", i);
        if (cases[i].answer == CLOSES) {
            line_close(l, I);
        } else if (cases[i].answer == ANSWERS) {
            line_send(l, I, 24);
            line_finish(l);
        } else {
            line_wait(l, (cases[i].answer == NOTHING ? 6 : 3) * second);
            line_ack(l, R);
            line_finish(l);
        }
        line_expect_named(l, cases[i].outcome, name);
    }
}

/* A Terminate before the close is tolerated. */
static void broken_reply_and_terminate(void **state)
{
    struct mpa_line *l = line_new();

    line_startup(l, request(C), broken_reply(0));
    line_terminate(l, I, 0x2004);
    line_close(l, I);
    line_expect(l, "+MPA-7.1.1-05");
}

static void cut_short_by_fin(void **state)
{
    for (unsigned closed = 0; closed < 2; closed++) {
        struct mpa_line *l = line_new();
        struct startup_frame f = startup_frame(MPA_REQUEST, C, 1, NULL, 40);

        line_handshake(l);
        line_say(l, I, f.octets, 30);
        line_fin(l, I);
        line_ack(l, R);
        if (closed) {
            line_fin(l, R);
        } else {
            line_wait(l, 6 * second);
            line_ack(l, R);
        }
        line_finish(l);
        line_expect(l, closed ? "+MPA-7.1.1-30" : "MPA-7.1.1-30");
    }
}

static void two_initiators(void **state)
{
    static const char *const outcomes[] = {"+MPA-7.1.2-34 +MPA-8-09", "MPA-7.1.2-34", "?MPA-7.1.2-34"};

    for (unsigned way = 0; way < ARRAY_LENGTH(outcomes); way++) {
        struct mpa_line *l = line_new();
        struct startup_frame f = request(C);

        line_handshake(l);
        line_say(l, I, f.octets, f.n);
        line_say(l, R, f.octets, f.n);
        line_ack(l, I);
        if (way == 0) {
            line_close(l, I);
        } else {
            line_wait(l, (way == 1 ? 6 : 3) * second);
            line_ack(l, I);
            line_ack(l, R);
            line_finish(l);
        }
        line_expect(l, outcomes[way]);
    }
}

static void rdmac_request(void **state)
{
    for (unsigned open = 0; open < 2; open++) {
        struct mpa_line *l = line_new();

        line_startup(l, startup_frame(MPA_REQUEST, C | MPA_FLAG_M, 0, NULL, 0), reply(C));
        line_ack(l, I);
        if (open) {
            line_wait(l, 6 * second);
            line_ack(l, I);
            line_finish(l);
        } else {
            line_close(l, R);
        }
        line_expect(l, open ? "MPA-C.2.1-01" : "+MPA-C.2.1-01");
    }
}

static void ignored_bits(void **state)
{
    static const struct {
        uint8_t request, reply;
        const char *outcome;
    } cases[] = {
        {C | REJECT, C, "+MPA-7.1.1-19"},
        {C | REJECT, C | REJECT, "MPA-7.1.1-19"},
        {C | 0x04, C, "+MPA-7.1.1-22"},
        {C | 0x04, C | REJECT, "MPA-7.1.1-22"},
        {C, C | REJECT, ""},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_new();

        line_startup(l, request(cases[i].request), reply(cases[i].reply));
        line_close(l, I);
        line_expect(l, cases[i].outcome);
    }
}

/* ---- waiting ---- */

static void no_reply(void **state)
{
    static const struct {
        unsigned seconds;
        bool initiator_closes, responder_closes;
        const char *outcome;
    } cases[] = {
        {61, false, false, "MPA-7.1.2-41"},
        {15, true, false, "+MPA-7.1.2-41 MPA-7.1.2-10"},
        {3, true, false, "+MPA-7.1.2-41"},
        {15, false, false, "?MPA-7.1.2-41"},
        {15, false, true, ""},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_new();
        struct startup_frame f = request(C);

        line_handshake(l);
        line_say(l, I, f.octets, f.n);
        line_ack(l, R);
        line_wait(l, cases[i].seconds * second);
        if (cases[i].initiator_closes)
            line_close(l, I);
        else if (cases[i].responder_closes)
            line_close(l, R);
        else {
            line_ack(l, I);
            line_finish(l);
        }
        line_expect(l, cases[i].outcome);
    }
}

static void half_a_request(void **state)
{
    struct mpa_line *l = line_new();
    struct startup_frame f = startup_frame(MPA_REQUEST, C, 1, NULL, 8);

    line_handshake(l);
    line_say(l, I, f.octets, f.n - 1);
    line_ack(l, R);
    line_wait(l, 61 * second);
    line_ack(l, I);
    assert_int_equal(l->seen.counts.failed[RULE_MPA_7_1_2_41], 1);
    line_finish(l);
    line_expect(l, "MPA-7.1.2-41");
}

/* ---- RFC 6581 ---- */

struct wish {
    bool a;
    uint8_t rtr;
    uint16_t ird, ord;
};

enum deed { D_TERMINATE, D_SEND, D_WRITE, D_FIN, D_RST, D_SILENCE };

static void establishment(void **state)
{
    enum { S = MPA_RTR_SEND, W = MPA_RTR_WRITE, D = MPA_RTR_READ, N = 0x3FFF };
    static const struct {
        struct wish request, reply;
        enum deed deed;
        uint16_t what; /* of the Terminate */
        bool closes;
        const char *outcome;
    } cases[] = {
        /* no common RTR type */
        {{1, S, 1, 1}, {1, W, 1, 1}, D_TERMINATE, 0x2007, true, "+MPA2-9.2-13 +MPA2-9.2-14 +MPA2-9.2-15 +MPA2-8-01"},
        {{1, S, 1, 1}, {1, W, 1, 1}, D_TERMINATE, 0x2005, true, "MPA2-9.2-15 +MPA2-9.2-13 +MPA2-9.2-14"},
        {{1, S, 1, 1}, {1, W, 1, 1}, D_TERMINATE, 0x0207, true, "MPA2-8-01 +MPA2-9.2-13"},
        {{1, S, 1, 1}, {1, W, 1, 1}, D_TERMINATE, 0x2007, false, "MPA2-9.2-14"},
        {{1, S, 1, 1}, {1, W, 1, 1}, D_FIN, 0, true, "MPA2-9.2-13"},
        {{1, S, 1, 1}, {1, W, 1, 1}, D_RST, 0, true, "MPA2-9.2-13"},
        {{1, S, 1, 1}, {1, W, 1, 1}, D_SILENCE, 0, false, "MPA2-9.2-13"},
        {{1, S, 1, 1}, {1, W, 1, 1}, D_SEND, 0, true, "MPA2-9.2-13"},
        {{1, S, 1, 1}, {1, W, 1, 1}, D_WRITE, 0, true, ""}, /* MPA2-9.2-04 */
        {{1, S, 1, 1}, {1, D, 1, 1}, D_WRITE, 0, true, "MPA2-9.2-13"},
        /* the Reply names none at all: its own fault, which explains everything but a wrong Terminate */
        {{1, S, 1, 1}, {1, 0, 1, 1}, D_FIN, 0, true, ""},
        {{1, S, 1, 1}, {1, 0, 1, 1}, D_SEND, 0, true, ""},
        {{1, S, 1, 1}, {1, 0, 1, 1}, D_TERMINATE, 0x2007, true, "+MPA2-9.2-13 +MPA2-9.2-14 +MPA2-9.2-15"},
        {{1, S, 1, 1}, {1, 0, 1, 1}, D_TERMINATE, 0x2005, true, "MPA2-9.2-15"},
        /* more ORD than IRD */
        {{0, 0, 1, 1}, {0, 0, 1, 9}, D_TERMINATE, 0x2006, true, "+MPA2-9.1-16 +MPA2-9.1-17 +MPA2-9.1-18 +MPA2-8-01"},
        {{0, 0, 1, 1}, {0, 0, 1, 9}, D_TERMINATE, 0x2005, true, "MPA2-9.1-18"},
        {{0, 0, 1, 1}, {0, 0, 1, 9}, D_TERMINATE, 0x2006, false, "MPA2-9.1-17"},
        {{0, 0, 1, 1}, {0, 0, 1, 9}, D_FIN, 0, true, "MPA2-9.1-16"},
        {{0, 0, 1, 1}, {0, 0, 1, 9}, D_SEND, 0, true, ""},
        {{0, 0, 1, 1}, {0, 0, 1, N}, D_SEND, 0, true, ""},
        /* contradictions */
        {{0, 0, 1, 1}, {1, W, 1, 1}, D_TERMINATE, 0x2005, true, "+MPA2-9.3-04 +MPA2-8-01"},
        {{0, 0, 1, 1}, {1, W, 1, 1}, D_TERMINATE, 0x2006, true, "MPA2-9.3-04"},
        {{0, 0, 1, 1}, {1, W, 1, 1}, D_RST, 0, true, "MPA2-9.3-04"},
        {{0, 0, 1, 1}, {1, W, 1, 1}, D_FIN, 0, true, ""},
        {{0, 0, 1, N}, {0, 0, 5, 1}, D_TERMINATE, 0x2005, true, "+MPA2-9.3-04"},
        /* types without A */
        {{1, W, 1, 1}, {0, W, 1, 1}, D_WRITE, 0, true, "MPA2-9.2-20"},
        {{1, W, 1, 1}, {0, W, 1, 1}, D_SEND, 0, true, "+MPA2-9.2-20"},
        /* all is well */
        {{1, W, 1, 1}, {1, W, 1, 1}, D_WRITE, 0, true, "+MPA2-9.2-05 +MPA2-9.2-26"},
        {{0, 0, 1, 1}, {0, 0, 1, 1}, D_FIN, 0, true, ""},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_new();
        const struct wish *q = &cases[i].request, *p = &cases[i].reply;
        char name[40];

        line_startup(l, startup_enhanced(MPA_REQUEST, C, q->a, q->rtr, q->ird, q->ord),
                     startup_enhanced(MPA_REPLY, C, p->a, p->rtr, p->ird, p->ord));
        line_ack(l, I);
        switch (cases[i].deed) {
        case D_TERMINATE:
            line_terminate(l, I, cases[i].what);
            line_ack(l, R);
            break;
        case D_SEND:
            line_send(l, I, 24);
            line_send(l, R, 24);
            break;
        case D_WRITE:
            line_write(l, I, 0);
            line_send(l, R, 24);
            break;
        case D_RST:
            line_reset(l, I);
            break;
        case D_FIN:
        case D_SILENCE:
            break;
        }
        if (cases[i].deed == D_RST) {
            line_finish(l);
        } else if (cases[i].closes) {
            line_close(l, I);
        } else {
            line_wait(l, 6 * second);
            line_ack(l, R);
            line_finish(l);
        }
        snprintf(name, sizeof name, "case %zu", i);
        line_expect_named(l, cases[i].outcome, name);
    }
}

/* Behind its Terminate the Initiator goes on. */
static void goes_on_after_the_terminate(void **state)
{
    static const struct {
        struct wish reply;
        uint16_t what;
        const char *outcome;
    } cases[] = {
        {{true, MPA_RTR_WRITE, 1, 1}, 0x2007, "MPA2-9.2-14"},
        {{true, MPA_RTR_SEND, 1, 9}, 0x2006, "MPA2-9.1-17"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        const struct wish *p = &cases[i].reply;
        struct mpa_line *l = line_new();

        line_startup(l, startup_enhanced(MPA_REQUEST, C, true, MPA_RTR_SEND, 1, 1),
                     startup_enhanced(MPA_REPLY, C, p->a, p->rtr, p->ird, p->ord));
        line_ack(l, I);
        line_terminate(l, I, cases[i].what);
        line_ack(l, R);
        line_send(l, I, 24);
        line_send(l, I, 24);
        line_close(l, I);
        line_expect(l, cases[i].outcome);
    }
}

/* The peer closed first: that explains the bare close. */
static void peer_closes_first(void **state)
{
    struct mpa_line *l = line_new();

    line_startup(l, startup_enhanced(MPA_REQUEST, C, true, MPA_RTR_SEND, 1, 1),
                 startup_enhanced(MPA_REPLY, C, true, MPA_RTR_WRITE, 1, 1));
    line_close(l, R);
    line_expect(l, "");
}

static void rtr_refused(void **state)
{
    static const struct {
        enum mpa_rtr type;
        uint16_t what;
        const char *outcome;
    } cases[] = {
        {MPA_RTR_WRITE, 0x1100, "MPA2-9.2-26"}, {MPA_RTR_WRITE, 0x0100, "MPA2-9.2-26"},
        {MPA_RTR_WRITE, 0x0206, "MPA2-9.2-05"}, {MPA_RTR_SEND, 0x1202, "MPA2-9.2-05"},
        {MPA_RTR_SEND, 0x0000, "?MPA2-9.2-05"},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_new();

        line_startup(l, startup_enhanced(MPA_REQUEST, C, true, (uint8_t)cases[i].type, 1, 1),
                     startup_enhanced(MPA_REPLY, C, true, (uint8_t)cases[i].type, 1, 1));
        if (cases[i].type == MPA_RTR_WRITE)
            line_write(l, I, 0);
        else
            line_send(l, I, 0);
        line_terminate(l, R, cases[i].what);
        line_close(l, R);
        line_expect(l, cases[i].outcome);
    }
}

static void unasked_replies(void **state)
{
    struct mpa_line *l = line_new();

    line_startup(l, request(C), startup_enhanced(MPA_REPLY, C, false, 0, 1, 1));
    line_send(l, I, 24);
    line_close(l, I);
    line_expect(l, "MPA2-10-12");
    l = line_new();
    line_startup(l, request(C), startup_enhanced(MPA_REPLY, C, false, 0, 1, 1));
    line_close(l, I);
    line_expect(l, "+MPA2-10-12");
    l = line_new();
    line_startup(l, startup_enhanced(MPA_REQUEST, C, true, MPA_RTR_WRITE, 1, 1), reply(C));
    line_write(l, I, 0);
    line_close(l, I);
    line_expect(l, "MPA2-10-11");
    l = line_new();
    line_startup(l, startup_enhanced(MPA_REQUEST, C, true, MPA_RTR_WRITE, 1, 1), reply(C));
    line_write(l, I, 60);
    line_close(l, I);
    line_expect(l, "+MPA2-10-11");
}

static void reads_at_the_limit(void **state)
{
    static const struct ddp_segment of_reads = {
        .last = true, .opcode = RDMAP_READ_REQUEST, .qn = DDP_QN_READ_REQUEST, .msn = 2};
    static const struct {
        unsigned reader, reads;
        bool refused, enclosed;
        const char *outcome;
    } cases[] = {
        {I, 2, true, true, "MPA2-9.1-03"},    {I, 2, true, false, "MPA2-9.1-03"},
        {I, 2, false, false, "+MPA2-9.1-03"}, {R, 2, true, true, "MPA2-9.1-14"},
        {R, 2, false, false, "+MPA2-9.1-14"}, {I, 3, true, true, ""}, /* more than agreed */
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct mpa_line *l = line_new();
        unsigned reader = cases[i].reader;
        char name[40];

        line_startup(l, startup_enhanced(MPA_REQUEST, C, false, 0, 2, 2),
                     startup_enhanced(MPA_REPLY, C, false, 0, 2, 2));
        line_send(l, I, 24);
        line_send(l, R, 24);
        for (unsigned n = 0; n < cases[i].reads; n++)
            line_read(l, reader, 0x10 + n, 0, 100);
        if (cases[i].refused)
            line_terminate_about(l, 1 - reader, 0x1202, cases[i].enclosed ? &of_reads : NULL);
        else
            for (unsigned n = 0; n < cases[i].reads; n++)
                line_response(l, 1 - reader, 0x10 + n, 0, 100);
        line_close(l, 1 - reader);
        snprintf(name, sizeof name, "case %zu", i);
        line_expect_named(l, cases[i].outcome, name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_requests),    cmocka_unit_test(unknown_revision_used),
        cmocka_unit_test(broken_replies),     cmocka_unit_test(broken_reply_and_terminate),
        cmocka_unit_test(cut_short_by_fin),   cmocka_unit_test(two_initiators),
        cmocka_unit_test(rdmac_request),      cmocka_unit_test(ignored_bits),
        cmocka_unit_test(no_reply),           cmocka_unit_test(half_a_request),
        cmocka_unit_test(establishment),      cmocka_unit_test(peer_closes_first),
        cmocka_unit_test(rtr_refused),        cmocka_unit_test(unasked_replies),
        cmocka_unit_test(reads_at_the_limit), cmocka_unit_test(goes_on_after_the_terminate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
