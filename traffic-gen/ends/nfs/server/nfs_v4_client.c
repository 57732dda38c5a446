// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Clients of NFSv4: SETCLIENTID of minor version 0 (RFC 7530 sections 9.1 and 16.33), EXCHANGE_ID of the others (RFC
 * 8881 sections 2.4 and 18.35), and their leases.
 */
#include "traffic-gen/ends/nfs/server/nfs_v4_internal.h"

/* ---- the table ---- */

struct nfs4_client *nfs4_client_find(struct nfs4 *v4, uint64_t id)
{
    return g_hash_table_lookup(v4->clients, &id);
}

static struct nfs4_client *nfs4_client_named(struct nfs4_call *call, struct nfs_opaque name, bool confirmed)
{
    GHashTableIter iter;
    gpointer p;

    g_hash_table_iter_init(&iter, call->v4->clients);
    while (g_hash_table_iter_next(&iter, NULL, &p)) {
        struct nfs4_client *client = p;
        gsize size;
        const void *octets = g_bytes_get_data(client->name, &size);

        /* Minor version 0 is independent of the others (RFC 8881 section 2.4). */
        if (client->confirmed == confirmed && client->sessions_used == (call->minor > 0) && size == name.n &&
            (size == 0 || memcmp(octets, name.p, size) == 0))
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

/* Makes room for one more, by removing clients that never finished or have gone. */
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

/* NULL: too many clients. */
static struct nfs4_client *nfs4_client_new(struct nfs4_call *call, const uint8_t *verifier, struct nfs_opaque name)
{
    struct nfs4_client *client;

    if (!client_make_room(call))
        return NULL;
    client = g_new0(struct nfs4_client, 1);
    client->v4 = call->v4;
    client->id = (uint64_t)call->v4->boot << 32 | (uint32_t)++call->v4->last_client;
    client->sessions_used = call->minor > 0;
    client->name = g_bytes_new(name.p, name.n);
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

/* A client is removed while a COMPOUND, possibly its own, is served. */
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
    const struct nfs_opaque name = {g_bytes_get_data(client->name, NULL), (uint32_t)g_bytes_get_size(client->name)};
    struct nfs4_client *older;

    if (client->confirmed)
        return;
    /* The client has restarted: what its earlier instance held is dropped. */
    older = nfs4_client_named(call, name, true);
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

int nfs4_client_of(struct nfs4_call *call, uint64_t id, struct nfs4_client **out)
{
    if (call->minor == 0)
        return nfs4_client_of_minor_0(call, id, out);
    *out = call->client;
    return NFS4_OK;
}

/* ---- minor version 0 ---- */

int nfs4_setclientid(struct nfs4_call *call)
{
    /*
     * The address for callbacks follows. No callbacks are made: they would need another connection, over another
     * transport.
     */
    const uint8_t *verifier = nfs_get_fixed(call->in, NFS4_VERIFIER_OCTETS);
    const struct nfs_opaque name = nfs_get_opaque(call->in);
    struct nfs4_client *client = nfs4_client_named(call, name, true), *waiting;

    if (client && client->uid != call->rpc->credentials.uid && client->states.length > 0 &&
        !nfs4_client_expired(client)) {
        /* clientaddr4 of the client that uses the name: unknown here. */
        call->keep_result = true;
        xdr_out_opaque(call->out, "rdma", 4);
        xdr_out_opaque(call->out, "0.0.0.0.0.0", 11);
        return NFS4ERR_CLID_INUSE;
    }
    waiting = nfs4_client_named(call, name, false);
    if (waiting)
        nfs4_client_free(waiting);
    /* The same verifier: the client continues, and has only changed its callback. */
    if (!client || memcmp(client->verifier, verifier, NFS4_VERIFIER_OCTETS) != 0)
        client = nfs4_client_new(call, verifier, name);
    if (!client)
        return NFS4ERR_RESOURCE;
    put_be64(client->confirm, random_next(&call->rpc->server->random));
    xdr_out_u64(call->out, client->id);
    xdr_out_fixed(call->out, client->confirm, NFS4_VERIFIER_OCTETS);
    return NFS4_OK;
}

int nfs4_setclientid_confirm(struct nfs4_call *call)
{
    struct nfs4_client *client = nfs4_client_find(call->v4, nfs_get_u64(call->in));
    const uint8_t *confirm = nfs_get_fixed(call->in, NFS4_VERIFIER_OCTETS);

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
    struct nfs4_client *client;

    return nfs4_client_of_minor_0(call, nfs_get_u64(call->in), &client);
}

/* ---- minor versions 1 and 2 ---- */

enum {
    EXCHANGE_UPDATE = 0x40000000,   /* EXCHGID4_FLAG_UPD_CONFIRMED_REC_A */
    EXCHANGE_NON_PNFS = 0x00010000, /* EXCHGID4_FLAG_USE_NON_PNFS */
    EXCHANGE_KNOWN = 0x40070107,    /* what a client may set: RFC 8881 section 18.35.3 */
    PROTECT_NONE = 0,
    PROTECT_MACH_CRED = 1,
};
static const uint32_t exchange_confirmed = 0x80000000; /* EXCHGID4_FLAG_CONFIRMED_R */

/* A client of that name exists; *anew: it is to be replaced. */
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

/* Section 18.35.4: finds the client, or creates it. */
static int client_choose(struct nfs4_call *call, const uint8_t *verifier, struct nfs_opaque name, bool update,
                         struct nfs4_client **out)
{
    struct nfs4_client *client = nfs4_client_named(call, name, true), *waiting;
    bool anew = true;
    int status = update ? NFS4ERR_NOENT : NFS4_OK;

    if (client)
        status = check_named(call, client, verifier, update, &anew);
    *out = client;
    if (status != NFS4_OK || !anew)
        return status;
    waiting = nfs4_client_named(call, name, false);
    if (waiting)
        nfs4_client_free(waiting);
    *out = nfs4_client_new(call, verifier, name);
    return *out ? NFS4_OK : NFS4ERR_DELAY;
}

int nfs4_exchange_id(struct nfs4_call *call)
{
    static const char implementation_domain[] = "iwarp-kit", implementation_name[] = "iwarp-gen";
    const uint8_t *verifier = nfs_get_fixed(call->in, NFS4_VERIFIER_OCTETS);
    const struct nfs_opaque name = nfs_get_opaque(call->in);
    const uint32_t flags = nfs_get_u32(call->in), protection = nfs_get_u32(call->in);
    uint8_t scope[8];
    struct nfs4_client *client;
    int status;

    /* Section 18.35.3: SP4_MACH_CRED needs RPCSEC_GSS, which is not supported here; nor are SSVs. */
    if (protection != PROTECT_NONE)
        return protection == PROTECT_MACH_CRED ? NFS4ERR_INVAL : NFS4ERR_ENCR_ALG_UNSUPP;
    if (flags & ~(uint32_t)EXCHANGE_KNOWN)
        return NFS4ERR_INVAL;
    status = client_choose(call, verifier, name, flags & EXCHANGE_UPDATE, &client);
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
    struct nfs4_client *client = nfs4_client_find(call->v4, nfs_get_u64(call->in));

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
    int status;

    if (nfs_get_u32(call->in))                              /* one_fs */
        return nfs4_node(call, &status) ? NFS4_OK : status; /* there is one file system, and it does not migrate */
    if (call->client->reclaim_complete)
        return NFS4ERR_COMPLETE_ALREADY;
    call->client->reclaim_complete = true;
    return NFS4_OK;
}
