// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Refusals of correct Calls: ERR_CHUNK means that the Transport header or its chunks cannot be used (RFC 8166 section
 * 4.5), GARBAGE_ARGS that the arguments cannot be decoded (RFC 5531 section 9). Neither applies to a Call whose header
 * is correct, whose arguments decode completely and contain nothing unusual, and which provides for any Reply. A
 * responder may refuse a Call with large Read chunks (RFC 8166 section 8.1.4), or a Call that broke an earlier
 * connection (RFC 8166 section 4.5.3): for Calls with chunks before the first answer, the refusal is a warning.
 */
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

enum {
    OPERATIONS_MAX = 16,
    NAME_OCTETS_MAX = 255,
    LINK_OCTETS_MAX = 1023,
    DATA_OCTETS_MAX = 1024 * 1024,
};

/* ---- correct Calls ---- */

static bool sane_items(const struct rpcrdma_body *body)
{
    for (unsigned i = 0; i < body->n_items; i++) {
        const struct nfs_item *item = &body->items[i].item;
        uint32_t most = item->mark == NFS_MARK_DATA   ? DATA_OCTETS_MAX
                        : item->mark == NFS_MARK_LINK ? LINK_OCTETS_MAX
                                                      : NAME_OCTETS_MAX;

        if (item->count > most || (item->count == 0 && item->mark == NFS_MARK_NAME))
            return false;
    }
    return true;
}

/* NFSv3 WRITE carries the number of octets twice. */
static bool sane_counts(const struct rpcrdma_body *body)
{
    const struct nfs_value *value;
    unsigned i = 0;

    if (body->procedure->compound)
        return true;
    value = rpcrdma_value(body, NFS_MARK_COUNT, 0, &i);
    for (unsigned k = 0; value && k < body->n_items; k++) {
        if (body->items[k].item.mark == NFS_MARK_DATA && body->items[k].item.count != value->value)
            return false;
    }
    return true;
}

/* A NULL Call without arguments, to any program. */
static bool is_null_call(const struct rpcrdma_body *body)
{
    return body->known && body->rpc.proc == 0 && body->length == body->rpc.header_len;
}

/* Nothing is wrong with this Call, and every server must accept everything in it. */
static bool nfs_sound(const struct nfs_look *look)
{
    const struct rpcrdma_transaction *t = look->t;
    const struct rpcrdma_body *body = look->body;
    uint64_t octets = 0;

    if (t->damage || t->ambiguous || t->malformed || t->misread || t->fault != 0 || t->offers_lost || t->astray ||
        t->repeats)
        return false;
    for (unsigned i = 0; i < t->n_chunks; i++)
        octets += t->chunks[i].length;
    if (octets > DATA_OCTETS_MAX)
        return false;
    if (is_null_call(body))
        return true;
    return nfs_understood(body) && !body->wrapped && body->procedure && body->procedure->callback == t->reverse &&
           body->walk.left == 0 && body->n_operations <= OPERATIONS_MAX && sane_items(body) && sane_counts(body);
}

/* ---- answers ---- */

static const char *call_name(const struct nfs_look *look)
{
    return look->body->procedure ? look->body->procedure->name : "NULL";
}

static void refusal_judge_error(const struct nfs_look *look, const struct rpcrdma_message *message)
{
    if (!nfs_sound(look) || message->unsure || !rpcrdma_reads_modest(look->t) ||
        !(is_null_call(look->body) || nfs_reply_fits(look))) {
        nfs_inconclusive(look, RULE_RPCR_4_5_12,
                         nfs_sound(look) && !message->unsure ? WHY_CAUSE
                                                             : nfs_doubt(look->nfs, message->unsure, WHY_UNREAD));
        return;
    }
    nfs_fail_as(
        look, RULE_RPCR_4_5_12,
        look->exchange->early && look->t->n_chunks > 0 ? SEVERITY_WARNING : rule_catalogue[RULE_RPCR_4_5_12].severity,
        "expected a Reply to %s, as there is nothing wrong with its Transport header%s; found %s instead of a Reply",
        call_name(look), look->t->n_chunks > 0 ? " and chunks" : "", rpcrdma_err_name(message->header.err));
}

static void judge_garbage(const struct nfs_look *look, const struct rpcrdma_message *message)
{
    if (!nfs_sound(look) || message->unsure) {
        nfs_inconclusive(look, RULE_RPC_9_05, nfs_doubt(look->nfs, message->unsure, WHY_UNREAD));
        return;
    }
    INVARIANT(!look->body->walked || look->body->unreduced >= look->body->rpc.header_len);
    nfs_fail(look, RULE_RPC_9_05,
             "expected GARBAGE_ARGS only for arguments that cannot be decoded; found GARBAGE_ARGS for %s, whose "
             "arguments of %llu octets are well formed",
             call_name(look),
             (unsigned long long)((look->body->walked ? look->body->unreduced : look->body->length) -
                                  look->body->rpc.header_len));
}

void nfs_refusal_answer(struct nfs_look *look, const struct rpcrdma_message *message)
{
    const struct rpcrdma_body *reply = &look->t->open->reply_body;

    if (message->faulty || !rpcrdma_waits(look->t))
        return;
    if (message->kind == RPCRDMA_KIND_ERROR) {
        if (!look->t->reverse && message->header.err == RPCRDMA_ERR_CHUNK &&
            look->t->open->call_header.status == RPCRDMA_OK && look->t->fault == 0)
            refusal_judge_error(look, message);
        return;
    }
    if (!reply->known || reply->rpc.reply_stat != RPC_MSG_ACCEPTED)
        return;
    if (reply->rpc.accept_stat == RPC_GARBAGE_ARGS)
        judge_garbage(look, message);
    else if (reply->rpc.accept_stat == RPC_SUCCESS && nfs_understood(look->body) && look->t->fault == 0)
        nfs_pass(look, RULE_RPC_9_05);
}
