// SPDX-License-Identifier: GPL-2.0-or-later
/* Byte-range locks of NFSv4: LOCK, LOCKT, LOCKU (RFC 7530 sections 9.3 and 16.10 to 16.12), with POSIX ranges. */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum { READ_LT = 1, WRITE_LT = 2, WRITEW_LT = 4 };

/* Undefined types cannot be decoded. */
static bool is_type(uint32_t type)
{
    return type >= READ_LT && type <= WRITEW_LT;
}

static int make_range(uint32_t type, uint64_t offset, uint64_t length, struct nfs4_range *out)
{
    if (length == 0 || (length != UINT64_MAX && offset > UINT64_MAX - length))
        return NFS4ERR_INVAL;
    out->first = offset;
    out->last = length == UINT64_MAX ? UINT64_MAX : offset + length - 1;
    out->write = type % 2 == 0;
    return NFS4_OK;
}

/* ---- ranges ---- */

static void add_range(GArray *ranges, uint64_t first, uint64_t last, bool write)
{
    struct nfs4_range range = {.first = first, .last = last, .write = write};
    struct nfs4_range *before;

    if (ranges->len > 0) {
        before = &g_array_index(ranges, struct nfs4_range, ranges->len - 1);
        if (before->write == write && before->last + 1 == first) {
            before->last = last;
            return;
        }
    }
    g_array_append_val(ranges, range);
}

/* Locks or unlocks a range. False: there would be too many ranges. */
static bool change_ranges(struct nfs4_state *state, const struct nfs4_range *change, bool lock)
{
    struct nfs4 *v4 = state->client->v4;
    GArray *old = state->ranges, *new;
    bool done = !lock;

    if (old->len + 2 > NFS4_RANGES_MAX || v4->n_ranges + 2 > NFS4_ALL_RANGES_MAX)
        return false;
    new = g_array_new(FALSE, FALSE, sizeof(struct nfs4_range));
    for (guint i = 0; i < old->len; i++) {
        const struct nfs4_range *range = &g_array_index(old, struct nfs4_range, i);

        if (range->first < change->first)
            add_range(new, range->first, MIN(range->last, change->first - 1), range->write);
        if (!done && range->last >= change->first) {
            add_range(new, change->first, change->last, change->write);
            done = true;
        }
        if (range->last > change->last)
            add_range(new, MAX(range->first, change->last + 1), range->last, range->write);
    }
    if (!done)
        add_range(new, change->first, change->last, change->write);
    v4->n_ranges += new->len;
    v4->n_ranges -= old->len;
    g_array_unref(old);
    state->ranges = new;
    return true;
}

/* Its first conflicting range, in *found. */
static bool conflicts(const struct nfs4_state *state, const struct nfs4_range *wanted, struct nfs4_range *found)
{
    for (guint i = 0; i < state->ranges->len; i++) {
        *found = g_array_index(state->ranges, struct nfs4_range, i);
        if (found->first <= wanted->last && wanted->first <= found->last && (found->write || wanted->write))
            return true;
    }
    return false;
}

/* The conflicting holder; expired clients do not conflict. */
static const struct nfs4_state *conflicting(struct nfs4_call *call, const struct nfs4_owner *owner,
                                            const struct nfs4_range *wanted, struct nfs4_range *found)
{
    struct nfs4_file *file = nfs4_file_find(call->v4, call->current);

    for (GList *at = file ? file->states.head : NULL; at; at = at->next) {
        struct nfs4_state *state = at->data;

        if (state->kind != NFS4_LOCK || state->owner == owner || !conflicts(state, wanted, found))
            continue;
        if (!nfs4_client_expired(state->client) || state->client == call->client)
            return state;
        nfs4_client_free(state->client);
        return conflicting(call, owner, wanted, found);
    }
    return NULL;
}

