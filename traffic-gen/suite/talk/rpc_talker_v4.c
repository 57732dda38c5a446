// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the talker introduces itself to an NFSv4 server: SETCLIENTID of minor version 0 (RFC 7530 sections 16.33 and
 * 16.34), EXCHANGE_ID, CREATE_SESSION and RECLAIM_COMPLETE from minor version 1 on (RFC 8881 sections 18.35, 18.36 and
 * 18.51). Owners and verifiers are drawn anew for each connection, so that no server mistakes one for another.
 */
#include "traffic-gen/suite/talk/rpc_talker_v4.h"

#include "traffic-gen/suite/talk/talk_internal.h"
#include "wire/nfs.h"

#include <string.h>

enum {
    CALLBACK_PROGRAM = 0x40000000,
    MESSAGE_MAX = 65536,
    CACHED_MAX = 4096, /* of a Reply that is kept for retries, if a Call asks for that */
    OPERATIONS_MAX = 16,
    REQUESTS_MAX = 64,
    SEQUENCE_RESULT = 16 + 5 * 4,
    GRACE_MAX = 100, /* seconds: Linux's has 90 */
};

static const int64_t second = INT64_C(1000000000);

/* ---- Calls ---- */

uint32_t talker_ask(struct rpc_talker *talker, talker_build build, const void *data, struct xdr *results)
{
    const struct rpc_end_how how = {.reply_max = 4000};

    for (unsigned tries = 0;; tries++) {
        struct xdr_out out;
        uint32_t status;

        build(talker, &out, data);
        if (!rpc_talker_call(talker, &out, &how) || !rpc_talker_results(talker, results) || !xdr_u32(results, &status))
            return UINT32_MAX;
        if ((status != NFS_STATUS_DELAY && status != NFS_STATUS_GRACE) || tries >= GRACE_MAX || talker->fed_end)
            return status;
        talker->talk->deadline += second;
        rpc_talker_pump(talker, second, NULL);
    }
}

void talker_begin_compound(struct rpc_talker *talker, struct xdr_out *out, unsigned operations)
{
    struct talker_v4 *v4 = &talker->v4;

    rpc_talker_begin(talker, out, NFS_PROGRAM, 4, 1);
    xdr_out_u32(out, 0); /* tag */
    xdr_out_words(out, talker_minor(talker), operations + v4->has_session);
    if (!v4->has_session)
        return;
    xdr_out_u32(out, NFS_OP_SEQUENCE);
    xdr_out_fixed(out, v4->session, sizeof v4->session);
    xdr_out_words(out, v4->sequence, v4->slot, v4->slot);
    xdr_out_bool(out, false); /* not to be cached */
    /* Whatever its outcome, the next Call does not depend on whether the server executed this one. */
    if (v4->slot + 1 < v4->slots) {
        v4->slot++;
    } else {
        v4->slot = 0;
        v4->sequence++;
    }
}

bool talker_open_compound(struct rpc_talker *talker, struct xdr *results)
{
    const uint8_t *p;
    uint32_t n;

    return xdr_opaque(results, &p, &n) && xdr_u32(results, &n) &&
           (!talker->v4.has_session ||
            (talker_take_op(results, NFS_OP_SEQUENCE) && xdr_skip(results, SEQUENCE_RESULT)));
}

bool talker_take_op(struct xdr *results, uint32_t op)
{
    uint32_t word, status;

    return xdr_u32(results, &word) && xdr_u32(results, &status) && word == op && status == 0;
}

/* ---- minor version 0 ---- */

static void put_owner(struct rpc_talker *talker, struct xdr_out *out)
{
    char owner[48];

    xdr_out_u64(out, random_next(&talker->random)); /* verifier */
    g_snprintf(owner, sizeof owner, "iwarp-gen test %016" G_GINT64_MODIFIER "x", random_next(&talker->random));
    xdr_out_opaque(out, owner, (uint32_t)strlen(owner));
}

static void put_setclientid(struct rpc_talker *talker, struct xdr_out *out, const void *data)
{
    static const char netid[] = "rdma", nowhere[] = "0.0.0.0.0.0";

    (void)data;
    talker_begin_compound(talker, out, 1);
    xdr_out_u32(out, NFS_OP_SETCLIENTID);
    put_owner(talker, out);
    /* Nobody listens for callbacks, so there are no delegations. */
    xdr_out_u32(out, CALLBACK_PROGRAM);
    xdr_out_opaque(out, netid, sizeof netid - 1);
    xdr_out_opaque(out, nowhere, sizeof nowhere - 1);
    xdr_out_u32(out, 0);
}

static void put_confirm(struct rpc_talker *talker, struct xdr_out *out, const void *data)
{
    const uint64_t *confirm = data;

    talker_begin_compound(talker, out, 1);
    xdr_out_u32(out, V4_OP_SETCLIENTID_CONFIRM);
    xdr_out_u64(out, talker->v4.client_id);
    xdr_out_u64(out, *confirm);
}

