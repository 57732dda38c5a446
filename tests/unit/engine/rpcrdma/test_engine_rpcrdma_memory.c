// SPDX-License-Identifier: GPL-2.0-or-later
/* RDMA operations against the memory that Calls offer. */
#include "tests/unit/support/rpcrdma_talk.h"

/* NFS is not looked into here: a program that nobody knows. */
enum { PROGRAM = 400122, XID = 0x10 };

static struct rpcrdma_read_segment read_segment(uint32_t stag, uint32_t length, uint64_t offset)
{
    return (struct rpcrdma_read_segment){.position = 0, .target = {stag, length, offset}};
}

/* A Long Call whose Position Zero Read chunk is this segment. */
static uint32_t call_read(struct rpcrdma_talk *t, unsigned side, uint32_t xid, struct rpcrdma_read_segment segment)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);

    plan.proc = RPCRDMA_NOMSG;
    plan.reads = &segment;
    plan.n_reads = 1;
    return talk_message(t, side, &plan, NULL, 0);
}

/* The octets of such a Call. */
static const uint8_t *call_octets(struct rpcrdma_talk *t, uint32_t xid, size_t n)
{
    memset(t->rpc, 0, n);
    talk_rpc_call(t->rpc, sizeof t->rpc, xid, PROGRAM, 1, 1, NULL, 0);
    return t->rpc;
}

static uint32_t call_reply_chunk(struct rpcrdma_talk *t, unsigned side, uint32_t xid,
                                 const struct rpcrdma_segment *segments, uint32_t n)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    struct rpcrdma_write_plan reply = {segments, n};

    plan.reply = &reply;
    return talk_call_with(t, side, &plan, PROGRAM, 1, 1, NULL, 0);
}

static uint32_t call_reply_segment(struct rpcrdma_talk *t, unsigned side, uint32_t xid, struct rpcrdma_segment segment)
{
    return call_reply_chunk(t, side, xid, &segment, 1);
}

/* A Long Reply of these octets in this segment. */
static uint32_t reply_long(struct rpcrdma_talk *t, unsigned side, uint32_t xid, struct rpcrdma_segment segment)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    struct rpcrdma_write_plan reply = {&segment, 1};

    plan.proc = RPCRDMA_NOMSG;
    plan.reply = &reply;
    return talk_message(t, side, &plan, NULL, 0);
}

/* The Reply inline, this Reply chunk unused. */
static uint32_t reply_unused(struct rpcrdma_talk *t, unsigned side, uint32_t xid, struct rpcrdma_segment segment)
{
    struct rpcrdma_plan plan = talk_plan(t, side, xid);
    struct rpcrdma_write_plan reply = {&segment, 1};

    segment.length = 0;
    plan.reply = &reply;
    return talk_reply_with(t, side, &plan, NULL, 0);
}

static const uint8_t *reply_octets(struct rpcrdma_talk *t, uint32_t xid)
{
    talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_SUCCESS, NULL, 0);
    return t->rpc;
}

enum { LONG = 40 }; /* octets of a Call without arguments */
enum { REPLY = 24 };

static const struct rpcrdma_segment region = {0x7a31c002, 4096, 0x7f0000001000};

/* ---- conforming ---- */

static void long_call_and_reply(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read(t, S, 0x31c40b01, 0x1000, call_octets(t, XID, LONG), LONG);
    talk_reply(t, S, XID);
    call_reply_segment(t, C, XID + 1, region);
    talk_write(t, S, region.handle, region.offset, reply_octets(t, XID + 1), REPLY);
    reply_long(t, S, XID + 1, (struct rpcrdma_segment){region.handle, REPLY, region.offset});
    findings_passed(&t->seen, RULE_RPCR_3_4_5_09, RULE_RPCR_3_4_6_04, RULE_RPCR_3_4_6_05, RULE_RPCR_2_3_2_02,
                    RULE_RPCR_2_3_2_03, RULE_RPCR_3_1_01, RULE_RPCR_3_1_02, RULE_RPCR_4_1_2_17, RULE_RPCR_8_1_2_01,
                    RULE_RPCR_8_1_2_02);
    talk_expect_nothing(t);
}

