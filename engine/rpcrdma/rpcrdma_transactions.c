// SPDX-License-Identifier: GPL-2.0-or-later
/* The transactions of one connection, by calling side and XID (RFC 8166 section 2.2.2, RFC 8167 section 2.4). */
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "engine/rpcrdma/rpcrdma_internal.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum { CONTENT_KEPT = 16384 }; /* larger buffers are freed at the end of the transaction */
enum { SLAB_FIRST = 2, SLAB_MAX = 16 };

/* ---- queues ---- */

/* Both ends of the queue, and t's places in it. */
static bool queue_is_sound(const struct rpcrdma_queue *queue)
{
    return (queue->n == 0) == !queue->oldest && !queue->oldest == !queue->newest &&
           (!queue->oldest || (!queue->oldest->older && !queue->newest->newer)) &&
           (queue->n == 1) == (queue->oldest && queue->oldest == queue->newest);
}

/* Holds whenever no transaction is being opened, closed or retired. */
static bool calls_are_sound(const struct rpcrdma_connection *rpcrdma, unsigned side)
{
    const struct rpcrdma_calls *calls = &rpcrdma->side[side].calls;

    return queue_is_sound(&calls->waiting) && queue_is_sound(&calls->done) &&
           (calls->hash || calls->waiting.n + calls->done.n == 0) &&
           calls->waiting.n <= rpcrdma->options.transactions_max &&
           calls->waiting.n + calls->done.n <= rpcrdma->options.transactions_max + RPCRDMA_ANSWERED_MAX &&
           calls->answered + calls->waiting.n <= calls->total && calls->done.n <= calls->answered &&
           (calls->orphan || calls->orphans == 0);
}

static void enqueue(struct rpcrdma_queue *queue, struct rpcrdma_transaction *t)
{
    t->older = queue->newest;
    t->newer = NULL;
    if (queue->newest)
        queue->newest->newer = t;
    else
        queue->oldest = t;
    queue->newest = t;
    queue->n++;
    INVARIANT(queue_is_sound(queue) && (t->older ? t->older->newer == t : queue->oldest == t));
}

static void dequeue(struct rpcrdma_queue *queue, struct rpcrdma_transaction *t)
{
    if (t->older)
        t->older->newer = t->newer;
    else
        queue->oldest = t->newer;
    if (t->newer)
        t->newer->older = t->older;
    else
        queue->newest = t->older;
    t->older = t->newer = NULL;
    queue->n--;
    INVARIANT(queue_is_sound(queue));
}

/* ---- finding ---- */

static struct rpcrdma_transaction *transactions_first_of(const struct rpcrdma_connection *rpcrdma, unsigned side,
                                                         uint32_t xid)
{
    const struct rpcrdma_calls *calls = &rpcrdma->side[side].calls;

    return calls->hash ? calls->hash[hash_bucket(xid)] : NULL;
}

struct rpcrdma_transaction *rpcrdma_find(const struct rpcrdma_connection *rpcrdma, unsigned side, uint32_t xid)
{
    struct rpcrdma_transaction *t = transactions_first_of(rpcrdma, side, xid);

    while (t && t->xid != xid)
        t = t->hash_next;
    INVARIANT(!t || t->side == side);
    return t;
}

struct rpcrdma_transaction *rpcrdma_find_outstanding(const struct rpcrdma_connection *rpcrdma, unsigned side,
                                                     uint32_t xid)
{
    struct rpcrdma_transaction *t = transactions_first_of(rpcrdma, side, xid);

    while (t && (t->xid != xid || !rpcrdma_waits(t)))
        t = t->hash_next;
    INVARIANT(!t || (t->side == side && t->open != &rpcrdma_closed));
    return t;
}

struct rpcrdma_transaction *rpcrdma_find_earlier(const struct rpcrdma_transaction *call)
{
    struct rpcrdma_transaction *t = call->hash_next;

