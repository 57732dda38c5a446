// SPDX-License-Identifier: GPL-2.0-or-later
/* What a hole can have hidden, and evidence against it; judged by an RDMA Write past the end of a chunk. */
#include "tests/unit/support/rpcrdma_talk.h"

enum { PROGRAM = 400122, SECOND = 1000000000 };

static const struct rpcrdma_segment region = {0x7a31c002, 4096, 0x7f0000001000};

static uint32_t call_with_chunk(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, C, xid);
    struct rpcrdma_write_plan reply = {&region, 1};

    plan.reply = &reply;
    return talk_call_with(t, C, &plan, PROGRAM, 1, 1, NULL, 0);
}

enum where { OVER_THE_END, ELSEWHERE };

/* A Write that no captured Call explains. */
static uint32_t write_astray(struct rpcrdma_talk *t, enum where where)
{
    return where == OVER_THE_END ? talk_write(t, S, region.handle, region.offset + 4090, NULL, 8)
                                 : talk_write(t, S, 0x55aa55aa, 0x1000, NULL, 8);
}

struct row {
    const char *name;
    unsigned side;    /* of the hole */
    uint64_t octets;  /* 0: none */
    unsigned sends;   /* in it */
    unsigned answers; /* to Calls that were not captured */
    int64_t quiet_ns;
    enum where where;
    int severity; /* -1: nothing */
};

static const struct row rows[] = {
    {"no hole", C, 0, 0, 0, 0, ELSEWHERE, SEVERITY_ERROR},
    {"a hole without Sends", C, 1000, 0, 0, 0, ELSEWHERE, SEVERITY_ERROR},
    {"a Call is missing", C, 1000, 1, 0, 0, ELSEWHERE, -1},
    {"and may offer what runs over", C, 1000, 1, 0, 0, OVER_THE_END, SEVERITY_WARNING},
    {"it was answered", C, 1000, 1, 1, 0, ELSEWHERE, SEVERITY_ERROR},
    {"it was answered, over the end", C, 1000, 1, 1, 0, OVER_THE_END, SEVERITY_ERROR},
    {"one of two was", C, 1000, 2, 1, 0, ELSEWHERE, -1},
    {"both were", C, 1000, 2, 2, 0, ELSEWHERE, SEVERITY_ERROR},
    {"3 s say nothing", C, 1000, 1, 0, 3LL * SECOND, ELSEWHERE, -1},
    {"nor does a minute: a server may hang", C, 1000, 1, 0, 60LL * SECOND, ELSEWHERE, -1},
    {"ten minutes do", C, 1000, 1, 0, 600LL * SECOND, ELSEWHERE, SEVERITY_ERROR},
    {"a hole of the server hides no Call of the client", S, 1000, 1, 0, 0, ELSEWHERE, SEVERITY_ERROR},
};

UNIT_TEST(test_holes)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct row *row = &rows[i];
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        if (row->octets > 0)
            talk_lose(t, row->side, row->octets, row->sends);
        talk_call(t, C, 0x20);
        for (unsigned k = 0; k < row->answers; k++)
            talk_reply(t, S, 0x900 + k);
        talk_reply(t, S, 0x20);
        talk_wait(t, row->quiet_ns);
        call_with_chunk(t, 0x21);
        frame = write_astray(t, row->where);
        talk_finish(t);
        if (row->severity < 0)
            findings_expect(&t->seen, -1, "", row->name);
        else
            findings_expect_one(&t->seen, row->where == OVER_THE_END ? RULE_RPCR_3_4_6_05 : RULE_RPCR_3_4_6_04,
                                (enum rule_severity)row->severity, frame);
        talk_free(t);
    }
}

/* Any number of Calls may be outstanding since before the capture, unless MSNs exclude this. */
UNIT_TEST(test_late_start)
{
    static const struct {
        uint32_t msn; /* of the first captured Send */
        int64_t quiet_ns;
        bool settled;
    } starts[] = {
        {1000, 0, false}, {1000, 60LL * SECOND, false}, {1000, 600LL * SECOND, true}, {2, 0, false}, {1, 0, true}};

    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        for (enum where where = OVER_THE_END; where <= ELSEWHERE; where++) {
            struct rpcrdma_options options = {.profile = PROFILE_IETF, .always = true};
            struct rpcrdma_talk *t = talk_new_bare(&options);
            uint32_t frame;

            talk_midstream(t);
            t->msn[C] = t->msn[S] = starts[i].msn;
            talk_call(t, C, 0x20);
            talk_reply(t, S, 0x20);
            talk_wait(t, starts[i].quiet_ns);
            call_with_chunk(t, 0x21);
            frame = write_astray(t, where);
            talk_finish(t);
            if (!starts[i].settled && where == ELSEWHERE)
                findings_expect(&t->seen, -1, "", "late start");
            else
                findings_expect_one(&t->seen, where == OVER_THE_END ? RULE_RPCR_3_4_6_05 : RULE_RPCR_3_4_6_04,
                                    starts[i].settled ? SEVERITY_ERROR : SEVERITY_WARNING, frame);
            talk_free(t);
        }
    }
}

/* A hole within a Write has no Send in it, whatever comes next; a hole after it may have one. */
UNIT_TEST(test_hole_within_a_write)
{
    for (unsigned within = 0; within < 2; within++) {
        struct rpcrdma_talk *t = talk_new();
        struct ddp_segment ddp = {.tagged = true, .opcode = RDMAP_WRITE, .stag = region.handle, .to = region.offset};
        struct rdmap_operation op = {.number = ++t->operations, .kind = RDMAP_OP_WRITE, .side = S};
        struct rdmap_segment_event part = {.message = t->messages[S]++};
        uint8_t octets[1000] = {0};

        call_with_chunk(t, 0x21);
        talk_part(t, S, ddp, &op, octets, sizeof octets, &part);
        talk_lose(t, S, sizeof octets + 20, 0);
        ddp.to = region.offset + (within ? 2000 : 3000);
        ddp.last = true;
        talk_part(t, S, ddp, &op, octets, sizeof octets, &part);
        assert_int_equal(rpcrdma_sends_seen(t->rpcrdma, S), within);
        talk_reply(t, S, 0x21); /* its MSN proves the same */
        assert_true(rpcrdma_sends_seen(t->rpcrdma, S));
        talk_free(t);
    }
}

/* The smallest Send is an RDMA_DONE. */
UNIT_TEST(test_smallest_send)
{
    enum { DONE_FPDU = 40 };

    for (unsigned less = 0; less < 2; less++) {
        struct rpcrdma_talk *t = talk_new();

        call_with_chunk(t, 0x21);
        talk_lose(t, S, DONE_FPDU - less, 0);
        talk_write(t, S, region.handle, region.offset, NULL, 8);
        assert_int_equal(rpcrdma_sends_seen(t->rpcrdma, S), less);
        talk_free(t);
    }
}

/* The Long Reply of a callback comes first: only a Reply has no Read list. */
UNIT_TEST(test_long_reply_first)
{
    struct rpcrdma_options options = {.profile = PROFILE_IETF, .always = true};
    struct rpcrdma_talk *t = talk_new_bare(&options);
    struct rpcrdma_plan plan = talk_plan(t, C, 0x30);
    struct rpcrdma_write_plan reply = {&region, 1};

    talk_midstream(t);
    plan.proc = RPCRDMA_NOMSG;
    plan.reply = &reply;
    talk_message(t, C, &plan, NULL, 0);
    talk_expect_nothing(t);
}
