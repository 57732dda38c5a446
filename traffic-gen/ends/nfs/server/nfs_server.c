// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The RPC part of the NFS server: from a Call's header to its procedure, and all ways to reject a Call (RFC 5531
 * section 9).
 */
#include "traffic-gen/ends/nfs/server/nfs_server.h"

#include "traffic-gen/ends/nfs/server/nfs_server_internal.h"
#include "traffic-gen/ends/stack/rpc_header.h"

static const struct nfs_version *const versions[] = {&nfs_v2,       &nfs_v3,       &nfs_v4,
                                                     &nfs_mount_v1, &nfs_mount_v3, &nfs_acl_v3};

enum { AUTH_STAT_BADCRED = 1, MACHINE_MAX = 255 }; /* RFC 5531 section 8.2, appendix A */

/* ---- life ---- */

struct nfs_server *nfs_server_new(const struct nfs_server_options *options)
{
    struct nfs_server *server = g_new0(struct nfs_server, 1);

    server->options = *options;
    if (server->options.io_max == 0)
        server->options.io_max = NFS_IO_MAX_DEFAULT;
    if (server->options.grace_s == 0)
        server->options.grace_s = 1;
    if (server->options.lease_s == 0)
        server->options.lease_s = 90;
    server->tree = options->tree;
    server->random.state = options->seed;
    server->instance = random_next(&server->random);
    server->verifier = random_next(&server->random);
    server->mounts = g_ptr_array_new_with_free_func(nfs_mount_entry_free);
    server->acls = options->acls ? nfs_acls_new() : NULL;
    nfs4_begin(server);
    return server;
}

void nfs_server_restart(struct nfs_server *server)
{
    if (!server->options.keeps_verifier)
        server->verifier = random_next(&server->random);
    nfs4_restart(server);
}

void nfs_server_free(struct nfs_server *server)
{
    if (!server)
        return;
    nfs4_end(server);
    g_ptr_array_unref(server->mounts);
    if (server->acls)
        g_hash_table_unref(server->acls);
    g_free(server);
}

struct nfs_peer *nfs_peer_new(struct nfs_server *server, const struct nfs_peer_events *events)
{
    struct nfs_peer *peer = g_new0(struct nfs_peer, 1);

    peer->server = server;
    if (events)
        peer->events = *events;
    return peer;
}

void nfs_peer_free(struct nfs_peer *peer)
{
    if (peer)
        nfs4_peer_gone(peer);
    g_free(peer);
}

int64_t nfs_now(const struct nfs_server *server)
{
    return server->options.now(server->options.ctx);
}

/* ---- arguments ---- */

uint32_t nfs_get_u32(struct xdr *in)
{
    uint32_t v = 0;

    xdr_u32(in, &v);
    return v;
}

uint64_t nfs_get_u64(struct xdr *in)
{
    uint64_t v = 0;

    xdr_u64(in, &v);
    return v;
}

struct nfs_opaque nfs_get_opaque(struct xdr *in)
{
    const uint8_t *p = in->p;
    uint32_t n = 0;

    xdr_opaque(in, &p, &n);
    return (struct nfs_opaque){p, n};
}

const uint8_t *nfs_get_fixed(struct xdr *in, uint32_t n)
{
    static const uint8_t nothing[32];
    const uint8_t *p = in->p + in->at;

    return xdr_skip(in, n) ? p : nothing;
}

/* ---- file handles and permissions ---- */

void nfs_handle_encode(const struct nfs_server *server, uint64_t id, uint8_t out[NFS_HANDLE_OCTETS])
{
    put_be64(out, server->instance);
    put_be64(out + 8, id);
}

void nfs_put_handle(struct nfs_call *call, uint64_t id)
{
    uint8_t handle[NFS_HANDLE_OCTETS];

    nfs_handle_encode(call->server, id, handle);
    xdr_out_opaque(call->out, handle, sizeof handle);
}

uint32_t nfs_handle_decode(const struct nfs_server *server, const uint8_t *p, uint32_t n, uint64_t *id)
{
    if (n != NFS_HANDLE_OCTETS || get_be64(p) != server->instance)
        return NFS_STATUS_BADHANDLE;
    *id = get_be64(p + 8);
    return nfs_tree_get(server->tree, *id) ? NFS_TREE_OK : NFS_TREE_STALE;
}

bool nfs_is_in_group(const struct nfs_credentials *credentials, uint32_t gid)
{
    if (credentials->gid == gid)
        return true;
    for (unsigned i = 0; i < credentials->n_groups; i++)
        if (credentials->groups[i] == gid)
            return true;
    return false;
}

bool nfs_may(const struct nfs_call *call, const struct nfs_node *node, unsigned what)
{
    const bool is_owner = call->credentials.uid == node->uid;
    unsigned shift = is_owner ? 6 : nfs_is_in_group(&call->credentials, node->gid) ? 3 : 0;
    bool may;

    if (call->credentials.uid == 0)
        return true;
    return !is_owner && nfs_acl_may(call, node, what, &may) ? may : (node->mode >> shift & what) == what;
}

bool nfs_owns(const struct nfs_call *call, const struct nfs_node *node)
{
    return call->credentials.uid == 0 || call->credentials.uid == node->uid;
}

