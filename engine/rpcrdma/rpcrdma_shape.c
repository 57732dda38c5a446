// SPDX-License-Identifier: GPL-2.0-or-later
/* The shape of RPC messages: the common part of Calls and Replies. */
#include "engine/rpcrdma/rpcrdma_shape.h"
#include "wire/invariant.h"

#include <stdio.h>

/* ---- findings ---- */

void rpcrdma_shape_vfail(struct rpcrdma_shape *shape, enum rule_id rule, enum rule_severity severity,
                         const char *format, va_list args)
{
    char text[FINDING_MESSAGE_SIZE];
    bool breaks = severity == SEVERITY_ERROR && !shape->decodes;

    vsnprintf(text, sizeof text, format, args);
    shape->failed |= breaks;
    if (breaks && !shape->reply)
        rpcrdma_misread(shape->t);
    if (shape->message) {
        shape->message->misread |= breaks;
        rpcrdma_fail_as(shape->rpcrdma, shape->message, rule, severity, shape->reply ? shape->t->call.frame : 0, "%s",
                        text);
        return;
    }
    shape->t->malformed |= severity == SEVERITY_ERROR;
    if (severity >= SEVERITY_WARNING && !shape->reply && shape->t->fault == 0)
        shape->t->fault = 1 + (uint32_t)rule;
    INVARIANT(shape->t->fault <= RULE_COUNT);
    rpcrdma_fail_at_as(shape->rpcrdma, &shape->place, rule, severity, shape->t->call.frame, "%s", text);
}

void rpcrdma_shape_fail_as(struct rpcrdma_shape *shape, enum rule_id rule, enum rule_severity severity,
                           const char *format, ...)
{
    va_list args;

    va_start(args, format);
    rpcrdma_shape_vfail(shape, rule, severity, format, args);
    va_end(args);
}

/* ---- what is eligible ---- */

enum rule_id rpcrdma_shape_binding(const struct rpcrdma_shape *shape)
{
    const struct nfs_decoded call = rpcrdma_decoded(&shape->t->open->call_body);

    return nfs_binding_rule(&shape->t->open->call_body.rpc, &call);
}

const char *rpcrdma_shape_item_name(const struct rpcrdma_shape *shape, const struct nfs_item *item)
{
    static _Thread_local char text[NFS_ITEM_NAME_SIZE];

    return nfs_item_name(shape->body->procedure, item, text);
}

void rpcrdma_shape_count_results(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *call = &shape->t->open->call_body;
    const struct nfs_decoded decoded = rpcrdma_decoded(call);

    shape->results = 0;
    shape->results_known = false;
    if (!call->procedure)
        return;
    if (call->procedure->compound && call->procedure->reduces_reply &&
        (!call->walked || call->walk.status != NFS_WALK_OK || call->reduction == RPCRDMA_REDUCED_NONE || call->cut))
        return;
    shape->results = nfs_reducible_results(&decoded);
    INVARIANT(shape->results <= call->n_operations + 1);
    shape->results_known = true;
}

/* ---- the stream ---- */

/* The payload begins with an RPC message, with any XID. */
static bool begins_message(const struct rpcrdma_shape *shape)
{
    const uint8_t *p = shape->body->payload;
    uint32_t type = get_be32(p + 4);

    return shape->reply ? type == RPC_REPLY && get_be32(p + 8) <= RPC_MSG_DENIED
                        : type == RPC_CALL && get_be32(p + 8) == RPC_VERSION;
}

/* The RPC message begins a few words later. */
static bool begins_late(const struct rpcrdma_shape *shape)
{
    const uint8_t *p = shape->body->payload;

    for (uint64_t at = 4; at <= 16 && at + 8 <= shape->body->length; at += 4) {
        if (get_be32(p + at) == shape->t->xid && get_be32(p + at + 4) <= RPC_REPLY)
            return true;
    }
    return false;
}

