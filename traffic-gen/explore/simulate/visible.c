// SPDX-License-Identifier: GPL-2.0-or-later
#include "traffic-gen/explore/simulate/visible.h"

#include "wire/ib.h"
#include "wire/octets.h"

#include <string.h>

enum { STARTUP = 8, BEFORE_EVIDENCE = 4 }; /* packets */

/* For each packet, how many whole copies a capture has before any later packet; g_free(). */
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

/* ---- losses without a trace ---- */

enum {
    BTH_QUEUE = 5, /* three octets */
    BTH_PSN = 9,   /* three octets */
    BTH_LEN = 12,
    OPCODE_READ_RESPONSE = 0x0D, /* to 0x12: responses of a reliable connection */
    OPCODE_ATOMIC_ACKNOWLEDGE = 0x12,
    OPCODE_LAST = 0x17, /* of a reliable connection */
};

struct roce_packet {
    bool response;
    uint32_t queue, psn;
};

/* False: the packet does not belong to a reliable connection. */
static bool roce_packet_at(const struct packets *packets, unsigned number, bool vlan, bool ipv6,
                           struct roce_packet *packet)
{
    const struct frame_in_memory *frame = packets_frame(packets, number);
    const uint8_t *p = packets->octets->data + frame->at;
    size_t at = 14 + (vlan ? 4 : 0) + (ipv6 ? 40 : 20) + 8;

    if (frame->n < at + BTH_LEN || p[at] > OPCODE_LAST)
        return false;
    packet->response = p[at] >= OPCODE_READ_RESPONSE && p[at] <= OPCODE_ATOMIC_ACKNOWLEDGE;
    packet->queue = get_be32(p + at + BTH_QUEUE) >> 8;
    packet->psn = get_be32(p + at + BTH_PSN) >> 8;
    return true;
}

/* The generator numbers the queue pairs of a connection 2n - 1 and 2n; a packet has the number of its receiver. */
static bool same_connection(const struct roce_packet *a, const struct roce_packet *b)
{
    return (a->queue + 1) / 2 == (b->queue + 1) / 2;
}

/*
 * No later packet in the capture has a number that either side uses after the missing request. Or a later packet is the
 * request itself, which fills the gap in the numbers.
 */
static bool leaves_no_trace(const struct view *view, const struct packets *packets, const struct plan *plan,
                            unsigned missing)
{
    const struct frame_in_memory *frame = packets_frame(packets, missing);
    struct roce_packet lost, later;

    if (!roce_packet_at(packets, missing, plan->vlan, plan->ipv6, &lost) || lost.response)
        return false;
    for (unsigned i = 0; i < view->shown->len; i++) {
        unsigned number = view_packet(view, i);
        const struct frame_in_memory *other = packets_frame(packets, number);

        if (other->client != frame->client || !roce_packet_at(packets, number, plan->vlan, plan->ipv6, &later) ||
            !same_connection(&lost, &later))
            continue;
        if (other->to_client == frame->to_client && !later.response && later.psn == lost.psn && number > missing)
            return true;
        if (number < missing)
            continue;
        if (other->to_client == frame->to_client ? !later.response && ib_psn_distance(lost.psn, later.psn) > 0
                                                 : later.response && ib_psn_distance(lost.psn, later.psn) >= 0)
            return false;
    }
    return true;
}

/* A TCP segment with RST, which no packet follows. */
static bool is_reset(const struct packets *packets, unsigned number, const struct plan *plan)
{
    enum { TCP_FLAGS_AT = 13, TCP_RST = 4 };
    const struct frame_in_memory *frame = packets_frame(packets, number);
    size_t at = 14 + (plan->vlan ? 4 : 0) + (plan->ipv6 ? 40 : 20) + TCP_FLAGS_AT;

    return frame->n > at && packets->octets->data[frame->at + at] & TCP_RST;
}

bool visible_losses(const struct view *view, const struct packets *packets, const struct plan *plan, unsigned client)
{
    g_autofree unsigned *times = visible_times(view, packets);

    for (unsigned i = 0; i < packets->frames->len; i++) {
        if (times[i] == 0 && packets_frame(packets, i)->client == client &&
            (plan->roce ? leaves_no_trace(view, packets, plan, i) : is_reset(packets, i, plan)))
            return false;
    }
    return true;
}

/* ---- faults ---- */

/*
 * Rules about who may send when: only the ACK number of the first transmission proves that it was sent too early. And
 * rules about what follows a startup frame in the same segment.
 */
static bool is_about_order(const struct rule *rule)
{
    return strcmp(rule->id, "MPA-7.1.1-28") == 0 || strcmp(rule->id, "MPA-7.1.1-29") == 0 ||
           strcmp(rule->id, "MPA-7.1.2-23") == 0 || strcmp(rule->id, "MPA-7.1.2-25") == 0 ||
           strcmp(rule->id, "MPA-7.1.3-01") == 0;
}

bool visible_in_whole(const struct plan *plan, const struct rule *rule)
{
    return !plan->net || !is_about_order(rule);
}

/* Rules about framing: the FPDUs on both sides of a place prove what is wrong there. */
static bool is_about_framing(const struct rule *rule)
{
    return g_str_has_prefix(rule->id, "MPA-");
}

/*
 * Rules about patterns in many segments, which a part of the segments, or a copy of a segment, need not show; and rules
 * about a response to a request that is repeated by a copy.
 */
static bool is_about_patterns(const struct rule *rule)
{
    return g_str_has_prefix(rule->id, "MPA-5.") || g_str_has_prefix(rule->id, "MPA-A.") ||
           strcmp(rule->id, "RPCR-2.3.2-03") == 0;
}

/* Rules about one message that need earlier ones: their numbers, or what they granted or offered. */
static bool is_about_earlier(const struct rule *rule)
{
    return g_str_has_prefix(rule->id, "DDP-4.3-1") || g_str_has_prefix(rule->id, "RPCR-3.3.1-") ||
           strcmp(rule->id, "DDP-5.3-03") == 0 || strcmp(rule->id, "RPCR-3.4.5-06") == 0 ||
           strcmp(rule->id, "RPCR-4-01") == 0 || strcmp(rule->id, "RPCR-4.1.2-07") == 0 ||
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
 * A fault stays visible when the capture has all messages between the client and the server until the fault is proved:
 * missing packets belong to other clients, or come later. The octets of one side alone prove what the catalogue calls
 * wire-1way: nothing from later packets is needed, nor from earlier ones, except from the start-up. Anything else may
 * be proved only by what comes afterwards, up to the end.
 */
bool visible_in(const struct view *view, const struct packets *packets, const struct plan *plan,
                const struct judged_finding *found)
{
    g_autofree unsigned *times = visible_times(view, packets);
    bool pattern = is_about_patterns(found->rule);
    bool alone = found->rule->observe == OBSERVE_WIRE_1WAY && !found->awaited && !is_about_framing(found->rule);
    bool split = plan->net && strstr(plan->net, "resegment"); /* framing cannot begin again inside of such FPDUs */
    unsigned begin = alone && !is_about_earlier(found->rule) && !split ? evidence_begins(found) : 0;
    unsigned end = alone ? MAX(found->frame, found->related_frame) : packets->frames->len, of_client = 0;
    bool visible = found->frame > 0 && end <= packets->frames->len;

    for (unsigned i = 0; visible && i < end; i++) {
        if (packets_frame(packets, i)->client != packets_frame(packets, found->frame - 1)->client)
            continue;
        if (++of_client > STARTUP && i < begin)
            continue;
        visible = times[i] == 1 || (times[i] > 1 && !pattern);
    }
    return visible;
}
