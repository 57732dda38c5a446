// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NFS client with the NFS server, every version: jobs that succeed, jobs that must fail, servers that are not
 * ready, Replies that are cut or changed. Every Call is walked to its end.
 */
#include "tests/unit/support/support.h"
#include "traffic-gen/ends/nfs/client/nfs_client_internal.h"
#include "traffic-gen/ends/nfs/server/nfs_server.h"
#include "traffic-gen/speak/sim/random.h"
#include "wire/nfs.h"

#include <inttypes.h>

static const struct {
    unsigned version, minor;
} versions[] = {{2, 0}, {3, 0}, {4, 0}, {4, 1}, {4, 2}};

struct letter {
    uint64_t cookie;
    struct rpc_end_message call;
    size_t room;
};

struct bench {
    struct nfs_tree *tree;
    struct nfs_server *server;
    struct nfs_peer *peer;
    struct nfs_client *client;
    struct random_source random;
    GQueue letters; /* Calls under way */
    unsigned at_once, delays;
    bool finished;
    char *trouble;
    int64_t clock_ns;
    unsigned cut;         /* one in this many Replies; 0: none */
    unsigned with_chunks; /* Calls with Write chunks */
};

static int64_t now(void *ctx)
{
    struct bench *bench = ctx;

    return bench->clock_ns += 1000;
}

/* The Call can be walked to its end, and its items are the eligible ones. */
static void check_call(const struct rpc_end_message *call)
{
    struct rpc_end_message found = *call;
    struct rpc_message header;
    const struct nfs_procedure *procedure;
    struct nfs_walk_result result;

    assert_int_equal(rpc_decode(&header, call->p, call->n), RPC_OK);
    procedure = nfs_procedure_find(header.prog, header.vers, header.proc);
    assert_non_null(procedure);
    assert_int_equal(
        nfs_walk(procedure, false, call->p + header.header_len, call->n - header.header_len, 0, NULL, &result),
        NFS_WALK_OK);
    assert_int_equal(result.left, 0);
    assert_true(rpc_end_find_items(&found, NULL));
    assert_int_equal(found.n_items, call->n_items);
    for (unsigned i = 0; i < found.n_items; i++) {
        assert_int_equal(found.items[i].at, call->items[i].at);
        assert_int_equal(found.items[i].n, call->items[i].n);
    }
}

static void send_call(void *ctx, const struct rpc_end_message *call, const struct rpc_end_how *how, uint64_t cookie)
{
    struct bench *bench = ctx;
    struct letter *letter = g_new0(struct letter, 1);

    check_call(call);
    letter->cookie = cookie;
    letter->call = *call;
    letter->call.p = g_memdup2(call->p, call->n);
    letter->room = MAX(how->reply_max, 1024);
    for (unsigned i = 0; i < RPC_END_ITEMS_MAX && how->results[i] > 0; i++)
        letter->room += how->results[i];
    bench->with_chunks += how->results[0] > 0;
    g_queue_push_tail(&bench->letters, letter);
    bench->at_once = MAX(bench->at_once, bench->letters.length);
}

static void finished(void *ctx, const char *trouble)
{
    struct bench *bench = ctx;

    assert_false(bench->finished);
    bench->finished = true;
    bench->trouble = g_strdup(trouble);
}

/* A Reply on its way back; one in this many is cut short, or has a changed octet. */
static void deliver(struct bench *bench, struct letter *letter)
{
    struct rpc_end_message reply = {0};

    assert_true(nfs_server_call(bench->peer, &letter->call, letter->room, &reply));
    assert_true(reply.n <= letter->room);
    if (bench->cut && random_below(&bench->random, bench->cut) == 0) {
        if (random_below(&bench->random, 2))
            reply.n = random_below(&bench->random, reply.n);
        else
            reply.p[random_below(&bench->random, reply.n)] ^= (uint8_t)(1 << random_below(&bench->random, 8));
    }
    nfs_client_replied(bench->client, letter->cookie, RPC_END_REPLIED, &reply);
    g_free(reply.p);
    g_free(letter->call.p);
    g_free(letter);
}

static void run(struct bench *bench)
{
    nfs_client_start(bench->client);
    while (!bench->finished && bench->letters.length > 0)
        deliver(bench, g_queue_pop_nth(&bench->letters, (guint)random_below(&bench->random, bench->letters.length)));
    assert_true(bench->finished);
}

static void begin_tree(struct bench *bench, uint64_t octets)
{
    struct nfs_server_options options = {.seed = 3, .now = now, .ctx = bench};

    *bench = (struct bench){.clock_ns = INT64_C(1700000000000000000)};
    options.tree = bench->tree = nfs_tree_new(now, bench, octets, 10000);
    bench->server = nfs_server_new(&options);
    bench->peer = nfs_peer_new(bench->server, NULL);
}

