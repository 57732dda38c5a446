// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/model/between.h"

void between_free(struct between *between)
{
    if (!between)
        return;
    for (unsigned end = 0; end < BETWEEN_ENDS; end++)
        g_array_unref(between->packets[end]);
    g_free(between);
}

const struct between_packet *between_at(const struct between *between, unsigned end, uint32_t frame)
{
    const GArray *packets = between->packets[end];
    guint low = 0, high = packets->len;

    while (low < high) {
        guint middle = low + (high - low) / 2;
        const struct between_packet *packet = &g_array_index(packets, struct between_packet, middle);

        if (packet->frame == frame)
            return packet;
        if (packet->frame < frame)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}
