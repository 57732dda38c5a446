// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite rpcrdma: credits, Receive buffers, inline thresholds and the private data that tell them (RFC 8166 section 3.3,
 * RFC 8797).
 */
#include "traffic-gen/suite/suite_rpcrdma.h"

#include "traffic-gen/suite/talk_internal.h"
#include "wire/nfs.h"
#include "wire/rpcrdma_private_data.h"

#include <string.h>

enum { CREDITS = 64, SERVED = 40, FORGOTTEN = 0xEAD };

/* ---- credits ---- */

static void send_null(struct rpc_bench *bench, uint32_t xid, uint32_t credit, size_t size)
{
    uint32_t before = bench->xid;
    GByteArray *octets;

    bench->xid = xid;
    octets = rpc_bench_octets(bench, "XID 00000001 00000008 00000000 00000000 00000000 00000000 NULL");
    put_be32(octets->data + 8, credit);
    if (size > octets->len) {
        guint from = octets->len;

        g_byte_array_set_size(octets, (guint)size);
        memset(octets->data + from, 0, size - from);
    }
    rpc_bench_send(bench, octets->data, octets->len);
    g_byte_array_unref(octets);
    bench->xid = before;
}

/* As many Calls at once as are granted, up to what was requested: all are answered. */
static bool burst(struct rpc_bench *bench, uint32_t xid)
{
    uint32_t n = MIN(bench->grant, CREDITS);

    for (uint32_t i = 0; i < n; i++)
        send_null(bench, xid + i, CREDITS, 0);
    for (uint32_t i = 0; i < n; i++) {
        enum bench_answer answer = rpc_bench_await(bench, xid + i, talk_t_close(bench->talk));

        if (answer == BENCH_SILENCE || answer == BENCH_GONE) {
            talk_failed(bench->talk, "of %u Calls at once, as granted, number %u has %s", n, i + 1,
                        bench_answer_words(answer));
            return false;
        }
    }
    return true;
}

enum { AT_ONCE, LATER };

static void bursts(struct talk *talk, const struct suite_test *test)
{
    const struct bench_wish wish = {.credits = CREDITS};
    struct rpc_bench bench;
    uint32_t n = 0;
    bool good = rpc_bench_open(&bench, talk, &wish);

    if (good && test->variant == LATER) {
        for (unsigned i = 0; i < 3 && good; i++)
            good = rpc_bench_alive(&bench);
        for (unsigned i = 0; i < 3 && good; i++)
            good = burst(&bench, bench.xids + BENCH_XID_BURST + (n += CREDITS));
    } else if (good) {
        good = burst(&bench, bench.xids + BENCH_XID_BURST);
    }
    if (good)
        talk_passed(talk, "all answered, with a grant of %u", bench.grant);
    rpc_bench_close(&bench);
}

/* What the requester asks for is odd. */
static void requested(struct talk *talk, const struct suite_test *test)
{
    struct rpc_bench bench;
    enum bench_answer answer;

    if (rpc_bench_open(&bench, talk, NULL)) {
        uint32_t xid = bench.xids + BENCH_XID_BURST;

        send_null(&bench, xid, (uint32_t)test->variant, 0);
        answer = rpc_bench_await(&bench, xid, talk_t_react(talk));
        if (answer == BENCH_SUCCESS && bench.grant == 0)
            talk_failed(talk, "the Reply grants 0 credits");
        else
            rpcrdma_judge(&bench, BENCH_SUCCESS, answer);
    }
    rpc_bench_close(&bench);
}

/* Each Call is answered. */
static void none_forgotten(struct talk *talk, const struct suite_test *test)
{
    static const uint32_t xids[] = {BENCH_XID_BURST + 1, BENCH_XID_BURST + 2, FORGOTTEN, BENCH_XID_BURST + 3};
    struct rpc_bench bench;

    (void)test;
    if (rpc_bench_open(&bench, talk, NULL)) {
        bool all = true;

        for (unsigned i = 0; i < G_N_ELEMENTS(xids) && all; i++) {
            enum bench_answer answer;

            send_null(&bench, bench.xids + xids[i], 8, 0);
            answer = rpc_bench_await(&bench, bench.xids + xids[i], talk_t_close(talk));
            all = answer != BENCH_SILENCE;
            if (answer == BENCH_GONE)
                break;
        }
        if (all)
            talk_passed(talk, "each is answered, or the connection ends");
        else if (rpc_bench_alive(&bench))
            talk_failed(talk, "a Call is not answered, and a later one is");
    }
    rpc_bench_close(&bench);
}

