// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_stats.h"

#include "conformance/stats/stat_guest.h"

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

static uint64_t octets_of(const struct statistics *statistics)
{
    return statistics->carrier[0].n[CARRIER_OCTETS] + statistics->carrier[1].n[CARRIER_OCTETS];
}

static gint by_octets(gconstpointer a, gconstpointer b)
{
    const struct stats_entry *first = a, *second = b;
    uint64_t one = octets_of(first->connection->statistics), other = octets_of(second->connection->statistics);

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

struct statistics *stats_of_all(const GArray *entries)
{
    struct statistics *all;
    unsigned n = 0;

    for (guint i = 0; i < entries->len; i++)
        n += g_array_index(entries, struct stats_entry, i).connection->statistics->calls != NULL;
    all = n > 1 ? statistics_new() : NULL;
    for (guint i = 0; all && i < entries->len; i++)
        statistics_add_calls(all, g_array_index(entries, struct stats_entry, i).connection->statistics);
    return all;
}
