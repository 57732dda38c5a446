// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The NFS client's side of callbacks (RFC 8881 sections 2.10.6.1, 10.4 and 20): read delegations, kept when files are
 * opened, and Calls from the server that recall them. Recalled delegations are returned at the start of the client's
 * next COMPOUND.
 */
#include "traffic-gen/ends/nfs/client/nfs_client_v4.h"

#include "traffic-gen/ends/nfs/tree/nfs_status.h"
#include "traffic-gen/ends/stack/rpc_header.h"

#include <string.h>

enum {
    CB_NULL = 0,
    CB_COMPOUND = 1,
    CB_VERSION = 1,
    CB_VERSION_OTHER = 4, /* some servers send it */
    OP_CB_FIRST = 3,
    OP_CB_RECALL = 4,
    OP_CB_RECALL_ANY = 8,
    OP_CB_LAST = 15,
    OP_CB_ILLEGAL = 10044,
};

/* ---- delegations ---- */

bool v4_holds_delegations(const struct nfs_client *client)
{
    for (size_t i = 0; i < CLIENT_DELEGATIONS_MAX; i++) {
        if (client->v4.delegations[i].is_held)
            return true;
    }
    return false;
}

void v4_keep_delegation(struct nfs_client *client, const uint8_t stateid[16], const struct client_handle *handle)
{
    struct client_delegation *vacant = NULL;
    unsigned held = 0;

    for (size_t i = 0; i < CLIENT_DELEGATIONS_MAX; i++) {
        struct client_delegation *delegation = &client->v4.delegations[i];

        held += delegation->is_held;
        if (!delegation->is_held)
            vacant = delegation;
    }
    if (!vacant)
        return; /* the server recalls it when it conflicts */
    client->report.delegations++;
    *vacant = (struct client_delegation){.is_held = true, .handle = *handle};
    memcpy(vacant->stateid, stateid, sizeof vacant->stateid);
    /* There is room for only one more: the others are returned, in time for the next. */
    for (size_t i = 0; held + 2 > CLIENT_DELEGATIONS_MAX && i < CLIENT_DELEGATIONS_MAX; i++) {
        if (&client->v4.delegations[i] != vacant)
            client->v4.delegations[i].is_wanted = true;
    }
}

void v4_begin_returns(struct nfs_client *client, const struct client_step *step)
{
    for (size_t i = 0; i < CLIENT_DELEGATIONS_MAX; i++) {
        struct client_delegation *delegation = &client->v4.delegations[i];

        /* Returns all of them at the end. */
        if (delegation->is_held && (delegation->is_wanted || step->kind == STEP_RETURN) && delegation->slot_1 == 0)
            delegation->slot_1 = step->slot + 1;
    }
}

const struct client_delegation *v4_returned(const struct nfs_client *client, const struct client_step *step,
                                            unsigned nth)
{
    for (size_t i = 0; i < CLIENT_DELEGATIONS_MAX; i++) {
        const struct client_delegation *delegation = &client->v4.delegations[i];

        if (delegation->slot_1 == step->slot + 1 && nth-- == 0)
            return delegation;
    }
    return NULL;
}

bool v4_end_returns(struct nfs_client *client, const struct client_step *step, const struct nfs_body *body,
                    unsigned first)
{
    const struct nfs_field *status = NULL;

    for (size_t i = 0; i < CLIENT_DELEGATIONS_MAX; i++) {
        struct client_delegation *delegation = &client->v4.delegations[i];

        if (delegation->slot_1 != step->slot + 1)
            continue;
        delegation->slot_1 = 0;
        if (first >= body->n_ops)
            continue; /* the COMPOUND did not reach it */
        status = nfs_field_find(body, MIN(first + 1, body->n_ops - 1), "status");
        first += 2;
        /* If the server does not accept a delegation back, it has forgotten it, or the file no longer exists. */
        if (status->value != NFS4ERR_DELAY)
            delegation->is_held = false;
    }
    return !status || status->value == NFS4_OK;
}

/* ---- operations of CB_COMPOUND ---- */

