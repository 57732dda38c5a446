// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files for cases of RPC-over-RDMA: one of ours in the export's root, by whatever version of NFS the case speaks, and
 * its end.
 */
#include "traffic-gen/suite/rpc_bench_v4.h"

#include "traffic-gen/nfs/nfs_status.h"
#include "traffic-gen/suite/talk_internal.h"
#include "wire/nfs.h"

#include <string.h>

enum {
    V3_READ = 6,
    V3_WRITE = 7,
    V3_CREATE = 8,
    V3_REMOVE = 12,
    FILE_SYNC = 2,
    SHARE_BOTH = 3,
    WANT_NO_DELEGATION = 0x400,
    RESULT_CONFIRM = 2,
    MODE_WORD = 2, /* of a bitmap4 that names the mode alone */
    MODE_BIT = 1 << 1,
};

static bool take_handle(struct xdr *results, uint8_t handle[NFS_HANDLE_MAX], uint32_t *n)
{
    const uint8_t *p;

    if (!xdr_opaque(results, &p, n) || *n > NFS_HANDLE_MAX)
        return false;
    memcpy(handle, p, *n);
    return true;
}

/* ---- procedures and COMPOUNDs ---- */

void rpc_bench_begin_nfs(struct rpc_bench *bench, struct xdr_out *out, uint32_t procedure, const uint8_t *handle,
                         uint32_t handle_n, unsigned operations)
{
    if (bench->version == NFS_V3) {
        rpc_bench_begin(bench, out, NFS_PROGRAM, 3, procedure);
        if (handle)
            xdr_out_opaque(out, handle, handle_n);
        return;
    }
    bench_begin_compound(bench, out, operations + (handle != NULL));
    if (handle) {
        xdr_out_u32(out, NFS_OP_PUTFH);
        xdr_out_opaque(out, handle, handle_n);
    }
}

static void put_stateid(const struct rpc_bench *bench, struct xdr_out *out)
{
    xdr_out_fixed(out, bench->v4.stateid, sizeof(bench->v4.stateid));
}

static bool take_stateid(struct rpc_bench *bench, struct xdr *results)
{
    const uint8_t *p = results->p + results->at;

    if (!xdr_skip(results, sizeof(bench->v4.stateid)))
        return false;
    memcpy(bench->v4.stateid, p, sizeof(bench->v4.stateid));
    return true;
}

void rpc_bench_begin_write(struct rpc_bench *bench, struct xdr_out *out, uint32_t n)
{
    rpc_bench_begin_nfs(bench, out, V3_WRITE, bench->file, bench->file_n, 1);
    if (bench->version == NFS_V3) {
        xdr_out_u64(out, 0);
        xdr_out_u32(out, n);
        xdr_out_u32(out, FILE_SYNC);
        return;
    }
    xdr_out_u32(out, NFS_OP_WRITE);
    put_stateid(bench, out);
    xdr_out_u64(out, 0);
    xdr_out_u32(out, FILE_SYNC);
}

void rpc_bench_begin_read(struct rpc_bench *bench, struct xdr_out *out, uint32_t n)
{
    rpc_bench_begin_nfs(bench, out, V3_READ, bench->file, bench->file_n, 1);
    if (bench->version != NFS_V3) {
        xdr_out_u32(out, NFS_OP_READ);
        put_stateid(bench, out);
    }
    xdr_out_u64(out, 0);
    xdr_out_u32(out, n);
}

/* ---- what came ---- */

uint32_t rpc_bench_status(const struct rpc_bench *bench)
{
    struct xdr results;
    uint32_t status;

    return bench->replied > 0 && bench->result == RPC_END_REPLIED && rpc_bench_results(bench, &results) &&
                   xdr_u32(&results, &status)
               ? status
               : UINT32_MAX;
}

bool rpc_bench_is_circumstance(uint32_t status)
{
    static const uint32_t statuses[] = {
        1 /* PERM */,   5 /* IO */,     13 /* ACCES */,   28 /* NOSPC */,   30 /* ROFS */,
        69 /* DQUOT */, 70 /* STALE */, NFS_STATUS_DELAY, NFS_STATUS_GRACE, 10022 /* STALE_CLIENTID */,
        10052 /* BADSESSION */};

    for (unsigned i = 0; i < G_N_ELEMENTS(statuses); i++) {
        if (statuses[i] == status)
            return true;
    }
    return false;
}

