// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slot of the table is either live (it has a tcp_pair and a consumer) or a tombstone: what remains of a connection
 * that was closed or dismissed, so that its late segments are recognised. A third party can forge a handshake inside an
 * established connection. So when a new connection takes the slot's place, the established connection stays as the new
 * slot's `former` until both sides of the new connection have sent octets. Until then each segment goes to the
 * connection with the nearer numbers.
 */
#include "engine/tcp/connections.h"
#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "wire/octets.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum {
    MAX_CONNECTIONS_DEFAULT = 65536,
    LINGER_FRAMES_DEFAULT = 16384, /* at 12 packets a connection, 1365 of them */
    BUCKETS_FIRST = 64,
};
static const int64_t linger_default_ns = INT64_C(10) * 1000000000, handshake_ns = INT64_C(1000000000);

struct link {
    struct link *previous, *next;
};

struct key {
    struct endpoint low, high; /* the smaller endpoint first: both directions have one key */
};

enum slot_state { SLOT_OPEN, SLOT_CLOSED, SLOT_TOMBSTONE };

struct slot {
    struct connection connection; /* first: a connection is its slot */
    struct link order;            /* in the list of its state, the one idle longest first */
    struct slot *chain;
    uint64_t hash;
    struct key key;
    enum slot_state state;
    bool dismissed;
    struct tcp_remains remains; /* of the connection that ended; for a tombstone */
    /* A SYN that may start a new connection: TCP_MAY_BEGIN. */
    struct addressed_segment *pending;
    struct tcp_segment *reset; /* may end the connection: TCP_MAY_END. Without payload */
    /* The connection established earlier at these addresses, which may continue; not in the table. */
    struct slot *former;
    struct slot *successor; /* for a former connection: the slot in the table */
    int64_t succeeded_ns;   /* when the successor came */
};

struct connections {
    struct connections_options options;
    struct connection_events events;
    uint64_t seed[2];
    struct slot **buckets;
    size_t n_buckets; /* power of two */
    size_t n_slots, n_closed;
    struct link lists[3]; /* by state; rings with a head */
    /*
     * The slot of the previous segment: most segments are followed by another of the same connection. Not parked; may
     * be NULL
     */
    struct slot *latest;
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

static struct slot *tcp_connections_slot_of(struct link *link)
{
    return (struct slot *)((char *)link - offsetof(struct slot, order));
}

static struct slot *list_first(struct link *head)
{
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): a slot leaves its list before it is freed */
    return head->next == head ? NULL : tcp_connections_slot_of(head->next);
}

/* ---- keys ---- */

/* XORs the two halves of the 128-bit product. */
static uint64_t mix(uint64_t h, uint64_t word)
{
    static const uint64_t odd = UINT64_C(0x9E3779B97F4A7C15);

#ifdef __SIZEOF_INT128__
    unsigned __int128 product = (unsigned __int128)(h ^ word) * odd;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t x = h ^ word, low = (x & UINT32_MAX) * (odd & UINT32_MAX), high = (x >> 32) * (odd >> 32);
    uint64_t middle = (x >> 32) * (odd & UINT32_MAX) + (low >> 32), other = (x & UINT32_MAX) * (odd >> 32);

    other += middle & UINT32_MAX;
    high += (middle >> 32) + (other >> 32);
    return x * odd ^ high;
#endif
}

static uint64_t hash_endpoint(uint64_t h, const struct endpoint *endpoint)
{
    h = mix(h, get_be64(endpoint->address));
    h = mix(h, get_be64(endpoint->address + 8));
    return mix(h, (uint64_t)endpoint->port << 8 | endpoint->ip);
}

/* An arbitrary order that is the same on all machines. */
static bool comes_after(const struct endpoint *a, const struct endpoint *b)
{
    int order = memcmp(a->address, b->address, sizeof a->address);

    if (order)
        return order > 0;
    return a->port != b->port ? a->port > b->port : a->ip > b->ip; /* both ends of a packet are in the same network */
}

