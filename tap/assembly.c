// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap/assembly.h"

#include <string.h>

struct key {
    uint64_t connection, of;
    uint32_t kind;
};

/* A posted Send has two parts, each with its own blocks; other items have one. */
enum { PART_HEAD, PART_BODY, PARTS };

struct pieces {
    GList link; /* in assembly->oldest; data: this struct */
    GList open; /* in assembly->open, with the same data; data NULL: it is not there */
    struct key key;
    struct tap_event event;
    uint64_t losses; /* assembly->losses when it began; 0: its first block is lost */
    bool headed;     /* event is from the first block, or from the head */
    GByteArray *octets[PARTS];
    uint64_t length[PARTS];
};

struct assembly {
    GHashTable *table; /* struct key: struct pieces */
    GQueue oldest;     /* in the order of their first blocks */
    GQueue open;       /* those that are complete in a moment, or never */
    uint64_t octets, losses;
    assembly_missed_fn *missed;
    void *ctx;
};

static guint assembly_hash(gconstpointer p)
{
    const struct key *key = p;
    uint64_t h = (key->connection ^ key->of * UINT64_C(0x9E3779B97F4A7C15) ^ key->kind) * UINT64_C(0xD6E8FEB86659FD93);

    return (guint)(h ^ h >> 32);
}

static gboolean assembly_same(gconstpointer a, gconstpointer b)
{
    const struct key *first = a, *second = b;

    return first->connection == second->connection && first->of == second->of && first->kind == second->kind;
}

struct assembly *assembly_new(assembly_missed_fn *missed, void *ctx)
{
    struct assembly *assembly = g_new0(struct assembly, 1);

    assembly->table = g_hash_table_new(assembly_hash, assembly_same);
    assembly->losses = 1;
    assembly->missed = missed;
    assembly->ctx = ctx;
    return assembly;
}

static void pieces_close(struct assembly *assembly, struct pieces *pieces)
{
    if (!pieces->open.data)
        return;
    g_queue_unlink(&assembly->open, &pieces->open);
    pieces->open.data = NULL;
}

static void pieces_remove(struct assembly *assembly, struct pieces *pieces)
{
    g_hash_table_remove(assembly->table, &pieces->key);
    g_queue_unlink(&assembly->oldest, &pieces->link);
    pieces_close(assembly, pieces);
    for (unsigned part = 0; part < PARTS; part++) {
        assembly->octets -= pieces->octets[part] ? pieces->octets[part]->len : 0;
        g_clear_pointer(&pieces->octets[part], g_byte_array_unref);
    }
    g_free(pieces);
}

void assembly_free(struct assembly *assembly)
{
    while (assembly->oldest.head)
        pieces_remove(assembly, assembly->oldest.head->data);
    g_hash_table_unref(assembly->table);
    g_free(assembly);
}

static struct key key_of(const struct tap_event *event)
{
    return (struct key){event->connection, event->of, event->kind == TAP_BODY ? (uint32_t)TAP_HEAD : event->kind};
}

static struct pieces *pieces_find(const struct assembly *assembly, const struct tap_event *event)
{
    const struct key key = key_of(event);

    return g_hash_table_lookup(assembly->table, &key);
}

static struct pieces *pieces_new(struct assembly *assembly, const struct tap_event *event)
{
    struct pieces *pieces = g_new0(struct pieces, 1);

    pieces->link.data = pieces;
    pieces->key = key_of(event);
    pieces->event = *event;
    pieces->losses = assembly->losses;
    for (unsigned part = 0; part < PARTS; part++)
        pieces->octets[part] = g_byte_array_new();
    g_hash_table_insert(assembly->table, &pieces->key, pieces);
    g_queue_push_tail_link(&assembly->oldest, &pieces->link);
    return pieces;
}

/* After cut octets, the rest of the same part is no longer contiguous. */
static void pieces_append(struct assembly *assembly, struct pieces *pieces, unsigned part, const uint8_t *p, uint32_t n,
                          uint32_t length)
{
    if (pieces->octets[part]->len == pieces->length[part]) {
        g_byte_array_append(pieces->octets[part], p, n);
        assembly->octets += n;
    }
    pieces->length[part] += length;
}

