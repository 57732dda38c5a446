// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/report/report_formats.h"

#include "conformance/model/report_kinds.h"
#include "conformance/options/options.h"
#include "conformance/report/report_parts.h"
#include "support/printable.h"

#include <inttypes.h>
#include <string.h>

/* One entry of the file: a kind of finding, on all connections where an end in this role made it. */
struct entry {
    struct report_kind kind; /* borrowed, except the number of times */
    bool role_known;
    const char *file;     /* of the first finding */
    GPtrArray *addresses; /* char *, of the ends that made it; NULL in it if an end has no address */
};

static guint waivers_hash_of(gconstpointer entry)
{
    return report_kind_hash(&((const struct entry *)entry)->kind);
}

static gboolean waivers_equal(gconstpointer a, gconstpointer b)
{
    const struct entry *one = a, *other = b;

    return one->role_known == other->role_known && report_kind_equal(&one->kind, &other->kind);
}

static void free_entry(gpointer data)
{
    struct entry *entry = data;

    g_ptr_array_unref(entry->addresses);
    g_free(entry);
}

static void add_kind(GPtrArray *entries, GHashTable *known, const struct report_capture *capture,
                     const struct report_connection *connection, const struct report_kind *kind)
{
    struct entry wanted = {.kind = *kind, .role_known = connection->roles_known, .file = capture->file};
    struct entry *entry = g_hash_table_lookup(known, &wanted);
    char *address =
        report_kind_address(kind->direction == DIR_TO_RESPONDER ? &connection->initiator : &connection->responder);

    if (entry) {
        entry->kind.times += kind->times;
    } else {
        wanted.addresses = g_ptr_array_new_with_free_func(g_free);
        entry = g_memdup2(&wanted, sizeof wanted);
        g_hash_table_add(known, entry);
        g_ptr_array_add(entries, entry);
    }
    for (guint i = 0; i < entry->addresses->len; i++)
        if (g_strcmp0(g_ptr_array_index(entry->addresses, i), address) == 0) {
            g_free(address);
            return;
        }
    g_ptr_array_add(entry->addresses, address);
}

static gint waivers_by_place(gconstpointer a, gconstpointer b)
{
    const struct report_kind *one = a, *other = b;

    if (one->rule != other->rule)
        return one->rule < other->rule ? -1 : 1;
    if (one->frame != other->frame)
        return one->frame < other->frame ? -1 : 1;
    return strcmp(one->found, other->found);
}

static void waivers_add_connection(GPtrArray *entries, GHashTable *known, const struct report_capture *capture,
                                   const struct report_connection *connection)
{
    GList *kinds = connection->kinds ? g_list_sort(g_hash_table_get_keys(connection->kinds), waivers_by_place) : NULL;

    for (GList *kind = kinds; kind; kind = kind->next)
        add_kind(entries, known, capture, connection, kind->data);
    g_list_free(kinds);
}

/* In double quotes; the text contains no other double quotes. */
static void waivers_write_quoted(FILE *out, const char *text)
{
    g_autofree gchar *line = printable_text(text);

    fputc('"', out);
    for (const char *c = line; *c != '\0'; c++)
        fprintf(out, "%s%c", *c == '"' || *c == '\\' ? "\\" : "", *c);
    fputc('"', out);
}

static void write_pair(FILE *out, const char *key, const char *value)
{
    if (!value)
        return;
    fprintf(out, "    %s: ", key);
    waivers_write_quoted(out, value);
    fputc('\n', out);
}

static void write_addresses(FILE *out, const GPtrArray *addresses)
{
    for (guint i = 0; i < addresses->len; i++)
        if (!g_ptr_array_index(addresses, i))
            return; /* an end without an address made it, too */
    for (guint i = 0; i < addresses->len; i++)
        fprintf(out, "%s\"%s\"", i == 0 ? "    addresses: [" : ", ", (const char *)g_ptr_array_index(addresses, i));
    fputs("]\n", out);
}

static void waivers_write_entry(FILE *out, const struct entry *entry, const char *date)
{
    const struct report_kind *kind = &entry->kind;
    g_autofree gchar *file = printable_text(entry->file);

    fprintf(out, "\n# %" PRIu64 " finding%s, the first in frame %" PRIu32 " of %s\n", kind->times, plural(kind->times),
            kind->frame, file);
    fprintf(out, "- id: %s\n  why: found on %s, when the list was written\n  scope:\n", rule_catalogue[kind->rule].id,
            date);
    write_addresses(out, entry->addresses);
    if (entry->role_known)
        fprintf(out, "    role: %s\n", kind->direction == DIR_TO_RESPONDER ? "initiator" : "responder");
    write_pair(out, "operation", kind->subject.operation);
    write_pair(out, "kind", kind->subject.kind);
    write_pair(out, "found", kind->found);
}

/* Their subjects are unknown. */
static void waivers_write_unlisted(const struct report *report, FILE *out)
{
    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);
        g_autofree gchar *text = report_rest_fails_text(report->options, &capture->rest);
        g_autofree gchar *file = printable_text(capture->file);

        if (text)
            fprintf(out, "# %s: %s, and have no entry here.\n", file, text);
    }
}

void report_write_waivers(const struct report *report, FILE *out)
{
    g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(free_entry);
    g_autoptr(GHashTable) known = g_hash_table_new(waivers_hash_of, waivers_equal);
    g_autoptr(GDateTime) now = g_date_time_new_now_local();
    g_autofree gchar *date = g_date_time_format(now, "%Y-%m-%d");

    for (guint i = 0; i < report->captures->len; i++) {
        const struct report_capture *capture = g_ptr_array_index(report->captures, i);

        for (guint k = 0; k < capture->connections->len; k++)
            waivers_add_connection(entries, known, capture, g_ptr_array_index(capture->connections, k));
    }
    fprintf(
        out,
        "# Findings that were known on %s, written by %s\n"
        "# Each entry waives what was found then, and nothing else: see man iwarp-waivers. Put the reason in its why,\n"
        "# and \"until: DATE\" where somebody will repair it; delete its addresses if these change.\n",
        date, report->options->command_line);
    waivers_write_unlisted(report, out);
    for (guint i = 0; i < entries->len; i++)
        waivers_write_entry(out, g_ptr_array_index(entries, i), date);
    if (entries->len == 0)
        fputs("[]\n", out);
}
