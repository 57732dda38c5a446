// SPDX-License-Identifier: GPL-2.0-or-later
/* Delegations: granted, recalled, returned, revoked (RFC 8881 sections 10.2 to 10.4). */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum {
    DELEGATE_NONE = 0,
    DELEGATE_READ = 1,
    DELEGATE_WRITE = 2,
    DELEGATE_NONE_EXT = 3,
    WANT_READ = 0x100,
    WANT_WRITE = 0x200,
    WANT_ANY = 0x300,
    WANT_NO = 0x400,
    WANT_CANCEL = 0x500,
    WANT_MASK = 0xff00,
    WANT_EXTENSIONS = 0x30000,
    WHY_NOT_WANTED = 0,
    WHY_CONTENTION = 1,
    WHY_RESOURCE = 2,
    WHY_CANCELLED = 7,
    LIMIT_SIZE = 1,
};

/* After a recall, the same file is not delegated for this long. */
static const int64_t pause_ns = INT64_C(5) * 1000000000;

/* ---- recalled ---- */

static void ask_back(struct nfs4 *v4, struct nfs4_state *state)
{
    int64_t now = nfs_now(v4->server);

    state->file->recalled_at = now;
    if (!state->asked_back) {
        state->asked_back = true;
        state->asked_at = now;
    }
    if (state->queued || state->asked)
        return;
    state->queued = true;
    g_array_append_val(v4->recalls, state->number);
    v4->callbacks_due = true;
}

/* Section 10.4.6: the client has had a lease period to return the delegation. */
static void revoke(struct nfs4_state *state)
{
    state->revoked = true;
    state->client->revoked++;
}

int nfs4_delegation_conflict(struct nfs4 *v4, const struct nfs4_client *client, uint64_t node, bool modifies)
{
    struct nfs4_file *file = nfs4_file_find(v4, node);
    int64_t lease = (int64_t)v4->server->options.lease_s * INT64_C(1000000000);
    int status = NFS4_OK;

    for (GList *at = file ? file->states.head : NULL; at; at = at->next) {
        struct nfs4_state *state = at->data;

        if (state->kind != NFS4_DELEGATION || state->revoked || state->client == client ||
            !(modifies || state->access & NFS4_ACCESS_WRITE))
            continue;
        if (nfs4_client_expired(state->client) ||
            (state->asked_back && nfs_now(v4->server) - state->asked_at > lease)) {
            revoke(state);
            continue;
        }
        ask_back(v4, state);
        status = NFS4ERR_DELAY;
    }
    return status;
}

bool nfs4_delegated(struct nfs_server *server, uint64_t node, bool modifies)
{
    return nfs4_delegation_conflict(server->v4, NULL, node, modifies) != NFS4_OK;
}

/* ---- granted ---- */

/* How others use the file, and what the client already holds. */
static bool contended(const struct nfs4_call *call, const struct nfs4_state *open, bool write)
{
    int64_t since = nfs_now(call->rpc->server) - open->file->recalled_at;

    if (open->file->recalled_at != 0 && since < pause_ns)
        return true;
    for (GList *at = open->file->states.head; at; at = at->next) {
        const struct nfs4_state *state = at->data;

        if (state->kind == NFS4_DELEGATION && (state->client == open->client || write))
            return true;
        if (state->kind == NFS4_OPEN && state->client != open->client && (write || state->access & NFS4_ACCESS_WRITE))
            return true;
    }
    return false;
}

static void put_none(struct nfs4_call *call, bool extended, uint32_t why)
{
    xdr_out_u32(call->out, extended ? DELEGATE_NONE_EXT : DELEGATE_NONE);
    if (!extended)
        return;
    xdr_out_u32(call->out, why);
    /* There are no later notifications. */
    if (why == WHY_CONTENTION || why == WHY_RESOURCE)
        xdr_out_bool(call->out, false);
}

static void put_ace(struct nfs4_call *call)
{
    /* The server saves no client an ACCESS. */
    xdr_out_words(call->out, 0, 0, 0);
    xdr_out_opaque(call->out, "", 0);
}

void nfs4_put_delegation(struct nfs4_call *call, struct nfs4_state *open, uint32_t share)
{
    bool extended = call->minor > 0 && share & (WANT_MASK | WANT_EXTENSIONS);
    /* A write delegation also serves reading: for opens of both kinds. */
    bool write = open->access == NFS4_ACCESS_BOTH && (share & WANT_MASK) != WANT_READ;
    struct nfs4_state *state;
    struct nfs4_stateid stateid;

    if ((share & WANT_MASK) >= WANT_NO) {
        put_none(call, extended, (share & WANT_MASK) == WANT_CANCEL ? WHY_CANCELLED : WHY_NOT_WANTED);
        return;
    }
    if (call->minor == 0 || !nfs4_session_back(open->client, false) || !(open->access & NFS4_ACCESS_READ)) {
        put_none(call, extended, WHY_RESOURCE);
        return;
    }
    if (contended(call, open, write)) {
        put_none(call, extended, WHY_CONTENTION);
        return;
    }
    state = nfs4_state_new(open->client, NFS4_DELEGATION, open->file->node, NULL);
    if (!state) {
        put_none(call, extended, WHY_RESOURCE);
        return;
    }
    state->access = write ? NFS4_ACCESS_BOTH : NFS4_ACCESS_READ;
    state->seqid = 1;
    stateid = nfs4_stateid_of(state);
    xdr_out_u32(call->out, write ? DELEGATE_WRITE : DELEGATE_READ);
    nfs4_put_stateid(call->out, &stateid);
    xdr_out_bool(call->out, false); /* not yet recalled */
    if (write) {
        xdr_out_u32(call->out, LIMIT_SIZE);
        xdr_out_u64(call->out, UINT64_MAX);
    }
    put_ace(call);
}

/* ---- returned ---- */

int nfs4_delegreturn(struct nfs4_call *call)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    struct nfs4_state *state;
    int status = nfs4_state_get(call, &stateid, NFS4_DELEGATION, call->current, &state);

    if (status == NFS4_OK)
        nfs4_state_free(state);
    return status;
}

/* Delegations of an earlier instance of the client are not kept, so there are none to purge. */
int nfs4_delegpurge(struct nfs4_call *call)
{
    struct nfs4_client *client;

    return call->minor == 0 ? nfs4_client_of_minor_0(call, nfs_get_u64(call->in), &client) : NFS4ERR_NOTSUPP;
}
