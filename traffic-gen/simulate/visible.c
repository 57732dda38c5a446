// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/simulate/visible.h"

/*
 * A fault stays visible when the capture has everything that the client and the server said to each other until it is
 * proved: what is missing belongs to other clients, or comes later. A fault that consists of something missing
 * afterwards is proved only by the end of the capture.
 */
bool visible_in(const struct view *view, const struct packets *packets, const struct judged_finding *found)
{
    g_autofree bool *whole = g_new0(bool, packets->frames->len);
    const struct frame_in_memory *at;
    unsigned last = packets->frames->len;

    if (found->frame == 0 || found->frame > packets->frames->len)
        return false;
    at = packets_frame(packets, found->frame - 1);
    if (!found->awaited)
        last = MAX(found->frame, found->related_frame);
    for (unsigned i = 0; i < view->shown->len; i++) {
        unsigned packet = view_packet(view, i);

        whole[packet] = view_captured(view, packets_frame(packets, packet)) == packets_frame(packets, packet)->n;
    }
    for (unsigned i = 0; i < last; i++) {
        if (packets_frame(packets, i)->client == at->client && !whole[i])
            return false;
    }
    return true;
}