/* Runs for each packet. Without branches: the directions alternate, so the processor would mispredict them. */
static bool same_endpoint(const struct endpoint *a, const struct endpoint *b)
{
    uint64_t one[2], two[2];

    _Static_assert(sizeof one == sizeof a->address, "an address is two words");
    memcpy(one, a->address, sizeof one);
    memcpy(two, b->address, sizeof two);
    return ((one[0] ^ two[0]) | (one[1] ^ two[1]) | (uint64_t)(a->port ^ b->port) | (uint64_t)(a->ip ^ b->ip) |
            (a->network ^ b->network)) == 0;
}

static struct key tcp_connections_key_of(const struct addressed_segment *segment)
{
    bool descending = comes_after(&segment->source, &segment->destination);
    return descending ? (struct key){segment->destination, segment->source}
                      : (struct key){segment->source, segment->destination};
}

static uint64_t hash_key(const struct connections *connections, const struct key *key)
{
    uint64_t h = hash_endpoint(connections->seed[0], &key->low);
    return hash_endpoint(h ^ connections->seed[1], &key->high);
}

static uint64_t tcp_connections_fold(const struct endpoint *endpoint)
{
    return mix(mix(hash_seed, get_be64(endpoint->address)),
               get_be64(endpoint->address + 8) + UINT64_C(0xC2B2AE3D27D4EB4F) * endpoint->port);
}

unsigned connections_share(const struct addressed_segment *segment, unsigned n)
{
    uint64_t h = mix(1, tcp_connections_fold(&segment->source) + tcp_connections_fold(&segment->destination));

    return (unsigned)((h >> 32) * n >> 32);
}

/* ---- the table ---- */

struct connections *connections_new(const struct connections_options *options, const struct connection_events *events)
{
    struct connections *connections = heap_zeroed(1, sizeof *connections);
    if (!connections)
        return NULL;
    if (options)
        connections->options = *options;
    connections->events = *events;
    if (!connections->options.max_connections)
        connections->options.max_connections = MAX_CONNECTIONS_DEFAULT;
    if (!connections->options.linger_ns)
        connections->options.linger_ns = linger_default_ns;
    if (!connections->options.linger_frames)
        connections->options.linger_frames = LINGER_FRAMES_DEFAULT;
    connections->seed[0] = connections->seed[1] = connections->options.seed;
    if (!connections->options.seed &&
        getrandom(connections->seed, sizeof connections->seed, 0) != sizeof connections->seed)
        connections->seed[0] = (uint64_t)time(NULL) ^ (uint64_t)(uintptr_t)connections;
    connections->n_buckets = BUCKETS_FIRST;
    connections->buckets = heap_zeroed(connections->n_buckets, sizeof(struct slot *));
    if (!connections->buckets) {
        free(connections);
        return NULL;
    }
    for (int state = 0; state < 3; state++)
        list_init(&connections->lists[state]);
    connections->own_next_id = 1;
    if (!connections->options.next_id)
        connections->options.next_id = &connections->own_next_id;
    return connections;
}

static void grow_table(struct connections *connections)
{
    size_t n = connections->n_buckets * 2;
    struct slot **buckets = heap_zeroed(n, sizeof(struct slot *));
    if (!buckets)
        return; /* the chains stay long */
    for (size_t i = 0; i < connections->n_buckets; i++) {
        for (struct slot *slot = connections->buckets[i], *next; slot; slot = next) {
            next = slot->chain;
            slot->chain = buckets[slot->hash & (n - 1)];
            buckets[slot->hash & (n - 1)] = slot;
        }
    }
    free(connections->buckets);
    connections->buckets = buckets;
    connections->n_buckets = n;
}

