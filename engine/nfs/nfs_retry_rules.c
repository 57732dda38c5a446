// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Requests that are sent again: after ERR_CHUNK or GARBAGE_ARGS (RFC 8267 sections 3.1 and 6.4.2), or while the first
 * is outstanding (6.7.2); and the credit that is reserved for health checks (6.7.2).
 */
#include "engine/core/hash.h"
#include "engine/nfs/nfs_internal.h"
#include "wire/invariant.h"

enum {
    RETRIES_MAX = 5, /* for a request that draws only errors; "should avoid retrying indefinitely" gives no number */
    ACL_GETACL = 1,
};

/* Where the arguments begin, without those of SEQUENCE, which change with each request. */
static uint64_t arguments_at(const struct rpcrdma_body *body)
{
    uint64_t from = body->rpc.header_len;

    if (body->walked && !body->wrapped && body->n_operations > 1 && body->operations[0].op == NFS_OP_SEQUENCE)
        from += body->operations[1].at;
    return from;
}

static uint64_t arguments_hash(const struct rpcrdma_body *body)
{
    const uint64_t from = arguments_at(body);

    return from <= body->length ? hash_octets(0, body->payload + from, body->length - from) : 0;
}

/* Hash of the arguments without data that may be in Read chunks; *reduced: some of the data are in Read chunks. */
static uint64_t outline_hash(const struct rpcrdma_body *body, bool *reduced)
{
    uint64_t from = arguments_at(body), hash = 0;

    *reduced = false;
    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];
        const uint64_t at = body->rpc.header_len + item->item.at;

        if (!item->item.eligible || at < from || at > body->length)
            continue;
        hash = hash_octets(hash, body->payload + from, at - from);
        from = at + (item->chunk >= 0 ? 0 : ((uint64_t)item->item.count + 3) / 4 * 4);
        INVARIANT(from <= body->length + 3);
        *reduced |= item->chunk >= 0;
    }
    return from <= body->length ? hash_octets(hash, body->payload + from, body->length - from) : hash;
}

static struct nfs_request retry_request_of(const struct nfs_look *look)
{
    const struct rpcrdma_transaction *t = look->t;
    const struct rpcrdma_body *body = look->body;
    const struct nfs_chunk_use use = nfs_chunk_use(t);
    struct nfs_request request = {.hash = arguments_hash(body),
                                  .program = body->rpc.prog,
                                  .version = body->rpc.vers,
                                  .procedure = body->rpc.proc,
                                  .xid = t->xid,
                                  .writes = t->n_writes,
                                  .segments = t->n_offers,
                                  .reads = use.reads,
                                  .complex = use.complex && body->rpc.prog == NFS_PROGRAM && body->rpc.vers == 4};

    if (t->reply_chunk >= 0)
        request.reply_length = t->chunks[t->reply_chunk].length;
    /* RFC 8267 sections 5.2 and 6.2.1 */
    request.may_grow = (request.program == NFS_PROGRAM_ACL && request.procedure == ACL_GETACL) ||
                       (look->exchange->minor == 0 && nfs_operation_find(body, NFS_OP_GETATTR));
    return request;
}

static bool retry_same_request(const struct nfs_request *a, const struct nfs_request *b)
{
    return a->hash == b->hash && a->program == b->program && a->version == b->version && a->procedure == b->procedure;
}

static bool same_shape(const struct nfs_request *a, const struct nfs_request *b)
{
    return a->reads == b->reads && a->writes == b->writes && a->segments == b->segments &&
           a->reply_length == b->reply_length;
}

static struct nfs_failure *retry_failure_of(struct nfs_connection *nfs, const struct nfs_request *request)
{
    for (unsigned i = 0; i < nfs->failures.n && i < NFS_FAILURES_MAX; i++) {
        if (retry_same_request(&nfs->failures.failure[i].request, request))
            return &nfs->failures.failure[i];
    }
    return NULL;
}

/* A request that was too complex must not be retried; otherwise XID, Reply chunk and number of retries are judged. */
static void judge_retry(struct nfs_look *look, struct nfs_failure *failure, const struct nfs_request *request)
{
    const struct nfs_request *before = &failure->request;

    look->related = failure->frame;
    if (before->complex && same_shape(before, request)) {
        nfs_fail(look, RULE_NFSULB_6_4_2_08,
                 "expected a request whose chunk lists are too complex for the server not to be sent again; found the "
                 "request sent again with the same chunks");
        return;
    }
    if (request->xid == before->xid)
        nfs_fail(look, RULE_NFSULB_3_1_03,
                 "expected a new XID for a retry after an error; found a retry with XID %#x again", request->xid);
    else
        nfs_pass(look, RULE_NFSULB_3_1_03);
    if (request->reply_length > before->reply_length) {
        if (request->may_grow)
            nfs_pass(look, RULE_NFSULB_3_1_05);
        else
            nfs_fail(look, RULE_NFSULB_3_1_05,
                     "expected retries with a larger Reply chunk only for GETACL or, in NFSv4.0, GETATTR; found %s "
                     "sent again with %llu octets instead of %llu",
                     look->body->procedure->name, (unsigned long long)request->reply_length,
                     (unsigned long long)before->reply_length);
    }
    if (failure->times <= RETRIES_MAX)
        nfs_pass(look, RULE_NFSULB_3_1_04);
    else if (!failure->reported)
        nfs_fail(look, RULE_NFSULB_3_1_04, "expected the client to give up; found a request sent again after %u errors",
                 failure->times);
    failure->reported |= failure->times > RETRIES_MAX;
}

