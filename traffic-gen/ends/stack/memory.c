// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/ends/stack/memory.h"

#include "traffic-gen/speak/sim/random.h"

#include <glib.h>

struct region {
    uint8_t *octets;
    uint64_t n, base;
    unsigned rights;
    bool invalidable;
    const void *stream; /* only this stream may use the region; NULL: all */
    void *handle;       /* the device's */
};

struct memory {
    GHashTable *regions; /* STag -> struct region */
    struct random_source random;
    struct memory_device device; /* enter NULL: none */
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
    memory_attach(memory, NULL);
    g_hash_table_unref(memory->regions);
    g_free(memory);
}

static struct region *memory_find(const struct memory *memory, uint32_t stag)
{
    return g_hash_table_lookup(memory->regions, GUINT_TO_POINTER(stag));
}

static void memory_leave(struct memory *memory, const struct region *region)
{
    if (region->handle)
        memory->device.leave(memory->device.ctx, region->handle);
}

void memory_attach(struct memory *memory, const struct memory_device *device)
{
    GHashTableIter i;
    void *region;

    g_hash_table_iter_init(&i, memory->regions);
    while (!device && memory->device.enter && g_hash_table_iter_next(&i, NULL, &region)) {
        memory_leave(memory, region);
        g_hash_table_iter_remove(&i);
    }
    memory->device = device ? *device : (struct memory_device){0};
}

static void memory_insert(struct memory *memory, uint32_t stag, const struct region *region)
{
    g_hash_table_insert(memory->regions, GUINT_TO_POINTER(stag), g_memdup2(region, sizeof *region));
}

static struct region memory_region_of(uint8_t *octets, uint64_t n, uint64_t base, unsigned rights, bool invalidable)
{
    return (struct region){
        .octets = octets,
        .n = n > 0 && base > UINT64_MAX - (n - 1) ? 0 - base /* at most 2^64 */ : n,
        .base = base,
        .rights = rights,
        .invalidable = invalidable,
    };
}

bool memory_register_as(struct memory *memory, uint32_t stag, uint8_t *octets, uint64_t n, uint64_t base,
                        unsigned rights, bool invalidable)
{
    const struct region region = memory_region_of(octets, n, base, rights, invalidable);

    if (memory->device.enter || memory_find(memory, stag))
        return false;
    memory_insert(memory, stag, &region);
    return true;
}

static uint32_t memory_enter(struct memory *memory, uint8_t *octets, uint64_t n, unsigned rights, bool invalidable)
{
    struct region region = memory_region_of(octets, n, (uintptr_t)octets, rights, invalidable);
    uint32_t stag = 0;

    region.handle = memory->device.enter(memory->device.ctx, octets, n, rights, invalidable, &stag);
    if (!region.handle)
        return 0;
    if (stag == 0 || memory_find(memory, stag)) { /* never offer STag 0: many peers read it as "no STag" */
        memory_leave(memory, &region);
        return 0;
    }
    memory_insert(memory, stag, &region);
    return stag;
}

uint32_t memory_register(struct memory *memory, uint8_t *octets, uint64_t n, uint64_t base, unsigned rights,
                         bool invalidable)
{
    uint32_t stag;

    if (memory->device.enter)
        return memory_enter(memory, octets, n, rights, invalidable);
    do
        stag = (uint32_t)random_next(&memory->random);
    while (stag == 0 || !memory_register_as(memory, stag, octets, n, base, rights, invalidable));
    return stag;
}

uint64_t memory_base(const struct memory *memory, uint32_t stag)
{
    const struct region *region = memory_find(memory, stag);

    return region ? region->base : 0;
}

void *memory_handle(const struct memory *memory, uint32_t stag)
{
    const struct region *region = memory_find(memory, stag);

    return region ? region->handle : NULL;
}

bool memory_invalidate(struct memory *memory, uint32_t stag)
{
    const struct region *region = memory_find(memory, stag);

    if (region)
        memory_leave(memory, region);
    return g_hash_table_remove(memory->regions, GUINT_TO_POINTER(stag));
}

bool memory_bind(struct memory *memory, uint32_t stag, const void *stream)
{
    struct region *region = memory_find(memory, stag);

    if (region)
        region->stream = stream;
    return region;
}

static bool memory_is_foreign(const struct region *region, const void *stream)
{
    return region->stream && region->stream != stream;
}

bool memory_may_invalidate(const struct memory *memory, const void *stream, uint32_t stag)
{
    const struct region *region = memory_find(memory, stag);

    return region && region->invalidable && !memory_is_foreign(region, stream);
}

enum memory_status memory_access_by(const struct memory *memory, const void *stream, uint32_t stag, uint64_t to,
                                    uint64_t n, unsigned rights, uint8_t **out)
{
    const struct region *region = memory_find(memory, stag);

    return region && memory_is_foreign(region, stream) ? MEMORY_FOREIGN
                                                       : memory_access(memory, stag, to, n, rights, out);
}

enum memory_status memory_access(const struct memory *memory, uint32_t stag, uint64_t to, uint64_t n, unsigned rights,
                                 uint8_t **out)
{
    const struct region *region = memory_find(memory, stag);

    if (!region)
        return MEMORY_NO_STAG;
    /* A range up to the last Tagged Offset does not wrap: each of its octets has an offset. */
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