static void set_state(struct connections *connections, struct slot *slot, enum slot_state state)
{
    if (slot->state == state && connections->lists[state].previous == &slot->order)
        return;
    connections->n_closed -= slot->state == SLOT_CLOSED;
    connections->n_closed += state == SLOT_CLOSED;
    list_remove(&slot->order);
    slot->state = state;
    list_append(&connections->lists[state], &slot->order);
}

static void put_slot(const struct connections *connections, struct slot *slot)
{
    struct slot **first = &connections->buckets[slot->hash & (connections->n_buckets - 1)];

    slot->chain = *first;
    *first = slot;
}

static void take_slot(const struct connections *connections, const struct slot *slot)
{
    struct slot **place = &connections->buckets[slot->hash & (connections->n_buckets - 1)];
    while (*place != slot)
        place = &(*place)->chain;
    *place = slot->chain;
}

static void remove_slot(struct connections *connections, struct slot *slot)
{
    if (slot->successor) {
        slot->successor->former = NULL;
    } else {
        take_slot(connections, slot);
        if (slot->former) {
            slot->former->successor = NULL;
            put_slot(connections, slot->former);
        }
    }
    if (connections->latest == slot)
        connections->latest = NULL;
    list_remove(&slot->order);
    connections->n_closed -= slot->state == SLOT_CLOSED;
    connections->n_slots--;
    free(slot->pending);
    free(slot->reset);
    free(slot);
}

static void forget_reset(struct slot *slot)
{
    free(slot->reset);
    slot->reset = NULL;
}

void connections_unpark(const struct connections *connections, struct connection *connection)
{
    if (!connection->parked)
        return;
    connections->events.unpark(connections->events.ctx, connection);
    connection->parked = false;
}

/* A connection whose octets wait for missing ones is not parked: these octets have a limit of their own. */
void connections_park_one(struct connections *connections, struct connection *connection)
{
    const struct tcp_pair *tcp = connection->tcp;

    if (connection->parked || !connections->events.park || tcp_pair_held(tcp, 0) > 0 || tcp_pair_held(tcp, 1) > 0)
        return;
    connection->parked = connections->events.park(connections->events.ctx, connection);
    connections->latest = NULL;
}

/*
 * Ends a live connection and leaves a tombstone. A connection that was silent since its successor came ended at that
 * moment.
 */
static void tcp_connections_retire(struct connections *connections, struct slot *slot, enum connection_end why,
                                   int64_t now)
{
    connections_unpark(connections, &slot->connection);
    if (slot->successor && slot->connection.end_ns <= slot->succeeded_ns) {
        now = slot->succeeded_ns;
        why = CONNECTION_REUSED;
    }
    if (slot->reset && tcp_pair_state(slot->connection.tcp) == TCP_PAIR_OPEN) /* nothing has followed the reset */
        tcp_pair_segment(slot->connection.tcp, slot->reset);
    forget_reset(slot);
    slot->remains = tcp_remains(slot->connection.tcp);
    connections->events.close(connections->events.ctx, &slot->connection, why, now);
    slot->connection.tcp = NULL;
    free(slot->pending);
    slot->pending = NULL;
    set_state(connections, slot, SLOT_TOMBSTONE);
}

/* Never evicts `spare`. */
static void tcp_connections_make_room(struct connections *connections, const struct slot *spare, int64_t now)
{
    if (connections->n_slots < connections->options.max_connections)
        return;
    struct slot *victim = list_first(&connections->lists[SLOT_TOMBSTONE]);
    if (!victim)
        victim = list_first(&connections->lists[SLOT_CLOSED]);
    if (!victim)
        victim = list_first(&connections->lists[SLOT_OPEN]);
    if (!victim || victim == spare)
        return;
    if (victim->state != SLOT_TOMBSTONE)
        tcp_connections_retire(connections, victim,
                               victim->state == SLOT_CLOSED ? CONNECTION_CLOSED : CONNECTION_EVICTED, now);
    remove_slot(connections, victim);
}