/* Removes octets at the beginning: the rest of a Send that was prepared, but never posted. */
static void drop_stale(struct assembly *assembly, struct pieces *pieces, uint64_t n)
{
    GByteArray *body = pieces->octets[PART_BODY];
    guint there = (guint)MIN(n, body->len);

    if (n == 0)
        return;
    g_byte_array_remove_range(body, 0, there);
    assembly->octets -= there;
    pieces->length[PART_BODY] -= n;
}

static void pieces_clear_octets(struct assembly *assembly, struct pieces *pieces, unsigned part)
{
    assembly->octets -= pieces->octets[part]->len;
    g_byte_array_set_size(pieces->octets[part], 0);
}

static void pieces_clear(struct assembly *assembly, struct pieces *pieces, unsigned part)
{
    pieces_clear_octets(assembly, pieces, part);
    pieces->length[part] = 0;
}

/* Blocks of the previous item with this key are missing. */
static void pieces_restart(struct assembly *assembly, struct pieces *pieces, const struct tap_event *event)
{
    assembly->missed(assembly->ctx, &pieces->event);
    pieces_clear(assembly, pieces, PART_HEAD);
    pieces_clear(assembly, pieces, PART_BODY);
    pieces_close(assembly, pieces);
    pieces->headed = false;
    pieces->event = *event;
    pieces->losses = assembly->losses;
}

static bool has_total(uint32_t kind)
{
    return kind != TAP_READ_OCTETS && kind != TAP_EXPOSED && kind != TAP_WRITTEN;
}

static struct whole *pieces_join(struct assembly *assembly, struct pieces *pieces)
{
    struct whole *whole = g_new0(struct whole, 1);
    GByteArray *head = pieces->octets[PART_HEAD], *body = pieces->octets[PART_BODY];

    whole->event = pieces->event;
    whole->length = pieces->length[PART_HEAD] + pieces->length[PART_BODY];
    if (!has_total(pieces->key.kind) && pieces->losses != assembly->losses)
        pieces_clear_octets(assembly, pieces, PART_HEAD); /* nobody knows where they belong */
    whole->octets = g_byte_array_ref(head);
    assembly->octets -= head->len; /* given away; octets appended now were counted as part of the body */
    if (head->len == pieces->length[PART_HEAD])
        g_byte_array_append(head, body->data, body->len);
    g_clear_pointer(&pieces->octets[PART_HEAD], g_byte_array_unref);
    pieces_remove(assembly, pieces);
    return whole;
}

/*
 * All blocks of an item come from one run of a program; the head of a server's Send comes after its body. If records
 * were lost since the body began, the body may be another Send's.
 */
static void pieces_begin(struct assembly *assembly, struct pieces *pieces, const struct tap_event *event)
{
    if (pieces->losses != assembly->losses)
        pieces_clear(assembly, pieces, PART_BODY);
    pieces->event = *event;
    pieces->headed = true;
    pieces->losses = event->first ? assembly->losses : 0;
    if (event->kind == TAP_EXPOSED || event->kind == TAP_WRITTEN)
        return;
    pieces->open.data = pieces;
    g_queue_push_tail_link(&assembly->open, &pieces->open);
}

static bool pieces_are_whole(struct assembly *assembly, struct pieces *pieces, const struct tap_event *latest)
{
    uint64_t head = pieces->length[PART_HEAD], body = pieces->length[PART_BODY], total = pieces->event.total;

    switch ((enum tap_kind)pieces->key.kind) {
    case TAP_EXPOSED: /* taken on demand */
    case TAP_WRITTEN:
        return false;
    case TAP_READ_OCTETS:
        return latest->length == 0;
    case TAP_HEAD:
        if (!pieces->headed || pieces->losses == 0 || head + body < total)
            return false;
        drop_stale(assembly, pieces, MIN(head + body - total, body));
        return true;
    default:
        return pieces->losses != 0 && head >= total;
    }
}

static void assembly_make_room(struct assembly *assembly)
{
    while (assembly->oldest.length > ASSEMBLY_MAX || assembly->octets > ASSEMBLY_OCTETS_MAX) {
        struct pieces *pieces = assembly->oldest.head->data;

        assembly->missed(assembly->ctx, &pieces->event);
        pieces_remove(assembly, pieces);
    }
}

