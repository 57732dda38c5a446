// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients of NFSv4: SETCLIENTID of minor version 0 (RFC 7530 sections 9.1 and 16.33), EXCHANGE_ID of the others (RFC
 * 8881 sections 2.4 and 18.35), and their leases.
 */
#include "traffic-gen/nfs/server/nfs_v4_internal.h"

/* ---- the table ---- */

struct nfs4_client *nfs4_client_find(struct nfs4 *v4, uint64_t id)
{
    return g_hash_table_lookup(v4->clients, &id);
}

static struct nfs4_client *nfs4_client_named(struct nfs4_call *call, const uint8_t *name, uint32_t n, bool confirmed)
{
    GHashTableIter iter;
    gpointer p;

    g_hash_table_iter_init(&iter, call->v4->clients);
    while (g_hash_table_iter_next(&iter, NULL, &p)) {
        struct nfs4_client *client = p;
        gsize size;
        const void *octets = g_bytes_get_data(client->name, &size);

        /* Minor version 0 and the others are independent of each other (RFC 8881 section 2.4). */
        if (client->confirmed == confirmed && client->sessions_used == (call->minor > 0) && size == n &&
            (n == 0 || memcmp(octets, name, n) == 0))
            return client;
    }
    return NULL;
}

bool nfs4_client_expired(const struct nfs4_client *client)
{
    const struct nfs_server *server = client->v4->server;

    return nfs_now(server) - client->renewed > (int64_t)server->options.lease_s * G_GINT64_CONSTANT(1000000000);
}

void nfs4_client_renew(struct nfs4_client *client)
{
    client->renewed = nfs_now(client->v4->server);
}

/* Room for one more; clients that never finished or are gone make it. */
static bool client_make_room(struct nfs4_call *call)
{
    struct nfs4_client *victim = NULL;
    GHashTableIter iter;
    gpointer p;

    if (g_hash_table_size(call->v4->clients) < NFS4_CLIENTS_MAX)
        return true;
    g_hash_table_iter_init(&iter, call->v4->clients);
    while (g_hash_table_iter_next(&iter, NULL, &p)) {
        struct nfs4_client *client = p;

        if (client != call->client && (!client->confirmed || nfs4_client_expired(client)) &&
            (!victim || client->renewed < victim->renewed))
            victim = client;
    }
    if (victim)
        nfs4_client_free(victim);
    return victim != NULL;
}

/* NULL: too many. */
static struct nfs4_client *nfs4_client_new(struct nfs4_call *call, const uint8_t *verifier, const uint8_t *name,
                                           uint32_t n)
{
    struct nfs4_client *client;

    if (!client_make_room(call))
        return NULL;
    client = g_new0(struct nfs4_client, 1);
    client->v4 = call->v4;
    client->id = (uint64_t)call->v4->boot << 32 | (uint32_t)++call->v4->last_client;
    client->sessions_used = call->minor > 0;
    client->name = g_bytes_new(name, n);
    memcpy(client->verifier, verifier, NFS4_VERIFIER_OCTETS);
    client->uid = call->rpc->credentials.uid;
    client->owners = g_hash_table_new(g_bytes_hash, g_bytes_equal);
    client->sequence = 1;
    nfs4_client_renew(client);
    g_hash_table_insert(call->v4->clients, &client->id, client);
    return client;
}

void nfs4_client_free(struct nfs4_client *client)
{
    GHashTableIter iter;
    gpointer owner;

    while (client->states.head)
        nfs4_state_free(client->states.head->data);
    for (g_hash_table_iter_init(&iter, client->owners); g_hash_table_iter_next(&iter, NULL, &owner);
         g_hash_table_iter_init(&iter, client->owners))
        nfs4_owner_free(owner);
    while (client->sessions.head)
        nfs4_session_free(client->sessions.head->data);
    g_hash_table_remove(client->v4->clients, &client->id);
    g_hash_table_unref(client->owners);
    g_bytes_unref(client->name);
    if (client->created)
        g_byte_array_unref(client->created);
    g_free(client);
}

/* A client is removed while a COMPOUND is served, possibly its own. */
static void client_forget(struct nfs4_call *call, struct nfs4_client *client)
{
    if (call->client == client) {
        call->client = NULL;
        call->session = NULL;
        call->slot = NULL;
        call->cache_this = false;
    }
    nfs4_client_free(client);
}

void nfs4_client_confirm(struct nfs4_call *call, struct nfs4_client *client)
{
    gsize n;
    const uint8_t *name = g_bytes_get_data(client->name, &n);
    struct nfs4_client *older;

    if (client->confirmed)
        return;
    /* The client has restarted: what its earlier instance held is gone. */
    older = nfs4_client_named(call, name, (uint32_t)n, true);
    if (older)
        client_forget(call, older);
    client->confirmed = true;
}

int nfs4_client_of_minor_0(struct nfs4_call *call, uint64_t id, struct nfs4_client **out)
{
    struct nfs4_client *client = nfs4_client_find(call->v4, id);

    *out = NULL;
    if (!client || !client->confirmed || client->sessions_used)
        return NFS4ERR_STALE_CLIENTID;
    nfs4_client_renew(client);
    *out = client;
    return NFS4_OK;
}

