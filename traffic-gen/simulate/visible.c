// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/simulate/visible.h"

/* Which packets the capture has, in whole; g_free(). */
static bool *visible_packets(const struct view *view, const struct packets *packets)
{
    bool *whole = g_new0(bool, packets->frames->len);

    for (unsigned i = 0; i < view->shown->len; i++) {
        unsigned packet = view_packet(view, i);
        const struct frame_in_memory *frame = packets_frame(packets, packet);

        whole[packet] = view_captured(view, frame) == frame->n;
    }
    return whole;
}

unsigned visible_missing(const struct view *view, const struct packets *packets)
{
    g_autofree bool *whole = visible_packets(view, packets);
    unsigned n = 0;

    for (unsigned i = 0; i < packets->frames->len; i++)
        n += !whole[i];
    return n;
}

/*
 * A fault stays visible when the capture has everything that the client and the server said to each other until it is
 * proved: what is missing belongs to other clients, or comes later. The octets of one side alone prove what the
 * catalogue calls wire-1way; anything else may be proved only by what comes afterwards, up to the end.
 */
bool visible_in(const struct view *view, const struct packets *packets, const struct judged_finding *found)
{
    g_autofree bool *whole = visible_packets(view, packets);
    bool alone = found->rule->observe == OBSERVE_WIRE_1WAY && !found->awaited;
    unsigned last = alone ? MAX(found->frame, found->related_frame) : packets->frames->len;

    if (found->frame == 0 || last > packets->frames->len)
        return false;
    for (unsigned i = 0; i < last; i++) {
        if (packets_frame(packets, i)->client == packets_frame(packets, found->frame - 1)->client && !whole[i])
            return false;
    }
    return true;
}
