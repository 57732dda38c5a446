// SPDX-License-Identifier: GPL-2.0-or-later
/* What RFC 8881 says of RDMA: the terms of a session, and CB_RECALL_SLOT with its Sends of no octets. */
#include "tests/unit/support/nfs_messages.h"
#include "tests/unit/support/rpcrdma_talk.h"

enum { CALLBACK = 0x40000000, CONN_BACK = 2, CONN_RDMA = 4, TARGET = 1 };

static uint32_t ask(struct rpcrdma_talk *t, uint32_t xid, const struct nfs_text *arguments)
{
    struct rpcrdma_plan plan = talk_plan(t, C, xid);

    return talk_call_with(t, C, &plan, NFS_PROGRAM, 4, 1, arguments->p, arguments->n);
}

static uint32_t answer(struct rpcrdma_talk *t, unsigned side, uint32_t xid, const struct nfs_text *results)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    return talk_reply_with(t, side, &plan, results->p, results->n);
}

/* ---- the terms of a session ---- */

struct terms {
    uint32_t flags, pad[2];
    unsigned elements[2]; /* of ca_rdma_ird, by channel */
    uint32_t ird[2];
};

static void channel(struct nfs_text *t, const struct terms *terms, unsigned which)
{
    text_put(t, terms->pad[which], 1049620, 1049480, 0, 8, 16, terms->elements[which]);
    for (unsigned i = 0; i < terms->elements[which]; i++)
        text_put(t, terms->ird[which]);
}

static void call_session(struct rpcrdma_talk *t, const struct terms *terms)
{
    struct nfs_text call = {0};

    text_compound(&call, 1, 1);
    text_put(&call, NFS_OP_CREATE_SESSION);
    text_words(&call, 3);
    text_put(&call, terms->flags);
    channel(&call, terms, 0);
    channel(&call, terms, 1);
    text_put(&call, CALLBACK, 0);
    ask(t, 0x50, &call);
}

static uint32_t grant_session(struct rpcrdma_talk *t, const struct terms *terms)
{
    struct nfs_text reply = {0};

    text_compounded(&reply, 0, 1);
    text_put(&reply, NFS_OP_CREATE_SESSION, 0);
    text_words(&reply, 4);
    text_put(&reply, 1, terms->flags);
    channel(&reply, terms, 0);
    channel(&reply, terms, 1);
    return answer(t, S, 0x50, &reply);
}

static void test_terms(void **state)
{
    static const struct {
        struct terms asked, granted;
        enum rule_id rule; /* RULE_COUNT: nothing */
        enum rule_severity severity;
    } cases[] = {
        {{.flags = 2}, {.flags = 2}, RULE_COUNT, 0},
        {{.flags = 2 | CONN_RDMA}, {.flags = 2 | CONN_RDMA}, RULE_COUNT, 0},
        {{.flags = 2 | CONN_RDMA}, {.flags = 2}, RULE_COUNT, 0},
        {{.flags = 2}, {.flags = 2 | CONN_RDMA}, RULE_NFS41_18_36_3_01, SEVERITY_ERROR},
        {{.flags = 2}, {.flags = CONN_RDMA}, RULE_NFS41_18_36_3_01, SEVERITY_ERROR},
        {{.pad = {100, 100}}, {.pad = {100, 0}}, RULE_COUNT, 0},
        {{.pad = {100, 200}}, {.pad = {101, 200}}, RULE_NFS41_18_36_3_06, SEVERITY_ERROR},
        {{.pad = {100, 200}}, {.pad = {100, 201}}, RULE_NFS41_18_36_3_06, SEVERITY_ERROR},
        {{.elements = {1, 1}, .ird = {8, 9}}, {.elements = {1, 1}, .ird = {8, 0}}, RULE_COUNT, 0},
        {{.elements = {1, 1}, .ird = {8, 9}}, {0}, RULE_COUNT, 0},
        {{.elements = {1, 0}, .ird = {8}}, {.elements = {1, 0}, .ird = {9}}, RULE_NFS41_18_36_3_04, SEVERITY_ERROR},
        {{.elements = {0, 1}, .ird = {0, 8}},
         {.elements = {0, 1}, .ird = {0, 9}},
         RULE_NFS41_18_36_3_04,
         SEVERITY_ERROR},
        {{0}, {.elements = {1, 0}, .ird = {1}}, RULE_NFS41_18_36_3_04, SEVERITY_WARNING},
        {{0}, {.elements = {1, 1}, .ird = {0}}, RULE_COUNT, 0},
        {{.elements = {1, 0}, .ird = {9}}, {.elements = {2, 0}, .ird = {9}}, RULE_NFS41_18_36_3_03, SEVERITY_ERROR},
        {{.elements = {1, 0}, .ird = {9}}, {.elements = {7, 0}, .ird = {9}}, RULE_NFS41_18_36_3_03, SEVERITY_ERROR},
    };

    for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        call_session(t, &cases[i].asked);
        frame = grant_session(t, &cases[i].granted);
        if (cases[i].rule == RULE_COUNT)
            talk_expect_nothing(t);
        else
            talk_expect(t, cases[i].rule, cases[i].severity, frame);
    }
}

