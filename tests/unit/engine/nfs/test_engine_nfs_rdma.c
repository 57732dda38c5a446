// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA Reads above the terms of a session on InfiniBand. The rest of what RFC 8881 says of RDMA: rules/nfs.cases. */
#include "tests/unit/support/nfs_messages.h"
#include "tests/unit/support/rpcrdma_talk.h"

enum { CALLBACK = 0x40000000 };

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_without_a_response),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