/* The client serves a reverse Call. */
static void reverse_direction(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    t->credit[C] = 1;
    call_read(t, S, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read(t, C, 0x31c40b01, 0x1000, call_octets(t, XID, LONG), LONG);
    talk_reply(t, C, XID);
    findings_passed(&t->seen, RULE_RPCR_3_4_5_09);
    talk_expect_nothing(t);
}

/* Two segments of one STag abut, and one Write goes over both. */
static void abutting_segments(void **state)
{
    struct rpcrdma_segment two[] = {{0x7a31c002, 10, 0x1000}, {0x7a31c002, 30, 0x100a}};
    struct rpcrdma_segment back[] = {{0x7a31c002, 10, 0x1000}, {0x7a31c002, REPLY - 10, 0x100a}};
    struct rpcrdma_write_plan reply = {back, 2};
    struct rpcrdma_talk *t = talk_new();
    struct rpcrdma_plan plan;

    call_reply_chunk(t, C, XID, two, 2);
    talk_write(t, S, 0x7a31c002, 0x1000, reply_octets(t, XID), REPLY);
    plan = talk_plan(t, S, XID);
    plan.proc = RPCRDMA_NOMSG;
    plan.reply = &reply;
    talk_message(t, S, &plan, NULL, 0);
    talk_expect_nothing(t);
}

/* The same memory in two outstanding Calls: both are served by what comes, whichever it was for. */
static void shared_memory(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_reply_segment(t, C, XID, region);
    call_reply_segment(t, C, XID + 1, region);
    talk_write(t, S, region.handle, region.offset, reply_octets(t, XID), REPLY);
    reply_long(t, S, XID, (struct rpcrdma_segment){region.handle, REPLY, region.offset});
    talk_write(t, S, region.handle, region.offset, reply_octets(t, XID + 1), REPLY);
    reply_long(t, S, XID + 1, (struct rpcrdma_segment){region.handle, REPLY, region.offset});
    talk_expect_nothing(t);
}

/* Zero octets access nothing. */
static void empty_operations(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    talk_write(t, S, 0x12345678, 0, NULL, 0);
    talk_write(t, C, 0x12345678, 0, NULL, 0);
    talk_read_request(t, C, 0x12345678, 0, 0);
    talk_expect_nothing(t);
}

/* The highest octets that there are. */
static void end_of_address_space(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_reply_segment(t, C, XID, (struct rpcrdma_segment){0x7a31c002, 0x1000, 0xfffffffffffff000});
    talk_write(t, S, 0x7a31c002, 0xfffffffffffff000, reply_octets(t, XID), REPLY);
    reply_long(t, S, XID, (struct rpcrdma_segment){0x7a31c002, REPLY, 0xfffffffffffff000});
    findings_passed(&t->seen, RULE_RPCR_4_1_2_17);
    talk_expect_nothing(t);
}

/* ---- Writes ---- */

static void write_wrong_stag(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_reply_segment(t, C, XID, region);
    frame = talk_write(t, S, region.handle + 1, region.offset, NULL, REPLY);
    reply_long(t, S, XID, (struct rpcrdma_segment){region.handle, REPLY, region.offset});
    talk_expect(t, RULE_RPCR_3_4_6_04, SEVERITY_ERROR, frame);
}

static void write_out_of_bounds(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    t->segment = 1000;
    call_reply_segment(t, C, XID, region);
    frame = talk_write(t, S, region.handle, region.offset, NULL, 4100);
    reply_unused(t, S, XID, region);
    talk_expect(t, RULE_RPCR_3_4_6_05, SEVERITY_ERROR, frame);
}

static void write_over_a_gap(void **state)
{
    struct rpcrdma_segment two[] = {{0x7a31c002, 100, 0x1000}, {0x7a31c002, 100, 0x1080}};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_reply_chunk(t, C, XID, two, 2);
    frame = talk_write(t, S, 0x7a31c002, 0x1000, NULL, 150);
    talk_error(t, S, XID, RPCRDMA_ERR_CHUNK);
    talk_expect(t, RULE_RPCR_3_4_3_01, SEVERITY_ERROR, frame);
}

static void write_to_read_list(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read(t, S, 0x31c40b01, 0x1000, call_octets(t, XID, LONG), LONG);
    frame = talk_write(t, S, 0x31c40b01, 0x1000, NULL, 8);
    talk_reply(t, S, XID);
    talk_expect(t, RULE_RPCR_3_4_5_10, SEVERITY_ERROR, frame);
}

static void write_after_reply(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    t->segment = 10;
    call_reply_segment(t, C, XID, region);
    reply_long(t, S, XID, (struct rpcrdma_segment){region.handle, REPLY, region.offset});
    frame = t->frame + 1;
    talk_write(t, S, region.handle, region.offset, reply_octets(t, XID), REPLY);
    talk_expect(t, RULE_RPCR_2_3_2_02, SEVERITY_ERROR, frame);
}

static void write_to_answered_call(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_reply_segment(t, C, XID, region);
    reply_unused(t, S, XID, region);
    call_reply_segment(t, C, XID + 1, (struct rpcrdma_segment){0x11220044, 4096, 0});
    frame = talk_write(t, S, region.handle, region.offset, NULL, REPLY);
    reply_long(t, S, XID + 1, (struct rpcrdma_segment){0x11220044, REPLY, 0});
    talk_expect(t, RULE_RPCR_3_4_3_02, SEVERITY_ERROR, frame);
}

static void write_offset_swapped(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = call_reply_segment(t, C, XID, (struct rpcrdma_segment){0x7a31c002, 4096, 0x0000100000007f00});
    talk_write(t, S, 0x7a31c002, 0x00007f0000001000, reply_octets(t, XID), REPLY);
    reply_long(t, S, XID, (struct rpcrdma_segment){0x7a31c002, REPLY, 0x0000100000007f00});
    talk_expect(t, RULE_RPCR_4_1_2_07, SEVERITY_ERROR, frame);
}

static void client_writes(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = talk_write(t, C, 0x4455, 0x1000, NULL, 512);
    talk_call(t, C, XID);
    talk_reply(t, S, XID);
    talk_expect(t, RULE_RPCR_3_1_02, SEVERITY_ERROR, frame);
}

/* Before any Send, the port tells what the connection is for. */
static void client_writes_first(void **state)
{
    struct rpcrdma_options options = {.profile = PROFILE_IETF};
    struct rpcrdma_talk *t = talk_new_bare(&options);
    uint32_t frame;

    talk_startup(t, C, true, 4096, 4096);
    talk_startup(t, S, true, 4096, 4096);
    frame = talk_write(t, C, 0x4455, 0x1000, NULL, 512);
    talk_greet(t);
    talk_expect(t, RULE_RPCR_3_1_02, SEVERITY_ERROR, frame);
}

static void write_after_error(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_reply_segment(t, C, XID, region);
    talk_error(t, S, XID, RPCRDMA_ERR_CHUNK);
    frame = talk_write(t, S, region.handle, region.offset, NULL, REPLY);
    talk_expect(t, RULE_RPCR_3_4_6_04, SEVERITY_ERROR, frame);
}

/* The client refuses what it offers: layer, type and code of its Terminate. */
static uint32_t refuse(struct rpcrdma_talk *t, uint8_t layer, uint8_t etype, uint8_t code, struct place culprit)
{
    struct rdmap_terminate terminate = {.layer = layer, .etype = etype, .code = code};
    struct mpa_fpdu_event fpdu = {0};
    struct rdma_refusal refusal;

    talk_step(t);
    fpdu.place = talk_place(t, C);
    fpdu.direction = talk_direction(t, C);
    refusal = rdma_refusal_of_rdmap(&(struct rdmap_terminate_event){
        .terminate = &terminate, .fpdu = &fpdu, .culprit_found = true, .culprit = culprit});
    rpcrdma_connection_refusal(t->rpcrdma, &refusal);
    return t->frame;
}

static void refused(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    struct place culprit;
    uint32_t frame;

    t->seen.keeps = NULL;
    call_reply_segment(t, C, XID, region);
    culprit = talk_place(t, S);
    talk_write(t, S, region.handle, region.offset, NULL, REPLY);
    frame = refuse(t, RDMAP_LAYER_DDP, 1, 1, culprit);
    assert_int_equal(t->seen.n, 1);
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_3_4_3_03);
    assert_int_equal(t->seen.finding[0].severity, SEVERITY_NOTE);
    assert_int_equal(t->seen.finding[0].place.frame, frame);
    talk_free(t);

    t = talk_new(); /* another complaint */
    t->seen.keeps = NULL;
    call_reply_segment(t, C, XID, region);
    culprit = talk_place(t, S);
    talk_write(t, S, region.handle, region.offset, NULL, REPLY);
    refuse(t, RDMAP_LAYER_DDP, 1, 4, culprit);
    assert_int_equal(t->seen.n, 0);
    talk_free(t);
}

