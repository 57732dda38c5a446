// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Owners, stateids and files of NFSv4 (RFC 7530 section 9, RFC 8881 section 8): what clients hold, and which operations
 * this allows.
 */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

/* ---- owners ---- */

static GBytes *owner_key(bool lock, struct nfs_opaque name)
{
    uint8_t *key = g_malloc(name.n + 1);

    key[0] = lock ? 'l' : 'o';
    memcpy(key + 1, name.p, name.n);
    return g_bytes_new_take(key, name.n + 1);
}

struct nfs4_owner *nfs4_owner_find(struct nfs4_client *client, bool lock, struct nfs_opaque name)
{
    GBytes *key = owner_key(lock, name);
    struct nfs4_owner *owner = g_hash_table_lookup(client->owners, key);

    g_bytes_unref(key);
    return owner;
}

void nfs4_owner_free(struct nfs4_owner *owner)
{
    if (owner->closed)
        nfs4_state_free(owner->closed);
    owner->client->v4->n_owners--;
    g_hash_table_remove(owner->client->owners, owner->name);
    g_bytes_unref(owner->name);
    g_byte_array_unref(owner->replay);
    g_free(owner);
}

void nfs4_owner_release(struct nfs4_owner *owner)
{
    GList *next;

    for (GList *at = owner->client->states.head; at; at = next) {
        struct nfs4_state *state = at->data;

        next = at->next;
        if (state->owner == owner)
            nfs4_state_free(state);
    }
}

/* Owners that hold nothing are kept for retries of their last request, as long as there is room. */
static bool state_make_room(struct nfs4_client *client)
{
    GHashTableIter iter;
    gpointer p;

    if (g_hash_table_size(client->owners) < NFS4_OWNERS_MAX && client->v4->n_owners < NFS4_ALL_OWNERS_MAX)
        return true;
    g_hash_table_iter_init(&iter, client->owners);
    while (g_hash_table_iter_next(&iter, NULL, &p)) {
        struct nfs4_owner *owner = p;

        if (owner->states == (owner->closed ? 1 : 0)) {
            nfs4_owner_free(owner);
            return true;
        }
    }
    return false;
}

struct nfs4_owner *nfs4_owner_get(struct nfs4_client *client, bool lock, struct nfs_opaque name)
{
    struct nfs4_owner *owner = nfs4_owner_find(client, lock, name);

    if (owner || !state_make_room(client))
        return owner;
    owner = g_new0(struct nfs4_owner, 1);
    owner->client = client;
    owner->name = owner_key(lock, name);
    owner->lock = lock;
    owner->replay = g_byte_array_new();
    g_hash_table_insert(client->owners, owner->name, owner);
    client->v4->n_owners++;
    return owner;
}

int nfs4_owner_seqid(struct nfs4_call *call, struct nfs4_owner *owner, uint32_t seqid)
{
    if (call->minor > 0)
        return NFS4_OK; /* later minor versions use slots instead */
    if (owner->used && seqid == owner->seqid) {
        size_t result = xdr_out_at(call->out) - 4;

        if (owner->replay->len == 0 || owner->replay_op != call->op)
            return NFS4ERR_BAD_SEQID;
        xdr_out_cut(call->out, result);
        xdr_out_fixed(call->out, owner->replay->data, owner->replay->len);
        if (owner->replay_node != 0 && nfs_tree_get(call->tree, owner->replay_node))
            call->current = owner->replay_node;
        return NFS4_REPLAYED;
    }
    if (owner->used && seqid != owner->seqid + 1)
        return NFS4ERR_BAD_SEQID;
    owner->seqid = seqid;
    owner->used = true;
    if (owner->closed)
        nfs4_state_free(owner->closed);
    call->owner = owner;
    return NFS4_OK;
}

/* RFC 7530 section 9.1.7: errors after which the seqid has not advanced. */
static bool state_keeps_seqid(int status)
{
    switch (status) {
    case NFS4ERR_STALE_CLIENTID:
    case NFS4ERR_STALE_STATEID:
    case NFS4ERR_BAD_STATEID:
    case NFS4ERR_BAD_SEQID:
    case NFS4ERR_BADXDR:
    case NFS4ERR_RESOURCE:
    case NFS4ERR_NOFILEHANDLE:
        return true;
    default:
        return false;
    }
}

