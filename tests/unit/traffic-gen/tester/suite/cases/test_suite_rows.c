// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * All rows of the suites can be sent: to any device, in either role, with and without the error. Rows about
 * RPC-over-RDMA have other words; what precedes their stimulus needs a device.
 */
#include "tests/unit/support/support.h"
#include "traffic-gen/tester/suite/cases/suite_rows.h"
#include "traffic-gen/tester/suite/cases/suite_rpcrdma.h"
#include "traffic-gen/tester/suite/rpc/rpc_port.h"
#include "traffic-gen/tester/suite/talk/talk_internal.h"

#include <string.h>

static void say(const struct suite_case *row, enum suite_dut dut, enum talk_sign sign, bool odd)
{
    struct talk_run run = {.dut = dut, .sign = sign, .signs = 1u << sign, .t_react = 1000, .listener = -1};
    struct talk *talk = talk_begin_job(&run, row, 1, NULL);

    talk->startup.advert.n = REGION_COUNT;
    for (unsigned i = 0; i < REGION_COUNT; i++)
        talk->startup.advert.regions[i] =
            (struct advert_memory){.stag = 0x100 + i, .address = 0x1000, .length = 0x10000};
    talk_begin_saying(talk);
    if (!row_say_rest(talk, row, odd) || talk_actual(talk))
        fail_msg("%s, %s: %s", row->says, odd ? "odd" : "for comparison",
                 talk_actual(talk) ? talk_actual(talk) : "unsaid");
    talk_end_job(talk);
}

static bool is_rpc(const struct suite_case *row)
{
    return row->needs & (NEED_RPC | NEED_NFS);
}

UNIT_TEST(test_wishes)
{
    static const struct suite_case odd = {.rule = RULE_RPCR_3_3_1_08, .duts = DUT_ANY, .says = "with credit=3; file"};
    struct talk_run run = {.dut = DUT_RESPONDER, .listener = -1};
    struct talk *talk = talk_begin_job(&run, &odd, 1, NULL);
    struct talker_wish wish;
    unsigned n = 0;

    for (const struct suite *const *suite = suites; *suite; suite++) {
        for (unsigned i = 0; i < (*suite)->n; i++) {
            if (!is_rpc(&(*suite)->cases[i]))
                continue;
            assert_true(rpcrdma_wish(talk, &(*suite)->cases[i], &wish));
            n++;
        }
    }
    assert_true(n > 90);
    assert_false(rpcrdma_wish(talk, &odd, &wish));
    assert_int_equal(talk_job(talk)->result->outcome, OUTCOME_INCONCLUSIVE);
    assert_non_null(strstr(talk_actual(talk), "credit=3"));
    talk_end_job(talk);
}

/* ---- stimuli of RPC-over-RDMA ---- */

static void write_nowhere(void *ctx, const uint8_t *p, size_t n)
{
}

static size_t room_nowhere(void *ctx)
{
    return SIZE_MAX;
}

static void close_nothing(void *ctx, bool reset)
{
}

static int64_t never(void *ctx)
{
    return 0;
}

enum { XID = 7 };

/* A READ of the device with chunks of all kinds, or a COMPOUND. */
static struct talker_heard *call_of_device(uint32_t nfs)
{
    static const struct rpcrdma_segment segment = {.handle = 0x100, .length = 4096, .offset = 0x1000};
    const struct rpcrdma_read_segment read = {.position = 40, .target = segment};
    const struct rpcrdma_write_plan chunk = {&segment, 1};
    const struct rpcrdma_plan plan = {.xid = XID,
                                      .vers = 1,
                                      .credit = 8,
                                      .reads = &read,
                                      .n_reads = 1,
                                      .writes = &chunk,
                                      .n_writes = 1,
                                      .reply = &chunk};
    const struct rpc_message call = {
        .xid = XID, .type = RPC_CALL, .rpcvers = 2, .prog = 100003, .vers = nfs, .proc = nfs == 3 ? 6 : 1};
    static uint8_t octets[256];
    static struct talker_heard heard = {.p = octets, .call = true};
    struct xdr_writer w = {.p = octets, .size = sizeof octets};

    rpcrdma_header_encode(&plan, &w);
    rpc_call_encode(&call, NULL, NULL, &w);
    heard.n = w.at;
    rpcrdma_header_decode(&heard.header, octets, w.at);
    return &heard;
}

/* NULL: from our end, which waits for the answer. */
static char *stimulus_of(const struct suite_case *row)
{
    static const char *const verbs[] = {"call ", "reply ", "error ", "raw ", "done", "put ", "get "};
    const char *stimulus = row->says ? strchr(row->says, '(') : NULL;

    for (unsigned i = 0; stimulus && i < ARRAY_LENGTH(verbs); i++) {
        if (g_str_has_prefix(stimulus + 1, verbs[i]))
            return g_strndup(stimulus + 1, strcspn(stimulus + 1, ")"));
    }
    return NULL;
}

