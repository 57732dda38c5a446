/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of one connection: the advertised regions, Receives, and a buffer for messages of its own. */
#ifndef IWARP_TARGET_MEMORY_H
#define IWARP_TARGET_MEMORY_H

#include "lab/target/plan.h"

#include <infiniband/verbs.h>

struct memory_region {
    uint8_t *octets;
    struct ibv_mr *registered;
};

struct memory {
    struct ibv_pd *domain, *foreign;
    struct memory_region region[REGION_COUNT];
    struct memory_region receives; /* plan.receives * plan.size octets */
    struct memory_region scratch;  /* ADVERT_MAX octets */
    struct advert advert;          /* the regions, including the region that no longer exists */
    bool atomics;                  /* the device performs Atomics as requester and as responder */
};

/*
 * Domains, regions and scratch. NULL on success, otherwise what failed (with errno); the caller clears the memory in
 * either case.
 */
const char *memory_open(struct memory *memory, struct ibv_context *device, const struct target_options *options);
/* The Receives' memory, once the peer's wishes are known; same result. */
const char *memory_receives(struct memory *memory, const struct plan *plan);
/* Call it after the queue pair has been destroyed. */
void memory_clear(struct memory *memory);

#endif