static void begin_client(struct bench *bench, unsigned version, const struct nfs_job *jobs, unsigned n, uint64_t seed)
{
    const struct nfs_client_options options = {.version = versions[version].version,
                                               .minor = versions[version].minor,
                                               .depth = 4,
                                               .link_chunks = seed % 2,
                                               .seed = seed};
    const struct nfs_client_events events = {.ctx = bench, .call = send_call, .finished = finished};

    bench->random.state = seed;
    bench->client = nfs_client_new(&options, jobs, n, &events);
    assert_non_null(bench->client);
}

static void end_client(struct bench *bench)
{
    struct letter *letter;

    while ((letter = g_queue_pop_head(&bench->letters))) {
        g_free(letter->call.p);
        g_free(letter);
    }
    nfs_client_free(bench->client);
    g_free(bench->trouble);
    bench->trouble = NULL;
    bench->finished = false;
    bench->at_once = 0;
}

static void end_tree(struct bench *bench)
{
    nfs_peer_free(bench->peer);
    nfs_server_free(bench->server);
    nfs_tree_free(bench->tree);
}

/* What must not go wrong. */
static void assert_well(const struct bench *bench)
{
    if (bench->trouble)
        fail_msg("%s", bench->trouble);
}

static const struct nfs_job day[] = {
    {.kind = NFS_JOB_NULL},
    {.kind = NFS_JOB_MKDIR, .path = "/dir"},
    {.kind = NFS_JOB_MKDIR, .path = "dir/sub/"},
    {.kind = NFS_JOB_MKDIR, .path = "dir", .expect = 17},
    {.kind = NFS_JOB_WRITE, .path = "/dir/sub/file", .octets = 300001},
    {.kind = NFS_JOB_GETATTR, .path = "/dir/sub/file", .octets = 300001},
    {.kind = NFS_JOB_READ, .path = "/dir/sub/file", .octets = 300001},
    {.kind = NFS_JOB_READ, .path = "/dir/sub/file", .at = 65536, .octets = 100},
    {.kind = NFS_JOB_WRITE, .path = "/dir/sub/file", .at = 1000, .octets = 1000, .pattern = 5},
    {.kind = NFS_JOB_READ, .path = "/dir/sub/file", .at = 1000, .octets = 1000, .pattern = 5},
    {.kind = NFS_JOB_READ, .path = "/dir/sub/file", .at = 2000, .octets = 1000},
    {.kind = NFS_JOB_WRITE, .path = "/dir/empty"},
    {.kind = NFS_JOB_READ, .path = "/dir/none", .expect = 2},
    {.kind = NFS_JOB_SYMLINK, .path = "/dir/link", .other = "sub/file"},
    {.kind = NFS_JOB_READLINK, .path = "/dir/link", .other = "sub/file"},
    {.kind = NFS_JOB_RENAME, .path = "/dir/sub/file", .other = "/moved"},
    {.kind = NFS_JOB_LINK, .path = "/moved", .other = "/dir/sub/again"},
    {.kind = NFS_JOB_READ, .path = "/dir/sub/again", .at = 2000, .octets = 250000},
    {.kind = NFS_JOB_TRUNCATE, .path = "/moved", .octets = 777},
    {.kind = NFS_JOB_GETATTR, .path = "/moved", .octets = 777},
    {.kind = NFS_JOB_ACCESS, .path = "/moved"},
    {.kind = NFS_JOB_STATFS},
    {.kind = NFS_JOB_FILES, .path = "/dir/sub", .count = 500},
    {.kind = NFS_JOB_LIST, .path = "/dir/sub", .count = 501},
    {.kind = NFS_JOB_UNFILES, .path = "/dir/sub", .count = 499},
    {.kind = NFS_JOB_LIST, .path = "/dir/sub", .count = 2},
    {.kind = NFS_JOB_LIST, .count = 2},
    {.kind = NFS_JOB_LIST, .path = "/moved", .expect = 20},
    {.kind = NFS_JOB_RMDIR, .path = "/dir/sub", .expect = 66},
    {.kind = NFS_JOB_REMOVE, .path = "/dir/sub/again"},
    {.kind = NFS_JOB_REMOVE, .path = "/dir/link"},
    {.kind = NFS_JOB_REMOVE, .path = "/dir/empty"},
    {.kind = NFS_JOB_REMOVE, .path = "/dir/none", .expect = 2},
    {.kind = NFS_JOB_MKDIR, .path = "/dir/gone"},
    {.kind = NFS_JOB_RMDIR, .path = "/dir/gone"},
};

