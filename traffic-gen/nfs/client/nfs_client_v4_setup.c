// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How an NFSv4 client introduces itself and takes its leave: SETCLIENTID of minor version 0 (RFC 7530 sections 16.33
 * and 16.34), EXCHANGE_ID and sessions from minor version 1 on (RFC 8881 sections 18.35 to 18.37, 18.50, 18.51).
 */
#include "traffic-gen/nfs/client/nfs_client_v4.h"

#include <string.h>

enum {
    MESSAGE_OVERHEAD = 4096, /* octets of a request or reply besides its data */
    OPERATIONS = 16,
    CALLBACK_MESSAGE = 4096,
    CALLBACK_OPERATIONS = 2,
    CONN_BACK_CHAN = 2, /* CREATE_SESSION4_FLAG_CONN_BACK_CHAN */
};

static void put_owner(const struct nfs_client *client, struct xdr_out *out)
{
    char owner[40];

    g_snprintf(owner, sizeof owner, "iwarp-gen %016" G_GINT64_MODIFIER "x", client->v4.client_verifier);
    xdr_out_opaque(out, owner, (uint32_t)strlen(owner));
}

/* ---- minor version 0 ---- */

CLIENT_PUT(v4_put_setclientid)
{
    static const char netid[] = "rdma", nowhere[] = "0.0.0.0.0.0";

    v4_begin_plain(client, out);
    v4_op(client, out, NFS_OP_SETCLIENTID);
    xdr_out_u64(out, client->v4.client_verifier);
    put_owner(client, out);
    /* Nobody listens for callbacks, so there are no delegations. */
    xdr_out_u32(out, V4_CALLBACK_PROGRAM);
    xdr_out_opaque(out, netid, sizeof netid - 1);
    xdr_out_opaque(out, nowhere, sizeof nowhere - 1);
    xdr_out_u32(out, 0);
}

CLIENT_GET(v4_get_setclientid)
{
    if (!v4_get_begin_plain(x, answer) || !v4_get_op(x, NFS_OP_SETCLIENTID, answer))
        return;
    xdr_u64(x, &client->v4.client_id);
    xdr_u64(x, &client->v4.confirm);
}

CLIENT_PUT(v4_put_confirm)
{
    v4_begin_plain(client, out);
    v4_op(client, out, V4_OP_SETCLIENTID_CONFIRM);
    xdr_out_u64(out, client->v4.client_id);
    xdr_out_u64(out, client->v4.confirm);
}

/* ---- minor version 1 and later ---- */

CLIENT_PUT(v4_put_exchange_id)
{
    v4_begin_plain(client, out);
    v4_op(client, out, NFS_OP_EXCHANGE_ID);
    xdr_out_u64(out, client->v4.client_verifier);
    put_owner(client, out);
    xdr_out_u32(out, 0); /* flags */
    xdr_out_u32(out, 0); /* SP4_NONE */
    xdr_out_u32(out, 0); /* no implementation id */
}

CLIENT_GET(v4_get_exchange_id)
{
    if (!v4_get_begin_plain(x, answer) || !v4_get_op(x, NFS_OP_EXCHANGE_ID, answer))
        return;
    xdr_u64(x, &client->v4.client_id);
    xdr_u32(x, &client->v4.sequence);
}

static void put_channel(struct xdr_out *out, uint32_t message, uint32_t operations, uint32_t requests)
{
    xdr_out_u32(out, 0); /* header padding */
    xdr_out_words(out, message, message);
    xdr_out_u32(out, 0); /* nothing is cached */
    xdr_out_words(out, operations, requests);
    xdr_out_u32(out, 0); /* no IRD */
}

CLIENT_PUT(v4_put_create_session)
{
    uint32_t io = MAX(client->read_max, client->write_max);

    v4_begin_plain(client, out);
    v4_op(client, out, NFS_OP_CREATE_SESSION);
    xdr_out_u64(out, client->v4.client_id);
    xdr_out_words(out, client->v4.sequence, client->options.backchannel ? CONN_BACK_CHAN : 0);
    put_channel(out, io > UINT32_MAX - MESSAGE_OVERHEAD ? UINT32_MAX : io + MESSAGE_OVERHEAD, OPERATIONS,
                client->options.depth);
    put_channel(out, CALLBACK_MESSAGE, CALLBACK_OPERATIONS, 1);
    xdr_out_words(out, V4_CALLBACK_PROGRAM, 1, RPC_AUTH_NONE);
}

CLIENT_GET(v4_get_create_session)
{
    const uint8_t *p;
    uint32_t words[6] = {0}, ird = 0;

    if (!v4_get_begin_plain(x, answer) || !v4_get_op(x, NFS_OP_CREATE_SESSION, answer))
        return;
    p = x->p + x->at;
    if (xdr_skip(x, sizeof client->v4.session))
        memcpy(client->v4.session, p, sizeof client->v4.session);
    xdr_skip(x, 8); /* csr_sequence, csr_flags */
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        xdr_u32(x, &words[i]);
    xdr_u32(x, &ird);
    if (x->failed)
        return;
    /* What the server grants: messages, and slots. */
    client->write_max = MIN(client->write_max, words[1] > MESSAGE_OVERHEAD ? words[1] - MESSAGE_OVERHEAD : 1);
    client->read_max = MIN(client->read_max, words[2] > MESSAGE_OVERHEAD ? words[2] - MESSAGE_OVERHEAD : 1);
    client->options.depth = CLAMP(words[5], 1, client->options.depth);
}

CLIENT_PUT(v4_put_reclaim_complete)
{
    v4_begin(client, step, out);
    v4_op(client, out, V4_OP_RECLAIM_COMPLETE);
    xdr_out_bool(out, false);
}

CLIENT_GET(v4_get_reclaim_complete)
{
    if (v4_get_begin(client, step, x, answer))
        v4_get_op(x, V4_OP_RECLAIM_COMPLETE, answer);
}

/* All delegations: v4_begin() returns recalled ones. */
CLIENT_PUT(v4_put_return)
{
    for (size_t i = 0; i < CLIENT_DELEGATIONS_MAX; i++)
        client->v4.delegations[i].is_wanted = true;
    v4_begin(client, step, out);
}

CLIENT_GET(v4_get_return)
{
    v4_get_begin(client, step, x, answer);
}

CLIENT_PUT(v4_put_destroy_session)
{
    v4_begin_plain(client, out);
    v4_op(client, out, NFS_OP_DESTROY_SESSION);
    xdr_out_fixed(out, client->v4.session, sizeof client->v4.session);
}

CLIENT_PUT(v4_put_destroy_client)
{
    v4_begin_plain(client, out);
    v4_op(client, out, V4_OP_DESTROY_CLIENTID);
    xdr_out_u64(out, client->v4.client_id);
}

/* The status of the operation that the COMPOUND consists of. */
CLIENT_GET(v4_get_done_plain)
{
    if (v4_get_begin_plain(x, answer))
        v4_get_op(x, client->dialect->rpcs[step->kind].op, answer);
}