    while (t && (t->xid != call->xid || !rpcrdma_waits(t)))
        t = t->hash_next;
    INVARIANT(!t || (t->side == call->side && t->number < call->number));
    return t;
}

struct rpcrdma_transaction *rpcrdma_next_outstanding(const struct rpcrdma_connection *rpcrdma, unsigned side,
                                                     struct rpcrdma_transaction *after)
{
    return after ? after->newer : rpcrdma->side[side].calls.waiting.oldest;
}

/* ---- opening ---- */

const struct rpcrdma_open rpcrdma_closed;

struct rpcrdma_body *rpcrdma_body_of(struct rpcrdma_transaction *t, bool reply)
{
    struct rpcrdma_open *open = &rpcrdma_buffers_of(t)->open;

    return reply ? &open->reply_body : &open->call_body;
}

/* Clears everything except the arrays. */
static void clear_body(struct rpcrdma_body *body)
{
    memset(body, 0, offsetof(struct rpcrdma_body, operations));
    INVARIANT(!body->known && !body->walked && body->n_items == 0 && body->n_operations == 0 && body->n_values == 0);
    INVARIANT(body->items_size <= RPCRDMA_BODY_MAX && body->operations_size <= RPCRDMA_BODY_MAX &&
              body->values_size <= RPCRDMA_BODY_MAX);
}

static bool take_buffers(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t)
{
    struct rpcrdma_buffers *buffers = rpcrdma->pool.buffers;

    if (buffers)
        rpcrdma->pool.buffers = buffers->next;
    else if (!(buffers = arena_zeroed(rpcrdma->arena, sizeof *buffers)))
        return false;
    t->open = &buffers->open;
    INVARIANT(!t->open->call_body.known && !t->open->reply_body.known && t->open->call_octets == 0 &&
              !t->open->use.known);
    INVARIANT(!buffers->content[0].cut && !buffers->content[1].cut);
    return true;
}

/* Leaves the buffers for the next transaction. */
static void leave_buffers(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t)
{
    struct rpcrdma_buffers *buffers = rpcrdma_buffers_of(t);

    for (unsigned i = 0; i < 2; i++) {
        struct rpcrdma_content *content = &buffers->content[i];

        if (content->size > CONTENT_KEPT) {
            free(content->octets);
            *content = (struct rpcrdma_content){0};
        }
        content->cut = false;
        INVARIANT(content->size <= CONTENT_KEPT && (content->octets != NULL) == (content->size > 0));
    }
    clear_body(&buffers->open.call_body);
    clear_body(&buffers->open.reply_body);
    memset(&buffers->open.call_header, 0, sizeof buffers->open - offsetof(struct rpcrdma_open, call_header));
    t->open = &rpcrdma_closed;
    buffers->next = rpcrdma->pool.buffers;
    rpcrdma->pool.buffers = buffers;
    INVARIANT(!rpcrdma_buffers_of(t) && buffers->next != buffers);
}

/* A block of transactions: as large as all earlier blocks together, so a connection with few Calls costs little. */
struct rpcrdma_slab {
    unsigned used, room;
    struct rpcrdma_transaction transaction[];
};

static struct rpcrdma_transaction *from_slab(struct rpcrdma_connection *rpcrdma)
{
    struct rpcrdma_slab *slab = rpcrdma->pool.slab;
    unsigned room = !slab ? SLAB_FIRST : slab->room < SLAB_MAX ? 2 * slab->room : SLAB_MAX;

    if (!slab || slab->used == slab->room) {
        slab = arena_zeroed(rpcrdma->arena, sizeof *slab + room * sizeof *slab->transaction);
        if (!slab)
            return NULL;
        slab->room = room;
        rpcrdma->pool.slab = slab;
    }
    INVARIANT(slab->used < slab->room && slab->room <= SLAB_MAX);
    return &slab->transaction[slab->used++];
}

