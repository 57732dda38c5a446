// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Suite nfs: what the upper-layer binding (RFC 8267) demands of an NFSv4 server. Symbolic links of NFS version 4.0 are
 * made and read: their text is DDP-eligible in both directions, and they need no client id and no open state.
 */
#include "traffic-gen/test/suite_rpcrdma.h"

#include "traffic-gen/test/talk_internal.h"
#include "wire/nfs.h"

#include <string.h>

enum {
    LOOKUP = 15,
    NF4LNK = 5,
    TEXT = 1300,
    INSERTED_TEXT = 1200, /* lengths tell the stimuli apart */
    TOO_LONG_TEXT = 1400,
    LIMIT = 16, /* segments that a server has to take: section 6.4.2 */
};

static const char *text(void)
{
    static char octets[TOO_LONG_TEXT + 1];
    static gsize made;

    if (g_once_init_enter(&made)) {
        for (unsigned i = 0; i < TOO_LONG_TEXT; i++)
            octets[i] = (char)('a' + i * 7 % 26);
        g_once_init_leave(&made, 1);
    }
    return octets;
}

/* ---- COMPOUNDs of minor version 0 ---- */

static void begin(struct rpc_bench *bench, struct xdr_out *out, unsigned operations)
{
    rpc_bench_begin(bench, out, NFS_PROGRAM, 4, 1);
    xdr_out_u32(out, 0); /* tag */
    xdr_out_u32(out, 0); /* minor version */
    xdr_out_u32(out, operations);
}

static void add_name(struct rpc_bench *bench, struct xdr_out *out, unsigned number)
{
    char name[48];

    if (bench->name[0] == '\0')
        g_snprintf(bench->name, sizeof(bench->name), "iwarp-gen-%08x", g_random_int());
    g_snprintf(name, sizeof(name), "%s-%u", bench->name, number);
    xdr_out_opaque(out, name, (uint32_t)strlen(name));
}

/* Makes a link with that number; the data behind its text go inline (its name, no attributes). */
static void add_create(struct rpc_bench *bench, struct xdr_out *out, unsigned number, uint32_t n)
{
    xdr_out_u32(out, NFS_OP_CREATE);
    xdr_out_u32(out, NF4LNK);
    xdr_out_eligible(out, text(), n);
    add_name(bench, out, number);
    xdr_out_u32(out, 0);
    xdr_out_u32(out, 0);
}

static void begin_create(struct rpc_bench *bench, struct xdr_out *out, uint32_t n)
{
    begin(bench, out, 2);
    xdr_out_u32(out, NFS_OP_PUTROOTFH);
    add_create(bench, out, 0, n);
}

static void begin_readlink(struct rpc_bench *bench, struct xdr_out *out)
{
    begin(bench, out, 3);
    xdr_out_u32(out, NFS_OP_PUTROOTFH);
    xdr_out_u32(out, LOOKUP);
    add_name(bench, out, 0);
    xdr_out_u32(out, NFS_OP_READLINK);
}

static void remove_link(struct rpc_bench *bench, unsigned number)
{
    struct xdr_out out;

    if (bench->fed_end)
        return;
    begin(bench, &out, 2);
    xdr_out_u32(&out, NFS_OP_PUTROOTFH);
    xdr_out_u32(&out, NFS_OP_REMOVE);
    add_name(bench, &out, number);
    rpc_bench_call(bench, &out, NULL);
}

/* The status of the COMPOUND that was answered; UINT32_MAX: there is none. */
static uint32_t status_of(const struct rpc_bench *bench)
{
    struct xdr results;
    uint32_t status;

    return rpc_bench_results(bench, &results) && xdr_u32(&results, &status) ? status : UINT32_MAX;
}

static bool speaks_v4(struct rpc_bench *bench)
{
    struct xdr_out out;

    begin(bench, &out, 1);
    xdr_out_u32(&out, NFS_OP_PUTROOTFH);
    if (rpc_bench_call(bench, &out, NULL) && status_of(bench) == 0)
        return true;
    talk_not_applicable(bench->talk, "the device does not serve NFS version 4.0");
    return false;
}