UNIT_TEST(a_day_of_work)
{
    for (unsigned version = 0; version < ARRAY_LENGTH(versions); version++)
        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct bench bench;
            const struct nfs_client_report *report;

            begin_tree(&bench, 64 << 20);
            begin_client(&bench, version, day, ARRAY_LENGTH(day), seed);
            run(&bench);
            assert_well(&bench);
            report = nfs_client_report(bench.client);
            assert_int_equal(report->octets_written, 301001);
            assert_int_equal(report->octets_read, 300001 + 100 + 2000 + 250000);
            assert_int_equal(report->entries, 505);
            assert_true(bench.at_once > 1 && bench.with_chunks > 0);
            end_client(&bench);
            end_tree(&bench);
        }
}

UNIT_TEST(what_goes_wrong)
{
    static const struct {
        struct nfs_job jobs[2];
        const char *trouble; /* its beginning and its end */
        const char *end;
    } cases[] = {
        {{{.kind = NFS_JOB_READ, .path = "/a", .octets = 1}}, "read /a: ", "NOENT (2)"},
        {{{.kind = NFS_JOB_MKDIR, .path = "/a", .expect = 17}}, "mkdir /a: ", "expected status 17; found 0"},
        {{{.kind = NFS_JOB_MKDIR, .path = "/"}}, "mkdir /: ", "the path names nothing below the root"},
        {{{.kind = NFS_JOB_WRITE, .path = "/a", .octets = 100}, {.kind = NFS_JOB_READ, .path = "/a", .octets = 101}},
         "read /a: ",
         "0 octets done of 1 asked for at 100"},
        {{{.kind = NFS_JOB_WRITE, .path = "/a", .octets = 100},
          {.kind = NFS_JOB_READ, .path = "/a", .octets = 100, .pattern = 1}},
         "read /a: ",
         "octet 0 differs from what was written"},
        {{{.kind = NFS_JOB_WRITE, .path = "/a", .octets = 100}, {.kind = NFS_JOB_GETATTR, .path = "/a", .octets = 99}},
         "getattr /a: ",
         "expected a size of 99; found 100"},
        {{{.kind = NFS_JOB_SYMLINK, .path = "/a", .other = "b"},
          {.kind = NFS_JOB_READLINK, .path = "/a", .other = "c"}},
         "readlink /a: ",
         "expected the link's text \"c\"; found \"b\""},
        {{{.kind = NFS_JOB_LIST, .path = "/", .count = 1}}, "list /: ", "expected at least 1 entries; found 0"},
        {{{.kind = NFS_JOB_WRITE, .path = "/a", .octets = 1 << 20}}, "write /a: ", "NOSPC (28)"},
    };

    for (unsigned version = 0; version < ARRAY_LENGTH(versions); version++)
        for (size_t i = 0; i < ARRAY_LENGTH(cases); i++) {
            struct bench bench;

            begin_tree(&bench, 1 << 16);
            begin_client(&bench, version, cases[i].jobs, cases[i].jobs[1].path ? 2 : 1, 1);
            run(&bench);
            assert_non_null(bench.trouble);
            if (!g_str_has_prefix(bench.trouble, cases[i].trouble) || !g_str_has_suffix(bench.trouble, cases[i].end))
                fail_msg("%s, expected: %s...%s", bench.trouble, cases[i].trouble, cases[i].end);
            end_client(&bench);
            end_tree(&bench);
        }
}

/* An expected error may come while other Calls are in flight. */
UNIT_TEST(expected_amid_others)
{
    static const struct nfs_job jobs[] = {
        {.kind = NFS_JOB_WRITE, .path = "/a", .octets = 1 << 20, .expect = 28},
        {.kind = NFS_JOB_MKDIR, .path = "/b"},
        {.kind = NFS_JOB_LIST, .count = 2},
    };

    for (unsigned version = 0; version < 2; version++) {
        struct bench bench;

        begin_tree(&bench, 1 << 17);
        begin_client(&bench, version, jobs, ARRAY_LENGTH(jobs), 1);
        run(&bench);
        assert_well(&bench);
        end_client(&bench);
        end_tree(&bench);
    }
}

/* A lost connection, or a server that sends transport errors, or no Replies. */
UNIT_TEST(lost)
{
    for (unsigned calls = 0; calls < 12; calls++)
        for (unsigned result = RPC_END_ERR_VERS; result <= RPC_END_UNSENT; result++) {
            struct bench bench;
            struct letter *letter;

            begin_tree(&bench, 1 << 20);
            begin_client(&bench, calls % ARRAY_LENGTH(versions), day, ARRAY_LENGTH(day), 1);
            nfs_client_start(bench.client);
            for (unsigned i = 0; i < calls; i++)
                deliver(&bench, g_queue_pop_head(&bench.letters));
            letter = g_queue_peek_head(&bench.letters);
            nfs_client_replied(bench.client, letter->cookie + 1, result, NULL); /* nobody's */
            assert_false(bench.finished);
            nfs_client_replied(bench.client, letter->cookie, result, NULL);
            assert_true(bench.finished);
            assert_non_null(bench.trouble);
            nfs_client_replied(bench.client, letter->cookie, result, NULL);
            end_client(&bench);
            end_tree(&bench);
        }
}