/* ---- minor version 0 ---- */

static void new_confirm(struct nfs4_client *client)
{
    put_be64(client->confirm, random_next(&client->v4->server->random));
}

int nfs4_setclientid(struct nfs4_call *call)
{
    const uint8_t *verifier, *name, *text;
    uint32_t n, n_text, program, ident;
    struct nfs4_client *client, *waiting;

    verifier = nfs4_get_fixed(call->in, NFS4_VERIFIER_OCTETS);
    xdr_opaque(call->in, &name, &n);
    /* Where callbacks could go. None are made: that would need another connection, over another transport. */
    xdr_u32(call->in, &program);
    xdr_opaque(call->in, &text, &n_text);
    xdr_opaque(call->in, &text, &n_text);
    if (!xdr_u32(call->in, &ident) || n > NFS4_OPAQUE_LIMIT)
        return NFS4ERR_BADXDR;
    client = nfs4_client_named(call, name, n, true);
    if (client && client->uid != call->rpc->credentials.uid && client->states.length > 0 &&
        !nfs4_client_expired(client)) {
        /* clientaddr4 of the client that uses it: unknown here. */
        call->keep_result = true;
        xdr_out_opaque(call->out, "rdma", 4);
        xdr_out_opaque(call->out, "0.0.0.0.0.0", 11);
        return NFS4ERR_CLID_INUSE;
    }
    waiting = nfs4_client_named(call, name, n, false);
    if (waiting)
        nfs4_client_free(waiting);
    /* The same verifier: the client continues, and has only changed its callback. */
    if (!client || memcmp(client->verifier, verifier, NFS4_VERIFIER_OCTETS) != 0)
        client = nfs4_client_new(call, verifier, name, n);
    if (!client)
        return NFS4ERR_RESOURCE;
    new_confirm(client);
    xdr_out_u64(call->out, client->id);
    xdr_out_fixed(call->out, client->confirm, NFS4_VERIFIER_OCTETS);
    return NFS4_OK;
}

int nfs4_setclientid_confirm(struct nfs4_call *call)
{
    uint64_t id;
    const uint8_t *confirm;
    struct nfs4_client *client;

    xdr_u64(call->in, &id);
    confirm = nfs4_get_fixed(call->in, NFS4_VERIFIER_OCTETS);
    if (!confirm)
        return NFS4ERR_BADXDR;
    client = nfs4_client_find(call->v4, id);
    if (!client || client->sessions_used || memcmp(client->confirm, confirm, NFS4_VERIFIER_OCTETS) != 0)
        return NFS4ERR_STALE_CLIENTID;
    if (client->uid != call->rpc->credentials.uid)
        return NFS4ERR_CLID_INUSE;
    nfs4_client_confirm(call, client);
    nfs4_client_renew(client);
    return NFS4_OK;
}

int nfs4_renew(struct nfs4_call *call)
{
    uint64_t id;
    struct nfs4_client *client;

    return xdr_u64(call->in, &id) ? nfs4_client_of_minor_0(call, id, &client) : NFS4ERR_BADXDR;
}

/* ---- minor versions 1 and 2 ---- */

enum {
    EXCHANGE_UPDATE = 0x40000000,   /* EXCHGID4_FLAG_UPD_CONFIRMED_REC_A */
    EXCHANGE_NON_PNFS = 0x00010000, /* EXCHGID4_FLAG_USE_NON_PNFS */
    EXCHANGE_KNOWN = 0x40070107,    /* what a client may set: RFC 8881 section 18.35.3 */
    PROTECT_NONE = 0,
    PROTECT_MACH_CRED = 1,
    PROTECT_SSV = 2,
};
static const uint32_t exchange_confirmed = 0x80000000; /* EXCHGID4_FLAG_CONFIRMED_R */

static void skip_masks(struct xdr *in)
{
    struct nfs4_mask mask;
    bool unknown;

    nfs4_get_mask(in, &mask, &unknown);
    nfs4_get_mask(in, &mask, &unknown);
}

static void skip_opaques(struct xdr *in)
{
    const uint8_t *p;
    uint32_t n = 0, length;

    xdr_u32(in, &n);
    while (n-- > 0 && xdr_opaque(in, &p, &length))
        ;
}

/* state_protect4_a: decoded as far as needed to refuse it. */
static int get_protection(struct nfs4_call *call)
{
    struct xdr *in = call->in;
    uint32_t how, ignored;

    if (!xdr_u32(in, &how) || how > PROTECT_SSV)
        return NFS4ERR_BADXDR;
    if (how != PROTECT_NONE)
        skip_masks(in);
    if (how == PROTECT_SSV) {
        skip_opaques(in);
        skip_opaques(in);
        xdr_u32(in, &ignored);
        xdr_u32(in, &ignored);
    }
    if (in->failed)
        return NFS4ERR_BADXDR;
    /* Section 18.35.3: SP4_MACH_CRED needs RPCSEC_GSS, which is not supported here; nor are SSVs. */
    return how == PROTECT_MACH_CRED ? NFS4ERR_INVAL : how == PROTECT_SSV ? NFS4ERR_ENCR_ALG_UNSUPP : NFS4_OK;
}

