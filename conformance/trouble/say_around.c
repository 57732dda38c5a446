// SPDX-License-Identifier: GPL-2.0-or-later
/* What surrounds RDMA explains why packets do not arrive, or arrive late. */
#include "conformance/trouble/saying.h"
#include "engine/packet/decap.h"

#include <inttypes.h>
#include <stdio.h>

enum { CLASS_LEAST = 4, CLASS_SHARE = 20, MAC_TEXT_SIZE = 18, SMALL = 600 /* octets; an MTU is larger */ };
enum { HEADERS = 256 /* octets of a packet, in which all headers up to those of RPC have room */ };

static char *mac_text(const uint8_t mac[6], char text[MAC_TEXT_SIZE])
{
    snprintf(text, MAC_TEXT_SIZE, "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
    return text;
}

static bool around_same_host(const struct endpoint *a, const struct endpoint *b)
{
    return a->ip == b->ip && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static const struct around_way *say_way_of(const struct trouble_facts *facts, unsigned side)
{
    return facts->around ? around_way_of(facts->around, &facts->end[side]) : NULL;
}

/* ---- ICMP ---- */

/* About what this side sent on the connection; NULL: none. */
static const struct around_icmp *icmp_about(const struct trouble_facts *facts, unsigned side, bool too_big)
{
    const struct around_way *way = say_way_of(facts, side);
    uint16_t port = facts->ib ? IB_ROCE2_UDP_PORT : facts->end[side ^ 1u].port;

    for (unsigned i = 0; way && i < AROUND_ICMP; i++) {
        const struct around_icmp *icmp = &way->icmp[i];

        if (icmp->all.n > 0 && icmp->tcp == !facts->ib && icmp->port == port &&
            (icmp->kind == AROUND_TOO_BIG) == too_big && icmp->last.time_ns >= facts->first.time_ns)
            return icmp;
    }
    return NULL;
}

/* All of this ICMP came since the connection began. */
static bool is_all_since(const struct trouble_facts *facts, const struct around_icmp *icmp)
{
    return icmp->all.first.time_ns >= facts->first.time_ns;
}

/* The first ICMP, or, if the first came before the connection began, the last. */
static uint32_t icmp_frame(const struct trouble_facts *facts, const struct around_icmp *icmp)
{
    return is_all_since(facts, icmp) ? icmp->all.first.frame : icmp->last.frame;
}

bool around_refuses(const struct trouble_facts *facts, unsigned side)
{
    return icmp_about(facts, side, false) != NULL;
}

static gchar *icmp_text(const struct trouble_facts *facts, const struct around_icmp *icmp, bool itself)
{
    static const char *const names[] = {[AROUND_UNREACHABLE] = "host unreachable",
                                        [AROUND_PROHIBITED] = "administratively prohibited",
                                        [AROUND_NO_PORT] = "port unreachable"};
    char from[ENDPOINT_TEXT_SIZE];
    GString *text = g_string_new(NULL);

    g_string_append_printf(text, "%s %s with ICMP %s in frame %" PRIu32, endpoint_text(&icmp->from, from),
                           itself ? "itself answers" : "answers in its place", names[icmp->kind],
                           icmp_frame(facts, icmp));
    if (icmp->all.n > 1 && is_all_since(facts, icmp))
        g_string_append_printf(text, ", %" PRIu32 " times", icmp->all.n);
    return g_string_free(text, FALSE);
}

static gchar *next_of_icmp(const struct trouble_facts *facts, const struct around_icmp *icmp, bool itself)
{
    const char *protocol = icmp->tcp ? "TCP" : "UDP";
    char from[ENDPOINT_TEXT_SIZE];

    endpoint_text(&icmp->from, from);
    if (icmp->kind == AROUND_UNREACHABLE)
        return g_strdup_printf("%s does not reach the host: the host is down, or its address is wrong", from);
    if (!itself)
        return g_strdup_printf("a firewall or router at %s rejects %s port %" PRIu16, from, protocol, icmp->port);
    if (icmp->kind == AROUND_NO_PORT && facts->ib)
        return g_strdup(
            "the host is up, but nothing takes UDP port 4791: RoCE is off there, or its own firewall rejects "
            "the port");
    return g_strdup_printf("the host is up, and its own firewall rejects %s port %" PRIu16, protocol, icmp->port);
}

gchar *around_reason_alone(const struct trouble_facts *facts, unsigned side)
{
    const struct around_icmp *icmp = icmp_about(facts, side, false);
    bool itself = around_same_host(&icmp->from, &facts->end[side ^ 1u]);
    g_autofree gchar *text = icmp_text(facts, icmp, itself), *next = next_of_icmp(facts, icmp, itself);

    return g_strdup_printf("%s: %s", text, next);
}

/* ---- MAC addresses and VLAN tags ---- */

static void add_tags(GString *text, const struct around_tags *tags)
{
    if (tags->n == 0)
        g_string_append(text, "no VLAN tag");
    else if (tags->n == 1)
        g_string_append_printf(text, "VLAN %u", tags->vlan[0]);
    else
        g_string_append_printf(text, "VLAN %u within VLAN %u", tags->vlan[1], tags->vlan[0]);
    g_string_append_printf(text, " (frame %" PRIu32 ")", tags->frame);
}

static bool tags_differ(const struct around_tags *a, const struct around_tags *b)
{
    return a->frame != 0 && b->frame != 0 && (a->n != b->n || memcmp(a->vlan, b->vlan, a->n * sizeof *a->vlan) != 0);
}

/* Tags of other packets of this MAC address that the way's packets do not have; NULL: none. */
static const struct around_tags *other_tags(const struct saying *saying, const uint8_t mac[6],
                                            const struct around_tags *tags)
{
    const struct around_mac *known = around_find_mac(saying->troubles->around, mac);

    if (!known)
        return NULL;
    if (tags_differ(&known->first, tags))
        return &known->first;
    return tags_differ(&known->other, tags) ? &known->other : NULL;
}

/* Packets of this MAC address have the same tags, other packets than those of `way`. */
static bool has_tags(const struct saying *saying, const uint8_t mac[6], const struct around_way *way,
                     const struct around_tags *tags)
{
    const struct around_mac *known = around_find_mac(saying->troubles->around, mac);
    const struct around_tags *of[] = {known ? &known->first : tags, known ? &known->other : tags};

    for (unsigned i = 0; known && i < 2; i++)
        if (of[i]->frame != 0 && of[i]->frame != way->tags.frame && !tags_differ(of[i], tags))
            return true;
    return false;
}

/* The packets of this side lack the VLAN tag of others, or have another; unless the receiver is in the same VLAN. */
static gchar *vlan_text(const struct saying *saying, const struct trouble_facts *facts, unsigned side)
{
    const struct around_way *way = say_way_of(facts, side), *back = say_way_of(facts, side ^ 1u);
    const struct around_tags *others;
    const char *whose = side_name(facts, side);
    GString *text;

    if (!way || !way->mac_known || has_tags(saying, way->to_mac, back, &way->tags))
        return NULL;
    others = other_tags(saying, way->mac, &way->tags);
    if (!others && back->mac_known && tags_differ(&way->tags, &back->tags)) {
        others = &back->tags;
        whose = side_name(facts, side ^ 1u);
    }
    if (!others) {
        others = other_tags(saying, way->to_mac, &way->tags);
        whose = side_name(facts, side ^ 1u);
    }
    if (!others)
        return NULL;
    text = g_string_new(NULL);
    g_string_append_printf(text, "these packets of %s have ", side_name(facts, side));
    add_tags(text, &way->tags);
    g_string_append_printf(text, ", other packets of %s have ", whose);
    add_tags(text, others);
    return g_string_free(text, FALSE);
}

gchar *around_reason(const struct saying *saying, const struct trouble_facts *facts, unsigned side, gchar **next)
{
    const struct around_icmp *icmp = icmp_about(facts, side, false);
    const struct around_way *way = say_way_of(facts, side), *back = say_way_of(facts, side ^ 1u);
    gchar *text;
    char mac[MAC_TEXT_SIZE];

    if (icmp) {
        bool itself = around_same_host(&icmp->from, &facts->end[side ^ 1u]);

        *next = next_of_icmp(facts, icmp, itself);
        return icmp_text(facts, icmp, itself);
    }
    if (way && way->own.n > 0 && back->own.n == 0 && !around_same_host(&facts->end[0], &facts->end[1])) {
        *next = g_strdup_printf("no switch delivers them: look at the neighbour entry for the other address on %s (ip "
                                "neigh), and at the driver",
                                side_name(facts, side));
        return g_strdup_printf("%s sends to its own MAC address (%s, from frame %" PRIu32 " on)",
                               side_name(facts, side), mac_text(way->mac, mac), way->own.first.frame);
    }
    text = vlan_text(saying, facts, side);
    if (text)
        *next =
            g_strdup("look at the VLAN of the interface and the GID that RDMA uses on both sides, unless the mirror "
                     "port removes tags");
    return text;
}

/* ---- Calls: the transport, or the service ---- */

static gchar *around_towards(const struct trouble_facts *facts, unsigned side, uint32_t size)
{
    const struct around_icmp *icmp = icmp_about(facts, side, true);
    unsigned other = side ^ 1u;
    char from[ENDPOINT_TEXT_SIZE];

    if (icmp && icmp->mtu > 0)
        return g_strdup_printf("look at the MTU of the path: %s says in frame %" PRIu32 " that packets above %" PRIu32
                               " octets are too big",
                               endpoint_text(&icmp->from, from), icmp_frame(facts, icmp), icmp->mtu);
    if (icmp)
        return g_strdup_printf("look at the MTU of the path: %s says in frame %" PRIu32 " that packets are too big",
                               endpoint_text(&icmp->from, from), icmp_frame(facts, icmp));
    if (size > SMALL && facts->side[other].last.time_ns > facts->path[side].sizes.first.time_ns)
        return g_strdup_printf("%s is alive, so look at the MTU of the path: the lost packets have %" PRIu32
                               " octets of payload or more",
                               side_name(facts, other), size);
    return g_strdup_printf("the host of %s is down or stuck, or the network drops packets", side_name(facts, other));
}

/* The last packets of this side were retransmitted, and never acknowledged. */
static gchar *unacknowledged(const struct trouble_facts *facts, unsigned side)
{
    const struct trouble_sizes *sizes = &facts->path[side].sizes;
    g_autofree gchar *where = NULL;

    if (!sizes->waiting || sizes->again == 0)
        return NULL;
    where = around_towards(facts, side, sizes->size);
    return g_strdup_printf("the transport of %s acknowledged the Call, but nothing from frame %" PRIu32
                           " on, sent %" PRIu32 " times: %s",
                           side_name(facts, side ^ 1u), sizes->first.frame, sizes->again + 1, where);
}

/* The answerer asks again and again for data of the caller. */
static gchar *unread(const struct trouble_facts *facts, unsigned answerer)
{
    const struct trouble_reading *reading = &facts->path[answerer].reading;
    const char *reader = side_name(facts, answerer), *owner = side_name(facts, answerer ^ 1u);

    if (reading->again > 0 && reading->responses > 0)
        return g_strdup_printf("%s sent the Read Request in frame %" PRIu32 " %" PRIu32 " times, and %s sent %" PRIu32
                               " Read Responses, which do not arrive: look at the network towards %s%s",
                               reader, reading->first.frame, reading->again + 1, owner, reading->responses, reader,
                               reading->octets > SMALL ? ", first at the MTU of the path" : "");
    if (reading->again > 0 || facts->path[answerer].asks.requests > facts->path[answerer].asks.responses)
        return g_strdup_printf(
            "%s waits for the Read Response to its Read Request in frame %" PRIu32
            ": look at %s, and at the network between them",
            reader, reading->again > 0 ? reading->first.frame : facts->path[answerer].asks.last.frame, owner);
    return NULL;
}

gchar *around_advice(const struct trouble_facts *facts, const struct trouble_call *call)
{
    unsigned caller = call->side & 1u, answerer = caller ^ 1u;
    const struct trouble_side *side = &facts->side[answerer];
    const struct trouble_probe *probe = &facts->path[caller].probe;
    gchar *advice = unacknowledged(facts, caller);

    if (!advice)
        advice = unacknowledged(facts, answerer);
    if (!advice && !facts->hole)
        advice = unread(facts, answerer);
    if (advice)
        return advice;
    if (probe->n > 1)
        return g_strdup_printf("the transport of %s acknowledged the Call, but answered none of %" PRIu32
                               " keepalives from frame %" PRIu32
                               " on: its host is down or stuck, or the network drops packets",
                               side_name(facts, answerer), probe->n, probe->first.frame);
    if (side->spoke.time_ns > call->call.time_ns && side->spoke.frame != facts->answered.frame &&
        side->spoke.time_ns >= facts->answered.time_ns && facts->path[answerer].asks.last.frame != side->spoke.frame)
        return g_strdup_printf("%s has received the Call, began to answer, and stopped in frame %" PRIu32
                               ": look at its log, and whether its host is up",
                               side_name(facts, answerer), side->spoke.frame);
    return NULL;
}

/* ---- pause frames ---- */

static const char *role_of_mac(const struct saying *saying, const uint8_t mac[6])
{
    const struct trouble_facts *facts = facts_at(saying, 0);

    for (unsigned side = 0; facts->around && side < 2; side++)
        if (say_way_of(facts, side)->mac_known && memcmp(say_way_of(facts, side)->mac, mac, 6) == 0)
            return side_name(facts, side);
    return NULL;
}

static void say_pauser(const struct saying *saying, const struct around_pauser *pauser)
{
    const char *role = role_of_mac(saying, pauser->mac), *separator = " of priority ";
    GString *text = g_string_new(NULL);
    struct trouble *trouble;
    char mac[MAC_TEXT_SIZE], time[UNITS_SIZE];

    g_string_append_printf(text, "%" PRIu32 " pause frame%s", pauser->all.n, pauser->all.n == 1 ? "" : "s");
    for (unsigned i = 0; i < AROUND_PRIORITIES; i++)
        if (pauser->of[i] > 0) {
            g_string_append_printf(text, "%s%u", separator, i);
            separator = ", ";
        }
    g_string_append_printf(text, " from %s (%s), from frame %" PRIu32 " on: %s paused", mac_text(pauser->mac, mac),
                           role ? role : "a switch, or another host", pauser->all.first.frame,
                           units_time(pauser->paused_ns, time));
    trouble = say(saying, TROUBLE_PAUSED, facts_at(saying, 0), pauser->all.first, g_string_free(text, FALSE));
    trouble->count = pauser->all.n;
    trouble->time = pauser->paused_ns;
    say_next(trouble, role ? g_strdup_printf("the adapter of %s takes packets too slowly: look at its pause counters, "
                                             "its PCIe link and its memory",
                                             role)
                           : g_strdup("a queue of the sender of these frames is full: look for other traffic there"));
}

/* ---- traffic classes ---- */

static bool has_class(const struct around_way *way)
{
    return way->same >= CLASS_LEAST && way->differing < way->same / CLASS_SHARE + 1;
}

static void say_classes(const struct saying *saying, const struct trouble_facts *facts)
{
    const struct around_way *ask = say_way_of(facts, facts->opener & 1u),
                            *answer = say_way_of(facts, (facts->opener & 1u) ^ 1u);
    struct trouble *trouble;

    if (!ask || !has_class(ask) || !has_class(answer) || ask->dscp == answer->dscp)
        return;
    trouble = say(saying, TROUBLE_CLASSES, facts, ask->dscp_first,
                  g_strdup_printf("the packets of the client have DSCP %u (frame %" PRIu32
                                  "), those of the server DSCP %u (frame %" PRIu32
                                  "): the two directions are in different traffic classes",
                                  ask->dscp, ask->dscp_first.frame, answer->dscp, answer->dscp_first.frame));
    say_next(trouble,
             g_strdup("PFC and ECN of the switches may protect only one of them: set the same traffic class on "
                      "both sides"));
}

/* ---- cut packets ---- */

static void around_say_cut(const struct saying *saying)
{
    const struct around *around = saying->troubles->around;
    uint64_t calls = 0, unknown = 0;
    bool unseen = false, unrecognised = false;
    GString *text;

    for (guint i = 0; i < saying->facts->len; i++) {
        calls += facts_at(saying, i)->calls;
        unseen |= facts_at(saying, i)->usual_port && facts_at(saying, i)->parts > 0 && facts_at(saying, i)->calls == 0;
        unrecognised |= facts_at(saying, i)->may_call && facts_at(saying, i)->parts > 0 &&
                        facts_at(saying, i)->calls == 0 && around->longest < HEADERS;
        unknown += facts_at(saying, i)->answers - MIN(facts_at(saying, i)->statuses, facts_at(saying, i)->answers);
    }
    if (around->cut == 0 || (around->shorter == 0 && unknown == 0 && !unseen && !unrecognised))
        return;
    text = g_string_new(NULL);
    if (around->shorter > 0)
        g_string_append_printf(text,
                               "%" PRIu64 " packets are shorter than their IP length, %" PRIu32
                               " octets at most, though the capture file does not say that they were cut",
                               around->shorter, around->longest);
    else
        g_string_append_printf(text, "%" PRIu64 " packets are cut to %" PRIu32 " octets (snap length)", around->cut,
                               around->longest);
    if (unknown > 0)
        g_string_append_printf(
            text, ": RPC headers are cut, so the statuses of %" PRIu64 " Replies to %" PRIu64 " Calls are unknown",
            unknown, calls);
    else if (unseen)
        g_string_append(text, ": RPC headers are cut, so Calls and statuses are unknown");
    else if (unrecognised)
        g_string_append(text, ": too little of each Send is left to recognise what it carries");
    say_next(say(saying, TROUBLE_CUT, facts_at(saying, 0), around->cut_first, g_string_free(text, FALSE)),
             g_strdup("capture again without a snap length, or with 256 octets or more, and without a converter"));
}

/* ---- PSNs ---- */

static void say_psn(const struct saying *saying, const struct trouble_facts *facts, unsigned side)
{
    const struct trouble_psn *psn = &facts->psn[side];
    GString *text;

    if (!trouble_psn_is_wrong(psn))
        return;
    text = g_string_new(NULL);
    g_string_append_printf(text,
                           "%s begins with PSN %" PRIu32 " in frame %" PRIu32 ", but the %s in frame %" PRIu32
                           " told it to begin with PSN %" PRIu32,
                           side_name(facts, side), psn->first, psn->first_at.frame,
                           side == (facts->opener & 1u) ? "ConnectReply" : "ConnectRequest", psn->named_at.frame,
                           psn->named);
    if (trouble_happened(&psn->nak))
        g_string_append_printf(text, ": %s refuses it (NAK, PSN sequence error, in frame %" PRIu32 ")",
                               side_name(facts, side ^ 1u), psn->nak.frame);
    say_next(say(saying, TROUBLE_PSN, facts, psn->first_at, g_string_free(text, FALSE)),
             g_strdup_printf("the driver of %s does not take the PSN from the set-up: look for a newer driver",
                             side_name(facts, side)));
}

/* ---- all ---- */

void say_around(const struct saying *saying)
{
    const struct around *around = saying->troubles->around;
    const struct trouble_facts *talking = NULL;

    for (guint i = 0; i < saying->facts->len; i++) {
        talking = !talking && facts_at(saying, i)->parts > 0 ? facts_at(saying, i) : talking;
        for (unsigned side = 0; side < 2; side++)
            say_psn(saying, facts_at(saying, i), side);
    }
    if (!around || !talking)
        return;
    say_classes(saying, talking);
    around_say_cut(saying);
    if (facts_at(saying, 0) != g_ptr_array_index(saying->troubles->facts, 0))
        return;
    for (unsigned i = 0; i < AROUND_PAUSERS && around->pauser[i].all.n > 0; i++)
        say_pauser(saying, &around->pauser[i]);
}
