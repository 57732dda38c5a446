// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callbacks on an NFS/RDMA connection (RFC 8167, RFC 8267 section 6.5.2): the stack's server recalls a delegation from
 * the stack's client when another client is about to change the file; and callbacks that no server should send.
 */
#include "tests/unit/support/nfs_ends.h"
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/stack/xdr_out.h"
#include "wire/nfs.h"

enum { STEPS_MAX = 100000, FILE_OCTETS = 20000, READER = 0, WRITER = 1 };

static const int64_t start_ns = INT64_C(1700000000) * 1000000000, second = 1000000000;

struct bench {
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct {
        struct pair *pair;
        struct nfs_end *client, *server;
    } at[2];
};

static int64_t now(void *ctx)
{
    return start_ns;
}

static void connect_client(struct bench *bench, unsigned which, const struct nfs_client_options *client,
                           const struct nfs_job *jobs, unsigned n_jobs)
{
    struct pair *pair = pair_new(1460, start_ns);
    struct rpc_end_options options = {.qp = {.mpa = {.role = MPA_END_INITIATOR,
                                                     .revision = 2,
                                                     .enhanced = true,
                                                     .enhanced_data = {.ird = 4, .ord = 4}}},
                                      .send_size = 4096,
                                      .receive_size = 4096,
                                      .credits = 4};

    bench->at[which].pair = pair;
    bench->at[which].client =
        nfs_end_new_client(&(struct nfs_end_options){.rpc = &options, .stream = pair_stream(pair, 0), .seed = which},
                           client, jobs, n_jobs);
    options.qp.mpa.role = MPA_END_RESPONDER;
    bench->at[which].server = nfs_end_new_server(
        &(struct nfs_end_options){.rpc = &options, .stream = pair_stream(pair, 1), .seed = 9}, bench->server, true);
    nfs_ends_attach(pair, 0, bench->at[which].client);
    nfs_ends_attach(pair, 1, bench->at[which].server);
    qp_start(nfs_end_qp(bench->at[which].server));
    qp_start(nfs_end_qp(bench->at[which].client));
}

static void begin(struct bench *bench)
{
    *bench = (struct bench){.tree = nfs_tree_new(now, NULL, 16 << 20, 1000)};
    bench->server = nfs_server_new(&(struct nfs_server_options){.tree = bench->tree, .seed = 1, .now = now});
}

static void end(struct bench *bench)
{
    for (unsigned i = 0; i < 2; i++) {
        if (!bench->at[i].pair)
            continue;
        nfs_end_free(bench->at[i].client);
        nfs_end_free(bench->at[i].server);
        pair_free(bench->at[i].pair);
    }
    nfs_server_free(bench->server);
    nfs_tree_free(bench->tree);
}

static void succeed(struct bench *bench, unsigned which)
{
    if (nfs_end_trouble(bench->at[which].client))
        fail_msg("client %u: %s", which, nfs_end_trouble(bench->at[which].client));
    assert_true(nfs_end_is_finished(bench->at[which].client));
    assert_null(nfs_end_trouble(bench->at[which].server));
}

/* Reads more files than it keeps delegations for, and returns all of them before it leaves. */
UNIT_TEST(kept)
{
    static const char *const names[] = {"/a", "/b", "/c", "/d", "/e", "/f", "/g"};

    for (unsigned minor = 1; minor <= 2; minor++) {
        const struct nfs_client_options options = {.version = 4, .minor = minor, .seed = 5, .backchannel = true};
        struct nfs_job jobs[2 * ARRAY_LENGTH(names)];
        const struct nfs_client_report *report;
        struct bench bench;

        for (size_t i = 0; i < ARRAY_LENGTH(names); i++) {
            jobs[i] = (struct nfs_job){.kind = NFS_JOB_WRITE, .path = names[i], .octets = FILE_OCTETS};
            jobs[ARRAY_LENGTH(names) + i] = jobs[i];
            jobs[ARRAY_LENGTH(names) + i].kind = NFS_JOB_READ;
        }
        begin(&bench);
        connect_client(&bench, READER, &options, jobs, ARRAY_LENGTH(jobs));
        assert_true(pair_run(bench.at[READER].pair, STEPS_MAX));
        succeed(&bench, READER); /* that is, DESTROY_CLIENTID found nothing held */
        report = nfs_end_report(bench.at[READER].client);
        assert_int_equal(report->delegations, ARRAY_LENGTH(names));
        assert_int_equal(report->callbacks, 1); /* CB_NULL */
        assert_int_equal(report->recalls, 0);
        end(&bench);
    }
}

