// SPDX-License-Identifier: GPL-2.0-or-later
#include "engine/terminate/terminate_hosts.h"

#include "wire/invariant.h"

#include <string.h>

/* The host's index among the known ones, or the next free index. */
static unsigned hosts_find(const struct terminate_host *of)
{
    unsigned i = 0;

    if (of->layouts->turn)
        of->layouts->turn(of->layouts->ctx);
    while (i < of->layouts->n &&
           (of->layouts->known[i].host.ip != of->host.ip ||
            memcmp(of->layouts->known[i].host.address, of->host.address, sizeof of->host.address) != 0))
        i++;
    INVARIANT(i <= of->layouts->n && of->layouts->n <= TERMINATE_LAYOUTS_MAX);
    return i;
}

uint8_t terminate_layouts_get(const struct terminate_host *of)
{
    unsigned i = of->layouts ? hosts_find(of) : 0;

    return !of->layouts || i == of->layouts->n ? 0 : of->layouts->known[i].layout;
}

void terminate_layouts_put(const struct terminate_host *of, uint8_t layout)
{
    unsigned i = of->layouts ? hosts_find(of) : TERMINATE_LAYOUTS_MAX;

    if (i == TERMINATE_LAYOUTS_MAX)
        return;
    of->layouts->n += i == of->layouts->n;
    of->layouts->known[i].host = of->host;
    of->layouts->known[i].host.port = 0;
    of->layouts->known[i].layout = layout;
    INVARIANT(of->layouts->n <= TERMINATE_LAYOUTS_MAX && i < of->layouts->n);
}
