// SPDX-License-Identifier: GPL-2.0-or-later
#include "conformance/merge/json_copy.h"

#include <json-glib/json-glib.h>
#include <string.h>

static const struct json_text no_name = {NULL, 0};

/* Escapes as the writer of reports has them; *held is g_free()d after use. */
static struct json_text text_of_string(struct json_view string, gchar **held)
{
    if (!string.item->plain) {
        g_autofree gchar *value = json_string_of(string);
        JsonNode *node = json_node_init_string(json_node_alloc(), value);

        *held = json_to_string(node, FALSE);
        json_node_unref(node);
        return (struct json_text){*held, strlen(*held)};
    }
    return (struct json_text){json_raw(string) - 1, (size_t)string.item->length + 2};
}

/* A scalar; numbers stay what they are. */
static struct json_text text_of(struct json_view value, gchar **held)
{
    if (json_is(value, JSON_STRING))
        return text_of_string(value, held);
    return (struct json_text){json_raw(value), value.item->length};
}

static bool is_number(struct json_view view)
{
    return json_is(view, JSON_INTEGER) || json_is(view, JSON_REAL);
}

/* Distributions of statistics, which their report has in one line each. */
static bool is_line_of_numbers(struct json_view value)
{
    struct json_view first = json_first(value);

    if (!is_number(first) || memchr(json_raw(value), '\n', value.item->length))
        return false;
    for (struct json_view each = first; each.item; each = json_next(value, each))
        if (!is_number(each))
            return false;
    return true;
}

static void copy_line_of_numbers(struct json_writer *writer, struct json_text name, struct json_view array)
{
    GString *line = g_string_new("[");

    for (struct json_view each = json_first(array); each.item; each = json_next(array, each)) {
        if (line->len > 1)
            g_string_append(line, ", ");
        g_string_append_len(line, json_raw(each), each.item->length);
    }
    g_string_append_c(line, ']');
    json_text_value(writer, name, (struct json_text){line->str, line->len});
    g_string_free(line, TRUE);
}

static void copy(struct json_writer *writer, struct json_text name, struct json_view value);

static void copy_elements(struct json_writer *writer, struct json_view array)
{
    for (struct json_view each = json_first(array); each.item; each = json_next(array, each))
        copy(writer, no_name, each);
}

static bool is_any(struct json_view name, const char *const *names)
{
    for (; *names; names++)
        if (json_says(name, *names))
            return true;
    return false;
}

static void copy_members(struct json_writer *writer, struct json_view object, const char *const *without)
{
    for (struct json_view each = json_first(object); each.item; each = json_next(object, each)) {
        g_autofree gchar *held = NULL;

        if (!is_any(each, without))
            copy(writer, text_of_string(each, &held), json_named(each));
    }
}

/* Its depth is that of what was read: at most JSON_DEPTH_MAX. */
static void copy(struct json_writer *writer, struct json_text name, struct json_view value) // NOLINT(misc-no-recursion)
{
    static const char *const all[] = {NULL};
    g_autofree gchar *held = NULL;

    if (json_is(value, JSON_OBJECT)) {
        json_text_begin(writer, name, '{');
        copy_members(writer, value, all);
        json_text_end(writer, '}');
    } else if (json_is(value, JSON_ARRAY) && is_line_of_numbers(value)) {
        copy_line_of_numbers(writer, name, value);
    } else if (json_is(value, JSON_ARRAY)) {
        json_text_begin(writer, name, '[');
        copy_elements(writer, value);
        json_text_end(writer, ']');
    } else {
        json_text_value(writer, name, text_of(value, &held));
    }
}

void json_copy(struct json_writer *writer, const char *name, struct json_view value)
{
    g_autofree gchar *quoted = NULL;
    JsonNode *node;

    if (!name) {
        copy(writer, no_name, value);
        return;
    }
    node = json_node_init_string(json_node_alloc(), name);
    quoted = json_to_string(node, FALSE);
    copy(writer, (struct json_text){quoted, strlen(quoted)}, value);
    json_node_unref(node);
}

void json_copy_without(struct json_writer *writer, struct json_view object, const char *const *names)
{
    json_text_begin(writer, no_name, '{');
    copy_members(writer, object, names);
    json_text_end(writer, '}');
}
