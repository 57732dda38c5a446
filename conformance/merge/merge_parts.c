// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_parts.h"

#include "conformance/merge/merge_pair.h"
#include "conformance/merge/merge_stats.h"
#include "conformance/model/guest.h"
#include "conformance/options/options.h"

#include <string.h>

/* The parts of one capture, or a capture that is whole. */
struct series {
    const char *name; /* NULL: whole */
    GArray *captures; /* struct merge_capture */
};

/* [initiator to responder, responder to initiator] */
static bool add_both_directions(const struct merge_pair *pair, const char *name)
{
    JsonArray *a = merge_array(pair->input, pair->into, pair->what, name);
    JsonArray *b = merge_array(pair->input, pair->from, pair->what, name), *sum;

    if (!a || !b)
        return false;
    sum = json_array_new();
    for (guint i = 0; i < 2; i++) {
        uint64_t first, second;

        if (!merge_count_element(pair->input, a, i, name, &first) ||
            !merge_count_element(pair->input, b, i, name, &second) || first + second > (uint64_t)MERGE_COUNT_MAX) {
            json_array_unref(sum);
            return merge_input_wrong(pair->input, pair->what, name, "a pair of counts that can be added");
        }
        json_array_add_int_element(sum, (gint64)(first + second));
    }
    json_object_set_array_member(pair->into, name, sum);
    return true;
}

/* ---- a connection ---- */

static bool join_rule(const struct merge_pair *rules, const char *id)
{
    static const char *const counts[] = {"passed", "failed", "inconclusive", NULL};
    struct merge_pair rule;

    if (!json_object_has_member(rules->into, id))
        return merge_take_latest(rules, id);
    return merge_inner(rules, id, "a rule", &rule) && merge_add_counts(&rule, counts);
}

static bool join_rules(const struct merge_pair *pair, const char *what)
{
    struct merge_pair rules;

    return merge_inner(pair, "rules", what, &rules) && merge_members(&rules, join_rule);
}

static bool join_guests(const struct merge_pair *pair)
{
    for (const struct guest_face *const *face = guest_faces; *face; face++)
        if ((*face)->join && !(*face)->join(pair))
            return false;
    return true;
}

/* As in a report of all: by frame, then by octet. */
struct placed {
    uint64_t frame, offset;
    JsonObject *finding;
};

static gint by_place(gconstpointer a, gconstpointer b)
{
    const struct placed *first = a, *second = b;

    if (first->frame != second->frame)
        return first->frame < second->frame ? -1 : 1;
    return first->offset < second->offset ? -1 : first->offset > second->offset;
}

static bool place_findings(const struct merge_pair *pair, JsonObject *connection, GArray *placed)
{
    JsonArray *findings = merge_array(pair->input, connection, pair->what, "findings");

    for (guint i = 0; findings && i < json_array_get_length(findings); i++) {
        struct placed each = {.finding = merge_element(pair->input, findings, i, "findings")};

        if (!each.finding || !merge_count(pair->input, each.finding, "a finding", "frame", &each.frame) ||
            !merge_count(pair->input, each.finding, "a finding", "stream_offset", &each.offset))
            return false;
        g_array_append_val(placed, each);
    }
    return findings != NULL;
}

static bool join_findings(const struct merge_pair *pair)
{
    GArray *placed = g_array_new(FALSE, FALSE, sizeof(struct placed));
    bool ok = place_findings(pair, pair->into, placed) && place_findings(pair, pair->from, placed);

    if (ok) {
        JsonArray *findings = json_array_new();

        g_array_sort(placed, by_place);
        for (guint i = 0; i < placed->len; i++)
            json_array_add_object_element(findings, json_object_ref(g_array_index(placed, struct placed, i).finding));
        json_object_set_array_member(pair->into, "findings", findings);
    }
    g_array_unref(placed);
    return ok;
}

/* Parts of a run have them all or none. */
static bool join_statistics(const struct merge_pair *pair)
{
    if (!json_object_has_member(pair->from, "statistics"))
        return true;
    if (!json_object_has_member(pair->into, "statistics"))
        return merge_take_latest(pair, "statistics");
    return merge_statistics(pair->input, pair->into, pair->from);
}

static bool join_connection(const struct merge_pair *pair)
{
    static const char *const latest[] = {"initiator", "responder", "roles_known", "end_frame", "continues", NULL};
    bool ib = json_object_has_member(pair->into, "ib"); /* its counts go through all parts */
    struct merge_pair counts, operations;

    return merge_take_each_latest(pair, latest) && merge_take_latest(pair, ib ? "ib" : "mpa") &&
           merge_inner(pair, "counts", "the counts", &counts) &&
           add_both_directions(&counts, ib ? "packets" : "fpdus") && add_both_directions(&counts, "octets") &&
           merge_inner(&counts, "operations", "the operations", &operations) &&
           merge_members(&operations, merge_add_or_take_count) && join_guests(pair) && join_statistics(pair) &&
           join_findings(pair) && merge_add_count(pair, "findings_not_listed") &&
           join_rules(pair, "the rules of a connection");
}

