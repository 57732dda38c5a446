// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slot of the table is live (it has a tcp_pair and a consumer) or a tombstone: what is left of a connection that was
 * closed or dismissed, so that its late segments are known for what they are.
 */
#include "conformance/flows.h"
#include "engine/heap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum {
    MAX_CONNECTIONS_DEFAULT = 65536,
    CLOSED_MAX = 64, /* closed connections that wait for quiet */
    BUCKETS_FIRST = 256,
    /* A segment of a closed connection lies near its end in sequence space; other connections begin anywhere. */
    NEAR_END = 16 << 20,
    FAR_OFF = 8 << 20,
};
static const int64_t linger_default_ns = INT64_C(10) * 1000000000;

struct link {
    struct link *previous, *next;
};

struct key {
    struct endpoint low, high; /* the smaller endpoint first: both directions have one key */
};

enum slot_state { SLOT_OPEN, SLOT_CLOSED, SLOT_TOMBSTONE };

struct slot {
    struct flow flow;  /* first: a flow is its slot */
    struct link order; /* in the list of its state, the one idle longest first */
    struct slot *chain;
    uint64_t hash;
    struct key key;
    enum slot_state state;
    bool dismissed;
    struct tcp_pair *pair; /* not with a tombstone */
    /* Of a tombstone. */
    struct last_side {
        bool isn_known;
        uint32_t isn, top;
    } last[2];
    /* A SYN that may be a new connection's, see suspicious(). */
    struct addressed_segment *pending;
};

struct flows {
    struct flows_options options;
    struct flow_events events;
    uint64_t seed[2];
    struct slot **buckets;
    size_t n_buckets; /* power of two */
    size_t n_slots, n_closed;
    struct link lists[3]; /* by state; rings with a head */
    uint32_t own_next_id;
};

/* ---- lists ---- */

static void list_init(struct link *head)
{
    head->previous = head->next = head;
}

static void list_remove(struct link *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
}

static void list_append(struct link *head, struct link *link)
{
    link->previous = head->previous;
    link->next = head;
    head->previous->next = link;
    head->previous = link;
}

static struct slot *slot_of(struct link *link)
{
    return (struct slot *)((char *)link - offsetof(struct slot, order));
}

static struct slot *list_first(struct link *head)
{
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a slot leaves its list before it is freed */
    return head->next == head ? NULL : slot_of(head->next);
}

/* ---- keys ---- */

