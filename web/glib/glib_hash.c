// SPDX-License-Identifier: GPL-2.0-or-later
#include "web/glib/glib_sort.h"

#include <glib.h>

#include <string.h>

enum { TABLE_MIN = 16 };

struct hash_entry {
    gpointer key, value;
    guint hash;
    struct hash_entry *next;
};

struct _GHashTable {
    struct hash_entry **chains;
    guint n_chains, n; /* n_chains is a power of two */
    GHashFunc hash;
    GEqualFunc equal;
    GDestroyNotify clear_key, clear_value;
};

guint g_str_hash(gconstpointer text)
{
    guint hash = 5381;

    for (const guchar *p = text; *p; p++)
        hash = hash * 33 + *p;
    return hash;
}

gboolean(g_str_equal)(gconstpointer a, gconstpointer b)
{
    return strcmp(a, b) == 0;
}

guint g_direct_hash(gconstpointer pointer)
{
    return GPOINTER_TO_UINT(pointer);
}

GHashTable *g_hash_table_new_full(GHashFunc hash, GEqualFunc equal, GDestroyNotify clear_key,
                                  GDestroyNotify clear_value)
{
    GHashTable *table = g_new0(GHashTable, 1);

    *table = (GHashTable){.n_chains = TABLE_MIN, .hash = hash ? hash : g_direct_hash, .equal = equal};
    table->clear_key = clear_key;
    table->clear_value = clear_value;
    table->chains = g_new0(struct hash_entry *, TABLE_MIN);
    return table;
}

GHashTable *g_hash_table_new(GHashFunc hash, GEqualFunc equal)
{
    return g_hash_table_new_full(hash, equal, NULL, NULL);
}

/* The place of the pointer to the key's entry, or the place for a new one. */
static struct hash_entry **entry_of(GHashTable *table, gconstpointer key)
{
    guint hash = table->hash(key) * 0x9E3779B1u;
    struct hash_entry **entry = &table->chains[(hash >> 8) & (table->n_chains - 1)];

    while (*entry &&
           !((*entry)->hash == hash && (table->equal ? table->equal((*entry)->key, key) : (*entry)->key == key)))
        entry = &(*entry)->next;
    return entry;
}

static void hash_grow(GHashTable *table)
{
    struct hash_entry **former = table->chains;
    guint n = table->n_chains;

    table->n_chains *= 2;
    table->chains = g_new0(struct hash_entry *, table->n_chains);
    for (guint i = 0; i < n; i++)
        for (struct hash_entry *entry = former[i], *next; entry; entry = next) {
            struct hash_entry **chain = &table->chains[(entry->hash >> 8) & (table->n_chains - 1)];

            next = entry->next;
            entry->next = *chain;
            *chain = entry;
        }
    g_free(former);
}

static void clear_one(GDestroyNotify clear, gpointer pointer)
{
    if (clear)
        clear(pointer);
}

gboolean g_hash_table_insert(GHashTable *table, gpointer key, gpointer value)
{
    struct hash_entry **entry = entry_of(table, key);

    if (*entry) { /* the table keeps the former key */
        clear_one(table->clear_key, key);
        clear_one(table->clear_value, (*entry)->value);
        (*entry)->value = value;
        return FALSE;
    }
    if (table->n >= table->n_chains) {
        hash_grow(table);
        entry = entry_of(table, key);
    }
    *entry = g_new0(struct hash_entry, 1);
    **entry = (struct hash_entry){.key = key, .value = value, .hash = table->hash(key) * 0x9E3779B1u};
    table->n++;
    return TRUE;
}

gboolean g_hash_table_add(GHashTable *table, gpointer key)
{
    return g_hash_table_insert(table, key, key);
}

gpointer g_hash_table_lookup(GHashTable *table, gconstpointer key)
{
    struct hash_entry *entry = *entry_of(table, key);

    return entry ? entry->value : NULL;
}