void nfs_retry_call(struct nfs_look *look)
{
    struct nfs_request request = retry_request_of(look);
    struct nfs_failure *failure = retry_failure_of(look->nfs, &request);
    struct nfs_look retry = *look;

    look->exchange->has_request = true;
    look->exchange->request = request;
    if (!failure || request.procedure == 0 || look->nfs->options.profile == PROFILE_RFC5666)
        return;
    judge_retry(&retry, failure, &request);
    failure->retried = true;
    failure->request = request;
    INVARIANT(look->exchange->has_request && failure->times > 0);
}

void nfs_retry_use(struct nfs_look *look)
{
    const struct rpcrdma_body *body = look->body;
    struct rpcrdma_slot_use use;
    unsigned i = 0, k = 0;
    const struct nfs_value *slot = rpcrdma_value(body, NFS_MARK_SLOT, NFS_OP_SEQUENCE, &i),
                           *sequence = rpcrdma_value(body, NFS_MARK_SEQUENCE, NFS_OP_SEQUENCE, &k);

    if (!slot || !sequence)
        return;
    use = (struct rpcrdma_slot_use){.known = true,
                                    .bare = body->n_operations == 1,
                                    .slot = (uint32_t)slot->value,
                                    .sequence = (uint32_t)sequence->value,
                                    .session = look->exchange->session_hash,
                                    .arguments = look->exchange->request.hash};
    use.outline = outline_hash(body, &use.reduced);
    INVARIANT(look->exchange->has_request && look->exchange->in_session);
    rpcrdma_transaction_uses(look->t, &use);
}

void nfs_retry_failed(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    const struct nfs_request *request = &look->exchange->request;
    struct nfs_failure *failure;

    if (!look->exchange->has_request)
        return;
    failure = retry_failure_of(nfs, request);
    if (!failure) {
        failure = &nfs->failures.failure[nfs->failures.n++ % NFS_FAILURES_MAX];
        *failure = (struct nfs_failure){.request = *request};
    }
    failure->times++;
    failure->frame = look->place.frame;
    failure->retried = false;
    INVARIANT(failure->times > 0 && retry_failure_of(nfs, request));
}

void nfs_retry_finish(struct nfs_connection *nfs)
{
    for (unsigned i = 0; i < nfs->failures.n && i < NFS_FAILURES_MAX; i++) {
        const struct nfs_failure *failure = &nfs->failures.failure[i];

        if (failure->request.complex && failure->times == 1 && !failure->retried &&
            nfs->options.profile != PROFILE_RFC5666)
            verdict_passed(nfs->verdict, RULE_NFSULB_6_4_2_08);
    }
}

/* ---- while the request is outstanding ---- */

/* The answer to the repeated request may be missing. */
static bool first_is_doubtful(const struct rpcrdma_transaction *t)
{
    bool doubtful = t->damage;

    for (const struct rpcrdma_transaction *other = t->hash_next; other; other = other->hash_next)
        doubtful |= other->xid == t->xid && other->damage;
    return doubtful;
}

void nfs_retry_repeated(struct nfs_look *look, const struct rpcrdma_message *message)
{
    const struct rpcrdma_body *body = look->body;
    bool v4;

    if (!body->known || message->misread)
        return;
    v4 = (body->rpc.prog == NFS_PROGRAM && body->rpc.vers == 4) || (body->procedure && body->procedure->callback);
    if (!v4 && body->rpc.prog != NFS_PROGRAM)
        return;
    if (message->unsure || first_is_doubtful(look->t)) {
        nfs_inconclusive(look, RULE_NFSULB_6_7_2_03, nfs_doubt(look->nfs, message->unsure, WHY_COPIES));
        return;
    }
    nfs_fail_as(look, RULE_NFSULB_6_7_2_03, v4 ? SEVERITY_ERROR : SEVERITY_NOTE,
                "expected no request to be sent again on the connection where it is outstanding; found a request with "
                "XID %#x again",
                look->t->xid);
}

/* A forward Call was sent, and nfs->in_flight counts it. */
void nfs_retry_credits(struct nfs_look *look)
{
    struct nfs_connection *nfs = look->nfs;
    const struct nfs_in_flight *in_flight = &nfs->in_flight[look->t->side];
    uint32_t grant = nfs->credits.grant > nfs->credits.former ? nfs->credits.grant : nfs->credits.former;

    if (nfs->credits.asked < grant)
        grant = nfs->credits.asked;
    if (!nfs->v4 || !look->body->known)
        return;
    nfs_pass(look, RULE_NFSULB_6_7_2_03);
    if (grant <= 1)
        return;
    if (rpcrdma_hole_since(nfs->rpcrdma, other_side(look->t->side), nfs->credits.frame) ||
        (in_flight->calls >= grant && (in_flight->doubtful > 0 || !rpcrdma_answers_seen(nfs->rpcrdma, look->t->side))))
        nfs_inconclusive(look, RULE_NFSULB_6_7_2_01, nfs_doubt(nfs, false, WHY_ORDER));
    else if (in_flight->calls < grant || in_flight->keepalives > 0)
        nfs_pass(look, RULE_NFSULB_6_7_2_01);
    else if (in_flight->calls == grant && !nfs->credits.reported) {
        nfs->credits.reported = true;
        nfs_fail(look, RULE_NFSULB_6_7_2_01,
                 "expected one credit to be reserved for health checks; found all %u credits in use", grant);
    }
}
