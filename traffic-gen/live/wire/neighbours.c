// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/live/wire/neighbours.h"

#include <glib.h>
#include <string.h>

enum { ASK_MAX = 20 };

static const int64_t again_ns = 500 * 1000000;

void neighbours_init(struct neighbours *neighbours, const struct wire_self *self,
                     void (*send)(void *ctx, const uint8_t *frame, size_t n), void *ctx)
{
    *neighbours = (struct neighbours){.self = self, .send = send, .ctx = ctx};
    neighbours->entries = g_new0(struct neighbour, NEIGHBOURS_MAX);
}

void neighbours_clear(struct neighbours *neighbours)
{
    g_free(neighbours->entries);
}

static struct neighbour *wire_neighbours_find(const struct neighbours *neighbours, const uint8_t *address)
{
    for (unsigned i = 0; i < NEIGHBOURS_MAX; i++) {
        struct neighbour *each = &neighbours->entries[i];

        if (each->state != NEIGHBOUR_NONE && memcmp(each->address, address, sizeof each->address) == 0)
            return each;
    }
    return NULL;
}

/* Replaces the oldest entry. */
static struct neighbour *wire_neighbours_add(struct neighbours *neighbours, const uint8_t *address)
{
    struct neighbour *entry = &neighbours->entries[neighbours->next++ % NEIGHBOURS_MAX];

    entry->state = NEIGHBOUR_ASKED;
    entry->next_ns = 0;
    entry->asked = 0;
    entry->waiting = 0;
    memcpy(entry->address, address, sizeof entry->address);
    return entry;
}

static void wire_neighbours_ask(struct neighbours *neighbours, struct neighbour *entry, int64_t now)
{
    uint8_t frame[WIRE_SMALL_FRAME];

    entry->next_ns = now + again_ns;
    entry->asked++;
    neighbours->send(neighbours->ctx, frame, wire_packet_ask(neighbours->self, entry->address, frame));
}

static void send_to(struct neighbours *neighbours, const struct neighbour *entry, uint8_t *frame, size_t n)
{
    memcpy(frame, entry->mac, WIRE_MAC);
    memcpy(frame + WIRE_MAC, neighbours->self->mac, WIRE_MAC);
    neighbours->send(neighbours->ctx, frame, n);
}

void neighbours_send(struct neighbours *neighbours, const uint8_t *address, uint8_t *frame, size_t n, int64_t now)
{
    struct neighbour *entry = wire_neighbours_find(neighbours, address);

    if (!entry)
        entry = wire_neighbours_add(neighbours, address);
    if (entry->state == NEIGHBOUR_KNOWN) {
        send_to(neighbours, entry, frame, n);
        return;
    }
    if (n <= sizeof entry->frame) {
        memcpy(entry->frame, frame, n);
        entry->waiting = n;
    }
    if (entry->asked > 0 && now < entry->next_ns)
        return;
    if (entry->asked >= ASK_MAX)
        entry->asked = 0;
    wire_neighbours_ask(neighbours, entry, now);
}

void neighbours_learn(struct neighbours *neighbours, const uint8_t *address, const uint8_t *mac, bool has_mac,
                      bool new_too)
{
    struct neighbour *entry = wire_neighbours_find(neighbours, address);

    /* A group's address never belongs to a neighbour. */
    if (!has_mac || mac[0] & 1)
        return;
    if (!entry && new_too)
        entry = wire_neighbours_add(neighbours, address);
    if (!entry)
        return;
    memcpy(entry->mac, mac, WIRE_MAC);
    entry->state = NEIGHBOUR_KNOWN;
    if (entry->waiting > 0)
        send_to(neighbours, entry, entry->frame, entry->waiting);
    entry->waiting = 0;
}

const uint8_t *neighbours_find(const struct neighbours *neighbours, const uint8_t *address)
{
    const struct neighbour *entry = wire_neighbours_find(neighbours, address);

    return entry && entry->state == NEIGHBOUR_KNOWN ? entry->mac : NULL;
}

static bool wire_neighbours_is_asked_for(const struct neighbour *entry)
{
    return entry->state == NEIGHBOUR_ASKED && entry->waiting > 0 && entry->asked < ASK_MAX;
}

void neighbours_tick(struct neighbours *neighbours, int64_t now)
{
    for (unsigned i = 0; i < NEIGHBOURS_MAX; i++) {
        struct neighbour *each = &neighbours->entries[i];

        if (wire_neighbours_is_asked_for(each) && now >= each->next_ns)
            wire_neighbours_ask(neighbours, each, now);
    }
}

int64_t neighbours_due(const struct neighbours *neighbours)
{
    int64_t due = INT64_MAX;

    for (unsigned i = 0; i < NEIGHBOURS_MAX; i++) {
        if (wire_neighbours_is_asked_for(&neighbours->entries[i]))
            due = MIN(due, neighbours->entries[i].next_ns);
    }
    return due;
}