/* ---- Receive buffers ---- */

enum { FIRST, LATER_ON, AS_TOLD };

static uint32_t told_size(const struct talk *talk)
{
    const struct mpa_startup *theirs = talk_frame(talk, false);
    struct rpcrdma_private_data told;

    if (theirs && rpcrdma_private_data_find(&told, theirs->private_data, theirs->pd_length) == RPCRDMA_PD_OK)
        return told.receive_size;
    return 0;
}

/* A Reply to nobody, of that size: discarded, and the client goes on. */
static void large_to_client(struct rpc_bench *bench, size_t size)
{
    uint8_t *octets;
    struct xdr_writer w;
    char *what;

    if (!rpc_bench_wait_calls(bench, 1))
        return;
    octets = g_malloc0(size);
    w = (struct xdr_writer){.p = octets, .size = size};
    rpcrdma_header_encode(&(struct rpcrdma_plan){.xid = 0x7B7B7B7B, .vers = 1, .credit = 8}, &w);
    xdr_put_u32(&w, 0x7B7B7B7B);
    xdr_put_u32(&w, RPC_REPLY);
    rpc_bench_send(bench, octets, size);
    g_free(octets);
    what = g_strdup_printf("a Send of %zu octets", size);
    rpc_bench_judge_goes_on(bench, what);
    g_free(what);
}

/* 0: verdict is set (not applicable). */
static size_t large_size(struct rpc_bench *bench, int variant)
{
    size_t told = MIN(told_size(bench->talk), 65536);

    if (variant != AS_TOLD)
        return RPCRDMA_INLINE_DEFAULT;
    if (told > RPCRDMA_INLINE_DEFAULT)
        return told;
    talk_not_applicable(bench->talk, "the device does not tell a Receive Size above 1024");
    return 0;
}

static void large_to_client_one(struct rpc_bench *bench, const struct suite_test *test)
{
    size_t size = large_size(bench, test->variant);

    if (size > 0)
        large_to_client(bench, size);
}

static void large_send(struct talk *talk, const struct suite_test *test)
{
    const struct bench_wish wish = {.no_grant = test->variant == FIRST, .size = 65536};
    struct rpc_bench bench;
    size_t size;

    if (!talk_is_initiator(talk)) {
        rpc_bench_with_client(talk, test, &wish, large_to_client_one);
        return;
    }
    if (rpc_bench_open(&bench, talk, &wish) && (size = large_size(&bench, test->variant)) > 0) {
        uint32_t xid = bench.xids + BENCH_XID_BURST;

        send_null(&bench, xid, 8, size);
        rpcrdma_judge(&bench, BENCH_SUCCESS | BENCH_GARBAGE | BENCH_RPC_ERROR,
                      rpc_bench_await(&bench, xid, talk_t_close(talk)));
    }
    rpc_bench_close(&bench);
}

/* ---- private data ---- */

enum { RESULT = 3500, SIZE_3 = 4096 };
enum { INLINE_TAKEN, INLINE_NOT, ALIVE };

#define BLOCK(version, flags, size) 0xF6, 0xAB, 0x0E, 0x18, version, flags, size, size

static const struct {
    uint8_t octets[24];
    uint16_t n;
    uint32_t size; /* of our Receive buffers */
    unsigned expects;
} blocks[] = {
#define RESERVED 0
    {{BLOCK(1, 0xFE, 3)}, 8, 4096, ALIVE},
#define SIZE 1
    {{BLOCK(1, 0, 3)}, 8, 4096, INLINE_TAKEN},
#define WITHOUT 2
    {{0}, 0, 1024, ALIVE},
#define OFFSET 3
    {{'o', 'd', 'd', BLOCK(1, 0, 3)}, 11, 4096, INLINE_TAKEN},
#define FOREIGN 4
    {{'s', 'o', 'm', 'e', 1, 0, 0xFF, 0xFF, 'e', 'l', 's', 'e'}, 12, 1024, INLINE_NOT},
#define VERSION 5
    {{BLOCK(2, 0, 3)}, 8, 1024, INLINE_NOT},
#define CUT 6
    {{'o', 0xF6, 0xAB, 0x0E, 0x18, 1, 0, 3}, 8, 1024, INLINE_NOT},
#define AGAIN 7
    {{BLOCK(1, 0, 1)}, 8, 2048, INLINE_NOT},
#define LARGEST 8
    {{BLOCK(1, 0, 255)}, 8, 262144, ALIVE},
};