struct whole *whole_of(const struct tap_event *event, const uint8_t *octets)
{
    struct whole *whole = g_new(struct whole, 1);

    *whole = (struct whole){*event, g_byte_array_append(g_byte_array_new(), octets, event->n), event->length};
    return whole;
}

/* Most items are one record: nothing of them has to wait. */
static bool is_alone(const struct assembly *assembly, const struct tap_event *event)
{
    return event->first && event->length >= event->total &&
           (event->kind == TAP_HEAD || event->kind == TAP_RECEIVED || event->kind == TAP_WRITE) &&
           !pieces_find(assembly, event);
}

/*
 * Whether the block begins another item than the one with its key. A body comes before the head of a server's Send, and
 * after that of a client's.
 */
static bool is_next_item(const struct pieces *pieces, const struct tap_event *event)
{
    return pieces->headed && (event->kind == TAP_BODY ? event->server : event->first);
}

struct whole *assembly_add(struct assembly *assembly, const struct tap_event *event, const uint8_t *octets)
{
    struct pieces *pieces;

    if (is_alone(assembly, event))
        return whole_of(event, octets);
    pieces = pieces_find(assembly, event);
    if (!pieces && event->kind == TAP_BODY && !event->server) /* its head is lost */
        return NULL;
    if (!pieces)
        pieces = pieces_new(assembly, event);
    if (is_next_item(pieces, event))
        pieces_restart(assembly, pieces, event);
    if (event->kind != TAP_BODY && !pieces->headed)
        pieces_begin(assembly, pieces, event);
    pieces_append(assembly, pieces, event->kind == TAP_BODY ? PART_BODY : PART_HEAD, octets,
                  MIN(event->n, event->length), event->length);
    if (pieces_are_whole(assembly, pieces, event))
        return pieces_join(assembly, pieces);
    assembly_make_room(assembly);
    return NULL;
}

struct whole *assembly_take(struct assembly *assembly, uint64_t connection, uint64_t of, enum tap_kind kind)
{
    const struct key key = {connection, of, kind};
    struct pieces *pieces = g_hash_table_lookup(assembly->table, &key);

    return pieces ? pieces_join(assembly, pieces) : NULL;
}

static bool is_before(const struct pieces *pieces, uint64_t connection, uint64_t time_ns)
{
    return pieces->key.connection == connection && pieces->event.time_ns <= time_ns;
}

bool assembly_awaits(const struct assembly *assembly, uint64_t connection, uint64_t time_ns)
{
    for (const GList *link = assembly->open.head; link; link = link->next)
        if (is_before(link->data, connection, time_ns))
            return true;
    return false;
}

static void forget_pieces(struct assembly *assembly, struct pieces *pieces)
{
    if (pieces->open.data && pieces->losses == assembly->losses)
        assembly->missed(assembly->ctx, &pieces->event);
    pieces_remove(assembly, pieces);
}

static void forget_in(struct assembly *assembly, const GQueue *queue, uint64_t connection, uint64_t time_ns)
{
    for (GList *link = queue->head, *next; link; link = next) {
        struct pieces *pieces = link->data;

        next = link->next;
        if (is_before(pieces, connection, time_ns))
            forget_pieces(assembly, pieces);
    }
}

void assembly_give_up(struct assembly *assembly, uint64_t connection, uint64_t time_ns)
{
    forget_in(assembly, &assembly->open, connection, time_ns);
}

void assembly_forget(struct assembly *assembly, uint64_t connection, uint64_t time_ns)
{
    forget_in(assembly, &assembly->oldest, connection, time_ns);
}

void assembly_end(struct assembly *assembly)
{
    while (assembly->oldest.head)
        forget_pieces(assembly, assembly->oldest.head->data);
}

void assembly_note_loss(struct assembly *assembly)
{
    assembly->losses++;
}

void whole_free(struct whole *whole)
{
    if (!whole)
        return;
    g_byte_array_unref(whole->octets);
    g_free(whole);
}
