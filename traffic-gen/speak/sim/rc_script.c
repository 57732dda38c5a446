// SPDX-License-Identifier: GPL-2.0-or-later
/* The script of each side: its actions in turn. */
#include "traffic-gen/speak/sim/rc_internal.h"

void rc_has_arrived(struct rc_connection *connection, unsigned side, unsigned index)
{
    struct rc_end *end = &connection->end[side];

    rc_action(end, index)->arrived = true;
    while (end->arrived < end->script->len && rc_action(end, end->arrived)->arrived)
        end->arrived++;
}

static bool script_gate_open(const struct rc_connection *connection, unsigned side, const struct rc_action *action)
{
    const struct rc_end *end = &connection->end[side];
    bool manages = action->step.kind == RC_REQUEST || action->step.kind == RC_REPLY || action->step.kind == RC_REJECT ||
                   action->step.kind == RC_CAPTURE;

    if (end->gone || end->broken)
        return true;
    if (!connection->started || (!manages && !end->established) ||
        connection->end[!side].arrived < action->how.received)
        return false;
    return (!action->how.acked && (action->step.kind != RC_END || action->step.abrupt)) || rc_all_done(end);
}

/* Whether the action may run now; schedules another check when only time is missing. */
static bool script_is_due(struct rc_connection *connection, unsigned side, struct rc_action *action)
{
    if (!action->gate_open) {
        if (!script_gate_open(connection, side, action))
            return false;
        action->gate_open = true;
        action->ready_at = connection->sim->now + action->how.delay_ns + (action->how.received ? APPLICATION_NS : 0);
        if (action->ready_at > connection->sim->now)
            rc_schedule(connection, (struct event){.time = action->ready_at, .kind = RC_EVENT_SCRIPT, .side = side});
    }
    return connection->sim->now >= action->ready_at || connection->end[side].gone;
}

static void act(struct rc_connection *connection, unsigned side, unsigned index)
{
    struct rc_end *end = &connection->end[side];
    enum rc_kind kind = rc_action(end, index)->step.kind;

    if (kind == RC_CAPTURE) {
        connection->end[0].capture_off = connection->end[1].capture_off = !rc_action(end, index)->step.on;
        rc_has_arrived(connection, side, index);
    } else if (end->gone || (end->broken && kind != RC_END)) {
        rc_has_arrived(connection, side, index); /* left out */
    } else if (kind == RC_SEND || kind == RC_WRITE || kind == RC_READ) {
        rc_post(connection, side, index);
    } else if (kind == RC_ANSWER) {
        rc_answer(connection, side, index);
    } else if (kind == RC_REFUSE) {
        rc_say_nak(connection, side, index);
        rc_has_arrived(connection, side, index);
    } else if (kind == RC_SIGN) {
        rc_say_sign(connection, side);
        rc_has_arrived(connection, side, index);
    } else {
        rc_manage(connection, side, index);
    }
}

void rc_run_script(struct rc_connection *connection, unsigned side)
{
    struct rc_end *end = &connection->end[side];

    while (end->next_action < end->script->len) {
        unsigned index = end->next_action;

        if (!script_is_due(connection, side, rc_action(end, index)))
            return;
        end->next_action++;
        act(connection, side, index);
        /* Actions that arrive at once may open the peer's gates. */
        if (rc_action(end, index)->arrived)
            rc_schedule(connection,
                        (struct event){.time = connection->sim->now, .kind = RC_EVENT_SCRIPT, .side = !side});
    }
}
