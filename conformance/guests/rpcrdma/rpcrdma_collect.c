// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls, Replies, and credits (RFC 8166 section 3.3). */
#include "conformance/guests/rpcrdma/rpcrdma_lost.h"
#include "conformance/guests/rpcrdma/rpcrdma_taps.h"
#include "conformance/stats/collect_internal.h"
#include "engine/core/heap.h"
#include "wire/nfs.h"

#include <stdlib.h>
#include <string.h>

/* ---- credits ---- */

/* A grant of 0 breaks section 3.3.1. A client that waited for another grant would wait forever, so 0 counts as 1. */
static uint32_t collect_limit_of(const struct caller *caller)
{
    uint32_t granted = caller->granted == 0 ? 1 : caller->granted;

    return caller->requested != 0 && caller->requested < granted ? caller->requested : granted;
}

static bool collect_at_limit(const struct caller *caller)
{
    return caller->known && caller->outstanding >= collect_limit_of(caller);
}

/* Accounts for the time up to now. */
static void account(struct caller *caller, struct stat_credits *credits, int64_t now)
{
    uint64_t time = caller->started ? time_since(caller->since_ns, now) : 0;

    if (!caller->started || now > caller->since_ns)
        caller->since_ns = now;
    caller->started = true;
    if (time == 0)
        return;
    credits->n[CREDITS_OBSERVED] += time;
    if (caller->outstanding > caller->doubtful)
        credits->n[CREDITS_BUSY] += time;
    else if (caller->known)
        caller->idle += time;
    else
        credits->unsure += time;
    if (!caller->known || caller->doubtful > 0) {
        credits->n[CREDITS_UNKNOWN] += time;
        return;
    }
    histogram_add(&credits->in_use, caller->outstanding, time);
    if (!collect_at_limit(caller))
        return;
    credits->n[CREDITS_AT_LIMIT] += time;
    credits->n[CREDITS_BY_REQUEST] += caller->requested != 0 && caller->requested < caller->granted ? time : 0;
    histogram_add(&credits->limit, collect_limit_of(caller), time);
}

static bool is_doubtful(const struct collector *collector, const struct open_call *call)
{
    return call->answer_holes != collector->side[call->side ^ 1u].holes;
}

/* The Call is over, or is taken to be over. */
static void give_back(struct collector *collector, struct open_call *call)
{
    struct caller *caller = &collector->side[call->side].caller;

    if (!call->holds_credit)
        return;
    call->holds_credit = false;
    caller->outstanding -= caller->outstanding > 0;
    caller->doubtful -= is_doubtful(collector, call) && caller->doubtful > 0;
}

/* The client was not idle while this Call was outstanding. Until now, the capture might have lost the Call's answer. */
static void correct_idle(struct caller *caller, struct stat_credits *credits, const struct open_call *call)
{
    uint64_t from = call->idle_at, time = 0;

    if (from < caller->taken_from) /* the time before the part that was already counted as busy */
        time = caller->taken_from - from;
    if (caller->idle > caller->taken_to || from > caller->taken_to)
        time += caller->idle - (from > caller->taken_to ? from : caller->taken_to);
    if (time == 0)
        return;
    credits->n[CREDITS_BUSY] += time;
    caller->taken_from = from < caller->taken_from || from > caller->taken_to ? from : caller->taken_from;
    caller->taken_to = caller->idle;
}

/* A Call may take much longer than all Calls before. Then its answer was in a packet that the capture lost. */
static void stop_doubting(struct collector *collector, int64_t now)
{
    enum { CALLS_ENOUGH = 8, TIMES_SLOWER = 10 };
    struct open_call *call = collector->doubted;

    while (call && collector->n_timed >= CALLS_ENOUGH && is_doubtful(collector, call) &&
           time_since(call->called_ns, now) / TIMES_SLOWER > collector->slowest_ns) {
        give_back(collector, call);
        call = collector->doubted = call->newer;
    }
}

