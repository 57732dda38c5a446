// SPDX-License-Identifier: GPL-2.0-or-later
#include "lab/target/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, SMALL = 4096 };

/* Remote writes need local writes (ibv_reg_mr(3)). Atomics are enabled on devices that have them. */
static const int rights[REGION_COUNT] = {
    [REGION_ALL] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    [REGION_READ_ONLY] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ,
    [REGION_WRITE_ONLY] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE,
    [REGION_LOCAL] = IBV_ACCESS_LOCAL_WRITE,
    [REGION_FOREIGN] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    [REGION_GONE] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
    [REGION_SHARED] = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
};

/* Shared by all connections: one connection reads what another wrote. */
static uint8_t shared_octets[SMALL] __attribute__((aligned(PAGE)));

static bool memory_make(struct memory_region *region, struct ibv_pd *domain, size_t n, int letter, int access)
{
    void *octets;

    if (posix_memalign(&octets, PAGE, n ? n : PAGE) != 0)
        return false;
    region->octets = octets;
    memset(octets, letter, n);
    region->registered = ibv_reg_mr(domain, octets, n ? n : PAGE, access);
    return region->registered;
}

static bool share(struct memory_region *region, struct ibv_pd *domain, int access)
{
    region->octets = shared_octets;
    region->registered = ibv_reg_mr(domain, shared_octets, sizeof shared_octets, access);
    return region->registered;
}

static void memory_drop(struct memory_region *region)
{
    if (region->registered)
        ibv_dereg_mr(region->registered);
    if (region->octets != shared_octets)
        free(region->octets);
}

/* One of the advertised regions. */
static bool make_region(struct memory *memory, unsigned i, size_t n, int access)
{
    struct ibv_pd *domain = i == REGION_FOREIGN ? memory->foreign : memory->domain;

    return i == REGION_SHARED ? share(&memory->region[i], domain, access)
                              : memory_make(&memory->region[i], domain, n, 'A' + (int)i, access);
}

static bool has_atomics(struct ibv_context *device)
{
    struct ibv_device_attr can;

    return ibv_query_device(device, &can) == 0 && can.atomic_cap != IBV_ATOMIC_NONE;
}

const char *memory_open(struct memory *memory, struct ibv_context *device, const struct target_options *options)
{
    memory->atomics = has_atomics(device);
    memory->domain = ibv_alloc_pd(device);
    memory->foreign = ibv_alloc_pd(device);
    if (!memory->domain || !memory->foreign)
        return "Protection Domain";
    for (unsigned i = 0; i < REGION_COUNT; i++) {
        struct memory_region *region = &memory->region[i];
        size_t n = i == REGION_ALL ? options->region : SMALL;

        const bool atomics = memory->atomics && (i == REGION_ALL || i == REGION_SHARED);

        if (!make_region(memory, i, n, rights[i] | (atomics ? IBV_ACCESS_REMOTE_ATOMIC : 0)))
            return "memory region";
        memory->advert.regions[i] =
            (struct advert_memory){(uintptr_t)region->octets, region->registered->rkey, (uint32_t)n};
    }
    memory->advert.n = REGION_COUNT;
    if (ibv_dereg_mr(memory->region[REGION_GONE].registered) != 0)
        return "invalidating a memory region";
    memory->region[REGION_GONE].registered = NULL;
    return memory_make(&memory->scratch, memory->domain, ADVERT_MAX, 0, IBV_ACCESS_LOCAL_WRITE) ? NULL
                                                                                                : "memory region";
}

const char *memory_receives(struct memory *memory, const struct plan *plan)
{
    size_t n = (size_t)plan->receives * plan->size;

    return memory_make(&memory->receives, memory->domain, n, 0, IBV_ACCESS_LOCAL_WRITE) ? NULL
                                                                                        : "memory of the Receives";
}

void memory_clear(struct memory *memory)
{
    for (unsigned i = 0; i < REGION_COUNT; i++)
        memory_drop(&memory->region[i]);
    memory_drop(&memory->receives);
    memory_drop(&memory->scratch);
    if (memory->domain)
        ibv_dealloc_pd(memory->domain);
    if (memory->foreign)
        ibv_dealloc_pd(memory->foreign);
    *memory = (struct memory){0};
}
