// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/advice_internal.h"
#include "conformance/stats/stat_guest.h"

#include "engine/core/words.h"

#include <inttypes.h>

const char *advice_rank_name(enum advice_rank rank)
{
    static const char *const names[] = {[ADVICE_PROBLEM] = "problem",
                                        [ADVICE_NOTABLE] = "notable",
                                        [ADVICE_FACT] = "fact",
                                        [ADVICE_UNKNOWN] = "unknown"};

    return names[rank];
}

static void advice_clear(gpointer element)
{
    struct advice *advice = element;

    g_free(advice->what);
    g_free(advice->figures);
    g_free(advice->next);
}

void advice_add(GArray *array, const char *id, enum advice_rank rank, double share, gchar *what, gchar *figures,
                gchar *next)
{
    const struct advice advice = {id, rank, share, what, figures, next};

    g_array_append_val(array, advice);
}

/* ---- what was left out ---- */

static uint64_t sends_of(const struct statistics *s, unsigned side)
{
    return statistics_count_of(s, side, STAT_SEND) + statistics_count_of(s, side, STAT_SEND_INVALIDATE);
}

/* Sends that are in the capture, but cannot be read as Calls or answers. */
static uint64_t unread_sends(const struct statistics *s)
{
    uint64_t known[2] = {0}, missing[2];
    unsigned client = s->client == 1;

    if (s->whole)
        return 0;
    for (const struct stat_calls *row = s->calls; row; row = row->next) {
        unsigned caller = row->key.reverse ? client ^ 1u : client;

        if (row->key.operation)
            continue;
        known[caller] = saturating_sum(known[caller], row->n[CALLS]);
        known[caller ^ 1u] = saturating_sum(known[caller ^ 1u], row->n[CALLS_REPLIED] + row->n[CALLS_FAILED]);
    }
    known[client ^ 1u] = saturating_sum(known[client ^ 1u], s->orphans);
    for (unsigned side = 0; side < 2; side++)
        missing[side] = less(sends_of(s, side), known[side]);
    return MAX(MAX(missing[0], missing[1]), (s->unread + 1) / 2);
}

/* The share of the packets or octets that were not captured, or not understood. */
static double missing_share(const struct statistics *s)
{
    uint64_t all = 0, read = 0;

    for (unsigned side = 0; side < 2; side++) {
        all = saturating_sum(all, s->carrier[side].n[s->ib ? CARRIER_PACKETS : CARRIER_OCTETS]);
        read = saturating_sum(read, s->carrier[side].sizes.sum + s->carrier[side].n[CARRIER_RETRANSMITTED]);
    }
    return share_of(saturating_sum(s->lost, s->ib ? 0 : less(all, read)), saturating_sum(all, s->lost));
}

/* A connection from its start has packets of both directions: the answer to the request that opened it. */
static bool is_one_way(const struct statistics *s)
{
    return !s->tapped && (s->carrier[0].n[CARRIER_PACKETS] == 0 || s->carrier[1].n[CARRIER_PACKETS] == 0);
}

struct left_out advice_left_out(const struct statistics *s, const struct stat_calls *sums)
{
    enum { CALLS_ENOUGH = 8 };
    static const double much = 0.2;
    const struct histogram *latency = &sums->time[CALL_LATENCY];
    struct left_out left = {.unread = unread_sends(s), .lossy = !s->whole || (!s->from_start && is_one_way(s))};

    left.untimed = saturating_sum(saturating_sum(s->orphans, stat_unanswered(sums)), sums->n[CALLS_UNCERTAIN]);
    if (left.unread > 0 || (left.untimed > 0 && latency->count < CALLS_ENOUGH) ||
        (s->holes > 0 && missing_share(s) > much))
        left.most = UINT64_MAX / 4;
    else if (left.untimed > 0)
        left.most = product_up_to(left.untimed, latency->most, STAT_SPAN_MAX);
    return left;
}

