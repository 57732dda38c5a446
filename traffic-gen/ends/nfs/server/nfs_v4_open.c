// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens of NFSv4: OPEN, OPEN_CONFIRM, OPEN_DOWNGRADE, CLOSE (RFC 7530 section 16.16, RFC 8881 section 18.16). */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

enum { CREATE_UNCHECKED = 0, CREATE_GUARDED = 1, CREATE_EXCLUSIVE = 2, CREATE_EXCLUSIVE_1 = 3 };
enum claim {
    CLAIM_NULL = 0,
    CLAIM_PREVIOUS = 1,
    CLAIM_DELEGATE_CUR = 2,
    CLAIM_DELEGATE_PREV = 3,
    CLAIM_FH = 4,
    CLAIM_DELEG_CUR_FH = 5,
    CLAIM_DELEG_PREV_FH = 6,
};
enum { RESULT_CONFIRM = 2, RESULT_LOCKTYPE_POSIX = 4 };
static const uint32_t wants = 0x3ff00; /* OPEN4_SHARE_ACCESS_WANT_* */

struct request {
    uint32_t seqid, access, deny, share; /* access: without wishes for delegations */
    uint64_t client;
    struct nfs_opaque owner, name;
    bool create;
    uint32_t mode;
    uint64_t verifier;
    struct nfs_node_change attributes;
    struct nfs4_mask set;
    int attributes_status;
    uint32_t claim;
    struct nfs4_stateid delegation;
};

/* Reads createhow4 and claims of the minor version. False: unknown type. */
static bool get_how(struct nfs4_call *call, struct request *out)
{
    const uint32_t type = nfs_get_u32(call->in);

    out->create = type == 1;
    if (!out->create)
        return type == 0;
    out->mode = nfs_get_u32(call->in);
    if (out->mode >= CREATE_EXCLUSIVE)
        out->verifier = nfs_get_u64(call->in);
    if (out->mode != CREATE_EXCLUSIVE)
        out->attributes_status = nfs4_get_attributes(call, &out->attributes, &out->set);
    return out->attributes_status != NFS4ERR_BADXDR && (call->minor > 0 || out->mode <= CREATE_EXCLUSIVE);
}

static bool get_claim(struct nfs4_call *call, struct request *out)
{
    out->claim = nfs_get_u32(call->in);
    if (out->claim == CLAIM_DELEGATE_CUR || out->claim == CLAIM_DELEG_CUR_FH)
        out->delegation = nfs4_get_stateid(call->in);
    if (out->claim == CLAIM_NULL || out->claim == CLAIM_DELEGATE_CUR || out->claim == CLAIM_DELEGATE_PREV)
        out->name = nfs_get_opaque(call->in);
    return call->minor > 0 || out->claim <= CLAIM_DELEGATE_PREV;
}

static bool open_get_request(struct nfs4_call *call, struct request *out)
{
    *out = (struct request){.seqid = nfs_get_u32(call->in)};
    out->share = nfs_get_u32(call->in);
    out->access = out->share & NFS4_ACCESS_BOTH;
    out->deny = nfs_get_u32(call->in);
    out->client = nfs_get_u64(call->in);
    out->owner = nfs_get_opaque(call->in);
    return get_how(call, out) && get_claim(call, out);
}

/* ---- the file ---- */

static int may_open(const struct nfs4_call *call, const struct nfs_node *node, unsigned access)
{
    unsigned may = (access & NFS4_ACCESS_READ ? NFS_MAY_READ : 0) | (access & NFS4_ACCESS_WRITE ? NFS_MAY_WRITE : 0);

    if (may & NFS_MAY_WRITE && nfs_tree_is_sealed(call->tree))
        return NFS_TREE_ROFS;
    /*
     * Permission to execute a file includes reading it; the owner may open the file whatever its mode, as after its
     * creation.
     */
    if (nfs_may(call->rpc, node, may) || nfs_owns(call->rpc, node))
        return NFS4_OK;
    return may == NFS_MAY_READ && nfs_may(call->rpc, node, NFS_MAY_EXECUTE) ? NFS4_OK : NFS4ERR_ACCESS;
}

