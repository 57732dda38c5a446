// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Errors of RPC, NFS and MOUNT that mean trouble with the server, its storage or its state, for "What happened". Other
 * errors, such as NFS4ERR_NOENT, are ordinary answers. Values of RPC: RFC 5531 section 9.
 */
#include "conformance/guests/rpcrdma/rpcrdma_outcome.h"
#include "conformance/guests/rpcrdma/rpcrdma_statuses.h"
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "engine/rpcrdma/rpcrdma.h"

static const char inner[] = "the server had an internal error: look at the server's log",
                  version[] = "the server does not support this version: look at the versions that both sides enable "
                              "(mount option vers=)",
                  credentials[] = "the server wants other credentials: compare the mount option sec= with the export, "
                                  "and look at Kerberos on both sides",
                  decode[] = "the server could not decode the Call: octets were damaged, or one side is wrong: look at "
                             "the Call in Wireshark";

/* By accept_stat. */
static const struct trouble_error of_rpc[] = {
    [RPC_PROG_UNAVAIL] = {"PROG_UNAVAIL", "the server does not offer this program", ERROR_PROBE, NULL},
    [RPC_PROG_MISMATCH] = {"PROG_MISMATCH", version, ERROR_PROBE, NULL},
    [RPC_PROC_UNAVAIL] = {"PROC_UNAVAIL", "the server does not offer this procedure", ERROR_PROBE, NULL},
    [RPC_GARBAGE_ARGS] = {"GARBAGE_ARGS", decode, ERROR_FAILS, NULL},
    [RPC_SYSTEM_ERR] = {"SYSTEM_ERR", inner, ERROR_FAILS, NULL},
};

/* By auth_stat. RPCSEC_GSS contexts that must be renewed (13 and 14) are not trouble. */
static const struct trouble_error of_credentials[] = {
    [1] = {"AUTH_BADCRED", credentials, ERROR_PROBE, NULL}, [2] = {"AUTH_REJECTEDCRED", credentials, ERROR_PROBE, NULL},
    [3] = {"AUTH_BADVERF", credentials, ERROR_PROBE, NULL}, [4] = {"AUTH_REJECTEDVERF", credentials, ERROR_PROBE, NULL},
    [5] = {"AUTH_TOOWEAK", credentials, ERROR_PROBE, NULL}, [6] = {"AUTH_INVALIDRESP", credentials, ERROR_PROBE, NULL},
    [7] = {"AUTH_FAILED", credentials, ERROR_PROBE, NULL},
};

const struct trouble_error *rpcrdma_rpc_error(uint32_t status)
{
    const struct trouble_error *error = NULL;

    if (status < sizeof of_rpc / sizeof *of_rpc)
        error = &of_rpc[status];
    else if (status >= RPCRDMA_STATUS_DENIED &&
             status - RPCRDMA_STATUS_DENIED < sizeof of_credentials / sizeof *of_credentials)
        error = &of_credentials[status - RPCRDMA_STATUS_DENIED];
    return error && error->name ? error : NULL;
}

static const struct trouble_error *error_of_rpc(const struct rpc_message *rpc)
{
    if (rpc->reply_stat == RPC_MSG_ACCEPTED)
        return rpcrdma_rpc_error(rpc->accept_stat);
    return rpc->reply_stat == RPC_MSG_DENIED && rpc->reject_stat == RPC_AUTH_ERROR && rpc->auth_stat < 256
               ? rpcrdma_rpc_error(RPCRDMA_STATUS_DENIED + rpc->auth_stat)
               : NULL;
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
    const struct nfs_operation *operation = NULL;
    const char *what = body->procedure ? body->procedure->name : NULL;
    uint32_t number = 0;

    if (!error && body->walked && body->procedure) {
        unsigned i = 0;
        const struct nfs_value *status = rpcrdma_value(body, NFS_MARK_STATUS, 0, &i);

        operation = failed_operation(body);
        number = operation ? operation->status : status ? (uint32_t)status->value : 0;
        if (operation)
            what = nfs_op_name(operation->op, false);
        if (number != 0)
            error = rpcrdma_status(request->program, request->version, number);
    }
    what = what ? what : "a Call";
    if (error && error->how != ERROR_ANSWER &&
        (error->how != ERROR_BUSY || !rpcrdma_status_is_normal(request->program, request->version,
                                                               operation ? operation->op : request->procedure, number)))
        trouble_failed(facts, error, what, (struct trouble_event){payload->place.frame, payload->place.time_ns});
    rpcrdma_outcome_reply(facts, payload, error, operation, what);
    rpcrdma_mount_reply(facts, payload, error, operation, what);
}