/* The new slot has taken the place of `former`. */
static void succeed(const struct connections *connections, struct slot *slot, struct slot *former)
{
    take_slot(connections, former);
    former->successor = slot;
    slot->former = former;
}

static struct slot *open_slot(struct connections *connections, const struct addressed_segment *segment,
                              struct slot *former)
{
    struct key key = tcp_connections_key_of(segment);
    uint64_t hash = hash_key(connections, &key);

    tcp_connections_make_room(connections, former, segment->segment.time_ns);
    if (connections->n_slots >= connections->n_buckets)
        grow_table(connections);
    struct slot *slot = heap_zeroed(1, sizeof *slot);
    if (!slot)
        return NULL;
    /* A SYN-ACK comes from the responder. */
    bool answer = (segment->segment.flags & (TCP_SYN | TCP_ACK)) == (TCP_SYN | TCP_ACK);
    slot->key = key;
    slot->hash = hash;
    slot->connection.id = *connections->options.next_id;
    slot->connection.endpoint[answer] = segment->source;
    slot->connection.endpoint[!answer] = segment->destination;
    slot->connection.start_frame = slot->connection.end_frame = segment->segment.frame;
    slot->connection.start_ns = slot->connection.end_ns = segment->segment.time_ns;
    if (!connections->events.open(connections->events.ctx, &slot->connection)) {
        free(slot);
        return NULL;
    }
    (*connections->options.next_id)++;
    connections->n_slots++;
    if (former)
        succeed(connections, slot, former);
    put_slot(connections, slot);
    slot->state = SLOT_OPEN;
    list_append(&connections->lists[SLOT_OPEN], &slot->order);
    return slot;
}

static unsigned tcp_connections_side_of(const struct slot *slot, const struct addressed_segment *segment)
{
    return !same_endpoint(&slot->connection.endpoint[0], &segment->source);
}

/* ---- reused addresses ---- */

/* Drops the payload: SYNs with payload are rare, and are sent again if lost. */
static void drop_octets(struct tcp_segment *segment)
{
    segment->payload = segment->header = NULL;
    segment->length = segment->captured = 0;
    segment->sums.known = false;
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
    drop_octets(&slot->pending->segment);
}

static void remember_reset(struct slot *slot, const struct tcp_segment *segment)
{
    if (!slot->reset)
        slot->reset = heap_get(sizeof *slot->reset);
    if (!slot->reset)
        return;
    *slot->reset = *segment;
    drop_octets(slot->reset);
}

/* The side that sent the reset continues. */
static void doubt_reset(struct slot *slot, unsigned side)
{
    if (slot->reset && slot->reset->side == side)
        forget_reset(slot);
}

/* ---- segments ---- */

/* Notes whether the connection is closed by now, and moves the slot to the end of its list. */
static inline void know_state(struct connections *connections, struct slot *slot)
{
    enum slot_state state = tcp_pair_state(slot->connection.tcp) == TCP_PAIR_CLOSED ? SLOT_CLOSED : SLOT_OPEN;

    if (state == SLOT_CLOSED && slot->state != SLOT_CLOSED && connections->events.over)
        connections->events.over(connections->events.ctx, &slot->connection);
    set_state(connections, slot, state);
}

static inline __attribute__((always_inline)) void
tcp_connections_feed(struct connections *connections, struct slot *slot, const struct tcp_segment *segment)
{
    slot->connection.end_frame = segment->frame;
    slot->connection.end_ns = segment->time_ns;
    slot->connection.segments++;
    tcp_pair_segment(slot->connection.tcp, segment);
    know_state(connections, slot);
}

static bool is_quiet(const struct connections *connections, const struct slot *slot, uint32_t frame, int64_t now)
{
    return slot->state == SLOT_CLOSED && (now - slot->connection.end_ns > connections->options.linger_ns ||
                                          frame - slot->connection.end_frame > connections->options.linger_frames);
}

/*
 * The connection closed when its silence had lasted for the linger time, even if this is noticed later; if the clock
 * has not come that far, it closed with the last segment.
 */