static void note_credits(struct collector *collector, const struct caller *caller, bool reverse, int64_t now)
{
    uint64_t *bin = reverse ? NULL : collect_bin(collector, now);

    if (!bin)
        return;
    if (caller->outstanding > bin[SERIES_IN_USE_MOST])
        bin[SERIES_IN_USE_MOST] = caller->outstanding;
    bin[SERIES_IN_USE] = 1 + (uint64_t)caller->outstanding;
    if (caller->known)
        bin[SERIES_GRANTED] = 1 + (uint64_t)collect_limit_of(caller);
}

static void credit_call(struct collector *collector, const struct rpcrdma_connection *rpcrdma,
                        const struct rpcrdma_message *m, struct open_call *call)
{
    struct caller *caller = &collector->side[m->side].caller;
    struct stat_credits *credits = &collector->now->credits[m->side];

    account(caller, credits, m->place.time_ns);
    if (credits->n[CREDITS_OBSERVED] == 0 && !caller->known && caller->granted == 0 && rpcrdma_whole(rpcrdma)) {
        caller->known = true; /* one Call is allowed before the first grant (section 3.3.3) */
        caller->granted = 1;
    }
    stop_doubting(collector, m->place.time_ns);
    caller->requested = m->header.credit;
    if (call) {
        call->idle_at = caller->idle;
        call->holds_credit = !m->transaction->repeats && m->transaction->damage != RPCRDMA_LATE;
        caller->outstanding += call->holds_credit;
    }
    if (caller->freed_ns != 0)
        histogram_add(&credits->released, time_since(caller->freed_ns, m->place.time_ns), 1);
    if (caller->quiet_ns != 0)
        histogram_add(&credits->pauses, time_since(caller->quiet_ns, m->place.time_ns), 1);
    caller->freed_ns = caller->quiet_ns = 0;
    note_credits(collector, caller, m->transaction && m->transaction->reverse, m->place.time_ns);
}

static void credit_answer(struct collector *collector, const struct rpcrdma_message *m, struct open_call *call,
                          bool reverse)
{
    unsigned side = m->side ^ 1u;
    struct caller *caller = &collector->side[side].caller;
    struct stat_credits *credits = &collector->now->credits[side];
    bool limited;

    account(caller, credits, m->place.time_ns);
    limited = collect_at_limit(caller);
    if (call && is_doubtful(collector, call))
        correct_idle(caller, credits, call);
    if (call)
        give_back(collector, call);
    caller->granted = m->header.credit;
    caller->known = true;
    if (credits->n[CREDITS_GRANTS] == 0 || caller->granted < credits->granted_least)
        credits->granted_least = caller->granted;
    if (caller->granted > credits->granted_most)
        credits->granted_most = caller->granted;
    credits->granted_last = caller->granted;
    credits->requested_last = caller->requested;
    credits->n[CREDITS_GRANTS]++;
    credits->n[CREDITS_ZERO] += caller->granted == 0;
    caller->freed_ns = limited && !collect_at_limit(caller) ? m->place.time_ns : 0;
    caller->quiet_ns = caller->outstanding == 0 ? m->place.time_ns : 0;
    note_credits(collector, caller, reverse, m->place.time_ns);
}

/* ---- rows ---- */

/* The counts that an answer adds to its Call's rows. */
struct added {
    uint64_t n[CALL_COUNTS];
    uint64_t time[CALL_TIMES];
    bool timed, moved;
    int64_t first_ns, last_ns;
    uint32_t frame;
    struct stat_slow slow;
};

/* The counts that are not 0: few counts for many rows. */
struct counts {
    unsigned n;
    uint8_t which[CALL_COUNTS];
};

static struct counts collect_counts_of(const struct added *added)
{
    struct counts counts = {0};

    for (unsigned i = 0; i < CALL_COUNTS; i++)
        if (added->n[i] > 0)
            counts.which[counts.n++] = (uint8_t)i;
    return counts;
}