/* A file of RESULT octets, read without chunks: whether the Reply comes inline shows what the device has understood. */
static void ask_inline(struct rpc_bench *bench, unsigned expects)
{
    static const uint8_t zeros[RESULT];
    struct talk *talk = bench->talk;
    struct xdr_out out;
    bool took;

    if (!rpc_bench_file(bench))
        return;
    rpc_bench_begin_write(bench, &out, RESULT);
    xdr_out_eligible(&out, zeros, RESULT);
    rpc_bench_call(bench, &out, &(struct rpc_end_how){.reduce = true, .reply_max = 400});
    if (rpc_bench_status(bench) != 0) {
        talk_inconclusive(talk, "the file cannot be written: %s", rpc_bench_result_words(bench));
        return;
    }
    rpc_bench_begin_read(bench, &out, RESULT);
    took = rpc_bench_call(bench, &out, NULL) && bench->reply.n > RESULT;
    if (expects == INLINE_TAKEN && !took)
        talk_failed(talk,
                    "a Reply of %d octets does not come inline, although both sides tell 4096: the device has not "
                    "understood our private data",
                    RESULT);
    else if (bench->terminated || bench->fed_end || bench->replied == 0)
        talk_failed(talk, "expected %s, found %s", talk->test->expected, rpc_bench_result_words(bench));
    else
        talk_passed(talk, took ? "the Reply comes inline" : "no long Send: %s", rpc_bench_result_words(bench));
}

static struct bench_wish wish_of(const struct suite_test *test)
{
    static const uint8_t none[1];
    unsigned block = (unsigned)test->variant;

    return (struct bench_wish){.size = blocks[block].size,
                               .private_data = blocks[block].n > 0 ? blocks[block].octets : none,
                               .private_length = blocks[block].n};
}

static bool has_served_enough(const struct rpc_bench *bench)
{
    return bench->served >= SERVED;
}

static bool has_told(const struct rpc_bench *bench)
{
    return bench->served >= SERVED && bench->telling > 0;
}

/* A client whose Calls must fit our Receive buffers. Those show it that would not be inline but for its mistake. */
static void serve_all(struct rpc_bench *bench, const struct suite_test *test)
{
    unsigned expects = blocks[test->variant].expects;
    struct talk *talk = bench->talk;

    bench->tell_above = blocks[test->variant].size;
    rpc_bench_pump(bench, (expects == INLINE_NOT ? 3 : 1) * talk_t_close(talk),
                   expects == INLINE_NOT ? has_told : has_served_enough);
    if (bench->terminated)
        talk_failed(talk, "expected %s, found %s", test->expected,
                    bench->terminate_ours ? "a Send that is too long for our Receive buffer" : "a Terminate");
    else if (bench->fed_end && !rpc_bench_unmounted(bench))
        talk_failed(talk, "expected %s, found the end of the connection", test->expected);
    else if (bench->served == 0)
        talk_inconclusive(talk, "the device makes no Calls: it is to be kept busy");
    else if (expects == INLINE_NOT && bench->telling == 0)
        talk_inconclusive(talk,
                          "none of %u Calls has more than %u octets and fewer than 4096, to show what it takes "
                          "our Receive buffers for",
                          bench->served, blocks[test->variant].size);
    else if (expects == INLINE_NOT)
        talk_passed(talk, "%u Calls, %u of them longer than our Receive buffers and not sent inline", bench->served,
                    bench->telling);
    else
        talk_passed(talk, "%u Calls are made", bench->served);
}

/* The connection has not come up: with the usual private data it has to, or the reason is another one. */
static void judge_refusal(struct talk *talk, const char *what)
{
    struct rpc_bench bench;

    if (rpc_bench_open(&bench, talk, NULL))
        talk_failed(talk, "the connection does not come up (%s), and does with the usual private data", what);
    rpc_bench_close(&bench);
}