const char *rpc_bench_result_words(struct rpc_bench *bench)
{
    struct rpc_message header;
    uint32_t status = rpc_bench_status(bench);

    if (bench->replied == 0 || bench->result == RPC_END_LOST)
        return bench->terminated && bench->terminate_ours ? "a Send that is too long for our Receive buffer"
               : bench->terminated                        ? "a Terminate"
               : bench->fed_end                           ? "the end of the connection"
                                                          : "no answer";
    switch (bench->result) {
    case RPC_END_ERR_CHUNK:
        return "RDMA_ERROR with ERR_CHUNK";
    case RPC_END_ERR_VERS:
        return "RDMA_ERROR with ERR_VERS";
    case RPC_END_GARBAGE:
        return "a Reply whose chunks do not fit its results";
    case RPC_END_UNSENT:
        return "nothing: the Call's header is too long for an inline threshold";
    default:
        break;
    }
    if (status != UINT32_MAX)
        g_snprintf(bench->words, sizeof(bench->words), "NFS status %u (%s)", status, nfs_status_name(status));
    else if (rpc_decode(&header, bench->reply.p, bench->reply.n) == RPC_OK && header.reply_stat == RPC_MSG_ACCEPTED &&
             header.accept_stat != RPC_SUCCESS)
        g_snprintf(bench->words, sizeof(bench->words), "a Reply with %s", rpc_accept_stat_name(header.accept_stat));
    else
        g_strlcpy(bench->words, "a Reply that denies the Call", sizeof(bench->words));
    return bench->words;
}

bool rpc_bench_succeeds(struct rpc_bench *bench, struct xdr_out *out, const struct rpc_end_how *how)
{
    rpc_bench_call(bench, out, how);
    if (rpc_bench_status(bench) == 0)
        return true;
    if (rpc_bench_is_circumstance(rpc_bench_status(bench)))
        talk_inconclusive(bench->talk, "the server has another reason: %s", rpc_bench_result_words(bench));
    else
        talk_failed(bench->talk, "expected %s, found %s", bench->talk->test->expected, rpc_bench_result_words(bench));
    return false;
}

/* ---- the root ---- */

bool rpc_bench_root(struct rpc_bench *bench)
{
    const struct nfs_run *nfs = &bench->talk->run->nfs;
    uint32_t status;

    if (bench->root_n > 0)
        return true;
    if (!(nfs->spoken & 1U << bench->version)) {
        talk_not_applicable(bench->talk, "NFS version %s: %s", nfs_version_names[bench->version],
                            nfs->version[bench->version].why_not);
        return false;
    }
    status = bench_meet(bench);
    if (status != 0) {
        talk_inconclusive(bench->talk, "the server does not take us for a client of NFS version %s: %s",
                          nfs_version_names[bench->version], rpc_bench_result_words(bench));
        return false;
    }
    bench->root_n = nfs->version[bench->version].root_n;
    memcpy(bench->root, nfs->version[bench->version].root, bench->root_n);
    return true;
}

/* ---- our file ---- */

const char *rpc_bench_new_name(struct rpc_bench *bench)
{
    char *name = g_strdup_printf("iwarp-gen-%016" G_GINT64_MODIFIER "x",
                                 random_next(&bench->random) ^ bench->talk->run->nfs.seed);

    g_ptr_array_add(bench->names, name);
    return name;
}

static void put_create(struct rpc_bench *bench, struct xdr_out *out, const void *data)
{
    (void)data;
    rpc_bench_begin_nfs(bench, out, V3_CREATE, bench->root, bench->root_n, 0);
    xdr_out_opaque(out, bench->name, (uint32_t)strlen(bench->name));
    xdr_out_u32(out, 0); /* UNCHECKED */
    xdr_out_u32(out, 1); /* mode */
    xdr_out_u32(out, 0644);
    for (unsigned i = 0; i < 5; i++) /* uid, gid, size, atime, mtime: as they are */
        xdr_out_u32(out, 0);
}

static void put_open(struct rpc_bench *bench, struct xdr_out *out, const void *data)
{
    const bool sessions = bench->version != NFS_V40;

    (void)data;
    rpc_bench_begin_nfs(bench, out, 0, bench->root, bench->root_n, 2);
    xdr_out_u32(out, NFS_OP_OPEN);
    xdr_out_u32(out, sessions ? 0 : bench->v4.open_sequence);
    xdr_out_u32(out, SHARE_BOTH | (sessions ? WANT_NO_DELEGATION : 0));
    xdr_out_u32(out, 0); /* nobody is denied anything */
    xdr_out_u64(out, bench->v4.client_id);
    xdr_out_opaque(out, bench->name, (uint32_t)strlen(bench->name)); /* the owner */
    xdr_out_u32(out, 1);                                             /* OPEN4_CREATE */
    xdr_out_u32(out, 0);                                             /* UNCHECKED4 */
    xdr_out_u32(out, MODE_WORD);
    xdr_out_u32(out, 0);
    xdr_out_u32(out, MODE_BIT);
    xdr_out_u32(out, 4);
    xdr_out_u32(out, 0644);
    xdr_out_u32(out, 0); /* CLAIM_NULL */
    xdr_out_opaque(out, bench->name, (uint32_t)strlen(bench->name));
    xdr_out_u32(out, V4_OP_GETFH);
}

static void put_open_confirm(struct rpc_bench *bench, struct xdr_out *out, const void *data)
{
    (void)data;
    rpc_bench_begin_nfs(bench, out, 0, bench->file, bench->file_n, 1);
    xdr_out_u32(out, V4_OP_OPEN_CONFIRM);
    put_stateid(bench, out);
    xdr_out_u32(out, bench->v4.open_sequence);
}