static void collect_add(struct stat_calls *row, const struct added *added, const struct counts *counts)
{
    for (unsigned i = 0; i < counts->n; i++)
        row->n[counts->which[i]] = saturating_sum(row->n[counts->which[i]], added->n[counts->which[i]]);
    row->first_ns = added->first_ns < row->first_ns ? added->first_ns : row->first_ns;
    row->last_ns = added->last_ns > row->last_ns ? added->last_ns : row->last_ns;
    if (!added->timed)
        return;
    if (row->time[CALL_LATENCY].count == 0 || added->time[CALL_LATENCY] > row->time[CALL_LATENCY].most)
        row->slowest_frame = added->frame;
    histogram_add(&row->time[CALL_LATENCY], added->time[CALL_LATENCY], 1);
    for (unsigned i = CALL_LATENCY + 1; added->moved && i < CALL_TIMES; i++)
        histogram_add(&row->time[i], added->time[i], 1);
}

static void add_to_row(struct collector *collector, const struct stat_key *key, const struct added *added,
                       const struct counts *counts)
{
    struct stat_calls *row = statistics_row(collector->now, key);

    if (row)
        collect_add(row, added, counts);
}

enum { OPERATIONS = 128 };

/* The row of the procedure, and one for each operation of a COMPOUND. */
struct rows {
    struct stat_key key;
    unsigned n;
    uint8_t operations[OPERATIONS]; /* in order of appearance */
};

static struct rows rows_of(const struct rpcrdma_transaction *t)
{
    const struct rpcrdma_body *body = &t->open->call_body;
    bool known = body->known && body->rpc.status == RPC_OK;
    struct rows rows = {.key = {.known = known, .reverse = t->reverse}};
    bool seen[OPERATIONS] = {0};

    if (!known)
        return rows;
    rows.key.program = body->rpc.prog;
    rows.key.version = body->rpc.vers;
    rows.key.procedure = body->rpc.proc;
    for (unsigned i = 0; body->walked && body->procedure && body->procedure->compound && i < body->n_operations; i++) {
        uint32_t op = body->operations[i].op;

        if (op >= OPERATIONS || seen[op])
            continue;
        seen[op] = true;
        rows.operations[rows.n++] = (uint8_t)op;
    }
    return rows;
}

static void add_to_each(struct collector *collector, const struct rows *rows, const struct added *added)
{
    struct stat_key key = rows->key;
    const struct counts counts = collect_counts_of(added);

    add_to_row(collector, &key, added, &counts);
    key.operation = true;
    for (unsigned i = 0; i < rows->n; i++) {
        key.procedure = rows->operations[i];
        add_to_row(collector, &key, added, &counts);
    }
}

static void add_to_rows(struct collector *collector, const struct rpcrdma_transaction *t, const struct added *added)
{
    struct rows rows = rows_of(t);

    add_to_each(collector, &rows, added);
}

static void add_lost(struct added *added, uint64_t ns, uint64_t moving_ns)
{
    if (!added->timed || ns == 0)
        return;
    added->n[CALLS_DELAYED] = 1;
    added->n[LOST_TIME] += ns;
    added->n[LOST_MOVING] += moving_ns;
}

/* ---- answers that are not acknowledged yet ---- */

enum { UNSETTLED_MAX = 64 };

/*
 * An answer ends its Call when the caller takes the answer, which is the last copy sent before the acknowledgment.
 * Earlier copies were dropped (an RNR NAK, a lost packet), or may have been.
 */
struct unsettled_answer {
    struct rows rows;
    struct added added;
    uint64_t offset;
    int64_t call_ns, moved_ns; /* the start of the times in `added` */
    uint8_t side;
};