static void private_data(struct talk *talk, const struct suite_test *test)
{
    unsigned expects = blocks[test->variant].expects;
    struct bench_wish wish = wish_of(test);
    struct rpc_bench bench;

    if (talk_is_initiator(talk) && expects != ALIVE && !rpc_bench_first_version(talk, &wish.version))
        return;
    if (test->variant == AGAIN) { /* a connection before it, with more */
        bool good = rpc_bench_open(&bench, talk, NULL);

        rpc_bench_close(&bench);
        if (!good)
            return;
    }
    if (!talk_is_initiator(talk)) {
        rpc_bench_with_client(talk, test, &wish, serve_all);
        return;
    }
    if (rpc_bench_open(&bench, talk, &wish)) {
        if (expects == INLINE_TAKEN && told_size(talk) < SIZE_3)
            talk_not_applicable(talk, "the device does not tell sizes of 4096");
        else if (expects != ALIVE)
            ask_inline(&bench, expects);
        else if (rpc_bench_alive(&bench))
            talk_passed(talk, "Calls are answered");
        rpc_bench_close(&bench);
    } else {
        g_autofree char *what = g_strdup(talk_describe(talk, talk_last(talk)));

        rpc_bench_close(&bench);
        if (expects == ALIVE)
            judge_refusal(talk, what);
    }
}

static const struct suite_test tests[] = {
    {RULE_RPCR_3_3_1_08, NULL, DUT_RESPONDER, NEED_RPC, bursts, "behind the first Reply, as many Calls as it grants",
     "all are answered", AT_ONCE},
    {RULE_EXP_4_5_1_01, NULL, DUT_RESPONDER, NEED_RPC, bursts, "three times as many Calls at once as are granted",
     "all are answered", LATER},
    {RULE_RPCR_3_3_1_13, "zero", DUT_RESPONDER, NEED_RPC, requested, "a Call that requests 0 credits",
     "a Reply that grants at least 1", 0},
    {RULE_RPCR_3_3_1_13, "max", DUT_RESPONDER, NEED_RPC, requested, "a Call that requests 4294967295 credits",
     "a Reply that grants at least 1", -1},
    {RULE_RPCR_3_3_3_01, NULL, DUT_RESPONDER, NEED_RPC, large_send, "a first Call of 1024 octets", "a Reply", FIRST},
    {RULE_RPCR_3_3_3_05, NULL, DUT_ANY, NEED_RPC, large_send, "a later Send of 1024 octets", "the device goes on",
     LATER_ON},
    {RULE_RPCR_4_5_4_03, NULL, DUT_RESPONDER, NEED_RPC, none_forgotten, "sound Calls one after the other",
     "each is answered, or the connection ends", 0},
    {RULE_CMPD_4_12, NULL, DUT_ANY, NEED_RPC, large_send, "a Send of the Receive Size that the device tells",
     "the device goes on", AS_TOLD},
    {RULE_CMPD_4_03, NULL, DUT_ANY, NEED_NFS, private_data,
     "a connection with sizes of 4096, then one with 2048 and READs of 3500 octets without chunks, or WRITEs",
     "no Send above 2048 octets", AGAIN},
    {RULE_CMPD_4_09, NULL, DUT_ANY, NEED_RPC, private_data, "private data with all reserved bits 1",
     "Calls are answered", RESERVED},
    {RULE_CMPD_4_2_03, NULL, DUT_RESPONDER, NEED_NFS, private_data,
     "sizes of 3, and READs of 3500 octets without chunks, or WRITEs", "a Reply inline", SIZE},
    {RULE_CMPD_4_2_03, "max", DUT_ANY, NEED_RPC, private_data, "sizes of 255, which are 262144 octets",
     "Calls are answered", LARGEST},
    {RULE_CMPD_5_01, NULL, DUT_ANY, NEED_RPC, private_data, "no private data", "Calls are answered", WITHOUT},
    {RULE_CMPD_5_2_01, NULL, DUT_RESPONDER, NEED_NFS, private_data,
     "the block behind three other octets, and READs of 3500 octets without chunks, or WRITEs", "a Reply inline",
     OFFSET},
    {RULE_CMPD_5_2_02, NULL, DUT_ANY, NEED_NFS, private_data,
     "other private data, and READs of 3500 octets without chunks, or WRITEs", "no Send above 1024 octets", FOREIGN},
    {RULE_CMPD_5_2_03, NULL, DUT_ANY, NEED_NFS, private_data,
     "a block of version 2, and READs of 3500 octets without chunks, or WRITEs", "no Send above 1024 octets", VERSION},
    {RULE_CMPD_5_2_04, NULL, DUT_ANY, NEED_NFS, private_data,
     "a block that is cut short, and READs of 3500 octets without chunks, or WRITEs", "no Send above 1024 octets", CUT},
};

const struct suite suite_rpcrdma_sizes = {"rpcrdma", tests, G_N_ELEMENTS(tests)};
