// SPDX-License-Identifier: GPL-2.0-or-later
/* SEQUENCE: slots, and the Replies kept in them for retries (RFC 8881 sections 2.10.6 and 18.46). */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

#include "wire/crc32c.h"

enum {
    STATUS_CB_PATH_DOWN = 0x1,
    STATUS_RECALLABLE_REVOKED = 0x40,
    STATUS_CB_PATH_DOWN_SESSION = 0x200,
    STATUS_BACKCHANNEL_FAULT = 0x400,
};

/* Sessions of the client had backchannels, and all have lost them. */
static bool lost_backchannels(const struct nfs4_client *client)
{
    bool had = false;

    for (GList *at = client->sessions.head; at; at = at->next) {
        const struct nfs4_session *session = at->data;

        if (session->back_peer)
            return false;
        had = had || session->had_back;
    }
    return had;
}

/* Section 18.46.3: what the client should know about its lease and its backchannels. */
static uint32_t status_flags(const struct nfs4_session *session)
{
    uint32_t flags = 0;

    if (lost_backchannels(session->client))
        flags |= STATUS_CB_PATH_DOWN;
    if (session->had_back && !session->back_peer)
        flags |= STATUS_CB_PATH_DOWN_SESSION;
    if (session->back_fault)
        flags |= STATUS_BACKCHANNEL_FAULT;
    if (session->client->revoked > 0)
        flags |= STATUS_RECALLABLE_REVOKED;
    return flags;
}

static void put_result(struct nfs4_call *call, const struct nfs4_session *session, const struct nfs4_slot *slot)
{
    const uint32_t highest =
        session->fore.max_requests - 1; /* slot in use or allowed, and the server's preferred limit */

    xdr_out_fixed(call->out, session->id, NFS4_SESSION_OCTETS);
    xdr_out_words(call->out, slot->sequence, (uint32_t)(slot - session->slots), highest, highest,
                  status_flags(session));
}

/* Repeats the Reply of this slot. The results begin with the COMPOUND's status. */
static int sequence_replay(struct nfs4_call *call, const struct nfs4_session *session, const struct nfs4_slot *slot,
                           uint32_t crc)
{
    size_t start = call->rpc_start;

    if (!slot->used)
        return NFS4ERR_SEQ_MISORDERED;
    if (slot->crc != crc)
        return NFS4ERR_SEQ_FALSE_RETRY;
    if (!slot->reply) {
        /* Section 2.10.6.1.3: SEQUENCE is answered, but the following operation cannot be. */
        call->uncached = true;
        put_result(call, session, slot);
        return NFS4_OK;
    }
    xdr_out_cut(call->out, start);
    xdr_out_fixed(call->out, slot->reply->p, slot->reply->n);
    for (unsigned i = 0; i < slot->reply->n_items; i++) {
        call->out->items[i] = slot->reply->items[i];
        call->out->items[i].at += start;
    }
    call->out->n_items = slot->reply->n_items;
    call->replayed = true;
    return (int)slot->status;
}

bool nfs4_is_delayed(const struct nfs4_call *call, struct nfs4_session *session)
{
    const unsigned each = call->rpc->server->options.delays;

    return each > 0 && session && ++session->delayable % each == 0;
}

int nfs4_sequence(struct nfs4_call *call)
{
    struct nfs4_session *session = nfs4_session_find(call->v4, nfs_get_fixed(call->in, NFS4_SESSION_OCTETS));
    const uint32_t sequence = nfs_get_u32(call->in), slot_id = nfs_get_u32(call->in), highest = nfs_get_u32(call->in);
    const bool cache = nfs_get_u32(call->in);
    struct nfs4_slot *slot;
    uint32_t crc;

    if (!session)
        return NFS4ERR_BADSESSION;
    if (slot_id >= session->fore.max_requests)
        return NFS4ERR_BADSLOT;
    if (highest >= session->fore.max_requests)
        return NFS4ERR_BAD_HIGH_SLOT;
    if (call->in->n > session->fore.max_request)
        return NFS4ERR_REQ_TOO_BIG;
    if (call->n_ops > session->fore.max_ops)
        return NFS4ERR_TOO_MANY_OPS;
    nfs4_client_renew(session->client);
    slot = &session->slots[slot_id];
    crc = crc32c(call->in->p + call->rpc->header->header_len, call->in->n - call->rpc->header->header_len);
    if (sequence == slot->sequence && !call->rpc->server->options.executes_again)
        return sequence_replay(call, session, slot, crc);
    if (sequence != slot->sequence + 1 && sequence != slot->sequence)
        return NFS4ERR_SEQ_MISORDERED;
    if (nfs4_is_delayed(call, session))
        return NFS4ERR_DELAY;
    slot->sequence = sequence;
    slot->used = true;
    slot->crc = crc;
    call->session = session;
    call->slot = slot;
    call->client = session->client;
    call->cache_this = cache;
    call->limit = MIN(call->limit, session->fore.max_response);
    session->in_use = true;
    /* Callbacks that wait may now be sent. */
    if (session->back_peer && (!session->probed || call->v4->recalls->len > 0))
        call->v4->callbacks_due = true;
    put_result(call, session, slot);
    return NFS4_OK;
}

void nfs4_slot_keep(struct nfs4_call *call, size_t start)
{
    const uint8_t *p = call->out->octets->data + start;
    struct nfs4_slot *slot = call->slot;
    size_t n = xdr_out_at(call->out) - start;

    nfs4_slot_clear(slot);
    slot->status = get_be32(p);
    /* A Reply to SEQUENCE alone is always kept; others if the client asks for it. */
    if (n > call->session->fore.max_cached || (!call->cache_this && call->n_ops > 1))
        return;
    slot->reply = g_new0(struct rpc_end_message, 1);
    slot->reply->p = g_memdup2(p, n);
    slot->reply->n = n;
    slot->reply->n_items = call->out->n_items;
    for (unsigned i = 0; i < call->out->n_items; i++) {
        slot->reply->items[i] = call->out->items[i];
        slot->reply->items[i].at -= start;
    }
}