static void test_elements_of_a_call(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct terms two = {.elements = {0, 2}, .ird = {0, 4}};

    call_session(t, &two);
    talk_expect(t, RULE_NFS41_18_36_3_03, SEVERITY_ERROR, t->frame);
}

static void test_binding(void **state)
{
    for (uint32_t how = 0; how < 4; how++) {
        uint32_t asked = how & 1, granted = how >> 1, frame;
        struct nfs_text call = {0}, reply = {0};
        struct rpcrdma_talk *t = talk_new();

        text_compound(&call, 1, 1);
        text_put(&call, NFS_OP_BIND_CONN_TO_SESSION);
        text_words(&call, 4);
        text_put(&call, 7, asked);
        ask(t, 0x50, &call);
        text_compounded(&reply, 0, 1);
        text_put(&reply, NFS_OP_BIND_CONN_TO_SESSION, 0);
        text_words(&reply, 4);
        text_put(&reply, 3, granted);
        frame = answer(t, S, 0x50, &reply);
        if (granted && !asked)
            talk_expect(t, RULE_NFS41_18_34_3_01, SEVERITY_ERROR, frame);
        else
            talk_expect_nothing(t);
    }
}

/* ---- Reads outstanding ---- */

/* A WRITE whose data are in a Read chunk of 800 octets. */
static void call_write(struct rpcrdma_talk *t)
{
    struct rpcrdma_read_segment chunk = {.target = {.handle = 0x77, .length = 800, .offset = 0x1000}};
    struct rpcrdma_plan plan = talk_plan(t, C, 0x60);
    struct nfs_text call = {0};

    text_compound(&call, 1, 2);
    text_put(&call, NFS_OP_PUTROOTFH, NFS_OP_WRITE);
    text_words(&call, 4 + 2 + 1);
    text_put(&call, 800);
    chunk.position = 40 + (uint32_t)call.n;
    plan.reads = &chunk;
    plan.n_reads = 1;
    talk_call_with(t, C, &plan, NFS_PROGRAM, 4, 1, call.p, call.n);
}

static void test_reads_outstanding(void **state)
{
    struct terms one = {.elements = {1, 0}, .ird = {1}}, none = {.elements = {1, 0}};

    for (unsigned how = 0; how < 4; how++) { /* one after the other; at once; without a limit; after a hole */
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        call_session(t, &one);
        grant_session(t, how == 2 ? &none : &one);
        call_write(t);
        if (how == 3)
            talk_hole(t, C);
        talk_read_request(t, S, 0x77, 0x1000, 400);
        if (how == 0)
            talk_read_response(t, C, NULL, 400);
        frame = talk_read_request(t, S, 0x77, 0x1000 + 400, 400);
        if (how != 0)
            talk_read_response(t, C, NULL, 400);
        talk_read_response(t, C, NULL, 400);
        if (how == 0)
            findings_passed(&t->seen, RULE_NFS41_18_36_3_05);
        if (how == 3)
            findings_inconclusive(&t->seen, RULE_NFS41_18_36_3_05);
        if (how == 1)
            talk_expect(t, RULE_NFS41_18_36_3_05, SEVERITY_WARNING, frame);
        else
            talk_expect_nothing(t);
    }
}