static void collect_settle(struct collector *collector, const struct unsettled_answer *answer)
{
    const struct added *added = &answer->added;
    uint64_t *bin = !added->timed || answer->rows.key.reverse ? NULL : collect_bin(collector, added->last_ns);

    add_to_each(collector, &answer->rows, added);
    if (added->timed) {
        struct stat_slow slow = added->slow;

        slow.latency = added->time[CALL_LATENCY];
        slow.lost = added->n[LOST_TIME];
        collector->n_timed++;
        collector->slowest_ns = slow.latency > collector->slowest_ns ? slow.latency : collector->slowest_ns;
        if (!slow.key.reverse)
            statistics_add_slow(collector->now, &slow);
    }
    if (!bin)
        return;
    bin[SERIES_LATENCY] = saturating_sum(bin[SERIES_LATENCY], added->time[CALL_LATENCY]);
    if (added->time[CALL_LATENCY] > bin[SERIES_LATENCY_MOST])
        bin[SERIES_LATENCY_MOST] = added->time[CALL_LATENCY];
}

static void settle_first(struct collector *collector)
{
    struct unsettled_answer *answers = collector->unsettled;

    collect_settle(collector, &answers[0]);
    memmove(&answers[0], &answers[1], --collector->n_unsettled * sizeof answers[0]);
}

/* The connection has ended. An answer sent without success does not count. */
static void settle_all(struct collector *collector)
{
    const struct added open = {.n[CALLS_OPEN] = 1, .first_ns = INT64_MAX, .last_ns = INT64_MIN};

    for (unsigned i = 0; i < collector->n_unsettled; i++) {
        const struct unsettled_answer *answer = &collector->unsettled[i];

        if (collect_in_vain(collector, answer->side))
            add_to_each(collector, &answer->rows, &open);
        else
            collect_settle(collector, answer);
    }
    collector->n_unsettled = 0;
}

static void note_acked(struct collector *collector, unsigned side, uint64_t offset)
{
    struct open_call *call = collector->unacked;

    for (; call; call = call->newer) {
        const struct rpcrdma_transaction *t = call->transaction;

        if (call->side != side) /* callbacks are few */
            continue;
        if (t->call.offset >= offset)
            break;
        call->slow.acked_frame = collector->frame;
        call->slow.acked = time_since(t->call.time_ns, collector->last_packet_ns);
    }
    collector->unacked = call;
}

static void collect_on_received(struct collector *collector, unsigned side, uint64_t offset)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < collector->n_unsettled; i++) {
        const struct unsettled_answer *answer = &collector->unsettled[i];

        if (answer->side == side && answer->offset < offset)
            collect_settle(collector, answer);
        else if (kept++ != i)
            collector->unsettled[kept - 1] = *answer;
    }
    collector->n_unsettled = kept;
}

/* On TCP the octets after it wait for the retransmission; on RoCE they are retransmitted, too. */
static void collect_on_sent_again(struct collector *collector, unsigned side, uint64_t offset, int64_t time_ns)
{
    rpcrdma_lost_sent_again(collector, side, offset, time_ns);
    for (unsigned i = 0; i < collector->n_unsettled; i++) {
        struct unsettled_answer *answer = &collector->unsettled[i];

        if (answer->side != side || answer->offset < offset || (collector->ib && answer->offset > offset) ||
            time_ns < answer->added.last_ns)
            continue;
        add_lost(&answer->added, time_since(answer->added.last_ns, time_ns), 0);
        answer->added.last_ns = time_ns;
        answer->added.time[CALL_LATENCY] = time_since(answer->call_ns, time_ns);
        if (answer->added.moved)
            answer->added.time[CALL_TO_REPLY] = time_since(answer->moved_ns, time_ns);
    }
}

static void keep_answer(struct collector *collector, const struct unsettled_answer *answer)
{
    struct unsettled_answer *answers;

    if (collector->n_unsettled == UNSETTLED_MAX)
        settle_first(collector);
    answers = heap_room(collector->unsettled, &collector->room_for_unsettled, collector->n_unsettled + 1, UNSETTLED_MAX,
                        sizeof *answers);
    if (!answers) {
        collect_settle(collector, answer);
        return;
    }
    collector->unsettled = answers;
    answers[collector->n_unsettled++] = *answer;
}