void nfs4_owner_keep(struct nfs4_call *call, int status, size_t result)
{
    struct nfs4_owner *owner = call->owner;
    size_t n = xdr_out_at(call->out) - result;

    call->owner = NULL;
    if (state_keeps_seqid(status)) {
        owner->seqid--;
        return;
    }
    owner->replay_op = call->op;
    owner->replay_node = status == NFS4_OK ? call->current : 0;
    g_byte_array_set_size(owner->replay, 0);
    if (n <= NFS4_REPLAY_MAX)
        g_byte_array_append(owner->replay, call->out->octets->data + result, (guint)n);
}

/* ---- files and states ---- */

struct nfs4_file *nfs4_file_find(struct nfs4 *v4, uint64_t node)
{
    return g_hash_table_lookup(v4->files, &node);
}

static struct nfs4_file *file_get(struct nfs4 *v4, uint64_t node)
{
    struct nfs4_file *file = nfs4_file_find(v4, node);

    if (file)
        return file;
    file = g_new0(struct nfs4_file, 1);
    file->node = node;
    g_hash_table_insert(v4->files, &file->node, file);
    return file;
}

struct nfs4_state *nfs4_state_find(struct nfs4 *v4, uint64_t number)
{
    return g_hash_table_lookup(v4->states, &number);
}

struct nfs4_state *nfs4_state_named(struct nfs4 *v4, const struct nfs4_stateid *stateid)
{
    return get_be32(stateid->other) == v4->boot ? nfs4_state_find(v4, get_be64(stateid->other + 4)) : NULL;
}

struct nfs4_state *nfs4_state_of(const struct nfs4_owner *owner, uint64_t node)
{
    struct nfs4_file *file = nfs4_file_find(owner->client->v4, node);

    for (GList *at = file ? file->states.head : NULL; at; at = at->next) {
        struct nfs4_state *state = at->data;

        if (state->owner == owner && !state->closed)
            return state;
    }
    return NULL;
}

bool nfs4_states_full(const struct nfs4_client *client)
{
    return client->states.length >= NFS4_STATES_MAX || g_hash_table_size(client->v4->states) >= NFS4_ALL_STATES_MAX;
}

struct nfs4_state *nfs4_state_new(struct nfs4_client *client, enum nfs4_kind kind, uint64_t node,
                                  struct nfs4_owner *owner)
{
    struct nfs4 *v4 = client->v4;
    struct nfs4_state *state;

    if (nfs4_states_full(client))
        return NULL;
    state = g_new0(struct nfs4_state, 1);
    state->number = ++v4->last_state;
    state->kind = kind;
    state->client = client;
    state->owner = owner;
    state->file = file_get(v4, node);
    if (kind == NFS4_LOCK)
        state->ranges = g_array_new(FALSE, FALSE, sizeof(struct nfs4_range));
    if (owner)
        owner->states++;
    state->in_file.data = state->in_client.data = state;
    g_queue_push_tail_link(&state->file->states, &state->in_file);
    g_queue_push_tail_link(&client->states, &state->in_client);
    g_hash_table_insert(v4->states, &state->number, state);
    return state;
}

/* Locks made through an open end with it. */
static void free_locks_of(struct nfs4_state *open)
{
    GList *next;

    for (GList *at = open->file->states.head; at; at = next) {
        struct nfs4_state *state = at->data;

        next = at->next;
        if (state->kind == NFS4_LOCK && state->open == open)
            nfs4_state_free(state);
    }
}

void nfs4_state_free(struct nfs4_state *state)
{
    struct nfs4 *v4 = state->client->v4;

    if (state->kind == NFS4_OPEN)
        free_locks_of(state);
    if (state->owner) {
        state->owner->states--;
        if (state->owner->closed == state)
            state->owner->closed = NULL;
    }
    if (state->revoked)
        state->client->revoked--;
    g_queue_unlink(&state->file->states, &state->in_file);
    g_queue_unlink(&state->client->states, &state->in_client);
    g_hash_table_remove(v4->states, &state->number);
    if (state->file->states.length == 0) {
        g_hash_table_remove(v4->files, &state->file->node);
        g_free(state->file);
    }
    if (state->ranges) {
        v4->n_ranges -= state->ranges->len;
        g_array_unref(state->ranges);
    }
    g_free(state);
}