/* Without a backchannel nothing is delegated. */
UNIT_TEST(refused)
{
    static const struct nfs_job jobs[] = {{.kind = NFS_JOB_WRITE, .path = "/a", .octets = FILE_OCTETS},
                                          {.kind = NFS_JOB_READ, .path = "/a", .octets = FILE_OCTETS}};
    const struct nfs_client_options options = {.version = 4, .minor = 1, .seed = 5};
    struct bench bench;

    begin(&bench);
    connect_client(&bench, READER, &options, jobs, ARRAY_LENGTH(jobs));
    assert_true(pair_run(bench.at[READER].pair, STEPS_MAX));
    succeed(&bench, READER);
    assert_int_equal(nfs_end_report(bench.at[READER].client)->delegations, 0);
    assert_int_equal(nfs_end_report(bench.at[READER].client)->callbacks, 0);
    end(&bench);
}

/* A client of this version wants to change a file delegated to another. */
static void recalled_by(unsigned version, unsigned minor)
{
    static const struct nfs_job writing = {.kind = NFS_JOB_TRUNCATE, .path = "/file", .octets = 5};
    struct nfs_job reading[60] = {{.kind = NFS_JOB_WRITE, .path = "/file", .octets = FILE_OCTETS},
                                  {.kind = NFS_JOB_READ, .path = "/file", .octets = FILE_OCTETS}};
    const struct nfs_client_options reader = {.version = 4, .minor = 1, .seed = 5, .backchannel = true};
    const struct nfs_client_options writer = {.version = version, .minor = minor, .seed = 6};
    const struct nfs_client_report *report;
    struct bench bench;
    uint64_t id;

    for (size_t i = 2; i < ARRAY_LENGTH(reading); i++)
        reading[i] = (struct nfs_job){.kind = NFS_JOB_ACCESS, .path = "/"};
    begin(&bench);
    connect_client(&bench, READER, &reader, reading, ARRAY_LENGTH(reading));
    report = nfs_end_report(bench.at[READER].client);
    while (report->delegations == 0 && pair_step(bench.at[READER].pair))
        ;
    assert_int_equal(report->delegations, 1);
    /* The writer gets as far as possible: the recall is under way. */
    connect_client(&bench, WRITER, &writer, &writing, 1);
    pair_run(bench.at[WRITER].pair, STEPS_MAX);
    assert_false(nfs_end_is_finished(bench.at[WRITER].client));
    assert_int_equal(report->recalls, 0);
    /* The reader receives it during its work, and returns the delegation. */
    assert_true(pair_run(bench.at[READER].pair, STEPS_MAX));
    succeed(&bench, READER);
    assert_int_equal(report->recalls, 1);
    assert_int_equal(report->callbacks, 2);
    /* The writer tries again. */
    for (unsigned i = 0; i < 5; i++) {
        pair_wait(bench.at[WRITER].pair, second);
        pair_run(bench.at[WRITER].pair, STEPS_MAX);
    }
    succeed(&bench, WRITER);
    assert_int_equal(nfs_tree_lookup(bench.tree, 1, "file", 4, &id), NFS_TREE_OK);
    assert_int_equal(nfs_tree_get(bench.tree, id)->size, 5);
    end(&bench);
}

UNIT_TEST(recalled)
{
    recalled_by(4, 0);
    recalled_by(4, 1);
    recalled_by(4, 2);
}

/* ---- a client by itself ---- */

static void ignore_call(void *ctx, const struct rpc_end_message *message, const struct rpc_end_how *how,
                        uint64_t cookie)
{
}

struct lonely {
    struct nfs_client *client;
    struct rpc_end_message reply;
};

static void be_lonely(struct lonely *lonely)
{
    const struct nfs_client_options options = {.version = 4, .minor = 1, .seed = 1, .backchannel = true};
    const struct nfs_client_events events = {.call = ignore_call};

    *lonely = (struct lonely){.client = nfs_client_new(&options, NULL, 0, &events)};
}