/* ---- Calls ---- */

static struct open_call *open_call(struct collector *collector, struct rpcrdma_transaction *t)
{
    struct open_call *call = collector->spare;

    if (call)
        collector->spare = call->newer;
    else
        call = heap_get(sizeof *call);
    if (!call)
        return NULL;
    *call = (struct open_call){.transaction = t,
                               .side = t->side,
                               .called_ns = t->call.time_ns,
                               .holes = collector->holes,
                               .answer_holes = collector->side[t->side ^ 1u].holes,
                               .holes_moved = collector->holes,
                               .older = collector->newest};
    collector->unacked = collector->unacked ? collector->unacked : call;
    collector->doubted = collector->doubted ? collector->doubted : call;
    if (collector->newest)
        collector->newest->newer = call;
    else
        collector->oldest = call;
    collector->newest = call;
    t->host = call;
    return call;
}

static void close_call(struct collector *collector, struct open_call *call)
{
    if (call->older)
        call->older->newer = call->newer;
    else
        collector->oldest = call->newer;
    if (call->newer)
        call->newer->older = call->older;
    else
        collector->newest = call->older;
    if (collector->unacked == call)
        collector->unacked = call->newer;
    if (collector->doubted == call)
        collector->doubted = call->newer;
    call->newer = collector->spare;
    collector->spare = call;
}

static void count_call(struct collector *collector, struct open_call *call)
{
    const struct rpcrdma_transaction *t = call->transaction;
    bool chunk = t->open->call_header.status == RPCRDMA_OK && t->open->call_header.read_segments > 0;
    bool whole = t->open->call_header.proc == RPCRDMA_NOMSG && chunk;
    struct added added = {.first_ns = t->call.time_ns, .last_ns = INT64_MIN};

    if (call->counted)
        return;
    call->counted = true;
    added.n[CALLS] = 1;
    added.n[CALLS_REPEATED] = t->repeats;
    added.n[whole ? CALLS_LONG : chunk ? CALLS_WITH_READ_CHUNK : CALLS_INLINE] = 1;
    added.n[OCTETS_CALLS] = t->open->call_octets;
    add_to_rows(collector, t, &added);
}

static void count_chunks(const struct rpcrdma_transaction *t, struct added *added)
{
    static const struct {
        uint8_t chunks, segments;
    } of[] = {[RPCRDMA_READ_CHUNK] = {READ_CHUNKS, READ_SEGMENTS},
              [RPCRDMA_WRITE_CHUNK] = {WRITE_CHUNKS, WRITE_SEGMENTS},
              [RPCRDMA_REPLY_CHUNK] = {REPLY_CHUNKS, REPLY_SEGMENTS}};

    for (unsigned i = 0; i < t->n_chunks; i++) {
        added->n[of[t->chunks[i].kind].chunks]++;
        added->n[of[t->chunks[i].kind].segments] += t->chunks[i].n;
    }
}

/* How the Reply was sent, according to its header. */
static enum call_count way_of(const struct rpcrdma_transaction *t, const struct rpcrdma_message *reply)
{
    if (reply->header.proc == RPCRDMA_NOMSG)
        return REPLIES_LONG;
    for (unsigned i = 0; i < t->n_writes; i++)
        if (t->chunks[t->first_write + i].returned > 0)
            return REPLIES_WITH_WRITE_CHUNK;
    return REPLIES_INLINE;
}

static bool collect_in_order(const struct rpcrdma_transaction *t, const struct open_call *call,
                             const struct rpcrdma_message *m)
{
    if (m->place.time_ns < t->call.time_ns)
        return false;
    return !call->moved || (call->first_ns >= t->call.time_ns && call->last_ns <= m->place.time_ns);
}

/* ---- holes ---- */

