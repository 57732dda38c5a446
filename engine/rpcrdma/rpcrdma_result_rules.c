// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The payload of a Reply: what was removed from it, and how (RFC 8166 sections 3.4.1 to 3.4.4, 4.3.2, 8.2.2).
 * rpcrdma_reply_rules.c judges which result belongs in which Write chunk, and the lengths.
 */
#include "engine/rpcrdma/rpcrdma_shape.h"

#include <inttypes.h>

static const struct rpcrdma_chunk_state *used_chunk(const struct rpcrdma_transaction *t)
{
    for (unsigned i = 0; i < t->n_writes; i++) {
        if (t->chunks[t->first_write + i].returned > 0)
            return &t->chunks[t->first_write + i];
    }
    return NULL;
}

/* An item whose contents are, or should be, in a chunk. */
static const struct rpcrdma_item *reduced_item(const struct rpcrdma_body *body)
{
    for (unsigned i = 0; i < body->n_items; i++) {
        if (body->items[i].chunk >= 0)
            return &body->items[i];
    }
    return NULL;
}

static const char *result_name_of(const struct rpcrdma_shape *shape, const struct rpcrdma_item *item)
{
    return item ? rpcrdma_shape_item_name(shape, &item->item) : "an item";
}

/* The first eligible result: for INLINE, where no item has a chunk. */
static const struct rpcrdma_item *result_eligible_item(const struct rpcrdma_body *body)
{
    for (unsigned i = 0; i < body->n_items; i++) {
        if (body->items[i].item.eligible)
            return &body->items[i];
    }
    return NULL;
}

static void result_pass_items(const struct rpcrdma_shape *shape)
{
    static const enum rule_id rules[] = {RULE_RPCR_3_4_4_1_01, RULE_RPCR_3_4_4_1_02, RULE_RPCR_4_3_2_04,
                                         RULE_RPCR_4_2_4_03};
    const struct rpcrdma_body *body = shape->body;
    enum rule_id binding = rpcrdma_shape_binding(shape);

    for (unsigned i = 0; i < body->n_items; i++) {
        if (body->items[i].chunk >= 0 && body->items[i].item.count % 4 != 0) {
            rpcrdma_shape_pass(shape, RULE_RPCR_3_4_4_4_02);
            break;
        }
    }
    if (!reduced_item(body))
        return;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        rpcrdma_shape_pass(shape, rules[i]);
    if (binding != RULE_COUNT)
        rpcrdma_shape_pass(shape, binding);
}

/* RFC 5667 section 3: a Reply holds no more than the client asked for and has room for. */
static void check_asked(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body, *call = &shape->t->open->call_body;
    unsigned k = 0;

    if (!rpcrdma_by_rfc5666(shape->rpcrdma) || call->cut || body->cut)
        return;
    for (unsigned i = 0; i < body->n_items; i++) {
        const struct nfs_item *item = &body->items[i].item;
        const struct nfs_value *count = NULL;

        if (!item->eligible || item->mark != NFS_MARK_DATA)
            continue;
        while ((count = rpcrdma_value(call, NFS_MARK_COUNT, item->op, &k)) && count->op_index != item->op_index)
            ;
        if (!count)
            return;
        if (item->count > count->value) {
            rpcrdma_shape_fail(shape, RULE_RPCR0_4N_07,
                               "expected at most the %" PRIu64 " octets asked for; found %u octets of data",
                               count->value, item->count);
            return;
        }
        rpcrdma_shape_pass(shape, RULE_RPCR0_4N_07);
    }
}

static void result_with_roundup(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        if (item->chunk < 0 || item->item.count % 4 == 0)
            continue;
        rpcrdma_shape_fail(
            shape, RULE_RPCR_3_4_4_4_02,
            "expected the roundup of %s to be removed with its contents; found %u octets of roundup in the payload",
            result_name_of(shape, item), xdr_roundup(item->item.count));
        return;
    }
}

static void result_partial(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];
        uint64_t octets = item->chunk >= 0 ? shape->t->chunks[item->chunk].returned : 0;

        if (item->chunk < 0 || octets >= item->item.count)
            continue;
        rpcrdma_shape_fail(shape, RULE_RPCR_3_4_4_1_02,
                           "expected all %u octets of %s in the Write chunk; found %" PRIu64
                           " octets in the Write chunk and the rest in the payload",
                           item->item.count, result_name_of(shape, item), octets);
        return;
    }
}

