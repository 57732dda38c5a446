// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/stack/memory.h"

#include "traffic-gen/sim/random.h"

#include <glib.h>

struct region {
    uint8_t *octets;
    uint64_t n, base;
    unsigned rights;
    bool invalidable;
    const void *stream; /* that alone may use it; NULL: all */
};

struct memory {
    GHashTable *regions; /* STag -> struct region */
    struct random_source random;
};

struct memory *memory_new(uint64_t seed)
{
    struct memory *memory = g_new0(struct memory, 1);

    memory->regions = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    memory->random.state = seed;
    return memory;
}

void memory_free(struct memory *memory)
{
    g_hash_table_unref(memory->regions);
    g_free(memory);
}

static struct region *find(const struct memory *memory, uint32_t stag)
{
    return g_hash_table_lookup(memory->regions, GUINT_TO_POINTER(stag));
}

bool memory_register_as(struct memory *memory, uint32_t stag, uint8_t *octets, uint64_t n, uint64_t base,
                        unsigned rights, bool invalidable)
{
    struct region *region;

    if (find(memory, stag))
        return false;
    region = g_new(struct region, 1);
    region->octets = octets;
    region->n = n > 0 && base > UINT64_MAX - (n - 1) ? 0 - base /* up to 2^64 */ : n;
    region->base = base;
    region->rights = rights;
    region->invalidable = invalidable;
    region->stream = NULL;
    g_hash_table_insert(memory->regions, GUINT_TO_POINTER(stag), region);
    return true;
}

uint32_t memory_register(struct memory *memory, uint8_t *octets, uint64_t n, uint64_t base, unsigned rights,
                         bool invalidable)
{
    uint32_t stag;

    do
        stag = (uint32_t)random_next(&memory->random);
    while (stag == 0 || !memory_register_as(memory, stag, octets, n, base, rights, invalidable));
    return stag;
}

bool memory_invalidate(struct memory *memory, uint32_t stag)
{
    return g_hash_table_remove(memory->regions, GUINT_TO_POINTER(stag));
}

bool memory_bind(struct memory *memory, uint32_t stag, const void *stream)
{
    struct region *region = find(memory, stag);

    if (region)
        region->stream = stream;
    return region;
}

static bool is_foreign(const struct region *region, const void *stream)
{
    return region->stream && region->stream != stream;
}

bool memory_may_invalidate(const struct memory *memory, const void *stream, uint32_t stag)
{
    const struct region *region = find(memory, stag);

    return region && region->invalidable && !is_foreign(region, stream);
}

enum memory_status memory_access_by(const struct memory *memory, const void *stream, uint32_t stag, uint64_t to,
                                    uint64_t n, unsigned rights, uint8_t **out)
{
    const struct region *region = find(memory, stag);

    return region && is_foreign(region, stream) ? MEMORY_FOREIGN : memory_access(memory, stag, to, n, rights, out);
}

enum memory_status memory_access(const struct memory *memory, uint32_t stag, uint64_t to, uint64_t n, unsigned rights,
                                 uint8_t **out)
{
    const struct region *region = find(memory, stag);

    if (!region)
        return MEMORY_NO_STAG;
    /* A range up to the very last Tagged Offset does not wrap: each of its octets has one. */
    if (n > 0 && to > UINT64_MAX - (n - 1))
        return MEMORY_WRAP;
    if (to < region->base || to - region->base > region->n || n > region->n - (to - region->base))
        return MEMORY_BOUNDS;
    if ((region->rights & rights) != rights)
        return MEMORY_ACCESS;
    if (rights & MEMORY_REMOTE_ATOMIC && (to - region->base) % 8 != 0)
        return MEMORY_UNALIGNED;
    *out = region->octets + (to - region->base);
    return MEMORY_OK;
}