bool rpcrdma_shape_start(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    const char *chunk = shape->reply ? "Reply chunk" : "Position-Zero Read chunk";
    uint32_t xid = shape->t->xid, first;

    if (body->length < (shape->reply ? RPC_REPLY_MIN : RPC_CALL_MIN)) {
        rpcrdma_shape_fail(shape, shape->reply ? RULE_RPCR_4_3_3_07 : RULE_RPCR_3_5_3_04,
                           "expected the %s to hold an RPC message; found a payload of %llu octets", chunk,
                           (unsigned long long)body->length);
        return false;
    }
    first = get_be32(body->payload);
    if (first == xid) {
        rpcrdma_shape_pass(shape, RULE_RPCR_3_2_04);
        rpcrdma_shape_pass(shape, RULE_RPCR_4_2_1_02);
        return true;
    }
    if (first == (UINT32_C(0x80000000) | (uint32_t)(body->length - 4)) && get_be32(body->payload + 4) == xid)
        rpcrdma_shape_fail(shape, RULE_RPCR_3_2_04,
                           "expected the RPC message without other framing; found the record mark 0x%08x", first);
    else if (begins_message(shape) || begins_late(shape))
        rpcrdma_shape_fail(shape, RULE_RPCR_4_2_1_02,
                           "expected the %s to begin with the XID of the Transport header, 0x%08x; found a payload "
                           "that begins with 0x%08x",
                           chunk, xid, first);
    else
        rpcrdma_shape_fail(shape, shape->reply ? RULE_RPCR_4_3_3_07 : RULE_RPCR_3_5_3_04,
                           "expected the %s to begin with an RPC message of XID 0x%08x; found a payload that begins "
                           "with 0x%08x, which begins no message",
                           chunk, xid, first);
    return false;
}

bool rpcrdma_shape_whole(const struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    return body->walked && body->walk.status == NFS_WALK_OK && body->walk.left == 0 &&
           body->reduction != RPCRDMA_REDUCED_NONE;
}

bool rpcrdma_shape_decodes(const struct rpcrdma_shape *shape)
{
    enum rpcrdma_reduction reduction = shape->body->reduction;

    return rpcrdma_shape_whole(shape) &&
           (reduction == RPCRDMA_REDUCED_STANDARD || reduction == RPCRDMA_REDUCED_IN_ORDER ||
            reduction == RPCRDMA_REDUCED_ROUNDUP);
}

static const char *kind_name(const struct rpcrdma_shape *shape)
{
    return shape->reply ? "Reply" : "Call";
}

static bool is_rpc_message(const uint8_t *p, uint64_t n)
{
    struct rpc_message rpc;

    return n >= RPC_REPLY_MIN && rpc_decode(&rpc, p, n) == RPC_OK;
}

/* Section 3.2: an RPC-over-RDMA message holds one RPC message. */
static void surplus(struct rpcrdma_shape *shape, uint64_t left)
{
    const struct rpcrdma_body *body = shape->body;

    if (left < 4 && body->length % 4 != 0) {
        rpcrdma_shape_fail(shape, shape->in_chunk ? RULE_RPCR_3_5_3_13 : RULE_RPCR_2_2_4_01,
                           "expected a payload whose length is a multiple of 4 octets; found a payload of %llu octets",
                           (unsigned long long)body->length);
        return;
    }
    rpcrdma_shape_fail(
        shape, RULE_RPCR_3_2_01,
        "expected the payload to end with its RPC %s of %llu octets; found a payload with %llu octets more%s",
        kind_name(shape), (unsigned long long)(body->length - left), (unsigned long long)left,
        is_rpc_message(body->payload + (body->length - left), left) ? ", another RPC message" : "");
}

/* The payload ends too early. */
static void shape_cut_off(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    const struct nfs_walk_result *walk = &body->walk;
    uint64_t there = body->length - body->rpc.header_len - walk->at, missing = walk->fault - there;
    bool negotiated, in_item = body->n_items > 0 && body->items[body->n_items - 1].item.at == walk->at;
    uint32_t threshold;

    if (shape->in_chunk) {
        rpcrdma_shape_fail(
            shape, shape->reply ? RULE_RPCR_4_3_3_07 : RULE_RPCR_3_5_3_04,
            "expected the chunk to hold a complete RPC %s; found a chunk that ends %llu octets too early",
            kind_name(shape), (unsigned long long)missing);
        return;
    }
    threshold = rpcrdma_connection_threshold(shape->rpcrdma, shape->message->side, &negotiated);
    if (threshold == 0)
        threshold = RPCRDMA_INLINE_DEFAULT;
    if (shape->message->n + RPCRDMA_HEADER_MIN >= threshold)
        rpcrdma_shape_fail(shape, RULE_RPCR_6_1_06,
                           "expected a Long Message for an RPC %s that does not fit the inline threshold of %u octets; "
                           "found that the Send ends %llu octets too early",
                           kind_name(shape), threshold, (unsigned long long)missing);
    else if (in_item)
        rpcrdma_shape_fail(shape, RULE_RPCR_2_2_4_2_01,
                           "expected items with their true octet counts; found a count of %u with %llu octets left",
                           body->items[body->n_items - 1].item.count, (unsigned long long)there);
    else
        rpcrdma_shape_fail(
            shape, RULE_RPCR_6_1_06,
            "expected the payload to be a complete RPC %s; found a payload that ends %llu octets too early",
            kind_name(shape), (unsigned long long)missing);
}

