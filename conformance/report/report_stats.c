// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_stats.h"

#include "conformance/stats/advice.h"
#include "conformance/stats/stat_guest.h"

#include <inttypes.h>
#include <string.h>

gchar *stats_row_label(const struct stat_key *key)
{
    return stat_guest->label(key);
}

uint64_t stats_octets(const struct stat_calls *row)
{
    return row->n[OCTETS_CALLS] + row->n[OCTETS_REPLIES] + row->n[OCTETS_READ] + row->n[OCTETS_WRITTEN];
}

uint64_t stats_span(int64_t first_ns, int64_t last_ns)
{
    return last_ns > first_ns ? (uint64_t)last_ns - (uint64_t)first_ns : 0;
}

static uint64_t stats_octets_of(const struct statistics *statistics)
{
    uint64_t octets = 0;

    if (statistics->tapped) { /* without a carrier */
        for (const struct stat_calls *row = statistics->calls; row; row = row->next)
            octets += row->key.operation ? 0 : stats_octets(row);
        return octets;
    }
    return statistics->carrier[0].n[CARRIER_OCTETS] + statistics->carrier[1].n[CARRIER_OCTETS];
}

static gint by_octets(gconstpointer a, gconstpointer b)
{
    const struct stats_entry *first = a, *second = b;
    uint64_t one = stats_octets_of(first->connection->statistics),
             other = stats_octets_of(second->connection->statistics);

    if (one != other)
        return one > other ? -1 : 1;
    return first->connection->id < second->connection->id ? -1 : first->connection->id > second->connection->id;
}

GArray *stats_entries(const struct report *report)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct stats_entry));

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint k = 0; k < capture->connections->len; k++) {
            struct stats_entry entry = {capture, g_ptr_array_index(capture->connections, k)};

            if (entry.connection->statistics)
                g_array_append_val(entries, entry);
        }
    }
    g_array_sort(entries, by_octets);
    return entries;
}

static const struct statistics *of_rest(const struct report *report, guint i)
{
    return ((const struct report_capture *)g_ptr_array_index(report->captures, i))->rest.statistics;
}

struct statistics *stats_of_all(const struct report *report, const GArray *entries)
{
    struct statistics *all;
    unsigned n = 0;

    for (guint i = 0; i < entries->len; i++)
        n += g_array_index(entries, struct stats_entry, i).connection->statistics->calls != NULL;
    for (guint i = 0; i < report->captures->len; i++)
        n += of_rest(report, i) && of_rest(report, i)->calls;
    all = n > 1 ? statistics_new() : NULL;
    for (guint i = 0; all && i < report->captures->len; i++)
        if (of_rest(report, i))
            statistics_add_calls(all, of_rest(report, i));
    for (guint i = 0; all && i < entries->len; i++)
        statistics_add_calls(all, g_array_index(entries, struct stats_entry, i).connection->statistics);
    return all;
}

/* ---- advice ---- */

/* Omits advice that is merely likely, or repeats: known trouble explains the time better. */
static bool is_less_than_known(const char *id)
{
    static const char *const guesses[] = {"server-time",        "moving-data", "round-trips", "idle-client",
                                          "one-call-at-a-time", "parts",       "unanswered",  "closed-window"};

    for (size_t i = 0; i < G_N_ELEMENTS(guesses); i++)
        if (strcmp(id, guesses[i]) == 0)
            return true;
    return false;
}

static void prepend(GArray *advices, const struct trouble *trouble)
{
    struct advice advice = {.id = "what-happened", .rank = ADVICE_PROBLEM, .share = 1};
    g_autofree gchar *clock = trouble_clock(trouble->time_ns);

    advice.what = g_strdup_printf("%c%s.", g_ascii_toupper(trouble->words[0]), trouble->words + 1);
    advice.figures = g_strdup_printf("from \"What happened\": %s, frame %" PRIu32, clock, trouble->frame);
    advice.next = g_strdup(trouble->next);
    g_array_insert_val(advices, 0, advice);
}

/* The trouble took most of the connection's time. */
static bool stats_explains(const struct trouble *trouble, const struct statistics *statistics)
{
    return trouble->kind != TROUBLE_OUTAGE &&
           trouble->time >= stats_span(statistics->first_ns, statistics->last_ns) / 2;
}

GArray *stats_advice(const struct stats_entry *entry)
{
    const GPtrArray *troubles = entry->capture->troubles->list;
    GArray *advices = advice_of(entry->connection->statistics);
    bool known = false, explained = false;

    for (guint i = troubles->len; i > 0; i--) {
        const struct trouble *trouble = g_ptr_array_index(troubles, i - 1);

        if (!trouble_is_about(trouble, entry->connection->id))
            continue;
        prepend(advices, trouble);
        known = true;
        explained |= stats_explains(trouble, entry->connection->statistics);
    }
    for (guint i = advices->len; known && i > 0; i--) {
        const char *id = g_array_index(advices, struct advice, i - 1).id;

        if (strcmp(id, "nothing") == 0 || (explained && is_less_than_known(id)))
            g_array_remove_index(advices, i - 1);
    }
    return advices;
}