/* ---- Read lists of Replies ---- */

static uint32_t reply_read_list(struct rpcrdma_talk *t, uint32_t xid, struct rpcrdma_read_segment segment)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);

    plan.reads = &segment;
    plan.n_reads = 1;
    return talk_reply_with(t, S, &plan, NULL, 0);
}

static void done(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, C, xid);

    plan.proc = RPCRDMA_DONE;
    talk_message(t, C, &plan, NULL, 0);
}

static void call_unknown(struct rpcrdma_talk *t, uint32_t xid)
{
    struct rpcrdma_plan plan = talk_plan(t, C, xid);

    talk_call_with(t, C, &plan, PROGRAM, 1, 1, NULL, 0);
}

static void read_list_in_reply(void **state)
{
    struct rpcrdma_options options = {.profile = PROFILE_RFC5666};
    struct rpcrdma_talk *t = talk_new_with(&options);
    uint32_t frame;

    call_unknown(t, XID);
    reply_read_list(t, XID, read_segment(0x31c40b01, 1000, 0x1000));
    talk_read(t, C, 0x31c40b01, 0x1000, NULL, 1000);
    done(t, XID);
    findings_passed(&t->seen, RULE_RPCR0_3_5_01, RULE_RPCR0_3_8_01);
    talk_expect_nothing(t);

    t = talk_new_with(&options);
    call_unknown(t, XID);
    reply_read_list(t, XID, read_segment(0x31c40b01, 1000, 0x1000));
    frame = talk_read_request(t, C, 0x31c40b01, 0x1000, 1004);
    talk_read_response(t, S, NULL, 1004);
    done(t, XID);
    talk_expect(t, RULE_RPCR0_3_8_01, SEVERITY_ERROR, frame);

    t = talk_new_with(&options);
    call_unknown(t, XID);
    frame = reply_read_list(t, XID, read_segment(0x31c40b01, 1000, 0x1000));
    talk_read(t, C, 0x31c40b01, 0x1000, NULL, 1000);
    talk_call(t, C, XID + 1);
    talk_reply(t, S, XID + 1);
    talk_expect(t, RULE_RPCR0_3_5_01, SEVERITY_ERROR, frame);

    t = talk_new(); /* RFC 8166 */
    t->seen.keeps = NULL;
    call_unknown(t, XID);
    reply_read_list(t, XID, read_segment(0x31c40b01, 1000, 0x1000));
    assert_int_equal(t->seen.finding[0].rule, RULE_RPCR_4_3_1_03);
    talk_read(t, C, 0x31c40b01, 0x1000, NULL, 1000);
    assert_int_equal(t->seen.n, 2);
    assert_int_equal(t->seen.finding[1].rule, RULE_RPCR_4_3_1_04);
    talk_free(t);
}

