// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sessions of minor versions 1 and 2: created, bound to connections, destroyed (RFC 8881 sections 2.10, 18.36, 18.37
 * and 18.34).
 */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum {
    FLAG_PERSIST = 1,
    FLAG_BACK_CHANNEL = 2,
    FLAG_RDMA = 4,
    /* COMPOUNDs shorter than this cannot do anything useful. */
    MESSAGE_MIN = 256,
    /* Room for everything in a COMPOUND except its data. */
    OVERHEAD = 16384,
    /* CB_COMPOUND with CB_SEQUENCE and CB_RECALL, RPC header included, without the body of the credential. */
    CALLBACK_MIN = 192,
    CALLBACK_REPLY_MIN = 128,
    CALLBACK_OPS = 2,
    BIND_FORE = 1,
    BIND_BACK = 2,
    BIND_BOTH = 3,
    BIND_FORE_OR_BOTH = 3,
    BIND_BACK_OR_BOTH = 7,
};

struct nfs4_session *nfs4_session_find(struct nfs4 *v4, const uint8_t *id)
{
    return g_hash_table_lookup(v4->sessions, id);
}

void nfs4_slot_clear(struct nfs4_slot *slot)
{
    if (slot->reply)
        g_free(slot->reply->p);
    g_clear_pointer(&slot->reply, g_free);
}

void nfs4_session_free(struct nfs4_session *session)
{
    for (unsigned i = 0; i < session->fore.max_requests; i++)
        nfs4_slot_clear(&session->slots[i]);
    session->client->v4->n_slots -= session->fore.max_requests;
    g_free(session->slots);
    g_queue_unlink(&session->client->sessions, &session->in_client);
    g_hash_table_remove(session->client->v4->sessions, session->id);
    if (session->credential)
        g_byte_array_unref(session->credential);
    g_free(session);
}

void nfs4_peer_gone(struct nfs_peer *peer)
{
    struct nfs4 *v4 = peer->server->v4;
    GHashTableIter iter;
    gpointer p;

    g_hash_table_iter_init(&iter, v4->sessions);
    while (g_hash_table_iter_next(&iter, NULL, &p)) {
        struct nfs4_session *session = p;

        if (session->back_peer != peer)
            continue;
        session->back_peer = NULL;
        session->back_good = session->probed = session->back_busy = false;
    }
    g_hash_table_iter_init(&iter, v4->callbacks);
    while (g_hash_table_iter_next(&iter, NULL, &p)) {
        const struct nfs4_callback *callback = p;
        struct nfs4_state *state = nfs4_state_find(v4, callback->state);

        if (callback->peer != peer)
            continue;
        if (state)
            state->asked = false;
        g_hash_table_iter_remove(&iter);
    }
}

/* ---- arguments ---- */

struct wishes {
    uint64_t client;
    uint32_t sequence, flags, program;
    struct nfs4_channel fore, back;
    bool has_security;
    uint32_t flavor;
    struct nfs_opaque credential;
};

/* The stream fails if there is more than one ca_rdma_ird. */
static struct nfs4_channel get_channel(struct xdr *in)
{
    struct nfs4_channel channel;
    uint32_t irds;

    xdr_skip(in, 4); /* padding of headers */
    channel.max_request = nfs_get_u32(in);
    channel.max_response = nfs_get_u32(in);
    channel.max_cached = nfs_get_u32(in);
    channel.max_ops = nfs_get_u32(in);
    channel.max_requests = nfs_get_u32(in);
    irds = nfs_get_u32(in);
    xdr_skip(in, irds * UINT64_C(4));
    in->failed |= irds > 1;
    return channel;
}

/* authsys_parms, whose octets are the credential's body. */
static struct nfs_opaque get_auth_sys(struct xdr *in)
{
    const size_t start = in->at;

    xdr_skip(in, 4); /* stamp, machine, uid and gid, groups */
    nfs_get_opaque(in);
    xdr_skip(in, 8);
    xdr_skip(in, nfs_get_u32(in) * UINT64_C(4));
    return (struct nfs_opaque){in->p + start, (uint32_t)(in->at - start)};
}

/* Rows of callback_sec_parms4: the first usable row counts; RPCSEC_GSS is not usable. */
static void get_security(struct xdr *in, struct wishes *out)
{
    for (uint32_t left = nfs_get_u32(in); left > 0 && !in->failed; left--) {
        const uint32_t flavor = nfs_get_u32(in);
        const struct nfs_opaque credential = flavor == RPC_AUTH_SYS ? get_auth_sys(in) : (struct nfs_opaque){0};

        if (flavor == RPC_AUTH_GSS) {
            xdr_skip(in, 4); /* service; handles of both */
            nfs_get_opaque(in);
            nfs_get_opaque(in);
        } else if (!out->has_security) {
            out->has_security = true;
            out->flavor = flavor;
            out->credential = credential;
        }
    }
}

