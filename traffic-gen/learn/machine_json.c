// SPDX-License-Identifier: GPL-2.0-or-later
/* docs/iwarp-learn.schema.json describes it. */
#include "support/json_guard.h"
#include "traffic-gen/learn/machine.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define FORMAT "iwarp-gen learn 1"

/* ---- out ---- */

static void add_string(JsonBuilder *builder, const char *name, const char *value)
{
    json_builder_set_member_name(builder, name);
    json_builder_add_string_value(builder, value);
}

static void begin_array(JsonBuilder *builder, const char *name)
{
    json_builder_set_member_name(builder, name);
    json_builder_begin_array(builder);
}

static void add_state(JsonBuilder *builder, const struct machine *machine, unsigned state)
{
    const struct word *access = &machine->access[state];

    json_builder_begin_object(builder);
    begin_array(builder, "after");
    for (unsigned i = 0; i < access->n; i++)
        json_builder_add_string_value(builder, machine->inputs[access->input[i]]);
    json_builder_end_array(builder);
    begin_array(builder, "edges");
    for (unsigned i = 0; i < machine->n_inputs; i++) {
        json_builder_begin_object(builder);
        add_string(builder, "output", machine->edges[state][i].output);
        json_builder_set_member_name(builder, "next");
        json_builder_add_int_value(builder, machine->edges[state][i].next);
        json_builder_end_object(builder);
    }
    json_builder_end_array(builder);
    json_builder_end_object(builder);
}

void machine_json(const struct machine *machine, FILE *out)
{
    g_autoptr(JsonBuilder) builder = json_builder_new();
    g_autoptr(JsonGenerator) generator = json_generator_new();
    g_autoptr(JsonNode) root = NULL;
    g_autofree char *text = NULL;

    json_builder_begin_object(builder);
    add_string(builder, "format", FORMAT);
    add_string(builder, "device", machine->device);
    begin_array(builder, "inputs");
    for (unsigned i = 0; i < machine->n_inputs; i++)
        json_builder_add_string_value(builder, machine->inputs[i]);
    json_builder_end_array(builder);
    begin_array(builder, "states");
    for (unsigned state = 0; state < machine->n_states; state++)
        add_state(builder, machine, state);
    json_builder_end_array(builder);
    json_builder_end_object(builder);
    root = json_builder_get_root(builder);
    json_generator_set_pretty(generator, TRUE);
    json_generator_set_root(generator, root);
    text = json_generator_to_data(generator, NULL);
    fputs(text, out);
    fputc('\n', out);
}

/* ---- in ---- */

/* NULL: it is no string that can be printed in a line. */
static const char *string_in(JsonNode *node)
{
    const char *text = node && JSON_NODE_HOLDS_VALUE(node) ? json_node_get_string(node) : NULL;

    for (const char *at = text; at && *at; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            return NULL;
    return text && g_utf8_validate(text, -1, NULL) ? text : NULL;
}

static JsonArray *array_of(JsonObject *object, const char *name, unsigned least, unsigned most)
{
    JsonNode *node = json_object_get_member(object, name);
    JsonArray *array = node && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;

    return array && json_array_get_length(array) >= least && json_array_get_length(array) <= most ? array : NULL;
}

static JsonObject *object_at(JsonArray *array, unsigned i)
{
    JsonNode *node = json_array_get_element(array, i);

    return JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static bool read_edge(struct machine *machine, struct machine_edge *edge, JsonObject *from)
{
    const char *output = from ? string_in(json_object_get_member(from, "output")) : NULL;
    JsonNode *next = from ? json_object_get_member(from, "next") : NULL;
    gint64 state;

    if (!output || !next || !JSON_NODE_HOLDS_VALUE(next))
        return false;
    state = json_node_get_int(next);
    *edge = (struct machine_edge){.output = g_intern_string(output), .next = (unsigned)state};
    return state >= 0 && state < machine->n_states;
}

static bool read_input(const struct machine *machine, struct word *word, const char *name)
{
    for (unsigned i = 0; name && i < machine->n_inputs; i++)
        if (strcmp(machine->inputs[i], name) == 0)
            return word_add(word, i);
    return false;
}

/* False: another has that name, or it has none. */
static bool name_input(struct machine *machine, unsigned i, const char *name)
{
    machine->inputs[i] = g_intern_string(name);
    for (unsigned k = 0; k < i && name; k++)
        if (machine->inputs[k] == machine->inputs[i])
            return false;
    return name != NULL;
}

static bool read_state(struct machine *machine, unsigned state, JsonObject *from)
{
    JsonArray *after = from ? array_of(from, "after", 0, WORD_MAX) : NULL;
    JsonArray *edges = from ? array_of(from, "edges", machine->n_inputs, machine->n_inputs) : NULL;
    bool good = after && edges;

    for (unsigned i = 0; good && i < json_array_get_length(after); i++)
        good = read_input(machine, &machine->access[state], string_in(json_array_get_element(after, i)));
    for (unsigned i = 0; good && i < machine->n_inputs; i++)
        good = read_edge(machine, &machine->edges[state][i], object_at(edges, i));
    return good;
}

static bool read_machine(struct machine *machine, JsonObject *from)
{
    JsonArray *inputs = array_of(from, "inputs", 1, MACHINE_INPUTS_MAX);
    JsonArray *states = array_of(from, "states", 1, MACHINE_STATES_MAX);
    const char *device = string_in(json_object_get_member(from, "device"));
    bool good = inputs && states && device && g_strcmp0(string_in(json_object_get_member(from, "format")), FORMAT) == 0;

    if (!good)
        return false;
    machine->device = g_intern_string(device);
    machine->n_inputs = json_array_get_length(inputs);
    machine->n_states = json_array_get_length(states);
    for (unsigned i = 0; i < machine->n_inputs && good; i++)
        good = name_input(machine, i, string_in(json_array_get_element(inputs, i)));
    for (unsigned i = 0; i < machine->n_states && good; i++)
        good = read_state(machine, i, object_at(states, i));
    return good;
}

struct machine *machine_load(const char *path, GError **error)
{
    g_autoptr(JsonParser) parser = json_parser_new();
    g_autofree struct machine *machine = g_new0(struct machine, 1);
    g_autofree char *text = NULL;
    JsonNode *root;
    gsize n;

    if (!g_file_get_contents(path, &text, &n, error))
        return NULL;
    root = json_guard_passes(text, n) && json_parser_load_from_data(parser, text, (gssize)n, NULL)
               ? json_parser_get_root(parser)
               : NULL;
    if (root && JSON_NODE_HOLDS_OBJECT(root) && read_machine(machine, json_node_get_object(root)))
        return g_steal_pointer(&machine);
    g_set_error(error, g_quark_from_static_string("iwarp-learn"), 0,
                "%s: not a machine of 'iwarp-gen learn --format=json'", path);
    return NULL;
}