static bool say_rpc(const struct suite_case *row, enum suite_dut dut, uint32_t nfs, const char *stimulus)
{
    static const struct stream stream = {
        .write = write_nowhere, .room = room_nowhere, .close = close_nothing, .now = never, .mss = 1460};
    const struct qp_options options = {.mpa = {.role = dut == DUT_RESPONDER ? MPA_END_INITIATOR : MPA_END_RESPONDER}};
    struct talk_run run = {.dut = dut, .t_react = 1000, .listener = -1};
    struct talk *talk = talk_begin_job(&run, row, 1, NULL);
    struct rpc_talker talker = {
        .talk = talk, .port = &rpc_port_socket, .xid = XID, .files = {.root_n = 8, .name = "a file"}};
    bool said;

    run.nfs = nfs_run_new();
    talker.heard = g_ptr_array_new();
    talker.files.names = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(talker.heard, call_of_device(nfs));
    if (nfs == 4 || (row->says && strstr(row->says, " v4"))) /* only version 4 makes links */
        talker.files.version = NFS_V40;
    memset(talker.files.root, 0xA5, talker.files.root_n);
    rpc_talker_make_end(&talker, &(struct talker_wish){0}, &options, &stream);
    said = rpc_talker_say(&talker, "%s", stimulus);
    assert_int_equal(said, !talk_actual(talk));
    rpc_talker_let_go(&talker);
    if (talker.server.peer)
        nfs_peer_free(talker.server.peer);
    g_ptr_array_unref(talker.heard);
    g_ptr_array_unref(talker.files.names);
    talk_end_job(talk);
    nfs_run_free(run.nfs);
    return said;
}

UNIT_TEST(test_rpc_rows)
{
    unsigned n = 0;

    for (const struct suite *const *suite = suites; *suite; suite++) {
        for (unsigned i = 0; i < (*suite)->n; i++) {
            const struct suite_case *row = &(*suite)->cases[i];
            g_autofree char *stimulus = is_rpc(row) ? stimulus_of(row) : NULL;

            for (unsigned dut = DUT_RESPONDER; stimulus && dut <= DUT_INITIATOR; dut++) {
                for (uint32_t nfs = 3; row->duts & dut && nfs <= 4; nfs++, n++)
                    if (!say_rpc(row, (enum suite_dut)dut, nfs, stimulus))
                        fail_msg("cannot be said: %s", stimulus);
            }
        }
    }
    assert_true(n > 120);
}

UNIT_TEST(test_what_rpc_cannot_say)
{
    static const char *const texts[] = {
        "call nlul",       "call null h.version=2", "call write len=9 past=1000", "reply null wrong",
        "put write1.0",    "error vers=2",          "get read7 no-answer",        "send",
        "call null read=9"};
    static const struct suite_case row = {.rule = RULE_RPCR_4_5_01, .duts = DUT_ANY, .needs = NEED_RPC};

    for (unsigned i = 0; i < ARRAY_LENGTH(texts); i++) {
        if (say_rpc(&row, DUT_INITIATOR, 3, texts[i]))
            fail_msg("was said: %s", texts[i]);
    }
}

UNIT_TEST(test_rows)
{
    unsigned n = 0;

    for (const struct suite *const *suite = suites; *suite; suite++) {
        for (unsigned i = 0; i < (*suite)->n; i++) {
            const struct suite_case *row = &(*suite)->cases[i];

            for (unsigned dut = DUT_RESPONDER; row->says && !is_rpc(row) && dut <= DUT_INITIATOR; dut++, n++) {
                say(row, (enum suite_dut)dut, SIGN_READ, true);
                say(row, (enum suite_dut)dut, SIGN_ECHO, true);
                say(row, (enum suite_dut)dut, SIGN_READ, false);
            }
        }
    }
    assert_true(n > 300);
}

/* The case has no verdict for it, and nothing is sent. */
UNIT_TEST(test_what_cannot_be_said)
{
    static const char *const texts[] = {"sned", "send lne=3", "with no-such-word; send", "write region=none",
                                        "segment at=4"};

    for (unsigned i = 0; i < ARRAY_LENGTH(texts); i++) {
        const struct suite_case row = {.rule = RULE_DDP_4_1_03, .duts = DUT_ANY, .says = texts[i]};
        struct talk_run run = {.dut = DUT_RESPONDER, .sign = SIGN_READ, .listener = -1};
        struct talk *talk = talk_begin_job(&run, &row, 1, NULL);

        talk_begin_saying(talk);
        assert_false(row_say_rest(talk, &row, true));
        assert_int_equal(talk_job(talk)->result->outcome, OUTCOME_INCONCLUSIVE);
        assert_non_null(talk_actual(talk));
        talk_end_job(talk);
    }
}
