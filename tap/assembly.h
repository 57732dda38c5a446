/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assembles the blocks of tap/event.h: Sends, segments, the client's chunks. Items with missing blocks are dropped and
 * reported. Octets recorded across a loss are not trusted. Memory: the oldest are dropped when ASSEMBLY_MAX newer items
 * are incomplete or ASSEMBLY_OCTETS_MAX octets are kept.
 */
#ifndef IWARP_TAP_ASSEMBLY_H
#define IWARP_TAP_ASSEMBLY_H

#include "tap/event.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { ASSEMBLY_MAX = 4096, ASSEMBLY_OCTETS_MAX = 64 << 20 };

/* A whole item: `length` octets, of which the first octets->len are known. */
struct whole {
    struct tap_event event; /* its first record, or its head */
    GByteArray *octets;     /* owned */
    uint64_t length;
};

struct assembly;

/* An item was dropped; event: what is known of it. Must not call the functions below. */
typedef void assembly_missed_fn(void *ctx, const struct tap_event *event);

struct assembly *assembly_new(assembly_missed_fn *missed, void *ctx);
void assembly_free(struct assembly *assembly);

/*
 * Adds a block of a kind from TAP_HEAD on; returns the item that it completes, to be freed with whole_free(); or NULL.
 */
struct whole *assembly_add(struct assembly *assembly, const struct tap_event *event, const uint8_t *octets);
/* Takes what has come of this kind so far, complete or not; NULL: nothing. */
struct whole *assembly_take(struct assembly *assembly, uint64_t connection, uint64_t of, enum tap_kind kind);
/* Whether blocks of an item are missing that this connection began until then: they come at once, or are lost. */
bool assembly_awaits(const struct assembly *assembly, uint64_t connection, uint64_t time_ns);
/* Drops these items. */
void assembly_give_up(struct assembly *assembly, uint64_t connection, uint64_t time_ns);
/* Drops everything that this connection began until then. */
void assembly_forget(struct assembly *assembly, uint64_t connection, uint64_t time_ns);
/* Drops everything. */
void assembly_end(struct assembly *assembly);
/* Records are lost, as the caller knows: items that are incomplete now are not reported when they are dropped. */
void assembly_note_loss(struct assembly *assembly);

/* An item that is one record. */
struct whole *whole_of(const struct tap_event *event, const uint8_t *octets);
void whole_free(struct whole *whole);

#endif