static struct wishes get_wishes(struct xdr *in)
{
    struct wishes wishes = {.client = nfs_get_u64(in)};

    wishes.sequence = nfs_get_u32(in);
    wishes.flags = nfs_get_u32(in);
    wishes.fore = get_channel(in);
    wishes.back = get_channel(in);
    wishes.program = nfs_get_u32(in);
    get_security(in, &wishes);
    return wishes;
}

/* ---- CREATE_SESSION ---- */

static void put_channel(struct xdr_out *out, const struct nfs4_channel *channel)
{
    /* The server supports neither padding in headers nor RDMA mode. */
    xdr_out_words(out, 0, channel->max_request, channel->max_response, channel->max_cached, channel->max_ops,
                  channel->max_requests, 0);
}

/* Section 18.36.3: never more than requested; for callbacks, never less than offered. */
static int session_negotiate(const struct nfs4_call *call, const struct wishes *wishes, struct nfs4_channel *fore,
                             struct nfs4_channel *back)
{
    uint32_t largest = call->rpc->server->options.io_max + OVERHEAD;
    unsigned free_slots = NFS4_ALL_SLOTS_MAX - call->v4->n_slots;

    *fore = wishes->fore;
    fore->max_request = MIN(fore->max_request, largest);
    fore->max_response = MIN(fore->max_response, largest);
    fore->max_cached = MIN(MIN(fore->max_cached, fore->max_response), NFS4_CACHED_MAX);
    fore->max_ops = MIN(fore->max_ops, NFS4_OPS_MAX);
    /* The more slots are in use, the fewer slots a new session gets, so that some remain for others. */
    fore->max_requests = MIN(MIN(fore->max_requests, NFS4_SLOTS_MAX), (free_slots + 255) / 256);
    *back = wishes->back;
    back->max_requests = MIN(back->max_requests, 1);
    if (fore->max_request < MESSAGE_MIN || fore->max_response < MESSAGE_MIN)
        return NFS4ERR_TOOSMALL;
    if (fore->max_ops < 2 || wishes->fore.max_requests == 0)
        return NFS4ERR_INVAL;
    if (fore->max_requests == 0)
        return NFS4ERR_NOSPC;
    if (!(wishes->flags & FLAG_BACK_CHANNEL))
        return NFS4_OK;
    return back->max_request < CALLBACK_MIN + xdr_padded(wishes->credential.n) ||
                   back->max_response < CALLBACK_REPLY_MIN || back->max_ops < CALLBACK_OPS || back->max_requests == 0
               ? NFS4ERR_TOOSMALL
               : NFS4_OK;
}

static void set_security(struct nfs4_session *session, const struct wishes *wishes)
{
    session->program = wishes->program;
    session->flavor = wishes->has_security ? wishes->flavor : RPC_AUTH_NONE;
    if (session->credential)
        g_byte_array_unref(session->credential);
    session->credential = g_byte_array_new();
    if (wishes->credential.n > 0)
        g_byte_array_append(session->credential, wishes->credential.p, wishes->credential.n);
}

static void set_back(struct nfs4_session *session, struct nfs_peer *peer)
{
    session->back_peer = peer;
    session->had_back = true;
    session->probed = session->back_good = session->back_busy = false;
}

static struct nfs4_session *session_make(struct nfs4_call *call, struct nfs4_client *client,
                                         const struct wishes *wishes, const struct nfs4_channel *fore,
                                         const struct nfs4_channel *back)
{
    struct nfs4_session *session = g_new0(struct nfs4_session, 1);

    put_be64(session->id, random_next(&call->rpc->server->random));
    put_be64(session->id + 8, ++call->v4->last_session);
    session->client = client;
    session->minor = call->minor;
    session->fore = *fore;
    session->slots = g_new0(struct nfs4_slot, fore->max_requests);
    call->v4->n_slots += fore->max_requests;
    session->back = *back;
    session->back_sequence = 1;
    set_security(session, wishes);
    /* Callbacks need a credential that both sides can use. */
    if (wishes->flags & FLAG_BACK_CHANNEL && wishes->has_security && call->rpc->peer->events.call)
        set_back(session, call->rpc->peer);
    session->in_client.data = session;
    g_queue_push_tail_link(&client->sessions, &session->in_client);
    g_hash_table_insert(call->v4->sessions, session->id, session);
    return session;
}