static void retire_closed(struct connections *connections, struct slot *slot, int64_t now)
{
    int64_t quiet = slot->connection.end_ns + connections->options.linger_ns;

    tcp_connections_retire(connections, slot, CONNECTION_CLOSED, now > quiet ? quiet : slot->connection.end_ns);
}

/* Retires closed connections that have been quiet for long enough, the longest quiet first. */
static void retire_quiet(struct connections *connections, uint32_t frame, int64_t now)
{
    struct slot *slot;

    while ((slot = list_first(&connections->lists[SLOT_CLOSED])) && is_quiet(connections, slot, frame, now))
        retire_closed(connections, slot, now);
}

static void end_former(struct connections *connections, struct slot *slot, int64_t now)
{
    struct slot *former = slot->former;

    if (former->state != SLOT_TOMBSTONE)
        tcp_connections_retire(connections, former, CONNECTION_REUSED, now);
    remove_slot(connections, former);
}

/*
 * Makes way for a new connection at the slot's addresses. Returns the slot of the latest established connection, which
 * becomes the new slot's former connection, or NULL.
 */
static struct slot *replace(struct connections *connections, struct slot *slot, int64_t now)
{
    struct slot *former = slot->former;

    if (slot->state == SLOT_OPEN &&
        (tcp_boundary_established(slot->connection.tcp) || (!former && tcp_boundary_shaken(slot->connection.tcp)))) {
        if (former)
            end_former(connections, slot, now);
        free(slot->pending);
        slot->pending = NULL;
        slot->succeeded_ns = now;
        set_state(connections, slot, SLOT_OPEN); /* at the end of the list: the last to be evicted */
        return slot;
    }
    if (former && former->state == SLOT_TOMBSTONE) {
        remove_slot(connections, former);
        former = NULL;
    }
    if (slot->state != SLOT_TOMBSTONE)
        tcp_connections_retire(connections, slot, CONNECTION_REUSED, now);
    remove_slot(connections, slot);
    if (former)
        set_state(connections, former, former->state);
    return former;
}

/*
 * Once both sides of the new connection have sent octets, the new connection is real, and the former connection has
 * ended.
 */
static void settle_former(struct connections *connections, struct slot *slot, int64_t now)
{
    if (slot->state != SLOT_TOMBSTONE && tcp_pair_facts(slot->connection.tcp, 0)->highest > 0 &&
        tcp_pair_facts(slot->connection.tcp, 1)->highest > 0)
        end_former(connections, slot, now);
}

/* The segment belongs to the former connection, which continues. */
static bool is_of_former(const struct slot *slot, const struct addressed_segment *segment)
{
    const struct slot *former = slot->former;
    struct tcp_segment s;

    if (former->state == SLOT_TOMBSTONE)
        return false;
    s = segment->segment;
    s.side = (uint8_t)tcp_connections_side_of(former, segment);
    if (tcp_boundary(former->connection.tcp, &s, NULL) != TCP_GOES_ON)
        return false;
    return slot->state == SLOT_TOMBSTONE || tcp_boundary_is_nearer(former->connection.tcp, s.side, slot->connection.tcp,
                                                                   tcp_connections_side_of(slot, segment), &s);
}

/* How a new connection begins. */
struct beginning {
    struct addressed_segment syn; /* the SYN that was held back, to be replayed first; valid with with_syn */
    bool with_syn;
    struct slot *former; /* still at these addresses, or NULL */
};

/* Another SYN so soon after a SYN may be forged: the answer decides. A host tries again after a second. */
static bool is_in_handshake(const struct slot *slot, const struct tcp_segment *segment)
{
    return segment->flags & TCP_SYN && slot->state == SLOT_OPEN &&
           segment->time_ns - slot->connection.end_ns < handshake_ns;
}

/*
 * The slot for a segment with known addresses and side; NULL: open a new connection. *ignore: the segment belongs to no
 * connection.
 */