static void want_all(struct nfs_client *client)
{
    for (size_t i = 0; i < CLIENT_DELEGATIONS_MAX; i++) {
        client->report.recalls += client->v4.delegations[i].is_held && !client->v4.delegations[i].is_wanted;
        client->v4.delegations[i].is_wanted = client->v4.delegations[i].is_held;
    }
}

/* A CB_COMPOUND while it is served. */
struct callback {
    struct nfs_client *client;
    struct xdr x;
    struct xdr_out *out;
    uint32_t index, n_ops;
    bool in_session, is_retry;
};

static uint32_t callback_recall(struct callback *callback, const struct nfs_results *arguments)
{
    struct nfs_client *client = callback->client;
    uint8_t stateid[16] = {0};

    nfs_results_stateid(arguments, stateid);
    for (size_t i = 0; i < CLIENT_DELEGATIONS_MAX; i++) {
        struct client_delegation *delegation = &client->v4.delegations[i];

        /* The seqid may be older; the octets after it name the delegation. */
        if (!delegation->is_held || memcmp(delegation->stateid + 4, stateid + 4, 12) != 0)
            continue;
        client->report.recalls += !delegation->is_wanted;
        delegation->is_wanted = true;
        return NFS4_OK;
    }
    return NFS4ERR_BAD_STATEID;
}

static uint32_t recall_any(struct callback *callback, const struct nfs_results *arguments)
{
    (void)arguments;
    want_all(callback->client);
    return NFS4_OK;
}

static uint32_t recall_slot(struct callback *callback, const struct nfs_results *arguments)
{
    (void)callback; /* fewer slots may be used, and finally are: nothing needs them */
    (void)arguments;
    return NFS4_OK;
}

/* There is one slot. */
static uint32_t sequence(struct callback *callback, const struct nfs_results *arguments)
{
    struct client_v4 *v4 = &callback->client->v4;
    const uint32_t number = (uint32_t)nfs_results_number(arguments, "sequenceid", 0);
    uint32_t n;
    const uint8_t *session = nfs_results_octets(arguments, "sessionid", &n);

    if (callback->index > 0)
        return NFS4ERR_SEQUENCE_POS;
    if (memcmp(session, v4->session, sizeof v4->session) != 0)
        return NFS4ERR_BADSESSION;
    if (nfs_results_number(arguments, "slotid", 0) != 0)
        return NFS4ERR_BADSLOT;
    callback->is_retry = v4->back_reply && number == v4->back_sequence;
    if (callback->is_retry)
        return NFS4_OK;
    if (number != v4->back_sequence + 1)
        return NFS4ERR_SEQ_MISORDERED;
    v4->back_sequence = number;
    callback->in_session = true;
    xdr_out_fixed(callback->out, session, sizeof v4->session);
    xdr_out_words(callback->out, number, 0, 0, 0); /* slot, highest and target slot */
    return NFS4_OK;
}

static const struct {
    uint32_t number;
    uint32_t (*serve)(struct callback *callback, const struct nfs_results *arguments);
} operations[] = {{NFS_OP_CB_SEQUENCE, sequence},
                  {OP_CB_RECALL, callback_recall},
                  {OP_CB_RECALL_ANY, recall_any},
                  {NFS_OP_CB_RECALL_SLOT, recall_slot}};

static uint32_t callback_serve_op(struct callback *callback, uint32_t number)
{
    struct nfs_results arguments;
    uint32_t status;
    size_t i = 0;

    if (!callback->in_session && number != NFS_OP_CB_SEQUENCE)
        return NFS4ERR_OP_NOT_IN_SESSION;
    while (i < G_N_ELEMENTS(operations) && operations[i].number != number)
        i++;
    if (i == G_N_ELEMENTS(operations))
        return NFS4ERR_NOTSUPP;
    if (nfs_results_read_operation(&arguments, nfs_operation_numbered(number, true), &callback->x))
        status = operations[i].serve(callback, &arguments);
    else
        status = NFS4ERR_BADXDR;
    nfs_results_clear(&arguments);
    return status;
}