/* ---- Reads ---- */

static void read_out_of_bounds(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    frame = talk_read_request(t, S, 0x31c40b01, 0x1000, 2 * LONG);
    talk_error(t, S, XID, RPCRDMA_ERR_CHUNK);
    talk_expect(t, RULE_RPCR_3_4_5_09, SEVERITY_ERROR, frame);
}

static void read_wrong_stag(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    frame = talk_read_request(t, S, 0x31c40c01, 0x1000, LONG);
    talk_error(t, S, XID, RPCRDMA_ERR_CHUNK);
    talk_expect(t, RULE_RPCR_3_4_5_09, SEVERITY_ERROR, frame);
}

static void read_of_reply_chunk(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_reply_segment(t, C, XID, region);
    frame = talk_read_request(t, S, region.handle, region.offset, LONG);
    talk_read_response(t, C, NULL, LONG);
    reply_unused(t, S, XID, region);
    talk_expect(t, RULE_RPCR_3_4_5_09, SEVERITY_ERROR, frame);
}

static void read_before_call(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = talk_read_request(t, S, 0x31c40b01, 0x1000, LONG);
    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read_response(t, C, call_octets(t, XID, LONG), LONG);
    talk_reply(t, S, XID);
    talk_expect(t, RULE_RPCR_3_4_5_06, SEVERITY_ERROR, frame);
}