static struct slot *tcp_connections_settle(struct connections *connections, struct slot *slot,
                                           struct addressed_segment *segment, struct beginning *beginning, bool *ignore)
{
    struct tcp_segment *s = &segment->segment;

    if (slot->former && is_of_former(slot, segment)) {
        slot = slot->former;
        s->side = (uint8_t)tcp_connections_side_of(slot, segment);
    }
    if (slot->state == SLOT_TOMBSTONE) {
        if (!tcp_remains_reused(&slot->remains, s, slot->dismissed)) {
            slot->connection.end_frame = s->frame;
            set_state(connections, slot, SLOT_TOMBSTONE);
            *ignore = true;
            return slot;
        }
    } else {
        switch (tcp_boundary(slot->connection.tcp, s, slot->pending ? &slot->pending->segment : NULL)) {
        case TCP_GOES_ON:
            doubt_reset(slot, s->side);
            return slot;
        case TCP_MAY_END:
            remember_reset(slot, s);
            *ignore = true;
            return slot;
        case TCP_MAY_BEGIN:
            remember_syn(slot, segment);
            /* fall through */
        case TCP_STRAYS:
            *ignore = true;
            return slot;
        case TCP_HAS_BEGUN: /* beginning with the SYN that was held back */
            if (slot->pending)
                beginning->syn = *slot->pending;
            beginning->with_syn = slot->pending != NULL;
            break;
        case TCP_BEGINS:
            if (!is_in_handshake(slot, s))
                break;
            remember_syn(slot, segment);
            *ignore = true;
            return slot;
        }
    }
    beginning->former = replace(connections, slot, s->time_ns);
    return NULL;
}

static struct slot *tcp_connections_begin(struct connections *connections, struct addressed_segment *segment,
                                          struct beginning *beginning)
{
    struct slot *slot;

    if (segment->segment.flags & TCP_RST)
        return NULL; /* nothing to reset */
    slot = open_slot(connections, beginning->with_syn ? &beginning->syn : segment, beginning->former);
    if (!slot)
        return NULL;
    segment->segment.side = (uint8_t)tcp_connections_side_of(slot, segment);
    if (beginning->with_syn) {
        beginning->syn.segment.side = (uint8_t)tcp_connections_side_of(slot, &beginning->syn);
        tcp_connections_feed(connections, slot, &beginning->syn.segment);
    }
    return slot;
}

/* The source port selects the side, so the two ends are compared only once. False also if both sides have this port. */
static bool tcp_connections_is_of(const struct slot *slot, const struct addressed_segment *segment, unsigned *side)
{
    const struct endpoint *ends = slot->connection.endpoint;

    *side = ends[0].port != segment->source.port;
    return same_endpoint(&ends[*side], &segment->source) && same_endpoint(&ends[*side ^ 1u], &segment->destination);
}

static struct slot *tcp_connections_find(const struct connections *connections, const struct addressed_segment *segment,
                                         unsigned *side)
{
    if (connections->latest && tcp_connections_is_of(connections->latest, segment, side))
        return connections->latest;
    struct key key = tcp_connections_key_of(segment);
    uint64_t hash = hash_key(connections, &key);
    struct slot *slot = connections->buckets[hash & (connections->n_buckets - 1)];
    while (slot && (slot->hash != hash || !same_endpoint(&slot->key.low, &key.low) ||
                    !same_endpoint(&slot->key.high, &key.high)))
        slot = slot->chain;
    *side = slot ? tcp_connections_side_of(slot, segment) : 0;
    for (struct slot *at = slot; at; at = at->former)
        connections_unpark(connections, &at->connection);
    return slot;
}

/* Decides before the segment may begin or end a connection. The connection that was established first decides. */
static bool tcp_connections_is_intact(const struct slot *slot, struct addressed_segment *segment)
{
    if (slot->former)
        slot = slot->former;
    if (slot->state == SLOT_TOMBSTONE)
        return true;
    segment->segment.side = (uint8_t)tcp_connections_side_of(slot, segment);
    return tcp_pair_is_intact(slot->connection.tcp, &segment->segment);
}

