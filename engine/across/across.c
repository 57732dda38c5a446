// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/across/across.h"

#include "engine/across/across_cut_off.h"
#include "engine/across/across_questions.h"
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>
#include <string.h>

enum {
    BUCKETS = 1024,       /* a power of two */
    DEAD_MIN = 3,         /* consecutive connections that end with a Call from the server */
    CONNECTIONS_MAX = 64, /* searched for the memory of an unexplained access */
};

/* The lease of NFSv4 is often 90 s (RFC 8881 section 8.3 leaves the time to the server). */
static const int64_t lease_ns = INT64_C(90) * 1000000000;
static const int64_t back_ns =
    INT64_C(2) * 1000000000; /* a client that still needs its connection has reconnected by then */

/* The connections of a client and a server, on any ports. */
struct pair {
    struct endpoint client, server; /* the ports are 0 */
    struct rpcrdma_across_record *newest, *oldest;
    unsigned n;
    struct lookups lookups;
    struct questions questions;
    struct pair *chain;         /* next in its bucket */
    struct pair *older, *newer; /* by age of the latest record */
};

struct rpcrdma_across {
    struct pair *buckets[BUCKETS];
    struct pair *newest, *oldest;
    unsigned n;
    struct rpcrdma_across_ends ends;
    unsigned excess; /* records beyond RPCRDMA_ACROSS_RECORDS_MAX, in all pairs */
};

/* ---- pairs ---- */

static bool pair_is_sound(const struct pair *pair)
{
    return (pair->n == 0) == !pair->newest && !pair->newest == !pair->oldest &&
           (pair->n == 1) == (pair->newest && pair->newest == pair->oldest) &&
           (!pair->newest || (!pair->newest->newer && !pair->oldest->older));
}

static struct endpoint without_port(const struct endpoint *endpoint)
{
    struct endpoint address = *endpoint;

    address.port = 0;
    return address;
}

static unsigned across_bucket(const struct endpoint *client, const struct endpoint *server)
{
    uint64_t h = hash_octets(0, client->address, sizeof client->address);

    h = hash_octets(h, server->address, sizeof server->address);
    return (unsigned)(h ^ h >> 16) & (BUCKETS - 1);
}