/* The other direction lags behind: the Call comes late, its Read is lawful. */
static void read_before_late_call(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    t->unreceived = (uint64_t)-400;
    talk_read_request(t, S, 0x31c40b01, 0x1000, LONG);
    t->unreceived = 0;
    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read_response(t, C, call_octets(t, XID, LONG), LONG);
    talk_reply(t, S, XID);
    findings_inconclusive(&t->seen, RULE_RPCR_3_4_5_09);
    talk_expect_nothing(t);
}

static void read_after_reply(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read(t, S, 0x31c40b01, 0x1000, call_octets(t, XID, LONG), LONG);
    talk_reply(t, S, XID);
    frame = talk_read_request(t, S, 0x31c40b01, 0x1000, LONG);
    talk_read_response(t, C, NULL, LONG);
    talk_expect(t, RULE_RPCR_3_4_5_1_02, SEVERITY_ERROR, frame);
}

static void reply_before_read_completes(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read_request(t, S, 0x31c40b01, 0x1000, LONG);
    talk_read_response(t, C, call_octets(t, XID, LONG), LONG / 2);
    frame = talk_reply(t, S, XID);
    talk_read_response(t, C, call_octets(t, XID, LONG) + LONG / 2, LONG / 2);
    talk_expect(t, RULE_RPCR_2_3_2_03, SEVERITY_ERROR, frame);
}

static void client_reads(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = talk_read_request(t, C, 0x4455, 0x1000, 512);
    talk_read_response(t, S, NULL, 512);
    talk_expect(t, RULE_RPCR_3_1_01, SEVERITY_ERROR, frame);
}

/* Read segment whose length comes after its offset. */
static void read_segment_reordered(void **state)
{
    uint64_t offset = 0x00007f0000001000;
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = call_read(t, C, XID, read_segment(0x31c40b01, (uint32_t)(offset >> 32), offset << 32 | LONG));
    talk_read(t, S, 0x31c40b01, offset, call_octets(t, XID, LONG), LONG);
    talk_reply(t, S, XID);
    talk_expect(t, RULE_RPCR_4_1_2_06, SEVERITY_ERROR, frame);
}

/* ---- lost context ---- */

static void strays_after_hole(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    talk_hole(t, C);
    talk_write(t, S, 0x4455, 0x1000, NULL, 512);
    talk_read_request(t, S, 0x4455, 0x1000, 512);
    findings_inconclusive(&t->seen, RULE_RPCR_3_4_6_04);
    findings_inconclusive(&t->seen, RULE_RPCR_3_4_5_09);
    talk_expect_nothing(t);
}