static uint32_t set_client_id(struct rpc_talker *talker)
{
    uint64_t confirm;
    struct xdr results;
    uint32_t status = talker_ask(talker, put_setclientid, NULL, &results);

    if (status != 0)
        return status;
    if (!talker_open_compound(talker, &results) || !talker_take_op(&results, NFS_OP_SETCLIENTID) ||
        !xdr_u64(&results, &talker->v4.client_id) || !xdr_u64(&results, &confirm))
        return UINT32_MAX;
    return talker_ask(talker, put_confirm, &confirm, &results);
}

/* ---- minor versions 1 and 2 ---- */

static void put_exchange_id(struct rpc_talker *talker, struct xdr_out *out, const void *data)
{
    (void)data;
    talker_begin_compound(talker, out, 1);
    xdr_out_u32(out, NFS_OP_EXCHANGE_ID);
    put_owner(talker, out);
    xdr_out_u32(out, 0); /* flags */
    xdr_out_u32(out, 0); /* SP4_NONE */
    xdr_out_u32(out, 0); /* no implementation id */
}

static void put_channel(struct xdr_out *out)
{
    xdr_out_words(out, 0 /* padding */, MESSAGE_MAX, MESSAGE_MAX, CACHED_MAX, OPERATIONS_MAX, REQUESTS_MAX,
                  0 /* no IRD */);
}

static void put_create_session(struct rpc_talker *talker, struct xdr_out *out, const void *data)
{
    const uint32_t *sequence = data;

    talker_begin_compound(talker, out, 1);
    xdr_out_u32(out, NFS_OP_CREATE_SESSION);
    xdr_out_u64(out, talker->v4.client_id);
    xdr_out_u32(out, *sequence);
    xdr_out_u32(out, 0); /* no back channel */
    put_channel(out);
    put_channel(out);
    xdr_out_words(out, CALLBACK_PROGRAM, 1, RPC_AUTH_NONE);
}

static void put_reclaim_complete(struct rpc_talker *talker, struct xdr_out *out, const void *data)
{
    (void)data;
    talker_begin_compound(talker, out, 1);
    xdr_out_u32(out, V4_OP_RECLAIM_COMPLETE);
    xdr_out_bool(out, false);
}

static bool take_session(struct rpc_talker *talker, struct xdr *results)
{
    struct talker_v4 *v4 = &talker->v4;
    uint32_t requests = 0;
    const uint8_t *p;

    if (!talker_open_compound(talker, results) || !talker_take_op(results, NFS_OP_CREATE_SESSION))
        return false;
    p = results->p + results->at;
    if (!xdr_skip(results, sizeof v4->session))
        return false;
    memcpy(v4->session, p, sizeof v4->session);
    xdr_skip(results, 2 * 4 + 5 * 4); /* csr_sequence, csr_flags; the fore channel up to ca_maxrequests */
    if (!xdr_u32(results, &requests))
        return false;
    v4->slots = CLAMP(requests, 1, REQUESTS_MAX);
    v4->sequence = 1;
    v4->has_session = true;
    return true;
}

static uint32_t begin_session(struct rpc_talker *talker)
{
    uint32_t sequence;
    struct xdr results;
    uint32_t status = talker_ask(talker, put_exchange_id, NULL, &results);

    if (status != 0)
        return status;
    if (!talker_open_compound(talker, &results) || !talker_take_op(&results, NFS_OP_EXCHANGE_ID) ||
        !xdr_u64(&results, &talker->v4.client_id) || !xdr_u32(&results, &sequence))
        return UINT32_MAX;
    status = talker_ask(talker, put_create_session, &sequence, &results);
    if (status != 0)
        return status;
    if (!take_session(talker, &results))
        return UINT32_MAX;
    return talker_ask(talker, put_reclaim_complete, NULL, &results);
}

static void put_destroy_session(struct rpc_talker *talker, struct xdr_out *out, const void *data)
{
    (void)data;
    talker->v4.has_session = false;
    talker_begin_compound(talker, out, 1);
    xdr_out_u32(out, NFS_OP_DESTROY_SESSION);
    xdr_out_fixed(out, talker->v4.session, sizeof talker->v4.session);
}

static void put_destroy_client(struct rpc_talker *talker, struct xdr_out *out, const void *data)
{
    (void)data;
    talker_begin_compound(talker, out, 1);
    xdr_out_u32(out, V4_OP_DESTROY_CLIENTID);
    xdr_out_u64(out, talker->v4.client_id);
}

/* ---- both ---- */

uint32_t talker_meet(struct rpc_talker *talker)
{
    uint32_t status = 0;

    if (!talker->v4.is_known && talker->version != NFS_V3)
        status = talker->version == NFS_V40 ? set_client_id(talker) : begin_session(talker);
    talker->v4.is_known = status == 0;
    return status;
}

void talker_part(struct rpc_talker *talker)
{
    struct xdr results;

    /* What remains of minor version 0 goes when the lease expires. */
    if (talker->v4.has_session && talker_ask(talker, put_destroy_session, NULL, &results) == 0)
        talker_ask(talker, put_destroy_client, NULL, &results);
}