/* Names contain no NUL octets: NULs at the end are roundup that was included in the count. */
static const struct rpcrdma_item *padded_name(const struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct nfs_item *item = &body->items[i].item;
        const uint8_t *p = body->payload + body->rpc.header_len + item->at;

        if (item->mark == NFS_MARK_NAME && body->items[i].chunk < 0 && item->count >= 4 && item->count % 4 == 0 &&
            p[item->count - 1] == 0 && p[item->count - 4] != 0)
            return &body->items[i];
    }
    return NULL;
}

void rpcrdma_shape_items(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    const struct rpcrdma_item *name = body->reduction == RPCRDMA_REDUCED_STANDARD ? padded_name(shape) : NULL;
    bool roundup = false, is_inline = false, decoded = shape->decodes;

    shape->decodes = true;
    for (unsigned i = 0; i < body->n_items; i++) {
        is_inline |= body->items[i].chunk < 0;
        roundup |= body->items[i].chunk < 0 && body->items[i].item.count % 4 != 0;
    }
    if (name)
        rpcrdma_shape_fail(
            shape, RULE_RPCR_2_2_4_2_01,
            "expected the octet count of %s without its roundup; found an octet count of %u with NUL octets at the end",
            rpcrdma_shape_item_name(shape, &name->item), name->item.count);
    else if (is_inline)
        rpcrdma_shape_pass(shape, RULE_RPCR_2_2_4_2_01);
    if (body->roundup_not_zero)
        rpcrdma_shape_fail(shape, RULE_RPCR_2_2_4_2_02,
                           "expected roundup octets to be zero; found roundup octets that are not zero, at octet %llu "
                           "of the RPC message",
                           (unsigned long long)body->roundup_position);
    else if (roundup)
        rpcrdma_shape_pass(shape, RULE_RPCR_2_2_4_2_02);
    shape->decodes = decoded;
}

static void shape_whole(struct rpcrdma_shape *shape)
{
    rpcrdma_shape_pass(shape, RULE_RPCR_3_2_01);
    rpcrdma_shape_items(shape);
    if (shape->in_chunk) {
        rpcrdma_shape_pass(shape, RULE_RPCR_3_5_3_13);
    } else {
        rpcrdma_shape_pass(shape, RULE_RPCR_2_2_4_01);
    }
    rpcrdma_shape_pass(shape, RULE_RPCR_6_1_06);
}

/* A Reply without results ends with its header. */
static void without_results(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    if (body->length > body->rpc.header_len)
        surplus(shape, body->length - body->rpc.header_len);
    else
        rpcrdma_shape_pass(shape, RULE_RPCR_3_2_01);
}

/* The part after the header is unknown. */
static void opaque(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    enum rule_id rule = shape->in_chunk ? RULE_RPCR_3_5_3_13 : RULE_RPCR_2_2_4_01;

    if (body->length % 4 != 0)
        rpcrdma_shape_fail(shape, rule,
                           "expected a payload whose length is a multiple of 4 octets; found a payload of %llu octets",
                           (unsigned long long)body->length);
    else
        rpcrdma_shape_pass(shape, rule);
    if (body->procedure && !body->walked)
        rpcrdma_inconclusive(shape->rpcrdma, RULE_RPCR_3_2_01, WHY_UNREAD);
}

static void opaque_or_missing(struct rpcrdma_shape *shape, struct xdr *x, const char *name)
{
    const uint8_t *octets;
    uint32_t length, count = xdr_left(x) < 4 ? 0 : get_be32(x->p + x->at);
    size_t left = xdr_left(x);

    if (shape->failed || xdr_opaque(x, &octets, &length))
        return;
    rpcrdma_shape_fail(shape, RULE_RPCR_6_1_06,
                       "expected %s of RPCSEC_GSS within the RPC %s (RFC 2203 section 5.3.2); found a count of %u with "
                       "%llu octets left",
                       name, kind_name(shape), count, (unsigned long long)left);
}

