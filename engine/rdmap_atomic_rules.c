// SPDX-License-Identifier: GPL-2.0-or-later
/* Atomic Operations: RFC 7306 section 5. */
#include "engine/rdmap_internal.h"

bool rdmap_atomic_new(struct rdmap_connection *rdmap)
{
    (void)rdmap;
    return true;
}

void rdmap_atomic_free(struct rdmap_connection *rdmap)
{
    (void)rdmap;
}

void rdmap_atomic_request(struct rdmap_connection *rdmap, struct rdmap_step *step)
{
    (void)rdmap, (void)step;
}

void rdmap_atomic_response(struct rdmap_connection *rdmap, struct rdmap_step *step,
                           const struct rdmap_atomic_response *response)
{
    (void)rdmap, (void)step, (void)response;
}

void rdmap_atomic_finish(struct rdmap_connection *rdmap, int64_t time_ns)
{
    (void)rdmap, (void)time_ns;
}