/* LOCK4denied */
static int put_denied(struct nfs4_call *call, const struct nfs4_state *holder, const struct nfs4_range *range)
{
    gsize n;
    const uint8_t *name = g_bytes_get_data(holder->owner->name, &n);

    call->keep_result = true;
    xdr_out_u64(call->out, range->first);
    xdr_out_u64(call->out, range->last == UINT64_MAX ? UINT64_MAX : range->last - range->first + 1);
    xdr_out_u32(call->out, range->write ? WRITE_LT : READ_LT);
    xdr_out_u64(call->out, holder->client->id);
    xdr_out_opaque(call->out, name + 1, (uint32_t)n - 1);
    return NFS4ERR_DENIED;
}

/* ---- LOCK ---- */

struct request {
    struct nfs4_range range;
    int range_status;
    bool reclaim, new_owner;
    uint32_t open_seqid, seqid;
    struct nfs4_stateid stateid; /* of the open, or of the locks */
    uint64_t client;
    struct nfs_opaque owner;
};

/* False: the lock type does not exist. */
static bool lock_get_request(struct xdr *in, struct request *out)
{
    const uint32_t type = nfs_get_u32(in);
    const bool reclaim = nfs_get_u32(in);
    const uint64_t offset = nfs_get_u64(in), length = nfs_get_u64(in);

    *out = (struct request){.reclaim = reclaim, .new_owner = nfs_get_u32(in)};
    out->open_seqid = out->new_owner ? nfs_get_u32(in) : 0;
    out->stateid = nfs4_get_stateid(in);
    out->seqid = nfs_get_u32(in);
    if (out->new_owner) {
        out->client = nfs_get_u64(in);
        out->owner = nfs_get_opaque(in);
    }
    out->range_status = make_range(type, offset, length, &out->range);
    return is_type(type);
}

/* The open, the lock-owner, and the locks if there are any. */
static int get_locker(struct nfs4_call *call, const struct request *request, struct nfs4_state **open,
                      struct nfs4_owner **owner, struct nfs4_state **locks)
{
    const uint32_t seqid = request->new_owner ? request->open_seqid : request->seqid;
    int status = nfs4_retried(call, &request->stateid, request->new_owner ? NFS4_OPEN : NFS4_LOCK, seqid);

    if (status != NFS4_OK)
        return status;
    if (!request->new_owner) {
        status = nfs4_state_get(call, &request->stateid, NFS4_LOCK, call->current, locks);
        if (status != NFS4_OK)
            return status;
        *open = (*locks)->open;
        *owner = (*locks)->owner;
        return nfs4_owner_seqid(call, *owner, seqid);
    }
    status = nfs4_state_get(call, &request->stateid, NFS4_OPEN, call->current, open);
    if (status != NFS4_OK)
        return status;
    if (call->minor == 0 && !(*open)->owner->confirmed)
        return NFS4ERR_BAD_STATEID;
    if (call->minor == 0 && request->client != (*open)->client->id)
        return NFS4ERR_STALE_CLIENTID;
    *owner = nfs4_owner_get((*open)->client, true, request->owner);
    if (!*owner)
        return call->minor == 0 ? NFS4ERR_RESOURCE : NFS4ERR_DELAY;
    *locks = nfs4_state_of(*owner, call->current);
    return nfs4_owner_seqid(call, (*open)->owner, seqid);
}

static int check_lock(struct nfs4_call *call, const struct request *request, const struct nfs4_state *open)
{
    int status;

    if (!nfs4_regular(call, &status))
        return status;
    if (request->range_status != NFS4_OK)
        return request->range_status;
    if (request->reclaim) /* locks are not reclaimed: a new instance of the server knows none */
        return NFS4ERR_NO_GRACE;
    if (nfs4_in_grace(call->v4))
        return NFS4ERR_GRACE;
    return open->access & (request->range.write ? NFS4_ACCESS_WRITE : NFS4_ACCESS_READ) ? NFS4_OK : NFS4ERR_OPENMODE;
}

