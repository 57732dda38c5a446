// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the payload of a Call or Reply says. The payload is as transferred: items that went into chunks are missing in
 * it (RFC 8166 section 3.4). It is walked as the standard says that it was reduced; when it does not come out even so,
 * as a sender might have got it wrong, one way after another, until one makes sense: that tells what the error is.
 */
#include "engine/rpcrdma_internal.h"

#include <stdlib.h>
#include <string.h>

enum {
    UNPADDED_TRIES = 4 /* items in front of where the walk failed that may lack their roundup */
};
static const unsigned EVERY = UINT32_MAX;

struct look {
    const struct rpcrdma_transaction *t;
    struct rpcrdma_body *body;
    bool reply;
    enum rpcrdma_reduction reduction;
    uint16_t order[RPCRDMA_READ_CHUNKS_MAX]; /* the Call's Read chunks by Position, that at Position Zero left out */
    unsigned n_order;
    unsigned next;  /* Calls: in order; Replies: in the Write list */
    unsigned seen;  /* items so far */
    bool word;      /* what is left of an item's roundup is a whole word of zeros */
    unsigned bare;  /* the item that has no roundup; EVERY: all that are inline */
    unsigned class; /* READ-class operations that began so far */
    bool in_class;  /* the latest operation is one */
};

/* ---- what is remembered of a payload ---- */

static void *room(void *array, unsigned *size, unsigned n, size_t element)
{
    unsigned larger = *size == 0 ? 8 : *size * 2;
    void *grown;

    if (n < *size)
        return array;
    if (n >= RPCRDMA_BODY_MAX)
        return NULL;
    grown = realloc(array, larger * element);
    if (grown != NULL)
        *size = larger;
    return grown;
}

static void remember_operation(struct rpcrdma_body *body, const struct nfs_operation *operation)
{
    void *array = room(body->operations, &body->operations_size, body->n_operations, sizeof *operation);

    body->cut |= array == NULL;
    if (array == NULL)
        return;
    body->operations = array;
    body->operations[body->n_operations++] = *operation;
}

static void remember_item(struct rpcrdma_body *body, const struct rpcrdma_item *item)
{
    void *array = room(body->items, &body->items_size, body->n_items, sizeof *item);

    body->cut |= array == NULL;
    if (array == NULL)
        return;
    body->items = array;
    body->items[body->n_items++] = *item;
}

static void remember_value(struct rpcrdma_body *body, const struct nfs_value *value)
{
    void *array = room(body->values, &body->values_size, body->n_values, sizeof *value);

    body->cut |= array == NULL;
    if (array == NULL)
        return;
    body->values = array;
    body->values[body->n_values++] = *value;
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
    while (*i < body->n_values) {
        const struct nfs_value *value = &body->values[(*i)++];

        if (value->mark == mark && (op == 0 || value->op == op))
            return value;
    }
    return NULL;
}

/* ---- chunks that an item may be in ---- */

static const struct rpcrdma_chunk_state *chunk_at(const struct look *look, int chunk)
{
    return &look->t->chunks[chunk];
}

/* Both lengths that a chunk with all of an item may have, roundup included or not (section 3.4.5.2). */
static bool holds(uint64_t length, uint32_t count)
{
    return length == count || length == xdr_padded(count);
}

/* Items come with ascending positions: chunks that lie before this one will not be asked for again. */
static int read_chunk_from(struct look *look, uint64_t position)
{
    while (look->next < look->n_order && chunk_at(look, look->order[look->next])->position < position)
        look->next++;
    return look->next < look->n_order ? look->order[look->next] : -1;
}

static int read_chunk_at(struct look *look, uint64_t position)
{
    int chunk = read_chunk_from(look, position);

    return chunk >= 0 && chunk_at(look, chunk)->position == position ? chunk : -1;
}