/* A new transaction takes over the arrays of a retired one, and the buffers of an answered one. */
static struct rpcrdma_transaction *fresh(struct rpcrdma_connection *rpcrdma)
{
    struct rpcrdma_transaction *t = rpcrdma->pool.spare, keep;

    if (t) {
        rpcrdma->pool.spare = t->hash_next;
        keep = *t;
        *t = (struct rpcrdma_transaction){.chunks = keep.chunks,
                                          .offers = keep.offers,
                                          .chunks_size = keep.chunks_size,
                                          .offers_size = keep.offers_size};
    } else {
        t = from_slab(rpcrdma);
    }
    if (!t || take_buffers(rpcrdma, t))
        return t;
    t->hash_next = rpcrdma->pool.spare;
    rpcrdma->pool.spare = t;
    return NULL;
}

static void transactions_retire(struct rpcrdma_connection *rpcrdma, struct rpcrdma_queue *queue,
                                struct rpcrdma_transaction *t)
{
    struct rpcrdma_transaction **at = &rpcrdma->side[t->side].calls.hash[hash_bucket(t->xid)];

    if (!rpcrdma->finished)
        rpcrdma_record_call(rpcrdma, t);
    if (rpcrdma->events.retired)
        rpcrdma->events.retired(rpcrdma->events.ctx, t);
    if (rpcrdma_waits(t) && !rpcrdma->finished)
        rpcrdma_count(rpcrdma, t);
    rpcrdma_offers_drop(rpcrdma, t);
    while (*at != t)
        at = &(*at)->hash_next;
    *at = t->hash_next;
    dequeue(queue, t);
    if (rpcrdma_waits(t))
        leave_buffers(rpcrdma, t);
    INVARIANT(t->open == &rpcrdma_closed && !t->older && !t->newer);
    free(t->use);
    t->use = NULL;
    t->hash_next = rpcrdma->pool.spare;
    rpcrdma->pool.spare = t;
}

/* A Call that is forgotten while outstanding may still be answered: from then on absence proves nothing. */
static void transactions_make_room(struct rpcrdma_connection *rpcrdma, struct rpcrdma_calls *calls, unsigned side)
{
    if (calls->done.n > RPCRDMA_ANSWERED_MAX)
        transactions_retire(rpcrdma, &calls->done, calls->done.oldest);
    if (calls->waiting.n < rpcrdma->options.transactions_max)
        return;
    rpcrdma_lacks_track(rpcrdma, side);
    transactions_retire(rpcrdma, &calls->waiting, calls->waiting.oldest);
    INVARIANT(calls->waiting.n < rpcrdma->options.transactions_max || rpcrdma->options.transactions_max == 0);
    INVARIANT(rpcrdma->side[side].lack.untracked);
}

/* The arguments, without the RPC header before them. */
static void take_arguments(struct rpcrdma_transaction *t, const struct rpcrdma_message *call)
{
    uint64_t from = (uint64_t)call->header.header_len + call->rpc.header_len;
    struct rpcrdma_open *open = &rpcrdma_buffers_of(t)->open;

    if (!call->has_rpc || call->rpc.status != RPC_OK || from > call->n)
        return;
    open->arguments = call->n - (uint32_t)from;
    INVARIANT(open->arguments <= call->n);
    t->arguments_hash = hash_octets(0, call->p + from, open->arguments);
}

/* Everything inline after the XID: the arguments, and the words before them. */
static void take_inline(struct rpcrdma_transaction *t, const struct rpcrdma_message *call)
{
    uint32_t from = call->header.status == RPCRDMA_OK ? call->header.header_len + 4 : RPCRDMA_FIXED_LEN;
    uint32_t to = call->n - t->open->arguments;
    INVARIANT(to <= call->n);

    if (from < to)
        t->inline_hash = hash_octets(t->arguments_hash, call->p + from, to - from);
}

