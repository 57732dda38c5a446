// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decodes the payload of a Call or Reply as transferred: items in chunks are missing from it (RFC 8166 section 3.4).
 * The payload is walked as if it was reduced according to the standard. If the walk fails, the known mistakes of
 * senders are tried, one after another; the first mistake that explains the payload is the error.
 */
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_look.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum {
    UNPADDED_TRIES = 4, /* items before the point of failure that may lack their roundup */
    RECOUNT_TRIES = 4,  /* items that may have a wrong count */
    RECOUNT_WORDS = 4,  /* how much the count may be too large or too small, in words */
    RECOUNT_MAX = 65536 /* octets of the largest payload on which this is tried */
};

/* ---- contents of a payload that are remembered ---- */

static bool body_is_within_bounds(const struct rpcrdma_body *body)
{
    return body->n_operations <= body->operations_size && body->operations_size <= RPCRDMA_BODY_MAX &&
           body->n_items <= body->items_size && body->items_size <= RPCRDMA_BODY_MAX &&
           body->n_values <= body->values_size && body->values_size <= RPCRDMA_BODY_MAX;
}

static void remember_operation(struct rpcrdma_body *body, const struct nfs_operation *operation)
{
    void *array = heap_room(body->operations, &body->operations_size, body->n_operations + 1, RPCRDMA_BODY_MAX,
                            sizeof *operation);

    body->cut |= !array;
    if (!array)
        return;
    body->operations = array;
    body->operations[body->n_operations++] = *operation;
    INVARIANT(body_is_within_bounds(body));
}

static void remember_item(struct rpcrdma_body *body, const struct rpcrdma_item *item)
{
    void *array = heap_room(body->items, &body->items_size, body->n_items + 1, RPCRDMA_BODY_MAX, sizeof *item);

    body->cut |= !array;
    if (!array)
        return;
    body->items = array;
    body->items[body->n_items++] = *item;
    INVARIANT(body_is_within_bounds(body));
}

static void remember_value(struct rpcrdma_body *body, const struct nfs_value *value)
{
    void *array = heap_room(body->values, &body->values_size, body->n_values + 1, RPCRDMA_BODY_MAX, sizeof *value);

    body->cut |= !array;
    if (!array)
        return;
    body->values = array;
    body->values[body->n_values++] = *value;
    INVARIANT(body_is_within_bounds(body));
}

void rpcrdma_body_free(struct rpcrdma_body *body)
{
    free(body->operations);
    free(body->items);
    free(body->values);
    *body = (struct rpcrdma_body){0};
}

const struct nfs_value *rpcrdma_value(const struct rpcrdma_body *body, enum nfs_mark mark, uint32_t op, unsigned *i)
{
    const struct nfs_decoded decoded = rpcrdma_decoded(body);

    return nfs_decoded_value(&decoded, mark, op, i);
}

/* ---- the walk ---- */

static void payload_on_operation(void *ctx, const struct nfs_operation *operation)
{
    struct rpcrdma_look *look = ctx;

    look->in_class = !look->body->procedure->callback && nfs_op_read_class(operation->op);
    look->class += look->in_class;
    INVARIANT(look->class >= look->in_class);
    remember_operation(look->body, operation);
}

static uint64_t on_item(void *ctx, const struct nfs_item *item)
{
    struct rpcrdma_look *look = ctx;
    struct rpcrdma_item kept = {.item = *item, .chunk = -1, .read_class = look->class - look->in_class};
    uint64_t inlined = rpcrdma_look_inline(look, item, &kept.chunk);

    look->seen++;
    remember_item(look->body, &kept);
    INVARIANT(look->body->n_items <= look->seen && (look->body->cut || look->body->n_items == look->seen));
    return inlined;
}

static void on_value(void *ctx, const struct nfs_value *value)
{
    struct rpcrdma_look *look = ctx;

    remember_value(look->body, value);
}

static void on_roundup(void *ctx, size_t at, uint64_t position)
{
    struct rpcrdma_look *look = ctx;

    (void)at;
    if (!look->body->roundup_not_zero)
        look->body->roundup_position = position;
    look->body->roundup_not_zero = true;
}