/* The Write chunk of the READ-class operation under way, when it was returned with something in it. */
static int write_chunk_of(const struct look *look)
{
    unsigned number = look->body->procedure->compound ? look->class - 1 : 0;
    int chunk = (int)(look->t->first_write + number);

    if ((look->body->procedure->compound && !look->in_class) || number >= look->t->n_writes)
        return -1;
    return chunk_at(look, chunk)->returned > 0 ? chunk : -1;
}

/* The next Write chunk that was returned with this length. */
static int write_chunk_with(struct look *look, uint32_t count)
{
    for (; look->next < look->t->n_writes; look->next++) {
        int chunk = (int)(look->t->first_write + look->next);

        if (chunk_at(look, chunk)->returned == 0)
            continue;
        if (!holds(chunk_at(look, chunk)->returned, count))
            return -1;
        look->next++;
        return chunk;
    }
    return -1;
}

static int standard_chunk(struct look *look, const struct nfs_item *item)
{
    if (look->reply)
        return item->eligible ? write_chunk_of(look) : -1;
    return read_chunk_at(look, item->position - (look->reduction == RPCRDMA_REDUCED_COUNT ? 4 : 0));
}

/* ---- how much of an item is inline ---- */

static uint64_t left_standard(struct look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = standard_chunk(look, item);
    return *chunk >= 0 ? 0 : xdr_padded(item->count);
}

static uint64_t left_roundup(struct look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = standard_chunk(look, item);
    if (*chunk < 0)
        return xdr_padded(item->count);
    return look->word && item->count % 4 != 0 ? 4 : xdr_roundup(item->count);
}

static uint64_t left_inline(struct look *look, const struct nfs_item *item, int *chunk)
{
    (void)look;
    *chunk = -1;
    return xdr_padded(item->count);
}

static uint64_t left_in_order(struct look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = -1;
    if (!item->eligible || item->count == 0)
        return xdr_padded(item->count);
    if (look->reply)
        *chunk = write_chunk_with(look, item->count);
    else if (look->next < look->n_order && holds(chunk_at(look, look->order[look->next])->length, item->count))
        *chunk = look->order[look->next++];
    return *chunk >= 0 ? 0 : xdr_padded(item->count);
}

/* Of a Call's item the chunk may hold the front, the end, or several chunks a part each. */
static uint64_t left_partial(struct look *look, const struct nfs_item *item, int *chunk)
{
    uint64_t padded = xdr_padded(item->count), end = item->position + item->count, octets = 0;

    if (look->reply) {
        *chunk = standard_chunk(look, item);
        octets = *chunk >= 0 ? chunk_at(look, *chunk)->returned : 0;
    } else {
        *chunk = -1;
        for (int c = read_chunk_from(look, item->position); c >= 0 && chunk_at(look, c)->position < end;
             c = read_chunk_from(look, (uint64_t)chunk_at(look, c)->position + 1)) {
            const struct rpcrdma_chunk_state *state = chunk_at(look, c);

            *chunk = *chunk < 0 ? c : *chunk;
            octets += state->length;
            if (state->position + state->length == end) /* with the end the roundup is gone as well */
                octets += xdr_roundup(item->count);
        }
    }
    return octets < padded ? padded - octets : 0;
}

static uint64_t left_other(struct look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = item->count > 0 && !(item->eligible && standard_chunk(look, item) < 0)
                 ? write_chunk_with(look, item->count)
                 : -1;
    return *chunk >= 0 ? 0 : xdr_padded(item->count);
}

static uint64_t left_absent(struct look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = standard_chunk(look, item);
    return *chunk >= 0 || item->eligible ? 0 : xdr_padded(item->count);
}

static uint64_t left_unpadded(struct look *look, const struct nfs_item *item, int *chunk)
{
    *chunk = standard_chunk(look, item);
    if (*chunk >= 0)
        return 0;
    return look->bare == EVERY || look->bare == look->seen ? item->count : xdr_padded(item->count);
}