static bool confirm(struct rpc_bench *bench)
{
    struct xdr results;

    if (bench_ask(bench, put_open_confirm, NULL, &results) != 0 || !bench_open_compound(bench, &results) ||
        !bench_take_op(&results, NFS_OP_PUTFH) || !bench_take_op(&results, V4_OP_OPEN_CONFIRM))
        return false;
    bench->v4.open_sequence++;
    return take_stateid(bench, &results);
}

static bool take_open(struct rpc_bench *bench, struct xdr *results)
{
    uint32_t flags, words, delegation;

    if (!bench_open_compound(bench, results) || !bench_take_op(results, NFS_OP_PUTFH) ||
        !bench_take_op(results, NFS_OP_OPEN) || !take_stateid(bench, results) || !xdr_skip(results, 20) ||
        !xdr_u32(results, &flags) || !xdr_u32(results, &words) || !xdr_skip(results, 4 * (uint64_t)words) ||
        !xdr_u32(results, &delegation))
        return false;
    if (delegation == 3) /* OPEN_DELEGATE_NONE_EXT: why there is none */
        xdr_skip(results, xdr_u32(results, &words) && (words == 1 || words == 2) ? 4 : 0);
    else if (delegation != 0)
        return false;
    bench->v4.open_sequence++;
    return bench_take_op(results, V4_OP_GETFH) && take_handle(results, bench->file, &bench->file_n) &&
           (bench->version != NFS_V40 || !(flags & RESULT_CONFIRM) || confirm(bench));
}

static bool make_file(struct rpc_bench *bench)
{
    struct xdr results;
    uint32_t follows;

    if (bench_ask(bench, bench->version == NFS_V3 ? put_create : put_open, NULL, &results) != 0)
        return false;
    if (bench->version != NFS_V3)
        return take_open(bench, &results);
    return xdr_u32(&results, &follows) && follows && take_handle(&results, bench->file, &bench->file_n);
}

bool rpc_bench_file(struct rpc_bench *bench)
{
    if (!rpc_bench_root(bench))
        return false;
    g_strlcpy(bench->name, rpc_bench_new_name(bench), sizeof(bench->name));
    if (make_file(bench))
        return true;
    bench->file_n = 0;
    talk_inconclusive(bench->talk, "no file can be made in the export's root with NFS version %s: %s",
                      nfs_version_names[bench->version], rpc_bench_result_words(bench));
    return false;
}

/* ---- its end ---- */

static void put_close(struct rpc_bench *bench, struct xdr_out *out, const void *data)
{
    (void)data;
    rpc_bench_begin_nfs(bench, out, 0, bench->file, bench->file_n, 1);
    xdr_out_u32(out, V4_OP_CLOSE);
    xdr_out_u32(out, bench->version == NFS_V40 ? bench->v4.open_sequence++ : 0);
    put_stateid(bench, out);
}

static void put_remove(struct rpc_bench *bench, struct xdr_out *out, const void *data)
{
    const char *name = data;

    rpc_bench_begin_nfs(bench, out, V3_REMOVE, bench->root, bench->root_n, 1);
    if (bench->version != NFS_V3)
        xdr_out_u32(out, NFS_OP_REMOVE);
    xdr_out_opaque(out, name, (uint32_t)strlen(name));
}

bool rpc_bench_remove(struct rpc_bench *bench, const char *name)
{
    struct xdr results;
    uint32_t status = bench_ask(bench, put_remove, name, &results);

    return status == 0 || status == NFS_STATUS_NOENT;
}

static bool is_usable(const struct rpc_bench *bench)
{
    return bench->open && !bench->fed_end && !bench->terminated && talk_is_open(bench->talk);
}

void rpc_bench_leave(struct rpc_bench *bench)
{
    struct xdr results;
    bool answers = is_usable(bench);

    if (answers && bench->file_n > 0 && bench->version != NFS_V3)
        answers = bench_ask(bench, put_close, NULL, &results) != UINT32_MAX;
    while (answers && bench->root_n > 0 && bench->names->len > 0) {
        answers = rpc_bench_remove(bench, g_ptr_array_index(bench->names, bench->names->len - 1));
        if (answers)
            g_ptr_array_set_size(bench->names, (gint)bench->names->len - 1);
    }
    if (answers && is_usable(bench))
        bench_part(bench);
}

void rpc_bench_clear_up(struct talk_run *run, enum nfs_version_at version, GPtrArray *names)
{
    struct test_result *result = test_result_new();
    struct rpc_bench bench;
    struct talk talk;

    talk_init(&talk, run, NULL, result);
    if (rpc_bench_open(&bench, &talk, &(struct bench_wish){.version = version}) && rpc_bench_root(&bench)) {
        for (guint i = 0; i < names->len && !bench.fed_end; i++)
            rpc_bench_remove(&bench, g_ptr_array_index(names, i));
    }
    rpc_bench_close(&bench);
    talk_clear(&talk);
    test_result_free(result);
}