/* No file handle leads to a removed file, so what is held on it could never be released. */
void nfs4_states_forget_gone(struct nfs4_client *client)
{
    GList *next;

    for (GList *at = client->states.head; at; at = next) {
        struct nfs4_state *state = at->data;

        next = at->next;
        /* Locks end with their open, and come after it. */
        if (state->kind != NFS4_LOCK && !nfs_tree_get(client->v4->server->tree, state->file->node)) {
            nfs4_state_free(state);
            next = client->states.head;
        }
    }
}

void nfs4_state_close(struct nfs4_state *state)
{
    free_locks_of(state);
    state->access = state->deny = 0;
    state->closed = true;
    state->owner->closed = state;
}

/* ---- stateids ---- */

struct nfs4_stateid nfs4_stateid_of(const struct nfs4_state *state)
{
    struct nfs4_stateid stateid = {.seqid = state->seqid};

    put_be32(stateid.other, state->client->v4->boot);
    put_be64(stateid.other + 4, state->number);
    return stateid;
}

void nfs4_put_state(struct nfs4_call *call, struct nfs4_state *state)
{
    state->seqid = state->seqid == UINT32_MAX ? 1 : state->seqid + 1; /* 0 means "any" */
    call->stateid = nfs4_stateid_of(state);
    call->has_stateid = true;
    nfs4_put_stateid(call->out, &call->stateid);
}

int nfs4_retried(struct nfs4_call *call, const struct nfs4_stateid *stateid, enum nfs4_kind kind, uint32_t seqid)
{
    const struct nfs4_state *state = call->minor == 0 ? nfs4_state_named(call->v4, stateid) : NULL;

    if (!state || state->kind != kind || !state->owner->used || state->owner->seqid != seqid)
        return NFS4_OK;
    return nfs4_owner_seqid(call, state->owner, seqid);
}

static bool all(const struct nfs4_stateid *stateid, uint8_t octet)
{
    for (unsigned i = 0; i < NFS4_OTHER_SIZE; i++) {
        if (stateid->other[i] != octet)
            return false;
    }
    return true;
}

/* RFC 8881 section 8.2.3: stateids that denote no state, or the current stateid. */
static bool is_anonymous(const struct nfs4_stateid *stateid)
{
    return stateid->seqid == 0 && all(stateid, 0);
}

static bool is_bypass(const struct nfs4_stateid *stateid)
{
    return stateid->seqid == UINT32_MAX && all(stateid, 0xff);
}

static bool is_current(const struct nfs4_call *call, const struct nfs4_stateid *stateid)
{
    return call->minor > 0 && stateid->seqid == 1 && all(stateid, 0);
}

/* The state that the call may use: its own, of this minor version, and on this node unless node is 0. */
static bool may_mean(const struct nfs4_call *call, const struct nfs4_state *state, uint64_t node)
{
    return state && (!call->client || state->client == call->client) &&
           state->client->sessions_used == (call->minor > 0) && (node == 0 || state->file->node == node);
}

static int check_seqid(const struct nfs4_call *call, uint32_t given, uint32_t seqid)
{
    /* Seqid 0 denotes the latest, with sessions (RFC 8881 section 8.2.2). */
    if ((call->minor > 0 && given == 0) || given == seqid)
        return NFS4_OK;
    return given < seqid ? NFS4ERR_OLD_STATEID : NFS4ERR_BAD_STATEID;
}

int nfs4_state_get(struct nfs4_call *call, const struct nfs4_stateid *given, unsigned kinds, uint64_t node,
                   struct nfs4_state **out)
{
    const bool current = is_current(call, given);
    const struct nfs4_stateid stateid = current ? call->stateid : *given;
    struct nfs4_state *state;
    int status;

    *out = NULL;
    if ((current && !call->has_stateid) || all(&stateid, 0) || all(&stateid, 0xff))
        return NFS4ERR_BAD_STATEID;
    if (get_be32(stateid.other) != call->v4->boot)
        return call->minor == 0 ? NFS4ERR_STALE_STATEID : NFS4ERR_BAD_STATEID;
    state = nfs4_state_named(call->v4, &stateid);
    if (!may_mean(call, state, node))
        return NFS4ERR_BAD_STATEID;
    if (call->minor == 0)
        nfs4_client_renew(state->client); /* RFC 7530 section 9.5 */
    if (state->revoked)
        return NFS4ERR_DELEG_REVOKED;
    if (!(state->kind & kinds) || state->closed)
        return NFS4ERR_BAD_STATEID;
    status = check_seqid(call, stateid.seqid, state->seqid);
    if (status == NFS4_OK)
        *out = state;
    return status;
}