/* The earliest time of the first operation: the capture may have lost the packet with this operation. */
static int64_t earliest_move(const struct collector *collector, const struct open_call *call, int64_t now)
{
    int64_t from = call->called_ns;

    if (call->holes == collector->holes)
        return now;
    if (collector->holes - call->holes <= HOLES_KEPT)
        from = collector->missing[call->holes % HOLES_KEPT].from_ns;
    from = from < call->called_ns ? call->called_ns : from;
    return from < now ? from : now;
}

/* The snap length may have cut a part of a message. Read Responses after this part are not always recognised. */
static bool may_lack_data(const struct collector *collector, const struct open_call *call)
{
    const struct rpcrdma_transaction *t = call->transaction;

    return !collector->now->whole && t->open->call_header.read_segments > 0;
}

/* How much longer data may have been moved than the captured packets show. */
static uint64_t unseen_moving(const struct collector *collector, const struct open_call *call, int64_t now)
{
    int64_t early = call->moved ? call->early_ns : earliest_move(collector, call, now), late = now;
    bool lacks = may_lack_data(collector, call);

    if (lacks && !call->moved)
        return time_since(call->called_ns, now);
    if (!lacks && (call->holes == collector->holes || (call->moved && call->holes_moved == collector->holes)))
        return call->moved ? time_since(early, call->first_ns) : 0;
    if (!lacks && collector->missing[(collector->holes - 1) % HOLES_KEPT].to_ns < now)
        late = collector->missing[(collector->holes - 1) % HOLES_KEPT].to_ns;
    return call->moved ? time_since(early, call->first_ns) + time_since(call->last_ns, late) : time_since(early, late);
}

/* ---- the slowest Calls, and directories ---- */

/* The operation that names a COMPOUND: the last operation, without those that accompany others. */
static struct stat_key name_of(const struct rpcrdma_transaction *t)
{
    const struct rows rows = rows_of(t);
    struct stat_key key = rows.key;

    for (unsigned i = rows.n; i-- > 0;) {
        uint32_t op = rows.operations[i];

        if (!key.operation) {
            key.operation = true;
            key.procedure = op;
        }
        if (op == NFS_OP_SEQUENCE || op == NFS_OP_PUTFH || op == NFS_OP_GETATTR || op == NFS_OP_GETFH)
            continue;
        key.procedure = op;
        break;
    }
    return key;
}

static struct stat_slow slow_of(const struct collector *collector, const struct open_call *call,
                                const struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = call->transaction;
    struct stat_slow slow = call->slow;

    slow.key = name_of(t);
    slow.frame = t->call.frame;
    slow.reply_frame = m->place.frame;
    slow.unseen = call->holes != collector->holes || may_lack_data(collector, call);
    if (call->moved) {
        slow.first = time_since(t->call.time_ns, call->first_ns);
        slow.last = time_since(t->call.time_ns, call->last_ns);
    }
    return slow;
}

/* A READDIR of any version: what it asks for, and whether the Reply is about as large. */
static void count_directory(const struct rpcrdma_transaction *t, const struct rpcrdma_message *m, struct added *added)
{
    enum { NFS3_READDIR = 16, NFS3_READDIRPLUS = 17 };
    const struct rpcrdma_body *body = &t->open->call_body;
    uint64_t asked = 0, got = (uint64_t)m->n + t->open->octets_written;

    if (!body->walked || !body->procedure || t->reverse)
        return;
    for (unsigned i = 0; i < body->n_values; i++) {
        const struct nfs_value *value = &body->values[i];
        bool directory = body->procedure->compound
                             ? value->op == NFS_OP_READDIR
                             : body->rpc.prog == NFS_PROGRAM && body->rpc.vers == 3 &&
                                   (body->rpc.proc == NFS3_READDIR || body->rpc.proc == NFS3_READDIRPLUS);

        if (directory && (value->mark == NFS_MARK_COUNT || value->mark == NFS_MARK_MAXCOUNT))
            asked = value->value;
    }
    added->n[DIRECTORY_CALLS] = asked > 0;
    added->n[DIRECTORY_ASKED] = asked;
    added->n[DIRECTORY_FULL] = asked > 0 && got >= asked - asked / 4;
}

