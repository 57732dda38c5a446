// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/json_members.h"

#include <math.h>
#include <string.h>

static uint64_t number_get(const void *from, unsigned size)
{
    switch (size) {
    case sizeof(uint64_t):
        return *(const uint64_t *)from;
    case sizeof(uint32_t):
        return *(const uint32_t *)from;
    case sizeof(uint16_t):
        return *(const uint16_t *)from;
    default:
        return *(const uint8_t *)from;
    }
}

static void number_set(void *to, unsigned size, uint64_t value)
{
    switch (size) {
    case sizeof(uint64_t):
        *(uint64_t *)to = value;
        break;
    case sizeof(uint32_t):
        *(uint32_t *)to = (uint32_t)value;
        break;
    case sizeof(uint16_t):
        *(uint16_t *)to = (uint16_t)value;
        break;
    default:
        *(uint8_t *)to = (uint8_t)value;
    }
}

static uint64_t member_most(const struct json_member *member, unsigned size)
{
    uint64_t most = member->most > 0 ? member->most : JSON_COUNT_MAX;

    return size < sizeof most ? MIN(most, (UINT64_C(1) << 8 * size) - 1) : most;
}

/* The octets of an element of a JSON_PAIR. */
static unsigned element_size(const struct json_member *member)
{
    return member->n > 0 ? member->size : member->size / 2;
}

static size_t element_at(const struct json_member *member, unsigned i)
{
    return (size_t)i * element_size(member) * MAX(member->n, 1);
}

static const char *member_word(const struct json_member *member, unsigned i)
{
    return member->names ? member->names[i] : member->word(i);
}

static bool is_known(const struct json_member *member, const void *base)
{
    return member->known == 0 || *(const bool *)((const char *)base + member->known);
}

/* ---- writing ---- */

static bool member_is_zero(const struct json_member *member, const void *base)
{
    const char *at = (const char *)base + member->offset;

    switch (member->kind) {
    case JSON_TRUTH:
    case JSON_COUNT:
        return number_get(at, member->size) == 0;
    case JSON_PAIR:
        return number_get(at, element_size(member)) == 0 &&
               number_get(at + element_at(member, 1), element_size(member)) == 0;
    case JSON_TEXT:
        return !*(const char *const *)(const void *)at;
    case JSON_TEXTS:
    case JSON_POINTERS:
        return (*(GPtrArray *const *)(const void *)at)->len == 0;
    case JSON_INNER:
        return member_is_zero(&member->inner->members[0], at);
    default:
        return false;
    }
}

static void write_count(struct json_writer *writer, const char *name, const struct json_member *member,
                        const void *from, unsigned size)
{
    uint64_t value = number_get(from, size);

    if (value == 0 && member->zero == JSON_SHOWN_AS_NULL)
        json_null(writer, name);
    else if (value > 0 || member->zero != JSON_LEFT_OUT || !name) /* an element of a pair has its place */
        json_number(writer, name, (int64_t)MIN(value, member_most(member, size)));
}

static void members_write_counts(struct json_writer *writer, const struct json_member *member, const uint64_t *counts)
{
    for (unsigned i = 0; i < member->n; i++)
        if (member_word(member, i))
            write_count(writer, member_word(member, i), member, &counts[i], sizeof counts[i]);
}

static void members_write_pair(struct json_writer *writer, const struct json_member *member, const void *base)
{
    json_begin_array_line(writer, member->name);
    for (unsigned i = 0; i < 2; i++) {
        if (is_known(member, base))
            write_count(writer, NULL, member, (const char *)base + member->offset + element_at(member, i),
                        element_size(member));
        else
            json_null(writer, NULL);
    }
    json_end_array(writer);
}

static void write_numbers(struct json_writer *writer, const struct json_member *member, const GArray *numbers)
{
    (member->n == 1 ? json_begin_array : json_begin_array_line)(writer, member->name);
    for (guint i = 0; i < numbers->len; i++)
        json_number(writer, NULL, g_array_index(numbers, uint32_t, i));
    json_end_array(writer);
}

static void members_write_rows(struct json_writer *writer, const struct json_member *member, GArray *rows,
                               const void *ctx)
{
    json_begin_array(writer, member->name);
    for (guint i = 0; i < rows->len; i++)
        json_write_object(writer, NULL, member->inner, rows->data + (size_t)i * g_array_get_element_size(rows), ctx);
    json_end_array(writer);
}