/* Statuses of RPC or COMPOUND of a callback; 2000 + accept_stat when it was not executed. */
static uint32_t call_back(struct lonely *lonely, uint32_t program, uint32_t version, uint32_t procedure,
                          const uint32_t *words, size_t n)
{
    struct rpc_message header = {
        .xid = 3, .type = RPC_CALL, .rpcvers = 2, .prog = program, .vers = version, .proc = procedure};
    const struct nfs_procedure *known = nfs_procedure_find(0x40000000, 1, 1);
    const struct nfs_walk_events none = {0};
    struct nfs_walk_result result;
    struct rpc_message answer;
    struct rpc_end_message call;
    uint8_t octets[64];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};
    struct xdr_out out;

    rpc_call_encode(&header, NULL, NULL, &w);
    xdr_out_begin(&out);
    xdr_out_fixed(&out, octets, w.at);
    for (size_t i = 0; i < n; i++)
        xdr_out_u32(&out, words[i]);
    xdr_out_take(&out, &call);
    g_free(lonely->reply.p);
    assert_true(nfs_client_called(lonely->client, &call, &lonely->reply));
    g_free(call.p);
    assert_int_equal(rpc_decode(&answer, lonely->reply.p, lonely->reply.n), RPC_OK);
    assert_int_equal(answer.xid, 3);
    if (answer.accept_stat != RPC_SUCCESS || procedure == 0)
        return 2000 + answer.accept_stat;
    assert_int_equal(nfs_walk(known, true, lonely->reply.p + answer.header_len, lonely->reply.n - answer.header_len, 0,
                              &none, &result),
                     NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    return get_be32(lonely->reply.p + answer.header_len);
}

#define CALL_BACK(lonely, ...)                                                                                         \
    call_back(lonely, 0x40000000, 1, 1, (const uint32_t[]){__VA_ARGS__},                                               \
              sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))
/* The session's id is zero before there is a session. */
#define SEQUENCE(number, slot) 11, 0, 0, 0, 0, number, slot, 0, 0, 0
#define RECALL                 4, 1, 2, 3, 4, 0, 4, 0x01020304

UNIT_TEST(odd)
{
    struct lonely lonely;
    uint64_t seed = 4;

    be_lonely(&lonely);
    assert_int_equal(call_back(&lonely, 0x40000000, 1, 0, NULL, 0), 2000 + RPC_SUCCESS);
    assert_int_equal(call_back(&lonely, 0x40000000, 4, 0, NULL, 0), 2000 + RPC_SUCCESS);
    assert_int_equal(call_back(&lonely, 0x40000000, 2, 0, NULL, 0), 2000 + RPC_PROG_MISMATCH);
    assert_int_equal(call_back(&lonely, 0x40000001, 1, 0, NULL, 0), 2000 + RPC_PROG_UNAVAIL);
    assert_int_equal(call_back(&lonely, 0x40000000, 1, 2, NULL, 0), 2000 + RPC_PROC_UNAVAIL);
    assert_int_equal(CALL_BACK(&lonely, 0, 1), 2000 + RPC_GARBAGE_ARGS);
    assert_int_equal(CALL_BACK(&lonely, 0, 0, 0, 0), 10021);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 1, RECALL), 10071);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 1, SEQUENCE(2, 0)), 10063);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 1, SEQUENCE(1, 1)), 10053);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 1, 11, 9, 9, 9, 9, 1, 0, 0, 0, 0), 10052);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 2, SEQUENCE(1, 0), RECALL), 10025);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 2, SEQUENCE(1, 0), RECALL), 10025); /* a retry */
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 2, SEQUENCE(2, 0), SEQUENCE(3, 0)), 10064);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 2, SEQUENCE(3, 0), 16), 10044);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 2, SEQUENCE(4, 0), 3), 10004);
    assert_int_equal(CALL_BACK(&lonely, 0, 1, 0, 2, SEQUENCE(5, 0), 8, 0, 0), 0);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t words[40] = {0, 1, 0, 1 + (uint32_t)(next_random(&seed) % 4), SEQUENCE(6 + i, 0)};

        for (size_t k = 14; k < ARRAY_LENGTH(words); k++)
            words[k] = (uint32_t)(next_random(&seed) % 12 ? next_random(&seed) % 16 : next_random(&seed));
        call_back(&lonely, 0x40000000, 1, 1, words, 4 + next_random(&seed) % 37);
    }
    g_free(lonely.reply.p);
    nfs_client_free(lonely.client);
}