static void collect_count_answer(struct collector *collector, struct open_call *call, const struct rpcrdma_message *m)
{
    const struct rpcrdma_transaction *t = call->transaction;
    /* From the Call to its answer the Call was outstanding, even if the capture lost other packets. */
    bool uncertain = t->damage == RPCRDMA_LATE || t->ambiguous || !collect_in_order(t, call, m);
    struct added added = {
        .first_ns = t->call.time_ns, .last_ns = m->place.time_ns, .timed = !uncertain, .moved = call->moved};
    uint64_t *bin;

    count_call(collector, call);
    added.n[m->kind == RPCRDMA_KIND_ERROR ? CALLS_FAILED : CALLS_REPLIED] = 1;
    added.n[CALLS_UNCERTAIN] = uncertain;
    if (m->kind == RPCRDMA_KIND_REPLY)
        added.n[way_of(t, m)] = 1;
    added.n[OCTETS_REPLIES] = m->n;
    added.n[OCTETS_READ] = t->open->octets_read;
    added.n[OCTETS_WRITTEN] = t->open->octets_written;
    count_chunks(t, &added);
    rpcrdma_lost_answered(collector, call, &m->place);
    add_lost(&added, call->lost.ns, call->lost.moving_ns);
    added.frame = t->call.frame;
    added.time[CALL_LATENCY] = time_since(t->call.time_ns, m->place.time_ns);
    if (call->moved) {
        added.time[CALL_TO_FIRST] = time_since(t->call.time_ns, call->first_ns);
        added.time[CALL_MOVING] = time_since(call->first_ns, call->last_ns);
        added.time[CALL_TO_REPLY] = time_since(call->last_ns, m->place.time_ns);
    }
    if (added.timed) {
        added.n[UNSEEN_MOVING] = unseen_moving(collector, call, m->place.time_ns);
        added.slow = slow_of(collector, call, m);
    }
    count_directory(t, m, &added);
    bin = t->reverse ? NULL : collect_bin(collector, m->place.time_ns);
    if (bin)
        bin[SERIES_REPLIES]++;
    keep_answer(collector, &(struct unsettled_answer){.rows = rows_of(t),
                                                      .added = added,
                                                      .offset = m->place.offset,
                                                      .call_ns = t->call.time_ns,
                                                      .moved_ns = call->last_ns,
                                                      .side = m->side});
}

/* How the Call ended is known, but not when. */
static void count_end(struct collector *collector, struct open_call *call, enum call_count how)
{
    const struct rpcrdma_transaction *t = call->transaction;
    struct added added = {.first_ns = t->call.time_ns, .last_ns = INT64_MIN};

    count_call(collector, call);
    added.n[how] = 1;
    added.n[CALLS_UNCERTAIN] = how == CALLS_REPLIED;
    add_to_rows(collector, t, &added);
}

/* ---- events ---- */

static void take_call(struct collector *collector, const struct rpcrdma_connection *rpcrdma,
                      const struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction;
    struct open_call *call = t ? open_call(collector, t) : NULL;
    uint64_t *bin = t && t->reverse ? NULL : collect_bin(collector, m->place.time_ns);

    if (bin)
        bin[SERIES_CALLS]++;
    credit_call(collector, rpcrdma, m, call);
    if (!call)
        return;
    if (t->open->call_body.known)
        count_call(collector, call);
    if (t->damage != RPCRDMA_LATE)
        return;
    count_end(collector, call, CALLS_REPLIED);
    t->host = NULL;
    close_call(collector, call);
}