static void members_write_pointers(struct json_writer *writer, const struct json_member *member, const GPtrArray *rows,
                                   const void *ctx)
{
    json_begin_array(writer, member->name);
    for (guint i = 0; i < rows->len; i++)
        json_write_object(writer, NULL, member->inner, rows->pdata[i], ctx);
    json_end_array(writer);
}

static void write_member(struct json_writer *writer, const struct json_member *member, const void *base,
                         const void *ctx)
{
    const void *at = (const char *)base + member->offset;
    const GPtrArray *texts;
    uint64_t word;

    switch (member->kind) {
    case JSON_TRISTATE:
        if (*(const int *)at < 0)
            json_null(writer, member->name);
        else
            json_bool(writer, member->name, *(const int *)at > 0);
        break;
    case JSON_TRUTH:
        json_bool(writer, member->name, *(const bool *)at);
        break;
    case JSON_COUNT:
        write_count(writer, member->name, member, at, member->size);
        break;
    case JSON_COUNTS:
        members_write_counts(writer, member, at);
        break;
    case JSON_PAIR:
        members_write_pair(writer, member, base);
        break;
    case JSON_REAL:
        json_double(writer, member->name, *(const double *)at);
        break;
    case JSON_SECONDS:
        json_double(writer, member->name, round(*(const double *)at * 1e6) / 1e6);
        break;
    case JSON_TEXT:
        json_string(writer, member->name, *(const char *const *)at);
        break;
    case JSON_TEXTS:
        texts = *(GPtrArray *const *)at;
        json_strings(writer, member->name, (const char *const *)texts->pdata, texts->len);
        break;
    case JSON_NUMBERS:
        write_numbers(writer, member, *(GArray *const *)at);
        break;
    case JSON_WORD:
        word = number_get(at, member->size);
        json_string(writer, member->name, word < member->n ? member_word(member, (unsigned)word) : NULL);
        break;
    case JSON_INNER:
        json_write_object(writer, member->name, member->inner, at, ctx);
        break;
    case JSON_ROWS:
        members_write_rows(writer, member, *(GArray *const *)at, ctx);
        break;
    case JSON_POINTERS:
        members_write_pointers(writer, member, *(GPtrArray *const *)at, ctx);
        break;
    case JSON_OWN:
        member->write(writer, member, base, ctx);
        break;
    }
}

void json_write_members(struct json_writer *writer, const struct json_table *table, const void *base, const void *ctx)
{
    for (const struct json_member *member = table->members; member->name; member++) {
        if (member->kind != JSON_PAIR && !is_known(member, base))
            json_null(writer, member->name);
        else if (member->zero != JSON_LEFT_OUT || !member_is_zero(member, base))
            write_member(writer, member, base, ctx);
    }
}

void json_write_object(struct json_writer *writer, const char *name, const struct json_table *table, const void *base,
                       const void *ctx)
{
    json_begin_object(writer, name);
    json_write_members(writer, table, base, ctx);
    json_end_object(writer);
}

/* ---- reading ---- */

bool json_wrong(struct json_reading *reading, const char *what, const char *name, const char *wanted)
{
    if (!reading->wrong)
        reading->wrong = g_strdup_printf("'%s' of %s should be %s", name, what, wanted);
    return false;
}

bool json_has(JsonObject *object, const char *name)
{
    return json_object_get_member(object, name) != NULL;
}

static bool holds(JsonNode *node, GType type)
{
    return node && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == type;
}

bool json_null_node(JsonNode *node)
{
    return node && JSON_NODE_HOLDS_NULL(node);
}

bool json_integer_node(JsonNode *node, int64_t least, int64_t most)
{
    return holds(node, G_TYPE_INT64) && json_node_get_int(node) >= least && json_node_get_int(node) <= most;
}

JsonObject *json_want_object(struct json_reading *reading, JsonObject *object, const char *what, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    if (node && JSON_NODE_HOLDS_OBJECT(node))
        return json_node_get_object(node);
    json_wrong(reading, what, name, "an object");
    return NULL;
}

JsonArray *json_want_array(struct json_reading *reading, JsonObject *object, const char *what, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    if (node && JSON_NODE_HOLDS_ARRAY(node))
        return json_node_get_array(node);
    json_wrong(reading, what, name, "an array");
    return NULL;
}

const char *json_want_text(struct json_reading *reading, JsonObject *object, const char *what, const char *name)
{
    JsonNode *node = json_object_get_member(object, name);

    if (holds(node, G_TYPE_STRING))
        return json_node_get_string(node);
    json_wrong(reading, what, name, "a string");
    return NULL;
}

