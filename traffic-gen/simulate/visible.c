// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/simulate/visible.h"

/* How often a capture has each packet, in whole and before all later ones; g_free(). */
static unsigned *visible_times(const struct view *view, const struct packets *packets)
{
    unsigned *times = g_new0(unsigned, packets->frames->len), next = 0;

    for (unsigned i = 0; i < view->shown->len; i++) {
        unsigned packet = view_packet(view, i);
        const struct frame_in_memory *frame = packets_frame(packets, packet);

        times[packet] += packet >= next && view_captured(view, frame) == frame->n;
        next = MAX(next, packet);
    }
    return times;
}

unsigned visible_missing(const struct view *view, const struct packets *packets)
{
    g_autofree unsigned *times = visible_times(view, packets);
    unsigned n = 0;

    for (unsigned i = 0; i < packets->frames->len; i++)
        n += times[i] == 0;
    return n;
}

/* Rules about patterns in many segments, which a part of the segments need not show, nor a copy of one. */
static bool is_about_patterns(const struct rule *rule)
{
    return g_str_has_prefix(rule->id, "MPA-5.") || g_str_has_prefix(rule->id, "MPA-A.");
}

/*
 * A fault stays visible when the capture has everything that the client and the server said to each other until it is
 * proved: what is missing belongs to other clients, or comes later. The octets of one side alone prove what the
 * catalogue calls wire-1way; anything else may be proved only by what comes afterwards, up to the end.
 */
bool visible_in(const struct view *view, const struct packets *packets, const struct judged_finding *found)
{
    g_autofree unsigned *times = visible_times(view, packets);
    bool pattern = is_about_patterns(found->rule);
    bool alone = found->rule->observe == OBSERVE_WIRE_1WAY && !found->awaited && !pattern;
    unsigned last = alone ? MAX(found->frame, found->related_frame) : packets->frames->len;

    if (found->frame == 0 || last > packets->frames->len)
        return false;
    for (unsigned i = 0; i < last; i++) {
        if (packets_frame(packets, i)->client == packets_frame(packets, found->frame - 1)->client &&
            (times[i] == 0 || (pattern && times[i] > 1)))
            return false;
    }
    return true;
}
