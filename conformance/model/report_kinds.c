// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/model/report_kinds.h"

#include <arpa/inet.h>
#include <string.h>

char *report_kind_pattern(const char *message)
{
    GString *text = g_string_new(NULL);

    while (*message != '\0') {
        size_t numbers = waiver_numbers(message), n = 0;

        while (g_ascii_isalnum(message[n]))
            n++;
        if (numbers > 0)
            g_string_append_c(text, '#');
        else
            g_string_append_len(text, message, (gssize)MAX(n, 1));
        message += numbers > 0 ? numbers : MAX(n, 1);
    }
    return g_string_free(text, FALSE);
}

guint report_kind_hash(gconstpointer kind)
{
    const struct report_kind *one = kind;

    return g_str_hash(one->found) ^ (guint)one->rule;
}

gboolean report_kind_equal(gconstpointer kind, gconstpointer other)
{
    const struct report_kind *one = kind, *two = other;

    return one->rule == two->rule && one->direction == two->direction &&
           g_strcmp0(one->subject.operation, two->subject.operation) == 0 &&
           g_strcmp0(one->subject.kind, two->subject.kind) == 0 && strcmp(one->found, two->found) == 0;
}

static void free_kind(gpointer data)
{
    struct report_kind *kind = data;

    g_free(kind->found);
    g_free(kind);
}

/* A key for the lookup; g_free() found. */
static struct report_kind kinds_kind_of(const struct report_finding *finding, const char *message)
{
    return (struct report_kind){.rule = finding->rule,
                                .direction = finding->direction,
                                .subject = finding->subject,
                                .found = report_kind_pattern(message),
                                .frame = finding->frame};
}

void report_kinds_add(GHashTable **kinds, const struct report_finding *finding, const char *message)
{
    struct report_kind kind = kinds_kind_of(finding, message), *known;

    if (!*kinds)
        *kinds = g_hash_table_new_full(report_kind_hash, report_kind_equal, NULL, free_kind);
    known = g_hash_table_lookup(*kinds, &kind);
    if (known) {
        g_free(kind.found);
    } else {
        known = g_memdup2(&kind, sizeof kind);
        g_hash_table_add(*kinds, known);
    }
    known->times++;
}

void report_kinds_drop(GHashTable *kinds, const struct report_finding *finding)
{
    struct report_kind kind = kinds_kind_of(finding, finding->message), *known = g_hash_table_lookup(kinds, &kind);

    if (known && --known->times == 0)
        g_hash_table_remove(kinds, known);
    g_free(kind.found);
}

char *report_kind_address(const struct endpoint *end)
{
    char text[INET6_ADDRSTRLEN];

    if (end->ip != 4 && end->ip != 6)
        return NULL;
    return g_strdup(inet_ntop(end->ip == 4 ? AF_INET : AF_INET6, end->address, text, sizeof text));
}