static uint64_t mix(uint64_t h, uint64_t word)
{
    unsigned __int128 product = (unsigned __int128)(h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t hash_endpoint(uint64_t h, const struct endpoint *endpoint)
{
    uint64_t words[2];
    memcpy(words, endpoint->address, sizeof words);
    h = mix(h, words[0]);
    h = mix(h, words[1]);
    return mix(h, (uint64_t)endpoint->port << 8 | endpoint->ip);
}

static int compare_endpoints(const struct endpoint *a, const struct endpoint *b)
{
    int order = memcmp(a->address, b->address, sizeof a->address);
    if (order == 0)
        order = (int)a->port - (int)b->port;
    return order ? order : (int)a->ip - (int)b->ip;
}

static bool same_endpoint(const struct endpoint *a, const struct endpoint *b)
{
    return compare_endpoints(a, b) == 0;
}

static struct key key_of(const struct addressed_segment *segment)
{
    bool ascending = compare_endpoints(&segment->source, &segment->destination) <= 0;
    return ascending ? (struct key){segment->source, segment->destination}
                     : (struct key){segment->destination, segment->source};
}

static uint64_t hash_key(const struct flows *flows, const struct key *key)
{
    uint64_t h = hash_endpoint(flows->seed[0], &key->low);
    return hash_endpoint(h ^ flows->seed[1], &key->high);
}

unsigned flows_share(const struct addressed_segment *segment, unsigned n)
{
    /* Nothing secret: who puts all connections into one share slows down himself. */
    uint64_t h = hash_endpoint(1, &segment->source) + hash_endpoint(1, &segment->destination);

    return (unsigned)((h ^ h >> 32) % n);
}

/* ---- the table ---- */

struct flows *flows_new(const struct flows_options *options, const struct flow_events *events)
{
    struct flows *flows = heap_zeroed(1, sizeof *flows);
    if (!flows)
        return NULL;
    if (options)
        flows->options = *options;
    flows->events = *events;
    if (!flows->options.max_connections)
        flows->options.max_connections = MAX_CONNECTIONS_DEFAULT;
    if (!flows->options.linger_ns)
        flows->options.linger_ns = linger_default_ns;
    flows->seed[0] = flows->seed[1] = flows->options.seed;
    if (!flows->options.seed && getrandom(flows->seed, sizeof flows->seed, 0) != sizeof flows->seed)
        flows->seed[0] = (uint64_t)time(NULL) ^ (uint64_t)(uintptr_t)flows;
    flows->n_buckets = BUCKETS_FIRST;
    flows->buckets = heap_zeroed(flows->n_buckets, sizeof(struct slot *));
    if (!flows->buckets) {
        free(flows);
        return NULL;
    }
    for (int state = 0; state < 3; state++)
        list_init(&flows->lists[state]);
    flows->own_next_id = 1;
    if (!flows->options.next_id)
        flows->options.next_id = &flows->own_next_id;
    return flows;
}

static void grow_table(struct flows *flows)
{
    size_t n = flows->n_buckets * 2;
    struct slot **buckets = heap_zeroed(n, sizeof(struct slot *));
    if (!buckets)
        return; /* longer chains, then */
    for (size_t i = 0; i < flows->n_buckets; i++) {
        for (struct slot *slot = flows->buckets[i], *next; slot; slot = next) {
            next = slot->chain;
            slot->chain = buckets[slot->hash & (n - 1)];
            buckets[slot->hash & (n - 1)] = slot;
        }
    }
    free(flows->buckets);
    flows->buckets = buckets;
    flows->n_buckets = n;
}

static void set_state(struct flows *flows, struct slot *slot, enum slot_state state)
{
    flows->n_closed -= slot->state == SLOT_CLOSED;
    flows->n_closed += state == SLOT_CLOSED;
    list_remove(&slot->order);
    slot->state = state;
    list_append(&flows->lists[state], &slot->order);
}

static void remove_slot(struct flows *flows, struct slot *slot)
{
    struct slot **place = &flows->buckets[slot->hash & (flows->n_buckets - 1)];
    while (*place != slot)
        place = &(*place)->chain;
    *place = slot->chain;
    list_remove(&slot->order);
    flows->n_closed -= slot->state == SLOT_CLOSED;
    flows->n_slots--;
    tcp_pair_free(slot->pair);
    free(slot->pending);
    free(slot);
}

/* Ends a live connection; a tombstone stays. */
static void retire(struct flows *flows, struct slot *slot, enum flow_end why, int64_t now)
{
    /* The end may bring the verdict that it is of no interest; it is over anyway. */
    tcp_pair_finish(slot->pair);
    if (flows->events.close)
        flows->events.close(flows->events.ctx, &slot->flow, why, now);
    for (unsigned s = 0; s < 2; s++) {
        const struct tcp_side_facts *facts = tcp_pair_facts(slot->pair, s);
        uint64_t top = facts->highest > facts->acked ? facts->highest : facts->acked;
        slot->last[s] = (struct last_side){facts->syn_seen, facts->isn, facts->isn + (uint32_t)top};
    }
    tcp_pair_free(slot->pair);
    slot->pair = NULL;
    slot->flow.tcp = NULL;
    free(slot->pending);
    slot->pending = NULL;
    set_state(flows, slot, SLOT_TOMBSTONE);
}

static void make_room(struct flows *flows, int64_t now)
{
    if (flows->n_slots < flows->options.max_connections)
        return;
    struct slot *victim = list_first(&flows->lists[SLOT_TOMBSTONE]);
    if (!victim)
        victim = list_first(&flows->lists[SLOT_CLOSED]);
    if (!victim)
        victim = list_first(&flows->lists[SLOT_OPEN]);
    if (!victim)
        return;
    if (victim->state != SLOT_TOMBSTONE)
        retire(flows, victim, victim->state == SLOT_CLOSED ? FLOW_END_CLOSED : FLOW_END_EVICTED, now);
    remove_slot(flows, victim);
}

static struct slot *open_slot(struct flows *flows, const struct addressed_segment *segment, const struct key *key,
                              uint64_t hash)
{
    struct tcp_pair_events events = {0};
    make_room(flows, segment->segment.time_ns);
    if (flows->n_slots >= flows->n_buckets)
        grow_table(flows);
    struct slot *slot = heap_zeroed(1, sizeof *slot);
    if (!slot)
        return NULL;
    /* A SYN-ACK comes from the side that was connected to. */
    bool answer = (segment->segment.flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK);
    slot->key = *key;
    slot->hash = hash;
    slot->flow.id = *flows->options.next_id;
    slot->flow.endpoint[answer] = segment->source;
    slot->flow.endpoint[!answer] = segment->destination;
    slot->flow.start_frame = slot->flow.end_frame = segment->segment.frame;
    slot->flow.start_ns = slot->flow.end_ns = segment->segment.time_ns;
    if (!flows->events.open(flows->events.ctx, &slot->flow, &events)) {
        free(slot);
        return NULL;
    }
    slot->pair = tcp_pair_new(&flows->options.tcp, &events);
    if (!slot->pair) {
        if (flows->events.close)
            flows->events.close(flows->events.ctx, &slot->flow, FLOW_END_EVICTED, segment->segment.time_ns);
        free(slot);
        return NULL;
    }
    (*flows->options.next_id)++;
    flows->n_slots++;
    slot->flow.tcp = slot->pair;
    slot->chain = flows->buckets[hash & (flows->n_buckets - 1)];
    flows->buckets[hash & (flows->n_buckets - 1)] = slot;
    slot->state = SLOT_OPEN;
    list_append(&flows->lists[SLOT_OPEN], &slot->order);
    if (flows->events.opened)
        flows->events.opened(flows->events.ctx, &slot->flow);
    return slot;
}

static unsigned side_of(const struct slot *slot, const struct addressed_segment *segment)
{
    return !same_endpoint(&slot->flow.endpoint[0], &segment->source);
}

/* ---- reused addresses ---- */

static bool near(uint32_t seq, uint32_t top)
{
    return (int32_t)(seq - top) < NEAR_END && (int32_t)(top - seq) < NEAR_END;
}

/* A segment at the addresses of a connection that is over, without being a SYN: one of its own, late? */
static bool belongs_to_the_end(const struct tcp_segment *segment, uint32_t top)
{
    return segment->length == 0 || near(segment->seq, top);
}

static bool reuses_tombstone(const struct slot *slot, const struct tcp_segment *segment)
{
    const struct last_side *last = &slot->last[segment->side];
    if (segment->flags & TCP_RST)
        return false;
    if (segment->flags & TCP_SYN)
        return !last->isn_known || segment->seq + 1 != last->isn;
    return !slot->dismissed && !belongs_to_the_end(segment, last->top);
}

static bool far(uint32_t seq, const struct tcp_side_facts *facts)
{
    uint32_t top = facts->isn + (uint32_t)facts->highest;
    return facts->highest > 0 && seq - top > FAR_OFF && top - seq > FAR_OFF;
}

/*
 * Octets elsewhere in the sequence numbers of both directions at once: the capture lacks the end of the connection, and
 * the SYNs of the next one at these addresses. So much may be missing of one direction as well, hardly of both.
 */
static bool jumps(const struct slot *slot, const struct tcp_segment *segment)
{
    return segment->length > 0 && (segment->flags & (TCP_SYN | TCP_RST | TCP_ACK)) == TCP_ACK &&
           far(segment->seq, tcp_pair_facts(slot->pair, segment->side)) &&
           far(segment->ack, tcp_pair_facts(slot->pair, 1 - segment->side));
}

/*
 * A SYN inside an established connection need not be a new one's: a stack that knows the connection answers with an ACK
 * and goes on (RFC 9293 section 3.10.7.4, RFC 5961 section 4). Only what follows tells.
 */
static bool suspicious(const struct slot *slot, const struct tcp_segment *segment)
{
    const struct tcp_side_facts *a = tcp_pair_facts(slot->pair, 0), *b = tcp_pair_facts(slot->pair, 1);
    bool established = a->highest && b->highest && !a->fin && !b->fin;
    return !(segment->flags & TCP_ACK) && established && tcp_pair_state(slot->pair) == TCP_PAIR_OPEN;
}

static void remember_syn(struct slot *slot, const struct addressed_segment *segment)
{
    if (slot->pending && slot->pending->segment.seq == segment->segment.seq)
        return; /* sent again */
    if (!slot->pending)
        slot->pending = heap_get(sizeof *slot->pending);
    if (!slot->pending)
        return;
    *slot->pending = *segment;
    /* The payload is not ours to keep; a SYN that has one is rare, and it is sent again if the SYN got lost. */
    slot->pending->segment.payload = NULL;
    slot->pending->segment.length = slot->pending->segment.captured = 0;
}

/* Does this segment show that the connection of the remembered SYN came about? */
static bool confirms(const struct slot *slot, const struct tcp_segment *segment)
{
    const struct tcp_segment *syn = &slot->pending->segment;
    bool answer = (segment->flags & (TCP_SYN | TCP_ACK | TCP_RST)) == (TCP_SYN | TCP_ACK);
    if (segment->side != syn->side)
        return answer && segment->ack - (syn->seq + 1) <= UINT16_MAX;
    return !(segment->flags & (TCP_SYN | TCP_RST)) && segment->seq == syn->seq + 1;
}

/* ---- segments ---- */

static void feed(struct flows *flows, struct slot *slot, const struct tcp_segment *segment)
{
    slot->flow.end_frame = segment->frame;
    slot->flow.end_ns = segment->time_ns;
    slot->flow.segments++;
    tcp_pair_segment(slot->pair, segment);
    enum slot_state state = tcp_pair_state(slot->pair) == TCP_PAIR_CLOSED ? SLOT_CLOSED : SLOT_OPEN;
    set_state(flows, slot, state); /* to the end of its list */
}

/* Closed connections that have been quiet for long enough, or are too many. */
static void retire_quiet(struct flows *flows, int64_t now)
{
    struct slot *slot;
    while ((slot = list_first(&flows->lists[SLOT_CLOSED])) &&
           (now - slot->flow.end_ns > flows->options.linger_ns || flows->n_closed > CLOSED_MAX))
        retire(flows, slot, FLOW_END_CLOSED, now);
}

/* Makes way for a new connection at the slot's addresses. */
static void replace(struct flows *flows, struct slot *slot, int64_t now)
{
    if (slot->state != SLOT_TOMBSTONE)
        retire(flows, slot, FLOW_END_REUSED, now);
    remove_slot(flows, slot);
}

/* The connection of a segment whose addresses are known, if it has one. NULL: a new one is to be opened. */
static struct slot *settle(struct flows *flows, struct slot *slot, struct addressed_segment *segment,
                           struct addressed_segment *syn, bool *ignore)
{
    struct tcp_segment *s = &segment->segment;
    s->side = (uint8_t)side_of(slot, segment);
    if (slot->state == SLOT_TOMBSTONE) {
        if (!reuses_tombstone(slot, s)) {
            set_state(flows, slot, SLOT_TOMBSTONE);
            *ignore = true;
            return slot;
        }
    } else if (slot->pending && confirms(slot, s)) {
        *syn = *slot->pending;
    } else if (tcp_pair_is_reuse(slot->pair, s)) {
        if (suspicious(slot, s)) {
            remember_syn(slot, segment);
            *ignore = true;
            return slot;
        }
    } else {
        const struct tcp_side_facts *facts = tcp_pair_facts(slot->pair, s->side);
        bool foreign = slot->state == SLOT_CLOSED && !(s->flags & (TCP_SYN | TCP_RST)) && facts->syn_seen &&
                       !belongs_to_the_end(s, facts->isn + (uint32_t)facts->highest);
        if (!foreign && !jumps(slot, s))
            return slot;
    }
    replace(flows, slot, s->time_ns);
    return NULL;
}

struct flow *flows_segment(struct flows *flows, struct addressed_segment *segment)
{
    struct tcp_segment *s = &segment->segment;
    struct key key = key_of(segment);
    uint64_t hash = hash_key(flows, &key);
    struct addressed_segment syn = {0};
    bool ignore = false;

    if (flows->n_closed)
        retire_quiet(flows, s->time_ns);
    struct slot *slot = flows->buckets[hash & (flows->n_buckets - 1)];
    while (slot && (slot->hash != hash || !same_endpoint(&slot->key.low, &key.low) ||
                    !same_endpoint(&slot->key.high, &key.high)))
        slot = slot->chain;
    if (slot)
        slot = settle(flows, slot, segment, &syn, &ignore);
    if (ignore)
        return NULL;
    if (!slot) {
        if (s->flags & TCP_RST)
            return NULL; /* nothing to reset */
        bool with_syn = syn.segment.flags & TCP_SYN;
        slot = open_slot(flows, with_syn ? &syn : segment, &key, hash);
        if (!slot)
            return NULL;
        if (with_syn) {
            syn.segment.side = (uint8_t)side_of(slot, &syn);
            feed(flows, slot, &syn.segment);
        }
    }
    s->side = (uint8_t)side_of(slot, segment);
    feed(flows, slot, s);
    if (slot->dismissed) {
        retire(flows, slot, FLOW_END_DISMISSED, s->time_ns);
        return NULL;
    }
    return &slot->flow;
}

void flow_dismiss(struct flow *flow)
{
    ((struct slot *)flow)->dismissed = true;
}

void flows_each(struct flows *flows, void (*tell)(void *ctx, struct flow *flow), void *ctx)
{
    for (int state = SLOT_OPEN; state <= SLOT_CLOSED; state++)
        for (struct link *l = flows->lists[state].next; l != &flows->lists[state]; l = l->next)
            tell(ctx, &slot_of(l)->flow);
}

static int by_id(const void *a, const void *b)
{
    uint32_t x = (*(struct slot *const *)a)->flow.id, y = (*(struct slot *const *)b)->flow.id;
    return (x > y) - (x < y);
}

void flows_finish(struct flows *flows, int64_t now_ns)
{
    struct slot **live = heap_zeroed(flows->n_slots + 1, sizeof *live), *slot;
    size_t n = 0;
    if (live) {
        for (int state = SLOT_OPEN; state <= SLOT_CLOSED; state++)
            for (struct link *l = flows->lists[state].next; l != &flows->lists[state]; l = l->next)
                live[n++] = slot_of(l);
        qsort(live, n, sizeof *live, by_id);
        for (size_t i = 0; i < n; i++)
            retire(flows, live[i], live[i]->state == SLOT_CLOSED ? FLOW_END_CLOSED : FLOW_END_CAPTURE, now_ns);
        free(live);
    }
    /* Without memory to sort: in any order. */
    for (int state = SLOT_OPEN; state <= SLOT_CLOSED; state++)
        while ((slot = list_first(&flows->lists[state])))
            retire(flows, slot, FLOW_END_CAPTURE, now_ns);
}

void flows_free(struct flows *flows)
{
    struct slot *slot;
    if (!flows)
        return;
    for (int state = 0; state < 3; state++)
        while ((slot = list_first(&flows->lists[state])))
            remove_slot(flows, slot);
    free(flows->buckets);
    free(flows);
}