bool json_want_count(struct json_reading *reading, JsonObject *object, const char *what, const char *name,
                     uint64_t most, uint64_t *value)
{
    JsonNode *node = json_object_get_member(object, name);
    bool fits = json_integer_node(node, 0, (int64_t)most);

    *value = fits ? (uint64_t)json_node_get_int(node) : 0;
    return fits || json_wrong(reading, what, name, "a count");
}

JsonObject *json_want_element(struct json_reading *reading, JsonArray *array, guint i, const char *name)
{
    JsonNode *node = json_array_get_element(array, i);

    if (JSON_NODE_HOLDS_OBJECT(node))
        return json_node_get_object(node);
    json_wrong(reading, "an array", name, "an object");
    return NULL;
}

static bool read_count(struct json_reading *reading, const char *what, const char *name,
                       const struct json_member *member, JsonObject *object, void *to, unsigned size)
{
    uint64_t value;

    if (!json_want_count(reading, object, what, name, member_most(member, size), &value))
        return false;
    number_set(to, size, value);
    return true;
}

static bool members_read_counts(struct json_reading *reading, const char *what, const struct json_member *member,
                                JsonObject *object, uint64_t *counts)
{
    for (unsigned i = 0; i < member->n; i++) {
        const char *name = member_word(member, i);

        if (name && (member->zero != JSON_LEFT_OUT || json_has(object, name)) &&
            !read_count(reading, what, name, member, object, &counts[i], sizeof counts[i]))
            return false;
    }
    return true;
}

static bool read_pair(const struct json_member *member, JsonNode *node, void *base)
{
    JsonArray *pair = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
    bool may_be_null = member->zero == JSON_SHOWN_AS_NULL || member->known != 0;

    for (unsigned i = 0; pair && i < 2; i++) {
        JsonNode *element = json_array_get_length(pair) == 2 ? json_array_get_element(pair, i) : NULL;

        if (json_integer_node(element, 0, (int64_t)member_most(member, element_size(member)))) {
            number_set((char *)base + member->offset + element_at(member, i), element_size(member),
                       (uint64_t)json_node_get_int(element));
            if (member->known != 0)
                *(bool *)((char *)base + member->known) = true;
        } else if (!may_be_null || !json_null_node(element)) {
            return false;
        }
    }
    return pair != NULL;
}

static const char *read_text(const struct json_reading *reading, JsonNode *node)
{
    const char *text = holds(node, G_TYPE_STRING) ? json_node_get_string(node) : NULL;

    return reading->copies ? g_strdup(text) : text;
}

static bool read_texts(const struct json_reading *reading, JsonNode *node, GPtrArray *texts)
{
    JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *text = json_array_get_element(array, i);

        if (!holds(text, G_TYPE_STRING))
            return false;
        g_ptr_array_add(texts, (gpointer)read_text(reading, text));
    }
    return array != NULL;
}

static bool read_numbers(JsonNode *node, GArray *numbers)
{
    JsonArray *array = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonNode *element = json_array_get_element(array, i);
        uint32_t number;

        if (!json_integer_node(element, 0, UINT32_MAX))
            return false;
        number = (uint32_t)json_node_get_int(element);
        g_array_append_val(numbers, number);
    }
    return array != NULL;
}

static bool members_read_word(const struct json_member *member, JsonNode *node, void *to)
{
    const char *word = holds(node, G_TYPE_STRING) ? json_node_get_string(node) : NULL;
    unsigned value = 0;

    while (value < member->n && (!word || strcmp(word, member_word(member, value)) != 0))
        value++;
    number_set(to, member->size, value);
    return value < member->n || (json_null_node(node) && member->zero == JSON_SHOWN_AS_NULL);
}

/* Reads a member that is a single value. False: the value is not of the member's kind. */
static bool members_read_value(const struct json_reading *reading, const struct json_member *member, JsonNode *node,
                               void *base)
{
    void *at = (char *)base + member->offset;

    switch (member->kind) {
    case JSON_TRISTATE:
        *(int *)at = json_null_node(node) ? -1 : holds(node, G_TYPE_BOOLEAN) && json_node_get_boolean(node);
        return json_null_node(node) || holds(node, G_TYPE_BOOLEAN);
    case JSON_TRUTH:
        *(bool *)at = holds(node, G_TYPE_BOOLEAN) && json_node_get_boolean(node);
        return holds(node, G_TYPE_BOOLEAN);
    case JSON_PAIR:
        return read_pair(member, node, base);
    case JSON_REAL:
    case JSON_SECONDS:
        *(double *)at = holds(node, G_TYPE_DOUBLE) || holds(node, G_TYPE_INT64) ? json_node_get_double(node) : 0;
        return holds(node, G_TYPE_DOUBLE) || holds(node, G_TYPE_INT64);
    case JSON_TEXT:
        *(const char **)at = read_text(reading, node);
        return holds(node, G_TYPE_STRING);
    case JSON_TEXTS:
        return read_texts(reading, node, *(GPtrArray **)at);
    case JSON_NUMBERS:
        return read_numbers(node, *(GArray **)at);
    default:
        return members_read_word(member, node, at);
    }
}