/* Walks p[0..n), the whole payload, assuming this reduction. True: the walk ends exactly at the end of the payload. */
static bool payload_walk(struct rpcrdma_look *look, enum rpcrdma_reduction reduction, const uint8_t *p, size_t n)
{
    struct rpcrdma_body *body = look->body;
    const struct nfs_walk_events events = {
        .ctx = look, .operation = payload_on_operation, .item = on_item, .value = on_value, .roundup = on_roundup};
    uint32_t from = body->rpc.header_len;

    look->reduction = body->reduction = reduction;
    look->next = look->class = look->seen = 0;
    look->in_class = false;
    body->n_operations = body->n_items = body->n_values = 0;
    body->cut = body->roundup_not_zero = false;
    nfs_walk(body->procedure, look->reply, p + from, n - from, from, &events, &body->walk);
    INVARIANT(from <= n && body->walk.left <= n - from && body_is_within_bounds(body));
    return body->walk.status == NFS_WALK_OK && body->walk.left == 0;
}

/* ---- the count in the chunk ---- */

/*
 * Finds where the count of a chunk's item is missing: before the octets that the standard's walk took for the item's
 * contents, or where the payload ended. Returns the offset in the payload, and the chunk; false: no count is missing.
 */
static bool missing_count(struct rpcrdma_look *look, size_t *place, int *chunk)
{
    const struct rpcrdma_body *body = look->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        look->next = i == 0 ? 0 : look->next;
        *chunk = look->reply ? item->chunk : rpcrdma_look_read_chunk(look, item->item.position - 4);
        *place = body->rpc.header_len + item->item.at - 4;
        if (*chunk >= 0)
            return true;
    }
    if (body->walk.status != NFS_WALK_SHORT)
        return false;
    *place = body->rpc.header_len + body->walk.at;
    look->next = 0;
    *chunk = look->reply ? (look->in_class || !body->procedure->compound ? rpcrdma_look_write_chunk(look) : -1)
                         : rpcrdma_look_read_chunk(look, body->walk.position);
    return *chunk >= 0;
}

static void shift(size_t *at, size_t from)
{
    *at -= *at > from ? 4 : 0;
}

/* Moves offsets after the inserted count back by four octets; from: offset in the arguments. */
static void shift_back(struct rpcrdma_body *body, size_t from)
{
    for (unsigned i = 0; i < body->n_operations; i++)
        shift(&body->operations[i].at, from);
    for (unsigned i = 0; i < body->n_items; i++)
        shift(&body->items[i].item.at, from);
    for (unsigned i = 0; i < body->n_values; i++)
        shift(&body->values[i].at, from);
}

/* Walks the payload with the count inserted. */
static bool walk_counted(struct rpcrdma_look *look, const uint8_t *p, size_t n)
{
    const struct rpcrdma_chunk_state *state;
    uint64_t length;
    uint8_t *whole;
    size_t place;
    bool even;
    int chunk;

    payload_walk(look, RPCRDMA_REDUCED_STANDARD, p, n);
    if (!missing_count(look, &place, &chunk) || place > n)
        return false;
    state = &look->t->chunks[chunk];
    length = look->reply ? state->returned : state->length;
    INVARIANT(chunk < (int)look->t->n_chunks && place <= n);
    if (length < 4 || length - 4 > UINT32_MAX)
        return false;
    whole = heap_get(n + 4);
    if (!whole)
        return false;
    memcpy(whole, p, place);
    put_be32(whole + place, (uint32_t)(length - 4));
    INVARIANT(place + 4 <= n + 4 && length >= 4);
    memcpy(whole + place + 4, p + place, n - place);
    even = payload_walk(look, RPCRDMA_REDUCED_COUNT, whole, n + 4);
    free(whole);
    if (even)
        shift_back(look->body, place - look->body->rpc.header_len);
    return even;
}

/* ---- roundup that was left inline ---- */