static int open_check_file(const struct nfs4_call *call, const struct nfs_node *node, unsigned access)
{
    if (!node)
        return NFS4ERR_STALE;
    if (node->kind == NFS_NODE_DIRECTORY)
        return NFS4ERR_ISDIR;
    if (node->kind == NFS_NODE_LINK)
        return NFS4ERR_SYMLINK;
    if (node->kind != NFS_NODE_FILE)
        return call->minor > 0 ? NFS4ERR_WRONG_TYPE : NFS4ERR_SYMLINK; /* RFC 7530 section 16.16.6 defines no other */
    return may_open(call, node, access);
}

static int open_create(struct nfs4_call *call, struct request *request, const struct nfs_node *directory,
                       uint64_t *node)
{
    struct nfs_node_change attributes = request->attributes;

    if (!nfs_may(call->rpc, directory, NFS_MAY_CHANGE))
        return NFS4ERR_ACCESS;
    nfs4_new_attributes(call, &attributes, request->mode == CREATE_EXCLUSIVE ? 0600 : 0644);
    if (request->mode >= CREATE_EXCLUSIVE) {
        attributes.set |= NFS_SET_VERIFIER;
        attributes.verifier = request->verifier;
    }
    return (int)nfs_tree_create(call->tree, directory->id, request->name.p, request->name.n, NFS_NODE_FILE, &attributes,
                                node);
}

/* The file exists: RFC 7530 section 16.16.3. *truncate: its size has to be set. */
static int create_over(struct nfs4_call *call, struct request *request, uint64_t id, bool *truncate)
{
    const struct nfs_node *node = nfs_tree_get(call->tree, id);

    if (request->mode == CREATE_GUARDED)
        return NFS4ERR_EXIST;
    if (request->mode >= CREATE_EXCLUSIVE)
        return node->has_verifier && node->verifier == request->verifier ? NFS4_OK : NFS4ERR_EXIST;
    /* Among the attributes of UNCHECKED4 only a size of 0 counts. */
    *truncate = request->attributes.set & NFS_SET_SIZE && request->attributes.size == 0;
    memset(&request->set, 0, sizeof request->set);
    if (*truncate)
        nfs4_mask_add(&request->set, NFS4_ATTR_SIZE);
    return NFS4_OK;
}

/* Opens by a name in the current directory. */
static int open_find_named(struct nfs4_call *call, struct request *request, uint64_t *node, bool *created,
                           bool *truncate)
{
    const struct nfs_node *directory;
    int status = nfs4_check_name(request->name);

    if (status != NFS4_OK)
        return status;
    directory = nfs4_directory(call, &status);
    if (!directory)
        return status;
    if (!nfs_may(call->rpc, directory, NFS_MAY_EXECUTE))
        return NFS4ERR_ACCESS;
    status = (int)nfs_tree_lookup(call->tree, directory->id, request->name.p, request->name.n, node);
    if (!request->create)
        return status;
    if (status == NFS4_OK)
        return create_over(call, request, *node, truncate);
    if (status != NFS4ERR_NOENT)
        return status;
    *created = true;
    return open_create(call, request, directory, node);
}

/* With its own delegation the client may open what it has opened locally. */
static int check_delegation(struct nfs4_call *call, const struct request *request, uint64_t node)
{
    struct nfs4_state *state;
    int status = nfs4_state_get(call, &request->delegation, NFS4_DELEGATION, node, &state);

    if (status != NFS4_OK)
        return status;
    return request->access & NFS4_ACCESS_WRITE && !(state->access & NFS4_ACCESS_WRITE) ? NFS4ERR_OPENMODE : NFS4_OK;
}

/* ---- OPEN ---- */