/* On InfiniBand a Response that the capture lacks leaves nothing outstanding. */
static void test_reads_without_a_response(void **state)
{
    enum { CERTAIN, ANSWERED_LATE, NOT_CAPTURED, HOWS };
    struct terms one = {.elements = {1, 0}, .ird = {1}};

    for (unsigned how = 0; how < HOWS; how++) {
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        t->infiniband = true;
        call_session(t, &one);
        grant_session(t, &one);
        call_write(t);
        t->reads_open = 1;
        talk_read_request(t, S, 0x77, 0x1000, 400);
        if (how == NOT_CAPTURED)
            t->n_reads[S] = 0;
        t->reads_open = how == CERTAIN ? 2 : 1;
        frame = talk_read_request(t, S, 0x77, 0x1000 + 400, 400);
        if (how != NOT_CAPTURED)
            talk_read_response(t, C, NULL, 400);
        talk_read_response(t, C, NULL, 400);
        if (how == NOT_CAPTURED) {
            findings_inconclusive(&t->seen, RULE_NFS41_18_36_3_05);
            talk_expect_nothing(t);
        } else {
            talk_expect(t, RULE_NFS41_18_36_3_05, SEVERITY_WARNING, frame);
        }
    }
}

/* ---- CB_RECALL_SLOT ---- */

static void session(struct rpcrdma_talk *t, uint32_t flags)
{
    struct terms terms = {.flags = flags};

    call_session(t, &terms);
    grant_session(t, &terms);
}

static void recall(struct rpcrdma_talk *t)
{
    struct rpcrdma_plan plan = talk_plan(t, S, 0x900);
    struct nfs_text call = {0};

    text_put(&call, 0, 1, 1, 2, 11); /* CB_SEQUENCE */
    text_words(&call, 4);
    text_put(&call, 1, 0, 0, 0, 0, NFS_OP_CB_RECALL_SLOT, TARGET);
    talk_call_with(t, S, &plan, CALLBACK, 1, 1, call.p, call.n);
}

static void take_note(struct rpcrdma_talk *t, uint32_t status)
{
    struct nfs_text reply = {0};

    text_compounded(&reply, status, 2);
    text_put(&reply, 11, 0);
    text_words(&reply, 8);
    text_put(&reply, NFS_OP_CB_RECALL_SLOT, status);
    answer(t, C, 0x900, &reply);
}

static uint32_t request(struct rpcrdma_talk *t, uint32_t xid, uint32_t slot, uint32_t highest)
{
    struct nfs_text call = {0};

    text_compound(&call, 1, 2);
    text_put(&call, NFS_OP_SEQUENCE);
    text_words(&call, 4);
    text_put(&call, 1, slot, highest, 0, NFS_OP_PUTROOTFH);
    return ask(t, xid, &call);
}

static void done(struct rpcrdma_talk *t, uint32_t xid, uint32_t target)
{
    struct nfs_text reply = {0};

    text_compounded(&reply, 0, 2);
    text_put(&reply, NFS_OP_SEQUENCE, 0);
    text_words(&reply, 7);
    text_put(&reply, target, 0, NFS_OP_PUTROOTFH, 0);
    answer(t, S, xid, &reply);
}

static uint32_t empty(struct rpcrdma_talk *t, unsigned side)
{
    return talk_send_octets(t, side, "", 0);
}

