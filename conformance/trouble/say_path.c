// SPDX-License-Identifier: GPL-2.0-or-later
/* What the path and the transports did to packets: one line for each side and kind, over all connections. */
#include "conformance/trouble/saying.h"
#include "engine/packet/decap.h"

#include <inttypes.h>

enum { AGAIN_LEAST = 3, DELAYS_LEAST = 3, BELOW_BTH = 28, BELOW_TCP = 40 /* for IPv4, with UDP or TCP */, PING = 28 };

static const uint64_t closed_least_ns = 1000000000, stalled_least_ns = 1000000000;

/* The side with a role: the client is 0, the server 1. */
static unsigned path_side_of(const struct trouble_facts *facts, unsigned role)
{
    return (facts->opener & 1u) ^ role;
}

static const struct trouble_path *say_path_of(const struct trouble_facts *facts, unsigned role)
{
    return &facts->path[path_side_of(facts, role)];
}

static const char *role_name(unsigned role)
{
    return role == 0 ? "the client" : "the server";
}

/* ---- large packets are lost, small ones are not ---- */

/* The other side was heard later: it is alive, but has not received this packet. */
static bool stuck(const struct saying *saying, const struct trouble_facts *facts, unsigned role)
{
    const struct trouble_sizes *sizes = &say_path_of(facts, role)->sizes;
    const struct trouble_event *since = &sizes->first;
    unsigned other = path_side_of(facts, role) ^ 1u;

    if (!sizes->waiting || sizes->again < AGAIN_LEAST || facts->hole)
        return false;
    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *later = facts_at(saying, i);
        const struct trouble_side *heard = &later->side[path_side_of(later, role) ^ 1u];

        if (later != facts && trouble_happened(&heard->first) && heard->last.time_ns > since->time_ns)
            return true;
    }
    return facts->side[other].last.time_ns > since->time_ns || trouble_happened(&facts->side[other].ended) ||
           facts->last.time_ns > facts->side[facts->closer].ended.time_ns;
}

static void say_size(const struct saying *saying, unsigned role)
{
    const struct trouble_facts *first = NULL;
    uint32_t acked = 0, least = UINT32_MAX, times = 0;
    struct endpoint to = role == 0 ? saying->server : saying->client;
    char receiver[ENDPOINT_TEXT_SIZE];
    struct trouble *trouble;
    unsigned below;

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_sizes *sizes = &say_path_of(facts_at(saying, i), role)->sizes;

        acked = MAX(acked, sizes->acked_most);
        if (!stuck(saying, facts_at(saying, i), role))
            continue;
        first = first ? first : facts_at(saying, i);
        least = MIN(least, sizes->size);
        times += sizes->again + 1;
    }
    if (!first || acked == 0 || least <= acked)
        return;
    below = first->ib ? BELOW_BTH : BELOW_TCP;
    to.port = 0;
    trouble =
        say(saying, TROUBLE_SIZE, first, say_path_of(first, role)->sizes.first,
            g_strdup_printf("no packet above %" PRIu32 " octets towards %s (%s) was ever acknowledged, while smaller "
                            "ones were: one of %" PRIu32 " octets was sent %" PRIu32 " times",
                            acked + below, endpoint_text(&to, receiver), role_name(role ^ 1u), least + below, times));
    say_next(trouble, g_strdup_printf("look at the MTU of the path: on %s, ping -M do -s %" PRIu32 " %s",
                                      role_name(role), least + below - PING, receiver));
    for (guint i = 0; i < saying->facts->len; i++)
        if (stuck(saying, facts_at(saying, i), role))
            say_also(trouble, facts_at(saying, i));
}

/* ---- a receiver that cannot take more ---- */

