// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory on a device: regions with the requested rights, memory windows if the peer may invalidate them, buffers for
 * sending.
 */
#include "traffic-gen/live/verbs/verbs_internal.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_LEAST = 4096, FREE_OCTETS_MAX = 8 << 20 };

/* A region of no octets has an STag too, but no memory and no rights. */
static uint8_t nothing[1];

bool verbs_has_windows(const struct ibv_device_attr *attributes)
{
    return attributes->max_mw > 0 &&
           attributes->device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B);
}

bool verbs_memory_open(struct verbs_memory *memory, const struct verbs_calls *v, struct ibv_context *context,
                       const struct ibv_device_attr *attributes)
{
    *memory = (struct verbs_memory){.v = v,
                                    .pd = v->alloc_pd(context),
                                    .iwarp = context->device->transport_type == IBV_TRANSPORT_IWARP,
                                    .windows = verbs_has_windows(attributes)};
    return memory->pd;
}

static void buffer_free(struct verbs_memory *memory, struct verbs_buffer *buffer)
{
    memory->v->dereg_mr(buffer->mr);
    g_free(buffer->p);
    g_free(buffer);
}

void verbs_memory_close(struct verbs_memory *memory)
{
    while (memory->free) {
        struct verbs_buffer *buffer = memory->free;

        memory->free = buffer->next;
        buffer_free(memory, buffer);
    }
    if (memory->pd)
        memory->v->dealloc_pd(memory->pd);
    memory->pd = NULL;
}

/* ---- regions ---- */

static unsigned remote_access(unsigned rights)
{
    return (rights & MEMORY_REMOTE_READ ? IBV_ACCESS_REMOTE_READ : 0) |
           (rights & MEMORY_REMOTE_WRITE ? IBV_ACCESS_REMOTE_WRITE : 0) |
           (rights & MEMORY_REMOTE_ATOMIC ? IBV_ACCESS_REMOTE_ATOMIC : 0);
}

/*
 * A region without remote rights is a sink of Reads and needs local write access; on iWARP a Read Response is tagged,
 * so the sink must allow remote writes (its STag is on the wire: RFC 5040 section 4.4).
 */
static unsigned access_of(const struct verbs_memory *memory, unsigned rights, bool window)
{
    if (rights == 0)
        return IBV_ACCESS_LOCAL_WRITE | (memory->iwarp ? IBV_ACCESS_REMOTE_WRITE : 0);
    return (rights & (MEMORY_REMOTE_WRITE | MEMORY_REMOTE_ATOMIC) ? IBV_ACCESS_LOCAL_WRITE : 0) |
           (window ? IBV_ACCESS_MW_BIND : remote_access(rights));
}

struct verbs_region *verbs_region_new(struct verbs_memory *memory, uint8_t *octets, uint64_t n, unsigned rights,
                                      bool invalidable)
{
    bool window = invalidable && rights != 0 && memory->windows && n > 0;
    struct verbs_region *region = g_new0(struct verbs_region, 1);

    if (n == 0) {
        octets = nothing;
        n = sizeof nothing;
        rights = 0;
    }
    region->address = (uintptr_t)octets;
    region->n = n;
    region->mr = memory->v->reg_mr(memory->pd, octets, n, (int)access_of(memory, rights, window));
    if (region->mr && window) {
        region->mw = memory->v->alloc_mw(memory->pd, IBV_MW_TYPE_2);
        region->window_access = remote_access(rights);
        region->rkey = region->mw ? ibv_inc_rkey(region->mw->rkey) : 0;
    } else if (region->mr) {
        region->rkey = region->mr->rkey ? region->mr->rkey : region->mr->lkey;
    }
    if (region->mr && (region->mw || !window))
        return region;
    verbs_region_free(memory, region);
    return NULL;
}

void verbs_region_free(struct verbs_memory *memory, struct verbs_region *region)
{
    int kept = errno;

    if (region->mw)
        memory->v->dealloc_mw(region->mw);
    if (region->mr)
        memory->v->dereg_mr(region->mr);
    g_free(region);
    errno = kept;
}

/* ---- buffers ---- */

static size_t size_for(size_t n)
{
    size_t size = BUFFER_LEAST;

    while (size < n)
        size *= 2;
    return size;
}

struct verbs_buffer *verbs_buffer_take(struct verbs_memory *memory, size_t n)
{
    size_t size = size_for(n);
    struct verbs_buffer *buffer;

    for (struct verbs_buffer **at = &memory->free; *at; at = &(*at)->next) {
        if ((*at)->size != size)
            continue;
        buffer = *at;
        *at = buffer->next;
        memory->free_octets -= size;
        return buffer;
    }
    buffer = g_new0(struct verbs_buffer, 1);
    buffer->p = g_malloc(size);
    buffer->size = size;
    buffer->mr = memory->v->reg_mr(memory->pd, buffer->p, size, 0);
    if (buffer->mr)
        return buffer;
    g_free(buffer->p);
    g_free(buffer);
    return NULL;
}

void verbs_buffer_give(struct verbs_memory *memory, struct verbs_buffer *buffer)
{
    if (memory->free_octets + buffer->size > FREE_OCTETS_MAX) {
        buffer_free(memory, buffer);
        return;
    }
    memory->free_octets += buffer->size;
    buffer->next = memory->free;
    memory->free = buffer;
}