/*
 * A retransmission has the arguments of the first transmission. Its credential may differ: AUTH_SYS has a stamp, and
 * RPCSEC_GSS a sequence number that is never used twice (RFC 2203 section 5.3.1) and on which protected arguments
 * depend.
 */
static bool repeats(const struct rpcrdma_transaction *before, const struct rpcrdma_transaction *t,
                    const struct rpcrdma_message *call)
{
    const struct rpc_message *first = &before->open->call_body.rpc, *again = &call->rpc;

    if (call->header.status != RPCRDMA_OK || before->open->call_header.proc != call->header.proc)
        return false;
    if (before->inline_hash == t->inline_hash)
        return true;
    return call->has_rpc && again->status == RPC_OK && again->type == RPC_CALL && before->open->call_body.known &&
           first->prog == again->prog && first->vers == again->vers && first->proc == again->proc &&
           first->cred.flavor == again->cred.flavor && before->open->arguments == t->open->arguments &&
           (before->arguments_hash == t->arguments_hash || rpc_gss_protects(again));
}

/*
 * On InfiniBand: the Call was captured before this answer, but is taken after it. Or the Call is one of the next Calls,
 * and the answer came when no Call was certainly outstanding: an answer can hardly have that XID by chance.
 */
static bool answers_late(const struct rpcrdma_orphan *orphan, const struct rpcrdma_calls *calls,
                         const struct rpcrdma_message *call)
{
    INVARIANT(orphan->calls <= calls->total);
    return call->place.first_frame < orphan->place.frame ||
           (orphan->alone && calls->total - orphan->calls < RPCRDMA_ORPHANS_MAX);
}

bool rpcrdma_call_may_precede(const struct rpcrdma_message *call, const struct place *place)
{
    enum { PROMPT = 4 }; /* the answer may have taken most of the timeout */
    int64_t since_ns = call->place.time_ns - place->time_ns;

    if (call->place.first_frame < place->frame || since_ns >= call->copy_ns / PROMPT)
        return true;
    /* Data that the sender had acknowledged came before the Call, whatever the skew between the directions. */
    return call->received <= place->offset && since_ns < call->skew_ns;
}

/* Callers count their XIDs in either byte order. */
static bool succeeds(uint32_t xid, uint32_t before)
{
    return xid - before == 1 || __builtin_bswap32(xid) - __builtin_bswap32(before) == 1;
}

/*
 * The XIDs are close to each other: most implementations count XIDs up. Linux counts in the byte order of the machine,
 * and sends XIDs without conversion.
 */
static bool are_neighbours(uint32_t a, uint32_t b)
{
    enum { FAR = 16 };
    uint32_t up = a - b, swapped = __builtin_bswap32(a) - __builtin_bswap32(b);

    return up + FAR <= 2 * FAR || swapped + FAR <= 2 * FAR;
}

bool rpcrdma_transaction_follows(const struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t frame)
{
    const struct rpcrdma_calls *calls = &rpcrdma->side[caller].calls;
    unsigned n = calls->orphans < RPCRDMA_ORPHANS_MAX ? calls->orphans : RPCRDMA_ORPHANS_MAX;

    if (calls->total == 0 || calls->scattered)
        return true;
    for (unsigned i = 0; i < n; i++)
        if (calls->orphan[i].place.frame == frame)
            return are_neighbours(calls->orphan[i].xid, calls->newest_xid);
    return true; /* the Call was forgotten */
}

bool rpcrdma_transaction_succeeds(const struct rpcrdma_connection *rpcrdma, unsigned caller, uint32_t frame)
{
    const struct rpcrdma_calls *calls = &rpcrdma->side[caller].calls;
    unsigned n = calls->orphans < RPCRDMA_ORPHANS_MAX ? calls->orphans : RPCRDMA_ORPHANS_MAX;

    for (unsigned i = 0; i < n && calls->total > 0; i++) {
        uint32_t xid = calls->orphan[i].xid;

        if (calls->orphan[i].place.frame == frame)
            return succeeds(xid, calls->newest_xid);
    }
    return false;
}

