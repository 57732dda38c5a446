// SPDX-License-Identifier: GPL-2.0-or-later
/* Files for tests of RPC-over-RDMA: the export's root, and a file of ours in it, as handles of NFS version 3. */
#include "traffic-gen/test/rpc_bench.h"
#include "wire/nfs.h"

#include <string.h>

static bool take_handle(struct xdr *results, uint8_t handle[BENCH_HANDLE_MAX], uint32_t *n)
{
    const uint8_t *p;

    if (!xdr_opaque(results, &p, n) || *n > BENCH_HANDLE_MAX)
        return false;
    memcpy(handle, p, *n);
    return true;
}

static bool results_ok(struct rpc_bench *bench, struct xdr *results)
{
    uint32_t status;

    return rpc_bench_results(bench, results) && xdr_u32(results, &status) && status == 0;
}

/* MOUNT version 3, MNT "/", if the service answers it on this connection. */
static bool mount(struct rpc_bench *bench)
{
    struct xdr_out out;
    struct xdr results;

    rpc_bench_begin(bench, &out, NFS_PROGRAM_MOUNT, 3, 1);
    xdr_out_opaque(&out, "/", 1);
    return rpc_bench_call(bench, &out, NULL) && results_ok(bench, &results) &&
           take_handle(&results, bench->root, &bench->root_n);
}

/* NFS version 4.0: PUTROOTFH, GETFH; such a handle is good for version 3 with most servers. */
static bool put_root(struct rpc_bench *bench)
{
    struct xdr_out out;
    struct xdr results;
    uint32_t word;

    rpc_bench_begin(bench, &out, NFS_PROGRAM, 4, 1);
    xdr_out_u32(&out, 0); /* tag */
    xdr_out_u32(&out, 0); /* minor version */
    xdr_out_u32(&out, 2);
    xdr_out_u32(&out, NFS_OP_PUTROOTFH);
    xdr_out_u32(&out, 10); /* GETFH */
    if (!rpc_bench_call(bench, &out, NULL) || !results_ok(bench, &results))
        return false;
    /* tag, number of results, PUTROOTFH, its status, GETFH, its status */
    for (unsigned i = 0; i < 6; i++) {
        if (!xdr_u32(&results, &word))
            return false;
    }
    return word == 0 && take_handle(&results, bench->root, &bench->root_n);
}

static bool is_root_good(struct rpc_bench *bench)
{
    struct xdr_out out;
    struct xdr results;

    rpc_bench_begin(bench, &out, NFS_PROGRAM, 3, 1);
    xdr_out_opaque(&out, bench->root, bench->root_n);
    return rpc_bench_call(bench, &out, NULL) && results_ok(bench, &results);
}

bool rpc_bench_root(struct rpc_bench *bench)
{
    if (bench->root_n > 0)
        return true;
    if ((mount(bench) || put_root(bench)) && is_root_good(bench))
        return true;
    bench->root_n = 0;
    talk_not_applicable(bench->talk, "no file handle of NFS version 3 can be had: neither MOUNT on this connection nor "
                                     "PUTROOTFH and GETFH of NFS version 4.0 give one");
    return false;
}

bool rpc_bench_file(struct rpc_bench *bench)
{
    struct xdr_out out;
    struct xdr results;
    uint32_t follows;

    if (!rpc_bench_root(bench))
        return false;
    g_snprintf(bench->name, sizeof(bench->name), "iwarp-gen-%08x", g_random_int());
    rpc_bench_begin(bench, &out, NFS_PROGRAM, 3, 8);
    xdr_out_opaque(&out, bench->root, bench->root_n);
    xdr_out_opaque(&out, bench->name, (uint32_t)strlen(bench->name));
    xdr_out_u32(&out, 0); /* UNCHECKED */
    xdr_out_u32(&out, 1); /* mode */
    xdr_out_u32(&out, 0644);
    for (unsigned i = 0; i < 5; i++) /* uid, gid, size, atime, mtime: as they are */
        xdr_out_u32(&out, 0);
    if (rpc_bench_call(bench, &out, NULL) && results_ok(bench, &results) && xdr_u32(&results, &follows) && follows &&
        take_handle(&results, bench->file, &bench->file_n))
        return true;
    talk_not_applicable(bench->talk, "no file can be made in the export's root");
    return false;
}
