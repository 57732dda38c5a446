// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The stack's NFS client with a hostile server: a real server answers, and the input changes its Replies. First octet:
 * the version; then four octets for each Reply: the change, its place (two), its value. Later Replies are unchanged. In
 * every case the client ends.
 */
#include "tests/fuzz/fuzz_words.h"
#include "traffic-gen/ends/nfs/client/nfs_client.h"
#include "traffic-gen/ends/nfs/server/nfs_server.h"

enum {
    CALLS_MAX = 20000 /* two jobs of 5000 octets, one octet at a time if the server insists */,
    STEP_OCTETS = 4,
    HEAD = 1
};

enum damage { NONE, CUT, OCTET, WORD, ZERO_WORD, ONES_WORD, LOST, REPEATED, DAMAGES };

struct letter {
    uint64_t cookie;
    struct rpc_end_message call;
};

struct bench {
    GQueue letters;
    unsigned finished;
    int64_t clock_ns;
};

static const struct nfs_job jobs[] = {
    {.kind = NFS_JOB_MKDIR, .path = "d"},
    {.kind = NFS_JOB_WRITE, .path = "d/f", .octets = 5000},
    {.kind = NFS_JOB_READ, .path = "d/f", .octets = 5000},
    {.kind = NFS_JOB_GETATTR, .path = "d/f"},
    {.kind = NFS_JOB_ACCESS, .path = "d/f"},
    {.kind = NFS_JOB_STATFS, .path = "d"},
    {.kind = NFS_JOB_TRUNCATE, .path = "d/f", .octets = 10},
    {.kind = NFS_JOB_SYMLINK, .path = "d/l", .other = "text"},
    {.kind = NFS_JOB_READLINK, .path = "d/l", .other = "text"},
    {.kind = NFS_JOB_RENAME, .path = "d/f", .other = "g"},
    {.kind = NFS_JOB_LINK, .path = "g", .other = "d/h"},
    {.kind = NFS_JOB_FILES, .path = "d", .count = 3},
    {.kind = NFS_JOB_LIST, .path = "d", .count = 5},
    {.kind = NFS_JOB_REMOVE, .path = "g"},
    {.kind = NFS_JOB_RMDIR, .path = "d", .expect = 66},
};

#ifdef IWARP_LIBFUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return fuzz_mutate_words(data, size, max, seed, HEAD);
}
#endif

static int64_t now(void *ctx)
{
    struct bench *bench = ctx;

    return bench->clock_ns += 1000000;
}

static void on_call(void *ctx, const struct rpc_end_message *call, const struct rpc_end_how *how, uint64_t cookie)
{
    struct bench *bench = ctx;
    struct letter *letter = g_new0(struct letter, 1);

    (void)how;
    HOLDS(!bench->finished);
    letter->cookie = cookie;
    letter->call = *call;
    letter->call.p = g_memdup2(call->p, call->n);
    g_queue_push_tail(&bench->letters, letter);
}

static void on_finished(void *ctx, const char *trouble)
{
    struct bench *bench = ctx;

    (void)trouble;
    bench->finished++;
}

static void free_letter(gpointer p)
{
    struct letter *letter = p;

    g_free(letter->call.p);
    g_free(letter);
}

static void damage(struct rpc_end_message *reply, const uint8_t how[STEP_OCTETS])
{
    size_t at = get_be16(how + 1) % reply->n, word = at / 4 * 4;

    switch (how[0] % DAMAGES) {
    case CUT:
        reply->n = at;
        break;
    case OCTET:
        reply->p[at] = how[3];
        break;
    case WORD:
        memset(reply->p + word, 0, 3);
        reply->p[word + 3] = how[3];
        break;
    case ZERO_WORD:
        memset(reply->p + word, 0, 4);
        break;
    case ONES_WORD:
        memset(reply->p + word, 0xff, 4);
        break;
    default:
        break;
    }
}

static void deliver(struct nfs_client *client, struct nfs_peer *peer, struct letter *letter, const uint8_t *how)
{
    struct rpc_end_message reply = {0};
    bool lost = how && how[0] % DAMAGES == LOST;

    HOLDS(nfs_server_call(peer, &letter->call, 0, &reply) && reply.n >= 24 && reply.n % 4 == 0);
    if (how)
        damage(&reply, how);
    nfs_client_replied(client, letter->cookie, lost ? RPC_END_LOST : RPC_END_REPLIED, lost ? NULL : &reply);
    if (how && how[0] % DAMAGES == REPEATED)
        nfs_client_replied(client, letter->cookie, RPC_END_REPLIED, &reply);
    g_free(reply.p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned versions[][2] = {{2, 0}, {3, 0}, {4, 0}, {4, 1}, {4, 2}};
    const unsigned *version = versions[size > 0 ? data[0] % 5 : 0];
    struct bench bench = {0};
    struct nfs_tree *tree = nfs_tree_new(now, &bench, 1 << 20, 64);
    const struct nfs_server_options server_options = {.tree = tree, .seed = 1, .now = now, .ctx = &bench};
    struct nfs_server *server = nfs_server_new(&server_options);
    struct nfs_peer *peer = nfs_peer_new(server, NULL);
    const struct nfs_client_options options = {
        .version = version[0], .minor = version[1], .depth = 3, .io_octets = 1000, .list_octets = 512, .seed = 2};
    const struct nfs_client_events events = {.ctx = &bench, .call = on_call, .finished = on_finished};
    struct nfs_client *client = nfs_client_new(&options, jobs, sizeof jobs / sizeof jobs[0], &events);
    size_t at = HEAD;

    nfs_client_start(client);
    for (unsigned i = 0; i < CALLS_MAX && !bench.finished; i++) {
        struct letter *letter = g_queue_pop_head(&bench.letters);

        if (letter) {
            deliver(client, peer, letter, at + STEP_OCTETS <= size ? data + at : NULL);
            at += STEP_OCTETS;
            free_letter(letter);
        } else { /* asks the client to try again later */
            nfs_client_tick(client, bench.clock_ns += INT64_C(2000000000));
        }
    }
    HOLDS(bench.finished == 1 && nfs_client_is_finished(client));
    g_queue_clear_full(&bench.letters, free_letter);
    nfs_client_free(client);
    nfs_peer_free(peer);
    nfs_server_free(server);
    nfs_tree_free(tree);
    return 0;
}