/* How much of an item is inline, by reduction. */
static uint64_t (*const left[RPCRDMA_REDUCED_NONE])(struct look *look, const struct nfs_item *item, int *chunk) = {
    [RPCRDMA_REDUCED_STANDARD] = left_standard, [RPCRDMA_REDUCED_ROUNDUP] = left_roundup,
    [RPCRDMA_REDUCED_INLINE] = left_inline,     [RPCRDMA_REDUCED_IN_ORDER] = left_in_order,
    [RPCRDMA_REDUCED_PARTIAL] = left_partial,   [RPCRDMA_REDUCED_OTHER] = left_other,
    [RPCRDMA_REDUCED_COUNT] = left_standard,    [RPCRDMA_REDUCED_ABSENT] = left_absent,
    [RPCRDMA_REDUCED_UNPADDED] = left_unpadded, [RPCRDMA_REDUCED_BARE] = left_standard,
};

/* ---- the walk ---- */

static void on_operation(void *ctx, const struct nfs_operation *operation)
{
    struct look *look = ctx;

    look->in_class = !look->body->procedure->callback && nfs_op_read_class(operation->op);
    look->class += look->in_class;
    remember_operation(look->body, operation);
}

static uint64_t on_item(void *ctx, const struct nfs_item *item)
{
    struct look *look = ctx;
    struct rpcrdma_item kept = {.item = *item, .chunk = -1, .read_class = look->class - look->in_class};
    uint64_t inlined = left[look->reduction](look, item, &kept.chunk);

    look->seen++;
    remember_item(look->body, &kept);
    return inlined;
}

static void on_value(void *ctx, const struct nfs_value *value)
{
    struct look *look = ctx;

    remember_value(look->body, value);
}

static void on_roundup(void *ctx, size_t at, uint64_t position)
{
    struct look *look = ctx;

    (void)at;
    if (!look->body->roundup_not_zero)
        look->body->roundup_position = position;
    look->body->roundup_not_zero = true;
}

/* Walks p[0..n), the whole payload, taken to be reduced this way. True when it comes out even. */
static bool walk(struct look *look, enum rpcrdma_reduction reduction, const uint8_t *p, size_t n)
{
    struct rpcrdma_body *body = look->body;
    const struct nfs_walk_events events = {
        .ctx = look, .operation = on_operation, .item = on_item, .value = on_value, .roundup = on_roundup};
    uint32_t from = body->rpc.header_len;

    look->reduction = body->reduction = reduction;
    look->next = look->class = look->seen = 0;
    look->in_class = false;
    body->n_operations = body->n_items = body->n_values = 0;
    body->cut = body->roundup_not_zero = false;
    nfs_walk(body->procedure, look->reply, p + from, n - from, from, &events, &body->walk);
    return body->walk.status == NFS_WALK_OK && body->walk.left == 0;
}

/* ---- the count in the chunk ---- */

/*
 * Where the count of a chunk's item is missing, as the standard's walk saw it: in front of what it took for the
 * item's contents, or where the payload ended. The offset in the payload, and the chunk; false when there is none.
 */
static bool missing_count(struct look *look, size_t *place, int *chunk)
{
    const struct rpcrdma_body *body = look->body;

    for (unsigned i = 0; i < body->n_items; i++) {
        const struct rpcrdma_item *item = &body->items[i];

        look->next = i == 0 ? 0 : look->next;
        *chunk = look->reply ? item->chunk : read_chunk_at(look, item->item.position - 4);
        *place = body->rpc.header_len + item->item.at - 4;
        if (*chunk >= 0)
            return true;
    }
    if (body->walk.status != NFS_WALK_SHORT)
        return false;
    *place = body->rpc.header_len + body->walk.at;
    look->next = 0;
    *chunk = look->reply ? (look->in_class || !body->procedure->compound ? write_chunk_of(look) : -1)
                         : read_chunk_at(look, body->walk.position);
    return *chunk >= 0;
}

