// SPDX-License-Identifier: GPL-2.0-or-later
/* The subject of a finding, by which readers sort findings: the operation, and the kind of message. */
#include "engine/nfs/binding/binding.h"
#include "engine/rpcrdma/rpcrdma_internal.h"

static const char *subject_name_of(const struct nfs_procedure *procedure)
{
    return procedure ? procedure->name : NULL;
}

const char *rpcrdma_operation_of(const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_body *body = t->open ? &t->open->call_body : NULL;
    const char *name = NULL;

    if (!t->request.known)
        return NULL;
    if (!body || !body->known)
        return subject_name_of(nfs_procedure_find(t->request.program, t->request.version, t->request.procedure));
    if (body->procedure && body->procedure->compound && body->walked)
        name = nfs_main_operation(body->operations, body->n_operations, t->reverse);
    return name ? name : subject_name_of(body->procedure);
}

/* A Call may not have a transaction yet. */
static const char *operation_of_message(const struct rpcrdma_message *m)
{
    const char *name = m->transaction ? rpcrdma_operation_of(m->transaction) : NULL;

    if (!name && m->has_rpc && m->rpc.status == RPC_OK && m->rpc.type == RPC_CALL)
        name = subject_name_of(nfs_procedure_find(m->rpc.prog, m->rpc.vers, m->rpc.proc));
    return name;
}

struct finding_subject rpcrdma_subject(const struct rpcrdma_connection *rpcrdma, const struct place *place)
{
    static const char *const kinds[] = {
        [RPCRDMA_KIND_CALL] = "Call", [RPCRDMA_KIND_REPLY] = "Reply", [RPCRDMA_KIND_ERROR] = "Error"};
    const struct rpcrdma_message *m = rpcrdma->subject.judged;

    if (rpcrdma->subject.silent)
        return (struct finding_subject){rpcrdma_operation_of(rpcrdma->subject.silent), "none"};
    if (m && m->place.frame == place->frame && m->place.offset == place->offset && m->side == place->side)
        return (struct finding_subject){operation_of_message(m), kinds[m->kind]};
    return (struct finding_subject){NULL, NULL};
}
