// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions created on this connection (CREATE_SESSION) or bound to it (BIND_CONN_TO_SESSION): channel attributes and
 * the backchannel. RFC 8881 sections 18.34 and 18.36; used for RFC 8267 sections 6.2.2 and 6.5.2, RFC 8167 section 3.2.
 */
#include "engine/core/hash.h"
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

#include <string.h>

enum {
    CONN_BACK_CHAN = 0x2, /* of csa_flags, csr_flags */
    FROM_CLIENT_BACK = 0x2,
    FROM_CLIENT_FORE_OR_BOTH = 0x3,
    FROM_CLIENT_BACK_OR_BOTH = 0x7,
    FROM_SERVER_BACK = 0x2,
    FROM_SERVER_BOTH = 0x3,
};

/* The session id in this operation, or in any operation (op 0); NULL: none. */
static const uint8_t *session_id(const struct rpcrdma_body *body, uint32_t op)
{
    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        if (item->item.mark == NFS_MARK_SESSION && (op == 0 || item->item.op == op))
            return rpcrdma_contents(body, item);
    }
    return NULL;
}

static const struct nfs_session *sessions_find(const struct nfs_connection *nfs, const uint8_t *id)
{
    for (unsigned i = 0; id && i < nfs->sessions.n && i < NFS_SESSIONS_MAX; i++) {
        if (memcmp(nfs->sessions.session[i].id, id, NFS_SESSION_ID_LEN) == 0)
            return &nfs->sessions.session[i];
    }
    return NULL;
}

/* ca_rdma_ird bounds the server's Reads on the fore channel and the client's Reads on the backchannel. */
static void set_depth(struct nfs_look *look)
{
    struct rpcrdma_connection *rpcrdma = look->nfs->rpcrdma;
    unsigned client = look->t->side, server = other_side(client);
    uint32_t fore = 0, back = 0;

    if (look->nfs->sessions.n == 1 && !look->nfs->sessions.foreign) { /* with several, a Read may belong to another */
        nfs_value_of(look->body, NFS_MARK_FORE_IRD, NFS_OP_CREATE_SESSION, &fore);
        nfs_value_of(look->body, NFS_MARK_BACK_IRD, NFS_OP_CREATE_SESSION, &back);
    }
    rpcrdma_connection_depth(rpcrdma, server, fore, look->place.frame);
    rpcrdma_connection_depth(rpcrdma, client, back, look->place.frame);
}

/* The connection is used for a session that was created on another connection. */
static void note_foreign(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;

    nfs->sessions.foreign = true;
    rpcrdma_connection_depth(nfs->rpcrdma, 0, 0, 0);
    rpcrdma_connection_depth(nfs->rpcrdma, 1, 0, 0);
}

void nfs_sessions_call(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    const struct rpcrdma_body *body = look->body;
    const struct nfs_session *session;
    const uint8_t *id;
    uint32_t flags = 0, dir = 0;
    bool create, bind;

    if (!body->procedure->compound)
        return;
    id = session_id(body, body->procedure->callback ? 0 : NFS_OP_SEQUENCE);
    look->exchange->in_session = id != NULL;
    if (id)
        look->exchange->session_hash = hash_octets(0, id, NFS_SESSION_ID_LEN);
    session = sessions_find(nfs, id);
    look->exchange->session_frame = session ? session->frame : 0;
    if (session)
        look->exchange->limits = session->limits;
    else if (id && !look->nfs->sessions.foreign)
        note_foreign(look);
    if (body->procedure->callback)
        return;
    create = nfs_value_of(body, NFS_MARK_SESSION_FLAGS, NFS_OP_CREATE_SESSION, &flags);
    bind = nfs_value_of(body, NFS_MARK_BIND_DIR, NFS_OP_BIND_CONN_TO_SESSION, &dir);
    nfs->sessions.asked |= create || bind;
    look->exchange->asks_session = create || bind;
    if (look->t->repeats || look->exchange->asks_back)
        return;
    look->exchange->asks_back =
        (create && (flags & CONN_BACK_CHAN)) ||
        (bind && (dir == FROM_CLIENT_BACK || dir == FROM_CLIENT_FORE_OR_BOTH || dir == FROM_CLIENT_BACK_OR_BOTH));
    nfs->sessions.back_asked += look->exchange->asks_back;
    INVARIANT(!look->exchange->asks_back || nfs->sessions.back_asked > 0);
}

void nfs_sessions_settled(struct nfs_connection *nfs, struct nfs_exchange *exchange)
{
    nfs->sessions.back_asked -= exchange->asks_back;
    exchange->asks_back = false;
}

static void created(struct nfs_look *look, uint32_t flags)
{
    struct nfs_connection *nfs = look->nfs;
    const uint8_t *id = session_id(look->body, NFS_OP_CREATE_SESSION);
    struct nfs_session *session = &nfs->sessions.session[nfs->sessions.n % NFS_SESSIONS_MAX];
    struct nfs_limits *limits = &session->limits;

    if (!id) {
        nfs->blind = true;
        return;
    }
    memcpy(session->id, id, NFS_SESSION_ID_LEN);
    session->frame = look->t->call.frame;
    *limits = (struct nfs_limits){0};
    nfs_value_of(look->body, NFS_MARK_FORE_MAXRESPONSE, NFS_OP_CREATE_SESSION, &limits->fore_maxresponse);
    nfs_value_of(look->body, NFS_MARK_BACK_MAXRESPONSE, NFS_OP_CREATE_SESSION, &limits->back_maxresponse);
    if (!nfs_value_of(&look->t->open->call_body, NFS_MARK_BACK_MAXREQUEST, NFS_OP_CREATE_SESSION,
                      &limits->back_maxrequest))
        limits->back_maxrequest = 0;
    nfs->sessions.n++;
    set_depth(look);
    nfs->backchannel.agreed |= (flags & CONN_BACK_CHAN) != 0;
    INVARIANT(sessions_find(nfs, id) && nfs->sessions.n > 0);
}

void nfs_sessions_reply(struct nfs_look *look)
{
    uint32_t flags, dir;

    look->exchange->asks_session = false;
    if (!look->body->procedure->compound)
        return;
    if (nfs_value_of(look->body, NFS_MARK_SESSION_FLAGS, NFS_OP_CREATE_SESSION, &flags))
        created(look, flags);
    if (nfs_value_of(look->body, NFS_MARK_BIND_DIR, NFS_OP_BIND_CONN_TO_SESSION, &dir))
        look->nfs->backchannel.agreed |= dir == FROM_SERVER_BACK || dir == FROM_SERVER_BOTH;
}