static uint32_t callback_next_op(struct callback *callback)
{
    uint32_t number = OP_CB_ILLEGAL, status;
    size_t start = xdr_out_at(callback->out);
    bool is_there = xdr_u32(&callback->x, &number), is_known = number >= OP_CB_FIRST && number <= OP_CB_LAST;

    xdr_out_words(callback->out, is_known ? number : OP_CB_ILLEGAL, NFS4_OK);
    if (!is_there)
        status = NFS4ERR_BADXDR;
    else
        status = is_known ? callback_serve_op(callback, number) : NFS4ERR_OP_ILLEGAL;
    if (status != NFS4_OK)
        xdr_out_cut(callback->out, start + 8);
    xdr_out_set_u32(callback->out, start + 4, status);
    return status;
}

/* The answer to a retry of this Call. */
static void keep_reply(struct callback *callback, size_t start)
{
    struct client_v4 *v4 = &callback->client->v4;

    if (!v4->back_reply)
        v4->back_reply = g_byte_array_new();
    g_byte_array_set_size(v4->back_reply, 0);
    g_byte_array_append(v4->back_reply, callback->out->octets->data + start,
                        (guint)(xdr_out_at(callback->out) - start));
}

static enum rpc_accept_stat callback_serve_compound(struct callback *callback)
{
    struct xdr *x = &callback->x;
    size_t start = xdr_out_at(callback->out), count_at;
    const uint8_t *tag;
    uint32_t n_tag, minor, ident, status = NFS4_OK;

    xdr_opaque(x, &tag, &n_tag);
    xdr_u32(x, &minor);
    xdr_u32(x, &ident);
    if (!xdr_u32(x, &callback->n_ops) || callback->n_ops > xdr_left(x) / 4)
        return RPC_GARBAGE_ARGS;
    xdr_out_u32(callback->out, NFS4_OK);
    xdr_out_opaque(callback->out, tag, n_tag);
    count_at = xdr_out_at(callback->out);
    xdr_out_u32(callback->out, 0);
    if (minor != callback->client->options.minor || minor == 0) {
        xdr_out_set_u32(callback->out, start, NFS4ERR_MINOR_VERS_MISMATCH);
        return RPC_SUCCESS;
    }
    for (; callback->index < callback->n_ops && status == NFS4_OK; callback->index++) {
        status = callback_next_op(callback);
        if (callback->is_retry) {
            xdr_out_cut(callback->out, start);
            xdr_out_fixed(callback->out, callback->client->v4.back_reply->data, callback->client->v4.back_reply->len);
            return RPC_SUCCESS;
        }
    }
    xdr_out_set_u32(callback->out, start, status);
    xdr_out_set_u32(callback->out, count_at, callback->index);
    if (callback->in_session)
        keep_reply(callback, start);
    return RPC_SUCCESS;
}

/* ---- Calls ---- */

bool nfs_client_called(struct nfs_client *client, const struct rpc_end_message *call, struct rpc_end_message *reply)
{
    struct rpc_message header;
    struct rpc_message answer = {.type = RPC_REPLY, .reply_stat = RPC_MSG_ACCEPTED};
    struct callback callback = {.client = client, .x = xdr_begin(call->p, call->n)};
    struct xdr_out out;

    if (rpc_decode(&header, call->p, call->n) != RPC_OK || header.type != RPC_CALL)
        return false;
    answer.xid = header.xid;
    xdr_out_begin(&out);
    rpc_reply_header(&out, &answer);
    callback.out = &out;
    callback.x.at = header.header_len;
    if (header.prog != V4_CALLBACK_PROGRAM || client->options.version != 4 || !client->options.backchannel)
        answer.accept_stat = RPC_PROG_UNAVAIL;
    else if (header.vers != CB_VERSION && header.vers != CB_VERSION_OTHER)
        answer.accept_stat = RPC_PROG_MISMATCH;
    else if (header.proc == CB_COMPOUND)
        answer.accept_stat = callback_serve_compound(&callback);
    else
        answer.accept_stat = header.proc == CB_NULL ? RPC_SUCCESS : RPC_PROC_UNAVAIL;
    answer.low = answer.high = CB_VERSION;
    client->report.callbacks++;
    if (answer.accept_stat != RPC_SUCCESS)
        rpc_reply_header(&out, &answer);
    xdr_out_take(&out, reply);
    return true;
}