bool nfs_next_entry(const struct nfs_server *server, uint64_t dir, uint64_t cookie, struct nfs_entry *entry)
{
    const struct nfs_node *node = nfs_tree_get(server->tree, dir);

    if (!node)
        return false;
    if (cookie < 2) {
        *entry = (struct nfs_entry){.cookie = cookie + 1, .id = cookie == 0 ? dir : node->parent};
        entry->name = "..";
        entry->n = entry->cookie;
        return true;
    }
    return nfs_tree_next(server->tree, dir, cookie, &entry->cookie, &entry->name, &entry->n, &entry->id);
}

/* ---- Calls ---- */

/* RFC 5531 section 8.1 and appendix A. False: the credential is unusable. */
static bool read_credentials(const uint8_t *message, const struct rpc_auth *cred, struct nfs_credentials *out)
{
    struct xdr x = xdr_begin(message + cred->at, cred->length);
    const uint8_t *machine;
    uint32_t stamp;

    *out = (struct nfs_credentials){.flavor = cred->flavor, .uid = NFS_NOBODY, .gid = NFS_NOBODY};
    if (cred->flavor == RPC_AUTH_NONE)
        return true;
    if (cred->flavor != RPC_AUTH_SYS)
        return false;
    xdr_u32(&x, &stamp);
    if (!xdr_opaque(&x, &machine, &out->machine_n) || out->machine_n > MACHINE_MAX)
        return false;
    out->machine = (const char *)machine;
    xdr_u32(&x, &out->uid);
    xdr_u32(&x, &out->gid);
    if (!xdr_u32(&x, &out->n_groups) || out->n_groups > NFS_GROUPS_MAX)
        return false;
    for (unsigned i = 0; i < out->n_groups; i++)
        xdr_u32(&x, &out->groups[i]);
    return !x.failed && xdr_left(&x) == 0;
}

static const struct nfs_version *find_version(const struct nfs_server *server, const struct rpc_message *header,
                                              struct rpc_message *reply)
{
    bool known = false;

    for (size_t i = 0; i < G_N_ELEMENTS(versions); i++) {
        if (versions[i]->program != header->prog || (versions[i] == &nfs_acl_v3 && !server->acls))
            continue;
        if (versions[i]->version == header->vers)
            return versions[i];
        reply->low = known ? MIN(reply->low, versions[i]->version) : versions[i]->version;
        reply->high = MAX(reply->high, versions[i]->version);
        known = true;
    }
    reply->accept_stat = known ? RPC_PROG_MISMATCH : RPC_PROG_UNAVAIL;
    return NULL;
}

static void server_serve(struct nfs_call *call, struct rpc_message *reply)
{
    const struct rpc_message *header = call->header;
    const struct nfs_version *version = find_version(call->server, header, reply);
    const struct nfs_procedure *procedure = nfs_procedure_find(header->prog, header->vers, header->proc);
    struct nfs_walk_result walk;

    if (!version)
        return;
    if (!procedure || header->proc >= version->n_procedures) {
        reply->accept_stat = RPC_PROC_UNAVAIL;
        return;
    }
    rpc_reply_header(call->out, reply);
    /* The operations of a COMPOUND are checked one by one. */
    call->garbage = !procedure->compound && nfs_walk(procedure, false, call->in.p + call->in.at, xdr_left(&call->in), 0,
                                                     NULL, &walk) != NFS_WALK_OK;
    if (!call->garbage && version->procedures[header->proc])
        version->procedures[header->proc](call);
    if (call->garbage)
        reply->accept_stat = RPC_GARBAGE_ARGS;
}

bool nfs_server_call(struct nfs_peer *peer, const struct rpc_end_message *message, size_t room,
                     struct rpc_end_message *reply)
{
    struct rpc_message header;
    enum rpc_status status = rpc_decode(&header, message->p, message->n);
    struct rpc_message answer = {.xid = header.xid, .type = RPC_REPLY, .reply_stat = RPC_MSG_ACCEPTED};
    struct nfs_call call = {
        .server = peer->server, .peer = peer, .header = &header, .room = room == 0 ? SIZE_MAX : room};
    struct xdr_out out;

    /* Octets without a header, or other messages than Calls, cannot be answered. */
    if (status == RPC_SHORT || status == RPC_BAD_TYPE || header.type != RPC_CALL)
        return false;
    if (status == RPC_BAD_VALUE) {
        answer.reply_stat = RPC_MSG_DENIED;
        answer.reject_stat = header.rpcvers != RPC_VERSION ? RPC_MISMATCH : RPC_AUTH_ERROR;
        answer.low = answer.high = RPC_VERSION;
        answer.auth_stat = AUTH_STAT_BADCRED;
    } else if (!read_credentials(message->p, &header.cred, &call.credentials)) {
        answer.reply_stat = RPC_MSG_DENIED;
        answer.reject_stat = RPC_AUTH_ERROR;
        answer.auth_stat = AUTH_STAT_BADCRED;
    }
    xdr_out_begin(&out);
    call.out = &out;
    call.in = xdr_begin(message->p, message->n);
    if (answer.reply_stat == RPC_MSG_ACCEPTED) {
        call.in.at = header.header_len;
        server_serve(&call, &answer);
    }
    if (answer.reply_stat != RPC_MSG_ACCEPTED || answer.accept_stat != RPC_SUCCESS)
        rpc_reply_header(&out, &answer);
    xdr_out_take(&out, reply);
    nfs4_send_callbacks(peer->server);
    return true;
}

bool nfs_server_may_change(struct nfs_server *server, uint64_t node)
{
    bool may = !nfs4_delegated(server, node, true);

    nfs4_send_callbacks(server);
    return may;
}
