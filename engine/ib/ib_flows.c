// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of flows, and of the IDs that connection management uses. */
#include "engine/ib/ib_connections_internal.h"

#include "engine/core/hash.h"
#include "engine/core/heap.h"
#include "wire/invariant.h"

#include <stdlib.h>

static bool flows_same_key(const struct key *a, const struct key *b)
{
    return a->qp == b->qp && ib_same_address(&a->from, &b->from) && ib_same_address(&a->to, &b->to);
}

static uint64_t flows_hash(uint64_t h, const struct ib_address *address)
{
    return hash_octets(h, address->octets, sizeof address->octets);
}

static size_t flows_bucket(const struct ib_connections *connections, uint64_t h, uint32_t number)
{
    h = (h ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(h ^ h >> 29) & (connections->n_buckets - 1);
}

static struct flow **flow_bucket(const struct ib_connections *connections, const struct key *key)
{
    uint64_t h = flows_hash(flows_hash(0, &key->from), &key->to);

    return &connections->buckets[flows_bucket(connections, h, key->qp)];
}

static struct id **id_bucket(const struct ib_connections *connections, const struct ib_address *address, uint32_t value)
{
    return &connections->ids[flows_bucket(connections, flows_hash(0, address), value)];
}

struct flow *ib_flow_find(const struct ib_connections *connections, const struct key *key)
{
    struct flow *flow = *flow_bucket(connections, key);

    while (flow && !flows_same_key(&flow->key, key))
        flow = flow->chain;
    return flow;
}

/* The end with the ID `value` at `address`. */
const struct id *ib_id_find(const struct ib_connections *connections, const struct ib_address *address, uint32_t value)
{
    const struct id *id = *id_bucket(connections, address, value);

    while (id && (id->value != value || !ib_same_address(&id->pair->connection.address[id->side], address)))
        id = id->chain;
    return id;
}

void ib_id_add(struct ib_connections *connections, struct pair *pair, unsigned side, uint32_t value)
{
    struct id *id = &pair->id[side], **first = id_bucket(connections, &pair->connection.address[side], value);
    INVARIANT(!id->pair); /* each end has one ID */

    *id = (struct id){*first, pair, side, value};
    *first = id;
    INVARIANT(ib_id_find(connections, &pair->connection.address[side], value) == id);
    connections->n_ids++;
}

void ib_id_remove(struct ib_connections *connections, struct id *id)
{
    struct id **link;

    if (!id->pair)
        return;
    link = id_bucket(connections, &id->pair->connection.address[id->side], id->value);
    while (*link != id)
        link = &(*link)->chain;
    *link = id->chain;
    INVARIANT(connections->n_ids > 0);
    connections->n_ids--;
}

static bool early_is_sound(const struct flow *flow)
{
    return (flow->first == NULL) == (flow->octets == 0) && (flow->first == NULL) == (flow->last == &flow->first);
}

static void put_flow(struct ib_connections *connections, struct flow *flow)
{
    struct flow **first = flow_bucket(connections, &flow->key);

    flow->chain = *first;
    *first = flow;
}

static void flows_grow(struct ib_connections *connections)
{
    size_t old = connections->n_buckets;
    struct flow **flows = connections->buckets;
    struct id **ids = connections->ids;

    connections->buckets = heap_zeroed(2 * old, sizeof *flows);
    connections->ids = heap_zeroed(2 * old, sizeof *ids);
    if (!connections->buckets || !connections->ids) { /* the chains stay long */
        free(connections->buckets);
        free(connections->ids);
        connections->buckets = flows;
        connections->ids = ids;
        return;
    }
    connections->n_buckets = 2 * old;
    INVARIANT((connections->n_buckets & (connections->n_buckets - 1)) == 0);
    for (size_t i = 0; i < old; i++) {
        for (struct flow *flow = flows[i], *next; flow; flow = next) {
            next = flow->chain;
            put_flow(connections, flow);
        }
        for (struct id *id = ids[i], *next; id; id = next) {
            struct id **first = id_bucket(connections, &id->pair->connection.address[id->side], id->value);

            next = id->chain;
            id->chain = *first;
            *first = id;
        }
    }
    free(flows);
    free(ids);
}

struct flow *ib_flow_add(struct ib_connections *connections, const struct key *key)
{
    struct flow *flow = heap_zeroed(1, sizeof *flow);

    if (!flow)
        return NULL;
    INVARIANT(!ib_flow_find(connections, key)); /* keys are unique */
    if (connections->n_flows >= connections->n_buckets || connections->n_ids >= connections->n_buckets)
        flows_grow(connections);
    flow->key = *key;
    flow->last = &flow->first;
    put_flow(connections, flow);
    connections->n_flows++;
    INVARIANT(ib_flow_find(connections, key) == flow && early_is_sound(flow));
    return flow;
}

void ib_early_free(struct flow *flow)
{
    for (struct early *early = flow->first, *next; early; early = next) {
        next = early->next;
        free(early);
    }
    flow->first = NULL;
    flow->last = &flow->first;
    flow->octets = 0;
}

void ib_flow_remove(struct ib_connections *connections, struct flow *flow)
{
    struct flow **link = flow_bucket(connections, &flow->key);

    INVARIANT(!flow->rival && !flow->older && !flow->newer);
    INVARIANT(connections->n_flows > 0);
    while (*link != flow)
        link = &(*link)->chain;
    *link = flow->chain;
    connections->n_flows--;
    ib_early_free(flow);
    free(flow);
}

unsigned ib_connections_share(const struct ib_address *source, const struct ib_address *destination, unsigned n)
{
    uint64_t h = flows_hash(hash_seed, source) + flows_hash(hash_seed, destination);

    return (unsigned)((h ^ h >> 32) % n);
}