/* RFC 7530 section 16.18.5: an owner that was never confirmed starts over, whatever its seqid. */
static void drop_unconfirmed(struct nfs4_call *call, struct nfs4_owner *owner, uint32_t seqid)
{
    if (call->minor > 0 || owner->confirmed || !owner->used || seqid == owner->seqid)
        return;
    nfs4_owner_release(owner);
    owner->used = false;
}

/*
 * Claims of state from before a restart: an open, until the client declares its reclaims complete, or until the grace
 * period ends.
 */
static int check_reclaim(const struct nfs4_call *call, const struct request *request)
{
    if (request->create)
        return NFS4ERR_INVAL;
    return nfs4_in_grace(call->v4) && !(call->minor > 0 && call->client->reclaim_complete) ? NFS4_OK : NFS4ERR_NO_GRACE;
}

static int check_request(const struct nfs4_call *call, const struct request *request)
{
    uint32_t known = NFS4_ACCESS_BOTH | (call->minor > 0 ? wants : 0);

    if (request->access == 0 || request->share & ~known || request->deny > NFS4_ACCESS_BOTH)
        return NFS4ERR_INVAL;
    if (request->claim == CLAIM_PREVIOUS)
        return check_reclaim(call, request);
    if (request->claim == CLAIM_DELEGATE_PREV || request->claim == CLAIM_DELEG_PREV_FH)
        return NFS4ERR_NOTSUPP;
    if (request->create && request->claim != CLAIM_NULL)
        return NFS4ERR_INVAL;
    if (nfs4_in_grace(call->v4))
        return NFS4ERR_GRACE;
    /* RFC 8881 section 18.51.3 */
    return call->minor > 0 && !call->client->reclaim_complete ? NFS4ERR_GRACE : NFS4_OK;
}

static int open_find_file(struct nfs4_call *call, struct request *request, uint64_t *node, bool *created)
{
    bool truncate = false;
    struct nfs_node_change size = {.set = NFS_SET_SIZE};
    const struct nfs_node *directory;
    int status = NFS4_OK;

    if (request->claim == CLAIM_FH || request->claim == CLAIM_DELEG_CUR_FH || request->claim == CLAIM_PREVIOUS)
        *node = call->current;
    else
        status = open_find_named(call, request, node, created, &truncate);
    if (status != NFS4_OK || *created)
        return status;
    directory = nfs_tree_get(call->tree, *node);
    status = open_check_file(call, directory, request->access | (truncate ? NFS4_ACCESS_WRITE : 0));
    if (status == NFS4_OK && (request->claim == CLAIM_DELEGATE_CUR || request->claim == CLAIM_DELEG_CUR_FH))
        status = check_delegation(call, request, *node);
    if (status == NFS4_OK)
        status = nfs4_delegation_conflict(call->v4, call->client, *node,
                                          truncate || request->access & NFS4_ACCESS_WRITE ||
                                              request->deny & NFS4_ACCESS_READ);
    if (status == NFS4_OK && truncate)
        status = nfs4_share_conflict(call, *node, NULL, NFS4_ACCESS_WRITE, 0);
    return status == NFS4_OK && truncate ? (int)nfs_tree_set(call->tree, *node, &size) : status;
}

static void put_open(struct nfs4_call *call, const struct request *request, struct nfs4_state *state, uint64_t before,
                     uint64_t directory)
{
    uint32_t flags = RESULT_LOCKTYPE_POSIX;

    if (call->minor == 0 && !state->owner->confirmed)
        flags |= RESULT_CONFIRM;
    nfs4_put_state(call, state);
    nfs4_put_change(call, before, directory);
    xdr_out_u32(call->out, flags);
    nfs4_put_mask(call->out, &request->set);
    nfs4_put_delegation(call, state, request->share);
}