/* The segment must belong to the slot's connection. */
static bool tcp_connections_is_usual(const struct slot *slot, const struct tcp_segment *segment)
{
    return slot->state == SLOT_OPEN && !slot->former && !slot->pending && !slot->reset &&
           tcp_boundary_is_usual(tcp_pair_facts(slot->connection.tcp, segment->side), segment);
}

/*
 * The slot for a segment in the general case. slot: the slot at the segment's addresses. NULL: the segment belongs to
 * no connection.
 */
static __attribute__((noinline)) struct slot *tcp_connections_place(struct connections *connections, struct slot *slot,
                                                                    struct addressed_segment *segment)
{
    struct beginning beginning = {.with_syn = false};
    bool ignore = false;

    for (struct slot *at = slot; at; at = at->former)
        if (is_quiet(connections, at, segment->segment.frame, segment->segment.time_ns))
            retire_closed(connections, at, segment->segment.time_ns);
    if (slot)
        slot = tcp_connections_settle(connections, slot, segment, &beginning, &ignore);
    if (ignore)
        return NULL;
    return slot ? slot : tcp_connections_begin(connections, segment, &beginning);
}

struct connection *connections_segment(struct connections *connections, struct addressed_segment *segment)
{
    int64_t now = segment->segment.time_ns;

    if (connections->n_closed)
        retire_quiet(connections, segment->segment.frame, now);
    unsigned side;
    struct slot *slot = tcp_connections_find(connections, segment, &side);
    segment->segment.side = (uint8_t)side;
    if (!slot || !tcp_connections_is_usual(slot, &segment->segment)) {
        if (slot && !tcp_connections_is_intact(slot, segment))
            return NULL;
        slot = tcp_connections_place(connections, slot, segment);
    }
    if (!slot)
        return NULL;
    connections->latest = slot->successor ? slot->successor : slot;
    tcp_connections_feed(connections, slot, &segment->segment);
    if (slot->former)
        settle_former(connections, slot, now);
    if (slot->dismissed) {
        tcp_connections_retire(connections, slot, CONNECTION_DISMISSED, now);
        return NULL;
    }
    return &slot->connection;
}

void connection_dismiss(struct connection *connection)
{
    ((struct slot *)connection)->dismissed = true;
}

void connections_each(struct connections *connections, void (*visit)(void *ctx, struct connection *connection),
                      void *ctx)
{
    for (int state = SLOT_OPEN; state <= SLOT_CLOSED; state++)
        for (struct link *l = connections->lists[state].next; l != &connections->lists[state]; l = l->next)
            visit(ctx, &tcp_connections_slot_of(l)->connection);
}

/* ---- room in several tables ---- */

void connections_reach(struct connections *connections, uint32_t frame, int64_t now_ns)
{
    for (struct link *l = connections->lists[SLOT_CLOSED].next, *next; l != &connections->lists[SLOT_CLOSED];
         l = next) {
        next = l->next;
        if (is_quiet(connections, tcp_connections_slot_of(l), frame, now_ns))
            retire_closed(connections, tcp_connections_slot_of(l), now_ns);
    }
}

void connections_kept(struct connections *connections, const struct kept_visit *visit)
{
    for (int state = SLOT_OPEN; state <= SLOT_TOMBSTONE; state++) {
        for (struct link *l = connections->lists[state].next; l != &connections->lists[state]; l = l->next) {
            const struct slot *slot = tcp_connections_slot_of(l);

            if (state == SLOT_TOMBSTONE)
                visit->ended(visit->ctx, slot->connection.end_frame);
            for (unsigned side = 0; state != SLOT_TOMBSTONE && !slot->connection.parked && side < 2; side++)
                if (tcp_pair_held(slot->connection.tcp, side) > 0)
                    visit->held(visit->ctx, tcp_pair_held(slot->connection.tcp, side));
        }
    }
}