static void ineligible(struct rpcrdma_shape *shape, const struct rpcrdma_item *item)
{
    enum rule_id binding = rpcrdma_shape_binding(shape);
    const struct rpcrdma_chunk_state *chunk = used_chunk(shape->t);

    if (binding == RULE_COUNT)
        return;
    rpcrdma_shape_fail(
        shape, binding,
        "expected only DDP-eligible results in Write chunks; found a Write chunk with %" PRIu64 " octets of %s",
        item ? item->item.count : chunk->returned, item ? result_name_of(shape, item) : "results without any");
}

/* The payload of a Reply with the results of the procedure. */
static void reduced(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;

    switch (body->reduction) {
    case RPCRDMA_REDUCED_STANDARD:
        if (rpcrdma_shape_whole(shape)) {
            result_pass_items(shape);
            check_asked(shape);
        }
        break;
    case RPCRDMA_REDUCED_ROUNDUP:
        result_with_roundup(shape);
        break;
    case RPCRDMA_REDUCED_INLINE:
        rpcrdma_shape_fail(
            shape, RULE_RPCR_4_3_2_04,
            "expected %s to be removed from the payload; found the item in the payload and in the Write chunk",
            result_name_of(shape, result_eligible_item(body)));
        break;
    case RPCRDMA_REDUCED_PARTIAL:
        result_partial(shape);
        break;
    case RPCRDMA_REDUCED_OTHER:
        for (unsigned i = 0; i < body->n_items && !shape->failed; i++) {
            if (body->items[i].chunk >= 0 && !body->items[i].item.eligible)
                ineligible(shape, &body->items[i]);
        }
        break;
    case RPCRDMA_REDUCED_COUNT:
        rpcrdma_shape_fail(
            shape, RULE_RPCR_3_4_4_1_01,
            "expected the octet count of %s in the payload; found the octet count removed with the contents",
            result_name_of(shape, reduced_item(body)));
        break;
    case RPCRDMA_REDUCED_NONE:
        if (used_chunk(shape->t) && body->walk.status == NFS_WALK_BAD)
            rpcrdma_shape_fail(shape, RULE_RPCR_6_1_06,
                               "expected a payload that forms a valid RPC Reply once the Write chunks are inserted; "
                               "found a payload that is invalid at octet %" PRIu64,
                               body->walk.position);
        break;
    case RPCRDMA_REDUCED_IN_ORDER: /* rpcrdma_reply_rules.c judges this */
    case RPCRDMA_REDUCED_ABSENT:
    case RPCRDMA_REDUCED_UNPADDED:
    case RPCRDMA_REDUCED_BARE:
    case RPCRDMA_REDUCED_RECOUNT:
        break;
    }
}

static void not_a_reply(struct rpcrdma_shape *shape)
{
    const struct rpc_message *rpc = &shape->body->rpc;

    if (shape->in_chunk && rpc->status != RPC_SHORT) /* rpcrdma_xid_rules.c judges inline ones */
        rpcrdma_shape_fail(shape, shape->t->reverse ? RULE_BIDI_5_2_05 : RULE_RPCR_2_2_2_01,
                           "expected msg_type 1 (REPLY) in the Reply chunk; found msg_type %u in the Reply chunk",
                           rpc->type);
}

static void result_broken_header(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    const struct rpc_message *rpc = &body->rpc;
    const struct rpcrdma_chunk_state *used = used_chunk(shape->t);

    if (rpc->type != RPC_REPLY && rpc->status != RPC_BAD_TYPE) {
        not_a_reply(shape);
        return;
    }
    if (rpc->status == RPC_BAD_TYPE && shape->in_chunk)
        rpcrdma_shape_fail(shape, RULE_RPCR_2_2_2_01,
                           "expected CALL (0) or REPLY (1) in the RPC message; found msg_type %u in the RPC message",
                           rpc->fault);
    else if (shape->t->open->call_body.known && shape->t->open->call_body.rpc.cred.flavor == RPC_AUTH_GSS && used &&
             rpc->status != RPC_BAD_TYPE)
        rpcrdma_shape_fail(shape, RULE_RPCR_8_2_2_01,
                           "expected the RPCSEC_GSS verifier in the payload; found a header without it, and %" PRIu64
                           " octets in a Write chunk",
                           used->returned);
    else if (rpc->status == RPC_BAD_VALUE)
        rpcrdma_shape_fail(shape, RULE_RPCR_4_03,
                           "expected an RPC header as in RFC 5531; found an RPC header with 0x%08x at its octet %u",
                           rpc->fault, rpc->fault_at);
    else if (rpc->status == RPC_SHORT && body->length >= RPC_REPLY_MIN)
        rpcrdma_shape_fail(shape, RULE_RPCR_4_03,
                           "expected a complete RPC header (RFC 5531); found that the payload ends within the RPC "
                           "header, at octet %" PRIu64,
                           body->length);
    else
        rpcrdma_inconclusive(shape->rpcrdma, RULE_RPCR_4_03, WHY_UNREAD);
}