gboolean g_hash_table_contains(GHashTable *table, gconstpointer key)
{
    return *entry_of(table, key) != NULL;
}

gboolean g_hash_table_remove(GHashTable *table, gconstpointer key)
{
    struct hash_entry **at = entry_of(table, key), *entry = *at;

    if (!entry)
        return FALSE;
    *at = entry->next;
    table->n--;
    clear_one(table->clear_key, entry->key);
    clear_one(table->clear_value, entry->value);
    g_free(entry);
    return TRUE;
}

/* In no order: callers sort the keys. */
GList *g_hash_table_get_keys(GHashTable *table)
{
    GList *keys = NULL;

    for (guint i = 0; i < table->n_chains; i++)
        for (struct hash_entry *entry = table->chains[i]; entry; entry = entry->next) {
            GList *link = g_new0(GList, 1);

            link->data = entry->key;
            link->next = keys;
            keys = link;
        }
    return keys;
}

void g_hash_table_remove_all(GHashTable *table)
{
    for (guint i = 0; i < table->n_chains; i++) {
        for (struct hash_entry *entry = table->chains[i], *next; entry; entry = next) {
            next = entry->next;
            clear_one(table->clear_key, entry->key);
            clear_one(table->clear_value, entry->value);
            g_free(entry);
        }
        table->chains[i] = NULL;
    }
    table->n = 0;
}

void g_hash_table_unref(GHashTable *table)
{
    g_hash_table_remove_all(table);
    g_free(table->chains);
    g_free(table);
}

/* ---- lists ---- */

void g_list_free(GList *list)
{
    for (GList *next; list; list = next) {
        next = list->next;
        g_free(list);
    }
}

guint g_list_length(GList *list)
{
    guint n = 0;

    for (; list; list = list->next)
        n++;
    return n;
}

static GList *list_merge(GList *a, GList *b, GCompareFunc compare)
{
    GList head = {0}, *last = &head;

    while (a && b) {
        GList **from = compare(b->data, a->data) < 0 ? &b : &a;

        last->next = *from;
        last = *from;
        *from = last->next;
    }
    last->next = a ? a : b;
    return head.next;
}

static GList *list_sort(GList *list, GCompareFunc compare)
{
    GList *middle = list, *half;

    if (!list || !list->next)
        return list;
    for (GList *end = list->next; end && end->next; end = end->next->next)
        middle = middle->next;
    half = middle->next;
    middle->next = NULL;
    return list_merge(list_sort(list, compare), list_sort(half, compare), compare);
}

GList *g_list_sort(GList *list, GCompareFunc compare)
{
    GList *previous = NULL;

    list = list_sort(list, compare);
    for (GList *link = list; link; link = link->next) {
        link->prev = previous;
        previous = link;
    }
    return list;
}

/* ---- interned texts ---- */

const gchar *g_intern_string(const gchar *text)
{
    static GHashTable *interned;
    gchar *known;

    if (!text)
        return NULL;
    if (!interned)
        interned = g_hash_table_new(g_str_hash, g_str_equal);
    known = g_hash_table_lookup(interned, text);
    if (!known) {
        known = g_strdup(text);
        g_hash_table_add(interned, known);
    }
    return known;
}

struct _GStringChunk {
    GHashTable *texts;
};

GStringChunk *g_string_chunk_new(gsize size)
{
    GStringChunk *chunk = g_new0(GStringChunk, 1);

    (void)size;
    chunk->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    return chunk;
}

gchar *g_string_chunk_insert_const(GStringChunk *chunk, const gchar *text)
{
    gchar *known = g_hash_table_lookup(chunk->texts, text);

    if (!known) {
        known = g_strdup(text);
        g_hash_table_add(chunk->texts, known);
    }
    return known;
}

void g_string_chunk_free(GStringChunk *chunk)
{
    g_hash_table_unref(chunk->texts);
    g_free(chunk);
}
