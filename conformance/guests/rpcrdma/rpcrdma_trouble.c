// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls for "What happened", by the names that people know them by: "OPEN", not "COMPOUND". */
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "conformance/trouble/facts.h"
#include "engine/nfs/rpcrdma_ulp.h"

/* What most COMPOUNDs have besides the operation that they are there for: the higher, the more it is that one. */
static unsigned weight_of(uint32_t op, bool callback)
{
    if (callback)
        return op == NFS_OP_CB_SEQUENCE ? 0 : 3;
    switch (op) {
    case NFS_OP_SEQUENCE:
    case NFS_OP_PUTFH:
    case NFS_OP_PUTROOTFH:
    case NFS_OP_PUTPUBFH:
        return 0;
    case NFS_OP_GETATTR:
    case NFS_OP_GETFH:
    case NFS_OP_SAVEFH:
    case NFS_OP_RESTOREFH:
    case NFS_OP_ACCESS:
        return 1;
    case NFS_OP_LOOKUP:
        return 2;
    default:
        return 3;
    }
}

static const char *operation_of(const struct rpcrdma_transaction *t, const struct rpcrdma_body *body)
{
    const char *name = NULL;
    unsigned most = 0;

    for (unsigned i = 0; i < body->n_operations; i++) {
        unsigned weight = weight_of(body->operations[i].op, t->reverse);

        if (name && weight <= most)
            continue;
        name = nfs_op_name(body->operations[i].op, t->reverse);
        most = weight;
        if (name && weight == 3)
            break;
    }
    return name;
}

static const char *name_of(const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_body *body = &t->open->call_body;
    const struct nfs_procedure *procedure;
    const char *name = NULL;

    if (!t->request.known)
        return "a Call";
    procedure = nfs_procedure_find(t->request.program, t->request.version, t->request.procedure);
    if (procedure && procedure->compound && body->known && body->walked)
        name = operation_of(t, body);
    if (!name && procedure)
        name = procedure->name;
    return name ? name : "a Call";
}

static struct trouble_call call_of(const struct rpcrdma_transaction *t)
{
    return (struct trouble_call){.what = name_of(t),
                                 .xid = t->xid,
                                 .side = t->side,
                                 .reverse = t->reverse,
                                 .unsure = t->damaged || t->ambiguous,
                                 .call = {t->call.frame, t->call.time_ns},
                                 .offset = t->call.offset};
}

bool rpcrdma_ends(const struct rpcrdma_message *m)
{
    return m->transaction && m->transaction->outcome == RPCRDMA_OUTSTANDING && !m->discarded &&
           m->header.status == RPCRDMA_OK && !(m->kind == RPCRDMA_KIND_REPLY && m->header.read.n > 0);
}

void rpcrdma_trouble_message(struct trouble_facts *facts, const struct rpcrdma_message *m)
{
    struct trouble_call call;

    if (m->kind == RPCRDMA_KIND_CALL && m->transaction) {
        facts->calls += !m->transaction->repeats;
        facts->answers += !m->transaction->repeats && m->transaction->late;
    } else if ((m->kind == RPCRDMA_KIND_REPLY || m->kind == RPCRDMA_KIND_ERROR) && m->transaction &&
               m->transaction->outcome == RPCRDMA_OUTSTANDING) {
        if (!rpcrdma_ends(m)) {
            trouble_odd(facts, m->transaction->xid);
            return;
        }
        call = call_of(m->transaction);
        call.answer = (struct trouble_event){m->place.frame, m->place.time_ns};
        call.offset = m->place.offset;
        trouble_answered(facts, &call);
    }
}

void rpcrdma_trouble_end(void *guest, struct trouble_facts *facts)
{
    struct rpcrdma_connection *rpcrdma = rpcrdma_ulp_connection(guest);
    int client;

    if (!rpcrdma || !rpcrdma_connection_is_rpcrdma(rpcrdma))
        return;
    client = rpcrdma_connection_client(rpcrdma);
    if (client >= 0)
        facts->opener = (uint8_t)client;
    for (unsigned side = 0; side < 2; side++) {
        struct rpcrdma_transaction *t = NULL;

        while ((t = rpcrdma_next_outstanding(rpcrdma, side, t))) {
            const struct trouble_call call = call_of(t);

            if (!t->settled && !t->late && !t->repeats)
                trouble_unanswered(facts, &call);
        }
    }
}