static void say_window(const struct saying *saying, unsigned role)
{
    const struct trouble_facts *worst = NULL;
    struct trouble *trouble;
    char time[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++)
        if (!worst ||
            say_path_of(facts_at(saying, i), role)->window.longest_ns > say_path_of(worst, role)->window.longest_ns)
            worst = facts_at(saying, i);
    if (!worst || say_path_of(worst, role)->window.longest_ns < closed_least_ns)
        return;
    trouble = say(saying, TROUBLE_WINDOW, worst, say_path_of(worst, role)->window.first,
                  g_strdup_printf("%s announced a TCP window of 0 from frame %" PRIu32 " on, for %s: %s could not send",
                                  role_name(role), say_path_of(worst, role)->window.first.frame,
                                  units_time(say_path_of(worst, role)->window.longest_ns, time), role_name(role ^ 1u)));
    trouble->time = say_path_of(worst, role)->window.longest_ns;
    say_next(trouble,
             g_strdup_printf("look at the processors, the buffers and the application of %s", role_name(role)));
}

static void say_not_ready(const struct saying *saying, unsigned role)
{
    const struct trouble_facts *first = NULL;
    uint64_t naks = 0, early = 0;
    int64_t least = INT64_MAX;
    const struct trouble_not_ready *of;
    struct trouble *trouble;
    GString *text;
    char timer[UNITS_SIZE], waited[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        of = &say_path_of(facts_at(saying, i), role)->not_ready;
        first = first || of->naks == 0 ? first : facts_at(saying, i);
        naks += of->naks;
        early += of->early;
        least = of->early > 0 ? MIN(least, of->waited_least_ns) : least;
    }
    if (!first)
        return;
    of = &say_path_of(first, role)->not_ready;
    units_time((uint64_t)of->timer_ns, timer);
    text = g_string_new(NULL);
    g_string_append_printf(text, "%s was not ready to receive %" PRIu64 " time%s and asked for %s each (RNR NAK)",
                           role_name(role), naks, naks == 1 ? "" : "s", timer);
    if (early > 0)
        g_string_append_printf(text, ", but %s retransmitted after as little as %s, %" PRIu64 " time%s too early",
                               role_name(role ^ 1u), units_time((uint64_t)MAX(least, 0), waited), early,
                               early == 1 ? "" : "s");
    trouble = say(saying, early > 0 ? TROUBLE_NOT_READY : TROUBLE_WAITED, first, of->first, g_string_free(text, FALSE));
    trouble->count = naks;
    say_next(trouble, early > 0
                          ? g_strdup_printf("the driver of %s does not wait for the timer: look for a newer driver",
                                            role_name(role ^ 1u))
                          : g_strdup_printf("%s posts too few Receives, or posts them too late", role_name(role)));
}

static void path_say_read(const struct saying *saying, unsigned role)
{
    struct trouble *trouble;

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_read *read = &say_path_of(facts_at(saying, i), role)->read;

        if (read->n == 0 || facts_at(saying, i)->hole)
            continue;
        trouble = say(
            saying, TROUBLE_READ_CONTINUED, facts_at(saying, i), read->first,
            g_strdup_printf("the Read Request with PSN %" PRIu32 " of %s was never answered; it was continued "
                            "at PSN %" PRIu32 ", %" PRIu32 " time%s, though no response had come",
                            read->first_psn, role_name(role), read->continued_psn, read->n, read->n == 1 ? "" : "s"));
        trouble->count = read->n;
        say_next(trouble, g_strdup_printf(
                              "the driver of %s mistakes a lost Request for a lost response: look for a newer driver",
                              role_name(role)));
        return;
    }
}

/* ---- what is slow ---- */

