// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_parts.h"

#include "conformance/merge/merge_walk.h"
#include "conformance/options/options.h"

#include <string.h>

/* ---- which parts there are ---- */

static gint by_number(gconstpointer a, gconstpointer b)
{
    const struct merge_capture *first = a, *second = b;

    return first->first < second->first ? -1 : first->first > second->first;
}

/* Without one that is missing, or with one twice, the totals would be wrong. */
static bool parts_in_order(const GArray *parts, char *const *paths, GError **error)
{
    for (guint i = 1; i < parts->len; i++) {
        const struct merge_capture *before = &g_array_index(parts, struct merge_capture, i - 1);
        const struct merge_capture *part = &g_array_index(parts, struct merge_capture, i);

        if (part->first == before->last + 1)
            continue;
        g_set_error(error, CHECK_ERROR, CHECK_ERROR_INPUT,
                    "%s: expected part %" G_GUINT64_FORMAT " of a capture; found part %" G_GUINT64_FORMAT
                    "; give every part exactly once",
                    paths[part->file], before->last + 1, part->first);
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

/* ---- all but the connections ---- */

static JsonObject *parts_object_of(struct merge_input *input, const char *text)
{
    JsonNode *node = text ? json_from_string(text, NULL) : NULL;
    JsonObject *object = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_dup_object(node) : NULL;

    if (node)
        json_node_unref(node);
    if (!object)
        merge_input_unread(input, MERGE_UNREADABLE);
    return object;
}

/* What of a format without them is the sum of the connections'. */
struct summing {
    struct merge_input *input;
    JsonObject *sum;
};

static bool parts_add_rules(void *ctx, struct json_view connection)
{
    const struct summing *summing = ctx;
    g_autofree gchar *text = g_strndup(json_raw(connection), connection.item->length);
    JsonObject *object = parts_object_of(summing->input, text);
    const struct merge_pair pair = {summing->input, summing->sum, object, "a connection"};
    bool ok = object && merge_join_rules(&pair, "the rules of a connection");

    if (object)
        json_object_unref(object);
    return ok;
}

static bool walk_connections(struct merge_input *input, struct merge_files *files, const struct merge_capture *capture,
                             const struct merge_walk *walk)
{
    struct json_source source;
    bool ok;

    input->path = files->paths[capture->file];
    json_source_init(&source, merge_files_at(files, capture->file, capture->from));
    ok = merge_walk_connections(input, &source, walk);
    json_source_clear(&source);
    return ok;
}

static bool sum_rules(struct merge_input *input, struct merge_files *files, const struct merge_capture *capture,
                      JsonObject *header)
{
    struct summing summing = {input, header};
    const struct merge_walk walk = {.ctx = &summing, .connection = parts_add_rules};

    json_object_set_object_member(header, "rules", json_object_new());
    return walk_connections(input, files, capture, &walk);
}

gchar *merge_header_text(struct merge_input *input, struct merge_files *files, const struct merge_capture *capture)
{
    g_autofree gchar *before =
        merge_files_text(files, capture->file, capture->begin, (size_t)(capture->from - capture->begin));
    g_autofree gchar *after = merge_files_text(files, capture->file, capture->to, (size_t)(capture->end - capture->to));

    input->path = files->paths[capture->file];
    if (before && after)
        return g_strconcat(before, "[]", after, NULL);
    merge_input_unread(input, MERGE_UNREADABLE);
    return NULL;
}

JsonObject *merge_header(struct merge_input *input, struct merge_files *files, const struct merge_capture *capture)
{
    g_autofree gchar *text = merge_header_text(input, files, capture);
    JsonObject *header = parts_object_of(input, text);

    if (!header || !capture->lacks_rules || sum_rules(input, files, capture, header))
        return header;
    json_object_unref(header);
    return NULL;
}

static bool parts_is_whole(struct merge_input *input, JsonObject *header, bool *whole)
{
    JsonObject *part = merge_object(input, header, "a capture", "part");
    uint64_t first;
    bool ended;

    if (!part || !merge_count(input, part, "a part", "first", &first) ||
        !merge_bool(input, part, "a part", "ended", &ended))
        return false;
    *whole = first == 1 && ended;
    if (*whole)
        json_object_remove_member(header, "part");
    return true;
}

JsonObject *merge_joined_header(struct merge_input *input, struct merge_files *files, const struct merge_entry *entry,
                                bool *whole)
{
    JsonObject *header = merge_header(input, files, &g_array_index(entry->parts, struct merge_capture, 0));
    bool ok = header != NULL;

    for (guint i = 1; ok && i < entry->parts->len; i++) {
        JsonObject *later = merge_header(input, files, &g_array_index(entry->parts, struct merge_capture, i));
        const struct merge_pair pair = {input, header, later, "a capture"};

        ok = later && merge_join_capture(&pair);
        if (later)
            json_object_unref(later);
    }
    if (ok && parts_is_whole(input, header, whole))
        return header;
    if (header)
        json_object_unref(header);
    return NULL;
}

/* ---- connections ---- */

/* Where a part has a connection. */
struct piece {
    uint64_t id, at;
    guint part;
    uint32_t length;
};

struct index {
    struct merge_input *input;
    uint64_t from; /* of the part */
    guint part;
    GArray *pieces; /* struct piece */
};

static bool parts_add_piece(void *ctx, struct json_view connection)
{
    struct index *index = ctx;
    struct piece piece = {.part = index->part, .length = connection.item->length};
    bool continued;

    if (!merge_view_count(index->input, connection, "a connection", "id", &piece.id) ||
        !merge_view_bool(index->input, connection, "a connection", "continued", &continued))
        return false;
    piece.at = index->from + connection.source->before + connection.source->value;
    g_array_append_val(index->pieces, piece);
    return true;
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

static bool find_pieces(struct index *index, struct merge_files *files, const GArray *parts)
{
    const struct merge_walk walk = {.ctx = index, .connection = parts_add_piece};

    for (index->part = 0; index->part < parts->len; index->part++) {
        const struct merge_capture *part = &g_array_index(parts, struct merge_capture, index->part);

        index->from = part->from;
        if (!walk_connections(index->input, files, part, &walk))
            return false;
    }
    g_array_sort(index->pieces, parts_by_id);
    return true;
}

static gchar *parts_text_of(struct merge_input *input, struct merge_files *files, const GArray *parts,
                            const struct piece *piece)
{
    const struct merge_capture *part = &g_array_index(parts, struct merge_capture, piece->part);

    input->path = files->paths[part->file];
    return merge_files_text(files, part->file, piece->at, piece->length);
}

static bool join_piece(struct merge_input *input, JsonObject *connection, const gchar *text)
{
    JsonObject *later = parts_object_of(input, text);
    const struct merge_pair pair = {input, connection, later, "a connection"};
    bool continued, ok = later && merge_bool(input, later, "a connection", "continued", &continued);

    if (ok && !continued)
        ok = merge_input_wrong(input, "a connection", "continued", "true where an earlier part has the connection");
    ok = ok && merge_join_connection(&pair);
    if (later)
        json_object_unref(later);
    return ok;
}

/* Pieces of one connection. NULL: input->error says why. */
static JsonObject *join_pieces(struct merge_input *input, struct merge_files *files, const GArray *parts,
                               const struct piece *pieces, guint n)
{
    g_autofree gchar *first = parts_text_of(input, files, parts, &pieces[0]);
    JsonObject *connection = parts_object_of(input, first);
    bool ok = connection != NULL;

    for (guint i = 1; ok && i < n; i++) {
        g_autofree gchar *text = parts_text_of(input, files, parts, &pieces[i]);

        ok = join_piece(input, connection, text);
    }
    if (ok || !connection)
        return connection;
    json_object_unref(connection);
    return NULL;
}

static void make_whole(JsonObject *connection)
{
    json_object_remove_member(connection, "continued");
    json_object_remove_member(connection, "continues");
    merge_fold(connection);
}

/* To the taker, as if it had been read. */
static void parts_hand_over(JsonObject *connection, const struct merge_take *taker)
{
    JsonNode *node = json_node_init_object(json_node_alloc(), connection);
    gchar *text = json_to_string(node, TRUE);
    struct json_source source;

    json_node_unref(node);
    json_source_init_text(&source, text, strlen(text));
    if (json_read(&source))
        taker->take(taker->ctx, json_whole(&source));
    json_source_clear(&source);
}

static guint same_id(const GArray *pieces, guint from)
{
    guint n = 1;

    while (from + n < pieces->len &&
           g_array_index(pieces, struct piece, from + n).id == g_array_index(pieces, struct piece, from).id)
        n++;
    return n;
}

bool merge_joined_connections(struct merge_input *input, struct merge_files *files, const struct merge_entry *entry,
                              bool whole, const struct merge_take *taker)
{
    struct index index = {.input = input, .pieces = g_array_new(FALSE, FALSE, sizeof(struct piece))};
    bool ok = find_pieces(&index, files, entry->parts);

    for (guint i = 0, n; ok && i < index.pieces->len; i += n) {
        JsonObject *connection;

        n = same_id(index.pieces, i);
        connection = join_pieces(input, files, entry->parts, &g_array_index(index.pieces, struct piece, i), n);
        ok = connection != NULL;
        if (!ok)
            break;
        if (whole)
            make_whole(connection);
        parts_hand_over(connection, taker);
        json_object_unref(connection);
    }
    g_array_unref(index.pieces);
    return ok;
}