/* Stops waiting for missing octets. */
static void stop_waiting(struct connections *connections, struct slot *slot, size_t limit, int64_t now)
{
    bool any = false;

    for (unsigned side = 0; side < 2 && !slot->connection.parked; side++) {
        if (tcp_pair_held(slot->connection.tcp, side) < limit)
            continue;
        tcp_pair_stop_waiting(slot->connection.tcp, side);
        any = true;
    }
    if (!any)
        return;
    know_state(connections, slot);
    if (slot->dismissed)
        tcp_connections_retire(connections, slot, CONNECTION_DISMISSED, now);
}

static void evict(struct connections *connections, struct slot *slot, int64_t now)
{
    if (slot->state == SLOT_OPEN)
        tcp_connections_retire(connections, slot, CONNECTION_EVICTED, now);
    else if (slot->state == SLOT_CLOSED)
        tcp_connections_retire(connections, slot, CONNECTION_CLOSED, slot->connection.end_ns);
    remove_slot(connections, slot);
}

void connections_trim(struct connections *connections, const struct kept_limits *limits, int64_t now_ns)
{
    const uint32_t until[] = {limits->connection, limits->connection, limits->ended};

    for (int state = SLOT_OPEN; state <= SLOT_TOMBSTONE; state++) {
        for (struct link *l = connections->lists[state].next, *next; l != &connections->lists[state]; l = next) {
            next = l->next;
            if (tcp_connections_slot_of(l)->connection.end_frame <= until[state])
                evict(connections, tcp_connections_slot_of(l), now_ns);
            else if (state != SLOT_TOMBSTONE)
                stop_waiting(connections, tcp_connections_slot_of(l), limits->held, now_ns);
        }
    }
}

void connections_park(struct connections *connections, uint32_t until)
{
    for (int state = SLOT_OPEN; state <= SLOT_CLOSED; state++)
        for (struct link *l = connections->lists[state].next; l != &connections->lists[state]; l = l->next)
            if (tcp_connections_slot_of(l)->connection.end_frame <= until)
                connections_park_one(connections, &tcp_connections_slot_of(l)->connection);
}

/* ---- the end ---- */

static int tcp_connections_by_id(const void *a, const void *b)
{
    uint32_t x = (*(struct slot *const *)a)->connection.id, y = (*(struct slot *const *)b)->connection.id;
    return (x > y) - (x < y);
}

void connections_finish(struct connections *connections, int64_t now_ns)
{
    struct slot **live = heap_zeroed(connections->n_slots + 1, sizeof *live), *slot;
    size_t n = 0;
    if (live) {
        for (int state = SLOT_OPEN; state <= SLOT_CLOSED; state++)
            for (struct link *l = connections->lists[state].next; l != &connections->lists[state]; l = l->next)
                live[n++] = tcp_connections_slot_of(l);
        qsort(live, n, sizeof *live, tcp_connections_by_id);
        for (size_t i = 0; i < n; i++)
            tcp_connections_retire(connections, live[i],
                                   live[i]->state == SLOT_CLOSED ? CONNECTION_CLOSED : CONNECTION_CAPTURE, now_ns);
        free(live);
    }
    /* Out of memory for sorting: close the connections in any order. */
    for (int state = SLOT_OPEN; state <= SLOT_CLOSED; state++)
        while ((slot = list_first(&connections->lists[state])))
            tcp_connections_retire(connections, slot, CONNECTION_CAPTURE, now_ns);
}

void connections_free(struct connections *connections)
{
    struct slot *slot;
    if (!connections)
        return;
    for (int state = 0; state < 3; state++)
        while ((slot = list_first(&connections->lists[state])))
            remove_slot(connections, slot);
    free(connections->buckets);
    free(connections);
}
