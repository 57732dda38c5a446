// SPDX-License-Identifier: GPL-2.0-or-later
/* The rounds of `work`. */
#include "traffic-gen/scenario/scenario_work.h"

#include <string.h>

enum { DEPTH_MAX = 16, CONNECTIONS_MAX = 1000 };

static const char round_allowed[] = "initiator, responder (both at the same time), wait, repeat with work, "
                                    "next connection, parallel connection";

/* What is read, and how far. */
struct making {
    struct reading *r;
    struct work *work;
    const struct work_connection *base; /* what `connection` says */
};

static struct work_connection *work_current(const struct work *work)
{
    return &g_array_index(work->connections, struct work_connection, work->connections->len - 1);
}

/* ---- one round ---- */

struct round_making {
    struct making *making;
    struct work_round round;
    bool read[2];
};

static bool read_round_value(struct reading *r, void *context, const yaml_node_t *key, const char *name,
                             const yaml_node_t *value)
{
    struct round_making *m = context;
    struct work *work = m->making->work;
    const bool nfs = work_current(work)->nfs.on;
    enum role role;
    uint64_t wait;

    if (nfs && node_is(key, "wait"))
        return complain(r, key, NULL, "nobody waits on a connection of `nfs`");
    if (node_is(key, "wait")) {
        if (!read_time(r, value, &wait))
            return false;
        m->round.wait_ns = (int64_t)wait * 1000000;
        return true;
    }
    if (!node_is_side(key, &role))
        return complain(r, key, round_allowed, "'%s' is nothing that happens", name);
    if (m->read[role])
        return complain(r, key, NULL, "this side is here twice");
    m->read[role] = true;
    m->round.from[role] = work->items[role]->len;
    if (nfs ? !read_work_jobs(r, work, role, value) : !read_work_actions(r, work, role, value))
        return false;
    m->round.n[role] = work->items[role]->len - m->round.from[role];
    return true;
}

static bool read_round(struct making *m, const yaml_node_t *node)
{
    struct round_making round = {.making = m};

    if (!read_mapping(m->r, node, round_allowed, read_round_value, &round))
        return false;
    g_array_append_val(m->work->rounds, round.round);
    work_current(m->work)->n_rounds++;
    return true;
}

/* ---- connections ---- */

static bool begin_connection(struct making *m, const yaml_node_t *node, const yaml_node_t *settings, bool parallel)
{
    struct work_connection connection = *m->base;

    if (m->work->connections->len >= CONNECTIONS_MAX)
        return complain(m->r, node, NULL, "more than %d connections", CONNECTIONS_MAX);
    if (settings && !read_work_connection(m->r, m->work, settings, &connection))
        return false;
    connection.parallel = parallel;
    connection.round = m->work->rounds->len;
    g_array_append_val(m->work->connections, connection);
    return true;
}

/* ---- repetitions ---- */

static bool read_rounds(struct making *m, const yaml_node_t *node, unsigned depth);

/* The items of a round are there once; rounds refer to them. */
static bool read_repeated_rounds(struct making *m, const yaml_node_t *node, unsigned depth)
{
    struct reading *r = m->r;
    struct repetition repetition = {0};
    unsigned first = m->work->rounds->len, connections = m->work->connections->len, steps = r->steps;
    uint64_t octets = r->octets, n;

    if (!read_repetition(r, node, &repetition) || !read_rounds(m, repetition.list, depth + 1))
        return false;
    if (m->work->connections->len != connections)
        return complain(r, node, NULL, "a connection cannot begin in a repetition");
    n = m->work->rounds->len - first;
    if (!repeat_octets(r, node, octets, repetition.times) ||
        !count_steps(r, node, (r->steps - steps) * (repetition.times - 1)))
        return false;
    for (uint64_t i = 1; i < repetition.times; i++) {
        for (unsigned k = 0; k < n; k++) {
            /* By value: the array moves as it grows. */
            struct work_round round = g_array_index(m->work->rounds, struct work_round, first + k);

            g_array_append_val(m->work->rounds, round);
        }
    }
    work_current(m->work)->n_rounds += (unsigned)(n * (repetition.times - 1));
    return true;
}

/* ---- all of it ---- */

static bool read_entry(struct making *m, const yaml_node_t *node, unsigned depth)
{
    const yaml_node_pair_t *pair;
    bool parallel;

    if (node_is_connection(node, &parallel))
        return begin_connection(m, node, NULL, parallel);
    if (!node || node->type != YAML_MAPPING_NODE || node->data.mapping.pairs.top == node->data.mapping.pairs.start)
        return complain(m->r, node, round_allowed, "this is nothing that happens");
    pair = node->data.mapping.pairs.start;
    if (node->data.mapping.pairs.top - pair == 1 && node_is_connection(node_at(m->r, pair->key), &parallel))
        return begin_connection(m, node, node_at(m->r, pair->value), parallel);
    return node_is_repetition(m->r, node) ? read_repeated_rounds(m, node, depth) : read_round(m, node);
}

static bool read_rounds(struct making *m, const yaml_node_t *node, unsigned depth)
{
    if (!is_list(node))
        return complain(m->r, node, "lines that begin with '- '", "a list was expected");
    if (depth > DEPTH_MAX)
        return complain(m->r, node, NULL, "repetitions lie more than %d deep in one another", DEPTH_MAX);
    for (unsigned i = 0; i < list_length(node); i++) {
        if (!count_steps(m->r, node, 1) || !read_entry(m, list_entry(m->r, node, i), depth))
            return false;
    }
    return true;
}

bool read_work(struct reading *r, struct work *work, const yaml_node_t *connection, const yaml_node_t *memory,
               const yaml_node_t *rounds)
{
    struct work_connection base;
    struct making m = {.r = r, .work = work, .base = &base};

    work_connection_init(&base);
    return (!connection || read_work_connection(r, work, connection, &base)) &&
           (!memory || read_work_memory(r, work, memory)) && begin_connection(&m, rounds, NULL, false) &&
           read_rounds(&m, rounds, 0);
}