static bool skip_implementation(struct xdr *in)
{
    const uint8_t *p;
    uint32_t n = 0, length;

    if (!xdr_u32(in, &n) || n > 1)
        return false;
    if (n == 0)
        return true;
    xdr_opaque(in, &p, &length);
    xdr_opaque(in, &p, &length);
    return xdr_skip(in, 12);
}

/* There is one of that name; *anew: it is meant to be replaced. */
static int check_named(const struct nfs4_call *call, const struct nfs4_client *client, const uint8_t *verifier,
                       bool update, bool *anew)
{
    bool same = memcmp(client->verifier, verifier, NFS4_VERIFIER_OCTETS) == 0;
    bool mine = client->uid == call->rpc->credentials.uid;

    *anew = false;
    if (update)
        return !same ? NFS4ERR_NOT_SAME : mine ? NFS4_OK : NFS4ERR_PERM;
    if (mine && same)
        return NFS4_OK;
    if (!mine && client->states.length > 0 && !nfs4_client_expired(client))
        return NFS4ERR_CLID_INUSE;
    *anew = true;
    return NFS4_OK;
}

/* Section 18.35.4: which client is meant, or made. */
static int client_choose(struct nfs4_call *call, const uint8_t *verifier, const uint8_t *name, uint32_t n, bool update,
                         struct nfs4_client **out)
{
    struct nfs4_client *client = nfs4_client_named(call, name, n, true), *waiting;
    bool anew = true;
    int status = update ? NFS4ERR_NOENT : NFS4_OK;

    if (client)
        status = check_named(call, client, verifier, update, &anew);
    *out = client;
    if (status != NFS4_OK || !anew)
        return status;
    waiting = nfs4_client_named(call, name, n, false);
    if (waiting)
        nfs4_client_free(waiting);
    *out = nfs4_client_new(call, verifier, name, n);
    return *out ? NFS4_OK : NFS4ERR_DELAY;
}

int nfs4_exchange_id(struct nfs4_call *call)
{
    static const char implementation_domain[] = "iwarp-kit", implementation_name[] = "iwarp-gen";
    const uint8_t *verifier, *name;
    uint32_t n, flags = 0;
    uint8_t scope[8];
    struct nfs4_client *client;
    int status;

    verifier = nfs4_get_fixed(call->in, NFS4_VERIFIER_OCTETS);
    xdr_opaque(call->in, &name, &n);
    xdr_u32(call->in, &flags);
    if (call->in->failed || n > NFS4_OPAQUE_LIMIT)
        return NFS4ERR_BADXDR;
    status = get_protection(call);
    if (status == NFS4ERR_BADXDR || !skip_implementation(call->in))
        return NFS4ERR_BADXDR;
    if (status == NFS4_OK && flags & ~(uint32_t)EXCHANGE_KNOWN)
        status = NFS4ERR_INVAL;
    if (status == NFS4_OK)
        status = client_choose(call, verifier, name, n, flags & EXCHANGE_UPDATE, &client);
    if (status != NFS4_OK)
        return status;
    put_be64(scope, call->rpc->server->instance);
    xdr_out_u64(call->out, client->id);
    xdr_out_words(call->out, client->sequence, EXCHANGE_NON_PNFS | (client->confirmed ? exchange_confirmed : 0),
                  PROTECT_NONE);
    xdr_out_u64(call->out, 0); /* server_owner4: minor id, major id */
    xdr_out_opaque(call->out, scope, sizeof scope);
    xdr_out_opaque(call->out, scope, sizeof scope);
    xdr_out_u32(call->out, 1);
    xdr_out_opaque(call->out, implementation_domain, sizeof implementation_domain - 1);
    xdr_out_opaque(call->out, implementation_name, sizeof implementation_name - 1);
    xdr_out_u64(call->out, 0);
    xdr_out_u32(call->out, 0);
    return NFS4_OK;
}

int nfs4_destroy_clientid(struct nfs4_call *call)
{
    uint64_t id;
    struct nfs4_client *client;

    if (!xdr_u64(call->in, &id))
        return NFS4ERR_BADXDR;
    client = nfs4_client_find(call->v4, id);
    if (!client || !client->sessions_used)
        return NFS4ERR_STALE_CLIENTID;
    nfs4_states_forget_gone(client);
    if (client == call->client || client->sessions.length > 0 || client->states.length > 0)
        return NFS4ERR_CLIENTID_BUSY;
    nfs4_client_free(client);
    return NFS4_OK;
}

int nfs4_reclaim_complete(struct nfs4_call *call)
{
    bool one_fs;
    int status;

    if (!nfs4_get_bool(call->in, &one_fs))
        return NFS4ERR_BADXDR;
    if (one_fs)
        return nfs4_node(call, &status) ? NFS4_OK : status; /* there is one file system, and none migrates */
    if (call->client->reclaim_complete)
        return NFS4ERR_COMPLETE_ALREADY;
    call->client->reclaim_complete = true;
    return NFS4_OK;
}
