// SPDX-License-Identifier: GPL-2.0-or-later
/* The life of a simulated reliable connection, and the functions for scripts. */
#include "traffic-gen/speak/sim/rc_internal.h"

enum { MTU_MIN = 256, MTU_MAX = 4096, HEADERS = IB_GRH_LEN + 8 + IB_BTH_LEN + IB_RETH_LEN + IB_ICRC_LEN };

unsigned rc_path_mtu(unsigned mtu)
{
    for (unsigned path = MTU_MAX; path >= MTU_MIN; path /= 2) {
        if (path + HEADERS <= mtu)
            return path;
    }
    return 0;
}

void rc_schedule(struct rc_connection *connection, struct event event)
{
    event.transport = &rc_transport;
    event.connection = connection;
    sim_schedule(connection->sim, event);
}

struct rc_connection *rc_connect(struct sim *sim, const struct rc_options *options)
{
    struct rc_connection *connection = g_new0(struct rc_connection, 1);

    connection->sim = sim;
    connection->options = *options;
    connection->life.after = g_array_new(FALSE, FALSE, sizeof(struct event));
    connection->transaction = UINT64_C(0x100000000) * options->qp[0] + options->path.port[0];
    for (unsigned side = 0; side < 2; side++) {
        struct rc_end *end = &connection->end[side];

        end->script = g_array_new(FALSE, TRUE, sizeof(struct rc_action));
        end->requests = g_array_new(FALSE, TRUE, sizeof(struct rc_request));
        end->served = g_array_new(FALSE, TRUE, sizeof(struct rc_served));
        end->ip_id = (uint16_t)(options->psn[side] >> 8 | 1);
        end->mad_psn = options->psn[side] >> 16;
        connection->id[side] = (options->qp[side] + side + 1) * 0x9E3779B1u;
    }
    sim_add(sim, &rc_transport, connection);
    rc_schedule(connection, (struct event){.time = sim->now + options->delay_ns, .kind = RC_EVENT_START});
    return connection;
}

void rc_connect_after(struct rc_connection *connection, struct sim_life *before)
{
    sim_life_after(connection->sim, before,
                   &(struct event){.time = connection->options.delay_ns,
                                   .kind = RC_EVENT_START,
                                   .transport = &rc_transport,
                                   .connection = connection});
}

struct sim_life *rc_life(struct rc_connection *connection)
{
    return &connection->life;
}

void rc_finish_if_over(struct rc_connection *connection)
{
    if (!connection->life.over && connection->end[0].gone && connection->end[1].gone)
        sim_life_end(connection->sim, &connection->life);
}

const char *rc_waits_for(const void *p)
{
    const struct rc_connection *connection = p;

    for (unsigned side = 0; side < 2; side++) {
        const struct rc_end *end = &connection->end[side];

        if (end->next_action < end->script->len)
            return side == 0 ? "the connecting side waits for something that never comes"
                             : "the accepting side waits for something that never comes";
    }
    return NULL;
}

void rc_free(void *p)
{
    struct rc_connection *connection = p;

    for (unsigned side = 0; side < 2; side++) {
        struct rc_end *end = &connection->end[side];

        for (unsigned i = 0; i < end->script->len; i++)
            g_free((void *)rc_action(end, i)->step.p);
        for (unsigned i = 0; i < end->served->len; i++)
            g_free(g_array_index(end->served, struct rc_served, i).octets);
        g_array_unref(end->script);
        g_array_unref(end->requests);
        g_array_unref(end->served);
    }
    g_array_unref(connection->life.after);
    g_free(connection);
}

/* ---- scripting ---- */

uint64_t rc_all_of_peer(const struct rc_connection *connection, unsigned side)
{
    return connection->end[!side].script->len;
}

void rc_say(struct rc_connection *connection, unsigned side, const struct rc_step *step, const struct sim_how *how)
{
    struct rc_action action = {.step = *step};

    if (how)
        action.how = *how;
    connection->end[!side].no_retries |= step->not_ready;
    action.step.p = g_memdup2(step->p, step->n);
    g_array_append_val(connection->end[side].script, action);
}

bool rc_refuse(struct rc_connection *connection, unsigned side, enum rc_kind kind)
{
    struct rc_end *peer = &connection->end[!side];

    for (unsigned i = peer->script->len; i-- > 0;) {
        struct rc_action *action = rc_action(peer, i);

        if (action->step.kind == kind) {
            action->refused = true;
            return true;
        }
    }
    return false;
}

bool rc_peer_has_sent(const struct rc_connection *connection, unsigned side)
{
    const GArray *script = connection->end[!side].script;

    return script->len > 0 && g_array_index(script, struct rc_action, script->len - 1).step.kind == RC_SEND;
}
