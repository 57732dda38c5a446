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
static struct json_text copy_text_of(struct json_view value, gchar **held)
{
    if (json_is(value, JSON_STRING))
        return text_of_string(value, held);
    return (struct json_text){json_raw(value), value.item->length};
}

/* As it was read: what is short and there many times is in a line by itself. */
static bool is_in_a_line(struct json_view value)
{
    return !memchr(json_raw(value), '\n', value.item->length);
}

static void copy_copy(struct json_writer *writer, struct json_text name, struct json_view value);

static void copy_elements(struct json_writer *writer, struct json_view array)
{
    for (struct json_view each = json_first(array); each.item; each = json_next(array, each))
        copy_copy(writer, no_name, each);
}

static void copy_members(struct json_writer *writer, struct json_view object)
{
    for (struct json_view each = json_first(object); each.item; each = json_next(object, each)) {
        g_autofree gchar *held = NULL;

        copy_copy(writer, text_of_string(each, &held), json_named(each));
    }
}

/* Its depth is that of what was read: at most JSON_DEPTH_MAX. */
static void copy_copy(struct json_writer *writer, struct json_text name, struct json_view value)
{
    g_autofree gchar *held = NULL;

    if (json_is(value, JSON_OBJECT)) {
        json_text_begin(writer, name, '{', is_in_a_line(value));
        copy_members(writer, value);
        json_text_end(writer, '}');
    } else if (json_is(value, JSON_ARRAY)) {
        json_text_begin(writer, name, '[', is_in_a_line(value));
        copy_elements(writer, value);
        json_text_end(writer, ']');
    } else {
        json_text_value(writer, name, copy_text_of(value, &held));
    }
}

void json_copy(struct json_writer *writer, const char *name, struct json_view value)
{
    g_autofree gchar *quoted = NULL;
    JsonNode *node;

    if (!name) {
        copy_copy(writer, no_name, value);
        return;
    }
    node = json_node_init_string(json_node_alloc(), name);
    quoted = json_to_string(node, FALSE);
    copy_copy(writer, (struct json_text){quoted, strlen(quoted)}, value);
    json_node_unref(node);
}