/* Packets of one side that were lost and acknowledged late. */
static void say_stall(const struct saying *saying, unsigned role)
{
    const struct trouble_stall *worst = NULL;
    const struct trouble_facts *facts = NULL;
    uint64_t n = 0, sum = 0;
    struct trouble *trouble;
    char longest[UNITS_SIZE], all[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_stall *stall = &say_path_of(facts_at(saying, i), role)->stall;

        if (say_path_of(facts_at(saying, i), role ^ 1u)->not_ready.naks > 0)
            continue; /* the other side asked for the retransmission */
        n += stall->n;
        sum += stall->sum_ns;
        if (stall->n > 0 && (!worst || stall->longest_ns > worst->longest_ns)) {
            worst = stall;
            facts = facts_at(saying, i);
        }
    }
    if (!worst || sum < stalled_least_ns)
        return;
    units_time(worst->longest_ns, longest);
    trouble = say(
        saying, TROUBLE_STALL, facts, worst->first,
        n == 1 ? g_strdup_printf("packets of %s were not acknowledged and were sent again: an acknowledgment took %s",
                                 role_name(role), longest)
               : g_strdup_printf("packets of %s were not acknowledged and were sent again: %" PRIu64
                                 " times an acknowledgment "
                                 "took long, %s together, %s at most",
                                 role_name(role), n, units_time(sum, all), longest));
    trouble->count = n;
    trouble->time = sum;
    say_next(trouble, g_strdup_printf("look at the network towards %s: %s", role_name(role ^ 1u),
                                      facts->ib ? "the counters of ports and switches, PFC and ECN"
                                                : "the counters of interfaces and switches"));
}

static void say_delay(const struct saying *saying, unsigned role)
{
    const struct trouble_facts *first = NULL;
    uint64_t n = 0, sum = 0;
    struct trouble *trouble;
    char each[UNITS_SIZE], all[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_delay *delay = &say_path_of(facts_at(saying, i), role)->delay;

        first = first || delay->n == 0 ? first : facts_at(saying, i);
        n += delay->n;
        sum += delay->sum_ns;
    }
    if (n < DELAYS_LEAST)
        return;
    trouble =
        say(saying, TROUBLE_DELAYED_ACK, first, say_path_of(first, role)->delay.first,
            g_strdup_printf("data of %s waited %" PRIu64
                            " times for an ACK that came %s late, %s together: delayed ACK of %s",
                            role_name(role), n, units_time(sum / n, each), units_time(sum, all), role_name(role ^ 1u)));
    trouble->time = sum;
    say_next(trouble,
             g_strdup_printf("%s holds data back until the ACK comes (Nagle's algorithm): an application sets "
                             "TCP_NODELAY; a kernel or an adapter has no such setting: look for a newer driver",
                             role_name(role)));
}

static void say_congestion(const struct saying *saying, unsigned role)
{
    const struct trouble_facts *first = NULL;
    uint64_t marked = 0, packets = 0, told = 0;
    struct trouble *trouble;
    GString *text;
    char share[UNITS_SIZE];

    for (guint i = 0; i < saying->facts->len; i++) {
        const struct trouble_facts *facts = facts_at(saying, i);

        marked += say_path_of(facts, role)->marked;
        packets += facts->side[path_side_of(facts, role)].packets;
        told += say_path_of(facts, role ^ 1u)->congested;
        if (!first && say_path_of(facts, role)->marked + say_path_of(facts, role ^ 1u)->congested > 0)
            first = facts;
    }
    if (!first)
        return;
    text = g_string_new(NULL);
    if (marked > 0)
        g_string_append_printf(text,
                               "%s of the packets from %s were marked by the network (CE, %" PRIu64 " of %" PRIu64 ")",
                               units_share(marked, packets, share), role_name(role), marked, packets);
    if (told > 0)
        g_string_append_printf(text, "%s%s sent %" PRIu64 " %s", marked > 0 ? ", " : "", role_name(role ^ 1u), told,
                               first->ib ? "CNPs" : "segments with ECE");
    g_string_append_printf(text, ": the network slows %s down", role_name(role));
    trouble = say(saying, TROUBLE_CONGESTION, first, first->first, g_string_free(text, FALSE));
    trouble->count = marked + told;
    say_next(trouble,
             g_strdup_printf("a queue towards %s is full: look for other traffic on the path", role_name(role ^ 1u)));
}

void say_path(const struct saying *saying)
{
    for (unsigned role = 0; role < 2; role++) {
        say_size(saying, role);
        say_window(saying, role);
        say_not_ready(saying, role);
        path_say_read(saying, role);
        say_stall(saying, role);
        say_delay(saying, role);
        say_congestion(saying, role);
    }
}