static bool across_same_address(const struct endpoint *a, const struct endpoint *b)
{
    return a->ip == b->ip && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static struct pair *across_find(const struct rpcrdma_across *across, const struct endpoint *client,
                                const struct endpoint *server)
{
    struct pair *pair = across->buckets[across_bucket(client, server)];

    while (pair && (!across_same_address(&pair->client, client) || !across_same_address(&pair->server, server)))
        pair = pair->chain;
    return pair;
}

static void across_unlink_pair(struct rpcrdma_across *across, struct pair *pair)
{
    *(pair->older ? &pair->older->newer : &across->oldest) = pair->newer;
    *(pair->newer ? &pair->newer->older : &across->newest) = pair->older;
    INVARIANT(!across->oldest == !across->newest);
}

static void append_pair(struct rpcrdma_across *across, struct pair *pair)
{
    pair->older = across->newest;
    pair->newer = NULL;
    *(across->newest ? &across->newest->newer : &across->oldest) = pair;
    across->newest = pair;
    INVARIANT(pair->older ? pair->older->newer == pair : across->oldest == pair);
}

static struct pair *pair_between(struct rpcrdma_across *across, const struct endpoint *client_end,
                                 const struct endpoint *server_end)
{
    struct endpoint client = without_port(client_end), server = without_port(server_end);
    struct pair *pair = across_find(across, &client, &server);
    unsigned at = across_bucket(&client, &server);

    if (pair) {
        across_unlink_pair(across, pair);
        append_pair(across, pair);
        INVARIANT(across->n > 0 && across->newest == pair);
        return pair;
    }
    pair = heap_zeroed(1, sizeof *pair);
    if (!pair)
        return NULL;
    pair->client = client;
    pair->server = server;
    pair->chain = across->buckets[at];
    across->buckets[at] = pair;
    append_pair(across, pair);
    across->n++;
    INVARIANT(across_find(across, &client, &server) == pair && across->newest == pair);
    return pair;
}

static struct pair *pair_of(struct rpcrdma_across *across, const struct rpcrdma_across_record *record)
{
    return pair_between(across, &record->endpoint[record->client], &record->endpoint[1 - record->client]);
}

static void drop_oldest_record(struct pair *pair)
{
    struct rpcrdma_across_record *record = pair->oldest;

    pair->oldest = record->newer;
    *(pair->oldest ? &pair->oldest->older : &pair->newest) = NULL;
    pair->n--;
    INVARIANT(pair_is_sound(pair));
    rpcrdma_across_record_free(record);
}

static void drop_oldest_pair(struct rpcrdma_across *across)
{
    struct pair *pair = across->oldest, **at = &across->buckets[across_bucket(&pair->client, &pair->server)];

    while (*at != pair)
        at = &(*at)->chain;
    *at = pair->chain;
    across_unlink_pair(across, pair);
    for (; pair->n > 0; drop_oldest_record(pair))
        across->excess -= pair->n > RPCRDMA_ACROSS_RECORDS_MAX;
    INVARIANT(!pair->newest && !pair->oldest);
    across->n--;
    INVARIANT((across->n == 0) == !across->oldest);
    free(pair);
}

void rpcrdma_across_lookup(struct rpcrdma_across *across, const struct lookup_place *place,
                           enum rpcbind_question question, const struct rpcbind_lookup *lookup)
{
    struct pair *pair = pair_between(across, place->client, place->server);

    if (pair)
        lookups_add(&pair->lookups, nfs_lookup_about(question, lookup), place->frame, place->time_ns);
    if (pair && question == RPCBIND_LOOKUP)
        questions_asked(&pair->questions, place, lookup);
    else if (pair && question == RPCBIND_UNREADABLE)
        questions_asked_unread(&pair->questions);
    INVARIANT(!pair || pair->lookups.any);
    while (across->n > RPCRDMA_ACROSS_PAIRS_MAX)
        drop_oldest_pair(across);
    INVARIANT(across->n <= RPCRDMA_ACROSS_PAIRS_MAX);
}

void rpcrdma_across_answer(const struct rpcrdma_across *across, const struct lookup_place *place, const uint8_t *p,
                           size_t n)
{
    struct endpoint client = without_port(place->client), server = without_port(place->server);
    struct pair *pair = across_find(across, &client, &server);

    if (pair)
        questions_answered(&pair->questions, place, p, n);
}

void rpcrdma_across_sought(const struct rpcrdma_across *across, int64_t now_ns, const struct ulp_sought_host *host)
{
    for (const struct pair *pair = across->oldest; pair; pair = pair->newer) {
        struct ulp_sought told = {.client = pair->client, .server = pair->server};

        questions_tell(&pair->questions, &told, now_ns, host);
    }
}

/* ---- findings ---- */

struct look {
    const struct rpcrdma_across_record *now;
    struct verdict *verdict;
    const struct ulp_across_host *host;
};

#define across_fail(look, rule, severity, place, related, ...)                                                         \
    verdict_failed_as((look)->verdict, (rule), (severity), rpcrdma_across_direction((look)->now, (place)->side),       \
                      (place), (related), __VA_ARGS__)

static void across_pass(const struct look *look, enum rule_id rule)
{
    verdict_passed(look->verdict, rule);
}

/* ---- the same Call on another connection ---- */

static bool across_same_request(const struct rpcrdma_across_call *a, const struct rpcrdma_across_call *b)
{
    return a->request_known && b->request_known && a->program == b->program && a->version == b->version &&
           a->procedure == b->procedure && a->hash == b->hash;
}

/* The first transmission of the same Call on a later connection. */
static const struct rpcrdma_across_call *sent_again(const struct rpcrdma_across_record *now,
                                                    const struct rpcrdma_across_call *call)
{
    for (unsigned i = 0; i < now->n_calls; i++) {
        const struct rpcrdma_across_call *again = &now->calls[i];

        if (!again->repeats && again->reverse == call->reverse && again->xid == call->xid &&
            across_same_request(again, call) && again->call.time_ns > call->call.time_ns)
            return again;
    }
    return NULL;
}

/* The same for connections between `before` and the current one. */
static bool sent_again_between(const struct rpcrdma_across_record *before, const struct rpcrdma_across_call *call)
{
    for (const struct rpcrdma_across_record *between = before->newer; between; between = between->newer)
        if (sent_again(between, call))
            return true;
    return false;
}

/* The same with another XID. */
static const struct rpcrdma_across_call *sent_with_another_xid(const struct rpcrdma_across_record *now,
                                                               const struct rpcrdma_across_call *call)
{
    for (unsigned i = 0; i < now->n_calls; i++) {
        const struct rpcrdma_across_call *again = &now->calls[i];

        if (again->reverse == call->reverse && again->xid != call->xid && across_same_request(again, call) &&
            again->call.time_ns > call->call.time_ns)
            return again;
    }
    return NULL;
}

static bool across_is_nfs4(const struct rpcrdma_across_call *call)
{
    return call->request_known && nfs_is_nfs4(call->program, call->version);
}

/* RFC 8267 section 6.7.2, RFC 8166 section 4.5: RDMA_ERROR completes a transaction. */
static void judge_failed(const struct look *look, const struct rpcrdma_across_call *call,
                         const struct rpcrdma_across_call *again)
{
    if (call->outcome != RPCRDMA_FAILED || !across_is_nfs4(call) || call->procedure == 0)
        return;
    if (!again) {
        if (look->now->whole && look->now->n_calls > 0 && look->now->n_calls < RPCRDMA_ACROSS_FIRST_CALLS)
            across_pass(look, RULE_NFSULB_6_7_2_02);
        return;
    }
    if (!call->received || again->call.time_ns < call->answer.time_ns) { /* the client may not have seen the error */
        verdict_inconclusive(look->verdict, RULE_NFSULB_6_7_2_02, WHY_ORDER, again->call.frame);
        return;
    }
    across_fail(
        look, RULE_NFSULB_6_7_2_02, SEVERITY_ERROR, &again->call, call->answer.frame,
        "expected the RDMA_ERROR in frame %u to complete the Call with XID 0x%08x; found the Call sent again with XID "
        "0x%08x on a later connection",
        call->answer.frame, again->xid, again->xid);
}

/* The Call is wrong only because it broke the earlier connection. */
static void excuse_error(const struct look *look, const struct rpcrdma_across_call *again)
{
    if (again->outcome == RPCRDMA_FAILED && look->host->excuse)
        look->host->excuse(look->host->ctx, RULE_RPCR_4_5_12, &again->answer);
}

/* An access to memory that the Call offers was refused, which ended the connection. */
static void across_judge_refused(const struct look *look, const struct rpcrdma_across_record *before,
                                 const struct rpcrdma_across_call *call, const struct rpcrdma_across_call *again)
{
    const struct rpcrdma_across_record *now = look->now;

    if (!call->refused || !again || again->call.time_ns < before->refusal_place.time_ns)
        return;
    across_fail(
        look, RULE_RPCR_3_4_3_03, SEVERITY_ERROR, &again->call, before->refusal_place.frame,
        "expected the memory of a Call that is not cancelled to be accessible; found XID 0x%08x sent again after an "
        "access to its memory was refused in frame %u",
        again->xid, before->refusal_place.frame);
    if (again->outcome == RPCRDMA_FAILED) {
        across_pass(look, RULE_RPCR_4_5_3_04);
        excuse_error(look, again);
    } else if (again->refused) {
        across_fail(
            look, RULE_RPCR_4_5_3_04, SEVERITY_WARNING, &now->refusal_place, before->refusal_place.frame,
            "expected ERR_CHUNK for XID 0x%08x, which had ended a connection in frame %u; found that the refused "
            "operation was repeated, and ended this connection, too, in frame %u",
            again->xid, before->refusal_place.frame, now->refusal_place.frame);
    } else if (again->outcome == RPCRDMA_OUTSTANDING) {
        verdict_inconclusive(look->verdict, RULE_RPCR_4_5_3_04, WHY_END, again->call.frame);
    }
}

/*
 * RFC 8167 section 5.4: a retransmission has the original's XID. With a new XID the Call may be a new request, so the
 * finding is a note.
 */
static void judge_reverse(const struct look *look, const struct rpcrdma_across_call *call,
                          const struct rpcrdma_across_call *again)
{
    const struct rpcrdma_across_call *other;

    if (!call->reverse || call->outcome != RPCRDMA_OUTSTANDING || call->procedure == 0)
        return;
    if (again) {
        across_pass(look, RULE_BIDI_5_4_01);
        return;
    }
    other = sent_with_another_xid(look->now, call);
    if (other)
        across_fail(
            look, RULE_BIDI_5_4_01, SEVERITY_NOTE, &other->call, call->call.frame,
            "expected the unanswered Call from the server in frame %u to keep XID 0x%08x when it is sent again; found "
            "the same request with XID 0x%08x",
            call->call.frame, call->xid, other->xid);
}

/* The first request in its slot of the session. */
static const struct rpcrdma_across_call *first_in_slot(const struct rpcrdma_across_record *record,
                                                       const struct rpcrdma_across_call *call)
{
    for (unsigned i = 0; i < record->n_calls; i++) {
        const struct rpcrdma_across_call *other = &record->calls[i];

        if (other->use.known && other->use.session == call->use.session && other->use.slot == call->use.slot &&
            other->call.time_ns > call->call.time_ns)
            return other;
    }
    return NULL;
}

static bool slot_used_between(const struct rpcrdma_across_record *before, const struct rpcrdma_across_call *call)
{
    for (const struct rpcrdma_across_record *between = before->newer; between; between = between->newer)
        if (first_in_slot(between, call))
            return true;
    return false;
}

/*
 * Whether the operations are the same. After a change of the inline threshold, data that were inline before may be in a
 * Read chunk: these data are not compared.
 */
static bool equal_operations(const struct rpcrdma_slot_use *a, const struct rpcrdma_slot_use *b)
{
    return a->reduced == b->reduced ? a->arguments == b->arguments : a->outline == b->outline;
}

/* The same operations under the same XID, in any slot. */
static const struct rpcrdma_across_call *same_operations(const struct rpcrdma_across_record *now,
                                                         const struct rpcrdma_across_call *call)
{
    for (unsigned i = 0; i < now->n_calls; i++) {
        const struct rpcrdma_across_call *again = &now->calls[i];

        if (again->use.known && again->xid == call->xid && again->side == call->side &&
            again->use.session == call->use.session && equal_operations(&again->use, &call->use) &&
            again->call.time_ns > call->call.time_ns)
            return again;
    }
    return NULL;
}

/*
 * RFC 8881 section 2.10.6.2: an unanswered request is sent again with its slot and sequence, and no other request may
 * use these. A client that gave up the request may send a lone SEQUENCE to ask whether it was carried out; after
 * NFS4ERR_SEQ_MISORDERED the client may use the sequence after all. Therefore only the first request in the slot is
 * judged.
 */
static void judge_slot(const struct look *look, const struct rpcrdma_across_record *before,
                       const struct rpcrdma_across_call *call)
{
    const struct rpcrdma_slot_use *use = &call->use;
    const struct rpcrdma_across_call *again, *next;

    if (!use->known || call->outcome != RPCRDMA_OUTSTANDING || slot_used_between(before, call))
        return;
    again = same_operations(look->now, call);
    if (again && (again->use.slot != use->slot || again->use.sequence != use->sequence)) {
        across_fail(
            look, RULE_NFS41_2_10_6_2_02, SEVERITY_ERROR, &again->call, call->call.frame,
            "expected the unanswered request with XID 0x%08x in frame %u to be sent again with slot %u and sequence "
            "%u; found the request sent again with slot %u and sequence %u",
            call->xid, call->call.frame, use->slot, use->sequence, again->use.slot, again->use.sequence);
        return;
    }
    next = first_in_slot(look->now, call);
    if (!next || next->use.sequence != use->sequence)
        return;
    if (equal_operations(&next->use, use))
        across_pass(look, RULE_NFS41_2_10_6_2_02);
    else if (next->use.bare || !look->now->whole)
        verdict_inconclusive(look->verdict, RULE_NFS41_2_10_6_2_02, look->now->whole ? WHY_READINGS : WHY_HOLE,
                             next->call.frame);
    else
        across_fail(look, RULE_NFS41_2_10_6_2_02, SEVERITY_ERROR, &next->call, call->call.frame,
                    "expected the unanswered request in frame %u, or none, with slot %u and sequence %u; found another "
                    "request with slot %u and sequence %u",
                    call->call.frame, use->slot, use->sequence, use->slot, use->sequence);
}

/* The owner refused an access to memory that no captured Call offers. */
static bool refused_stray(const struct rpcrdma_across_record *record)
{
    for (unsigned i = 0; i < record->n_strays; i++)
        if (record->strays[i].refused && record->strays[i].owner == record->client)
            return true;
    return false;
}

/* The Call that offered the refused memory is missing: the first Call of the next connection may be the same Call. */
static void excuse_unseen(const struct look *look, const struct rpcrdma_across_record *before)
{
    const struct rpcrdma_across_record *now = look->now;
    const struct rpcrdma_across_call *first = NULL;

    for (unsigned i = 0; i < now->n_calls; i++)
        if (now->calls[i].side == now->client && (!first || now->calls[i].call.time_ns < first->call.time_ns))
            first = &now->calls[i];
    if (first && !before->whole && first->call.time_ns > before->refusal_place.time_ns && refused_stray(before))
        excuse_error(look, first);
}

/* An access to the memory of this Call was or may have been refused, without a finding about the refusal. */
static bool perhaps_refused(const struct rpcrdma_across_record *before, const struct rpcrdma_across_call *call)
{
    return call->refused_late || (call->refused && call->damaged) ||
           (before->refusals_unseen && call->outcome == RPCRDMA_OUTSTANDING);
}

static void judge_calls(const struct look *look, const struct rpcrdma_across_record *before)
{
    excuse_unseen(look, before);
    for (unsigned i = 0; i < before->n_calls; i++) {
        const struct rpcrdma_across_call *call = &before->calls[i], *again;

        if (perhaps_refused(before, call) && (again = sent_again(look->now, call)))
            excuse_error(look, again);
        if (call->outcome == RPCRDMA_REPLIED || call->damaged)
            continue;
        judge_slot(look, before, call);
        again = sent_again(look->now, call);
        if (again && sent_again_between(before, call)) /* that transmission has been judged */
            continue;
        judge_failed(look, call, again);
        across_judge_refused(look, before, call, again);
        judge_reverse(look, call, again);
    }
}

/* ---- memory of another connection (RFC 8166 section 8.1.1) ---- */

static const struct rpcrdma_across_offer *offered(const struct rpcrdma_across_record *record, unsigned owner,
                                                  const struct rpcrdma_across_stray *stray)
{
    unsigned n = record->n_offers < RPCRDMA_ACROSS_OFFERS_MAX ? record->n_offers : RPCRDMA_ACROSS_OFFERS_MAX;

    for (unsigned i = 0; i < n; i++) {
        const struct rpcrdma_across_offer *offer = &record->offers[i];

        if (offer->owner == owner && offer->handle == stray->handle && offer->from <= stray->from &&
            stray->to <= offer->to)
            return offer;
    }
    return NULL;
}

static const struct rpcrdma_across_offer *offered_on_another(const struct pair *pair,
                                                             const struct rpcrdma_across_record *now,
                                                             const struct rpcrdma_across_stray *stray)
{
    const struct rpcrdma_across_offer *offer = NULL;
    unsigned n = 0;

    for (const struct rpcrdma_across_record *other = pair->newest; other && !offer && n < CONNECTIONS_MAX;
         other = other->older, n++) {
        /* The other side may be the same host, but the role is the same. */
        unsigned owner = (int)stray->owner == now->client ? (unsigned)other->client : 1 - (unsigned)other->client;

        if (other != now)
            offer = offered(other, owner, stray);
    }
    return offer;
}

/* One finding per STag. */
static bool reported_before(const struct rpcrdma_across_record *now, const bool *reported, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (reported[i] && now->strays[i].owner == now->strays[n].owner &&
            now->strays[i].handle == now->strays[n].handle)
            return true;
    return false;
}

static void across_judge_stray(const struct look *look, const struct rpcrdma_across_stray *stray,
                               const struct rpcrdma_across_offer *offer)
{
    if (stray->served)
        across_fail(look, RULE_RPCR_8_1_1_01, SEVERITY_ERROR, &stray->proof, offer->frame,
                    "expected STag 0x%08x, which XID 0x%08x offers on another connection (frame %u), to be refused on "
                    "this one; found the RDMA %s in frame %u %s",
                    stray->handle, offer->xid, offer->frame, stray->write ? "Write" : "Read", stray->place.frame,
                    stray->write ? "taken" : "answered");
    else if (stray->refused)
        across_pass(look, RULE_RPCR_8_1_1_01);
    else
        verdict_inconclusive(look->verdict, RULE_RPCR_8_1_1_01, WHY_END, stray->place.frame);
}

static void across_judge_memory(const struct look *look, const struct pair *pair)
{
    const struct rpcrdma_across_record *now = look->now;
    bool reported[RPCRDMA_ACROSS_STRAYS_MAX] = {false};

    INVARIANT(now->n_strays <= RPCRDMA_ACROSS_STRAYS_MAX && (now->strays || now->n_strays == 0));

    if (!now->whole || now->n_offers > RPCRDMA_ACROSS_OFFERS_MAX) /* this connection may have offered the memory */
        return;
    for (unsigned i = 0; i < now->n_strays; i++) {
        const struct rpcrdma_across_stray *stray = &now->strays[i];
        const struct rpcrdma_across_offer *offer = offered_on_another(pair, now, stray);

        /* Memory that this connection offers, too, is its own. */
        if (!offer || offered(now, stray->owner, stray) || reported_before(now, reported, i))
            continue;
        reported[i] = stray->served;
        across_judge_stray(look, stray, offer);
    }
}

/* ---- callbacks to a client that is not prepared (RFC 8167 section 6) ---- */

static bool died_of_callback(const struct rpcrdma_across_record *record)
{
    unsigned client = record->client == 1;

    return record->callback_at_end && !record->callbacks && record->client >= 0 &&
           (record->reset[client] || (record->one_end && record->fin[client]) ||
            (record->refusal && record->refused_by == client));
}

static void judge_callbacks(const struct look *look, const struct pair *pair)
{
    const struct rpcrdma_across_record *now = look->now, *before;
    unsigned dead = 1;

    if (!died_of_callback(now)) {
        if (pair->newest && died_of_callback(pair->newest) && now->whole)
            across_pass(look, RULE_BIDI_6_04);
        return;
    }
    for (before = pair->newest; before && died_of_callback(before) && dead <= DEAD_MIN; before = before->older)
        dead++;
    INVARIANT(dead <= DEAD_MIN + 1);
    if (dead != DEAD_MIN) /* reported once */
        return;
    for (; before; before = before->older)
        if (before->callbacks) /* the client has answered a callback before */
            return;
    across_fail(
        look, RULE_BIDI_6_04, SEVERITY_WARNING, &now->callback, pair->newest->callback.frame,
        "expected no more Calls to a client that is not prepared for them; found the third connection in a row that "
        "ends with a Call from the server");
}

/* ---- the records ---- */

static void across_judge_pair(const struct look *look, struct pair *pair)
{
    unsigned n = 0;

    for (const struct rpcrdma_across_record *before = pair->newest; before && n < RPCRDMA_ACROSS_RECORDS_MAX;
         before = before->older, n++)
        judge_calls(look, before);
    judge_callbacks(look, pair);
    lookups_judge(&pair->lookups, look->now, look->verdict);
}

bool rpcrdma_across_add(struct rpcrdma_across *across, struct rpcrdma_across_record *record,
                        const struct ulp_across_host *host)
{
    const struct look look = {record, host->verdict, host};
    struct pair *pair = record->client < 0 ? NULL : pair_of(across, record);

    if (!pair) {
        rpcrdma_across_record_free(record);
        return false;
    }
    across_judge_pair(&look, pair);
    rpcrdma_across_ends_add(&across->ends, record);
    record->older = pair->newest;
    record->newer = NULL;
    *(pair->newest ? &pair->newest->newer : &pair->oldest) = record;
    pair->newest = record;
    across->excess += ++pair->n > RPCRDMA_ACROSS_RECORDS_MAX;
    INVARIANT(pair_is_sound(pair) && (!record->older || record->older->newer == record));
    INVARIANT(across->n > 0 && across->newest == pair);
    return true;
}

/* A connection of the pair that began later, or outlasted this one. */
static bool across_goes_on(const struct pair *pair, const struct rpcrdma_across_record *record)
{
    for (const struct rpcrdma_across_record *other = pair->newest; other; other = other->older)
        if (other != record && (other->start_ns >= record->start_ns || other->end_ns > record->end_ns))
            return true;
    return false;
}

/* RFC 8167 section 5.4: a client with recallable delegations keeps a connection. */
static void judge_delegations(const struct look *look, const struct pair *pair, int64_t now_ns)
{
    const struct rpcrdma_across_record *record = look->now;
    unsigned client = (unsigned)record->client, server = 1 - client;

    if (!record->delegated || !record->whole)
        return;
    if (record->delegations == 0 || across_goes_on(pair, record)) {
        across_pass(look, RULE_BIDI_5_4_04);
    } else if (record->fin[client] && !record->reset[server] &&
               (!record->fin[server] || record->end[server].time_ns >= record->end[client].time_ns) &&
               now_ns - record->end[client].time_ns > lease_ns) {
        across_fail(
            look, RULE_BIDI_5_4_04, SEVERITY_WARNING, &record->end[client], 0,
            "expected a client to keep a connection for the server's Calls while it holds delegations (%u); found the "
            "connection closed and no other opened within 90 s",
            record->delegations);
    } else {
        verdict_inconclusive(look->verdict, RULE_BIDI_5_4_04, WHY_END, record->end[client].frame);
    }
}

/* RFC 5531 section 3: a server that ends the connection instead of answering. */
static void across_judge_cut_off(const struct look *look, const struct rpcrdma_across *across, const struct pair *pair)
{
    const struct rpcrdma_across_cut *cut = &look->now->cut;
    const struct rpcrdma_across_record *again;
    bool acquitted;

    if (!cut->any)
        return;
    acquitted = rpcrdma_across_cut_off_acquitted(&across->ends, pair->newest, look->now, &again);
    if (!acquitted && !again)
        return;
    if (cut->reported && look->host->excuse)
        look->host->excuse(look->host->ctx, cut->rule, &cut->place);
    if (acquitted)
        verdict_inconclusive(look->verdict, cut->rule, WHY_ELSEWHERE, cut->place.frame);
    else
        across_fail(
            look, cut->rule, SEVERITY_WARNING, &cut->place, cut->call.call.frame,
            "expected an answer to the Call with XID 0x%08x in frame %u; found the connection ended over the Call, "
            "like an "
            "earlier one in frame %u",
            cut->call.xid, cut->call.call.frame, again->cut.place.frame);
}

/* RFC 8881 section 20.8.3: one connection may recall a session's slots, and another may return its credits. */
static void across_judge_empty(const struct look *look, const struct pair *pair)
{
    const struct rpcrdma_across_record *now = look->now;

    for (unsigned i = 0; i < now->n_empty && look->host->excuse; i++) {
        const struct rpcrdma_across_record *other = pair->newest;

        while (other && (other == now || !other->recalled || other->recalled_ns > now->empty[i].time_ns))
            other = other->older;
        if (other)
            look->host->excuse(look->host->ctx, RULE_RPCR_4_01, &now->empty[i]);
    }
}

/* ---- sessions and client ids that several connections use ---- */

static const struct rpcrdma_across_object *across_use_of(const struct rpcrdma_across_record *record, uint64_t object)
{
    for (unsigned i = 0; i < record->objects.n && i < RPCRDMA_ACROSS_OBJECTS_MAX; i++) {
        if (record->objects.object[i].hash == object)
            return &record->objects.object[i];
    }
    return NULL;
}

/* The minor versions that returned the object on other connections before this use, one bit each. */
static uint32_t returned_elsewhere(const struct look *look, const struct pair *pair,
                                   const struct rpcrdma_across_object *use, uint32_t *frame)
{
    uint32_t returned = 0;

    for (const struct rpcrdma_across_record *other = pair->newest; other; other = other->older) {
        const struct rpcrdma_across_object *there = other == look->now ? NULL : across_use_of(other, use->hash);

        if (!there || there->returned == 0 || there->first.time_ns > use->first.time_ns)
            continue;
        returned |= there->returned;
        *frame = there->first.frame;
    }
    return returned;
}

/* RFC 8881 section 2.7: objects that one minor version returns must not be used in another. */
static void judge_minor_versions(const struct look *look, const struct pair *pair)
{
    const struct rpcrdma_across_objects *uses = &look->now->objects;

    for (unsigned i = 0; i < uses->n && i < RPCRDMA_ACROSS_OBJECTS_MAX; i++) {
        const struct rpcrdma_across_object *use = &uses->object[i];
        uint32_t frame = 0, returned = use->returned == 0 ? returned_elsewhere(look, pair, use, &frame) : 0;

        if (returned == 0)
            continue;
        if (returned >> use->minor & 1)
            across_pass(look, RULE_NFS41_2_7_01);
        else
            across_fail(
                look, RULE_NFS41_2_7_01, SEVERITY_ERROR, &use->first, frame,
                "expected a session or client id in COMPOUNDs of the minor version that returned it in frame %u; "
                "found the session or client id used in minor version %d",
                frame, use->minor);
    }
}

/* RFC 8881 section 2.10.6.2: the first transmission of a retry may have been on another connection. */
static void judge_new_requests(const struct look *look, const struct pair *pair)
{
    const struct rpcrdma_across_refusals *refusals = &look->now->refusals;

    for (unsigned i = 0; i < refusals->n && i < RPCRDMA_ACROSS_REFUSED_MAX && look->host->excuse; i++) {
        const struct rpcrdma_across_refused *refused = &refusals->refused[i];
        const struct rpcrdma_across_record *other = pair->newest;

        while (other && (other == look->now || other->start_ns > refused->place.time_ns ||
                         !(other->objects.n > RPCRDMA_ACROSS_OBJECTS_MAX || across_use_of(other, refused->session))))
            other = other->older;
        if (!other)
            continue;
        look->host->excuse(look->host->ctx, RULE_NFS41_18_46_3_01, &refused->place);
        verdict_inconclusive(look->verdict, RULE_NFS41_18_46_3_01, WHY_ELSEWHERE, refused->place.frame);
    }
}

/*
 * The client has also ended this earlier connection after such an answer. It may simply have been done, unless it
 * reconnected at once.
 */
static bool dropped_before(const struct rpcrdma_across_record *now, const struct rpcrdma_across_record *other)
{
    return other != now && other->start_ns < now->start_ns && other->drop.any && other->drop.rule == now->drop.rule &&
           (!other->drop.closed || now->start_ns - other->drop.place.time_ns < back_ns);
}

/* Clients end connections for reasons of their own, but not each time after the same answer. */
static void judge_drop(const struct look *look, const struct pair *pair)
{
    const struct rpcrdma_across_drop *drop = &look->now->drop;
    const struct rpcrdma_across_record *before = NULL;
    bool habit = false;

    if (!drop->any)
        return;
    for (const struct rpcrdma_across_record *other = pair->newest; other; other = other->older) {
        habit |=
            (other->reset[other->client] && !other->drop.any) || (drop->closed && other->tolerated == drop->rule + 1u);
        if (dropped_before(look->now, other))
            before = other;
    }
    if (!habit && !before)
        return;
    if (look->host->excuse && !drop->closed)
        look->host->excuse(look->host->ctx, drop->rule, &drop->place);
    if (habit)
        verdict_inconclusive(look->verdict, drop->rule, WHY_CAUSE, drop->place.frame);
    else
        across_fail(
            look, drop->rule, SEVERITY_WARNING, &drop->place, drop->culprit.frame,
            "expected the client to go on after the answer in frame %u; found %s from the client, as after such an "
            "answer in frame %u "
            "on an earlier connection",
            drop->culprit.frame,
            !drop->closed        ? "RST"
            : look->now->one_end ? "a DisconnectRequest"
                                 : "FIN",
            before->drop.culprit.frame);
}

void rpcrdma_across_conclude(struct rpcrdma_across *across, const struct rpcrdma_across_record *record, int64_t now_ns,
                             const struct ulp_across_host *host)
{
    const struct look look = {record, host->verdict, host};
    struct endpoint client = without_port(&record->endpoint[record->client]);
    struct endpoint server = without_port(&record->endpoint[1 - record->client]);
    struct pair *pair = across_find(across, &client, &server);

    if (!pair)
        return;
    across_judge_memory(&look, pair);
    across_judge_cut_off(&look, across, pair);
    across_judge_empty(&look, pair);
    judge_drop(&look, pair);
    judge_minor_versions(&look, pair);
    judge_new_requests(&look, pair);
    auxiliary_judge(&pair->questions.auxiliary, record, host->verdict);
    judge_delegations(&look, pair, now_ns);
    INVARIANT(pair_is_sound(pair) && record->client >= 0 && record->client < 2);
}

/* ---- life ---- */

struct rpcrdma_across *rpcrdma_across_new(void)
{
    return heap_zeroed(1, sizeof(struct rpcrdma_across));
}

void rpcrdma_across_trim(struct rpcrdma_across *across)
{
    for (struct pair *pair = across->newest; across->excess > 0; pair = pair->older)
        for (; pair->n > RPCRDMA_ACROSS_RECORDS_MAX; across->excess--)
            drop_oldest_record(pair);
    while (across->n > RPCRDMA_ACROSS_PAIRS_MAX)
        drop_oldest_pair(across);
    INVARIANT(across->n <= RPCRDMA_ACROSS_PAIRS_MAX && across->excess == 0);
}

void rpcrdma_across_free(struct rpcrdma_across *across)
{
    if (!across)
        return;
    while (across->oldest)
        drop_oldest_pair(across);
    free(across->ends.latest);
    free(across);
}