static void advice_on_left_out(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    const struct left_out left = advice_left_out(s, sums);
    uint64_t missing = s->carrier[0].n[CARRIER_HOLES] + s->carrier[1].n[CARRIER_HOLES];
    bool one_way = is_one_way(s);
    uint64_t calls = saturating_sum(sums->n[CALLS], s->orphans);
    GString *figures;

    if (!left.lossy)
        return;
    figures = g_string_new(NULL);
    if (missing > 0)
        g_string_append_printf(figures, "%" PRIu64 " %s missing; ", missing, s->ib ? "requests" : "octets");
    g_string_append_printf(figures, "%" PRIu64 " of %" PRIu64 " Call%s timed", sums->time[CALL_LATENCY].count, calls,
                           calls == 1 ? " is" : "s are");
    if (left.untimed > 0)
        g_string_append_printf(figures,
                               "; left out: %" PRIu64 " without answer in the capture, %" PRIu64
                               " answer%s without Call, %" PRIu64 " unclear",
                               stat_unanswered(sums), s->orphans, plural(s->orphans), sums->n[CALLS_UNCERTAIN]);
    if (left.unread > 0)
        g_string_append_printf(figures, "; at least %" PRIu64 " Calls or answers are captured too short to be read",
                               left.unread);
    advice_add(array, "holes", ADVICE_UNKNOWN, ADVICE_LEFT_OUT,
               g_strdup("Parts of this connection are missing in the capture, or could not be read."),
               g_string_free(figures, FALSE),
               g_strdup(one_way ? "only one direction was captured: mirror both"
                                : "capture with a larger buffer (-B of tcpdump) and without a snap length"));
}

static void advice_on_late_start(GArray *array, const struct statistics *s)
{
    uint64_t unknown = 0, observed = 0;
    char share[UNITS_SIZE];

    for (unsigned side = 0; side < 2; side++) {
        unknown += s->credits[side].n[CREDITS_UNKNOWN];
        observed += s->credits[side].n[CREDITS_OBSERVED];
    }
    if (!s->from_start)
        advice_add(array, "starts-late", ADVICE_UNKNOWN, 1, g_strdup("The capture lacks the start of the connection."),
                   g_strdup_printf("how many Reads may be outstanding and the round trip of the handshake are unknown; "
                                   "credits were unknown for %s of the time",
                                   units_share(unknown, observed, share)),
                   g_strdup("start the capture before the mount"));
}

/* Sums over all procedures that the client calls. */
static struct stat_calls sum_up(const struct statistics *statistics)
{
    struct stat_calls sums = {.first_ns = INT64_MAX, .last_ns = INT64_MIN};

    for (const struct stat_calls *row = statistics->calls; row; row = row->next)
        if (!row->key.operation && !row->key.reverse)
            stat_calls_join(&sums, row);
    return sums;
}

static gint by_importance(gconstpointer a, gconstpointer b)
{
    const struct advice *first = a, *second = b;

    if (MAX(first->share, second->share) >= ADVICE_FIRST && first->share != second->share)
        return first->share > second->share ? -1 : 1;
    if (first->rank != second->rank)
        return first->rank < second->rank ? -1 : 1;
    return first->share > second->share ? -1 : first->share < second->share;
}

static bool nothing_stands_out(const GArray *array)
{
    for (guint i = 0; i < array->len; i++)
        if (g_array_index(array, struct advice, i).rank <= ADVICE_NOTABLE)
            return false;
    return true;
}

static void advice_on_nothing(GArray *array, bool lossy)
{
    if (lossy)
        advice_add(
            array, "withheld", ADVICE_UNKNOWN, 0, g_strdup("The capture does not show whether anything was slow."),
            g_strdup("nothing stands out in the captured part, but the part that was left out may be slow"), NULL);
    else
        advice_add(array, "nothing", ADVICE_NOTABLE, 0, g_strdup("Nothing stands out as slow."),
                   g_strdup("no limit was reached, nothing was retransmitted, no single phase dominates"), NULL);
}

GArray *advice_of(const struct statistics *statistics)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(struct advice));
    struct stat_calls sums = sum_up(statistics);

    g_array_set_clear_func(array, advice_clear);
    advice_on_left_out(array, statistics, &sums);
    stat_guest->on_credits(array, statistics, &sums);
    stat_guest->on_time(array, statistics, &sums);
    stat_guest->on_calls(array, statistics, &sums);
    advice_on_operations(array, statistics, &sums);
    advice_on_carrier(array, statistics);
    advice_on_gaps(array, statistics);
    advice_on_late_start(array, statistics);
    if (nothing_stands_out(array))
        advice_on_nothing(array, advice_left_out(statistics, &sums).lossy);
    g_array_sort(array, by_importance);
    for (unsigned i = 0; i < CALL_TIMES; i++)
        histogram_clear(&sums.time[i]);
    return array;
}
