// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Callbacks in the reverse direction of the connection (RFC 8881 section 20, RFC 8167, RFC 8267 section 6.5.2):
 * CB_NULL, which tests whether the client answers, and CB_RECALL after CB_SEQUENCE. One slot is used, so a session has
 * one callback at a time.
 */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"
#include "traffic-gen/ends/stack/nfs_fields.h"

enum {
    CB_VERSION = 1,
    CB_NULL = 0,
    CB_COMPOUND = 1,
    HEADER_MAX = RPC_CALL_MIN + RPC_AUTH_MAX,
    FAILURES_MAX = 3,
};

static const char recall_operations[] = "cb_sequence,cb_recall";

static const struct nfs_template *recall_procedure(const struct nfs4_session *session)
{
    return nfs_procedure_template(session->minor == 1 ? "cb41.cb_compound" : "cb42.cb_compound");
}

static void v4_callback_begin(struct nfs4_session *session, uint32_t procedure, struct xdr_out *out)
{
    struct rpc_message header = {.xid = ++session->client->v4->last_xid,
                                 .type = RPC_CALL,
                                 .rpcvers = RPC_VERSION,
                                 .prog = session->program,
                                 .vers = CB_VERSION,
                                 .proc = procedure};
    struct rpc_body credential = {
        .flavor = session->flavor, .p = session->credential->data, .n = session->credential->len};
    uint8_t octets[HEADER_MAX];
    struct xdr_writer w = {.p = octets, .size = sizeof octets};

    rpc_call_encode(&header, &credential, NULL, &w);
    xdr_out_begin(out);
    xdr_out_fixed(out, octets, w.at);
}

static void send(struct nfs4_session *session, struct xdr_out *out, uint64_t state)
{
    struct nfs4 *v4 = session->client->v4;
    struct nfs_peer *peer = session->back_peer;
    struct nfs4_callback *callback = g_new0(struct nfs4_callback, 1);
    struct rpc_end_message message;
    uint64_t cookie = ++v4->last_cookie;

    callback->cookie = cookie;
    callback->peer = peer;
    callback->state = state;
    memcpy(callback->session, session->id, NFS4_SESSION_OCTETS);
    g_hash_table_insert(v4->callbacks, &callback->cookie, callback);
    session->back_busy = true;
    xdr_out_take(out, &message);
    peer->events.call(peer->events.ctx, &message, cookie);
    g_free(message.p);
}

static void probe(struct nfs4_session *session)
{
    struct xdr_out out;

    session->probed = true;
    v4_callback_begin(session, CB_NULL, &out);
    send(session, &out, 0);
}

static void v4_callback_recall(struct nfs4_session *session, struct nfs4_state *state)
{
    const struct nfs4_stateid stateid = nfs4_stateid_of(state);
    uint8_t handle[NFS_HANDLE_OCTETS];
    struct nfs_fields fields;
    struct xdr_out out;

    state->asked = true;
    nfs_handle_encode(session->client->v4->server, state->file->node, handle);
    nfs_fields_init(&fields);
    nfs_fields_octets(&fields, "sessionid", session->id, NFS4_SESSION_OCTETS);
    nfs_fields_number(&fields, "sequenceid", session->back_sequence);
    nfs_fields_number(&fields, "state_seqid", stateid.seqid);
    nfs_fields_octets(&fields, "stateid", stateid.other, NFS4_OTHER_SIZE);
    nfs_fields_octets(&fields, "handle", handle, sizeof handle);
    v4_callback_begin(session, CB_COMPOUND, &out);
    nfs_fields_put(&fields, recall_procedure(session), recall_operations, &out);
    nfs_fields_clear(&fields);
    send(session, &out, state->number);
}

struct nfs4_session *nfs4_session_back(const struct nfs4_client *client, bool now)
{
    for (GList *at = client->sessions.head; at; at = at->next) {
        struct nfs4_session *session = at->data;

        if (session->back_peer && session->back_good && !session->back_fault && !(now && session->back_busy))
            return session;
    }
    return NULL;
}

static struct nfs4_session *unprobed(struct nfs4 *v4)
{
    GHashTableIter iter;
    gpointer p;