static void collect_take_answer(struct collector *collector, const struct rpcrdma_message *m)
{
    struct rpcrdma_transaction *t = m->transaction;
    struct open_call *call = t && rpcrdma_ends(m) ? t->host : NULL;

    credit_answer(collector, m, call, t && t->reverse);
    collector->now->orphans += !t;
    if (!call)
        return;
    collect_count_answer(collector, call, m);
    t->host = NULL;
    close_call(collector, call);
}

/* Their Calls are open until the answers are acknowledged. */
static void collect_unsettled(struct collector *collector)
{
    const struct added open = {.n[CALLS_OPEN] = 1, .first_ns = INT64_MAX, .last_ns = INT64_MIN};

    for (unsigned i = 0; i < collector->n_unsettled; i++)
        add_to_each(collector, &collector->unsettled[i].rows, &open);
}

static void collect_open(struct collector *collector, bool last)
{
    if (last)
        settle_all(collector);
    else
        collect_unsettled(collector);
    for (struct open_call *call = collector->oldest; call; call = call->newer) {
        struct added open = {.first_ns = INT64_MAX, .last_ns = INT64_MIN};
        const struct rpcrdma_transaction *t = call->transaction;

        if (t->outcome == RPCRDMA_SETTLED && last) {
            count_end(collector, call, CALLS_REPLIED);
            continue;
        }
        if (last)
            count_call(collector, call);
        if (!call->counted) /* the procedure will be known later */
            continue;
        open.n[CALLS_OPEN] = 1;
        add_to_rows(collector, call->transaction, &open);
    }
}

void rpcrdma_collect_message(struct collector *collector, const struct rpcrdma_connection *rpcrdma,
                             const struct rpcrdma_message *m)
{
    collector->take_open = collect_open;
    collector->sent_again = collect_on_sent_again;
    collector->received = collect_on_received;
    collector->acked = note_acked;
    if (m->kind == RPCRDMA_KIND_CALL)
        take_call(collector, rpcrdma, m);
    else if ((m->kind == RPCRDMA_KIND_REPLY || m->kind == RPCRDMA_KIND_ERROR) && m->header.status == RPCRDMA_OK)
        collect_take_answer(collector, m);
    else if (m->lacking > 0)
        collector->now->unread++;
}

void rpcrdma_collect_move(struct collector *collector, const struct rpcrdma_move *move)
{
    struct open_call *call = move->offer->transaction->host;

    if (!call || move->unseen)
        return;
    rpcrdma_lost_moved(collector, call, &move->place);
    if (!call->moved)
        call->early_ns = earliest_move(collector, call, move->place.time_ns);
    if (!call->moved || move->place.time_ns < call->first_ns) {
        call->first_ns = move->place.time_ns;
        call->slow.first_frame = move->place.frame;
    }
    if (!call->moved || move->place.time_ns > call->last_ns) {
        call->last_ns = move->place.time_ns;
        call->slow.last_frame = move->place.frame;
    }
    if (move->kind == RDMA_READ_RESPONSE && call->slow.data_frame == 0) {
        call->slow.data_frame = move->place.frame;
        call->slow.data = time_since(move->offer->transaction->call.time_ns, move->place.time_ns);
    }
    call->moved = true;
    call->holes_moved = collector->holes;
}

/* Only now is the procedure of a Long Call known. */
void rpcrdma_collect_payload(struct collector *collector, const struct rpcrdma_payload *payload)
{
    struct open_call *call = payload->transaction->host;

    if (!payload->reply && call)
        count_call(collector, call);
}

void rpcrdma_collect_retired(struct collector *collector, struct rpcrdma_transaction *t)
{
    struct open_call *call = t->host;

    if (!call)
        return;
    if (collector->now)
        give_back(collector, call);
    if (collector->now)
        count_end(collector, call, t->outcome == RPCRDMA_SETTLED ? CALLS_REPLIED : CALLS_FORGOTTEN);
    t->host = NULL;
    close_call(collector, call);
}
