// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps of a mount, in Calls and Replies of NFS and MOUNT. */
#include "conformance/guests/rpcrdma/rpcrdma_outcome.h"
#include "conformance/guests/rpcrdma/rpcrdma_statuses.h"
#include "conformance/trouble/facts_mount.h"
#include "engine/core/hash.h"

#include <glib.h>
#include <string.h>

enum { COMPLETE_ALREADY = 10054, MNT = 1, GETATTR3 = 1, FSSTAT3 = 18, FSINFO3 = 19, PATHCONF3 = 20 };

/* Operations of mounts; all others show that the mount is in use. */
static const struct {
    uint32_t op;
    enum trouble_mount_step step;
} steps[] = {{NFS_OP_SEQUENCE, MOUNT_NEUTRAL},
             {NFS_OP_PUTFH, MOUNT_NEUTRAL},
             {NFS_OP_PUTPUBFH, MOUNT_NEUTRAL},
             {NFS_OP_GETATTR, MOUNT_NEUTRAL},
             {NFS_OP_GETFH, MOUNT_NEUTRAL},
             {NFS_OP_SAVEFH, MOUNT_NEUTRAL},
             {NFS_OP_RESTOREFH, MOUNT_NEUTRAL},
             {NFS_OP_RENEW, MOUNT_NEUTRAL},
             {NFS_OP_BIND_CONN_TO_SESSION, MOUNT_NEUTRAL},
             {NFS_OP_DESTROY_SESSION, MOUNT_NEUTRAL},
             {57 /* DESTROY_CLIENTID */, MOUNT_NEUTRAL},
             {45 /* FREE_STATEID */, MOUNT_NEUTRAL},
             {55 /* TEST_STATEID */, MOUNT_NEUTRAL},
             {NFS_OP_EXCHANGE_ID, MOUNT_CLIENT},
             {NFS_OP_SETCLIENTID, MOUNT_CLIENT},
             {NFS_OP_CREATE_SESSION, MOUNT_SESSION},
             {36 /* SETCLIENTID_CONFIRM */, MOUNT_SESSION},
             {58 /* RECLAIM_COMPLETE */, MOUNT_RECLAIM},
             {NFS_OP_PUTROOTFH, MOUNT_ROOT},
             {33 /* SECINFO */, MOUNT_ROOT},
             {52 /* SECINFO_NO_NAME */, MOUNT_ROOT},
             {NFS_OP_LOOKUP, MOUNT_PATH}};

static enum trouble_mount_step step_of_operation(uint32_t op)
{
    for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
        if (steps[i].op == op)
            return steps[i].step;
    return MOUNT_WORK;
}

/* The last step among the operations of the Call. */
static enum trouble_mount_step step_of_compound(const struct rpcrdma_body *call)
{
    enum trouble_mount_step last = MOUNT_NEUTRAL;

    for (unsigned i = 0; i < call->n_operations; i++) {
        const enum trouble_mount_step step = step_of_operation(call->operations[i].op);

        if (step != MOUNT_NEUTRAL && (last == MOUNT_NEUTRAL || step > last))
            last = step;
    }
    return last;
}

/* A mount of version 3 begins with MNT or FSINFO: GETATTR alone may concern a mount from before the capture. */
static enum trouble_mount_step step_of_call(const struct trouble_facts *facts, const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_request *request = &t->request;

    if (request->program == NFS_PROGRAM_MOUNT)
        return request->procedure == MNT ? MOUNT_EXPORT : MOUNT_NEUTRAL;
    if (request->program != NFS_PROGRAM || request->procedure == 0)
        return MOUNT_NEUTRAL;
    if (request->version == 4)
        return t->open->call_body.walked ? step_of_compound(&t->open->call_body) : MOUNT_NEUTRAL;
    if (request->version != 3 || request->procedure == FSSTAT3 || request->procedure == PATHCONF3)
        return request->version == 3 ? MOUNT_NEUTRAL : MOUNT_WORK;
    if (request->procedure == GETATTR3)
        return facts->mount ? MOUNT_ROOT : MOUNT_NEUTRAL;
    return request->procedure == FSINFO3 ? MOUNT_ROOT : MOUNT_WORK;
}

/* The hash of the first file handle in the payload; 0: none. */
static uint64_t mount_handle_of(const struct rpcrdma_body *body)
{
    for (unsigned i = 0; i < body->n_items; i++) {
        const uint8_t *handle =
            body->items[i].item.mark == NFS_MARK_HANDLE ? rpcrdma_contents(body, &body->items[i]) : NULL;

        if (handle)
            return hash_octets(0, handle, body->items[i].item.count) | 1;
    }
    return 0;
}

void rpcrdma_mount_call(struct trouble_facts *facts, const struct rpcrdma_payload *payload)
{
    const struct rpcrdma_body *body = payload->body;
    const bool export = payload->transaction->request.program == NFS_PROGRAM_MOUNT;
    char names[MOUNT_PATH_SIZE] = "";
    size_t at = 0;

    if (!body->walked)
        return;
    if (facts->mount && body->n_operations > 0 && body->operations[0].op == NFS_OP_SEQUENCE)
        trouble_mount_used(facts);
    if (!export && (!trouble_mount_wants(facts) || step_of_call(facts, payload->transaction) != MOUNT_PATH))
        return;
    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];
        const uint8_t *name = item->item.mark == NFS_MARK_NAME ? rpcrdma_contents(body, item) : NULL;
        size_t n = name ? MIN(item->item.count, sizeof names - 2 - at) : 0;

        if (!name || at >= sizeof names - 2 || (!export && item->item.op != NFS_OP_LOOKUP))
            continue;
        if (!export)
            names[at++] = '/';
        memcpy(names + at, name, MIN(n, sizeof names - 1 - at));
        at += MIN(n, sizeof names - 1 - at);
    }
    if (at > 0)
        trouble_mount_asked(facts, payload->transaction->number, export ? 0 : mount_handle_of(body), names);
}

void rpcrdma_mount_reply(struct trouble_facts *facts, const struct rpcrdma_payload *payload,
                         const struct trouble_error *error, const struct nfs_operation *operation, const char *what)
{
    const struct rpcrdma_body *body = payload->body;
    struct trouble_mount_try try = {.step = step_of_call(facts, payload->transaction),
                                    .number = payload->transaction->number,
                                    .error = error,
                                    .what = what,
                                    .event = {payload->place.frame, payload->place.time_ns}};
    unsigned i = 0;
    const struct nfs_value *status = rpcrdma_value(body, NFS_MARK_STATUS, 0, &i);

    if (payload->transaction->repeats || (operation && operation->op == NFS_OP_SEQUENCE) ||
        (!error && (!body->walked || !status || status->value != 0)))
        return;
    if (operation && operation->status == COMPLETE_ALREADY)
        try.error = NULL;
    for (i = 0; i < body->n_operations; i++)
        try.names += body->operations[i].op == NFS_OP_LOOKUP && body->operations[i].status == 0;
    for (i = 0; i < body->n_operations; i++)
        try.session |= body->operations[i].op == NFS_OP_CREATE_SESSION;
    if (!error && body->walked)
        try.handle = mount_handle_of(body);
    trouble_mount_tried(facts, &try);
}