/* ---- a capture ---- */

static bool id_of(struct merge_input *input, JsonObject *connection, gint64 *id)
{
    uint64_t value;

    if (!merge_count(input, connection, "a connection", "id", &value))
        return false;
    *id = (gint64)value;
    return true;
}

/* known: connections of the capture by id. */
static bool take_connections(struct merge_input *input, JsonObject *capture, GTree *known)
{
    JsonArray *connections = merge_array(input, capture, "a capture", "connections");

    for (guint i = 0; connections && i < json_array_get_length(connections); i++) {
        JsonObject *connection = merge_element(input, connections, i, "connections");
        struct merge_pair pair = {input, NULL, connection, "a connection"};
        bool continued;
        gint64 id;

        if (!connection || !id_of(input, connection, &id) ||
            !merge_bool(input, connection, "a connection", "continued", &continued))
            return false;
        pair.into = g_tree_lookup(known, &id);
        if (!pair.into)
            g_tree_insert(known, g_memdup2(&id, sizeof id), json_object_ref(connection));
        else if (!continued)
            return merge_input_wrong(input, "a connection", "continued",
                                     "true where an earlier part has the connection");
        else if (!join_connection(&pair))
            return false;
    }
    return connections != NULL;
}

static gboolean add_connection(gpointer id, gpointer connection, gpointer array)
{
    (void)id;
    json_array_add_object_element(array, json_object_ref(connection));
    return FALSE;
}

static gboolean make_whole(gpointer id, gpointer connection, gpointer unused)
{
    (void)id;
    (void)unused;
    json_object_remove_member(connection, "continued");
    json_object_remove_member(connection, "continues");
    merge_fold(connection);
    return FALSE;
}

static bool join_truncated(const struct merge_pair *pair)
{
    bool a, b;

    if (!merge_bool(pair->input, pair->into, pair->what, "truncated", &a) ||
        !merge_bool(pair->input, pair->from, pair->what, "truncated", &b))
        return false;
    json_object_set_boolean_member(pair->into, "truncated", a || b);
    return true;
}

static bool join_capture(const struct merge_pair *pair)
{
    static const char *const counts[] = {"packets", "bytes", "dropped", "connections_without_mpa", NULL};
    static const char *const latest[] = {"last", "ended", "to", NULL};
    static const char *const troubles[] = {"error", "warning"};
    struct merge_pair part;

    json_object_remove_member(pair->into, "nothing_checked"); /* it is about one part */
    for (size_t i = 0; i < G_N_ELEMENTS(troubles); i++)
        if (json_object_has_member(pair->from, troubles[i]) && !merge_take_latest(pair, troubles[i]))
            return false;
    return merge_add_counts(pair, counts) && join_truncated(pair) && merge_inner(pair, "part", "a part", &part) &&
           merge_take_each_latest(&part, latest) && join_rules(pair, "the rules of a capture");
}

static gint by_number(gconstpointer a, gconstpointer b)
{
    gint64 first = *(const gint64 *)a, second = *(const gint64 *)b;

    return first < second ? -1 : first > second;
}

static gint compare_ids(gconstpointer a, gconstpointer b, gpointer unused)
{
    (void)unused;
    return by_number(a, b);
}

static void unref_object(gpointer object)
{
    json_object_unref(object);
}

static bool whole(struct merge_input *input, JsonObject *capture, bool *is_whole)
{
    JsonObject *part = merge_object(input, capture, "a capture", "part");
    uint64_t first;
    bool ended;

    if (!part || !merge_count(input, part, "a part", "first", &first) ||
        !merge_bool(input, part, "a part", "ended", &ended))
        return false;
    *is_whole = first == 1 && ended;
    return true;
}

/* In the order of the numbers: the first one becomes the capture. */
static bool join_series(const struct series *series, GError **error)
{
    JsonObject *capture = g_array_index(series->captures, struct merge_capture, 0).object;
    GTree *known = g_tree_new_full(compare_ids, NULL, g_free, unref_object);
    struct merge_input input = {.path = NULL};
    bool ok = true, is_whole = false;

    for (guint i = 0; ok && i < series->captures->len; i++) {
        const struct merge_capture *next = &g_array_index(series->captures, struct merge_capture, i);
        struct merge_pair pair = {&input, capture, next->object, "a capture"};

        input.path = next->path;
        ok = (i == 0 || join_capture(&pair)) && take_connections(&input, next->object, known);
    }
    ok = ok && whole(&input, capture, &is_whole);
    if (ok) {
        JsonArray *connections = json_array_new();

        if (is_whole) {
            json_object_remove_member(capture, "part");
            g_tree_foreach(known, make_whole, NULL);
        }
        g_tree_foreach(known, add_connection, connections);
        json_object_set_array_member(capture, "connections", connections);
    }
    if (input.error)
        g_propagate_error(error, g_steal_pointer(&input.error));
    g_tree_destroy(known);
    return ok;
}