static void test_returned_credits(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    session(t, CONN_BACK);
    recall(t);
    empty(t, C);
    take_note(t, 0);
    empty(t, C);
    empty(t, C);
    request(t, 0x60, TARGET, TARGET);
    done(t, 0x60, TARGET);
    empty(t, C);
    findings_passed(&t->seen, RULE_NFS41_20_8_3_02, RULE_NFS41_20_8_3_03);
    talk_expect_nothing(t);
}

static void test_credits_that_nobody_recalled(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = empty(t, C); /* before any session */
    talk_expect(t, RULE_RPCR_4_01, SEVERITY_ERROR, frame);
    t = talk_new();
    session(t, CONN_BACK);
    frame = empty(t, C);
    talk_expect(t, RULE_RPCR_4_01, SEVERITY_ERROR, frame);
    t = talk_new(); /* the client has refused */
    session(t, CONN_BACK);
    recall(t);
    take_note(t, 10012);
    frame = empty(t, C);
    talk_expect(t, RULE_RPCR_4_01, SEVERITY_ERROR, frame);
    t = talk_new(); /* a server has no credits to return */
    session(t, CONN_BACK);
    recall(t);
    frame = empty(t, S);
    talk_expect(t, RULE_RPCR_4_01, SEVERITY_ERROR, frame);
}

/* Slots may have been recalled on another connection, in a hole, or in what the capture shows later. */
static void test_credits_in_doubt(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    session(t, 0); /* no backchannel here */
    empty(t, C);
    findings_inconclusive(&t->seen, RULE_RPCR_4_01);
    talk_expect_nothing(t);
    t = talk_new(); /* a session of another connection */
    request(t, 0x60, 0, 0);
    empty(t, C);
    findings_inconclusive(&t->seen, RULE_RPCR_4_01);
    talk_expect_nothing(t);
    t = talk_new();
    session(t, CONN_BACK);
    talk_hole(t, S);
    request(t, 0x60, 0, 0);
    empty(t, C);
    findings_inconclusive(&t->seen, RULE_RPCR_4_01);
    talk_expect_nothing(t);
}

static void test_slots_above_the_target(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    session(t, CONN_BACK);
    recall(t);
    request(t, 0x60, 2, 2); /* before the client took note */
    take_note(t, 0);
    request(t, 0x61, 3, 3); /* it may have had its slot before */
    findings_inconclusive(&t->seen, RULE_NFS41_20_8_3_02);
    done(t, 0x60, TARGET);
    request(t, 0x62, 4, 4);
    done(t, 0x61, TARGET);
    frame = request(t, 0x63, 5, 5);
    talk_expect(t, RULE_NFS41_20_8_3_02, SEVERITY_WARNING, frame);
    t = talk_new(); /* the server raises its target */
    session(t, CONN_BACK);
    recall(t);
    take_note(t, 0);
    request(t, 0x60, 0, 0);
    done(t, 0x60, 31);
    request(t, 0x61, 7, 7);
    talk_expect_nothing(t);
}

static void test_highest_slot(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    session(t, CONN_BACK);
    request(t, 0x60, 5, 5);
    recall(t);
    take_note(t, 0);
    request(t, 0x61, 0, 5);
    done(t, 0x61, TARGET);
    request(t, 0x62, 0, 5); /* slot 5 is still in use */
    findings_inconclusive(&t->seen, RULE_NFS41_20_8_3_03);
    done(t, 0x62, TARGET);
    done(t, 0x60, TARGET);
    frame = request(t, 0x63, 0, 5);
    talk_expect(t, RULE_NFS41_20_8_3_03, SEVERITY_WARNING, frame);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_elements_of_a_call),
        cmocka_unit_test(test_binding),
        cmocka_unit_test(test_reads_outstanding),
        cmocka_unit_test(test_reads_without_a_response),
        cmocka_unit_test(test_returned_credits),
        cmocka_unit_test(test_credits_that_nobody_recalled),
        cmocka_unit_test(test_credits_in_doubt),
        cmocka_unit_test(test_slots_above_the_target),
        cmocka_unit_test(test_highest_slot),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
