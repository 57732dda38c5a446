// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_input.h"

#include "conformance/options/options.h"
#include "conformance/report/report_parts.h"
#include "support/json_guard.h"

#include <string.h>

static bool fail(struct merge_input *input, const char *text)
{
    gchar *said = g_strdup_printf("%s: %s", input->path, text);
    gchar *shown = printable_text(said); /* both may name what comes from outside */

    if (!input->error)
        g_set_error_literal(&input->error, CHECK_ERROR, CHECK_ERROR_INPUT, shown);
    g_free(shown);
    g_free(said);
    return false;
}

bool merge_input_wrong(struct merge_input *input, const char *what, const char *name, const char *wanted)
{
    gchar *text = g_strdup_printf("not a report of iwarp-check: '%s' of %s should be %s", name, what, wanted);

    fail(input, text);
    g_free(text);
    return false;
}

bool merge_input_load(struct merge_input *input, const char *path)
{
    JsonParser *parser = json_parser_new();
    GError *error = NULL;
    gchar *text = NULL;
    gsize length;

    memset(input, 0, sizeof *input);
    input->path = path;
    if (!g_file_get_contents(path, &text, &length, &error))
        fail(input, "cannot be read");
    else if (!json_guard_passes(text, length) || !json_parser_load_from_data(parser, text, (gssize)length, &error))
        fail(input, "is not JSON");
    else if (!json_parser_get_root(parser) || !JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser)))
        fail(input, "not a report of iwarp-check: the JSON in it is not an object");
    else
        input->root = json_parser_steal_root(parser);
    g_clear_error(&error);
    g_free(text);
    g_object_unref(parser);
    return input->root != NULL;
}

void merge_input_clear(struct merge_input *input)
{
    g_clear_pointer(&input->root, json_node_unref);
    g_clear_error(&input->error);
}

static bool holds(JsonNode *node, GType type)
{
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
}

JsonObject *merge_object(struct merge_input *input, JsonObject *object, const char *what, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    if (node && JSON_NODE_HOLDS_OBJECT(node))
        return json_node_get_object(node);
    merge_input_wrong(input, what, name, "an object");
    return NULL;
}

JsonArray *merge_array(struct merge_input *input, JsonObject *object, const char *what, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    if (node && JSON_NODE_HOLDS_ARRAY(node))
        return json_node_get_array(node);
    merge_input_wrong(input, what, name, "an array");
    return NULL;
}

const char *merge_string(struct merge_input *input, JsonObject *object, const char *what, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    if (holds(node, G_TYPE_STRING))
        return json_node_get_string(node);
    merge_input_wrong(input, what, name, "a string");
    return NULL;
}

static bool get_count(JsonNode *node, uint64_t *value)
{
    if (!holds(node, G_TYPE_INT64) || json_node_get_int(node) < 0 || json_node_get_int(node) > MERGE_COUNT_MAX)
        return false;
    *value = (uint64_t)json_node_get_int(node);
    return true;
}

bool merge_count(struct merge_input *input, JsonObject *object, const char *what, const char *name, uint64_t *value)
{
    JsonNode *node = json_object_get_member(object, name);

    return get_count(node, value) || merge_input_wrong(input, what, name, "a count");
}

bool merge_count_element(struct merge_input *input, JsonArray *array, guint i, const char *what, uint64_t *value)
{
    JsonNode *node = i < json_array_get_length(array) ? json_array_get_element(array, i) : NULL;

    return get_count(node, value) || merge_input_wrong(input, "an array", what, "a count");
}

bool merge_bool(struct merge_input *input, JsonObject *object, const char *what, const char *name, bool *value)
{
    JsonNode *node = json_object_get_member(object, name);

    if (!holds(node, G_TYPE_BOOLEAN))
        return merge_input_wrong(input, what, name, "true or false");
    *value = json_node_get_boolean(node);
    return true;
}

JsonObject *merge_element(struct merge_input *input, JsonArray *array, guint i, const char *what)
{
    JsonNode *node = json_array_get_element(array, i);

    if (JSON_NODE_HOLDS_OBJECT(node))
        return json_node_get_object(node);
    merge_input_wrong(input, "an array", what, "an object");
    return NULL;
}

const char *merge_string_element(struct merge_input *input, JsonArray *array, guint i, const char *what)
{
    JsonNode *node = json_array_get_element(array, i);

    if (holds(node, G_TYPE_STRING))
        return json_node_get_string(node);
    merge_input_wrong(input, "an array", what, "a string");
    return NULL;
}
