// SPDX-License-Identifier: GPL-2.0-or-later
/* The NFS client's COMPOUNDs on open files and what is in them, of all minor versions. */
#include "traffic-gen/nfs/client/nfs_client_v4.h"

#include <string.h>

enum {
    UNCHECKED = 0,
    CLAIM_NULL = 0,
    SHARE_READ = 1,
    SHARE_BOTH = 3,
    WANT_READ_DELEG = 0x100, /* RFC 8881 section 18.16.3: from minor version 1 on */
    WANT_NO_DELEG = 0x400,
    RESULT_CONFIRM = 2,
};

static void put_stateid(const struct nfs_client *client, struct xdr_out *out)
{
    xdr_out_fixed(out, client->v4.stateid, sizeof client->v4.stateid);
}

static void get_stateid(struct nfs_client *client, struct xdr *x)
{
    const uint8_t *p = x->p + x->at;

    if (xdr_skip(x, sizeof client->v4.stateid))
        memcpy(client->v4.stateid, p, sizeof client->v4.stateid);
}

static void skip_change_info(struct xdr *x)
{
    xdr_skip(x, 20);
}

static void put_open(struct nfs_client *client, const struct client_step *step, struct xdr_out *out, bool is_create)
{
    const bool sessions = client->options.minor > 0, wants = sessions && client->options.backchannel && !is_create;
    uint8_t owner[8];

    put_be64(owner, client->v4.client_verifier);
    v4_begin_op(client, step, out, NFS_OP_OPEN);
    xdr_out_words(out, client->options.minor == 0 ? client->v4.open_seq : 0,
                  (is_create ? SHARE_BOTH : SHARE_READ) | (wants      ? WANT_READ_DELEG
                                                           : sessions ? WANT_NO_DELEG
                                                                      : 0));
    xdr_out_u32(out, 0); /* no share is denied */
    /* A session knows its client: the server ignores this one (RFC 8881 section 18.16.3). */
    xdr_out_u64(out, client->v4.client_id);
    xdr_out_opaque(out, owner, sizeof owner);
    xdr_out_bool(out, is_create);
    if (is_create) {
        xdr_out_u32(out, UNCHECKED);
        v4_put_mode(out, 0644);
    }
    xdr_out_u32(out, CLAIM_NULL);
    client_put_name(out, &step->name);
    v4_op(client, out, V4_OP_GETFH);
}

CLIENT_PUT(v4_put_create)
{
    put_open(client, step, out, true);
}

CLIENT_PUT(v4_put_open_file)
{
    put_open(client, step, out, false);
}

/* Statuses of operations that carry the owner's seqid but do not consume it: RFC 7530 section 9.1.7. */
static bool keeps_seqid(uint32_t status)
{
    static const uint32_t statuses[] = {10022, 10023, 10025, 10026, 10036, 10018, 10019, 10020};

    for (size_t i = 0; i < G_N_ELEMENTS(statuses); i++)
        if (statuses[i] == status)
            return true;
    return false;
}

/* An operation with the open-owner's seqid in minor version 0. */
static bool get_seqid_op(struct nfs_client *client, struct xdr *x, uint32_t op, struct client_answer *answer)
{
    bool ok = v4_get_op(x, op, answer);

    if (!x->failed && !keeps_seqid(answer->status))
        client->v4.open_seq++;
    return ok;
}

CLIENT_GET(v4_get_open)
{
    uint32_t flags = 0, words[2];
    uint8_t stateid[16];
    bool delegated;

    if (!v4_get_begin_on(client, step, x, answer) || !get_seqid_op(client, x, NFS_OP_OPEN, answer))
        return;
    get_stateid(client, x);
    skip_change_info(x);
    xdr_u32(x, &flags);
    v4_get_bitmap(x, words);
    delegated = v4_get_delegation(x, stateid);
    answer->needs_confirm = client->options.minor == 0 && flags & RESULT_CONFIRM;
    v4_get_handle(x, answer);
    if (delegated && !x->failed)
        v4_keep_delegation(client, stateid, &answer->handle);
}

CLIENT_PUT(v4_put_open_confirm)
{
    v4_begin_op(client, step, out, V4_OP_OPEN_CONFIRM);
    put_stateid(client, out);
    xdr_out_u32(out, client->v4.open_seq);
}

CLIENT_GET(v4_get_open_confirm)
{
    if (v4_get_begin_on(client, step, x, answer) && get_seqid_op(client, x, V4_OP_OPEN_CONFIRM, answer))
        get_stateid(client, x);
}

CLIENT_PUT(v4_put_close)
{
    v4_begin_op(client, step, out, V4_OP_CLOSE);
    xdr_out_u32(out, client->options.minor == 0 ? client->v4.open_seq : 0);
    put_stateid(client, out);
}

CLIENT_GET(v4_get_close)
{
    if (v4_get_begin_on(client, step, x, answer))
        get_seqid_op(client, x, V4_OP_CLOSE, answer);
}

CLIENT_PUT(v4_put_read)
{
    v4_begin_op(client, step, out, NFS_OP_READ);
    put_stateid(client, out);
    xdr_out_u64(out, step->at);
    xdr_out_u32(out, step->n);
    client_plan_data(client, how, step->n, V4_REPLY_OCTETS);
}

CLIENT_GET(v4_get_read)
{
    if (!v4_get_begin_op(client, step, x, NFS_OP_READ, answer))
        return;
    answer->eof = client_get_bool(x);
    xdr_opaque(x, &answer->p, &answer->n);
}

CLIENT_PUT(v4_put_write)
{
    uint8_t *octets = g_malloc(step->n);

    client_fill(octets, step->n, step->at, client->jobs[client->index].pattern);
    v4_begin_op(client, step, out, NFS_OP_WRITE);
    put_stateid(client, out);
    xdr_out_u64(out, step->at);
    xdr_out_u32(out, 0); /* UNSTABLE4 */
    xdr_out_eligible(out, octets, step->n);
    g_free(octets);
}

CLIENT_GET(v4_get_write)
{
    uint32_t committed;

    if (!v4_get_begin_op(client, step, x, NFS_OP_WRITE, answer))
        return;
    xdr_u32(x, &answer->n);
    xdr_u32(x, &committed);
    xdr_u64(x, &answer->verifier);
}

CLIENT_PUT(v4_put_commit)
{
    v4_begin_op(client, step, out, V4_OP_COMMIT);
    xdr_out_u64(out, 0);
    xdr_out_u32(out, 0);
}

CLIENT_GET(v4_get_commit)
{
    if (v4_get_begin_op(client, step, x, V4_OP_COMMIT, answer))
        xdr_u64(x, &answer->verifier);
}

CLIENT_PUT(v4_put_readlink)
{
    v4_begin_op(client, step, out, NFS_OP_READLINK);
    client_plan_link(client, how, CLIENT_TARGET_MAX, V4_REPLY_OCTETS);
}

CLIENT_GET(v4_get_readlink)
{
    if (v4_get_begin_op(client, step, x, NFS_OP_READLINK, answer))
        xdr_opaque(x, &answer->p, &answer->n);
}
