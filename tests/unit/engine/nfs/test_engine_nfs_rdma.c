// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA Reads above the terms of a session on InfiniBand. rules/nfs.cases has RFC 8881's other rules about RDMA. */
#include "tests/unit/support/rpcrdma_talk.h"
#include "wire/nfs.h"

/* CREATE_SESSION in a COMPOUND, whose fore channel has one RDMA Read at a time (ca_rdma_ird), and its results. */
#define CHANNELS                                                                                                       \
    "[4] 00100414 00100388 [4] 00000008 00000010 00000001 00000001 [4] 00100414 00100388 [4] 00000008 00000010 [4]"
static const char create_session[] = "[4] 00000001 00000001 0000002b [8] [4] [4]" CHANNELS "40000000 [4]";
static const char session_created[] = "[8] 00000001 0000002b [4] [16] 00000001 [4]" CHANNELS;
/* PUTROOTFH, WRITE of 800 octets, which are in a chunk */
static const char write_800[] = "[4] 00000001 00000002 00000018 00000026 [16] [8] [4] 00000320";

static void agree_on_session(struct rpcrdma_talk *t)
{
    struct rpcrdma_plan call = talk_plan(t, C, 0x50), reply = talk_plan(t, S, 0x50);
    uint8_t octets[256];

    talk_call_with(t, C, &call, NFS_PROGRAM, 4, 1, octets, octets_of(create_session, octets, sizeof octets));
    talk_reply_with(t, S, &reply, octets, octets_of(session_created, octets, sizeof octets));
}

/* A WRITE with its data in a Read chunk. */
static void call_write(struct rpcrdma_talk *t)
{
    struct rpcrdma_read_segment chunk = {.target = {.handle = 0x77, .length = 800, .offset = 0x1000}};
    struct rpcrdma_plan plan = talk_plan(t, C, 0x60);
    uint8_t octets[64];
    size_t n = octets_of(write_800, octets, sizeof octets);

    chunk.position = 40 + (uint32_t)n;
    plan.reads = &chunk;
    plan.n_reads = 1;
    talk_call_with(t, C, &plan, NFS_PROGRAM, 4, 1, octets, n);
}

/* On InfiniBand a missing Response leaves nothing outstanding. */
UNIT_TEST(test_reads_without_a_response)
{
    enum { CERTAIN, ANSWERED_LATE, NOT_CAPTURED, HOWS };

    for (unsigned how = 0; how < HOWS; how++) {
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        t->infiniband = true;
        agree_on_session(t);
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

/* The payload of a Long Call, a health check, comes after its message: nothing is left of it once it is answered. */
UNIT_TEST(test_long_health_check)
{
    static const char put_root[] = "[4] 00000000 00000001 00000018";
    struct rpcrdma_read_segment chunk = {.target = {.handle = 0x77, .length = 40, .offset = 0x1000}};
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan;
    uint8_t octets[64];
    size_t n;

    t->credit[C] = t->credit[S] = 2;
    plan = talk_plan(t, C, 0x50);
    plan.proc = RPCRDMA_NOMSG;
    plan.reads = &chunk;
    plan.n_reads = 1;
    talk_message(t, C, &plan, NULL, 0);
    n = talk_rpc_call(octets, sizeof octets, 0x50, NFS_PROGRAM, 4, 0, NULL, 0);
    talk_read_request(t, S, 0x77, 0x1000, (uint32_t)n);
    talk_read_response(t, C, octets, n);
    talk_reply(t, S, 0x50);
    n = octets_of(put_root, octets, sizeof octets);
    for (uint32_t xid = 0x51; xid <= 0x52; xid++) {
        plan = talk_plan(t, C, xid);
        talk_call_with(t, C, &plan, NFS_PROGRAM, 4, 1, octets, n);
    }
    assert_int_equal(rule_counts_of(&t->seen.counts, RULE_NFSULB_6_7_2_01).failed, 1);
    talk_free(t);
}
