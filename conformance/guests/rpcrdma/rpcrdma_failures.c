// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors of RPC, NFS and MOUNT that mean trouble with the server, its storage or its state, for "What happened". Other
 * errors, such as NFS4ERR_NOENT, are ordinary answers. Values: RFC 5531 section 9, RFC 1813 sections 2.6 and 5.1.5, RFC
 * 8881 section 15.1.
 */
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "conformance/trouble/facts.h"
#include "engine/rpcrdma/rpcrdma.h"

enum { MOUNT_PROGRAM = 100005 };

static const char
    storage
        [] = "the server's storage failed: look at the server's log",
 full[] = "the server's file system or the quota is full",
 gone[] = "the file was removed, or its file system was exported again: remount",
 inner[] = "the server had an internal error: look at the server's log",
 later[] = "the client has to retry: look at what the server waits for, such as its storage or a delegation of another "
           "client",
 grace[] = "the server was restarted, and waits until its clients have reclaimed their state",
 lost[] = "the server no longer has this state: it was restarted, or the lease expired",
 denied[] = "the server does not export this to the client: look at its exports",
 missing[] = "the server has no such export: compare the path with its exports (showmount -e)",
 version[] =
     "the server does not support this version: look at the versions that both sides enable (mount option vers=)",
 credentials[] = "the server wants other credentials: compare the mount option sec= with the export, and look at "
                 "Kerberos on both sides",
 decode[] =
     "the server could not decode the Call: octets were damaged, or one side is wrong: look at the Call in Wireshark";

static const struct {
    uint32_t program, version, status; /* version 0: any */
    struct trouble_error error;
} of_results[] = {
    {NFS_PROGRAM, 4, 5, {"NFS4ERR_IO", storage, ERROR_FAILS}},
    {NFS_PROGRAM, 4, 28, {"NFS4ERR_NOSPC", full, ERROR_NOTED}},
    {NFS_PROGRAM, 4, 69, {"NFS4ERR_DQUOT", full, ERROR_NOTED}},
    {NFS_PROGRAM, 4, 70, {"NFS4ERR_STALE", gone, ERROR_NOTED}},
    {NFS_PROGRAM, 4, 10006, {"NFS4ERR_SERVERFAULT", inner, ERROR_FAILS}},
    {NFS_PROGRAM, 4, 10008, {"NFS4ERR_DELAY", later, ERROR_BUSY}},
    {NFS_PROGRAM, 4, 10011, {"NFS4ERR_EXPIRED", lost, ERROR_FAILS}},
    {NFS_PROGRAM, 4, 10013, {"NFS4ERR_GRACE", grace, ERROR_BUSY}},
    {NFS_PROGRAM, 4, 10016, {"NFS4ERR_WRONGSEC", credentials, ERROR_PROBE}},
    {NFS_PROGRAM, 4, 10018, {"NFS4ERR_RESOURCE", inner, ERROR_FAILS}},
    {NFS_PROGRAM, 4, 10021, {"NFS4ERR_MINOR_VERS_MISMATCH", version, ERROR_PROBE}},
    {NFS_PROGRAM, 4, 10022, {"NFS4ERR_STALE_CLIENTID", lost, ERROR_PROBE}},
    {NFS_PROGRAM, 4, 10023, {"NFS4ERR_STALE_STATEID", lost, ERROR_FAILS}},
    {NFS_PROGRAM, 4, 10047, {"NFS4ERR_ADMIN_REVOKED", lost, ERROR_FAILS}},
    {NFS_PROGRAM, 4, 10052, {"NFS4ERR_BADSESSION", lost, ERROR_FAILS}},
    {NFS_PROGRAM, 4, 10078, {"NFS4ERR_DEADSESSION", lost, ERROR_FAILS}},
    {NFS_PROGRAM, 4, 10087, {"NFS4ERR_DELEG_REVOKED", lost, ERROR_FAILS}},
    {NFS_PROGRAM, 3, 5, {"NFS3ERR_IO", storage, ERROR_FAILS}},
    {NFS_PROGRAM, 3, 28, {"NFS3ERR_NOSPC", full, ERROR_NOTED}},
    {NFS_PROGRAM, 3, 69, {"NFS3ERR_DQUOT", full, ERROR_NOTED}},
    {NFS_PROGRAM, 3, 70, {"NFS3ERR_STALE", gone, ERROR_NOTED}},
    {NFS_PROGRAM, 3, 10006, {"NFS3ERR_SERVERFAULT", inner, ERROR_FAILS}},
    {NFS_PROGRAM, 3, 10008, {"NFS3ERR_JUKEBOX", later, ERROR_BUSY}},
    {MOUNT_PROGRAM, 0, 1, {"MNT3ERR_PERM", denied, ERROR_FAILS}},
    {MOUNT_PROGRAM, 0, 2, {"MNT3ERR_NOENT", missing, ERROR_FAILS}},
    {MOUNT_PROGRAM, 0, 5, {"MNT3ERR_IO", storage, ERROR_FAILS}},
    {MOUNT_PROGRAM, 0, 13, {"MNT3ERR_ACCES", denied, ERROR_FAILS}},
    {MOUNT_PROGRAM, 0, 10006, {"MNT3ERR_SERVERFAULT", inner, ERROR_FAILS}},
};

