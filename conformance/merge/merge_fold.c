// SPDX-License-Identifier: GPL-2.0-or-later
/* Parts of a capture list all findings: those of the whole are folded as in its own report (report_fold.c). */
#include "conformance/merge/merge_parts.h"
#include "conformance/model/report.h"

static const char *fold_text_of(JsonObject *object, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING
               ? json_node_get_string(node)
               : "";
}

/* Of several with the same key the third has the others' count. */
struct fold {
    unsigned n;
    JsonObject *last;
};

static gchar *fold_key_of(JsonObject *finding)
{
    gchar *text = report_fold_text(fold_text_of(finding, "message"));
    gchar *key = g_strdup_printf("%s %s %s %s %s %d", fold_text_of(finding, "rule"), fold_text_of(finding, "severity"),
                                 fold_text_of(finding, "direction"), text, fold_text_of(finding, "waived_why"),
                                 json_object_get_boolean_member(finding, "waived"));

    g_free(text);
    return key;
}

static void count_with(JsonObject *last, gint64 frame)
{
    JsonObject *more = json_object_has_member(last, "more") ? json_object_get_object_member(last, "more") : NULL;
    gint64 count = more ? json_object_get_int_member(more, "count") : 0;
    gint64 first = more ? json_array_get_int_element(json_object_get_array_member(more, "frames"), 0) : frame;
    JsonArray *frames = json_array_new();

    json_array_add_int_element(frames, first);
    json_array_add_int_element(frames, frame);
    more = json_object_new();
    json_object_set_int_member(more, "count", count + 1);
    json_object_set_array_member(more, "frames", frames);
    json_object_set_object_member(last, "more", more);
}

void merge_fold(JsonObject *connection)
{
    JsonArray *all = json_object_get_array_member(connection, "findings"), *listed = json_array_new();
    GHashTable *folds = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

    for (guint i = 0; i < json_array_get_length(all); i++) {
        JsonObject *finding = json_array_get_object_element(all, i);
        gchar *key = fold_key_of(finding);
        struct fold *fold = g_hash_table_lookup(folds, key);

        if (!fold)
            g_hash_table_insert(folds, g_strdup(key), fold = g_new0(struct fold, 1));
        g_free(key);
        /* What was folded elsewhere is left as it is. */
        if (fold->n >= REPORT_EQUAL_LISTED && !json_object_has_member(finding, "more")) {
            count_with(fold->last, json_object_get_int_member(finding, "frame"));
            continue;
        }
        if (!json_object_has_member(finding, "more")) {
            fold->n++;
            fold->last = finding;
        }
        json_array_add_object_element(listed, json_object_ref(finding));
    }
    json_object_set_array_member(connection, "findings", listed);
    g_hash_table_unref(folds);
}