/* Tries the roundup's octets alone, and then a whole word, which keeps the following items aligned. */
static bool walk_roundup(struct rpcrdma_look *look, const uint8_t *p, size_t n)
{
    look->word = false;
    if (payload_walk(look, RPCRDMA_REDUCED_ROUNDUP, p, n))
        return true;
    look->word = true;
    return payload_walk(look, RPCRDMA_REDUCED_ROUNDUP, p, n);
}

/* ---- missing roundup ---- */

/*
 * Either all inline items lack their roundup, or one item does: then its roundup would align the payload to 4 octets.
 */
static bool walk_unpadded(struct rpcrdma_look *look, const uint8_t *p, size_t n)
{
    const struct rpcrdma_body *body = look->body;
    unsigned candidates[UNPADDED_TRIES], tries = 0;

    look->bare = LOOK_ALL_BARE;
    if (payload_walk(look, RPCRDMA_REDUCED_UNPADDED, p, n))
        return true;
    if (n % 4 == 0)
        return false;
    payload_walk(look, RPCRDMA_REDUCED_STANDARD, p, n);
    for (unsigned i = body->n_items; i > 0 && tries < UNPADDED_TRIES; i--) {
        if (body->items[i - 1].chunk < 0 && xdr_roundup(body->items[i - 1].item.count) == xdr_roundup(n))
            candidates[tries++] = i - 1;
    }
    for (unsigned i = 0; i < tries; i++) {
        look->bare = (int)candidates[i];
        if (payload_walk(look, RPCRDMA_REDUCED_UNPADDED, p, n))
            return true;
    }
    return false;
}

/* ---- a missing verifier ---- */

static bool walk_bare(struct rpcrdma_look *look, const uint8_t *p, size_t n)
{
    struct rpcrdma_body *body = look->body;
    uint32_t whole = body->rpc.header_len;
    bool even;

    body->rpc.header_len = body->rpc.cred.at + (uint32_t)xdr_padded(body->rpc.cred.length);
    INVARIANT(body->rpc.header_len <= whole && whole <= n);
    even = payload_walk(look, RPCRDMA_REDUCED_IN_ORDER, p, n) || payload_walk(look, RPCRDMA_REDUCED_STANDARD, p, n);
    body->rpc.header_len = whole;
    body->reduction = RPCRDMA_REDUCED_BARE;
    if (even) /* the offsets count from the end of a header that does not exist */
        body->n_operations = body->n_items = body->n_values = 0;
    return even;
}

/* ---- a wrong count ---- */

/* copy: the payload, which is modified; at: the offset of the item's count in the payload. */
static bool walk_with_count(struct rpcrdma_look *look, uint8_t *copy, size_t n, size_t at, uint32_t count)
{
    for (uint32_t words = 1; words <= RECOUNT_WORDS; words++) {
        put_be32(copy + at, (uint32_t)xdr_padded(count) + 4 * words);
        if (payload_walk(look, RPCRDMA_REDUCED_RECOUNT, copy, n))
            return true;
        if (xdr_padded(count) < 4 * words)
            continue;
        put_be32(copy + at, (uint32_t)xdr_padded(count) - 4 * words);
        if (payload_walk(look, RPCRDMA_REDUCED_RECOUNT, copy, n))
            return true;
    }
    put_be32(copy + at, count);
    return false;
}

/* Tries other counts for the items before the point where the standard's walk failed. */
static bool walk_recount(struct rpcrdma_look *look, const uint8_t *p, size_t n)
{
    const struct rpcrdma_body *body = look->body;
    struct nfs_item candidates[RECOUNT_TRIES];
    unsigned tries = 0;
    bool even = false;
    uint8_t *copy;

    if (n > RECOUNT_MAX || payload_walk(look, RPCRDMA_REDUCED_STANDARD, p, n) || body->walk.status == NFS_WALK_OK)
        return false;
    for (unsigned i = body->n_items; i > 0 && tries < RECOUNT_TRIES; i--) {
        const struct rpcrdma_item *item = &body->items[i - 1];

        /* Marked items of fixed length have no count. */
        if (item->chunk < 0 && get_be32(p + body->rpc.header_len + item->item.at - 4) == item->item.count)
            candidates[tries++] = item->item;
    }
    copy = heap_get(n);
    if (!copy)
        return false;
    memcpy(copy, p, n);
    INVARIANT(tries <= RECOUNT_TRIES);
    for (unsigned i = 0; i < tries && !even; i++)
        even = walk_with_count(look, copy, n, body->rpc.header_len + candidates[i].at - 4, candidates[i].count);
    free(copy);
    return even;
}

