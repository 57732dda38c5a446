// SPDX-License-Identifier: GPL-2.0-or-later
/* Terminate messages: RFC 5040 section 4.8. */
#include "engine/rdmap_internal.h"

bool rdmap_terminate_new(struct rdmap_connection *rdmap)
{
    (void)rdmap;
    return true;
}

void rdmap_terminate_free(struct rdmap_connection *rdmap)
{
    (void)rdmap;
}

void rdmap_terminate_message(struct rdmap_connection *rdmap, struct rdmap_step *step,
                             const struct rdmap_terminate *terminate, enum rdmap_terminate_status status,
                             const struct rdmap_recent *accused)
{
    (void)rdmap, (void)step, (void)terminate, (void)status, (void)accused;
}
