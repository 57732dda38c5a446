// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/merge_input.h"

#include "conformance/options/options.h"
#include "conformance/report/report_parts.h"

static bool input_fail(struct merge_input *input, const char *text)
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

    input_fail(input, text);
    g_free(text);
    return false;
}

bool merge_input_unread(struct merge_input *input, enum merge_unread why)
{
    static const char *const texts[] = {
        [MERGE_UNREADABLE] = "cannot be read",
        [MERGE_NO_JSON] = "is not JSON",
        [MERGE_NO_OBJECT] = "not a report of iwarp-check: the JSON in it is not an object",
    };

    return input_fail(input, texts[why]);
}

void merge_input_clear(struct merge_input *input)
{
    g_clear_error(&input->error);
}

/* ---- what was read ---- */

static struct json_view input_view_of(struct merge_input *input, struct json_view object, const char *what,
                                      const char *name, enum json_type type, const char *wanted)
{
    struct json_view found = json_member(object, name);

    if (json_is(found, type))
        return found;
    merge_input_wrong(input, what, name, wanted);
    return (struct json_view){object.source, NULL};
}

struct json_view merge_view_object(struct merge_input *input, struct json_view object, const char *what,
                                   const char *name)
{
    return input_view_of(input, object, what, name, JSON_OBJECT, "an object");
}

struct json_view merge_view_array(struct merge_input *input, struct json_view object, const char *what,
                                  const char *name)
{
    return input_view_of(input, object, what, name, JSON_ARRAY, "an array");
}

struct json_view merge_view_string(struct merge_input *input, struct json_view object, const char *what,
                                   const char *name)
{
    return input_view_of(input, object, what, name, JSON_STRING, "a string");
}

bool merge_view_count(struct merge_input *input, struct json_view object, const char *what, const char *name,
                      uint64_t *value)
{
    struct json_view found = json_member(object, name);
    int64_t count = json_integer(found);

    *value = (uint64_t)count;
    return (json_is(found, JSON_INTEGER) && count >= 0 && count <= MERGE_COUNT_MAX) ||
           merge_input_wrong(input, what, name, "a count");
}

bool merge_view_bool(struct merge_input *input, struct json_view object, const char *what, const char *name,
                     bool *value)
{
    struct json_view found = json_member(object, name);

    *value = json_is(found, JSON_TRUE);
    return *value || json_is(found, JSON_FALSE) || merge_input_wrong(input, what, name, "true or false");
}

/* ---- what json-glib holds ---- */

static bool input_holds(JsonNode *node, GType type)
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

    if (input_holds(node, G_TYPE_STRING))
        return json_node_get_string(node);
    merge_input_wrong(input, what, name, "a string");
    return NULL;
}

static bool get_count(JsonNode *node, uint64_t *value)
{
    if (!input_holds(node, G_TYPE_INT64) || json_node_get_int(node) < 0 || json_node_get_int(node) > MERGE_COUNT_MAX)
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

    if (!input_holds(node, G_TYPE_BOOLEAN))
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