/* Eligible results that are inline although there is a Write chunk for them: rpcrdma_pairing_rules.c. */
static void count_excess(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body;
    const struct rpcrdma_transaction *t = shape->t;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        if (item->item.eligible && item->chunk < 0 && item->read_class < t->n_writes &&
            t->chunks[t->first_write + item->read_class].length > 0)
            rpcrdma_shape_excess(shape, xdr_padded(item->item.count));
    }
}

/* RFC 5666 section 11 allows the whole protected body to be a chunk. */
static void result_gss_wrapped(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_chunk_state *used = used_chunk(shape->t);

    if (rpcrdma_by_rfc5666(shape->rpcrdma))
        return;
    if (used)
        rpcrdma_shape_fail(
            shape, RULE_RPCR_8_2_2_3_01,
            "expected a protected payload not to be reduced; found a protected payload reduced by %" PRIu64
            " octets in a Write chunk",
            used->returned);
    else
        rpcrdma_shape_pass(shape, RULE_RPCR_8_2_2_3_01);
}

/* Judges which results are in chunks. False: the inline rest is not judged. */
static bool result_judge_reduction(struct rpcrdma_shape *shape)
{
    rpcrdma_shape_count_results(shape);
    if (shape->body->wrapped) {
        result_gss_wrapped(shape);
    } else if (used_chunk(shape->t) && shape->results_known && shape->results == 0) {
        ineligible(shape, NULL);
    } else if (!rpcrdma_compound_results(shape)) {
        return false;
    } else if (shape->body->walked) {
        reduced(shape);
        if (rpcrdma_shape_whole(shape))
            count_excess(shape);
    }
    return true;
}

static void result_judge(struct rpcrdma_shape *shape)
{
    const struct rpcrdma_body *body = shape->body, *call = &shape->t->open->call_body;

    if (shape->in_chunk && !rpcrdma_shape_start(shape))
        return;
    if (!body->known) {
        result_broken_header(shape);
        return;
    }
    rpcrdma_shape_pass(shape, RULE_RPCR_4_03);
    if (!rpcrdma_auth_rules(shape))
        return;
    if (shape->in_chunk)
        rpcrdma_shape_pass(shape, RULE_RPCR_2_2_2_01);
    if (!call->known || shape->t->offers_lost)
        return;
    /* The responder may treat a Call whose arguments do not fit its procedure as it likes. */
    if (shape->t->malformed && call->walked && call->walk.status != NFS_WALK_OK)
        return;
    if (!result_judge_reduction(shape) || shape->failed || body->reduction == RPCRDMA_REDUCED_IN_ORDER) {
        if (rpcrdma_shape_decodes(shape))
            rpcrdma_shape_items(shape);
    } else if (body->reduction != RPCRDMA_REDUCED_ABSENT) {
        rpcrdma_shape_stream(shape);
    }
}

void rpcrdma_result_payload(struct rpcrdma_connection *rpcrdma, struct rpcrdma_message *message)
{
    struct rpcrdma_transaction *t = message->transaction;
    struct rpcrdma_shape shape = {.rpcrdma = rpcrdma,
                                  .t = t,
                                  .message = message,
                                  .body = &t->open->reply_body,
                                  .reply = true,
                                  .in_chunk = message->header.proc == RPCRDMA_NOMSG,
                                  .place = message->place};

    if (!message->misread)
        result_judge(&shape);
    else if (!shape.in_chunk && shape.body->known && rpcrdma_auth_rules(&shape) && rpcrdma_shape_decodes(&shape))
        rpcrdma_shape_items(&shape); /* wrong lists affect neither the header nor what is inline */
}