static void responses_in_hole(void **state)
{
    struct rpcrdma_talk *t = talk_new();

    call_read(t, C, XID, read_segment(0x31c40b01, LONG, 0x1000));
    talk_read_request(t, S, 0x31c40b01, 0x1000, LONG);
    talk_hole(t, C);
    talk_reply(t, S, XID);
    findings_inconclusive(&t->seen, RULE_RPCR_2_3_2_03);
    talk_expect_nothing(t);
}

/* ---- segments, STags ---- */

static void segment_beyond_end(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = call_reply_segment(t, C, XID, (struct rpcrdma_segment){0x7a31c002, 0x2000, 0xfffffffffffff000});
    reply_unused(t, S, XID, (struct rpcrdma_segment){0x7a31c002, 0, 0xfffffffffffff000});
    talk_expect(t, RULE_RPCR_4_1_2_17, SEVERITY_NOTE, frame);
}

static uint32_t offer_stags(struct rpcrdma_talk *t, uint32_t first, uint32_t step, unsigned n)
{
    uint32_t frame = 0;

    for (unsigned i = 0; i < n; i++) {
        struct rpcrdma_segment segment = {first + i * step, 64, 0x1000};

        frame = call_reply_segment(t, C, XID + i, segment);
        reply_unused(t, S, XID + i, segment);
    }
    return frame;
}

static void predictable_stags(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = offer_stags(t, 0x1000, 0x100, 32);
    talk_expect(t, RULE_RPCR_8_1_2_01, SEVERITY_WARNING, frame);
    t = talk_new();
    frame = offer_stags(t, 1, 1, 32);
    talk_expect(t, RULE_RPCR_8_1_2_01, SEVERITY_WARNING, frame);
    t = talk_new(); /* keys of one index */
    offer_stags(t, 0x7a31c002, 1, 100);
    talk_expect_nothing(t);
    t = talk_new();
    offer_stags(t, 0x1000, 0x100, 31);
    talk_expect_nothing(t);
}

static void kept_memory(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    frame = offer_stags(t, 0x100, 0, 4);
    offer_stags(t, 0x100, 0, 4);
    talk_expect(t, RULE_RPCR_8_1_2_02, SEVERITY_WARNING, frame);
    t = talk_new();
    offer_stags(t, 0x100, 0, 3);
    talk_expect_nothing(t);
}

/* ---- Send with Invalidate ---- */

static uint32_t invalidate(struct rpcrdma_talk *t, uint32_t xid, uint32_t stag, struct rpcrdma_segment segment)
{
    struct rpcrdma_plan plan = talk_plan(t, S, xid);
    struct rpcrdma_write_plan reply = {&segment, 1};
    size_t n = talk_rpc_reply(t->rpc, sizeof t->rpc, xid, RPC_SUCCESS, NULL, 0);

    segment.length = 0;
    plan.reply = &reply;
    return talk_message_invalidate(t, S, stag, &plan, t->rpc, n);
}

static void invalidation(void **state)
{
    struct rpcrdma_segment other = {0x11220044, 64, 0};
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_reply_segment(t, C, XID, region);
    invalidate(t, XID, region.handle, region);
    findings_passed(&t->seen, RULE_CMPD_4_1_02);
    call_reply_segment(t, C, XID + 1, region);
    call_reply_segment(t, C, XID + 2, other);
    frame = invalidate(t, XID + 1, other.handle, region);
    invalidate(t, XID + 2, other.handle, other);
    talk_expect(t, RULE_CMPD_4_1_02, SEVERITY_ERROR, frame);
}

static void invalidation_of_shared(void **state)
{
    struct rpcrdma_talk *t = talk_new();
    uint32_t frame;

    call_reply_segment(t, C, XID, region);
    call_reply_segment(t, C, XID + 1, region);
    frame = invalidate(t, XID, region.handle, region);
    reply_unused(t, S, XID + 1, region);
    talk_expect(t, RULE_CMPD_4_1_02, SEVERITY_ERROR, frame);
}