/* ---- looking ---- */

/* Tried in this order, after the standard's way. */
static const struct way {
    enum rpcrdma_reduction reduction;
    bool with_chunks; /* applies only if the message has chunks */
    bool call, reply;
    bool (*walk)(struct rpcrdma_look *look, const uint8_t *p, size_t n); /* NULL: payload_walk() */
} ways[] = {
    {RPCRDMA_REDUCED_ROUNDUP, true, true, true, walk_roundup},
    {RPCRDMA_REDUCED_INLINE, true, true, true, NULL},
    {RPCRDMA_REDUCED_IN_ORDER, true, true, true, NULL},
    {RPCRDMA_REDUCED_PARTIAL, true, true, true, NULL},
    {RPCRDMA_REDUCED_OTHER, true, false, true, NULL},
    {RPCRDMA_REDUCED_COUNT, true, true, true, walk_counted},
    {RPCRDMA_REDUCED_ABSENT, false, true, true, NULL},
    {RPCRDMA_REDUCED_UNPADDED, false, true, true, walk_unpadded},
    {RPCRDMA_REDUCED_BARE, false, true, false, walk_bare},
    {RPCRDMA_REDUCED_RECOUNT, false, true, true, walk_recount},
};

/* Operations and union arms that are newer than the tables have small numbers; misread words hardly ever do. */
static bool may_be_new(const struct nfs_walk_result *walk)
{
    return walk->status == NFS_WALK_UNKNOWN && walk->fault > 2 && walk->fault < 256;
}

static bool may_apply(const struct way *way, const struct rpcrdma_look *look, bool chunks)
{
    return (look->reply ? way->reply : way->call) && (chunks || !way->with_chunks);
}

/* The standard's way, then the others: an error may look like something unknown to the tables. */
static void find_reduction(struct rpcrdma_look *look, const uint8_t *p, size_t n)
{
    bool chunks = rpcrdma_look_has_chunks(look);
    enum nfs_walk_status standard;

    if (payload_walk(look, RPCRDMA_REDUCED_STANDARD, p, n) || (!chunks && may_be_new(&look->body->walk)))
        return;
    standard = look->body->walk.status;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *way = &ways[i];

        if (may_apply(way, look, chunks) &&
            (way->walk ? way->walk(look, p, n) : payload_walk(look, way->reduction, p, n)))
            return;
    }
    payload_walk(look, RPCRDMA_REDUCED_STANDARD, p, n);
    if (standard != NFS_WALK_OK && standard != NFS_WALK_UNKNOWN)
        look->body->reduction = RPCRDMA_REDUCED_NONE;
    INVARIANT(look->body->reduction == RPCRDMA_REDUCED_STANDARD || look->body->reduction == RPCRDMA_REDUCED_NONE);
}

/* The arguments or results of the procedure are readable. */
static bool can_walk(const struct rpcrdma_transaction *t, const struct rpcrdma_body *body, bool reply)
{
    const struct rpc_message *call = &t->open->call_body.rpc;

    if (!body->procedure || body->wrapped || t->offers_lost)
        return false;
    if (call->cred.flavor == RPC_AUTH_GSS && (!call->has_gss || call->gss_proc != RPC_GSS_DATA))
        return false; /* context control, or not understood */
    if (!reply)
        return t->open->call_header.proc != RPCRDMA_MSGP; /* alignment octets may be anywhere */
    return rpcrdma_body_succeeded(body);
}

/* An unknown flavor may protect arguments and results as RPCSEC_GSS does: they count only if the walk ends exactly. */
static bool may_wrap(const struct rpc_auth *cred)
{
    return cred->flavor > RPC_AUTH_DH && cred->flavor != RPC_AUTH_GSS;
}

