// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Complete NFS over RPC-over-RDMA: clients and servers of the stack on a pair of streams, every version, with large and
 * small inline thresholds, few credits, Markers; and the state after either disappears meanwhile.
 */
#include "tests/unit/support/nfs_ends.h"
#include "tests/unit/support/support.h"

enum { STEPS_MAX = 1000000, FILE_OCTETS = 300001 };

static const int64_t start_ns = INT64_C(1700000000) * 1000000000;

static const struct {
    unsigned version, minor;
} versions[] = {{2, 0}, {3, 0}, {4, 0}, {4, 1}, {4, 2}};

static const struct nfs_job jobs[] = {
    {.kind = NFS_JOB_MKDIR, .path = "/dir"},
    {.kind = NFS_JOB_WRITE, .path = "/dir/file", .octets = FILE_OCTETS},
    {.kind = NFS_JOB_WRITE, .path = "/dir/small", .octets = 100, .pattern = 1},
    {.kind = NFS_JOB_READ, .path = "/dir/file", .octets = FILE_OCTETS},
    {.kind = NFS_JOB_READ, .path = "/dir/small", .octets = 100, .pattern = 1},
    {.kind = NFS_JOB_SYMLINK, .path = "/dir/link", .other = "a text that is long enough to go by RDMA, or not"},
    {.kind = NFS_JOB_READLINK, .path = "/dir/link", .other = "a text that is long enough to go by RDMA, or not"},
    {.kind = NFS_JOB_FILES, .path = "/dir", .count = 200},
    {.kind = NFS_JOB_LIST, .path = "/dir", .count = 203},
    {.kind = NFS_JOB_REMOVE, .path = "/dir/file"},
};

struct bench {
    struct pair *pair;
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct nfs_end *ends[2]; /* client, server */
};

static int64_t now(void *ctx)
{
    return start_ns;
}

static void begin(struct bench *bench, unsigned version, uint32_t size, uint32_t credits, bool markers)
{
    const struct nfs_server_options server_options = {
        .tree = nfs_tree_new(now, NULL, 16 << 20, 1000), .seed = 1, .now = now};
    const struct nfs_client_options client_options = {.version = versions[version].version,
                                                      .minor = versions[version].minor,
                                                      .depth = 4,
                                                      .inline_octets = size / 2,
                                                      .seed = version + size};

    *bench = (struct bench){.pair = pair_new(1460, start_ns), .tree = server_options.tree};
    bench->server = nfs_server_new(&server_options);
    for (unsigned side = 0; side < 2; side++) {
        const struct rpc_end_options options = {
            .qp = {.mpa = {.role = side == 0 ? MPA_END_INITIATOR : MPA_END_RESPONDER,
                           .revision = 2,
                           .enhanced = true,
                           .enhanced_data = {.ird = 4, .ord = 4},
                           .markers = markers,
                           .crc = true}},
            .send_size = size,
            .receive_size = size,
            .credits = credits,
        };
        const struct nfs_end_options end_options = {
            .rpc = &options, .stream = pair_stream(bench->pair, side), .seed = 1 + side};

        bench->ends[side] = side == 0 ? nfs_end_new_client(&end_options, &client_options, jobs, ARRAY_LENGTH(jobs))
                                      : nfs_end_new_server(&end_options, bench->server, true);
        nfs_ends_attach(bench->pair, side, bench->ends[side]);
    }
    qp_start(nfs_end_qp(bench->ends[1]));
    qp_start(nfs_end_qp(bench->ends[0]));
}

static void end(struct bench *bench)
{
    nfs_end_free(bench->ends[0]);
    nfs_end_free(bench->ends[1]);
    nfs_server_free(bench->server);
    nfs_tree_free(bench->tree);
    pair_free(bench->pair);
}

UNIT_TEST(whole)
{
    static const struct {
        uint32_t size, credits;
        bool markers;
    } terms[] = {{0, 8, false}, {4096, 8, false}, {1024, 1, false}, {65536, 32, true}};

    for (unsigned version = 0; version < ARRAY_LENGTH(versions); version++)
        for (unsigned i = 0; i < ARRAY_LENGTH(terms); i++) {
            struct bench bench;

            begin(&bench, version, terms[i].size, terms[i].credits, terms[i].markers);
            assert_true(pair_run(bench.pair, STEPS_MAX));
            if (nfs_end_trouble(bench.ends[0]))
                fail_msg("NFSv%u.%u: %s", versions[version].version, versions[version].minor,
                         nfs_end_trouble(bench.ends[0]));
            assert_true(nfs_end_is_finished(bench.ends[0]));
            assert_null(nfs_end_trouble(bench.ends[1]));
            assert_int_equal(nfs_end_report(bench.ends[0])->octets_read, FILE_OCTETS + 100);
            assert_true(pair_finished(bench.pair, 0) && pair_finished(bench.pair, 1));
            end(&bench);
        }
}

/* Either side's stream ends anywhere, in order or not. */
UNIT_TEST(cut_off)
{
    for (unsigned steps = 0; steps < 400; steps += 1 + steps / 10)
        for (unsigned how = 0; how < 4; how++) {
            struct bench bench;

            begin(&bench, steps % ARRAY_LENGTH(versions), 4096, 4, false);
            for (unsigned i = 0; i < steps && pair_step(bench.pair); i++)
                ;
            pair_close(bench.pair, how % 2, how / 2);
            if (how / 2)
                qp_receive_reset(nfs_end_qp(bench.ends[how % 2])); /* the resetting side knows it */
            pair_run(bench.pair, STEPS_MAX);
            pair_wait(bench.pair, INT64_C(100000000000));
            assert_true(nfs_end_is_finished(bench.ends[0]));
            assert_true(nfs_end_trouble(bench.ends[0]) || steps > 100);
            end(&bench);
        }
}