/* RFC 2203 sections 5.3.2.2 and 5.3.2.3: databody_integ and checksum, or databody_priv; in a chunk by RFC 5666. */
static void protected(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    struct xdr x = xdr_begin(body->payload + body->rpc.header_len, body->length - body->rpc.header_len);
    bool integrity = shape->t->open->call_body.rpc.gss_service == RPC_GSS_SVC_INTEGRITY;

    opaque(shape);
    if (shape->failed || rpcrdma_by_rfc5666(shape->rpcrdma))
        return;
    opaque_or_missing(shape, &x, integrity ? "databody_integ" : "databody_priv");
    if (integrity)
        opaque_or_missing(shape, &x, "the checksum");
    if (!shape->failed && xdr_left(&x) > 0)
        surplus(shape, xdr_left(&x));
    else if (!shape->failed)
        rpcrdma_shape_pass(shape, RULE_RPCR_6_1_06);
}

/* Finds the item whose count in the payload differs from the count with which the walk succeeds. */
static void miscounted(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct nfs_item *item = &body->items[i].item;
        uint32_t count = get_be32(body->payload + body->rpc.header_len + item->at - 4);

        /* Marked items of fixed length have no count; anything may precede them. */
        if (body->items[i].chunk >= 0 || count == item->count ||
            (count > item->count ? count - item->count : item->count - count) > 20)
            continue;
        rpcrdma_shape_fail(
            shape, RULE_RPCR_2_2_4_2_01,
            "expected the true octet count of %s; found an octet count of %u, where the payload is valid with %u",
            rpcrdma_shape_item_name(shape, item), count, item->count);
        return;
    }
}

/*
 * A value that its XDR type does not have: a boolean is 0 or 1; enumerations and bounded types have their limits (RFC
 * 4506 sections 4.3, 4.4, 4.10, 4.15). The program of a transient number is certain only if a server calls back, and no
 * RFC defines the types of some programs.
 */
static void undecodable(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    bool by_rfc = nfs_program_has_types(body->procedure);

    if (body->procedure->callback && !shape->t->reverse) {
        rpcrdma_inconclusive(shape->rpcrdma, RULE_RPCR_6_1_06, WHY_READINGS);
        return;
    }
    rpcrdma_shape_fail_as(shape, RULE_RPCR_6_1_06, by_rfc ? SEVERITY_ERROR : SEVERITY_WARNING,
                          "expected a payload that decodes as the RPC %s of %s; found a payload with 0x%08x at its "
                          "octet %llu, where that value is impossible",
                          kind_name(shape), body->procedure->name, body->walk.fault,
                          (unsigned long long)body->walk.position);
}

/* The part after the header is known to be the arguments or results of the procedure. */
static void walked(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    if (body->walk.status == NFS_WALK_OK && body->walk.left > 0)
        surplus(shape, body->walk.left);
    else if (body->walk.status == NFS_WALK_OK)
        shape_whole(shape);
    else if (body->walk.status == NFS_WALK_SHORT)
        shape_cut_off(shape);
    else if (shape->in_chunk && body->length % 4 != 0)
        opaque(shape);
    else
        undecodable(shape);
}

void rpcrdma_shape_stream(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    if (shape->reply && (body->rpc.reply_stat != RPC_MSG_ACCEPTED || body->rpc.accept_stat != RPC_SUCCESS))
        without_results(shape);
    else if (body->wrapped)
    protected(shape);
    else if (!body->walked || body->walk.status == NFS_WALK_UNKNOWN) opaque(shape);
    else if (body->reduction == RPCRDMA_REDUCED_RECOUNT) miscounted(shape);
    else if (body->reduction == RPCRDMA_REDUCED_UNPADDED) rpcrdma_shape_fail(
        shape, shape->in_chunk ? RULE_RPCR_3_5_3_13 : RULE_RPCR_2_2_4_2_01,
        "expected roundup after variable-length items; found a payload of %llu octets without roundup",
        (unsigned long long)body->length);
    else walked(shape);
}