static const char *result_words(const struct rpc_bench *bench)
{
    if (bench->replied == 0 || bench->result == RPC_END_LOST)
        return bench->fed_end || bench->terminated ? "the end of the connection" : "no answer";
    return bench->result == RPC_END_ERR_CHUNK ? "RDMA_ERROR with ERR_CHUNK"
           : bench->result == RPC_END_REPLIED ? "a Reply with an error"
                                              : "a Reply that cannot be used";
}

static bool succeeds(struct rpc_bench *bench, struct xdr_out *out, const struct rpc_end_how *how)
{
    if (rpc_bench_call(bench, out, how) && status_of(bench) == 0)
        return true;
    talk_failed(bench->talk, "expected %s, found %s", bench->talk->test->expected, result_words(bench));
    return false;
}

static bool holds_text(struct rpc_bench *bench, const struct rpc_end_how *how, uint32_t n)
{
    struct xdr_out out;

    begin_readlink(bench, &out);
    if (!succeeds(bench, &out, how))
        return false;
    if (bench->reply.n_items == 1 && bench->reply.items[0].n == n &&
        memcmp(bench->reply.p + bench->reply.items[0].at, text(), n) == 0)
        return true;
    talk_failed(bench->talk, "the link does not hold the text that it was made with");
    return false;
}

/* ---- tests ---- */

enum { INSERTED, BODY, DATA, BOTH, READ_SEGMENTS };

static void create(struct talk *talk, const struct suite_test *test)
{
    static const struct rpc_end_how hows[] = {
        [INSERTED] = {.reduce = true, .reply_max = 8000},
        [BODY] = {.long_call = true, .reply_max = 8000},
        [DATA] = {.reduce = true, .reply_max = 8000},
        [BOTH] = {.reduce = true, .long_call = true, .reply_max = 8000},
        [READ_SEGMENTS] = {.reduce = true, .segments = LIMIT, .reply_max = 8000},
    };
    const struct rpc_end_how whole = {.reply_max = 2 * TEXT};
    uint32_t n = test->variant == INSERTED ? INSERTED_TEXT : TEXT;
    struct rpc_bench bench;
    struct xdr_out out;

    if (rpc_bench_open(&bench, talk, NULL) && speaks_v4(&bench)) {
        begin_create(&bench, &out, n);
        if (succeeds(&bench, &out, &hows[test->variant])) {
            if (holds_text(&bench, &whole, n))
                talk_passed(talk, "NFS4_OK, and the link holds its text");
            remove_link(&bench, 0);
        }
    }
    rpc_bench_close(&bench);
}

enum { WRITE_CHUNK, WRITE_SEGMENTS, REPLY_SEGMENTS };

static void read_link(struct talk *talk, const struct suite_test *test)
{
    static const struct rpc_end_how hows[] = {
        [WRITE_CHUNK] = {.results = {TEXT}, .reply_max = 8000},
        [WRITE_SEGMENTS] = {.results = {TEXT}, .segments = LIMIT, .reply_max = 8000},
        [REPLY_SEGMENTS] = {.segments = LIMIT, .reply_max = 8000},
    };
    struct rpc_bench bench;
    struct xdr_out out;

    if (rpc_bench_open(&bench, talk, NULL) && speaks_v4(&bench)) {
        begin_create(&bench, &out, TEXT);
        if (succeeds(&bench, &out, NULL)) {
            if (holds_text(&bench, &hows[test->variant], TEXT))
                talk_passed(talk, "NFS4_OK, and the text of the link");
            remove_link(&bench, 0);
        }
    }
    rpc_bench_close(&bench);
}

/* Beyond what every server takes: an answer all the same. */
static void beyond(struct talk *talk, const struct suite_test *test)
{
    const struct rpc_end_how how = {
        .reduce = true, .segments = test->variant > 1 ? (unsigned)test->variant : 1, .reply_max = 1000};
    unsigned links = test->variant > 1 ? 1 : 2;
    struct rpc_bench bench;
    struct xdr_out out;

    if (rpc_bench_open(&bench, talk, NULL) && speaks_v4(&bench)) {
        enum bench_answer answer;
        uint32_t xid;

        begin(&bench, &out, links == 1 ? 2 : 4);
        for (unsigned i = 0; i < links; i++) {
            xdr_out_u32(&out, NFS_OP_PUTROOTFH);
            add_create(&bench, &out, i, TEXT);
        }
        xid = get_be32(out.octets->data);
        rpc_bench_call(&bench, &out, &how);
        answer = rpc_bench_await(&bench, xid, 0);
        rpcrdma_judge(&bench, BENCH_SUCCESS | BENCH_GARBAGE | BENCH_ERR_CHUNK, answer);
        for (unsigned i = 0; answer == BENCH_SUCCESS && i < links; i++)
            remove_link(&bench, i);
    }
    rpc_bench_close(&bench);
}