/*
 * Arguments with integrity protection are readable (RFC 2203 section 5.3.2.2): databody_integ, which consists of
 * seq_num and the arguments, and the checksum. They count only if the walk ends exactly.
 */
static bool walk_integrity(struct rpcrdma_look *look, const uint8_t *p, size_t n)
{
    struct rpcrdma_body *body = look->body;
    const struct nfs_walk_events events = {
        .ctx = look, .operation = payload_on_operation, .item = on_item, .value = on_value, .roundup = on_roundup};
    struct xdr x = xdr_begin(p + body->rpc.header_len, n - body->rpc.header_len);
    const uint8_t *protected, *checksum;
    uint32_t octets, length;

    if (body->rpc.gss_service != RPC_GSS_SVC_INTEGRITY || !xdr_opaque(&x, &protected, &octets) ||
        !xdr_opaque(&x, &checksum, &length) || xdr_left(&x) != 0 || octets < 4 ||
        get_be32(protected) != body->rpc.gss_seq)
        return false;
    nfs_walk(body->procedure, false, protected + 4, octets - 4, body->rpc.header_len + 8, &events, &body->walk);
    return body->walk.status == NFS_WALK_OK && body->walk.left == 0;
}

void rpcrdma_payload_decode(struct rpcrdma_transaction *t, bool reply, const uint8_t *p, uint64_t n,
                            const struct rpc_message *rpc)
{
    struct rpcrdma_body *body = rpcrdma_body_of(t, reply);
    struct rpcrdma_look look = {.t = t, .body = body, .reply = reply};

    body->payload = p;
    body->length = n;
    body->walked = body->wrapped = false;
    body->procedure = NULL;
    body->reduction = RPCRDMA_REDUCED_STANDARD;
    body->unreduced = body->hash = 0;
    body->n_operations = body->n_items = body->n_values = 0;
    body->cut = body->roundup_not_zero = false;
    if (rpc)
        body->rpc = *rpc;
    else
        rpc_decode(&body->rpc, p, n);
    body->known = body->rpc.status == RPC_OK && body->rpc.type == (reply ? RPC_REPLY : RPC_CALL);
    INVARIANT(!body->known || (body->rpc.header_len <= n && n >= 12));
    if (!body->known)
        return;
    if (!reply) {
        body->hash = hash_octets(0, p + 12, n - 12);
        t->request = (struct rpcrdma_request){.known = true,
                                              .program = body->rpc.prog,
                                              .version = body->rpc.vers,
                                              .procedure = body->rpc.proc,
                                              .hash = body->hash};
    }
    if (!t->open->call_body.known)
        return;
    body->wrapped = rpc_gss_protects(&t->open->call_body.rpc);
    body->procedure =
        reply ? t->open->call_body.procedure : nfs_procedure_find(body->rpc.prog, body->rpc.vers, body->rpc.proc);
    if (!can_walk(t, body, reply)) {
        body->walked = !reply && body->wrapped && body->procedure && walk_integrity(&look, p, n);
        return;
    }
    if (!reply)
        rpcrdma_look_sort(&look);
    find_reduction(&look, p, n);
    body->walked =
        !may_wrap(&t->open->call_body.rpc.cred) ||
        (body->reduction == RPCRDMA_REDUCED_STANDARD && body->walk.status == NFS_WALK_OK && body->walk.left == 0);
    if (!body->walked)
        return;
    if (body->walk.status == NFS_WALK_OK)
        body->unreduced = body->walk.position;
    INVARIANT(body->procedure && (body->unreduced == 0 || body->unreduced >= body->rpc.header_len));
    INVARIANT(body_is_within_bounds(body) && body->reduction <= RPCRDMA_REDUCED_NONE);
}

const uint8_t *rpcrdma_contents(const struct rpcrdma_body *body, const struct rpcrdma_item *item)
{
    /* With integrity protection the arguments follow two words. */
    uint64_t from = (uint64_t)body->rpc.header_len + (body->wrapped ? 8 : 0) + item->item.at;

    if (item->chunk >= 0 || from + item->item.count > body->length)
        return NULL;
    return body->payload + from;
}