bool merge_sum_rules(struct merge_input *input, JsonObject *capture)
{
    JsonArray *connections = merge_array(input, capture, "a capture", "connections");

    json_object_set_object_member(capture, "rules", json_object_new());
    for (guint i = 0; connections && i < json_array_get_length(connections); i++) {
        JsonObject *connection = merge_element(input, connections, i, "connections");
        const struct merge_pair pair = {input, capture, connection, "a connection"};

        if (!connection || !join_rules(&pair, "the rules of a connection"))
            return false;
    }
    return connections != NULL;
}

/* ---- which parts there are ---- */

struct numbered {
    gint64 first, last; /* in this order: see by_number() */
    struct merge_capture capture;
};

static bool read_numbers(struct numbered *numbered, GError **error)
{
    struct merge_input input = {.path = numbered->capture.path};
    JsonObject *part = merge_object(&input, numbered->capture.object, "a capture", "part");
    uint64_t first, last;
    bool ok = part && merge_count(&input, part, "a part", "first", &first) &&
              merge_count(&input, part, "a part", "last", &last);

    if (ok && (first == 0 || last < first))
        ok = merge_input_wrong(&input, "a part", "last", "at least the first one");
    if (ok) {
        numbered->first = (gint64)first;
        numbered->last = (gint64)last;
    } else {
        g_propagate_error(error, input.error);
    }
    return ok;
}

/* Without one that is missing, or with one twice, the totals would be wrong. */
static bool in_order(struct series *series, GError **error)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct numbered));
    bool ok = true;

    for (guint i = 0; ok && i < series->captures->len; i++) {
        struct numbered numbered = {.capture = g_array_index(series->captures, struct merge_capture, i)};

        ok = read_numbers(&numbered, error);
        g_array_append_val(all, numbered);
    }
    g_array_sort(all, by_number);
    for (guint i = 0; ok && i < all->len; i++) {
        const struct numbered *each = &g_array_index(all, struct numbered, i);

        if (i > 0 && each->first != each[-1].last + 1) {
            g_set_error(error, CHECK_ERROR, CHECK_ERROR_INPUT,
                        "%s: expected part %" G_GINT64_FORMAT " of a capture; found part %" G_GINT64_FORMAT
                        "; give every part exactly once",
                        each->capture.path, each[-1].last + 1, each->first);
            ok = false;
        }
        g_array_index(series->captures, struct merge_capture, i) = each->capture;
    }
    g_array_unref(all);
    return ok;
}

static const char *series_of(const struct merge_capture *capture, GError **error)
{
    struct merge_input input = {.path = capture->path};
    JsonObject *part = merge_object(&input, capture->object, "a capture", "part");
    const char *name = part ? merge_string(&input, part, "a part", "series") : NULL;

    if (!name)
        g_propagate_error(error, input.error);
    return name;
}

static struct series *find_series(GPtrArray *all, GHashTable *by_name, const char *name)
{
    struct series *series = name ? g_hash_table_lookup(by_name, name) : NULL;

    if (series)
        return series;
    series = g_new0(struct series, 1);
    series->name = name;
    series->captures = g_array_new(FALSE, FALSE, sizeof(struct merge_capture));
    g_ptr_array_add(all, series);
    if (name)
        g_hash_table_insert(by_name, (gpointer)name, series);
    return series;
}

static bool sort_out(const GArray *captures, GPtrArray *all, GError **error)
{
    GHashTable *by_name = g_hash_table_new(g_str_hash, g_str_equal);
    bool ok = true;

    for (guint i = 0; ok && i < captures->len; i++) {
        const struct merge_capture *capture = &g_array_index(captures, struct merge_capture, i);
        const char *name = NULL;

        if (json_object_has_member(capture->object, "part"))
            ok = (name = series_of(capture, error)) != NULL;
        if (ok)
            g_array_append_val(find_series(all, by_name, name)->captures, *capture);
    }
    g_hash_table_unref(by_name);
    return ok;
}

static void free_series(gpointer data)
{
    struct series *series = data;

    g_array_unref(series->captures);
    g_free(series);
}

JsonArray *merge_parts(const GArray *captures, GError **error)
{
    GPtrArray *all = g_ptr_array_new_with_free_func(free_series);
    JsonArray *merged = json_array_new();
    bool ok = sort_out(captures, all, error);

    for (guint i = 0; ok && i < all->len; i++) {
        struct series *series = g_ptr_array_index(all, i);

        ok = !series->name || (in_order(series, error) && join_series(series, error));
        if (ok)
            json_array_add_object_element(
                merged, json_object_ref(g_array_index(series->captures, struct merge_capture, 0).object));
    }
    g_ptr_array_unref(all);
    if (ok)
        return merged;
    json_array_unref(merged);
    return NULL;
}