/* The answer may be meant for another outstanding Call with a similar XID. */
static void transactions_claim(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t,
                               const struct rpcrdma_message *call, const struct rpcrdma_orphan *orphan)
{
    if (!rpcrdma_call_may_precede(call, &orphan->place))
        return;
    t->damage = RPCRDMA_LATE;
    rpcrdma_pending_claim(rpcrdma, call->side, orphan->place.frame, t->call.frame);
    INVARIANT(orphan->xid == t->xid);
}

/*
 * On InfiniBand: the Call may be a copy, and the first transmission may have come before the latest hole of the other
 * side, in which that side has then begun to answer the Call.
 */
static bool may_precede_hole(const struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *call)
{
    const struct rpcrdma_side *other = &rpcrdma->side[other_side(call->side)];

    if (!rpcrdma->gaps_show_late || other->lost_frame == 0)
        return false;
    return call->place.first_frame < other->lost_frame ||
           (call->resent && other->lost_ns >= rpcrdma->side[call->side & 1u].sent_ns);
}

static void settle_late(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t,
                        const struct rpcrdma_message *call)
{
    struct rpcrdma_calls *calls = &rpcrdma->side[call->side].calls;
    unsigned n = calls->orphans < RPCRDMA_ORPHANS_MAX ? calls->orphans : RPCRDMA_ORPHANS_MAX;
    bool lagged;

    if (calls->lagged_until == UINT64_MAX && rpcrdma->received[other_side(call->side)] > 0)
        calls->lagged_until = rpcrdma->received[other_side(call->side)];
    lagged = call->place.offset < calls->lagged_until;
    if (lagged || call->place.first_frame < calls->lagged_frame || may_precede_hole(rpcrdma, call))
        rpcrdma_damage(t);
    for (unsigned i = 0; i < n; i++) {
        const struct rpcrdma_orphan *orphan = &calls->orphan[i];

        if (orphan->xid != t->xid || !(lagged || rpcrdma->gaps_show_late))
            continue;
        rpcrdma_lacks_claimed(rpcrdma, call->side);
        if (!lagged && !answers_late(orphan, calls, call)) {
            transactions_claim(rpcrdma, t, call, orphan);
            continue;
        }
        t->damage = RPCRDMA_LATE;
        if (lagged || rpcrdma_call_may_precede(call, &orphan->place))
            rpcrdma_pending_excuse(rpcrdma, call->side, orphan->place.frame);
    }
    INVARIANT(!lagged || t->damage != RPCRDMA_WHOLE);
}

/* A Send that is missing between Calls with consecutive XIDs is a copy of a Call, maybe of the second Call. */
static bool may_be_repeated(struct rpcrdma_side *caller, uint32_t xid)
{
    const struct rpcrdma_calls *calls = &caller->calls;
    bool repeated = caller->may_repeat && (calls->total == 0 || succeeds(xid, calls->newest_xid));

    caller->may_repeat = false;
    return repeated;
}