/* Walks the payload with the count put back. */
static bool walk_counted(struct look *look, const uint8_t *p, size_t n)
{
    const struct rpcrdma_chunk_state *state;
    uint64_t length;
    uint8_t *whole;
    size_t place;
    bool even;
    int chunk;

    walk(look, RPCRDMA_REDUCED_STANDARD, p, n);
    if (!missing_count(look, &place, &chunk) || place > n)
        return false;
    state = chunk_at(look, chunk);
    length = look->reply ? state->returned : state->length;
    if (length < 4 || length - 4 > UINT32_MAX)
        return false;
    whole = malloc(n + 4);
    if (whole == NULL)
        return false;
    memcpy(whole, p, place);
    put_be32(whole + place, (uint32_t)(length - 4));
    memcpy(whole + place + 4, p + place, n - place);
    even = walk(look, RPCRDMA_REDUCED_COUNT, whole, n + 4);
    free(whole);
    return even;
}

/* ---- roundup that is left inline ---- */

/* Its octets; or a word, so that what follows is aligned as before. */
static bool walk_roundup(struct look *look, const uint8_t *p, size_t n)
{
    look->word = false;
    if (walk(look, RPCRDMA_REDUCED_ROUNDUP, p, n))
        return true;
    look->word = true;
    return walk(look, RPCRDMA_REDUCED_ROUNDUP, p, n);
}

/* ---- roundup that is missing ---- */

/* All inline items may lack theirs, or one: then as many octets are missing as the payload is short of whole words. */
static bool walk_unpadded(struct look *look, const uint8_t *p, size_t n)
{
    const struct rpcrdma_body *body = look->body;
    unsigned candidates[UNPADDED_TRIES], tries = 0;

    look->bare = EVERY;
    if (walk(look, RPCRDMA_REDUCED_UNPADDED, p, n))
        return true;
    if (n % 4 == 0)
        return false;
    walk(look, RPCRDMA_REDUCED_STANDARD, p, n);
    for (unsigned i = body->n_items; i > 0 && tries < UNPADDED_TRIES; i--) {
        if (body->items[i - 1].chunk < 0 && xdr_roundup(body->items[i - 1].item.count) == xdr_roundup(n))
            candidates[tries++] = i - 1;
    }
    for (unsigned i = 0; i < tries; i++) {
        look->bare = candidates[i];
        if (walk(look, RPCRDMA_REDUCED_UNPADDED, p, n))
            return true;
    }
    return false;
}

/* ---- a verifier that is missing ---- */

static bool walk_bare(struct look *look, const uint8_t *p, size_t n)
{
    struct rpcrdma_body *body = look->body;
    uint32_t whole = body->rpc.header_len;
    bool even;

    body->rpc.header_len = body->rpc.cred.at + (uint32_t)xdr_padded(body->rpc.cred.length);
    even = walk(look, RPCRDMA_REDUCED_IN_ORDER, p, n) || walk(look, RPCRDMA_REDUCED_STANDARD, p, n);
    body->rpc.header_len = whole;
    body->reduction = RPCRDMA_REDUCED_BARE;
    return even;
}

/* ---- looking ---- */

/* Behind the standard's way, in the order in which they are tried. */
static const struct way {
    enum rpcrdma_reduction reduction;
    bool with_chunks; /* says something only when there are chunks */
    bool call, reply;
    bool (*walk)(struct look *look, const uint8_t *p, size_t n); /* NULL: walk() */
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
};

static bool has_chunks(const struct look *look)
{
    if (!look->reply)
        return look->n_order > 0;
    for (unsigned i = 0; i < look->t->n_writes; i++) {
        if (chunk_at(look, (int)(look->t->first_write + i))->returned > 0)
            return true;
    }
    return false;
}

/* The lists come sorted as a rule. */
static void sort_read_chunks(struct look *look)
{
    for (unsigned i = 0; i < look->t->n_chunks && look->t->chunks[i].kind == RPCRDMA_READ_CHUNK; i++) {
        unsigned at = look->n_order;

        if ((int)i == look->t->position_zero || look->n_order == RPCRDMA_READ_CHUNKS_MAX)
            continue;
        for (; at > 0 && chunk_at(look, look->order[at - 1])->position > look->t->chunks[i].position; at--)
            look->order[at] = look->order[at - 1];
        look->order[at] = (uint16_t)i;
        look->n_order++;
    }
}

