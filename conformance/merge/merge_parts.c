// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_parts.h"

#include "conformance/options/options.h"

/* ---- completeness ---- */

static gint by_number(gconstpointer a, gconstpointer b)
{
    const struct merge_capture *first = a, *second = b;

    return first->first < second->first ? -1 : first->first > second->first;
}

/* A missing or repeated part would falsify the totals. */
static bool parts_in_order(const GArray *parts, char *const *paths, GError **error)
{
    for (guint i = 1; i < parts->len; i++) {
        const struct merge_capture *before = &g_array_index(parts, struct merge_capture, i - 1);
        const struct merge_capture *part = &g_array_index(parts, struct merge_capture, i);

        if (before->ended && part->first > before->last) {
            g_set_error(
                error, CHECK_ERROR, CHECK_ERROR_INPUT,
                "%s: part %u of a capture whose last part is %u, in %s; leave out the part that is not of this run",
                paths[part->file], part->first, before->last, paths[before->file]);
            return false;
        }
        if (part->first == before->last + 1)
            continue;
        g_set_error(error, CHECK_ERROR, CHECK_ERROR_INPUT,
                    "%s: expected part %u of a capture; found part %u; give every part exactly once", paths[part->file],
                    before->last + 1, part->first);
        return false;
    }
    return true;
}

static void clear_entry(gpointer entry)
{
    g_array_unref(((struct merge_entry *)entry)->parts);
}

static void parts_add_part(GArray *entries, GHashTable *by_series, const struct merge_capture *capture)
{
    GArray *parts = capture->series ? g_hash_table_lookup(by_series, capture->series) : NULL;

    if (!parts) {
        struct merge_entry entry = {g_array_sized_new(FALSE, FALSE, sizeof(struct merge_capture), 1)};

        parts = entry.parts;
        g_array_append_val(entries, entry);
        if (capture->series)
            g_hash_table_insert(by_series, (gpointer)capture->series, parts);
    }
    g_array_append_val(parts, *capture);
}

GArray *merge_entries(const GArray *captures, char *const *paths, GError **error)
{
    GArray *entries = g_array_new(FALSE, FALSE, sizeof(struct merge_entry));
    GHashTable *by_series = g_hash_table_new(NULL, NULL); /* names are interned */
    bool ok = true;

    g_array_set_clear_func(entries, clear_entry);
    for (guint i = 0; i < captures->len; i++)
        parts_add_part(entries, by_series, &g_array_index(captures, struct merge_capture, i));
    g_hash_table_unref(by_series);
    for (guint i = 0; ok && i < entries->len; i++) {
        GArray *parts = g_array_index(entries, struct merge_entry, i).parts;

        g_array_sort(parts, by_number);
        ok = parts_in_order(parts, paths, error);
    }
    if (ok)
        return entries;
    g_array_unref(entries);
    return NULL;
}

bool merge_any_trouble(const GArray *entries)
{
    for (guint i = 0; i < entries->len; i++)
        if (merge_last_part(&g_array_index(entries, struct merge_entry, i))->trouble)
            return true;
    return false;
}

/* ---- connections ---- */

/* Where a part has a connection. */
struct piece {
    uint64_t id, at;
    guint part;
    uint32_t number; /* of the line */
};

static bool add_piece(struct merge_lines *lines, guint part, GArray *pieces)
{
    struct piece piece = {.at = lines->begin, .part = part, .number = lines->number};

    if (!json_want_count(&lines->reading, lines->object, "a connection", "id", UINT32_MAX, &piece.id))
        return merge_lines_wrong(lines);
    g_array_append_val(pieces, piece);
    return true;
}

/* NULL: success; otherwise the error, which the caller frees. */
static gchar *find_pieces(struct merge_files *files, const struct merge_capture *part, guint number, GArray *pieces)
{
    struct merge_lines lines;
    gchar *error;

    merge_lines_init(&lines, files->paths[part->file], merge_files_at(files, part->file, part->begin), part->begin);
    lines.number = part->number - 1;
    while (lines.end < part->line && merge_lines_next(&lines))
        add_piece(&lines, number, pieces);
    error = g_steal_pointer(&lines.error);
    merge_lines_clear(&lines);
    return error;
}

static gint parts_by_id(gconstpointer a, gconstpointer b)
{
    const struct piece *first = a, *second = b;

    if (first->id != second->id)
        return first->id < second->id ? -1 : 1;
    if (first->part != second->part)
        return first->part < second->part ? -1 : 1;
    return first->at < second->at ? -1 : first->at > second->at;
}

/* Reads a part's connection, and its rules into line->rules. NULL: see *error. */
static struct report_connection *read_piece(struct merge_files *files, const struct merge_capture *part,
                                            const struct piece *piece, struct report_line *line, gchar **error)
{
    struct report_connection *connection = NULL;
    struct merge_lines lines;

    merge_lines_init(&lines, files->paths[part->file], merge_files_at(files, part->file, piece->at), piece->at);
    lines.number = piece->number - 1;
    lines.reading.ctx = line;
    line->start_ns = part->start_ns;
    if (merge_lines_next(&lines)) {
        connection = report_line_read_connection(&lines.reading, lines.object);
        if (!connection)
            merge_lines_wrong(&lines);
    } else {
        merge_lines_fail(&lines, "cannot be read");
    }
    *error = g_steal_pointer(&lines.error);
    merge_lines_clear(&lines);
    return connection;
}

static struct report_connection *join_pieces(struct merge_files *files, const struct merge_entry *entry,
                                             const struct piece *pieces, guint n, struct merge_joining *joining)
{
    const struct merge_capture *parts = (const void *)entry->parts->data;
    struct report_connection *connection =
        read_piece(files, &parts[pieces[0].part], &pieces[0], joining->line, &joining->error);

    merge_rules_set(joining->rules, joining->line->rules);
    for (guint i = 1; connection && i < n; i++) {
        struct report_connection *later =
            read_piece(files, &parts[pieces[i].part], &pieces[i], joining->line, &joining->error);

        if (!later) {
            report_connection_free(connection);
            return NULL;
        }
        merge_join_connection(connection, later);
        merge_rules_add(joining->rules, joining->line->rules);
        report_connection_free(later);
    }
    return connection;
}

static guint same_id(const GArray *pieces, guint from)
{
    guint n = 1;

    while (from + n < pieces->len &&
           g_array_index(pieces, struct piece, from + n).id == g_array_index(pieces, struct piece, from).id)
        n++;
    return n;
}

bool merge_joined_connections(struct merge_files *files, const struct merge_entry *entry, struct merge_joining *joining)
{
    g_autoptr(GArray) pieces = g_array_new(FALSE, FALSE, sizeof(struct piece));

    for (guint i = 0; !joining->error && i < entry->parts->len; i++)
        joining->error = find_pieces(files, &g_array_index(entry->parts, struct merge_capture, i), i, pieces);
    g_array_sort(pieces, parts_by_id);
    for (guint i = 0, n; !joining->error && i < pieces->len; i += n) {
        struct report_connection *connection;

        n = same_id(pieces, i);
        connection = join_pieces(files, entry, &g_array_index(pieces, struct piece, i), n, joining);
        if (connection)
            joining->take(joining->ctx, connection);
        report_connection_free(connection);
    }
    return !joining->error;
}