struct rpcrdma_transaction *rpcrdma_transaction_open(struct rpcrdma_connection *rpcrdma,
                                                     const struct rpcrdma_message *call)
{
    struct rpcrdma_calls *calls = &rpcrdma->side[call->side].calls;
    struct rpcrdma_transaction *before, *t;
    struct rpcrdma_open *open;

    transactions_make_room(rpcrdma, calls, call->side);
    before = rpcrdma_find_outstanding(rpcrdma, call->side, call->header.xid);
    if (!calls->hash)
        calls->hash = arena_zeroed(rpcrdma->arena, HASH_BUCKETS * sizeof(struct rpcrdma_transaction *));
    t = calls->hash ? fresh(rpcrdma) : NULL;
    if (!t) {
        rpcrdma_lacks_track(rpcrdma, call->side);
        return NULL;
    }
    INVARIANT(t->n_chunks == 0 && t->n_offers == 0 && !t->use && t->outcome == RPCRDMA_OUTSTANDING);
    t->number = ++rpcrdma->transactions;
    t->xid = call->header.xid;
    t->side = call->side & 1u;
    t->reverse = rpcrdma->client >= 0 && (unsigned)rpcrdma->client != call->side;
    t->call = call->place;
    t->call_operation = call->operation;
    t->call_received = call->received;
    t->recalled = may_be_repeated(&rpcrdma->side[call->side], t->xid);
    /* On InfiniBand, the sender of a copy may have received less when it first sent the Call. */
    t->call_after = call->resent || call->place.first_frame < call->place.frame ? 0 : call->received;
    open = &rpcrdma_buffers_of(t)->open;
    open->call_header.status = call->header.status;
    open->call_header.vers = call->header.vers;
    open->call_header.proc = call->header.proc;
    open->call_header.header_len = call->header.header_len;
    open->call_header.read_segments = call->header.read.n;
    open->call_octets = call->n;
    t->position_zero = t->reply_chunk = -1;
    take_arguments(t, call);
    take_inline(t, call);
    t->repeats = before && repeats(before, t, call);
    settle_late(rpcrdma, t, call);
    INVARIANT(before != t);
    t->hash_next = calls->hash[hash_bucket(t->xid)];
    calls->hash[hash_bucket(t->xid)] = t;
    enqueue(&calls->waiting, t);
    calls->outstanding = calls->waiting.n;
    calls->scattered |= calls->total > 0 && !are_neighbours(t->xid, calls->newest_xid);
    calls->newest_xid = t->xid;
    calls->total++;
    INVARIANT(rpcrdma_transaction_is_sound(t) && calls_are_sound(rpcrdma, call->side));
    INVARIANT(rpcrdma->transactions == rpcrdma->side[0].calls.total + rpcrdma->side[1].calls.total);
    INVARIANT(rpcrdma_find(rpcrdma, call->side, t->xid) == t && calls->waiting.newest == t);
    INVARIANT(!t->older || t->older->number < t->number);
    return t;
}

/* No Call is certainly outstanding: all may have been answered in a hole. */
static bool none_certain(const struct rpcrdma_calls *calls)
{
    const struct rpcrdma_transaction *t = calls->waiting.newest;

    while (t && t->damage)
        t = t->older;
    return !t;
}

void rpcrdma_transaction_orphan(struct rpcrdma_connection *rpcrdma, const struct rpcrdma_message *answer)
{
    struct rpcrdma_calls *calls = &rpcrdma->side[other_side(answer->side)].calls;

    if (!calls->orphan)
        calls->orphan = arena_zeroed(rpcrdma->arena, RPCRDMA_ORPHANS_MAX * sizeof *calls->orphan);
    if (calls->orphan)
        calls->orphan[calls->orphans++ % RPCRDMA_ORPHANS_MAX] = (struct rpcrdma_orphan){
            .xid = answer->header.xid, .place = answer->place, .alone = none_certain(calls), .calls = calls->total};
    rpcrdma_calls_lag(rpcrdma, other_side(answer->side), answer->acked_known ? answer->acked : 0, answer->place.frame);
}

/* On InfiniBand a Call is taken late if an earlier request, and the Acknowledge of both requests, are missing. */
void rpcrdma_calls_lag(struct rpcrdma_connection *rpcrdma, unsigned caller, uint64_t acked, uint32_t frame)
{
    struct rpcrdma_calls *calls = &rpcrdma->side[caller].calls;

    if (acked > calls->lagged_until)
        calls->lagged_until = acked;
    if (rpcrdma->gaps_show_late)
        calls->lagged_frame = frame;
    INVARIANT(calls->lagged_until >= acked);
}

/* ---- ending ---- */