static int session_create(struct nfs4_call *call, struct nfs4_client *client, const struct wishes *wishes)
{
    struct nfs4_channel fore, back;
    struct nfs4_session *session;
    int status = session_negotiate(call, wishes, &fore, &back);

    if (status == NFS4_OK && wishes->flags & ~(uint32_t)(FLAG_PERSIST | FLAG_BACK_CHANNEL | FLAG_RDMA))
        status = NFS4ERR_INVAL;
    if (status != NFS4_OK)
        return status;
    nfs4_client_confirm(call, client);
    session = session_make(call, client, wishes, &fore, &back);
    xdr_out_fixed(call->out, session->id, NFS4_SESSION_OCTETS);
    xdr_out_words(call->out, wishes->sequence, session->back_peer ? FLAG_BACK_CHANNEL : 0);
    put_channel(call->out, &fore);
    put_channel(call->out, &back);
    return NFS4_OK;
}

/* Section 18.36.4: the client's own slot of one Reply. */
static int session_replay(struct nfs4_call *call, const struct nfs4_client *client)
{
    size_t result = xdr_out_at(call->out) - 4;

    if (!client->created)
        return NFS4ERR_SEQ_MISORDERED;
    xdr_out_cut(call->out, result);
    xdr_out_fixed(call->out, client->created->data, client->created->len);
    return NFS4_REPLAYED;
}

int nfs4_create_session(struct nfs4_call *call)
{
    size_t result = xdr_out_at(call->out) - 4;
    const struct wishes wishes = get_wishes(call->in);
    struct nfs4_client *client = nfs4_client_find(call->v4, wishes.client);
    int status;

    if (call->in->failed)
        return NFS4ERR_BADXDR;
    if (!client || !client->sessions_used)
        return NFS4ERR_STALE_CLIENTID;
    if (wishes.sequence == client->sequence - 1)
        return session_replay(call, client);
    if (wishes.sequence != client->sequence)
        return NFS4ERR_SEQ_MISORDERED;
    if (!client->confirmed && client->uid != call->rpc->credentials.uid)
        return NFS4ERR_CLID_INUSE;
    if (client->sessions.length >= NFS4_SESSIONS_MAX)
        return NFS4ERR_DELAY;
    status = session_create(call, client, &wishes);
    nfs4_client_renew(client);
    client->sequence++;
    if (client->created)
        g_byte_array_unref(client->created);
    client->created = g_byte_array_new();
    xdr_out_set_u32(call->out, result, (uint32_t)status);
    g_byte_array_append(client->created, call->out->octets->data + result, (guint)(xdr_out_at(call->out) - result));
    return status;
}

int nfs4_destroy_session(struct nfs4_call *call)
{
    struct nfs4_session *session = nfs4_session_find(call->v4, nfs_get_fixed(call->in, NFS4_SESSION_OCTETS));

    if (!session)
        return NFS4ERR_BADSESSION;
    if (session == call->session) {
        /* Section 18.37.3: it must then be the last operation, and there is no slot to keep its Reply. */
        if (call->index + 1 != call->n_ops)
            return NFS4ERR_NOT_ONLY_OP;
        call->session = NULL;
        call->slot = NULL;
        call->cache_this = false;
    }
    nfs4_session_free(session);
    return NFS4_OK;
}

/* ---- connections ---- */

int nfs4_bind_conn_to_session(struct nfs4_call *call)
{
    struct nfs4_session *session = nfs4_session_find(call->v4, nfs_get_fixed(call->in, NFS4_SESSION_OCTETS));
    const uint32_t direction = nfs_get_u32(call->in);
    struct nfs_peer *peer = call->rpc->peer;
    bool back;

    if (direction == 0 || (direction > BIND_FORE_OR_BOTH && direction != BIND_BACK_OR_BOTH))
        return NFS4ERR_BADXDR;
    if (!session)
        return NFS4ERR_BADSESSION;
    back = direction != BIND_FORE && peer->events.call;
    if (direction == BIND_BACK && !back)
        return NFS4ERR_INVAL;
    if (back && session->back_peer != peer)
        set_back(session, peer);
    session->back_fault = session->back_fault && !back;
    nfs4_client_renew(session->client);
    xdr_out_fixed(call->out, session->id, NFS4_SESSION_OCTETS);
    xdr_out_u32(call->out, direction == BIND_BACK ? BIND_BACK : back ? BIND_BOTH : BIND_FORE);
    xdr_out_bool(call->out, false); /* RDMA mode is for transports that step up (section 2.10.3): this one is RDMA */
    return NFS4_OK;
}

int nfs4_backchannel_ctl(struct nfs4_call *call)
{
    struct wishes wishes = {.program = nfs_get_u32(call->in)};

    get_security(call->in, &wishes);
    /* No usable callback security: section 18.33.3. */
    if (!wishes.has_security || CALLBACK_MIN + xdr_padded(wishes.credential.n) > call->session->back.max_request)
        return NFS4ERR_NOENT;
    set_security(call->session, &wishes);
    call->session->probed = false;
    return NFS4_OK;
}