/* The standard's way, then the others: an error may look like something that the tables do not know. */
static void find_reduction(struct look *look, const uint8_t *p, size_t n)
{
    bool chunks = has_chunks(look);
    enum nfs_walk_status standard;

    if (walk(look, RPCRDMA_REDUCED_STANDARD, p, n))
        return;
    standard = look->body->walk.status;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        const struct way *way = &ways[i];

        if (!(look->reply ? way->reply : way->call) || (way->with_chunks && !chunks))
            continue;
        if (way->walk != NULL ? way->walk(look, p, n) : walk(look, way->reduction, p, n))
            return;
    }
    walk(look, RPCRDMA_REDUCED_STANDARD, p, n);
    if (standard != NFS_WALK_OK && standard != NFS_WALK_UNKNOWN)
        look->body->reduction = RPCRDMA_REDUCED_NONE;
}

/* Arguments or results that are those of the procedure, and in clear. */
static bool can_walk(const struct rpcrdma_transaction *t, const struct rpcrdma_body *body, bool reply)
{
    const struct rpc_message *call = &t->call_body.rpc;

    if (body->procedure == NULL || body->wrapped || t->offers_lost)
        return false;
    if (call->cred.flavor == RPC_AUTH_GSS && (!call->has_gss || call->gss_proc != RPC_GSS_DATA))
        return false; /* context control, or not understood */
    if (!reply)
        return t->call_header.proc != RPCRDMA_MSGP; /* there may be octets of alignment anywhere */
    return body->rpc.reply_stat == RPC_MSG_ACCEPTED && body->rpc.accept_stat == RPC_SUCCESS;
}

/* Eight octets at a time: equal requests have equal hashes, others hardly ever. */
static uint64_t hash_of(const uint8_t *p, size_t n)
{
    uint64_t hash = 0x9e3779b97f4a7c15u ^ n;

    for (; n > 0; p += n < 8 ? n : 8, n -= n < 8 ? n : 8) {
        uint64_t word = 0;

        memcpy(&word, p, n < 8 ? n : 8);
        hash = (hash ^ word) * 0xff51afd7ed558ccdu;
        hash ^= hash >> 32;
    }
    return hash;
}

void rpcrdma_payload_look(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t, bool reply,
                          const uint8_t *p, uint64_t n)
{
    struct rpcrdma_body *body = reply ? &t->reply_body : &t->call_body;
    struct look look = {.t = t, .body = body, .reply = reply};

    (void)rpcrdma;
    body->payload = p;
    body->length = n;
    body->walked = body->wrapped = false;
    body->procedure = NULL;
    body->reduction = RPCRDMA_REDUCED_STANDARD;
    body->unreduced = body->hash = 0;
    body->n_operations = body->n_items = body->n_values = 0;
    body->cut = body->roundup_not_zero = false;
    rpc_decode(&body->rpc, p, n);
    body->known = body->rpc.status == RPC_OK && body->rpc.type == (reply ? RPC_REPLY : RPC_CALL);
    if (!body->known)
        return;
    if (!reply)
        body->hash = hash_of(p + 12, n - 12);
    if (!t->call_body.known)
        return;
    body->wrapped = rpc_gss_protects(&t->call_body.rpc);
    body->procedure =
        reply ? t->call_body.procedure : nfs_procedure_find(body->rpc.prog, body->rpc.vers, body->rpc.proc);
    if (!can_walk(t, body, reply))
        return;
    if (!reply)
        sort_read_chunks(&look);
    find_reduction(&look, p, n);
    body->walked = true;
    if (body->walk.status == NFS_WALK_OK)
        body->unreduced = body->walk.position;
}