void rpcrdma_transaction_uses(struct rpcrdma_transaction *t, const struct rpcrdma_slot_use *use)
{
    struct rpcrdma_buffers *buffers = rpcrdma_buffers_of(t);

    if (buffers)
        buffers->open.use = *use;
}

/* Keeps the slot for the few Calls that are recorded. */
static void keep_use(struct rpcrdma_transaction *t)
{
    if (!t->open->use.known || !rpcrdma_is_recorded(t))
        return;
    t->use = heap_get(sizeof *t->use);
    if (t->use)
        *t->use = t->open->use;
    INVARIANT(!t->use || t->use->known);
}

void rpcrdma_transaction_close(struct rpcrdma_connection *rpcrdma, struct rpcrdma_transaction *t,
                               const struct rpcrdma_message *answer, enum rpcrdma_outcome outcome)
{
    struct rpcrdma_calls *calls = &rpcrdma->side[t->side].calls;

    INVARIANT(rpcrdma_waits(t) && outcome >= RPCRDMA_REPLIED);
    t->outcome = outcome;
    if (answer) {
        t->answer = answer->place;
        t->answer_operation = answer->operation;
        t->answer_error = answer->header.err;
        rpcrdma_buffers_of(t)->open.answer_octets = answer->n;
    }
    dequeue(&calls->waiting, t);
    enqueue(&calls->done, t);
    calls->outstanding = calls->waiting.n;
    calls->answered++;
    if (answer && t->number > rpcrdma->answered_number[t->side])
        rpcrdma->answered_number[t->side] = t->number;
    rpcrdma_count(rpcrdma, t);
    keep_use(t);
    t->succeeded = rpcrdma_body_succeeded(&t->open->reply_body);
    leave_buffers(rpcrdma, t);
    INVARIANT(rpcrdma_transaction_is_sound(t) && calls_are_sound(rpcrdma, t->side));
    INVARIANT(calls->done.newest == t && rpcrdma->answered_number[t->side] <= rpcrdma->transactions);
    if (answer && rpcrdma->events.answered)
        rpcrdma->events.answered(rpcrdma->events.ctx, t);
}

void rpcrdma_transactions_lose(struct rpcrdma_connection *rpcrdma, unsigned side, bool sends, uint64_t end)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, other_side(side), t));)
        if (t->call_after < end)
            rpcrdma_damage(t);
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, side, t));) {
        rpcrdma_damage(t);
        t->recalled |= sends;
    }
}

void rpcrdma_transactions_astray(struct rpcrdma_connection *rpcrdma, unsigned owner)
{
    for (struct rpcrdma_transaction *t = NULL; (t = rpcrdma_next_outstanding(rpcrdma, owner, t));)
        t->astray = true;
}

void rpcrdma_transactions_free(struct rpcrdma_connection *rpcrdma)
{
    for (unsigned side = 0; side < 2; side++) {
        struct rpcrdma_calls *calls = &rpcrdma->side[side].calls;

        while (calls->waiting.oldest)
            transactions_retire(rpcrdma, &calls->waiting, calls->waiting.oldest);
        while (calls->done.oldest)
            transactions_retire(rpcrdma, &calls->done, calls->done.oldest);
        INVARIANT(queue_is_sound(&calls->waiting) && queue_is_sound(&calls->done) &&
                  calls->waiting.n + calls->done.n == 0);
    }
    while (rpcrdma->pool.spare) {
        struct rpcrdma_transaction *t = rpcrdma->pool.spare;

        rpcrdma->pool.spare = t->hash_next;
        free(t->chunks);
        free(t->offers);
    }
    while (rpcrdma->pool.buffers) {
        struct rpcrdma_buffers *buffers = rpcrdma->pool.buffers;

        rpcrdma->pool.buffers = buffers->next;
        for (unsigned i = 0; i < 2; i++)
            free(buffers->content[i].octets);
        rpcrdma_body_free(&buffers->open.call_body);
        rpcrdma_body_free(&buffers->open.reply_body);
    }
}