static int v4_open_file(struct nfs4_call *call, struct request *request, struct nfs4_owner *owner)
{
    uint64_t directory = call->current, before = nfs4_change_of(call, directory), node = 0;
    struct nfs4_state *state;
    bool created = false;
    int status = check_request(call, request);

    if (status == NFS4_OK)
        status = request->attributes_status;
    if (status == NFS4_OK && nfs4_states_full(owner->client))
        status = call->minor == 0 ? NFS4ERR_RESOURCE : NFS4ERR_DELAY;
    if (status == NFS4_OK)
        status = open_find_file(call, request, &node, &created);
    if (status == NFS4_OK)
        status = nfs4_share_conflict(call, node, owner, request->access, request->deny);
    if (status != NFS4_OK)
        return status;
    state = nfs4_state_of(owner, node);
    if (!state)
        state = nfs4_state_new(owner->client, NFS4_OPEN, node, owner);
    state->access |= request->access;
    state->deny |= request->deny;
    call->current = node;
    put_open(call, request, state, before, directory);
    return NFS4_OK;
}

int nfs4_open(struct nfs4_call *call)
{
    struct request request;
    struct nfs4_client *client;
    struct nfs4_owner *owner;
    int status;

    if (!open_get_request(call, &request))
        return NFS4ERR_BADXDR;
    status = nfs4_client_of(call, request.client, &client);
    if (status != NFS4_OK)
        return status;
    owner = nfs4_owner_get(client, false, request.owner);
    if (!owner)
        return call->minor == 0 ? NFS4ERR_RESOURCE : NFS4ERR_DELAY;
    drop_unconfirmed(call, owner, request.seqid);
    /* Any error from here on consumes the owner's seqid (RFC 7530 section 9.1.7). */
    status = nfs4_owner_seqid(call, owner, request.seqid);
    return status == NFS4_OK ? v4_open_file(call, &request, owner) : status;
}

/* ---- operations on an open ---- */

/* The open that a stateid names, with the seqid of its owner. */
static int get_open(struct nfs4_call *call, const struct nfs4_stateid *stateid, uint32_t seqid,
                    struct nfs4_state **state)
{
    int status = nfs4_retried(call, stateid, NFS4_OPEN, seqid);

    if (status == NFS4_OK)
        status = nfs4_state_get(call, stateid, NFS4_OPEN, call->current, state);
    return status == NFS4_OK ? nfs4_owner_seqid(call, (*state)->owner, seqid) : status;
}

int nfs4_open_confirm(struct nfs4_call *call)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    struct nfs4_state *state;
    int status = get_open(call, &stateid, nfs_get_u32(call->in), &state);

    if (status != NFS4_OK)
        return status;
    if (state->owner->confirmed)
        return NFS4ERR_BAD_STATEID;
    state->owner->confirmed = true;
    nfs4_put_state(call, state);
    return NFS4_OK;
}

int nfs4_open_downgrade(struct nfs4_call *call)
{
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    struct nfs4_state *state;
    int status = get_open(call, &stateid, nfs_get_u32(call->in), &state);
    const uint32_t access = nfs_get_u32(call->in) & (call->minor > 0 ? ~wants : UINT32_MAX);
    const uint32_t deny = nfs_get_u32(call->in);

    if (status != NFS4_OK)
        return status;
    if (access == 0 || access & ~state->access || deny & ~state->deny)
        return NFS4ERR_INVAL;
    state->access = access;
    state->deny = deny;
    nfs4_put_state(call, state);
    return NFS4_OK;
}

int nfs4_close(struct nfs4_call *call)
{
    static const struct nfs4_stateid none = {.seqid = UINT32_MAX};
    const uint32_t seqid = nfs_get_u32(call->in);
    const struct nfs4_stateid stateid = nfs4_get_stateid(call->in);
    struct nfs4_state *state;
    int status = get_open(call, &stateid, seqid, &state);

    if (status != NFS4_OK)
        return status;
    if (call->minor > 0) {
        /* RFC 8881 section 18.2.4: the returned stateid is invalid. */
        nfs4_state_free(state);
        nfs4_put_stateid(call->out, &none);
        call->has_stateid = false;
        return NFS4_OK;
    }
    nfs4_put_state(call, state);
    nfs4_state_close(state);
    return NFS4_OK;
}