    g_hash_table_iter_init(&iter, v4->sessions);
    while (g_hash_table_iter_next(&iter, NULL, &p)) {
        struct nfs4_session *session = p;

        /* RFC 8167 section 6: a client that has used its session is ready for Calls. */
        if (session->back_peer && session->in_use && !session->probed && !session->back_busy)
            return session;
    }
    return NULL;
}

/* Sending a callback may bring its answer, and other Calls, before it returns: no pointers are kept across the call. */
void nfs4_send_callbacks(struct nfs_server *server)
{
    struct nfs4 *v4 = server->v4;
    struct nfs4_session *session;

    if (!v4->callbacks_due)
        return;
    v4->callbacks_due = false;
    while ((session = unprobed(v4)))
        probe(session);
    for (guint i = 0; i < v4->recalls->len;) {
        struct nfs4_state *state = nfs4_state_find(v4, g_array_index(v4->recalls, uint64_t, i));

        session = state && !state->revoked ? nfs4_session_back(state->client, true) : NULL;
        if (state && !state->revoked && !session) {
            i++;
            continue;
        }
        g_array_remove_index(v4->recalls, i);
        if (!session)
            continue;
        state->queued = false;
        v4_callback_recall(session, state);
        i = 0; /* the list may have changed */
    }
}

/* ---- answers ---- */

/* False: not even CB_SEQUENCE was answered. */
static bool recall_answered(struct nfs4_session *session, struct nfs4_state *state, const struct rpc_end_message *reply,
                            uint32_t header)
{
    struct xdr x = xdr_begin(reply->p, reply->n);
    const struct nfs_field *sequence, *recalled;
    struct nfs_results results;
    bool good;

    x.at = header;
    nfs_results_read(&results, recall_procedure(session), recall_operations, &x);
    sequence = nfs_field_find(&results.body, 0, "status");
    recalled = nfs_field_find(&results.body, 1, "status");
    good = sequence;
    if (good && sequence->value == NFS4_OK)
        session->back_sequence++;
    else if (good && sequence->value != NFS4ERR_DELAY)
        session->back_fault = true; /* SEQUENCE reports the loss to the client, which creates a new session */
    /* If the client does not know the stateid yet, the recall is repeated when the next Call meets the delegation. */
    if (state && (!recalled || recalled->value != NFS4_OK))
        state->asked = false;
    nfs_results_clear(&results);
    return good;
}

static bool is_success(const struct rpc_end_message *reply, struct rpc_message *header)
{
    return reply && rpc_decode(header, reply->p, reply->n) == RPC_OK && header->type == RPC_REPLY &&
           header->reply_stat == RPC_MSG_ACCEPTED && header->accept_stat == RPC_SUCCESS;
}

static bool take_callback(const struct nfs_peer *peer, uint64_t cookie, struct nfs4_callback *out)
{
    const struct nfs4 *v4 = peer->server->v4;
    const struct nfs4_callback *found = g_hash_table_lookup(v4->callbacks, &cookie);

    if (!found || found->peer != peer)
        return false;
    *out = *found;
    g_hash_table_remove(v4->callbacks, &cookie);
    return true;
}

void nfs_peer_replied(struct nfs_peer *peer, uint64_t cookie, const struct rpc_end_message *reply)
{
    struct nfs4 *v4 = peer->server->v4;
    struct nfs4_callback callback;
    struct rpc_message header;
    struct nfs4_session *session;
    struct nfs4_state *state;
    bool good;

    if (!take_callback(peer, cookie, &callback))
        return;
    session = nfs4_session_find(v4, callback.session);
    state = callback.state ? nfs4_state_find(v4, callback.state) : NULL;
    if (!session || session->back_peer != peer) {
        if (state)
            state->asked = false;
        return;
    }
    session->back_busy = false;
    good = is_success(reply, &header);
    if (good && callback.state)
        good = recall_answered(session, state, reply, header.header_len);
    else if (state)
        state->asked = false;
    session->back_good = good;
    /* It is retried, but not forever. */
    if (!good && ++session->back_failures < FAILURES_MAX)
        session->probed = false;
    /* The slot is free for the next callback. */
    if (v4->recalls->len > 0 && good) {
        v4->callbacks_due = true;
        nfs4_send_callbacks(peer->server);
    }
}