/* The owner's locks, created if necessary; false: no room. */
static bool add_lock(struct nfs4_call *call, const struct nfs4_range *range, struct nfs4_state *open,
                     struct nfs4_owner *owner, struct nfs4_state **locks)
{
    if (!*locks) {
        *locks = nfs4_state_new(open->client, NFS4_LOCK, call->current, owner);
        if (!*locks)
            return false;
        (*locks)->open = open;
    }
    return change_ranges(*locks, range, true);
}

int nfs4_lock(struct nfs4_call *call)
{
    struct request request;
    struct nfs4_state *open = NULL, *locks = NULL;
    struct nfs4_owner *owner = NULL;
    const struct nfs4_state *holder;
    struct nfs4_range held;
    int status;

    if (!lock_get_request(call->in, &request))
        return NFS4ERR_BADXDR;
    status = get_locker(call, &request, &open, &owner, &locks);
    if (status == NFS4_OK)
        status = check_lock(call, &request, open);
    if (status != NFS4_OK)
        return status;
    holder = conflicting(call, owner, &request.range, &held);
    if (holder)
        return put_denied(call, holder, &held);
    if (!add_lock(call, &request.range, open, owner, &locks))
        return call->minor == 0 ? NFS4ERR_RESOURCE : NFS4ERR_DELAY;
    if (request.new_owner) {
        owner->used = true;
        owner->seqid = request.seqid;
    }
    nfs4_put_state(call, locks);
    return NFS4_OK;
}

/* ---- the others ---- */

int nfs4_lockt(struct nfs4_call *call)
{
    const uint32_t type = nfs_get_u32(call->in);
    const uint64_t offset = nfs_get_u64(call->in), length = nfs_get_u64(call->in), id = nfs_get_u64(call->in);
    struct nfs4_client *client;
    const struct nfs4_state *holder;
    struct nfs4_range wanted, held;
    int status = is_type(type) ? make_range(type, offset, length, &wanted) : NFS4ERR_BADXDR;

    if (status == NFS4_OK)
        status = nfs4_client_of(call, id, &client);
    if (status != NFS4_OK)
        return status;
    if (!nfs4_regular(call, &status))
        return status;
    holder = conflicting(call, nfs4_owner_find(client, true, nfs_get_opaque(call->in)), &wanted, &held);
    return holder ? put_denied(call, holder, &held) : NFS4_OK;
}

int nfs4_locku(struct nfs4_call *call)
{
    const uint32_t type = nfs_get_u32(call->in), seqid = nfs_get_u32(call->in);
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    const uint64_t offset = nfs_get_u64(call->in), length = nfs_get_u64(call->in);
    struct nfs4_state *locks;
    struct nfs4_range range;
    int status = is_type(type) ? nfs4_retried(call, &stateid, NFS4_LOCK, seqid) : NFS4ERR_BADXDR;

    if (status == NFS4_OK)
        status = nfs4_state_get(call, &stateid, NFS4_LOCK, call->current, &locks);
    if (status == NFS4_OK)
        status = nfs4_owner_seqid(call, locks->owner, seqid);
    if (status == NFS4_OK)
        status = make_range(type, offset, length, &range);
    if (status != NFS4_OK)
        return status;
    if (!change_ranges(locks, &range, false))
        return call->minor == 0 ? NFS4ERR_RESOURCE : NFS4ERR_DELAY;
    nfs4_put_state(call, locks);
    return NFS4_OK;
}

/* RFC 7530 section 16.37 */
int nfs4_release_lockowner(struct nfs4_call *call)
{
    struct nfs4_client *client;
    struct nfs4_owner *owner;
    int status = nfs4_client_of_minor_0(call, nfs_get_u64(call->in), &client);

    if (status != NFS4_OK)
        return status;
    owner = nfs4_owner_find(client, true, nfs_get_opaque(call->in));
    if (!owner)
        return NFS4_OK;
    for (GList *at = client->states.head; at; at = at->next) {
        const struct nfs4_state *state = at->data;

        if (state->owner == owner && state->ranges->len > 0)
            return NFS4ERR_LOCKS_HELD;
    }
    nfs4_owner_release(owner);
    nfs4_owner_free(owner);
    return NFS4_OK;
}
