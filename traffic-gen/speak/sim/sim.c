// SPDX-License-Identifier: GPL-2.0-or-later
/* The simulated network: its life cycle and its run. */
#include "traffic-gen/speak/sim/sim_internal.h"

#include "support/frames/frame.h"

struct sim *sim_new(struct capture_file *file, int64_t start_ns, uint64_t seed, const struct sim_trouble *trouble)
{
    struct sim *sim = g_new0(struct sim, 1);

    sim->file = file;
    sim->now = start_ns;
    sim->random.state = seed;
    if (trouble)
        sim->trouble = *trouble;
    sim->heap = g_array_new(FALSE, FALSE, sizeof(struct event));
    sim->members = g_array_new(FALSE, FALSE, sizeof(struct sim_member));
    sim->frame = g_malloc(FRAME_MAX);
    sim->fragment[0] = g_malloc(FRAME_MAX);
    sim->fragment[1] = g_malloc(FRAME_MAX);
    return sim;
}

void sim_event_free(struct event *event)
{
    if (event->packet)
        event->transport->packet_free(event->packet);
}

void sim_free(struct sim *sim)
{
    for (unsigned i = 0; i < sim->heap->len; i++)
        sim_event_free(&g_array_index(sim->heap, struct event, i));
    for (unsigned i = 0; i < sim->members->len; i++) {
        const struct sim_member *member = &g_array_index(sim->members, struct sim_member, i);

        member->transport->connection_free(member->connection);
    }
    g_array_unref(sim->heap);
    g_array_unref(sim->members);
    g_free(sim->frame);
    g_free(sim->fragment[0]);
    g_free(sim->fragment[1]);
    g_free(sim);
}

int64_t sim_now(const struct sim *sim)
{
    return sim->now;
}

void sim_add(struct sim *sim, const struct sim_transport *transport, void *connection)
{
    const struct sim_member member = {transport, connection};

    g_array_append_val(sim->members, member);
}

void sim_life_after(struct sim *sim, struct sim_life *before, const struct event *start)
{
    sim_unschedule(sim, start->connection); /* its start */
    g_array_append_val(before->after, *start);
}

void sim_life_end(struct sim *sim, struct sim_life *life)
{
    life->over = true;
    for (unsigned i = 0; i < life->after->len; i++) {
        struct event start = g_array_index(life->after, struct event, i);

        start.time += sim->now + LATE_NS;
        sim_schedule(sim, start);
    }
}

bool sim_run(struct sim *sim, const char **why)
{
    while (sim->heap->len && !sim->write_failed) {
        struct event event = sim_take_first(sim);

        if (!event.transport->is_stale(&event)) {
            sim->now = event.time;
            event.transport->run(&event);
        }
        sim_event_free(&event);
    }
    if (sim->write_failed) {
        *why = "cannot write the capture file";
        return false;
    }
    for (unsigned i = 0; i < sim->members->len; i++) {
        const struct sim_member *member = &g_array_index(sim->members, struct sim_member, i);

        *why = member->transport->waits_for(member->connection);
        if (*why)
            return false;
    }
    return true;
}