/* By accept_stat. */
static const struct trouble_error of_rpc[] = {
    [RPC_PROG_UNAVAIL] = {"PROG_UNAVAIL", "the server does not offer this program", ERROR_PROBE},
    [RPC_PROG_MISMATCH] = {"PROG_MISMATCH", version, ERROR_PROBE},
    [RPC_PROC_UNAVAIL] = {"PROC_UNAVAIL", "the server does not offer this procedure", ERROR_PROBE},
    [RPC_GARBAGE_ARGS] = {"GARBAGE_ARGS", decode, ERROR_FAILS},
    [RPC_SYSTEM_ERR] = {"SYSTEM_ERR", inner, ERROR_FAILS},
};

/* By auth_stat. RPCSEC_GSS contexts that must be renewed (13 and 14) are not trouble. */
static const struct trouble_error of_credentials[] = {
    [1] = {"AUTH_BADCRED", credentials, ERROR_PROBE}, [2] = {"AUTH_REJECTEDCRED", credentials, ERROR_PROBE},
    [3] = {"AUTH_BADVERF", credentials, ERROR_PROBE}, [4] = {"AUTH_REJECTEDVERF", credentials, ERROR_PROBE},
    [5] = {"AUTH_TOOWEAK", credentials, ERROR_PROBE}, [6] = {"AUTH_INVALIDRESP", credentials, ERROR_PROBE},
    [7] = {"AUTH_FAILED", credentials, ERROR_PROBE},
};

static const struct trouble_error *error_of_rpc(const struct rpc_message *rpc)
{
    const struct trouble_error *error = NULL;

    if (rpc->reply_stat == RPC_MSG_ACCEPTED && rpc->accept_stat < sizeof of_rpc / sizeof *of_rpc)
        error = &of_rpc[rpc->accept_stat];
    else if (rpc->reply_stat == RPC_MSG_DENIED && rpc->reject_stat == RPC_AUTH_ERROR &&
             rpc->auth_stat < sizeof of_credentials / sizeof *of_credentials)
        error = &of_credentials[rpc->auth_stat];
    return error && error->name ? error : NULL;
}

static const struct trouble_error *error_of_result(const struct rpcrdma_request *request, uint32_t status)
{
    for (size_t i = 0; i < sizeof of_results / sizeof *of_results; i++)
        if (of_results[i].status == status && of_results[i].program == request->program &&
            (of_results[i].version == 0 || of_results[i].version == request->version))
            return &of_results[i].error;
    return NULL;
}

/* The failed operation of a COMPOUND, which is the last operation in a Reply. */
static const struct nfs_operation *failed_operation(const struct rpcrdma_body *body)
{
    const struct nfs_operation *last = body->n_operations > 0 ? &body->operations[body->n_operations - 1] : NULL;

    return last && last->has_status && last->status != 0 ? last : NULL;
}

void rpcrdma_trouble_failed(struct trouble_facts *facts, const struct rpcrdma_payload *payload)
{
    const struct rpcrdma_body *body = payload->body;
    const struct rpcrdma_request *request = &payload->transaction->request;
    const struct trouble_error *error = body->known ? error_of_rpc(&body->rpc) : NULL;
    const char *what = body->procedure ? body->procedure->name : "a Call";

    if (!error && body->walked && body->procedure) {
        const struct nfs_operation *operation = failed_operation(body);
        unsigned i = 0;
        const struct nfs_value *status = rpcrdma_value(body, NFS_MARK_STATUS, 0, &i);

        if (operation)
            what = nfs_op_name(operation->op, false);
        if (operation || status)
            error = error_of_result(request, operation ? operation->status : (uint32_t)status->value);
    }
    if (error)
        trouble_failed(facts, error, what ? what : "a Call",
                       (struct trouble_event){payload->place.frame, payload->place.time_ns});
}