/* ---- permission ---- */

int nfs4_share_conflict(struct nfs4_call *call, uint64_t node, const struct nfs4_owner *owner, unsigned access,
                        unsigned deny)
{
    struct nfs4_file *file = nfs4_file_find(call->v4, node);
    struct nfs4_client *expired = NULL;

    for (GList *at = file ? file->states.head : NULL; at; at = at->next) {
        struct nfs4_state *state = at->data;

        if (state->kind != NFS4_OPEN || state->closed || (owner && state->owner == owner) ||
            !(access & state->deny || deny & state->access))
            continue;
        if (!nfs4_client_expired(state->client) || state->client == call->client)
            return NFS4ERR_SHARE_DENIED;
        expired = state->client;
        break;
    }
    if (!expired)
        return NFS4_OK;
    /* RFC 7530 section 9.6.3: an expired lease does not block others. */
    nfs4_client_free(expired);
    return nfs4_share_conflict(call, node, owner, access, deny);
}

/* With a stateid that denotes no state. */
static int may_access_without(struct nfs4_call *call, const struct nfs_node *node, unsigned access, bool bypasses)
{
    unsigned may = access & NFS4_ACCESS_WRITE ? NFS_MAY_WRITE : NFS_MAY_READ;

    if (!nfs_may(call->rpc, node, may) && !nfs_owns(call->rpc, node))
        return NFS4ERR_ACCESS;
    /* Stateids of all ones bypass read denials; for writing they count as zeros (RFC 7530 section 9.1.4.3). */
    if (bypasses && access == NFS4_ACCESS_READ)
        return nfs4_delegation_conflict(call->v4, call->client, node->id, false);
    if (nfs4_share_conflict(call, node->id, NULL, access, 0) != NFS4_OK)
        return NFS4ERR_LOCKED;
    return nfs4_delegation_conflict(call->v4, call->client, node->id, access & NFS4_ACCESS_WRITE);
}

int nfs4_may_access(struct nfs4_call *call, const struct nfs4_stateid *stateid, uint64_t node, unsigned access)
{
    const struct nfs_node *found = nfs_tree_get(call->tree, node);
    struct nfs4_state *state;
    unsigned allowed;
    int status;

    if (!found)
        return NFS4ERR_STALE;
    if (nfs4_in_grace(call->v4))
        return NFS4ERR_GRACE;
    if (is_anonymous(stateid) || is_bypass(stateid))
        return may_access_without(call, found, access, is_bypass(stateid));
    status = nfs4_state_get(call, stateid, NFS4_OPEN | NFS4_LOCK | NFS4_DELEGATION, node, &state);
    if (status != NFS4_OK)
        return status;
    if (state->kind == NFS4_OPEN && !state->owner->confirmed && call->minor == 0)
        return NFS4ERR_BAD_STATEID;
    allowed = state->kind == NFS4_LOCK ? state->open->access : state->access;
    return access & ~allowed ? NFS4ERR_OPENMODE : NFS4_OK;
}

/* ---- operations on stateids ---- */

int nfs4_free_stateid(struct nfs4_call *call)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    struct nfs4_state *state = nfs4_state_named(call->v4, &stateid);

    if (!state || state->client != call->client)
        return NFS4ERR_BAD_STATEID;
    if (stateid.seqid != 0 && stateid.seqid != state->seqid && !state->revoked)
        return stateid.seqid < state->seqid ? NFS4ERR_OLD_STATEID : NFS4ERR_BAD_STATEID;
    /*
     * RFC 8881 section 18.38.3: opens and delegations have their own operations; this one frees stateids of locks that
     * hold nothing.
     */
    if (!state->revoked && (state->kind != NFS4_LOCK || state->ranges->len > 0))
        return NFS4ERR_LOCKS_HELD;
    nfs4_state_free(state);
    return NFS4_OK;
}

int nfs4_test_stateid(struct nfs4_call *call)
{
    uint32_t count = nfs_get_u32(call->in);

    xdr_out_u32(call->out, count);
    while (count-- > 0) {
        const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
        struct nfs4_state *state;
        int status = nfs4_state_get(call, &stateid, NFS4_OPEN | NFS4_LOCK | NFS4_DELEGATION, 0, &state);

        xdr_out_u32(call->out, is_current(call, &stateid) ? NFS4ERR_BAD_STATEID : (uint32_t)status);
    }
    return NFS4_OK;
}
