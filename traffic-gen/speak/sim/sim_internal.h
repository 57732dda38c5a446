/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the simulated transports: events (sim_events.c), the run (sim.c), and a packet's way (sim_path.c). */
#ifndef IWARP_TRAFFIC_SPEAK_SIM_SIM_INTERNAL_H
#define IWARP_TRAFFIC_SPEAK_SIM_SIM_INTERNAL_H

#include "traffic-gen/speak/sim/random.h"
#include "traffic-gen/speak/sim/sim.h"

#include <glib.h>

enum {
    HALF_PATH_NS = 25000,  /* end to tap, tap to end */
    SEGMENT_GAP_NS = 1000, /* between two segments of one sender */
    APPLICATION_NS = 8000, /* from arrival to the answer */
    REORDER_MIN_NS = 30000,
    REORDER_SPAN_NS = 300000,
    LATE_NS = 400000,
};

struct event;

/* A transport. */
struct sim_transport {
    /* Whether an event is obsolete: it is dropped, and does not advance the clock. */
    bool (*is_stale)(const struct event *event);
    void (*run)(const struct event *event);
    void *(*packet_copy)(const void *packet);
    void (*packet_free)(void *packet);
    /* What a connection still waits for at the end, for sim_run()'s message; NULL: nothing. */
    const char *(*waits_for)(const void *connection);
    void (*connection_free)(void *connection);
};

/* Kinds 0 and 1 are for packets, and common to all transports. */
enum event_packet { EVENT_TAP, EVENT_ARRIVE, EVENT_OWN };

struct event {
    int64_t time;
    uint64_t serial;
    unsigned kind; /* enum event_packet, or the transport's own kind from EVENT_OWN on */
    const struct sim_transport *transport;
    void *connection;
    unsigned side; /* of a packet: its sender; else the owner */
    uint64_t generation;
    void *packet; /* owned */
};

struct sim_member {
    const struct sim_transport *transport;
    void *connection; /* owned */
};

struct sim_life {
    bool over;
    GArray *after; /* struct event: starts of connections that begin when this one is over; time: their delay */
};

struct sim {
    struct capture_file *file;
    int64_t now;
    struct random_source random;
    struct sim_trouble trouble;
    GArray *heap; /* struct event, a binary heap by (time, serial) */
    uint64_t serial;
    GArray *members; /* struct sim_member */
    uint8_t *frame, *fragment[2];
    bool write_failed;
};

/* ---- sim_events.c ---- */

void sim_schedule(struct sim *sim, struct event event);
struct event sim_take_first(struct sim *sim);
/* Removes the events of a connection, before the run. */
void sim_unschedule(struct sim *sim, const void *connection);

/* ---- sim.c ---- */

/* Takes ownership of the connection. */
void sim_add(struct sim *sim, const struct sim_transport *transport, void *connection);
void sim_event_free(struct event *event);

/* The connection is over: connections that wait for it begin. */
void sim_life_end(struct sim *sim, struct sim_life *life);
/* Lets the connection begin after that one; start: its event, whose time is the delay. */
void sim_life_after(struct sim *sim, struct sim_life *before, const struct event *start);

/* ---- sim_path.c ---- */

/* The packets of one end that keep their order. */
struct sim_lane {
    int64_t next_departure;
    int64_t at_tap, at_end; /* arrival of the previous packet: jitter keeps the order */
};

/* How a packet travels. */
struct sim_travel {
    bool troubled; /* subject to the network's disturbances */
    bool absent;   /* captured, but never arrives */
};

/*
 * Puts a packet on its way: schedules EVENT_TAP and EVENT_ARRIVE, each with a copy for each arrival. how: deliberate
 * trouble; NULL: none.
 */
void sim_travel(struct sim *sim, struct sim_lane *lane, const struct event *packet, const struct sim_travel *travel,
                const struct sim_how *how);

#endif