/* On InfiniBand an Acknowledge says that the access was carried out. */
static void access_after_invalidation(void **state)
{
    static const struct {
        const char *name, *found;
        bool acknowledged, again, hole;
    } rows[] = {
        {"acknowledged", "CMPD-3.2-04 RPCR-2.3.2-02", true, false, false},
        {"not acknowledged", "RPCR-2.3.2-02 ?CMPD-3.2-04", false, false, false},
        {"offered again", "", true, true, false},
        {"after a hole", "?CMPD-3.2-04", true, false, true},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rpcrdma_talk *t = talk_new();

        t->infiniband = true;
        t->seen.keeps = NULL;
        call_reply_segment(t, C, XID, region);
        invalidate(t, XID, region.handle, region);
        if (rows[i].again)
            call_reply_segment(t, C, XID + 1, region);
        if (rows[i].hole)
            talk_hole(t, C);
        talk_write(t, S, region.handle, region.offset, NULL, 8);
        if (rows[i].acknowledged)
            rpcrdma_connection_received(t->rpcrdma, C, t->end[S]);
        talk_finish(t);
        findings_expect(&t->seen, -1, rows[i].found, rows[i].name);
        talk_free(t);
    }
}

/* ---- Reads outstanding ---- */

static void reads_beyond_the_terms(void **state)
{
    struct rdma_terms terms = {.initiator_side = C, .from_start = true, .reads_max = {[S] = 2}};

    for (unsigned open = 1; open <= 4; open++) { /* as many as were surely outstanding with the third */
        struct rpcrdma_talk *t = talk_new();
        uint32_t frame;

        rpcrdma_connection_terms(t->rpcrdma, &terms);
        t->infiniband = true;
        call_read(t, C, XID, (struct rpcrdma_read_segment){.target = region});
        t->reads_open = 1;
        talk_read_request(t, S, region.handle, region.offset, 8);
        findings_passed(&t->seen, RULE_RPCR_3_3_1_11);
        talk_read_request(t, S, region.handle, region.offset + 8, 8);
        t->reads_open = open;
        frame = talk_read_request(t, S, region.handle, region.offset + 16, 8);
        if (open > 2) {
            talk_expect(t, RULE_RPCR_3_3_1_11, SEVERITY_ERROR, frame);
        } else {
            findings_inconclusive(&t->seen, RULE_RPCR_3_3_1_11);
            talk_expect_nothing(t);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_call_and_reply),
        cmocka_unit_test(reverse_direction),
        cmocka_unit_test(abutting_segments),
        cmocka_unit_test(shared_memory),
        cmocka_unit_test(empty_operations),
        cmocka_unit_test(end_of_address_space),
        cmocka_unit_test(write_wrong_stag),
        cmocka_unit_test(write_out_of_bounds),
        cmocka_unit_test(write_over_a_gap),
        cmocka_unit_test(write_to_read_list),
        cmocka_unit_test(write_after_reply),
        cmocka_unit_test(write_to_answered_call),
        cmocka_unit_test(write_offset_swapped),
        cmocka_unit_test(client_writes),
        cmocka_unit_test(client_writes_first),
        cmocka_unit_test(write_after_error),
        cmocka_unit_test(refused),
        cmocka_unit_test(read_list_in_reply),
        cmocka_unit_test(read_out_of_bounds),
        cmocka_unit_test(read_wrong_stag),
        cmocka_unit_test(read_of_reply_chunk),
        cmocka_unit_test(read_before_call),
        cmocka_unit_test(read_before_late_call),
        cmocka_unit_test(read_after_reply),
        cmocka_unit_test(reply_before_read_completes),
        cmocka_unit_test(client_reads),
        cmocka_unit_test(read_segment_reordered),
        cmocka_unit_test(strays_after_hole),
        cmocka_unit_test(responses_in_hole),
        cmocka_unit_test(segment_beyond_end),
        cmocka_unit_test(predictable_stags),
        cmocka_unit_test(kept_memory),
        cmocka_unit_test(invalidation),
        cmocka_unit_test(invalidation_of_shared),
        cmocka_unit_test(access_after_invalidation),
        cmocka_unit_test(reads_beyond_the_terms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