static bool read_rows(struct json_reading *reading, const char *what, const struct json_member *member,
                      JsonObject *object, GArray *rows)
{
    JsonArray *array = json_want_array(reading, object, what, member->name);

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *row = json_want_element(reading, array, i, member->name);

        g_array_set_size(rows, i + 1);
        if (!row ||
            !json_read_members(reading, member->inner, row, rows->data + (size_t)i * g_array_get_element_size(rows)))
            return false;
    }
    return array != NULL;
}

static bool read_pointers(struct json_reading *reading, const char *what, const struct json_member *member,
                          JsonObject *object, GPtrArray *rows)
{
    const struct json_structure *of = member->structure;
    JsonArray *array = json_want_array(reading, object, what, member->name);

    for (guint i = 0; array && i < json_array_get_length(array); i++) {
        JsonObject *row = json_want_element(reading, array, i, member->name);
        void *structure = g_malloc0(of->size);

        if (of->init)
            of->init(structure);
        g_ptr_array_add(rows, structure);
        if (!row || !json_read_members(reading, member->inner, row, structure))
            return false;
        if (of->is_full && !of->is_full(structure))
            return json_wrong(reading, what, member->name, "complete");
    }
    return array != NULL;
}

static bool members_read_member(struct json_reading *reading, const char *what, const struct json_member *member,
                                JsonObject *object, void *base)
{
    static const char *const wanted[] = {
        [JSON_TRISTATE] = "true, false or null",
        [JSON_TRUTH] = "true or false",
        [JSON_PAIR] = "a pair of counts",
        [JSON_REAL] = "a number",
        [JSON_SECONDS] = "a number",
        [JSON_TEXT] = "a string",
        [JSON_TEXTS] = "an array of strings",
        [JSON_NUMBERS] = "an array of numbers",
        [JSON_WORD] = "a word that is known",
    };
    void *at = (char *)base + member->offset;
    JsonNode *node = json_object_get_member(object, member->name);
    JsonObject *inner;

    switch (member->kind) {
    case JSON_COUNT:
        return read_count(reading, what, member->name, member, object, at, member->size);
    case JSON_COUNTS:
        return members_read_counts(reading, what, member, object, at);
    case JSON_INNER:
        inner = json_want_object(reading, object, what, member->name);
        return inner && json_read_members(reading, member->inner, inner, at);
    case JSON_ROWS:
        return read_rows(reading, what, member, object, *(GArray **)at);
    case JSON_POINTERS:
        return read_pointers(reading, what, member, object, *(GPtrArray **)at);
    case JSON_OWN:
        return member->read(reading, member, object, base);
    default:
        return (node && members_read_value(reading, member, node, base)) ||
               json_wrong(reading, what, member->name, wanted[member->kind]);
    }
}

/* Whether the member is missing or null, and may be: then it stays 0. */
static bool is_left(const struct json_reading *reading, const struct json_member *member, JsonObject *object)
{
    JsonNode *node = json_object_get_member(object, member->name);

    if (member->derived)
        return true;
    if (member->newer && !node)
        return true;
    if (member->kind == JSON_OWN || member->kind == JSON_COUNTS)
        return false;
    if (reading->partial && (!node || json_null_node(node)))
        return true;
    if (member->kind == JSON_WORD)
        return false;
    return node ? json_null_node(node) && (member->known != 0 || member->zero == JSON_SHOWN_AS_NULL)
                : member->zero == JSON_LEFT_OUT;
}

bool json_read_members(struct json_reading *reading, const struct json_table *table, JsonObject *object, void *base)
{
    for (const struct json_member *member = table->members; member->name; member++) {
        if (is_left(reading, member, object))
            continue;
        if (!members_read_member(reading, table->what, member, object, base))
            return false;
        if (member->known != 0 && member->kind != JSON_PAIR)
            *(bool *)((char *)base + member->known) = true;
    }
    return true;
}
