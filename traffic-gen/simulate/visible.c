// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/simulate/visible.h"

#include <string.h>

enum { STARTUP = 8, BEFORE_EVIDENCE = 4 }; /* packets */

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

/* Rules about one message that need what came before: where an FPDU begins, what Calls granted or offered. */
static bool is_about_earlier(const struct rule *rule)
{
    return g_str_has_prefix(rule->id, "MPA-") || g_str_has_prefix(rule->id, "RPCR-3.3.1-") ||
           strcmp(rule->id, "RPCR-3.4.5-06") == 0 || strcmp(rule->id, "RPCR-4-01") == 0 ||
           strcmp(rule->id, "RPCR-6.3-01") == 0;
}

/* The number of the packet with which the evidence begins, from 0: a few packets before the first that is named. */
static unsigned evidence_begins(const struct judged_finding *found)
{
    unsigned first = found->first_frame ? MIN(found->first_frame, found->frame) : found->frame;

    if (found->related_frame)
        first = MIN(first, found->related_frame);
    return first > BEFORE_EVIDENCE ? first - BEFORE_EVIDENCE : 0;
}

/*
 * A fault stays visible when the capture has everything that the client and the server said to each other until it is
 * proved: what is missing belongs to other clients, or comes later. The octets of one side alone prove what the
 * catalogue calls wire-1way: nothing from later packets is needed, nor from earlier ones, except from the start-up.
 * Anything else may be proved only by what comes afterwards, up to the end.
 */
bool visible_in(const struct view *view, const struct packets *packets, const struct judged_finding *found)
{
    g_autofree unsigned *times = visible_times(view, packets);
    bool pattern = is_about_patterns(found->rule);
    bool alone = found->rule->observe == OBSERVE_WIRE_1WAY && !found->awaited && !pattern;
    unsigned begin = alone && !is_about_earlier(found->rule) ? evidence_begins(found) : 0;
    unsigned end = alone ? MAX(found->frame, found->related_frame) : packets->frames->len, of_client = 0;

    if (found->frame == 0 || end > packets->frames->len)
        return false;
    for (unsigned i = 0; i < end; i++) {
        if (packets_frame(packets, i)->client != packets_frame(packets, found->frame - 1)->client)
            continue;
        if (++of_client > STARTUP && i < begin)
            continue;
        if (times[i] == 0 || (pattern && times[i] > 1))
            return false;
    }
    return true;
}