/* A Reply for which there is neither room inline nor a chunk. */
static void no_room(struct talk *talk, const struct suite_test *test)
{
    const struct bench_wish wish = {.size = 1024};
    struct rpc_bench bench;
    struct xdr_out out;

    (void)test;
    if (rpc_bench_open(&bench, talk, &wish) && speaks_v4(&bench)) {
        begin_create(&bench, &out, TOO_LONG_TEXT);
        if (succeeds(&bench, &out, NULL)) {
            uint32_t xid;

            begin_readlink(&bench, &out);
            xid = get_be32(out.octets->data);
            rpc_bench_call(&bench, &out, NULL);
            rpcrdma_judge(&bench, BENCH_SUCCESS | BENCH_RPC_ERROR | BENCH_GARBAGE | BENCH_ERR_CHUNK,
                          rpc_bench_await(&bench, xid, 0));
            remove_link(&bench, 0);
        }
    }
    rpc_bench_close(&bench);
}

#define TAKEN "NFS4_OK"

static const struct suite_test tests[] = {
    {RULE_RPCR_3_4_5_08, NULL, DUT_RESPONDER, NEED_NFS, create,
     "a CREATE of a link of 1200 octets in a Read chunk, its name inline behind it",
     "NFS4_OK, and the link as it was made", INSERTED},
    {RULE_NFSULB_6_4_2_04, "body", DUT_RESPONDER, NEED_NFS, create, "a CREATE in a Position-Zero Read chunk", TAKEN,
     BODY},
    {RULE_NFSULB_6_4_2_04, "data", DUT_RESPONDER, NEED_NFS, create, "a CREATE with a Read chunk", TAKEN, DATA},
    {RULE_NFSULB_6_4_2_04, "both", DUT_RESPONDER, NEED_NFS, create,
     "a CREATE in a Position-Zero Read chunk, its text in another one", TAKEN, BOTH},
    {RULE_NFSULB_6_4_2_05, "read-segments", DUT_RESPONDER, NEED_NFS, create,
     "a CREATE with a Read chunk of 16 segments", TAKEN, READ_SEGMENTS},
    {RULE_NFSULB_6_4_2_05, "write", DUT_RESPONDER, NEED_NFS, read_link, "a READLINK with a Write chunk", TAKEN,
     WRITE_CHUNK},
    {RULE_NFSULB_6_4_2_05, "write-segments", DUT_RESPONDER, NEED_NFS, read_link,
     "a READLINK with a Write chunk of 16 segments", TAKEN, WRITE_SEGMENTS},
    {RULE_NFSULB_6_4_2_05, "reply-segments", DUT_RESPONDER, NEED_NFS, read_link,
     "a READLINK with a Reply chunk of 16 segments", TAKEN, REPLY_SEGMENTS},
    {RULE_NFSULB_6_4_2_06, NULL, DUT_RESPONDER, NEED_NFS, beyond, "a CREATE with a Read chunk of 20 segments",
     "NFS4_OK, ERR_CHUNK or GARBAGE_ARGS", 20},
    {RULE_NFSULB_6_4_2_07, NULL, DUT_RESPONDER, NEED_NFS, beyond, "two CREATEs with a Read chunk each",
     "NFS4_OK, ERR_CHUNK or GARBAGE_ARGS", 1},
    {RULE_NFSULB_3_1_01, NULL, DUT_RESPONDER, NEED_NFS, no_room,
     "a READLINK of 1400 octets where 1024 fit inline, without chunks", "ERR_CHUNK, or a Reply that tells an error", 0},
};

const struct suite suite_nfs = {"nfs", tests, G_N_ELEMENTS(tests)};
