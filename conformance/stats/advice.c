// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/stats/advice_internal.h"
#include "conformance/stats/stat_guest.h"

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

/* Advice about gaps in the capture. */
static void advice_on_unknown(GArray *array, const struct statistics *s, const struct stat_calls *sums)
{
    uint64_t unknown = 0, observed = 0, holes = s->carrier[0].n[CARRIER_HOLES] + s->carrier[1].n[CARRIER_HOLES];
    char share[UNITS_SIZE];
    bool one_way = !s->tapped && (s->carrier[0].n[CARRIER_PACKETS] == 0 || s->carrier[1].n[CARRIER_PACKETS] == 0);

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
    if (!s->whole)
        advice_add(array, "holes", ADVICE_UNKNOWN, share_of(sums->n[CALLS_UNCERTAIN], sums->n[CALLS]),
                   g_strdup("Parts of this connection are missing in the capture, or could not be read."),
                   g_strdup_printf("%" PRIu64 " %s missing; %" PRIu64 " of %" PRIu64
                                   " Calls are not part of the latency figures",
                                   holes, s->ib ? "requests" : "octets", sums->n[CALLS_UNCERTAIN], sums->n[CALLS]),
                   g_strdup(one_way ? "only one direction was captured: mirror both"
                                    : "capture with a larger buffer (-B of tcpdump) and without a snap length"));
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

GArray *advice_of(const struct statistics *statistics)
{
    GArray *array = g_array_new(FALSE, FALSE, sizeof(struct advice));
    struct stat_calls sums = sum_up(statistics);

    g_array_set_clear_func(array, advice_clear);
    stat_guest->on_credits(array, statistics);
    stat_guest->on_time(array, statistics, &sums);
    stat_guest->on_calls(array, statistics, &sums);
    advice_on_operations(array, statistics, &sums);
    advice_on_carrier(array, statistics);
    advice_on_gaps(array, statistics);
    advice_on_unknown(array, statistics, &sums);
    if (nothing_stands_out(array))
        advice_add(array, "nothing", ADVICE_NOTABLE, 0, g_strdup("Nothing stands out as slow."),
                   g_strdup("no limit was reached, nothing was retransmitted, no single phase dominates"), NULL);
    g_array_sort(array, by_importance);
    for (unsigned i = 0; i < CALL_TIMES; i++)
        histogram_clear(&sums.time[i]);
    return array;
}