/* JUKEBOX is asked again a second later. */
UNIT_TEST(not_ready)
{
    static const struct nfs_job job = {.kind = NFS_JOB_MKDIR, .path = "/a"};
    static const uint8_t root[16];
    const struct nfs_client_options options = {.version = 3, .root = root, .root_octets = 16};
    struct bench bench = {0};
    const struct nfs_client_events events = {.ctx = &bench, .call = send_call, .finished = finished};
    uint8_t octets[24 + 8 + 176] = {0};
    struct rpc_end_message reply = {.p = octets, .n = sizeof octets};
    struct letter *letter;

    bench.client = nfs_client_new(&options, &job, 1, &events);
    nfs_client_start(bench.client);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(bench.letters.length, 1);
        letter = g_queue_pop_head(&bench.letters);
        memcpy(octets, letter->call.p, 4);
        octets[7] = 1;
        put_be32(octets + 24, i < 2 ? 10008 : 0);
        nfs_client_replied(bench.client, letter->cookie, RPC_END_REPLIED, &reply);
        g_free(letter->call.p);
        g_free(letter);
        if (i == 2)
            break;
        nfs_client_tick(bench.client, 1000);
        nfs_client_tick(bench.client, 1000000999);
        assert_int_equal(bench.letters.length, 0);
        nfs_client_tick(bench.client, 1000001000);
        nfs_client_tick(bench.client, 1000001000);
    }
    assert_int_equal(bench.letters.length, 1); /* FSINFO is answered, the job continues */
    end_client(&bench);
}

/* A server that needs a pause, and a handle from another source. */
UNIT_TEST(settled)
{
    static const struct nfs_job job = {.kind = NFS_JOB_MKDIR, .path = "/a"};
    static const uint8_t root[] = {1, 2, 3, 4};
    const struct nfs_client_place place = {.root = root, .root_octets = 4, .seed = 9, .first_delay_ns = 500};
    const struct nfs_client_options options = {.version = 3, .seed = 8};
    struct bench bench = {0};
    const struct nfs_client_events events = {.ctx = &bench, .call = send_call, .finished = finished};
    const struct letter *letter;

    bench.client = nfs_client_new(&options, &job, 1, &events);
    nfs_client_settle(bench.client, &place);
    nfs_client_start(bench.client);
    nfs_client_tick(bench.client, 1000);
    nfs_client_tick(bench.client, 1499);
    assert_int_equal(bench.letters.length, 0);
    nfs_client_tick(bench.client, 1500);
    nfs_client_tick(bench.client, 1600);
    assert_int_equal(bench.letters.length, 1);
    letter = g_queue_peek_head(&bench.letters);
    assert_int_equal(get_be32(letter->call.p + 20), 19); /* FSINFO of the root, and no MOUNT */
    assert_memory_equal(letter->call.p + letter->call.n - 4, root, 4);
    end_client(&bench);
}

/* Replies with some damage: the client ends, in order or with a message, and nothing else happens. */
UNIT_TEST(damaged)
{
    unsigned troubles = 0;

    for (uint64_t seed = 1; seed <= 400; seed++) {
        struct bench bench;

        begin_tree(&bench, 4 << 20);
        begin_client(&bench, seed % ARRAY_LENGTH(versions), day, ARRAY_LENGTH(day), seed);
        bench.cut = 1 + (unsigned)(seed % 40);
        nfs_client_start(bench.client);
        while (!bench.finished && bench.letters.length > 0)
            deliver(&bench, g_queue_pop_head(&bench.letters));
        troubles += bench.trouble != NULL;
        end_client(&bench);
        end_tree(&bench);
    }
    assert_true(troubles > 300);
}

UNIT_TEST(names)
{
    for (unsigned kind = 0; kind < NFS_JOBS; kind++)
        assert_int_equal(nfs_job_find(nfs_job_name(kind)), kind);
    assert_int_equal(nfs_job_find("nothing"), NFS_JOBS);
}

/* Any piece of a file has the same octets as in the whole, and the first wrong octet is found. */
UNIT_TEST(octets)
{
    uint8_t whole[100], piece[100];

    client_fill(whole, sizeof whole, 3, 7);
    for (size_t from = 0; from < sizeof whole; from++)
        for (size_t n = 0; n <= sizeof whole - from; n++) {
            client_fill(piece, n, 3 + from, 7);
            assert_memory_equal(piece, whole + from, n);
            assert_int_equal(client_compare(piece, n, 3 + from, 7), SIZE_MAX);
            if (n == 0)
                continue;
            piece[n / 3] ^= 1;
            assert_int_equal(client_compare(piece, n, 3 + from, 7), n / 3);
        }
}
